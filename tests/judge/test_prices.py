from __future__ import annotations

import re
from importlib.resources import files

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judge.prices import Price, price_of
from hueval_metrics.judge.settings import DEFAULT_MODEL
from hueval_metrics.records import InputError

TABLE = yaml.safe_load(files("hueval_metrics.judge").joinpath("prices.yaml").read_text(encoding="utf-8"))
MODELS = sorted(model for block in TABLE for model in block["models"])


@pytest.fixture
def own(tmp_path):
    def write(text):
        path = tmp_path / "own.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("model", "rates"),
    [
        ("gpt-4o", (2.5, 10)),
        (DEFAULT_MODEL, (2.5, 10)),
        ("gpt-4o-2024-05-13", (5, 15)),  # the first one stayed dear: never the alias's price
        ("gpt-4o-mini", (0.15, 0.6)),
        ("gpt-4o-mini-2024-07-18", (0.15, 0.6)),
        ("GPT-4o ", (2.5, 10)),
        ("openai/gpt-4o-2024-05-13", (5, 15)),
        ("openrouter/openai/gpt-4o-mini", (0.15, 0.6)),
        ("models/gemini-2.5-flash", (0.3, 2.5)),
        ("claude-3-5-haiku-20241022", (0.8, 4)),
        ("anthropic/claude-3.5-haiku", (0.8, 4)),  # OpenRouter writes a full stop
        ("claude-sonnet-4-5@20250929", (3, 15)),
        ("claude-3-5-sonnet-latest", (3, 15)),
        ("o3-2025-04-16", (2, 8)),
        ("deepseek/deepseek-flash", (0.3, 1.2)),
        ("azure/gpt-4o-2024-11-20", (2.75, 11)),  # what a deployment in one region costs
    ],
)
def test_a_name_leads_to_its_own_price(model, rates):
    price = price_of(model, None)
    assert (price.input, price.output) == pytest.approx(rates)


@pytest.mark.parametrize(
    "model",
    [
        "gpt-4o-audio-preview",
        "gpt-4o-audio-preview-2024-12-17",
        "ft:gpt-4o-2024-08-06:lab::abc",  # fine-tuned ones are dearer
        "o3-pro",
        "o1-pro-2025-03-19",
        "gpt-5.5-pro",
        "some-host/gpt-4o",
        "gpt-4o:extended",
        "gemini-2.5-pro-preview",
        "gpt-4o-2024",
        "Qwen/Qwen3-32B",
        "",
        "/",
    ],
)
def test_a_name_like_another_has_no_price(model):
    assert price_of(model, None) is None


@given(st.text(max_size=30))
def test_a_longer_name_never_gets_a_shorter_ones_price(tail):
    # Beside a date and what white space and case make no difference to, any letter makes another model.
    price = price_of(f"gpt-4o{tail}", None)
    if f"gpt-4o{tail.strip().casefold()}" in MODELS or re.fullmatch(r"[-@](20[\d-]{6,8}|latest)", tail.strip().lower()):
        return
    assert tail.strip() == "" or price is None


def test_each_block_of_the_table_says_when_and_where():
    for block in TABLE:
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", str(block["as_of"]))
        assert len(block["source"].split()) > 2
    assert len(MODELS) == len(set(MODELS))


@pytest.mark.parametrize("model", MODELS)
def test_each_entry_of_the_table_is_plausible(model):
    price = price_of(model, None)
    assert 0 < price.input <= price.output
    assert price.cached_input is None or price.cached_input < price.input
    assert price.above == float("inf") or (price.above_input > price.input and price.above_output > price.output)


@pytest.mark.parametrize(
    ("why", "price", "tokens", "batch", "cached", "dollars"),
    [
        ("plain", Price(2.5, 10), (1_000_000, 100_000), False, 0, 3.5),
        ("half price in a batch", Price(2.5, 10, batch=0.5), (1_000_000, 100_000), True, 0, 1.75),
        ("no discount is known", Price(2.5, 10), (1_000_000, 100_000), True, 0, 3.5),
        ("from the provider's cache", Price(2.5, 10, cached_input=1.25), (1_000_000, 0), False, 400_000, 2.0),
        ("not both discounts", Price(2.5, 10, cached_input=1.25, batch=0.5), (1_000_000, 0), True, 400_000, 1.25),
        ("more cached than sent", Price(2.5, 10, cached_input=1.25), (1_000_000, 0), False, 9_000_000, 1.25),
        ("just not long", Price(1, 10, above=200, above_input=2, above_output=20), (200, 100), False, 0, 0.0012),
        ("a long prompt", Price(1, 10, above=200, above_input=2, above_output=20), (201, 100), False, 0, 0.002402),
        ("free", Price(0, 0), (1_000_000, 1_000_000), False, 0, 0),
    ],
)
def test_cost(why, price, tokens, batch, cached, dollars):
    assert price.cost(*tokens, batch=batch, cached_tokens=cached) == pytest.approx(dollars), why


@pytest.mark.parametrize(
    "text",
    [
        "my-judge: {input: 1, output: 2}",
        "models: {My-Judge: {input: 1, output: 2}}",
        "- {as_of: 2026-01-02, source: our contract, models: {my-judge: {input: 1, output: 2}}}",
    ],
)
def test_own_prices_in_short_and_long_form(own, text):
    price = price_of("my-judge", own(text))
    assert (price.input, price.output) == (1, 2)
    assert price.as_of == ("2026-01-02" if "as_of" in text else "")


def test_own_prices_go_first(own):
    path = own("gpt-4o: {input: 9, output: 9}\nmeta/llama: {input: 0, output: 0}\n")
    assert price_of("gpt-4o", path).input == 9
    assert price_of("openai/gpt-4o-2024-08-06", path).input == 9
    assert price_of("meta/llama", path).output == 0
    assert price_of("gpt-4o-mini", path).input == 0.15  # of ours


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no table of prices"),
        ("[]", "no table of prices"),
        ("- 3", 'block without "models"'),
        ("a: {input: [", "is not YAML"),
        ("- {as_of: 2025-13-45, models: {}}", "is not YAML"),
        ("gpt-4o: 3", '"gpt-4o": expected dollars per million tokens'),
        ("gpt-4o: {input: 3}", "output is missing"),
        ("gpt-4o: {input: 3, output: 4, above: 9}", "above_input is missing"),
        ("gpt-4o: {imput: 3, output: 4}", '"imput" is unknown'),
        ("gpt-4o: {input: -3, output: 4}", 'input is "-3"'),
        ("gpt-4o: {input: .nan, output: 4}", 'input is "nan"'),
        ("gpt-4o: {input: .inf, output: 4}", 'input is "inf"'),
        ("gpt-4o: {input: true, output: 4}", 'input is "True"'),
        ("gpt-4o: {input: $3, output: 4}", 'input is "$3"'),
        ("gpt-4o: {input: 3, output: 4, batch: 0}", "batch is 0"),
        ("gpt-4o: {input: 3, output: 4, batch: 2}", "batch is 2"),
    ],
)
def test_a_bad_file_is_one_clear_line(own, text, said):
    with pytest.raises(InputError) as caught:
        price_of("gpt-4o", own(text))
    line = str(caught.value)
    assert line.startswith("HUEVAL_JUDGE_PRICES: ")
    assert "own.yaml" in line
    assert said in line
    assert "\n" not in line


def test_a_missing_file_is_one_clear_line(tmp_path):
    with pytest.raises(InputError, match=r"^HUEVAL_JUDGE_PRICES: cannot read .*none\.yaml \(No such file"):
        price_of("gpt-4o", tmp_path / "none.yaml")


def test_a_file_of_other_bytes_is_one_clear_line(tmp_path):
    (tmp_path / "own.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        price_of("gpt-4o", tmp_path / "own.yaml")


@given(
    st.text()
    | st.recursive(
        st.none() | st.booleans() | st.floats() | st.text() | st.dates(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["models", "gpt-4o", "input", "batch"]), inner),
    ).map(yaml.safe_dump)
)
def test_any_file_is_prices_or_a_clear_line(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(text.encode("utf-8", "replace"))
    try:
        price = price_of("gpt-4o", path)
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert price.cost(1000, 1000) >= 0

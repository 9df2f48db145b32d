from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.errors import InputError
from hueval_metrics.judge.prices import Price, price_of
from hueval_metrics.judge.settings import DEFAULT_MODEL, OPENAI_URL

OPENROUTER = "https://openrouter.ai/api/v1"
AZURE = "https://lab.openai.azure.com/openai/deployments/judge?api-version=2025-01-01&sig=secret"
GOOGLE = "https://generativelanguage.googleapis.com/v1beta/openai"
OWN = "http://localhost:8000/v1"


@pytest.fixture
def own(tmp_path):
    def write(text):
        path = tmp_path / "own.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


# The published rates of models whose prices have been the same since they came out.
@pytest.mark.parametrize(
    ("model", "url", "rates"),
    [
        ("gpt-4o", OPENAI_URL, (2.5, 10)),
        (DEFAULT_MODEL, OPENAI_URL, (2.5, 10)),
        (DEFAULT_MODEL, OWN, (2.5, 10)),  # a proxy: the name tells the provider
        ("gpt-4o-2024-05-13", OPENAI_URL, (5, 15)),  # the first one stayed dear: never the alias's price
        ("gpt-4o-mini-2024-07-18", OPENAI_URL, (0.15, 0.6)),
        ("gpt-5.4-mini-2026-03-17", OPENAI_URL, (0.75, 4.5)),
        ("gpt-5.5-pro", OPENAI_URL, (30, 180)),
        ("ft:gpt-4o-2024-08-06:lab::abc", OPENAI_URL, (3.75, 15)),  # fine-tuned ones are dearer
        ("GPT-4o ", OPENAI_URL, (2.5, 10)),
        ("gpt-4o", AZURE, (2.5, 10)),
        ("openai/gpt-4o", OPENROUTER, (2.5, 10)),
        ("anthropic/claude-haiku-4.5", OPENROUTER, (1, 5)),  # OpenRouter writes a full stop
        ("openai/gpt-4o-2024-05-13", OWN, (5, 15)),
        ("openrouter/openai/gpt-4o-mini", OWN, (0.15, 0.6)),
        ("azure/gpt-4o-2024-11-20", OWN, (2.5, 10)),
        ("models/gemini-2.5-flash", GOOGLE, (0.3, 2.5)),
        ("gemini/gemini-2.5-flash", OWN, (0.3, 2.5)),
        ("claude-haiku-4-5", "https://api.anthropic.com/v1", (1, 5)),
        ("claude-3-5-haiku-20241022", OWN, (0.8, 4)),
        ("claude-sonnet-4-5@20250929", OWN, (3, 15)),
        ("deepseek-v4-pro", "https://api.deepseek.com/v1", (1.32, 3.96)),  # of the peak hours, at any hour
    ],
)
def test_a_model_has_the_price_of_its_provider(model, url, rates):
    price = price_of(model, None, [url])
    assert (price.input, price.output) == pytest.approx(rates)
    assert price.as_of == f"genai-prices {version('genai-prices')}"


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("my-judge", OWN),
        ("my-deployment", AZURE),
        ("gpt-4o-2024", OPENAI_URL),
        ("some-host/gpt-4o", OWN),
        ("Qwen/Qwen3-32B", OWN),
        ("meta-llama/Llama-3.3-70B-Instruct", OWN),
        ("google/gemma-3-27b-it", OWN),  # it is known and has no price: that is not 0
        ("sonar-deep-research", "https://api.perplexity.ai"),  # bills searches beside tokens
        ("", OPENAI_URL),
        ("/", OWN),
    ],
)
def test_a_model_that_nobody_prices_has_no_price(model, url):
    assert price_of(model, None, [url]) is None


def test_batches_caches_and_long_prompts_have_their_prices():
    price = price_of("gpt-6.1-terra", None, [OPENAI_URL])
    assert (price.batch, price.cached_input, price.written_input) == (0.5, 0.05, 1.25)
    assert (price.above, price.above_input, price.above_output) == (272_000, 2.5, 7.5)  # as if all were written
    assert price_of("gpt-4o", None, [AZURE]).batch == 1.0  # no discount is known there


@given(st.text(st.characters(categories=["L"]), min_size=1, max_size=20))
def test_letters_behind_a_name_make_another_model(tail):
    assert price_of(f"gpt-4o{tail}", None) is None


@pytest.mark.process
def test_no_command_waits_for_the_table_before_it_needs_a_price():
    code = "import sys, hueval_metrics.cli, hueval_metrics.judge.loop; sys.exit('genai_prices' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


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


def test_what_is_written_into_the_providers_cache_costs_more():
    assert Price(2.0, 10, written_input=2.5).cost(1_000_000, 0, written_tokens=400_000) == pytest.approx(2.2)
    assert Price(2.0, 10).cost(1_000_000, 0, written_tokens=400_000) == pytest.approx(2.0)


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
    assert price_of("gpt-4o-mini", path).input == 0.15  # the published one


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

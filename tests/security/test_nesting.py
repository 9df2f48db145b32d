"""Deeply nested JSON and YAML that expands are refused where they are read, so that nothing behind can fail on them."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.records import Filtered
from hueval_metrics.text.foreign import MAX_DEPTH, parse_json, parse_yaml
from tests.each import each
from tests.harness.runs import hueval_here

FIB, QA = "openhueval_humatchingfib", "openhueval_husimpleqa"
OFFLINE = {"HUEVAL_OFFLINE": "1", "HUEVAL_SAMPLE": "1", "HUEVAL_JUDGE": "lexical"}
LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
MERGES = "a0: &a0 {k: 1}\n" + "".join(f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
BOMBS = {
    "aliases": LAUGHS,
    "merge keys": MERGES,
    "a value that holds itself": "a: &a [*a]\n",
    "brackets": "a: " + "[" * 50_000 + "\n",
    "a number of base 60": "a: " + ":".join(["1"] * 100_000) + "\n",
    "the same with a tag": 'a: !!int "' + ":".join(["1"] * 100_000) + '"\n',
    "a long number": "a: " + "9" * 100_000 + "\n",
    "a long text": "a: " + "x" * 2**20 + "\n",
    "a Python object": "a: !!python/object/apply:os.abort []\n",
}


def nested(depth, kind):
    return "[" * depth + "]" * depth if kind == "list" else '{"a":' * depth + "1" + "}" * depth


@each("kind", ["list", "object"])
def test_the_limit_is_exact(kind):
    assert parse_json(nested(MAX_DEPTH, kind)) is not None
    for depth in (MAX_DEPTH + 1, 900, 100_000):
        with pytest.raises(ValueError, match="nested more than 100 deep"):
            parse_json(nested(depth, kind))


def test_brackets_in_text_and_side_by_side_are_no_nesting():
    value = {"text": "[" * 1000, "rows": [[]] * 1000}
    assert parse_json(json.dumps(value)) == value


@given(st.recursive(st.none() | st.text() | st.integers(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)))
def test_any_other_json_is_read_as_ever(value):
    assert parse_json(json.dumps(value)) == value


def test_a_verdict_of_900_levels_is_none():
    with pytest.raises(ValueError, match="nested more than 100 deep"):
        Filtered.from_json('{"response": "x", "verdict": {"label": "YES", "data": ' + nested(900, "list") + "}}")


@each("depth", [900, 100_000])
@each(
    ("place", "content", "command"),
    [
        ("p.jsonl", f'{{"task": "{FIB}", "qid": "q", "prediction": @}}', ("score", "p.jsonl", "--output", "out")),
        ("results.json", '{"results": {"x": {}}, "config": @}', ("table", "results.json")),
        ("results.json", '{"results": {"x": {}}, "config": @}', ("report", "results.json")),
        ("results.json", f'{{"{FIB}": {{"n": 1, "blank_acc": 1.0, "judge": @}}}}', ("compare", "results.json")),
        ("results.json", '{"results": @}', ("export", "results.json", "--to", "hub", "--output", "out")),
        ("items.jsonl", f'{{"task": "{QA}", "qid": "q", "verdict": @}}', ("judge-agreement", "items.jsonl")),
        ("s.key.json", '{"format": @}', ("validate-judge", "import", "s.csv")),
        ("hueval.json", '{"format": 1, "x": @}', ("data", "check", ".")),
    ],
    ids=lambda part: part[0] if isinstance(part, tuple) else "",
)
def test_one_line_from_every_command(tmp_path, place, content, command, depth):
    (tmp_path / "s.csv").write_text("id,rating\n1,YES\n", encoding="utf-8")
    (tmp_path / place).write_text(content.replace("@", nested(depth, "object")) + "\n", encoding="utf-8")
    outcome = hueval_here(*command, cwd=tmp_path, **OFFLINE)
    assert outcome.status == 1
    assert len(outcome.complaints) == len(outcome.err.splitlines()) == 1
    assert "deep" in outcome.err or "recursion limit" in outcome.err


@each("bomb", BOMBS)
def test_yaml_that_expands_is_refused(bomb):
    with pytest.raises(ValueError):
        parse_yaml(BOMBS[bomb])


def test_ordinary_yaml_is_read():
    assert parse_yaml("models:\n  m: {input: 2.5, at: 2026-01-31, url: 'http://x:1/'}\n")["models"]["m"]["input"] == 2.5


@given(st.text(st.one_of(st.sampled_from("&*!<>[]{}:,-?|#'\"% \n01.x"), st.characters())))
def test_any_text_is_yaml_or_a_value_error(text):
    with contextlib.suppress(ValueError):
        parse_yaml(text)


@each("bomb", ["aliases", "merge keys", "brackets", "a number of base 60"])
def test_in_prices_and_in_a_card(tmp_path, bomb):
    (tmp_path / "p.jsonl").write_text(json.dumps({"task": QA, "qid": "q", "prediction": "x"}) + "\n", encoding="utf-8")
    (tmp_path / "prices.yaml").write_text(BOMBS[bomb] + "models: {m: {input: 1, output: 1}}\n", encoding="utf-8")
    paid = {"HUEVAL_JUDGE": "openai", "HUEVAL_JUDGE_BASE_URL": "http://127.0.0.1:9/v1", "HUEVAL_JUDGE_MODEL": "m"}
    limits = {"HUEVAL_JUDGE_PRICES": "prices.yaml", "HUEVAL_JUDGE_BUDGET_USD": "1"}
    outcome = hueval_here("score", "p.jsonl", "--output", "out", cwd=tmp_path, **OFFLINE | paid | limits)
    assert outcome.status == 1 and len(outcome.err.splitlines()) == 1

    sample = "hf_datasets/openhueval/sample"
    copy = tmp_path / "copy"
    assert hueval_here("data", "convert", sample, copy, "--name", "openhueval").status == 0
    (copy / "README.md").write_text(f"---\n{BOMBS[bomb]}---\n# Card\n", encoding="utf-8")
    outcome = hueval_here("data", "check", copy)
    assert outcome.status == 1
    assert "the YAML block cannot be read" in outcome.out


WRONG = BOMBS | {
    "no boolean": "tasks: !!bool x\n",
    "no time": "limit: !!timestamp x\n",
    "a key that is a list": "[1]: 2\n",
    "a list": "- tasks\n",
}
del WRONG["a Python object"], WRONG["a long text"]  # these need a minute each on a slow machine, or pass as text


@each("bomb", WRONG)
@each("command", [("run", "--config"), ("submit", "p.jsonl", "--site", "http://127.0.0.1:9", "--card")])
def test_in_settings_and_in_a_model_card(tmp_path, command, bomb):
    (tmp_path / "p.jsonl").write_text("{}\n", encoding="utf-8")
    (tmp_path / "f.yaml").write_text(WRONG[bomb], encoding="utf-8")
    outcome = hueval_here(*command, "f.yaml", cwd=tmp_path, **OFFLINE, HUEVAL_SITE_TOKEN="t")
    assert (outcome.status, "Traceback" in outcome.err) == (1, False)
    (line,) = outcome.complaints  # others say what a slow machine waits for
    assert "f.yaml: " in line
    assert "NoneType" not in line


@each(
    ("content", "line"),
    [
        ("tasks: 5", "tasks is int, expected str | list[str]"),
        ("model_args: [1]", "model_args is list, expected dict"),
        ("output_path: 5", "output_path is int, expected str | None"),
        ("hf_hub_log_args: 3", "hf_hub_log_args is int, expected dict"),
        ("5: 6", 'unknown setting "5". '),
    ],
)
def test_a_setting_of_another_type(tmp_path, content, line):
    (tmp_path / "f.yaml").write_text(content, encoding="utf-8")
    outcome = hueval_here("run", "--config", "f.yaml", cwd=tmp_path, **OFFLINE)
    assert (outcome.status, "Traceback" in outcome.err) == (1, False)
    (said,) = outcome.complaints
    assert said.startswith(f"hueval: --config f.yaml: {line}")


def test_json_where_yaml_is_expected_keeps_its_surrogate_pairs():
    assert parse_yaml('{"name": "\\ud83d\\ude00"}') == {"name": "😀"}  # as `json.dumps` writes it, a card for one

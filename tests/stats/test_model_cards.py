"""Model cards: what a file may say, and one line for each mistake."""

from __future__ import annotations

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.stats.model_cards import ModelCard, read_model_cards

BASE = "reasoning: false, open: true"


def read(tmp_path, text: str):
    path = tmp_path / "cards.yaml"
    path.write_text(text, encoding="utf-8")
    return read_model_cards(path)


def test_all_fields(tmp_path):
    found = read(
        tmp_path,
        f"models:\n  org/a b: {{size_b: 72, {BASE}, series: A}}\n"
        '  "<b>": {reasoning: true, open: false, base: org/a b}',
    )
    assert found == {
        "org/a b": ModelCard(size_b=72, reasoning=False, open=True, series="A"),
        "<b>": ModelCard(reasoning=True, open=False, base="org/a b"),
    }


def test_labels_that_yaml_reads_as_numbers_stay_labels(tmp_path):
    assert list(read(tmp_path, f"models: {{7: {{{BASE}}}}}")) == ["7"]


@pytest.mark.parametrize(
    ("why", "text", "message"),
    [
        ("empty file", "", "no models in it"),
        ("another key", "model: {}", "no models in it"),
        ("a list", "models: [a]", "no models in it"),
        ("broken YAML", "models: {a: {", "not valid YAML"),
        ("nothing said of a model", "models: {a: }", '"a" has no fields'),
        ("a missing field", "models: {a: {open: true}}", 'reasoning of "a": Field required'),
        ("an unknown field", f"models: {{a: {{{BASE}, size: 7}}}}", 'size of "a": Extra inputs'),
        ("size in words", f"models: {{a: {{{BASE}, size_b: 72B}}}}", 'size_b of "a": Input should be a valid number'),
        (
            "no size at all is left out, not 0",
            f"models: {{a: {{{BASE}, size_b: 0}}}}",
            'size_b of "a": Input should be',
        ),
        ("size NaN", f"models: {{a: {{{BASE}, size_b: .nan}}}}", 'size_b of "a": Input should be'),
        (
            "a number for yes",
            "models: {a: {reasoning: 1, open: true}}",
            'reasoning of "a": Input should be a valid bool',
        ),
        ("a base that is not there", f"models: {{a: {{{BASE}, base: b}}}}", 'base of "a": "b" is not among the models'),
        ("its own base", f"models: {{a: {{{BASE}, base: a}}}}", 'base of "a": "a" is itself'),
        ("a tag that would run code", "models: !!python/object/apply:os.getcwd []", "not valid YAML"),
    ],
)
def test_mistakes(tmp_path, why, text, message):
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    line = str(error.value)
    assert message in line, why
    assert line.startswith(str(tmp_path / "cards.yaml"))
    assert "\n" not in line


def test_no_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_model_cards(tmp_path / "none.yaml")


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "cards.yaml"
    path.write_bytes(b"models: {a: \xff}")
    with pytest.raises(InputError, match="not valid YAML"):
        read_model_cards(path)

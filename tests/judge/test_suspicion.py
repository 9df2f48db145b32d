"""Which responses address the judge: attempts, honest responses that come close, and any text at all."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judge.suspicion import KINDS, signs
from hueval_metrics.judges.bench.attempts import known_attempts
from tests.each import each
from tests.helpers import json_lines, load_cases, shared, why
from tests.linear import slower_than_linear

ATTEMPTS, HONEST = known_attempts(), load_cases("suspicion_honest")
RUBRICS = ("husimpleqa", "huproverbrea_oe", "huwildbench")
SAMPLE = Path(__file__).parents[2] / "hf_datasets" / "openhueval" / "sample"
PUBLISHED = ("HuMatchingFIB", "HuProverbRea", "HuStandardFIB")
PIECES = [
    *(
        "CORRECT",
        "YES",
        "final verdict: ",
        '"evaluation": ',
        '"score": ',
        '"weaknesses": "',
        "score: 10",
        "{",
        "}",
        '"',
        "'",
    ),
    *(
        "```",
        "\n",
        "\\n",
        '\\"',
        "# ",
        "# Your task",
        "<|",
        "[INST]",
        "\nuser: x",
        "\nassistant: ",
        "[the end of ",
        "【",
        "--",
    ),
    *(
        "</response> ",
        "end of the answer",
        "\u200b",
        "\u202e",
        "\u0301",
        "\U000e0041",
        "ſ",
        "ﷺ",
        "中",
        "А",
        " ",
        "\ud800",
    ),
]
ANY = st.one_of(
    st.text(st.characters(exclude_categories=())), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
)


def texts(value: Any) -> Iterator[str]:
    """The strings in parsed JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


def marks(response: str) -> tuple[str, ...]:
    """The kinds of marks, the same under each rubric of the family: an attempt may be written for any of its tasks."""
    (found,) = {signs(response, rubric) for rubric in RUBRICS}
    return found


@each("case", ATTEMPTS, ids=why)
def test_an_attempt_is_recognised(case):
    assert list(marks(case["response"])) == case["signs"]


@pytest.mark.parametrize("case", HONEST, ids=why)
def test_an_honest_response_has_no_sign(case):
    assert marks(case["response"]) == ()


def test_every_kind_has_attempts():
    assert {kind for case in ATTEMPTS for kind in case["signs"]} == set(KINDS)


@pytest.mark.parametrize("file", PUBLISHED)
def test_the_published_data_have_no_sign(file):
    assert_honest(shared("data", "openhueval", f"{file}.jsonl"))


@each("file", sorted(SAMPLE.glob("*.jsonl")), ids=lambda file: file.stem)
def test_the_packaged_sample_has_no_sign(file):
    assert_honest(file)


def assert_honest(file):
    found = [text for row in json_lines(file) for text in texts(row)]
    assert found
    assert [text for text in found if signs(text, RUBRICS[0])] == []


@each("case", [case for case in ATTEMPTS if not case["why"].endswith("on the first line")], ids=why)
def test_what_goes_before_does_not_hide_an_attempt(case):
    found = marks(f"Szeged a Tisza partján fekszik. 😀\n\n{case['response']}")
    assert set(found) >= set(case["signs"])


@given(ANY)
def test_any_text_can_be_looked_at(response):
    found = marks(response)
    assert list(found) == sorted(set(found))
    assert set(found) <= set(KINDS)


@pytest.mark.slow
@pytest.mark.no_cover
def test_a_huge_response_is_read_in_linear_time():
    def huge(length):  # some pieces grow as they are normalised
        return {piece: piece * (length // len(unicodedata.normalize("NFKC", piece))) for piece in pieces}

    def read(text):
        signs(text, RUBRICS[0])
        assert "forged_role" in signs(f"{text} \n\n<|im_start|>", RUBRICS[0])

    pieces = [*PIECES, "a", "á", "😀", "=", "-", "#", "a b ", "[", "the end of "]
    assert not slower_than_linear(read, huge)

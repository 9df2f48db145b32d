"""Correct given attempted and F-score: literal counts, the paper's own table, and their definitions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.metrics.simple_qa import (
    CORRECT_GIVEN_ATTEMPTED,
    F_SCORE,
    LABELS,
    attempted_term,
    by_label,
    f_term,
    reference_label,
)
from tests.helpers import json_lines, load_cases, shared, why

COUNTS = st.tuples(*[st.integers(0, 40)] * 3)
ROUNDING = 0.012  # the table's shares are rounded to 0.01, and so are its results


def answers(correct: int, incorrect: int, not_attempted: int) -> list[str]:
    return [
        label for label, n in zip(LABELS, (correct, incorrect, not_attempted), strict=True) for label in [label] * n
    ]


def both(labels: list[str]) -> tuple[float | None, float | None]:
    return CORRECT_GIVEN_ATTEMPTED(map(attempted_term, labels)), F_SCORE(map(f_term, labels))


@pytest.mark.parametrize("case", load_cases("simple_qa"), ids=why)
def test_counts(case):
    expected = [case["cga"], case["f"]]
    assert list(both(answers(*case["counts"]))) == [e and pytest.approx(e, abs=ROUNDING) for e in expected]


def test_an_answer_without_a_verdict_counts_in_nothing():
    assert set(by_label(None, (0.9, None)).values()) == {None}


def test_the_confidence_of_an_answer_that_is_not_attempted_counts_as_wrong():
    assert by_label("NOT_ATTEMPTED", (0.9, None))["ece"] == (0.9, 0.0)


@given(COUNTS)
def test_by_the_papers_formulas(counts):
    c, i, n = counts
    cga, f = both(answers(c, i, n))
    if c + i + n == 0:
        assert (cga, f) == (None, None)
    elif c == 0:
        assert (cga, f) == (0.0, 0.0)
    else:
        attempted, overall = c / (c + i), c / (c + i + n)
        assert cga == pytest.approx(100 * attempted)
        assert f == pytest.approx(100 * 2 * attempted * overall / (attempted + overall))  # the harmonic mean of §2.3


@pytest.mark.parametrize("subset", ["all", "forward", "reverse"])
def test_parity_with_the_reference_scorer(subset):
    folder = shared("parity", "kolassimpleqa")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["general"][subset]
    rows = json_lines(folder / "general.jsonl")
    labels = [reference_label(r["judge"]) for r in rows if subset == "all" or r["is_reverse"] == (subset == "reverse")]
    assert len(labels) == expected["n"]
    for label, share in zip(LABELS, ("CO", "IN", "NA"), strict=True):
        assert round(100 * labels.count(label) / len(labels), 2) == expected[share]
    assert tuple(round(value, 2) for value in both(labels)) == (expected["CGA"], expected["F"])


@pytest.mark.parametrize("aggregation", [CORRECT_GIVEN_ATTEMPTED, F_SCORE])
def test_without_a_verdict_is_outside(aggregation):
    assert aggregation([]) is None
    assert aggregation([None, None]) is None
    assert aggregation([None, [1, 1], [0, 1]]) == 50.0  # a log makes a list of the pair


@pytest.mark.parametrize(
    ("why", "reply", "label"),
    [
        ("a letter", "A", "CORRECT"),
        ("a small letter", "b", "INCORRECT"),
        ("white space before", "\n C.", "NOT_ATTEMPTED"),
        ("letter and word", "B: INCORRECT", "INCORRECT"),
        ("prose counts by its first letter", "As an AI, B", "CORRECT"),
        ("Hungarian prose, too", "A válasz: B", "CORRECT"),
        ("a word in c is not attempted", "CORRECT", "NOT_ATTEMPTED"),
        ("a word in i, too", "INCORRECT", "NOT_ATTEMPTED"),
        ("a bracket is no letter", "(A)", "NOT_ATTEMPTED"),
        ("JSON is no letter", '{"evaluation": "A"}', "NOT_ATTEMPTED"),
        ("empty", "", "NOT_ATTEMPTED"),
    ],
)
def test_the_public_scorer_reads_the_first_letter(why, reply, label):
    assert reference_label(reply) == label, why


@given(st.text(st.characters(exclude_categories=())))
def test_the_public_scorer_always_reads_something(reply):
    assert reference_label(reply) in LABELS

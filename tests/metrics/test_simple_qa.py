"""Correct given attempted and F-score: literal counts, the paper's own table, and their definitions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.metrics.simple_qa import CORRECT_GIVEN_ATTEMPTED, F_SCORE, LABELS, attempted_term, f_term
from tests.helpers import json_lines, load_cases, shared, why

COUNTS = st.tuples(*[st.integers(0, 40)] * 3)
ROUNDING = 0.012  # the table's shares are rounded to 0.01, and so are its results
LETTERS = dict(zip("ABC", LABELS, strict=True))  # the reference judge's letters


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
    labels = [LETTERS[r["judge"]] for r in rows if subset == "all" or r["is_reverse"] == (subset == "reverse")]
    assert len(labels) == expected["n"]
    for label, share in zip(LABELS, ("CO", "IN", "NA"), strict=True):
        assert round(100 * labels.count(label) / len(labels), 2) == expected[share]
    assert tuple(round(value, 2) for value in both(labels)) == (expected["CGA"], expected["F"])


@pytest.mark.parametrize("aggregation", [CORRECT_GIVEN_ATTEMPTED, F_SCORE])
def test_without_a_verdict_is_outside(aggregation):
    assert aggregation([]) is None
    assert aggregation([None, None]) is None
    assert aggregation([None, [1, 1], [0, 1]]) == 50.0  # a log makes a list of the pair

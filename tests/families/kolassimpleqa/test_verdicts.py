"""Verdicts in files: of this rubric, of another one, none; and pairs of which a part is missing."""

from __future__ import annotations

import json
import logging

import pytest

from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into
from tests.families.kolassimpleqa.judged_rows import document, summary_of, verdict, written

SURE = '{"answer": "Eger", "confidence_score": 80}'
OTHERS = {"the same labels": "husimpleqa/2", "no family's": "myqa/1", "of a longer name": "kolassimpleqa-2/1"}


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")


@pytest.mark.parametrize("rubric", OTHERS.values(), ids=OTHERS)
def test_a_verdict_of_another_rubric_is_none(tmp_path, caplog, rubric):
    rows = [(document("a", "1"), SURE, verdict("A", rubric)), (document("b", "2"), SURE, verdict("B"))]
    with caplog.at_level(logging.WARNING):
        found = summary_of(written(tmp_path, rows))
    assert (found["judge_coverage"], found["correct"], found["incorrect"], found["n"]) == (50.0, 0.0, 100.0, 2)
    assert found["correct_ref"] == 0.0
    assert (
        f"kolassimpleqa_hu_general: 1 verdict by another rubric ({rubric}) not counted. Have the answers judged by "
        "kolassimpleqa."
    ) in caplog.messages


@pytest.mark.parametrize("rubric", ["kolassimpleqa/1", "kolassimpleqa/7", "kolassimpleqa/lexical-1", ""])
def test_a_verdict_of_any_version_of_the_rubric_or_of_none_counts(tmp_path, caplog, rubric):
    with caplog.at_level(logging.WARNING):
        found = summary_of(written(tmp_path, [(document("a"), SURE, verdict("A", rubric))]))
    assert (found["judge_coverage"], found["correct"]) == (100.0, 100.0)
    assert not [text for text in caplog.messages if "another rubric" in text]


def test_items_do_not_hold_a_verdict_of_another_rubric(tmp_path):
    file = written(tmp_path, [(document("a"), SURE, verdict("A", "husimpleqa/2"))])
    score_into(tmp_path / "out", [file], None, {}, JudgePlan())
    (item,) = map(json.loads, (tmp_path / "out" / "items.jsonl").read_text(encoding="utf-8").splitlines())
    assert item["verdict"] is None
    assert item["values"]["correct"] is None


PAIRS = {
    "both right": ([("A", "A")], (100.0, 1, 0)),
    "one right": ([("A", "B")], (0.0, 1, 0)),
    "none right: no pair has one": ([("B", "C")], (None, 1, 0)),
    "one of two with a right answer is right in both": ([("A", "A"), ("C", "A"), ("B", "B")], (50.0, 3, 0)),
    "a pair with one verdict is not counted as a pair": ([("A", None), ("A", "A")], (100.0, 1, 1)),
    "a pair without verdicts is neither": ([(None, None), ("A", "A")], (100.0, 1, 0)),
    "a question without its reverse is no pair": ([("A",), ("A", "A")], (100.0, 1, 1)),
    "a reverse alone is no pair": ([(None, "A")], (None, 0, 1)),
    "nothing is judged": ([(None, None)], (None, 0, 0)),
}


@pytest.mark.parametrize(("pairs", "expected"), PAIRS.values(), ids=PAIRS)
def test_pairs(tmp_path, pairs, expected):
    rows = [
        (document(f"{track}-{way}", str(track), reverse=bool(way)), SURE, letter and verdict(letter))
        for track, letters in enumerate(pairs)
        for way, letter in enumerate(letters)
    ]
    found = summary_of(written(tmp_path, rows))
    assert (found["bidirectional"], found["n_pairs"], found["n_unpaired"]) == expected

"""What is counted of thoughts: literal rows, and the public tool's figures on its own form of rows, to the digit."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.traces.measures import Cell
from hueval_metrics.traces.numbers import Numbers
from hueval_metrics.traces.rows import MEASURES as LENGTHS
from hueval_metrics.traces.thoughts.measures import MEASURES
from tests.helpers import json_lines, shared

TASK = "openhueval_husimpleqa"
BY_NAME = {measure.name: measure for measure in MEASURES}
VERDICTS = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")


def row_of(scores, verdict="INCORRECT", key="0", tokens=100, **fields):
    """The row of a reply whose thoughts have these scores."""
    thoughts = {"language": "hu", "starts": [9 * n for n in range(len(scores))], "scores": scores}
    return {
        "run": "r", "task": TASK, "key": [key], "cluster": key, "verdict": verdict, "weight": 1.0, "tokens": tokens,
        "share": None, "blocks": [[0, 9]], "thoughts": thoughts,
    } | fields  # fmt: skip


def numbers(rows, measures=MEASURES):
    """(measure, verdict or empty) → value."""
    gathered = Numbers(measures)
    for row in rows:
        gathered.add(row)
    return {
        (number.measure, number.cell.verdict): number.value
        for number in gathered.numbers()
        if number.cell == Cell("r", TASK, "", number.cell.verdict)
    }


@pytest.mark.parametrize(
    ("why", "scores", "correct", "ratios", "ref"),
    [
        ("none correct", [0, 1, 1], (0, 3), [], []),
        ("a score of 1 is not correct", [1], (0, 1), [], []),
        ("all correct", [2, 2], (2, 2), range(10), range(10)),
        ("exactly 0.3 is at least 0.3, and not above", [2] * 3 + [0] * 7, (3, 10), range(4), range(3)),
        ("0.35 is above 0.3, and rounds to 0.3 or 0.4", [2] * 7 + [0] * 13, (7, 20), range(4), range(3)),
        ("0.375 rounds to 0.4", [2] * 3 + [0] * 5, (3, 8), range(4), range(4)),
        ("0.04 is above 0, and rounds to 0.0", [2] + [0] * 24, (1, 25), range(1), []),
        ("0.95 rounds to 0.9, as Python rounds", [2] * 19 + [0], (19, 20), range(10), range(9)),
        ("a thought without a score does not count", [2, None, None], (1, 1), range(10), range(10)),
    ],
)
def test_ratios(why, scores, correct, ratios, ref):
    row = row_of(scores)
    assert BY_NAME["correct_thoughts"].of(row) == correct
    assert BY_NAME["regret"].of(row) == BY_NAME["correct_ratio_gt_0"].of(row) == (int(0 in ratios), 1)
    for tenths in range(10):
        ours = BY_NAME[f"correct_ratio_ge_{10 * tenths}" if tenths else "correct_ratio_gt_0"]
        assert ours.of(row) == (int(tenths in ratios), 1)
        assert BY_NAME[f"correct_ratio_ref_gt_{10 * tenths}"].of(row) == (int(tenths in ref), 1)


@pytest.mark.parametrize("thoughts", [None, {"left_out": "unreadable"}])
def test_a_reply_that_was_not_split_counts_nowhere(thoughts):
    row = row_of([2]) | {"thoughts": thoughts}
    del row["thoughts"]
    assert {measure.of(row | ({"thoughts": thoughts} if thoughts else {})) for measure in MEASURES} == {None}


def test_a_reply_without_any_score_still_has_thoughts():
    row = row_of([None, None], tokens=50)
    found = {name: measure.of(row) for name, measure in BY_NAME.items() if measure.of(row)}
    assert found == {"thoughts": (2, 1), "thoughts_median": (2, 1), "tokens_per_thought": (50, 2)}


def test_numbers_by_verdict():
    rows = [
        row_of([2, 0], key="a"),
        row_of([0, 0, 0, 0], key="b", tokens=20),
        row_of([2, 2, 2], "NOT_ATTEMPTED", key="c"),
        row_of([2], None, key="d"),  # without a verdict it is in no class
    ]
    found = numbers(rows)
    assert found["regret", "INCORRECT"] == 50.0
    assert found["regret", "NOT_ATTEMPTED"] == 100.0
    assert found["correct_thoughts", "INCORRECT"] == pytest.approx(100 / 6)
    assert found["tokens_per_thought", "INCORRECT"] == 20.0
    assert found["thoughts", "INCORRECT"] == 3.0
    assert found["thoughts", ""] == 2.5


def test_six_cells_where_a_pool_has_two_domains():
    rows = [
        row_of([2 * (domain == "general"), 0], verdict, f"{domain} {verdict}") | {"task": f"kolassimpleqa_hu_{domain}"}
        for domain in ("general", "specific")
        for verdict in VERDICTS
    ]
    gathered = Numbers(MEASURES)
    for row in rows:
        gathered.add(row)
    found = {
        (number.cell.part, number.cell.verdict): number.value
        for number in gathered.numbers()
        if number.measure == "regret" and number.cell.part and number.cell.verdict
    }
    assert found == {
        (part, verdict): value for part, value in (("general", 100.0), ("specific", 0.0)) for verdict in VERDICTS
    }


def published_rows():
    for row in json_lines(shared("parity", "reasoning", "simpleqa_a.jsonl")):
        scores = [int(score) for score in row["confident_scores"]]  # "2" and 2 alike: the rubric reads both as 2
        assert len(scores) == row["thought_number"]
        yield row_of(scores, row["judge_results"], row["qid"], row["answer_tokens_length"])


def test_the_public_tool_s_figures():
    expected = json.loads(shared("parity", "reasoning", "expected.json").read_text(encoding="utf-8"))["simpleqa_a"]
    rows = [*published_rows()]
    found = numbers(rows, [*LENGTHS[:2], *MEASURES])
    reference, exact = expected["reference"], expected["exact_cumulative"]
    for verdict in VERDICTS:
        of_class = expected["per_verdict"][verdict]
        assert sum(row["verdict"] == verdict for row in rows) == of_class["n"]
        assert found["tokens", verdict] == reference["avg_tokens"][verdict] == of_class["avg_tokens"]
        assert found["thoughts", verdict] == reference["avg_thoughts"][verdict] == of_class["avg_thoughts"]
    for verdict, name in (("INCORRECT", "incorrect_cumulative"), ("NOT_ATTEMPTED", "not_attempted_cumulative")):
        for tenths in range(10):
            ours = "correct_ratio_gt_0" if tenths == 0 else f"correct_ratio_ge_{10 * tenths}"
            sign = ">0" if tenths == 0 else f">={tenths / 10}"
            assert found[ours, verdict] == 100 * exact[verdict][sign]
            # The tool leaves out the thresholds that nothing is above.
            shown = reference[name].get(str(tenths / 10), 0.0)
            assert found[f"correct_ratio_ref_gt_{10 * tenths}", verdict] == 100 * shown
    rounded = {row["cluster"]: round(c / n, 1) for row in rows for c, n in [BY_NAME["correct_thoughts"].of(row)]}
    assert rounded == reference["correct_thought_ratio_rounded"]

"""Runs whose calibration errors have other bins, or leave out what was not attempted."""

from hueval_metrics.comparison.compare import compare_runs
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.metrics.confidence import ece
from tests.comparison.conftest import JUDGE, QA, SIGNATURE
from tests.each import each

CONFIDENCES = (0.3, 0.85, 0.9, 0.1, 1.0, 0.35)


def rows(outcomes: str):
    """Rows: `1` right, `0` wrong, `-` not attempted."""
    found = []
    for place, outcome in enumerate(outcomes):
        correct = float(outcome == "1")
        values = {"correct": correct, "not_attempted": float(outcome == "-"), "judge_coverage": 1.0}
        values |= {"ece": [CONFIDENCES[place], correct], "brier": [CONFIDENCES[place], correct]}
        found.append({"task": QA, "qid": f"q{place}", "dimension": "l", "values": values})
    return found


def signed(part):
    return {QA: SIGNATURE.format(task=QA) + (f"|ece:{part}" if part else "") + JUDGE}


def by_hand(outcomes: str, bins, edges, *, attempted=False):
    pairs = [(c, o == "1") for c, o in zip(CONFIDENCES, outcomes, strict=True) if not (attempted and o == "-")]
    return ece(bins, edges)(pairs)


@each(
    ("part", "settings"),
    [(None, (10, "left")), ("20,right", (20, "right"))],
)
def test_runs_with_the_same_settings_are_compared_by_them(make_run, part, settings):
    runs = [make_run(label, rows(answers), signed(part)) for label, answers in (("A", "1100-1"), ("B", "10-0-1"))]
    (found,) = compare_runs(runs, CompareOptions(metrics=["ece"], dimensions=False)).metrics
    assert [score.value for score in found.scores] == [by_hand("1100-1", *settings), by_hand("10-0-1", *settings)]


def test_what_was_not_attempted_stays_out(make_run):
    part = "10,left,attempted"
    runs = [make_run(label, rows(answers), signed(part)) for label, answers in (("A", "1100-1"), ("B", "10-0-1"))]
    (found,) = compare_runs(runs, CompareOptions(metrics=["ece"], dimensions=False)).metrics
    expected = [by_hand(answers, 10, "left", attempted=True) for answers in ("1100-1", "10-0-1")]
    assert [score.value for score in found.scores] == expected


def test_runs_with_other_settings_are_compared_in_all_else(make_run):
    runs = [make_run("A", rows("1100-1"), signed(None)), make_run("B", rows("10-0-1"), signed("15,right"))]
    comparison = compare_runs(runs, CompareOptions(metrics=["brier", "ece"]))
    assert [metric.metric for metric in comparison.metrics] == ["brier"]
    (left_out,) = [one for one in comparison.left_out if one.label is None]
    assert left_out.reason.startswith(
        "different bins of calibration errors (A 10,left, B 15,right), so ece not compared"
    )
    assert "--ece-bins" in left_out.reason
    assert not any("ece" in note for notes in comparison.notes.values() for note in notes)


def test_settings_that_only_the_comparison_does_not_need_are_not_told(make_run):
    runs = [make_run("A", rows("1100-1"), signed(None)), make_run("B", rows("10-0-1"), signed("15,right"))]
    assert compare_runs(runs, CompareOptions(metrics=["correct"])).left_out == ()

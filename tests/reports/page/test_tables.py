from pathlib import Path

from hueval_metrics.reports.page.build import write_report
from hueval_metrics.reports.page.tables import metric_tables, overviews
from hueval_metrics.runs.load import load_runs
from tests.helpers import run_of

FIB, QA = "openhueval_humatchingfib", "openhueval_husimpleqa"


def test_a_cell_of_the_overview_has_score_interval_place_and_mark():
    runs = [
        run_of("a\n", Path("x"), {FIB: {"blank_acc": 61.234}}, {FIB: {"blank_acc": (59.04, 63.1)}}),
        run_of("b", Path("x"), {FIB: {"blank_acc": 50.0}}),
    ]
    (overview,) = overviews(runs, {(FIB, "blank_acc"): {"a\n": False, "b": True}})
    first, second = overview.rows
    cell = first.scores[0]
    assert (first.label, cell.text, cell.interval, cell.place, cell.mark) == ("a", "61.23", "[59.0, 63.1]", 1, "")
    assert (second.scores[0].interval, second.scores[0].place, second.scores[0].mark) == ("", 2, "*")
    assert first.scores[1].text == ""


def test_every_metric_with_interval_method_and_n():
    runs = [
        run_of(
            *("a", Path("x"), {QA: {"ece": 0.12344, "correct": None}}, {QA: {"ece": (0.1, 0.2)}}, {QA: 5}),
            metric_n={QA: {"ece": 4}},
            methods={QA: {"ece": "bootstrap"}},
            signature={QA: "s"},
        ),
        run_of("b", Path("x"), {QA: {"correct": 61.0}}),
    ]
    (table,) = metric_tables(runs)
    assert table.blocks == {
        "ece": [("a", ["0.1234", "[0.1000, 0.2000]", "bootstrap", "4"])],
        "correct": [("a", ["", "", "", "5"]), ("b", ["61.00", "", "", ""])],
    }
    assert table.signatures == {"s": ["a"]}


def test_an_interval_that_covers_too_little_is_marked():
    scores, ends = {FIB: {"blank_acc": 61.0, "question_acc": 5.0}}, {FIB: {"blank_acc": (59.0, 63.0)}}
    noted = run_of("a", Path("x"), scores, ends, notes={FIB: {"blank_acc": "unequal_clusters"}})
    assert overviews([noted], {})[0].rows[0].scores[0].interval == "[59.0, 63.0]†"
    (table,) = metric_tables([noted])
    assert [lines[0][1][1] for lines in table.blocks.values()] == ["[59.00, 63.00]†", ""]


def test_a_score_that_was_not_compared_is_marked_where_others_were():
    scores = {QA: {"correct": 50.0, "correct_calibrated": 51.0}}
    runs = [run_of(label, scores=scores) for label in ("best", "far", "other judge", "hueval-baseline-first")]
    (overview,) = overviews(runs, {(QA, "correct"): {"best": False, "far": True}})
    assert [[score.mark for score in row.scores] for row in overview.rows] == [["", ""], ["*", ""], ["◦", ""], ["", ""]]
    models, baselines = overview.bodies
    assert ([row.label for row in models], [row.policy for row in baselines]) == (
        ["best", "far", "other judge"],
        ["first"],
    )
    (overview,) = overviews(runs, {})
    assert {score.mark for row in overview.rows for score in row.scores} == {""}


def test_a_task_that_ran_without_a_score_has_a_dash_and_one_note(write_run, tmp_path):
    runs = load_runs(
        [write_run(name, {QA: {"correct": score, "n": 1}}) for name, score in (("a", 50.0), ("unjudged", None))]
    )
    write_report(runs, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count('<span aria-hidden="true">–</span><span class="unseen"><span lang="en">run, but without') == 1
    assert text.count("–: run, but without a score.") == 1
    write_report(runs[:1], tmp_path / "page.html")
    assert "run, but without a score" not in (tmp_path / "page.html").read_text(encoding="utf-8")

import pytest

from hueval_metrics.comparison.against import among_published, main_table, rank_changes
from hueval_metrics.comparison.compare import compare_runs
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.comparison.results import Comparison, MetricComparison, Score
from hueval_metrics.errors import InputError
from hueval_metrics.stats.ranks import RankInterval
from tests.comparison.conftest import QA, TWO, qa_rows
from tests.each import each


def comparison_of(task, metric, scores):
    """A comparison that holds these scores, ranked in the order given."""
    rows = tuple(
        Score(label, value, None, RankInterval(place, place, place, 0.0))
        for place, (label, value) in enumerate(scores.items(), 1)
    )
    found = MetricComparison(task, metric, True, "higher", 10, rows, ())
    return Comparison(tuple(scores), (found,), (), {}, (), 0, 0)


def published(task, metric):
    scores = {model: tasks[task][metric] for model, tasks in main_table(task).scores.items()}
    return comparison_of(task, metric, dict(sorted(scores.items(), key=lambda one: -one[1])))


@each(
    ("benchmark", "task", "metric", "moved", "positions"),
    [("maps-en", TWO, "acc", 70, 1.4), ("simpleqa", QA, "correct", 60, 1.4)],
)
def test_the_published_changes_come_out_of_the_published_scores(benchmark, task, metric, moved, positions):
    (found,) = rank_changes(published(task, metric), benchmark)
    assert (found.task, found.metric, found.benchmark) == (task, metric, benchmark)
    assert (found.change.moved, found.change.mean_change) == (pytest.approx(moved), pytest.approx(positions))


def test_a_file_is_held_against_every_metric(tmp_path, make_run):
    path = tmp_path / "ranks.csv"
    path.write_text("model,rank\nB,1\nA,2\n", encoding="utf-8")
    runs = [make_run("A", qa_rows("1110")), make_run("B", qa_rows("1000"))]
    comparison = compare_runs(runs, CompareOptions(metrics=["correct", "incorrect"]))
    found = rank_changes(comparison, str(path))
    assert [one.metric for one in found] == ["correct", "incorrect"]
    assert [one.change.ranks for one in found] == [{"A": (1, 2), "B": (2, 1)}] * 2


def test_published_models_can_stand_in_for_runs_we_do_not_have():
    ours = comparison_of(QA, "correct", {"GPT-4o": 10.0, "mine": 99.0})
    (found,) = rank_changes(ours, "simpleqa", with_published=True)
    # Ours with its 10 points, of which two of the others have less; not the published one, which is first.
    assert found.change.ranks["GPT-4o"] == (8, 1)
    assert found.change.only_ours == ("mine",)
    assert len(found.change.ranks) == 10


def test_ours_and_the_published_are_ranked_together():
    found = among_published(comparison_of(QA, "correct", {"mine": 40.0}).metrics[0])
    assert [(row.label, row.rank) for row in found.rows if row.rank <= 3] == [
        ("mine", 2),
        ("GPT-4o", 1),
        ("Llama-3.1-Instruct-70B", 3),
    ]
    assert [row.is_published for row in found.rows] == [False] + [True] * 10


def test_a_metric_that_table_5_lacks_has_no_published_ranks():
    assert among_published(comparison_of(QA, "f_score", {"mine": 40.0}).metrics[0]) is None


@each(
    ("benchmark", "message"),
    [
        ("maps-en", "--against maps-en: its ranks belong to acc of openhueval_huproverbrea_2cq, which is not compared"),
        ("maps-fr", "maps-fr: no such file, and no published benchmark"),
        ("simpleqa", "models in both rankings: 1, at least 2 are needed"),
    ],
)
def test_what_cannot_be_held_against_one_another_is_said(benchmark, message):
    with pytest.raises(InputError, match=message):
        rank_changes(comparison_of(QA, "correct", {"mine": 40.0, "GPT-4o": 30.0}), benchmark)

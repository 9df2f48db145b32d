from dataclasses import replace

from hueval_metrics.metric import by_stratum
from hueval_metrics.registry import known_tasks
from hueval_metrics.reports.figures.dimensions import dimension_figures
from hueval_metrics.reports.figures.figure import caption

QA, WILD, FIB = "openhueval_husimpleqa", "openhueval_huwildbench", "openhueval_humatchingfib"


def test_each_task_with_dimensions_has_bars_and_those_of_figure_3_a_radar(published_runs):
    assert [figure.name for figure in dimension_figures(published_runs)] == [
        "dimensions-radar-husimpleqa",
        "dimensions-bars-husimpleqa",
        "dimensions-radar-huwildbench",
        "dimensions-bars-huwildbench",
        "dimensions-bars-humatchingfib",
        "dimensions-bars-hustandardfib",
    ]


def test_radar_shows_six_models_and_says_how_many_it_leaves_out(published_runs, texts):
    radar, bars, *_ = dimension_figures(published_runs)
    assert (radar.parameters["shown"], radar.parameters["left_out"]) == (6, 4)
    assert len({row["model"] for row in radar.rows}) == 6
    labels = [run.label for run in published_runs]
    assert [text for text in texts(radar) if text in labels] == labels[:6]
    assert [text for text in texts(bars) if text in labels] == labels * 2  # two lines of panels


def test_every_number_is_in_the_rows(published_runs, texts):
    _, bars, *_ = dimension_figures(published_runs[:1])
    assert bars.rows[1] == {
        **{"task": QA, "metric": "correct", "dimension": "H", "model": published_runs[0].label},
        **{"score": 50.3, "ci95_low": 47.3, "ci95_high": 53.3},
    }
    assert texts(bars).count("50.3") == 8
    assert [text for text in texts(bars) if text.isalpha()] == ["L", "H", "LCC", "EP", "GP", "F", "PPL", "BF"]


def test_a_run_without_the_task_is_left_out_and_a_missing_dimension_is_a_gap(run, texts):
    runs = [
        run("other", {FIB: {"blank_acc": 50.0}}),
        run("half", {WILD: {"wb_score_lcc": 80.0, "wb_score_ep": None, "wb_score_ppl": 70.0, "wb_score_bf": 60.0}}),
    ]
    radar, bars = dimension_figures(runs)
    assert {row["model"] for row in radar.rows} == {"half"}
    assert {row["dimension"]: row["score"] for row in bars.rows} == {"LCC": 80.0, "EP": None, "PPL": 70.0, "BF": 60.0}
    assert "half" in texts(radar)
    assert "other" not in texts(bars)


def test_scores_that_cannot_be_are_left_out(run):
    assert list(dimension_figures([run("a", {QA: {"correct_l": 1e308, "correct_h": float("nan")}})])) == []


def test_all_zero_can_be_drawn(run, texts):
    codes = ("l", "h", "lcc", "ep", "gp", "f", "ppl", "bf")
    radar, bars = dimension_figures([run("zero", {QA: {f"correct_{code}": 0.0 for code in codes}})])
    assert "20" in " ".join(texts(radar))
    assert texts(bars).count("0.0") == 8


def test_two_metrics_of_a_task_have_figures_of_their_own(run, monkeypatch):
    tasks = known_tasks()[FIB].tasks
    task = tasks[FIB]
    more = by_stratum("question_acc", task.metrics["question_acc"], ("l", "h"))
    monkeypatch.setitem(tasks, FIB, replace(task, metrics={**task.metrics, **more}))
    scores = {"blank_acc_l": 40.0, "blank_acc_h": 30.0, "question_acc_l": 20.0, "question_acc_h": 10.0}
    blanks, questions = dimension_figures([run("a", {FIB: scores})])
    assert (blanks.name, questions.name) == (
        "dimensions-bars-humatchingfib-blank-acc",
        "dimensions-bars-humatchingfib-question-acc",
    )
    assert caption(questions, "en").title == "HuMatchingFIB, question_acc by dimension, with intervals"

from dataclasses import replace

from hueval_metrics.reports.figures.figure import caption, marked_svg
from hueval_metrics.reports.figures.scores import scores_figure
from hueval_metrics.reports.figures.sheet import NARROW, WIDE
from hueval_metrics.reports.figures.theme import LIGHT
from tests.each import each

QA, FIB = "openhueval_husimpleqa", "openhueval_humatchingfib"
BASELINE = "hueval-baseline-random"


def models(run, **scores):
    return [
        run(label, {QA: {"correct": score}}, {QA: {"correct": (score - 2, score + 2)}}, n={QA: 300})
        for label, score in scores.items()
    ]


def test_the_best_model_is_the_first_row_and_baselines_are_the_last(run):
    figure = scores_figure([*models(run, low=40.0), run(BASELINE, {QA: {"correct": 99.0}}), *models(run, high=60.0)])
    assert [row["model"] for row in figure.rows] == ["high", "low", BASELINE]
    assert figure.rows[0] == {
        **{"task": QA, "column": "HuSimpleQA Acc", "model": "high"},
        **{"score": 60.0, "ci95_low": 58.0, "ci95_high": 62.0},
    }
    assert figure.lead


def test_rows_are_in_one_order_by_the_mean_of_their_places(published_runs):
    figure = scores_figure(published_runs)
    columns = {str(row["column"]): [] for row in figure.rows}
    for row in figure.rows:
        columns[str(row["column"])].append(row["model"])
    assert len(columns) == 8
    assert len({tuple(order) for order in columns.values()}) == 1


def test_a_column_that_no_model_has_is_left_out(run):
    figure = scores_figure([*models(run, a=40.0), run(BASELINE, {FIB: {"blank_acc": 10.0, "question_acc": 0.0}})])
    assert {row["column"] for row in figure.rows} == {"HuSimpleQA Acc"}
    assert scores_figure([run("a", {})]) is None
    assert scores_figure([]) is None


@each("wide", [WIDE, NARROW])
def test_every_score_and_every_baseline_tells_its_value(run, wide):
    figure = scores_figure([*models(run, a=40.0, b=60.0), run(BASELINE, {QA: {"correct": 27.0}})])
    _, marks = marked_svg(figure, LIGHT, wide)
    assert [(mark.model, mark.what, mark.value) for mark in marks] == [
        ("random", "HuSimpleQA Acc", "27.0"),
        ("b", "HuSimpleQA Acc", "60.0 [58.0, 62.0], n = 300"),
        ("a", "HuSimpleQA Acc", "40.0 [38.0, 42.0], n = 300"),
    ]


@each(("score", "shown"), [(35.0, "random"), (1.0, "‹ random"), (100.0, "random ›")])
def test_a_baseline_far_from_the_models_is_named_at_the_edge(run, texts, score, shown):
    figure = scores_figure([*models(run, a=40.0, b=60.0), run(BASELINE, {QA: {"correct": score}})])
    assert [text for text in texts(figure) if "random" in text] == [shown]


def test_columns_of_several_benchmarks_name_them(run, texts):
    one, two = run("a", {QA: {"correct": 40.0}}), run("a", {QA: {"correct": 40.0}, "hulu_hucola": {"mcc": 3.0}})
    assert "HuSimpleQA" in texts(scores_figure([one]))
    assert {"OpenHuEval: HuSimpleQA", "HuLU: HuCOLA"} <= set(texts(scores_figure([two])))


def test_baselines_alone_are_rows_and_none_of_them_leads(run, texts):
    labels = [BASELINE, "hueval-baseline-oracle"]
    figure = scores_figure([run(label, {QA: {"correct": 10.0 * place}}) for place, label in enumerate(labels)])
    assert {"random", "oracle"} <= set(texts(figure))
    assert "bold" not in caption(figure, "en").text


def test_the_caption_speaks_of_what_is_drawn(run):
    (one,) = models(run, a=40.0)
    assert "best" not in caption(scores_figure([one]), "en").text
    assert "The best is bold" in caption(scores_figure([one, replace(one, label="b")]), "en").text
    assert "Dashed lines" in caption(scores_figure([one, run(BASELINE, {QA: {"correct": 1.0}})]), "en").text


@each("n", [1, 2, 4, 10, 20])
@each("wide", [WIDE, NARROW])
def test_any_number_of_models_has_a_row_each(published_runs, n, wide):
    runs = [replace(run, label=f"{place}") for place, run in enumerate((published_runs * 2)[:n])]
    _, marks = marked_svg(scores_figure(runs), LIGHT, wide)
    assert len(marks) == 8 * n
    assert max(mark.left + mark.wide for mark in marks) <= wide * 72

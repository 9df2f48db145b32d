from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.reports.figures.wb_scores import wb_scores_figure

WILD = "openhueval_huwildbench"


def scored(*scores):
    data = FigureData()
    for score in scores:
        data.add(0, {"task": WILD, "values": {"wb_score": score}})
    return data


def test_each_score_has_its_share_and_the_model_its_wb_score(run, texts):
    figure = wb_scores_figure(scored(8.0, 8.0, 8.0, 1.0), [run("a", {})])
    assert figure is not None
    assert {row["score"]: (row["n"], row["percent"]) for row in figure.rows if row["n"]} == {1: (1, 25.0), 8: (3, 75.0)}
    assert len(figure.rows) == 10
    assert {"25", "75", "62.5"} <= set(texts(figure))


def test_a_panels_score_counts_for_the_nearer_whole_one_a_half_for_the_upper(run):
    figure = wb_scores_figure(scored(7.4, 7.5, 8.5), [run("a", {})])
    assert figure is not None
    assert [row["score"] for row in figure.rows if row["n"]] == [7, 8, 9]


def test_a_share_that_would_print_as_nothing_prints_as_small(run, texts):
    figure = wb_scores_figure(scored(1.0, *[9.0] * 999), [run("a", {})])
    assert figure is not None
    assert "<1" in texts(figure)


def test_nothing_judged_no_figure(run):
    assert wb_scores_figure(scored(None), [run("a", {})]) is None

from hueval_metrics.runs.items import Item
from lm_eval_tasks.openhueval.figures.wb_scores import WBScores

WILD = "openhueval_huwildbench"


def scored(*scores):
    data = WBScores()
    for score in scores:
        data.add(0, Item.of({"task": WILD, "values": {"wb_score": score}}))
    return data


def test_each_score_has_its_share_and_the_model_its_wb_score(run, texts):
    (figure,) = scored(8.0, 8.0, 8.0, 1.0).figures([run("a", {})])
    assert {row["score"]: (row["n"], row["percent"]) for row in figure.rows if row["n"]} == {1: (1, 25.0), 8: (3, 75.0)}
    assert len(figure.rows) == 10
    assert {"25", "75", "62.5"} <= set(texts(figure))


def test_a_panels_score_counts_for_the_nearer_whole_one_a_half_for_the_upper(run):
    (figure,) = scored(7.4, 7.5, 8.5).figures([run("a", {})])
    assert [row["score"] for row in figure.rows if row["n"]] == [7, 8, 9]


def test_a_share_that_would_print_as_nothing_prints_as_small(run, texts):
    (figure,) = scored(1.0, *[9.0] * 999).figures([run("a", {})])
    assert "<1" in texts(figure)


def test_nothing_judged_no_figure(run):
    assert list(scored(None, 11, "8").figures([run("a", {})])) == []

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.metrics.confidence import ECE
from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.reports.figures.reliability import reliability_figures
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Run, TaskResult

QA = "openhueval_husimpleqa"


def given_pairs(pairs):
    data = FigureData()
    for pair in pairs:
        data.add(0, Item.of({"task": QA, "values": {"ece": pair}}))
    return data


def test_a_bin_has_its_mean_confidence_its_accuracy_and_its_count(run, texts):
    (figure,) = reliability_figures(given_pairs([[0.91, 1.0], [0.99, 0.0], [1.0, 1.0], [0.3, 0.0]]), [run("a", {})])
    low, high = figure.rows
    assert (low["bin_low"], low["bin_high"], low["n"], low["mean_confidence"], low["score"]) == (30, 40, 1, 30.0, 0.0)
    assert (high["bin_low"], high["n"], high["score"]) == (90, 3, pytest.approx(200 / 3))
    # Wilson 1927 for 2 of 3
    assert (high["ci95_low"], high["ci95_high"]) == (pytest.approx(20.77, abs=0.01), pytest.approx(93.85, abs=0.01))
    assert {"ECE 0.300", "1", "3", "n"} <= set(texts(figure))


@given(st.lists(st.tuples(st.integers(0, 100).map(lambda c: c / 100), st.sampled_from([0.0, 1.0])), min_size=1))
def test_the_bins_sum_up_to_the_error(pairs):
    (figure,) = reliability_figures(given_pairs(pairs), [Run("a", Path())])
    gaps = [row["n"] * abs(row["mean_confidence"] - row["score"]) for row in figure.rows]
    assert sum(gaps) / len(pairs) / 100 == pytest.approx(ECE(pairs), abs=1e-9)
    assert {row["ece"] for row in figure.rows} == {ECE(pairs)}


def test_no_stated_confidence_no_figure(run):
    assert list(reliability_figures(given_pairs([None]), [run("a", {})])) == []


def test_the_bins_and_answers_by_which_a_run_was_scored():
    data = FigureData()
    for pair, unattempted in (([0.3, 1.0], 0.0), ([0.35, 0.0], 0.0), ([0.9, 0.0], 1.0)):
        data.add(0, Item.of({"task": QA, "values": {"ece": pair, "not_attempted": unattempted}}))
    scored = Run("a", Path(), {QA: TaskResult(signature=f"task:{QA}|ece:20,right,attempted")})
    (figure,) = reliability_figures(data, [scored])
    # (0.25, 0.3] and (0.3, 0.35]; closed on the left both answers are in other bins
    assert [(row["bin_low"], row["bin_high"], row["n"]) for row in figure.rows] == [(25, 30, 1), (30, 35, 1)]
    assert [row["ece"] for row in figure.rows] == [pytest.approx((0.7 + 0.35) / 2)] * 2

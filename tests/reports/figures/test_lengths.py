import numpy as np
import pytest

from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.reports.figures.lengths import length_figures
from hueval_metrics.runs.items import Item

QA, HULU = "openhueval_husimpleqa", "hulugen_hucola"


def test_percentiles_of_responses_and_the_median_with_reasoning(run, texts):
    data, lengths = FigureData(), [1, 2, 3, 40, 5000]
    for length in lengths:
        data.add(0, Item.of({"task": QA, "prediction": "x" * (length + 100), "response": "x" * length}))
    figure, truncated = length_figures(
        data, [run("a", {QA: {"truncated_rate": 12.5}}, {QA: {"truncated_rate": (5, 25)}})]
    )
    (row,) = figure.rows
    assert (row["n"], row["p50"], row["median_with_reasoning"]) == (5, 3.0, 103.0)
    assert [row[f"p{share}"] for share in (5, 25, 75, 95)] == pytest.approx(np.percentile(lengths, [5, 25, 75, 95]))
    assert {"1", "10", "100", "1k", "10k"} <= set(texts(figure))
    assert [truncated.rows[0][key] for key in ("score", "ci95_low", "ci95_high")] == [12.5, 5.0, 25.0]
    assert "12.5" in texts(truncated)


def test_empty_responses_stand_at_one_since_a_logarithm_has_no_zero(run, texts):
    data = FigureData()
    data.add(0, Item.of({"task": QA, "prediction": ""}))
    (figure,) = length_figures(data, [run("a", {QA: {"correct": 1.0}})])
    assert figure.rows[0]["p50"] == 0.0
    assert {"1", "10"} <= set(texts(figure))


def test_without_items_and_rates_there_is_no_figure(run):
    assert list(length_figures(FigureData(), [run("a", {QA: {"correct": 1.0}})])) == []


def test_panels_of_two_benchmarks_say_whose_they_are(run, texts):
    data = FigureData()
    for task in (QA, HULU):
        data.add(0, Item.of({"task": task, "prediction": "Igen."}))
    rates = {QA: {"truncated_rate": 12.5}, HULU: {"truncated_rate": 1.0}}
    for figure in length_figures(data, [run("a", rates)]):
        assert {"OpenHuEval: HuSimpleQA", "HuLU: HuCOLA generated"} <= set(texts(figure))

"""Values kept compactly give the numbers that a list of all of them gives."""

from __future__ import annotations

import random
from dataclasses import astuple

import pytest

from hueval_metrics.metrics.terms import cluster_terms, is_ratio, offset, scale
from hueval_metrics.records import Choice
from hueval_metrics.scoring.values import DocumentValues
from hueval_metrics.stats.intervals import ratio_ci95
from lm_eval_tasks.catalog import task_files, task_spec

N = 60


def in_full(aggregations, rows, qids):
    """The same numbers from every value of every document."""
    found = {}
    for metric, aggregate in aggregations.items():
        values = [row[metric] for row in rows]
        found[metric] = aggregate(values)
        terms = cluster_terms(aggregate, values, qids)
        if terms is not None:
            interval = ratio_ci95(terms)
            found[f"{metric}_ci95"] = interval and [scale(aggregate) * b + offset(aggregate) for b in interval]
    return found


def documents(task: str) -> list[tuple[dict, dict]]:
    """Documents with values of every shape that the metrics of OpenHuEval have."""
    draw = random.Random(task)
    found = []
    for n in range(N):
        doc = {"qid": f"q{n}"}
        values: dict = {}
        choice = None
        if task.endswith("2cq"):
            doc = {"qid": f"q{n // 2}", "correct_option": n % 2 + 1}
            choice = astuple(Choice(doc["qid"], doc["correct_option"], draw.choice([1, 2, None])))
        right = draw.choice([0.0, 1.0, None])
        for metric, aggregate in task_spec(task).aggregations.items():
            shape = f"{aggregate.__module__}.{aggregate.__name__}"
            if "two_choice" in shape:
                values[metric] = choice
            elif "pooled" in shape or metric in ("correct_given_attempted", "f_score"):
                values[metric] = draw.choice([(n % 4, 4), (2, 2), (0, 1), None])
            elif "calibration" in shape or metric == "n_confidence":
                values[metric] = None if right is None else (draw.randint(0, 10) / 10, right)
            elif "wild_bench" in shape:
                values[metric] = draw.choice([1.0, 5.0, 7.5, 10.0, None])
            else:
                values[metric] = draw.choice([0.0, 1.0, True, None])
        found.append((values, doc))
    return found


@pytest.mark.parametrize("task", task_files())
def test_to_the_last_digit(task):
    rows = documents(task)
    aggregations = task_spec(task).aggregations
    values = DocumentValues(aggregations)
    for metrics, doc in rows:
        alone = values.add(metrics, doc)
        assert alone == {m: f([metrics[m]]) for m, f in aggregations.items() if is_ratio(f)}
    expected = in_full(aggregations, [metrics for metrics, _ in rows], [doc["qid"] for _, doc in rows])
    assert values.summary() == expected
    assert any(value not in (None, 0, 100.0) for value in expected.values())


def test_a_document_does_not_share_its_numbers_with_another():
    values = DocumentValues(task_spec("openhueval_huproverbrea_oe").aggregations)
    metrics = dict.fromkeys(task_spec("openhueval_huproverbrea_oe").aggregations, 1.0)
    first = values.add(metrics, {"qid": "a"})
    first["acc"] = None
    assert values.add(metrics, {"qid": "b"})["acc"] == 100.0


def test_without_documents_nothing_is_scored():
    summary = DocumentValues(task_spec("openhueval_humatchingfib").aggregations).summary()
    assert set(summary.values()) == {None}

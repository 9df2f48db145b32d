"""Values kept compactly give the numbers that a list of all of them gives."""

from __future__ import annotations

import random

import pytest

from hueval_metrics.registry import known_tasks, task_spec
from hueval_metrics.scoring.values import DocumentValues
from hueval_metrics.stats.intervals import MANY, coverage_note, intervals
from tests.each import each
from tests.helpers import load_cases, why

N = 60
COUNTED = {  # matches of n-grams of each order, then the lengths of translation and reference; then METEOR and ROUGE-L
    "bleu": [(5, 3, 2, 1, 8, 9), (0, 0, 0, 0, 0, 4)],
    "average": [(5, 3, 2, 1, 8, 9, 0.5, 0.25), (0, 0, 0, 0, 0, 4, 0.0, 0.0)],
    "chrf": [(7, 6, 5, 4, 3, 2, 12, 13), (0, 0, 0, 0, 0, 0, 0, 4)],
}


def in_full(spec, documents):
    """The same numbers from every value of every document."""
    names = [doc[spec.declared.cluster] for _, doc in documents]
    found, tables = {}, {}
    for name, metric in spec.metrics.items():
        values = [given[name] for given, _ in documents]
        found[name] = metric(values)
        if metric.is_sampled:
            tables[name] = metric, metric.rows(values, names)
        if not metric.is_count:
            is_of_pairs = name == "bidirectional" or (
                name in ("acc", "acc_ref") and "correct_option" in documents[0][1]
            )
            clusters = names if is_of_pairs else None
            found[f"{name}_n"] = int(metric.applies(metric.rows(values, clusters)).sum())
    members = {
        name: {str(spec.stratum_of(doc)) for _, doc in documents if doc[spec.declared.cluster] == name}
        for name in names
    }
    strata = ["+".join(sorted(some)) for some in members.values()]
    given = {metric: each for metric, each in intervals(tables, strata=strata).items() if each is not None}
    ends = {f"{metric}_ci95": [given[metric].low, given[metric].high] if metric in given else None for metric in tables}
    notes = {metric: note for metric, table in tables.items() if (note := coverage_note(*table))}
    return found | ends | {"ci_method": {metric: each.method for metric, each in given.items()}, "ci_note": notes}


def documents(task: str) -> list[tuple[dict, dict]]:
    """Documents with values of every shape that the metrics of our families have."""
    draw = random.Random(task)
    found = []
    for n in range(N):
        dimension = ("language", "history")[n % 3 == 0]
        doc = {"qid": f"q{n}", "hu_specific_dim": dimension, "split": "test"}
        values: dict = {}
        choice = None
        if task.endswith("2cq"):
            doc = {"qid": f"q{n // 2}", "correct_option": n % 2 + 1, "hu_specific_dim": "language"}
            choice = (doc["qid"], doc["correct_option"], draw.choice([1, 2, None]))
        if "bidirectional" in task_spec(task).metrics:  # 22 pairs, 16 facts that are asked once
            track, is_reverse = (n // 2, bool(n % 2)) if n < 44 else (n, False)
            doc |= {"knowledge_track_id": f"t{track}", "is_reverse": is_reverse}
        doc.setdefault(task_spec(task).declared.cluster, doc["qid"])
        right = draw.choice([0.0, 1.0, None])
        for name, metric in task_spec(task).metrics.items():
            if metric.name in ("accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "mcc"):
                values[name] = draw.choice([(n % 2, n % 2), (n % 2, draw.choice([0, 1, None])), None])
            elif name in ("bidirectional", "n_pairs", "n_unpaired"):
                values[name] = None if right is None else (doc["knowledge_track_id"], doc["is_reverse"], right)
            elif choice and metric.name != "percent":
                values[name] = choice
            elif metric.name in ("pooled", "correct_given_attempted", "f_score"):
                values[name] = draw.choice([(n % 4, 4), (2, 2), (0, 1), None])
            elif metric.name in ("ece", "brier", "n_items"):
                values[name] = None if right is None else (draw.randint(0, 10) / 10, right)
            elif metric.name in COUNTED:
                values[name] = draw.choice([*COUNTED[metric.name], None])
            elif metric.name.startswith("wb_score"):
                values[name] = draw.choice([1.0, 5.0, 7.5, 10.0, None])
            else:
                values[name] = draw.choice([0.0, 1.0, True, None])
        found.append((values, doc))
    return found


@each("task", known_tasks())
def test_to_the_last_digit(task):
    rows = documents(task)
    metrics = task_spec(task).metrics
    values = DocumentValues(task_spec(task))
    for given, doc in rows:
        alone = values.add(given, doc)
        assert alone == {name: metric([given[name]]) for name, metric in metrics.items() if metric.is_mean}
    expected = in_full(task_spec(task), rows)
    assert values.summary() == expected
    assert set(expected["ci_method"]) == {name for name, metric in metrics.items() if metric.is_sampled}


@pytest.mark.parametrize("case", load_cases("metric_n"), ids=why)
def test_each_metric_counts_what_it_is_made_of(case):
    aggregations = task_spec(case["task"]).metrics
    values = DocumentValues(task_spec(case["task"]))
    for place, (given, doc) in enumerate(case["documents"]):
        terms = {metric: tuple(value) if isinstance(value, list) else value for metric, value in given.items()}
        values.add(dict.fromkeys(aggregations) | terms, {"qid": f"q{place}"} | doc)
    summary = values.summary()
    assert {metric: summary[f"{metric}_n"] for metric in case["n"]} == case["n"]
    assert "n_confidence_n" not in summary  # a count has no denominator


def test_an_interval_of_too_few_data_is_noted():
    aggregations = task_spec("openhueval_hustandardfib").metrics
    values = DocumentValues(task_spec("openhueval_hustandardfib"))
    for n, (right, total) in enumerate([(3, 4)] * 20 + [(60, 80), (10, 80)]):
        terms = {"blank_acc": (right, total), "blank_acc_l": (right, total) if n < 20 else None, "question_acc": 0.0}
        values.add(dict.fromkeys(aggregations) | terms, {"qid": f"q{n}"})
    assert values.summary()["ci_note"] == {"blank_acc": "unequal_clusters"}


def test_the_order_in_which_a_hook_returns_its_metrics_does_not_matter():
    values = DocumentValues(task_spec("openhueval_humatchingfib"))
    reverse = reversed(task_spec("openhueval_humatchingfib").metrics)
    given = dict.fromkeys(reverse) | {"question_acc": 0.0, "blank_acc": [3, 4]}  # a list, as JSON gives it
    alone = values.add(given, {"qid": "a", "hu_specific_dim": "language"})
    assert (alone["blank_acc"], alone["question_acc"]) == (75.0, 0.0)
    summary = values.summary()
    assert (summary["blank_acc"], summary["question_acc"], summary["question_acc_ref"]) == (75.0, 0.0, None)


def test_a_paired_metric_may_have_no_value():
    values = DocumentValues(task_spec("openhueval_huproverbrea_2cq"))
    metrics = task_spec("openhueval_huproverbrea_2cq").metrics
    for option in (1, 2):
        values.add(dict.fromkeys(metrics, None), {"qid": "a", "correct_option": option})
        values.add(
            dict.fromkeys(metrics, None) | {"acc": ("b", option, option)}, {"qid": "b", "correct_option": option}
        )
    summary = values.summary()
    assert (summary["acc"], summary["acc_n"], summary["acc_single"]) == (100.0, 1, None)


def test_a_document_does_not_share_its_numbers_with_another():
    values = DocumentValues(task_spec("openhueval_huproverbrea_oe"))
    metrics = dict.fromkeys(task_spec("openhueval_huproverbrea_oe").metrics, 1.0)
    first = values.add(metrics, {"qid": "a"})
    first["acc"] = None
    assert values.add(metrics, {"qid": "b"})["acc"] == 100.0


def test_without_documents_nothing_is_scored():
    summary = DocumentValues(task_spec("openhueval_humatchingfib")).summary()
    assert (summary.pop("ci_method"), summary.pop("ci_note")) == ({}, {})
    assert {value for metric, value in summary.items() if metric.endswith("_n")} == {0}
    assert {value for metric, value in summary.items() if not metric.endswith("_n")} == {None}


def test_the_order_of_the_documents_does_not_matter():
    """Several ranks hand over their documents in turns."""
    rows = documents("openhueval_hustandardfib")
    summaries = []
    for some in (rows, rows[::2] + rows[1::2]):
        values = DocumentValues(task_spec("openhueval_hustandardfib"))
        for metrics, doc in some:
            values.add(metrics, doc)
        summaries.append(values.summary())
    assert summaries[0] == summaries[1]


def test_more_documents_than_are_resampled():
    values = DocumentValues(task_spec("openhueval_humatchingfib"))
    kinds = documents("openhueval_humatchingfib")
    for n in range(MANY + 1):
        metrics, doc = kinds[n % len(kinds)]
        values.add(metrics, doc | {"qid": f"q{n}"})
    summary = values.summary()
    low, high = summary["blank_acc_ci95"]
    assert low < summary["blank_acc"] < high < low + 5
    assert summary["ci_method"]["blank_acc"] == "normal"


def test_shares_of_the_kinds_of_readings():
    values = DocumentValues(task_spec("openhueval_huproverbrea_2cq"))
    given = dict.fromkeys(task_spec("openhueval_huproverbrea_2cq").metrics)
    for kind in ("answered", "refused", "answered", "answered"):
        values.add(given, {"qid": "a", "correct_option": 1}, kind=kind)
    assert values.summary()["readings"] == {"answered": 75.0, "refused": 25.0}


def test_the_share_at_the_token_limit_is_one_of_the_replies_of_which_it_is_known():
    values = DocumentValues(task_spec("openhueval_huproverbrea_2cq"))
    given = dict.fromkeys(task_spec("openhueval_huproverbrea_2cq").metrics)
    for at_limit in (True, None, False, None):
        values.add(given, {"qid": "a", "correct_option": 1}, at_limit)
    summary = values.summary()
    assert (summary["limit_rate"], summary["limit_rate_n"]) == (50.0, 2)


def test_a_task_without_a_reader_has_no_shares():
    assert "readings" not in DocumentValues(task_spec("openhueval_huwildbench")).summary()

"""Numbers over several tasks: their values by hand, and which clusters are drawn together."""

import random

import numpy as np
import pytest

from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.metrics.confidence import ECE
from hueval_metrics.stats.composite import (
    Clustered,
    blocks,
    composite,
    composite_intervals,
    composite_note,
    joint,
    n_clusters,
    values,
)
from hueval_metrics.stats.intervals import wilson
from hueval_metrics.summary import Part, Summary, parts_of
from tests.each import each

A, B = "toy_a", "toy_b"
METRICS = {task: {"acc": PERCENT, "ece": ECE} for task in (A, B)}
PARTS = parts_of((A, "acc"), (B, "acc"))
MEAN = Summary("mean", "Mean", PARTS, by_task=True)
POOLED = Summary("pooled", "Pooled", (Part("acc", (A, B)),), by_task=True)
GAP = Summary("gap", "Gap", PARTS, lambda parts: parts[..., 0] - parts[..., 1], better=None, by_task=True)


def outcomes(text, name="t"):
    """A cluster for each letter: `1` right, `0` wrong."""
    rows = PERCENT.rows([float(letter) for letter in text])
    return Clustered([f"{name}{n}" for n in range(len(text))], [None] * len(text), {"acc": rows[None]})


def confidences(*pairs, name="t"):
    rows = ECE.rows(list(pairs))
    return Clustered([f"{name}{n}" for n in range(len(pairs))], [None] * len(pairs), {"ece": rows[None]})


def made(summary, first, second):
    tables = {(A, None): first, (B, None): second}
    return composite(summary, METRICS, tables), blocks(tables, by_task=summary.by_task)


def interval(summary, first, second, **options):
    one, given = made(summary, first, second)
    return composite_intervals([one], given, **options)[summary.name]


@pytest.mark.parametrize(
    ("summary", "expected"),
    [(MEAN, 55.0), (GAP, 10.0)],  # 60 % of ten and 50 % of four, whatever their sizes
    ids=["mean", "gap"],
)
def test_a_small_task_weighs_as_much_as_a_large_one(summary, expected):
    one, given = made(summary, outcomes("1111110000"), outcomes("1100"))
    assert values(one, given).tolist() == pytest.approx([expected])


def test_a_pooled_error_is_that_of_all_answers():
    pooled = Summary("pooled", "Pooled", (Part("ece", (A, B)),), better="lower", by_task=True)
    # In one bin: 0.95 stated twice and once, right once: a gap of 0.95 × 3 - 1 over three answers.
    first, second = confidences((0.95, 1.0), (0.95, 0.0)), confidences((0.95, 0.0))
    one, given = made(pooled, first, second)
    assert values(one, given)[0] == pytest.approx((3 * 0.95 - 1) / 3)
    mean = Summary("mean", "Mean", parts_of((A, "ece"), (B, "ece")), better="lower", by_task=True)
    one, given = made(mean, first, second)
    assert values(one, given)[0] == pytest.approx((0.45 + 0.95) / 2)


def test_clusters_of_one_name_are_one_only_where_tasks_share_them():
    same = outcomes("1" * 50 + "0" * 50)
    together = Summary("gap", "Gap", GAP.parts, GAP.combine, None)
    apart = interval(GAP, same, same)
    spread = 100 * 1.96 * np.sqrt(2 * 0.25 / 100)
    assert (apart.high - apart.low) / 2 == pytest.approx(spread, rel=0.06)
    one, given = made(together, same, same)
    assert n_clusters(one, given) == 100
    assert composite_intervals([one], given)["gap"].method == "wilson"  # each draw has a gap of 0
    assert n_clusters(*made(GAP, same, same)) == 200


def test_each_task_keeps_its_size_however_small():
    one, given = made(MEAN, outcomes("11111"), outcomes("00000"))
    assert joint(["model"], one, given, resamples=200).draws.tolist() == [[50.0]] * 200


def test_the_order_of_clusters_and_tasks_has_no_effect():
    text = "1101001110" * 4
    shuffled = "".join(random.Random(1).sample(text, len(text)))
    expected = interval(MEAN, outcomes(text), outcomes("1" * 10 + "0" * 15), resamples=500)
    assert interval(MEAN, outcomes(shuffled), outcomes("01" * 10 + "00000"), resamples=500) == expected
    tables = {(B, None): outcomes("1" * 10 + "0" * 15), (A, None): outcomes(text)}
    one = composite(MEAN, METRICS, tables)
    found = composite_intervals([one], blocks(tables, by_task=True), resamples=500)["mean"]
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_all_right_in_all_tasks_has_the_interval_of_as_many_alike():
    found = interval(MEAN, outcomes("1" * 40), outcomes("1" * 40))
    assert (found.low, found.high) == pytest.approx((100 * wilson(80, 80)[0], 100.0))


@each("few", ["1", "0"])
def test_one_cluster_alone_shows_no_spread(few):
    assert interval(MEAN, outcomes("1100" * 10), outcomes(few)) is None


def test_a_mean_of_errors_has_the_inverted_test_and_is_noted():
    draw = random.Random(2)
    answers = [(draw.choice([0.55, 0.75, 0.95]), float(draw.random() < 0.75)) for _ in range(120)]
    mean = Summary("mean", "Mean", parts_of((A, "ece"), (B, "ece")), better="lower", by_task=True)
    one, given = made(mean, confidences(*answers[:60]), confidences(*answers[60:]))
    found = composite_intervals([one], given)["mean"]
    assert found.method == "inversion"
    assert 0 <= found.low <= float(values(one, given)[0]) <= found.high
    assert composite_note(one, given) == "few_answers"
    assert composite_note(*made(MEAN, outcomes("10"), outcomes("10"))) is None


def test_what_lacks_a_part_is_none():
    assert composite(MEAN, METRICS, {(A, None): outcomes("10")}) is None


def test_a_pooled_share_is_that_of_one_task():
    found = interval(POOLED, outcomes("1" * 30 + "0" * 10), outcomes("1" * 12 + "0" * 8))
    # 42 right of 60: Wilson's interval, as of one task; the mean of 75 % and 60 % would be 67.5.
    assert (found.low, found.high, found.method) == (*(pytest.approx(100 * end) for end in wilson(42, 60)), "wilson")
    one, given = made(POOLED, outcomes("1" * 30 + "0" * 10), outcomes("1" * 12 + "0" * 8))
    assert values(one, given).tolist() == [70.0]


def test_a_pooled_mean_of_other_values_is_resampled():
    rows = PERCENT.rows([0.25, 0.5, 1.0, 0.0] * 10)
    graded = Clustered([f"t{n}" for n in range(40)], [None] * 40, {"acc": rows[None]})
    assert interval(POOLED, graded, outcomes("10" * 10)).method == "bca"


def test_many_clusters_are_drawn_from_the_normal_distribution():
    # 4,000 and 2,000 questions with a share of 0.2 and 0.8, two models alike but for 600 questions of the second task.
    first, second = "1" * 800 + "0" * 3200, "1" * 1600 + "0" * 400
    other = "1" * 1300 + "0" * 700
    tables = {}
    for task, texts in ((A, (first, first)), (B, (second, other))):
        terms = np.concatenate([outcomes(text).terms["acc"] for text in texts])
        tables[task, None] = Clustered(range(len(texts[0])), [None] * len(texts[0]), {"acc": terms})
    found = joint(["x", "y"], composite(POOLED, METRICS, tables), blocks(tables, by_task=True))
    assert found.values.tolist() == [40.0, 35.0]
    # Each task keeps its size: the variances of the two shares, weighted by the squares of 2/3 and 1/3.
    spread = [100 * np.sqrt((2 / 3) ** 2 * 0.16 / 4000 + (1 / 3) ** 2 * p * (1 - p) / 2000) for p in (0.8, 0.65)]
    assert found.draws.std(axis=0) == pytest.approx(spread, rel=0.03)
    differing = 100 / 3 * np.sqrt(0.15 * 0.85 / 2000)  # right by the first model alone in 15 % of the second task
    assert (found.draws[:, 0] - found.draws[:, 1]).std() == pytest.approx(differing, rel=0.03)

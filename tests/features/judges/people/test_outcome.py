from dataclasses import replace

import pytest

from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.registry import known_tasks
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.outcomes import outcome

FIB, WNLI = "openhueval_humatchingfib", "hulu_huwnli"
QA, WB, OE = "openhueval_husimpleqa", "openhueval_huwildbench", "openhueval_huproverbrea_oe"
CASES = [
    ("every blank", {"task": FIB, "blanks_correct": 9, "blanks_total": 9}, ("right", "9/9")),
    ("some blanks", {"task": FIB, "blanks_correct": 1, "blanks_total": 9}, ("partly", "1/9")),
    ("no blank", {"task": FIB, "blanks_correct": 0, "blanks_total": 9}, ("wrong", "0/9")),
    ("perfect by the rubric", {"task": WB, "verdict": {"score": 9.0}}, ("right", "9/10")),
    ("good by the rubric", {"task": WB, "verdict": {"score": 8.5}}, ("partly", "8.5/10")),
    ("very poor by the rubric", {"task": WB, "verdict": {"score": 2}}, ("wrong", "2/10")),
    ("a label", {"task": QA, "verdict": {"label": "INCORRECT"}, "metrics": {"correct": 0.0}}, ("wrong", "")),
    ("the label that is neither", {"task": QA, "verdict": {"label": "NOT_ATTEMPTED"}}, ("not_attempted", "")),
    ("accepted", {"task": OE, "verdict": {"label": "YES"}, "metrics": {"acc": 100.0}}, ("right", "")),
    ("no verdict", {"task": OE, "verdict": None, "metrics": {"acc": None}}, ("unjudged", "")),
    ("a verdict that failed", {"task": QA, "verdict": {"error": "no reply"}}, ("unjudged", "")),
    ("one order of a proverb", {"metrics": {"acc": None, "acc_single": 100.0}, "verdict": None}, ("right", "")),
    ("a hidden label", {"task": "hulugen_huwnli", "metrics": {"acc": None, "parse_rate": 100.0}}, ("unjudged", "")),
    ("a hidden label, chosen", {"task": WNLI, "metrics": {"acc": None, "label_bias_1": 60.0}}, ("unjudged", "")),
    ("nothing known", {}, ("unjudged", "")),
    ("nonsense", {"metrics": ["x"], "blanks_total": "9", "verdict": 3, "task": 7}, ("unjudged", "")),
]


@pytest.mark.parametrize(("why", "row", "expected"), CASES, ids=[case[0] for case in CASES])
def test_outcome(why, row, expected):
    assert outcome(Item.of(row))[:2] == expected


@pytest.mark.parametrize(
    ("metric", "value", "expected"),
    [
        ("ratio", 1.0, "right"),  # on a scale from 0 to 1
        ("ratio", 0.5, "partly"),
        ("errors", 0.0, "right"),  # lower is better
        ("errors", 100.0, "wrong"),
        ("correlation", 0.0, "partly"),  # from -100
        ("correlation", -100.0, "wrong"),
    ],
)
def test_outcome_by_the_scale_of_the_metric(metric, value, expected, monkeypatch):
    metrics = {
        "ratio": PERCENT.but(bounds=(0.0, 1.0), unit="fraction"),
        "errors": PERCENT.but(better="lower"),
        "correlation": PERCENT.but(bounds=(-100.0, 100.0)),
    }
    tasks = known_tasks()[WNLI].tasks
    monkeypatch.setitem(tasks, WNLI, replace(tasks[WNLI], headline={metric: "M"}, metrics=metrics))
    assert outcome(Item.of({"task": WNLI, "metrics": {metric: value}}))[:2] == (expected, "")

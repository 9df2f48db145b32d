"""The committed YAMLs of every family with a generator are as it writes them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import lm_eval_tasks
from hueval_metrics.harness.task_files import metric_list
from hueval_metrics.metrics import basic
from hueval_metrics.metrics.confidence import ECE

GENERATORS = sorted(path.parent.name for path in Path(lm_eval_tasks.__path__[0]).glob("*/generate.py"))


def test_the_committed_files_are_as_they_are_written(capsys):
    assert len(GENERATORS) >= 3
    for family in GENERATORS:
        import_module(f"lm_eval_tasks.{family}.generate").main(["--check"])
    assert capsys.readouterr().out == ""


def test_a_metric_that_no_module_has():
    with pytest.raises(LookupError, match=r"^ece: Metric\('ece'\) is a constant of none of the modules$"):
        metric_list({"ece": ECE}, (basic,))


def test_a_metric_without_a_better_end_has_no_arrow():
    entry = metric_list({"n": basic.PERCENT.but(better=None)}, (basic,))
    assert entry == (
        "  - metric: n\n    aggregation: !function hueval_metrics.metrics.basic.PERCENT\n    higher_is_better: null"
    )

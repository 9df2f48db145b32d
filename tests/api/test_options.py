"""The options of a call in Python are those of the record that it fills, with the same defaults."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields

import hueval_metrics as hueval
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.metrics.confidence import ConfidenceSettings
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.traces.settings import Settings
from tests.each import each


@each(
    ("call", "record", "prefix", "inner"),
    [
        (hueval.compare, CompareOptions, "", ()),
        (hueval.score, JudgePlan, "", ("earlier", "asks")),
        (hueval.score, ConfidenceSettings, "ece_", ()),
        (hueval.analyse_traces, Settings, "", ("data",)),
    ],
)
def test_defaults_are_those_of_the_record(call, record, prefix, inner):
    given = inspect.signature(call).parameters
    for one in fields(record):
        if one.name not in inner:
            assert one.default is not MISSING
            assert (given[prefix + one.name].default or None) == (one.default or None), one.name  # None or ()

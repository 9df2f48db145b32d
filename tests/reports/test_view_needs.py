"""What each view needs is declared (`declare.Family.views_need`): one with nothing to show says what is missing."""

from __future__ import annotations

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.registry import families
from hueval_metrics.reports.views import ViewSettings, render
from tests.each import each
from tests.helpers import run_of


@each("family", [name for name, one in families().items() if one.views])
def test_every_view_says_what_it_needs(family):
    declared = families()[family]
    assert declared.views_need.keys() == declared.views.keys()


@each(
    ("view", "metric", "line"),
    [
        ("ranks", None, "it needs two models asked in the same language of the questions. See hueval table --all"),
        ("calibration", "correct", ", or another --metric. See hueval table --all"),
        ("translation", None, "it needs two runs of a model, one of them in English (--metadata "),
    ],
)
def test_a_view_with_nothing_to_show_says_what_is_missing(view, metric, line):
    run = run_of("a", scores={"kolassimpleqa_hu_general": {"correct": 50.0, "f_score": 50.0}})
    with pytest.raises(InputError) as error:
        render([run], view, None, ViewSettings(metric=metric), "terminal")
    assert str(error.value).startswith(f"--view {view}: it needs ") and line in str(error.value)

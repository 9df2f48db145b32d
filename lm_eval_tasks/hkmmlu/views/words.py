"""The texts of the views."""

from __future__ import annotations

from pathlib import Path

from hueval_metrics.reports.views import ViewSettings
from hueval_metrics.words.texts import Words
from lm_eval_tasks.hkmmlu.summaries import GROUP_TITLES

_WORDS = Words(Path(__file__).parents[1] / "words", "views")


def word(settings: ViewSettings, name: str, /, **values: object) -> str:
    """A text of `words/<language>/views.yaml` in the language of a view."""
    return str(_WORDS.text(name, settings.language, **values))


def group(settings: ViewSettings, code: str) -> str:
    """The heading of a group of subjects (`summaries.GROUPS`)."""
    return GROUP_TITLES[code][settings.language]

"""The texts of the views, in English and Hungarian."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hueval_metrics.reports.views import ViewSettings
from hueval_metrics.text.foreign import own_yaml
from lm_eval_tasks.hkmmlu.summaries import GROUPS


def word(settings: ViewSettings, name: str, /, **values: object) -> str:
    """A text of `words.yaml` in the language of a view."""
    return _words()[name][settings.language].format_map(values)


def group(settings: ViewSettings, code: str) -> str:
    """The heading of a group of subjects (`summaries.GROUPS`)."""
    english, hungarian, _ = GROUPS[code]
    return hungarian if settings.language == "hu" else english


@cache
def _words() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = own_yaml(Path(__file__).with_suffix(".yaml"))
    return found

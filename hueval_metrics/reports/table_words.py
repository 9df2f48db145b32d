"""The headings and legends of tables that commands print."""

from __future__ import annotations

from typing import Any, Literal

from hueval_metrics.reports.formats import Column
from hueval_metrics.words.texts import FOLDER, Words

_WORDS = Words(FOLDER, "tables")
CHANCE = _WORDS.later("guessing")  # in place of a model's name


def say(key: str, /, **values: Any) -> str:
    """A text in the language of what commands print."""
    return str(_WORDS.text(key, None, **values))


def headed(name: str, kind: Literal["label", "text", "number"] = "number") -> Column:
    """A column with its heading."""
    return Column(say(f"column.{name}"), kind=kind)

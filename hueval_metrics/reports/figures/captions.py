"""The titles and captions of the figures, in English and Hungarian."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.text.dimensions import DIMENSIONS, DIMENSIONS_HU

LANGUAGES = ("en", "hu")
_DIMENSIONS = {"en": DIMENSIONS, "hu": DIMENSIONS_HU}


def caption(figure: Figure, language: str) -> Caption:
    """A figure's title and caption as plain text, to be escaped where it is written.

    Args:
        figure: the figure.
        language: one of `LANGUAGES`.
    """
    entry = _captions()[figure.kind][language]
    codes = figure.parameters.get("dimensions", ())
    named = [f"{code.upper()}: {_DIMENSIONS[language][code]}" for code in codes]
    given = {**figure.parameters, "dimensions": "; ".join(named)}
    sentences = [entry["text"], *(text for key, text in entry.get("if", {}).items() if given.get(key))]
    return Caption(entry["title"].format_map(given), " ".join(sentences).format_map(given))


@cache
def _captions() -> dict[str, Any]:
    import yaml

    found: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("captions.yaml").read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class Caption:
    """What stands above and below a figure; the title serves as its alternative text too."""

    title: str
    text: str

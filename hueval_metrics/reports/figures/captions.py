"""The titles and captions of the figures, in English and Hungarian."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hueval_metrics.reports.figures.figure import Figure

LANGUAGES = ("en", "hu")
_OURS = Path(__file__).with_name("captions.yaml")


def caption(figure: Figure, language: str) -> Caption:
    """A figure's title and caption as plain text, to be escaped where it is written.

    Args:
        figure: the figure.
        language: one of `LANGUAGES`.
    """
    entry = _captions(figure.captions or _OURS)[figure.kind][language]
    given = {key: value[language] if isinstance(value, Mapping) else value for key, value in figure.parameters.items()}
    sentences = [entry["text"], *(text for key, text in entry.get("if", {}).items() if given.get(key))]
    return Caption(entry["title"].format_map(given), " ".join(sentences).format_map(given))


@cache
def _captions(file: Path) -> dict[str, Any]:
    import yaml

    found: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class Caption:
    """What stands above and below a figure; the title serves as its alternative text too."""

    title: str
    text: str

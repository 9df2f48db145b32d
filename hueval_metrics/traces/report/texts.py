"""The texts of analyses of traces: of the figures in every language, of tables and sentences in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hueval_metrics.words.texts import Words

FOLDER = Path(__file__).parents[1] / "words"  # of the page
WORDS = Words(FOLDER, "figures", "reasoning") | Words(Path(__file__).with_name("words"))


def say(key: str, /, **values: Any) -> str:
    """A text in the language of what commands print."""
    return str(WORDS.text(key, None, **values))

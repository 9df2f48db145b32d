"""The texts of analyses of traces."""

from __future__ import annotations

from pathlib import Path

from hueval_metrics.words.texts import Words

FOLDER = Path(__file__).parents[1] / "words"
WORDS = Words(FOLDER, "figures", "sentences", "tables")

"""Lengths of texts for the figures: in characters, or in tokens of a tokenizer that the user names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hueval_metrics.words.texts import FOLDER, Texts, Words

_WORDS = Words(FOLDER, "figures")


@dataclass(frozen=True)
class Ruler:
    """Measures texts.

    Attributes:
        of: the length of a text.
        unit: what it counts, by language, for captions.
    """

    of: Callable[[str], int]
    unit: Texts


CHARACTERS = Ruler(len, _WORDS.texts("ruler.characters"))


def in_tokens(name: str) -> Ruler:
    """Measure in tokens, without special ones.

    Args:
        name: of the tokenizer: a folder, or a name of the Hub.

    Raises:
        InputError: it cannot be had.
    """
    from hueval_metrics.tokens import named_counter

    counter, shown = named_counter(name), Path(name).name if Path(name).is_dir() else name
    return Ruler(
        lambda text: counter.of(text, [(0, len(text))]).trace if text else 0, _WORDS.texts("ruler.tokens", name=shown)
    )

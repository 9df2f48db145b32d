"""What depends on the language of the reader: texts that come in both languages, and numbers."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import get_language


def language() -> str:
    """The language of the reader, `hu` or `en`."""
    return (get_language() or settings.LANGUAGE_CODE)[:2]


def text_of(texts: Mapping[str, str]) -> str:
    """A text in the language of the reader, or in English where it is missing.

    Args:
        texts: language → text.
    """
    return texts.get(language()) or texts["en"]


def number(value: float, places: int | None = None) -> str:
    """A number as the language of the reader writes it.

    Args:
        value: it.
        places: how many decimals; None for as many as it has.
    """
    return number_format(f"{value:.10g}" if places is None else f"{value:.{places}f}")

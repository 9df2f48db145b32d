"""Scripts of Chinese: conversion by OpenCC, and the marks by which written Cantonese is known."""

from __future__ import annotations

from functools import cache
from typing import Any

from hueval_metrics.records import InputError

_CANTONESE = frozenset("嘅咗喺哋佢唔冇嚟睇啲嗰噉咁乜嘢畀俾咩")


@cache
def converter(name: str) -> Any:
    """OpenCC's converter of a configuration such as `hk2s`.

    Raises:
        InputError: OpenCC is not installed.
    """
    try:
        import opencc
    except ImportError:
        raise InputError("conversion of Chinese scripts needs OpenCC. pip install 'hueval[zh]'") from None
    return opencc.OpenCC(name)


def simplified(text: str) -> str:
    """A text in Simplified Chinese, whichever script it has: `hk2s`, then `t2s`."""
    return str(converter("t2s").convert(converter("hk2s").convert(text)))


def is_cantonese(text: str) -> bool:
    """Whether a text has marks of written Cantonese."""
    return any(letter in _CANTONESE for letter in text)

"""Replies that know nothing: what a baseline says to a document of HKMMLU."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from lm_eval_tasks.hkmmlu.documents import letters

_ABSTENTION = "我不知道。"


def first_letter(doc: Mapping[str, Any], rng: random.Random) -> str:
    """The letter of the first option."""
    return "A"


def random_letter(doc: Mapping[str, Any], rng: random.Random) -> str:
    """The letter of any option."""
    return rng.choice(letters(doc))


def abstain_letter(doc: Mapping[str, Any], rng: random.Random) -> str:
    """Words that choose none."""
    return _ABSTENTION


def abstain_choice(doc: Mapping[str, Any], rng: random.Random) -> None:
    """No choice: all letters are equally likely."""


def first_translation(doc: Mapping[str, Any], rng: random.Random) -> str:
    """The source as it is."""
    return str(doc["input"])


def random_translation(doc: Mapping[str, Any], rng: random.Random) -> str:
    """The characters of the source in any order."""
    return "".join(rng.sample(doc["input"], len(doc["input"])))


def abstain_translation(doc: Mapping[str, Any], rng: random.Random) -> str:
    """Words that translate nothing."""
    return _ABSTENTION

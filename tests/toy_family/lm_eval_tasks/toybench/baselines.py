"""Replies that know nothing."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from hf_datasets.toybench.schema import LABELS


def first(doc: Mapping[str, Any], rng: random.Random) -> str:
    """The first thing on offer."""
    return _on_offer(doc)[0]


def at_random(doc: Mapping[str, Any], rng: random.Random) -> str:
    """Any of the things on offer."""
    return rng.choice(_on_offer(doc))


def last(doc: Mapping[str, Any], rng: random.Random) -> int:
    """The index of the last choice."""
    return len(doc["choices"]) - 1


def _on_offer(doc: Mapping[str, Any]) -> Sequence[str]:
    return LABELS if doc["task"] == "reviews" else str(doc["request"]).split()

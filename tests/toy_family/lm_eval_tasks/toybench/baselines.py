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


def _on_offer(doc: Mapping[str, Any]) -> Sequence[str]:
    if doc["task"] == "reviews":
        return LABELS
    return list(doc["choices"]) if doc["task"] == "riddles" else str(doc["request"]).split()

"""Reasoning traces of `--model hueval-baseline`, to try out what reads traces: ideas, doubts, and a last idea."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

_OPENINGS = (
    "Okay, let me work through this question.",
    "Nézzük meg, mit kér a feladat.",
    "The user asks in Hungarian, so I translate the question into English first.",
)
_IDEAS = ("My first guess is {}.", "Talán {} lehet a jó válasz.", "I think it is {}.", "Azt hiszem, hogy {}.")
_DOUBTS = ("Wait, I'm not sure about that.", "De ez nem biztos.", "Hmm, let me check again.", "Várjunk csak.")
_LAST = ("So I answer {}.", "Tehát a válaszom: {}.")


def trace(ideas: Sequence[str], answer: str, rng: random.Random) -> str:
    """A trace that goes through some replies and settles on the last one.

    Args:
        ideas: replies that are considered and dropped.
        answer: the reply that is given.
        rng: chooses the sentences.
    """
    steps = [f"{rng.choice(_IDEAS).format(_said(idea))} {rng.choice(_DOUBTS)}" for idea in ideas]
    return "\n\n".join([rng.choice(_OPENINGS), *steps, rng.choice(_LAST).format(_said(answer))])


def _said(reply: str) -> str:
    """A reply as a thought has it: of a JSON object its first value, a list with commas."""
    try:
        value = next(iter(json.loads(reply).values()))
    except (ValueError, AttributeError, StopIteration):
        return reply
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

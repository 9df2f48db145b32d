"""Repetition in a trace: the share of repeated 4-grams, and whether its end goes round in a circle.

The share is seq-rep-4 of Welleck et al. 2020 (Neural text generation with unlikelihood training, §6): 1 less the
distinct 4-grams over the 4-grams, here of words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

N = 4
TAIL = 3000  # words at the end in which a period is looked for
MIN_REPEATS, MIN_LOOP = 3, 40  # of a period of MIN_PERIOD words or more: times in a row, and words of all of them
MIN_PERIOD, MIN_SHORT_REPEATS = 5, 50  # shorter periods repeat in arrays and tables too
_RUN, _LONGEST_UNIT = 300, 30  # characters without white space: "!!!!!!", "hahaha"

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of a text, casefolded; a number is a word.

    >>> words_of("Várj, #3#: C!")
    ['várj', '3', 'c']
    """
    return _WORD.findall(text.casefold())


def repetition(words: Sequence[str]) -> float | None:
    """Share of the 4-grams that have occurred before, from 0 to 1; None below four words.

    >>> repetition("a b c d a b c d".split())
    0.2
    """
    n_grams = len(words) - N + 1
    if n_grams < 1:
        return None
    return (n_grams - len(set(zip(*(words[at:] for at in range(N)), strict=False)))) / n_grams


def is_looping(text: str, words: Sequence[str]) -> bool:
    """Whether a text ends in repetition: a run of words again and again, or a run of characters.

    The words at the end, but for a last one that may be cut, are the same MIN_PERIOD words or more at least MIN_REPEATS
    times and MIN_LOOP words in all, or the same fewer words MIN_SHORT_REPEATS times. Numbers are words, so that lines
    such as "#0# … #1# …" differ. Or the last _RUN characters have no white space and no comma and are the same
    _LONGEST_UNIT characters or fewer again and again.

    Args:
        text: any text.
        words: its words.
    """
    return _is_run(text.rstrip()) or any(_has_period(words[-TAIL - cut : len(words) - cut]) for cut in (0, 1))


def _has_period(tail: Sequence[str]) -> bool:
    if not any(word.isalpha() for word in tail[-MIN_LOOP:]):
        return False
    periods = [len(tail) - 1 - at for at, word in enumerate(tail) if word == tail[-1]][:-1]
    return any(_repeats(tail, period) for period in periods)


def _repeats(tail: Sequence[str], period: int) -> bool:
    times = max(MIN_REPEATS, -(-MIN_LOOP // period)) if period >= MIN_PERIOD else MIN_SHORT_REPEATS
    if period * times > len(tail) or tail[-period * (times - 1) :] != tail[-period * times : -period]:
        return False
    return period < MIN_PERIOD or not any(
        tail[-period:-short] == tail[short - period :] for short in range(1, MIN_PERIOD)
    )


def _is_run(text: str) -> bool:
    end = text[-_RUN:]
    if len(end) < _RUN or len(end.split()) > 1 or "," in end:
        return False
    return any(end[unit:] == end[:-unit] for unit in range(1, _LONGEST_UNIT + 1))

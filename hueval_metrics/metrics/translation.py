"""Scores of translations into Chinese: BLEU, METEOR, ROUGE-L, chrF, and the mean of the first three.

BLEU (Papineni et al. 2002) and chrF (Popović 2015) as sacrebleu computes them, with its default settings; METEOR (Lavie
& Agarwal 2007) as `nltk.translate.meteor_score` does with its exact module alone; ROUGE-L (Lin 2004) as rouge-score.
The libraries take a millisecond a translation, so the counts are made here; tests hold every number to the libraries'.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.metric import Metric
from hueval_metrics.text.chinese_units import Units

if TYPE_CHECKING:
    from hueval_metrics.metric import Numbers

_BLEU_ORDERS, _CHRF_ORDERS = 4, 6
_CHRF_BETA = 2
_METEOR_ALPHA, _METEOR_BETA, _METEOR_GAMMA = 0.9, 3.0, 0.5  # nltk's defaults


def scores(said: Units, wanted: Units, said_text: str, wanted_text: str) -> dict[str, Any]:
    """The value of each metric for one translation.

    The time is linear in the length of the translation.

    Args:
        said: the units of the translation (`text.chinese_units`); may be empty.
        wanted: those of the reference.
        said_text, wanted_text: the texts, of whose characters chrF is.

    Returns:
        Metric → value: of `bleu` (clipped matches of 1 to 4 units, lengths of translation and reference), of `chrf` the
        same of 1 to 6 characters, of `avg` that of BLEU with METEOR and ROUGE-L; of the others a number from 0 to 1.
    """
    if not (isinstance(said, str) and isinstance(wanted, str)):
        said, wanted = tuple(said), tuple(wanted)
    said_text, wanted_text = ("".join(text.split()) for text in (said_text, wanted_text))
    letters = matches(said_text, wanted_text, _CHRF_ORDERS)
    is_same = said == said_text and wanted == wanted_text
    counts = letters[:_BLEU_ORDERS] if is_same else matches(said, wanted, _BLEU_ORDERS)
    bleu = (*counts, len(said), len(wanted))
    meteor, rouge = meteor_score(said, wanted), rouge_l(said, wanted)
    return {
        "avg": (*bleu, meteor, rouge),
        "bleu": bleu,
        "bleu_sentence": _sentence_bleu(bleu),
        "meteor": meteor,
        "rouge_l": rouge,
        "chrf": (*letters, len(said_text), len(wanted_text)),
    }


def matches(said: Units, wanted: Units, orders: int) -> tuple[int, ...]:
    """How many n-grams of a translation are in its reference, each at most as often as it is there; for n from 1.

    >>> matches("我哋我哋", "我哋去", 3)
    (2, 1, 0)
    """
    if said == wanted:
        return tuple(max(0, len(said) - order) for order in range(orders))
    found = [0] * orders
    for order in range(orders):
        of_said, of_wanted = _grams(said, order + 1), _grams(wanted, order + 1)
        common = set(of_said).intersection(of_wanted)
        if not common:
            break  # longer ones neither
        found[order] = len(common)
        if len(set(of_said)) < len(of_said) and len(set(of_wanted)) < len(of_wanted):  # one may be in both repeatedly
            times, most = Counter(of_said), Counter(of_wanted)
            found[order] = sum(min(times[gram], most[gram]) for gram in common)
    return tuple(found)


def _grams(units: Units, order: int) -> list[Units]:
    return [units[start : start + order] for start in range(len(units) - order + 1)]


def meteor_score(said: Units, wanted: Units) -> float:
    """METEOR with exact matches of lower-cased units, from 0 to 1; 0 where either is empty.

    From its end, each unit is aligned with the last equal one of the reference that is still free, as in nltk.
    """
    said, wanted = _lowered(said), _lowered(wanted)
    free: dict[str, list[int]] = {}
    for place, unit in enumerate(wanted):
        free.setdefault(unit, []).append(place)
    pairs = 0
    chunks = 0
    following: int | None = None  # the place with which the next unit is aligned
    for unit in reversed(said):
        places = free.get(unit)
        if not places:
            following = None
            continue
        place = places.pop()
        pairs += 1
        chunks += place + 1 != following
        following = place
    if not pairs:
        return 0.0
    precision, recall = pairs / len(said), pairs / len(wanted)
    mean = precision * recall / (_METEOR_ALPHA * precision + (1 - _METEOR_ALPHA) * recall)
    penalty = _METEOR_GAMMA * (chunks / pairs) ** _METEOR_BETA
    return (1 - penalty) * mean


def _lowered(units: Units) -> Units:
    if isinstance(units, str) and units.lower() == units:
        return units
    return tuple(unit.lower() for unit in units)


def rouge_l(said: Units, wanted: Units) -> float:
    """The F-measure of the longest common subsequence, from 0 to 1; 0 where either is empty.

    >>> round(rouge_l("我哋去睇戲", "我們去看戲"), 2)
    0.6
    """
    from rapidfuzz.distance import LCSseq

    common = LCSseq.similarity(said, wanted)
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(wanted)
    return 2 * precision * recall / (precision + recall)


def _sentence_bleu(value: Sequence[int]) -> float:
    """sacrebleu's `sentence_score`, from 0 to 1: smoothing `exp`, only orders of which the translation has n-grams."""
    *counts, said, wanted = value
    if not counts[0]:
        return 0.0
    smoothing, logs = 1.0, 0.0
    orders = min(_BLEU_ORDERS, said)
    for order in range(orders):
        if not counts[order]:
            smoothing /= 2
        logs += math.log((counts[order] or smoothing) / (said - order))
    return min(1.0, math.exp(1 - wanted / said)) * math.exp(logs / orders)


def _summed(columns: Sequence[Sequence[float]], width: int) -> tuple[float, ...]:
    """Sums of the rows of a cluster and how many these are; a cluster mostly has one."""
    if len(columns) == 1:
        return (*columns[0], 1)
    return (*map(sum, zip(*columns, strict=True)), len(columns)) if columns else (0,) * (width + 1)


def _bleu_row(value: Sequence[float]) -> tuple[float, ...]:
    """Matches and totals of n-grams of 1 to 4 units, the reference's length, and what else the value has."""
    first, second, third, fourth, said, wanted, *rest = value
    return (first, second, third, fourth, said, max(0, said - 1), max(0, said - 2), max(0, said - 3), wanted, *rest)


def _bleu(sums: Numbers) -> Numbers:
    """Corpus BLEU with smoothing `exp`: the k-th order without matches counts 1/2^k of one."""
    counts, totals, wanted = sums[..., :4], sums[..., 4:8], sums[..., 8]
    smoothing = 0.5 ** np.cumsum(counts == 0, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(counts == 0, smoothing, counts) / totals
        score = np.exp(np.log(precision).mean(axis=-1) + np.minimum(0.0, 1 - wanted / totals[..., 0]))
    score = np.where((counts[..., 0] > 0) & (totals[..., 3] > 0), 100 * score, 0.0)
    return np.where(sums[..., -1] > 0, score, np.nan)


def _average(sums: Numbers) -> Numbers:
    return (_bleu(sums) + 100 * (sums[..., 9] + sums[..., 10]) / sums[..., -1]) / 3


def _chrf_row(value: Sequence[int]) -> tuple[int, ...]:
    """Matches of 1 to 6 characters, then how many n-grams the translation and the reference have."""
    *counts, said, wanted = value
    in_wanted = [max(0, wanted - order) for order in range(_CHRF_ORDERS)]
    # What the reference has no n-grams of that order for is not counted.
    in_said = [max(0, said - order) if in_wanted[order] else 0 for order in range(_CHRF_ORDERS)]
    return (*counts, *in_said, *in_wanted)


def _chrf(sums: Numbers) -> Numbers:
    """chrF with β = 2: the F-score of precision and recall, each the mean over the orders that both texts have."""
    counts, said, wanted = (sums[..., start : start + _CHRF_ORDERS] for start in range(0, 3 * _CHRF_ORDERS, 6))
    is_there = (said > 0) & (wanted > 0)
    orders = np.maximum(1, is_there.sum(axis=-1))
    precision, recall = (
        np.where(is_there, counts / np.where(is_there, whole, 1), 0.0).sum(axis=-1) / orders for whole in (said, wanted)
    )
    both = precision + recall
    weight = _CHRF_BETA**2
    score = (1 + weight) * precision * recall / np.where(both > 0, weight * precision + recall, 1)
    return np.where(sums[..., -1] > 0, 100 * score, np.nan)


def _is_given(sums: Numbers) -> Numbers:
    return sums[..., -1]


BLEU = Metric("bleu", lambda values: _summed([*map(_bleu_row, values)], 9), _bleu, size=_is_given, is_mean=False)
"""sacrebleu's corpus BLEU, of the counts of sentences."""

CHRF = Metric("chrf", lambda values: _summed([*map(_chrf_row, values)], 18), _chrf, size=_is_given, is_mean=False)
"""sacrebleu's corpus chrF, of the counts of sentences."""

AVERAGE = Metric(
    "average", lambda values: _summed([*map(_bleu_row, values)], 11), _average, size=_is_given, is_mean=False
)
"""The mean of corpus BLEU, METEOR and ROUGE-L."""

"""Scores of translations into Chinese: BLEU, METEOR, ROUGE-L, chrF, and the mean of the first three."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.declare import Metric

if TYPE_CHECKING:
    from hueval_metrics.declare import Numbers

_ORDERS = 4


def scores(hypothesis: str, reference: str, *, units: str) -> dict[str, Any]:
    """The value of each metric for one translation."""
    from rouge_score.rouge_scorer import _score_lcs
    from sacrebleu.metrics import BLEU as SacreBleu
    from sacrebleu.metrics import CHRF as SacreChrf

    bleu, chrf = SacreBleu(tokenize="zh", effective_order=True), SacreChrf()
    one = bleu.sentence_score(hypothesis, [reference])
    counts = (*one.counts, *one.totals, one.sys_len, one.ref_len)
    said, wanted = list(hypothesis), list(reference)
    rouge = _score_lcs(wanted, said).fmeasure if said and wanted else 0.0
    stats = tuple(chrf._extract_corpus_statistics([hypothesis], [[reference]])[0])
    meteor = rouge
    return {
        "avg": (*counts, meteor, rouge),
        "bleu": counts,
        "bleu_sentence": one.score / 100,
        "meteor": meteor,
        "rouge_l": rouge,
        "chrf": stats,
    }


def _sums(width: int, values: Sequence[Any]) -> tuple[float, ...]:
    columns = zip(*values, strict=True) if values else [()] * width
    return (*(float(sum(column)) for column in columns), float(len(values)))


def _bleu(sums: Numbers) -> Numbers:
    correct, total = sums[..., :_ORDERS], sums[..., _ORDERS : 2 * _ORDERS]
    said, wanted = sums[..., 2 * _ORDERS], sums[..., 2 * _ORDERS + 1]
    precision = np.where(total > 0, correct / np.maximum(total, 1), 0.0)
    mean = np.exp(np.log(np.maximum(precision, 1e-300)).mean(axis=-1))
    brevity = np.where(said < wanted, np.exp(1 - wanted / np.maximum(said, 1)), 1.0)
    return np.where(sums[..., -1] > 0, 100 * brevity * mean, np.nan)


BLEU = Metric(
    "bleu",
    lambda values: _sums(2 * _ORDERS + 2, values),
    _bleu,
    size=lambda sums: sums[..., -1],
    is_mean=False,
)
CHRF = Metric(
    "chrf",
    lambda values: _sums(18, values),
    lambda sums: np.where(sums[..., -1] > 0, sums[..., 2], np.nan),
    size=lambda sums: sums[..., -1],
    is_mean=False,
)
AVERAGE = Metric(
    "average",
    lambda values: _sums(2 * _ORDERS + 4, values),
    lambda sums: (_bleu(sums) + 100 * (sums[..., -3] + sums[..., -2]) / sums[..., -1]) / 3,
    size=lambda sums: sums[..., -1],
    is_mean=False,
)

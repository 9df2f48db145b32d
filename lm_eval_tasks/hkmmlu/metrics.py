"""The metrics of translations, under the names that the YAMLs use."""

from __future__ import annotations

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.metrics.translation import AVERAGE, BLEU, CHRF

_SCORES: dict[str, Metric] = {
    "avg": AVERAGE,
    "bleu": BLEU,
    "bleu_sentence": PERCENT,
    "meteor": PERCENT,
    "rouge_l": PERCENT,
    "chrf": CHRF,
}
# Each of the texts as they are, and of both after conversion to one script.
TRANSLATION: dict[str, Metric] = {
    **{f"{name}{suffix}": metric for suffix in ("", "_norm") for name, metric in _SCORES.items()},
    "is_cantonese": PERCENT,
    "copy_rate": PERCENT.but(better="lower"),
    "empty_rate": PERCENT.but(better="lower"),
    "truncated_rate": PERCENT.but(better="lower"),
}

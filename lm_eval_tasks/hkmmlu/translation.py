"""Score one translation of HKMMLU: the `process_results` of its tasks, live and in `hueval score`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.answers.read_once import read_once
from hueval_metrics.metrics.translation import scores
from hueval_metrics.records import Filtered
from hueval_metrics.text.script import is_cantonese, simplified


def score(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """One translation (§4, Table 2).

    Args:
        doc: `input`, `output` (the reference), `target_language`, `units`.
        results: one filtered JSON string (`records.Filtered`).
    """
    filtered = Filtered.from_json(results[0])
    said = read(doc, filtered.response)
    found: dict[str, Any] = {}
    for suffix, pair in (("", (said, doc["output"])), ("_norm", (simplified(said), simplified(doc["output"])))):
        found |= {f"{name}{suffix}": value for name, value in scores(*pair, units=doc["units"]).items()}
    if doc["target_language"] == "yue":
        found["is_cantonese"] = float(is_cantonese(said))
    return found | {"empty_rate": float(not said), "truncated_rate": float(filtered.truncated)}


@read_once
def read(doc: Mapping[str, Any], response: str) -> str:
    """The translation in a reply."""
    return response.strip()

"""Score one translation of HKMMLU: the `process_results` of its tasks, live and in `hueval score`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hueval_metrics.answers.read_once import read_once
from hueval_metrics.answers.reading import NOTHING, Reading, Span, answered
from hueval_metrics.answers.translated import read_translation
from hueval_metrics.metrics.translation import scores
from hueval_metrics.records import Filtered
from hueval_metrics.text.chinese_units import Units, characters, words
from hueval_metrics.text.script import is_cantonese, simplified
from lm_eval_tasks.hkmmlu.documents import template


def score(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """One translation (§4, Table 2): each score of the texts as they are, and of both in Simplified Chinese.

    Args:
        doc: `input`, `output` (the reference), `target_language`, `units`.
        results: one filtered JSON string (`records.Filtered`).
    """
    filtered = Filtered.from_json(results[0])
    said, wanted, source = read(doc, filtered.response), doc["output"], doc["input"]
    split = _split(doc)
    found = scores(split(said), split(wanted), said, wanted)
    said_norm, wanted_norm = simplified(said), simplified(wanted)
    is_same = (said_norm, wanted_norm) == (said, wanted)
    norm = found if is_same else scores(split(said_norm), split(wanted_norm), said_norm, wanted_norm)
    found |= {f"{name}_norm": value for name, value in norm.items()}
    if doc["target_language"] == "yue":
        found["is_cantonese"] = float(is_cantonese(said))
    source_norm = said_norm if said == source else simplified(source)
    return found | {
        "copy_rate": float(said_norm == source_norm != wanted_norm),
        "empty_rate": float(not said),
        "truncated_rate": float(filtered.truncated),
    }


@read_once
def read(doc: Mapping[str, Any], response: str) -> str:
    """The translation in a reply, without what is around it."""
    return read_translation(
        response, doc["input"], doc["target_language"], template(f"fig12_{doc['task']}").splitlines()
    )


def reading(doc: Mapping[str, Any], response: str) -> Reading[str]:
    """The translation in a reply, and where it is (`declare.Task.reading`)."""
    said = read(doc, response)
    if not said:
        return NOTHING
    start = response.rfind(said)
    if start < 0:  # written with escapes, in JSON: it is somewhere in the reply
        return answered(said, (Span(0, len(response)),), "object")
    return answered(said, (Span(start, start + len(said)),), "whole" if said == response.strip() else "line")


def _split(doc: Mapping[str, Any]) -> Callable[[str], Units]:
    if doc["units"] == "word":
        return lambda text: words(text, doc["target_language"])
    return characters


def item(doc: Mapping[str, Any], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The sentence to translate, whose length a figure shows (`declare.Task.item`)."""
    return {"question": doc["input"]}

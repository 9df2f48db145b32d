"""Score one document of KoLasSimpleQA: the `process_results` of its tasks, live and in `hueval score`.

Every metric key is returned for every document, None where it does not apply. A document without a verdict counts in
`judge_coverage` alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.answers.confidence import stated_confidence
from hueval_metrics.answers.json_answer import answer_text
from hueval_metrics.answers.reading import Reading
from hueval_metrics.answers.short import short_answer
from hueval_metrics.metrics import simple_qa
from hueval_metrics.metrics.judged import label_of, rates
from hueval_metrics.records import Filtered
from lm_eval_tasks.kolassimpleqa.documents import answer_range, answer_to
from lm_eval_tasks.kolassimpleqa.family import DIRECTIONS, METRICS

_RATED = {name for name, metric in METRICS.items() if not metric.is_count} - {"ece_attempted"}
_IN_DIRECTION = ("correct", "incorrect", "not_attempted", "correct_given_attempted", "f_score")


def score(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """One answer with its verdict (§3.2, §4.3, §4.4).

    Args:
        doc: `knowledge_track_id`, `is_reverse`, `question`, `question_lang`.
        results: one filtered JSON string (`records.Filtered`).

    Returns:
        `correct_given_attempted`, `f_score`: terms of `metrics.simple_qa`; `ece`, `ece_attempted`, `brier`,
        `n_confidence`: (confidence, whether correct), and how it was stated; `bidirectional`, `n_pairs`, `n_unpaired`:
        as `metrics.BIDIRECTIONAL` takes them; the others from 0 to 1.
    """
    filtered = Filtered.from_json(results[0])
    label = label_of(filtered, simple_qa.LABELS)
    response = answer_to(doc, filtered.response)
    languages = (doc["question_lang"],)
    found = _by_label(
        label, stated_confidence(response, languages), str(doc["knowledge_track_id"]), bool(doc["is_reverse"])
    )
    said = filtered.verdict.get("raw") if filtered.verdict is not None else None
    reference = simple_qa.by_label(simple_qa.reference_label(said) if isinstance(said, str) else label, None)
    found |= {f"{name}_ref": reference[name] for name in ("correct", "incorrect", "not_attempted", "f_score")}
    found |= {"n_confidence": found["ece"], "judge_coverage": float(label is not None)}
    found |= rates(filtered, answer_text(response, languages), languages, "language_rate")
    return {name: found[name] for name in METRICS}


def rated(values: Mapping[str, Any], label: str) -> dict[str, Any]:
    """The values of an item that has a verdict, with another label (`declare.Task.rated`).

    Counts depend on no label, and to which items `ece_attempted` applies does, so these are left out.
    """
    pair = values["ece"]
    track, is_reverse, _ = values["bidirectional"]
    found = _by_label(label, pair and (pair[0], *pair[2:]), track, is_reverse)
    return {name: value for name, value in found.items() if name in _RATED}


def _by_label(label: str | None, stated: Sequence[Any] | None, track: str, is_reverse: bool) -> dict[str, Any]:
    """The metrics that follow from a label."""
    found = simple_qa.by_label(label, stated)
    of_pair = None if label is None else (track, is_reverse, found["correct"])
    direction = DIRECTIONS[is_reverse]
    return {
        **found,
        "ece_attempted": None if label == simple_qa.NOT_ATTEMPTED else found["ece"],
        **dict.fromkeys(("bidirectional", "n_pairs", "n_unpaired"), of_pair),
        **{
            f"{name}_{code}": found[name] if code == direction else None
            for name in _IN_DIRECTION
            for code in DIRECTIONS
        },
    }


def answer(doc: Mapping[str, Any], response: str) -> str:
    """The answer to a question, without what repeats the prompt (`declare.Task.answer`)."""
    return answer_to(doc, response)


def short_reading(doc: Mapping[str, Any], response: str) -> Reading[str]:
    """The short answer to a question (`declare.Task.reading`)."""
    part = answer_range(doc, response)
    return short_answer(response[part.start : part.end], (doc["question_lang"],)).moved(part.start)

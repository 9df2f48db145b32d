"""Prompts, targets and scores of Toybench: what its YAMLs name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hf_datasets.toybench.schema import LABELS
from hueval_metrics.answers.decide import decided
from hueval_metrics.answers.names import folded, texts_named
from hueval_metrics.answers.reading import NOTHING, REFUSED, Reading, Span, answered
from hueval_metrics.answers.run_on import cut
from hueval_metrics.languages.load import pattern
from hueval_metrics.records import Filtered, has_verdict
from lm_eval_tasks.toybench.family import FAMILY

PROMPTS = {
    ("reviews", "hu"): "Mit gondol a kritikus a filmről: {labels}?\n\n{text}",
    ("reviews", "en"): "What does the critic think of the film: {labels}?\n\n{text}",
    ("riddles", "hu"): "Kérdés: {question}\nVálasz:",
    ("riddles", "en"): "Question: {question}\nAnswer:",
    ("letters", "hu"): "Válaszolj a levélre!\n\n{request}",
    ("letters", "en"): "Answer the letter.\n\n{request}",
}


def prompt(doc: Mapping[str, Any]) -> str:
    """The user message."""
    return PROMPTS[doc["task"], doc["prompt_lang"]].format_map({**doc, "labels": ", ".join(LABELS)})


def target(doc: Mapping[str, Any]) -> str:
    """The reply that is wholly right."""
    return str(doc["label"] if doc["task"] == "reviews" else doc["reference"])


def guess(doc: Mapping[str, Any], response: str) -> str | None:
    """The label that a response names; None where it names none, or several."""
    words = {word.strip(".,:;!?*\"'").casefold() for word in response.split()}
    found = [label for label in LABELS if label in words]
    return found[0] if len(found) == 1 else None


def review_reading(doc: Mapping[str, Any], response: str) -> Reading[str]:
    """The label that a response states, by the words of the family's languages, and where."""
    lines = [line for (task, _), text in PROMPTS.items() if task == "reviews" for line in text.splitlines()]
    start, end = cut(response, lines, [doc["text"]])
    part = response[start:end]
    if not part.strip():
        return NOTHING
    found = decided(part, texts_named(folded(part), LABELS), FAMILY.languages)
    if found.mention is None:
        return REFUSED if pattern("refusal", FAMILY.languages).search(folded(part)) else Reading(found.kind)
    span = Span(found.mention.start, found.mention.end)
    return answered(LABELS[found.mention.candidate], (span,), found.rule).moved(start)


def reviews(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """(gold, guess) for what is made of a confusion matrix; 1 or 0 for exact match."""
    found = guess(doc, Filtered.from_json(results[0]).response)
    pair = (doc["label"], found)
    by_genre = {f"mcc_{code}": pair if doc["genre"] == genre else None for genre, code in _GENRES.items()}
    return {"mcc": pair, "weighted_f1": pair, "exact_match": float(found == doc["label"]), **by_genre}


_GENRES = {"krími": "crime", "mese": "tale"}


def riddles(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Whether the right choice has the highest log-likelihood."""
    likelihoods = [likelihood for likelihood, _ in results]
    return {"exact_match": float(likelihoods.index(max(likelihoods)) == doc["answer"])}


def letters(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """Whether the judge says that an answer helps; None without its verdict."""
    verdict = Filtered.from_json(results[0]).verdict
    label = verdict["label"] if verdict is not None and has_verdict(verdict) else None
    return {
        "helpful": None if label is None else float(label == "HELPS"),
        "judge_coverage": float(label is not None),
    }


def letters_rated(values: Mapping[str, Any], label: str) -> dict[str, Any]:
    """The values of a letter with another label."""
    return {"helpful": float(label == "HELPS")}

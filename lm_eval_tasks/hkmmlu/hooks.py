"""Score one question of HKMMLU: the `process_results` of its tasks, live and in `hueval score`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.answers.letter_choice import first_letter, read_letter
from hueval_metrics.answers.read_once import read_once
from hueval_metrics.records import Filtered
from lm_eval_tasks.hkmmlu.documents import letters, question, right


def score(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """One reply (§4): unread is wrong, and counted.

    Args:
        doc: `question`, `choices`, `answer`.
        results: one filtered JSON string (`records.Filtered`).
    """
    filtered = Filtered.from_json(results[0])
    letter = read(doc, filtered.response)
    return {
        "acc": float(letter == doc["answer"]),
        "acc_first_letter": float(first_letter(filtered.response, len(doc["choices"])) == doc["answer"]),
        "parse_rate": float(letter is not None),
        "truncated_rate": float(filtered.truncated),
    }


@read_once
def read(doc: Mapping[str, Any], response: str) -> str | None:
    """The letter that a reply chooses; None where it chooses none (`declare.Task.answer`)."""
    return read_letter(response, doc["choices"])


def by_likelihood(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Whether the likeliest letter is right, also with log-likelihoods divided by the letters' bytes."""
    each = [likelihood for likelihood, _ in results]
    by_byte = [one / len(letter.encode()) for one, letter in zip(each, letters(doc), strict=True)]
    return {name: float(_likeliest(some) == right(doc)) for name, some in (("acc", each), ("acc_norm", by_byte))}


def likeliest(doc: Mapping[str, Any], pairs: Sequence[tuple[float, bool]]) -> str:
    """The likeliest letter."""
    return letters(doc)[_likeliest([likelihood for likelihood, _ in pairs])]


def _likeliest(likelihoods: Sequence[float]) -> int:
    return likelihoods.index(max(likelihoods))


def item(doc: Mapping[str, Any], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The question with its options, by whose length the figures divide the items (`declare.Task.item`)."""
    return {"question": question(doc)}

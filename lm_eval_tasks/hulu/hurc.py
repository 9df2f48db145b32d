"""HuRC: which name is masked in the last paragraph of an article? Prompts, candidates and scores, as in ReCoRD.

By log-likelihood, as lm-eval does ReCoRD (Zhang et al. 2018): each name of the article fills the mask, and the
likeliest of the paragraphs so filled is the answer. So the text behind the mask decides, too. What precedes it
adds the same to each; it is no part of the context, as a tokenizer may join its end with a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from hueval_metrics.answers.masked_name import MASK, read_masked_name
from hueval_metrics.answers.read_once import read_once
from hueval_metrics.answers.reading import Reading
from hueval_metrics.answers.run_on import cut
from hueval_metrics.records import Filtered
from hueval_metrics.text.endings import is_same_name, plain_name
from hueval_metrics.text.names import names
from lm_eval_tasks.hulu.hooks import fixed_lines, template

_names = lru_cache(maxsize=64)(names)


def context(doc: Mapping[str, Any]) -> str:
    """The article, which the last paragraph follows."""
    return template("hulu", "hurc", doc["prompt"]).format_map(_fields(doc))


def instruction(doc: Mapping[str, Any]) -> str:
    """The user message."""
    return template("hulugen", "hurc", doc["prompt"]).format_map(_fields(doc))


def candidates(doc: Mapping[str, Any]) -> Sequence[str]:
    """The names that may fill the mask: those of the article; of a training row, which is an example, the right one.

    An article without any leaves the mask as it is, since lm-eval needs a choice.
    """
    if doc["split"] == "train":
        return [doc["label"]]
    return _names((*doc["lead"], *doc["passage"])) or [MASK]


def choices(doc: Mapping[str, Any]) -> list[str]:
    """The last paragraph, filled with each candidate."""
    return [doc["query"].replace(MASK, name) for name in candidates(doc)]


def answer(doc: Mapping[str, Any]) -> int:
    """The index of the right candidate, or else of one with another ending, or else 0, as lm-eval wants one."""
    label, found = target(doc), candidates(doc)
    right = (place for place, name in enumerate(found) if plain_name(name) == plain_name(label))
    nearly = (place for place, name in enumerate(found) if is_same_name(name, label))
    return next(right, next(nearly, 0))


def target(doc: Mapping[str, Any]) -> str:
    """The masked name; empty where it is hidden."""
    return doc["label"] or ""


def by_likelihood(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Scores of the likeliest candidate, and whether the right one is a candidate; None where it is hidden."""
    label = doc["label"]
    is_found = None if label is None else float(plain_name(label) in map(plain_name, candidates(doc)))
    return _scored(doc, likeliest_name(doc, results)) | {"candidate_recall": is_found}


def generated(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """Scores of the name that a reply gives, None where it is hidden; and whether it gives one."""
    filtered = Filtered.from_json(results[0])
    reading = name_reading(doc, filtered.response)
    rates = {"parse_rate": float(reading.is_answered), "truncated_rate": float(filtered.truncated)}
    return _scored(doc, reading.value or "") | rates


def read_name(doc: Mapping[str, Any], response: str) -> str | None:
    """The name that a reply gives; None where it gives none, or several without a decision."""
    return name_reading(doc, response).value


@read_once
def name_reading(doc: Mapping[str, Any], response: str) -> Reading[str]:
    """The name that a reply gives for the mask (`declare.Task.reading`)."""
    texts = [*doc["lead"], *doc["passage"], doc["query"]]
    part = cut(response, fixed_lines("hurc"), texts)
    return read_masked_name(response[part.start : part.end], doc["query"], quoted=texts).moved(part.start)


def likeliest_name(doc: Mapping[str, Any], pairs: Sequence[tuple[float, bool]]) -> str:
    """The likeliest candidate."""
    likelihoods = [likelihood for (likelihood, _), _ in zip(pairs, candidates(doc), strict=True)]
    return candidates(doc)[likelihoods.index(max(likelihoods))]


def token_f1(guess: str, gold: str) -> float:
    """The F1 of the words of two names, from 0 to 1, as in SQuAD (Rajpurkar et al. 2016) but for English articles.

    >>> round(token_f1("Bolyai János", "Bolyai"), 3)
    0.667
    """
    words, right = Counter(plain_name(guess).split()), Counter(plain_name(gold).split())
    return 2 * (words & right).total() / ((words + right).total() or 1)


def chance(doc: Mapping[str, Any]) -> float | None:
    """The share of the candidates that are right; None where the name is hidden."""
    if (label := doc.get("label")) is None:
        return None
    found = candidates(doc)
    return sum(plain_name(name) == plain_name(label) for name in found) / len(found)


def _scored(doc: Mapping[str, Any], name: str) -> dict[str, Any]:
    label = doc["label"]
    if label is None:
        return dict.fromkeys(("em", "f1", "em_suffix"))
    return {
        "em": float(plain_name(name) == plain_name(label)),
        "f1": token_f1(name, label),
        "em_suffix": float(is_same_name(name, label)),
    }


def _fields(doc: Mapping[str, Any]) -> Mapping[str, str]:
    return {"lead": "\n".join(doc["lead"]), "passage": "\n".join(doc["passage"]), "query": doc["query"]}

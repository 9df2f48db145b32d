"""Score one question of HKMMLU: the `process_results` of its tasks, live and in `hueval score`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from hueval_metrics.answers.choice import first_letter, is_echo, read_choice
from hueval_metrics.answers.names import LETTERS
from hueval_metrics.answers.read_once import read_once
from hueval_metrics.answers.reading import NOTHING, Reading
from hueval_metrics.answers.run_on import cut
from hueval_metrics.records import Filtered
from lm_eval_tasks.hkmmlu.documents import PROMPTS, letters, question, question_lines, right, user_message

LANGUAGES = ("zh", "hu")  # of replies, beside English
_VALUES = ("{question}", "問題: {input}", "答案:")  # lines that only hold a value, and those of the translations


def score(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """One reply (§4): unread is wrong, and counted.

    Args:
        doc: `question`, `choices`, `answer`.
        results: one filtered JSON string (`records.Filtered`).
    """
    filtered = Filtered.from_json(results[0])
    reading = letter_reading(doc, filtered.response)
    return {
        "acc": float(reading.value == doc["answer"]),
        "acc_first_letter": float(first_letter(filtered.response, len(doc["choices"])) == doc["answer"]),
        "parse_rate": float(reading.is_answered),
        "truncated_rate": float(filtered.truncated),
    }


@read_once
def letter_reading(doc: Mapping[str, Any], response: str) -> Reading[str]:
    """The letter that a reply chooses (`declare.Task.reading`)."""
    values = (doc["question"], *doc["choices"])
    start, end = cut(response, fixed_lines(), values, doc["choices"], user_message(doc))
    if is_echo(response[start:end], user_message(doc)):
        return NOTHING
    found = read_choice(response[start:end], doc["choices"], LANGUAGES, is_numbered=False).moved(start)
    return found.of(LETTERS[found.value or 0])


def read(doc: Mapping[str, Any], response: str) -> str | None:
    """The letter that a reply chooses; None where it chooses none (`declare.Task.answer`)."""
    return letter_reading(doc, response).value


@cache
def fixed_lines() -> tuple[str, ...]:
    """The lines of all forms of the prompt, by which a repeated one is recognised, and those of a question in them."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(PROMPTS.glob("*.txt")))
    lines = (line for text in texts for line in text.splitlines() if line.strip())
    return tuple(dict.fromkeys((*(line for line in lines if line not in _VALUES), *question_lines())))


def by_likelihood(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Whether the likeliest letter is right, also with log-likelihoods divided by the letters' bytes.

    A tie for the highest is wrong: a model to which two letters are equally likely prefers neither, and the order of
    the options must not decide for it.
    """
    each = [likelihood for likelihood, _ in results]
    by_byte = [one / len(letter.encode()) for one, letter in zip(each, letters(doc), strict=True)]
    return {name: float(_likeliest(some) == right(doc)) for name, some in (("acc", each), ("acc_norm", by_byte))}


def likeliest(doc: Mapping[str, Any], pairs: Sequence[tuple[float, bool]]) -> str | None:
    """The likeliest letter; None for a tie."""
    place = _likeliest([likelihood for likelihood, _ in pairs])
    return None if place is None else letters(doc)[place]


def _likeliest(likelihoods: Sequence[float]) -> int | None:
    highest = [place for place, one in enumerate(likelihoods) if one == max(likelihoods)]
    return highest[0] if len(highest) == 1 else None


def item(doc: Mapping[str, Any], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The question with its options, by whose length the figures divide the items (`declare.Task.item`)."""
    return {"question": question(doc)}

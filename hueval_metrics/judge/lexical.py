"""A judge without a model: it compares the words of a response with those of the reference, offline and repeatably.

It is approximate, to try things out: it knows no synonyms, no negation and no numbers in words, and its verdicts have
`judge: lexical`. The function `lexical` of a rubric defines what is compared; a rubric without it, such as one for
questions without a reference answer, cannot be used.

A rubric that names the language of the answer gets that language's rules (`judge.words`). Without a language answers
are compared as Hungarian ones were from the first version on, so that older verdicts stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz

from hueval_metrics.answers.json_answer import find_answer
from hueval_metrics.judge.rubric import load_rubric
from hueval_metrics.judge.words import fold, has_word, holds, says_nothing
from hueval_metrics.records import Verdict
from hueval_metrics.registry import families, rubric_name
from hueval_metrics.text.normalize import stream_safe

JUDGE = "lexical"
VERSION = 1  # of this judge, in place of the rubric's version
_NO_ANSWER = re.compile(
    r"\b(?:nem tudom|nem tudok|nem ismerem|nem all rendelkezes\w*|nincs(?:en)?(?: errol| rola)? (?:informacio|adat)\w*|"
    r"i (?:don ?t|do not) know|not sure|no information)\b"
)
_EMPTY_ANSWERS = frozenset({"", "none", "null", "n a", "unknown", "ismeretlen"})


def judge_lexically(doc: Mapping[str, Any], response: str, rubric: str) -> Verdict:
    """An approximate verdict on one response.

    Args:
        doc: the document, with its reference.
        response: the model's answer, as text or as the JSON that the prompt asks for.
        rubric: the rubric's name.

    Returns:
        A label; a missing verdict where there is no reference to compare with.
    """
    compare = getattr(load_rubric(rubric), "lexical", None)
    label = compare(doc, response) if compare else None
    error = None
    if compare is None:
        error = f"lexical cannot score {_title(rubric)}"
    elif label is None:
        error = "lexical: the document has no reference answer"
    return Verdict(label=label, judge=JUDGE, rubric=lexical_rubric(rubric), error=error)


def lexical_rubric(rubric: str) -> str:
    """The rubric that verdicts of this judge name."""
    return f"{rubric}/{JUDGE}-{VERSION}"


def _title(rubric: str) -> str:
    """The title of the task of a rubric."""
    tasks = (task for family in families().values() for task in family.tasks.values())
    return next((task.title for task in tasks if rubric_name(task) == rubric), rubric)


def answer_words(response: str, language: str | None = None) -> str:
    """The folded answer in a response; the whole text when it has not the form that the prompt asks for."""
    found = find_answer(response)
    if found is None:
        return _folded(response, language)
    parts = found if isinstance(found, list) else [found]
    return _folded(" ".join(str(part) for part in parts), language)


def reference_words(value: Any, language: str | None = None) -> list[str]:
    """The folded reference answers, one or several, without those that have no letter or digit."""
    values = value if isinstance(value, (list, tuple)) else [value]
    return [folded for item in values if item is not None and (folded := _folded(str(item), language))]


def contains(answer: str, reference: str, language: str | None = None) -> bool:
    """Whether an answer has a reference in it. Typos are accepted in longer words, not in numbers: 1526 is not 1562.

    Args:
        answer: from `answer_words`.
        reference: one of `reference_words`.
        language: as given to both. Without one every word of the reference must begin a word of the answer: Hungarian
            appends case endings.
    """
    if language is not None:
        return holds(answer, reference, language)
    words = set(answer.split())
    return all(has_word(words, word) for word in reference.split())


def is_no_answer(answer: str, language: str | None = None) -> bool:
    """Whether folded words mean that there is no answer, in the language or in English."""
    if language is not None:
        return says_nothing(answer, language)
    return answer in _EMPTY_ANSWERS or _NO_ANSWER.search(answer) is not None


def likeness(answer: str, references: Sequence[str]) -> float:
    """The similarity of an answer to the nearest reference by common words in any order, 0 to 100."""
    return max(fuzz.token_set_ratio(answer, reference) for reference in references)


def _folded(text: str, language: str | None) -> str:
    return _fold(text) if language is None else fold(text, language)


def _fold(text: str) -> str:
    """Words in lower case without accents and punctuation: case endings lengthen vowels (alma, almát)."""
    plain = unicodedata.normalize("NFKD", stream_safe(text).casefold())
    letters = "".join(" " if not c.isalnum() else c for c in plain if not unicodedata.combining(c))
    return " ".join(letters.split())

"""A judge without a model: does the response contain the words of the reference answer? Offline and repeatable.

It is a rough stand-in for trying things out. It knows no synonyms, no negation and no numbers in words, and its
verdicts say `judge: lexical`. It cannot score HuWildBench, whose questions have no reference answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz, process

from hueval_metrics.answers.json_answer import find_answer
from hueval_metrics.records import Verdict
from hueval_metrics.text.normalize import stream_safe
from lm_eval_tasks.openhueval.templates import answer_to

JUDGE = "lexical"
VERSION = 1  # of this judge; it has no rubric's version, as it follows no rubric
WORD_LIKE = 85  # a slip in six letters or more is let pass, another word is not
MEANING_LIKE = 60  # set by eye on paraphrases of proverbs; opposite readings often share as many words
_NULL_ANSWER = re.compile(r'"(?:answer|válasz)"\s*:\s*(?:null|""|\[\s*\])')
_NO_ANSWER = re.compile(
    r"\b(?:nem tudom|nem tudok|nem ismerem|nem all rendelkezes\w*|nincs(?:en)?(?: errol| rola)? (?:informacio|adat)\w*|"
    r"i (?:don ?t|do not) know|not sure|no information)\b"
)
_EMPTY_ANSWERS = frozenset({"", "none", "null", "n a", "unknown", "ismeretlen"})


def judge_lexically(doc: Mapping[str, Any], response: str, rubric: str) -> Verdict:
    """An approximate verdict on one response.

    Args:
        doc: the document, with its reference under `answer` (husimpleqa) or `reference` (huproverbrea_oe).
        response: the model's answer, as text or as the JSON that the prompt asks for.
        rubric: the rubric's name.

    Returns:
        A label; a missing verdict where there is nothing to compare with.

    >>> judge_lexically({"answer": "Mohács"}, '{"answer": "Mohácsnál, 1526-ban"}', "husimpleqa").label
    'CORRECT'
    """
    if rubric in ("husimpleqa", "huproverbrea_oe"):
        response = answer_to(rubric, doc, response)
    answer = _answer_text(response)
    if rubric == "husimpleqa":
        references = _references(doc.get("answer"))
        return _verdict(rubric, _simple_qa(answer, references) if references else None)
    if rubric == "huproverbrea_oe":
        references = _references(doc.get("reference"))
        return _verdict(rubric, _same_meaning(answer, references) if references else None)
    name = "HuWildBench" if rubric == "huwildbench" else rubric
    return Verdict(judge=JUDGE, rubric=lexical_rubric(rubric), error=f"lexical cannot score {name}")


def _simple_qa(answer: str, references: Sequence[str]) -> str:
    if any(_contains(answer, reference) for reference in references):
        return "CORRECT"
    is_empty = answer in _EMPTY_ANSWERS or _NO_ANSWER.search(answer)
    return "NOT_ATTEMPTED" if is_empty else "INCORRECT"


def _same_meaning(answer: str, references: Sequence[str]) -> str:
    likeness = max(fuzz.token_set_ratio(answer, reference) for reference in references)
    return "YES" if likeness >= MEANING_LIKE else "NO"


def _contains(answer: str, reference: str) -> bool:
    """Whether every word of the reference begins a word of the answer: Hungarian glues case endings to its words.

    Slips are let pass in longer words. A number must be the same: 1526 is not 1562.
    """
    words = set(answer.split())
    return all(_has_word(words, word) for word in reference.split())


def _has_word(words: set[str], word: str) -> bool:
    if word in words:
        return True
    if len(word) < 3 or any(c.isdigit() for c in word):
        return False
    beginnings = {w[: len(word)] for w in words}
    return process.extractOne(word, beginnings, scorer=fuzz.ratio, score_cutoff=WORD_LIKE) is not None


def _answer_text(response: str) -> str:
    """The answer in a response, folded; the whole text when it is not in the form that the prompt asks for."""
    found = find_answer(response)
    if found is None:
        return "" if _NULL_ANSWER.search(response) else _fold(response)
    parts = found if isinstance(found, list) else [found]
    return _fold(" ".join(str(part) for part in parts))


def _references(value: Any) -> list[str]:
    """The folded reference answers; those without a letter or digit are none."""
    values = value if isinstance(value, (list, tuple)) else [value]
    return [folded for item in values if item is not None and (folded := _fold(str(item)))]


def _fold(text: str) -> str:
    """Words in lower case without accents and punctuation: endings change vowels (alma, almát)."""
    plain = unicodedata.normalize("NFKD", stream_safe(text).casefold())
    letters = "".join(" " if not c.isalnum() else c for c in plain if not unicodedata.combining(c))
    return " ".join(letters.split())


def _verdict(rubric: str, label: str | None) -> Verdict:
    error = None if label else "lexical: the document has no reference answer"
    return Verdict(label=label, judge=JUDGE, rubric=lexical_rubric(rubric), error=error)


def lexical_rubric(rubric: str) -> str:
    """What verdicts of this judge name as their rubric."""
    return f"{rubric}/{JUDGE}-{VERSION}"

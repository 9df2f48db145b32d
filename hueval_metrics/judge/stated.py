"""Where a reasoning trace states a short answer, found by words alone: that of the response, or the right one.

It is approximate as the lexical judge is, whose rules of a language it uses: a sentence that has all words of an answer
and does not doubt, deny or ask it counts as a statement. Answers that are neither of the two are not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from hueval_metrics.answers.json_answer import answer_text
from hueval_metrics.answers.stated import WHOLE, Stated, Statement
from hueval_metrics.answers.statements.sentences import is_asserted, sentences
from hueval_metrics.answers.statements.signs import echoes, lowered
from hueval_metrics.judge.lexical import answer_words, contains, is_no_answer, reference_words
from hueval_metrics.text import unspaced

_WORD = re.compile(r"\w+")
_COMPOUND = re.compile(r"(?:\w+-)+\Z")  # what precedes a word without a space
_LONGEST = 40  # characters of that
_MOST_WORDS = 4  # of an answer; of a longer one, which is a sentence, names and numbers are looked for
_ENDING, _STEM = 3, 3  # letters of a word that may change, and that stay


def stated_answers(question: str, references: Any, trace: str, response: str, language: str | None = None) -> Stated:
    """The statements of the answer to a short question.

    Args:
        question: the question; its words are no part of an answer, and no statement where it is repeated.
        references: the right answer, or several.
        trace: any text.
        response: the part of the response that answers, as text or as the JSON that the prompt asks for.
        language: of the answers, for `lexical.contains`.

    >>> said = "Talán Szeged? Nem, Mohácsnál volt. Vagyis Mohács."
    >>> [found.start for found in stated_answers("Hol volt?", "Mohács", said, "Mohácsnál").statements]
    [19, 42]
    """
    given = references if isinstance(references, (list, tuple)) else [references]
    right = [str(text) for text in given if text is not None and reference_words(text, language)]
    answer = answer_words(response, language)
    is_right = any(contains(answer, folded, language) for folded in reference_words(right, language))
    own = "" if is_right or is_no_answer(answer, language) else _own_words(answer_text(response), question, language)
    final = right[0] if is_right else own or None
    looked_for = [(text, right[0]) for text in right] + ([(own, own)] if own else [])
    repeated = echoes(trace, [question])
    low = lowered(trace)
    found: dict[tuple[int, str], Statement] = {}
    for text, value in looked_for:
        for start, at in _mentions(trace, low, text, language):
            if not any(a <= at < b for a, b in repeated):
                found.setdefault((start, value), Statement(WHOLE, at, value))
    rights = frozenset(right[:1])
    return Stated(sorted(found.values(), key=lambda one: one.start), {WHOLE: final}, {WHOLE: rights}, approximate=True)


def _mentions(trace: str, low: str, text: str, language: str | None) -> Iterator[tuple[int, int]]:
    """The start of each sentence that asserts an answer, and where its longest word or the compound with it is."""
    words = reference_words(text, language)
    anchor = _anchor(text, language)
    hits = [found.span() for found in re.finditer(anchor, low)] if anchor and words else []
    for start, end, first, last in sentences(trace, hits):
        if not contains(_folded(trace[start:end], language), words[0], language):
            continue
        for hit, behind in hits[first:last]:
            if is_asserted(low[start:end], hit - start, behind - start):
                before = _COMPOUND.search(low[max(start, hit - _LONGEST) : hit])
                yield start, hit - len(before[0] if before else "")
                break


def _folded(sentence: str, language: str | None) -> str:
    return next(iter(reference_words(sentence, language)), "")


def _anchor(text: str, language: str | None) -> str | None:
    """A pattern of the beginning of a text's longest word, by which sentences are found that may have the text."""
    words = _WORD.findall(lowered(text))
    word = max(words, key=len, default="")
    if not word:
        return None
    if language in unspaced.LANGUAGES:
        return re.escape(word)
    if len(word) <= _STEM or any(map(str.isdigit, word)):
        return rf"(?<!\w){re.escape(word)}\w*"
    return rf"{re.escape(word[: max(_STEM, len(word) - _ENDING)])}\w*"


def _own_words(answer: str, question: str, language: str | None) -> str:
    """The words of an answer that the question has not; of a long one its names and numbers. Empty if none are left."""
    asked = [word.casefold() for word in _WORD.findall(question)]
    every = [*dict.fromkeys(_WORD.findall(answer))]
    words = [word for word in every if not _is_among(word.casefold(), asked)]
    if len(words) > _MOST_WORDS:
        inside = words[words[0] == every[0] :]  # the first word has a capital in any case
        words = [word for word in inside if word != word.lower() or any(map(str.isdigit, word))][:_MOST_WORDS]
    return " ".join(words) if reference_words(" ".join(words), language) else ""


def _is_among(word: str, others: Sequence[str]) -> bool:
    return any(word == other or (len(other) > _STEM and word.startswith(other)) for other in others)

"""Fill in the blank: HuMatchingFIB and HuStandardFIB by the paper's definition (OpenHuEval §2.5, Eq. 1).

Blank level: right blanks over all blanks, pooled over questions. Question level: every blank of a question is right.
The public reference scorer counts differently; `fib_reference` reproduces it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from hueval_metrics.answers.blanks.blank import Blank, split_mark
from hueval_metrics.answers.blanks.options import option_texts, read_option
from hueval_metrics.answers.blanks.parse import align
from hueval_metrics.answers.blanks.words import read_words
from hueval_metrics.answers.marked import Part
from lm_eval_tasks.openhueval.family import FAMILY

# §2.5 has "a predefined threshold"; its value, and rounding the ratio first, are from the reference scorer.
SIMILARITY_THRESHOLD = 70
_MARK = re.compile(r"#\s*(\d+)\s*#")
_LIST_LETTER = re.compile(r"\A\s*\(?[A-Z]\)")  # 12 gold answers start with the letter of their line: "(A)Hamarfy"


@dataclass(frozen=True, slots=True)
class FibScore:
    """The blanks of one fill-in-the-blank question.

    Attributes:
        correct: number of right blanks. Under the reference protocol of HuStandardFIB it can exceed `total`.
        total: number of blanks.
        complete: whether the whole question counts as right.
    """

    correct: int
    total: int
    complete: bool


def matching_blanks(
    blanks: Sequence[Blank] | None, gold: Sequence[str], options: Sequence[str], question: str
) -> list[bool]:
    """Which blanks of a HuMatchingFIB question are right.

    Args:
        blanks: what the model filled in; None when its reply had no readable answer.
        gold: the answers, such as `#0#F`.
        options: the options, such as `F.populációnak`.
        question: the text with its `#n#` marks.

    Returns:
        One bool per gold answer, in gold's order.
    """
    texts = option_texts(options)
    marks = [split_mark(answer) for answer in gold]
    return [
        filled is not None and mark.text.upper() in read_option(filled, texts, FAMILY.key)
        for filled, mark in zip(aligned(blanks, marks, question), marks, strict=True)
    ]


def standard_blanks(blanks: Sequence[Blank] | None, gold: Sequence[str], question: str) -> list[bool]:
    """Which blanks of a HuStandardFIB question are right: similar enough to any of the gold alternatives.

    Args:
        blanks: what the model filled in; None when its reply had no readable answer.
        gold: the answers, such as `#0#menlevéllel;menlevél`; alternatives are separated by semicolons.
        question: all questions of the item joined, with their `#n#` marks.

    Returns:
        One bool per gold answer, in gold's order.
    """
    marks = [split_mark(answer) for answer in gold]
    return [
        filled is not None and matches(filled, mark.text)
        for filled, mark in zip(aligned(blanks, marks, question), marks, strict=True)
    ]


def matching_parts(
    blanks: Sequence[Blank] | None, gold: Sequence[str], options: Sequence[str], question: str
) -> tuple[Part, ...]:
    """The blanks of a HuMatchingFIB question with the options that were wanted and chosen.

    >>> matching_parts([Blank(0, "b")], ["#0#A"], ["A.ma", "B.tegnap"], "Itt #0#.")
    (Part(mark='#0#', accepted=('A. ma',), given='B. tegnap', right=False),)
    """
    texts = option_texts(options)
    marks = [split_mark(answer) for answer in gold]

    def named(letter: str) -> str:
        return f"{letter}. {texts[letter]}" if letter in texts else letter

    def chosen(filled: str | None) -> str | None:
        letters = read_option(filled, texts, FAMILY.key) if filled else frozenset()
        return named(min(letters)) if len(letters) == 1 else filled

    accepted = [(named(mark.text.upper()),) for mark in marks]
    given = [chosen(filled) for filled in aligned(blanks, marks, question)]
    return _parts(marks, accepted, given, matching_blanks(blanks, gold, options, question), question)


def standard_parts(blanks: Sequence[Blank] | None, gold: Sequence[str], question: str) -> tuple[Part, ...]:
    """The blanks of a HuStandardFIB question with the words that were wanted and given.

    >>> standard_parts([Blank(0, "Pest")], ["#0#(A)Buda;budai"], "Itt #0#.")
    (Part(mark='#0#', accepted=('Buda', 'budai'), given='Pest', right=False),)
    """
    marks = [split_mark(answer) for answer in gold]
    accepted = [tuple(_LIST_LETTER.sub("", text, count=1).strip() for text in mark.text.split(";")) for mark in marks]
    return _parts(marks, accepted, aligned(blanks, marks, question), standard_blanks(blanks, gold, question), question)


def fib_score(blanks: Sequence[bool]) -> FibScore:
    """Sum up the blanks of one question.

    >>> fib_score([True, False])
    FibScore(correct=1, total=2, complete=False)
    """
    return FibScore(sum(blanks), len(blanks), bool(blanks) and all(blanks))


def aligned(blanks: Sequence[Blank] | None, marks: Sequence[Blank], question: str) -> list[str | None]:
    """What fills each gold blank; None for a blank that is not filled.

    Args:
        blanks: what the model filled in; None when its reply had no readable answer.
        marks: the gold answers, split into id and text.
        question: the text with its `#n#` marks.
    """
    question_ids = [int(n) for n in _MARK.findall(question)]
    return align(blanks or (), [mark.id for mark in marks], question_ids)


def question_marks(marks: Sequence[Blank], question: str) -> list[str]:
    """The mark of each gold blank in the question; in order, where gold's ids are not those of the question.

    >>> question_marks([Blank(1, "A"), Blank(2, "B")], "Itt #0# és ott #1#.")
    ['#0#', '#1#']
    """
    found = [*_MARK.finditer(question)]
    by_id = {int(match[1]): match[0] for match in found}
    in_order = [match[0] for match in found[: len(marks)]] + [""] * (len(marks) - len(found))
    has_ids = all(mark.id in by_id for mark in marks)
    return [by_id[mark.id] for mark in marks if mark.id is not None] if has_ids else in_order


def similarity(a: str, b: str) -> int:
    """The indel ratio of two strings, 0–100, rounded to an integer as in the reference; 0 if one is empty.

    >>> similarity("menlevél", "menlevéllel")
    84
    """
    return round(fuzz.ratio(a, b)) if a and b else 0


def _parts(
    marks: Sequence[Blank],
    accepted: Sequence[tuple[str, ...]],
    given: Sequence[str | None],
    right: Sequence[bool],
    question: str,
) -> tuple[Part, ...]:
    """The parts in gold's order."""
    texts = question_marks(marks, question)
    return tuple(Part(*part) for part in zip(texts, accepted, given, right, strict=True))


def matches(filled: str, gold: str) -> bool:
    """Whether a filled blank is right.

    The paper compares the whole text. In addition, an answer that repeats gold's list of alternatives is right; an
    answer that lists guesses is right only if each guess is, so that guessing does not pay. An answer that is negated
    or called wrong is rejected before the comparison: "nem adna" is 73 % similar to "adna".
    """
    texts = {FAMILY.key(text) for text in gold.split(";")}
    texts |= {FAMILY.key(_LIST_LETTER.sub("", text, count=1)) for text in gold.split(";")}
    texts.discard("")
    given = [key for key in map(FAMILY.key, filled.split(";")) if key]
    if given and (FAMILY.key(filled) in texts or texts.issuperset(given)):
        return True
    last = read_words(filled)
    if last is None:
        return False
    parts = [key for key in map(FAMILY.key, last.split(";")) if key]
    return _similar_to_any(FAMILY.key(last), texts) or (
        bool(parts) and all(_similar_to_any(part, texts) for part in parts)
    )


def _similar_to_any(key: str, texts: set[str]) -> bool:
    return any(similarity(key, text) > SIMILARITY_THRESHOLD for text in texts)

"""What `hueval data check` reports on OpenHuEval's fill-in-the-blank rows, beside what it reports on any data set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hf_datasets.repo import Row

_MARK = re.compile(r"#(\d+)#")
_GOLD_MARK = re.compile(r"#(\d+)#?")  # in one published row the second # is missing
_LETTER = re.compile(r"([A-Z]{1,2})\.")


def blank_faults(config: str, split: str, row: Row) -> Iterator[str]:
    """What may keep a right answer from being scored as such.

    >>> row = {"question": "A #0# vize", "options": ["A.Duna", "A.Tisza"], "answer": ["#1#B"]}
    >>> list(blank_faults("humatchingfib", "test", row))
    ['blank numbers differ between gold and the question', 'duplicate option letters', 'gold letter without an option']
    """
    if config == "humatchingfib":
        yield from _number_faults([row["question"]], row["answer"])
        yield from _letter_faults(row["options"], row["answer"])
        yield from _translation_faults(row, "question", row["answer"])
    elif config == "hustandardfib":
        yield from _number_faults(row["questions"], row["answers"])
        yield from _translation_faults(row, "questions", row["answers"])


def gold_in_text(config: str, split: str, row: Row) -> Iterator[str]:
    """Gold words of HuStandardFIB that can be read off; some exercises offer their words, so it may be meant.

    >>> row = {"instruction": "Írd be: Tisza, Duna!", "questions": ["Szeged: #0#"], "answers": ["#0#tisza"]}
    >>> list(gold_in_text("hustandardfib", "test", row))
    ['gold answer given away by the question or the instruction']
    """
    from hf_datasets.checks.texts import folded, gives_away  # its tables take 20 ms, which every task would wait for

    if config == "hustandardfib":
        text = folded(" ".join([row["instruction"], *row["questions"]]))
        gold = (word for answer in row["answers"] for word in _GOLD_MARK.sub("", answer, count=1).split(";"))
        if any(gives_away(text, folded(word)) for word in gold):
            yield "gold answer given away by the question or the instruction"


def _number_faults(texts: Sequence[str], gold: Sequence[str]) -> Iterator[str]:
    marks = [mark for text in texts for mark in _MARK.findall(text)]
    numbers = _numbers(gold)
    if not marks:
        yield "no blank is marked in the question"
    elif set(marks) != set(numbers):
        yield "blank numbers differ between gold and the question"
    elif marks != numbers:
        yield "blank numbers out of order in gold or question"


def _translation_faults(row: Row, field: str, gold: Sequence[str]) -> Iterator[str]:
    """The same of the English and Chinese texts, where another order of the blanks is no fault."""
    for twin in (f"{field}_en", f"{field}_zh"):
        if text := row.get(twin):
            marks = _MARK.findall(text if isinstance(text, str) else "\n".join(text))
            if not marks:
                yield f'no blank is marked in "{twin}"'
            elif set(marks) != set(_numbers(gold)):
                yield f'blank numbers differ between gold and "{twin}"'


def _numbers(gold: Sequence[str]) -> list[str]:
    return [match[1] for answer in gold if (match := _GOLD_MARK.match(answer))]


def _letter_faults(options: Sequence[str], gold: Sequence[str]) -> Iterator[str]:
    letters = [match[1] for option in options if (match := _LETTER.match(option))]
    if len(letters) < len(options):
        yield "option without a letter"
    if len(set(letters)) < len(letters):
        yield "duplicate option letters"
    if any(answer.rpartition("#")[2] not in letters for answer in gold):
        yield "gold letter without an option"

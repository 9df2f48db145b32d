"""Cut the text that base models write around an answer: the prompt again before it, an invented next task after it.

A reply is cut where the text of the prompt begins again. The fixed lines of the prompt's templates identify it, since
an invented task has other values. If a reply begins with the prompt, the text behind the repetition is the answer,
unless the repeated prompt has other values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from hueval_metrics.answers.reading import Span

_DISTINCTIVE = 25  # characters; nobody writes a sentence of this length by chance
_COMPARED = 40  # characters, as models shorten the end of a long sentence, and generation may stop inside it
_PLACEHOLDER = re.compile(r"\{[a-z_0-9]+\}")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-ZÁÉÍÓÖŐÚÜŰ])")
_DECORATION = ' \t*_>|"'
_CUE = re.compile(r"(?:[^\W\d_]+ ){0,2}(?:answers?|válasz(?:ok)?)(?: (?:is|are))?:", re.IGNORECASE)
_ANSWER_KEY = re.compile(r'"(?:answer|confidence)')
_BRACKETS = re.compile(r"[{}\[\],`]*(?:json)?")
# Special tokens of chat templates, with the role that may follow.
_TURN = re.compile(
    r"(?:<\|(?:im_start|im_end|eot_id|eom_id|end|endoftext|end_of_text|begin_of_text|user|assistant|system)\|>"
    r"|<\|start_header_id\|>|<\|end_header_id\|>|<(?:start|end)_of_turn>|</s>(?=\s*(?:<s>|\[INST\]|\n|\Z))|<[be]os>|\[/?INST\])"
    r"[ \t]*(?P<role>(?:user|assistant|system|model)(?:<\|end_header_id\|>|[ \t]*(?=\n|\Z)))?"
)
_TURN_ROW = "\0turn\0"  # replaces such a token, on a line of its own
# "Question" in further languages of benchmarks.
_QUESTION = (
    *("otázka", "питање", "pitanje", "вопрос", "问题", "問題", "问", "問", "질문", "문제", "คำถาม", "السؤال", "سؤال"),
    "câu hỏi",
)
# Headings of a turn in templates without special tokens. An invented prompt is cut there, too.
_HEADING = re.compile(
    r"(?:#{2,4}\s{0,3}(?:instruction|input|user|human|question|kérdés|feladat|utasítás)\b"
    rf"|(?:user|human|question|q|felhasználó|kérdés|{'|'.join(_QUESTION)})\s?[:：])",
    re.IGNORECASE,
)


def answered_part(response: str, lines: Sequence[str] = (), values: Iterable[str] = ()) -> str:
    """The part of a response that answers the prompt.

    Args:
        response: the reply without its reasoning trace; any text.
        lines: the fixed lines of the task's templates, with placeholders in braces.
        values: the values of this prompt's placeholders, to distinguish it from an invented one.

    Returns:
        The text before the prompt begins again, or behind a repetition at the beginning of the response; the response
        itself if nothing is repeated; empty if there is only the prompt.

    >>> lines = ("Name the capital, and nothing else.", "Country: {country}", "Your answer:")
    >>> answered_part("Bécs\\nName the capital, and nothing else.\\nCountry: Italy\\nYour answer: Róma", lines)
    'Bécs'
    """
    span = cut(response, lines, values)
    return response[span.start : span.end]


def cut(response: str, lines: Sequence[str] = (), values: Iterable[str] = ()) -> Span:
    """The range of a response that answers the prompt, for readers, whose spans hold in the response.

    Args:
        response, lines, values: see `answered_part`.

    Returns:
        The range, without white space around it where something is cut off; an empty one if nothing answers.
    """
    known = _known(tuple(lines))
    rows, places = _rows(response)
    begins = _begins(rows, known)
    if not begins:
        return Span(0, len(response))
    own = {_key(line) for value in values for line in value.splitlines()} - {""}
    first = begins[0]
    if any(not known.is_repeated(row, own) for row in rows[:first]):
        return _stripped(response, 0, places[first - 1].end)
    start = _after_repetition(rows, first, known, own)
    end = next((begin for begin in begins if begin > start), len(rows))
    if end == len(rows) and all(rows[begin] == _TURN_ROW for begin in begins):
        return Span(0, len(response))  # special tokens alone do not repeat a prompt
    while start < end and rows[start] == _TURN_ROW:
        start += 1
    if start >= end:
        return Span(len(response), len(response))
    return _stripped(response, places[start].start, places[end - 1].end)


def _rows(response: str) -> tuple[list[str], list[Span]]:
    """The lines of a response, a special token a line of its own, and where each is in it."""
    rows: list[str] = []
    places: list[Span] = []
    done = 0
    for token in (*_TURN.finditer(response), None):
        end = token.start() if token else len(response)
        for row in response[done:end].split("\n"):
            rows.append(row)
            places.append(Span(done, done + len(row)))
            done += len(row) + 1
        if token:
            rows.append(_TURN_ROW)
            places.append(Span(*token.span()))
            done = token.end()
    return rows, places


def _stripped(response: str, start: int, end: int) -> Span:
    part = response[start:end]
    start += len(part) - len(part.lstrip())
    return Span(start, start + len(part.strip()))


class _Known:
    """The fixed text of a task's templates, normalised for comparison."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        beginnings: set[str] = set()
        self.short: set[str] = set()  # short lines; two in a row begin a prompt
        self.labels: set[str] = set()  # the text before a value
        self.whole = {_key(line) for line in lines if not _PLACEHOLDER.search(line)}
        for line in map(str.strip, lines):
            label, *values = _PLACEHOLDER.split(line, maxsplit=1)
            if values and len(label) < _DISTINCTIVE:
                self.labels |= {_key(label)} - {""}
                continue
            # A line of JSON is not split. The line of the example's answer is skipped: it may also be the answer.
            sentences = [line] * (not _ANSWER_KEY.match(line)) if line[0] == '"' else _SENTENCE.split(line)
            for sentence in sentences:
                key = _key(_PLACEHOLDER.split(sentence)[0])
                if len(key) >= _DISTINCTIVE:
                    beginnings.add(key[:_COMPARED])
                elif key and not _CUE.fullmatch(key) and not _BRACKETS.fullmatch(key):
                    self.short.add(key)
        self.sentences = tuple(beginnings)  # of sentences that begin a prompt wherever they occur

    def is_heading(self, row: str) -> bool:
        """Whether a line begins another turn; never in a task without a template, whose answers may have headings."""
        return bool(self.sentences and _HEADING.match(row.strip(_DECORATION)))

    def is_repeated(self, row: str, own: set[str]) -> bool:
        """Whether a line consists of text of this prompt."""
        key = _key(row)
        if key in ("", _TURN_ROW) or key in self.short or key in own or key.startswith(self.sentences):
            return True
        if _CUE.fullmatch(key) or _BRACKETS.fullmatch(key):
            return True
        label = self.label_of(key)
        return bool(label) and _key(key[len(label) :].strip('", ')) in own | {""}

    def label_of(self, key: str) -> str:
        """The label before a value at the beginning of a line; empty if there is none."""
        return next((label for label in self.labels if key.startswith(label)), "")


_known = lru_cache(maxsize=64)(_Known)


def _begins(rows: Sequence[str], known: _Known) -> list[int]:
    """The indices of the lines at which a prompt begins, in order."""
    found: list[int] = []
    keys = [_key(row) for row in rows]
    following = ""  # the next non-empty line
    for place in range(len(rows) - 1, -1, -1):
        key = keys[place]
        if not key:
            continue
        in_a_row = key in known.short and (
            following in known.short or bool(_CUE.match(following)) or following in ("{", _TURN_ROW)
        )
        if key == _TURN_ROW or in_a_row or key.startswith(known.sentences) or known.is_heading(rows[place]):
            found.append(place)
        following = key
    return found[::-1]


def _after_repetition(rows: Sequence[str], first: int, known: _Known, own: set[str]) -> int:
    """The index of the line at which the answer starts, behind a repeated prompt at the beginning of the response."""
    is_over = False  # a cue ends the prompt; behind it the text of an option is an answer
    bracket: int | None = None  # the line of an opening bracket that may belong to the answer
    is_form = False  # inside the prompt's own JSON form, which is not an answer
    for place in range(first, len(rows)):
        key, row = _key(rows[place]), rows[place].strip()
        is_form = (is_form and row[:1] in ('"', "")) or (key in known.whole and bool(_ANSWER_KEY.match(row)))
        if is_form:
            bracket = None
            continue
        if _BRACKETS.fullmatch(key):
            if key:
                bracket = None if key[0] in "}]" else place if bracket is None else bracket
            continue
        label = known.label_of(key)
        if _CUE.fullmatch(key):
            is_over = True
        elif key in known.whole or key.startswith(known.sentences) or known.is_heading(rows[place]):
            is_over = False
        elif label and not known.is_repeated(rows[place], own):
            return len(rows)  # the value, and the answer to it, belong to another prompt
        elif label or (not is_over and known.is_repeated(rows[place], own)):
            is_over = False
        elif place == len(rows) - 1 and any(whole.startswith(key) for whole in known.whole):
            break  # generation stopped inside a line of the prompt
        else:
            return place if bracket is None else bracket
        bracket = None
    return len(rows)


def _key(line: str) -> str:
    return " ".join(line.strip(_DECORATION).casefold().split())

"""Cut what a base model writes around its answer: the prompt repeated before it, and the next task invented after it.

A reply is cut where the prompt's own text begins again. It is recognised by the fixed lines of the prompt's templates,
since what is filled into them differs in an invented task. Where a reply opens with the prompt, what follows the
repeated part counts, as far as it repeats this prompt and no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_TELLING = 25  # characters of a sentence that nobody writes by chance
_COMPARED = 40  # characters: models shorten the end of a long sentence, and generation may stop within it
_PLACEHOLDER = re.compile(r"\{[a-z_0-9]+\}")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-ZÁÉÍÓÖŐÚÜŰ])")
_DECORATION = ' \t*_>|"'
_CUE = re.compile(r"(?:[^\W\d_]+ ){0,2}(?:answers?|válasz(?:ok)?)(?: (?:is|are))?:", re.IGNORECASE)
_ANSWER_KEY = re.compile(r'"(?:answer|confidence)')
_BRACKETS = re.compile(r"[{}\[\],`]*(?:json)?")
# Special tokens of chat templates, with the role that some of them carry.
_TURN = re.compile(
    r"(?:<\|(?:im_start|im_end|eot_id|eom_id|end|endoftext|end_of_text|begin_of_text|user|assistant|system)\|>"
    r"|<\|start_header_id\|>|<\|end_header_id\|>|<(?:start|end)_of_turn>|</s>(?=\s*(?:<s>|\[INST\]|\n|\Z))|<[be]os>|\[/?INST\])"
    r"[ \t]*(?P<role>(?:user|assistant|system|model)(?:<\|end_header_id\|>|[ \t]*(?=\n|\Z)))?"
)
_TURN_ROW = "\0turn\0"  # stands for them in a line of its own
# Headings of a turn that templates without special tokens write. A prompt that has one of its own is cut there, too.
_HEADING = re.compile(
    r"(?:#{2,4}\s{0,3}(?:instruction|input|user|human|question|kérdés|feladat|utasítás)\b"
    r"|(?:user|human|question|q|felhasználó|kérdés)\s?:)",
    re.IGNORECASE,
)


def answered_part(response: str, lines: Sequence[str] = (), values: Iterable[str] = ()) -> str:
    """The part of a response that answers the prompt.

    Args:
        response: the reply without its reasoning trace; any text.
        lines: the fixed lines of the task's templates, placeholders in braces.
        values: what this prompt has in their place, to tell it from an invented one.

    Returns:
        What stands before the prompt begins again, or after a repetition that opens the response; the response itself
        where nothing is repeated; empty where nothing but the prompt is.

    >>> lines = ("Name the capital, and nothing else.", "Country: {country}", "Your answer:")
    >>> answered_part("Bécs\\nName the capital, and nothing else.\\nCountry: Italy\\nYour answer: Róma", lines)
    'Bécs'
    """
    known = _known(tuple(lines))
    rows = _TURN.sub(f"\n{_TURN_ROW}\n", response).split("\n")
    begins = _begins(rows, known)
    if not begins:
        return response
    own = {_key(line) for value in values for line in value.splitlines()} - {""}
    first = begins[0]
    if any(not known.is_repeated(row, own) for row in rows[:first]):
        return "\n".join(rows[:first]).strip()
    start = _after_repetition(rows, first, known, own)
    end = next((begin for begin in begins if begin > start), len(rows))
    if end == len(rows) and all(rows[begin] == _TURN_ROW for begin in begins):
        return response  # special tokens alone repeat no prompt
    return "\n".join(row for row in rows[start:end] if row != _TURN_ROW).strip()


class _Known:
    """The fixed text of a task's templates, in the form in which lines are compared."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.telling: set[str] = set()  # sentences that begin a prompt wherever they stand
        self.short: set[str] = set()  # labels: two in a row do
        self.labels: set[str] = set()  # what stands before a value
        self.whole = {_key(line) for line in lines if not _PLACEHOLDER.search(line)}
        for line in map(str.strip, lines):
            label, *values = _PLACEHOLDER.split(line, maxsplit=1)
            if values and len(label) < _TELLING:
                self.labels |= {_key(label)} - {""}
                continue
            # A line of JSON is one piece. That of the example's answer may also be the answer.
            sentences = [line] * (not _ANSWER_KEY.match(line)) if line[0] == '"' else _SENTENCE.split(line)
            for sentence in sentences:
                key = _key(_PLACEHOLDER.split(sentence)[0])
                if len(key) >= _TELLING:
                    self.telling.add(key[:_COMPARED])
                elif key and not _CUE.fullmatch(key) and not _BRACKETS.fullmatch(key):
                    self.short.add(key)

    def is_telling(self, key: str) -> bool:
        """Whether a line begins with a sentence of the prompt, or is one cut short."""
        return len(key) >= _TELLING and (
            key[:_COMPARED] in self.telling
            or any(key.startswith(t) for t in self.telling if len(t) < _COMPARED and t[:_TELLING] == key[:_TELLING])
        )

    def is_heading(self, row: str) -> bool:
        """Whether a line opens another turn; not in a task without a template, whose answers have headings too."""
        return bool(self.telling and _HEADING.match(row.strip(_DECORATION)))

    def is_repeated(self, row: str, own: set[str]) -> bool:
        """Whether a line holds nothing but text of this prompt."""
        key = _key(row)
        if key in ("", _TURN_ROW) or key in self.short or key in own or self.is_telling(key):
            return True
        if _CUE.fullmatch(key) or _BRACKETS.fullmatch(key):
            return True
        label = self.label_of(key)
        return bool(label) and _key(key[len(label) :].strip('", ')) in own | {""}

    def label_of(self, key: str) -> str:
        """The label of a value that a line begins with; empty without one."""
        return next((label for label in self.labels if key.startswith(label)), "")


@lru_cache(maxsize=64)
def _known(lines: tuple[str, ...]) -> _Known:
    return _Known(lines)


def _begins(rows: Sequence[str], known: _Known) -> list[int]:
    """The lines at which a prompt begins, in order."""
    found: list[int] = []
    keys = [_key(row) for row in rows]
    following = ""  # the next line that is not empty
    for place in range(len(rows) - 1, -1, -1):
        key = keys[place]
        if not key:
            continue
        in_a_row = key in known.short and (
            following in known.short or bool(_CUE.match(following)) or following in ("{", _TURN_ROW)
        )
        if key == _TURN_ROW or in_a_row or known.is_telling(key) or known.is_heading(rows[place]):
            found.append(place)
        following = key
    return found[::-1]


def _after_repetition(rows: Sequence[str], first: int, known: _Known, own: set[str]) -> int:
    """The line at which the answer starts after a repetition that opens the response."""
    is_over = False  # a cue ends the prompt: from there on an option's own text is an answer
    bracket: int | None = None  # where an object opened that may be the answer's
    is_form = False  # the object is the prompt's own form, left as it was: what else it holds is no answer
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
        elif key in known.whole or known.is_telling(key) or known.is_heading(rows[place]):
            is_over = False
        elif label and not known.is_repeated(rows[place], own):
            return len(rows)  # the value is another prompt's, and so is what answers it
        elif label or (not is_over and known.is_repeated(rows[place], own)):
            is_over = False
        elif place == len(rows) - 1 and any(whole.startswith(key) for whole in known.whole):
            break  # generation stopped within a line of the prompt
        else:
            return place if bracket is None else bracket
        bracket = None
    return len(rows)


def _key(line: str) -> str:
    return " ".join(line.strip(_DECORATION).casefold().split())

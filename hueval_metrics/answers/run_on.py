"""Cut the text that base models write around an answer: the prompt again before it, an invented next task after it.

A reply is cut where the text of a prompt begins again: at a chat turn, at the fixed sentences of the task's templates,
at a heading of a turn, and at an input label of the templates whose value is not this item's. What repeats the prompt
at the beginning is skipped, unless its values are not this item's: an invented item holds no answer of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hueval_metrics.answers.prompt_text import (
    COMPARED,
    JSON_KEY,
    Templates,
    Values,
    answers,
    has_letter,
    is_cue,
    is_heading,
    is_judged,
    is_title,
    key_of,
    letters_of,
    n_words,
    templates,
    unnumbered,
)
from hueval_metrics.answers.reading import Span

_KEY = re.compile(r'"(\w+)"\s*:')  # white space before it would be read again from each of its characters
_OPENS = re.compile(r"\s*(?:[\[{,]|```)[\[{,`]*(?:json)?\s*\Z")
_LISTED = 16  # lines that a list of candidates may have
# Special tokens of chat templates with the role that may follow, and a role alone on its line, as decoding leaves it.
_TURN = re.compile(
    r"(?:<\|(?:im_start|im_end|im_sep|eot_id|eom_id|end|return|endoftext|end_of_text|begin_of_text|role_end|user"
    r"|assistant|system)\|>|<\|start_header_id\|>|<\|end_header_id\|>|<(?:start|end)_of_turn>|\[e~\[|\]~b\]"
    r"|</s>(?=\s*(?:<s>|\[INST\]|\n|\Z))|<[be]os>|\[/?INST\])"
    r"[ \t]*(?:(?:user|assistant|system|model)(?:<\|end_header_id\|>|[ \t]*(?=\n|\Z)))?"
    r"|(?<=\n)(?:user|assistant)[ \t]*(?=\n|\Z)"
)
_OTHERS, _OWN = re.compile(r"user|system|\[INST"), re.compile(r"assistant|model|/INST")  # whose turn begins


def answered_part(
    response: str,
    lines: Sequence[str] = (),
    values: Iterable[str] = (),
    candidates: Sequence[str] = (),
    prompt: str = "",
) -> str:
    """The part of a response that answers the prompt.

    Args:
        response: the reply without its reasoning trace; any text.
        lines: the lines of the task's templates, with placeholders in braces, an empty one between templates.
        values: the values of this prompt's placeholders, to distinguish it from an invented one.
        candidates: those of them by which a reply may answer, in the prompt's order.
        prompt: the whole prompt, where it has more than these, such as examples.

    Returns:
        The text before the prompt begins again, or behind a repetition at the beginning of the response; the response
        itself if nothing is repeated; empty if there is only the prompt, or an invented one.

    >>> lines = ("Name the capital, and nothing else.", "Country: {country}", "Your answer:")
    >>> answered_part("Bécs\\nName the capital, and nothing else.\\nCountry: Italy\\nYour answer: Róma", lines)
    'Bécs'
    >>> answered_part("Country: Italy\\nYour answer: Róma", lines, ["Austria"])
    ''
    """
    span = cut(response, lines, values, candidates, prompt)
    return response[span.start : span.end]


def cut(
    response: str,
    lines: Sequence[str] = (),
    values: Iterable[str] = (),
    candidates: Sequence[str] = (),
    prompt: str = "",
) -> Span:
    """The range of a response that answers the prompt, for readers, whose spans hold in the response.

    Args:
        response, lines, values, candidates, prompt: see `answered_part`.

    Returns:
        The range, without white space around it where something is cut off; an empty one if nothing answers.
    """
    if any("\n" in one and letters_of(key_of(one)) == letters_of(key_of(response)) for one in candidates):
        return Span(0, len(response))  # a candidate of several lines, whole
    nothing = Span(len(response), len(response))
    whole = re.match(rf"(?:\s*{re.escape(prompt)})+", response) if prompt and prompt in response else None
    behind = whole.end() if whole else 0
    rows = [*_rows(response, behind)]
    known = templates(tuple(lines))
    read = _Lines(rows, known, Values(known, values, candidates))
    kinds = read.kinds
    if not any(kinds):
        return Span(behind, len(response))  # marks alone repeat nothing
    repeated = next((at for at, kind in enumerate(kinds) if kind in ("prompt", "own")), len(rows))
    begins = ((at, kind) for at, kind in enumerate(kinds) if kind not in ("", "prompt", "own"))
    start = next((at for at, kind in begins if kind != "form" or at < repeated), len(rows))
    end = next((at for at in range(start, len(rows)) if kinds[at] in ("prompt", "foreign")), len(rows))
    last = read.begin(end)
    if last <= start:
        return nothing
    first = start if repeated < start else 0
    while first and _OPENS.match(rows[first - 1].raw):
        first -= 1  # brackets and fences that open the answer
    while last > start + 1 and (kinds[last - 1] == "own" or not rows[last - 1].key.strip("-#=_*{")):
        last -= 1
    if first == 0 and not any(kinds[last:]):
        return Span(behind, len(response))
    part = response[rows[first].start : rows[last - 1].end]
    begin = rows[first].start + len(part) - len(part.lstrip())
    return Span(begin, begin + len(part.strip()))


class _Row(NamedTuple):
    """A line of a response: its range, its text, and its text for comparison; a special token is a line of its own."""

    start: int
    end: int
    raw: str
    key: str
    is_turn: bool = False


def _rows(response: str, done: int) -> Iterator[_Row]:
    """The lines of a response from a place on."""
    for token in (*_TURN.finditer(response, done), None):
        end = token.start() if token else len(response)
        for row in response[done:end].split("\n"):
            yield _Row(done, done + len(row), row, key_of(row) if row else "")
            done += len(row) + 1
        if token:
            yield _Row(*token.span(), token[0], "", is_turn=True)
            done = token.end()


class _Lines:
    """The lines of a response, and what each is: of the prompt, of an invented item, or the model's own text.

    Attributes:
        kinds: of each line `prompt`: begins a prompt, or a turn; `own`: repeats a value of the item or a line of its
            prompt; `form`: likewise, but may be the answer; `foreign`: begins an invented item; `text`: the model's
            own; empty: marks, or the cue of an answer.
    """

    def __init__(self, rows: Sequence[_Row], known: Templates, own: Values) -> None:
        self.rows, self.known, self.own = rows, known, own
        self.kinds = [""] * len(rows)
        following, below = "", ""  # the next line, and the next with letters
        has_answer = False  # in the rest of an object
        for at in range(len(rows) - 1, -1, -1):
            row = rows[at]
            has_answer = has_answer or any(is_cue(f"{key}:") for key in _KEY.findall(row.raw.casefold()))
            has_answer = has_answer and row.raw.lstrip()[:1] != "}"
            self.kinds[at] = self._kind(row, following, below, has_answer)
            following = row.key
            below = row.key if has_letter(row.key) else below
        is_others = False
        for at, row in enumerate(rows):
            if row.is_turn:
                is_others = bool(_OTHERS.search(row.raw)) or (is_others and not _OWN.search(row.raw))
            elif is_others:
                self.kinds[at] = "prompt"  # a turn that the model invents for somebody else
        self._mark_lists()
        last = max((at for at, row in enumerate(rows) if row.key), default=0)
        if self.kinds[last] == "text" and self._is_cut_off(last):
            key = rows[last].key
            is_short = key.count(" ") < 2  # "Correct" may be an answer, an option too
            self.kinds[last] = "form" if is_short or known.option(key)[1] or "[" in key else "own"
        for at, row in enumerate(rows[1:], 1):
            if self.kinds[at - 1] == "own" and JSON_KEY.match(rows[at - 1].raw) and row.raw.lstrip()[:1] == '"':
                self.kinds[at] = "own"  # a line that the model adds to the form

    def _kind(self, row: _Row, following: str, below: str, has_answer: bool) -> str:
        known, key = self.known, row.key
        if row.is_turn or not key:
            return "prompt" * row.is_turn
        if head := known.sentence(key):
            return "foreign" if head in known.quoting and not self.own.is_quoted(letters_of(key)) else "prompt"
        value = known.value(key)
        if key in known.forms:
            return "form" if "[" in key and value is None else "own"
        is_key = row.raw.lstrip()[:1] in ("{", '"')
        if is_key and has_answer and value is not None:
            return "text"
        kind = "" if value is None else self._of_value(value, below)
        if known.sentences and is_heading(key, not known.has_json) and not is_key:
            return "foreign" if kind == "foreign" else "prompt"
        if kind:
            return kind
        if key in known.short:
            return "prompt" if known.goes_on(following) or known.goes_on(below) else "own"
        if is_cue(key) or not has_letter(key):
            return ""
        place, text = known.option(key)
        if place >= 0 and not text and key.endswith(":"):
            return "form"
        return "own" if not known.has_json and self.own.is_echoed(unnumbered(key)) else "text"

    def _of_value(self, value: str, below: str) -> str:
        """The kind of a line with an input label, by the value behind or below it."""
        goes_on = self.known.goes_on(below)
        is_below = not has_letter(value)
        if is_below and goes_on:
            return "own"
        value = below if is_below else value
        compared = COMPARED if self.known.has_json else None  # behind it, its blanks may be filled
        if not value or self.own.has(letters_of(value)[:compared]):
            return "own"
        is_said = not is_below and not goes_on and n_words(value) <= 3 and is_judged(value)
        return "text" if is_said else "foreign"  # of the value, by the model

    def _mark_lists(self) -> None:
        """Mark lists of candidates: the item's own, the last one whole or cut off; others, behind a question."""
        rows, kinds, at = self.rows, self.kinds, 0
        while self.known.options and at < len(rows):
            keys = [row.key for row in rows[at : at + _LISTED]]
            n_own = self.own.n_listed(keys) if kinds[at] in ("text", "form") else 0
            kinds[at : at + n_own] = ["own"] * n_own
            at += n_own or 1
        own = tuple(filter(None, self.own.candidates))  # of which more may be said
        lettered = [at for at, row in enumerate(rows) if has_letter(row.key)]
        for before, at, after in zip(lettered, lettered[1:], [*lettered[2:], -1], strict=False):
            places, texts = zip(*(self.known.option(rows[one].key) for one in (at, after)), strict=True)
            if kinds[at] != "text" or places[0] != 0:
                continue
            asks = kinds[before] == "prompt" or rows[before].key.endswith(("?", "?”"))
            is_said = kinds[before] != "prompt" and all(is_judged(text.strip()) for text in texts)
            is_own = all(letters_of(text).startswith(own) for text in texts)
            if asks and after > 0 and places[1] == 1 and not (is_said or is_own):
                kinds[before] = "foreign"

    def _is_cut_off(self, last: int) -> bool:
        """Whether generation stopped inside a line of the prompt."""
        key = self.rows[last].key
        _, text = self.known.option(key)
        if text:
            return self.own.has(letters_of(text)) and letters_of(text) not in self.own.values
        before = next((row.key for row in reversed(self.rows[:last]) if has_letter(row.key)), "")
        value = self.known.value(before)
        above = letters_of(before if value is None else value)  # empty below a title
        starts = (f"\n{above}\n" if above else "\n") + letters_of(key)
        goes_on = bool(before) and not self.known.has_json and starts in self.own.text
        return goes_on or (len(key) >= 8 and any(line.startswith(key) for line in self.known.whole))

    def begin(self, end: int) -> int:
        """The line from which on there is what begins in a line: values and a title precede it."""
        if end == len(self.rows):
            return end
        keys = [row.key for row in self.rows]
        head = self.known.sentence(keys[end])
        n_values = self.known.sentences.get(head, 0)
        if is_foreign := self.kinds[end] == "foreign":
            head = ""
        if self.known.option(next(filter(has_letter, keys[end + 1 :]), ""))[0] == 0:
            n_values = max(n_values, self.known.n_before_options - 1)
            while is_foreign and end and keys[end - 1] and not answers(keys[end - 1], head):
                end -= 1  # a question of several lines
        for _ in range(n_values):
            above = next((at for at in range(end, 0, -1) if keys[at - 1]), 0)
            if above > 1 or (above and not answers(keys[0], head)):
                end = above - 1
            while above and end and keys[end - 1] and not answers(keys[end - 1], head):
                end -= 1
        title = next((at for at in range(end - 1, -1, -1) if has_letter(keys[at])), -1)
        return title if title >= 0 and is_title(keys[title]) and not is_cue(keys[title]) else end

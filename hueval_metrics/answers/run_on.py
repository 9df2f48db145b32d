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
    begins_with_cue,
    has_letter,
    is_cue,
    is_heading,
    is_judged,
    key_of,
    letters_of,
    n_words,
    templates,
    unnumbered,
)
from hueval_metrics.answers.reading import Span

_OPENS = re.compile(r"\s*(?:[\[{,]|```)[\[{,`]*(?:json)?\s*\Z")
_LISTED = 16  # lines that a list of candidates may have
_MARKED = re.compile(r"\w[ \"]*[:(]")  # not a word alone, which may answer
_SPACE = re.compile(r"\s*")
# Special tokens of chat templates with the role that may follow, and a role alone on its line, as decoding leaves it.
_TURN = re.compile(
    r"(?:<\|(?:im_start|im_end|im_sep|eot_id|eom_id|end|return|endoftext|end_of_text|begin_of_text|role_end|user"
    r"|assistant|system)\|>|<\|start_header_id\|>|<\|end_header_id\|>|<(?:start|end)_of_turn>|\[e~\[|\]~b\]"
    r"|</s>(?=\s*(?:<s>|\[INST\]|\n|\Z))|<[be]os>|\[/?INST\])"
    r"[ \t]*(?:(?:user|assistant|system|model)(?:<\|end_header_id\|>|[ \t]*(?=\n|\Z)))?"
    r"|(?<=\n)(?:user|assistant)[ \t]*(?=\n|\Z)"
)


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
    known = templates(tuple(lines))
    behind = 0
    while prompt and response.startswith(prompt, at := _behind_space(response, behind)):
        behind = at + len(prompt)
    rows = list(_rows(response, behind))
    kinds = _Kinds(known, Values(known, values, candidates)).of(rows)
    if not any(kinds):
        return Span(behind, len(response))  # marks alone repeat nothing
    start = _first(rows, kinds)
    if start == len(rows) or kinds[start] == "foreign":
        return Span(len(response), len(response))
    end = next((at for at in range(start, len(rows)) if kinds[at] in ("turn", "prompt", "foreign")), len(rows))
    repeated = {"turn", "prompt", "own", "echo"} & set(kinds[:start])
    if repeated == {"turn"} and not behind and not any(row.raw for row in rows[:start] if not row.is_turn):
        repeated = repeated if end < len(rows) else set()  # special tokens alone do not repeat a prompt
    first = start if repeated else 0
    while first and _OPENS.match(rows[first - 1].raw):
        first -= 1  # brackets and fences that open the answer
    last = (
        end - known.values_before([row.key for row in rows], end, kinds[end] == "foreign") if end < len(rows) else end
    )
    if last <= start:
        return Span(len(response), len(response))
    while last > start + 1 and (kinds[last - 1] in ("own", "echo") or not rows[last - 1].key):
        last -= 1
    if first == 0 and not any(kinds[last:]):
        return Span(behind, len(response))
    part = response[rows[first].start : rows[last - 1].end]
    begin = rows[first].start + len(part) - len(part.lstrip())
    return Span(begin, begin + len(part.strip()))


def _first(rows: Sequence[_Row], kinds: Sequence[str]) -> int:
    """The index of the first line that repeats nothing, or belongs to an invented item."""
    is_repeated = False
    for at, kind in enumerate(kinds):
        if kind in ("text", "foreign") or (kind == "form" and not is_repeated):
            return at
        is_repeated = is_repeated or kind in ("prompt", "own", "echo")
    return len(rows)


def _behind_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


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


class _Kinds:
    """What each line of a response is: of the prompt, of an invented item, or the model's own text."""

    def __init__(self, known: Templates, own: Values) -> None:
        self.known, self.own = known, own

    def of(self, rows: Sequence[_Row]) -> list[str]:
        """The kind of each line.

        `turn`: a special token; `prompt`: begins a prompt; `own`: a label with the item's own value, or its list of
        candidates; `echo`: a value, or a short line of a template; `form`: the answer's form, which may be the answer;
        `foreign`: begins an invented item; `text`: the model's own; empty: marks, or the cue of an answer.
        """
        kinds = [""] * len(rows)
        following, below = "", ""  # the next line, and the next with letters
        has_answer = False
        for at in range(len(rows) - 1, -1, -1):
            row = rows[at]
            if not row.raw:
                continue
            has_answer = (has_answer or self._is_answer(row)) and row.raw.lstrip()[:1] != "}"
            kinds[at] = self._kind(row, following, below, has_answer)
            following = "\0" if row.is_turn else row.key or following
            below = row.key if has_letter(row.key) else below
        self._mark_lists(rows, kinds)
        last = max((at for at, row in enumerate(rows) if row.key), default=0)
        if rows[last:] and kinds[last] == "text" and self._is_cut_off(rows, last):
            is_certain = self._is_certain(rows[last])
            kinds[last] = "own" if is_certain else "form"
        for at in range(1, len(rows)):
            if (
                kinds[at - 1] in ("form", "own")
                and JSON_KEY.match(rows[at - 1].raw)
                and rows[at].raw.lstrip()[:1] == '"'
            ):
                kinds[at] = kinds[at - 1]  # a line that the model adds to the form
            title = next((place for place in range(at - 1, max(at - 3, -1), -1) if has_letter(rows[place].key)), at)
            if rows[title].key in self.known.inputs and kinds[title] in ("own", "prompt") and kinds[at] == "text":
                kinds[at] = "echo"  # the value below its title
        return kinds

    def _is_cut_off(self, rows: Sequence[_Row], last: int) -> bool:
        """Whether generation stopped inside a line of the prompt."""
        key = rows[last].key
        _, text = self.known.option(key)
        if text:
            return self.own.has(letters_of(text)) and letters_of(text) not in self.own.values
        before = next((row.key for row in reversed(rows[:last]) if has_letter(row.key)), "")
        value = before[len(self.known.label(before)) :]
        starts = f"\n{letters_of(value)}\n" if has_letter(value) else "\n"
        goes_on = bool(before) and not self.known.json_inputs and starts + letters_of(key) in self.own.text
        return goes_on or (len(key) >= 8 and any(line.startswith(key) for line in self.known.whole))

    def _is_certain(self, row: _Row) -> bool:
        """Whether a line that was cut off is no answer by itself: "Correct" may be one, an option too."""
        is_short = row.key.count(" ") < 2 and not _MARKED.search(row.key)
        return not is_short and not self.known.option(row.key)[1] and not self.known.is_example(row.raw)

    def _is_answer(self, row: _Row) -> bool:
        key = JSON_KEY.match(row.raw)
        return key is not None and key[1] in self.known.answers

    def _kind(self, row: _Row, following: str, below: str, has_answer: bool) -> str:
        known, key = self.known, row.key
        if row.is_turn or not key:
            return "turn" * row.is_turn
        plain = key if key.startswith(known.sentences) else unnumbered(key)
        if plain.startswith(known.sentences):
            head = next(head for head in known.sentences if plain.startswith(head))
            return "foreign" if head in known.quoting and not self.own.is_quoted(letters_of(key)) else "prompt"
        is_input = bool(known.label(key) or known.label(unnumbered(key)))
        if known.sentences and is_heading(key, not known.json_inputs):
            return "foreign" if is_input and self._of_label(row, below) == "foreign" else "prompt"
        if json_key := JSON_KEY.match(row.raw):
            if json_key[1] in known.json_inputs and key not in known.forms:
                is_own = self.own.has(letters_of(key_of(row.raw[json_key.end() :]))[:COMPARED])
                return "text" if has_answer else "own" if is_own else "foreign"
            if key in known.forms:
                return "form" if known.is_example(row.raw) else "own"
            return "text"
        if is_input:
            return self._of_label(row, below)
        if key in known.short:
            follows = following in known.short or following in ("{", "\0") or begins_with_cue(following)
            return "prompt" if follows or known.label(following) else "echo"
        if is_cue(key) or not has_letter(key):
            return ""
        place, text = known.option(key)
        if place >= 0 and not text and len(key) > 2:
            return "form"
        if not known.json_inputs and self.own.is_echoed(unnumbered(key)):
            return "echo"
        return "text"

    def _of_label(self, row: _Row, below: str) -> str:
        key = row.key if self.known.label(row.key) else unnumbered(row.key)
        value = key[len(self.known.label(key)) :].strip()
        is_below = not has_letter(value)
        if is_below and (self.known.label(below) or is_cue(below) or below in self.known.short):
            return "echo"
        value = below if is_below else value
        if not value or self.own.has(letters_of(value)):
            return "own"
        goes_on = self.known.label(below) or begins_with_cue(below) or below.startswith(self.known.sentences)
        is_said = not is_below and not goes_on and n_words(value) <= 3 and is_judged(value)
        return "text" if is_said else "foreign"  # of the value, by the model

    def _mark_lists(self, rows: Sequence[_Row], kinds: list[str]) -> None:
        """Mark lists of candidates: the item's own, the last one whole or cut off; others, behind a question."""
        if not self.known.options:
            return
        at = 0
        while at < len(rows):
            n_own = (
                self.own.n_listed([row.key for row in rows[at : at + _LISTED]]) if kinds[at] in ("text", "form") else 0
            )
            for place in range(at, at + n_own):
                kinds[place] = "own"
            at += n_own or 1
        before = -1  # the line with letters before this one
        for at, row in enumerate(rows):
            if not has_letter(row.key):
                continue
            if kinds[at] == "text" and self.known.option(row.key)[0] == 0 and before >= 0:
                if kinds[before] == "prompt" and rows[before].key in self.known.short and self._is_own_option(row.key):
                    kinds[at] = "own"  # the first one of a list whose heading stands above it
                asks = kinds[before] == "prompt" or rows[before].key.endswith(("?", "?”"))
                if asks and self._is_other_list(rows, at, kinds[before]):
                    kinds[before] = "foreign"
            before = at

    def _is_own_option(self, key: str) -> bool:
        text = letters_of(self.known.option(key)[1])
        return bool(text) and any(one.startswith(text) for one in self.own.candidates)

    def _is_other_list(self, rows: Sequence[_Row], first: int, before: str) -> bool:
        """Whether the candidates from a line on are not the item's, and nothing is said of them."""
        second = next((row.key for row in rows[first + 1 :] if has_letter(row.key)), "")
        texts = [self.known.option(key) for key in (rows[first].key, second)]
        if [place for place, _ in texts] != [0, 1]:
            return False
        if before != "prompt" and all(is_judged(text) for _, text in texts):
            return False
        letters = [letters_of(text) for _, text in texts]
        if before in ("text", "prompt"):
            return not all(text in self.own.values for text in letters)
        return not any(self.own.has(text) for text in letters)

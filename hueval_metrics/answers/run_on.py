"""Cut the text that base models write around an answer: the prompt again before it, an invented next task after it.

A reply is cut where the text of a prompt begins again: at a chat turn, at the fixed sentences of the task's templates,
at a heading of a turn, and at an input label of the templates whose value is not this item's. What repeats the prompt
at the beginning is skipped, unless its values are not this item's: an invented item holds no answer of ours.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from hueval_metrics.answers.reading import Span
from hueval_metrics.languages.load import codes, pattern, remembered, source
from hueval_metrics.text.normalize import stream_safe

_DISTINCTIVE = 25  # characters; nobody writes a sentence of this length by chance
_COMPARED = 40  # characters, as models shorten the end of a long sentence, and generation may stop inside it
_ECHOED = 6  # words that nobody writes in the order of the prompt by chance; of a value, half of it and three words
_PLACEHOLDER = re.compile(r"\{([a-z_0-9]+)\}")
_QUOTED = re.compile(r'["„“«]\{\w+\}')
_CANDIDATE = re.compile(r"(?:option|choice)[s_]?\d*")  # names of placeholders: their labels name what is to be chosen
_SENTENCE = re.compile(r"(?<=[^\d\s][.?!])\s+(?=[^\W\d_a-záéíóöőúüű])")
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]")  # a word in two characters
_JSON_KEY = re.compile(r'\s*"(\w+)"\s*:')
_BRACKETS = re.compile(r"\s*[{}\[\],`]+(?:json)?\s*")
_NUMBERED = re.compile(r"\A(?:\d{1,2}|[a-h])[.):]+ ?(?=\w)")
_OPENS = re.compile(r"\s*(?:[\[{,]|```)[\[{,`]*(?:json)?\s*\Z")
_SPACE = re.compile(r"\s*")
_LETTER = re.compile(r"[^\W_]")
_NO_LETTER = re.compile(r"[\W_]+")
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
    known = _known(tuple(lines))
    behind = 0
    while prompt and response.startswith(prompt, at := _behind_space(response, behind)):
        behind = at + len(prompt)
    rows = list(_rows(response, behind))
    kinds = _Kinds(known, _Own(known, values, candidates)).of(rows)
    start = _first(rows, kinds)
    if start == len(rows) or kinds[start] == "foreign":
        return Span(len(response), len(response))
    end = next((at for at in range(start, len(rows)) if kinds[at] in ("turn", "prompt", "foreign")), len(rows))
    first = start if {"turn", "prompt", "own"} & set(kinds[:start]) else 0
    while first and _OPENS.match(rows[first - 1].raw):
        first -= 1  # brackets and fences that open the answer
    last = end - known.values_before(rows, end, kinds[end] == "foreign") if end < len(rows) else end
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
            yield _Row(done, done + len(row), row, _key(row))
            done += len(row) + 1
        if token:
            yield _Row(*token.span(), token[0], "", is_turn=True)
            done = token.end()


class _Known:
    """The fixed text of a task's templates, for comparison.

    Attributes:
        sentences: beginnings of sentences that begin a prompt wherever they occur.
        heads: of those whose template begins with values, how many; `quoting`: those that end in a quoted value.
        short: short lines; two in a row begin a prompt.
        inputs: labels of a value; `json_inputs`: keys of one in a JSON form.
        options: of each template the labels of candidates, in order.
        forms: lines in JSON and their keys, those of the answer's form also; `answers`: keys of the answer.
        whole: lines without values.
    """

    def __init__(self, lines: tuple[str, ...]) -> None:
        self.heads: dict[str, int] = {}
        self.quoting: set[str] = set()
        self.short: set[str] = set()
        self.inputs: set[str] = set()
        self.json_inputs: set[str] = set()
        self.options: list[list[str]] = []
        self.forms: dict[str, str] = {}
        self.n_before_options = 0  # lines of values before the labels of candidates, where nothing else is there
        self.is_open = False  # whether the last line names candidates
        n_values, title = 0, ""  # lines before this one that are only a value, and the title of a value
        for line in map(str.strip, lines):
            if not line:  # another template
                n_values, title = 0, ""
                continue
            placeholder = _PLACEHOLDER.search(line)
            label = _key(line[: placeholder.start()] if placeholder else line)
            json_key = _JSON_KEY.match(line)
            is_value = bool(placeholder) and not _has_letter(_PLACEHOLDER.sub("", line))
            if is_value:
                self.inputs |= {title} - {""}
                n_values += 1
                continue
            if json_key:
                if placeholder:
                    self.json_inputs.add(json_key[1])
                self.forms[_key(line)] = json_key[1]
            elif placeholder and _CANDIDATE.fullmatch(placeholder[1]):
                if not self.is_open:
                    self.n_before_options = max(n_values, self.n_before_options)
                self._add_option(label)
            elif placeholder and label and _width(label) < _DISTINCTIVE:
                self.inputs.add(label)
            else:
                self._add_sentences(line if label else _PLACEHOLDER.sub("", line), n_values)
            self.is_open = bool(placeholder and _CANDIDATE.fullmatch(placeholder[1]))
            n_values = 0
            title = label if label.endswith(":") else title * (not _has_letter(line))
        self.sentences = tuple(self.heads)
        self.whole = tuple(filter(_has_letter, (_key(line) for line in lines if not _PLACEHOLDER.search(line))))
        self.answers = set(self.forms.values()) - self.json_inputs

    def _add_option(self, label: str) -> None:
        self.options += [[]] * (not self.is_open)
        self.options[-1:] = [[*self.options[-1], label]]

    def _add_sentences(self, line: str, n_values: int) -> None:
        for sentence in _SENTENCE.split(line):
            key = _key(_PLACEHOLDER.split(sentence)[0])
            if _width(key) >= _DISTINCTIVE:
                self.heads[key[:_COMPARED]] = max(n_values, self.heads.get(key[:_COMPARED], 0))
                self.quoting |= {key[:_COMPARED]} if _QUOTED.search(sentence) else set()
            elif key and not _is_cue(key) and not _BRACKETS.fullmatch(key):
                self.short.add(key)
            n_values = 0

    def label(self, key: str) -> str:
        """The input label at the beginning of a line; empty if there is none."""
        found = (label for label in self.inputs if key.startswith(label))
        return max(found, key=len, default="")

    def option(self, key: str) -> tuple[int, str]:
        """The place of the candidate whose label begins a line, from 0, and what follows it; -1 if there is none."""
        for text in (key, _NUMBERED.sub("", key)):
            for labels in self.options:
                for place, label in enumerate(labels):
                    if text.startswith(label):
                        return place, text[len(label) :]
        return -1, ""

    def values_before(self, rows: Sequence[_Row], at: int, is_foreign: bool) -> int:
        """How many lines before one that begins a prompt are its values, where its template begins with them."""
        place, key = at, _NUMBERED.sub("", rows[at].key)
        head, n_values = next((found for found in self.heads.items() if key.startswith(found[0])), ("", 0))
        head = "" if is_foreign else head
        for _ in range(max(n_values, self.n_before_options - 1) if self._opens_options(rows, at) else n_values):
            end = next((row for row in range(place, 0, -1) if rows[row - 1].key), 0)
            place = end - 1 if end > 1 or (end and not self._answers(rows[0].key, head)) else place
            while end and place and rows[place - 1].key and not self._answers(rows[place - 1].key, head):
                place -= 1
        return at - place

    def _opens_options(self, rows: Sequence[_Row], at: int) -> bool:
        following = next((row.key for row in rows[at + 1 :] if _has_letter(row.key)), "")
        return self.n_before_options > 1 and self.option(following)[0] == 0

    def _answers(self, text: str, question: str) -> bool:
        """Whether a line before a question answers one, and is no value of it."""
        if _n_words(text) <= 3 or _DECIDES().match(text):
            return True
        stems = {word[:6] for word in question.split() if len(word) >= 6}
        return any(word[:6] in stems for word in text.split())


_known = remembered(_Known)


@remembered
def _DECIDES() -> re.Pattern[str]:  # noqa: N802
    said = "|".join(source(key, codes()) for key in ("yes", "no", "right", "wrong", "answer"))
    return re.compile(rf"(?:{said})(?=\s*(?:[^\w\s]|\Z))")


@remembered
def _heading() -> re.Pattern[str]:
    """A heading of a turn in templates without special tokens."""
    return re.compile(rf"(?:\d{{1,2}}[.)]? ?)?{source('question', codes())}(?: ?\d{{1,2}})?\.? ?:")


def _is_cue(key: str) -> bool:
    """Whether a line only announces an answer."""
    return key.endswith(":") and key.count(" ") < 4 and bool(pattern("answer", codes()).search(key))


def _begins_with_cue(key: str) -> bool:
    head, colon, _ = key.partition(":")
    return _is_cue(head + colon)


class _Own:
    """The values of an item, for comparison; made when the first line is compared."""

    def __init__(self, known: _Known, values: Iterable[str], candidates: Sequence[str]) -> None:
        self._known, self._values, self._candidates = known, values, candidates

    @cached_property
    def values(self) -> tuple[str, ...]:
        """Their letters, line by line."""
        found = (_letters(_folded(line)) for value in self._values for line in value.splitlines())
        return tuple(dict.fromkeys(filter(None, found)))

    @cached_property
    def text(self) -> str:
        """The values, each behind a line break."""
        return "\n".join(("", *self.values))

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """The letters of the candidates."""
        return tuple(_letters(_folded(text)) for text in self._candidates)

    @cached_property
    def lists(self) -> list[str]:
        """The candidates one behind the other, with the labels of each template, and without."""
        named = (zip(labels, self.candidates, strict=False) for labels in self._known.options)
        lists = ["".join(_letters(label) + text for label, text in pairs) for pairs in named]
        return [*lists, "".join(self.candidates)]

    def begins_list(self, letters: str) -> bool:
        """Whether the candidates in their order, with or without labels, begin so."""
        return any(listed.startswith(letters) for listed in self.lists)

    def is_list(self, letters: str) -> bool:
        """Whether it has more of the list than the first candidate."""
        if not self.candidates:
            return False
        first = self.candidates[0]
        return any(
            listed.startswith(letters) and len(letters) > listed.find(first) + len(first) + 1 for listed in self.lists
        )

    def has(self, letters: str) -> bool:
        """Whether a value begins so, has these letters, or is only said more of."""
        return (
            f"\n{letters}" in self.text
            or (len(letters) > 8 and letters in self.text)
            or any(len(value) > 8 and letters.startswith(value) for value in self.values)
        )

    def is_quoted(self, letters: str) -> bool:
        """Whether a sentence of the prompt has a value of the item in it, or is cut off in one."""
        return any(value in letters or letters.endswith(value[:_COMPARED]) for value in self.values if len(value) > 3)

    def is_echoed(self, key: str) -> bool:
        """Whether a line repeats a value, whole or cut off, and is no candidate."""
        n_words, letters = _n_words(key), _letters(key)
        if n_words < 2 or any(letters in text for text in self.candidates):
            return False
        if n_words < 3:
            return letters in self.values
        if n_words >= _ECHOED and letters in self.text:
            return True
        return any(value.startswith(letters) and 3 * len(letters) >= len(value) for value in self.values)


class _Kinds:
    """What each line of a response is: of the prompt, of an invented item, or the model's own text."""

    def __init__(self, known: _Known, own: _Own) -> None:
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
            has_answer = (has_answer or self._is_answer(row)) and row.raw.lstrip()[:1] != "}"
            kinds[at] = self._kind(row, following, below, has_answer)
            following = "\0" if row.is_turn else row.key or following
            below = row.key if _has_letter(row.key) else below
        self._mark_lists(rows, kinds)
        last = max((at for at, row in enumerate(rows) if row.key), default=0)
        if rows[last:] and kinds[last] == "text" and self._is_cut_off(rows, last):
            kinds[last] = "form"
        for at in range(1, len(rows)):
            if kinds[at - 1] == "form" and rows[at].raw.lstrip()[:1] == '"':
                kinds[at] = "form"  # a line that the model adds to the form
            title = next((place for place in range(at - 1, max(at - 3, -1), -1) if _has_letter(rows[place].key)), at)
            if rows[title].key in self.known.inputs and kinds[title] in ("own", "prompt") and kinds[at] == "text":
                kinds[at] = "echo"  # the value below its title
        return kinds

    def _is_cut_off(self, rows: Sequence[_Row], last: int) -> bool:
        """Whether generation stopped inside a line of the prompt."""
        key = rows[last].key
        _, text = self.known.option(key)
        if text:
            return self.own.has(_letters(text)) and _letters(text) not in self.own.values
        before = next((row.key for row in reversed(rows[:last]) if _has_letter(row.key)), "")
        starts = "\n" if before in self.known.inputs else f"\n{_letters(before)}\n"
        goes_on = bool(before) and not self.known.json_inputs and starts + _letters(key) in self.own.text
        return goes_on or (len(key) >= 8 and any(line.startswith(key) for line in self.known.whole))

    def _is_answer(self, row: _Row) -> bool:
        key = _JSON_KEY.match(row.raw)
        return bool(key) and key[1] in self.known.answers

    def _kind(self, row: _Row, following: str, below: str, has_answer: bool) -> str:
        known, key = self.known, row.key
        if row.is_turn or not key:
            return "turn" * row.is_turn
        if key.startswith(known.sentences):
            head = next(head for head in known.sentences if key.startswith(head))
            return "foreign" if head in known.quoting and not self.own.is_quoted(_letters(key)) else "prompt"
        is_input = bool(known.label(key) or known.label(_NUMBERED.sub("", key)))
        if known.sentences and _heading().match(key):
            return "foreign" if is_input and self._of_label(row, below) == "foreign" else "prompt"
        if json_key := _JSON_KEY.match(row.raw):
            if json_key[1] in known.json_inputs and key not in known.forms:
                is_own = self.own.has(_letters(_key(row.raw[json_key.end() :]))[:_COMPARED])
                return "text" if has_answer else "own" if is_own else "foreign"
            return "form" if key in known.forms else "text"
        if is_input:
            return self._of_label(row, below)
        if key in known.short:
            follows = following in known.short or following in ("{", "\0") or _begins_with_cue(following)
            return "prompt" if follows or known.label(following) else "echo"
        if _is_cue(key) or not _has_letter(key):
            return ""
        place, text = known.option(key)
        if place >= 0 and not text and len(key) > 2:
            return "form"
        if self.own.is_list(_letters(key)) or self.own.is_list(_letters(_NUMBERED.sub("", key))):
            return "own"
        if not known.json_inputs and self.own.is_echoed(_NUMBERED.sub("", key)):
            return "echo"
        return "text"

    def _of_label(self, row: _Row, below: str) -> str:
        key = row.key if self.known.label(row.key) else _NUMBERED.sub("", row.key, 1)
        value = key[len(self.known.label(key)) :].strip()
        is_below = not _has_letter(value)
        if is_below and (self.known.label(below) or _is_cue(below) or below in self.known.short):
            return "echo"
        value = below if is_below else value
        if not value or self.own.has(_letters(value)):
            return "own"
        goes_on = self.known.label(below) or _begins_with_cue(below) or below.startswith(self.known.sentences)
        is_said = not is_below and not goes_on and _n_words(value) <= 3 and _SAID().search(value)
        return "text" if is_said else "foreign"  # of the value, by the model

    def _mark_lists(self, rows: Sequence[_Row], kinds: list[str]) -> None:
        """Mark lists of candidates: the item's own, the last one whole or cut off; others, behind a question."""
        if not self.known.options:
            return
        at = 0
        while at < len(rows):
            n_own = self._n_listed(rows, kinds, at)
            for place in range(at, at + n_own):
                kinds[place] = "own"
            at += n_own or 1
        before = -1  # the line with letters before this one
        for at, row in enumerate(rows):
            if not _has_letter(row.key):
                continue
            if kinds[at] == "text" and self.known.option(row.key)[0] == 0 and before >= 0:
                asks = kinds[before] == "prompt" or rows[before].key.endswith(("?", "?”"))
                if asks and self._is_other_list(rows, at, kinds[before]):
                    kinds[before] = "foreign"
            before = at

    def _n_listed(self, rows: Sequence[_Row], kinds: list[str], first: int) -> int:
        """How many lines from one on list the item's candidates; 0 if they do not."""
        if kinds[first] != "text":
            return 0
        n_candidates, n_lines, done = 0, 0, ""
        for at in range(first, len(rows)):
            key = rows[at].key
            if kinds[at] == "" and n_candidates:
                continue
            place, text = self.known.option(key)
            if kinds[at] not in ("text", "form"):
                break
            if place == n_candidates and self.own.has(_letters(text)):
                n_candidates += 1
            else:
                done += _letters(_NUMBERED.sub("", key))
                if not self.own.begins_list(done):
                    break
            n_lines = at + 1 - first
        return n_lines if n_candidates > 1 or self.own.is_list(done) else 0

    def _is_other_list(self, rows: Sequence[_Row], first: int, before: str) -> bool:
        """Whether the candidates from a line on are not the item's, and nothing is said of them."""
        second = next((row.key for row in rows[first + 1 :] if _has_letter(row.key)), "")
        texts = [self.known.option(key) for key in (rows[first].key, second)]
        if [place for place, _ in texts] != [0, 1]:
            return False
        if before != "prompt" and all(_SAID().search(text) for _, text in texts):
            return False
        letters = [_letters(text) for _, text in texts]
        if before in ("text", "prompt"):
            return not all(text in self.own.values for text in letters)
        return not any(self.own.has(text) for text in letters)


@remembered
def _SAID() -> re.Pattern[str]:  # noqa: N802
    return pattern("yes no not right wrong maybe", codes())


def _key(line: str) -> str:
    """A line as it is compared: without emphasis, bullets and other marks before it; marks alone as they are."""
    text = " ".join(_folded(line).replace("*", "").split())
    first = _LETTER.search(text)
    return text[first.start() :].rstrip('_|" ') if first else text


def _folded(text: str) -> str:
    is_plain = text.isascii() or unicodedata.is_normalized("NFKC", text)
    return (text if is_plain else unicodedata.normalize("NFKC", stream_safe(text))).casefold()


def _behind_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


def _has_letter(text: str) -> bool:
    return bool(_LETTER.search(text))


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text)


def _width(key: str) -> float:
    """The length of a text, in letters of an alphabet."""
    return len(key) + 1.5 * len(_WIDE.findall(key))


def _n_words(key: str) -> float:
    """About how many words a text has, in a script without spaces too."""
    return max(key.count(" ") + 1, len(_WIDE.findall(key)) / 1.6, len(key) / 12)

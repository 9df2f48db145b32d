"""What of a reply repeats the prompt: the fixed text of a task's templates, and the values of an item, for comparison.

Lines are compared without emphasis, bullets and case (`key`), values by their letters alone (`letters`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property

from hueval_metrics.languages.load import known, pattern, remembered, source
from hueval_metrics.text.normalize import stream_safe

_DISTINCTIVE = 25  # characters; nobody writes a sentence of this length by chance
COMPARED = 40  # characters, as models shorten the end of a long sentence, and generation may stop inside it
_ECHOED = 6  # words that nobody writes in the order of the prompt by chance; of a value, half of it and three words
_PLACEHOLDER = re.compile(r"\{([a-z_0-9]+)\}")
_QUOTED = re.compile(r'["„“«]\{\w+\}')
_CANDIDATE = re.compile(r"(?:option|choice)[s_]?\d*")  # names of placeholders: their labels name what is to be chosen
_SENTENCE = re.compile(r"(?<=[^\d\s][.?!])\s+(?=[^\W\d_a-záéíóöőúüű])")
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]")  # a word in two characters
JSON_KEY = re.compile(r'\s*"(\w+)"\s*:')
_BRACKETS = re.compile(r"\s*[{}\[\],`]+(?:json)?\s*")
_NUMBERED = re.compile(r"\A(?:\d{1,2}|[a-h])[.):]+ ?(?=\w)")
_LETTER = re.compile(r"[^\W_]")
_NO_LETTER = re.compile(r"[\W_]+")


class Templates:
    """The fixed text of a task's templates, for comparison.

    Attributes:
        sentences: beginnings of sentences that begin a prompt wherever they occur.
        heads: of those whose template begins with values, how many; `quoting`: those that end in a quoted value.
        short: short lines; two in a row begin a prompt.
        inputs: labels of a value; `json_inputs`: keys of one in a JSON form.
        options: of each template the labels of candidates, in order.
        forms: lines in JSON and their keys, those of the answer's form also; `answers`: keys of the answer.
        whole: lines, those with values up to the first.
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
            label = key_of(line[: placeholder.start()] if placeholder else line)
            json_key = JSON_KEY.match(line)
            is_value = bool(placeholder) and not has_letter(_PLACEHOLDER.sub("", line))
            if is_value:
                self.inputs |= {title} - {""}
                n_values += 1
                continue
            if json_key:
                if placeholder:
                    self.json_inputs.add(json_key[1])
                self.forms[key_of(line)] = json_key[1]
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
            title = label if label.endswith(":") else title * (not has_letter(line))
        self.sentences = tuple(self.heads)
        fixed = (key_of(_PLACEHOLDER.split(line)[0]) for line in lines)
        self.whole = tuple(filter(has_letter, dict.fromkeys(fixed)))
        self.answers = set(self.forms.values()) - self.json_inputs

    def _add_option(self, label: str) -> None:
        self.options += [[]] * (not self.is_open)
        self.options[-1:] = [[*self.options[-1], label]]

    def _add_sentences(self, line: str, n_values: int) -> None:
        for sentence in _SENTENCE.split(line):
            key = key_of(_PLACEHOLDER.split(sentence)[0])
            if _width(key) >= _DISTINCTIVE:
                self.heads[key[:COMPARED]] = max(n_values, self.heads.get(key[:COMPARED], 0))
                self.quoting |= {key[:COMPARED]} if _QUOTED.search(sentence) else set()
            elif key and not is_cue(key) and not _BRACKETS.fullmatch(key):
                self.short.add(key)
            n_values = 0

    def is_example(self, line: str) -> bool:
        """Whether a line of the answer's form in JSON has an answer: a list."""
        found = JSON_KEY.match(line)
        return found is not None and found[1] in self.answers and "[" in line

    def label(self, key: str) -> str:
        """The input label at the beginning of a line; empty if there is none."""
        found = (label for label in self.inputs if key.startswith(label))
        return max(found, key=len, default="")

    def option(self, key: str) -> tuple[int, str]:
        """The place of the candidate whose label begins a line, from 0, and what follows it; -1 if there is none."""
        for text in (key, unnumbered(key)):
            for labels in self.options:
                for place, label in enumerate(labels):
                    if text.startswith(label):
                        return place, text[len(label) :]
        return -1, ""

    def values_before(self, keys: Sequence[str], at: int, is_foreign: bool) -> int:
        """How many lines before one that begins a prompt are its values, where its template begins with them."""
        place, key = at, unnumbered(keys[at])
        head, n_values = next((found for found in self.heads.items() if key.startswith(found[0])), ("", 0))
        head = "" if is_foreign else head
        for _ in range(max(n_values, self.n_before_options - 1) if self._opens_options(keys, at) else n_values):
            end = next((row for row in range(place, 0, -1) if keys[row - 1]), 0)
            place = end - 1 if end > 1 or (end and not self._answers(keys[0], head)) else place
            while end and place and keys[place - 1] and not self._answers(keys[place - 1], head):
                place -= 1
        return at - place

    def _opens_options(self, keys: Sequence[str], at: int) -> bool:
        following = next(filter(has_letter, keys[at + 1 :]), "")
        return self.n_before_options > 1 and self.option(following)[0] == 0

    def _answers(self, text: str, question: str) -> bool:
        """Whether a line before a question answers one, and is no value of it."""
        if n_words(text) <= 3 or _decided().match(text):
            return True
        stems = {word[:6] for word in question.split() if len(word) >= 6}
        return any(word[:6] in stems for word in text.split())


templates = remembered(Templates)


class Values:
    """The values of an item, for comparison; made when the first line is compared."""

    def __init__(self, known: Templates, values: Iterable[str], candidates: Sequence[str]) -> None:
        self._templates, self._values, self._candidates = known, values, candidates

    @cached_property
    def values(self) -> tuple[str, ...]:
        """Their letters, line by line."""
        found = (letters_of(_folded(line)) for value in self._values for line in value.splitlines())
        return tuple(dict.fromkeys(filter(None, found)))

    @cached_property
    def text(self) -> str:
        """The values, each behind a line break."""
        return "\n".join(("", *self.values))

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """The letters of the candidates."""
        return tuple(letters_of(_folded(text)) for text in self._candidates)

    @cached_property
    def lists(self) -> list[tuple[bool, int, str]]:
        """The candidates from each one on, but the last: with the labels of a template or not, the first's length."""
        found = []
        for labels in (*self._templates.options, None):
            texts = self.candidates
            if labels:
                texts = tuple(letters_of(label) + text for label, text in zip(labels, texts, strict=False))
            found += [(bool(labels), len(texts[at]), "".join(texts[at:])) for at in range(len(texts) - 1)]
        return found

    def n_listed(self, keys: Sequence[str]) -> int:
        """How many lines list candidates in their order, at least two, the last one whole or cut off; else 0."""
        for is_labelled, first, listed in self.lists:
            done, n_lines = 0, 0
            for place, key in enumerate(keys, 1):
                letters = letters_of(key if is_labelled else unnumbered(key))
                if (not letters and n_lines) or is_cue(key):
                    continue
                if not letters or not listed.startswith(letters, done):
                    break
                done, n_lines = done + len(letters), place
            if done > first + (not is_labelled):
                return n_lines
        return 0

    def has(self, letters: str) -> bool:
        """Whether a value begins so, has these letters, or is only said more of."""
        return (
            f"\n{letters}" in self.text
            or (len(letters) > 8 and letters in self.text)
            or any(len(value) > 8 and letters.startswith(value) for value in self.values)
        )

    def is_quoted(self, letters: str) -> bool:
        """Whether a sentence of the prompt has a value of the item in it, or is cut off in one."""
        return any(value in letters or letters.endswith(value[:COMPARED]) for value in self.values if len(value) > 3)

    def is_echoed(self, key: str) -> bool:
        """Whether a line repeats a value, whole or cut off, and is no candidate."""
        length, letters = n_words(key), letters_of(key)
        if length < 2 or any(letters in text for text in self.candidates):
            return False
        if length < 3:
            return letters in self.values
        if length >= _ECHOED and letters in self.text:
            return True
        return any(value.startswith(letters) and 3 * len(letters) >= len(value) for value in self.values)


def is_cue(key: str) -> bool:
    """Whether a line only announces an answer."""
    return key.endswith(":") and key.count(" ") < 4 and bool(pattern("answer", known()).search(key))


def begins_with_cue(key: str) -> bool:
    """Whether a line announces an answer, which may follow."""
    head, colon, _ = key.partition(":")
    return is_cue(head + colon)


@remembered
def _decided() -> re.Pattern[str]:
    words = "|".join(source(key, known()) for key in ("yes", "no", "right", "wrong", "answer"))
    return re.compile(rf"(?:{words})(?=\s*(?:[^\w\s]|\Z))")


@remembered
def _heading() -> re.Pattern[str]:
    return re.compile(rf"(?P<number>\d{{1,2}}[.)]? ?)?{source('question', known())} ?(?P<count>\d{{1,2}})?[.)]? ?:")


def is_heading(key: str, numbered: bool = True) -> bool:
    """Whether a line begins a turn in templates without special tokens; a number may say which."""
    found = _heading().match(key)
    return found is not None and (numbered or not (found["number"] or found["count"]))


def is_judged(text: str) -> bool:
    """Whether something is said of a value: yes, no, right, wrong."""
    return bool(pattern("yes no not right wrong maybe", known()).search(text))


def key_of(line: str) -> str:
    """A line as it is compared: without emphasis, bullets and other marks before it; marks alone as they are."""
    text = " ".join(_folded(line).replace("*", "").split())
    first = _LETTER.search(text)
    return text[first.start() :].rstrip('_|" ') if first else text


def unnumbered(key: str) -> str:
    """A line without the number of an enumeration before it."""
    return _NUMBERED.sub("", key)


def _folded(text: str) -> str:
    is_plain = text.isascii() or unicodedata.is_normalized("NFKC", text)
    return (text if is_plain else unicodedata.normalize("NFKC", stream_safe(text))).casefold()


def has_letter(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return bool(_LETTER.search(text))


def letters_of(text: str) -> str:
    """A text without all but letters and digits."""
    return _NO_LETTER.sub("", text)


def _width(key: str) -> float:
    """The length of a text, in letters of an alphabet."""
    return len(key) + 1.5 * len(_WIDE.findall(key))


def n_words(key: str) -> float:
    """About how many words a text has, in a script without spaces too."""
    return max(key.count(" ") + 1, len(_WIDE.findall(key)) / 1.6, len(key) / 12)

"""What of a reply repeats the prompt: the fixed text of a task's templates, and the values of an item, for comparison.

Lines are compared without emphasis, bullets and case (`key_of`), values by their letters alone (`letters_of`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property

from hueval_metrics.languages.load import known, pattern, remembered, source
from hueval_metrics.text.normalize import stream_safe

_DISTINCTIVE = 25  # characters; no one writes a sentence of this length by chance
COMPARED = 40  # characters, as models shorten the end of a long sentence, and generation may stop inside it
_ECHOED = 6  # words that no one writes in the order of the prompt by chance
_PLACEHOLDER = re.compile(r"\{([a-z_0-9]+)\}")
_QUOTED = re.compile(r'["„“«]\{\w+\}')
_CANDIDATE = re.compile(r"(?:option|choice)[s_]?\d*")  # names of placeholders: their labels name what is to be chosen
_SENTENCE = re.compile(r"(?<=[^\d\s][.?!])\s+(?=[^\W\d_a-záéíóöőúüű])")
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]")  # a word in two characters
JSON_KEY = re.compile(r'\s*"(\w+)"\s*:')
_BRACKETS = re.compile(r"[{}\[\], ]+")
_NUMBERED = re.compile(r"\A(?:\d{1,2}|[a-h])[.):]+ ?(?=\w)")
_LETTER = re.compile(r"[^\W_]")
_NO_LETTER = re.compile(r"[\W_]+")


class Templates:
    """The fixed text of a task's templates, for comparison.

    Attributes:
        sentences: beginnings of sentences that begin a prompt wherever they occur, and how many values without a label
            precede each; `quoting`: those that end in a quoted value.
        short: short lines; two in a row begin a prompt.
        inputs: labels of a value.
        options: of each template the labels of candidates, in order; `n_before_options`: values that precede them.
        forms: lines in JSON, those of the answer's form also.
        has_json: whether values are in JSON.
        whole: lines, those with values up to the first.
    """

    def __init__(self, lines: tuple[str, ...]) -> None:
        self.sentences: dict[str, int] = {}
        self.quoting: set[str] = set()
        self.short: set[str] = set()
        self.inputs: set[str] = set()
        self.options: list[list[str]] = []
        self.n_before_options = 0
        self.forms: set[str] = set()
        self.has_json = False
        n_values, title, names_candidates = 0, "", False  # of the lines before this one
        for line in map(str.strip, lines):
            if not line:  # another template
                n_values, title = 0, ""
                continue
            placeholder = _PLACEHOLDER.search(line)
            label = key_of(line[: placeholder.start()] if placeholder else line)
            if placeholder and not has_letter(_PLACEHOLDER.sub("", line)):
                self.inputs |= {title} - {""}
                n_values += 1
                continue
            is_candidate = bool(placeholder and _CANDIDATE.fullmatch(placeholder[1]) and not JSON_KEY.match(line))
            if is_candidate:
                if not names_candidates:
                    self.n_before_options = max(n_values, self.n_before_options)
                    self.options.append([])
                self.options[-1].append(label)
            elif placeholder and label and _width(label) < _DISTINCTIVE:
                self.inputs.add(label)
                self.has_json = self.has_json or bool(JSON_KEY.match(line))
            elif JSON_KEY.match(line):
                self.forms.add(label)
            else:
                self._add_sentences(line if label else _PLACEHOLDER.sub("", line), n_values)
            n_values, names_candidates = 0, is_candidate
            title = label if label.endswith(":") else title * (not has_letter(line))
        self.whole = tuple(filter(has_letter, dict.fromkeys(key_of(_PLACEHOLDER.split(line)[0]) for line in lines)))

    def _add_sentences(self, line: str, n_values: int) -> None:
        for sentence in _SENTENCE.split(line):
            key = key_of(_PLACEHOLDER.split(sentence)[0])
            if _width(key) >= _DISTINCTIVE:
                self.sentences[key[:COMPARED]] = max(n_values, self.sentences.get(key[:COMPARED], 0))
                self.quoting |= {key[:COMPARED]} if _QUOTED.search(sentence) else set()
            elif key and not is_cue(key) and not _BRACKETS.fullmatch(key):
                self.short.add(key)
            n_values = 0

    def sentence(self, key: str) -> str:
        """The beginning of a long sentence with which a line begins; empty if there is none."""
        texts = (key, unnumbered(key))
        return next((head for head in self.sentences for text in texts if text.startswith(head)), "")

    def value(self, key: str) -> str | None:
        """What follows the input label at the beginning of a line; None if there is none."""
        for text in (key, unnumbered(key)):
            if label := max((label for label in self.inputs if text.startswith(label)), key=len, default=""):
                return text[len(label) :].strip()
        return None

    def option(self, key: str) -> tuple[int, str]:
        """The place of the candidate whose label begins a line, from 0, and what follows it; -1 if there is none."""
        for text in (key, unnumbered(key)):
            for labels in self.options:
                for place, label in enumerate(labels):
                    if text.startswith(label):
                        return place, text[len(label) :]
        return -1, ""

    def goes_on(self, key: str) -> bool:
        """Whether a line may follow a short line or a label of a prompt, as another of its lines or its answer."""
        is_fixed = key in self.short or bool(self.sentence(key)) or self.value(key) is not None
        return is_fixed or begins_with_cue(key)


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
    def lists(self) -> list[tuple[str, ...]]:
        """The letters of the candidates with the labels of each template, and without."""
        labelled = (zip(map(letters_of, labels), self.candidates, strict=False) for labels in self._templates.options)
        return [*(tuple(map("".join, pairs)) for pairs in labelled), self.candidates]

    def n_listed(self, keys: Sequence[str]) -> int:
        """How many lines list candidates in their order, at least two, the last one whole or cut off; else 0."""
        for texts in self.lists:
            for first in range(len(texts) - 1):
                listed, done, n_lines = "".join(texts[first:]), 0, 0
                for place, key in enumerate(keys, 1):
                    letters = letters_of(key if texts is not self.candidates else unnumbered(key))
                    if (not letters and n_lines) or is_cue(key):
                        continue
                    if not letters or not listed.startswith(letters, done):
                        break
                    done, n_lines = done + len(letters), place
                if done > len(texts[first]) + 1:
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


def is_heading(key: str, numbered: bool = True) -> bool:
    """Whether a line begins a turn in templates without special tokens; a number may say which."""
    found = _heading().match(key)
    return found is not None and (numbered or not (found["number"] or found["count"]))


@remembered
def _heading() -> re.Pattern[str]:
    return re.compile(rf"(?P<number>\d{{1,2}}[.)]? ?)?{source('question', known())} ?(?P<count>\d{{1,2}})?[.)]? ?:")


def is_title(key: str) -> bool:
    """Whether a line only says that another question or example follows."""
    return n_words(key) <= 4 and (key.endswith(":") or bool(pattern("question aside", known()).search(key)))


def is_judged(text: str) -> bool:
    """Whether something is said of a value: yes or no at the beginning, or right, wrong."""
    is_answered = pattern("yes no", known()).match(text)
    return bool(is_answered or pattern("not right wrong maybe", known()).search(text))


def answers(text: str, question: str) -> bool:
    """Whether a line before a question answers one, and is no value of it."""
    if n_words(text) <= 3 or begins_with_cue(text) or _decided().match(text):
        return True
    stems = {word[:6] for word in question.split() if len(word) >= 6}
    return any(word[:6] in stems for word in text.split())


@remembered
def _decided() -> re.Pattern[str]:
    words = "|".join(source(key, known()) for key in ("yes", "no", "right", "wrong", "answer"))
    return re.compile(rf"(?:{words})(?=\s*(?:[^\w\s]|\Z))")


def key_of(line: str) -> str:
    """A line as it is compared: without emphasis, bullets and other marks before it; marks alone as they are."""
    text = " ".join(_folded(line).replace("*", "").replace('":', ":").split())
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

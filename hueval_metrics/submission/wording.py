"""The lines on faults, in every language: code of a fault → its kind and its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any

from hueval_metrics.submission.formats import Fault
from hueval_metrics.words.texts import ENGLISH, FOLDER, Texts, Words, each

KEPT = 1000  # faults of a file that are kept; all are counted


@dataclass(frozen=True, slots=True)
class Found:
    """A fault before it has words.

    Attributes:
        code: key of the YAML.
        row: of the file, from 1; None for the file as a whole.
        values: fill the placeholders; a mapping of languages is filled in by language.
    """

    code: str
    row: int | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


class Wording:
    """The texts of `faults.yaml`: `faults` (code → `kind` and `text`), `phrases` (parts of texts), `words`.

    What a command prints instead of `text` is under `command`; `words` are English ones of other modules.

    Args:
        words: the texts.
    """

    def __init__(self, words: Words) -> None:
        self._words = words

    def line(self, found: Found, language: str) -> str:
        """The text of a fault."""
        return self._said(found, "text", language)

    def kind(self, found: Found, language: str = ENGLISH) -> str:
        """What faults like this one have in common; empty where there is never more than one."""
        return self._said(found, "kind", language)

    def printed(self, found: Found) -> str:
        """The text of a fault as a command prints it."""
        return self._said(found, "command", ENGLISH) or self.line(found, ENGLISH)

    def fault(self, found: Found) -> Fault:
        """A fault in all languages."""
        kind, text = (each(partial(say, found)) for say in (self.kind, self.line))
        return Fault(kind, text, found.row)

    def phrase(self, code: str, **values: Any) -> Texts:
        """A part of a text."""
        return self._words.texts(f"phrases.{code}", **values)

    def word(self, english: str) -> Texts:
        """A word that other modules have in English only, such as a type of JSON values."""
        return each(lambda language: self._words.of(language).get(f"words.{english}", english))

    def _said(self, found: Found, part: str, language: str) -> str:
        key = f"faults.{found.code}.{part}"
        if key not in self._words.of(language):
            return ""
        return str(self._words.text(key, language, **{"row": found.row, **found.values}))


SHARED = Words(FOLDER, "faults")


def listed(names: Sequence[str], separator: str = ", ") -> str:
    """Names for one line: all of a few, else the first three and the last.

    >>> listed(["1", "2", "3", "4"]), listed([str(number) for number in range(1, 910)])
    ('1, 2, 3, 4', '1, 2, 3 … 909')
    """
    return separator.join(names) if len(names) <= 4 else f"{separator.join(names[:3])} … {names[-1]}"


class Faults:
    """The faults of one file: the first are kept, all are counted."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._whole: list[Fault] = []
        self._rows: list[Fault] = []
        self.n = 0

    def add(self, code: str, row: int | None = None, /, **values: Any) -> None:
        """Add a fault of the whole file or of a row."""
        self.add_fault(self._wording.fault(Found(code, row, values)))

    def add_missing(self, code: str, /, **values: Any) -> None:
        """Add a fault that comes after those of rows."""
        self.add_fault(self._wording.fault(Found(code, None, values)), is_last=True)

    def add_fault(self, fault: Fault, *, is_last: bool = False) -> None:
        """Add a fault that has its words.

        Args:
            fault: it.
            is_last: whether it comes after those of rows.
        """
        self.n += 1
        kept = self._whole if fault.row is None and not is_last else self._rows
        if len(kept) < KEPT:
            kept.append(fault)

    @property
    def kept(self) -> list[Fault]:
        """The first of them: of the whole file, of rows in their order, and what is missing."""
        in_order = sorted(self._rows, key=lambda fault: inf if fault.row is None else fault.row)
        return [*self._whole, *in_order][:KEPT]

    def __iter__(self) -> Iterator[Fault]:
        return iter(self.kept)

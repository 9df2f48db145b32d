"""The lines on faults, in every language, from one YAML: code of a fault → its kind and its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from hueval_metrics.submission.formats import Fault
from hueval_metrics.text.foreign import own_yaml

LANGUAGES = ("en", "hu")
KEPT = 1000  # faults of a file that are kept; all are counted

Texts = Mapping[str, str]


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
    """The texts of one YAML: `faults` (code → `kind` and `text`), `phrases` (parts of texts), `words` (out of English).

    A template names its values in braces, as `str.format` has them. What a command prints instead of `en` stands under
    `command`.

    Args:
        path: the YAML.
        base: has further words.
    """

    def __init__(self, path: Path, base: Wording | None = None) -> None:
        data = own_yaml(path)
        self._faults: dict[str, Any] = data["faults"]
        self._phrases: dict[str, Texts] = data.get("phrases", {})
        self._words: dict[str, str] = {**(base._words if base else {}), **data.get("words", {})}

    def line(self, found: Found, language: str) -> str:
        """The text of a fault."""
        return _filled(self._faults[found.code]["text"], found, language)

    def kind(self, found: Found, language: str) -> str:
        """What faults like this one have in common; empty where there is never more than one."""
        return _filled(self._faults[found.code].get("kind", {}), found, language)

    def fault(self, found: Found) -> Fault:
        """A fault in all languages."""
        kind, text = ({name: say(found, name) for name in LANGUAGES} for say in (self.kind, self.line))
        return Fault(kind, text, found.row)

    def phrase(self, code: str, **values: Any) -> Texts:
        """A part of a text."""
        template = self._phrases[code]
        return {name: _filled(template, Found(code, values=values), name) for name in LANGUAGES}

    def word(self, english: str) -> Texts:
        """A word that other modules have in English only, such as a type of JSON values."""
        return {"en": english, "hu": self._words.get(english, english)}


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


def _filled(template: Mapping[str, str], found: Found, language: str) -> str:
    text = template.get(language) or template.get("en", "")
    values = {
        name: value.get(language, value["en"]) if isinstance(value, Mapping) else value
        for name, value in found.values.items()
    }
    return text.format(**{"row": found.row, **values})

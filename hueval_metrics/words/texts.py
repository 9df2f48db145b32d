"""What people read from us, in every language: the texts of `<folder>/<language>/*.yaml`, filled in.

A text names its values in braces, as `str.format` has them. A mapping in a file joins its keys with a dot. Value `n`
decides between `x.one` and `x.other`; `x.if.y` is a sentence behind `x.text`, where the value `y` is there and not 0.
The languages are the folders beside this file: a further one is a folder, and no line of code.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.foreign import own_yaml

FOLDER = Path(__file__).parent
ENGLISH = "en"  # of errors and logs, and of a text that another language lacks
_OTHERS = sorted({one.parent.name for one in FOLDER.glob("*/*.yaml")} - {ENGLISH})
LANGUAGES: tuple[str, ...] = (ENGLISH, *_OTHERS)
VARIABLE = "HUEVAL_LANG"

Texts = Mapping[str, str]  # language → text
_Made = TypeVar("_Made")

log = logging.getLogger(__name__)


def each(make: Callable[[str], _Made]) -> dict[str, _Made]:
    """What a function makes of each language."""
    return {language: make(language) for language in LANGUAGES}


def same(value: _Made) -> dict[str, _Made]:
    """One value for all languages."""
    return dict.fromkeys(LANGUAGES, value)


def printed() -> str:
    """The language of tables and sentences that commands print: `HUEVAL_LANG`, never the locale's.

    Raises:
        InputError: there is no such language.
    """
    language = os.environ.get(VARIABLE) or ENGLISH
    if language not in LANGUAGES:
        raise InputError(f'{VARIABLE}: "{one_line(language, 40)}" is no language of ours. Set {" or ".join(LANGUAGES)}')
    return language


def numerals(text: str, language: str | None = None) -> str:
    """Numbers as a language writes them; the page's script does the same when the language is switched.

    >>> numerals("[59.0, 63.1]", "hu"), numerals("61.23 ± 1.9", "en")
    ('[59,0; 63,1]', '61.23 ± 1.9')
    """
    signs = _numbers().of(language or printed())
    return text.replace(", ", signs["between"]).replace(".", signs["decimal"])


def numbers(text: str) -> dict[str, str]:
    """A text of numbers, by language."""
    return each(lambda language: numerals(text, language))


def whole(number: int, language: str | None = None) -> str:
    """A whole number with its thousands apart.

    >>> whole(12345, "en"), whole(12345, "hu")
    ('12,345', '12\\xa0345')
    """
    return f"{number:,}".replace(",", _numbers().of(language or printed())["thousands"])


def listed(texts: Iterable[Texts], between: str = ", ") -> Texts:
    """Texts one after the other, by language."""
    some = list(texts)
    return each(lambda language: between.join(text[language] for text in some))


def by_english(texts: Iterable[Texts]) -> dict[str, Texts]:
    """Texts by the English one, as they are looked up in a drawing."""
    return {text[ENGLISH]: text for text in texts}


@cache
def _numbers() -> Words:
    return Words(FOLDER, "numbers")


class Words:
    """The texts of some files; `|` adds those of others.

    Args:
        folder: has a folder for each language.
        *files: names of the files without suffix; all of them where none is named.
        is_html: whether the texts are HTML, so that what they name is escaped.
    """

    def __init__(self, folder: Path, *files: str, is_html: bool = False) -> None:
        self._sources: Sequence[tuple[Path, Sequence[str]]] = [(folder, files)]
        self._texts: dict[str, Mapping[str, str]] = {}
        self._is_html = is_html

    def __or__(self, other: Words) -> Words:
        both = Words(FOLDER, is_html=self._is_html)
        both._sources = [*self._sources, *other._sources]
        return both

    def of(self, language: str) -> Mapping[str, str]:
        """Key → text, in the order of the files; in English where the language lacks it, which is logged."""
        if language not in self._texts:
            found = self._read(language)
            if language != ENGLISH:
                english = self.of(ENGLISH)
                if lacking := [key for key in english if key not in found]:
                    folders = ", ".join(str(folder / language) for folder, _ in self._sources)
                    log.warning("%s: no text for %s, which are English", folders, ", ".join(lacking))
                found = {**english, **found}
            self._texts[language] = found
        return self._texts[language]

    def text(self, key: str, language: str | None = None, /, **values: Any) -> Any:
        """A text, in HTML as `Markup`.

        Args:
            key: of the text.
            language: of the text; None for that of what commands print.
            **values: what it names: a value, or a mapping with one for each language.
        """
        language = language or printed()
        found = self.of(language)
        if key not in found and "n" in values:
            key += ".one" if str(values["n"]) == "1" else ".other"
        template = " ".join([found[key], *_further(found, key, values)])
        return self._template(template).format(**filled(values, language))

    def texts(self, key: str, /, **values: Any) -> dict[str, Any]:
        """A text by language; arguments as for `text`."""
        return each(lambda language: self.text(key, language, **values))

    def later(self, key: str, /, **values: Any) -> Later:
        """The same, read when it is looked at; of a declaration, which thus reads no file."""
        return Later(lambda language: self.text(key, language, **values))

    def _template(self, text: str) -> str:
        if not self._is_html:
            return text
        from markupsafe import Markup

        return Markup(text)

    def _read(self, language: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for folder, names in self._sources:
            own = folder / language
            for file in [own / f"{name}.yaml" for name in names] or sorted(own.glob("*.yaml")):
                found |= dict(_flat(own_yaml(file) if file.is_file() else {}))
        return found


class Later(Mapping[str, str]):
    """A text by language that is made when it is looked at."""

    def __init__(self, make: Callable[[str], str]) -> None:
        self._make = make

    def __getitem__(self, language: str) -> str:
        if language not in LANGUAGES:
            raise KeyError(language)
        return self._make(language)

    def __iter__(self) -> Iterator[str]:
        return iter(LANGUAGES)

    def __len__(self) -> int:
        return len(LANGUAGES)


def filled(values: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Values with that of one language for those by language."""
    return {
        name: value.get(language, value.get(ENGLISH)) if isinstance(value, Mapping) else value
        for name, value in values.items()
    }


def _further(found: Mapping[str, str], key: str, values: Mapping[str, Any]) -> Iterator[str]:
    """The sentences behind a text whose condition holds."""
    name, _, last = key.rpartition(".")
    holding = [more for value in values if values[value] and (more := f"{name}.if.{value}") in found]
    if last == "text" and holding:
        yield from (found[more] for more in sorted(holding, key=list(found).index))


def _flat(data: Mapping[Any, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value

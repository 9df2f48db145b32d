"""Entries of language files and patterns in code whose removal changes no reading of a labelled reply.

What no reply needs is a guess, and guesses pile up. An entry can only matter where its word is in the reply, so each is
tried on those replies alone.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from zlib import crc32

import hueval_metrics.answers
from hueval_metrics.languages import load
from tests.readers.sets import Case

# Whole classes, of which a member may be missing in the replies at hand: they are read as a class, one case a class.
CLOSED = {"ordinals", "yes", "no", "confidence", "sure", "percent", "copula", "article", "and", "or", "if", "both"}
CLOSED |= {"neither", "condition", "although", "that", "adverb", "endings"}
NEVER = re.compile("(?!)")


class Part(NamedTuple):
    """What may be needless: an entry (language, key, word) or a pattern (module, "", name)."""

    place: str
    key: str
    name: str

    def __str__(self) -> str:
        return f"{self.place}.yaml, {self.key}: {self.name}" if self.key else f"{self.place}.{self.name}"


def entries() -> list[Part]:
    """All entries of all language files."""
    codes = sorted(path.stem for path in load.FOLDER.glob("*.yaml"))
    return [Part(code, key, word) for code in codes for key in load.KEYS for word in load.language(code).get(key, ())]


def patterns() -> list[Part]:
    """All patterns of the readers' modules."""
    return [
        Part(module.__name__, "", name)
        for module in _modules()
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern)
    ]


def _modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(hueval_metrics.answers.__path__, "hueval_metrics.answers."):
        yield importlib.import_module(found.name)


def needless(parts: Sequence[Part], cases: Sequence[Case]) -> list[Part]:
    """Those without which every case is read as before."""
    texts = [load_text(case.reply) for case in cases]
    before: dict[int, str] = {}
    found = []
    for part in parts:
        places = [place for place, text in enumerate(texts) if _may_matter(part, text)]
        for place in places:
            if place not in before:
                before[place] = _read(cases[place])
        with _without(part):
            if all(_read(cases[place]) == before[place] for place in places):
                found.append(part)
    return found


def lost_by_freezing(cases: Sequence[Case]) -> tuple[int, int, list[Case]]:
    """What it would cost to keep only the entries that known replies need.

    The entries of open classes that one half of the replies does not need are taken out one after the other, those in
    the fewest replies first; the other half stands for replies that nobody has seen.

    Returns:
        How many entries go, how many replies the other half has, and those of them that are then read otherwise.
    """
    known = [case for case in cases if _is_known(case)]
    others = [case for case in cases if not _is_known(case)]
    texts, before = [load_text(case.reply) for case in known], [_read(case) for case in known]
    as_read = [_read(case) for case in others]
    places = {
        part: [place for place, text in enumerate(texts) if _may_matter(part, text)]
        for part in entries()
        if part.key not in CLOSED
    }
    with ExitStack() as removed:
        n_removed = 0
        for part in sorted(places, key=lambda part: len(places[part])):
            with ExitStack() as trial:
                trial.enter_context(_without(part))
                if all(_read(known[place]) == before[place] for place in places[part]):
                    removed.push(trial.pop_all())
                    n_removed += 1
        changed = [case for case, read in zip(others, as_read, strict=True) if _read(case) != read]
    return n_removed, len(others), changed


def _is_known(case: Case) -> bool:
    return bool(crc32(case.reply.encode("utf-8", "surrogatepass")) % 2)


def load_text(reply: str) -> str:
    """A reply as words are looked for in it."""
    from hueval_metrics.answers.text import readable

    return " ".join(readable(reply).plain.casefold().replace("’", "'").split())


def _may_matter(part: Part, text: str) -> bool:
    return not part.key or part.name.removesuffix("*").strip().replace("’", "'") in text


def _read(case: Case) -> str:
    try:
        return repr(case.read())
    except Exception as error:  # without one of its parts a reader may fail
        return type(error).__name__


@contextmanager
def _without(part: Part) -> Iterator[None]:
    if part.key:
        with load.without(part.place, part.key, part.name):
            yield
        return
    pattern = vars(importlib.import_module(part.place))[part.name]
    holders = [m for m in _modules() if any(value is pattern for value in vars(m).values())]
    names: Mapping[Any, list[str]] = {m: [n for n, value in vars(m).items() if value is pattern] for m in holders}
    for module, of_module in names.items():
        for name in of_module:
            setattr(module, name, NEVER)
    try:
        yield
    finally:
        for module, of_module in names.items():
            for name in of_module:
                setattr(module, name, pattern)

"""Patterns of the readers' modules, each of which can be switched off, and literal cases that need them.

A pattern that matches in no text of a case cannot matter to it, so each is tried only on the cases in which it matches,
and only until one is read otherwise.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

import hueval_metrics.answers
from hueval_metrics.languages import load
from tests.readers.sets import Case

# Tests of what readers rest on, whose literal cases are in no set: whether one passes is what is read in it.
LITERAL_TESTS = (
    *("answers.test_decide", "answers.test_decide_rules", "answers.test_objects", "answers.test_reasoning"),
    *("answers.test_labels", "answers.test_run_on", "answers.test_template", "families.openhueval.test_run_on"),
    *("traces.test_life_statements", "traces.test_segments_read"),
)
HOSTILE = re.compile("huge|linear|runaway")  # names of tests with texts of megabytes
Clear = Callable[[], None]  # empties a cache
READERS = ("hueval_metrics.answers.", "lm_eval_tasks.")
PACKAGES = ("hueval_metrics.", "lm_eval_tasks.")


class Switch:
    """A pattern that can be switched off, and that counts its matches."""

    def __init__(self, pattern: re.Pattern[Any], name: str) -> None:
        self.name = name
        self.n_matches = 0
        self._on, self._off = pattern, re.compile(b"(?!)" if isinstance(pattern.pattern, bytes) else "(?!)")
        self._now = pattern

    @contextmanager
    def switched_off(self) -> Iterator[None]:
        self._now = self._off
        try:
            yield
        finally:
            self._now = self._on

    def __getattr__(self, name: str) -> Any:
        """An attribute of the pattern; whether it is used cannot be seen, so that it counts as a match."""
        self.n_matches += 1
        return getattr(self._now, name)

    def _one(self, method: str, *given: Any) -> Any:
        found = getattr(self._now, method)(*given)
        self.n_matches += found is not None
        return found

    def search(self, *given: Any) -> Any:
        return self._one("search", *given)

    def match(self, *given: Any) -> Any:
        return self._one("match", *given)

    def fullmatch(self, *given: Any) -> Any:
        return self._one("fullmatch", *given)

    def finditer(self, *given: Any) -> Iterator[Any]:
        for match in self._now.finditer(*given):
            self.n_matches += 1
            yield match

    def findall(self, *given: Any) -> list[Any]:
        found = self._now.findall(*given)
        self.n_matches += len(found)
        return found

    def split(self, *given: Any, **named: Any) -> list[Any]:
        found = self._now.split(*given, **named)
        self.n_matches += len(found) > 1
        return found

    def sub(self, *given: Any, **named: Any) -> Any:
        made, n_replaced = self._now.subn(*given, **named)
        self.n_matches += n_replaced
        return made


def modules() -> list[ModuleType]:
    """The readers' modules."""
    found = pkgutil.walk_packages(hueval_metrics.answers.__path__, "hueval_metrics.answers.")
    return [importlib.import_module(module.name) for module in found]


@contextmanager
def switches() -> Iterator[list[Switch]]:
    """A switch in the place of each pattern of the readers' modules, wherever a module holds it.

    Found are values of modules and what tuples and mappings among these hold. No function has one as a default.
    """
    made: list[Switch] = []
    own: dict[tuple[str, str], Any] = {}
    by_id: dict[int, Switch] = {}
    for module in modules():
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        for name, value in vars(module).items():
            if re.search(rf"(?m)^(?:\w+, )?{re.escape(name)}\b.*=", source):

                def switch(pattern: re.Pattern[Any], path: str, place: str = module.__name__) -> Switch:
                    made.append(Switch(pattern, f"{place.removeprefix('hueval_metrics.answers.')}.{path}"))
                    by_id.setdefault(id(pattern), made[-1])
                    return made[-1]

                own[module.__name__, name] = _replaced(value, switch, name)
    replaced = []
    try:
        for place, holder in [*sys.modules.items()]:
            for name, value in [*vars(holder).items()] if place.startswith(PACKAGES) else ():
                new = own.get((place, name)) or _replaced(value, lambda pattern, _: by_id.get(id(pattern), pattern))
                if new is not value:
                    setattr(holder, name, new)
                    replaced.append((holder, name, value))
        load.read_again()
        yield made
    finally:
        for holder, name, value in replaced:
            setattr(holder, name, value)
        load.read_again()


def _replaced(value: Any, new: Callable[[re.Pattern[Any], str], Any], path: str = "") -> Any:
    """A value with its patterns replaced; itself if there is none."""
    if isinstance(value, re.Pattern):
        return value if value.pattern == "(?!)" else new(value, path)
    if isinstance(value, tuple):
        names = getattr(value, "_fields", range(len(value)))
        parts = [_replaced(part, new, f"{path}.{name}") for name, part in zip(names, value, strict=True)]
        if any(part is not old for part, old in zip(parts, value, strict=True)):
            return type(value)._make(parts) if hasattr(value, "_make") else tuple(parts)
    elif isinstance(value, dict) and not path.startswith("__"):
        pairs = {key: _replaced(part, new, f"{path}.{key}") for key, part in value.items()}
        if any(pairs[key] is not value[key] for key in value):
            return pairs
    return value


def needless_patterns(cases: Sequence[Case]) -> list[str]:
    """Names of the patterns without which every case is read as before."""
    with switches() as all_switches:
        of_replies, of_words = caches(*READERS), [load.read_again]
        empty(of_words)
        n_cold, _ = _matched(all_switches, cases, of_replies)
        n_warm, before = _matched(all_switches, cases, of_replies)
        found = []
        for switch, cold, warm in zip(all_switches, n_cold, n_warm, strict=True):
            is_kept = cold != warm  # something made with it is kept from one case to the next
            emptied = [*of_replies, *(of_words if is_kept else ())]
            empty(emptied)
            with switch.switched_off():
                places = dict.fromkeys([*cold, *range(len(cases))]) if is_kept else warm
                if all(read(cases[place]) == before[place] for place in places):
                    found.append(switch.name)
            empty(emptied)
    return found


def _matched(
    all_switches: Sequence[Switch], cases: Sequence[Case], of_replies: Sequence[Clear]
) -> tuple[list[Counter[int]], list[str]]:
    """How often each pattern matches in each case, read with empty caches; and what is read."""
    counts: list[Counter[int]] = [Counter() for _ in all_switches]
    readings = []
    for place, case in enumerate(cases):
        empty(of_replies)
        for switch in all_switches:
            switch.n_matches = 0
        readings.append(read(case))
        for switch, of_switch in zip(all_switches, counts, strict=True):
            if switch.n_matches:
                of_switch[place] = switch.n_matches
    return counts, readings


def read(case: Case) -> str:
    """What is read in a case, or the name of the error."""
    try:
        return repr(case.read())
    except Exception as error:  # without one of its parts a reader may fail
        return type(error).__name__


def caches(*packages: str) -> list[Clear]:
    """What empties each cache of some packages: those of functions, and the last result of `read_once`."""
    found: list[Clear] = []
    for place, module in [*sys.modules.items()]:
        for value in [*vars(module).values()] if place.startswith(packages) else ():
            if isinstance(value, functools._lru_cache_wrapper):
                found.append(value.cache_clear)
            elif isinstance(value, FunctionType) and "last" in value.__code__.co_freevars:
                cells = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
                found.append(functools.partial(setattr, cells["last"], "cell_contents", None))
    return found


def empty(some: Iterable[Clear]) -> None:
    """Empty some caches."""
    for clear in some:
        clear()


def literal_tests() -> Iterator[Case]:
    """A case for each literal case of the tests."""
    for place in LITERAL_TESTS:
        for name, test in vars(importlib.import_module(f"tests.{place}")).items():
            is_property = hasattr(test, "hypothesis") or not isinstance(test, FunctionType)
            if name.startswith("test_") and not is_property and not HOSTILE.search(name):
                for given in _given(test):
                    yield Case(place, "test", name, "", True, functools.partial(_passes, test, given))


def _given(test: FunctionType) -> Iterator[dict[str, Any]]:
    """What a test is called with, for each of its cases; nothing for one that needs other fixtures."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    sets = []
    for mark in marks:
        names = mark.args[0].replace(" ", "").split(",") if isinstance(mark.args[0], str) else mark.args[0]
        values = [getattr(one, "values", one) if len(names) > 1 else (one,) for one in mark.args[1]]
        sets.append([dict(zip(names, each, strict=True)) for each in values])
    for chosen in product(*sets):
        given = {name: value for one in chosen for name, value in one.items()}
        if set(inspect.signature(test).parameters) - {"monkeypatch"} == given.keys():
            yield given


def _passes(test: FunctionType, given: Mapping[str, Any]) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        fixtures = {"monkeypatch": patch} if "monkeypatch" in inspect.signature(test).parameters else {}
        test(**given, **fixtures)
    return True

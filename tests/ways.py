"""The way of one item through the library, traced: which files see it, and which hand it on."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

HOUSE = Path(__file__).parents[1]
ROOMS = ("hueval_metrics", "hf_datasets", "lm_eval_tasks")
_DEPTH = 4  # of records in records that are looked into
_VARIADIC = (0x04, 0x08)  # *args, **kwargs: `inspect.CO_VARARGS`, `CO_VARKEYWORDS`


@dataclass
class Way:
    """The files through which an item went.

    Attributes:
        marks: texts that only this item has, and numbers that only it leads to.
        seen: file → its functions that were given a mark, alone or in a record, or that returned one.
        hands: the files that handed it to another one, and not just back to the one that they had it from.
    """

    marks: tuple[str | float, ...]
    seen: dict[str, set[str]] = field(default_factory=dict)
    hands: set[str] = field(default_factory=set)
    _givers: dict[FrameType, set[str]] = field(default_factory=dict)  # call that goes on → files that it has it from

    def note(self, frame: FrameType, event: str, value: Any) -> None:
        """A profiler (`sys.setprofile`)."""
        if event not in ("call", "return") or (file := _ours(frame)) is None:
            return
        is_call, back = event == "call", frame.f_back
        if any(holds(one, self.marks) for one in (_arguments(frame) if is_call else [value])):
            self.seen.setdefault(file, set()).add(frame.f_code.co_qualname)
            if back is not None and _ours(back) is not None:
                self._hand(*((back, frame) if is_call else (frame, back)))
        if not is_call:
            self._givers.pop(frame, None)

    def _hand(self, giver: FrameType, taker: FrameType) -> None:
        """Note that one call had a mark from another."""
        one, other = str(_ours(giver)), str(_ours(taker))
        had_from = self._givers.setdefault(giver, set())
        if one == other:
            self._givers.setdefault(taker, set()).update(had_from)
        else:
            self._givers.setdefault(taker, set()).add(one)
            if not had_from or had_from - {other}:  # of none: read from disk, or held since
                self.hands.add(one)


@contextmanager
def traced(*marks: str | float) -> Iterator[Way]:
    """Trace what runs inside, in this thread."""
    way = Way(marks)
    sys.setprofile(way.note)
    try:
        yield way
    finally:
        sys.setprofile(None)


def holds(value: Any, marks: tuple[str | float, ...], depth: int = _DEPTH) -> bool:
    """Whether a value is a mark, a text with one, or a record or collection that has one inside."""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        return any(isinstance(mark, str) and mark in value for mark in marks)
    if isinstance(value, float):
        return any(value == mark for mark in marks)
    if not depth:
        return False
    inside: Any = ()
    if isinstance(value, Mapping):
        inside = list(value.values())
    elif isinstance(value, (list, tuple, set, frozenset)):
        inside = list(value)
    elif is_dataclass(value) and not isinstance(value, type):
        inside = [getattr(value, one.name, None) for one in fields(value)]
    return any(holds(one, marks, depth - 1) for one in inside)


def _ours(frame: FrameType) -> str | None:
    """The file of a function, below the checkout; None where it is not of the library."""
    path = frame.f_code.co_filename
    if not path.startswith(f"{HOUSE}/"):
        return None
    file = path.removeprefix(f"{HOUSE}/")
    return file if file.startswith(ROOMS) else None


def _arguments(frame: FrameType) -> list[Any]:
    """What a function was given, but for the object whose method it is."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + sum(bool(code.co_flags & flag) for flag in _VARIADIC)
    return [frame.f_locals.get(name) for name in code.co_varnames[:count] if name != "self"]

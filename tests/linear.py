"""Linear time, shown by the CPU seconds of a reader at two lengths of a text, whatever the machine is.

Calls can be counted only where time is spent in functions; a pattern that backtracks is one call, so it is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import process_time

LENGTH = 16_000  # characters of the longer text
TIMES = 8  # so many times the shorter: linear time grows by 8, quadratic time by 64
LIMIT = 3 * TIMES
LEAST_S = 0.0005  # below this a clock says little
ATTEMPTS = 4  # another process may have had the cache of this core

Texts = Callable[[int], Mapping[str, str]]  # length → name → text


def repeated(pieces: Iterable[str]) -> Texts:
    """What a runaway generation repeats, as texts of any length."""
    return lambda length: {piece: piece * (length // len(piece) + 1) for piece in pieces}


def slower_than_linear(read: Callable[[str], object], texts: Texts, length: int = LENGTH) -> list[str]:
    """The names of the texts for which a reader takes longer than linear time; it reads each to the end."""
    shorter, longer = texts(length // TIMES), texts(length)
    for text in shorter.values():  # patterns are compiled, files are loaded
        read(text)
    return [
        f"{name!r} takes {slowest:.0f} times as long"
        for name in longer
        if (slowest := min(_growths(read, shorter[name], longer[name]))) > LIMIT
    ]


def _growths(read: Callable[[str], object], shorter: str, longer: str) -> Iterable[float]:
    for _ in range(ATTEMPTS):
        growth = _cpu_s(read, longer) / max(_cpu_s(read, shorter), LEAST_S)
        yield growth
        if growth <= LIMIT:
            return


def _cpu_s(read: Callable[[str], object], text: str) -> float:
    start = process_time()
    read(text)
    return process_time() - start

"""Checks across rows: duplicate ids and rows, overlap of splits (leakage), gaps in the ids."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, islice
from typing import TYPE_CHECKING

from hf_datasets.checks.findings import EXAMPLES, Finding, Severity
from hf_datasets.checks.scan import Scan, row_name
from hf_datasets.repo import Config, Row
from hueval_metrics.one_line import one_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = array[int] | NDArray

Read = Callable[[str], Iterator[Row]]
Place = tuple[str, int]  # the split and the position of a row

_SHOWN = 60  # characters of a text
_ALIKE = "ignoring letter case, white space and Unicode form"


def repeats(config: Config, scans: Mapping[str, Scan], read: Read) -> Iterator[Finding]:
    """Duplicate ids and rows in a split, and rows that two splits share.

    Args:
        config: the table.
        scans: its splits, in order.
        read: given a split's name, reads its rows again.
    """
    for split, scan in scans.items():
        ids, exact, alike = (earlier_equal(keys) for keys in (scan.ids, scan.exact, scan.folded))
        same = (split, split)
        yield from _finding("error", "duplicate ids", config, same, ids, ids >= 0, read)
        yield from _texts("duplicate rows", config, same, exact, alike, read)
    for splits in combinations((split for split in scans if not config.split(split).optional), 2):
        one, two = (scans[split] for split in splits)
        exact, alike = position_in(one.exact, two.exact), position_in(one.folded, two.folded)
        yield from _texts(f"{splits[0]}/{splits[1]} overlap (leakage)", config, splits, exact, alike, read)


def id_gaps(config: Config, split: str, scan: Scan) -> Iterator[Finding]:
    """Gaps in consecutive ids, where rows may be missing."""
    import numpy as np

    if not scan.numbers:
        return
    numbers = np.unique(np.asarray(scan.numbers))
    missing = int(numbers[-1]) - int(numbers[0]) + 1 - len(numbers)
    if not 0 < missing <= len(numbers):  # with more gaps than rows the ids are not consecutive
        return
    before = np.flatnonzero(np.diff(numbers) > 1)[:EXAMPLES]
    gaps = [(int(numbers[at]) + 1, int(numbers[at + 1]) - 1) for at in before]
    shown = tuple(str(low) if low == high else f"{low}–{high}" for low, high in gaps)
    yield Finding("note", config.name, split, "missing numbers (gaps in the ids)", missing, shown)


def _texts(
    what: str, config: Config, splits: tuple[str, str], exact: NDArray, alike: NDArray, read: Read
) -> Iterator[Finding]:
    yield from _finding("warning", what, config, splits, exact, exact >= 0, read)
    only_alike = (alike >= 0) & (exact < 0)
    yield from _finding("warning", f"{what}, {_ALIKE}", config, splits, alike, only_alike, read)


def _finding(
    severity: Severity, what: str, config: Config, splits: tuple[str, str], first: NDArray, mask: NDArray, read: Read
) -> Iterator[Finding]:
    """The finding about the masked rows of the second split; `first` has the position of their equals in the first."""
    import numpy as np

    if count := int(mask.sum()):
        rows = np.flatnonzero(mask)[:EXAMPLES]
        pairs = [((splits[1], int(row)), (splits[0], int(first[row]))) for row in rows]
        yield Finding(severity, config.name, splits[1], what, count, shown_pairs(config, pairs, read))


def earlier_equal(keys: Hashes) -> NDArray:
    """For each key the position of the first equal key; -1 where that is the key itself.

    >>> earlier_equal(array("Q", [7, 8, 7, 7])).tolist()
    [-1, -1, 0, 0]
    """
    import numpy as np

    _, first, inverse = np.unique(np.asarray(keys), return_index=True, return_inverse=True)
    of_rows = first[inverse]
    return np.where(of_rows < np.arange(len(of_rows)), of_rows, -1)


def position_in(known: Hashes, keys: Hashes) -> NDArray:
    """For each key the position of the first equal key among `known`; -1 where there is none.

    >>> position_in(array("Q", [5, 7, 7]), array("Q", [7, 6])).tolist()
    [1, -1]
    """
    import numpy as np

    wanted = np.asarray(keys)
    values, first = np.unique(np.asarray(known), return_index=True)
    if not len(values):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    return np.where(values[at] == wanted, first[at], -1)


def shown_pairs(
    config: Config, pairs: Iterable[tuple[Place, Place]], read: Read, label_field: str | None = None
) -> tuple[str, ...]:
    """One line for each pair: the ids of both rows, and the text of the first.

    Args:
        config: the table.
        pairs: the places of few pairs of rows.
        read: given a split's name, reads its rows again.
        label_field: a field of both rows that is printed, too.
    """
    pairs = list(pairs)
    rows = rows_at({place for pair in pairs for place in pair}, read)
    one_split = len({split for split, _ in rows}) == 1

    def name(place: Place) -> str:
        label = f" ({rows[place].get(label_field)})" if label_field else ""
        return f"{'' if one_split else place[0] + ' '}{row_name(config, rows[place])}{label}"

    def text(place: Place) -> str:
        return one_line(" / ".join(str(rows[place].get(field)) for field in config.text_fields), _SHOWN)

    return tuple(f"{name(one)} as {name(other)}: {text(one)}" for one, other in pairs)


def rows_at(places: Iterable[Place], read: Read) -> dict[Place, Row]:
    """The rows at a few places, read again up to the last of them."""
    wanted: dict[str, set[int]] = {}
    for split, at in places:
        wanted.setdefault(split, set()).add(at)
    return {
        (split, at): row
        for split, positions in wanted.items()
        for at, row in enumerate(islice(read(split), max(positions) + 1))
        if at in positions
    }

"""What rows show together: duplicate ids and rows, overlap of splits (leakage), gaps in the ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from hf_datasets.checks.findings import EXAMPLES, Finding, Severity
from hf_datasets.checks.pairs import Read, earlier_equal, position_in, shown_pairs
from hf_datasets.checks.scan import Scan
from hf_datasets.repo import Config

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ALIKE = "ignoring letter case, white space and Unicode form"


def repeats(config: Config, scans: Mapping[str, Scan], read: Read) -> Iterator[Finding]:
    """Duplicate ids and rows in a split, and rows that two splits share.

    Args:
        config: the table.
        scans: its splits, in order.
        read: from a split's name, its rows once more.
    """
    for split, scan in scans.items():
        ids, exact, alike = (earlier_equal(keys) for keys in (scan.ids, scan.exact, scan.folded))
        same = (split, split)
        yield from _finding("error", "duplicate ids", config, same, ids, ids >= 0, read)
        yield from _texts("duplicate rows", config, same, exact, alike, read)
    for splits in combinations(scans, 2):
        one, two = (scans[split] for split in splits)
        exact, alike = position_in(one.exact, two.exact), position_in(one.folded, two.folded)
        yield from _texts(f"{splits[0]}/{splits[1]} overlap (leakage)", config, splits, exact, alike, read)


def id_gaps(config: Config, split: str, scan: Scan) -> Iterator[Finding]:
    """Gaps in ids that number the rows: rows may have been lost there."""
    import numpy as np

    if not scan.numbers:
        return
    numbers = np.unique(np.asarray(scan.numbers))
    missing = int(numbers[-1]) - int(numbers[0]) + 1 - len(numbers)
    if not 0 < missing <= len(numbers):  # with more gaps than rows they are not consecutive
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
    """The finding about the rows of the second split in the mask; `first` has each one's partner in the first split."""
    import numpy as np

    if count := int(mask.sum()):
        rows = np.flatnonzero(mask)[:EXAMPLES]
        pairs = [((splits[1], int(row)), (splits[0], int(first[row]))) for row in rows]
        yield Finding(severity, config.name, splits[1], what, count, shown_pairs(config, pairs, read))

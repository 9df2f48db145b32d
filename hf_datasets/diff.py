"""What changed between two copies of a data set: rows added, removed, changed, moved.

Rows are told apart by their ids; of rows with one id the first is compared with the first, the second with the second.
A row takes 16 bytes, a changed one 8 more a field; texts are read again for the few that are shown.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hf_datasets.checks.pairs import rows_at
from hf_datasets.checks.scan import key_of, row_name
from hf_datasets.opened import Opened
from hf_datasets.repo import Config, MissingError, Row
from hueval_metrics.records import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEXT = 0x9E3779B97F4A7C15  # added to a hash once for each row before with the same id; odd, so no two meet soon


def diff(one: Opened, two: Opened, only: str | None = None, show: int = 5) -> tuple[SplitDiff, ...]:
    """Compare two copies, config by config and split by split, those that are equal too.

    Args:
        one, two: the older and the newer copy, in whatever form.
        only: a config, in any letter case; None for all.
        show: how many rows are named for each kind of change.

    Raises:
        InputError: they are of two data sets, or there is no such config.
        DataError: one of them cannot be read, or neither has any rows of what is asked for.
    """
    if one.repo.name != two.repo.name:
        raise InputError(
            f"{one.where} is {one.repo.name}, {two.where} is {two.repo.name}. Compare two copies of one data set"
        )
    configs = [one.repo.config(only)] if only else one.repo.configs
    pairs = ((config, split.name) for config in configs for split in config.splits)
    found = tuple(part for config, split in pairs if (part := _split_diff(config, split, one, two, show)))
    if not found:
        raise InputError(f"neither {one.where} nor {two.where} has rows of {only or one.repo.name}. Name other folders")
    return found


def _split_diff(config: Config, split: str, one: Opened, two: Opened, show: int) -> SplitDiff | None:
    """The changes in a split; None where neither copy has it."""
    import numpy as np

    before, after = (_Hashes.of(config, opened, split) for opened in (one, two))
    if before is None and after is None:
        return None
    if before is None or after is None:
        (opened, side) = (one, before) if after is None else (two, after)
        count = len(side.rows) if side else 0
        named = _ids(config, opened, split, np.arange(min(show, count)))
        if after is None:
            return SplitDiff(config.name, split, (count, None), removed=count, removed_ids=named)
        return SplitDiff(config.name, split, (None, count), added=count, added_ids=named)
    keys = before.numbered(), after.numbered()
    _, at_one, at_two = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    in_order = np.argsort(at_one)
    at_one, at_two = at_one[in_order], at_two[in_order]
    removed = np.setdiff1d(np.arange(len(keys[0])), at_one, assume_unique=True)
    added = np.setdiff1d(np.arange(len(keys[1])), at_two, assume_unique=True)
    changed = np.asarray(before.rows)[at_one] != np.asarray(after.rows)[at_two]
    pairs = np.column_stack((at_one[changed], at_two[changed]))
    return SplitDiff(
        config.name,
        split,
        (len(keys[0]), len(keys[1])),
        added=len(added),
        removed=len(removed),
        changed=len(pairs),
        moved=_moved(at_two),
        fields=_changed_fields(config, split, one, two, pairs),
        added_ids=_ids(config, two, split, added[:show]),
        removed_ids=_ids(config, one, split, removed[:show]),
        changes=_changes(config, split, one, two, pairs[:show]),
    )


def _moved(positions: NDArray) -> int:
    """How many rows must be moved to bring the others into one order: all but a longest rising sequence.

    >>> import numpy as np
    >>> _moved(np.array([3, 0, 1, 2])), _moved(np.array([2, 1, 0]))
    (1, 2)
    """
    import numpy as np

    if len(positions) < 2 or bool((np.diff(positions) > 0).all()):
        return 0
    tails: list[int] = []
    for position in positions.tolist():
        at = bisect_left(tails, position)
        tails[at : at + 1] = [position]
    return len(positions) - len(tails)


def _changed_fields(config: Config, split: str, one: Opened, two: Opened, pairs: NDArray) -> dict[str, int]:
    """Field → in how many of the changed rows it changed, the most often changed first."""
    import numpy as np

    if not len(pairs):
        return {}
    before = _field_hashes(one.rows(config.name, split), pairs[:, 0])
    after = _field_hashes(two.rows(config.name, split), pairs[:, 1])
    absent = np.zeros(len(pairs), np.uint64)
    names = dict.fromkeys([*before, *after])
    counts = {name: int((before.get(name, absent) != after.get(name, absent)).sum()) for name in names}
    return dict(sorted(((name, n) for name, n in counts.items() if n), key=lambda item: -item[1]))


def _field_hashes(rows: Iterator[Row], positions: NDArray) -> dict[str, NDArray]:
    """Field → its hash in each of the rows at these positions; 0 where a row lacks it."""
    import numpy as np

    hashes: dict[str, NDArray] = {}
    place = np.full(int(positions.max()) + 1, -1)
    place[positions] = np.arange(len(positions))
    for at, row in zip(place.tolist(), rows, strict=False):
        if at >= 0:
            for name, value in row.items():
                if name not in hashes:
                    hashes[name] = np.zeros(len(positions), np.uint64)
                hashes[name][at] = key_of(value)
    return hashes


def _ids(config: Config, opened: Opened, split: str, positions: NDArray) -> tuple[str, ...]:
    places = [(split, int(at)) for at in positions]
    rows = rows_at(places, lambda name: opened.rows(config.name, name))
    return tuple(row_name(config, rows[place]) for place in places)


def _changes(config: Config, split: str, one: Opened, two: Opened, pairs: NDArray) -> tuple[Change, ...]:
    """The changed rows that are shown."""
    before = rows_at([(split, int(at)) for at in pairs[:, 0]], lambda name: one.rows(config.name, name))
    after = rows_at([(split, int(at)) for at in pairs[:, 1]], lambda name: two.rows(config.name, name))
    changes = []
    for at_one, at_two in pairs.tolist():
        old, new = before[split, at_one], after[split, at_two]
        names = [name for name in dict.fromkeys([*old, *new]) if key_of(old.get(name)) != key_of(new.get(name))]
        changes.append(Change(row_name(config, new), {name: (old.get(name), new.get(name)) for name in names}))
    return tuple(changes)


@dataclass(frozen=True, slots=True)
class Change:
    """One changed row.

    Attributes:
        id: as it is shown.
        fields: field → its value before and after; None where a row lacks it.
    """

    id: str
    fields: Mapping[str, tuple[object, object]]


@dataclass(frozen=True)
class SplitDiff:
    """The changes in a split.

    Attributes:
        config, split: which.
        rows: how many there are in the older and in the newer copy; None where the copy has no such split.
        added, removed, changed: how many rows.
        moved: how many rows that both have stand in another order.
        fields: field → in how many changed rows it changed.
        added_ids, removed_ids, changes: the first few of each.
    """

    config: str
    split: str
    rows: tuple[int | None, int | None]
    added: int = 0
    removed: int = 0
    changed: int = 0
    moved: int = 0
    fields: Mapping[str, int] = field(default_factory=dict)
    added_ids: tuple[str, ...] = ()
    removed_ids: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether both copies have the same rows in the same order."""
        return not (self.added or self.removed or self.changed or self.moved or None in self.rows)


@dataclass(frozen=True)
class _Hashes:
    """For each row of a split the hash of its id and of the whole row."""

    ids: array[int] = field(default_factory=lambda: array("Q"))
    rows: array[int] = field(default_factory=lambda: array("Q"))

    @classmethod
    def of(cls, config: Config, opened: Opened, split: str) -> _Hashes | None:
        """Read a split; None where the copy lacks it."""
        hashes = cls()
        try:
            for row in opened.rows(config.name, split):
                hashes.ids.append(key_of([row.get(name) for name in config.id_fields]))
                hashes.rows.append(key_of(row))
        except MissingError:
            return None
        return hashes

    def numbered(self) -> NDArray:
        """The hashes of the ids, those that come again made different from the first."""
        import numpy as np

        ids = np.asarray(self.ids)
        order = np.argsort(ids, kind="stable")
        ordered = ids[order]
        is_first = np.ones(len(ids), bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        at = np.arange(len(ids))
        before = at - np.maximum.accumulate(np.where(is_first, at, 0)) if len(ids) else at
        keys = np.empty_like(ids)
        keys[order] = ordered + before.astype(np.uint64) * np.uint64(_NEXT)
        return keys

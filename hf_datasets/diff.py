"""What changed between two copies of a data set: the numbers of rows added, removed, changed, moved.

Rows are matched by their ids; several rows with the same id are matched in order. Only hashes of rows are kept, some
150 bytes a row.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from hf_datasets.checks.findings import wrapped
from hf_datasets.checks.scan import key_of
from hf_datasets.opened import Opened
from hf_datasets.repo import Config, MissingError
from hueval_metrics.errors import InputError


def diff(one: Opened, two: Opened, only: str | None = None) -> tuple[SplitDiff, ...]:
    """Compare two copies, config by config and split by split, those that are equal too.

    Args:
        one, two: the older and the newer copy, converted or not.
        only: a config, in any letter case; None for all.

    Raises:
        InputError: they are of two data sets, or there is no such config.
        DataError: one of them cannot be read, or neither has any of the rows asked for.
    """
    if one.repo.name != two.repo.name:
        raise InputError(
            f"{one.where} is {one.repo.name}, {two.where} is {two.repo.name}. Compare two copies of one data set"
        )
    configs = [one.repo.config(only)] if only else one.repo.configs
    pairs = ((config, split.name) for config in configs for split in config.splits)
    found = tuple(part for config, split in pairs if (part := _split_diff(config, split, one, two)))
    if not found:
        raise InputError(f"neither {one.where} nor {two.where} has rows of {only or one.repo.name}. Name other folders")
    return found


def _split_diff(config: Config, split: str, one: Opened, two: Opened) -> SplitDiff | None:
    """The changes in a split; None where neither copy has it."""
    before, after = (_hashes(config, opened, split) for opened in (one, two))
    if before is None and after is None:
        return None
    counts = (None if before is None else len(before), None if after is None else len(after))
    before, after = before or {}, after or {}
    place = {key: at for at, key in enumerate(after)}
    both = [key for key in before if key in place]
    return SplitDiff(
        config.name,
        split,
        counts,
        added=len(after) - len(both),
        removed=len(before) - len(both),
        changed=sum(before[key] != after[key] for key in both),
        moved=_moved([place[key] for key in both]),
    )


def _hashes(config: Config, opened: Opened, split: str) -> dict[int, int] | None:
    """For each row of a split, in order, the hash of its id → that of the whole row; None where the copy lacks it."""
    rows: dict[int, int] = {}
    repeated = Counter[int]()
    try:
        for row in opened.rows(config.name, split):
            key = key_of([row.get(name) for name in config.id_fields])
            if key in rows:
                repeated[key] += 1
                key += repeated[key]
            rows[key] = key_of(row)
    except MissingError:
        return None
    return rows


def _moved(positions: Sequence[int]) -> int:
    """The number of rows to move for the same order: all but a longest increasing subsequence.

    >>> _moved([3, 0, 1, 2]), _moved([2, 1, 0])
    (1, 2)
    """
    tails: list[int] = []
    for position in positions:
        at = bisect_left(tails, position)
        tails[at : at + 1] = [position]
    return len(positions) - len(tails)


@dataclass(frozen=True)
class SplitDiff:
    """The changes in a split.

    Attributes:
        config, split: their names.
        rows: number of rows in the older and in the newer copy; None where the copy has no such split.
        added, removed, changed: number of rows.
        moved: number of rows of both copies in another order.
    """

    config: str
    split: str
    rows: tuple[int | None, int | None]
    added: int = 0
    removed: int = 0
    changed: int = 0
    moved: int = 0

    @property
    def is_equal(self) -> bool:
        """Whether both copies have the same rows in the same order."""
        return not (self.added or self.removed or self.changed or self.moved or None in self.rows)


def as_text(splits: Sequence[SplitDiff], width: int) -> str:
    """The changes as lines of plain text; splits without any are only counted.

    Args:
        splits: all that were compared.
        width: of the terminal, in characters.
    """
    lines = [line for split in splits if not split.is_equal for line in _lines(split, width)]
    equal = [split for split in splits if split.is_equal]
    rows = sum(split.rows[0] or 0 for split in equal)
    if equal:
        lines.append(f"Equal: {_counted(len(equal), 'split')}, {_counted(rows, 'row')}.")
    return "\n".join(lines) + "\n"


def as_json(splits: Iterable[SplitDiff]) -> str:
    """The changes as JSON, ASCII only: a list with an object for each split that was compared."""
    return json.dumps([{**asdict(split), "equal": split.is_equal} for split in splits], indent=2) + "\n"


def _lines(split: SplitDiff, width: int) -> Iterator[str]:
    before, after = ("none" if rows is None else f"{rows:,}" for rows in split.rows)
    kinds = {"added": split.added, "removed": split.removed, "changed": split.changed, "moved": split.moved}
    counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items() if count) or "no rows"
    yield from wrapped(f"{split.config}/{split.split}: {before} → {after} rows; {counts}", width)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"

"""What changed between two copies of a data set: rows added, removed, changed, moved.

Rows are matched by their ids; several rows with the same id are matched in order. Only hashes of rows are kept, some
150 bytes a row. The changed rows are read again, up to the last of them.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice, zip_longest

from hf_datasets.checks.across import rows_at
from hf_datasets.checks.findings import wrapped
from hf_datasets.checks.scan import key_of, row_name
from hf_datasets.checks.texts import snippet
from hf_datasets.opened import Opened
from hf_datasets.repo import Config, MissingError, Row
from hueval_metrics.errors import InputError
from hueval_metrics.text.write_json import json_text

_LONGEST = 60  # characters of a value that is not text

Pair = tuple[int, int]  # the positions of a row in the older and in the newer copy


def diff(one: Opened, two: Opened, only: str | None = None, show: int = 5) -> tuple[SplitDiff, ...]:
    """Compare two copies, config by config and split by split, those that are equal too.

    Args:
        one, two: the older and the newer copy, converted or not.
        only: a config, in any letter case; None for all.
        show: number of rows that are named for each kind of change.

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
    found = tuple(part for config, split in pairs if (part := _split_diff(config, split, one, two, show)))
    if not found:
        raise InputError(f"neither {one.where} nor {two.where} has rows of {only or one.repo.name}. Name other folders")
    return found


def _split_diff(config: Config, split: str, one: Opened, two: Opened, show: int) -> SplitDiff | None:
    """The changes in a split; None where neither copy has it."""
    before, after = (_hashes(config, opened, split) for opened in (one, two))
    if before is None and after is None:
        return None
    counts = (None if before is None else len(before), None if after is None else len(after))
    before, after = before or {}, after or {}
    removed = [at for at, key in enumerate(before) if key not in after]
    added = [at for at, key in enumerate(after) if key not in before]
    place = {key: at for at, key in enumerate(after)}
    both = [(at, place[key]) for at, key in enumerate(before) if key in place]
    changed = [(at, place[key]) for at, key in enumerate(before) if key in place and before[key] != after[key]]
    fields, changes = _changes(config, split, (one, two), changed, show)
    return SplitDiff(
        config.name,
        split,
        counts,
        added=len(added),
        removed=len(removed),
        changed=len(changed),
        moved=_moved([at for _, at in both]),
        fields=fields,
        added_ids=_ids(config, two, split, added[:show]),
        removed_ids=_ids(config, one, split, removed[:show]),
        changes=changes,
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


def _ids(config: Config, opened: Opened, split: str, positions: Sequence[int]) -> tuple[str, ...]:
    rows = rows_at([(split, at) for at in positions], lambda name: opened.rows(config.name, name))
    return tuple(row_name(config, rows[split, at]) for at in positions)


def _changes(
    config: Config, split: str, copies: tuple[Opened, Opened], pairs: Sequence[Pair], show: int
) -> tuple[dict[str, int], tuple[Change, ...]]:
    """Field → number of changed rows in which it changed, most frequent first; and the first changed rows."""
    hashes: list[dict[int, dict[str, int]]] = [{}, {}]
    shown: list[dict[int, Row]] = [{}, {}]
    for side, opened in enumerate(copies):
        number_of = {pair[side]: number for number, pair in enumerate(pairs)}
        for at, row in enumerate(islice(opened.rows(config.name, split), max(number_of, default=-1) + 1)):
            if (number := number_of.get(at)) is not None:
                hashes[side][number] = {name: key_of(value) for name, value in row.items()}
                if number < show:
                    shown[side][number] = row
    counts, changes = Counter[str](), []
    for number in range(len(pairs)):
        before, after = (side[number] for side in hashes)
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        counts.update(names)
        if number < show:
            old, new = (side[number] for side in shown)
            changes.append(Change(row_name(config, new), {name: (old.get(name), new.get(name)) for name in names}))
    return dict(counts.most_common()), tuple(changes)


@dataclass(frozen=True, slots=True)
class Change:
    """One changed row.

    Attributes:
        id: as printed.
        fields: field → its value before and after; None where a row lacks it.
    """

    id: str
    fields: Mapping[str, tuple[object, object]]


@dataclass(frozen=True)
class SplitDiff:
    """The changes in a split.

    Attributes:
        config, split: their names.
        rows: number of rows in the older and in the newer copy; None where the copy has no such split.
        added, removed, changed: number of rows.
        moved: number of rows of both copies in another order.
        fields: field → number of changed rows in which it changed.
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
    return json.dumps([{**asdict(split), "equal": split.is_equal} for split in splits], indent=2, default=str) + "\n"


def _lines(split: SplitDiff, width: int) -> Iterator[str]:
    before, after = ("none" if rows is None else f"{rows:,}" for rows in split.rows)
    kinds = {"added": split.added, "removed": split.removed, "changed": split.changed, "moved": split.moved}
    counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items() if count) or "no rows"
    yield from wrapped(f"{split.config}/{split.split}: {before} → {after} rows; {counts}", width)
    for kind, ids, count in (("added", split.added_ids, split.added), ("removed", split.removed_ids, split.removed)):
        if ids:
            yield from wrapped(f"{kind}: {', '.join(ids)}{', …' * (count > len(ids))}", width, "  ", "    ")
    if split.fields:
        fields = ", ".join(f"{name} in {_counted(count, 'row')}" for name, count in split.fields.items())
        yield from wrapped(f"changed: {fields}", width, "  ", "    ")
    for change in split.changes:
        yield from wrapped(f"{change.id}: {'; '.join(_fields(change))}", width, "    ", "      ")


def _fields(change: Change) -> Iterator[str]:
    for name, (before, after) in change.fields.items():
        if isinstance(before, str) and isinstance(after, str):
            at = next((i for i, (a, b) in enumerate(zip_longest(before, after)) if a != b), 0)
            yield f'{name} "{snippet(before, at)}" → "{snippet(after, at)}"'
        else:
            yield f"{name} {_value(before)} → {_value(after)}"


def _value(value: object) -> str:
    text = json_text(value, default=str)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"

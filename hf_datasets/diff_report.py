"""What `hueval data diff` prints."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import zip_longest

from hf_datasets.checks.report import wrapped
from hf_datasets.checks.texts import snippet
from hf_datasets.diff import Change, SplitDiff

_LONGEST = 60  # characters of a value that is no text


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
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"

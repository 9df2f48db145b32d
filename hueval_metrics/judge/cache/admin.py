"""`hueval cache stats|prune`: what the judge's cache holds, and how to make it smaller.

The rows are read some thousand at a time, each page in a short transaction of its own, so that a judging under way
hardly waits and memory does not grow with the cache.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hueval_metrics.judge.cache.file import NewerFormatError, cache_file, connect, is_damage
from hueval_metrics.records import DataError, InputError
from hueval_metrics.text.one_line import one_line

_PAGE = 5000  # rows
_MOST_DAYS = 36_500
_SUMS = ("replies", "uncounted", "prompt_tokens", "completion_tokens")
_RANGE = "rowid > :low AND rowid <= :high"
_NEXT = f"SELECT max(rowid) FROM (SELECT rowid FROM replies WHERE {_RANGE} ORDER BY rowid LIMIT {_PAGE})"
# A field of a row, NULL where the row is not JSON. Rows without all of reply, model, rubric and time are unreadable.
_FIELD = "CASE WHEN typeof(record) = 'text' AND json_valid(record) THEN json_extract(record, '$.{}') END"
_REPLY, _MODEL, _RUBRIC, _AT, _PROMPT, _COMPLETION = (
    _FIELD.format(name) for name in ("reply", "model", "rubric", "at", "prompt_tokens", "completion_tokens")
)
_TIME = f"CAST(strftime('%s', {_AT}) AS INTEGER)"
_READABLE = " AND ".join(
    (*(f"typeof({field}) = 'text'" for field in (_REPLY, _MODEL, _RUBRIC)), f"{_TIME} IS NOT NULL")
)
_STATS = (
    f"SELECT {_READABLE}, {_MODEL}, {_RUBRIC}, min({_TIME}), max({_TIME}), count(*), sum({_PROMPT} IS NULL), "
    f"coalesce(sum({_PROMPT}), 0), coalesce(sum({_COMPLETION}), 0) FROM replies WHERE {_RANGE} GROUP BY 1, 2, 3"
)
_MEANT = (
    f"{_RANGE} AND {_READABLE} AND (:until IS NULL OR {_TIME} <= :until) AND (:model IS NULL OR {_MODEL} = :model) "
    f"AND (:rubric IS NULL OR {_RUBRIC} = :rubric OR substr({_RUBRIC}, 1, instr({_RUBRIC}, '/') - 1) = :rubric)"
)


def read_stats(folder: Path | None = None) -> dict[str, Any]:
    """What the cache holds.

    Args:
        folder: the folder of the files; None for the library's own.

    Returns:
        `file`, its `bytes` on disk; `first` and `last` date, None without replies; `replies`, those of them that came
        `uncounted`, the `prompt_tokens` and `completion_tokens` of the others; `groups`, a dict with the same four for
        each `model` and `rubric`, the largest first; `unreadable`, the number of rows that are no replies.

    Raises:
        InputError: there is no cache.
        DataError: it cannot be read.
    """
    groups: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    times: list[int] = []
    unreadable = 0
    with _database(folder) as db:
        for low, high in _pages(db):
            for is_readable, model, rubric, first, last, *counts in db.execute(_STATS, {"low": low, "high": high}):
                if is_readable:
                    groups[model, rubric].update(dict(zip(_SUMS, counts, strict=True)))
                    times = [min(*times, first), max(*times, last)] if times else [first, last]
                else:
                    unreadable += counts[0]
    file = cache_file(folder)
    parts = [part for part in (file, file.with_name(file.name + "-wal")) if part.exists()]
    first_at, last_at = (datetime.fromtimestamp(time, UTC).isoformat() for time in times) if times else (None, None)
    return {
        "file": str(file),
        "bytes": sum(part.stat().st_size for part in parts),
        "unreadable": unreadable,
        "first": first_at,
        "last": last_at,
        **{name: sum(group[name] for group in groups.values()) for name in _SUMS},
        "groups": [
            {"model": model, "rubric": rubric, **group}
            for (model, rubric), group in sorted(groups.items(), key=lambda found: -found[1]["replies"])
        ],
    }


def show_stats(folder: Path | None = None, *, as_json: bool = False) -> int:
    """Print `read_stats`, as lines or as one JSON object; returns the exit status, 0."""
    stats = read_stats(folder)
    if as_json:
        print(json.dumps(stats, indent=2))
        return 0
    print(f"{one_line(stats['file'], 1000)}: {stats['bytes'] / 1e6:,.1f} MB, replies: {stats['replies']:,}")
    if stats["groups"]:
        print(f"From {stats['first']} to {stats['last']}")
        print("\n   replies  prompt tokens  completion tokens  judge, rubric")
        for row in stats["groups"]:
            tokens = f"{row['prompt_tokens']:13,}  {row['completion_tokens']:17,}"
            print(f"{row['replies']:10,}  {tokens}  {one_line(row['model'], 80)}, {one_line(row['rubric'], 80)}")
        others = f" (replies without a count: {stats['uncounted']:,})" if stats["uncounted"] else ""
        tokens = f"{stats['prompt_tokens']:,} prompt and {stats['completion_tokens']:,} completion tokens"
        print(f"\nTo ask for all of it again would take {tokens}{others}.")
    if stats["unreadable"]:
        print(f"Unreadable rows: {stats['unreadable']:,} (these replies are asked for again when they are needed)")
    return 0


def prune(
    folder: Path | None = None,
    *,
    older_than_days: float | None = None,
    model: str | None = None,
    rubric: str | None = None,
    dry_run: bool = False,
) -> int:
    """Delete the replies that meet every condition given, and return their space to the disk.

    Args:
        folder: the folder of the files; None for the library's own.
        older_than_days: they came before that, 0 to 36,500.
        model: a judge's model id.
        rubric: name and version, or the name alone for all versions.
        dry_run: only print how many there are.

    Returns:
        The exit status, 0.

    Raises:
        InputError: there is no condition, or no cache.
        DataError: the cache cannot be read or written.
    """
    if older_than_days is None and model is None and rubric is None:
        raise InputError("cache prune: nothing says which replies. Give --older-than DAYS, --model M or --rubric R")
    if older_than_days is not None and not 0 <= older_than_days <= _MOST_DAYS:
        raise InputError(f"--older-than: {older_than_days:g} is not usable, expected days from 0 to {_MOST_DAYS}")
    until = None if older_than_days is None else (datetime.now(UTC) - timedelta(days=older_than_days)).timestamp()
    conditions = {"until": until, "model": model, "rubric": rubric}
    count = 0
    with _database(folder) as db:
        for low, high in _pages(db):
            page = conditions | {"low": low, "high": high}
            if dry_run:
                count += db.execute(f"SELECT count(*) FROM replies WHERE {_MEANT}", page).fetchone()[0]
            else:
                count += db.execute(f"DELETE FROM replies WHERE {_MEANT}", page).rowcount
        print(f"Replies {'to delete' if dry_run else 'deleted'}: {count:,}")
        if count and not dry_run:
            _shrink(db)
    return 0


@contextmanager
def _database(folder: Path | None) -> Iterator[sqlite3.Connection]:
    """The cache, opened; closed at the end of the `with` block. Raises as `read_stats` does."""
    file = cache_file(folder)
    if not file.exists():
        raise InputError(f"{file}: no cache there. A judged run makes it; --dir names the folder of another one")
    try:
        with closing(connect(file)) as db:
            db.text_factory = lambda text: text.decode("utf-8", "replace")
            yield db
    except (OSError, NewerFormatError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"{file}: cannot be opened ({reason})") from None
    except sqlite3.Error as error:
        if is_damage(error):
            raise DataError(
                f"{file}: damaged ({error}). The next judged run that meets the damage sets the file aside and begins "
                "anew; or delete it now"
            ) from None
        raise DataError(
            f"{file}: {error}. Free some space there, or try again when no other process holds it"
        ) from None


def _pages(db: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Ranges of row ids (low, high] that cover what is there now; a reply that comes meanwhile has a higher id."""
    (end,) = db.execute("SELECT max(rowid) FROM replies").fetchone()
    low = -1
    while end is not None and (high := db.execute(_NEXT, {"low": low, "high": end}).fetchone()[0]) is not None:
        yield low, high
        low = high


def _shrink(db: sqlite3.Connection) -> None:
    try:
        db.execute("VACUUM")
        is_busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        reason = "another process reads it" if is_busy else ""
    except sqlite3.OperationalError as error:  # such as a disk too full for the copy
        reason = str(error)
    if reason:
        print(f"The file keeps its size for now ({reason}); the room is used for the next replies.")

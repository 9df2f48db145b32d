"""`hueval cache stats|prune`: what the judge's cache contains, and how to make it smaller."""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hueval_metrics.errors import DataError, InputError
from hueval_metrics.judge.cache.file import NewerFormatError, cache_file, connect, is_damage
from hueval_metrics.one_line import one_line

_MOST_DAYS = 36_500
_SUMS = ("replies", "uncounted", "prompt_tokens", "completion_tokens")


def _row(record: bytes) -> dict[str, Any] | None:
    """A row with its time in seconds since 1970; None for one that is no reply, which no judging uses."""
    try:
        row = json.loads(record)
        if all(isinstance(row[name], str) for name in ("reply", "model", "rubric")):
            return row | {"at": datetime.fromisoformat(row["at"]).timestamp()}
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        pass
    return None


def read_stats(folder: Path | None = None) -> dict[str, Any]:
    """Count what the cache contains.

    Args:
        folder: the folder of the files; None for the library's own.

    Returns:
        `file`, its path; `bytes`, its size on disk; `first` and `last` date, None without replies; the number of
        `replies`, of those whose tokens are `uncounted`, and the `prompt_tokens` and `completion_tokens` of the others;
        `groups`, a dict with the same four for each `model` and `rubric`, the largest first; `unreadable`, the number
        of rows that are no replies.

    Raises:
        InputError: there is no cache.
        DataError: it cannot be read.
    """
    groups: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    first, last, unreadable = math.inf, -math.inf, 0
    with _database(folder) as db:
        for (record,) in db.execute("SELECT record FROM replies"):
            if row := _row(record):
                tokens = [row.get(name) for name in ("prompt_tokens", "completion_tokens")]
                counts = (1, int(tokens[0] is None), *(count or 0 for count in tokens))
                groups[row["model"], row["rubric"]].update(dict(zip(_SUMS, counts, strict=True)))
                first, last = min(first, row["at"]), max(last, row["at"])
            else:
                unreadable += 1
    file = cache_file(folder)
    parts = [part for part in (file, file.with_name(file.name + "-wal")) if part.exists()]
    dates = [datetime.fromtimestamp(at, UTC).isoformat() for at in (first, last)] if groups else [None, None]
    return {
        "file": str(file),
        "bytes": sum(part.stat().st_size for part in parts),
        "unreadable": unreadable,
        "first": dates[0],
        "last": dates[1],
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
    """Delete the replies that meet every given condition, and make the file smaller.

    Args:
        folder: the folder of the files; None for the library's own.
        older_than_days: the age in days, 0 to 36,500, beyond which replies are deleted.
        model: a judge's model id.
        rubric: name and version, or the name alone for all versions.
        dry_run: only print how many there are.

    Returns:
        The exit status, 0.

    Raises:
        InputError: no condition is given, or there is no cache.
        DataError: the cache cannot be read or written.
    """
    if older_than_days is None and model is None and rubric is None:
        raise InputError("cache prune: no condition is given. Give --older-than DAYS, --model M or --rubric R")
    if older_than_days is not None and not 0 <= older_than_days <= _MOST_DAYS:
        raise InputError(f"--older-than: {older_than_days:g} is not usable, expected days from 0 to {_MOST_DAYS}")
    until = math.inf if older_than_days is None else time.time() - older_than_days * 86_400

    def is_meant(record: bytes) -> bool:
        row = _row(record)
        return row is not None and all(
            (
                row["at"] <= until,
                model in (None, row["model"]),
                rubric in (None, row["rubric"], row["rubric"].partition("/")[0]),
            )
        )

    with _database(folder) as db:
        db.create_function("is_meant", 1, is_meant)
        where = "FROM replies WHERE is_meant(CAST(record AS BLOB))"  # a text that is not UTF-8 would be an error
        if dry_run:
            (count,) = db.execute(f"SELECT count(*) {where}").fetchone()
        else:
            count = db.execute(f"DELETE {where}").rowcount
        print(f"Replies {'to delete' if dry_run else 'deleted'}: {count:,}")
        if count and not dry_run:
            _shrink(db)
    return 0


@contextmanager
def _database(folder: Path | None) -> Iterator[sqlite3.Connection]:
    """Open the cache for the `with` block. Raises as `read_stats` does."""
    file = cache_file(folder)
    if not file.exists():
        raise InputError(f"{file}: no cache there. A judged run creates it; --dir names the folder of another one")
    try:
        with closing(connect(file)) as db:
            yield db
    except (OSError, NewerFormatError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"{file}: cannot be opened ({reason})") from None
    except sqlite3.Error as error:
        if is_damage(error):
            raise DataError(
                f"{file}: damaged ({error}). The next judged run renames it and creates a new one; or delete it now"
            ) from None
        raise DataError(
            f"{file}: {error}. Free some space there, or try again when no other process has locked it"
        ) from None


def _shrink(db: sqlite3.Connection) -> None:
    try:
        db.execute("VACUUM")
        is_busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        reason = "another process reads it" if is_busy else ""
    except sqlite3.OperationalError as error:  # such as a disk too full for the copy
        reason = str(error)
    if reason:
        print(f"The file keeps its size for now ({reason}); its free pages are used for the next replies.")

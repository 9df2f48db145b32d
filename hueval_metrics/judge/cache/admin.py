"""`hueval cache stats|prune|verify`: what the judge's cache holds, to thin it out, to check it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hueval_metrics.judge.cache.file import cache_file
from hueval_metrics.judge.cache.rows import (
    MEND_DAMAGE,
    SHOWN,
    Complaints,
    database,
    pages,
    rows,
    write,
)
from hueval_metrics.records import InputError
from hueval_metrics.text.one_line import one_line

_MOST_DAYS = 36_500
_SUMS = ("replies", "uncounted", "prompt_tokens", "completion_tokens")
# Not one that another process has replaced since it was looked at.
_DELETE = "DELETE FROM replies WHERE key = ? AND record = CAST(? AS TEXT)"
_MEND_ROWS = (
    "A reply that cannot be read is asked for again when it is needed. To be rid of the rows: hueval cache export, "
    "which leaves them out, delete the file, hueval cache import"
)


def read_stats(folder: Path | None = None) -> dict[str, Any]:
    """What the cache holds.

    Args:
        folder: the folder of the files; None for the library's own.

    Returns:
        `file`, its `bytes` on disk; `first` and `last` date, None without replies; `replies`, those of them that came
        `uncounted`, the `prompt_tokens` and `completion_tokens` of the others; `groups`, a dict with the same four for
        each `model` and `rubric`, the largest first; `unreadable`, how many rows are not in order.

    Raises:
        InputError: there is no cache.
        DataError: it cannot be read.
    """
    sums: dict[tuple[str, str], dict[str, int]] = {}
    dates: list[datetime] = []
    unreadable = 0
    with database(folder) as db:
        for row in rows(db):
            if row.problem:
                unreadable += 1
                continue
            record = row.record
            group = sums.setdefault((record["model"], record["rubric"]), dict.fromkeys(_SUMS, 0))
            group["replies"] += 1
            group["uncounted"] += "prompt_tokens" not in record
            group["prompt_tokens"] += record.get("prompt_tokens", 0)
            group["completion_tokens"] += record.get("completion_tokens", 0)
            dates.append(datetime.fromisoformat(record["at"]))
            dates = [min(dates), max(dates)]
    file = cache_file(folder)
    parts = [part for part in (file, file.with_name(file.name + "-wal")) if part.exists()]
    groups = [{"model": model, "rubric": rubric, **group} for (model, rubric), group in sums.items()]
    return {
        "file": str(file),
        "bytes": sum(part.stat().st_size for part in parts),
        "unreadable": unreadable,
        "first": dates[0].isoformat() if dates else None,
        "last": dates[-1].isoformat() if dates else None,
        **{name: sum(group[name] for group in sums.values()) for name in _SUMS},
        "groups": sorted(groups, key=lambda group: -group["replies"]),
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
        print(f"Rows not in order: {stats['unreadable']:,} (hueval cache verify says why)")
    return 0


def prune(
    folder: Path | None = None,
    *,
    older_than_days: float | None = None,
    model: str | None = None,
    rubric: str | None = None,
    dry_run: bool = False,
) -> int:
    """Delete the replies that meet every condition given, and give their room back to the disk.

    Args:
        folder: the folder of the files; None for the library's own.
        older_than_days: they came before that, 0 to 36,500.
        model: a judge's model id.
        rubric: name and version, or the name alone for all versions.
        dry_run: only say how many there are.

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
    until = None if older_than_days is None else datetime.now(UTC) - timedelta(days=older_than_days)

    def is_meant(record: Mapping[str, Any]) -> bool:
        return (
            (until is None or datetime.fromisoformat(record["at"]) <= until)
            and model in (None, record["model"])
            and rubric in (None, record["rubric"], record["rubric"].partition("/")[0])
        )

    count = 0
    with database(folder) as db:
        for page in pages(db):
            meant = [(row.key, row.text) for row in page if not row.problem and is_meant(row.record)]
            count += len(meant) if dry_run else write(db, _DELETE, meant)
        print(f"Replies {'to delete' if dry_run else 'deleted'}: {count:,}")
        if count and not dry_run:
            _shrink(db)
    return 0


def verify(folder: Path | None = None) -> int:
    """Check the file and every row in it, and say what is wrong.

    Args:
        folder: the folder of the files; None for the library's own.

    Returns:
        The exit status: 0, or 1 when something is wrong.

    Raises:
        InputError: there is no cache.
        DataError: it cannot be read at all.
    """
    found = Complaints()
    count = 0
    with database(folder) as db:
        for (line,) in db.execute(f"PRAGMA integrity_check({SHOWN})"):
            if line != b"ok":
                found.add(one_line(line.decode("utf-8", "replace")))
        if found.count:
            print(f"{cache_file(folder)} is damaged. {MEND_DAMAGE}.")
            return 1
        (strange,) = db.execute("SELECT count(*) FROM replies WHERE typeof(key) != 'text'").fetchone()
        if strange:
            found.add(f"rows whose key is no text: {strange:,}")
        for row in rows(db):
            count += 1
            if row.problem:
                found.add(f"row {one_line(row.key, 70)}: {row.problem}")
    if found.count:
        print(f"Rows: {count:,}, problems: {found.count:,}. {_MEND_ROWS}.")
        return 1
    print(f"Replies: {count:,}, all in order")
    return 0


def _shrink(db: sqlite3.Connection) -> None:
    try:
        db.execute("VACUUM")
        is_busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        reason = "another process reads it" if is_busy else ""
    except sqlite3.OperationalError as error:  # such as a disk too full for the copy
        reason = str(error)
    if reason:
        print(f"The file keeps its size for now ({reason}); the room is used for the next replies.")

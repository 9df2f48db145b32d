"""Write the audit log to a file: who changed what, when and why."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hueval_metrics.api.boards import csv_text, json_text, printable, write_whole
from hueval_metrics.errors import InputError
from hueval_site.manage.django_setup import set_up

COLUMNS = ("time", "actor", "action", "kind", "id", "name", "act", "reason", "changes")


def export_audit(since: datetime, output: Path | None) -> None:
    """Write the entries since a time, the oldest first, as CSV without formulas, or as JSON lines.

    Args:
        since: with its zone.
        output: a new file, `.csv` or `.jsonl`, which only its owner can read: the log has addresses; None for CSV on
            standard output.

    Raises:
        InputError: the file is there already, cannot be written, or has another suffix.
    """
    if output is not None and output.suffix not in (".csv", ".jsonl"):
        raise InputError(f"{output}: expected a name that ends in .csv or .jsonl. Rename it")
    if output is not None and output.exists():
        raise InputError(f"{output}: exists. Name a new file")
    set_up()
    rows = list(_entries(since))
    if output is not None and output.suffix == ".jsonl":
        text = "".join(json_text(row) + "\n" for row in rows)
    else:
        cells = ([json_text(one) if isinstance(one, dict) else one for one in row.values()] for row in rows)
        text = csv_text([COLUMNS, *([printable(one) for one in row] for row in cells)])
    if output is None:
        sys.stdout.write(text)
        return
    try:
        write_whole(output, text.encode(), private=True)
    except OSError as error:
        raise InputError(f"cannot write {output} ({error.strerror}). Free some space, or name another file") from None
    print(f"{output}: {len(rows)} entries since {since:%Y-%m-%d %H:%M} UTC")


def since(text: str) -> datetime:
    """A day, or a day and a time, of UTC where it names no other zone.

    Raises:
        ValueError: it is neither.
    """
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)


def _entries(start: datetime) -> Iterator[dict[str, Any]]:
    from auditlog.models import LogEntry

    found = LogEntry.objects.filter(timestamp__gte=start).select_related("actor", "content_type")
    for entry in found.order_by("timestamp", "pk").iterator(1000):
        more = entry.additional_data or {}
        values = (
            entry.timestamp.astimezone(UTC).isoformat(timespec="seconds"),
            entry.actor.email if entry.actor else entry.actor_email or "",
            entry.get_action_display(),
            entry.content_type.model,
            entry.object_pk,
            entry.object_repr,
            more.get("act", ""),
            more.get("reason", ""),
            entry.changes or {},
        )
        yield dict(zip(COLUMNS, values, strict=True))

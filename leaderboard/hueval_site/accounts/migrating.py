"""Each migration, of whichever app, and the note that it is applied are one transaction, so it can be broken off.

Django leaves the SQL of new indexes for the end of the transaction, and notes such a migration only after that: where
it is killed in between, it cannot be run again, since its columns exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.migrations import Migration
from django.db.migrations.operations.base import Operation


class _RunDeferred(Operation):
    """Runs what is left for the end, as the last operation: nothing is left then, and Django notes it at once."""

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Change no model."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Run it."""
        while schema_editor.deferred_sql:
            schema_editor.execute(schema_editor.deferred_sql.pop(0), params=None)


def make_whole(plan: Iterable[tuple[Migration, bool]]) -> None:
    """Add the operation to each migration that will be applied; the second of a pair is whether it is undone."""
    for migration, is_undone in plan:
        if not is_undone:
            migration.operations.append(_RunDeferred())

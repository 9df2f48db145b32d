"""The database after a test with transactions of its own: only the tables with rows are emptied.

Django truncates all 50, which takes PostgreSQL 50 ms, and then makes each content type and permission again, for
another 30 to 60 ms. Here these stay, unless a test has changed them: then Django's own way is gone.
"""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction
from django.test import TransactionTestCase

MADE = ("django_content_type", "auth_permission", "django_migrations")  # with the tables, by `migrate`
_flush = TransactionTestCase._fixture_teardown
_known: dict[str, Any] = {}  # the names of the tables that are emptied, and the rows of the others


def _rows_made() -> list[list[tuple[Any, ...]]]:
    with connection.cursor() as cursor:
        found = []
        for table in MADE:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY id")
            found.append(cursor.fetchall())
        return found


def _empty(case: TransactionTestCase) -> None:
    is_usual = case.available_apps is None and not case.serialized_rollback
    if not is_usual or not _known or _rows_made() != _known["made"]:
        _flush(case)
        tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
        _known.update(made=_rows_made(), tables=[connection.ops.quote_name(one) for one in {*tables} - {*MADE}])
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{one}' WHERE EXISTS (SELECT 1 FROM {one})" for one in _known["tables"])
        )
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {table}")


def empty_quickly() -> None:
    """For all tests of this process; foreign keys are checked when the rows of all tables are gone."""
    TransactionTestCase._fixture_teardown = _empty  # type: ignore[method-assign]

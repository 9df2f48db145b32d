"""Whether a row is still what somebody saw, so that two members of staff do not undo each other without noticing.

The version of a row is its last entry in the audit log: each change that staff see writes one, and each act of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from auditlog.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Max, Model
from django.utils.translation import gettext as _

from hueval_site.accounts.models import Team, User
from hueval_site.submissions.models import Submission

Row = TypeVar("Row", bound=Model)


class ActError(Exception):
    """What was asked for is not possible; the text says why, in the reader's language."""


class ChangedError(ActError):
    """A row is not any more what somebody saw who acts on it."""


def versions_of(rows: Iterable[Model]) -> Mapping[str, int]:
    """Primary key, as text → version, of rows of one kind; one query."""
    given = list(rows)
    found = {str(row.pk): 0 for row in given}
    if given:
        kind = ContentType.objects.get_for_model(given[0])
        entries = LogEntry.objects.filter(content_type=kind, object_pk__in=found).order_by()
        found |= entries.values("object_pk").annotate(last=Max("pk")).values_list("object_pk", "last")
    return found


def version_of(row: Model) -> int:
    """The version of one row."""
    return versions_of([row])[str(row.pk)]


def locked(row: Row) -> Row:
    """A row as it is now, which nobody else changes until the transaction ends.

    Locks are taken in one order: administrators, as one of them must be left, then a user, a team, its submissions.
    """
    if isinstance(row, User):
        list(User.objects.select_for_update().filter(is_superuser=True).order_by("pk"))
    elif isinstance(row, Submission):
        Team.objects.select_for_update().get(pk=row.team_id)
    manager: Any = row.__class__._base_manager  # of a `SimpleLazyObject`, such as `request.user`, too
    found: Row = manager.select_for_update().get(pk=row.pk)
    return found


@contextmanager
def unchanged(row: Row, version: int) -> Iterator[Row]:
    """Inside, a row is what somebody saw, and locked.

    Args:
        row: which one.
        version: the one on the page that was read.

    Raises:
        ChangedError: it has changed since.
    """
    with transaction.atomic():
        found = locked(row)
        if version_of(found) != version:
            raise ChangedError(_("It has changed since you opened the page. Nothing was done: look at it again."))
        yield found

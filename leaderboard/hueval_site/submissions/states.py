"""Changes of state: which are allowed, and what goes with them in the same transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from auditlog.context import set_actor
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from hueval_site.accounts.models import User
from hueval_site.submissions.mails import tell_staff, tell_submitter
from hueval_site.submissions.models import Season, State, Submission

NEXT: Mapping[State, frozenset[State]] = {
    State.UPLOADED: frozenset({State.FAULTY, State.CHECKED, State.FAILED}),
    State.FAULTY: frozenset(),
    State.CHECKED: frozenset({State.QUEUED, State.WITHDRAWN}),
    State.QUEUED: frozenset({State.SCORING, State.WITHDRAWN}),
    State.SCORING: frozenset({State.PRIVATE, State.FAILED, State.QUEUED}),
    State.FAILED: frozenset({State.UPLOADED, State.QUEUED, State.WITHDRAWN}),
    State.PRIVATE: frozenset({State.PENDING, State.WITHDRAWN}),
    State.PENDING: frozenset({State.PUBLIC, State.REFUSED, State.WITHDRAWN}),
    State.PUBLIC: frozenset({State.WITHDRAWN, State.SUPERSEDED}),
    State.REFUSED: frozenset({State.PENDING, State.WITHDRAWN}),
    State.WITHDRAWN: frozenset({State.PUBLIC, State.SUPERSEDED}),  # a public row that staff withdrew: moderation.py
    State.SUPERSEDED: frozenset({State.WITHDRAWN}),
}
SILENT = frozenset({State.UPLOADED, State.CHECKED, State.QUEUED, State.SCORING})  # the page shows them; no mail
SEEN = frozenset({State.PUBLIC, State.SUPERSEDED})  # pages show them, a superseded one at its own address
TO_STAFF = frozenset({State.PENDING, State.FAILED})


class StateError(Exception):
    """A submission is not in a state that allows what was asked for."""

    def __init__(self, found: State, wanted: State) -> None:
        super().__init__(f"is {found}, which cannot become {wanted}")
        self.found, self.wanted = found, wanted


def move(
    submission: UUID | Submission,
    to: State,
    *,
    by: User | None = None,
    reason: str = "",
    **fields: Any,
) -> Submission:
    """Change the state of a submission, with the mails and the entry of the audit log that belong to it.

    Args:
        submission: itself or its id; it is read again, and locked.
        to: the new state.
        by: whose doing it is; None for the site's own.
        reason: for the submitter.
        **fields: further columns to set.

    Raises:
        StateError: the present state does not allow it.
        Submission.DoesNotExist: there is none.
    """
    key = submission.pk if isinstance(submission, Submission) else submission
    with transaction.atomic(), set_actor(by):
        found = Submission.objects.select_for_update().get(pk=key)
        before = State(found.state)
        if to not in NEXT[before]:
            raise StateError(before, to)
        fields |= {"state": to, "reason": reason[:500]}
        if to == State.QUEUED and found.counted is None:
            fields["counted"] = timezone.now()
        if before != State.SCORING and to in (State.UPLOADED, State.QUEUED):  # its attempts are counted from here
            fields = {"attempts": 0, "broken": None, "n_broken": 0, "judgings": 0, "not_before": None} | fields
        if to in (State.QUEUED, State.PUBLIC):
            fields.setdefault({State.QUEUED: "queued", State.PUBLIC: "published"}[to], timezone.now())
        for name, value in fields.items():
            setattr(found, name, value)
        found.save(update_fields=list(fields))
        if SEEN & {before, to}:
            changed(found.season_id)
        if to not in SILENT:
            tell_submitter(found)
        if to in TO_STAFF:
            tell_staff(found)
    return found


def changed(season: int) -> None:
    """Count a change of a board's public rows: cached pages of it are made anew."""
    Season.objects.filter(pk=season).update(version=F("version") + 1)

"""How alike the answers of two submissions are: near-equal files of different teams, and what a team changed.

A submission keeps two bytes of a hash for each answer, in the order of the items' keys: a file of 1,000 labels takes
2 kB, and two different answers are taken for the same once in 65,536 times. A sketch of some of the items finds the
candidates among all submissions of a season; only those are compared in full.

Case, spaces and punctuation do not make answers differ, so that they do not hide a copy. Replies that are worded anew
do hide one: what a task reads from a reply is not known here.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np
from django.db.models import QuerySet

from hueval_site.submissions.models import Fingerprint, Submission
from hueval_site.submissions.receive import answers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint16]

FLAGGED = 0.98  # share of equal answers at which staff are told; different models rarely agree so much
SKETCHED = 256  # items of a sketch: a share of 0.98 is known to 0.01
CANDIDATES = 20  # sketches most alike, which are compared in full
MOST = 50_000  # submissions of a season that are looked at, the newest first
_CHUNK = 2_000  # sketches held at once, 1 MB
_KEPT = frozenset("+-")  # signs that can be all of a difference


@dataclass(frozen=True)
class Alike:
    """Another submission.

    Attributes:
        submission: its id.
        share: of the items, those with the same answer, 0 to 1.
    """

    submission: UUID
    share: float


@dataclass(frozen=True)
class Changes:
    """What a team changed since its last submission for the same board.

    Attributes:
        since: the last one.
        items: those whose answer changed, by their keys; no answers.
        n_items: all items.
    """

    since: Submission
    items: tuple[str, ...]
    n_items: int


def record(submission: Submission, answers: Mapping[str, str]) -> Fingerprint:
    """Keep the fingerprint of a submission.

    Args:
        submission: it.
        answers: item, by its key → answer.
    """
    items = sorted(answers)
    digest = hashlib.sha256("\n".join(items).encode("utf-8", "surrogatepass")).hexdigest()
    packed = np.fromiter((_hash(answers[item]) for item in items), np.uint16, len(items))
    fields = {
        "items": digest,
        "n_items": len(items),
        "answers": packed.astype("<u2").tobytes(),
        "sketch": packed[_places(digest, len(items))].astype("<u2").tobytes(),
    }
    return Fingerprint.objects.update_or_create(submission=submission, defaults=fields)[0]


def fingerprint_of(submission: Submission) -> Fingerprint:
    """The fingerprint of a submission, made of its file where there is none yet.

    Raises:
        HuevalError, OSError: see `receive.answers_of`.
    """
    found = Fingerprint.objects.filter(submission=submission).first()
    return found or record(submission, answers_of(submission))


def look_for_copies(submission: Submission) -> Fingerprint:
    """Keep which submission of another team is most alike, for staff.

    Raises:
        HuevalError, OSError: see `receive.answers_of`.
    """
    found = fingerprint_of(submission)
    others = nearest(submission, 1)
    found.alike_id, found.share = (others[0].submission, others[0].share) if others else (None, 0.0)
    found.save(update_fields=["alike", "share"])
    return found


def flagged(share: float = FLAGGED) -> QuerySet[Fingerprint]:
    """Fingerprints of submissions that are nearly equal to one of another team, the most alike first."""
    return (
        Fingerprint.objects.filter(share__gte=share)
        .defer("answers", "sketch")
        .select_related("submission__team", "alike__team")
        .order_by("-share", "-submission__created")
    )


def nearest(submission: Submission, n: int = 5) -> list[Alike]:
    """The submissions of other teams in the same season that are most alike, the most alike first.

    An equal file is found whatever else there is; besides, the newest 50,000 are looked at.

    Raises:
        HuevalError, OSError: see `receive.answers_of`.
    """
    own = fingerprint_of(submission)
    others = Fingerprint.objects.filter(submission__season=submission.season_id, items=own.items).exclude(
        submission__team=submission.team_id
    )
    twins = others.filter(submission__digest=submission.digest).order_by("submission__created")
    found = [Alike(key, 1.0) for key in twins.values_list("submission", flat=True)[:n]]
    if len(found) < n:
        known = {one.submission for one in found}
        candidates = [key for key in _candidates(own, others) if key not in known]
        found += _compared(own, others.filter(submission__in=candidates))[: n - len(found)]
    return found


def most_alike(submission: Submission, others: QuerySet[Submission]) -> Alike | None:
    """Which of some submissions is most alike, compared in full; None where none answers the same items.

    Args:
        submission: it; it is left out of the others.
        others: few, such as those that were published.
    """
    own = fingerprint_of(submission)
    for other in others.filter(fingerprint=None):
        fingerprint_of(other)
    others = others.exclude(pk=submission.pk)
    found = _compared(own, Fingerprint.objects.filter(submission__in=others, items=own.items))
    return found[0] if found else None


def changes(submission: Submission) -> Changes | None:
    """What its team changed since its last submission for the same season; None for the first one.

    Raises:
        HuevalError, OSError: see `receive.answers_of`.
    """
    own = fingerprint_of(submission)
    earlier = Submission.objects.filter(
        team=submission.team_id,
        season=submission.season_id,
        created__lt=submission.created,
        fingerprint__items=own.items,
    )
    last = earlier.select_related("fingerprint").order_by("-created").first()
    if last is None:
        return None
    differ = np.flatnonzero(_unpacked(own.answers) != _unpacked(last.fingerprint.answers))
    items = sorted(answers_of(submission)) if len(differ) else []
    return Changes(last, tuple(items[place] for place in differ), own.n_items)


def _candidates(own: Fingerprint, others: QuerySet[Fingerprint]) -> list[UUID]:
    """The submissions whose sketches are most alike."""
    sketch = _unpacked(own.sketch)
    best: list[tuple[float, UUID]] = []
    rows = others.order_by("-submission__created").values_list("submission", "sketch")[:MOST]
    for chunk in _chunks(rows.iterator(_CHUNK)):
        table = np.frombuffer(b"".join(bytes(one) for _, one in chunk), "<u2").reshape(len(chunk), -1)
        shares = (table == sketch).mean(axis=1)
        top = np.argsort(-shares, kind="stable")[:CANDIDATES]
        best += [(float(shares[place]), chunk[place][0]) for place in top]
        best = sorted(best, key=lambda one: -one[0])[:CANDIDATES]
    return [key for _, key in best]


def _compared(own: Fingerprint, others: QuerySet[Fingerprint]) -> list[Alike]:
    answers = _unpacked(own.answers)
    rows = others.values_list("submission", "answers").iterator(_CHUNK // 10)
    found = [Alike(key, float((_unpacked(packed) == answers).mean())) for key, packed in rows]
    return sorted(found, key=lambda one: -one.share)


def _chunks(rows: Iterable[tuple[UUID, bytes]]) -> Iterable[list[tuple[UUID, bytes]]]:
    chunk: list[tuple[UUID, bytes]] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _places(items: str, n: int) -> NDArray[np.intp]:
    """Which items are in sketches: the same for all submissions with these items."""
    if n <= SKETCHED:
        return np.arange(n)
    return np.sort(np.random.default_rng(int(items[:16], 16)).choice(n, SKETCHED, replace=False))


def _hash(answer: str) -> int:
    plain = "".join(sign for sign in answer.casefold() if sign.isalnum() or sign in _KEPT)
    return zlib.crc32((plain or answer).encode("utf-8", "surrogatepass")) & 0xFFFF


def _unpacked(packed: bytes | memoryview) -> Hashes:
    return np.frombuffer(bytes(packed), "<u2")

"""How alike the answers of two submissions are."""

from __future__ import annotations

from uuid import uuid4

import numpy as np
import pytest

from hueval_site.accounts.models import Team, User
from hueval_site.boards import boards
from hueval_site.submissions import similarity
from hueval_site.submissions.models import Fingerprint, Submission
from hueval_site.submissions.receive import store
from hueval_site.submissions.seasons import open_season
from hueval_site.submissions.similarity import (
    changes,
    fingerprint_of,
    flagged,
    look_for_copies,
    most_alike,
    nearest,
    record,
)
from leaderboard.tests.labelled import labels_of
from leaderboard.tests.people import CARD, upload

pytestmark = pytest.mark.django_db
BOARD = "hulu_hucola"


def user_of(team: str) -> User:
    found = Team.objects.get_or_create(name=team, defaults={"is_admitted": True})[0]
    return User.objects.get_or_create(email=f"{team}@example.org", defaults={"team": found})[0]


def flipped(n: int, start: int = 0) -> list[dict[str, str]]:
    """The right labels of 200 items, of which n are flipped."""
    rows = [{"id": key, "label": label} for key, label in labels_of("hucola").items()]
    for row in rows[start : start + n]:
        row["label"] = "1" if row["label"] == "0" else "0"
    return rows


def stored(team: str, rows: list[dict[str, str]]) -> Submission:
    return store(user_of(team), boards()[BOARD], upload(rows), CARD)


def row_of(team: str, answers: dict[str, str]) -> Submission:
    """A submission without a file."""
    board, user = boards()[BOARD], user_of(team)
    found = Submission.objects.create(
        team=user.team, user=user, board=BOARD, season=open_season(board), digest=uuid4().hex
    )
    record(found, answers)
    return found


def test_the_share_of_equal_answers():
    ours, theirs = stored("Ours", flipped(0)), stored("Theirs", flipped(5))
    fingerprint_of(theirs)
    (found,) = nearest(ours)
    assert (found.submission, found.share) == (theirs.pk, 0.975)  # 195 of 200


def test_an_equal_file_is_found_first():
    ours, copy, near = stored("Ours", flipped(3)), stored("Copy", flipped(3)), stored("Near", flipped(4))
    for one in (copy, near):
        fingerprint_of(one)
    assert [(one.submission, one.share) for one in nearest(ours)] == [(copy.pk, 1.0), (near.pk, 0.995)]


def test_the_order_of_rows_and_spaces_do_not_hide_a_copy():
    ours = row_of("Ours", {"1": "A", "2": "b", "3": "-1"})
    row_of("Copy", {"3": "-1 ", "2": "B.", "1": "a"})
    assert nearest(ours)[0].share == 1.0


def test_signs_and_answers_of_punctuation_differ():
    ours = row_of("Ours", {"1": "-1", "2": "?", "3": ""})
    row_of("Other", {"1": "1", "2": "!", "3": ""})
    assert nearest(ours)[0].share == pytest.approx(1 / 3)


def test_own_submissions_and_other_items_are_no_copies():
    ours = row_of("Ours", {"1": "a", "2": "b"})
    row_of("Ours", {"1": "a", "2": "b"})
    row_of("Other", {"1": "a", "3": "b"})
    assert nearest(ours) == []


def test_copies_are_flagged_for_staff():
    original, copy, other = stored("Ours", flipped(0)), stored("Copy", flipped(2)), stored("Other", flipped(9, 50))
    for one in (original, copy, other):
        look_for_copies(one)
    (found,) = flagged()
    assert (found.submission, found.alike, found.share) == (copy, original, 0.99)


def test_what_a_team_changed():
    first = stored("Ours", flipped(0))
    assert changes(first) is None
    second = stored("Ours", flipped(3, 10))
    found = changes(second)
    assert found is not None
    assert (found.since, found.n_items, set(found.items)) == (first, 200, {"10", "11", "12"})
    third = stored("Ours", flipped(3, 10))
    assert changes(third).items == ()


def test_most_alike_makes_fingerprints_that_are_missing():
    ours, theirs = stored("Ours", flipped(0)), stored("Theirs", flipped(1))
    found = most_alike(ours, Submission.objects.all())
    assert (found.submission, found.share) == (theirs.pk, 0.995)
    assert most_alike(ours, Submission.objects.none()) is None


def test_a_copy_is_found_among_many():
    """Of 5,000 submissions with 1,000 items, by their sketches alone; twenty are compared in full."""
    draws = np.random.default_rng(0)
    ours = row_of("Ours", {str(item): str(answer) for item, answer in enumerate(draws.integers(0, 2, 1000))})
    own = ours.fingerprint
    near = row_of("Near", {str(item): str(answer) for item, answer in enumerate(draws.integers(0, 2, 1000))})
    packed = np.frombuffer(own.answers, "<u2").copy()
    packed[::100] ^= 1  # ten answers differ
    places = similarity._places(own.items, 1000)
    Fingerprint.objects.filter(pk=near.pk).update(answers=packed.tobytes(), sketch=packed[places].tobytes())
    board, user = boards()[BOARD], user_of("Many")
    season = open_season(board)
    many = [Submission(team=user.team, user=user, board=BOARD, season=season, digest="other") for _ in range(5_000)]
    Submission.objects.bulk_create(many, batch_size=2000)
    sketches = draws.integers(0, 2, (5_000, similarity.SKETCHED)).astype("<u2")
    rows = [
        Fingerprint(submission=one, items=own.items, n_items=1000, answers=bytes(2000), sketch=sketch)
        for one, sketch in zip(many, map(bytes, sketches), strict=True)
    ]
    Fingerprint.objects.bulk_create(rows, batch_size=2000)
    found = nearest(ours)
    assert (found[0].submission, found[0].share) == (near.pk, 0.99)

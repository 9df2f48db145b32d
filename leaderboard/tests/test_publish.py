"""How a result becomes public."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from hueval_metrics.records import Signature
from hueval_site.accounts.models import Team, User
from hueval_site.boards import boards
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.models import Decision, Mail, Season, State, Submission
from hueval_site.submissions.publish import PublishError, approvals, decide, request_publication, rows_left, withdraw
from hueval_site.submissions.seasons import open_season
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, submitted, upload

pytestmark = pytest.mark.django_db(transaction=True)
BOARD = "hulu_hucola"
EXACT = {"mcc": 61.5384, "mcc_ci95": [53.212, 69.377], "mcc_n": 200, "signature": "signature"}


def user_of(team: str, **fields) -> User:
    found = Team.objects.get_or_create(name=team, defaults={"is_admitted": True})[0]
    return User.objects.get_or_create(email=f"{team}@example.org", defaults={"team": found, **fields})[0]


def staff(name: str, **fields) -> User:
    return User.objects.create_user(f"{name}@staff.example.org", is_staff=True, **fields)


def scored(team: str, seed: int, accuracy: float = 0.8, board: str = BOARD, **fields) -> Submission:
    """A private submission, scored without a worker."""
    user = user_of(team)
    about = {"team": user.team, "user": user, "board": board, "season": open_season(boards()[board])}
    card = {**CARD, "model_name": f"model {seed}", **fields}
    made = Submission(**about, **card, state=State.PRIVATE, exact=EXACT)
    made.file.save("file.json", upload(predictions(board.split("_")[1], accuracy, seed)), save=False)
    made.save()
    return made


def published(submission: Submission, by: User) -> Submission:
    return decide(request_publication(submission, submission.user), by, approves=True)


def test_from_upload_to_public():
    user = user_of("Team")
    submission = submitted(user)
    score_waiting()
    pending = request_publication(submission, user)
    assert (pending.state, pending.requests) == ("pending", 1)
    public = decide(pending, staff("one"), approves=True)
    assert public.state == "public"
    assert public.published is not None
    exact, shown = public.exact, public.shown
    assert shown["mcc"] == round(exact["mcc"], 1) != exact["mcc"]
    low, high = shown["mcc_ci95"]
    assert low <= exact["mcc_ci95"][0] < exact["mcc_ci95"][1] <= high
    assert shown["mcc_n"] == 200
    parts, known = (Signature.parse(text["signature"]).parts for text in (shown, exact))
    assert {name for name in known if parts[name] != known[name]} == {"data"}  # no hash of the labels goes out
    assert set(shown) == {"mcc", "mcc_ci95", "mcc_n", "signature"}
    assert Season.objects.get(pk=public.season_id).version == 1


def test_only_its_team_asks_and_withdraws():
    submission = scored("Team", 0)
    for function in (request_publication, withdraw):
        with pytest.raises(PublishError, match="not a submission of your team"):
            function(submission, user_of("Other"))
        with pytest.raises(PublishError, match="not a submission of your team"):
            function(submission, User.objects.create_user(f"{function.__name__}@example.org"))


def test_what_is_not_scored_cannot_be_published():
    submission = scored("Team", 0)
    Submission.objects.update(state=State.QUEUED)
    with pytest.raises(PublishError, match="Only a scored submission"):
        request_publication(submission, submission.user)


def test_a_refusal_needs_a_reason_and_can_be_asked_again():
    submission, one = request_publication(scored("Team", 0), user_of("Team")), staff("one")
    with pytest.raises(PublishError, match="needs a reason"):
        decide(submission, one, approves=False, note=" ")
    refused = decide(submission, one, approves=False, note="The card names no base model.")
    assert (refused.state, refused.reason) == ("refused", "The card names no base model.")
    assert "The card names no base model." in Mail.objects.filter(to="Team@example.org").last().body
    again = request_publication(refused, submission.user)
    assert (again.state, again.requests) == ("pending", 2)
    assert decide(again, one, approves=True).state == "public"


def test_two_people_approve_where_the_site_asks_for_it(settings):
    settings.CONFIG = settings.CONFIG.model_copy(update={"approvals": 2})
    submission = request_publication(scored("Team", 0), user_of("Team"))
    one, two = staff("one"), staff("two")
    assert decide(submission, one, approves=True).state == "pending"
    assert decide(submission, one, approves=True).state == "pending"  # the same person again
    assert approvals(submission) == 1
    assert decide(submission, two, approves=True).state == "public"


def test_one_refusal_is_enough(settings):
    settings.CONFIG = settings.CONFIG.model_copy(update={"approvals": 2})
    submission, one = request_publication(scored("Team", 0), user_of("Team")), staff("one")
    decide(submission, one, approves=True)
    assert decide(submission, one, approves=False, note="I was wrong.").state == "refused"


def test_approvals_of_an_earlier_request_do_not_count(settings):
    settings.CONFIG = settings.CONFIG.model_copy(update={"approvals": 2})
    submission, one, two = request_publication(scored("Team", 0), user_of("Team")), staff("one"), staff("two")
    decide(submission, one, approves=True)
    again = request_publication(decide(submission, two, approves=False, note="No."), submission.user)
    assert decide(again, two, approves=True).state == "pending"
    assert decide(again, one, approves=True).state == "public"


def test_a_replayed_decision_is_harmless():
    submission, one = request_publication(scored("Team", 0), user_of("Team")), staff("one")
    public = decide(submission, one, approves=True, request=1)
    assert decide(public, one, approves=True, request=1).state == "public"
    assert Decision.objects.count() == 1
    gone = withdraw(public, submission.user)
    assert decide(gone, one, approves=True, request=1).state == "withdrawn"
    with pytest.raises(PublishError, match="not to be decided any more"):
        decide(gone, one, approves=False, note="late", request=1)


def test_an_approval_replayed_after_a_refusal_does_not_approve_the_next_request():
    submission, one, two = request_publication(scored("Team", 0), user_of("Team")), staff("one"), staff("two")
    again = request_publication(decide(submission, one, approves=False, note="No.", request=1), submission.user)
    with pytest.raises(PublishError, match="not to be decided any more"):
        decide(again, two, approves=True, request=1)  # from a page that was loaded before
    assert Submission.objects.get(pk=again.pk).state == "pending"


def test_who_decides():
    submission = request_publication(scored("Team", 0), user_of("Team"))
    own = staff("own", team=submission.team)
    gone = staff("gone", is_active=False)
    with pytest.raises(PublishError, match="a member of its team"):
        decide(submission, own, approves=True)
    for user in (submission.user, user_of("Other"), gone):
        with pytest.raises(PublishError):
            decide(submission, user, approves=True)


def test_four_rows_a_year(monkeypatch):
    by, now = staff("one"), datetime(2026, 6, 1, tzinfo=UTC)
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)
    rows = [published(scored("Team", seed), by) for seed in range(4)]
    withdraw(rows[0], rows[0].user)  # its number was shown
    assert rows_left(rows[0].team, boards()[BOARD]) == 0
    fifth = scored("Team", 5)
    with pytest.raises(
        PublishError, match=r"4 rows of this board public in a year\. The next is possible from 2027-06-01"
    ):
        request_publication(fifth, fifth.user)
    assert published(scored("Other", 6), by).state == "public"
    monkeypatch.setattr("django.utils.timezone.now", lambda: now + timedelta(days=365))
    assert published(fifth, by).state == "public"


def test_rows_that_wait_count_when_another_is_asked_for():
    for seed in range(4):
        submission = scored("Team", seed)
        request_publication(submission, submission.user)
    fifth = scored("Team", 4)
    with pytest.raises(PublishError, match="others of yours await approval"):
        request_publication(fifth, fifth.user)


@pytest.mark.parametrize(("flips", "allowed"), [(0, False), (2, False), (3, True)])
def test_no_row_beside_one_with_nearly_the_same_answers(flips, allowed):
    """Of 200 items, 2 are 1 %: whose answers differ can be read from two numbers."""
    by = staff("one")
    published(scored("Team", 0), by)
    rows = predictions("hucola", 0.8)
    for row in rows[:flips]:
        row["label"] = "1" if row["label"] == "0" else "0"
    near = scored("Other", 1)
    near.file.save("near.json", upload(rows))
    if allowed:
        assert published(near, by).state == "public"
    else:
        with pytest.raises(PublishError, match=r"At least 99 % of its answers are those of a row"):
            request_publication(near, near.user)


def test_two_copies_that_wait_are_not_both_approved():
    by, first, second = staff("one"), scored("Team", 0), scored("Other", 0)
    for one in (first, second):
        request_publication(one, one.user)
    assert decide(first, by, approves=True).state == "public"
    with pytest.raises(PublishError, match="At least 99 %"):
        decide(second, by, approves=True)
    assert not Decision.objects.filter(submission=second).exists()
    assert decide(second, by, approves=False, note="a copy").state == "refused"


def test_a_withdrawn_row_still_has_its_answers_taken():
    by, first = staff("one"), scored("Team", 0)
    withdraw(published(first, by), first.user)
    again = scored("Team", 0)
    with pytest.raises(PublishError, match="is or was public"):
        request_publication(again, again.user)


def test_a_newer_row_of_the_same_model_supersedes_the_older_one():
    by = staff("one")
    old = published(scored("Team", 0, model_name="Model"), by)
    other_setting = published(scored("Team", 1, model_name="Model", setting="few-shot"), by)
    other_team = published(scored("Other", 2, model_name="Model"), by)
    new = published(scored("Team", 3, model_name="model"), by)
    states = dict(Submission.objects.values_list("pk", "state"))
    assert [states[one.pk] for one in (old, other_setting, other_team, new)] == [
        "superseded",
        "public",
        "public",
        "public",
    ]


def test_where_answers_are_public_nothing_is_rounded_or_limited(monkeypatch):
    public = {BOARD: boards()[BOARD].model_copy(update={"hidden": ()})}
    monkeypatch.setattr("hueval_site.submissions.publish.every_board", lambda: public)
    by = staff("one")
    rows = [published(scored("Team", 0, model_name=f"copy {number}"), by) for number in range(5)]
    assert {row.state for row in rows} == {"public"}
    assert rows[0].shown["mcc"] == EXACT["mcc"]
    assert rows_left(rows[0].team, public[BOARD]) is None


def test_a_task_without_a_board(monkeypatch):
    submission = scored("Team", 0)
    monkeypatch.setattr("hueval_site.submissions.publish.every_board", dict)
    with pytest.raises(PublishError, match="no board of this task any more"):
        request_publication(submission, submission.user)


def test_withdrawal_is_final():
    submission = scored("Team", 0)
    assert withdraw(submission, submission.user).state == "withdrawn"
    with pytest.raises(PublishError, match="cannot be withdrawn now"):
        withdraw(submission, submission.user)
    with pytest.raises(PublishError, match="Only a scored submission"):
        request_publication(submission, submission.user)


def test_staff_can_withdraw():
    assert withdraw(scored("Team", 0), staff("one")).state == "withdrawn"


def test_every_step_is_in_the_audit_log():
    from auditlog.models import LogEntry

    by, submission = staff("one"), scored("Team", 0)
    withdraw(published(submission, by), submission.user)
    entries = LogEntry.objects.filter(object_pk=str(submission.pk)).order_by("pk")
    changes = [(entry.changes["state"][1], entry.actor) for entry in entries if "state" in (entry.changes or {})]
    assert changes[-3:] == [("pending", submission.user), ("public", by), ("withdrawn", submission.user)]
    assert not any("61.5384" in json.dumps(entry.changes) for entry in entries)

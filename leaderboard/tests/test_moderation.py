"""Acts of moderators: what each does, to whom it is mailed, what it leaves in the audit log, and what is refused."""

from __future__ import annotations

import pytest
from allauth.mfa.models import Authenticator
from auditlog.models import LogEntry
from django.test import Client
from django.urls import reverse

from hueval_site.accounts import teams
from hueval_site.accounts.models import Team, Token, User
from hueval_site.boards import boards
from hueval_site.manage.command import ACCOUNT_WORDS, ROW_WORDS, TEAM_WORDS
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions import moderation, publish
from hueval_site.submissions.models import Mail, State, Submission
from hueval_site.submissions.personal import delete_account
from hueval_site.submissions.receive import RefusedError, check, queue, store
from hueval_site.submissions.versions import ActError
from hueval_site.submissions.waiting import wait_of
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, PASSWORD, member, signed_in, submitted, upload
from leaderboard.tests.test_publish import published

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]
WHY = "Its card names a model that does not exist."


@pytest.fixture
def staff() -> User:
    return member("staff@example.org", None, is_staff=True, is_superuser=True)


@pytest.fixture
def public(user, staff) -> Submission:
    found = submitted(user)
    score_waiting()
    found.refresh_from_db()
    found = published(found, staff)
    Mail.objects.all().delete()
    return found


def mailed(address: str = "anna@example.org") -> str:
    """The only mail to an address."""
    return Mail.objects.get(to=address).body


def acts_of(row: object) -> list[tuple[str, str, str]]:
    """What the audit log has of acts: what, why, who."""
    entries = LogEntry.objects.get_for_object(row).exclude(additional_data=None).order_by("pk")
    return [(one.additional_data["act"], one.additional_data["reason"], one.actor_email or "") for one in entries]


def test_staff_withdraw_a_public_row_and_put_it_back(public, staff):
    when = public.published
    moderation.withdraw(public, staff, WHY)
    public.refresh_from_db()
    assert (public.state, public.reason) == (State.WITHDRAWN, WHY)
    assert "withdrawn" in mailed() and WHY in mailed()
    assert "Puli" not in Client().get(reverse("board", args=["hulu_hucola"])).content.decode()
    Mail.objects.all().delete()
    moderation.put_back(public, staff, "The card is right now.")
    public.refresh_from_db()
    assert (public.state, public.published) == (State.PUBLIC, when)  # no further one of the year's
    assert "Puli" in Client().get(reverse("board", args=["hulu_hucola"])).content.decode()
    assert "The card is right now." in mailed()
    assert acts_of(public) == [
        ("withdraw", WHY, "staff@example.org"),
        ("put-back", "The card is right now.", "staff@example.org"),
    ]


def test_what_the_team_withdrew_is_not_put_back(public, user, staff):
    publish.withdraw(public, user)
    with pytest.raises(ActError, match="that staff withdrew"):
        moderation.put_back(public, staff, WHY)
    public.refresh_from_db()
    assert public.state == State.WITHDRAWN


def test_a_row_that_was_never_public_is_not_put_back(user, staff):
    found = submitted(user)
    score_waiting()
    moderation.withdraw(found, staff, WHY)
    with pytest.raises(ActError, match="Only a public row"):
        moderation.put_back(found, staff, WHY)


def test_an_older_row_of_the_model_comes_back_as_superseded(public, user, staff):
    moderation.withdraw(public, staff, WHY)
    newer = submitted(user, 0.6, seed=3)
    score_waiting()
    newer.refresh_from_db()
    published(newer, staff)
    moderation.put_back(public, staff, WHY)
    public.refresh_from_db()
    newer.refresh_from_db()
    assert (public.state, newer.state) == (State.SUPERSEDED, State.PUBLIC)


def test_a_card_is_corrected_on_the_board_too(public, staff):
    board = reverse("board", args=["hulu_hucola"])
    assert "Puli" in Client().get(board).content.decode()
    moderation.correct_card(public, staff, WHY, {"model_name": "Kuvasz", "size": 7.6})
    public.refresh_from_db()
    assert (public.model_name, public.size, public.state) == ("Kuvasz", 7.6, State.PUBLIC)
    page = Client().get(board).content.decode()
    assert "Kuvasz" in page and "Puli" not in page
    assert "model card of Kuvasz" in mailed() and WHY in mailed()
    changed = LogEntry.objects.get_for_object(public).latest("pk")
    assert changed.changes["model_name"] == ["Puli", "Kuvasz"]


def test_nobody_moderates_the_row_of_the_own_team(public, staff):
    staff.team = public.team
    staff.save()
    for act, given in ((moderation.put_back, ()), (moderation.correct_card, ({"model_name": "X"},))):
        with pytest.raises(ActError, match="a member of its team"):
            act(public, staff, WHY, *given)


def test_a_row_in_work_is_not_withdrawn_and_its_card_is(user, staff):
    found = submitted(user)
    Submission.objects.filter(pk=found.pk).update(state=State.SCORING, worker="w")
    with pytest.raises(ActError, match="cannot be withdrawn now"):
        moderation.withdraw(found, staff, WHY)
    moderation.correct_card(found, staff, WHY, {"model_name": "Kuvasz"})
    found.refresh_from_db()
    assert (found.state, found.worker, found.model_name) == (State.SCORING, "w", "Kuvasz")


@pytest.mark.parametrize("act", [*moderation.TEAM_ACTS, *moderation.ACCOUNT_ACTS, *moderation.ROW_ACTS])
def test_no_act_without_a_reason(user, staff, act):
    rows = {moderation.TEAM_ACTS: user.team, moderation.ACCOUNT_ACTS: user}
    row = next((row for acts, row in rows.items() if act in acts), None) or submitted(user)
    if not act.is_free:
        with pytest.raises(ActError, match="Say why"):
            act.run(row, staff, " \n", *(("x",) if act.asks else ()))
        assert acts_of(row) == []


def test_the_command_line_has_every_act():
    assert tuple(act.word for act in moderation.TEAM_ACTS) == TEAM_WORDS
    assert tuple(act.word for act in moderation.ACCOUNT_ACTS) == ACCOUNT_WORDS
    assert (*(act.word for act in moderation.ROW_ACTS), "card") == ROW_WORDS


def test_a_team_is_admitted_and_not_any_more(user, staff):
    moderation.unadmit(user.team, staff, WHY)
    assert submitted(User.objects.get(pk=user.pk)).state == State.CHECKED  # and not queued
    assert "not scored" in mailed() and WHY in mailed()
    Mail.objects.all().delete()
    moderation.admit(user.team, staff)
    assert submitted(User.objects.get(pk=user.pk)).state == State.QUEUED
    assert "can submit from now on" in mailed()
    with pytest.raises(ActError, match="so already"):
        moderation.admit(user.team, staff)


def test_a_suspended_team_can_do_nothing_new(public, user, staff):
    waiting = store(user, boards()["hulu_hurte"], upload(predictions("hurte", 0.7), "rte_test.json"), CARD)
    private = submitted(user, 0.6, seed=2)
    score_waiting()
    invitation = teams.invitation(user.team)
    Mail.objects.all().delete()
    moderation.suspend_team(user.team, staff, WHY)
    assert "has been suspended" in mailed() and WHY in mailed()
    user = User.objects.get(pk=user.pk)
    with pytest.raises(RefusedError, match="suspended"):
        submitted(user)
    assert check(waiting).state == State.CHECKED  # and not queued
    assert "suspended" in Submission.objects.get(pk=waiting.pk).reason
    with pytest.raises(publish.PublishError, match="suspended"):
        publish.request_publication(private, user)
    assert teams.invited_to(invitation) is None
    assert not teams.may_leave(user)
    assert signed_in(user).post(reverse("invite")).status_code == 404
    for page in (reverse("team"), reverse("submit", args=["hulu_hucola"])):
        assert "Your team is suspended" in signed_in(user).get(page).content.decode()
    public.refresh_from_db()
    assert public.state == State.PUBLIC
    moderation.resume_team(user.team, staff, WHY)
    assert queue(Submission.objects.get(pk=waiting.pk)).state == State.QUEUED


def test_what_a_suspended_team_has_queued_is_held(user, staff):
    """Others go on, at their places; it is scored when the suspension ends."""
    held, other = submitted(user), submitted(member("b@example.org", "Other"))
    moderation.suspend_team(user.team, staff, WHY)
    held.refresh_from_db()
    assert (wait_of(held), wait_of(other).place) == (None, 1)
    assert score_waiting() == 1
    held.refresh_from_db()
    assert held.state == State.QUEUED
    for page, reader in (
        (reverse("result", args=[held.pk]), user),
        (reverse("staff_submission", args=[held.pk]), staff),
    ):
        assert "scored when the suspension ends" in signed_in(reader).get(page).content.decode()
    moderation.resume_team(user.team, staff, WHY)
    assert score_waiting() == 1
    held.refresh_from_db()
    assert held.state == State.PRIVATE


def test_a_request_of_a_suspended_team_is_refused_or_waits(user, staff):
    found = submitted(user)
    score_waiting()
    found = publish.request_publication(found, user)
    moderation.suspend_team(user.team, staff, WHY)
    with pytest.raises(publish.PublishError, match="suspended"):
        publish.decide(found, staff, True)
    assert publish.decide(found, staff, False, "Suspended.").state == State.REFUSED


@pytest.mark.parametrize("name", ["ŐRSÉG", "Őrség", "o@example.org", "Qwеn", "", "x" * 81])
def test_a_team_is_not_renamed_to(user, staff, name):
    """A name of another team but for case, an address, look-alike letters, nothing, more than fits."""
    Team.objects.create(name="őrség")
    with pytest.raises(ActError):
        moderation.rename(user.team, staff, WHY, name)
    user.team.refresh_from_db()
    assert user.team.name == "Team"


def test_a_new_name_is_on_the_board_and_in_the_mail(public, user, staff):
    board = reverse("board", args=["hulu_hucola"])
    Client().get(board)
    moderation.rename(user.team, staff, WHY, "  TEAM ")  # its own but for case
    moderation.rename(Team.objects.get(), staff, WHY, "Puli kutatók")
    assert "Puli kutatók" in Client().get(board).content.decode()
    body = Mail.objects.filter(to=user.email).latest("pk").body
    assert "The team TEAM is called Puli kutatók from now on." in body


def test_the_founder_owns_a_team_and_staff_hand_it_over(staff):
    anna, bela = member("anna@example.org", None), member("bela@example.org", None)
    team = teams.create(anna, "Puli")
    teams.join(bela, team)
    assert (team.owner, teams.may_call_back(User.objects.get(pk=bela.pk))) == (anna, False)
    for address in ("staff@example.org", "nobody@example.org"):
        with pytest.raises(ActError, match="no active member"):
            moderation.hand_over(team, staff, WHY, address)
    moderation.hand_over(team, staff, WHY, "BELA@example.org")
    team.refresh_from_db()
    assert team.owner == bela
    assert {mail.to for mail in Mail.objects.all()} == {anna.email, bela.email}
    teams.leave(bela)
    team.refresh_from_db()
    assert team.owner is None


def test_an_invitation_is_called_back_by_staff_and_by_the_owner(user, staff):
    first = teams.invitation(user.team)
    assert teams.invited_to(first) == user.team
    moderation.call_back(user.team, staff, WHY)
    assert teams.invited_to(first) is None
    second = teams.invitation(Team.objects.get())
    client = signed_in(user)
    assert "do not work any more" in client.post(reverse("call_back"), follow=True).content.decode()
    assert teams.invited_to(second) is None
    Team.objects.update(owner=staff)
    assert client.post(reverse("call_back")).status_code == 404


def test_a_suspended_account_is_signed_out_everywhere(user, staff):
    client, text = signed_in(user), Token.create(user, "laptop")[1]
    moderation.suspend_account(user, staff, WHY)
    assert client.get(reverse("mine")).status_code == 302
    bearer = {"authorization": f"Bearer {text}"}
    assert Client().get("/api/v1/submissions", headers=bearer).status_code == 401
    again = Client()
    again.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    assert again.get(reverse("mine")).status_code == 302
    assert "has been suspended" in mailed() and WHY in mailed()
    Mail.objects.all().delete()
    moderation.resume_account(user, staff, WHY)
    again.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    assert again.get(reverse("mine")).status_code == 200
    assert "not suspended any more" in mailed()


def test_the_last_administrator_is_not_suspended(staff):
    member("reader@example.org", None, is_staff=True)  # of staff, and no administrator
    with pytest.raises(ActError, match="only administrator"):
        moderation.suspend_account(staff, None, WHY)
    other = member("other@example.org", None, is_staff=True, is_superuser=True)
    moderation.suspend_account(staff, other, WHY)
    with pytest.raises(ActError, match="only administrator"):
        moderation.suspend_account(other, None, WHY)


def test_a_deleted_account_does_not_come_back(user, staff):
    submitted(user)
    delete_account(user)
    with pytest.raises(ActError, match="deleted"):
        moderation.resume_account(User.objects.get(pk=user.pk), staff, WHY)


def test_a_member_is_removed_from_a_team_that_has_submitted(user, staff):
    bela = member("bela@example.org")
    Team.objects.update(owner=bela)
    submitted(bela)
    moderation.remove_member(bela, staff, WHY)
    bela.refresh_from_db()
    team = Team.objects.get()
    assert (bela.team, team.owner, list(team.members.all())) == (None, None, [user])
    for address in ("anna@example.org", "bela@example.org"):
        assert "bela@example.org is no longer a member of the team Team." in mailed(address)
    with pytest.raises(ActError, match="no team"):
        moderation.remove_member(bela, staff, WHY)


def test_a_token_is_revoked_by_its_name(user, staff):
    text = Token.create(user, "laptop")[1]
    Token.create(user, "cluster")
    with pytest.raises(ActError, match="no token"):
        moderation.revoke_token(user, staff, WHY, "Laptop")
    moderation.revoke_token(user, staff, WHY, "laptop")
    assert [token.name for token in user.tokens.all()] == ["cluster"]
    assert Client().get("/api/v1/submissions", headers={"authorization": f"Bearer {text}"}).status_code == 401
    assert "token laptop" in mailed()


def test_a_lost_second_factor_is_removed(user, staff):
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={})
    client = signed_in(user)
    moderation.reset_second_factor(user, staff, WHY)
    assert not Authenticator.objects.exists()
    assert client.get(reverse("mine")).status_code == 302
    assert "Set up another one" in mailed()
    with pytest.raises(ActError, match="no second factor"):
        moderation.reset_second_factor(user, staff, WHY)


def test_an_act_that_fails_leaves_nothing(user, staff):
    with pytest.raises(ActError):
        moderation.rename(user.team, staff, WHY, "o@example.org")
    assert (acts_of(user.team), Mail.objects.count()) == ([], 0)

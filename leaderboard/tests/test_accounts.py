"""Accounts: sign-up, sign-in, reset, teams, tokens, the first administrator, and what they give away."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

from hueval_site.accounts import first_admin, teams
from hueval_site.accounts.models import Team, Token, User
from hueval_site.submissions.models import Mail, Submission
from leaderboard.tests.people import PASSWORD, member, signed_in, submitted

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]


def sign_up(client: Client, address: str):
    given = {"email": address, "password1": PASSWORD, "password2": PASSWORD}
    return client.post(reverse("account_signup"), given)


def sign_in(client: Client, address: str, password: str = PASSWORD, **more: str):
    return client.post(reverse("account_login"), {"login": address, "password": password, **more})


def test_sign_up_verifies_the_address_and_then_founds_a_team(client):
    assert sign_up(client, "anna@example.org").status_code == 302
    assert sign_in(client, "anna@example.org").headers["location"] == reverse("account_email_verification_sent")
    (mail,) = Mail.objects.filter(to="anna@example.org")
    assert client.get(reverse("mine")).status_code == 302  # not signed in before the address is verified
    path = re.search(r"http://[^/]+(/\S+)", mail.body).group(1)
    assert client.post(path).status_code == 302
    assert sign_in(client, "anna@example.org").headers["location"] == reverse("mine")
    assert client.post(reverse("team"), {"name": "  Puli   kutatók "}).status_code == 302
    user = User.objects.get(email="anna@example.org")
    assert (user.team.name, user.team.is_admitted, user.language, user.is_staff) == ("Puli kutatók", True, "en", False)


def test_no_answer_tells_whether_an_address_has_an_account():
    """Sign-up, reset and login answer alike for an address with an account and for one without."""
    member("known@example.org")

    def answers(address: str) -> list[object]:
        client = Client()
        found: list[object] = []
        for response in (
            sign_in(client, address, "wrong-password"),
            client.post(reverse("account_reset_password"), {"email": address}),
            sign_up(client, address),
        ):
            text = re.sub(r'value="\w{64}"', "", response.content.decode()).replace(address, "ADDRESS")
            found.append((response.status_code, response.headers.get("location"), text))
        cache.clear()
        return found

    assert answers("known@example.org") == answers("unknown@example.org")
    # Nobody gets mail by another's filling in of a reset form, except who has an account.
    assert Mail.objects.filter(to="unknown@example.org").count() == 1  # of the sign-up
    assert Mail.objects.filter(to="known@example.org").count() == 2


@pytest.mark.parametrize("ask", [sign_up, lambda client, address: sign_in(client, address, "wrong-password")])
def test_a_password_is_hashed_once_whether_the_address_has_an_account_or_not(monkeypatch, ask):
    """The time of the answer is that of the hash."""
    member("known@example.org")
    hashed = []
    real = MD5PasswordHasher.encode
    monkeypatch.setattr(MD5PasswordHasher, "encode", lambda self, *given: hashed.append(1) or real(self, *given))
    for address in ("known@example.org", "unknown@example.org"):
        hashed.clear()
        ask(Client(), address)
        assert hashed == [1], address


def test_sign_in_is_limited_for_one_address():
    member()
    client = Client()
    for _ in range(5):
        sign_in(client, "anna@example.org", "wrong")
    blocked = sign_in(client, "anna@example.org")  # the right password, too late
    assert blocked.status_code == 200
    assert "_auth_user_id" not in client.session


def test_sign_in_changes_the_session():
    """A session that somebody else knows of before the sign-in is worth nothing after it."""
    member()
    client = Client()
    session = client.session
    session["planted"] = True
    session.save()
    client.cookies["sessionid"] = session.session_key
    assert sign_in(client, "anna@example.org").status_code == 302
    assert client.session.session_key != session.session_key


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "http:///evil.example"],
)
def test_sign_in_leads_to_no_other_site(target):
    member()
    assert sign_in(Client(), "anna@example.org", next=target).headers["location"] == reverse("mine")


def test_every_change_needs_the_token_of_its_form():
    user = member()
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    token = Token.create(user, "laptop")[0]
    invitation = teams.invitation(user.team)
    addresses = [
        reverse(name, args=args)
        for name, *args in (
            ("account",), ("team",), ("invite",), ("leave",), ("tokens",), ("delete_token", token.pk),
            ("delete_account",), ("join", invitation), ("first_admin", first_admin.link_text()),
            ("account_login",), ("account_logout",), ("account_signup",), ("account_reset_password",),
            ("account_email",), ("account_change_password",), ("mfa_activate_totp",), ("mfa_add_webauthn",),
        )
    ]  # fmt: skip
    assert {address: client.post(address).status_code for address in addresses} == dict.fromkeys(addresses, 403)


def test_a_link_to_another_site_is_refused_by_its_host():
    assert Client().get("/en/", headers={"host": "evil.example"}).status_code == 400


@pytest.mark.parametrize(
    ("name", "is_allowed"),
    [
        ("ELTE DH", True),
        ("Őszi ködök 2.0 (gpt-nagy)", True),
        ("Qwеn", False),  # a Cyrillic e
        ("a\u202ebc", False),  # turns the direction of writing
        ("a\u200bb", False),  # has no width
        ("ｑｗｅｎ", False),  # full width
        ("—", False),
        ("...", False),  # no letter
    ],
)
def test_names_of_teams_cannot_look_like_others(name, is_allowed):
    user = User.objects.create_user("a@example.org")
    client = signed_in(user)
    client.post(reverse("team"), {"name": name})
    assert Team.objects.filter(name=name).exists() == is_allowed


def test_a_team_has_one_name_whatever_its_case():
    Team.objects.create(name="Ágota")
    client = signed_in(User.objects.create_user("a@example.org"))
    answer = client.post(reverse("team"), {"name": "áGOTA"})
    assert "Ask its members to invite you" in answer.content.decode()


def test_a_member_invites_another():
    anna = member()
    bela = User.objects.create_user("bela@example.org")
    answer = signed_in(anna).post(reverse("invite"))
    path = re.search(r"http://127.0.0.1:8000(/\S+/join/[^<\s]+)", answer.content.decode()).group(1)
    client = signed_in(bela)
    assert client.get(path).status_code == 200
    bela.refresh_from_db()
    assert bela.team is None  # opening the link alone changes nothing
    client.post(path)
    bela.refresh_from_db()
    assert bela.team == anna.team


def test_invitations_are_signed_and_expire(monkeypatch):
    team = member().team
    client = signed_in(User.objects.create_user("bela@example.org"))
    text = teams.invitation(team)
    for wrong in (text[:-1] + ("A" if text[-1] != "A" else "B"), "1", first_admin.link_text()):
        assert client.post(reverse("join", args=[wrong])).status_code == 404
    import django.core.signing as signing

    later = signing.time.time() + teams.INVITATION_AGE.total_seconds() + 1
    monkeypatch.setattr(signing.time, "time", lambda: later)
    assert client.post(reverse("join", args=[text])).status_code == 404


def test_who_has_a_team_joins_no_other():
    anna, other = member(), member("c@example.org", "Other")
    signed_in(anna).post(reverse("join", args=[teams.invitation(other.team)]))
    anna.refresh_from_db()
    assert anna.team.name == "Team"


def test_a_team_without_submissions_can_be_left_and_ends_with_its_last_member():
    anna = member()
    signed_in(anna).post(reverse("leave"))
    anna.refresh_from_db()
    assert anna.team is None
    assert not Team.objects.exists()


def test_a_team_that_has_submitted_cannot_be_left():
    """A new team would have new limits, and be told a first number again."""
    submitted(member())
    anna, other = User.objects.get(), member("c@example.org", "Other")
    client = signed_in(anna)
    client.post(reverse("leave"))
    client.post(reverse("team"), {"name": "New"})
    client.post(reverse("join", args=[teams.invitation(other.team)]))
    anna.refresh_from_db()
    assert anna.team.name == "Team"


def test_a_token_is_shown_once_and_stored_as_a_digest():
    anna = member()
    client = signed_in(anna)
    text = re.search(r"hueval_[\w-]+", client.post(reverse("tokens"), {"name": "laptop"}).content.decode()).group()
    assert text not in client.get(reverse("tokens")).content.decode()
    token = Token.objects.get()
    assert token.digest == Token.digest_of(text)
    stranger = signed_in(member("b@example.org", "Other"))
    assert stranger.post(reverse("delete_token", args=[token.pk])).status_code == 404
    client.post(reverse("delete_token", args=[token.pk]))
    assert not Token.objects.exists()


def test_the_first_administrator_is_made_once():
    path = reverse("first_admin", args=[first_admin.link_text()])
    given = {"email": "admin@example.org", "password": PASSWORD, "again": PASSWORD}
    client = Client()
    assert client.post(path, given | {"again": "other"}).status_code == 200
    assert not User.objects.exists()
    assert client.post(path, given).headers["location"] == reverse("account_login")
    admin = User.objects.get()
    assert (admin.is_superuser, admin.is_staff) == (True, True)
    assert client.post(path, given | {"email": "second@example.org"}).status_code == 404
    assert client.get(reverse("first_admin", args=[first_admin.link_text()])).status_code == 404
    assert sign_in(client, "admin@example.org").status_code == 302


def test_a_wrong_link_makes_no_administrator():
    client = Client()
    for text in ("x", teams.invitation(Team.objects.create(name="Team"))):
        assert client.get(reverse("first_admin", args=[text])).status_code == 404


def test_two_requests_at_once_make_one_administrator():
    barrier = Barrier(4)

    def run(number: int) -> User | None:
        barrier.wait()
        while True:
            try:
                return first_admin.create(f"admin{number}@example.org", PASSWORD)
            except OperationalError:  # SQLite in memory does not wait, as a file does
                continue
            finally:
                connection.close()

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(run, range(4)))
    assert len([user for user in made if user]) == 1
    assert User.objects.filter(is_superuser=True).count() == 1


def test_an_account_is_deleted_after_its_password():
    anna = member()
    client = Client()
    sign_in(client, "anna@example.org")
    asked = client.post(reverse("delete_account"), {"sure": "on"})
    assert asked.headers["location"].startswith(reverse("account_reauthenticate"))
    assert User.objects.exists()
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert client.post(reverse("delete_account")).status_code == 200  # not without the tick
    answer = client.post(reverse("delete_account"), {"sure": "on"})
    assert answer.headers["location"] == reverse("start")
    assert not User.objects.filter(pk=anna.pk).exists()
    assert not Team.objects.exists()


def test_the_submissions_of_a_deleted_account_stay_without_its_address():
    from auditlog.models import LogEntry

    from hueval_site.submissions.personal import delete_account

    anna = member()
    submitted(anna)
    delete_account(anna)
    anna.refresh_from_db()
    assert (anna.email, anna.is_active, anna.has_usable_password()) == (f"deleted-{anna.pk}@invalid", False, False)
    assert Submission.objects.get().team.name == "Team"
    stored = str(list(LogEntry.objects.values())) + str(list(Mail.objects.values()))
    assert "anna@example.org" not in stored


def test_what_is_stored_about_one_can_be_downloaded():
    anna = member()
    found = signed_in(anna).get(reverse("export")).json()
    assert (found["email"], found["team"], found["submissions"]) == ("anna@example.org", "Team", [])


def test_pages_of_accounts_have_no_inline_script_or_style():
    """The content security policy would refuse them."""
    client = Client()
    member()
    sign_in(client, "anna@example.org")
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    anonymous = Client()
    for name in (
        "account", "team", "tokens", "mfa_index", "mfa_activate_totp", "mfa_list_webauthn", "mfa_add_webauthn",
        "account_email", "account_change_password", "delete_account",
    ):  # fmt: skip
        answer = client.get(reverse(name))
        assert answer.status_code == 200, name
        _check_inline(answer.content.decode())
    for name in ("account_login", "account_signup", "account_reset_password"):
        answer = anonymous.get(reverse(name))
        assert answer.status_code == 200
        _check_inline(answer.content.decode())


def _check_inline(page: str) -> None:
    assert not re.search(r"<style|\sstyle=|\son\w+=", page)
    for attributes, content in re.findall(r"<script([^>]*)>(.*?)</script>", page, re.S):
        assert "src=" in attributes or 'type="application/json"' in attributes, content

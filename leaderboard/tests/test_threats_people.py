"""What one person must not learn of another, or become: ids, accounts, roles, and fields that no form shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from hueval_site.accounts import first_admin
from hueval_site.accounts.models import Token, User
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.models import Decision, Mail, State, Submission
from hueval_site.submissions.moderation import reset_second_factor
from hueval_site.submissions.publish import request_publication
from hueval_site.submissions.versions import version_of
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, PASSWORD, member, signed_in, submitted, upload

pytestmark = pytest.mark.django_db(transaction=True)

OWN = ("", "state/", "faults/", "card/", "publication/", "withdrawal/")
STAFF = ("", "decision/", "note/", "queue/", "withdrawal/", "return/", "card/")
API = ("", "/faults", "/request-publication", "/withdraw")


@pytest.fixture(autouse=True)
def no_counts():
    """No limit of rates is left over from another test."""
    cache.clear()


def seen(answer) -> tuple[object, ...]:
    """All of an answer that a client sees, without what is random."""
    text = b"".join(answer) if answer.streaming else answer.content
    headers = {name: value for name, value in answer.items() if name != "Set-Cookie"}
    return answer.status_code, headers, re.sub(rb'value="\w{64}"', b"", text)


def test_another_s_submission_is_like_none():
    """The same answer, after the same queries, so that neither text nor time tells; not one character of it differs."""
    row = submitted(member())
    score_waiting()
    eve = member("eve@example.org", "Eve")
    bearer = {"authorization": f"Bearer {Token.create(eve, 'laptop')[1]}"}
    places = [(f"/en/my/{{}}/{page}", page.startswith(("pub", "with"))) for page in OWN]
    places += [(f"/en/staff/{{}}/{page}", bool(page)) for page in STAFF]
    places += [("/en/models/{}/", False), ("/en/rows/{}/", False)]
    places += [(f"/api/v1/submissions/{{}}{page}", "-" in page or "with" in page) for page in API]
    client = signed_in(eve)
    none = uuid4()
    client.get(f"/api/v1/submissions/{none}", headers=bearer)  # the token's time of use is written once a minute
    for place, is_change in places:
        found = []
        for key in (row.pk, none):
            address = place.format(key)
            with CaptureQueriesContext(connection) as queries:
                answer = client.generic("POST" if is_change else "GET", address, headers=bearer)
            asked = [one["sql"] for one in queries if '"submissions_' in one["sql"]]
            statements = [re.sub(r"'[^']*'|\b\d+\b", "?", one) for one in asked]
            status, headers, text = seen(answer)
            text = text.replace(str(key).encode(), b"KEY")
            found.append((status, headers | {"Content-Length": ""}, text, statements))
        assert found[0] == found[1], place
        assert found[0][0] == 404, place


def test_no_cache_keeps_what_is_for_one_person():
    """Neither one on the way nor that of a browser that others use after a sign-out."""
    anna = member()
    row = submitted(anna)
    bearer = {"authorization": f"Bearer {Token.create(anna, 'laptop')[1]}"}
    client = signed_in(anna)
    pages = ("account/", "account/data/", "team/", "tokens/", *(f"{row.pk}/{page}" for page in OWN[:4]))
    answers = [client.get(f"/en/my/{page}") for page in ("", *pages)] + [client.get("/en/submit/hulu_hucola/")]
    places = ("submissions", f"submissions/{row.pk}", f"submissions/{row.pk}/faults", "tasks/hulu_hucola/allowance")
    answers += [Client().get(f"/api/v1/{place}", headers=bearer) for place in places]
    for answer in answers:
        assert answer.status_code == 200
        assert {"private", "no-store"} <= set(answer.headers["Cache-Control"].split(", ")), answer.request["PATH_INFO"]


@pytest.mark.parametrize("way", ["sign-in", "reset", "change of address"])
def test_the_work_of_an_answer_does_not_tell_who_has_an_account(monkeypatch, way):
    """Hashes of passwords take nearly all of the time; the answers are compared too."""
    from django.contrib.auth.hashers import MD5PasswordHasher

    member("known@example.org", "Known")
    anna = member()
    hashed = []
    real = MD5PasswordHasher.encode
    monkeypatch.setattr(MD5PasswordHasher, "encode", lambda self, *given: hashed.append(1) or real(self, *given))
    found = []
    for address in ("known@example.org", "nobody@example.org"):
        cache.clear()
        hashed.clear()
        client = Client()
        if way == "sign-in":
            answer = client.post("/en/accounts/login/", {"login": address, "password": "wrong-password"})
        elif way == "reset":
            answer = client.post("/en/accounts/password/reset/", {"email": address})
        else:
            client = signed_in(anna)
            answer = client.post("/en/accounts/email/", {"email": address, "action_add": "1"})
        text = re.sub(r'value="\w{64}"', "", answer.content.decode()).replace(address, "ADDRESS")
        found.append((len(hashed), answer.status_code, answer.headers.get("Location"), text))
    assert found[0] == found[1]
    assert Mail.objects.filter(to="known@example.org").count() == (0 if way == "sign-in" else 1)


def test_a_form_sets_nothing_that_it_does_not_show():
    """All forms at once, with the names of all columns that matter: roles, team, state, scores, limits."""
    anna = member()
    other = member("other@example.org", "Other").team
    row = submitted(anna)
    score_waiting()
    more = {
        "is_staff": "1", "is_superuser": "1", "is_admitted": "1", "is_active": "1", "team": other.pk,
        "team_id": other.pk,
        "user": 1, "state": "public", "score": "100", "told": '{"kind": "first"}', "exact": '{"mcc": 100}',
        "shown": '{"mcc": 100}', "season": 9, "board": "hulu_hurte", "published": "2020-01-01", "counted": "2020-01-01",
        "created": "2020-01-01", "requests": 9, "attempts": 9, "digest": "x", "n_flagged": 9, "id": str(uuid4()),
        "reason": "x", "rescore": "1", "judge_usd": "-1", "_method": "PUT", "request_key": "x", "verified": "1",
    }  # fmt: skip
    client = signed_in(anna)
    before = Submission.objects.filter(pk=row.pk).values().get()
    client.post(f"/en/my/{row.pk}/card/", CARD | {"model_name": "Puli 2"} | more)
    client.post("/en/my/account/", {"language": "hu"} | more)
    client.post("/en/my/team/", {"name": "New"} | more)
    client.post("/en/my/tokens/", {"name": "laptop"} | more)
    after = Submission.objects.filter(pk=row.pk).values().get()
    assert {name for name in after if after[name] != before[name]} == {"model_name"}
    file = upload(predictions("hucola", 0.6))
    client.post("/en/submit/hulu_hucola/", CARD | {"upload": file} | more)
    made = Submission.objects.exclude(pk=row.pk).get()
    assert (made.team, made.board, made.state, made.exact, made.told, made.shown) == (
        anna.team, "hulu_hucola", State.QUEUED, None, None, None,
    )  # fmt: skip
    given = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
    Client().post("/en/accounts/signup/", given | more)
    for user in User.objects.all():
        assert not user.is_staff and not user.is_superuser, user
    assert User.objects.get(email="new@example.org").team is None
    anna.refresh_from_db()
    assert (anna.team.name, anna.language) == ("Team", "hu")
    other.refresh_from_db()
    assert other.is_admitted  # as it was made


def test_decisions_name_nobody_else():
    """Who decides is who is signed in, and the request is the one that was seen; nobody approves twice."""
    anna = member()
    staff = member("staff@example.org", None, is_staff=True)
    second = member("second@example.org", None, is_staff=True)
    row = submitted(anna)
    score_waiting()
    request_publication(row, anna)
    client = signed_in(staff)
    given = {"decision": "approve", "number": 2, "staff": second.pk, "staff_id": second.pk, "round": 1}
    given["version"] = version_of(row)
    client.post(f"/en/staff/{row.pk}/decision/", given)  # of a request that does not exist yet
    assert not Decision.objects.exists()
    for _ in range(2):
        client.post(f"/en/staff/{row.pk}/decision/", given | {"number": 1})
    (decision,) = Decision.objects.all()
    assert decision.staff == staff
    note = {"text": "a note", "staff": second.pk, "submission": str(uuid4())}
    client.post(f"/en/staff/{row.pk}/note/", note)
    assert (row.notes.get().staff, row.notes.get().submission) == (staff, row)


def test_no_way_of_the_api_leads_to_staff():
    """Its description names no such address and no such field, and a token of staff is a member's."""
    staff = member("staff@example.org", "Staff", is_staff=True, is_superuser=True)
    row = submitted(member())
    bearer = {"authorization": f"Bearer {Token.create(staff, 'laptop')[1]}"}
    client = Client()
    schema = client.get("/api/v1/openapi.json").json()
    fields = {name for kind in schema["components"]["schemas"].values() for name in kind.get("properties", {})}
    assert "told" in fields and not fields & {"exact", "n_flagged", "judge_usd", "is_staff", "decisions"}
    assert [path for path in schema["paths"] if re.search("staff|admin|user|team|approv|decision", path)] == []
    for page in ("", f"{row.pk}/"):
        assert client.get(f"/en/staff/{page}", headers=bearer).status_code == 404
    assert client.get(f"/api/v1/submissions/{row.pk}", headers=bearer).status_code == 404
    assert client.get("/api/v1/submissions", headers=bearer).json()["count"] == 0


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "\thttps://evil.example", "///evil.example"],
)
def test_nothing_leads_to_another_site(target):
    """Sign-in, sign-out, sign-up, the second look at a password, and addresses that look like a host."""
    anna = member()
    answers = []
    for path, given in (
        ("/en/accounts/login/", {"login": anna.email, "password": PASSWORD}),
        ("/en/accounts/reauthenticate/", {"password": PASSWORD}),
        ("/en/accounts/logout/", {}),
        ("/en/accounts/signup/", {"email": "b@example.org", "password1": PASSWORD, "password2": PASSWORD}),
    ):
        cache.clear()
        client = Client() if "login" in path or "signup" in path else signed_in(anna)
        answers.append(client.post(path, given | {"next": target}))
        answers.append(
            signed_in(anna).post(path + "?next=" + target.strip(), given, headers={"referer": target.strip()})
        )
    answers += [Client().get(path) for path in (f"/{target.strip()}", "//evil.example/en", "/en//evil.example/my/")]
    client = signed_in(anna)
    answers += [client.get(f"/en/?next={target.strip()}"), client.get(f"/en/my/?page={target.strip()}")]
    for answer in answers:
        place = answer.headers.get("Location", "/")
        assert re.match(r"/(?![/\\])", place) or place.startswith("?"), place
        assert not re.search(rb'href="(//|\\\\|https?://evil|/\\\\)', answer.content)


def totp(user: User) -> Callable[[], str]:
    """Give a user an authenticator app; what it shows, another code each time, as none is taken twice."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    counters = yield_hotp_counters_from_time()
    return lambda: format_hotp_value(hotp_value(secret, next(counters)))


def test_each_step_of_signing_in_and_out_has_another_session():
    """Whoever has planted or seen the key of an earlier one has nothing."""
    anna = member(is_staff=True)
    code = totp(anna)
    client = Client()
    client.get("/en/accounts/login/")
    planted = client.session
    planted["planted"] = True
    planted.save()
    client.cookies["sessionid"] = planted.session_key
    keys = [planted.session_key]
    steps = (
        ("/en/accounts/login/", {"login": anna.email, "password": PASSWORD}),
        ("/en/accounts/2fa/authenticate/", {"code": code()}),
        ("/en/accounts/logout/", {}),
    )
    for place, given in steps:
        assert client.post(place, given).status_code == 302, place
        keys.append(client.cookies["sessionid"].value)
        for key in keys[:-1]:
            eve = Client()
            eve.cookies["sessionid"] = key
            assert eve.get("/en/my/").status_code == 302, place
        is_in = place.endswith("authenticate/")
        assert (client.get("/en/my/").status_code == 200) == is_in, place
    assert len({*keys}) == len(keys)
    assert not [one for one in keys if Session.objects.filter(session_key=one).exists()]


def test_a_lost_second_factor_is_found_by_staff_alone():
    """A password is not enough before; after it, it is, for pages; the admin waits for another factor."""
    anna = member(is_staff=True)
    code = totp(anna)
    RecoveryCodes.activate(anna)
    given = {"login": anna.email, "password": PASSWORD}
    client = Client()
    assert client.post("/en/accounts/login/", given)["Location"] == "/en/accounts/2fa/authenticate/"
    assert client.post("/en/accounts/password/reset/", {"email": anna.email}).status_code == 302  # leaves the factor
    assert client.post("/en/accounts/2fa/authenticate/", {"code": "000000"}).status_code == 200
    cache.clear()
    reset_second_factor(anna, None, "She showed her passport.")
    assert not Authenticator.objects.filter(user=anna).exists()  # codes for recovery too
    stale = client.post("/en/accounts/2fa/authenticate/", {"code": code()})
    assert stale.status_code == 302 and "_auth_user_id" not in client.session
    client = Client()
    assert client.post("/en/accounts/login/", given)["Location"] == "/en/my/"
    assert client.get("/en/staff/admin/accounts/team/").status_code == 302


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8000", "127.0.0.1@evil.example"]
)
def test_a_reset_for_a_foreign_host_sends_nothing(host):
    member()
    client = Client(raise_request_exception=False)
    answer = client.post("/en/accounts/password/reset/", {"email": "anna@example.org"}, headers={"host": host})
    assert (answer.status_code, Mail.objects.count()) == (400, 0)


def test_a_session_ends_with_its_password_and_its_account():
    anna = member()
    here, there = signed_in(anna), signed_in(anna)
    given = {"oldpassword": PASSWORD, "password1": "masik-jelszo-42", "password2": "masik-jelszo-42"}
    assert here.post("/en/accounts/password/change/", given).status_code == 302
    assert here.get("/en/my/").status_code == 200
    assert there.get("/en/my/").status_code == 302  # signed out
    User.objects.filter(pk=anna.pk).update(is_active=False)
    assert here.get("/en/my/").status_code == 302


def test_a_second_administrator_is_not_made_by_the_first_link():
    link = first_admin.link_text()
    given = {"email": "root@example.org", "password": PASSWORD, "again": PASSWORD}
    assert Client().post(f"/en/setup/{link}/", given).status_code == 302
    for _ in range(2):
        assert Client().post(f"/en/setup/{link}/", given | {"email": "eve@example.org"}).status_code == 404
    assert User.objects.filter(is_superuser=True).count() == 1


def test_cookies_are_for_the_server_alone():
    anna = member()
    client = Client()
    client.post("/en/accounts/login/", {"login": anna.email, "password": PASSWORD})
    for name in ("sessionid", "csrftoken"):
        cookie = client.cookies[name]
        assert cookie["httponly"] and cookie["samesite"] == "Lax" and not cookie["domain"], name


@pytest.mark.parametrize("header", ["x-forwarded-for", "x-real-ip", "forwarded", "client-ip", "true-client-ip"])
def test_no_header_resets_a_limit_of_rates(header, monkeypatch):
    """Without a trusted proxy the address is that of the connection: tokens and passwords are not guessed faster."""
    monkeypatch.setattr("hueval_site.api.rates.time.time", lambda: 1_800_000_010.0)  # no minute ends in between
    codes = [
        Client()
        .get("/api/v1/submissions", headers={header: f"10.0.0.{n}", "authorization": f"Bearer hueval_{n}"})
        .status_code
        for n in range(40)
    ]
    assert codes[0] == 401 and codes[-1] == 429
    codes = [
        Client().post("/en/accounts/signup/", {"email": "x"}, headers={header: f"10.0.0.{n}"}).status_code
        for n in range(30)
    ]
    assert codes[0] == 200 and codes[-1] == 429


@pytest.mark.parametrize("host", ["127.0.0.1:6666", "localhost:31337"])
def test_a_mail_leads_to_the_site_whatever_the_host_header(settings, host):
    """Django compares the name of the host alone; another port of a machine may be another person's."""
    member()
    headers = {"host": host, "x-forwarded-host": "evil.example", "x-forwarded-port": "6666", "x-forwarded-proto": "ftp"}
    client = Client()
    for address in ("anna@example.org", "new@example.org"):
        client.post("/en/accounts/password/reset/", {"email": address}, headers=headers)
    given = {"password1": PASSWORD, "password2": PASSWORD}
    for address in ("anna@example.org", "new@example.org"):
        Client().post("/en/accounts/signup/", {"email": address, **given}, headers=headers)
    bodies = list(Mail.objects.values_list("body", flat=True))
    assert len(bodies) == 3
    links = [link for body in bodies for link in re.findall(r"https?://\S+", body)]
    assert len(links) >= 3 and all(link.startswith(settings.CONFIG.url) for link in links), links
    invited = signed_in(User.objects.get(email="anna@example.org")).post("/en/my/team/invitation/", headers=headers)
    assert f"{settings.CONFIG.url}/en/join/".encode() in invited.content and host.encode() not in invited.content

"""What holds at every address of the site: the policy of contents, CSRF, frames, methods; no argument breaks one."""

from __future__ import annotations

import re
from itertools import product

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import translation

from hueval_site.accounts import first_admin, teams
from hueval_site.accounts.models import Team, Token, User
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.models import Decision, Mail, Note, State, Submission
from hueval_site.submissions.publish import request_publication
from hueval_site.submissions.states import move
from leaderboard.tests.addresses import API, addresses
from leaderboard.tests.people import member, signed_in, submitted

pytestmark = pytest.mark.django_db(transaction=True)

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}
INLINE = re.compile(
    r"<style|\sstyle\s*=|<[^>]*\son\w+\s*=|javascript:|<script(?![^>]*\ssrc=)(?![^>]*\stype=\"application/json\")|<base|<iframe",
    re.IGNORECASE,
)
FOREIGN = re.compile(r"<(?:script|link|img|form|use)\b[^>]*\s(?:src|action)=[\"'](?!/(?!/)|#|data:)", re.IGNORECASE)

KINDS = ("application/x-www-form-urlencoded", "text/plain", "application/json")  # what a form can send, and a script


@pytest.fixture
def people():
    """A member with a private and a public result, a member of staff, and values for all arguments of addresses."""
    cache.clear()
    anna, staff = member(), member("staff@example.org", team=None, is_staff=True)
    public, private = submitted(anna), submitted(anna, 0.6, seed=1)
    score_waiting()
    request_publication(public, anna)
    move(public, State.PUBLIC, shown={"mcc": 50.0, "mcc_ci95": [40.0, 60.0], "mcc_n": 200})
    values = {
        "task": "hulu_hucola", "name": "hulu", "download.name": "hulu/hucola/cola_test.json",
        "theme": "light", "width": "wide", "form": "csv",
        "key": private.pk, "model.key": public.pk, "row.key": public.pk,
        "delete_token.key": Token.create(anna, "laptop")[0].pk, "admit.key": anna.team.pk, "pk": 1,
        "object_id": staff.pk, "app_label": "accounts", "content_type_id": 1,
        "join.text": teams.invitation(anna.team), "first_admin.text": first_admin.link_text(),
        "account_confirm_email.key": "abc", "uidb36": "1", "account_reset_password_from_key.key": "set-password",
    }  # fmt: skip
    return anna, staff, addresses(values)


def has_strict_headers(response) -> bool:
    """Whether an answer has a policy without exceptions, and cannot be framed or taken for another type."""
    policy = dict(part.strip().split(" ", 1) for part in response.headers["Content-Security-Policy"].split(";"))
    return (
        policy in (POLICY, {"default-src": "'none'", "frame-ancestors": "'none'"})
        and response.headers["X-Content-Type-Options"] == "nosniff"
        and response.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    )


def text_of(response) -> str:
    return b"".join(response).decode() if response.streaming else response.content.decode()


def test_every_page_is_without_inline_script_and_style(people):
    """Pages for everybody, members and staff; redirects, errors and downloads too."""
    anna, staff, places = people
    seen = {}
    for who, client in (("nobody", Client()), ("member", signed_in(anna)), ("staff", signed_in(staff))):
        client.raise_request_exception = False
        for name, address in places.items():
            answer = client.get(address)
            assert has_strict_headers(answer), (who, name)
            assert answer.status_code < 500, (who, name)
            if answer.headers.get("Content-Type", "").startswith(("text/html", "image/svg")):
                assert answer.headers["X-Frame-Options"] == "DENY", (who, name)
                text = text_of(answer)
                assert not INLINE.search(text), (who, name, INLINE.search(text))
                assert not FOREIGN.search(text), (who, name, FOREIGN.search(text))
            seen[who, name] = answer.status_code
    assert seen["nobody", "start"] == seen["member", "result"] == seen["staff", "staff_submission"] == 200
    assert {seen["nobody", f"{API}{name}"] for name in ("own", "one", "faults", "task_allowance")} == {401}


def test_errors_have_the_policy_too(people, monkeypatch, settings):
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)
    client.force_login(people[0])
    found = {
        "a host that is not ours": client.get("/en/", headers={"host": "evil.example"}),
        "and no page": client.get("/en/nothing/"),
        "a bare address": client.get("/"),
        "CSRF": client.post("/en/my/account/"),
        "a method": client.get("/en/my/team/leave/"),
        "too large": client.post("/en/submit/", headers={"content-length": str(2**40)}),
        "a broken form": client.post("/en/accounts/login/", b"x", content_type="multipart/form-data"),
        "health": client.get("/health"),
        "no static file": client.get("/static/nothing.css"),
    }
    monkeypatch.setattr("hueval_site.pages.public.boards_of", lambda name: 1 / 0)
    found["a failure of ours"] = client.get("/en/")
    codes = {why: answer.status_code for why, answer in found.items()}
    assert codes == dict(zip(found, (400, 404, 302, 403, 405, 413, 400, 200, 404, 500), strict=True))
    assert [why for why, answer in found.items() if not has_strict_headers(answer)] == []
    assert [why for why, answer in found.items() if INLINE.search(text_of(answer))] == []


def everything() -> list[object]:
    """All rows that a form could change."""
    kinds = (Submission, Team, User, Token, Decision, Note, Mail)
    return [list(kind.objects.order_by("pk").values()) for kind in kinds]


@pytest.mark.slow
def test_no_address_takes_a_change_without_the_token_of_its_form(people):
    """With the cookies of a member and of staff, as another site's page would send them; JSON and other types too."""
    anna, staff, places = people
    before = everything()
    for user in (anna, staff):
        client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        client.force_login(user)
        for name, address in places.items():
            for method, kind in (*product(("POST",), KINDS), *zip(("PUT", "PATCH", "DELETE"), KINDS, strict=True)):
                answer = client.generic(method, address, b'{"a": 1}', content_type=kind)
                assert answer.status_code in (401, 403, 405), (name, method)
    after = everything()
    for rows in (before, after):
        for row in rows[2]:
            row.pop("last_login")
    assert before == after


@pytest.mark.slow
def test_reading_changes_nothing(people):
    """A link or an image on another site sends the cookies of SameSite=Lax; no address changes anything by GET."""
    anna, staff, places = people
    before = everything()
    for user in (anna, staff):
        client = signed_in(user)
        client.raise_request_exception = False
        for name, address in places.items():
            for method in ("GET", "HEAD", "OPTIONS"):
                answer = client.generic(method, f"{address}?_method=DELETE", HTTP_X_HTTP_METHOD_OVERRIDE="POST")
                assert answer.status_code < 500, (name, method)
    after = everything()
    for rows in (before, after):
        for row in rows[2]:
            row.pop("last_login")
    assert before == after


@pytest.mark.parametrize(
    "value",
    ["\0", "%00", "é" * 3000, "9" * 400, "-1", "' OR 1=1 --", "{{7*7}}", "\ud7ff\uffff", "../../../etc/passwd"],
)
def test_no_argument_makes_an_address_fall_over(people, value):
    """In the path, where its type lets it through, and in every query that a page reads."""
    from urllib.parse import quote, urlencode

    _, staff, _ = people
    staff.team = Team.objects.get()
    staff.save()
    token = Token.create(staff, "laptop")[1]
    client = signed_in(staff)
    client.raise_request_exception = False
    queries = (
        "page",
        "state",
        "task",
        "sort",
        "size",
        "openness",
        "season",
        "first",
        "second",
        "limit",
        "offset",
        "next",
    )
    query = urlencode(dict.fromkeys(queries, value))
    part = quote(value, safe="")
    places = [f"/en/{page}/{part}/" for page in ("tasks", "boards", "families", "submit", "join", "setup", "models")]
    places += [f"/en/tasks/hulu_hucola/data/{part}", f"/en/boards/hulu_hucola/graph-{part}-{part}.svg"]
    places += [f"/en/accounts/password/reset/key/1-{part}/", f"/en/accounts/confirm-email/{part}/"]
    places += [f"/api/v1/boards/{part}", f"/api/v1/boards/{part}.csv", f"/api/v1/tasks/{part}/allowance"]
    places += [
        f"{page}?{query}" for page in ("/en/", "/en/boards/hulu_hucola/", "/en/compare/", "/en/my/", "/en/staff/")
    ]
    places += [f"{page}?{name}={part}" for page in ("/en/staff/", "/api/v1/submissions") for name in queries]
    places += [f"/en/accounts/login/?{query}", f"/api/v1/boards/hulu_hucola?{query}", f"/en/staff/teams/{part}/"]
    with translation.override("en"):
        found = {place: client.get(place, headers={"authorization": f"Bearer {token}"}).status_code for place in places}
    assert {place: status for place, status in found.items() if status >= 500} == {}


def test_a_nul_in_a_cookie_is_refused(people):
    """A quoted cookie can hold one, and the key of a session is looked for in the database."""
    client = Client(raise_request_exception=False)
    answer = client.get("/en/my/", HTTP_COOKIE=r'sessionid="\000\000\000\000\000\000\000\000"')
    assert answer.status_code == 400 and has_strict_headers(answer)
    assert (
        Client(raise_request_exception=False).get("/api/v1/submissions?task=%00").json()["error"]["code"] == "malformed"
    )

"""What everybody may read by the API, and the form of its errors."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from datetime import UTC, datetime
from uuid import UUID

import pytest

from hueval_site.accounts.models import Team, User
from hueval_site.boards import boards
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.seasons import new_season, open_season
from hueval_site.submissions.states import changed

pytestmark = pytest.mark.django_db

BOARD = "/api/v1/boards/hulu_hucola"
EXACT = 61.23456789  # on no page and in no answer


def public_row(model, score, *, team="Team", season=None, state=State.PUBLIC, **fields):
    its_team = Team.objects.get_or_create(name=team, defaults={"is_admitted": True})[0]
    user = User.objects.get_or_create(email=f"{its_team.pk}@example.org", defaults={"team": its_team})[0]
    season = season or open_season(boards()["hulu_hucola"])
    shown = {"mcc": score, "mcc_ci95": [score - 4, score + 4], "mcc_n": 200, "signature": "hulu_hucola|v:1"}
    published = datetime(2026, 11, 1, tzinfo=UTC)
    fields = {"published": published, "shown": shown, "exact": {"mcc": EXACT}, "contamination": "none known"} | fields
    made = Submission.objects.create(
        team=its_team, user=user, board="hulu_hucola", season=season, state=state, model_name=model, **fields
    )
    changed(season.pk)
    return made


def test_the_list_of_tasks_takes_a_constant_number_of_queries(client, django_assert_max_num_queries):
    """A query a board would be 38."""
    client.get("/api/v1/tasks")
    with django_assert_max_num_queries(5):
        assert client.get("/api/v1/tasks").status_code == 200


def test_rows_are_those_that_are_public_the_best_first(client):
    public_row("second", 40.5)
    first = public_row("first", 60.1, size=8.0, told={"score": 60.0})
    for state in (State.PRIVATE, State.PENDING, State.WITHDRAWN, State.SUPERSEDED, State.REFUSED):
        public_row(f"hidden {state}", 99.0, state=state)
    found = client.get(BOARD).json()
    assert [row["model"] for row in found["rows"]] == ["first", "second"]
    assert found["count"] == 2 and found["next"] is None
    assert found["rows"][0] == {
        "id": str(first.pk),
        "model": "first",
        "team": "Team",
        "size": 8.0,
        "openness": "open",
        "licence": "",
        "base": "",
        "setting": "zero-shot",
        "link": "",
        "training_data": "",
        "contamination": "none known",
        "published": "2026-11-01T00:00:00+00:00",
        "result": {"mcc": 60.1, "mcc_ci95": [56.1, 64.1], "mcc_n": 200, "signature": "hulu_hucola|v:1"},
    }


def test_pages_of_a_board_are_linked_and_bounded(client):
    for number in range(5):
        public_row(f"m{number}", float(number))
    address, names = f"{BOARD}?limit=2", []
    while address:
        page = client.get(address).json()
        assert page["count"] == 5
        names += [row["model"] for row in page["rows"]]
        address = page["next"]
    assert names == ["m4", "m3", "m2", "m1", "m0"]
    for query in ("limit=0", "limit=1001", "offset=-1", "offset=x", "limit=1e3"):
        assert client.get(f"{BOARD}?{query}").status_code == 422


def test_a_board_is_sent_again_only_after_a_change(client, django_assert_max_num_queries):
    public_row("first", 60.0)
    first = client.get(BOARD)
    etag = first["ETag"]
    assert "Set-Cookie" not in first and first["Cache-Control"] == "public, no-cache"
    again = client.get(BOARD, headers={"If-None-Match": etag})
    assert again.status_code == 304 and again.content == b"" and again["ETag"] == etag
    with django_assert_max_num_queries(2):  # the season and the cache, whatever the number of rows
        assert client.get(BOARD).content == first.content
    public_row("second", 70.0)
    changed_one = client.get(BOARD, headers={"If-None-Match": etag})
    assert changed_one.status_code == 200 and changed_one.json()["count"] == 2
    assert client.get(f"{BOARD}.csv")["ETag"] != changed_one["ETag"]


def test_rows_of_a_closed_season_stay_with_it(client):
    public_row("old", 50.0)
    new_season(boards()["hulu_hucola"], "other labels")
    assert client.get(BOARD).json()["rows"] == []
    assert [row["model"] for row in client.get(f"{BOARD}?season=1").json()["rows"]] == ["old"]
    seasons = client.get(f"{BOARD}/seasons").json()["seasons"]
    assert [(season["number"], season["closed"] is None) for season in seasons] == [(2, True), (1, False)]
    for number in ("3", "0", "-1", "99999999999999999999"):
        assert client.get(f"{BOARD}?season={number}").status_code == 404


def test_csv_has_no_formula_and_no_bidirectional_mark(client):
    public_row("=HYPERLINK(1)", 50.0, team="a\u202egnp", base="x;=1+1", link="https://example.org/\u200b")
    response = client.get(f"{BOARD}.csv")
    assert response["Content-Type"].startswith("text/csv; charset=utf-8")
    assert response["Content-Disposition"] == 'attachment; filename="hulu_hucola-1.csv"'
    (row,) = csv.DictReader(io.StringIO(response.content.decode("utf-8")))
    assert row["model"] == "'=HYPERLINK(1)" and row["team"] == "agnp" and row["base"] == "x;'=1+1"
    numbers = [row[name] for name in ("mcc", "mcc_ci95_low", "mcc_ci95_high", "mcc_n")]
    assert numbers == ["50.0", "46.0", "54.0", "200"] and row["signature"] == "hulu_hucola|v:1"
    assert UUID(row["id"])
    assert client.get(BOARD).json()["rows"][0]["team"] == "agnp"


def test_no_public_answer_has_an_exact_score(client):
    public_row("first", 60.1, told={"kind": "first", "score": 60.0, "step": 3.0})
    for address in (BOARD, f"{BOARD}.csv", f"{BOARD}/seasons", "/api/v1/tasks"):
        text = client.get(address).content.decode()
        assert "61.2" not in text and '"told"' not in text


def test_tasks_have_texts_limits_and_format(client, site_dir):
    found = client.get("/api/v1/tasks").json()
    assert [task["name"] for task in found["tasks"]] == list(boards())
    task = next(task for task in found["tasks"] if task["name"] == "hulu_hucola")
    assert set(task["description"]) == set(task["why"]) == set(task["format"]) == {"hu", "en"}
    assert task["limits"]["year"] == boards()["hulu_hucola"].limits.year
    assert task["metrics"][0]["name"] == "mcc" and task["metrics"][0]["better"] == "higher"
    assert not task["answers_are_public"] and task["season"] == 1
    assert task["example"] and "label" not in task["example"]
    assert found["max_upload_bytes"] == 100 * 2**20
    assert task["download"]["files"]
    for file in task["download"]["files"]:
        assert b"".join(client.get(file["url"]).streaming_content) == (site_dir / "data" / file["name"]).read_bytes()
        content = (site_dir / "data" / file["name"]).read_bytes()
        assert (file["size"], file["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
    again = client.get("/api/v1/tasks", headers={"If-None-Match": client.get("/api/v1/tasks")["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("method", "address", "status", "code"),
    [
        ("get", "/api/v1/boards/none", 404, "not-found"),
        ("get", "/api/v1/none", 404, "not-found"),
        ("get", "/api/v2/tasks", 404, "not-found"),
        ("get", "/api/v1/submissions/not-a-uuid", 404, "not-found"),
        ("delete", "/api/v1/tasks", 405, "method"),
        ("get", "/api/v1/submissions", 401, "unauthenticated"),
        ("post", "/api/v1/submissions", 401, "unauthenticated"),
        ("get", f"{BOARD}?limit=x", 422, "invalid"),
        ("get", f"{BOARD}.csv?season=x", 422, "invalid"),
    ],
)
def test_every_error_has_one_form_and_one_line(client, method, address, status, code):
    response = getattr(client, method)(address)
    assert response.status_code == status and response["Content-Type"] == "application/json"
    error = response.json()["error"]
    assert set(error) == {"code", "message", "where"} and error["code"] == code
    assert "\n" not in error["message"] and len(error["message"]) > 10


@pytest.mark.parametrize(
    ("address", "hu", "en"),
    [
        (f"{BOARD}?limit=0", "limit: legalább ennyi legyen: 1", "limit: expected at least 1"),
        (f"{BOARD}?limit=1001", "limit: legfeljebb ennyi legyen: 1000", "limit: expected at most 1000"),
        (f"{BOARD}?season=x", "season: szám legyen", "season: expected a number"),
        ("/api/v1/tasks?a=%00", "A kérés nem értelmezhető", "The request cannot be read"),  # before the language is set
    ],
)
def test_errors_are_in_the_language_that_is_asked_for(client, address, hu, en):
    for language, text in {"hu": hu, "en": en}.items():
        client.get("/api/v1/tasks", headers={"Accept-Language": {"hu": "en", "en": "hu"}[language]})  # of another
        assert text in client.get(address, headers={"Accept-Language": language}).json()["error"]["message"]


@pytest.mark.parametrize("address", ["/api/v1/tasks", BOARD, f"{BOARD}.csv", "/api/v1/boards/none", "/en/", "/health"])
def test_head_is_answered_as_get_without_the_body(client, address):
    shown, head = client.get(address), client.head(address)
    assert (head.status_code, head["Content-Type"]) == (shown.status_code, shown["Content-Type"])
    assert head.content == b"" and int(head["Content-Length"]) > 2
    if address.startswith("/api/"):
        assert int(head["Content-Length"]) == len(shown.content)


def test_another_host_is_not_answered(client):
    response = client.get(BOARD, headers={"Host": "evil.example"})
    assert response.status_code == 400 and response.json()["error"]["code"] == "malformed"
    assert "evil" not in response.content.decode()


def test_a_failure_of_ours_is_told_without_its_text(client, monkeypatch):
    client.raise_request_exception = False
    monkeypatch.setattr("hueval_site.api.boards._metrics", lambda board: 1 / 0)
    response = client.get("/api/v1/tasks")
    assert response.status_code == 500 and response.json()["error"]["code"] == "internal"
    assert "division" not in response.content.decode()


def test_the_description_has_every_address_and_no_script(client):
    schema = client.get("/api/v1/openapi.json").json()
    page = client.get("/hu/api/")
    text = page.content.decode()
    assert page.status_code == 200 and "<script" not in text and "style=" not in text
    assert "http" not in text.replace("http://127.0.0.1:8000", "").replace("hreflang", "")
    assert len(schema["paths"]) >= 8
    for path in schema["paths"]:
        assert path in text
    assert json.dumps(schema).count("exact") == 1  # that no row has it


@pytest.mark.django_db
def test_every_answer_of_the_api_is_declared(client):
    """Each address with what readers get wrong: the status is one that the description has."""
    from hueval_site.api.api import api
    from leaderboard.tests.api_client import member

    headers = member()[1]
    tried = ({}, headers, {"Authorization": "Bearer none"})
    values = {"task": ("hulu_hucola", "none"), "key": ("00000000-0000-4000-8000-000000000000",)}
    undeclared = set()
    for path, methods in api.get_openapi_schema()["paths"].items():
        name = path.partition("{")[2].partition("}")[0]
        for address in [path.replace(f"{{{name}}}", value) for value in values.get(name, ("",))]:
            for method, operation in methods.items():
                declared = set(map(str, operation["responses"]))
                for query in ("", "?limit=x&season=x&offset=x", "?season=999"):
                    for given in tried:
                        status = client.generic(method.upper(), address + query, headers=given).status_code
                        undeclared |= {(method, address, status)} if str(status) not in declared else set()
    assert not undeclared

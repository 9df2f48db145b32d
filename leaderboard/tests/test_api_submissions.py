"""Submitting by the API: tokens, foreign submissions, fields that nobody may set, uploads that are sent twice."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import get_args

import pytest
from auditlog.models import LogEntry
from django.db import connection
from django.test import Client

from hueval_site.api import schemas
from hueval_site.boards import boards
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.card import CARD as CARD_FIELDS
from hueval_site.submissions.models import OPENNESS, SETTINGS, Submission
from leaderboard.tests.api_client import CARD, SUBMISSIONS, act, member, post, upload
from leaderboard.tests.labelled import predictions

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]


def test_from_upload_to_what_is_told(client):
    user, headers = member()
    response = post(client, headers, card=CARD | {"size": 7, "openness": "closed", "setting": "few-shot"})
    assert response.status_code == 201, response.content
    (sent,) = response.json()["submissions"]
    assert (sent["state"], sent["is_final"], sent["n_rows"], sent["n_faults"]) == ("queued", False, 200, 0)
    assert sent["card"]["size"] == 7.0 and sent["card"]["openness"] == "closed"
    (left,) = response.json()["allowances"]
    assert left["used"]["day"] == {"used": 1, "most": 2} and left["left"] == 1
    assert score_waiting() == 1
    response = client.get(f"{SUBMISSIONS}/{sent['id']}", headers=headers)
    found = response.json()
    assert (found["state"], found["is_final"], found["told"]["kind"]) == ("private", True, "first")
    exact = Submission.objects.get().exact["mcc"]
    assert found["told"]["score"] != exact and str(exact)[:6] not in response.content.decode()
    assert "standard error" in found["told_text"]
    assert LogEntry.objects.get_for_object(Submission.objects.get()).earliest("pk").actor == user


def test_the_name_of_a_file_can_tell_the_task(client):
    _, headers = member()
    assert post(client, headers, task=None).json()["submissions"][0]["task"] == "hulu_hucola"
    refused = post(client, headers, task=None, file=upload(name="predictions.json"))
    assert refused.status_code == 403 and "Which task" in refused.json()["error"]["message"]
    for unknown in (post(client, headers, task="none"), client.get("/api/v1/tasks/none/allowance", headers=headers)):
        assert (unknown.status_code, unknown.json()["error"]["message"]) == (
            404,
            "There is no board “none”. The list is at /api/v1/tasks.",
        )


def test_faults_are_the_first_20_and_all_below_an_address_of_their_own(client):
    _, headers = member()
    rows = [{**row, "label": "7"} if int(row["id"]) < 30 else row for row in predictions("hucola", 1.0)]
    (sent,) = post(client, headers, file=upload(json.dumps(rows))).json()["submissions"]
    assert sent["state"] == "faulty" and sent["is_final"] and sent["n_faults"] == 30 and len(sent["faults"]) == 20
    found = client.get(f"{SUBMISSIONS}/{sent['id']}/faults", headers=headers).json()
    assert found["n_faults"] == 30 and len(found["faults"]) == 30
    assert found["faults"][:20] == sent["faults"]


def test_one_lists_ones_own_by_pages(client):
    _, headers = member()
    for _number in range(3):
        post(client, headers, file=upload("[]"))
    first = client.get(f"{SUBMISSIONS}?limit=2&state=faulty", headers=headers).json()
    assert first["count"] == 3 and len(first["submissions"]) == 2
    second = client.get(first["next"], headers=headers).json()
    assert len(second["submissions"]) == 1 and second["next"] is None
    assert client.get(f"{SUBMISSIONS}?state=queued", headers=headers).json()["count"] == 0


@pytest.mark.parametrize("field", ["state", "score", "told", "team", "exact", "shown", "request_key", "user"])
def test_what_nobody_may_set_is_refused(client, field):
    _, headers = member()
    in_card = post(client, headers, card=CARD | {field: "public"})
    as_part = post(client, headers, **{field: "public"})
    as_file = post(client, headers, **{field: upload()})
    for response in (in_card, as_part, as_file):
        assert response.status_code == 422 and field in response.json()["error"]["message"]
    assert Submission.objects.count() == 0


@pytest.mark.parametrize(
    ("card", "named"),
    [
        ("", "card"),
        ("{", "JSON"),
        ("[" * 10_000, "card"),
        ('{"model_name":' * 5_000, "card"),
        ("[]", "object"),
        ("null", "object"),
        ({"model_name": "m"}, "contamination"),
        ({"contamination": "none"}, "model_name"),
        (CARD | {"model_name": " "}, "model_name"),
        (CARD | {"model_name": "m" * 121}, "model_name"),
        (CARD | {"model_name": "a\x00b"}, "model_name"),
        (CARD | {"size": 0}, "size"),
        (CARD | {"size": "many"}, "size"),
        ('{"model_name": "m", "contamination": "none", "size": NaN}', "card"),
        ('{"model_name": "m", "contamination": "none", "size": 1e999}', "size"),
        ('{"model_name": "m", "contamination": "none", "size": 1' + "0" * 5_000 + "}", "card"),
        (CARD | {"openness": "half"}, "openness"),
        (CARD | {"link": "javascript:alert(1)"}, "link"),
        (CARD | {"contamination": "c" * 2001}, "contamination"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_card_that_is_not_valid_is_one_clear_line(client, card, named):
    _, headers = member()
    response = post(client, headers, card=card)
    error = response.json()["error"]
    assert response.status_code == 422 and named in error["message"] + error["where"]
    assert "\n" not in error["message"] and len(error["message"]) < 600
    assert Submission.objects.count() == 0


def test_messages_are_in_the_language_that_is_asked_for(client):
    _, headers = member()
    for code, text in {"hu": "Adjon meg egy érvényes URL-t", "en": "Enter a valid URL"}.items():
        response = post(client, headers | {"Accept-Language": code}, card=CARD | {"link": "javascript:alert(1)"})
        assert text in response.json()["error"]["message"] and response["Content-Language"] == code


@pytest.mark.parametrize(
    ("changed", "hu", "en"),
    [
        ({"contamination": None}, "contamination: szöveg legyen", "contamination: expected a text"),
        ({"size": 0}, "size: nagyobb legyen, mint 0.0", "size: expected more than 0.0"),
        ({"size": "7B"}, "size: szám legyen", "size: expected a number"),
        ({"score": 100}, "score: nincs ilyen mező", "score: there is no such field"),
        ({"openness": "half"}, "ezek egyike legyen: 'open', 'closed'", "expected one of 'open', 'closed'"),
        ({"setting": "baseline"}, "setting: ", "setting: "),  # for staff, on the pages
    ],
)
def test_faults_of_a_card_are_in_the_language_that_is_asked_for(client, changed, hu, en):
    _, headers = member(is_staff=True)
    for language, text in {"hu": hu, "en": en}.items():
        response = post(client, headers | {"Accept-Language": language}, card=CARD | changed)
        assert response.status_code == 422 and text in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{}", "application/json", 422),
        (b"", "multipart/form-data", 422),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x", 422),
        (b"a=1&" * 200, "application/x-www-form-urlencoded", 400),
        (b"task=" + b"a" * (2**20 + 1), "application/x-www-form-urlencoded", 413),
    ],
    ids=["JSON", "no boundary", "cut short", "too many fields", "a field too large"],
)
def test_a_body_that_is_no_form_is_refused(client, body, kind, status):
    _, headers = member()
    response = client.post(SUBMISSIONS, body, content_type=kind, headers=headers)
    assert response.status_code == status, response.content
    assert set(response.json()) == {"error"}


def test_the_same_request_again_returns_the_first_submission(client):
    _, headers = member()
    key = str(uuid.uuid4())
    first, again = (post(client, headers, key=key).json()["submissions"] for _ in range(2))
    assert first[0]["id"] == again[0]["id"] and Submission.objects.count() == 1
    others = [
        post(client, headers, key=key, file=upload("[]")),
        post(client, headers, key=key, card=CARD | {"size": 1}, file=upload("[]")),
        post(client, headers, key=str(uuid.uuid4()), file=upload("[]")),
        post(client, member("Other")[1], key=key),
    ]
    ids = {response.json()["submissions"][0]["id"] for response in others} | {first[0]["id"]}
    assert len(ids) == Submission.objects.count() == 5
    for bad in ("a" * 81, "a b", "á"):
        assert post(client, headers, key=bad).json()["error"]["where"] == "Idempotency-Key"


def test_an_archive_is_a_submission_a_task_also_when_it_is_sent_again(client):
    _, headers = member()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("HuCOLA.json", json.dumps(predictions("hucola", 0.8)))
        archive.writestr("HuRTE.json", json.dumps(predictions("hurte", 0.8)))
    sent = [
        post(client, headers, task=None, key="one", file=upload(content.getvalue(), "all.zip")).json() for _ in range(2)
    ]
    assert sent[0]["submissions"] != [] and Submission.objects.count() == 2
    assert {(one["task"], one["state"]) for one in sent[0]["submissions"]} == {
        ("hulu_hucola", "queued"),
        ("hulu_hurte", "queued"),
    }
    assert {one["id"] for one in sent[0]["submissions"]} == {one["id"] for one in sent[1]["submissions"]}
    assert {one["task"] for one in sent[0]["allowances"]} == {"hulu_hucola", "hulu_hurte"}
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr("../evil.json", "[]")
    refused = post(client, headers, task=None, file=upload(content.getvalue(), "all.zip"))
    assert refused.status_code == 403 and Submission.objects.count() == 2


def test_limits_are_refused_with_the_time_of_the_next(client):
    _, headers = member()
    for _number in range(2):
        assert post(client, headers).status_code == 201
    response = post(client, headers)
    assert response.status_code == 403 and response.json()["error"]["code"] == "refused"
    assert "UTC" in response.json()["error"]["message"]
    left = client.get("/api/v1/tasks/hulu_hucola/allowance", headers=headers).json()
    assert left["left"] == 0 and left["next"] is not None and left["uploads_left"] == 48


def test_one_asks_for_publication_and_withdraws(client):
    _, headers = member()
    (sent,) = post(client, headers).json()["submissions"]
    address = f"{SUBMISSIONS}/{sent['id']}"
    early = act(client, f"{address}/request-publication", headers)
    assert early.status_code == 409 and early.json()["error"]["code"] == "state"
    score_waiting()
    asked = act(client, f"{address}/request-publication", headers)
    assert asked.status_code == 200 and asked.json()["state"] == "pending"
    assert act(client, f"{address}/request-publication", headers).status_code == 409
    gone = act(client, f"{address}/withdraw", headers, "{}")
    assert gone.status_code == 200 and gone.json()["state"] == "withdrawn"
    assert act(client, f"{address}/withdraw", headers).status_code == 409


def test_fields_are_refused_where_none_are_taken(client):
    _, headers = member()
    (sent,) = post(client, headers).json()["submissions"]
    score_waiting()
    for body in (b'{"state": "public"}', b"[]", b"\x00"):
        address = f"{SUBMISSIONS}/{sent['id']}/request-publication"
        response = act(client, address, headers, body)
        assert response.status_code == 422
    assert Submission.objects.get().state == "private"


def test_a_card_takes_what_the_form_of_the_site_takes():
    assert set(schemas.Card.model_fields) == set(CARD_FIELDS)
    for name, known in {"setting": SETTINGS, "openness": OPENNESS}.items():
        assert set(get_args(schemas.ShownCard.model_fields[name].annotation)) == set(known)
    # Rows of baselines and people have no rank: staff alone make a row one of them.
    assert set(SETTINGS) - set(get_args(schemas.Card.model_fields["setting"].annotation)) == {"baseline", "human"}


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite in memory; tests/commands/test_submit.py has a file")
def test_the_same_request_several_times_at_once_is_one_submission():
    _, headers = member()
    barrier = Barrier(4)

    def send(_number):
        barrier.wait()
        response = post(Client(), headers, key="one-upload")
        connection.close()
        return response

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(send, range(4)))
    assert [answer.status_code for answer in answers] == [201] * 4, [answer.content for answer in answers]
    assert len({answer.json()["submissions"][0]["id"] for answer in answers}) == Submission.objects.count() == 1


def test_a_body_that_is_too_large_is_refused_before_it_is_read(client):
    _, headers = member()
    response = client.post(
        SUBMISSIONS, b"", content_type="multipart/form-data", headers=headers, CONTENT_LENGTH="1" * 12
    )
    assert response.status_code == 413 and response.json()["error"]["code"] == "too-large"
    assert "100 MB" in response.json()["error"]["message"]


def test_a_list_costs_the_same_queries_however_long_it_is(client, django_assert_num_queries):
    _, headers = member()
    post(client, headers, file=upload("[]"))
    client.get(SUBMISSIONS, headers=headers)  # notes the use of the token
    with django_assert_num_queries(3):  # token, number, rows
        client.get(SUBMISSIONS, headers=headers)
    for _number in range(4):
        post(client, headers, file=upload("[]"))
    with django_assert_num_queries(3):
        assert client.get(SUBMISSIONS, headers=headers).json()["count"] == 5


def test_no_answer_has_an_exact_score_or_a_label_of_ours(client):
    """Every answer that a team gets: the exact score is a number that no rounding of what is told yields."""
    _, headers = member()
    (sent,) = post(client, headers).json()["submissions"]
    score_waiting()
    Submission.objects.update(exact={"mcc": 12.3456789, "canary": "LABEL-CANARY"}, n_flagged=7)
    addresses = [SUBMISSIONS, *(f"{SUBMISSIONS}/{sent['id']}{end}" for end in ("", "/faults"))]
    addresses += ["/api/v1/tasks", "/api/v1/tasks/hulu_hucola/allowance", "/api/v1/boards/hulu_hucola"]
    for address in addresses:
        text = client.get(address, headers=headers).content.decode()
        assert "12.34" not in text and "CANARY" not in text and "flagged" not in text, address


def test_a_judged_task_takes_nothing_while_nothing_judges(client):
    judged = next(board.task for board in boards().values() if board.is_judged)
    _, headers = member()
    response = post(client, headers, task=judged)
    assert response.status_code == 403 and "judge" in response.json()["error"]["message"]
    assert "judge" in client.get(f"/api/v1/tasks/{judged}/allowance", headers=headers).json()["closed"]
    assert client.get("/api/v1/tasks/hulu_hucola/allowance", headers=headers).json()["closed"] == ""
    assert Submission.objects.count() == 0

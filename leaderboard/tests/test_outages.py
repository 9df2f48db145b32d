"""A database that is away and a full disk: what is answered, and how much is logged."""

from __future__ import annotations

import errno
import logging

import pytest
from django.core.files.storage import FileSystemStorage
from django.db import OperationalError, connection
from django.test import Client

from hueval_site.outages import Seldom
from leaderboard.tests.api_client import member, post

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]


def away(*_):
    raise OperationalError("connection to server failed")


def test_while_the_database_is_away_each_answer_says_when_to_ask_again():
    asking = Client(raise_request_exception=False)
    with connection.execute_wrapper(away):
        page = asking.get("/en/boards/hulu_hucola/")
        program = asking.get("/api/v1/boards/hulu_hucola")
    for answer in (page, program):
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
    assert b"Nothing that you sent before is lost." in page.content
    assert program.json()["error"]["code"] == "unavailable"


@pytest.mark.parametrize(
    ("number", "told"), [(errno.ENOSPC, (507, "full", None)), (errno.EIO, (503, "unavailable", "10"))]
)
def test_an_upload_that_cannot_be_stored_is_not_the_sender_s_fault(client, monkeypatch, number, told):
    def failing(*_):
        raise OSError(number, "as the system says it")

    _, headers = member()
    monkeypatch.setattr(FileSystemStorage, "_save", failing)
    answer = post(client, headers)
    assert (answer.status_code, answer.json()["error"]["code"], answer.headers.get("Retry-After")) == told


def test_a_line_a_minute(monkeypatch):
    """Three in the first minute, one in the next; another status and a line without one have nothing to do with it."""
    seconds = iter((0.0, 1.0, 59.0, 60.0, 61.0))
    monkeypatch.setattr("hueval_site.outages.time.monotonic", lambda: next(seconds))
    seldom = Seldom((503, 400))

    def line(status, error=None):
        told = (type(error), error, None) if error else None
        record = logging.LogRecord("django.request", 40, "", 1, "%s: %s", ("Service Unavailable", "/hu/\x1b"), told)
        record.status_code = status
        return record.getMessage() if seldom.filter(record) and not record.exc_info else None

    found = [line(503, OperationalError()), line(503), line(503), line(503), line(400)]
    first, following = (
        "Service Unavailable: /hu/ (OperationalError)",
        "Service Unavailable: /hu/; 2 more since the last such line",
    )
    assert found == [first, None, None, following, "Service Unavailable: /hu/"]
    assert line(500) == "Service Unavailable: /hu/\x1b"  # not one of its statuses

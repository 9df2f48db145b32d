from __future__ import annotations

import asyncio
import json
from tempfile import TemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judge.batch.api import Batch, BatchApi, BatchUnavailableError, batch_of
from hueval_metrics.judge.errors import JudgeUnusableError, RetryPolicy
from tests.each import each
from tests.fakes.batch_server import FakeBatches
from tests.fakes.judge_server import Answer, refuse, settings_for
from tests.fakes.small_files import file_size_limit

pytestmark = pytest.mark.usefixtures("virtual_clock")

NAMES = st.sampled_from(
    ["id", "status", "metadata", "hueval", "request_counts", "completed", "failed", "errors", "data"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner),
    max_leaves=12,
)


def speak(url, talk, **changes):
    """Call the client in an event loop of its own."""

    async def run():
        async with BatchApi(settings_for(url, **changes)) as api:
            return await talk(api)

    return asyncio.run(asyncio.wait_for(run(), 20))


def download(url, cap=1000):
    with TemporaryFile() as file:
        there = speak(url, lambda api: api.download("file-x", file, cap))
        file.seek(0)
        return there, file.read()


def test_a_batch_is_read():
    data = {
        "id": "batch_1",
        "status": "expired",
        "metadata": {"hueval": "token"},
        "request_counts": {"total": 9, "completed": 5, "failed": 2},
        "output_file_id": "file-1",
        "error_file_id": None,
        "errors": None,
    }
    assert batch_of(data) == Batch("batch_1", "expired", "token", 7, ("file-1",))


@given(
    JSON | st.fixed_dictionaries({"id": st.text(), "status": st.text()}, optional={"errors": JSON, "metadata": JSON})
)
def test_no_description_of_a_batch_raises(data):
    batch = batch_of(data)
    assert batch is None or isinstance(batch.id, str)


@each(
    ("status", "is_over"),
    [("validating", False), ("in_progress", False), ("finalizing", False), ("cancelling", False), ("new word", False)]
    + [(status, True) for status in ("completed", "failed", "expired", "cancelled")],
)
def test_a_batch_is_over(status, is_over):
    assert Batch("b", status).is_over == is_over


def pages(count, has_more=True):
    """A server with 100 batches on each page of its list."""

    class Server(FakeBatches):
        def _respond(self, method, path, kind, body):
            self.calls["list"] += 1
            first = 1 + int(path.partition("after=b")[2].partition("&")[0] or 0)
            rows = [{"id": f"b{n}", "status": "completed"} for n in range(first, first + 100)]
            rows[-1]["metadata"] = {"hueval": f"token{first + 99}"}
            more = has_more and first + 99 < 100 * count
            return Answer(body=json.dumps({"data": rows, "has_more": more}).encode())

    return Server()


@pytest.mark.parametrize(
    ("why", "token", "found", "calls"),
    [("on the third page", "token300", "b300", 3), ("nowhere", "other", None, 5)],
)
def test_a_batch_is_found_by_our_name(why, token, found, calls):
    with pages(5) as server:
        batch = speak(server.url, lambda api: api.find(token))
    assert (batch and batch.id) == found
    assert server.calls["list"] == calls


def test_a_list_that_repeats_itself_comes_to_an_end():
    rows = [{"id": "b1", "status": "completed"}]
    with FakeBatches(replace=lambda *_: Answer(body=json.dumps({"data": rows, "has_more": True}).encode())) as server:
        assert speak(server.url, lambda api: api.find("token")) is None


@pytest.mark.parametrize("body", [b"{}", b'{"data": 7}', b'{"data": [null, {"id": 1}], "has_more": true}'])
def test_a_list_of_another_form_holds_no_batch(body):
    with FakeBatches(replace=lambda *_: Answer(body=body)) as server:
        assert speak(server.url, lambda api: api.find("token")) is None


def test_a_file_is_fetched_or_is_not_there():
    with FakeBatches(replace=lambda *_: Answer(body=b"a\nb\n")) as server:
        assert download(server.url) == (True, b"a\nb\n")
    with FakeBatches() as server:
        assert download(server.url) == (False, b"")


def test_an_endless_file_is_given_up():
    with (
        FakeBatches(replace=lambda *_: Answer(body=b"a" * 1001)) as server,
        pytest.raises(BatchUnavailableError, match="larger"),
    ):
        download(server.url)


def test_a_full_disk_is_not_retried():
    with (
        FakeBatches(replace=lambda *_: Answer(body=b"a" * 100_000)) as server,
        file_size_limit(50_000),
        pytest.raises(OSError, match="File too large"),
    ):
        download(server.url, cap=200_000)
    assert server.calls["GET /files/ID/content"] == 1


@pytest.mark.parametrize(
    ("why", "answer", "error", "text"),
    [
        ("another form", Answer(body=b"{}"), BatchUnavailableError, "accepts no files for batches"),
        ("a wrong file", refuse(400, "Invalid file format"), BatchUnavailableError, "Invalid file format"),
        ("a redirect", Answer(status=301, headers={"Location": "/"}), BatchUnavailableError, "redirects"),
        ("a web page", Answer(body=b"<html>Welcome</html>"), JudgeUnusableError, "<html>Welcome</html>"),
        ("no money", refuse(429, "insufficient_quota"), JudgeUnusableError, "used up"),
        ("no money left", refuse(402, "pay"), JudgeUnusableError, "used up"),
    ],
)
def test_what_is_no_place_for_batches_is_said(why, answer, error, text):
    with FakeBatches(replace=lambda *_: answer) as server, TemporaryFile() as file, pytest.raises(error, match=text):
        speak(server.url, lambda api: api.upload(file))


def test_a_long_wait_is_said_once(caplog):
    with FakeBatches(replace=lambda _, number: refuse(500, "oops") if number < 10 else None) as server:
        assert speak(server.url, lambda api: api.look("batch-x"), retry=RetryPolicy(backoff_s=0.001)) is None
    assert caplog.text.count("it is retried until it works") == 1

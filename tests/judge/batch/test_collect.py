"""Answers out of finished batches: kept, resubmitted, or left to the live calls."""

from __future__ import annotations

import json

import pytest
from pydantic import SecretStr

from tests.fakes.batch_server import FakeBatches, answer_row, completed, unexecuted_row
from tests.fakes.judge_server import KEY, Answer, refuse
from tests.judge.batch.helpers import Asked, key, keys, requests

pytestmark = pytest.mark.usefixtures("virtual_clock")


def fails(first, times):
    """A batch whose first request fails a number of times."""
    left = [times]

    def finish(lines):
        rows = [answer_row(line["custom_id"]) for line in lines]
        if left[0] and lines[0]["custom_id"] == key(0):
            left[0] -= 1
            status = "expired" if first is not None and first["response"] is None else "completed"
            return status, rows[1:], [first] if first else []
        return "completed", rows, []

    return finish


@pytest.mark.parametrize(
    ("why", "row"),
    [
        ("500", answer_row(key(0), status=500, message="oops")),
        ("429", answer_row(key(0), status=429, message="slow down")),
        ("expired", unexecuted_row(key(0), "batch_expired")),
        ("no answer at all", None),
    ],
)
def test_what_failed_is_submitted_again(why, row):
    with FakeBatches(fails(row, 2)) as server:
        asked = Asked(server.url, requests(3))
    assert server.keys == [[key(0), key(1), key(2)], [key(0)], [key(0)]]
    assert set(asked.kept) == keys(0, 1, 2)
    assert asked.outcome.problem is None


def test_what_fails_a_third_time_is_left_to_the_live_calls():
    with FakeBatches(fails(answer_row(key(0), status=500, message="oops"), 9)) as server:
        asked = Asked(server.url, requests(3))
    assert len(server.keys) == 3
    assert set(asked.kept) == set(asked.outcome.usage) == keys(1, 2)
    assert not asked.outcome.pending_keys and not asked.outcome.unaffordable_keys
    assert asked.ledger.outstanding == 0 and asked.ledger.at_risk_usd == 0


def test_an_unreadable_reply_is_paid_for_and_not_submitted_again():
    with FakeBatches() as server:
        asked = Asked(server.url, requests(2), readable=lambda reply: False)
    assert len(server.batches) == 1
    assert set(asked.outcome.usage) == keys(0, 1)


@pytest.mark.parametrize(
    ("why", "row"),
    [
        ("cut off", answer_row(key(0), '{"evaluation": "COR', finish_reason="length")),
        ("no words", answer_row(key(0), None, finish_reason="content_filter")),
    ],
)
def test_half_a_reply_and_none_are_paid_for_and_not_kept(why, row):
    with FakeBatches(lambda lines: ("completed", [row], [])) as server:
        asked = Asked(server.url, requests(1))
    assert not asked.kept and set(asked.outcome.usage) == keys(0)
    assert len(server.batches) == 1


def test_a_request_that_is_wrong_itself_is_left_to_the_live_calls():
    row = answer_row(key(0), status=400, message="maximum context length is 128000 tokens", code="context_length")
    with FakeBatches(lambda lines: ("completed", [answer_row(key(1))], [row])) as server:
        asked = Asked(server.url, requests(2))
    assert len(server.batches) == 1
    assert set(asked.kept) == keys(1) and asked.outcome.problem is None


def test_a_refused_parameter_ends_the_batches(caplog):
    def finish(lines):
        refused = {
            "status": 400,
            "message": "Unsupported parameter: 'max_tokens' is not supported",
            "param": "max_tokens",
        }
        rows = [answer_row(line["custom_id"], **refused) for line in lines[1:]]
        return "completed", [], [answer_row(lines[0]["custom_id"], status=500, message="oops"), *rows]

    with FakeBatches(finish) as server:
        asked = Asked(server.url, requests(3))
    assert len(server.batches) == 1  # the one that failed goes live, too
    assert asked.outcome.problem == "batch batch-0: the judge does not accept max_tokens"
    assert asked.outcome.problem in caplog.text


def test_a_download_that_breaks_off_is_not_counted_twice():
    rows = b"".join(b'{"custom_id": "%b", "response": null}\n' % key(n).encode() for n in range(2))

    def replace(call, number):
        return Answer(body=rows, fault="cut") if call == "GET /files/ID/content" and not number else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    assert set(asked.kept) == keys(0, 1, 2) and len(server.batches) == 1


def test_a_download_that_ends_in_the_middle_of_a_line_is_fetched_again():
    def replace(call, number):
        is_first = call == "GET /files/ID/content" and not number
        return Answer(body=b'{"custom_id": "' + key(2)[:9].encode()) if is_first else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    assert set(asked.kept) == keys(0, 1, 2) and len(server.batches) == 1


def test_lines_that_cannot_be_read_or_are_unknown_are_counted(caplog):
    def finish(lines):
        rows = [answer_row(line["custom_id"]) for line in lines]
        return (
            ("completed", [rows[0], rows[0], answer_row("f" * 64), {"custom_id": 7}], [])
            if len(rows) > 1
            else completed(lines)
        )

    with FakeBatches(finish) as server:
        asked = Asked(server.url, requests(2))
    assert (
        "1 lines of its answers cannot be parsed, 2 are of unknown requests, 1 requests have no answer" in caplog.text
    )
    assert set(asked.kept) == keys(0, 1)
    assert asked.outcome.usage[key(0)].calls == 1  # the line that came twice


@pytest.mark.parametrize("row", [[], [unexecuted_row(key(1), "batch_cancelled")]])
def test_of_a_cancelled_batch_the_finished_part_is_kept_and_the_rest_goes_live(row):
    with FakeBatches(lambda lines: ("cancelled", [answer_row(key(0))], row)) as server:
        asked = Asked(server.url, requests(2))
    assert asked.outcome.problem == f"batch batch-0 was cancelled at {server.url}"
    assert set(asked.kept) == keys(0) and len(server.batches) == 1


def test_answers_that_are_gone_are_asked_for_again():
    def replace(call, number):
        return refuse(404, "expired") if call == "GET /files/ID/content" and not number else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1) and len(server.batches) == 2


def test_answers_behind_a_redirect_leave_the_requests_to_the_live_calls():
    def replace(call, number):
        return Answer(status=302, headers={"Location": "/x"}) if call == "GET /files/ID/content" else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(2))
    assert "it redirects, which is not followed" in asked.outcome.problem
    assert not asked.outcome.pending_keys and len(server.batches) == 1


def test_the_key_is_in_no_reply_and_no_file(tmp_path, caplog):
    def finish(lines):
        return "completed", [answer_row(line["custom_id"], f"YES {KEY}") for line in lines], []

    with FakeBatches(finish) as server:
        asked = Asked(server.url, requests(1), api_key=SecretStr(KEY))
    assert asked.kept == {key(0): "YES [key]"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files and not any(KEY.encode() in path.read_bytes() for path in files)
    assert KEY not in caplog.text


OOPS, EXPIRED = {"status": 500, "message": "oops"}, "batch_expired"


def rows_of(lines):
    """A reply of its own to each request, which names it."""
    return [answer_row(line["custom_id"], f"YES {line['custom_id']}") for line in lines]


@pytest.mark.parametrize(
    ("why", "output", "errors", "n_batches"),
    [
        ("reordered", lambda rows: [rows[2], rows[0], rows[1]], [], 1),
        ("doubled", lambda rows: [*rows, *rows], [], 1),
        ("doubled, in the file of errors too", lambda rows: rows, [answer_row(key(1), **OOPS)], 1),
        ("an error before the reply", lambda rows: [answer_row(key(1), **OOPS), *rows], [], 1),
        ("not executed before the reply", lambda rows: [unexecuted_row(key(1), EXPIRED), *rows], [], 1),
        ("status 200 without a completion before the reply",
         lambda rows: [rows[1] | {"response": {"status_code": 200, "body": {}}}, *rows], [], 1),
        ("doubled errors and no reply", lambda rows: rows[1:], [answer_row(key(0), **OOPS)] * 2, 2),
        ("missing", lambda rows: rows[1:], [], 2),
        ("expired", lambda rows: rows[:1], [unexecuted_row(key(n), EXPIRED) for n in (1, 2)], 2),
        ("of a request that is not ours", lambda rows: [*rows, answer_row("0" * 64, "YES")], [], 1),
    ],
)  # fmt: skip
def test_whatever_the_order_and_number_of_results_each_request_has_its_own_and_is_paid_once(
    why, output, errors, n_batches
):
    first = []

    def finish(lines):
        rows = rows_of(lines)
        if first:
            return "completed", rows, []
        first.append(lines)
        return "completed", output(rows), errors

    with FakeBatches(finish) as server:
        asked = Asked(server.url, requests(3))
    assert asked.kept == {one: f"YES {one}" for one in keys(0, 1, 2)}
    assert {one: usage.calls for one, usage in asked.outcome.usage.items()} == dict.fromkeys(keys(0, 1, 2), 1)
    assert len(server.batches) == n_batches and asked.ledger.outstanding == 0


def described(batch_id, status, completed, total=3):
    counts = {"completed": completed, "failed": 0, "total": total}
    return Answer(body=json.dumps({"id": batch_id, "status": status, "request_counts": counts}).encode())


def test_files_that_are_named_a_moment_later_are_waited_for():
    """Not taken for a batch without answers, which would be paid for again."""

    def replace(call, number):
        return described("batch-0", "completed", 3) if call == "GET /batches/ID" and number < 2 else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    assert set(asked.kept) == keys(0, 1, 2) and len(server.batches) == 1


def test_files_that_are_never_named_do_not_hold_it_up():
    def replace(call, number):
        return described("batch-0", "completed", 3) if call == "GET /batches/ID" and number < 3 else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    assert set(asked.kept) == keys(0, 1, 2) and len(server.batches) == 2


def test_the_progress_says_how_many_the_server_reports_as_completed():
    done = [0, 1, 2]

    def replace(call, number):
        is_early = call == "GET /batches/ID" and number < len(done)
        return described("batch-0", "in_progress", done[number]) if is_early else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    assert asked.told == [*(f"batch: {n} of 3 completed" for n in done), ""]

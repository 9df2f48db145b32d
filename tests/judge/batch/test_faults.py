"""Servers and disks that fail while batches are made or collected."""

from __future__ import annotations

import logging

import pytest
from pydantic import SecretStr

from hueval_metrics.judge.errors import JudgeUnusableError
from tests.fakes.batch_server import FakeBatches, answer_row
from tests.fakes.judge_server import KEY, Answer, refuse
from tests.fakes.small_files import file_size_limit
from tests.judge.batch.helpers import Asked, keys, requests

pytestmark = pytest.mark.usefixtures("virtual_clock")


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("where", ["POST /files", "POST /batches"])
def test_a_server_without_a_batch_api_is_asked_live_and_named(status, where, caplog):
    def replace(call, number):
        return refuse(status, "what?") if call == where else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    assert asked.outcome.problem == f'{server.url} has no Batch API (HTTP {status}: "what?")'
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert not asked.outcome.usage and not asked.outcome.pending_keys and asked.ledger.outstanding == 0


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_fatal_and_not_shown(status, caplog):
    with (
        FakeBatches(replace=lambda *_: refuse(status, f"bad key {KEY}")) as server,
        pytest.raises(JudgeUnusableError) as e,
    ):
        Asked(server.url, requests(3), api_key=SecretStr(KEY))
    assert "HUEVAL_JUDGE_API_KEY" in str(e.value) and "[key]" in str(e.value)
    assert KEY not in str(e.value) + caplog.text


def test_a_dead_server_is_fatal_at_once():
    with FakeBatches() as server:
        pass
    with pytest.raises(JudgeUnusableError, match=r"connection refused\. Is a judge running there"):
        Asked(server.url, requests(3))


STEPS = ["POST /files", "POST /batches", "GET /batches/ID", "GET /files/ID/content"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("why", "answer"),
    [
        ("500", refuse(500, "oops")),
        ("429", refuse(429, "slow down", headers={"retry-after-ms": "5"})),
        ("dropped", Answer(fault="drop")),
        ("cut off", Answer(body=b'{"id": "fi', fault="cut")),
    ],
)
def test_a_passing_fault_is_waited_out_at_every_step(step, why, answer):
    def replace(call, number):
        return answer if call == step and number < 2 else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    is_made = step == "POST /batches" and answer.fault  # and only the answer was lost
    assert server.calls[step] == 1 if is_made else server.calls[step] >= 3
    assert set(asked.kept) == keys(0, 1, 2)
    assert len(server.batches) == 1


def test_without_a_place_for_ids_it_goes_on_and_says_so(monkeypatch, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "file" / "below"))
    with FakeBatches() as server:
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1)
    assert caplog.text.count("The ids of batches cannot be stored") == 1


def test_a_full_disk_leaves_the_batch_to_a_later_call():
    def finish(lines):
        return "completed", [answer_row(line["custom_id"], "YES" * 100_000) for line in lines], []

    with FakeBatches(finish) as server:
        with file_size_limit(200_000):
            asked = Asked(server.url, requests(2))
        assert asked.outcome.problem == "writing to the disk failed: File too large"
        assert asked.outcome.pending == ("batch-0",) and asked.outcome.pending_keys == keys(0, 1)
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1) and len(server.batches) == 1

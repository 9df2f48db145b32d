"""Batches in several processes: the mock judge with its faults, a kill at every step, two runs at once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.helpers import shared
from tests.preloaded import popen

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]

RUN = """
import asyncio, hashlib, json, os, sys, time
url, count, die_at, root = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
sys.path.insert(0, root)
from hueval_metrics.judge.batch import api as batch_api
from hueval_metrics.judge.batch import store as batch_store
from hueval_metrics.judge.batch import ask
from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.ledger import Ledger
from tests.fakes.judge_server import settings_for

die = lambda *_: os.kill(os.getpid(), 9)
if "." in die_at:
    owner, method = die_at.split(".")
    setattr({"api": batch_api.BatchApi, "store": batch_store.BatchStore}[owner], method, die)
elif die_at == "put with id":
    put = batch_store.BatchStore.put
    batch_store.BatchStore.put = lambda store, token, batch: die() if batch.id else put(store, token, batch)

def request(number):
    key = hashlib.sha256(b"%d" % number).hexdigest()
    messages = [{"role": "user", "content": f"Helyes a(z) {number}. válasz?"}]
    return key, json.dumps(messages).encode()

with ReplyCache() as cache:
    kept = []
    def keep(key, reply, usage):
        cache.put(key, reply, "mock", "toy/1")
        kept.append(key)
        if die_at == "keep" and len(kept) == 20:
            die()
        return True
    todo = {key: messages for key, messages in map(request, range(count)) if cache.get(key) is None}
    settings = settings_for(url, model="mock", mode="batch")
    outcome = asyncio.run(ask.ask_in_batches(
        todo, {"max_tokens": 64}, "toy/1", settings, cache, keep, Ledger(), time.monotonic() + 60))
    known = sum(cache.get(request(n)[0]) is not None for n in range(count))
print(json.dumps([len(outcome.usage), known, outcome.problem]))
"""


@contextmanager
def mock(*options):
    command = [sys.executable, shared("bench", "mock_judge.py"), "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.kill()
        process.communicate()


def start(url, count, die_at=""):
    command = [sys.executable, "-c", RUN, url, str(count), die_at, str(ROOT)]
    return popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def result(run):
    out, err = run.communicate(timeout=240)
    assert run.returncode == 0, err.decode()
    return json.loads(out)


def stats(url):
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as answer:
        return json.load(answer)


def test_three_hundred_requests_through_the_mock_judge():
    with mock("--batch-seconds", "0.2") as url:
        assert result(start(url, 300)) == [300, 300, None]
        assert stats(url)["batch_requests"] == 300
        assert result(start(url, 300)) == [0, 300, None]
        assert stats(url)["batch_requests"] == 300


def test_failed_and_expired_requests_are_submitted_again():
    with mock("--batch-seconds", "0.2", "--batch-error-rate", "0.1", "--batch-expire-rate", "0.1") as url:
        answered, known, problem = result(start(url, 300))
        counts = stats(url)
    # Two of ten fail, so about two or three of 300 do so three times.
    assert answered == known == counts["answered_distinct"]
    assert 280 <= known < counts["batch_requests"]
    assert counts["answered_again"] == 0 and problem is None


@pytest.mark.parametrize(
    ("die_at", "paid_for"),
    [
        ("store.put", False),
        ("api.create", False),
        ("put with id", True),  # created, and its id never stored
        ("api.look", True),
        ("api.download", True),
        ("keep", True),  # some of the replies, and not all
        ("store.delete", True),
    ],
)
def test_killed_at_any_step_it_pays_for_nothing_twice(die_at, paid_for):
    with mock("--batch-seconds", "0.1") as url:
        run = start(url, 50, die_at)
        run.communicate(timeout=240)
        assert run.returncode == -signal.SIGKILL
        assert bool(stats(url)["batch_requests"] or _batches(url)) == paid_for
        answered, known, problem = result(start(url, 50))
        counts = stats(url)
    assert (known, problem) == (50, None)
    assert answered == (0 if die_at == "store.delete" else 50)
    assert counts["batch_requests"] == 50 and counts["answered_again"] == 0


def _batches(url):
    with urllib.request.urlopen(url + "/batches") as answer:
        return json.load(answer)["data"]


def test_two_processes_at_once_submit_nothing_twice():
    with mock("--batch-seconds", "0.5", "--batch-error-rate", "0.1") as url:
        runs = [start(url, 200), start(url, 200)]
        results = [result(run) for run in runs]
        counts = stats(url)
    assert counts["answered_again"] == 0
    assert sum(answered for answered, _, _ in results) == counts["answered_distinct"]
    assert max(known for _, known, _ in results) == counts["answered_distinct"]

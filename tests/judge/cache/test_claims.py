from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hueval_metrics.judge.cache.claims import Claims

KEYS = [f"{n:015x}" for n in (1, 2, 16**15 - 1)]

CLAIMER = """
import sys
from pathlib import Path
from hueval_metrics.judge.cache.claims import Claims
claims = Claims(Path(sys.argv[1]))
print(claims.claim(sys.argv[2]), flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "judge" / "replies.lock"


@pytest.fixture
def opened(file):
    """Opens the claims of one more judging; all are closed at the end."""
    made = []

    def make(path=file):
        made.append(Claims(path))
        return made[-1]

    yield make
    for claims in made:
        claims.close()


def claimed_elsewhere(file, key):
    """Whether another process can claim a key; its claim ends with it."""
    command = [sys.executable, "-c", CLAIMER, file, key]
    return subprocess.run(command, capture_output=True, input="", text=True, timeout=240).stdout == "True\n"


@pytest.mark.process
def test_a_claim_keeps_other_processes_off_until_theirs_ends(file, opened):
    command = [sys.executable, "-c", CLAIMER, file, KEYS[0]]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "True\n"
    claims = opened()
    assert not claims.claim(KEYS[0])
    assert claims.claim(KEYS[1])
    other.kill()
    other.communicate()
    assert claims.claim(KEYS[0])
    assert not claimed_elsewhere(file, KEYS[0])
    assert claimed_elsewhere(file, KEYS[2])
    claims.release(KEYS[0])
    assert claimed_elsewhere(file, KEYS[0])


@pytest.mark.parametrize("path_is_given", [True, False])
def test_within_a_process_a_question_is_claimed_once(file, opened, path_is_given):
    one, other = (opened(file if path_is_given else None) for _ in range(2))
    assert one.claim(KEYS[0])
    assert not one.claim(KEYS[0])
    assert not other.claim(KEYS[0])
    other.release(KEYS[0])  # not its own
    assert not other.claim(KEYS[0])
    one.release(KEYS[0])
    assert other.claim(KEYS[0])


@pytest.mark.process
def test_one_that_closes_leaves_the_claims_of_another(file, opened):
    """POSIX locks: closing the file anywhere in a process releases all locks of the process."""
    kept = opened()
    assert kept.claim(KEYS[0])
    passing = Claims(file)
    assert passing.claim(KEYS[1])
    passing.close()
    assert not claimed_elsewhere(file, KEYS[0])
    assert claimed_elsewhere(file, KEYS[1])
    assert kept.claim(KEYS[1])


def test_the_last_one_closes_the_file(file):
    before = len(list(Path("/dev/fd").iterdir()))
    for claims in [Claims(file) for _ in range(3)]:
        claims.claim(KEYS[0])
        claims.close()
    assert len(list(Path("/dev/fd").iterdir())) == before
    assert file.stat().st_size == 0


def test_no_place_for_a_lock_file(tmp_path, opened):
    (tmp_path / "file").write_text("in the way")
    one, other = (opened(tmp_path / "file" / "replies.lock") for _ in range(2))
    assert one.claim(KEYS[0])
    assert not other.claim(KEYS[0])


def test_a_file_system_without_locks(opened, monkeypatch):
    def refuse(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "lockf", refuse)
    one, other = opened(), opened()
    assert one.claim(KEYS[0])
    assert not other.claim(KEYS[0])
    one.release(KEYS[0])
    assert other.claim(KEYS[0])


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_knows_of_none_of_its_parents_claims(file, opened):
    """Its copy of the parent's account would block requests for ever; the parent's locks still do, until released."""
    claims = opened()
    claims.claim(KEYS[0])
    child = os.fork()
    if child == 0:
        own = Claims(file)
        os._exit(2 * own.claim(KEYS[0]) + own.claim(KEYS[1]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    claims.release(KEYS[0])
    child = os.fork()
    if child == 0:
        os._exit(Claims(file).claim(KEYS[0]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_threads_claim_each_question_once(opened):
    won = []

    def take(claims):
        won.extend(n for n in range(300) if claims.claim(f"{n:015x}"))

    threads = [threading.Thread(target=take, args=[opened()]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == list(range(300))

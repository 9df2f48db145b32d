"""A disk that is full, as a small file system in a mount namespace of its own: what was paid for is not paid again."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.fakes.judge_server import Answer, FakeJudge
from tests.helpers import json_lines
from tests.scoring.conftest import plain, write_lines

pytestmark = pytest.mark.process

TASK = "openhueval_husimpleqa"
USAGE = {"prompt_tokens": 1000, "completion_tokens": 9}
# Reasons at length fill a small disk soon, and the cache with them.
REPLY = json.dumps({"evaluation": "Correct", "why": "mert igaz " * 1200})


@pytest.fixture
def hueval(tmp_path):
    """Runs shell commands with a cache of a quarter of a MiB, which holds some of the replies."""
    mount = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    small = tmp_path / "small"
    small.mkdir()
    prepare = f"mount -t tmpfs -o size=256k none {small}"
    try:
        subprocess.run([*mount, prepare], check=True, capture_output=True, timeout=240)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system can be mounted here (unshare, tmpfs)")

    def run(url, *commands, **variables):
        script = " && ".join([prepare, *commands])
        env = os.environ | {"HUEVAL_CACHE_DIR": str(small), "HUEVAL_JUDGE_BASE_URL": url} | variables
        return subprocess.run([*mount, script], env=env, capture_output=True, text=True, timeout=240)

    return run


def test_replies_that_the_cache_could_not_store_are_not_paid_for_again(hueval, tmp_path):
    predictions = write_lines(tmp_path / "p.jsonl", plain("husimpleqa"))
    out, first = tmp_path / "out", tmp_path / "first"
    score = f"{sys.executable} -m hueval_metrics score {predictions} --task {TASK} --output {out}"
    with FakeJudge(lambda *_: Answer(REPLY, usage=USAGE)) as judge:
        done = hueval(judge.url, score, f"cp -r {out} {first}", score, HUEVAL_SAMPLE="1")
        rows = json_lines(first / "items.jsonl")
        unsaved = [row["verdict"]["unsaved"] for row in rows]
        assert done.returncode == 0
        assert "The judge's cache" in done.stderr and "full" in done.stderr
        assert any(unsaved) and not all(unsaved)
        assert len(judge.requests) == len(rows)  # in both runs together
        another = hueval(judge.url, score, HUEVAL_SAMPLE="1", HUEVAL_JUDGE_MODEL="another")
    assert another.returncode == 0
    assert len(judge.requests) == 2 * len(rows)  # another judge's verdict is no stand-in
    assert {row["verdict"]["label"] for row in rows} == {"CORRECT"}

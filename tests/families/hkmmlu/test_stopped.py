"""A run of all 66 subjects that is killed and interrupted on the way goes on where it was."""

from __future__ import annotations

import json
import signal
import sys
import time

import pytest

from tests.fakes.tiny_model import build
from tests.families.hkmmlu import full_size
from tests.harness.runs import TIMEOUT_S, finish, hueval_here, results, start

pytestmark = pytest.mark.process

DOCUMENTS = 66 * full_size.VALIDATION  # of each subject five


def kept(cache):
    """The lines of the file that keeps the answers, as another process sees them."""
    return [line for file in cache.glob("generations/*_rank0.jsonl") for line in file.read_bytes().splitlines(True)]


def stopped_after(count, number, command, cache):
    """What is left of a process that gets a signal when so many answers are kept."""
    process = start([sys.executable, "-m", "hueval_metrics", *command])
    end = time.monotonic() + TIMEOUT_S
    while len(kept(cache)) < count:
        if process.poll() is not None or time.monotonic() > end:
            pytest.fail(f"ended or hung before the signal: {finish(process, 1).err[-2000:]}")
        time.sleep(0.02)
    process.send_signal(number)
    return finish(process)


@pytest.mark.nightly
@pytest.mark.slow
def test_stopped_twice_it_asks_each_question_once(tmp_path, monkeypatch):
    pytest.importorskip("transformers", reason="needs the hf extra")
    pytest.importorskip("torch", reason="needs the hf extra").set_num_threads(1)
    model, data = build(tmp_path / "model"), full_size.write(tmp_path / "data", scale=0.0001)
    cache = tmp_path / "cache"
    settings = {"HUEVAL_DATA_DIR": data, "HF_HUB_OFFLINE": "1", "HF_HOME": tmp_path / "huggingface"}
    for name, value in (settings | {"HUEVAL_CACHE_DIR": cache, "OMP_NUM_THREADS": "1"}).items():
        monkeypatch.setenv(name, str(value))
    small = ("--gen_kwargs", "max_gen_toks=2", "--batch_size", 8, "--device", "cpu")
    options = ("--model", "hf", "--model_args", f"pretrained={model}", "--tasks", "hkmmlu", *small)
    command = ("run", *options, "--output_path", tmp_path / "out")

    killed = stopped_after(100, signal.SIGKILL, command, cache)
    assert killed.status == -signal.SIGKILL
    after_kill = len(kept(cache))
    assert 100 <= after_kill < DOCUMENTS
    interrupted = stopped_after(200, signal.SIGINT, command, cache)  # in the 40th subject's worth
    after_ctrl_c = len(kept(cache))
    assert interrupted.status == 130 and "Traceback" not in interrupted.err
    assert f"{after_kill} answers are kept from before" in interrupted.err
    assert f"stopped. {after_ctrl_c} answers are kept in " in interrupted.err
    assert not list((tmp_path / "out").rglob("results_*.json"))

    done = hueval_here(*command)
    assert done.status == 0, done.err
    assert f"{after_ctrl_c} answers are kept from before, {DOCUMENTS - after_ctrl_c} are left" in done.err
    keys = [json.loads(line)["key"] for line in kept(cache)]
    assert len(keys) == len(set(keys)) == DOCUMENTS
    found = results(tmp_path / "out")
    assert sum(found["n-samples"][task]["effective"] for task in found["n-samples"]) == DOCUMENTS
    assert len(found["n-samples"]) == 66

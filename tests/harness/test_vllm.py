"""lm-eval's own vLLM class over an engine that stands for vLLM: what a stopped run keeps, what reaches the prompt."""

from __future__ import annotations

import json
import os
import sys
import time

import pytest

from tests.fakes.vllm_engine import ASKED, HANGS_AT, install
from tests.harness.runs import TIMEOUT_S, finish, metrics, results, run, samples, start

TASK = "openhueval_huproverbrea_2cq"
DOCUMENTS = 28
IN_PARTS = """
import sys
from hueval_metrics.harness import generations
generations.AT_ONCE = 5
from hueval_metrics.cli import main
raise SystemExit(main(sys.argv[1:]))
"""
HUEVAL = ("-m", "hueval_metrics")
IN_TURN = """
import json, os, sys
from hueval_metrics.cli import main
statuses = []
for settings, arguments in json.loads(sys.argv[1]):
    os.environ |= settings
    statuses.append(main(arguments))
raise SystemExit(max(statuses))
"""

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture
def vllm(tmp_path, monkeypatch):
    """The environment of a process that finds vLLM and ray installed; also the file that counts the engine's calls."""
    packages = install(tmp_path / "packages")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(packages), *sys.path]))
    monkeypatch.setenv(ASKED, str(tmp_path / "asked"))
    return tmp_path / "asked"


def command(model, folder, *more, model_args=(), task=TASK):
    given = json.dumps({"pretrained": str(model), **dict(model_args)})
    common = ("--model", "vllm", "--tasks", task, "--output_path", folder, "--apply_chat_template")
    return ("run", *common, "--model_args", given, *more)


def in_turn(*calls):
    """The commands in one process, for vLLM's class takes long to import; each with settings of its own."""
    outcome = run(
        sys.executable, "-c", IN_TURN, json.dumps([(settings, [*map(str, call)]) for settings, call in calls])
    )
    assert outcome.status == 0, outcome.err
    return outcome


def asked(file):
    """How many requests each call of the engine had."""
    return [int(line) for line in file.read_text(encoding="utf-8").split()] if file.exists() else []


@pytest.mark.parametrize(
    ("entry", "batch_size", "step"),
    [(HUEVAL, "4", 4), (("-c", IN_PARTS), "auto", 5)],
    ids=["batches of a number", "auto, in parts"],
)
def test_killed_while_it_generates(tiny_model, tmp_path, vllm, entry, batch_size, step):
    def arguments(folder):
        return command(tiny_model, tmp_path / folder, "--batch_size", batch_size)

    process = start([sys.executable, *entry, *arguments("out")], **{HANGS_AT: "3"})
    end = time.monotonic() + TIMEOUT_S
    while len(asked(vllm)) < 3 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    process.kill()
    killed = finish(process)
    assert killed.status == -9, killed.err
    kept = 2 * step

    anew = {"HUEVAL_CACHE_DIR": str(tmp_path / "another cache")}
    resumed = in_turn(({}, arguments("out")), (anew, arguments("whole")))
    lines = [line for line in resumed.complaints if "kept from before" in line]
    assert lines == [f"hueval: {kept} answers are kept from before, {DOCUMENTS - kept} are left to generate."]
    assert sum(asked(vllm)[3:]) == DOCUMENTS - kept + DOCUMENTS
    assert metrics(tmp_path / "out") == metrics(tmp_path / "whole")
    answers = [[row["resps"] for row in samples(tmp_path / name, TASK)] for name in ("out", "whole")]
    assert answers[0] == answers[1]


def test_data_parallel_says_that_nothing_is_kept_before_the_end(tiny_model, tmp_path, vllm):
    call = command(tiny_model, tmp_path / "out", "--limit", 6, model_args={"data_parallel_size": 2})
    again = command(tiny_model, tmp_path / "again", "--limit", 6, model_args={"data_parallel_size": 2})
    outcome = in_turn(({}, call), ({}, again))
    said = [line for line in outcome.complaints if line.startswith("hueval: data_parallel_size=2: lm-eval hands all")]
    assert len(said) == 2
    assert asked(vllm) == [3, 3]  # one call of each worker, however many batches
    assert outcome.complaints.count("hueval: 6 answers are kept from before, 0 are left to generate.") == 1
    assert metrics(tmp_path / "again") == metrics(tmp_path / "out")


def test_thinking_switched_by_the_template_arguments_reaches_the_prompt(tiny_model, tmp_path, vllm):
    """lm-eval's class takes the setting out of the arguments, and then overwrites it."""
    model_args = {"chat_template_args": {"enable_thinking": False}}
    in_turn(({}, command(tiny_model, tmp_path, "--limit", 2, model_args=model_args)))
    for row in samples(tmp_path, TASK):
        assert row["arguments"]["gen_args_0"]["arg_0"].endswith("<think>\n\n</think>\n\n")
    assert results(tmp_path)["config"]["model_args"]["chat_template_args"] == {"enable_thinking": False}


def test_a_second_turn_goes_through_the_template_and_is_kept(tiny_model, tmp_path, vllm):
    """The engine answers 1 or 2, which is no label of this task."""
    task = "hulugen_huwnli"
    more = ("--ask-again", "--batch_size", 4)
    first, again = (command(tiny_model, tmp_path / name, *more, task=task) for name in ("out", "again"))
    outcome = in_turn(({}, first), ({}, again))
    assert outcome.err.count("hueval: --ask-again: 3 of 3 replies are asked for again") == 2
    assert asked(vllm) == [3, 3], "the same command again finds both turns"
    for row in samples(tmp_path / "out", task):
        prompt, turn = row["arguments"]["gen_args_0"]["arg_0"], row["second_turn"]
        assert turn["prompt"].startswith(f"{prompt}{row['resps'][0][0]}<|im_end|>\n<|im_start|>user\nMost csak")
        assert json.loads(row["filtered_resps"][0])["second"] == turn["reply"]

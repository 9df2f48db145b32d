"""The command under Python, accelerate and torchrun."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import hueval_metrics
from tests.harness.runs import RULE_TASKS, hueval, metrics, results, run, samples

RANDOM = ("--tasks", "openhueval_*", "--model_args", "policy=random,seed=3")


def test_python_dash_m():
    outcome = hueval("--version")
    assert (outcome.status, outcome.out) == (0, f"hueval {hueval_metrics.__version__}\n")


@pytest.mark.slow
def test_accelerate_launch(cli, tmp_path):
    pytest.importorskip("accelerate", reason="needs the hf extra")
    command = ("run", "--model", "hueval-baseline", *RANDOM)
    launch = (sys.executable, "-m", "accelerate.commands.launch", "--num_processes", 1, "--cpu", "-m", "hueval_metrics")
    outcome = run(*launch, *command, "--output_path", tmp_path / "launched")
    assert outcome.status == 0, outcome.err
    assert cli(*command, "--output_path", tmp_path / "direct").status == 0
    assert metrics(tmp_path / "launched") == metrics(tmp_path / "direct")


@pytest.mark.slow
@pytest.mark.parametrize("limit", [7, 8], ids=["one rank is short", "even ranks"])
def test_two_ranks_score_as_one(cli, tmp_path, limit):
    pytest.importorskip("torch", reason="needs the hf extra")
    small = ("--limit", limit)
    torchrun = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", 2)
    script = Path(__file__).with_name("two_ranks.py")
    outcome = run(
        *(*torchrun, script, "run", "--model", "ranked", *RANDOM, *small, "--output_path", tmp_path / "two"),
        HUEVAL_CACHE_DIR=str(tmp_path / "cache of two"),
        OMP_NUM_THREADS="1",
    )
    assert outcome.status == 0, outcome.err
    assert "rank 1" in outcome.err  # lm-eval's log: both took part
    command = ("run", "--model", "hueval-baseline", *RANDOM, *small)
    assert cli(*command, "--output_path", tmp_path / "one").status == 0
    assert metrics(tmp_path / "two") == metrics(tmp_path / "one")
    for task in RULE_TASKS:
        one, two = (samples(tmp_path / name, task) for name in ("one", "two"))
        assert [row["filtered_resps"] for row in two] == [row["filtered_resps"] for row in one]
        assert results(tmp_path / "two")["n-samples"][task]["effective"] == limit
    assert cli("score", tmp_path / "two", "--output", tmp_path / "again").status == 0


@pytest.mark.slow
def test_answers_of_two_ranks_are_found_by_one(tmp_path):
    pytest.importorskip("torch", reason="needs the hf extra")
    script = Path(__file__).with_name("two_ranks.py")

    def launch(processes, folder):
        torchrun = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", processes)
        settings = ("--model_args", "policy=random,seed=3", "--tasks", "openhueval_humatchingfib", "--limit", 5)
        return run(*torchrun, script, "run", "--model", "ranked", *settings, "--output_path", tmp_path / folder)

    assert launch(2, "two").status == 0
    kept = {file.name.rpartition("_")[2] for file in (tmp_path / "cache" / "generations").iterdir()}
    assert kept == {"rank0.jsonl", "rank1.jsonl"}
    again, one = launch(2, "again"), launch(1, "one")
    assert again.status == one.status == 0, again.err + one.err
    assert "hueval: 3 answers are kept from before, 0 are left to generate." in again.complaints
    assert "hueval: 5 answers are kept from before, 0 are left to generate." in one.complaints
    assert metrics(tmp_path / "two") == metrics(tmp_path / "again") == metrics(tmp_path / "one")

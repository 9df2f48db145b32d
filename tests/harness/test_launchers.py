"""The command under Python, accelerate and torchrun."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import hueval_metrics
from hueval_metrics.runs.load import load_runs
from tests.conftest import FOREIGN
from tests.fakes.judge_server import FakeJudge
from tests.harness.runs import RULE_TASKS, hueval, metrics, results, run, samples

pytestmark = pytest.mark.process

SIMPLE_QA = "openhueval_husimpleqa"
SCRIPT = Path(__file__).with_name("two_ranks.py")
RANDOM = ("--tasks", "openhueval_*", "--model_args", "policy=random,seed=3")


def test_python_dash_m():
    outcome = hueval("--version")
    assert (outcome.status, outcome.out) == (0, f"hueval {hueval_metrics.__version__}\n")


@pytest.mark.slow
def test_accelerate_launch(cli, tmp_path):
    pytest.importorskip("accelerate", reason="needs the hf extra")
    command = ("run", "--model", "hueval-baseline", *RANDOM)
    launch = (sys.executable, "-m", "accelerate.commands.launch", "--num_processes", 2, "--cpu", "-m", "hueval_metrics")
    outcome = run(*launch, *command, "--output_path", tmp_path / "launched")
    assert outcome.status == 0, outcome.err
    told = "hueval: accelerate has started one process of 2, as it does on the CPU: it does all the work."
    assert outcome.complaints.count(told) == 1
    assert cli(*command, "--output_path", tmp_path / "direct").status == 0
    assert metrics(tmp_path / "launched") == metrics(tmp_path / "direct")


# (name, tasks, policy, documents a task): "kept again" is "kept" once more, with the same answers kept on disk.
RUNS = (
    ("one rank is short", "openhueval_*", "policy=random,seed=3", 7),
    ("even ranks", "openhueval_*", "policy=random,seed=4", 8),
    ("kept", "openhueval_humatchingfib", "policy=random,seed=5", 5),
    ("kept again", "openhueval_humatchingfib", "policy=random,seed=5", 5),
    ("judged", SIMPLE_QA, "policy=first", 7),
    ("repeats", "openhueval_humatchingfib", "policy=random,seed=6", 5),
)


def label(request, number):
    """The verdict of a judge that says the same of the same question."""
    asked = json.dumps(request["messages"], ensure_ascii=False)
    return json.dumps({"evaluation": ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")[len(asked) % 3]})


def arguments(name, folder, *, model):
    (tasks, policy, limit) = next(rest for first, *rest in RUNS if first == name)
    return (
        "run",
        "--model",
        model,
        "--tasks",
        tasks,
        "--model_args",
        policy,
        "--limit",
        limit,
        "--output_path",
        folder,
        *(("--repeats", 2, "--gen_kwargs", "temperature=0.7") if name == "repeats" else ()),
    )


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """All runs on two ranks, at one start: their folder, what they said, and the judge that was asked."""
    pytest.importorskip("torch", reason="needs the hf extra")
    folder = tmp_path_factory.mktemp("two ranks")
    sample = {"HUEVAL_SAMPLE": "1", "HUEVAL_JUDGE": "lexical", "HUEVAL_CACHE_DIR": str(folder / "cache")}
    machine = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "huggingface"), "OMP_NUM_THREADS": "1"}
    torchrun = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", 2, SCRIPT)
    with pytest.MonkeyPatch.context() as patch, FakeJudge(label) as judge:
        for variable in [name for name in os.environ if name.startswith(FOREIGN)]:
            patch.delenv(variable)
        asked = (f"HUEVAL_JUDGE_BASE_URL={judge.url}", "HUEVAL_JUDGE=openai", "HUEVAL_JUDGE_MODEL=mock")
        commands = []
        for name, *_ in RUNS:
            settings = asked if name == "judged" else ()
            commands += ["then", *settings, *arguments(name, folder / name, model="ranked")]
        outcome = run(*torchrun, *commands[1:], cwd=folder, **sample, **machine)
        yield folder, outcome, judge
    assert outcome.status == 0, outcome.err


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one rank is short", "even ranks"])
def test_two_ranks_score_as_one(cli, two, tmp_path, name):
    folder, outcome, _ = two
    assert outcome.status == 0, outcome.err
    (log,) = (folder / name).rglob("run_*_rank1.log")
    assert "rank 1" in log.read_text(encoding="utf-8")  # lm-eval's lines: both took part
    assert cli(*arguments(name, tmp_path / "one", model="hueval-baseline")).status == 0
    assert metrics(folder / name) == metrics(tmp_path / "one")
    for task in RULE_TASKS:
        one, both = (samples(place, task) for place in (tmp_path / "one", folder / name))
        assert [row["filtered_resps"] for row in both] == [row["filtered_resps"] for row in one]
        assert results(folder / name)["n-samples"][task]["effective"] == len(one)
    assert cli("score", folder / name, "--output", tmp_path / "again").status == 0


@pytest.mark.slow
def test_answers_of_two_ranks_are_found_by_both_and_by_one(two, tmp_path):
    folder, outcome, _ = two
    kept = "hueval: 3 answers are kept from before, 0 are left to generate."
    assert outcome.complaints.count(kept) == 1  # the first rank speaks for all
    (log,) = (folder / "kept again").rglob("run_*_rank1.log")
    assert kept.removeprefix("hueval: ") in log.read_text(encoding="utf-8")  # three too, for the short one is padded
    command = arguments("kept", tmp_path / "one", model="ranked")
    one = run(sys.executable, SCRIPT, *command, HUEVAL_CACHE_DIR=str(folder / "cache"))
    assert one.status == 0, one.err
    assert "hueval: 5 answers are kept from before, 0 are left to generate." in one.complaints
    assert metrics(folder / "kept") == metrics(folder / "kept again") == metrics(tmp_path / "one")
    kept = {file.name.rpartition("_")[2] for file in (folder / "cache" / "generations").iterdir()}
    assert kept == {"rank0.jsonl", "rank1.jsonl"}


@pytest.mark.slow
def test_two_ranks_judge_as_one_and_nothing_twice(cli, two, monkeypatch, tmp_path):
    """An odd number of documents, so that the short rank gets one a second time as padding."""
    folder, outcome, judge = two
    assert len(judge.requests) == 7
    # The first rank's own bill, and that of both.
    bills = [line for line in outcome.complaints if "calls to mock, " in line]
    assert bills[0].startswith("hueval: husimpleqa/3 (rank 0 of 2): ") and len(bills) == 2
    assert bills[1].startswith(f"hueval: {SIMPLE_QA}, all 2 ranks: 7 calls to mock, ")
    monkeypatch.setenv("HUEVAL_JUDGE", "openai")
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "mock")
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
    assert cli(*arguments("judged", tmp_path / "one", model="hueval-baseline")).status == 0
    assert metrics(folder / "judged") == metrics(tmp_path / "one")
    assert metrics(folder / "judged")[SIMPLE_QA]["judge_coverage"] == 100


@pytest.mark.slow
def test_two_ranks_repeat_together(two):
    """Only the first rank has a results file, by which the other must not go."""
    folder, outcome, _ = two
    first, second = load_runs([folder / "repeats"])
    assert (first.label, second.label) == ("ranked random (repeat=1)", "ranked random (repeat=2)")
    assert outcome.out.count("Results of 2 repeats") == 1

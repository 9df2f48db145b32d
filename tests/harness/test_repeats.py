"""`hueval run --repeats`: one model, several draws of its replies."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from threading import Event
from unittest.mock import patch

import pytest

from hueval_metrics.runs.facets import FACETS
from hueval_metrics.runs.load import load_runs
from tests.fakes.chat_server import ChatServer
from tests.harness.runs import TIMEOUT_S, finish, start

HFLM = pytest.importorskip("lm_eval.models.huggingface", reason="needs the hf extra").HFLM
pytest.importorskip("tenacity", reason="needs the api extra")

TASK = "openhueval_huproverbrea_2cq"
SAMPLED = ("--gen_kwargs", "temperature=0.7")


def arguments(server, folder, *more):
    model = f"model=m,base_url={server.url},num_concurrent=1,max_retries=1"
    common = ("--model", "local-chat-completions", "--apply_chat_template", "--tasks", TASK, "--output_path", folder)
    return ("run", *common, "--model_args", model, "--limit", "4", *SAMPLED, *more)


def drawn(body):
    """A reply that depends on the seed that was sent."""
    return "1" if body["seed"] % 2 else "2"


def test_each_has_its_seed_and_the_table_is_their_mean(cli, tmp_path):
    with ChatServer(drawn) as server:
        outcome = cli(*arguments(server, tmp_path, "--repeats", "3"))
        assert outcome.status == 0, outcome.err
        assert Counter(body["seed"] for body in server.requests) == {1234: 4, 1235: 4, 1236: 4}
    single = {run.label: run.score(TASK, "acc_single") for run in load_runs([tmp_path])}
    assert single == {"m (repeat=1)": 50.0, "m (repeat=2)": 50.0, "m (repeat=3)": 50.0}
    ones = {run.label: run.score(TASK, "position_bias") for run in load_runs([tmp_path])}
    assert len(set(ones.values())) == 2  # odd seeds always name the first option, even ones the second
    (mean,) = load_runs([tmp_path], over=FACETS)
    assert (mean.score(TASK, "acc_single"), len(mean.averaged)) == (50.0, 3)
    assert "Mean over 3 repeats" in outcome.out and "Results of 3 repeats" in outcome.out
    assert not list((tmp_path / "cache" / "generations").glob("*"))  # nothing sampled is kept once all are done
    table = cli("table", tmp_path, "--by", "repeat")
    assert [f"repeat={n}" in table.out for n in (1, 2, 3)] == [True] * 3


def test_a_model_of_transformers_is_loaded_once(cli, tiny_model, tmp_path):
    model = ("--model", "hf", "--model_args", f"pretrained={tiny_model}", "--device", "cpu", "--tasks", TASK)
    sampled = ("--limit", 2, "--gen_kwargs", "do_sample=true,temperature=0.9,max_gen_toks=8", "--repeats", 3)
    with patch("lm_eval.models.huggingface.HFLM._create_model", autospec=True, side_effect=HFLM._create_model) as load:
        outcome = cli("run", *model, "--output_path", tmp_path, *sampled)
    assert outcome.status == 0, outcome.err
    assert load.call_count == 1
    replies = {str(said) for said in contents_by_run(tmp_path)}
    assert len(replies) == 3  # each has its own seeds
    assert "Mean over 3 repeats" in outcome.out


@pytest.mark.process
def test_killed_in_the_second_it_pays_for_nothing_twice(cli, tmp_path):
    served, asked = Event(), []

    def reply(body):
        asked.append((body["seed"], body["messages"][-1]["content"]))
        if len(asked) == 7:
            served.set()
            time.sleep(60)
        return drawn(body)

    with ChatServer(reply) as server:
        command = arguments(server, tmp_path / "out", "--repeats", "3")
        process = start([sys.executable, "-m", "hueval_metrics", *command])
        assert served.wait(TIMEOUT_S)
        process.kill()
        assert finish(process).status == -9
        outcome = cli(*command)
        assert outcome.status == 0, outcome.err
        assert len(asked) == 13  # twelve, and once more the one that was being answered
        assert cli(*arguments(server, tmp_path / "whole", "--repeats", "3")).status == 0
    assert any("finished by an earlier call" in line for line in outcome.err.splitlines())
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def contents(folder):
    """What a model said, in the order of the runs."""
    return [one for run in contents_by_run(folder) for one in run]


def contents_by_run(folder):
    files = sorted(folder.rglob("samples_*.jsonl"))
    return [[(row["doc_id"], row["resps"]) for row in map(json.loads, file.open())] for file in files]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--repeats", "0", *SAMPLED), "--repeats 0: expected 2 to 100"),
        (("--repeats", "1", *SAMPLED), "--repeats 1: expected 2 to 100"),
        (("--repeats", "10000", *SAMPLED), "--repeats 10000: expected 2 to 100"),
        (
            ("--repeats", "2"),
            "repeats: replies are not sampled, so all would be equal. Add --gen_kwargs temperature=0.7 (or what you "
            "mean to measure), or leave repeats out",
        ),
        (
            ("--repeats", "2", "--tasks", "hulu_hucola", *SAMPLED),
            "repeats: hulu_hucola compares log-likelihoods, which do not vary. Leave it out",
        ),
        (("--metadata", "repeat=x", *SAMPLED), '--metadata repeat: "x", expected a number from 1 on'),
        (
            ("--repeats", "2", "--metadata", "repeat=1", *SAMPLED),
            "--repeats beside --metadata repeat=…: the former numbers all repeats. Leave one out",
        ),
    ],
)
def test_what_cannot_be_repeated(cli, tmp_path, options, line):
    tasks = () if "--tasks" in options else ("--tasks", TASK)
    outcome = cli("run", "--model", "hueval-baseline", *tasks, "--output_path", tmp_path, *options)
    assert (outcome.status, outcome.complaints[-1]) == (1, f"hueval: {line}")
    assert not list(tmp_path.rglob("results_*.json"))


def test_each_is_scored_again_by_itself(cli, tmp_path):
    with ChatServer(drawn) as server:
        assert cli(*arguments(server, tmp_path / "live", "--repeats", "2")).status == 0
    outcome = cli("score", tmp_path / "live", "--output", tmp_path / "scored")
    assert outcome.status == 0, outcome.err
    assert "Mean over 2 repeats" in outcome.out
    again = {run.label: run.score(TASK, "position_bias") for run in load_runs([tmp_path / "scored"])}
    assert list(again) == ["m (repeat-1)", "m (repeat-2)"]
    assert list(again.values()) == [run.score(TASK, "position_bias") for run in load_runs([tmp_path / "live"])]
    (mean,) = load_runs([tmp_path / "scored"], over=FACETS)
    assert len(mean.averaged) == 2


def test_a_run_beside_repeats_is_scored_by_itself(cli, tmp_path):
    with ChatServer(drawn) as server:
        assert cli(*arguments(server, tmp_path / "live", "--repeats", "2")).status == 0
        assert cli(*arguments(server, tmp_path / "live")).status == 0
    outcome = cli("score", tmp_path / "live", "--output", tmp_path / "scored")
    assert (outcome.status, outcome.complaints[-1].partition(": ")[2].partition(": ")[2]) == (
        1,
        "is of no repeat, beside others that are. Score it by itself, to a DIR of its own",
    )

"""A run that is stopped goes on where it was: no answer is generated twice, and the numbers are the same."""

from __future__ import annotations

import os
import pickle
import re
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from lm_eval.config.evaluate_config import EvaluatorConfig

from hueval_metrics.harness.generations import kept_in, warn_where_unsafe
from tests.harness.runs import TIMEOUT_S, finish, metrics, samples, start

TASKS = ("openhueval_humatchingfib", "openhueval_huproverbrea_2cq")
DOCUMENTS = 14 + 28
SLOW_WRITER = """
import sys, time
from pathlib import Path
from lm_eval.loggers import EvaluationTracker

def hang(self, *args, **kwargs):
    Path(sys.argv[1]).touch()
    time.sleep(600)

EvaluationTracker.save_results_aggregated = hang
from hueval_metrics.cli import main
raise SystemExit(main(sys.argv[2:]))
"""


def arguments(model, folder, *, tokens, limit=None):
    settings = ("--gen_kwargs", f"max_gen_toks={tokens}", "--batch_size", 1, "--device", "cpu")
    small = ("--limit", limit) if limit else ()
    model_args = ("--model_args", f"pretrained={model}")
    return ("run", "--model", "hf", *model_args, "--tasks", ",".join(TASKS), "--output_path", folder, *settings, *small)


def wait_for(condition, process):
    """Poll until something holds of a running process."""
    end = time.monotonic() + TIMEOUT_S
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
            pytest.fail(f"ended or hung before it could be interrupted: {process.communicate()[1][-2000:]}")
        time.sleep(0.02)


def stored(cache):
    """How many answers are kept on disk, as another process sees it."""
    return sum(file.read_bytes().count(b"\n") for file in cache.glob("generations/*_rank0.jsonl"))


def from_before(outcome):
    """(answers kept from before, answers to generate), as the command says; none are kept where it says nothing."""
    found = [re.search(r"(\d+) answers are kept from before, (\d+) are left", line) for line in outcome.complaints]
    return next((tuple(map(int, match.groups())) for match in found if match), (0, DOCUMENTS))


@pytest.fixture(scope="module")
def whole(tiny_model, tmp_path_factory):
    """The metrics and answers of the run that nobody stopped, once it has run: for all signals the same."""
    known = {}

    def run(cli, monkeypatch):
        if not known:
            folder = tmp_path_factory.mktemp("whole")
            with monkeypatch.context() as patch:
                patch.setenv("HUEVAL_CACHE_DIR", str(folder / "another cache"))
                outcome = cli(*arguments(tiny_model, folder / "out", tokens=24))
            assert from_before(outcome) == (0, DOCUMENTS)
            known.update(found(folder / "out"))
        return known

    return run


def found(folder):
    """The metrics of a run, and its answers by task."""
    return {"metrics": metrics(folder), **{task: [row["resps"] for row in samples(folder, task)] for task in TASKS}}


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_while_it_generates(cli, tiny_model, tmp_path, monkeypatch, whole, number):
    command = arguments(tiny_model, tmp_path / "resumed", tokens=24)
    process = start([sys.executable, "-m", "hueval_metrics", *command])
    wait_for(lambda: stored(tmp_path / "cache") >= 3, process)
    process.send_signal(number)
    stopped = finish(process)
    assert stopped.status == 128 + number, stopped.err
    kept = stored(tmp_path / "cache")
    (file,) = (tmp_path / "cache" / "generations").iterdir()
    (line,) = [line for line in stopped.complaints if "stopped" in line]
    assert line == (
        f"hueval: stopped. {kept} answers are kept in {str(file).removesuffix('0.jsonl')}*.jsonl; the same command "
        "goes on from there."
    )
    assert "Traceback" not in stopped.err
    assert [file.name[:5] for file in (tmp_path / "resumed").rglob("*.json*")] == ["live_"]  # no results
    assert 3 <= kept < DOCUMENTS

    resumed = cli(*command)
    assert resumed.status == 0, resumed.err
    assert from_before(resumed) == (kept, DOCUMENTS - kept)
    assert found(tmp_path / "resumed") == whole(cli, monkeypatch)


@pytest.mark.process
@pytest.mark.slow
def test_interrupted_while_it_writes_results(cli, tiny_model, tmp_path):
    command = arguments(tiny_model, tmp_path / "out", tokens=4, limit=2)
    process = start([sys.executable, "-c", SLOW_WRITER, tmp_path / "writing", *command])
    wait_for((tmp_path / "writing").exists, process)
    process.send_signal(signal.SIGINT)
    stopped = finish(process)
    assert stopped.status == 130, stopped.err
    assert "Traceback" not in stopped.err
    again = cli(*command)
    assert again.status == 0
    assert from_before(again) == (4, 0)
    assert set(metrics(tmp_path / "out")) == set(TASKS)


@pytest.mark.process
@pytest.mark.slow
def test_killed_while_it_generates(cli, tiny_model, tmp_path):
    """As a cluster does when the time is up: no handler runs, yet what was answered is on disk."""
    command = arguments(tiny_model, tmp_path / "out", tokens=24)
    process = start([sys.executable, "-m", "hueval_metrics", *command])
    wait_for(lambda: stored(tmp_path / "cache") >= 2, process)
    process.send_signal(signal.SIGKILL)
    assert finish(process).status == -signal.SIGKILL
    kept = stored(tmp_path / "cache")
    assert kept >= 2
    resumed = cli(*command)
    assert resumed.status == 0
    assert from_before(resumed) == (kept, DOCUMENTS - kept)


def test_a_run_of_other_tasks_into_another_folder_goes_on_with_what_is_kept(cli, tiny_model, tmp_path):
    command = [*arguments(tiny_model, tmp_path / "both", tokens=4, limit=2)]
    assert cli(*command).status == 0
    for tasks, folder, expected in ((TASKS[0], "one", (2, 0)), (f"{TASKS[1]},hulugen_huwnli", "another", (2, 2))):
        command[command.index("--tasks") + 1], command[command.index("--output_path") + 1] = tasks, tmp_path / folder
        outcome = cli(*command)
        assert (outcome.status, from_before(outcome)) == (0, expected), outcome.err
    answers = {task: [row["resps"] for row in samples(tmp_path / "both", task)] for task in TASKS}
    assert [row["resps"] for row in samples(tmp_path / "one", TASKS[0])] == answers[TASKS[0]]
    assert [row["resps"] for row in samples(tmp_path / "another", TASKS[1])] == answers[TASKS[1]]


def prefix(
    model="hf",
    tasks=TASKS,
    metadata=(),
    seed=(0, 1234, 1234, 1234),
    use_cache=None,
    template=False,
    system=None,
    **model_args,
):
    """Where the answers of a run are kept."""
    merged = {**model_args, **dict(metadata)}  # as lm-eval merges them
    settings = {"metadata": merged, "seed": list(seed), "use_cache": use_cache and str(use_cache)}
    settings |= {"apply_chat_template": template, "system_instruction": system}
    return kept_in(EvaluatorConfig(model=model, model_args=model_args, **settings), tasks)


class TestKeptIn:
    """One place for one model, its arguments, the run's variants and the versions of the tasks."""

    def test_same_call_same_place(self):
        assert prefix(pretrained="a/b") == prefix(pretrained="a/b")

    @pytest.mark.parametrize(
        "other",
        [
            {"model": "vllm", "pretrained": "a/b"},
            {"pretrained": "a/c"},
            {"pretrained": "a/b", "dtype": "float16"},
            {"pretrained": "a/b", "tasks": TASKS[:1]},
            {"pretrained": "a/b", "metadata": {"prompt_lang": "hu"}},
            {"pretrained": "a/b", "seed": (1, 1, 1, 1)},
        ],
    )
    def test_another_call_another_place(self, other):
        assert prefix(**other) != prefix(pretrained="a/b")

    @pytest.mark.parametrize(
        ("other", "is_shared"),
        [
            ({"tasks": TASKS[:1]}, True),
            ({"metadata": {"prompt_lang": "hu"}}, True),
            ({"seed": (1, 1, 1, 1)}, False),
            ({"dtype": "float16"}, False),
            ({"template": True}, False),
            ({"system": "Be brief."}, False),
        ],
        ids=lambda value: None if isinstance(value, bool) else next(iter(value)),
    )
    def test_runs_share_answers_that_the_prompt_alone_decides(self, other, is_shared):
        one, two = (prefix(pretrained="a/b", **further).rpartition("-")[0] for further in ({}, other))
        assert (one == two) is is_shared

    def test_a_checkpoint_that_was_trained_on_is_another_model(self, tmp_path):
        weights = tmp_path / "model.safetensors"
        weights.write_bytes(b"1")
        before = prefix(pretrained=str(tmp_path))
        os.utime(weights, ns=(1, 1))
        after = prefix(pretrained=str(tmp_path))
        assert before != after == prefix(pretrained=str(tmp_path))

    def test_is_named_for_people_and_holds_no_secret(self, tmp_path):
        path = Path(prefix("local-chat-completions", pretrained="org/név 7B", api_key="sk-secret"))
        assert path.parent == tmp_path / "cache" / "generations"
        assert re.fullmatch(r"local-chat-completions-név-7B-[0-9a-f]{12}-[0-9a-f]{12}", path.name)

    def test_a_very_long_name_fits_a_file_system(self):
        assert len(Path(prefix(pretrained="x" * 5000)).name) < 100

    @pytest.mark.parametrize("model", ["hueval-baseline", "dummy"])
    def test_none_where_answers_cost_nothing(self, model):
        assert prefix(model) is None

    def test_the_users_place_is_shared_by_runs_without_mixing_them(self, tmp_path):
        one, two = (prefix(pretrained=name, use_cache=tmp_path / "own") for name in ("a/b", "a/c"))
        assert one != two
        assert {Path(place).parent for place in (one, two)} == {tmp_path}
        assert all(re.fullmatch(r"own-[0-9a-f]{12}-[0-9a-f]{12}", Path(place).name) for place in (one, two))

    def test_the_folder_is_for_its_owner_alone(self, tmp_path):
        folder = tmp_path / "cache" / "generations"
        folder.mkdir(mode=0o755, parents=True)  # as hueval 0.1 made it
        prefix(pretrained="a/b")
        assert folder.stat().st_mode & 0o777 == 0o700


def refused(outcome):
    """The one line of a call that was refused before a model was loaded."""
    assert outcome.status == 1
    assert "Initializing" not in outcome.err and "Traceback" not in outcome.err
    return outcome.complaints[-1]


def test_a_folder_that_others_can_write_to_is_refused(cli, tmp_path):
    folder = tmp_path / "cache" / "generations"
    folder.mkdir(parents=True)
    folder.chmod(0o775)
    line = refused(cli(*arguments("a/b", tmp_path / "out", tokens=2)))
    assert line.startswith(f"hueval: {folder}: others can write to it") and line.endswith(f"chmod go-w {folder}")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(cli, tmp_path):
    folder = tmp_path / "cache" / "generations"
    folder.mkdir(mode=0o700, parents=True)
    os.chown(folder, 12345, -1)
    line = refused(cli(*arguments("a/b", tmp_path / "out", tokens=2)))
    assert line.startswith(f"hueval: {folder}: belongs to another user")


class Trap:
    """Pickled, it makes a folder when it is read."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


def test_a_pickle_is_never_loaded(cli, tiny_model, tmp_path):
    """lm-eval's cache of an earlier run, in which somebody has put an answer that is a program."""
    sprung = tmp_path / "sprung"
    pickles = [tmp_path / "own_rank0.db", tmp_path / "cache" / "generations" / "hf-x-0123456789ab_rank0.db"]
    pickles[1].parent.mkdir(mode=0o700, parents=True)
    for file in pickles:
        with closing(sqlite3.connect(file)) as db, db:
            db.execute("CREATE TABLE unnamed (key TEXT PRIMARY KEY, value BLOB)")
            db.execute("INSERT INTO unnamed VALUES (?, ?)", ("key", pickle.dumps(Trap(sprung))))
    command = arguments(tiny_model, tmp_path / "out", tokens=2, limit=1)
    for more, file in (("--use_cache", tmp_path / "own"), pickles[0]), ((), pickles[1]):
        outcome = cli(*command, *more)
        assert outcome.status == 0, outcome.err
        (line,) = [line for line in outcome.complaints if "pickled" in line]
        assert line.startswith(f"hueval: {file}: pickled by hueval 0.1 or lm-eval, which is not read")
    assert not sprung.exists()
    assert len(list(tmp_path.glob("own-*_rank0.jsonl"))) == 1


@pytest.mark.process
def test_a_sampled_run_is_taken_up_and_a_finished_one_sampled_anew(cli, tiny_model, tmp_path):
    settings = "max_gen_toks=8,do_sample=true,temperature=1.0"
    command = (*arguments(tiny_model, tmp_path / "out", tokens=2, limit=2), "--gen_kwargs", settings)
    folder = tmp_path / "cache" / "generations"
    process = start([sys.executable, "-c", SLOW_WRITER, tmp_path / "writing", *command])
    wait_for((tmp_path / "writing").exists, process)
    process.kill()
    finish(process)
    assert stored(tmp_path / "cache") == 4
    resumed = cli(*command)
    assert resumed.status == 0
    assert from_before(resumed) == (4, 0)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "warning"),
    [
        ({"gen_kwargs": {"temperature": 0.7, "do_sample": True}}, "Sampling is on (do_sample, temperature): a stopped"),
        ({"gen_kwargs": {"top_p": 0.9}}, "Sampling is on (top_p)"),
        ({"batch_size": "auto"}, "--batch_size auto may answer differently"),
        ({"batch_size": "auto:4"}, "--batch_size auto may answer differently"),
        ({"batch_size": 8, "gen_kwargs": {"temperature": 0.0, "do_sample": False, "max_gen_toks": 8}}, None),
        (
            {"model": "vllm", "batch_size": "auto"},
            "--model vllm with --batch_size auto: answers are kept 1024 at a time",
        ),
        ({"model": "vllm", "batch_size": 256}, None),
        (
            {"model": "vllm", "model_args": {"data_parallel_size": 4}},
            "data_parallel_size=4: lm-eval hands all requests",
        ),
        ({"model": "vllm", "model_args": {"data_parallel_size": "1"}}, None),
    ],
)
def test_warns_where_a_stopped_run_cannot_be_taken_up(caplog, settings, warning):
    warn_where_unsafe(EvaluatorConfig(**settings))
    assert [message.startswith(warning) for message in caplog.messages] == ([True] if warning else [])


def test_the_batch_size_of_a_config_file_counts(cli, tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text("batch_size: auto\ngen_kwargs: {do_sample: true}\n", encoding="utf-8")
    outcome = cli("run", "--config", config, "--model", "vllm", "--model_args", "pretrained=a/b", "--tasks", TASKS[0])
    assert outcome.status == 1  # vllm is not installed
    assert [line for line in outcome.complaints if "--batch_size auto" in line]
    assert [line for line in outcome.complaints if "Sampling is on (do_sample)" in line]


def test_greedy_runs_do_not_warn(cli, tiny_model, tmp_path):
    outcome = cli(*arguments(tiny_model, tmp_path / "out", tokens=2, limit=1))
    assert [line for line in outcome.complaints if "HUEVAL_SAMPLE" not in line] == []

"""One evaluation, by the command and from Python: what is shown, what is in the log, and what is never lost."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from lm_eval.api.model import LM
from lm_eval.config.evaluate_config import EvaluatorConfig

import hueval_metrics as hueval
from hueval_metrics import terminal
from hueval_metrics.harness.evaluate import EvaluationError
from hueval_metrics.harness.output.log_file import captured, open_log
from tests.harness.runs import RULE_TASKS, TIMEOUT_S, metrics, results, run, samples, start
from tests.harness.runs import hueval as hueval_command

TASK = "openhueval_humatchingfib"
BASELINE = ("run", "--model", "hueval-baseline")


class Chatty(LM):
    """A model that prints, as libraries do, and then answers or fails."""

    def __init__(self, fault: Exception | None = None) -> None:
        super().__init__()
        self._fault = fault

    def generate_until(self, requests, disable_tqdm=False):
        print("chatter on standard output")
        print("chatter on standard error", file=sys.stderr)
        logging.getLogger("lm_eval.models.chatty").warning("answer %d is cut off", 1)
        logging.getLogger("lm_eval.models.chatty").warning("answer %d is cut off", 2)
        if self._fault:
            raise self._fault
        return ["{}"] * len(requests)

    def loglikelihood(self, requests, disable_tqdm=False):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


def log_of(folder: Path) -> str:
    """The text of the one log below a folder."""
    (file,) = folder.rglob("run_*.log")
    return file.read_text(encoding="utf-8")


@pytest.mark.process
def test_a_run_is_quiet(tmp_path):
    outcome = hueval_command(*BASELINE, cwd=tmp_path, COLUMNS="80")
    assert outcome.status == 0, outcome.err
    (file,), (log,) = tmp_path.glob("results/*/results_*.json"), tmp_path.glob("results/*/run_*.log")
    lines = outcome.out.splitlines()
    assert [line.split() for line in lines[2:7]] == [
        ["openhueval_huproverbrea_2cq", "acc", "100.0", "[78.5,", "100.0]", "14"],
        ["openhueval_humatchingfib", "blank_acc", "100.0", "[78.5,", "100.0]", "14"],
        ["openhueval_humatchingfib", "question_acc", "100.0", "[78.5,", "100.0]", "14"],
        ["openhueval_hustandardfib", "blank_acc", "100.0", "[78.5,", "100.0]", "14"],
        ["openhueval_hustandardfib", "question_acc", "100.0", "[78.5,", "100.0]", "14"],
    ]
    assert lines[-2:] == [f"Results: {file.relative_to(tmp_path)}", f"Log:     {log.relative_to(tmp_path)}"]
    assert max(map(len, lines)) <= 80
    assert outcome.err.splitlines() == [
        "hueval: no tasks named; default: hueval-rule (scored by rule: no judge, no key)",
        f"hueval-baseline-oracle: {', '.join(sorted(RULE_TASKS, key=_by_tag))}. Log: {log.relative_to(tmp_path)}",
        "hueval: HUEVAL_SAMPLE=1: runs on the packaged sample, not on the benchmark.",
    ]
    assert "Running generate_until requests" in log_of(tmp_path)
    if shutil.which("git"):
        assert "fatal: not a git repository" in log_of(tmp_path)


def _by_tag(task: str) -> str:
    return task


@pytest.mark.process
def test_verbose_shows_all(tmp_path):
    outcome = hueval_command(*BASELINE, "--tasks", TASK, "--verbose", cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    assert "Running generate_until requests" in outcome.err
    assert "Running generate_until requests" in log_of(tmp_path)


@pytest.mark.parametrize("shown", [False, True])
def test_a_model_that_is_handed_over(capfd, tmp_path, shown):
    found = hueval.run(Chatty(), {"pretrained": "my/model"}, TASK, output=tmp_path, limit=3, verbose=shown)
    (scores,) = found.runs
    assert scores.label == "my/model"
    assert scores.tasks[TASK].scores["parse_rate"] == 0.0
    out, err = capfd.readouterr()
    assert out == ""
    assert ("chatter" in err) is shown
    assert shown or err.count("hueval: lm-eval: answer 1 is cut off") == 1  # once, and not of each answer
    for line in ("chatter on standard output", "chatter on standard error", "answer 2 is cut off"):
        assert line in log_of(tmp_path)
    assert results(tmp_path)["config"]["model"] == "Chatty"


@pytest.mark.process
def test_where_an_event_loop_runs(tmp_path):
    before = list(sys.argv)

    async def evaluate():
        return hueval.run("hueval-baseline", "policy=first", [TASK], output=tmp_path, limit=2)

    assert [run.label for run in asyncio.run(evaluate()).runs] == ["hueval-baseline-first"]
    assert sys.argv == before


def test_from_python_as_by_the_command(cli, tmp_path):
    hueval.run("hueval-baseline", {"policy": "random", "seed": 3}, output=tmp_path / "python")
    arguments = ("--model_args", "policy=random,seed=3", "--output_path", tmp_path / "command")
    assert cli(*BASELINE, *arguments).status == 0
    assert metrics(tmp_path / "python") == metrics(tmp_path / "command")
    assert set(metrics(tmp_path / "python")) == set(RULE_TASKS)


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"gen_kwarg": {}}, 'hueval.run: unknown setting "gen_kwarg". Did you mean gen_kwargs?'),
        ({"model_args": 7}, "model_args: of type int, expected a mapping or a text"),
        ({"tasks": 7}, "tasks: of type int, expected names of tasks"),
        ({"limit": "7"}, "limit: of type str, expected a number of items"),
        ({"output": None}, "output: of type NoneType, expected str or pathlib.Path"),
        ({"output": ""}, "output: empty. Name a file or folder"),
        ({"model_args": "policy=frist"}, '--model_args policy: "frist" is not on offer. '),
        ({"tasks": "openhueval_humatchfib"}, 'unknown task "openhueval_humatchfib". Did you mean "openhueval_humatch'),
    ],
)
def test_what_python_cannot_ask_for(tmp_path, settings, line):
    with pytest.raises(hueval.InputError) as refused:
        hueval.run("hueval-baseline", **{"tasks": TASK, "output": tmp_path, **settings})
    assert str(refused.value).startswith(line)


OWN_TASK = """
task: mine
dataset_path: json
dataset_kwargs: {data_files: {test: rows.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{q}}"
doc_to_target: "{{a}}"
metric_list: [{metric: exact_match}]
"""


def test_a_run_without_scores_of_ours_is_no_error(capfd, monkeypatch, tmp_path):
    (tmp_path / "mine.yaml").write_text(OWN_TASK, encoding="utf-8")
    (tmp_path / "rows.jsonl").write_text('{"q": "1 + 1", "a": "2"}\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert hueval.run(Chatty(), tasks="./mine.yaml", output=tmp_path / "own").runs == ()
    (file,) = (tmp_path / "own").rglob("results_*.json")
    said = capfd.readouterr().err.splitlines()
    assert said[0].startswith("Chatty: ./mine.yaml. Log: ")
    assert said[-1] == f"Results: {file}"
    found = hueval.run(Chatty(), tasks=TASK, output=tmp_path / "out", limit=2, predict_only=True)
    assert (found.runs, str(found)) == ((), "")
    assert len(samples(tmp_path / "out", TASK)) == 2


def test_what_is_no_model(tmp_path):
    with pytest.raises(hueval.InputError, match="model is a int"):
        hueval.run(7, output=tmp_path)


def test_an_exception_is_a_line_and_its_traceback_is_in_the_log(capfd, tmp_path):
    with pytest.raises(EvaluationError, match=r"the run failed \(ValueError: no such token\)") as failed:
        hueval.run(Chatty(ValueError("no such token")), tasks=TASK, output=tmp_path)
    assert isinstance(failed.value.__cause__, ValueError)
    (log,) = tmp_path.rglob("run_*.log")
    assert f"Log: {log}\n" in capfd.readouterr().err
    assert "Traceback" in log_of(tmp_path) and "ValueError: no such token" in log_of(tmp_path)
    assert list(tmp_path.rglob("*.json")) == []


def test_ctrl_c_before_the_run_has_begun_is_said(cli, monkeypatch):
    def stop(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(EvaluatorConfig, "from_cli", stop)
    outcome = cli(*BASELINE, "--tasks", TASK)
    assert (outcome.status, outcome.complaints) == (130, ["hueval: stopped."])


def test_a_folder_that_cannot_be_written_to_shows_before_the_model_loads(cli, tmp_path):
    (tmp_path / "file").write_text("")
    outcome = cli(*BASELINE, "--tasks", TASK, "--output_path", tmp_path / "file" / "out")
    assert outcome.status == 1
    (line,) = outcome.complaints
    assert line.startswith(
        f"hueval: {tmp_path / 'file' / 'out'}/hueval-baseline-oracle: results cannot be written there"
    )


def test_a_full_disk_loses_nothing(cli, monkeypatch, tmp_path):
    """The output folder takes no more when the answers are there: the last line says where they are."""
    make, elsewhere = tempfile.mkdtemp, tmp_path / "elsewhere"
    elsewhere.mkdir()

    def full(*args, dir=None, **settings):
        if dir == tmp_path / "out":
            raise OSError(28, "No space left on device")
        return make(*args, dir=dir, **settings)

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    outcome = cli(*BASELINE, "--tasks", TASK, "--output_path", tmp_path / "out")
    assert outcome.status == 1
    (private,) = elsewhere.iterdir()
    assert private.stat().st_mode & 0o777 == 0o700
    assert outcome.err.splitlines()[-1].startswith("hueval: the results did not fit where you asked. They are in ")
    assert outcome.err.splitlines()[-1].partition(" in ")[2].startswith(str(private))
    assert any("results cannot be written there" in line for line in outcome.complaints)
    assert metrics(elsewhere)[TASK]["blank_acc"] == 100
    assert str(elsewhere) in outcome.out
    assert [file.suffix for file in (tmp_path / "out").rglob("*") if file.is_file()] == [".log"]


LIMITED = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)"


@pytest.mark.process
@pytest.mark.parametrize(("size", "samples_left"), [(1024, 0), (64_000, 1)], ids=["nothing fits", "one of two fits"])
def test_a_disk_that_fills_up_leaves_whole_files_alone(tmp_path, size, samples_left):
    """Neither half a file nor results without their samples, and no success: answers that are kept stay."""
    pytest.importorskip("resource")
    (tmp_path / "temp").mkdir()
    command = ("-m", "hueval_metrics", *BASELINE, "--tasks", f"{TASK},openhueval_huproverbrea_2cq")
    limited = f"{LIMITED}; os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
    outcome = run(
        *(sys.executable, "-c", limited, size, *command, "--output_path", tmp_path / "out"),
        HUEVAL_SAMPLE="1",
        TMPDIR=str(tmp_path / "temp"),
    )
    assert outcome.status == 1, outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.complaints[-1].startswith("hueval: the results could not be written. Log: ")
    assert any("File too large" in line for line in outcome.complaints)
    assert "lm-eval: Could not save" not in outcome.err  # our line says why
    assert "blank_acc" in outcome.out
    left = [file for file in (tmp_path / "out").rglob("*") if file.is_file() and file.suffix != ".log"]
    assert [len(file.read_text(encoding="utf-8").splitlines()) for file in left] == [14] * samples_left


def test_a_log_that_takes_nothing_costs_nothing(capfd):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with open_log(Path("/dev/full")) as log, captured(log):
        print("into the log")
        sys.stderr.write("into the log")
        logging.getLogger("lm_eval").info("into the log")
        terminal.say("on the terminal")
    os.write(1, b"restored\n")
    print("again", file=sys.stderr)
    assert capfd.readouterr() == ("restored\n", "on the terminal\nagain\n")


@pytest.mark.process
def test_a_terminal_that_is_gone_does_not_end_the_run(tmp_path):
    command = ("-m", "hueval_metrics", *BASELINE, "--tasks", TASK, "--output_path", tmp_path)
    process = start([sys.executable, *command], HUEVAL_SAMPLE="1")
    assert any("Log: " in line for line in iter(process.stderr.readline, ""))
    process.stderr.close()
    assert "blank_acc" in process.stdout.read()
    process.stdout.close()
    assert process.wait(TIMEOUT_S) == 0
    assert metrics(tmp_path)[TASK]["blank_acc"] == 100


def test_samples_are_saved_where_the_results_cannot_be(cli, monkeypatch, tmp_path):
    from lm_eval.loggers import evaluation_tracker

    def fail(results):
        raise RecursionError("too deep")

    monkeypatch.setattr(evaluation_tracker, "asdict", fail)
    outcome = cli(*BASELINE, "--tasks", TASK, "--output_path", tmp_path / "out")
    assert outcome.status == 1
    assert any("RecursionError('too deep')" in line for line in outcome.complaints)
    assert "blank_acc" in outcome.out  # the table is shown all the same
    assert len(list((tmp_path / "out").rglob(f"samples_{TASK}_*.jsonl"))) == 1


def test_two_runs_at_one_place_leave_no_unfinished_file(cli, tmp_path):
    for _ in range(2):
        assert cli(*BASELINE, "--tasks", TASK, "--limit", 1, "--output_path", tmp_path / "out").status == 0
    names = sorted(file.name.partition("_")[0] for file in (tmp_path / "out").rglob("*") if file.is_file())
    logs = names.count("run")  # one where both began within a second: it is written on
    assert names == ["results"] * 2 + ["run"] * logs + ["samples"] * 2
    assert logs in (1, 2)


def test_a_json_file_as_the_place(cli, tmp_path):
    outcome = cli(*BASELINE, "--tasks", TASK, "--limit", 1, "--output_path", tmp_path / "out" / "mine.json")
    assert outcome.status == 0
    assert sorted(file.suffix for file in (tmp_path / "out").iterdir()) == [".json", ".jsonl", ".log"]


def test_show_config_prints_json_before_the_table(cli, tmp_path):
    outcome = cli(*BASELINE, "--tasks", TASK, "--show_config", "--output_path", tmp_path)
    shown = json.JSONDecoder().raw_decode(outcome.out)[0]
    assert shown["config"]["model"] == "hueval-baseline"


def test_write_out_shows_prompts(cli, tmp_path):
    outcome = cli(*BASELINE, "--tasks", TASK, "--write_out", "--output_path", tmp_path)
    assert "context prompt (starting on next line)" in outcome.err


@pytest.mark.process
def test_a_terminal_shows_one_bar_a_stage(monkeypatch, tmp_path):
    pytest.importorskip("pty")
    monkeypatch.delenv("HUEVAL_QUIET")
    script = Path(__file__).with_name("on_a_terminal.py")
    command = (sys.executable, "-m", "hueval_metrics", *BASELINE, "--tasks", TASK, "--output_path", tmp_path / "out")
    shown = run(sys.executable, script, 80, *command).out
    assert len([line for line in shown.split("\n") if "Generating: 14/14 [" in line]) == 1


@pytest.mark.slow
def test_a_model_of_transformers(cli, tiny_model, tmp_path):
    """The object answers as the back end does that loads it from its folder."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    settings = {"gen_kwargs": {"max_gen_toks": 4}, "limit": 2, "batch_size": 1}
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny_model), AutoTokenizer.from_pretrained(tiny_model)
    hueval.run(model, tasks=TASK, tokenizer=tokenizer, output=tmp_path / "object", **settings)
    hueval.run("hf", {"pretrained": str(tiny_model)}, TASK, output=tmp_path / "name", device="cpu", **settings)
    of_object, of_name = samples(tmp_path / "object", TASK), samples(tmp_path / "name", TASK)
    assert [row["resps"] for row in of_object] == [row["resps"] for row in of_name]
    assert results(tmp_path / "object")["model_name"] == str(tiny_model)

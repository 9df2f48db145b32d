"""What cannot be served is refused in one line that says how to fix it, before a model is loaded."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from hueval_metrics.languages import load

BASELINE = ("run", "--model", "hueval-baseline")
TASK = "openhueval_humatchingfib"


def refused(outcome):
    """The one line of a refusal."""
    assert outcome.status != 0
    assert "Traceback" not in outcome.err
    (line,) = outcome.complaints
    return line


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            (*BASELINE, "--tasks", "openhueval_humatchfib"),
            'hueval: unknown task "openhueval_humatchfib". Did you mean "openhueval_humatchingfib"? '
            "List them with: hueval ls tasks",
        ),
        ((*BASELINE, "--tasks", ""), "hueval: name the tasks to run: --tasks hulu, or --tasks 'hulu_*'"),
    ],
    ids=["unknown task", "empty --tasks"],
)
def test_bad_call(cli, arguments, line):
    assert refused(cli(*arguments)).startswith(line)


@pytest.mark.parametrize("option", ["--model_args", "--gen_kwargs", "--metadata"])
def test_json_in_single_quotes(cli, option):
    assert "{'a': 1}" in refused(cli(*BASELINE, "--tasks", TASK, option, "{'a': 1}"))


def test_unknown_model(cli):
    line = refused(cli("run", "--model", "hugging", "--tasks", TASK))
    assert line.startswith('hueval: unknown model "hugging". One of: ')
    assert {"hf", "vllm", "local-chat-completions", "hueval-baseline", "dummy"} <= set(
        line.partition("One of: ")[2].split(", ")
    )


@pytest.mark.parametrize("tasks", [(), ("--tasks", TASK)], ids=["tasks in the file", "tasks on the command line"])
def test_missing_config_file(cli, tmp_path, tasks):
    line = refused(cli("run", "--config", tmp_path / "none.yaml", *tasks))
    assert line.startswith(
        f"hueval: --config {tmp_path / 'none.yaml'}: No such file or directory. Name a file or one of: "
    )


def test_broken_config_file(cli, tmp_path):
    config = tmp_path / "broken.yaml"
    config.write_text("tasks: [", encoding="utf-8")
    assert refused(cli("run", "--config", config)).startswith(f"hueval: --config {config}: no YAML (")


@pytest.mark.parametrize("code", ["hu", "th"])  # of the replies, and one that a model may fall back to
def test_a_damaged_file_of_a_language(cli, tmp_path, monkeypatch, code):
    folder = shutil.copytree(load.FOLDER, tmp_path / "languages")
    (folder / f"{code}.yaml").write_text("answer: [válasz]\nnot: [nem\nwrong: [rossz]\n", encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(load, "FOLDER", folder)
        load.read_again()
        outcome = cli(*BASELINE, "--tasks", TASK, "--output_path", tmp_path / "out")
    load.read_again()
    line = refused(outcome)
    assert line.startswith(f"hueval: {folder / code}.yaml line 3: ")
    assert not (tmp_path / "out").exists()


def test_data_folder_without_the_file(cli, tmp_path, monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE")
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(tmp_path))
    line = refused(cli(*BASELINE, "--tasks", TASK))
    assert "HuMatchingFIB.jsonl" in line and str(tmp_path) in line and "HUEVAL_DATA_DIR" in line


def test_no_data_and_no_network(cli, tmp_path, monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE")
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    line = refused(cli(*BASELINE, "--tasks", "openhueval"))
    assert "HUEVAL_OFFLINE" in line and "HUEVAL_DATA_DIR" in line and "HUEVAL_SAMPLE=1" in line


def test_a_model_that_is_not_installed(cli):
    line = refused(cli("run", "--model", "vllm", "--model_args", "pretrained=a/b", "--tasks", TASK))
    assert "vllm" in line and "pip install" in line


CHAT = ("run", "--model", "local-chat-completions", "--tasks", TASK)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            (*CHAT, "--model_args", "model=m,base_url=http://h/v1/chat/completions"),
            "hueval: --model local-chat-completions: a chat API takes messages. Add --apply_chat_template",
        ),
        (
            (*CHAT, "--model_args", "model=m", "--apply_chat_template"),
            "hueval: --model local-chat-completions needs an argument: "
            "--model_args base_url=http://HOST/v1/chat/completions",
        ),
        (
            (*CHAT, "--model_args", "base_url=http://h/v1/chat/completions", "--apply_chat_template"),
            "hueval: --model local-chat-completions needs an argument: --model_args model=NAME",
        ),
        (
            ("run", "--model", "hf", "--model_args", "pretrained=/nowhere/at/all", "--tasks", TASK),
            "hueval: --model_args pretrained=/nowhere/at/all: no such folder",
        ),
        (
            ("run", "--model", "hf", "--tasks", TASK),
            "hueval: --model hf needs an argument: --model_args pretrained=ORG/MODEL",
        ),
        (
            (*BASELINE, "--model_args", "policy=majority", "--tasks", TASK),
            f'hueval: --model_args policy: {TASK} has no "majority" baseline in its family.py',
        ),
        (
            (*BASELINE, "--model_args", "policy=abstain", "--tasks", "hulu_hucola"),
            "hueval: --model_args policy=abstain: hulu_hucola compares log-likelihoods, and one choice is the "
            "likeliest. One of: oracle, random, first, mixed, majority",
        ),
        (
            (*BASELINE, "--model_args", "policy=frist", "--tasks", TASK),
            'hueval: --model_args policy: "frist" is not on offer. One of: oracle, random, abstain, first, '
            "mixed, majority",
        ),
    ],
    ids=[
        *("no template", "no address", "no model", "no folder", "nothing named"),
        *("a policy of other tasks", "no choice", "no such policy"),
    ],
)
def test_a_model_that_cannot_work(cli, arguments, line):
    outcome = cli(*arguments)
    assert refused(outcome) == line
    assert "Loading the model" not in outcome.err
    assert not any(Path.cwd().rglob("*.log"))  # nor has a run begun


@pytest.mark.parametrize(
    ("model_args", "more", "line"),
    [
        (
            "pretrained=nobody/nothing",
            (),
            "hueval: --model hf with pretrained=nobody/nothing cannot be loaded: OSError: We couldn't connect to "
            "'https://huggingface.co' to load the files, and couldn't find them in the cached files. "
            "A model of the Hub must be reachable or fetched before; a folder must exist.",
        ),
        (
            "pretrained=TINY,dtype=float17",
            (),
            "hueval: --model hf with pretrained=TINY cannot be loaded: AttributeError: module 'torch' has no attribute "
            "'float17'",
        ),
        (
            "pretrained=TINY",
            ("--device", "gpu"),
            'hueval: --device: "gpu" is none. One of: cuda, cuda:0, cpu, mps, npu, xpu, hpu',
        ),
        ("pretrained=TINY", ("--device", "cuda:99"), "hueval: --device cuda:99: torch sees "),
        (
            "pretrained=TINY",
            ("--gen_kwargs", "frequency_penalty=0.3,max_gen_toks=2", "--device", "cpu"),
            "hueval: --gen_kwargs: The following `model_kwargs` are not used by the model: ['frequency_penalty']",
        ),
    ],
    ids=["no network", "dtype", "device", "device's number", "setting"],
)
def test_a_model_that_cannot_be_loaded(cli, tiny_model, model_args, more, line):
    given = ("--model_args", model_args.replace("TINY", str(tiny_model)))
    outcome = cli("run", "--model", "hf", *given, "--tasks", TASK, "--limit", 1, *more)
    assert outcome.status == 1
    assert "Traceback" not in outcome.err
    assert outcome.complaints[-1].startswith(line.replace("TINY", str(tiny_model)))


def test_a_package_that_a_model_needs(cli, tiny_model, monkeypatch):
    monkeypatch.setitem(sys.modules, "peft", None)  # as if it were not installed
    model = ("--model", "hf", "--model_args", f"pretrained={tiny_model},peft=/nowhere", "--device", "cpu")
    line = cli("run", *model, "--tasks", TASK, "--limit", 1).complaints[-1]
    assert line.startswith("hueval: --model hf: ")
    assert line.endswith("Install it: pip install peft")


def test_a_key_that_is_missing_shows_before_a_request(cli):
    model = ("--model", "openai-chat-completions", "--model_args", "model=m", "--apply_chat_template")
    line = refused(cli("run", *model, "--tasks", TASK))
    assert "OPENAI_API_KEY" in line


@pytest.mark.parametrize("tasks", ["openhueval_huproverbrea_2cq", "openhueval"])
def test_examples_out_of_the_test_split_are_refused(cli, tasks):
    line = refused(cli(*BASELINE, "--tasks", tasks, "--num_fewshot", 5))
    assert line.startswith("hueval: --num_fewshot 5: openhueval_hu")
    assert "no examples but its test questions" in line


def test_examples_that_a_file_asks_for_are_refused(cli, tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text(f"model: hueval-baseline\ntasks: [{TASK}]\nnum_fewshot: 1\n", encoding="utf-8")
    assert refused(cli("run", "--config", config)).startswith(f"hueval: --num_fewshot 1: {TASK} has no examples")


def test_no_examples_are_no_fault(cli):
    assert cli(*BASELINE, "--tasks", TASK, "--num_fewshot", 0).status == 0


@pytest.mark.slow
def test_nothing_is_left_patched(cli):
    import lm_eval.api.model
    import lm_eval.api.registry
    import lm_eval.tasks

    def patched():
        replaced = (lm_eval.tasks.TaskManager, lm_eval.api.model.CachingLM, lm_eval.api.registry.get_model)
        return (*replaced, list(sys.argv), os.environ["HUEVAL_JUDGE"])

    before = patched()
    cli(*BASELINE, "--tasks", "openhueval_none_such")
    cli(*BASELINE, "--tasks", TASK, "--predict_only", "--output_path", "out")
    assert patched() == before


def test_lists_our_tasks_only(cli):
    outcome = cli("ls", "tasks")
    assert outcome.status == 0
    for name in ("openhueval", "hueval-rule", TASK, "openhueval_hustandardfib", "openhueval_huproverbrea_2cq"):
        assert f"|{name}" in outcome.out
    assert "hellaswag" not in outcome.out


@pytest.mark.parametrize(
    "arguments", [("run",), ("run", "--help"), ("run", "--help-all"), ("ls", "--help"), ("validate", "--help")]
)
def test_help(cli, arguments):
    outcome = cli(*arguments)
    assert outcome.status == 0
    assert "usage:" in outcome.out

"""The shipped presets: what each sets, how `hueval run --config NAME` finds it, and that its back end takes it."""

from __future__ import annotations

import ast
import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from lm_eval.config.evaluate_config import EvaluatorConfig

from hueval_metrics.harness.presets import PRESETS_DIR, presets, warn_where_surprising
from tests.each import each
from tests.fakes.chat_server import ChatServer
from tests.harness.runs import RULE_TASKS, metrics, results, samples

FAMILIES = ("paper", "racka", "racka-safe")
BACK_ENDS = {"hf": "hf", "vllm": "vllm", "api": "local-chat-completions"}
TASK = "openhueval_humatchingfib"
OFF = {"enable_thinking": False}
GEN_KWARGS = {
    "paper-hf": {"temperature": 0, "max_gen_toks": 8192},
    "paper-vllm": {"temperature": 0, "max_gen_toks": 8192},
    "paper-api": {"temperature": 0, "max_gen_toks": 8192},
    "racka-hf": {"temperature": 0, "repetition_penalty": 0.3},
    "racka-vllm": {"temperature": 0, "repetition_penalty": 0.3, "frequency_penalty": 0.3},
    "racka-api": {
        "temperature": 0,
        "repetition_penalty": 0.3,
        "frequency_penalty": 0.3,
        "chat_template_kwargs": OFF,
    },
    "racka-safe-hf": {"temperature": 0, "repetition_penalty": 1.0},
    "racka-safe-vllm": {"temperature": 0, "repetition_penalty": 1.0, "frequency_penalty": 0.3},
    "racka-safe-api": {
        "temperature": 0,
        "repetition_penalty": 1.0,
        "frequency_penalty": 0.3,
        "chat_template_kwargs": OFF,
    },
}
# What lm-eval 0.4.13 hands to vLLM's SamplingParams, by name, and what that class calls the same (vLLM 0.8 to 0.11).
SAMPLING_PARAMS = {"temperature", "repetition_penalty", "frequency_penalty", "skip_special_tokens", "max_tokens"}
PENALTY = "hueval: repetition_penalty 0.3 is below 1 and encourages repetition. The racka-safe presets have 1.0."


def settings(name):
    return yaml.safe_load((PRESETS_DIR / f"{name}.yaml").read_text(encoding="utf-8"))


def back_end(name):
    return name.rpartition("-")[2]


def test_there_is_one_for_every_paper_and_back_end():
    assert presets() == sorted(f"{family}-{back_end}" for family in FAMILIES for back_end in BACK_ENDS)


@each("name", GEN_KWARGS)
def test_lm_eval_loads_it(name):
    config = EvaluatorConfig.from_config(PRESETS_DIR / f"{name}.yaml")
    assert config.model == BACK_ENDS[back_end(name)]
    assert config.gen_kwargs == GEN_KWARGS[name]
    assert config.apply_chat_template is True
    assert config.system_instruction is None
    assert not config.tasks and config.include_path is None
    no_thinking = name.startswith("racka") and back_end(name) != "api"
    assert config.model_args == (OFF if no_thinking else {})
    assert config.metadata["wildbench_prompt"] == ("original" if name.startswith("paper") else "racka")


@each("name", GEN_KWARGS)
def test_its_comments_show_how_to_use_it(name):
    head = (PRESETS_DIR / f"{name}.yaml").read_text(encoding="utf-8").partition("\nmodel:")[0]
    assert all(line.startswith("#") for line in head.split("\n"))
    assert f"#   hueval run --config {name} --model_args " in head
    assert ("ENCOURAGES" in head) == (settings(name)["gen_kwargs"].get("repetition_penalty", 1) < 1)


def parameters(source, class_name, method):
    """Names of the parameters of a method, read from its source: vLLM itself need not be there."""
    (found,) = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == class_name]
    (function,) = [node for node in found.body if isinstance(node, ast.FunctionDef) and node.name == method]
    return {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}


@pytest.mark.parametrize("name", [name for name in GEN_KWARGS if back_end(name) == "vllm"])
def test_vllm_takes_it(name):
    source = Path(find_spec("lm_eval").origin).with_name("models") / "vllm_causallms.py"
    preset = settings(name)
    known = parameters(source.read_text(encoding="utf-8"), "VLLM", "__init__")
    assert set(preset.get("model_args", {})) <= known
    assert isinstance(preset["batch_size"], int) and "batch_size" in known
    if find_spec("vllm"):
        from vllm import SamplingParams

        assert set(SamplingParams.__annotations__) >= SAMPLING_PARAMS
    assert set(preset["gen_kwargs"]) - {"max_gen_toks"} <= SAMPLING_PARAMS


class TestName:
    """`--config NAME`."""

    RUN = ("run", "--model", "hueval-baseline", "--tasks", TASK, "--limit", 1)

    def test_stands_for_the_shipped_file(self, cli, tmp_path):
        outcome = cli(*self.RUN, "--config", "racka-vllm", "--output_path", tmp_path)
        assert outcome.status == 0, outcome.err
        recorded = results(tmp_path)
        assert recorded["config"]["gen_kwargs"] == GEN_KWARGS["racka-vllm"]
        assert recorded["configs"][TASK]["generation_kwargs"] == {
            "until": [],
            "max_gen_toks": 2048,
            **GEN_KWARGS["racka-vllm"],
        }

    @pytest.mark.parametrize(
        ("name", "hint"), [("racka-fh", "Did you mean racka-hf? "), ("mine", ""), ("Paper-API", "")]
    )
    def test_unknown_is_one_line(self, cli, name, hint):
        outcome = cli(*self.RUN, "--config", name)
        assert outcome.status == 1
        line = f'hueval: --config: no file and no preset "{name}". {hint}Presets: {", ".join(presets())}'
        assert outcome.complaints == [line]
        assert "Traceback" not in outcome.err

    @pytest.mark.parametrize("name", ["mine.yaml", "./racka-hf", "folder/racka-hf"])
    def test_a_path_is_no_preset(self, cli, name):
        outcome = cli(*self.RUN, "--config", name)
        assert outcome.status == 1
        (line,) = outcome.complaints
        assert line.startswith(
            f"hueval: --config {name.removeprefix('./')}: No such file or directory. Name a file or "
        )

    def test_a_file_of_that_name_comes_first(self, cli, tmp_path):
        (tmp_path / "racka-hf").write_text("gen_kwargs: {max_gen_toks: 7}\n", encoding="utf-8")
        assert cli(*self.RUN, "--config", "racka-hf", "--output_path", tmp_path / "out").status == 0
        assert results(tmp_path / "out")["config"]["gen_kwargs"] == {"max_gen_toks": 7}

    def test_without_tasks_it_runs_the_default(self, cli, tmp_path):
        outcome = cli("run", "--config", "paper-hf", "--model", "hueval-baseline", "--output_path", tmp_path)
        assert outcome.status == 0
        assert outcome.complaints[0].startswith("hueval: no tasks named; default: hueval-rule")
        assert sorted(metrics(tmp_path)) == sorted(RULE_TASKS)


class TestCommandLine:
    """What the command line replaces."""

    def run(self, cli, folder, *more, preset="racka-hf"):
        common = ("--model", "hueval-baseline", "--tasks", TASK, "--limit", 1, "--output_path", folder)
        outcome = cli("run", "--config", preset, *common, *more)
        assert outcome.status == 0, outcome.err
        return results(folder), outcome

    def test_model_args_are_added_key_by_key(self, cli, tmp_path):
        recorded, _ = self.run(cli, tmp_path, "--model_args", "policy=first,seed=3")
        arguments = recorded["config"]["model_args"]
        assert (arguments["policy"], arguments["seed"], arguments["enable_thinking"]) == ("first", 3, False)

    def test_the_command_line_wins(self, cli, tmp_path):
        recorded, _ = self.run(cli, tmp_path, "--model_args", "enable_thinking=True")
        assert recorded["config"]["model_args"]["enable_thinking"] is True

    def test_metadata_are_added_key_by_key(self, cli, tmp_path):
        recorded, _ = self.run(cli, tmp_path, "--metadata", "prompt_lang=hu", preset="paper-hf")
        metadata = recorded["configs"][TASK]["metadata"]
        assert (metadata["prompt_lang"], metadata["wildbench_prompt"]) == ("hu", "original")

    def test_gen_kwargs_are_replaced_as_a_whole(self, cli, tmp_path):
        recorded, _ = self.run(cli, tmp_path, "--gen_kwargs", "max_gen_toks=64")
        assert recorded["config"]["gen_kwargs"] == {"max_gen_toks": 64}

    @pytest.mark.parametrize(("preset", "times"), [("racka-hf", 1), ("racka-safe-hf", 0), ("paper-hf", 0)])
    def test_a_penalty_below_one_warns_once(self, cli, tmp_path, preset, times):
        _, outcome = self.run(cli, tmp_path, preset=preset)
        assert outcome.complaints.count(PENALTY) == times
        assert len([line for line in outcome.complaints if "repetition" in line]) == times

    def test_a_penalty_from_the_command_line_warns_too(self, cli, tmp_path):
        _, outcome = self.run(cli, tmp_path, "--gen_kwargs", "repetition_penalty=0.9", preset="paper-hf")
        assert [line for line in outcome.complaints if "repetition_penalty 0.9 is below 1" in line]


@pytest.fixture(scope="module")
def brief_model(tiny_model, tmp_path_factory):
    """The tiny model, for which many a token ends a reply: the presets leave room for thousands."""
    folder = shutil.copytree(tiny_model, tmp_path_factory.mktemp("brief") / "model")
    settings = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
    settings["eos_token_id"] = list(range(0, 1024, 2))
    (folder / "generation_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", ["racka-hf", "racka-safe-hf", "paper-hf"])
def test_a_real_hf_model_runs_it(cli, brief_model, tmp_path, name):
    arguments = ("--model_args", f"pretrained={brief_model}", "--device", "cpu", "--tasks", TASK, "--limit", 1)
    outcome = cli("run", "--config", name, *arguments, "--output_path", tmp_path)
    assert outcome.status == 0, outcome.err
    (row,) = samples(tmp_path, TASK)
    prompt, used = row["arguments"]["gen_args_0"]["arg_0"], row["arguments"]["gen_args_0"]["arg_1"]
    assert prompt.startswith("<|im_start|>user\n")
    switched_off = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    assert prompt.endswith(switched_off if name.startswith("racka") else "<|im_start|>assistant\n")
    assert used == {"until": [], "max_gen_toks": 2048, **GEN_KWARGS[name]}
    assert json.loads(row["filtered_resps"][0])["response"]


@pytest.mark.parametrize("name", ["racka-api", "racka-safe-api", "paper-api"])
def test_a_chat_server_gets_it(cli, tmp_path, name):
    pytest.importorskip("tenacity", reason="needs the api extra")
    with ChatServer(lambda body: "{}") as server:
        model = f"model=m,base_url={server.url},max_retries=1"
        arguments = ("--model_args", model, "--tasks", TASK, "--limit", 1, "--output_path", tmp_path)
        outcome = cli("run", "--config", name, *arguments)
    assert outcome.status == 0, outcome.err
    (body,) = server.requests
    expected = {key: value for key, value in GEN_KWARGS[name].items() if key != "max_gen_toks"}
    assert expected.items() <= body.items()
    assert body["max_tokens"] == GEN_KWARGS[name].get("max_gen_toks", 2048)
    assert [message["role"] for message in body["messages"]] == ["user"]


@pytest.mark.parametrize(("name", "roles"), [("racka-api", ["system", "user"]), ("paper-api", ["user"])])
def test_only_racka_sends_a_system_message_with_wild_bench(cli, tmp_path, monkeypatch, name, roles):
    pytest.importorskip("tenacity", reason="needs the api extra")
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    with ChatServer(lambda body: "Szia!") as server:
        model = f"model=m,base_url={server.url},max_retries=1"
        arguments = ("--model_args", model, "--tasks", "openhueval_huwildbench", "--limit", 1)
        outcome = cli("run", "--config", name, *arguments, "--output_path", tmp_path)
    assert outcome.status == 0, outcome.err
    (body,) = server.requests
    assert [message["role"] for message in body["messages"]] == roles
    assert ("a válasz:" in body["messages"][-1]["content"]) == (name == "paper-api")


@pytest.mark.parametrize(
    ("given", "warns"),
    [
        ({}, True),
        ({"apply_chat_template": True}, False),
        ({"metadata": {"wildbench_prompt": "base"}}, False),
        ({"metadata": {"wildbench_prompt": "racka"}}, True),
        ({"model": "dummy"}, False),
    ],
    ids=str,
)
def test_a_system_prompt_without_a_chat_template_warns(caplog, given, warns):
    config = EvaluatorConfig(**{"model": "hf", **given})
    warn_where_surprising(config, ["openhueval_huwildbench"])
    assert bool(caplog.messages) == warns
    caplog.clear()
    warn_where_surprising(config, [TASK])
    assert not caplog.messages

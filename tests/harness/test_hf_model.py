"""A real `hf` model with a chat template, through `hueval run` and through plain lm_eval."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version

import pytest

from hueval_metrics.harness.token_limits import limits_noted
from hueval_metrics.registry import TASKS_DIR
from tests.fakes.judge_server import FakeJudge
from tests.harness.runs import ALL_TASKS, JUDGED_TASKS, RULE_TASKS, metrics, results, run, samples
from tests.helpers import shared

OPEN_ENDED, SIMPLE_QA, WILD_BENCH = JUDGED_TASKS
NO_THINKING = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
THINKING = "<|im_start|>assistant\n<think>\n"
THINK_NOT = {"enable_thinking": False}


def arguments(model, folder, *more, model_args=THINK_NOT, limit=2, tasks="hueval-rule"):
    chat = ("--model_args", json.dumps({"pretrained": str(model), **model_args}), "--apply_chat_template")
    small = ("--limit", limit, "--gen_kwargs", "max_gen_toks=8", "--batch_size", 4, "--device", "cpu")
    common = ("--model", "hf", "--tasks", tasks, "--output_path", folder, "--log_samples")
    return (*common, *chat, *small, *more)


def check_prompts(folder, opening):
    for task in RULE_TASKS:
        rows = samples(folder, task)
        assert len(rows) == 2
        for row in rows:
            prompt, settings = gen_args(row)
            assert prompt.startswith("<|im_start|>user\n")
            assert prompt.endswith(opening)
            assert settings["max_gen_toks"] == 8
            assert json.loads(row["filtered_resps"][0]).keys() == {"response", "truncated", "verdict"}


def gen_args(row):
    return row["arguments"]["gen_args_0"]["arg_0"], row["arguments"]["gen_args_0"]["arg_1"]


def check_results(folder, tasks=RULE_TASKS):
    recorded = results(folder)
    assert set(metrics(folder)) == set(tasks)
    for task in RULE_TASKS:
        provenance = recorded["configs"][task]["metadata"]["provenance"]
        assert provenance.keys() == {
            "file",
            "git_blob_id",
            "origin",
            "repo",
            "revision",
            "content",
            "sample",
            "signature",
        }
        assert provenance["signature"].startswith(f"task:{task}|v:1.2|data:{provenance['git_blob_id'][:12]}|q:hu|")
    assert recorded["chat_template_sha"]
    return recorded


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model_args", "opening", "opens"),
    [
        (THINK_NOT, NO_THINKING, False),
        # enable_thinking=True would want a think_end_token, with which lm-eval drops the trace from the samples
        ({"chat_template_args": {"enable_thinking": True}}, THINKING, True),
        ({}, "<|im_start|>assistant\n", False),
    ],
    ids=["no thinking", "thinking", "left to the model"],
)
def test_under_hueval_run(cli, tiny_model, tmp_path, model_args, opening, opens):
    """Eight tokens close no trace: where the template opens one, all replies were cut inside it."""
    outcome = cli("run", *arguments(tiny_model, tmp_path / "live", model_args=model_args))
    assert outcome.status == 0, outcome.err
    check_prompts(tmp_path / "live", opening)
    recorded = check_results(tmp_path / "live")
    asked = {**model_args, **model_args.get("chat_template_args", {})}.get("enable_thinking")
    assert recorded["template_opens"] == dict.fromkeys(RULE_TASKS, opens)
    assert recorded["limit_rate"] == dict.fromkeys(RULE_TASKS, 100.0), "all were cut after eight tokens"
    assert "Replies that ended at the token limit" in outcome.out and "100.00 % of" in outcome.out
    assert cli("score", tmp_path / "live", "--output", tmp_path / "again").status == 0
    again = json.loads((tmp_path / "again" / "results.json").read_text(encoding="utf-8"))
    for task, live in metrics(tmp_path / "live").items():
        assert live["truncated_rate"] == (100 if opens else 0)
        signature = recorded["configs"][task]["metadata"]["provenance"]["signature"]
        assert (f",enable_thinking={asked}|" in signature) == (asked is not None)
        assert {metric: again[task][metric] for metric in live} == live
        assert (again[task]["limit_rate"], again[task]["limit_rate_n"]) == (100, 2)
    lines = (tmp_path / "again" / "items.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["at_limit"] for line in lines} == {True}


@pytest.mark.process
@pytest.mark.slow
def test_under_plain_lm_eval(cli, tiny_model, tmp_path, monkeypatch):
    """All six tasks and the judge over HTTP, here as under `hueval run`; its one form of reply suits one rubric."""
    monkeypatch.setenv("HUEVAL_JUDGE", "openai")
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "mock")
    plain = (sys.executable, "-m", "lm_eval", "run", "--include_path", TASKS_DIR)
    with FakeJudge(lambda request, number: '{"evaluation": "INCORRECT"}') as judge:
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
        outcome = run(*plain, *arguments(tiny_model, tmp_path / "plain", tasks="openhueval"))
        assert outcome.status == 0, outcome.err
        given = arguments(tiny_model, tmp_path / "hueval", tasks="openhueval")
        assert cli("run", *given, "--allow-missing", "1").status == 0  # what the other rubrics cannot read is missing
    check_prompts(tmp_path / "plain", NO_THINKING)
    check_results(tmp_path / "plain", ALL_TASKS)
    found = metrics(tmp_path / "plain")
    assert found == metrics(tmp_path / "hueval")
    assert found[SIMPLE_QA]["judge_coverage"] == 100
    for task, filled_in in ((OPEN_ENDED, "unreadable_rate"), (WILD_BENCH, "default_score_rate")):
        assert (found[task]["judge_coverage"], found[task][filled_in]) == (0, 100)
    assert found[OPEN_ENDED]["acc_ref"] == 0
    (sample, _) = samples(tmp_path / "plain", WILD_BENCH)
    assert "You are a helpful Hungarian assistant." in gen_args(sample)[0]


@pytest.mark.slow
def test_on_published_data(cli, tiny_model, tmp_path, monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE")
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(shared("data")))
    assert cli("run", *arguments(tiny_model, tmp_path)).status == 0
    recorded = check_results(tmp_path)
    assert [recorded["n-samples"][task]["original"] for task in RULE_TASKS] == [2270, 278, 93]
    for task in RULE_TASKS:
        provenance = recorded["configs"][task]["metadata"]["provenance"]
        assert (provenance["sample"], provenance["origin"]) == (False, "folder")


@pytest.mark.slow
def test_the_signature_of_the_live_run_is_whole(cli, tiny_model, tmp_path):
    command = arguments(tiny_model, tmp_path / "live", "--system_instruction", "Légy tömör.")
    assert cli("run", *command).status == 0
    assert cli("score", tmp_path / "live", "--output", tmp_path / "again").status == 0
    again = json.loads((tmp_path / "again" / "results.json").read_text(encoding="utf-8"))
    sha, system = (results(tmp_path / "live")[f"{part}_sha"][:8] for part in ("chat_template", "system_instruction"))
    for task in RULE_TASKS:
        recorded = results(tmp_path / "live")["configs"][task]["metadata"]["provenance"]["signature"]
        assert f"|gen:max_gen_toks=8,until=[]|chat:{sha}|" in recorded
        assert "|reasoning:strip/" in recorded and ",enable_thinking=False|limit:2|" in recorded
        assert f"|system:{system}" in recorded and f"|transformers:{version('transformers')}" in recorded
        assert again[task]["signature"] == recorded
        assert again[task]["n"] == 2


FULL, ENDED, PADDED, STOPPED = [5, 6, 7], [5, 6, "eos"], [5, "eos", "pad"], [5, "stop", 7]


def test_replies_that_ended_at_the_token_limit(tiny_model, monkeypatch):
    """All three tokens used and none that ends: cut. Not where it ended by itself, or lm-eval cuts a stop sequence."""
    import torch
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(pretrained=str(tiny_model), device="cpu", batch_size=4)
    names = {"eos": model.eot_token_id, "pad": model.tokenizer.pad_token_id, "stop": model.tok_encode("z")[-1]}
    rows = [[names.get(token, token) for token in row] for row in (FULL, ENDED, PADDED, STOPPED)]

    def generated(context, **_):
        return torch.cat([context, torch.tensor(rows)], dim=1)

    monkeypatch.setattr(model, "_model_generate", generated)
    settings = {"until": [model.tok_decode([names["stop"]])], "max_gen_toks": 3}
    requests = [Instance("generate_until", {}, (f"q{i}", settings), i) for i in range(4)]
    with limits_noted(model):
        replies = model.generate_until(requests)
    order = sorted(range(4), key=lambda i: (-len(model.tok_encode(f"q{i}")), f"q{i}"))  # in which lm-eval asks
    assert [replies[i].facts for i in order] == [{"at_limit": cut} for cut in (True, False, False, False)]
    assert not hasattr(model.generate_until(requests)[0], "facts"), "outside nothing is said"


def test_each_token_of_a_batch_is_shown(tiny_model, monkeypatch):
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    shown = []
    monkeypatch.setattr("hueval_metrics.harness.token_limits.under_way", lambda *what: shown.append(what))
    model = HFLM(pretrained=str(tiny_model), device="cpu", batch_size=2)
    requests = [Instance("generate_until", {}, (f"q{i}", {"until": [], "max_gen_toks": 4}), i) for i in range(2)]
    before = model.generate_until(requests)
    with limits_noted(model):
        assert model.generate_until(requests) == before, "the logits are as they were"
    said = [(2 * i / 4, f"token {i + 1} of at most 4 in this batch") for i in range(4)]
    assert shown == said[: len(shown)] and shown

"""What was asked of a model's thinking, as the settings of its run tell it."""

from __future__ import annotations

from hueval_metrics.scoring.lm_eval_results import LmEvalResults
from hueval_metrics.scoring.thinking import thinking_asked
from tests.each import each

CHAT = "local-chat-completions"
SWITCH = {"chat_template_kwargs": {"enable_thinking": False}}


@each(
    ("model", "args", "generation", "record"),
    [
        ("hf", {}, {"max_gen_toks": 64}, None),
        ("hf", {"enable_thinking": True}, {}, ("on", True, "enable_thinking=True", "left")),
        (
            "hf",
            {"enable_thinking": True, "think_end_token": "</think>"},
            {},
            ("on", True, "enable_thinking=True", "dropped"),
        ),
        (
            "vllm",
            {"chat_template_args": {"enable_thinking": False}},
            {},
            ("off", True, "chat_template_args.enable_thinking=False", "left"),
        ),
        (CHAT, {}, SWITCH, ("off", True, "chat_template_kwargs.enable_thinking=False", None)),
        ("hf", {}, SWITCH, ("off", False, "chat_template_kwargs.enable_thinking=False", "left")),
        (CHAT, {"enable_thinking": False}, {}, ("off", False, "enable_thinking=False", None)),
        (CHAT, {}, {"reasoning_effort": "none"}, ("off", True, "reasoning_effort=none", None)),
        (CHAT, {}, {"reasoning_effort": "minimal"}, None),  # a model may think or not
        (CHAT, {}, {"reasoning": {"effort": "high"}}, ("on", True, "reasoning.effort=high", None)),
        (CHAT, {}, {"reasoning": {"enabled": False}}, ("off", True, "reasoning.enabled=False", None)),
    ],
)
def test_what_was_asked(model, args, generation, record):
    expected = record and dict(zip(("asked", "sent", "as", "traces"), record, strict=True))
    assert thinking_asked(model, args, generation) == expected


def test_an_older_results_file_tells_it_by_its_settings():
    config = {"model": "hf", "model_args": "pretrained=m,enable_thinking=False"}
    older, newer = LmEvalResults({"config": config}), LmEvalResults({"config": config, "thinking": {}})
    assert (older.thinking("toy") or {}).get("asked") == "off"
    assert newer.thinking("toy") is None  # its own record counts

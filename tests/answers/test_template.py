"""Whether the chat template opens the trace: known from the prompt, or inferred from the replies."""

from __future__ import annotations

import logging

import pytest

from hueval_metrics.answers.reasoning import StripReasoning
from hueval_metrics.answers.trace.template import knowing, of_all, template_opens
from hueval_metrics.records import Filtered

TRUNCATED = Filtered("", truncated=True)


def apply(replies):
    return [Filtered.from_json(text) for text in StripReasoning().apply(replies, [])]


@pytest.mark.parametrize(
    ("why", "prompt", "opens"),
    [
        ("Qwen3-Thinking", "<|im_start|>assistant\n<think>\n", True),
        ("Qwen3, thinking switched off", "<|im_start|>assistant\n<think>\n\n</think>\n\n", False),
        ("Qwen3, the model opens its trace itself", "<|im_start|>assistant\n", None),
        ("DeepSeek V3.1, thinking switched off", "<｜Assistant｜></think>", False),
        ("Seed-OSS", "<seed:bos>assistant\n<seed:think>", True),
        ("Hunyuan 3", "<｜hy_Assistant｜><think:opensource>", True),
        ("Kimi K3", "<|open|>think<|sep|>", True),
        ("Cohere", "<|CHATBOT_TOKEN|><|START_THINKING|>", True),
        ("Cohere, thinking switched off", "<|CHATBOT_TOKEN|><|START_THINKING|><|END_THINKING|>", False),
        ("Gemma 4, thinking switched off", "<|turn>model\n<|channel>thought\n<channel|>", False),
        ("gpt-oss", "<|start|>assistant", None),
        ("Magistral", "[/INST][THINK]", True),
        ("Apriel", "<|begin_assistant|>\nHere are my reasoning steps:\n", True),
        ("Apriel, thinking switched off", "Here are my reasoning steps:\n\n[BEGIN FINAL RESPONSE]\n", False),
        ("a tag that the question mentions", 'Mit jelent a "<think>"', None),
        ("an earlier turn had a trace", "<think>a</think>b<|im_end|>\n<|im_start|>assistant\n", None),
        ("no template", "A válasz: ", None),
        ("empty", "", None),
    ],
)
def test_the_end_of_a_prompt(why, prompt, opens):
    assert template_opens(prompt) is opens
    assert template_opens("<think>régi</think>" + "x" * 1000 + prompt) is opens


def test_prompts_that_differ_give_no_fact():
    assert (of_all([True, True]), of_all([True, False]), of_all([None]), of_all([])) == (True, None, None, None)


def test_one_reply_that_opens_its_trace_does_not_decide():
    """59 replies close a trace, 1 opens its own, 40 were cut: the 40 have no answer."""
    replies = [f"Az 1 vagy a 2?</think>{n}" for n in range(59)] + ["<think>Lássuk.</think>9"] + ["Talán a 2, mert"] * 40
    found = apply(replies)
    assert found[:60] == [*(Filtered(str(n)) for n in range(59)), Filtered("9")]
    assert found[60:] == [TRUNCATED] * 40


@pytest.mark.parametrize(
    ("why", "replies"),
    [
        ("a stray closing tag among many plain answers", ["1</think>2", *["1"] * 9]),
        ("as many open their own trace as close one", ["<think>hm</think>2", "hm</think>2", "1"]),
        ("no tags at all", ["1", "2"]),
        ("tags only as words", ["A </think> címke", "a </think> jel", "1"]),
    ],
)
def test_plain_replies_are_kept_if_replies_show_no_template(why, replies):
    assert apply(replies)[-1] == Filtered(replies[-1])


def test_what_is_known_of_the_prompt_outweighs_the_replies():
    replies = ["hm</think>2", "Lássuk, talán a 2"]
    with knowing(False):
        assert apply(replies) == [Filtered("2"), Filtered("Lássuk, talán a 2")]
    with knowing(True):
        assert apply(["1", "<think>\nhm</think>2", "hm.\n<think>\nhm</think>2"]) == [TRUNCATED, *[Filtered("2")] * 2]
    assert apply(["1"]) == [Filtered("1")]


def test_one_rank_warns_that_each_infers_from_its_own_replies(monkeypatch, caplog):
    monkeypatch.setenv("WORLD_SIZE", "2")
    for rank in ("0", "1"):
        monkeypatch.setenv("RANK", rank)
        apply(["hm</think>2", "1"])
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "each of 2 processes infers it from its own replies" in record.getMessage()


@pytest.mark.parametrize(
    ("why", "ranks", "fact", "replies"),
    [
        ("one process", "1", None, ["hm</think>2", "1"]),
        ("the prompt shows it", "2", True, ["hm</think>2", "1"]),
        ("nothing to decide", "2", None, ["1", "<think>hm</think>2"]),
    ],
)
def test_no_warning_otherwise(why, ranks, fact, replies, monkeypatch, caplog):
    monkeypatch.setenv("WORLD_SIZE", ranks)
    monkeypatch.setenv("RANK", "0")
    with knowing(fact):
        apply(replies)
    assert not caplog.records

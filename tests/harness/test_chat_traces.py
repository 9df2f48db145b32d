"""A server that sends the trace in a field of its own: it stands in the samples, and changes no score."""

from __future__ import annotations

import json
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.trace.split import split_reasoning
from hueval_metrics.harness.chat_traces import CountedReply, keep_traces, put_back
from tests.each import each
from tests.fakes.chat_server import ChatServer
from tests.harness.runs import metrics, samples

pytest.importorskip("tenacity", reason="needs the api extra")

TASK = "openhueval_huproverbrea_2cq"


def arguments(server, folder, *more, concurrent=2, model="local-chat-completions", extra=""):
    args = f"model=m,base_url={server.url},num_concurrent={concurrent},max_retries=1{extra}"
    common = ("--model", model, "--apply_chat_template", "--tasks", TASK, "--output_path", folder)
    return ("run", *common, "--model_args", args, *more)


def answer(content, trace=None, field="reasoning_content", tokens=None):
    message = {"role": "assistant", "content": content} | ({} if trace is None else {field: trace})
    usage = {} if tokens is None else {"usage": {"completion_tokens_details": {"reasoning_tokens": tokens}}}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], **usage}


@pytest.mark.parametrize("concurrent", [1, 2])
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_the_trace_is_logged_and_scores_are_those_of_the_content(cli, tmp_path, field, concurrent):
    with ChatServer(lambda body: answer("A válasz: 1", "\n1 vagy 2?\n", field, 9)) as server:
        outcome = cli(*arguments(server, tmp_path / "with", "--limit", 4, concurrent=concurrent))
    with ChatServer(lambda body: answer("A válasz: 1")) as server:
        assert cli(*arguments(server, tmp_path / "without", "--limit", 4)).status == 0
    assert outcome.status == 0, outcome.err
    for row in samples(tmp_path / "with", TASK):
        assert row["resps"] == [["<think>\n1 vagy 2?\n</think>\n\nA válasz: 1"]]
        assert json.loads(row["filtered_resps"][0])["response"] == "A válasz: 1"
        assert row["reasoning_tokens"] == 9
    assert metrics(tmp_path / "with") == metrics(tmp_path / "without")
    assert not any("reasoning_tokens" in row for row in samples(tmp_path / "without", TASK))


def test_a_trace_cut_at_the_limit_of_tokens_is_kept_and_counts_as_truncated(cli, tmp_path):
    with ChatServer(lambda body: answer(None, "1 vagy 2? Talán")) as server:
        assert cli(*arguments(server, tmp_path, "--limit", 2)).status == 0
    assert [row["resps"] for row in samples(tmp_path, TASK)] == [[["<think>\n1 vagy 2? Talán"]]] * 2
    assert metrics(tmp_path)[TASK]["truncated_rate"] == 100


def test_replies_that_ended_at_the_token_limit_are_counted_and_survive_a_stop(cli, tmp_path):
    """Neither in a trace nor empty, so truncated_rate is 0: three of four are cut, and only the server knows."""
    reasons = iter(["length", "length", "stop", "length"])

    def reply(body):
        whole = answer("A válasz: 1")
        whole["choices"][0]["finish_reason"] = next(reasons)
        return whole

    with ChatServer(reply) as server:
        for run in "ab":  # the second of what is kept
            outcome = cli(*arguments(server, tmp_path / run, "--limit", 4, concurrent=1))
            assert outcome.status == 0, outcome.err
            assert "Replies that ended at the token limit, of m: 75.00 % of" in " ".join(outcome.out.split())
            assert sorted(row["at_limit"] for row in samples(tmp_path / run, TASK)) == [False, True, True, True]
        assert len(server.requests) == 4
    assert metrics(tmp_path / "b")[TASK]["truncated_rate"] == 0
    assert cli("score", tmp_path / "b", "--output", tmp_path / "c").status == 0
    scored = json.loads((tmp_path / "c" / "results.json").read_text(encoding="utf-8"))[TASK]
    assert (scored["limit_rate"], scored["limit_rate_n"], scored["truncated_rate"]) == (75, 4, 0)
    assert "75.00 % of" in cli("table", tmp_path / "c").out


def test_the_counts_survive_a_stop(cli, tmp_path):
    with ChatServer(lambda body: answer("1", "Lássuk.", tokens=3)) as server:
        assert cli(*arguments(server, tmp_path / "a", "--limit", 2)).status == 0
        assert cli(*arguments(server, tmp_path / "b", "--limit", 2)).status == 0
        assert len(server.requests) == 2
    for run in ("a", "b"):
        assert [row["reasoning_tokens"] for row in samples(tmp_path / run, TASK)] == [3, 3]
    assert cli("score", tmp_path / "a", "--output", tmp_path / "scored").status == 0
    items = (tmp_path / "scored" / "items.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["reasoning_tokens"] for line in items] == [3, 3]


def test_who_has_lm_eval_cut_traces_off_gets_none(cli, tmp_path):
    with ChatServer(lambda body: answer("1", "Lássuk.")) as server:
        assert cli(*arguments(server, tmp_path, "--limit", 2, extra=",think_end_token=</think>")).status == 0
    assert [row["resps"] for row in samples(tmp_path, TASK)] == [[["1"]]] * 2


def test_other_clients_of_chat_servers_keep_the_trace_too(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with ChatServer(lambda body: answer("1", "Lássuk.")) as server:
        assert cli(*arguments(server, tmp_path, "--limit", 2, model="openai-chat-completions")).status == 0
    assert [row["resps"] for row in samples(tmp_path, TASK)] == [[["<think>\nLássuk.\n</think>\n\n1"]]] * 2


@pytest.mark.parametrize(
    ("why", "message", "reply"),
    [
        ("an empty trace is none", {"content": "1", "reasoning_content": " \n"}, "1"),
        ("a trace that is no text is none", {"content": "1", "reasoning_content": ["a"]}, "1"),
        (
            "one of the names is null",
            {"content": "1", "reasoning_content": None, "reasoning": "a"},
            "<think>\na\n</think>\n\n1",
        ),
        ("neither trace nor content", {"content": None}, ""),
        ("no key content", {"reasoning": "a"}, "<think>\na"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_messages_of_servers(cli, tmp_path, why, message, reply):
    whole = {"choices": [{"index": 0, "message": message}], "usage": {"completion_tokens_details": None}}
    with ChatServer(lambda body: whole) as server:
        assert cli(*arguments(server, tmp_path, "--limit", 1)).status == 0
    assert samples(tmp_path, TASK)[0]["resps"] == [[reply]], why


@pytest.mark.parametrize(
    ("why", "trace", "content"),
    [
        ("the trace closes itself", "1?</think> nem, 2", "2"),
        ("the trace opens another", "a <reasoning> b", "2"),
        ("the trace names the tag", "I must end with </think> when I am done.", "2"),
        ("the trace has an answer tag", "<|begin_of_solution|>1", "2"),
        ("the content has a trace of its own", "a", "<think>b</think>2"),
        ("the content closes a trace", "a", "b</think>2"),
        ("the content was cut in a trace of its own", "a", "<think>b"),
        ("the content is boxed", "a \\boxed{1}", "**Final Answer**\n\\boxed{2}"),
        ("no content, and the trace closes itself", "a</think>b", ""),
        ("half a surrogate", "a\ud800", "2"),
    ],
)
def test_the_response_is_the_content(why, trace, content):
    for final_answer in (False, True):
        whole = split_reasoning(put_back(trace, content), final_answer)
        alone = split_reasoning(content, final_answer)
        assert (whole.response, whole.truncated) == (alone.response, alone.truncated), why
    text = put_back(trace, content)
    assert re.sub("[‹<]", "<", text).startswith(f"<think>\n{trace}")


TEXTS = st.text('ab2 \n\\{}*`"') | st.lists(
    st.sampled_from(
        ["<think>", "</think>", "<reasoning>", "<|channel|>final", "a", " ", "\n", "<answer>", "&lt;think&gt;"]
    )
).map("".join)


@given(TEXTS, TEXTS)
def test_no_trace_changes_what_is_scored(trace, content):
    for final_answer in (False, True):
        whole = split_reasoning(put_back(trace, content), final_answer)
        alone = split_reasoning(content, final_answer)
        assert (whole.response, whole.truncated) == (alone.response, alone.truncated)


@pytest.mark.parametrize(
    ("why", "output", "replies"),
    [
        (
            "each of several choices has its own trace",
            {
                "choices": [
                    {"index": 1, "message": {"content": "2", "reasoning": "b"}},
                    {"index": 0, "message": {"content": "1", "reasoning": "a"}},
                ],
                "usage": {"completion_tokens_details": {"reasoning_tokens": 8}},
            },
            ["<think>\na\n</think>\n\n1", "<think>\nb\n</think>\n\n2"],
        ),
        ("a content in parts is lm-eval's business", answer(["a"], "b"), [["a"]]),
        ("no answer at all", None, [""]),
        ("an answer of another form", {"choices": [{"index": 0, "message": None}]}, [""]),
    ],
)
def test_answers_of_a_server(why, output, replies):
    from lm_eval.models.openai_completions import LocalChatCompletion

    model = LocalChatCompletion(base_url="http://127.0.0.1:9", model="m")
    keep_traces(model)
    found = model.parse_generations(output)
    assert found == replies, why
    assert not any(isinstance(reply, CountedReply) for reply in found)  # of several it counts the sum


def test_a_counted_reply_goes_from_rank_to_rank():
    reply = pickle.loads(pickle.dumps(CountedReply.of("1", {"reasoning_tokens": 7, "at_limit": True})))
    assert (reply, reply.facts) == ("1", {"reasoning_tokens": 7, "at_limit": True})


@each("name", ["LocalChatCompletion", "LocalCompletionsAPI"])
@each(
    ("reason", "facts"),
    [("length", {"at_limit": True}), ("stop", {"at_limit": False}), (None, None), (7, None), ("", {"at_limit": False})],
)
def test_what_a_server_says_of_the_end_of_a_reply(name, reason, facts):
    """Not said is not known: neither cut nor whole."""
    from lm_eval.models import openai_completions

    model = getattr(openai_completions, name)(base_url="http://127.0.0.1:9", model="m", tokenizer_backend=None)
    keep_traces(model)
    choice = {"index": 0, "text": "2", "message": {"content": "2"}, "finish_reason": reason}
    ((reply,),) = [model.parse_generations([{"choices": [choice]}])]
    assert (reply, getattr(reply, "facts", None)) == ("2", facts)

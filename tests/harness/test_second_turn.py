"""A second turn for replies that are not read: what is asked, what it changes, and that nothing is asked twice."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from threading import Event

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.registry import declared, resolve
from lm_eval_tasks.hulu.corpora import CORPORA
from tests.each import each
from tests.fakes.chat_server import ChatServer
from tests.fakes.tiny_model import END, START
from tests.harness.runs import TIMEOUT_S, finish, metrics, results, samples, start

TASK = "openhueval_huproverbrea_2cq"
ONE_OF = "Now give only the answer, without an explanation, one of these: 1 | 2"
UNREAD = "Szép közmondás, sokan ismerik."
COLUMNS = ("acc_asked", "parse_rate_asked", "asked_rate")


def arguments(server, folder, *more, concurrent=2, retries=1, limit=8):
    model = f"model=m,base_url={server.url},num_concurrent={concurrent},max_retries={retries}"
    common = ("--model", "local-chat-completions", "--apply_chat_template", "--tasks", TASK, "--output_path", folder)
    return ("run", *common, "--model_args", model, "--limit", limit, "--ask-again", *more)


def is_second(body):
    return len(body["messages"]) == 3


def scored_again(cli, folder, again):
    assert cli("score", folder, "--output", again).status == 0
    return json.loads((again / "results.json").read_text(encoding="utf-8"))


class Model:
    """Answers by the number of the request's item, in the order in which the items come first."""

    def __init__(self, first, second):
        self.first, self.second, self.items = first, second, {}

    def __call__(self, body):
        prompt = body["messages"][0]["content"]
        place = self.items.setdefault(prompt, len(self.items))
        return (self.second if is_second(body) else self.first)[place]


# Items come in pairs, a proverb in both orders, of which the first has option 1 as the right one.
FIRST = ["1", UNREAD, UNREAD, "2", "", UNREAD, UNREAD, UNREAD]
SECOND = ["?", "2", '{"answer": "1"}', "?", "?", "", "Erre nem válaszolok.", "A kutya ugat, a karaván halad."]


def test_unread_replies_are_asked_for_again_and_counted_beside_the_scores(cli, tmp_path):
    with ChatServer(Model(FIRST, SECOND)) as server:
        outcome = cli(*arguments(server, tmp_path / "live", concurrent=1))
    assert outcome.status == 0, outcome.err
    told = "hueval: --ask-again: 5 of 8 replies are asked for again, with at most 64 tokens each, 320 in all."
    assert told in outcome.complaints
    second = [body for body in server.requests if is_second(body)]
    assert len(server.requests) == 8 + 5 and server.requests[8:] == second, "after all first turns"
    for body in second:
        assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
        assert [message["content"] for message in body["messages"][1:]] == [UNREAD, ONE_OF]
        assert (body["max_tokens"], body["temperature"]) == (64, 0)
        assert body["response_format"]["json_schema"]["schema"]["properties"]["answer"]["enum"] == ["1", "2"]

    live = metrics(tmp_path / "live")[TASK]
    # Without the second turn no proverb is right in both orders; with it the first two are, 4 of 8 replies are read.
    assert (live["acc"], live["parse_rate"], live["truncated_rate"]) == (0, 25, 12.5)
    assert [live[name] for name in COLUMNS] == [50, 50, 25]
    recorded = results(tmp_path / "live")
    assert "|ask:1" in recorded["configs"][TASK]["metadata"]["provenance"]["signature"]
    assert recorded["intervals"][TASK].keys() >= {"acc_asked", "parse_rate_asked"}

    rows = samples(tmp_path / "live", TASK)
    assert [row.get("second_turn", {}).get("reply") for row in rows] == [
        None if first != UNREAD else second for first, second in zip(FIRST, SECOND, strict=True)
    ]
    assert json.loads(rows[1]["second_turn"]["prompt"]) == second[0]["messages"]
    strings = [json.loads(row["filtered_resps"][0]) for row in rows]
    assert [one.get("second") for one in strings] == [row.get("second_turn", {}).get("reply") for row in rows]
    assert strings[0] == {"response": "1", "truncated": False, "verdict": None}

    again = scored_again(cli, tmp_path / "live", tmp_path / "again")[TASK]
    assert {name: again[name] for name in live} == live
    assert "|ask:1" in again["signature"]
    items = [json.loads(line) for line in (tmp_path / "again" / "items.jsonl").read_text("utf-8").splitlines()]
    assert [item["values"]["asked_rate"] for item in items] == [0, 1, 1, 0, 0, 0, 0, 0]
    assert [item["answer"] for item in items] == [1, None, None, 2, None, None, None, None], "strict answers stay"


def test_a_second_turn_is_read_anew_from_its_raw_reply(cli, tmp_path):
    """Samples whose filtered strings were made without it, as by a pipeline of another version."""
    with ChatServer(Model(FIRST, SECOND)) as server:
        assert cli(*arguments(server, tmp_path / "live", concurrent=1)).status == 0
    (file,) = (tmp_path / "live").rglob("samples_*.jsonl")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for row in rows:
        string = json.loads(row["filtered_resps"][0])
        string.pop("second", None)
        row["filtered_resps"] = [json.dumps(string)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    again = scored_again(cli, tmp_path / "live", tmp_path / "again")[TASK]
    assert [again[name] for name in COLUMNS] == [50, 50, 25]


def test_a_run_that_reads_every_reply_has_the_columns_all_the_same(cli, tmp_path):
    with ChatServer(lambda body: "1") as server:
        outcome = cli(*arguments(server, tmp_path / "live"))
    assert "hueval: --ask-again: 0 of 8 replies are asked for again" in outcome.err
    live = metrics(tmp_path / "live")[TASK]
    assert [live[name] for name in COLUMNS] == [live["acc"], 100, 0]
    again = scored_again(cli, tmp_path / "live", tmp_path / "again")[TASK]
    assert [again[name] for name in COLUMNS] == [live["acc"], 100, 0]
    assert not any("second" in row["filtered_resps"][0] for row in samples(tmp_path / "live", TASK))


def test_a_server_without_guided_decoding_is_asked_once_with_it_and_then_without(cli, tmp_path):
    with ChatServer(Model(FIRST, SECOND), refuses="response_format") as server:
        outcome = cli(*arguments(server, tmp_path, concurrent=4))
    assert outcome.status == 0, outcome.err
    second = [body for body in server.requests if is_second(body)]
    assert [("response_format" in body) for body in second] == [True] + [False] * 5
    assert all("hueval_form" not in body for body in server.requests)
    assert metrics(tmp_path)[TASK]["asked_rate"] == 25


def test_a_second_turn_that_the_server_does_not_take_loses_no_run(cli, tmp_path):
    """As where prompt and reply fill the model's context."""

    def reply(body):
        if not is_second(body):
            return UNREAD
        if body["messages"][0]["content"] == server.requests[0]["messages"][0]["content"]:
            raise ValueError("This model's maximum context length is 4096 tokens")
        return "1"

    with ChatServer(reply) as server:
        outcome = cli(*arguments(server, tmp_path, limit=4, concurrent=1))
        assert outcome.status == 0, outcome.err
        asked = len(server.requests)
        assert cli(*arguments(server, tmp_path / "again", limit=4, concurrent=1)).status == 0
        assert len(server.requests) == asked, "nor is it asked again"
    assert sum("does not take a second turn (HTTP 400)" in line for line in outcome.complaints) == 1
    assert metrics(tmp_path / "again")[TASK]["asked_rate"] == 75


@pytest.mark.process
def test_killed_between_the_turns(cli, tmp_path):
    """As a time limit does: no handler runs. What was answered, in either turn, is not asked for again."""
    hangs, counts = Event(), Counter()

    def reply(body):
        turn = is_second(body), body["messages"][0]["content"]
        counts[turn] += 1
        if turn[0] and sum(number for (second, _), number in counts.items() if second) == 3 and not hangs.is_set():
            counts[turn] -= 1  # not answered
            hangs.set()
            time.sleep(TIMEOUT_S)
        return "2" if turn[0] else UNREAD

    with ChatServer(reply) as server:
        command = arguments(server, tmp_path, concurrent=1)
        process = start([sys.executable, "-m", "hueval_metrics", *command])
        try:
            assert hangs.wait(TIMEOUT_S)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
        assert finish(process).status == -signal.SIGKILL
        whole = cli(*command)
    assert whole.status == 0, whole.err
    assert "hueval: 8 answers are kept from before, 0 are left to generate." in whole.complaints
    assert "hueval: 2 answers are kept from before, 6 are left to generate." in whole.complaints
    assert set(counts.values()) == {1}
    assert metrics(tmp_path)[TASK]["asked_rate"] == 100


@pytest.mark.parametrize("is_chat", [False, True], ids=["base model", "chat template"])
def test_a_model_of_hugging_face(cli, tiny_model, tmp_path, is_chat):
    chat = ("--apply_chat_template",) * is_chat
    task = "hulugen_huwnli"
    common = ("--model", "hf", "--tasks", task, "--output_path", tmp_path / "live", "--ask-again", "--device", "cpu")
    small = ("--limit", 2, "--gen_kwargs", "max_gen_toks=8,temperature=0.7,do_sample=true", "--batch_size", 2)
    outcome = cli("run", *common, *small, "--model_args", f"pretrained={tiny_model}", *chat)
    assert outcome.status == 0, outcome.err
    assert "hueval: --ask-again: 2 of 2 replies are asked for again" in outcome.err
    asked = "Most csak a választ add meg, magyarázat nélkül, ezek egyikét: igen | nem"
    end = f"{END}\n{START}user\n{asked}{END}\n{START}assistant\n" if is_chat else f"\n\n{asked}\nVálasz:"
    for row in samples(tmp_path / "live", task):
        prompt = row["arguments"]["gen_args_0"]["arg_0"]
        assert row["second_turn"]["prompt"] == f"{prompt}{row['resps'][0][0]}{end}"
    live = {
        key.split(",")[0]: value
        for key, value in results(tmp_path / "live")["results"][task].items()
        if key.endswith(",response") and "_stderr" not in key
    }
    assert {"acc_asked", "parse_rate_asked", "asked_rate"} <= live.keys()
    again = scored_again(cli, tmp_path / "live", tmp_path / "again")[task]
    assert {name: again[name] for name in live} == live


def test_a_template_that_begins_with_a_trace_is_closed():
    """64 tokens would end inside it."""
    from hueval_metrics.harness.second_turn import _after_reply

    class Thinker:
        def apply_chat_template(self, messages):
            return "".join(f"<{one['role']}>{one['content']}</s>" for one in messages) + "<assistant><think>\n"

    assert _after_reply(Thinker(), "Most?") == "</s><user>Most?</s><assistant><think>\n\n</think>\n\n"


def test_tasks_without_a_reader_are_refused_before_a_model_is_loaded(cli, tmp_path):
    tasks = "hulu_huwnli,openhueval_huproverbrea_oe"
    outcome = cli("run", "--model", "hf", "--model_args", "pretrained=a/b", "--tasks", tasks, "--ask-again")
    assert outcome.status == 1
    assert outcome.complaints[-1].startswith("hueval: --ask-again: none of the tasks has replies that are read by rule")


@each("task", ["openhueval_huproverbrea_2cq", "hkmmlu_dentistry", *(f"hulugen_{name}" for name in CORPORA)])
def test_an_answer_in_the_form_that_is_asked_for_is_read(task):
    """Each choice, alone and as guided decoding writes it, is that choice, and is told from the others."""
    docs, _ = documents(task)
    read, form = resolve(declared(task).reading), declared(task).form
    for doc in docs[:2]:
        plain = [read(doc, choice).value for choice in form]
        assert None not in plain and len(set(plain)) == len(form)
        assert [read(doc, json.dumps({"answer": choice}, ensure_ascii=False)).value for choice in form] == plain
        assert not read(doc, " | ".join(form)).is_answered, "the form itself is no answer"

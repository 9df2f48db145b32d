"""A model behind a chat API: what reaches the server, what is scored, what is kept."""

from __future__ import annotations

import json
import re
import sys
import time
from threading import Event

import pytest

from tests.fakes.chat_server import ChatServer
from tests.harness.runs import TIMEOUT_S, finish, hueval, metrics, results, samples, start

pytest.importorskip("tenacity", reason="needs the api extra")

TASK = "openhueval_huproverbrea_2cq"
TRACE = "<think>\nTalán 1, talán 2. Döntsünk: 1.\n</think>\n\n"


def gold(prompt):
    from hueval_metrics.loader import documents
    from lm_eval_tasks.openhueval.templates import prompt as prompt_of

    docs, _ = documents("openhueval_huproverbrea_2cq")
    return next(doc["correct_option"] for doc in docs if prompt_of(doc) == prompt)


def arguments(server, folder, *more, concurrent=2):
    model = f"model=m,base_url={server.url},num_concurrent={concurrent},max_retries=1"
    common = ("--model", "local-chat-completions", "--apply_chat_template", "--tasks", TASK, "--output_path", folder)
    return ("run", *common, "--model_args", model, *more)


def test_settings_reach_the_server_and_the_trace_stays_out_of_the_score(cli, tmp_path):
    gen_kwargs = '{"chat_template_kwargs": {"enable_thinking": false}, "max_gen_toks": 64}'
    with ChatServer(lambda body: f"{TRACE}{gold(body['messages'][-1]['content'])}") as server:
        outcome = cli(*arguments(server, tmp_path, "--gen_kwargs", gen_kwargs))
    assert outcome.status == 0, outcome.err
    assert len(server.requests) == 28
    for body in server.requests:
        assert body["chat_template_kwargs"] == {"enable_thinking": False}
        assert body["model"] == "m"
        assert body["max_tokens"] == 64
        assert body["temperature"] == 0
        assert [message["role"] for message in body["messages"]] == ["user"]
    assert metrics(tmp_path)[TASK]["acc"] == 100
    for row in samples(tmp_path, TASK):
        assert row["resps"] == [[f"{TRACE}{row['target']}"]]
        assert json.loads(row["filtered_resps"][0])["response"] == row["target"]
    signature = results(tmp_path)["configs"][TASK]["metadata"]["provenance"]["signature"]
    assert re.search(r"\|data:[0-9a-f]{12}\|q:hu\|prompt:en-[0-9a-f]{8}\|sample:yes\|", signature)


def test_an_empty_reply_counts_as_truncated(cli, tmp_path):
    """A server whose reasoning parser took everything sends no content."""
    with ChatServer(lambda body: None) as server:
        assert cli(*arguments(server, tmp_path, "--limit", "4")).status == 0
    scores = metrics(tmp_path)[TASK]
    assert scores["truncated_rate"] == 100
    assert scores["parse_rate"] == scores["acc"] == 0


def test_half_a_surrogate_pair_in_a_reply_ends_no_run(cli, tmp_path):
    reply = "1 \ud83d"
    with ChatServer(lambda body: reply) as server:
        for folder in ("again", "live"):
            outcome = cli(*arguments(server, tmp_path / folder, "--limit", "4"))
            assert outcome.status == 0, outcome.err
        assert len(server.requests) == 4
    assert [row["resps"] for row in samples(tmp_path / "live", TASK)] == [[[reply]]] * 4
    assert cli("score", tmp_path / "live", "--output", tmp_path / "scored").status == 0
    scored = json.loads((tmp_path / "scored" / "results.json").read_text(encoding="utf-8"))[TASK]
    assert scored["acc_single"] == metrics(tmp_path / "live")[TASK]["acc_single"]


def test_replies_tell_where_the_template_of_a_server_opens_the_trace(cli, tmp_path):
    """Most close a trace, one opens its own, the others were cut; live as rescored."""
    texts = iter(["Az 1 vagy a 2?</think>1"] * 16 + ["<think>Lássuk.</think>1"] + ["Talán az 1, mert"] * 11)
    with ChatServer(lambda body: next(texts)) as server:
        assert cli(*arguments(server, tmp_path / "live")).status == 0
    assert results(tmp_path / "live")["template_opens"] == {TASK: None}
    assert metrics(tmp_path / "live")[TASK]["truncated_rate"] == pytest.approx(100 * 11 / 28)
    assert cli("score", tmp_path / "live", "--output", tmp_path / "again").status == 0
    again = json.loads((tmp_path / "again" / "results.json").read_text(encoding="utf-8"))[TASK]
    assert again["truncated_rate"] == metrics(tmp_path / "live")[TASK]["truncated_rate"]


@pytest.mark.parametrize("concurrent", [1, 4])
def test_the_same_command_again_asks_nothing(cli, tmp_path, concurrent):
    with ChatServer(lambda body: "1") as server:
        assert cli(*arguments(server, tmp_path / "a", "--limit", "4", concurrent=concurrent)).status == 0
        assert len(server.requests) == 4
        again = cli(*arguments(server, tmp_path / "b", "--limit", "4", concurrent=concurrent))
        assert len(server.requests) == 4
    assert "hueval: 4 answers are kept from before, 0 are left to generate." in again.complaints
    assert metrics(tmp_path / "a") == metrics(tmp_path / "b")


@pytest.mark.parametrize("concurrent", [1, 2])
def test_a_server_that_fails_midway_loses_nothing(cli, tmp_path, concurrent):
    served, fails_after = [], [5]

    def reply(body):
        served.append(body)
        if len(served) > fails_after[0]:
            raise ConnectionError
        return "1"

    with ChatServer(reply) as server:
        command = arguments(server, tmp_path, "--limit", "12", concurrent=concurrent)
        stopped = cli(*command)
        kept = int(re.search(r"(\d+) answers are kept in ", stopped.complaints[-1])[1])
        fails_after[0] = 1000
        whole = cli(*command)
    assert stopped.status == 1
    assert "Traceback" not in stopped.err
    assert stopped.complaints[-1].startswith(f"hueval: {server.url}: the model's server cannot be reached, or stopped")
    assert str(tmp_path / "cache" / "generations") in stopped.complaints[-1]
    assert 1 <= kept <= 5
    assert whole.status == 0
    assert f"hueval: {kept} answers are kept from before, {12 - kept} are left to generate." in whole.complaints


@pytest.mark.process
def test_killed_between_answers(cli, tmp_path):
    """As a time limit does: no handler runs, yet each answer that came is on disk."""
    served, asked = Event(), []

    def reply(body):
        asked.append(body["messages"][-1]["content"])
        if len(asked) == 6:
            served.set()
            time.sleep(60)
        return "2"

    with ChatServer(reply) as server:
        command = arguments(server, tmp_path / "out", "--limit", "8", concurrent=1)
        process = start([sys.executable, "-m", "hueval_metrics", *command])
        assert served.wait(TIMEOUT_S)
        process.kill()
        assert finish(process).status == -9
        before, asked[:] = asked[:5], [""] * 6
        assert cli(*command).status == 0
        rest = asked[6:]
        assert cli(*arguments(server, tmp_path / "whole", "--limit", "8", "--seed", 7)).status == 0
    assert len(rest) == 3 and not set(rest) & set(before)
    assert metrics(tmp_path / "out") == metrics(tmp_path / "whole")


@pytest.mark.parametrize("concurrent", [1, 2])
def test_no_empty_list_of_stops_reaches_the_server(cli, tmp_path, concurrent):
    """The server refuses one, as some do; lm-eval makes it of a task's `until: []`."""
    with ChatServer(lambda body: "1") as server:
        assert cli(*arguments(server, tmp_path, "--limit", 2, concurrent=concurrent)).status == 0
        stop = ("--gen_kwargs", '{"until": ["###"]}')
        assert cli(*arguments(server, tmp_path, "--limit", 2, *stop, concurrent=concurrent)).status == 0
    assert [body.get("stop") for body in server.requests] == [None, None, ["###"], ["###"]]


def test_no_empty_list_of_stops_reaches_a_completions_server(cli, tmp_path):
    with ChatServer(lambda body: "1") as server:
        url = server.url.replace("/chat", "")
        model_args = f"model=m,base_url={url},tokenizer_backend=None,max_retries=1"
        model = ("--model", "local-completions", "--model_args", model_args)
        outcome = cli("run", *model, "--tasks", TASK, "--limit", 2, "--output_path", tmp_path)
    assert outcome.status == 0, outcome.err
    assert ["stop" in body for body in server.requests] == [False, False]


@pytest.mark.parametrize("concurrent", [1, 2])
def test_an_address_without_its_path_is_named(cli, tmp_path, concurrent):
    with ChatServer(lambda body: "1") as server:
        call = arguments(server, tmp_path, "--limit", 2, concurrent=concurrent)
        outcome = cli(*(str(part).replace("/chat/completions", "") for part in call))
    assert outcome.status == 1
    assert "Traceback" not in outcome.err
    address = server.url.removesuffix("/chat/completions")
    assert outcome.complaints[-1].startswith(f"hueval: {address}: the model's server answers HTTP 404 (")
    assert outcome.complaints[-1].endswith("base_url is the whole address, such as http://HOST/v1/chat/completions.")


@pytest.mark.process
@pytest.mark.parametrize("concurrent", [1, 4])
def test_the_key_is_in_no_message_about_a_failure(tmp_path, concurrent):
    with ChatServer(lambda body: "1") as server:
        model = f"model=m,base_url={server.url.removesuffix('/completions')},num_concurrent={concurrent},max_retries=1"
        outcome = hueval(
            *("run", "--model", "local-chat-completions", "--model_args", model, "--apply_chat_template"),
            *("--tasks", "openhueval_huproverbrea_2cq", "--limit", 2, "--output_path", tmp_path),
            OPENAI_API_KEY="sk-canary-7f3a",
        )
    assert outcome.status == 1
    assert "404" in outcome.err
    assert "canary" not in outcome.out + outcome.err

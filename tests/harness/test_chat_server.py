"""A model behind a chat API: what reaches the server, what is scored, what is kept."""

from __future__ import annotations

import json
import re

import pytest
import requests

from tests.fakes.chat_server import ChatServer
from tests.harness.runs import metrics, results, samples

pytest.importorskip("tenacity", reason="needs the api extra")

TASK = "openhueval_huproverbrea_2cq"
TRACE = "<think>\nTalán 1, talán 2. Döntsünk: 1.\n</think>\n\n"


def gold(prompt):
    from lm_eval_tasks.openhueval.utils import documents
    from lm_eval_tasks.openhueval.utils import prompt as prompt_of

    docs, _ = documents(name="huproverbrea_2cq")
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


def test_the_same_command_again_asks_nothing(cli, tmp_path):
    with ChatServer(lambda body: "1") as server:
        assert cli(*arguments(server, tmp_path / "a", "--limit", "4")).status == 0
        assert len(server.requests) == 4
        again = cli(*arguments(server, tmp_path / "b", "--limit", "4"))
        assert len(server.requests) == 4
        assert "Cached requests: 4, Requests remaining: 0" in again.err
    assert metrics(tmp_path / "a") == metrics(tmp_path / "b")


def test_a_server_that_fails_midway_loses_nothing(cli, capsys, tmp_path):
    served = []

    def reply(body):
        served.append(body)
        if len(served) == 4:
            raise ConnectionError
        return "1"

    with ChatServer(reply) as server:
        command = arguments(server, tmp_path, "--limit", "6", concurrent=1)
        with pytest.raises(requests.RequestException):
            cli(*command)
        kept = [line for line in capsys.readouterr().err.splitlines() if line.startswith("hueval: what was generated")]
        whole = cli(*command)
    assert len(kept) == 1
    assert str(tmp_path / "cache" / "generations") in kept[0]
    assert whole.status == 0
    assert "Cached requests: 3, Requests remaining: 3" in whole.err

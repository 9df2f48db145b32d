"""From a model to the page: `hueval run`, `hueval traces` and `hueval report`, with a judge on the loopback."""

from __future__ import annotations

import json
import sys
from threading import Event

import pytest

from tests.fakes.chat_server import ChatServer
from tests.fakes.judge_server import Answer, FakeJudge
from tests.fakes.thought_judge import judge, step_of
from tests.fakes.tiny_model import build
from tests.harness.runs import TIMEOUT_S, cli, finish, on_the_sample, start  # noqa: F401  fixtures

TASK = "openhueval_husimpleqa"
TRACE = "Talán a cs? De nem, az a dzs. Várjunk, ez biztos?"
STEPS = ("--steps", "free,thoughts")


@pytest.fixture
def asks(monkeypatch):
    """Has the environment name a judge."""

    def of(url):
        for name, value in (("", "openai"), ("_BASE_URL", url), ("_MODEL", "toy-judge"), ("_CONCURRENCY", "1")):
            monkeypatch.setenv(f"HUEVAL_JUDGE{name}", value)

    return of


def chat(body):
    trace = f"{TRACE} {len(body['messages'][-1]['content'])}"  # no two are the same
    message = {"role": "assistant", "content": "dzs", "reasoning_content": trace}
    usage = {"completion_tokens_details": {"reasoning_tokens": 17}}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}


def run_chat(cli, folder, limit=3):  # noqa: F811
    """A run of a model behind a server with a reasoning parser."""
    with ChatServer(chat) as server:
        model = f"model=m,base_url={server.url},num_concurrent=1"
        common = ("--apply_chat_template", "--tasks", TASK, "--output_path", folder, "--limit", limit)
        outcome = cli("run", "--model", "local-chat-completions", "--model_args", model, *common)
    assert outcome.status == 0, outcome.err


def page_of(cli, folder):  # noqa: F811
    """The page of a run and its analysis."""
    outcome = cli("report", folder / "run", folder / "traces", "--output", folder / "page.html")
    assert outcome.status == 0, outcome.err
    return (folder / "page.html").read_text(encoding="utf-8")


def rows_of(folder):
    return [json.loads(line) for line in (folder / "traces.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_model_whose_template_opens_the_trace(cli, tmp_path, asks):  # noqa: F811
    pytest.importorskip("transformers", reason="needs the hf extra")
    pytest.importorskip("torch", reason="needs the hf extra").set_num_threads(1)
    args = json.dumps({"pretrained": str(build(tmp_path / "tiny")), "chat_template_args": {"enable_thinking": True}})
    small = ("--limit", 2, "--gen_kwargs", "max_gen_toks=24", "--batch_size", 2, "--device", "cpu")
    common = ("--apply_chat_template", "--tasks", TASK, "--output_path", tmp_path / "run")
    ran = cli("run", "--model", "hf", "--model_args", args, *common, *small)
    assert ran.status == 0, ran.err
    with FakeJudge(judge) as server:
        asks(server.url)
        outcome = cli("traces", tmp_path / "run", *STEPS, "--output", tmp_path / "traces")
    assert outcome.status == 0, outcome.err
    for row in rows_of(tmp_path / "traces"):
        assert row["truncated"] and len(row["blocks"]) == 1  # it opened in the prompt and was cut: a trace all the same
        assert 0 < row["tokens"] <= row["tokens_ref"]
        assert row["thoughts"]["starts"][0] == 0
    assert '<h2 id="reasoning">' in page_of(cli, tmp_path)


def test_a_server_that_sends_the_trace_beside_the_content(cli, tmp_path, asks):  # noqa: F811
    run_chat(cli, tmp_path / "run")
    with FakeJudge(judge) as server:
        asks(server.url)
        outcome = cli("traces", tmp_path / "run", *STEPS, "--output", tmp_path / "traces")
        assert outcome.status == 0, outcome.err
        asked = len(server.requests)
        assert cli("traces", tmp_path / "run", *STEPS, "--output", tmp_path / "again").status == 0
        assert len(server.requests) == asked
    rows = rows_of(tmp_path / "traces")
    assert rows == rows_of(tmp_path / "again")
    assert [row["thoughts"]["words"] for row in rows] == [[None, "De", "Várjunk"]] * 3
    assert rows[0]["thoughts"]["scores"] == [0, 2, 0]  # of the question whose answer is dzs
    assert [row["reasoning_tokens"] for row in rows] == [17] * 3  # as the server counted
    assert asked == 3 * (2 + 3)
    assert '<h2 id="reasoning">' in page_of(cli, tmp_path)
    assert "hueval: In all 9 to 18 calls; what is in the cache costs nothing." in outcome.err


def test_a_dry_run_asks_nobody_and_writes_nothing(cli, tmp_path, asks):  # noqa: F811
    run_chat(cli, tmp_path / "run")
    with FakeJudge(judge) as server:
        asks(server.url)
        outcome = cli("traces", tmp_path / "run", *STEPS, "--output", tmp_path / "traces", "--dry-run")
        assert server.requests == []
    assert outcome.status == 0, outcome.err
    first, *_, last = outcome.out.splitlines()
    assert first.startswith("thought_expressions/2: 3 calls to toy-judge, about ")
    assert last.startswith("In all ")
    assert not (tmp_path / "traces").exists()


def test_a_price_needs_neither_key_nor_judge(cli, tmp_path, monkeypatch):  # noqa: F811
    run_chat(cli, tmp_path / "run")
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    outcome = cli("traces", tmp_path / "run", *STEPS, "--dry-run")
    assert outcome.status == 0, outcome.err
    assert "thought_score/2: 3 to 12 calls to gpt-4o-2024-11-20" in outcome.out


@pytest.mark.process
def test_killed_while_thoughts_are_scored(cli, tmp_path, asks):  # noqa: F811
    run_chat(cli, tmp_path / "run")
    scored, reached, is_stuck = [], Event(), [True]

    def answer(request, number):
        if step_of(request) == "thought":
            scored.append(request)
            if len(scored) == 5 and is_stuck[0]:
                reached.set()
                return Answer(fault="hang")
        return judge(request, number)

    command = ("traces", tmp_path / "run", *STEPS, "--output", tmp_path / "traces")
    with FakeJudge(answer) as server:
        asks(server.url)
        process = start([sys.executable, "-m", "hueval_metrics", *command])
        assert reached.wait(TIMEOUT_S)
        process.kill()
        assert finish(process).status == -9
        assert not (tmp_path / "traces" / "traces.json").exists()
        is_stuck[0], before = False, len(server.requests)
        assert before == 2 * 3 + 5
        outcome = cli(*command)
        assert outcome.status == 0, outcome.err
        assert len(server.requests) - before == 9 - 4  # what was answered is not asked again
    assert [len(row["thoughts"]["scores"]) for row in rows_of(tmp_path / "traces")] == [3, 3, 3]

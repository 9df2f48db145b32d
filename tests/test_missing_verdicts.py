"""How a judge's server fails × how many verdicts are missing → exit status, and what is asked for again.

The expected values are the table of docs/tutorials/judging.md.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from threading import Lock

import pytest

from tests.fakes.judge_server import Answer, FakeJudge, refuse
from tests.harness.runs import hueval_here
from tests.scoring.conftest import sample, write_lines

TASK = "openhueval_husimpleqa"
N = 18  # items of the packaged sample
SHARES = (1, 16, 18)
PAGE = Path(__file__).parents[1] / "docs" / "tutorials" / "judging.md"
NUMBERS = re.compile(r"asked again by `hueval score` on the samples: (\d+); asked again only with --ask-final: (\d+)")


def message(**parts):
    """A completion without text."""
    choice = {"message": {"role": "assistant", "content": None} | parts, "finish_reason": "stop"}
    return Answer(body=json.dumps({"choices": [choice]}).encode())


CALL = {"id": "1", "type": "function", "function": {"name": "rate", "arguments": "{}"}}
DIALECTS = {  # what the server does → its answer, and further settings
    "HTTP 400, content filter": (refuse(400, "The prompt was filtered", code="content_filter", param="prompt"), {}),
    "HTTP 400, another reason": (refuse(400, "Invalid request"), {}),
    "`refusal`": (message(refusal="I cannot"), {}),
    "`finish_reason: content_filter`": (Answer("", finish_reason="content_filter"), {}),
    "a tool call": (message(tool_calls=[CALL]), {}),
    "text in `reasoning_content` alone": (message(reasoning_content="CORRECT"), {}),
    "text that no verdict can be read from": ("Well, well.", {}),
    "cut off at every length": (Answer("Let me see", finish_reason="length"), {}),
    "HTTP 429 for ever": (refuse(429, "slow down"), {"HUEVAL_JUDGE_SILENCE_S": "1", "HUEVAL_JUDGE_TIMEOUT_S": "1"}),
    "HTTP 500 until the deadline": (refuse(500, "out of order"), {"HUEVAL_JUDGE_DEADLINE_S": "3"}),
}


def server(answer, count):
    """A judge that gives this answer about the last items, so many, whenever it is asked about them."""
    passing, lock = set(), Lock()

    def reply(request, _):
        item = next(part["content"] for part in request["messages"] if part["role"] == "user")
        with lock:
            if len(passing) < N - count:
                passing.add(item)
        return '{"evaluation": "CORRECT"}' if item in passing else answer

    return FakeJudge(reply)


def scored(folder, judge, *options, **variables):
    """Status, results, the two numbers (None where none are printed) and standard error of `hueval score`."""
    rows = [{"qid": doc["qid"], "prediction": "Nem tudom."} for doc in sample("husimpleqa")]
    path = write_lines(folder / "answers.jsonl", rows)
    variables |= {"HUEVAL_JUDGE_BASE_URL": judge.url}
    done = hueval_here("score", path, "--task", TASK, "--output", folder / "out", *options, **variables)
    found = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))[TASK]
    numbers = NUMBERS.search(" ".join(done.err.split()))
    return done.status, found, numbers and tuple(map(int, numbers.groups())), done.err


@pytest.fixture(autouse=True)
def on_the_sample(clean_environment, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")


def table():
    """Dialect → share missing → what the page says, such as `3 (0 + 16)`."""
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if name in DIALECTS:
            found[name] = dict(zip(SHARES, cells, strict=True))
    return found


def test_the_page_has_every_dialect():
    assert list(table()) == list(DIALECTS)


@pytest.mark.usefixtures("virtual_clock")
@pytest.mark.parametrize("count", SHARES)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_status_and_the_two_numbers(tmp_path, dialect, count):
    answer, variables = DIALECTS[dialect]
    with server(answer, count) as judge:
        status, results, numbers, err = scored(tmp_path, judge, **variables)
    assert (status, results["n_without_verdict"], sum(numbers)) == (3, count, count)
    assert results["n_unanswered"] == numbers[0]
    assert f"{count} of {N} verdicts are missing" in err
    assert table()[dialect][count] == f"{status} ({numbers[0]} + {numbers[1]})"


@pytest.mark.parametrize(
    ("share", "status"), [("0", 3), ("0.05", 3), ("0.06", 0), ("1", 0), ("1.1", 2), ("-0.1", 2), ("x", 2)]
)
def test_a_share_may_be_missing(tmp_path, share, status):
    """One of 18 is 5.6 %."""
    with server("Well, well.", 1) as judge:
        scored(tmp_path, judge)
        assert (
            hueval_here(
                *("score", tmp_path / "answers.jsonl", "--task", TASK, "--output", tmp_path / "out"),
                *(f"--allow-missing={share}",),
                HUEVAL_JUDGE_BASE_URL=judge.url,
            ).status
            == status
        )


@pytest.mark.usefixtures("virtual_clock")
@pytest.mark.parametrize("dialect", ["HTTP 400, content filter", "`refusal`", "text that no verdict can be read from"])
def test_final_ones_are_asked_again_only_with_the_option(tmp_path, dialect):
    with server(DIALECTS[dialect][0], 5) as judge:
        first = scored(tmp_path, judge)
        asked = len(judge.requests)
        again = scored(tmp_path, judge)
        assert len(judge.requests) == asked
    assert first[0] == again[0] == 3
    assert first[2] == again[2] == (0, 5)
    with server(None, 0) as judge:  # it has come to its senses
        assert scored(tmp_path, judge)[:1] == (3,)
        assert judge.requests == []
        status, results, numbers, _ = scored(tmp_path, judge, "--ask-final")
        assert (status, results["judge_coverage"], numbers, len(judge.requests)) == (0, 100.0, None, 5)
        assert scored(tmp_path, judge)[0] == 0


def test_with_the_option_the_same_command_asks_again(tmp_path):
    with server("Well, well.", 5) as judge:
        assert scored(tmp_path, judge, "--ask-final")[2] == (5, 0)


def test_a_live_run_takes_the_options(tmp_path):
    arguments = ("run", "--model", "hueval-baseline", "--model_args", "policy=first", "--tasks", TASK)
    with server("Well, well.", 1) as judge:
        for options, status in (((), 3), (("--allow-missing", "0.1"), 0)):
            folder = tmp_path / str(status)
            done = hueval_here(*arguments, "--output_path", folder, *options, HUEVAL_JUDGE_BASE_URL=judge.url)
            assert done.status == status, done.err
    with server(None, 0) as judge:
        done = hueval_here(*arguments, "--output_path", tmp_path, "--ask-final", HUEVAL_JUDGE_BASE_URL=judge.url)
        assert (done.status, len(judge.requests)) == (0, 1)


def test_what_nobody_was_asked_for_is_no_missing_verdict(tmp_path):
    """A panel of words cannot score advice."""
    from tests.scoring.conftest import plain

    path = write_lines(tmp_path / "answers.jsonl", plain("huwildbench", "openhueval_huwildbench"))
    for mode in ("lexical", "defer"):
        done = hueval_here("score", path, "--output", tmp_path / mode, HUEVAL_JUDGE=mode)
        found = json.loads((tmp_path / mode / "results.json").read_text(encoding="utf-8"))["openhueval_huwildbench"]
        assert (done.status, found["n_without_verdict"], "--ask-final" in done.err) == (0, 0, False)

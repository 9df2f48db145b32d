"""What the screen and the verdicts say that a judging took: all of it, and nothing twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from hueval_metrics.records import Usage
from tests.fakes.batch_server import FakeBatches, answer_row
from tests.fakes.judge_server import Answer, FakeJudge, even, install_toy_rubric, judge_all, settings_for, toy_items

PRICED = "gpt-4o-2024-11-20"  # $2.50 for a million tokens in, $10 out
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100}  # 0.0035 dollars


@pytest.fixture(autouse=True)
def toy():
    return install_toy_rubric()


def counting(request, _=0):
    return Answer(even(request), usage=USAGE)


def test_a_reply_from_the_cache_says_what_it_took_once_for_all_items_of_its_request(caplog):
    items = [*toy_items(3), *toy_items(3)]
    with FakeJudge(counting) as judge, caplog.at_level("INFO"):
        first = judge_all(items, "toy", settings_for(judge.url, model=PRICED))
        caplog.clear()
        again = judge_all(items, "toy", settings_for(judge.url, model=PRICED))
        assert len(judge.requests) == 3
    assert [verdict.cached for verdict in again] == [True] * 6
    took = [verdict.usage for verdict in again]
    assert took == [verdict.usage for verdict in first]
    assert took[3:] == [None] * 3 and [use.calls for use in took[:3]] == [1] * 3
    assert sum((use for use in took[:3]), Usage()).usd == pytest.approx(3 * 0.0035)
    assert "calls to" not in caplog.text  # nothing was paid now


@pytest.mark.parametrize("n", [12])
def test_an_unreadable_reply_of_a_batch_counts_among_the_three(n):
    """12 of 12 are unreadable: 36 requests, as in live mode."""

    def finish(lines):
        return "completed", [answer_row(line["custom_id"], "Hm.") for line in lines], []

    message = {"role": "assistant", "content": "Hm."}
    live = Answer(body=json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode())
    with FakeBatches(finish, lambda call, _: live if call == "POST /chat/completions" else None) as server:
        verdicts = judge_all(toy_items(n), "toy", settings_for(server.url, mode="batch"))
        assert sum(map(len, server.uploads)) + server.calls["POST /chat/completions"] == 3 * n
    assert [verdict.usage.calls for verdict in verdicts] == [3] * n
    with FakeJudge(lambda *_: "Hm.") as judge:  # what is final is kept, and asked again only by wish
        judge_all(toy_items(n), "toy", settings_for(judge.url, asks_final=True))
        assert len(judge.requests) == 3 * n


def test_a_panel_s_bill_is_that_of_all_members(caplog):
    with FakeJudge(counting) as judge, caplog.at_level("INFO"):
        judge_all(toy_items(4), "toy", settings_for(judge.url, model=PRICED, panel=(PRICED, "gpt-4o-mini", "own")))
        assert len(judge.requests) == 12
        caplog.clear()
        judge_all(toy_items(5), "toy", settings_for(judge.url, model=PRICED, panel=(PRICED, "gpt-4.1")))
        assert len(judge.requests) == 12 + 1 + 5
    (line,) = [line for line in caplog.messages if f"calls to {PRICED}+gpt-4.1" in line]
    # one call to gpt-4o: 0.0035; 5 to gpt-4.1 ($2 and $8): 5 * 0.0028
    assert line.startswith(f"toy: 6 calls to {PRICED}+gpt-4.1, 6 k tokens in, 600 out, $0.02; 4 cached, ")


@pytest.mark.process
def test_plain_lm_eval_shows_each_rank_s_bill():
    """As under torchrun: a process of its own, in which nobody has set up our loggers."""
    code = (
        "from tests.fakes.judge_server import install_toy_rubric; install_toy_rubric()\n"
        "from hueval_metrics.judge.lm_eval_filter import JudgeFilter\n"
        "from hueval_metrics.records import Filtered\n"
        "docs = [{'question': f'q{n}', 'answer': '1'} for n in range(4)]\n"
        "JudgeFilter('toy').apply([Filtered(str(n)).to_json() for n in range(4)], docs)\n"
    )
    with FakeJudge(counting) as judge:
        env = os.environ | {"HUEVAL_JUDGE_BASE_URL": judge.url, "WORLD_SIZE": "2", "RANK": "1"}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    line = f"hueval: toy/1 (rank 1 of 2): 4 calls to {PRICED}, 4 k tokens in, 400 out, $0.01; 0 cached"
    assert line in done.stderr

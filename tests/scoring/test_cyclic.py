"""`hueval score` by a cyclic panel: every way to a verdict gives an item to the same judge, and pays for it once."""

from __future__ import annotations

import json
from collections import Counter

from hueval_metrics.runs.results import flips_of
from hueval_metrics.runs.run import Flips
from hueval_metrics.scoring.judged import JudgePlan
from tests.fakes.judge_server import FakeJudge, refuse
from tests.scoring.conftest import sample
from tests.scoring.judged_runs import QA, asked, run_of, says, score, without_cache

JUDGES = {"a": 3, "b": 9, "c": 6}  # judge → its items of the packaged sample


def test_a_dead_judge_is_asked_again_for_its_items_and_nothing_is_paid_twice(tmp_path, ask, monkeypatch):
    def answer(request, number):
        return refuse(500, "down") if request.get("model") == "c" else says("CORRECT")(request, number)

    monkeypatch.setenv("HUEVAL_JUDGE_PANEL", "cyclic")
    path, out = run_of(tmp_path, [None]), tmp_path / "out"
    with FakeJudge(answer) as judge:
        ask(judge, "a,b,c")
        summary, items = score(path, out, JudgePlan())
    assert summary["n_unanswered"] == JUDGES["c"] and summary["correct"] == 100.0
    assert {item["verdict"]["judge"] for item in items} == {"a+b+c/cyclic"}
    by_judge = Counter(item["verdict"]["votes"][0]["judge"] for item in items)
    assert by_judge == JUDGES and by_judge.total() == len(sample(QA))
    without_cache(tmp_path)  # what is in items.jsonl is paid for all the same
    with FakeJudge(says("INCORRECT")) as judge:
        ask(judge, "c,b,a")  # the order decides nothing
        summary, again = score(path, out, JudgePlan())
        assert Counter(request["model"] for request in judge.requests if "messages" in request) == {"c": JUDGES["c"]}
        assert {name: use["calls"] for name, use in summary["judge"].items()} == JUDGES
        assert summary["incorrect"] == 100 * JUDGES["c"] / len(items)
        n = asked(judge)
        score(path, out, JudgePlan())
        assert asked(judge) == n
    votes = [item["verdict"]["votes"][0]["judge"] for item in items]
    assert [item["verdict"]["votes"][0]["judge"] for item in again] == votes


def test_what_changed_the_second_time_is_in_the_results(tmp_path, ask, monkeypatch):
    def answer(request, number):
        text = json.dumps(request.get("messages"))
        seen[text] += 1
        return says("CORRECT" if seen[text] == 1 else "INCORRECT")(request, number)

    seen = Counter()
    monkeypatch.setenv("HUEVAL_JUDGE_RECHECK", "0.999999")
    monkeypatch.setenv("HUEVAL_JUDGE_CONCURRENCY", "1")
    path, n = run_of(tmp_path, [None]), len(sample(QA))
    with FakeJudge(answer) as judge:
        ask(judge)
        summary, items = score(path, tmp_path / "out", JudgePlan())
        assert asked(judge) == 2 * n
    assert summary["correct"] == 100.0
    assert {(item["verdict"]["label"], item["verdict"]["again"]) for item in items} == {("CORRECT", "INCORRECT")}
    # 18 of 18, z² = 3.8415: 18 / (18 + 3.8415) = 0.8241
    assert summary["judge_flips"] == {"n": n, "flips": n, "ci95": [82.41, 100.0]}
    assert flips_of(summary) == Flips(18, 18, (82.41, 100.0))
    assert flips_of({"judge_flips": {"n": "x"}}) is flips_of({}) is None


def test_a_declared_panel_is_no_doubt_but_a_member_of_the_models_series_is():
    from hueval_metrics.scoring.flags import Facts, of_facts

    facts = Facts(n=10, coverage=100.0, judges=("gpt-4o+toy-3/cyclic",), model="org/toy-7b")
    assert [(one.kind, one.detail) for one in of_facts(facts)] == [
        ("judge", {"why": "series", "judges": ["toy-3"]}),
    ]

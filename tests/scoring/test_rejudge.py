"""`hueval score --rejudge`: another judge judges everything again, beside the verdicts that are there."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.judge.configured import asking_final
from hueval_metrics.judge.rubric import load_rubric, rubric_id
from hueval_metrics.scoring.judged import JudgePlan
from tests.fakes.judge_server import FakeJudge
from tests.scoring.conftest import sample, write_samples
from tests.scoring.judged_runs import QA, asked, run_of, says, score, verdict, without_cache


def test_another_judge_judges_everything_beside_the_first(tmp_path, ask):
    out = tmp_path / "out"
    path = run_of(tmp_path, [verdict()])
    with FakeJudge(says("INCORRECT")) as judge:
        ask(judge, "not this one")
        summary, items = score(path, out, JudgePlan(rejudge=("second",)))
        assert {request["model"] for request in judge.requests if "messages" in request} == {"second"}
    assert (summary["correct"], summary["incorrect"]) == (0.0, 100.0)
    assert set(summary["judge"]) == {"second"}
    assert {item["verdict"]["label"] for item in items} == {"INCORRECT"}
    assert [item["earlier_verdicts"] for item in items] == [[verdict()]] * len(items)

    with FakeJudge(says("NOT_ATTEMPTED")) as judge:
        ask(judge)
        _, items = score(path, out, JudgePlan(rejudge=("third",)))
    judges = [[v["judge"] for v in [*item["earlier_verdicts"], item["verdict"]]] for item in items]
    assert judges == [["first", "second", "third"]] * len(items)


def test_a_panel_judges_again(tmp_path, ask):
    path, count = run_of(tmp_path, [verdict()]), len(sample(QA))
    with FakeJudge(lambda r, n: json.dumps({"evaluation": {"a": "CORRECT"}.get(r["model"], "INCORRECT")})) as judge:
        ask(judge)
        summary, items = score(path, tmp_path / "out", JudgePlan(rejudge=("a", "b", "c")))
    assert {item["verdict"]["judge"] for item in items} == {"a+b+c"}
    assert summary["incorrect"] == 100.0
    assert set(summary["judge"]) == {"a", "b", "c"}
    agreement = summary["judge_agreement"]
    assert (agreement["judges"], agreement["n"], agreement["n_ties"]) == (3, count, 0)
    assert agreement["agreement"] == pytest.approx(100 / 3)
    assert items[0]["earlier_verdicts"] == [verdict()]


def test_the_same_verdict_again_is_not_repeated(tmp_path, ask):
    path, out = run_of(tmp_path, [None]), tmp_path / "out"
    with FakeJudge(says("CORRECT")) as judge:
        ask(judge)
        score(path, out, JudgePlan())
        _, items = score(path, out, JudgePlan(rejudge=("second",)))
    assert not any("earlier_verdicts" in item for item in items)


def test_a_judge_that_fails_loses_no_earlier_verdict(tmp_path, ask):
    out, count = tmp_path / "out", len(sample(QA))
    path = run_of(tmp_path, [verdict()])
    with FakeJudge(lambda request, number: "nothing that could be read") as judge:
        ask(judge)
        summary, items = score(path, out, JudgePlan(rejudge=("second",)))
    assert (summary["judge_coverage"], summary["correct"], summary["n_judge_errors"]) == (0.0, None, count)
    assert [item["earlier_verdicts"] for item in items] == [[verdict()]] * count

    with FakeJudge(says("INCORRECT")) as judge:
        ask(judge)
        summary, _ = score(path, out, JudgePlan(only_missing=True, rejudge=("second",)))
        assert (summary["n_unanswered"], summary["n_without_verdict"], len(judge.requests)) == (0, count, 0)
        with asking_final(True):
            summary, items = score(path, out, JudgePlan(only_missing=True, rejudge=("second",)))
    assert (summary["incorrect"], summary["n_without_verdict"]) == (100.0, 0)
    assert [item["earlier_verdicts"] for item in items] == [[verdict()]] * count


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        ({"error": "refused: HTTP 400", "raw": None}, 0),
        ({"error": "unreadable: no label", "raw": "Well."}, 0),
        ({"error": "no answer within 60 s (5 tries)", "raw": None}, 18),  # it may come
        ({"error": "refused: HTTP 400", "raw": None, "judge": "another"}, 18),
        ({"error": "refused: HTTP 400", "raw": None, "rubric": "husimpleqa/0"}, 18),
    ],
)
def test_what_the_judge_of_the_run_refused_for_good_is_not_asked_again(tmp_path, ask, known, asked):
    path = run_of(tmp_path, [verdict(None) | {"rubric": rubric_id(load_rubric(QA))} | known])
    with FakeJudge(says("CORRECT")) as judge:
        ask(judge, "first")
        summary, _ = score(path, tmp_path / "out", JudgePlan())
        assert (summary["n_without_verdict"], len(judge.requests)) == (18 - asked, asked)
        with asking_final(True):
            summary, _ = score(path, tmp_path / "out", JudgePlan())
    assert (summary["n_without_verdict"], len(judge.requests)) == (0, 18)


def test_a_rejudging_is_completed_by_naming_the_judge_again(tmp_path, ask, monkeypatch):
    """Its own verdicts stay, and nobody is asked: not even a judge that could be reached."""
    out, plan = tmp_path / "out", JudgePlan(only_missing=True, rejudge=("second",))
    path = run_of(tmp_path, [verdict()])
    with FakeJudge(says("INCORRECT")) as judge:
        ask(judge)
        before = score(path, out, JudgePlan(rejudge=("second",)))
        without_cache(tmp_path)
        count = asked(judge)
        assert score(path, out, plan) == before
        assert asked(judge) == count


def test_rule_tasks_are_not_judged_again(tmp_path, ask):
    path = write_samples(tmp_path, "humatchingfib")
    with FakeJudge(says("CORRECT")) as judge:
        ask(judge)
        _, items = score(path, tmp_path / "out", JudgePlan(rejudge=("second",)))
        assert asked(judge) == 0
    assert {item["verdict"] for item in items} == {None}


@pytest.mark.parametrize("models", [("",), ("a", "a"), ("a", "")])
def test_judges_that_cannot_be_asked(tmp_path, models):
    with pytest.raises(InputError, match=r"^rejudge: expected one model id, or several different ones"):
        score(run_of(tmp_path, [verdict()]), tmp_path / "out", JudgePlan(rejudge=models))


@pytest.mark.parametrize("mode", ["lexical", "defer"])
def test_another_judge_where_nobody_is_asked(tmp_path, monkeypatch, mode):
    monkeypatch.setenv("HUEVAL_JUDGE", mode)
    with pytest.raises(InputError, match=f"^rejudge asks m, and HUEVAL_JUDGE={mode} makes no API calls"):
        score(run_of(tmp_path, [verdict()]), tmp_path / "out", JudgePlan(rejudge=("m",)))

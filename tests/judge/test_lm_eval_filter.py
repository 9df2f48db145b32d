from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hueval_metrics.answers.reasoning import StripReasoning
from hueval_metrics.errors import InputError
from hueval_metrics.judge.lm_eval_filter import JudgeFilter, judge_filtered
from hueval_metrics.records import Filtered
from tests.fakes.judge_server import FakeJudge, install_toy_rubric, settings_for

DOCS = [{"question": f"q{n}", "answer": "1526"} for n in range(4)]


@pytest.fixture(autouse=True)
def toy():
    return install_toy_rubric()


@pytest.fixture
def judge(monkeypatch):
    with FakeJudge(lambda *_: "YES") as judge:
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
        yield judge


def filtered(*responses):
    return [Filtered(response).to_json() for response in responses]


def verdicts(strings):
    return [json.loads(text)["verdict"] for text in strings]


def test_strings_in_strings_out(judge):
    done = JudgeFilter(rubric="toy").apply(iter(filtered("a", "b", "c", "d")), DOCS)
    assert [json.loads(text)["response"] for text in done] == ["a", "b", "c", "d"]
    assert verdicts(done)[0] == {
        **{"label": "YES", "score": None, "raw": "YES", "judge": "gpt-4o-2024-11-20", "rubric": "toy/1"},
        **{"cached": False, "error": None, "suspicious": [], "votes": [], "usage": verdicts(done)[0]["usage"]},
        "unsaved": False,
    }


def test_the_judge_sees_no_trace(judge):
    plain = StripReasoning().apply(["A válasz: 1526"], DOCS[:1])
    thinking = StripReasoning().apply(["<think>1541? Nem, 1526.</think>\n\nA válasz: 1526"], DOCS[:1])
    JudgeFilter("toy").apply(plain, DOCS[:1])
    assert verdicts(JudgeFilter("toy").apply(thinking, DOCS[:1]))[0]["cached"]  # the very same request
    assert len(judge.requests) == 1
    assert "1541" not in json.dumps(judge.requests)


def test_what_did_not_pass_the_reasoning_filter_is_not_judged(judge):
    done = JudgeFilter("toy").apply(["<think>secret</think> 1526", None, ["a list"], *filtered("d")], DOCS)
    assert [v["label"] for v in verdicts(done)] == [None, None, None, "YES"]
    assert "StripReasoning" in verdicts(done)[0]["error"]
    assert len(judge.requests) == 1
    again = JudgeFilter("toy").apply(done, DOCS)
    assert verdicts(again)[:3] == verdicts(done)[:3]


def test_only_missing_verdicts_are_asked_for(judge):
    known = Filtered("a", verdict={"label": "NO", "score": None, "rubric": "toy/1"})
    scored = Filtered("b", verdict={"label": None, "score": 1, "rubric": "toy/1"})
    old_default = Filtered("c", verdict={"label": "NO", "score": None, "error": "unreadable, counted wrong"})
    failed = Filtered("d", verdict={"label": None, "score": None, "error": "HTTP 500"})
    done = JudgeFilter("toy").apply([f.to_json() for f in (known, scored, old_default, failed)], DOCS)
    assert verdicts(done)[:2] == [known.verdict, scored.verdict]
    assert [v["label"] for v in verdicts(done)[2:]] == ["YES", "YES"]
    asked = {json.loads(request["messages"][0]["content"])["response"] for request in judge.requests}
    assert asked == {"c", "d"}  # what hueval 0.1 counted as wrong is asked for again


def test_defer_then_judge_is_judging(monkeypatch, judge):
    live = JudgeFilter("toy").apply(filtered(*"abcd"), DOCS)
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    deferred = JudgeFilter("toy").apply(filtered(*"abcd"), DOCS)
    assert deferred == filtered(*"abcd")
    assert verdicts(deferred) == [None] * 4
    monkeypatch.delenv("HUEVAL_JUDGE")
    later = JudgeFilter("toy").apply(deferred, DOCS)
    assert [v | {"cached": False, "usage": None} for v in verdicts(later)] == [
        v | {"usage": None} for v in verdicts(live)
    ]


def test_lexical_says_so(monkeypatch, caplog):
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    done = verdicts(JudgeFilter("husimpleqa").apply(filtered("1526", "1541", "", "Nem tudom."), DOCS))
    assert [v["label"] for v in done] == ["CORRECT", "INCORRECT", "NOT_ATTEMPTED", "NOT_ATTEMPTED"]
    assert {v["judge"] for v in done} == {"lexical"}
    assert "its verdicts are approximate" in caplog.text


def test_lexical_cannot_score_wild_bench(monkeypatch, caplog):
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    done = verdicts(JudgeFilter("huwildbench").apply(filtered(*"abcd"), DOCS))
    assert [(v["score"], v["error"]) for v in done] == [(None, "lexical cannot score HuWildBench")] * 4
    assert "4 of 4 verdicts are missing: lexical cannot score HuWildBench" in caplog.text


@pytest.mark.parametrize(
    ("variables", "error"),
    [
        ({}, "not asked: no judge is configured"),
        ({"HUEVAL_JUDGE": "gpt"}, "not asked: HUEVAL_JUDGE"),
        ({"HUEVAL_JUDGE_BASE_URL": "http://127.0.0.1:1/v1"}, "connection refused"),
    ],
)
def test_the_filter_never_raises(monkeypatch, caplog, variables, error):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    done = verdicts(JudgeFilter("toy").apply(filtered(*"abcd"), DOCS))
    assert all(v["label"] is None and error in v["error"] for v in done)
    assert len([r for r in caplog.records if r.levelname == "WARNING"]) == 1


def test_other_misfortune_does_not_raise_either(judge):
    assert len(JudgeFilter("toy").apply(filtered("a", "b"), DOCS)) == 2  # documents are missing
    assert verdicts(JudgeFilter("no_such_rubric").apply(filtered("a"), DOCS[:1]))[0]["error"]
    assert JudgeFilter("toy").apply([], []) == []


def test_for_scoring_a_bad_setting_is_an_error(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_TIMEOUT_S", "x")
    with pytest.raises(InputError):
        judge_filtered([Filtered("a")], DOCS[:1], "toy")


def test_settings_can_be_given(judge):
    (done,) = judge_filtered([Filtered("a")], DOCS[:1], "toy", settings_for(judge.url, model="another"))
    assert done.verdict["judge"] == "another"


@pytest.mark.process
def test_importing_the_filter_is_cheap():
    code = (
        "import sys, hueval_metrics.judge.lm_eval_filter; print({'aiohttp', 'datasets', 'rapidfuzz'} & {*sys.modules})"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"

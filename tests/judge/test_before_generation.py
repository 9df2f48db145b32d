from __future__ import annotations

import pytest

from hueval_metrics.judge import before_generation
from tests.fakes.judge_server import FakeJudge, refuse


@pytest.fixture
def loaded(monkeypatch):
    calls = []
    monkeypatch.setattr(before_generation.utils, "load", lambda **settings: calls.append(settings) or "documents")
    return calls


def test_without_a_judge_nothing_is_loaded(loaded):
    with pytest.raises(SystemExit) as stop:
        before_generation.load(name="husimpleqa", version=1.0)
    assert str(stop.value).startswith("hueval: openhueval_husimpleqa is scored by a judge, and none is configured.")
    assert "\n" not in str(stop.value)
    assert loaded == []


def test_a_bad_setting_stops_too(monkeypatch, loaded):
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    monkeypatch.setenv("HUEVAL_JUDGE_TIMEOUT_S", "0")
    with pytest.raises(SystemExit, match="hueval: HUEVAL_JUDGE_TIMEOUT_S"):
        before_generation.load(name="husimpleqa")
    assert loaded == []


@pytest.mark.parametrize("mode", ["lexical", "defer"])
def test_with_a_judge_the_settings_are_passed_on(monkeypatch, loaded, mode):
    monkeypatch.setenv("HUEVAL_JUDGE", mode)
    assert before_generation.load(name="husimpleqa", prompt_lang="hu") == "documents"
    assert loaded == [{"name": "husimpleqa", "prompt_lang": "hu"}]


def test_a_judge_that_cannot_be_reached_is_told_before_generation(monkeypatch, loaded, caplog):
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://127.0.0.1:1/v1?key=sk-canary-1")
    for _ in range(2):  # once is enough
        assert before_generation.load(name="husimpleqa") == "documents"
    (record,) = caplog.records
    assert record.getMessage().startswith("http://127.0.0.1:1/v1: the judge cannot be reached just now (connection ref")
    assert "hueval score" in record.getMessage()
    assert "sk-canary" not in record.getMessage()


@pytest.mark.parametrize("status", [200, 401, 404, 500])
def test_a_judge_that_is_there_is_not_asked_for_anything_that_costs(monkeypatch, loaded, caplog, status):
    with FakeJudge(lambda *_: refuse(status, "…")) as judge:
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
        assert before_generation.load(name="husimpleqa") == "documents"
    assert judge.requests == []
    assert caplog.records == []


def test_a_budget_needs_a_price(monkeypatch, loaded):
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "my-judge")
    monkeypatch.setenv("HUEVAL_JUDGE_BUDGET_USD", "5")
    with pytest.raises(SystemExit, match="HUEVAL_JUDGE_PRICES"):
        before_generation.load(name="husimpleqa")
    assert loaded == []

from __future__ import annotations

import pytest

from hueval_metrics import loader
from tests.fakes.judge_server import FakeJudge, refuse


@pytest.fixture
def loaded(monkeypatch):
    """The settings of each load of documents, on the packaged sample."""
    calls = []
    documents = loader.documents
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.setattr(loader, "documents", lambda task, **given: calls.append(given) or documents(task, **given))
    return calls


def test_without_a_judge_nothing_is_loaded(loaded):
    with pytest.raises(SystemExit) as stop:
        loader.load(task="openhueval_husimpleqa", version=1.0)
    assert str(stop.value).startswith("hueval: openhueval_husimpleqa is scored by a judge, and none is configured.")
    assert "\n" not in str(stop.value)
    assert loaded == []


def test_a_bad_setting_stops_too(monkeypatch, loaded):
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    monkeypatch.setenv("HUEVAL_JUDGE_TIMEOUT_S", "0")
    with pytest.raises(SystemExit, match="hueval: HUEVAL_JUDGE_TIMEOUT_S"):
        loader.load(task="openhueval_husimpleqa")
    assert loaded == []


@pytest.mark.parametrize("mode", ["lexical", "defer"])
def test_with_a_judge_the_settings_are_passed_on(monkeypatch, loaded, mode):
    monkeypatch.setenv("HUEVAL_JUDGE", mode)
    assert "test" in loader.load(task="openhueval_husimpleqa", prompt_lang="hu")
    assert loaded == [{"prompt_lang": "hu"}]


def test_a_judge_that_cannot_be_reached_is_told_before_generation(monkeypatch, loaded, caplog):
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://127.0.0.1:1/v1?key=sk-canary-1")
    for _ in range(2):  # once is enough
        assert "test" in loader.load(task="openhueval_husimpleqa")
    (record,) = [one for one in caplog.records if "packaged sample" not in one.getMessage()]
    assert record.getMessage().startswith("http://127.0.0.1:1/v1: the judge cannot be reached just now (connection ref")
    assert "hueval score" in record.getMessage()
    assert "sk-canary" not in record.getMessage()


@pytest.mark.parametrize("status", [200, 401, 404, 500])
def test_a_judge_that_is_there_is_not_asked_for_anything_that_costs(monkeypatch, loaded, caplog, status):
    with FakeJudge(lambda *_: refuse(status, "…")) as judge:
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
        assert "test" in loader.load(task="openhueval_husimpleqa")
    assert judge.requests == []
    assert all("packaged sample" in record.getMessage() for record in caplog.records)


def test_a_budget_needs_a_price(monkeypatch, loaded):
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "my-judge")
    monkeypatch.setenv("HUEVAL_JUDGE_BUDGET_USD", "5")
    with pytest.raises(SystemExit, match="HUEVAL_JUDGE_PRICES"):
        loader.load(task="openhueval_husimpleqa")
    assert loaded == []

"""What happens when a judge ends: a warning before, one line from that day on, and the date in the results."""

from __future__ import annotations

import importlib.util
import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from hueval_metrics import loader
from hueval_metrics.judge import before_generation, retirement
from hueval_metrics.judge.engine import judge_all
from hueval_metrics.judge.retirement import WARN_DAYS, end_in, ended, warn_of_end
from hueval_metrics.judge.settings import DEFAULT_MODEL, JudgeSettings, require_judge
from hueval_metrics.records import InputError, Verdict
from hueval_metrics.scoring.judge_tally import JudgeTally
from tests.fakes.judge_server import FakeJudge, even, settings_for, toy_items

END = date(2027, 1, 14)  # of the default, and of gpt-4.1
DAY = timedelta(days=1)
TODAY = date(2026, 11, 22)
ELSEWHERE = ("http://127.0.0.1:1/v1",)
TASK = "openhueval_husimpleqa"


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch):
    """As in a new process, on one day."""
    monkeypatch.setattr(retirement, "_today", lambda: TODAY)
    monkeypatch.setattr(retirement, "_listed", {})
    retirement._warn.cache_clear()
    before_generation._tell_what_is_unreachable.cache_clear()


def in_days(days):
    return (TODAY + days * DAY).isoformat()


@pytest.mark.parametrize(
    ("entry", "end"),
    [
        ({"id": "m", "shutdown_date": "2027-01-14"}, END),  # OpenAI
        ({"id": "m", "shutdown_date": None}, None),
        ({"id": "m", "expiration_date": "2027-01-14"}, END),  # OpenRouter
        ({"id": "m", "deprecation": {"fine_tune": 1677662127, "inference": 1799884800}}, END),  # Azure
        ({"id": "m", "deprecation": "2027-01-14T12:00:00Z"}, END),  # Mistral
        ({"id": "m", "deprecation": "2026-01-14T12:00:00Z"}, None),  # is listed after that day, and answers
        ({"id": "m"}, None),
        ({"id": "m", "shutdown_date": "soon", "expiration_date": [], "deprecation": {"inference": 1e300}}, None),
        ({"id": "m", "shutdown_date": True, "deprecation": {}}, None),
        ({"id": "m", "shutdown_date": float("nan"), "deprecation": float("inf")}, None),
    ],
)
def test_the_end_in_a_list_of_models(entry, end):
    assert end_in(entry) == end


def test_the_announced_ends_are_those_of_the_openai_sdk():
    spec = importlib.util.find_spec("openai")
    if spec is None:
        pytest.skip("the extra dev has the openai SDK, whose list this is")
    text = (Path(spec.origin).parent / "types" / "shared" / "chat_model.py").read_text(encoding="utf-8")
    found = {}
    for entry in text.partition("Deprecated values:")[2].split("\n- "):
        if match := re.search(r"shutdown\s+date:\s+(\d{4}-\d\d-\d\d)", entry):
            found |= dict.fromkeys(re.findall(r'"([^"]+)"', entry), match[1])
    if not found:
        pytest.skip("this openai SDK lists no dates")
    chat = {model: end for model, end in found.items() if not re.search("audio|search|codex|vision", model)}
    assert {model: str(end) for model, end in retirement._ENDS.items()} == chat


@pytest.mark.parametrize(
    ("model", "urls", "is_default", "has_ended"),
    [
        (DEFAULT_MODEL, None, True, True),
        (DEFAULT_MODEL, ELSEWHERE, True, True),  # there is no default, wherever it was asked
        (DEFAULT_MODEL, None, False, True),
        ("gpt-4.1-mini", None, False, True),
        ("gpt-4.1-mini", ELSEWHERE, False, False),  # another server may keep it
        ("gpt-5.5", None, False, False),
        ("my-judge", ELSEWHERE, False, False),
    ],
)
def test_from_its_last_day_on_a_judge_is_not_asked(model, urls, is_default, has_ended):
    more = {"base_urls": urls} if urls else {}
    settings = JudgeSettings(model=model, is_default_model=is_default, **more)
    assert ended(settings, END - DAY) is None
    assert (ended(settings, END) is not None) == has_ended
    for member in ("a", "b"):
        panel = JudgeSettings(model=member, panel=("a", model, "b"), **more)
        assert (ended(panel, END) is not None) == (has_ended and not (is_default and urls))


def test_without_a_default_the_ways_out_are_named():
    settings = JudgeSettings(is_default_model=True)
    require_judge(TASK, settings, today=END - DAY)
    for may_be_known in (False, True):
        with pytest.raises(InputError) as caught:
            require_judge(TASK, settings, may_be_known=may_be_known, today=END)
    line = str(caught.value)
    assert line.startswith(f"{TASK}: there is no default judge any more: {DEFAULT_MODEL} ended on 2027-01-14. ")
    assert "\n" not in line
    for way in (
        *("Set HUEVAL_JUDGE_MODEL to another", "HUEVAL_JUDGE_BASE_URL", "HUEVAL_JUDGE=lexical", "defer"),
        f"HUEVAL_JUDGE_MODEL={DEFAULT_MODEL} still reads its verdicts from the cache",
    ):
        assert way in line


@pytest.mark.parametrize("mode", ["lexical", "defer"])
def test_who_asks_nobody_needs_no_living_judge(monkeypatch, mode):
    monkeypatch.delenv("HUEVAL_JUDGE_MODEL")
    monkeypatch.setenv("HUEVAL_JUDGE", mode)
    require_judge(TASK, today=END)


@pytest.mark.parametrize(("days", "is_said"), [(WARN_DAYS + 1, False), (WARN_DAYS, True), (1, True), (0, False)])
def test_an_end_within_120_days_is_said_once(caplog, days, is_said):
    for _ in range(2):
        warn_of_end(JudgeSettings(model="gpt-4.1"), END - days * DAY)
    assert len(caplog.records) == is_said
    if is_said:
        assert caplog.messages[0].startswith(f"the judge gpt-4.1 ends on 2027-01-14, in {days} day")
        assert "HUEVAL_JUDGE_MODEL" in caplog.messages[0]
        assert "\n" not in caplog.messages[0]


def test_the_warning_of_the_default_says_that_no_other_follows(caplog):
    warn_of_end(JudgeSettings(is_default_model=True), END - DAY)
    assert "in 1 day; no default follows it." in caplog.text


@pytest.fixture
def loaded(monkeypatch):
    """The settings of each load of documents, on the packaged sample."""
    calls = []
    documents = loader.documents
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.setattr(loader, "documents", lambda task, **given: calls.append(given) or documents(task, **given))
    return calls


def test_a_judge_that_has_ended_stops_a_run_before_anything_is_asked(monkeypatch, loaded):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-1")
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "o4-mini")
    with pytest.raises(SystemExit, match=r"^hueval: openhueval_husimpleqa: the judge o4-mini ended on 2026-10-23\."):
        loader.load(task="openhueval_husimpleqa")
    assert loaded == []


def test_what_a_server_lists_counts_before_generation(monkeypatch, loaded, caplog):
    def load(days):
        entry = {"id": "my-judge", "shutdown_date": in_days(days)}
        with FakeJudge(even, models=["another", entry]) as judge:
            monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
            monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "my-judge")
            try:
                return loader.load(task="openhueval_husimpleqa", provenance=provenance)
            finally:
                assert judge.requests == []

    provenance: dict = {}
    assert "test" in load(30)
    assert caplog.messages[:1] == [
        "the judge my-judge ends on 2026-12-22, in 30 days. Scores of different judges are not comparable: finish "
        "by then, or set HUEVAL_JUDGE_MODEL to another."
    ]
    assert provenance["judge_shutdown_dates"] == {"my-judge": in_days(30)}  # lm-eval writes it into its results
    with pytest.raises(SystemExit, match=f"the judge my-judge ended on {in_days(0)}"):
        load(0)
    assert len(loaded) == 1


def test_a_judge_that_has_ended_is_not_asked_but_its_replies_are_read(hurried, caplog):
    with FakeJudge(even, models=[{"id": "toy-judge", "shutdown_date": in_days(-1)}]) as judge:
        first = judge_all(toy_items(2), hurried, settings_for(judge.url))
    assert [verdict.error for verdict in first] == [f"not asked: {ended(settings_for(judge.url))}"] * 2
    assert judge.requests == []
    retirement._listed.clear()
    with FakeJudge(even) as judge:
        judge_all(toy_items(2), hurried, settings_for(judge.url))
    with FakeJudge(even, models=[{"id": "toy-judge", "shutdown_date": in_days(-1)}]) as judge:
        verdicts = judge_all(toy_items(3), hurried, settings_for(judge.url))
    assert [verdict.label for verdict in verdicts] == ["YES", "NO", None]
    assert judge.requests == []


def test_the_results_keep_the_date():
    tally = JudgeTally()
    for judge in (DEFAULT_MODEL, "my-judge"):
        tally.add(Verdict(label="CORRECT", judge=judge, rubric="husimpleqa/1"))
    found = tally.summary()["judge"]
    assert found[DEFAULT_MODEL]["shutdown_date"] == "2027-01-14"
    assert "shutdown_date" not in found["my-judge"]

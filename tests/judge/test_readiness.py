"""Whether a judge can be asked: the checks before generation, and shutdown dates."""

from __future__ import annotations

import importlib.util
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from hueval_metrics import loader
from hueval_metrics.errors import InputError
from hueval_metrics.judge import shutdown
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.readiness import require_judge
from hueval_metrics.judge.settings import DEFAULT_MODEL, JudgeSettings
from hueval_metrics.judge.shutdown import WARN_DAYS, end_in, ended, warn_of_end
from hueval_metrics.records import Verdict
from hueval_metrics.scoring.judge_tally import JudgeTally
from tests.fakes.judge_server import FakeJudge, even, judge_all, refuse, settings_for, toy_items

END = date(2027, 1, 14)  # of the default, and of gpt-4.1
DAY = timedelta(days=1)
ELSEWHERE = ("http://127.0.0.1:1/v1",)
TASK = "openhueval_husimpleqa"


# What was logged or listed once counts for the whole process: each test has a judge of its own.


def in_days(days):
    return (datetime.now(UTC).date() + days * DAY).isoformat()


def load_nothing(**settings):
    """Load documents with a setting that is an error as soon as they are loaded."""
    loader.load(task=TASK, prompt_lang="xx", **settings)


def load_sample(monkeypatch, **settings):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    return loader.load(task=TASK, **settings)


# ---- before generation ----


def test_without_a_judge_nothing_is_loaded():
    with pytest.raises(SystemExit) as stop:
        load_nothing()
    assert str(stop.value).startswith(f"hueval: {TASK} is scored by a judge, and none is configured.")
    assert "\n" not in str(stop.value)


def test_a_bad_setting_stops_too(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    monkeypatch.setenv("HUEVAL_JUDGE_TIMEOUT_S", "0")
    with pytest.raises(SystemExit, match="hueval: HUEVAL_JUDGE_TIMEOUT_S"):
        load_nothing()


@pytest.mark.parametrize("mode", ["lexical", "defer"])
def test_with_a_judge_the_settings_are_passed_on(monkeypatch, mode):
    monkeypatch.setenv("HUEVAL_JUDGE", mode)
    assert "test" in load_sample(monkeypatch, prompt_lang="hu")
    with pytest.raises(SystemExit, match='prompt_lang: "xx" is not on offer'):
        load_nothing()


def test_a_judge_that_cannot_be_reached_is_told_before_generation(monkeypatch, caplog):
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://127.0.0.1:1/v1?key=sk-canary-1")
    for _ in range(2):  # once is enough
        assert "test" in load_sample(monkeypatch)
    (record,) = [one for one in caplog.records if "packaged sample" not in one.getMessage()]
    assert record.getMessage().startswith("http://127.0.0.1:1/v1: the judge cannot be reached just now (connection ref")
    assert "hueval score" in record.getMessage()
    assert "sk-canary" not in record.getMessage()


@pytest.mark.parametrize("status", [200, 401, 404, 500])
def test_a_judge_that_is_there_is_not_asked_for_anything_that_costs(monkeypatch, caplog, status):
    with FakeJudge(lambda *_: refuse(status, "…")) as judge:
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
        assert "test" in load_sample(monkeypatch)
    assert judge.requests == []
    assert all("packaged sample" in record.getMessage() for record in caplog.records)


def test_a_budget_needs_a_price(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "my-judge")
    monkeypatch.setenv("HUEVAL_JUDGE_BUDGET_USD", "5")
    with pytest.raises(SystemExit, match="HUEVAL_JUDGE_PRICES"):
        load_nothing()


def test_no_judge_names_four_ways_out(monkeypatch):
    with pytest.raises(InputError) as error:
        require_judge(TASK, judge_settings())
    text = str(error.value)
    assert "\n" not in text
    for way in (
        *(TASK, "HUEVAL_JUDGE_API_KEY", "OPENAI_API_KEY", "HUEVAL_JUDGE_BASE_URL"),
        *("HUEVAL_JUDGE=lexical", "HUEVAL_JUDGE=defer", "hueval score", "--tasks hueval-rule"),
    ):
        assert way in text
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    require_judge(TASK, judge_settings())


# ---- shutdown dates ----


@pytest.mark.parametrize(
    ("entry", "end"),
    [
        ({"id": "m", "shutdown_date": "2027-01-14"}, END),  # OpenAI
        ({"id": "m", "shutdown_date": None}, None),
        ({"id": "m", "expiration_date": "2027-01-14"}, END),  # OpenRouter
        ({"id": "m", "deprecation": {"fine_tune": 1677662127, "inference": 1799884800}}, END),  # Azure
        ({"id": "m", "deprecation": "2099-01-14T12:00:00Z"}, date(2099, 1, 14)),  # Mistral
        ({"id": "m", "deprecation": "2026-01-14T12:00:00Z"}, None),  # is listed after that date, and answers
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
    assert {model: str(end) for model, end in shutdown._ENDS.items()} == chat


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
    require_judge(TASK, judge_settings(), today=END)


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


def test_a_judge_that_has_ended_stops_a_run_before_anything_is_asked(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-1")
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "o4-mini")
    with pytest.raises(SystemExit, match=r"^hueval: openhueval_husimpleqa: the judge o4-mini ended on 2026-10-23\."):
        load_nothing()


def test_what_a_server_lists_counts_before_generation(monkeypatch, caplog):
    def load(days, load_documents, **settings):
        entry = {"id": "listed-judge", "shutdown_date": in_days(days)}
        with FakeJudge(even, models=["another", entry]) as judge:
            monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
            monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "listed-judge")
            try:
                return load_documents(**settings)
            finally:
                assert judge.requests == []

    provenance: dict = {}
    assert "test" in load(30, load_sample, monkeypatch=monkeypatch, provenance=provenance)
    assert caplog.messages[:1] == [
        f"the judge listed-judge ends on {in_days(30)}, in 30 days. Scores of different judges are not comparable: "
        "finish by then, or set HUEVAL_JUDGE_MODEL to another."
    ]
    assert provenance["judge_shutdown_dates"] == {"listed-judge": in_days(30)}  # lm-eval writes it into its results
    with pytest.raises(SystemExit, match=f"the judge listed-judge ended on {in_days(0)}"):
        load(0, load_nothing)


def test_a_judge_that_has_ended_is_not_asked_but_its_replies_are_read(hurried):
    with FakeJudge(even) as judge:
        settings = settings_for(judge.url, model="mortal-judge")
        judge_all(toy_items(2), hurried, settings)
    with FakeJudge(even, models=[{"id": "mortal-judge", "shutdown_date": in_days(-1)}]) as judge:
        settings = settings_for(judge.url, model="mortal-judge")
        verdicts = judge_all(toy_items(3), hurried, settings)
    assert [verdict.label for verdict in verdicts] == ["YES", "NO", None]
    assert verdicts[2].error == f"not asked: {ended(settings)}"
    assert judge.requests == []


def test_the_results_keep_the_date():
    tally = JudgeTally()
    for judge in (DEFAULT_MODEL, "my-judge"):
        tally.add(Verdict(label="CORRECT", judge=judge, rubric="husimpleqa/1"))
    found = tally.summary()["judge"]
    assert found[DEFAULT_MODEL]["shutdown_date"] == "2027-01-14"
    assert "shutdown_date" not in found["my-judge"]

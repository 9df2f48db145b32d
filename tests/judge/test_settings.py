from __future__ import annotations

import json
import sys
from dataclasses import asdict

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.settings import DEFAULT_MODEL, OPENAI_URL, at_path, shown
from tests.fakes.judge_server import KEY


def key(settings):
    return settings.api_key and settings.api_key.get_secret_value()


def test_without_any_variable(monkeypatch):
    monkeypatch.delenv("HUEVAL_JUDGE_MODEL")
    settings = judge_settings()
    assert settings.is_default_model
    assert (settings.mode, settings.model, settings.base_urls) == ("openai", DEFAULT_MODEL, (OPENAI_URL,))
    assert (settings.concurrency, settings.timeout_s, settings.deadline_s) == (64, 60, 3600)
    assert not settings.is_concurrency_set
    assert (settings.panel, settings.repeats, settings.rpm, settings.tpm, settings.budget_usd) == ((), 1, *[None] * 3)
    assert not settings.is_configured
    monkeypatch.setenv("HUEVAL_JUDGE", "  ")
    assert judge_settings() == settings  # empty is unset


@pytest.mark.parametrize(
    ("variables", "configured", "sent"),
    [
        ({"OPENAI_API_KEY": KEY}, True, KEY),
        ({"HUEVAL_JUDGE_API_KEY": "other", "OPENAI_API_KEY": KEY}, True, "other"),
        ({"HUEVAL_JUDGE_BASE_URL": "http://localhost:8000/v1"}, True, None),
        ({"HUEVAL_JUDGE_BASE_URL": "http://localhost:8000/v1", "OPENAI_API_KEY": KEY}, True, None),
        ({"HUEVAL_JUDGE_BASE_URL": "https://api.openai.com.example.org/v1", "OPENAI_API_KEY": KEY}, True, None),
        ({"HUEVAL_JUDGE_BASE_URL": "http://api.openai.com/v1", "OPENAI_API_KEY": KEY}, False, None),  # in the clear
        ({"HUEVAL_JUDGE_BASE_URL": "https://API.OpenAI.com/v1", "OPENAI_API_KEY": KEY}, True, KEY),
        ({"HUEVAL_JUDGE_BASE_URL": "https://api.openai.com/v1"}, False, None),  # answers nobody without a key
        ({"HUEVAL_JUDGE": "lexical"}, True, None),
        ({"HUEVAL_JUDGE": "Defer"}, True, None),
    ],
)
def test_who_is_asked_and_with_which_key(monkeypatch, variables, configured, sent):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    settings = judge_settings()
    assert settings.is_configured is configured
    assert key(settings) == sent


@pytest.mark.parametrize(
    ("given", "base", "endpoint", "address"),
    [
        ("http://h:1/v1/", "http://h:1/v1", "http://h:1/v1/chat/completions", "http://h:1/v1"),
        ("http://h/v1/chat/completions", "http://h/v1", "http://h/v1/chat/completions", "http://h/v1"),
        ("https://h/d?key=abc", "https://h/d?key=abc", "https://h/d/chat/completions?key=abc", "https://h/d"),
        ("http://[::1]:80", "http://[::1]:80", "http://[::1]:80/chat/completions", "http://[::1]:80"),
    ],
)
def test_address(monkeypatch, given, base, endpoint, address):
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", given)
    (url,) = judge_settings().base_urls
    assert (url, at_path(url, "/chat/completions"), shown(url)) == (base, endpoint, address)


def test_several_addresses(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://a:1/v1, http://b:2/v1/,http://a:1/v1,")
    assert judge_settings().base_urls == ("http://a:1/v1", "http://b:2/v1")
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "https://api.openai.com/v1,https://b/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert key(judge_settings()) is None  # it would go to b as well


def test_a_panel(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "a, b,c")
    settings = judge_settings()
    assert (settings.model, settings.panel, settings.name) == ("a", ("a", "b", "c"), "a+b+c")
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "a")
    monkeypatch.setenv("HUEVAL_JUDGE_REPEATS", "3")
    settings = judge_settings()
    assert (settings.panel, settings.repeats, settings.name) == ((), 3, "a*3")


@pytest.mark.parametrize(
    ("world", "caps"),
    [
        ("1", (9, 600.0, 9000.0, 3.0)),
        ("2", (4, 300.0, 4500.0, 1.5)),
        ("20", (1, 30.0, 450.0, 0.15)),  # one at a time is the least that a rank can ask
        ("soon", (9, 600.0, 9000.0, 3.0)),
    ],
)
def test_ranks_share_the_caps(monkeypatch, world, caps):
    for name, value in {"CONCURRENCY": "9", "RPM": "600", "TPM": "9000", "BUDGET_USD": "3"}.items():
        monkeypatch.setenv(f"HUEVAL_JUDGE_{name}", value)
    monkeypatch.setenv("WORLD_SIZE", world)
    settings = judge_settings()
    found = (settings.concurrency, settings.rpm, settings.tpm, settings.budget_usd)
    assert found == pytest.approx(caps)
    assert settings.is_concurrency_set


def test_further_headers_are_secrets(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_HEADERS", json.dumps({"api-key": KEY, "X-Team": "eval"}))
    settings = judge_settings()
    assert settings.is_configured
    assert settings.secrets == (KEY, "eval")
    assert KEY not in repr(settings) + str(asdict(settings))


def test_a_batch_may_take_a_day(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE", "batch")
    assert judge_settings().deadline_s == 26 * 3600
    monkeypatch.setenv("HUEVAL_JUDGE_DEADLINE_S", "60")
    assert judge_settings().deadline_s == 60


def test_a_broken_key_that_is_not_used_is_let_pass(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY} {KEY}")
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://localhost:8000/v1")
    assert judge_settings().api_key is None


def test_names_in_lower_case_are_no_settings(monkeypatch):
    monkeypatch.setenv("hueval_judge_model", "other")
    assert judge_settings().model != "other"


def test_batches_want_the_openai_package(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE", "batch")
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(InputError, match=r'"batch" needs the package openai.*pip install "hueval\[batch\]"'):
        judge_settings()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HUEVAL_JUDGE", "gpt", '"gpt" is not on offer. One of: openai, batch, lexical, defer'),
        ("HUEVAL_JUDGE_MODEL", "a,b,a", "a judge is named twice"),
        ("HUEVAL_JUDGE_REPEATS", "0", '"0" is not usable, expected a whole number from 1 up to 99'),
        ("HUEVAL_JUDGE_RPM", "-3", '"-3" is not usable, expected a number above 0'),
        ("HUEVAL_JUDGE_BUDGET_USD", "five", '"five" is not usable, expected a number above 0'),
        ("HUEVAL_JUDGE_HEADERS", f"api-key: {KEY}", "expected a JSON object such as"),
        ("HUEVAL_JUDGE_HEADERS", json.dumps({"api-key": f"{KEY}\r\nX: 1"}), "expected a JSON object such as"),
        ("HUEVAL_JUDGE_HEADERS", json.dumps({"api key": KEY}), "expected a JSON object such as"),
        ("HUEVAL_JUDGE_HEADERS", json.dumps([KEY]), "expected a JSON object such as"),
        ("HUEVAL_JUDGE_CONCURRENCY", "0", '"0" is not usable, expected a whole number from 1 up to 4096'),
        ("HUEVAL_JUDGE_CONCURRENCY", "2.5", '"2.5" is not usable'),
        ("HUEVAL_JUDGE_TIMEOUT_S", "soon", '"soon" is not usable, expected a number of seconds above 0'),
        ("HUEVAL_JUDGE_TIMEOUT_S", "-1", '"-1" is not usable'),
        ("HUEVAL_JUDGE_DEADLINE_S", "nan", '"nan" is not usable'),
        ("HUEVAL_JUDGE_DEADLINE_S", "inf", '"inf" is not usable'),
        ("HUEVAL_JUDGE_BASE_URL", "localhost:8000/v1", "expected an address such as"),
        ("HUEVAL_JUDGE_BASE_URL", "http://", "expected an address such as http://localhost:8000/v1"),
        ("HUEVAL_JUDGE_BASE_URL", "http://h:port/v1", "expected an address"),
        ("HUEVAL_JUDGE_BASE_URL", "http://[::1/v1", "expected an address"),
        ("HUEVAL_JUDGE_BASE_URL", f"http://user:{KEY}@h/v1", "holds a user name or password"),
        ("OPENAI_API_KEY", f"{KEY} {KEY}", "Copy the key again"),
        ("HUEVAL_JUDGE_API_KEY", f"{KEY} {KEY}", "Copy the key again"),
        ("HUEVAL_JUDGE_API_KEY", f"{KEY}\u00a0x", "Copy the key again"),
        ("HUEVAL_JUDGE_API_KEY", f"{KEY}\nX-Header: 1", "Copy the key again"),
    ],
)
def test_a_bad_value_is_named_in_one_line(monkeypatch, name, value, said):
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError) as error:
        judge_settings()
    text = str(error.value)
    assert text.startswith(name + ":")
    assert said in text
    assert "\n" not in text
    assert KEY not in text


def test_the_key_is_shown_nowhere(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_API_KEY", KEY)
    settings = judge_settings()
    assert key(settings) == KEY
    for text in (repr(settings), str(settings), str(asdict(settings)), f"{settings.api_key}"):
        assert KEY not in text


@pytest.mark.parametrize(("value", "quiet"), [("1", True), ("0", False), ("", False)])
def test_quiet(monkeypatch, value, quiet):
    monkeypatch.setenv("HUEVAL_QUIET", value)
    assert judge_settings().quiet is quiet

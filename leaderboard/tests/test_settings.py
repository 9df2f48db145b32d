"""The settings: what Django says of them, and what readers and proxies get."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hueval_metrics.environment import ELSEWHERE, VARIABLES
from hueval_metrics.errors import InputError
from hueval_site.config import PREFIX, config, variables
from leaderboard.tests.running import site_env

SECURE = {"url": "https://board.example.org", "secret_key": "x9-Ab" * 20}


def in_django(folder, code: str, **settings: str) -> str:
    """What a program prints that has loaded Django with these settings."""
    begin = "import django, json\ndjango.setup()\nfrom django.conf import settings\n"
    env = site_env(folder, **settings) | {"DJANGO_SETTINGS_MODULE": "hueval_site.settings"}
    done = subprocess.run([sys.executable, "-c", begin + code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.process
@pytest.mark.parametrize("more", [{}, {"hsts_subdomains": "1"}])
def test_django_has_nothing_to_say_of_a_site_under_https(tmp_path, more):
    (tmp_path / "tmp").mkdir()
    found = in_django(
        tmp_path,
        "from django.core.checks import run_checks\n"
        "print([str(one) for one in run_checks(include_deployment_checks=True) if not one.is_silenced()])",
        **SECURE,
        **more,
    )
    assert found == "[]\n"


@pytest.mark.process
def test_cookies_belong_to_the_host_alone_under_https(tmp_path):
    names = "SESSION_COOKIE_NAME CSRF_COOKIE_NAME LANGUAGE_COOKIE_NAME SESSION_COOKIE_SECURE CSRF_COOKIE_SECURE"
    code = f"print(json.dumps([getattr(settings, name) for name in {names.split()}]))"
    assert json.loads(in_django(tmp_path, code, **SECURE)) == [
        "__Host-sessionid",
        "__Host-csrftoken",
        "__Host-language",
        True,
        True,
    ]
    assert json.loads(in_django(tmp_path, code))[3:] == [False, False]


@pytest.mark.process
def test_http_is_redirected_and_https_told_to_stay(tmp_path):
    code = """
from django.test import Client
page = Client().get("/", headers={"host": "board.example.org"})
print(page.status_code, page["Location"])
"""
    assert in_django(tmp_path, code, **SECURE).split() == ["301", "https://board.example.org/"]


@pytest.mark.process
@pytest.mark.parametrize(
    ("more", "header"),
    [({}, "max-age=31536000"), ({"hsts_subdomains": "1"}, "max-age=31536000; includeSubDomains")],
)
def test_https_is_for_subdomains_only_where_it_is_asked_for(tmp_path, more, header):
    code = """
from django.test import Client
answer = Client().get("/api/v1/tasks/x/allowance", secure=True, headers={"host": "board.example.org"})
print(answer["Strict-Transport-Security"])
"""
    assert in_django(tmp_path, code, **SECURE, **more).strip() == header


@pytest.mark.parametrize(
    ("trusted", "header", "address"),
    [
        (True, "6.6.6.6, 10.1.2.3", "10.1.2.3"),  # the proxy's own word stands last
        (True, "", "127.0.0.1"),
        (False, "6.6.6.6", "127.0.0.1"),  # anybody can send the header
    ],
)
def test_the_address_of_a_reader_is_what_the_proxy_saw(settings, rf, trusted, header, address):
    from hueval_site.middleware import client_address

    settings.CONFIG = settings.CONFIG.model_copy(update={"trusted_proxy": trusted})
    request = rf.get("/", headers={"x-forwarded-for": header} if header else {})
    client_address(lambda request: request)(request)
    assert request.META["REMOTE_ADDR"] == address
    assert "HTTP_X_FORWARDED_FOR" not in request.META


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("URL", "board.example.org"),
        ("URL", "https://example.org/board"),
        ("DATABASE", "mysql://example.org/board"),
        ("URL", "https://example.org:65536"),
        ("DATABASE", "postgresql://example.org"),
        ("DATABASE", "postgresql://u:p@example.org:x/board"),
        ("UPLOADS", "s3:///folder"),
        ("MAIL", "example.org:25"),
        ("MAIL", "smtp://example.org:70000"),
        ("PORT", "70000"),
        ("APPROVALS", "3"),
        ("METRICS_TOKEN", "short"),
        ("METRICS_TOKEN", "a token with blanks, long enough"),
    ],
)
def test_a_setting_out_of_range_is_named_without_its_value(monkeypatch, name, value):
    monkeypatch.setenv(f"HUEVAL_SITE_{name}", value)
    with pytest.raises(InputError) as error:
        config()
    assert str(error.value).startswith(f"HUEVAL_SITE_{name}: ")
    assert value not in str(error.value)


def test_the_url_follows_the_port(monkeypatch):
    monkeypatch.setenv("HUEVAL_SITE_PORT", "8123")
    assert config().url == "http://127.0.0.1:8123"


@pytest.mark.process
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://u%40x:p%2Fw@mail.example.org:2525", ["mail.example.org", 2525, "u@x", "p/w", False, False]),
        ("smtp://mail.example.org", ["mail.example.org", 25, "", "", False, False]),
        ("smtps://mail.example.org", ["mail.example.org", 465, "", "", True, False]),
        ("smtp+starttls://mail.example.org", ["mail.example.org", 587, "", "", False, True]),
    ],
)
def test_a_mail_server_is_one_url(tmp_path, url, expected):
    names = ["HOST", "PORT", "HOST_USER", "HOST_PASSWORD", "USE_SSL", "USE_TLS"]
    code = f"print(json.dumps([getattr(settings, 'EMAIL_' + name) for name in {names}]))"
    assert json.loads(in_django(tmp_path, code, mail=url)) == expected


def test_its_variables_are_its_own():
    assert PREFIX in ELSEWHERE
    assert all(name.startswith(PREFIX) for name in variables()) and {*variables()}.isdisjoint(VARIABLES)

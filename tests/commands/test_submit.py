"""`hueval submit`: what it refuses by itself, and servers that are no leaderboard."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from hueval_metrics.cli import main
from hueval_metrics.errors import InputError
from hueval_metrics.submission.client import site_address

CARD = ["--model-name", "model", "--contamination", "none known"]


@pytest.fixture
def file(tmp_path):
    return written(tmp_path / "HuCOLA.json", [{"id": "1", "label": "1"}])


def written(path, rows):
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def submit(*arguments):
    return main(["submit", *map(str, arguments)])


def said(err):
    """The lines on standard error, but for those that say what a slow machine is waiting for."""
    return [line for line in err.splitlines() if not line.startswith(("Asking ", "Sending ", "Waiting "))]


@pytest.mark.parametrize(
    ("value", "named"), [("", "is not set"), ("two words", "blanks"), ("é" * 9, "blanks"), ("a\r\nb", "blanks")]
)
def test_a_token_that_cannot_be_one_is_never_shown(file, monkeypatch, capsys, value, named):
    monkeypatch.setenv("HUEVAL_SITE_TOKEN", value)
    assert submit(file, "--site", "https://board.example.org", *CARD) == 1
    err = capsys.readouterr().err
    assert named in err and (not value or value not in err)


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://board.example.org", "https://board.example.org"),
        ("https://board.example.org:8443/", "https://board.example.org:8443"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://localhost", "http://localhost"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("http://board.example.org", "unencrypted"),
        ("http://127.0.0.1.example.org", "unencrypted"),
        ("https://user:secret@board.example.org", "user name"),
        ("https://board.example.org/en/", "without a path"),
        ("https://board.example.org?a", "without a path"),
        ("https://board.example.org:port", "without a path"),
        ("ftp://board.example.org", "without a path"),
        ("board.example.org", "without a path"),
        ("", "without a path"),
    ],
)
def test_the_token_goes_over_https_or_to_this_machine(address, found):
    if found.startswith("http"):
        assert site_address(address) == found
        return
    with pytest.raises(InputError, match=found) as refused:
        site_address(address)
    assert "secret" not in str(refused.value)


def test_files_that_are_not_there_are_told_before_any_request(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("HUEVAL_SITE_TOKEN", "hueval_x")
    for arguments in ((tmp_path / "none.json",), (tmp_path,)):
        assert submit(*arguments, "--site", "https://board.example.org", *CARD) == 1
        assert "no such file" in capsys.readouterr().err
    file = written(tmp_path / "HuCOLA.json", [])
    for content, named in ((None, "No such file"), ("a: [", "no YAML"), ("- a", "FIELD: VALUE")):
        card = tmp_path / "card.yaml"
        if content:
            card.write_text(content)
        assert submit(file, "--site", "https://board.example.org", "--card", card) == 1
        assert named in capsys.readouterr().err


@contextmanager
def strange(status, headers, body):
    """A server that is no leaderboard: one answer to everything; what it was asked, with the headers."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, dict(self.headers)))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "headers", "body", "named", "requests"),
    [
        (302, {"Location": "http://127.0.0.1:1/stolen"}, b"", "redirect", 1),
        (200, {}, b"<html>", "does not answer as a leaderboard", 1),
        (200, {}, b"[" * 10_000, "does not answer as a leaderboard", 1),
        (200, {}, b"{}", "does not answer as a leaderboard", 1),
        (404, {}, b"<html>", "HTTP status 404", 1),
        (500, {}, b'{"error": {"message": "\x1b[2Jbad\\u202e\\nline"}}', "HTTP status 500", 5),
        (500, {}, b'{"error": {"message": "bad\\u001b[2J\\u202e\\nline"}}', "bad line", 5),
        (503, {}, b"", "HTTP status 503", 5),
        (429, {"Retry-After": "7200"}, b'{"error": {"message": "Wait."}}', "Wait.", 1),
    ],
)
def test_a_server_that_is_no_leaderboard(monkeypatch, file, capsys, status, headers, body, named, requests):
    monkeypatch.setenv("HUEVAL_SITE_TOKEN", "hueval_x")
    monkeypatch.setattr("hueval_metrics.submission.client.FIRST_WAIT_S", 0.01)
    with strange(status, headers, body) as (address, asked):
        assert submit(file, "--site", address, "--task", "t", *CARD) == 1
    err = capsys.readouterr().err
    assert named in err and len(said(err)) == 1 and "\x1b" not in err and "hueval_x" not in err
    assert len(asked) == requests


def test_what_it_waits_for(monkeypatch, file, capsys):
    monkeypatch.delenv("HUEVAL_QUIET")
    monkeypatch.setenv("HUEVAL_SITE_TOKEN", "hueval_x")
    monkeypatch.setattr("hueval_metrics.submission.client.TRIES", 3)
    monkeypatch.setattr("hueval_metrics.progress.EVERY_S", 0)
    monkeypatch.setattr("hueval_metrics.progress._SHORT_S", 0)
    with strange(503, {}, b"") as (address, _):
        assert submit(file, "--site", address, *CARD) == 1
    waiting, *_, last = capsys.readouterr().err.splitlines()
    assert re.match(r"Asking the site: \d+ s, trying again after: http\S+: answers with HTTP status 503\. ", waiting)
    assert last.startswith("hueval: http")


@pytest.mark.process
def test_the_token_is_no_argument(file):
    done = subprocess.run(
        [sys.executable, "-m", "hueval_metrics", "submit", str(file), "--site", "https://b.example", "--token", "x"],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 2 and "--token" in done.stderr

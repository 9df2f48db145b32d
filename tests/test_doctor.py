"""`hueval doctor`: the extras that it and other hints name exist, and it finds a judge on this machine."""

from __future__ import annotations

import configparser
import re
import socket
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

import pytest

from hueval_metrics import doctor
from hueval_metrics.judge.client import local_servers, servers
from tests.fakes.hub_server import HubServer
from tests.fakes.judge_server import FakeJudge, even

ROOT = Path(__file__).parents[1]
CLOSED = 1  # a port that nothing listens on
NONE = "none: set HUEVAL_JUDGE_API_KEY or HUEVAL_JUDGE_BASE_URL, or HUEVAL_JUDGE=lexical or defer"


def extras():
    """Extra → the names of its packages, as setup.cfg has them."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    found = setup["options.extras_require"].items()
    return {extra: set(re.findall(r"^[\w-]+", text, re.MULTILINE)) for extra, text in found}


def test_doctor_lists_packages_under_the_extras_that_bring_them():
    known = extras()
    for extra, packages in doctor._EXTRAS.items():
        assert set(packages) <= known[extra]


def test_a_missing_extra_is_named_as_it_is_installed(monkeypatch, capsys, clean_environment):
    monkeypatch.setattr(doctor, "_version", lambda package: "-")
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    doctor.diagnose()
    named = re.findall(r'pip install "hueval\[(\w+)\]"', capsys.readouterr().out)
    assert set(named) == set(doctor._EXTRAS)


def test_every_hint_names_an_extra_that_exists():
    sources = [
        path for folder in ("hf_datasets", "hueval_metrics", "lm_eval_tasks") for path in (ROOT / folder).rglob("*")
    ]
    texts = [
        path.read_text(encoding="utf-8")
        for path in [*sources, ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        if path.suffix in (".py", ".md")
    ]
    named = {extra for text in texts for extra in re.findall(r"(?:hueval|'\.)\[(\w+)\]", text)}
    assert {"hf", "vllm", "api"} <= named <= set(extras())


# ---- a judge on this machine ----


def judge_line(monkeypatch, *ports):
    """The judge's part of the report, with other ports than the usual ones, where the developer may have a server."""
    monkeypatch.setattr(local_servers, "LOCAL_PORTS", ports)
    return doctor._judge()


def port_of(server):
    return urlsplit(server.url).port


def test_a_local_server_is_found_and_the_lines_that_set_it_are_printed(monkeypatch):
    with FakeJudge(even, models=["open/judge-8b", "another"]) as server:
        assert judge_line(monkeypatch, CLOSED, port_of(server)).splitlines()[1:] == [
            f"  {server.url} answers on this machine and lists open/judge-8b, another. To judge with it:",
            f"    export HUEVAL_JUDGE_BASE_URL={server.url}",
            "    export HUEVAL_JUDGE_MODEL=open/judge-8b",
        ]


def test_the_model_that_the_user_has_named_comes_first(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "another")
    with FakeJudge(even, models=["open/judge-8b", "another"]) as server:
        assert judge_line(monkeypatch, port_of(server)).endswith("\n    export HUEVAL_JUDGE_MODEL=another")


def test_a_name_from_a_server_is_quoted_for_the_shell(monkeypatch):
    with FakeJudge(even, models=["m; rm -rf $(HOME)\x1b[2J\n"]) as server:
        assert judge_line(monkeypatch, port_of(server)).endswith("export HUEVAL_JUDGE_MODEL='m; rm -rf $(HOME)'")


def test_a_long_path_as_a_name_stays_whole(monkeypatch):
    name = f"/models/{'nested/' * 15}judge"
    with FakeJudge(even, models=[name]) as server:
        assert judge_line(monkeypatch, port_of(server)).endswith(f"export HUEVAL_JUDGE_MODEL={name}")


def test_local_servers_get_no_key(monkeypatch):
    """Any program of this machine may listen there. With a key for a judge, nothing is looked for (below)."""
    monkeypatch.setenv("HF_TOKEN", "hf_canary_0123456789")
    with FakeJudge(even, models=["open/judge-8b"]) as server:
        assert "open/judge-8b" in judge_line(monkeypatch, port_of(server))
        assert [set(headers) for headers in server.looks] == [
            {"Host", "User-Agent", "Content-Type", "Accept", "Accept-Encoding"}
        ]


@pytest.mark.parametrize("body", [b"<html>a web page</html>", b'{"data": []}', b'{"error": "no key"}', b"[" * 10**5])
def test_what_lists_no_models_is_left_out(monkeypatch, body):
    with HubServer() as server:
        server.files["/v1/models"] = body
        assert judge_line(monkeypatch, port_of(server)) == NONE


def test_nothing_is_found_at_once_where_nothing_listens(monkeypatch):
    judge_line(monkeypatch, CLOSED)  # imports
    began = perf_counter()
    assert judge_line(monkeypatch, CLOSED, 2, 3, 4) == NONE
    assert perf_counter() - began < 30  # asked as a judge, each would take 60 s


def test_servers_that_hang_are_given_up_on_together(monkeypatch):
    """The time-out is 0.4 s for all ports together, not the 60 s of a judge; a busy machine takes longer."""
    given = []

    def looked_up(settings):
        given.append(settings.timeout_s)
        return servers.looked_up(settings)

    monkeypatch.setattr(local_servers, "looked_up", looked_up)
    with ExitStack() as stack:
        silent = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
        began = perf_counter()
        assert judge_line(monkeypatch, *(one.getsockname()[1] for one in silent)) == NONE
        assert perf_counter() - began < 30  # asked as a judge, each would take 60 s
    assert given == [0.4]


@pytest.mark.parametrize("variables", [{"HUEVAL_JUDGE": "lexical"}, {"HUEVAL_JUDGE_API_KEY": "sk-canary-0123456789"}])
def test_nothing_is_looked_for_where_a_judge_is_chosen(monkeypatch, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", f"http://127.0.0.1:{CLOSED}/v1")
    with FakeJudge(even, models=["open/judge-8b"]) as server:
        assert "open/judge-8b" not in judge_line(monkeypatch, port_of(server))


@pytest.mark.parametrize(
    ("model", "state"),
    [
        ("open/judge-8b", "answers, and lists it"),
        (
            "open/judge-9b",
            "answers, but does not list open/judge-9b; it lists open/judge-8b, b, c, d, e and 1 more. "
            "Set HUEVAL_JUDGE_MODEL",
        ),
    ],
)
def test_whether_the_configured_server_serves_the_model(monkeypatch, model, state):
    with FakeJudge(even, models=["open/judge-8b", *"bcdef"]) as server:
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", server.url)
        monkeypatch.setenv("HUEVAL_JUDGE_MODEL", model)
        assert doctor._judge() == f"{model} at {server.url}: {state}"

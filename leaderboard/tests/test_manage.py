"""`hueval site`: each command in a process of its own, on a folder of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from leaderboard.tests import running
from leaderboard.tests.running import answered, descendants, free_port, gone, hueval_site, site_env, started

pytestmark = pytest.mark.process

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are counted in /proc")


@pytest.fixture(scope="module")
def initialised(tmp_path_factory):
    """A folder that `init` has filled, for tests that do not change it."""
    return running.initialised(tmp_path_factory.mktemp("initialised") / "site")


def test_up_sets_up_answers_and_ends_without_orphans(tmp_path):
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    env = site_env(tmp_path)
    with started("up", tmp_path, "--port", port, env=env) as site:
        lines = [site.stdout.readline() for _ in range(2)]
        assert "/setup/" in lines[0] and lines[0].startswith("First administrator, valid once: " + url)
        assert "trials and development" in lines[1]
        answered(url)
        children = descendants(site.pid)
        assert len(children) == 4  # the server, its two workers, the worker that scores
        os.kill(site.pid, signal.SIGINT)  # Ctrl-C
        assert site.wait(240) == 0
        assert gone(children)
    with started("up", tmp_path, "--port", port, env=env) as site:  # the same folder: nothing is lost
        answered(url)
        key = (tmp_path / "secret-key").read_text()
        assert len(key) > 50


@linux
def test_children_end_when_up_is_killed(tmp_path):
    port = free_port()
    with started("up", tmp_path, "--port", port, env=site_env(tmp_path)) as site:
        answered(f"http://127.0.0.1:{port}/")
        children = descendants(site.pid)
        site.kill()
        site.wait()
        assert gone(children)


@linux
def test_a_killed_server_is_started_again(tmp_path):
    port = free_port()
    url = f"http://127.0.0.1:{port}/health"
    with started("up", tmp_path, "--port", port, env=site_env(tmp_path)) as site:
        answered(url)
        before = descendants(site.pid)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        assert gone(before)
        answered(url)
        assert len(descendants(site.pid)) >= 2


def test_a_port_in_use_is_one_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = hueval_site("up", tmp_path / "site", "--port", port, env=site_env(tmp_path))
    assert done.returncode == 1
    assert done.stderr == (
        f"hueval: cannot listen on 127.0.0.1 port {port} (Address already in use). Stop what is there, or name "
        "another port: --port\n"
    )
    assert not (tmp_path / "site").exists()


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "site"
    done = hueval_site("init", folder, env=site_env(folder))
    assert done.returncode == 1
    assert done.stderr.startswith("hueval: cannot write to ") and done.stderr.count("\n") == 1


def test_a_database_that_does_not_answer_is_one_line_without_the_password(tmp_path):
    url = f"postgresql://site:hunter2@127.0.0.1:{free_port()}/site"
    done = hueval_site("init", tmp_path, env=site_env(tmp_path, database=url))
    assert done.returncode == 1
    assert done.stderr.startswith("hueval: HUEVAL_SITE_DATABASE: ") and done.stderr.count("\n") == 1
    assert "hunter2" not in done.stderr


def test_init_goes_on_after_it_was_killed(tmp_path):
    env = site_env(tmp_path)
    for wait_s in (0.9, 1.4, 1.9):
        command = [sys.executable, "-m", "hueval_metrics", "site", "init", str(tmp_path)]
        process = subprocess.Popen(command, env=env)
        time.sleep(wait_s)
        process.kill()
        process.wait()
    done = hueval_site("init", tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    tables = sqlite3.connect(tmp_path / "site.sqlite3").execute("SELECT name FROM sqlite_master").fetchall()
    assert ("submissions_submission",) in tables and ("cache",) in tables


def test_slow_clients_are_cut_off(monkeypatch):
    from hueval_site.manage import slow_clients

    now = iter((0.0, 31.0, 62.0))
    monkeypatch.setattr(slow_clients.time, "monotonic", lambda: next(now))
    read = slow_clients._in_time(lambda: b"x" * 310_000)
    assert read()  # 310 kB in 31 s: just fast enough
    monkeypatch.setattr(slow_clients, "BYTES_PER_S", 10_001.0)
    with pytest.raises(TimeoutError):
        read()


def test_a_user_can_be_added_with_a_token(initialised):
    env = site_env(initialised)
    done = hueval_site("user", "add", "staff@example.org", "--staff", "--token", env=env)
    assert done.returncode == 0, done.stderr
    token, line = done.stdout.splitlines()
    assert token.startswith("hueval_")
    assert re.fullmatch(
        r"staff@example\.org: set a password, valid once: http://127\.0\.0\.1:8000/hu/accounts/password/reset/key/\S+/",
        line,
    )
    again = hueval_site("user", "add", "staff@example.org", env=env)
    assert (again.returncode, again.stderr.count("\n")) == (1, 1)


@pytest.mark.django_db
def test_an_account_has_no_team_unless_asked(capsys):
    from hueval_site.accounts.models import Team, User
    from hueval_site.manage.accounts import add_user

    add_user("anna@example.org", is_staff=False, with_token=False)
    assert User.objects.get().team is None
    Team.objects.create(name="Őszi csapat")
    add_user("bela@example.org", "ŐSZI CSAPAT", is_staff=False, with_token=False)
    assert [team.name for team in Team.objects.all()] == ["Őszi csapat"]  # its own, whatever the case


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("nobody",), "nobody: is no e-mail address. Name one such as name@example.org"),
        (("a@example.org", "--team", " "), "--team : Use at least one letter or digit."),
        (("a@example.org", "--team", "b@c"), "--team b@c: The name of a team is public: use one without an @."),
        (("a@example.org", "--team", "Тeam"), "--team Тeam: Use Latin letters, digits, spaces and punctuation only."),
    ],
    ids=["address", "no name", "an address", "a Cyrillic letter"],
)
def test_an_account_that_the_pages_would_refuse_is_one_line(initialised, arguments, line):
    done = hueval_site("user", "add", *arguments, env=site_env(initialised, language="en"))
    assert (done.returncode, done.stderr) == (1, f"hueval: {line}\n")


def test_the_link_of_a_new_account_works_on_the_port_that_runs(tmp_path):
    port = free_port()
    env = site_env(tmp_path)  # other commands do not know the port
    with started("up", tmp_path, "--port", port, env=env):
        answered(f"http://127.0.0.1:{port}/health")
        deadline = time.monotonic() + 30
        while checked(tmp_path, "worker")[0] and time.monotonic() < deadline:
            time.sleep(0.2)
        link = hueval_site("user", "add", "a@example.org", env=env).stdout.split()[-1]
        assert link.startswith(f"http://127.0.0.1:{port}/hu/")
        assert checked(tmp_path)[1][0] == f"site   http://127.0.0.1:{port} (folder {tmp_path})"
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert 'name="password1"' in opener.open(link).read().decode()


@pytest.mark.parametrize(
    "arguments",
    [
        ("user", "add", "a@example.org"),
        ("load-labels", "hulu_hucola", "labels.json"),
        ("import", "old.csv"),
        ("check",),
        ("backup", "out.zip"),
        ("rescore", "hulu_hucola"),
        ("manage", "check"),
        ("audit", "--since", "2026-11-01"),
        ("serve",),
        ("work",),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_folder_without_a_site_is_one_line(tmp_path, arguments):
    done = hueval_site(*arguments, env=site_env(tmp_path / "none"))
    folder = tmp_path / "none"
    line = f"hueval: {folder}: no site there. Set HUEVAL_SITE_DIR to its folder, or make one: hueval site init {folder}"
    assert (done.returncode, done.stderr) == (1, f"{line}\n")
    assert not folder.exists()


@pytest.mark.parametrize(
    "arguments", [("user", "add", "a@example.org"), ("rescore", "hulu_hucola"), ("backup", "new.zip")]
)
def test_a_database_that_is_away_is_one_line_for_every_command(initialised, tmp_path, arguments):
    url = f"postgresql://site:hunter2@127.0.0.1:{free_port()}/site"
    arguments = [tmp_path / one if one == "new.zip" else one for one in arguments]
    done = hueval_site(*arguments, env=site_env(initialised, database=url))
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("hueval: the database: connection failed: ")
    assert done.stderr.endswith(". Start it, fix HUEVAL_SITE_DATABASE, or run: hueval site init\n")
    assert "hunter2" not in done.stderr


@pytest.mark.parametrize("port", ["0", "65536", "http"])
def test_a_port_that_is_none_is_said_of_the_option(tmp_path, port):
    done = hueval_site("up", tmp_path, "--port", port, env=site_env(tmp_path))
    assert (done.returncode, done.stderr) == (
        2,
        f"hueval: argument --port: {port}: no port. Name a number from 1 to 65535. See: hueval site up --help\n",
    )


def test_health_answers_any_host_without_a_redirect(client, db):
    response = client.get("/health", headers={"host": "10.0.0.7:8000"})
    assert (response.status_code, response.content) == (200, b"ok\n")


def test_a_page_answers_the_host_of_the_url_alone(initialised):
    port = free_port()
    env = site_env(initialised, port=str(port))
    with started("serve", env=env):
        answered(f"http://127.0.0.1:{port}/health")
        asked = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(asked)
        assert refused.value.code == 400


def checked(folder: Path, *names: str, **settings: str) -> tuple[int, list[str]]:
    """The exit status of `check` and its lines."""
    done = hueval_site("check", *names, env=site_env(folder, **settings))
    return done.returncode, done.stdout.splitlines()


def test_check_says_what_a_new_site_lacks(initialised):
    status, lines = checked(initialised)
    assert status == 1
    assert lines[0] == f"site   http://127.0.0.1:8000 (folder {initialised})"
    assert [line for line in lines if line.startswith("fault")] == [
        "fault  worker: no worker is alive (last seen never): nothing is scored. Run: hueval site work"
    ]
    assert {line for line in lines if line.startswith("ok")} >= {"ok     database", "ok     disk", "ok     django"}
    notes = [line for line in lines if line.startswith("note")]
    assert any("is not https" in line for line in notes)
    assert any("mails are kept in" in line for line in notes)
    (line,) = (line for line in notes if "no data" in line)  # of all tasks
    place = initialised / "data" / "hulu" / "hucola" / "cola_test.json"
    assert re.fullmatch(
        r"note   boards: hulu_hucola, hulu_hucopa, hulu_hurte and \d+ more: no data, so nothing can be submitted\. "
        rf"Put them there, such as {place}, or name the boards of the site: HUEVAL_SITE_BOARDS",
        line,
    )
    done = hueval_site("check", "wroker", env=site_env(initialised))
    assert done.returncode == 1 and done.stderr.startswith("hueval: no check wroker. There are django, https, ")
    done = hueval_site("check", "boards", env=site_env(initialised, boards="hlu_hucola"))
    assert done.stderr == "hueval: HUEVAL_SITE_BOARDS: no board is called hlu_hucola. Did you mean hulu_hucola?\n"


def test_check_names_a_fault_with_its_fix(tmp_path, initialised):
    open_labels = tmp_path / "kept"
    open_labels.mkdir(mode=0o755)
    assert checked(initialised, "labels", labels=str(open_labels)) == (
        1,
        [f"fault  labels: others than its owner can read {open_labels}. Run: chmod 700 {open_labels}"],
    )
    open_labels.chmod(0o700)
    status, lines = checked(initialised, "labels", labels=str(open_labels))
    assert status == 0 and "have one owner" in lines[0]
    port = free_port()
    status, lines = checked(initialised, "mail", mail=f"smtp://127.0.0.1:{port}")
    assert status == 1 and f"the mail server 127.0.0.1 port {port} does not answer (Connection refused)" in lines[0]
    status, lines = checked(initialised, "https", url="https://board.example.org")
    assert status == 1 and "every page redirects to itself" in lines[0]
    assert checked(initialised, "django", url="https://board.example.org", secret_key="short")[0] == 1
    with sqlite3.connect(initialised / "site.sqlite3") as base:
        base.execute("DELETE FROM django_migrations WHERE app = 'mfa'")
    status, lines = checked(initialised, "database")
    assert status == 1 and "migrations have not been applied. Run: hueval site init" in lines[0]


def test_a_worker_says_that_it_is_alive(tmp_path):
    env = site_env(running.initialised(tmp_path))
    with started("work", env=env):
        deadline = time.monotonic() + 30
        while (found := checked(tmp_path, "worker"))[0] and time.monotonic() < deadline:
            time.sleep(0.2)
    assert found == (0, ["ok     worker"])


def test_the_demo_has_hidden_labels_and_public_rows(tmp_path):
    env = site_env(tmp_path) | {"HUEVAL_SAMPLE": "1"}  # as in a shell that has followed README
    done = hueval_site("demo", tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith(f"Now run: hueval site up {tmp_path}")
    rows = sqlite3.connect(tmp_path / "site.sqlite3").execute(
        "SELECT board, state, COUNT(*) FROM submissions_submission GROUP BY board, state"
    )
    found = {(board, state): n for board, state, n in rows}
    assert {state for _, state in found} == {"public", "private"}
    assert found["hulu_hucola", "public"] == 2
    public = (tmp_path / "data" / "hulu" / "hucola" / "cola_test.json").read_text(encoding="utf-8")
    hidden = (tmp_path / "labels" / "hulu" / "hucola" / "cola_test.json").read_text(encoding="utf-8")
    assert "label" not in public and '"label"' in hidden
    scored_again = hueval_site("rescore", "hulu_hucola", env=env)
    assert scored_again.stdout == "hulu_hucola: 3 submissions are scored again by the next free worker\n"
    unknown = hueval_site("rescore", "hulu_hucolla", env=env)
    assert (unknown.returncode, unknown.stderr) == (
        1,
        "hueval: hulu_hucolla: no board. Did you mean hulu_hucola?\n",
    )
    settings = sqlite3.connect(tmp_path / "site.sqlite3").execute("SELECT DISTINCT setting FROM submissions_submission")
    assert settings.fetchall() == [("baseline",)]
    again = hueval_site("demo", tmp_path, env=env)
    assert (again.returncode, again.stderr) == (1, f"hueval: {tmp_path}: is not empty. Name a new folder\n")

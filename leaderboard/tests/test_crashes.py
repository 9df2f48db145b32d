"""Workers that are killed, stopped, or cut off from the database or the disk, in processes of their own."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from leaderboard.tests.killed import POINTS, report, site_program, until
from leaderboard.tests.labelled import write_labelled
from leaderboard.tests.postgres import ABSENT, binaries, postgresql
from leaderboard.tests.running import hueval_site, initialised, site_env, started
from tests.preloaded import popen

pytestmark = pytest.mark.process

LEASE_S = 3.0


@pytest.fixture(scope="module")
def server():
    if binaries() is None:
        pytest.skip(ABSENT)
    with postgresql() as found:
        yield found


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request, tmp_path):
    """The environment of a site with hidden labels, set up, on each database."""
    folder, address = tmp_path / "site", "sqlite"
    if request.param == "postgresql":
        import psycopg

        server = request.getfixturevalue("server")
        name = f"site{time.monotonic_ns()}"
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        address = server.url.replace("/postgres", f"/{name}")
    env = site_env(folder, database=address, lease_s=str(LEASE_S), language="en")
    if request.param == "sqlite":
        initialised(folder)
    else:
        assert hueval_site("init", folder, env=env).returncode == 0
    write_labelled(folder / "data", folder / "labels")
    return env


def _all(env, state):
    return all(one["state"] == state for one in report(env))


def test_nothing_is_lost_or_scored_twice_wherever_a_process_is_killed(site):
    """Web server and worker, between any two steps; the file of the first has no row, and nobody was told of it."""
    site_program("die", env=site | {"HUEVAL_SITE_LEASE_S": "60"})  # none takes over from the last one yet
    assert {one["state"] for one in report(site)} == {"uploaded", "checked", "queued", "scoring", "private"}
    with started("work", env=site):
        until(lambda: _all(site, "private"))
    found = report(site)
    assert len(found) == len(POINTS) - 1
    assert [(one["n_private"], one["mails"]) for one in found] == [(1, 1)] * len(found)
    assert sorted(one["attempts"] for one in found) == [1] * 6 + [2] * 3  # three were being scored


def test_a_worker_that_is_told_to_stop_puts_its_submission_back_at_once(site, tmp_path):
    site_program("submit", 1, env=site)
    begun = tmp_path / "begun"
    command = [sys.executable, "-m", "leaderboard.tests.killed", "work", str(begun), "600"]
    process = popen(command, env=site, stderr=subprocess.DEVNULL)
    until(begun.exists)
    process.send_signal(signal.SIGTERM)
    assert process.wait(240) == 0  # long before the ten minutes that scoring would take
    (left,) = report(site)
    assert (left["state"], left["attempts"], left["worker"]) == ("queued", 0, "")


def test_two_workers_score_thirty_submissions_once_each(site):
    site_program("submit", 30, env=site)
    with started("work", env=site), started("work", env=site):
        until(lambda: _all(site, "private"), 120)
    found = report(site)
    assert [one["n_private"] for one in found] == [1] * 30
    assert [one["attempts"] for one in found] == [1] * 30
    assert [one["mails"] for one in found] == [1] * 30


def test_a_worker_survives_while_the_database_is_away(server, request, tmp_path):
    env = site_env(tmp_path / "site", database=server.url, lease_s=str(LEASE_S))
    assert hueval_site("init", tmp_path / "site", env=env).returncode == 0
    write_labelled(tmp_path / "site" / "data", tmp_path / "site" / "labels")
    with started("work", env=env) as process:
        site_program("submit", 1, env=env)
        until(lambda: _all(env, "private"))
        server.stop()
        time.sleep(5)  # it tries some times, in vain
        assert process.poll() is None
        server.start()
        site_program("submit", 1, env=env)
        until(lambda: _all(env, "private"))
        assert process.poll() is None
    server.stop()
    with started("work", env=env) as process:
        time.sleep(3)
        assert process.poll() is None  # it waits for the database, too
        server.start()
        site_program("submit", 1, env=env)
        until(lambda: _all(env, "private"))


def test_a_lock_of_another_process_costs_no_submission(tmp_path):
    """As of a backup by another tool: who reads is answered; who writes is asked to come again, and nothing is half."""
    folder = tmp_path / "site"
    env = site_env(initialised(folder), language="en")
    write_labelled(folder / "data", folder / "labels")
    token = hueval_site("user", "add", "a@example.org", "--team", "T", "--token", env=env).stdout.split()[0]
    site_program("submit", 1, env=env)
    with closing(sqlite3.connect(folder / "site.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        answered = json.loads(site_program("post", token, env=env))
    assert answered == [503, "10", "unavailable", 200, "database is locked"]
    assert len(list((folder / "uploads").iterdir())) == 1
    assert json.loads(site_program("post", token, env=env)) == [201, None, None, 200, "done"]
    assert [(one["state"], one["n_private"]) for one in report(env)] == [("private", 1)] * 2


def test_nothing_is_lost_while_a_database_cannot_grow(tmp_path):
    """As on a full disk: SQLite refuses to grow beyond `max_page_count`, so triggers refuse what a worker writes."""
    folder = tmp_path / "site"
    env = site_env(folder, lease_s=str(LEASE_S))
    initialised(folder)
    write_labelled(folder / "data", folder / "labels")
    site_program("submit", 1, env=env)
    with closing(sqlite3.connect(folder / "site.sqlite3", timeout=20)) as db:
        db.execute(
            "CREATE TRIGGER full BEFORE UPDATE OF state ON submissions_submission "
            "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
        db.commit()
    with started("work", env=env) as process:
        time.sleep(4)
        assert process.poll() is None
        assert [one["state"] for one in report(env)] == ["queued"]
        with closing(sqlite3.connect(folder / "site.sqlite3", timeout=20)) as db:
            db.execute("DROP TRIGGER full")
            db.commit()
        until(lambda: _all(env, "private"))

"""A site of the first tables (schema_0001/dump.py) is upgraded with its rows, though it is killed at each migration."""

from __future__ import annotations

import gzip
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from leaderboard.tests.killed import site_program
from leaderboard.tests.people import PASSWORD
from leaderboard.tests.postgres import ABSENT, binaries, postgresql
from leaderboard.tests.running import hueval_site, site_env
from tests.preloaded import run

pytestmark = pytest.mark.process

DUMPS = Path(__file__).parent / "schema_0001"
NEW = {  # what each row of a table has in its new columns
    "accounts_team": {"is_suspended": False, "owner_id": None, "invitations": 0},
    "accounts_user": {"network": ""},
    "submissions_season": {"by_hand": None},
    "submissions_submission": {"broken": None, "n_broken": 0, "licence": ""},
}
GROWING = {"django_migrations", "django_content_type", "auth_permission"}  # by what Django itself writes
TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
}
USE = """
import django, json, sys
django.setup()
from django.test import Client
from django.urls import reverse
from hueval_site.scoring.lease import claim
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.waiting import wait_of

client = Client(headers={"host": "127.0.0.1"})
signed_in = client.post(reverse("account_login"), {"login": "anna@example.org", "password": sys.argv[1]})
waiting = Submission.objects.filter(state=State.QUEUED).order_by("queued")
print(json.dumps({
    "login": [signed_in.status_code, signed_in.headers.get("location")],
    "shown": "Első a sorban" in client.get(reverse("mine")).content.decode(),
    "token": Client(headers={"host": "127.0.0.1", "authorization": "Bearer made up"}).get(
        "/api/v1/submissions").status_code,
    "places": [[found.model_name, wait_of(found).place] for found in waiting],
    "claimed": [claim("worker").model_name for _ in range(3)],
}))
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request, tmp_path):
    """The environment of a site whose database is a dump, and a function that connects to that."""
    sql = gzip.decompress((DUMPS / f"{request.param}.sql.gz").read_bytes()).decode()
    if request.param == "sqlite":
        file = tmp_path / "site.sqlite3"
        with closing(sqlite3.connect(file)) as db:
            db.executescript(sql)
        yield site_env(tmp_path, language="en"), lambda: sqlite3.connect(file)
        return
    if binaries() is None:
        pytest.skip(ABSENT)
    import psycopg

    with postgresql() as server:
        with psycopg.connect(server.url, autocommit=True) as db:
            db.execute(sql)
        yield site_env(tmp_path, database=server.url, language="en"), lambda: psycopg.connect(server.url)


def rows(connect) -> dict[str, dict[object, dict[str, object]]]:
    """Table → the first column → the row."""
    found = {}
    with closing(connect()) as db:
        tables = db.execute(TABLES["sqlite" if isinstance(db, sqlite3.Connection) else "postgresql"])
        for (table,) in tables.fetchall():
            cursor = db.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in cursor.description]
            found[table] = {row[0]: dict(zip(names, row, strict=True)) for row in cursor}
    return found


def test_an_upgrade_keeps_every_row_wherever_it_is_killed(old):
    env, connect = old
    before = rows(connect)
    assert {table: len(before[table]) for table in NEW} == {
        "accounts_team": 3,
        "accounts_user": 6,
        "submissions_season": 3,
        "submissions_submission": 10,
    }
    killed = json.loads(site_program("upgrade", env=env))
    assert {
        "accounts.0002_staff",
        "accounts.0003_network",
        "submissions.0002_broken_off",
        "submissions.0004_by_hand",
    } <= set(killed)
    done = hueval_site("init", env=env)
    assert (done.returncode, done.stderr) == (0, "")

    after = rows(connect)
    for table, kept in before.items():
        expected = {key: row | NEW.get(table, {}) for key, row in kept.items()}
        found = {key: row for key, row in after[table].items() if table not in GROWING or key in kept}
        assert found == expected, table
    assert hueval_site("check", "database", env=env).stdout == "ok     database\n"

    use = run(
        [sys.executable, "-c", USE, PASSWORD],
        env=env | {"DJANGO_SETTINGS_MODULE": "hueval_site.settings"},
        capture_output=True,
        timeout=240,
    )
    assert use.returncode == 0, use.stderr
    assert json.loads(use.stdout) == {
        "login": [302, "/en/my/"],
        "shown": True,
        "token": 200,
        "places": [["Első a sorban", 1], ["Második a sorban", 2]],
        "claimed": ["Első a sorban", "Második a sorban", "Pumi"],  # the last one's worker is gone
    }

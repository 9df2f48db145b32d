"""Backup and restore, by the command, between folders and databases."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest

from leaderboard.tests.running import hueval_site, initialised, site_env
from tests import preloaded

pytestmark = pytest.mark.process

SERVER = os.environ.get("HUEVAL_TEST_DATABASE")  # read at import: tests do not see it
CANARY = "canary-7f3a"  # a label that no backup without --labels may hold
FILL = """
import django, sys
django.setup()
from datetime import datetime, timedelta, timezone
from django.core.files.base import ContentFile
from django.utils import timezone as now
from hueval_site.accounts.models import Team, Token, User
from hueval_site.submissions.models import Decision, Mail, Season, State, Submission
from hueval_site.submissions.states import move

n = int(sys.argv[1])
team = Team.objects.create(name="Szeged – űrhajó 🚀")
user = User.objects.create_user("a@example.org", "pass word", team=team, language="hu")
Token.create(user, "laptop")
season = Season.objects.create(board="kviz_a", labels_hash="f" * 64, fixed={"b": [1, None], "a": {"z": 0.1}})
first = Submission.objects.create(
    team=team, user=user, board="kviz_a", season=season, model_name="m", contamination="\\u0150\\r\\n'\\"\\\\",
    file=ContentFile(b'{"qid": 1}' * 100, name="x.jsonl"), name="x.jsonl", size=0.1 + 0.2, exact={"mcc": 1 / 3},
    faults=[{"row": None, "text": {"hu": "hiba"}}],
)
move(first, State.CHECKED)
move(first, State.QUEUED)
Decision.objects.create(submission=first, staff=user, approves=True, note="ok")
Mail.objects.create(to="a@example.org", subject="s", body="b", next_attempt=now.now() + timedelta(days=1))
rows = [
    Submission(team=team, user=user, board="kviz_a", season=season, model_name=f"model {number}", contamination="none",
               state="private", file=f"{number}.jsonl", name="x.jsonl", digest="0" * 64, exact={"mcc": number / 7},
               told={"kind": "first", "score": 12.0, "step": 4.1}, worker="")
    for number in range(n)
]
Submission.objects.bulk_create(rows, batch_size=500)
from django.conf import settings
for number in range(n):
    content = b'{"qid": "%d", "prediction": "1"}\\n' % number * 500
    (settings.CONFIG.dir / "uploads" / f"{number}.jsonl").write_bytes(content)
"""

DELETE = """
import django
django.setup()
from hueval_site.accounts.models import User
from hueval_site.submissions.personal import delete_account

delete_account(User.objects.get())
"""


SCORES = """
import django, json, sys
django.setup()
from django.test import Client
from hueval_site.boards import boards
from hueval_site.scoring.again import rescore
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.models import Submission

tasks = sorted({*Submission.objects.values_list("board", flat=True)})
if len(sys.argv) > 1:
    assert sum(rescore(boards()[task]) for task in tasks) == score_waiting() == Submission.objects.count()
rows = Submission.objects.values("pk", "board", "state", "season", "exact", "told", "shown")
tables = {task: Client().get(f"/api/v1/boards/{task}.csv").content.decode() for task in tasks}
print(json.dumps({"rows": {str(row.pop("pk")): row for row in rows}, "tables": tables}))
"""


def run(folder: Path, *arguments: object, **settings: str) -> str:
    done = hueval_site(*arguments, env=site_env(folder, **settings))
    assert done.returncode == 0, done.stderr
    return done.stdout


def fill(folder: Path, n: int, **settings: str) -> None:
    if settings:
        run(folder, "init", **settings)
    else:
        initialised(folder)
    env = site_env(folder, **settings) | {"DJANGO_SETTINGS_MODULE": "hueval_site.settings"}
    preloaded.run([sys.executable, "-c", FILL, str(n)], env=env, check=True, timeout=240)
    (folder / "labels" / "kviz").mkdir(parents=True)
    (folder / "labels" / "kviz" / "test.json").write_text(CANARY)


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def postgres():
    """The URL of a new database on the server of the tests."""
    if SERVER is None:
        pytest.skip("HUEVAL_TEST_DATABASE names no PostgreSQL")
    import psycopg

    name = f"backup_{uuid4().hex[:8]}"
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    yield urlunsplit(urlsplit(SERVER)._replace(path=f"/{name}"))
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_restored_site_is_equal_row_for_row(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    fill(old, 50)
    said = run(old, "backup", tmp_path / "one.zip")
    assert said.endswith("51 uploads\n")
    assert (tmp_path / "one.zip").stat().st_mode & 0o777 == 0o600
    run(new, "restore", tmp_path / "one.zip")
    run(new, "backup", tmp_path / "two.zip")
    first, second = contents(tmp_path / "one.zip"), contents(tmp_path / "two.zip")
    assert first == second
    assert len(first["rows/submissions.submission.jsonl"].splitlines()) == 51
    assert b"0.30000000000000004" in first["rows/submissions.submission.jsonl"]
    assert first["rows/auditlog.logentry.jsonl"]
    assert not any(CANARY.encode() in content for content in first.values())


def test_scores_of_a_restored_site_are_equal_and_come_out_again(tmp_path):
    """The demo's rows: each with its exact score, what is told and shown, its board; and when all are scored again."""
    old, new = tmp_path / "old", tmp_path / "new"
    run(old, "demo", old)
    run(old, "backup", tmp_path / "site.zip", "--labels")
    run(new, "restore", tmp_path / "site.zip", "--labels")
    shutil.copytree(old / "data", new / "data", dirs_exist_ok=True)  # public, so in no backup
    shutil.copy(old / "secret-key", new / "secret-key")  # signatures show a hash of the labels under it

    def scores(folder, *arguments):
        env = site_env(folder) | {"DJANGO_SETTINGS_MODULE": "hueval_site.settings"}
        command = [sys.executable, "-c", SCORES, *arguments]
        return json.loads(preloaded.run(command, env=env, check=True, capture_output=True, timeout=240).stdout)

    before = scores(old)
    assert len(before["rows"]) == 36 and all(row["exact"] for row in before["rows"].values())
    assert scores(new) == before
    assert scores(new, "again") == before


def test_between_sqlite_and_postgresql_and_back(tmp_path, postgres):
    fill(tmp_path / "old", 20)
    run(tmp_path / "old", "backup", tmp_path / "one.zip")
    run(tmp_path / "new", "restore", tmp_path / "one.zip", database=postgres)
    run(tmp_path / "new", "backup", tmp_path / "two.zip", database=postgres)
    run(tmp_path / "back", "restore", tmp_path / "two.zip")
    run(tmp_path / "back", "backup", tmp_path / "three.zip")
    one, two, three = (contents(tmp_path / f"{name}.zip") for name in ("one", "two", "three"))
    assert one == two == three
    # Sequences go on behind the restored ids.
    run(tmp_path / "new", "user", "add", "b@example.org", database=postgres)


def test_a_backup_after_a_deletion_does_not_say_who_it_was(tmp_path):
    fill(tmp_path / "site", 0)
    env = site_env(tmp_path / "site") | {"DJANGO_SETTINGS_MODULE": "hueval_site.settings"}
    preloaded.run([sys.executable, "-c", DELETE], env=env, check=True, timeout=240)
    run(tmp_path / "site", "backup", tmp_path / "site.zip")
    held = contents(tmp_path / "site.zip")
    assert b"deleted-1@invalid" in held["rows/accounts.user.jsonl"]
    assert [name for name, content in held.items() if b"a@example.org" in content] == []


def test_labels_are_in_a_backup_only_when_asked_for(tmp_path):
    fill(tmp_path / "old", 0)
    run(tmp_path / "old", "backup", tmp_path / "all.zip", "--labels")
    run(tmp_path / "new", "restore", tmp_path / "all.zip")
    assert not (tmp_path / "new" / "labels").exists()
    run(tmp_path / "with", "restore", tmp_path / "all.zip", "--labels")
    labels = tmp_path / "with" / "labels" / "kviz" / "test.json"
    assert labels.read_text() == CANARY
    assert labels.stat().st_mode & 0o777 == 0o600


def test_a_site_that_is_not_empty_is_left_as_it_is(tmp_path):
    fill(tmp_path / "old", 1)
    run(tmp_path / "old", "backup", tmp_path / "one.zip")
    again = hueval_site("restore", tmp_path / "one.zip", env=site_env(tmp_path / "old"))
    assert (again.returncode, again.stderr) == (
        1,
        "hueval: the site is not empty. Restore into a new folder and an empty database\n",
    )
    twice = hueval_site("backup", tmp_path / "one.zip", env=site_env(tmp_path / "old"))
    assert twice.stderr == f"hueval: {tmp_path}/one.zip: exists. Name a new file\n"


@pytest.mark.parametrize("content", [b"", b"not a zip", None])
def test_what_is_no_backup_is_one_line(tmp_path, content):
    path = tmp_path / "x.zip"
    if content is not None:
        path.write_bytes(content)
    done = hueval_site("restore", path, env=site_env(tmp_path / "new"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1


def test_a_truncated_backup_leaves_an_empty_site(tmp_path):
    fill(tmp_path / "old", 3)
    run(tmp_path / "old", "backup", tmp_path / "one.zip")
    kept = contents(tmp_path / "one.zip")
    lines = kept["rows/submissions.submission.jsonl"].splitlines(keepends=True)
    with zipfile.ZipFile(tmp_path / "less.zip", "w") as archive:
        for name, content in kept.items():
            archive.writestr(name, b"".join(lines[:-1]) if name == "rows/submissions.submission.jsonl" else content)
    done = hueval_site("restore", tmp_path / "less.zip", env=site_env(tmp_path / "new"))
    assert done.returncode == 1 and "damaged" in done.stderr
    run(tmp_path / "new", "restore", tmp_path / "one.zip")


def test_a_backup_during_writes_is_of_one_moment(tmp_path):
    """A writer adds a team and its member in one transaction, again and again: no backup has one without the other."""
    writer = """
import django, sys
django.setup()
from django.db import transaction
from hueval_site.accounts.models import Team, User
number = 0
while True:
    with transaction.atomic():
        team = Team.objects.create(name=f"team {number}")
        User.objects.create_user(f"{number}@example.org", team=team)
    number += 1
    print(number, flush=True)
"""
    env = site_env(initialised(tmp_path / "old")) | {"DJANGO_SETTINGS_MODULE": "hueval_site.settings"}
    process = subprocess.Popen([sys.executable, "-c", writer], env=env, stdout=subprocess.PIPE, text=True)
    try:
        for number in range(2):
            before = int(process.stdout.readline())
            run(tmp_path / "old", "backup", tmp_path / f"{number}.zip")
            kept = contents(tmp_path / f"{number}.zip")
            teams, users = (len(kept[f"rows/accounts.{name}.jsonl"].splitlines()) for name in ("team", "user"))
            assert teams == users >= before
    finally:
        process.kill()
        process.communicate()

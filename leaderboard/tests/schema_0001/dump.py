"""Dump a site with the tables of 0001 and rows of all kinds, for test_upgrade.py: two files of SQL, compressed.

Run it with the code of the last commit that had only the migrations 0001, and PostgreSQL's oldest supported version:

    git worktree add --detach /tmp/old fdd979a5
    PYTHONPATH=/tmp/old:/tmp/old/leaderboard python leaderboard/tests/schema_0001/dump.py leaderboard/tests/schema_0001
    git worktree remove /tmp/old

All names, addresses and files are made up. The rows are written by the site's own functions where these leave more
than one row, such as mails and entries of the audit log.
"""

from __future__ import annotations

import gzip
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import closing
from datetime import date
from pathlib import Path

from leaderboard.tests.labelled import predictions, write_labelled
from leaderboard.tests.postgres import binaries, postgresql
from leaderboard.tests.running import hueval_site, site_env

# Of pg_dump's text: comments, what only psql reads, and settings that another version may not know.
NOT_SQL = re.compile(r"(--|\\|SET |SELECT pg_catalog\.set_config)")


def fill() -> None:
    """Rows of all kinds, of three teams and two members of staff."""
    from allauth.account.models import EmailAddress
    from django.utils import timezone

    from hueval_site.accounts.models import Team, Token, User
    from hueval_site.boards import boards
    from hueval_site.scoring.lease import claim
    from hueval_site.scoring.work import score_waiting
    from hueval_site.submissions.limits import YEAR
    from hueval_site.submissions.models import JudgeMonth, Judging, Mail, Note, Season, State, Submission
    from hueval_site.submissions.publish import decide, request_publication, withdraw
    from hueval_site.submissions.receive import check, store
    from hueval_site.submissions.states import move
    from leaderboard.tests.people import CARD, member, submitted, upload

    anna = member("anna@example.org", "Árvíztűrő tükörfúrógép")
    bela = member("bela@example.org", "Őrség – NLP 'kör' 🚀", first_name="Béla")
    cili = member("cili@example.org", "Új csapat")
    Team.objects.filter(name="Új csapat").update(is_admitted=False)
    member("dora@example.org", None, last_login=timezone.now())
    one, two = (member(f"{name}@staff.example.org", None, is_staff=True) for name in ("one", "two"))
    User.objects.filter(pk=one.pk).update(is_superuser=True)
    EmailAddress.objects.create(user=cili, email="új@example.org")
    Token.objects.create(user=anna, name="laptop", digest=Token.digest_of("made up"), used=timezone.now())
    Token.create(bela, "félretett kulcs")

    def sent(user: User, accuracy: float, seed: int, model: str) -> Submission:
        Submission.objects.update(counted=timezone.now() - YEAR)  # no limit of a team counts the earlier ones
        return submitted(user, accuracy, seed, model)

    public, newer, pending, refused, withdrawn = (
        sent(user, accuracy, seed, model)
        for seed, (user, accuracy, model) in enumerate(
            [
                (anna, 0.8, "Puli"),
                (anna, 0.85, "Puli"),
                (bela, 0.7, "Kuvasz"),
                (bela, 0.6, "Mudi"),
                (anna, 0.5, "Vizsla"),
            ]
        )
    )
    score_waiting()
    for row in (public, newer):  # the second supersedes the first
        decide(request_publication(row, anna), one, approves=True)
    request_publication(pending, bela)
    decide(
        request_publication(refused, bela), two, approves=False, note='Az adatlap hiányos:\r\n"alapmodell"; \\ 100 %'
    )
    withdraw(withdrawn, anna)
    Note.objects.create(submission=pending, staff=one, text="Megkérdeztem: ő az?")
    rows = [{"id": "nincs ilyen", "label": "1"}, *predictions("hurte", 0.8)]
    faulty = check(store(bela, boards()["hulu_hurte"], upload(rows, "rte.json"), CARD))
    assert faulty.state == State.FAULTY
    failed, scoring, _first, _second = (
        sent(user, 0.7, seed, model)
        for seed, (user, model) in enumerate(
            [(anna, "Komondor"), (bela, "Pumi"), (anna, "Első a sorban"), (bela, "Második a sorban")], 10
        )
    )
    claim("worker 1")
    move(failed, State.FAILED, reason="A pontozás háromszor megszakadt.", worker="", heartbeat=None, attempts=3)
    claim("worker 2")
    Submission.objects.filter(pk=scoring.pk).update(worker="worker 2 ő", size=0.1 + 0.2)

    Season.objects.create(
        board="hulu_hurte", number=7, closed=timezone.now(), fixed={"b": [1, None], "a": {"z": 0.1, "ő": "ű"}}
    )
    JudgeMonth.objects.create(month=date(2026, 11, 1), usd=1 / 3)
    Judging.objects.create(board="hulu_hucola", seen=timezone.now())
    Mail.objects.filter(to="anna@example.org").update(sent=timezone.now(), attempts=1)


def filled(folder: Path, database: str) -> Path:
    """A site in a folder."""
    env = site_env(folder, database=database) | {"DJANGO_SETTINGS_MODULE": "hueval_site.settings"}
    done = hueval_site("init", folder, env=env)
    assert done.returncode == 0, done.stderr
    write_labelled(folder / "data", folder / "labels")
    subprocess.run([sys.executable, __file__, "fill"], env=env, check=True)
    return folder


def write(path: Path, lines: Iterable[str]) -> None:
    """Compress lines of SQL, such that `zcat` shows them."""
    path.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


def main(out: Path) -> None:
    """Write both dumps."""
    with tempfile.TemporaryDirectory() as text, postgresql() as server:
        folder = filled(Path(text) / "sqlite", "sqlite")
        with closing(sqlite3.connect(folder / "site.sqlite3")) as db:
            write(out / "sqlite.sql.gz", db.iterdump())
        filled(Path(text) / "postgresql", server.url)
        command = [f"{binaries()}/pg_dump", "--inserts", "--no-owner", "--no-privileges", "--no-comments", server.url]
        dump = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
        write(out / "postgresql.sql.gz", (line for line in dump.split("\n") if not NOT_SQL.match(line)))


if __name__ == "__main__":
    if sys.argv[1:] == ["fill"]:
        import django

        django.setup()
        fill()
    else:
        main(Path(sys.argv[1]))

"""A site whose workers are processes of their own, to be killed, stopped and cut off from what they need.

`python -m leaderboard.tests.killed …`:

submit N [ACCURACY]   N submissions of N teams, through the functions that pages call
work FILE SECONDS     a worker that writes FILE and pauses while it scores
die                   for each of `POINTS` a submission, and a process that is killed there
upgrade               for each migration to come a `hueval site init` that is killed before noting that it is applied
post TOKEN            an upload to the API and a page, and a worker, which wait 0.2 s for a lock; what became of them
report                what the database says of each submission, as JSON
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from leaderboard.tests.labelled import predictions
from tests.preloaded import run

# Where a process is killed: by itself, before a function of a module is called or after it has returned.
POINTS = (
    ("receive", "_put", "after"),  # the file is stored
    ("receive", "check", "before"),  # the row is written
    ("receive", "move", "before"),  # the file is checked
    ("receive", "queue", "before"),  # that is noted
    ("transaction", "on_commit", "before"),  # it is queued, and not yet committed
    ("tasks", "wake_workers", "before"),  # it is committed
    ("work", "result_of", "before"),  # it is claimed
    ("work", "_finish", "before"),  # it is scored
    ("work", "move", "after"),  # the result is written, and not yet committed
    ("work", "_finish", "after"),  # it is committed
)


def site_program(*arguments: object, env: Mapping[str, str]) -> str:
    """Run one of the commands above; what it prints."""
    command = [sys.executable, "-m", "leaderboard.tests.killed", *map(str, arguments)]
    done = run(command, env=dict(env), capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def report(env: Mapping[str, str]) -> list[dict[str, Any]]:
    """What the database says of each submission."""
    found: list[dict[str, Any]] = json.loads(site_program("report", env=env))
    return found


def until(condition: Callable[[], Any], within_s: float = 240.0) -> Any:
    """Wait until a condition holds; what it gives."""
    end = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.5)
    return found


def _submit(count: str, accuracy: str = "0.8") -> None:
    from django.core.files.base import ContentFile

    from hueval_site.accounts.models import Team, User
    from hueval_site.boards import boards
    from hueval_site.submissions.receive import check, store

    start = Team.objects.count()
    for number in range(start, start + int(count)):
        team = Team.objects.create(name=f"Team {number}", is_admitted=True)
        user = User.objects.create_user(f"{number}@example.org", team=team, language=("hu", "en")[number % 2])
        content = json.dumps(predictions("hucola", float(accuracy), number)).encode()
        card = {"model_name": f"model {number}", "contamination": "none known"}
        check(store(user, boards()["hulu_hucola"], ContentFile(content, name="HuCOLA.json"), card))


def _die() -> None:
    from django.db import connections, transaction

    from hueval_site.scoring import tasks, work
    from hueval_site.submissions import receive

    modules = {"receive": receive, "transaction": transaction, "tasks": tasks, "work": work}
    for module, name, when in POINTS:
        if module == "work":
            _submit("1")
        connections.close_all()  # a connection is not for two processes
        if child := os.fork():
            assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL, (module, name)
            continue
        setattr(modules[module], name, _deadly(getattr(modules[module], name), when))
        work.score_waiting() if module == "work" else _submit("1")
        os._exit(1)


def _deadly(inner: Callable[..., Any], when: str) -> Callable[..., Any]:
    def deadly(*given: Any, **named: Any) -> None:
        if when == "after":
            inner(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    return deadly


def _upgrade() -> None:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    from hueval_site.manage.setup import init

    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    connection.close()  # it is not for two processes
    for migration, _ in plan:
        if child := os.fork():
            assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL, str(migration)
            continue
        _die_at(migration.app_label, migration.name)
        init()
        os._exit(1)
    print(json.dumps([str(migration) for migration, _ in plan]))


def _die_at(*migration: str) -> None:
    from django.db.migrations.recorder import MigrationRecorder

    record = MigrationRecorder.record_applied
    deadly = _deadly(record, "before")
    MigrationRecorder.record_applied = lambda *given: (deadly if given[1:] == migration else record)(*given)


def _work(file: str, seconds: str) -> None:
    from hueval_site.manage.run import work
    from hueval_site.scoring import work as scoring

    result_of = scoring.result_of

    def slow(*arguments: Any) -> dict[str, Any]:
        Path(file).touch()
        time.sleep(float(seconds))
        return result_of(*arguments)

    scoring.result_of = slow
    work()


def _post(token: str) -> None:
    from django.db import OperationalError, connection
    from django.test import Client

    from hueval_site.scoring.work import score_waiting
    from leaderboard.tests.api_client import post

    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout=200")
    client = Client(raise_request_exception=False, headers={"host": "127.0.0.1"})
    answer = post(client, {"Authorization": f"Bearer {token}"})
    page = client.get("/api/v1/boards/hulu_hucola")
    try:
        score_waiting()
        worker = "done"
    except OperationalError as error:
        worker = str(error)
    given = answer.json().get("error", {}).get("code")
    found = [answer.status_code, answer.headers.get("Retry-After"), given, page.status_code, worker]
    print(json.dumps(found))


def _report() -> None:
    from auditlog.models import LogEntry

    from hueval_site.submissions.models import Mail, Submission

    rows = []
    for found in Submission.objects.order_by("created").select_related("user"):
        changes = [one.changes_dict.get("state", [None, None])[1] for one in LogEntry.objects.get_for_object(found)]
        mails = Mail.objects.filter(to=found.user.email)
        rows.append(
            {
                "state": found.state,
                "attempts": found.attempts,
                "worker": found.worker,
                "exact": found.exact and found.exact["mcc"],
                "n_private": changes.count("private"),
                "n_queued": changes.count("queued"),
                "mails": mails.count(),
                "sent": mails.exclude(sent=None).count(),
                "reason": found.reason,
            }
        )
    print(json.dumps(rows))


if __name__ == "__main__":
    from hueval_site.manage.django_setup import set_up

    set_up()
    commands = {"submit": _submit, "work": _work, "die": _die, "post": _post, "report": _report, "upgrade": _upgrade}
    commands[sys.argv[1]](*sys.argv[2:])

"""`hueval site check`: what is wrong with a site, and how to fix it, one line each."""

from __future__ import annotations

import shutil
import socket
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hueval_metrics.api.boards import DONE, USER_ERROR, one_line
from hueval_metrics.errors import InputError
from hueval_site.config import Config, config
from hueval_site.manage.django_setup import set_up
from hueval_site.submissions.alive import is_dead, last_beat, site_url

if TYPE_CHECKING:
    from hueval_site.boards import Board

FREE_BYTES = 2**30
FREE_SHARE = 0.05
CLOCK_S = 5.0  # between this machine and the database
MAIL_S = 5.0
OLDEST_POSTGRESQL = 15
SHOWN_BOARDS = 3  # without data


@dataclass(frozen=True)
class Finding:
    """Something wrong.

    Attributes:
        text: what, and how to fix it.
        is_fault: False where a site can run on like this, such as for a trial.
    """

    text: str
    is_fault: bool = True


def check(names: Sequence[str] = ()) -> int:
    """Run the checks and print their findings; before those of all, where the site is.

    Args:
        names: of `CHECKS`; empty: all.

    Returns:
        The exit status: 1 where there is a fault.

    Raises:
        InputError: there is no check of a name, or Django cannot be loaded.
    """
    if unknown := [name for name in names if name not in CHECKS]:
        raise InputError(
            f"no check {', '.join(unknown)}. There are {', '.join(CHECKS)}; the folder of the site is HUEVAL_SITE_DIR"
        )
    settings = config()
    set_up()
    from django.db import DatabaseError

    if not names:
        address = settings.url
        with suppress(DatabaseError):  # which is a finding
            address = site_url()
        print(f"site   {address} (folder {settings.dir})")
    found = {name: list(_run(name, settings)) for name in names or CHECKS}
    for name, findings in found.items():
        for one in findings:
            print(f"{'fault' if one.is_fault else 'note '}  {name}: {one.text}")
        if not findings:
            print(f"ok     {name}")
    return USER_ERROR if any(one.is_fault for findings in found.values() for one in findings) else DONE


def _run(name: str, settings: Config) -> Iterator[Finding]:
    from django.db import DatabaseError

    try:
        yield from CHECKS[name](settings)
    except DatabaseError as error:
        yield Finding(f"the database does not answer ({one_line(error, 160)}). Start it, or fix HUEVAL_SITE_DATABASE")
    except OSError as error:
        yield Finding(f"{error.filename or name}: {error.strerror or one_line(error, 160)}. Fix the rights or the path")


def _django(settings: Config) -> Iterator[Finding]:
    """Django's own checks; those of https are `_https`'s where the site has none."""
    from django.core.checks import run_checks

    of_https = {f"security.W{number:03}" for number in (4, 5, 8, 12, 16, 18)}
    for message in run_checks(include_deployment_checks=True):
        if message.is_silenced() or (message.id in of_https and settings.url.startswith("http://")):
            continue
        hint = f". {one_line(message.hint, 160)}" if message.hint else ""
        yield Finding(f"{message.id}: {one_line(message.msg, 240)}{hint}", is_fault=message.level >= 30)


def _https(settings: Config) -> Iterator[Finding]:
    host = urlsplit(settings.url).hostname
    if settings.url.startswith("http://"):
        is_local = host in ("127.0.0.1", "localhost", "::1")
        fix = "Put a proxy with TLS before it and set HUEVAL_SITE_URL=https://…"
        yield Finding(f"the site is not https: passwords cross the network in the clear. {fix}", not is_local)
    elif not settings.trusted_proxy:
        yield Finding(
            "HUEVAL_SITE_URL is https and HUEVAL_SITE_TRUSTED_PROXY is not set, so every page redirects to itself. Set "
            "it to 1 if the proxy sets X-Forwarded-For and X-Forwarded-Proto"
        )


def _labels(settings: Config) -> Iterator[Finding]:
    folder = settings.labels_dir
    if not folder.exists():
        return
    found = folder.stat()
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield Finding(f"others than its owner can read {folder}. Run: chmod 700 {folder}")
    elif found.st_uid == settings.dir.stat().st_uid:
        yield Finding(
            f"{folder} and {settings.dir} have one owner, so the web server can read the hidden labels. Run the worker "
            "as another user, who owns the labels (compose.yaml does)",
            is_fault=False,
        )


def _boards(settings: Config) -> Iterator[Finding]:
    from hueval_metrics.api.boards import MissingError, locate
    from hueval_metrics.errors import HuevalError
    from hueval_site.boards import boards
    from hueval_site.submissions.models import Season

    without_data: list[Board] = []
    with_labels = set(Season.objects.filter(closed=None).exclude(labels_hash="").values_list("board", flat=True))
    for board in boards().values():
        try:
            locate(board.table, settings.data_dir)
        except MissingError:
            without_data.append(board)
            continue
        except HuevalError as error:
            yield Finding(f"{board.task}: {one_line(error, 240)}")
            continue
        if board.hidden and board.task not in with_labels:
            yield Finding(
                f"{board.task}: no labels. Run as the worker's user: hueval site load-labels {board.task} PATH",
                is_fault=False,
            )
    if without_data:
        names = ", ".join(board.task for board in without_data[:SHOWN_BOARDS])
        more = f" and {len(without_data) - SHOWN_BOARDS} more" if len(without_data) > SHOWN_BOARDS else ""
        table = without_data[0].table
        place = settings.data_dir / table.repo.name / str(table)
        yield Finding(
            f"{names}{more}: no data, so nothing can be submitted. Put them there, such as {place}, or name the boards "
            "of the site: HUEVAL_SITE_BOARDS",
            is_fault=False,
        )


def _admission(settings: Config) -> Iterator[Finding]:
    from hueval_site.boards import boards

    hidden = [board.task for board in boards().values() if board.hidden]
    if settings.admits_all and hidden:
        yield Finding(
            f"HUEVAL_SITE_ADMITS_ALL is set, and {len(hidden)} boards have hidden labels: one person with many mail "
            "addresses can learn them. Unset it, and admit each team whose members you know on the pages of staff",
            is_fault=not settings.url.startswith("http://"),
        )


def _database(settings: Config) -> Iterator[Finding]:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    connection.ensure_connection()
    if connection.vendor == "postgresql" and connection.pg_version // 10_000 < OLDEST_POSTGRESQL:
        yield Finding(f"PostgreSQL {connection.pg_version // 10_000} is too old. Install {OLDEST_POSTGRESQL} or later")
    executor = MigrationExecutor(connection)
    if pending := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        yield Finding(f"{len(pending)} migrations have not been applied. Run: hueval site init")


def _clock(settings: Config) -> Iterator[Finding]:
    from django.db.models import Max
    from django.utils import timezone

    from hueval_site.submissions.models import Submission
    from hueval_site.submissions.phases import database_now

    if (apart := abs((database_now() - timezone.now()).total_seconds())) > CLOCK_S:
        yield Finding(f"this clock and the database's are {apart:.0f} s apart. Synchronise them (NTP)")
    last = Submission.objects.aggregate(last=Max("created"))["last"]
    if last is not None and (ahead := (last - timezone.now()).total_seconds()) > CLOCK_S:
        yield Finding(
            f"the newest submission is from {ahead:.0f} s ahead: the clock was set back. Synchronise it (NTP)"
        )


def _phases(settings: Config) -> Iterator[Finding]:
    from hueval_site.submissions.begun import moved_lines

    yield from map(Finding, moved_lines())


def _disk(settings: Config) -> Iterator[Finding]:
    for folder in (settings.dir, settings.temp_dir):
        if not folder.is_dir():
            yield Finding(f"{folder} does not exist. Run: hueval site init")
            return
    usage = shutil.disk_usage(settings.dir)
    if usage.free < max(FREE_BYTES, FREE_SHARE * usage.total):
        yield Finding(f"{usage.free / 2**30:.1f} GiB are free on the disk of {settings.dir}. Free some space")


def _store(settings: Config) -> Iterator[Finding]:
    from django.core.files.storage import default_storage

    try:
        default_storage.exists("check")
    except Exception as error:  # whatever the store's client raises
        yield Finding(
            f"{settings.uploads.rpartition('@')[2]} does not answer ({one_line(error, 160)}). Fix HUEVAL_SITE_UPLOADS, "
            "AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY"
        )


def _mail(settings: Config) -> Iterator[Finding]:
    given = settings.mail.get_secret_value()
    if given in ("file", "console"):
        where = "written to the log" if given == "console" else f"kept in {settings.dir / 'mail'}"
        is_fault = settings.url.startswith("https://")
        yield Finding(f"mails are {where} and not sent. Set HUEVAL_SITE_MAIL=smtp://USER:PASSWORD@HOST:PORT", is_fault)
        return
    host, port = settings.mail_server
    try:
        socket.create_connection((host, port), MAIL_S).close()
    except OSError as error:
        yield Finding(
            f"the mail server {host} port {port} does not answer ({error.strerror or error}). Fix HUEVAL_SITE_MAIL"
        )


def _worker(settings: Config) -> Iterator[Finding]:
    if is_dead():
        beat = last_beat()
        since = "never" if beat is None else f"{time.time() - beat:.0f} s ago"
        yield Finding(f"no worker is alive (last seen {since}): nothing is scored. Run: hueval site work")


def _mails_waiting(settings: Config) -> Iterator[Finding]:
    from hueval_site.submissions.models import Mail

    if n := Mail.objects.filter(sent=None, attempts__gte=3).count():
        yield Finding(f"{n} mails could not be sent three times and more. See the worker's log; they are kept")


CHECKS: dict[str, Callable[[Config], Iterator[Finding]]] = {
    "django": _django,
    "https": _https,
    "database": _database,
    "labels": _labels,
    "boards": _boards,
    "admission": _admission,
    "clock": _clock,
    "phases": _phases,
    "disk": _disk,
    "store": _store,
    "mail": _mail,
    "mails-waiting": _mails_waiting,
    "worker": _worker,
}

"""Backup and restore of a site: one zip of all rows as JSON lines, and of the uploads.

The rows are of one moment, read in one transaction while the site goes on: on SQLite a deferred one, which in WAL mode
sees the state of its beginning and does not block writers; on PostgreSQL a repeatable read. An upload does not change
once its row is there, so the files can be read afterwards. The format does not depend on the database.

Left out: logins that are open (sessions) and the cache, the secret key, the public data, and the hidden labels unless
they are asked for.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any
from uuid import UUID

from hueval_metrics.api.boards import json_text, write_whole
from hueval_metrics.errors import InputError
from hueval_metrics.version import __version__
from hueval_site.config import config
from hueval_site.manage.django_setup import set_up
from hueval_site.manage.setup import init

META, ROWS, UPLOADS, LABELS = "backup.json", "rows", "uploads", "labels"
FORMAT = 1
LEFT_OUT = ("sessions.session",)
BATCH = 1000  # rows
LEVEL = 1  # of compression: predictions are text, and more takes four times as long for a tenth


def backup(out: Path, *, with_labels: bool) -> None:
    """Write a backup while the site runs.

    Args:
        out: a new file; only its owner can read it.
        with_labels: whether the hidden labels are in it, which only the worker's user can read.

    Raises:
        InputError: the file is there already or cannot be written, or the labels cannot be read.
    """
    if out.exists():
        raise InputError(f"{out}: exists. Name a new file")
    set_up()
    part = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, True, LEVEL) as archive:
            n_rows, n_files, missing = _write(archive, with_labels)
        part.replace(out)
    except OSError as error:
        raise InputError(f"cannot write {out} ({error.strerror}). Free some space, or name another file") from None
    finally:
        part.unlink(missing_ok=True)
    print(f"{out}: {n_rows} rows, {n_files} uploads{', with the hidden labels' if with_labels else ''}")
    for name in missing:
        print(f"upload {name} is missing in the store; the backup has its row alone")


def restore(path: Path, *, with_labels: bool) -> None:
    """Fill an empty site from a backup, of whichever database it was made.

    Args:
        path: the backup.
        with_labels: whether to take its hidden labels too.

    Raises:
        InputError: it is no backup, or one of another version, or the site is not empty.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            meta = json.loads(archive.read(META))
            init()
            _check(path, meta)
            n_files = _restore_files(archive, with_labels)
            _restore_rows(archive, meta)
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError):
        raise InputError(f"{path}: is no backup, or is damaged. Name a file that `hueval site backup` wrote") from None
    except OSError as error:
        raise InputError(
            f"cannot read {path} or write its files ({error.strerror}). Fix that and run it again"
        ) from None
    print(f"{path}: {sum(meta['rows'].values())} rows, {n_files} files restored")


def _write(archive: zipfile.ZipFile, with_labels: bool) -> tuple[int, int, list[str]]:
    files: list[str] = []
    counts: dict[str, int] = {}
    with _snapshot() as alias:
        migrations = _migrations(alias)
        for model in _models():
            with archive.open(f"{ROWS}/{model._meta.label_lower}.jsonl", "w", force_zip64=True) as out:
                counts[model._meta.label_lower] = _write_rows(model, alias, out, files)
    missing = [name for name in files if not _write_upload(archive, name)]
    if with_labels:
        labels = config().labels_dir
        for file in sorted(labels.rglob("*")):
            if file.is_file():
                archive.write(file, f"{LABELS}/{file.relative_to(labels).as_posix()}")
    meta = {"format": FORMAT, "version": __version__, "migrations": migrations, "rows": counts, "missing": missing}
    archive.writestr(META, json.dumps(meta, indent=1))
    return sum(counts.values()), len(files) - len(missing), missing


def _write_rows(model: Any, alias: str, out: IO[bytes], files: list[str]) -> int:
    from django.db.models import FileField

    fields = model._meta.concrete_fields
    places = [place for place, field in enumerate(fields) if isinstance(field, FileField)]
    n = 0
    rows = model._base_manager.using(alias).order_by("pk").values_list(*(field.attname for field in fields))
    for row in rows.iterator(BATCH):
        # Sorted keys: PostgreSQL does not keep the order of an object's, and equal rows shall be equal lines.
        out.write(json_text(row, default=_plain, sort_keys=True).encode() + b"\n")
        files += [row[place] for place in places if row[place]]
        n += 1
    return n


def _write_upload(archive: zipfile.ZipFile, name: str) -> bool:
    from django.core.files.storage import default_storage

    try:
        source = default_storage.open(name)
    except FileNotFoundError:
        return False
    with source, archive.open(f"{UPLOADS}/{name}", "w", force_zip64=True) as out:
        shutil.copyfileobj(source, out, 2**20)
    return True


def _plain(value: object) -> str:
    """What JSON has no form for, as text that the field's `to_python` reads."""
    from django.utils.duration import duration_string

    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(duration_string(value))
    if isinstance(value, (UUID, Decimal)):
        return str(value)
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(value).decode()
    raise TypeError(type(value).__name__)


def _check(path: Path, meta: dict[str, Any]) -> None:
    from hueval_site.accounts.models import User
    from hueval_site.submissions.models import Submission

    if meta["format"] != FORMAT or meta["migrations"] != _migrations("default"):
        raise InputError(
            f"{path}: was made by hueval {meta['version']}, whose tables differ. Restore it with that version, then "
            "install this one and run: hueval site init"
        )
    if User.objects.exists() or Submission.objects.exists():
        raise InputError("the site is not empty. Restore into a new folder and an empty database")


def _restore_files(archive: zipfile.ZipFile, with_labels: bool) -> int:
    """The files come first: if this is broken off, the site is still empty, and the same command can be run again."""
    from django.core.files.base import File
    from django.core.files.storage import default_storage

    n = 0
    for info in archive.infolist():
        kind, _, name = info.filename.partition("/")
        if kind == UPLOADS and name:
            default_storage.delete(name)
            with archive.open(info) as source:
                default_storage.save(name, File(source, name))
        elif kind == LABELS and with_labels:
            if ".." in PurePosixPath(name).parts or name.startswith("/"):
                raise InputError(
                    f"{info.filename}: is no name of a file of labels. The backup was changed; do not use it"
                )
            write_whole(config().labels_dir / name, archive.read(info), private=True)
        else:
            continue
        n += 1
    return n


def _restore_rows(archive: zipfile.ZipFile, meta: dict[str, Any]) -> None:
    from django.core.cache import cache
    from django.core.management.color import no_style
    from django.db import connection, transaction

    models = _models()
    with transaction.atomic(), connection.cursor() as cursor:
        for model in models:  # what the migrations have written: types of content, permissions
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")  # names of our own tables  # nosec B608
        for model in models:
            with archive.open(f"{ROWS}/{model._meta.label_lower}.jsonl") as lines:
                if _insert(model, lines) != meta["rows"][model._meta.label_lower]:
                    raise zipfile.BadZipFile
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
    cache.clear()


def _insert(model: Any, lines: IO[bytes]) -> int:
    from django.db import connection

    fields = model._meta.concrete_fields
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields)
    values = ", ".join(["%s"] * len(fields))
    statement = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({values})"  # names of our own tables  # nosec B608
    n = 0
    with connection.cursor() as cursor:
        while batch := [json.loads(line) for line in islice(lines, BATCH)]:
            cursor.executemany(
                statement,
                [
                    [
                        field.get_db_prep_save(field.to_python(value), connection)
                        for field, value in zip(fields, row, strict=True)
                    ]
                    for row in batch
                ],
            )
            n += len(batch)
    return n


def _models() -> list[Any]:
    from django.apps import apps

    found = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    return [model for model in found if not model._meta.proxy and model._meta.label_lower not in LEFT_OUT]


def _migrations(alias: str) -> list[list[str]]:
    from django.db import connections
    from django.db.migrations.recorder import MigrationRecorder

    return sorted(map(list, MigrationRecorder(connections[alias]).applied_migrations()))


@contextmanager
def _snapshot() -> Iterator[str]:
    """A connection that sees the rows of one moment, by its alias."""
    from django.db import connections, transaction

    alias = "snapshot"
    settings = deepcopy(connections.databases["default"])
    if connections["default"].vendor == "sqlite":
        settings["OPTIONS"]["transaction_mode"] = "DEFERRED"  # IMMEDIATE would keep writers out
    else:
        from psycopg import IsolationLevel

        settings["OPTIONS"]["isolation_level"] = IsolationLevel.REPEATABLE_READ
    connections.databases[alias] = settings
    try:
        with transaction.atomic(using=alias):
            yield alias
    finally:
        connections[alias].close()
        del connections[alias], connections.databases[alias]

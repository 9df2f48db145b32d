"""Everything that a site needs before it can run; safe to repeat."""

from __future__ import annotations

import hashlib
import secrets
import stat
import tempfile
from pathlib import Path

from hueval_metrics.api.boards import locked, one_line, write_whole
from hueval_metrics.errors import InputError
from hueval_site.config import Config, config
from hueval_site.manage.django_setup import set_up


def init() -> None:
    """Make folders, secret key, database, cache table and static files, where they are missing.

    Raises:
        InputError: a folder cannot be written, the database does not answer, or a setting is out of range.
    """
    settings = config()
    _make_folders(settings)
    with locked(settings.dir):
        if not settings.secret_key.get_secret_value() and not settings.secret_file.exists():
            write_whole(settings.secret_file, secrets.token_urlsafe(50).encode(), private=True)
        set_up()
        _migrate()
        _collect_static(settings)


def _make_folders(settings: Config) -> None:
    """Make the folders and the file of SQLite.

    Where the group may write to the folder of the site, it may write to these: web server and worker are two users
    then, of one group (`chmod 2770`).
    """
    fix = "Name a folder that you may write to"
    try:
        settings.dir.mkdir(mode=0o750, parents=True, exist_ok=True)
        is_shared = bool(settings.dir.stat().st_mode & stat.S_IWGRP)
        for folder in (settings.temp_dir, settings.uploads_dir):
            if not folder.exists():
                folder.mkdir()
                folder.chmod(0o2770 if is_shared else 0o750)
        settings.data_dir.mkdir(exist_ok=True)
        base = settings.sqlite_file
        if settings.database == "sqlite" and not base.exists():
            base.touch()
            base.chmod(0o660 if is_shared else 0o600)  # SQLite gives its other files the same rights
        with tempfile.TemporaryFile(dir=settings.temp_dir):
            pass
    except OSError as error:
        raise InputError(f"cannot write to {error.filename or settings.dir} ({error.strerror}). {fix}") from None


def _migrate() -> None:
    """Bring the database up to date; a migration that was broken off is begun anew (accounts/migrating.py)."""
    from django.core.management import call_command
    from django.db import DatabaseError, connection
    from django.db.migrations.exceptions import InconsistentMigrationHistory

    try:
        connection.ensure_connection()
    except DatabaseError as error:
        raise InputError(f"HUEVAL_SITE_DATABASE: {one_line(error, 200)}. Start the database, or fix the URL") from None
    try:
        call_command("migrate", verbosity=0, interactive=False)
        call_command("createcachetable", verbosity=0)
    except (DatabaseError, InconsistentMigrationHistory) as error:
        raise InputError(
            f"the database could not be brought up to date ({one_line(error, 200)}). Run the same command again; if "
            "it says this again, restore a backup into an empty database: hueval site restore"
        ) from None


def _collect_static(settings: Config) -> None:
    """Collect the static files, unless those of this very installation are there."""
    from django.contrib.staticfiles.finders import get_finders
    from django.core.management import call_command

    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            file = Path(storage.path(name)).stat()
            digest.update(f"{name}\n{file.st_size}\n{file.st_mtime_ns}\n".encode())
    stamp = settings.static_dir / ".collected"
    if stamp.is_file() and stamp.read_text(encoding="ascii") == digest.hexdigest():
        return
    try:
        call_command("collectstatic", verbosity=0, interactive=False)
    except OSError as error:
        raise InputError(
            f"cannot write {error.filename} ({error.strerror}). Free some space, or fix the rights"
        ) from None
    write_whole(stamp, digest.hexdigest().encode())


def setup_link() -> str | None:
    """The one-time link for the first administrator; None where there is one."""
    from django.urls import reverse

    from hueval_site.accounts import first_admin

    return None if first_admin.exists() else config().url + reverse("first_admin", args=[first_admin.link_text()])

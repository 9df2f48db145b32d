"""`hueval site manage …`: Django's own commands, with the settings of the site."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from hueval_metrics.api.boards import one_line
from hueval_metrics.errors import InputError
from hueval_site.manage.django_setup import set_up

# They read, or remove only what has expired. A list of what harms would lack the commands of the next Django.
HARMLESS = frozenset({
    "check", "clearsessions", "collectstatic", "createcachetable", "diffsettings", "dumpdata", "findstatic", "help",
    "inspectdb", "prune_db_task_results", "sendtestemail", "showmigrations", "sqlflush", "sqlmigrate", "version",
})  # fmt: skip
OURS = {  # what the site has instead, with its own checks
    "createsuperuser": "user add EMAIL --staff",
    "flush": "init NEW_FOLDER",
    "loaddata": "restore IN.zip",
    "migrate": "init",
    "runserver": "up DIR",
}


def manage(command: str, arguments: Sequence[str], *, is_sure: bool) -> None:
    """Run a command of Django, or of a library of the site; it prints and exits as under `manage.py`.

    Args:
        command: its name.
        arguments: its own.
        is_sure: whether one that can destroy rows or bypass the rules of the site is run where there are rows.

    Raises:
        InputError: there is no such command, or it is one of those and `is_sure` is false.
    """
    set_up()
    from django.core.management import execute_from_command_line, get_commands

    known = {"help", "version", *get_commands()}
    if command not in known:
        near = get_close_matches(command, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else "See: hueval site manage help"
        raise InputError(f"manage {one_line(command, 40)}: no command of Django. {hint}")
    if command not in HARMLESS and not is_sure and _has_rows():
        instead = f"Use hueval site {OURS[command]}; or make" if command in OURS else "Make"
        raise InputError(
            f"manage {command}: can destroy rows of this site or bypass its rules. {instead} a backup (hueval site "
            f"backup OUT.zip) and run: hueval site manage --yes {command}"
        )
    execute_from_command_line(["hueval site manage", command, *arguments])


def _has_rows() -> bool:
    from django.db import connection

    from hueval_site.accounts.models import Team, User
    from hueval_site.submissions.models import Submission

    tables = connection.introspection.table_names()  # none before `init`
    return any(one._meta.db_table in tables and one.objects.exists() for one in (User, Team, Submission))

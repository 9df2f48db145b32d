"""`hueval site …`: each command is a few lines that call a function elsewhere."""

from __future__ import annotations

import argparse
import os
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from hueval_metrics.api.boards import DONE
from hueval_metrics.errors import HuevalError, InputError

# The words of the acts of submissions/moderation.py, which needs Django.
TEAM_WORDS = ("admit", "unadmit", "suspend", "resume", "rename", "owner", "call-back")
ACCOUNT_WORDS = ("suspend", "resume", "remove", "revoke-token", "reset-mfa")
PHASE_WORDS = ("open-results", "accept-dates")
ROW_WORDS = ("withdraw", "put-back", "card")


def main(args: argparse.Namespace) -> int:
    """Run one command of the leaderboard service.

    Args:
        args: those after `hueval site`, parsed.

    Returns:
        The exit status.

    Raises:
        InputError: there is no site for a command that needs one, or its database does not answer.
    """
    from hueval_metrics.api.boards import one_line, warn_of_unknown
    from hueval_site.config import PREFIX, config, variables

    warn_of_unknown(PREFIX, variables())
    if getattr(args, "dir", None) is not None:
        os.environ["HUEVAL_SITE_DIR"] = str(args.dir)
    if getattr(args, "port", None) is not None:
        os.environ["HUEVAL_SITE_PORT"] = str(args.port)
    os.environ.pop("HUEVAL_SAMPLE", None)  # the data of a site are in its folders alone
    folder = config().dir
    if args.run not in (_init, _up, _demo, _restore) and not config().temp_dir.is_dir():
        fix = f"Set HUEVAL_SITE_DIR to its folder, or make one: hueval site init {folder}"
        raise InputError(f"{folder}: no site there. {fix}")
    try:
        status: int = args.run(args)
    except HuevalError:
        raise
    except Exception as error:
        from django.db import OperationalError

        if not isinstance(error, OperationalError):
            raise
        text = one_line(error, 200).rstrip(".")
        fix = "Start it, fix HUEVAL_SITE_DATABASE, or run: hueval site init"
        if text.endswith("is locked"):  # of SQLite, after 20 s
            fix = "Another process writes to it: wait until that has ended, and run the same command again"
        raise InputError(f"the database: {text}. {fix}") from None
    return status


def add(commands: Any) -> None:
    """Add the command, with its own sub-commands, to those of `hueval`."""
    site = commands.add_parser(
        "site",
        help="run a leaderboard",
        description="A leaderboard: submissions scored on labels that stay hidden.",
    )
    site.set_defaults(call=main)
    of_site = site.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, run: object, text: str) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = of_site.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        return command

    up = add("up", _up, "set up what is missing, then run web and worker as one user: for trials and development")
    up.add_argument("dir", type=Path, metavar="DIR", help="folder of the site")
    up.add_argument("--port", type=_port, help="default: 8000")
    init = add("init", _init, "make database, migrations, static files and secret key")
    init.add_argument("dir", type=Path, nargs="?", metavar="DIR", help="default: HUEVAL_SITE_DIR")
    serve = add("serve", _serve, "run the web server")
    serve.add_argument("--port", type=_port, help="default: 8000")
    add("work", _work, "run a worker, which scores submissions and sends mail")
    user = add("user", _user, "add an account, list accounts, or moderate one")
    user.add_argument("action", choices=("add", "list", *ACCOUNT_WORDS))
    user.add_argument("email", metavar="EMAIL", nargs="?", help="of the account; list takes none")
    user.add_argument("value", metavar="TOKEN", nargs="?", help="name of the token that revoke-token revokes")
    user.add_argument("--reason", default="", help="why: it is mailed to the person, and kept in the audit log")
    user.add_argument("--team", help="name of the team, founded if there is none; it is public (default: no team)")
    user.add_argument("--staff", action="store_true", help="may approve results and use the admin pages")
    user.add_argument("--token", action="store_true", help="print a token for `hueval submit`")
    team = add("team", _team, "list teams, or moderate one")
    team.add_argument("action", choices=("list", *TEAM_WORDS))
    team.add_argument("name", metavar="NAME", nargs="?", help="of the team; list takes none")
    team.add_argument("value", metavar="VALUE", nargs="?", help="the new name, or the address of the new owner")
    team.add_argument("--reason", default="", help="why: it is mailed to the members, and kept in the audit log")
    row = add("row", _row, "withdraw a row, put it back, or correct its model card")
    row.add_argument("action", choices=ROW_WORDS)
    row.add_argument("id", metavar="ID", type=_uuid, help="of the submission, as in the address of its page")
    row.add_argument("fields", metavar="FIELD=VALUE", nargs="*", help="of the model card, such as model_name=NAME")
    row.add_argument("--reason", default="", help="why: it is mailed to the submitter, and kept in the audit log")
    board = add("board", _board, "list the phases of boards, open the results of one, or accept its dates")
    board.add_argument("action", choices=("list", *PHASE_WORDS))
    board.add_argument("task", metavar="TASK", nargs="?", help="of the board; list takes none")
    board.add_argument("--reason", default="", help="why: it is mailed to the teams, and kept in the audit log")
    labels = add("load-labels", _load_labels, "take the hidden labels of a task; run it as the worker's user")
    labels.add_argument("task", metavar="TASK")
    labels.add_argument("path", type=Path, metavar="PATH", help="the test file with its labels")
    by_hand = add("import", _import, "put rows that were kept by hand on boards, marked and without rank")
    by_hand.add_argument(
        "path", type=Path, metavar="FILE", help="CSV: model,source,TASK/METRIC,…; replaces the last one"
    )
    check = add("check", _check, "look for what is wrong with a site, and say how to fix it")
    check.add_argument("names", nargs="*", metavar="NAME", help="of checks, such as worker (default: all)")
    audit = add("audit", _audit, "write the audit log: who changed what, when and why")
    audit.add_argument("--since", type=_since, required=True, metavar="DATE", help="such as 2026-11-01, in UTC")
    audit.add_argument("--output", type=Path, metavar="FILE", help="a new .csv or .jsonl (default: CSV on stdout)")
    kept = add("backup", _backup, "write rows and uploads into one file while the site runs")
    kept.add_argument("out", type=Path, metavar="OUT", help="a new file, such as site.zip")
    kept.add_argument("--labels", action="store_true", help="with the hidden labels; run it as the worker's user")
    back = add("restore", _restore, "fill an empty site from a backup, of SQLite or PostgreSQL")
    back.add_argument("path", type=Path, metavar="IN", help="a file that `hueval site backup` wrote")
    back.add_argument("--labels", action="store_true", help="take its hidden labels too; run it as the worker's user")
    again = add("rescore", _rescore, "have all submissions of a task scored again, after a fix of a metric")
    again.add_argument("task", metavar="TASK")
    manage = add("manage", _manage, "run a command of Django with the settings of the site; help lists them")
    manage.add_argument("command", metavar="COMMAND", help="such as showmigrations, dbshell or dumpdata")
    manage.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="of the command")
    manage.add_argument("--yes", action="store_true", help="before COMMAND: run one that can destroy rows")
    demo = add("demo", _demo, "fill a new site with the packaged sample and three baselines, to look at")
    demo.add_argument("dir", type=Path, metavar="DIR", help="folder of the site")


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text}: no port. Name a number from 1 to 65535")
    return int(text)


def _since(text: str) -> datetime:
    from hueval_site.manage.audit import since

    try:
        return since(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: no date. Write it as 2026-11-01 or 2026-11-01T12:00") from None


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: no id of a submission. Its page's address has it") from None


def _up(args: argparse.Namespace) -> int:
    from hueval_site.manage.run import up

    return up()


def _init(args: argparse.Namespace) -> int:
    from hueval_site.manage.setup import init

    init()
    return DONE


def _serve(args: argparse.Namespace) -> int:
    from hueval_site.manage.run import serve

    return serve()


def _work(args: argparse.Namespace) -> int:
    from hueval_site.manage.run import work

    return work()


def _user(args: argparse.Namespace) -> int:
    from hueval_site.manage.accounts import add_user
    from hueval_site.manage.moderate import list_accounts, moderate

    if args.action == "list":
        list_accounts()
    elif args.email is None:
        raise InputError(f"user {args.action}: name the account: hueval site user {args.action} EMAIL")
    elif args.action == "add":
        add_user(args.email, args.team, is_staff=args.staff, with_token=args.token)
    else:
        moderate("user", args.action, args.email, args.value, args.reason)
    return DONE


def _team(args: argparse.Namespace) -> int:
    from hueval_site.manage.moderate import list_teams, moderate

    if args.action == "list":
        list_teams()
    elif args.name is None:
        raise InputError(f"team {args.action}: name the team: hueval site team {args.action} NAME")
    else:
        moderate("team", args.action, args.name, args.value, args.reason)
    return DONE


def _board(args: argparse.Namespace) -> int:
    from hueval_site.manage.moderate import list_phases, moderate

    if args.action == "list":
        list_phases()
    elif args.task is None:
        raise InputError(f"board {args.action}: name the task: hueval site board {args.action} TASK")
    else:
        moderate("board", args.action, args.task, None, args.reason)
    return DONE


def _row(args: argparse.Namespace) -> int:
    from hueval_site.manage.moderate import moderate_row

    moderate_row(args.action, args.id, args.fields, args.reason)
    return DONE


def _load_labels(args: argparse.Namespace) -> int:
    from hueval_site.manage.labels import load_labels

    load_labels(args.task, args.path)
    return DONE


def _import(args: argparse.Namespace) -> int:
    from hueval_site.manage.by_hand import import_rows

    import_rows(args.path)
    return DONE


def _check(args: argparse.Namespace) -> int:
    from hueval_site.manage.check import check

    return check(args.names)


def _backup(args: argparse.Namespace) -> int:
    from hueval_site.manage.backup import backup

    backup(args.out, with_labels=args.labels)
    return DONE


def _restore(args: argparse.Namespace) -> int:
    from hueval_site.manage.backup import restore

    restore(args.path, with_labels=args.labels)
    return DONE


def _audit(args: argparse.Namespace) -> int:
    from hueval_site.manage.audit import export_audit

    export_audit(args.since, args.output)
    return DONE


def _manage(args: argparse.Namespace) -> int:
    from hueval_site.manage.passthrough import manage

    manage(args.command, args.arguments, is_sure=args.yes)
    return DONE


def _demo(args: argparse.Namespace) -> int:
    from hueval_site.manage.demo import demo

    demo()
    return DONE


def _rescore(args: argparse.Namespace) -> int:
    from hueval_site.manage.rescore import rescore_task

    rescore_task(args.task)
    return DONE

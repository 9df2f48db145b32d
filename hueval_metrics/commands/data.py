"""`hueval data …`: each action is a few lines that call a function of `hf_datasets`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from hueval_metrics.errors import HuevalError, InputError
from hueval_metrics.terminal import terminal_width


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    parser = commands.add_parser("data", help="list, fetch, convert, check, compare and publish data sets")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_list(actions)
    _add_pull(actions)
    _add_convert(actions)
    _add_push(actions)
    _add_check(actions)
    _add_diff(actions)


def _add_list(actions: Any) -> None:
    listing = actions.add_parser("list", help="the data sets: size, licence, and where on this machine they lie")
    listing.add_argument("name", nargs="?", type=_data_set, help="list this one's configs and splits instead")
    listing.set_defaults(call=_list)


def _list(args: argparse.Namespace) -> int:
    from hf_datasets.inventory import contents, inventory
    from hf_datasets.repo import dataset_repo

    print(contents(dataset_repo(args.name)) if args.name else inventory())
    return 0


def _add_pull(actions: Any) -> None:
    pull = actions.add_parser("pull", help="fetch a data set into the cache, hash-checked, for nodes without a network")
    pull.add_argument("name", metavar="NAME", type=_data_set, help="one of those that `hueval data list` lists")
    pull.add_argument("--revision", help="another branch, tag or commit of upstream; unchecked, kept in NAME@REVISION")
    pull.set_defaults(call=_pull)


def _pull(args: argparse.Namespace) -> int:
    from hf_datasets.pull import pull
    from hf_datasets.repo import dataset_repo

    failed = 0
    for outcome in pull(dataset_repo(args.name), args.revision):
        if isinstance(outcome, HuevalError):  # the others can still be fetched
            print(f"hueval: {outcome}", file=sys.stderr)
            failed = 1
        else:
            print(outcome)
    return failed


def _add_convert(actions: Any) -> None:
    convert = actions.add_parser("convert", help="make Parquet files and a card of upstream's files, for load_dataset")
    convert.add_argument(
        "src",
        metavar="SRC",
        help="upstream's folder, or one that has it below as NAME; or the name of a data set, for the copy in "
        "HUEVAL_DATA_DIR or else in the cache",
    )
    convert.add_argument("out", type=Path, metavar="OUT", help="a new folder, or an earlier conversion to replace")
    convert.add_argument("--name", type=_data_set, help="which data set SRC is (default: the one that is there)")
    convert.set_defaults(call=_convert)


def _convert(args: argparse.Namespace) -> int:
    from hf_datasets.convert import convert
    from hf_datasets.opened import open_data

    opened = open_data(args.src, args.name)
    if opened.converted:
        raise InputError(f"{opened.folder} is converted already. Name the folder that has the upstream files")
    print(convert(opened.repo, opened.folder, args.out))
    print(f"\nWrote {args.out}")
    return 0


def _add_push(actions: Any) -> None:
    push = actions.add_parser("push", help="publish a converted data set as a repository on the Hugging Face Hub")
    push.add_argument("out", type=Path, metavar="OUT", help="the folder that `hueval data convert` wrote")
    push.add_argument("repo", metavar="REPO", help="such as my-org/kviz; made where there is none")
    push.add_argument("--private", action="store_true", help="make it a private one")
    push.add_argument(
        "--dry-run", action="store_true", help="check everything and show what would be sent, without any request"
    )
    push.add_argument("--tag", metavar="VERSION", help="default: v and the version of hueval that converted the folder")
    push.add_argument("--revision", metavar="BRANCH", help="the branch to push to (default: main)")
    push.set_defaults(call=_push)


def _push(args: argparse.Namespace) -> int:
    from hf_datasets.push import push

    print(push(args.out, args.repo, private=args.private, dry_run=args.dry_run, tag=args.tag, revision=args.revision))
    return 0


def _data_set(name: str) -> str:
    """The name of a data set, checked as it is parsed: the families are looked up only when one is named."""
    from hf_datasets.repo import names

    if name not in names():
        raise argparse.ArgumentTypeError(f'there is no data set "{name}". One of: {", ".join(names())}')
    return name


_WHERE = (
    "a folder, converted or in upstream's layout; or the name of a data set, for the copy in HUEVAL_DATA_DIR or else "
    "in the cache; or org/name@revision"
)


def _add_check(actions: Any) -> None:
    check = actions.add_parser(
        "check",
        help="report problems of a data set: schema, counts, duplicates, leakage, encoding, labels",
        description="Exit status: 0, or 1 where there is an error; warnings and notes leave it at 0.",
    )
    check.add_argument("data", metavar="DATA", help=_WHERE)
    _add_choice(check)
    check.set_defaults(call=_check)


def _check(args: argparse.Namespace) -> int:
    from hf_datasets.check import check
    from hf_datasets.checks.findings import as_json, as_text
    from hf_datasets.opened import open_data

    report = check(open_data(args.data, args.name), args.config)
    print(as_json(report) if args.json else as_text(report, terminal_width()), end="")
    return 0 if report.is_sound else 1


def _add_diff(actions: Any) -> None:
    diff = actions.add_parser(
        "diff",
        help="compare two copies of a data set: how many rows were added, removed, changed, moved",
        description="Exit status, as of diff(1): 0 where they are equal, 1 where not, 2 where they cannot be compared.",
    )
    diff.add_argument("old", metavar="OLD", help=_WHERE)
    diff.add_argument("new", metavar="NEW", help="the same")
    _add_choice(diff)
    diff.set_defaults(call=_diff)


def _diff(args: argparse.Namespace) -> int:
    from hf_datasets.diff import as_json, as_text, diff
    from hf_datasets.opened import open_data

    try:
        old, new = (open_data(named, args.name) for named in (args.old, args.new))
        splits = diff(old, new, args.config)
    except HuevalError as error:
        print(f"hueval: {error}", file=sys.stderr)
        return 2
    print(as_json(splits) if args.json else as_text(splits, terminal_width()), end="")
    return 0 if all(split.is_equal for split in splits) else 1


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="C", help="only this table")
    parser.add_argument("--name", metavar="NAME", help="which data set it is, for a folder that has several")
    parser.add_argument("--json", action="store_true", help="print JSON, with everything")

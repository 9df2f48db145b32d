"""The `hueval` command: each sub-command is a few lines that call a function elsewhere."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from hueval_metrics import __version__
from hueval_metrics.cli_data import add_data
from hueval_metrics.records import HuevalError

HARNESS_COMMANDS = {
    "run": "evaluate a model: lm-eval's options, our tasks preset, answers kept in case of a stop",
    "ls": "list tasks, groups and tags",
    "validate": "check that tasks load",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command.

    Args:
        argv: the arguments; None for those of the process.

    Returns:
        The exit status: 0, or 1 after one line that says what is wrong, or lm-eval's own.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _log_to_stderr()
    try:
        if arguments and arguments[0] in HARNESS_COMMANDS:
            from hueval_metrics.harness.run import run_harness

            return run_harness(arguments)
        args = _parser().parse_args(arguments)
        status: int = args.call(args)
        return status
    except HuevalError as error:
        print(f"hueval: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `hueval table … | head`
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        print("\nhueval: stopped.", file=sys.stderr)
        return 130


def _log_to_stderr() -> None:
    """Our own warnings as lines of this command; other libraries keep their own ways."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("hueval: %(message)s"))
    for package in ("hf_datasets", "hueval_metrics", "lm_eval_tasks"):
        logger = logging.getLogger(package)
        logger.handlers, logger.propagate = [handler], False
    logging.getLogger("hueval_metrics.judge").setLevel(logging.INFO)  # what a judging will take, and what it took


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hueval", description="Evaluate language models on Hungarian.")
    parser.add_argument("--version", action="version", version=f"hueval {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, text in HARNESS_COMMANDS.items():
        commands.add_parser(name, help=text)

    score = commands.add_parser("score", help="score samples or predictions made elsewhere or earlier, without a model")
    score.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="lm-eval samples, predictions, or a folder")
    score.add_argument("--task", help="task of rows that do not name theirs, such as openhueval_humatchingfib")
    score.add_argument("--output", type=Path, default=Path("results"), metavar="DIR", help="default: results")
    score.add_argument("--data-dir", metavar="DIR", help="folder with openhueval/*.jsonl (default: HUEVAL_DATA_DIR)")
    score.add_argument("--question-lang", choices=("hu", "en", "zh"), default="hu", help="default: hu")
    score.add_argument(
        "--only-missing",
        action="store_true",
        help="keep also the verdicts that an earlier score left in DIR/items.jsonl, for the very same predictions; "
        "without it, those in the samples are kept, and all others are asked for (or taken from the cache) and put "
        "before the earlier ones",
    )
    score.add_argument(
        "--rejudge",
        metavar="MODEL[,MODEL…]",
        help="let another judge or panel judge everything again; the verdicts so far stay in DIR/items.jsonl as "
        "earlier_verdicts. With --only-missing, this judge's own verdicts there are kept",
    )
    score.set_defaults(call=_score)

    table = commands.add_parser("table", help="the paper's Table 5 for one or many runs")
    table.add_argument("paths", nargs="+", type=Path, metavar="RESULTS", help="result files or folders")
    table.add_argument("--format", choices=("terminal", "markdown", "csv", "latex"), default="terminal")
    table.add_argument("--all", action="store_true", help="every metric, with its interval, a table for each task")
    table.set_defaults(call=_table)

    agreement = commands.add_parser("judge-agreement", help="compare judges over the same responses")
    agreement.add_argument(
        "paths", nargs="+", type=Path, metavar="SCORED", help="what `hueval score` wrote, of each judge"
    )
    agreement.add_argument("--show", type=int, default=5, metavar="N", help="responses on which they part (default: 5)")
    agreement.add_argument("--any-rubric", action="store_true", help="compare verdicts of different rubrics, too")
    agreement.add_argument("--json", action="store_true", help="print JSON, with everything")
    agreement.set_defaults(call=_judge_agreement)

    report = commands.add_parser("report", help="one HTML page to send round")
    report.add_argument("paths", nargs="+", type=Path, metavar="RESULTS", help="result files or folders")
    report.add_argument("--output", type=Path, default=Path("report.html"), metavar="FILE", help="default: report.html")
    report.set_defaults(call=_report)

    add_data(commands.add_parser("data", help="list, fetch, convert, check, compare and publish data sets"))

    _add_cache(
        commands.add_parser("cache", help="the judge's replies on disk: look at them, carry them, thin them out")
    )

    doctor = commands.add_parser("doctor", help="what is installed, which data can be reached, what to do")
    doctor.set_defaults(call=_doctor)
    return parser


def _add_cache(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    stats = actions.add_parser("stats", help="how many replies of which judges, and the tokens that they took")
    stats.add_argument("--json", action="store_true", help="print JSON")
    prune = actions.add_parser("prune", help="delete the replies that meet every condition given")
    prune.add_argument("--older-than", type=float, metavar="DAYS", help="replies that came before that")
    prune.add_argument("--model", metavar="M", help="replies of this judge")
    prune.add_argument("--rubric", metavar="R", help="replies under this rubric, such as husimpleqa/1 or husimpleqa")
    prune.add_argument("--dry-run", action="store_true", help="only say how many there are")
    export = actions.add_parser("export", help="write all replies as lines of JSON")
    export.add_argument("file", type=Path, metavar="FILE", help="a new file, or - for the standard output")
    imports = actions.add_parser("import", help="add the replies of an export that are missing here")
    imports.add_argument("file", type=Path, metavar="FILE", help="an export, or - for the standard input")
    verify = actions.add_parser("verify", help="check the file and every reply in it")
    for action in (stats, prune, export, imports, verify):
        action.add_argument("--dir", type=Path, help="folder of replies.sqlite (default: judge in the library's cache)")
        action.set_defaults(call=_cache)


def _score(args: argparse.Namespace) -> int:
    from hueval_metrics.reports.load import load_runs
    from hueval_metrics.scoring.judged import JudgePlan
    from hueval_metrics.scoring.write import score_into

    settings = {"data_dir": args.data_dir, "question_lang": args.question_lang}
    judges = tuple(name.strip() for name in args.rejudge.split(",")) if args.rejudge is not None else ()
    score_into(args.output, args.paths, args.task, settings, JudgePlan(args.only_missing, judges))
    _print_tables(load_runs([args.output / "results.json"]), "terminal", every_metric=True)
    print(f"\nWrote {args.output / 'results.json'} and {args.output / 'items.jsonl'}")
    return 0


def _table(args: argparse.Namespace) -> int:
    from hueval_metrics.reports.load import load_runs

    _print_tables(load_runs(args.paths), args.format, every_metric=args.all)
    return 0


def _print_tables(runs: Sequence, fmt: str, *, every_metric: bool) -> None:
    import shutil

    from hueval_metrics.reports.tables import render, render_metrics

    width = shutil.get_terminal_size((100, 24)).columns
    draw = render_metrics if every_metric else render
    print(draw(runs, fmt, width=width, color=sys.stdout.isatty()), end="")


def _judge_agreement(args: argparse.Namespace) -> int:
    import shutil

    from hueval_metrics.reports.judge_agreement import as_json, as_text, compare
    from hueval_metrics.reports.judge_ratings import load_ratings

    ratings = load_ratings(args.paths)
    tasks = [compare(task, found, any_rubric=args.any_rubric) for task, found in ratings.items()]
    show = max(0, args.show)
    width = shutil.get_terminal_size((100, 24)).columns
    print(as_json(tasks, show) if args.json else as_text(tasks, show, width=width, color=sys.stdout.isatty()), end="")
    return 0


def _report(args: argparse.Namespace) -> int:
    from hueval_metrics.reports.html import write_report
    from hueval_metrics.reports.load import load_runs

    write_report(load_runs(args.paths), args.output)
    print(f"Wrote {args.output}")
    return 0


def _cache(args: argparse.Namespace) -> int:
    from hueval_metrics.judge.cache_admin import prune, show_stats, verify
    from hueval_metrics.judge.cache_transfer import export_replies, import_replies

    if args.action == "stats":
        return show_stats(args.dir, as_json=args.json)
    if args.action == "prune":
        conditions = {"older_than_days": args.older_than, "model": args.model, "rubric": args.rubric}
        return prune(args.dir, **conditions, dry_run=args.dry_run)
    if args.action == "export":
        return export_replies(args.file, args.dir)
    return import_replies(args.file, args.dir) if args.action == "import" else verify(args.dir)


def _doctor(args: argparse.Namespace) -> int:
    from hueval_metrics.doctor import diagnose

    return diagnose()

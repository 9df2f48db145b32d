"""`hueval calibrate …`: scores as another judge, or people, would have given them."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import Any

from hueval_metrics.terminal import terminal_width

log = logging.getLogger(__name__)


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    parser = commands.add_parser("calibrate", help="correct a judge's scores by another judge's or people's ratings")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    fit = actions.add_parser("fit", help="learn a judge's errors from answers that a reference rated, too")
    fit.add_argument("--judge", nargs="+", type=Path, required=True, metavar="RUN", help="what `hueval score` wrote")
    fit.add_argument(
        "--reference",
        nargs="+",
        required=True,
        metavar="RUN|SHEET|MODEL",
        help="the same answers scored by another judge; filled-in sheets of `hueval validate-judge`; or a model id, "
        "of verdicts in the same runs (--rejudge)",
    )
    fit.add_argument("--key", type=Path, metavar="FILE", help="of the sheets; default: the one beside them")
    fit.add_argument("--models", type=Path, metavar="FILE", help="a YAML file of model cards: compare series of models")
    fit.add_argument("--output", type=Path, required=True, metavar="FILE", help="the calibration, a JSON file")
    _add_format(fit)
    fit.set_defaults(call=_fit)
    apply = actions.add_parser("apply", help="write runs with calibrated scores beside the judge's")
    apply.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="of several runs each gets a folder of its name in it"
    )
    _add_format(apply)
    apply.set_defaults(call=_apply)
    check = actions.add_parser("check", help="apply it to runs that the reference rated, too: does the interval hold?")
    for action in (apply, check):
        action.add_argument("calibration", type=Path, metavar="FILE", help="what `fit` wrote")
        action.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="what `hueval score` wrote")
    check.add_argument(
        "--reference",
        nargs="+",
        metavar="RUN|SHEET|MODEL",
        help="as of `fit`; default: the reference's verdicts in the runs (--rejudge)",
    )
    check.add_argument("--key", type=Path, metavar="FILE", help="of the sheets; default: the one beside them")
    _add_format(check)
    check.set_defaults(call=_check)


def _add_format(parser: Any) -> None:
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")


def _fit(args: argparse.Namespace) -> int:
    from hueval_metrics.judges.calibrate.answers import scored_runs
    from hueval_metrics.judges.calibrate.apply import at_fit
    from hueval_metrics.judges.calibrate.diagnosis import diagnose
    from hueval_metrics.judges.calibrate.file import DIGITS, Calibration, calibration_bytes
    from hueval_metrics.judges.calibrate.fit import fit
    from hueval_metrics.judges.calibrate.references import references_of
    from hueval_metrics.judges.calibrate.write import check_place, write_calibration
    from hueval_metrics.judges.report.calibration import fitted_blocks, fitted_json
    from hueval_metrics.stats.model_cards import read_model_cards

    check_place(args.output)
    cards = read_model_cards(args.models) if args.models else {}
    problems: list[str] = []
    references = references_of(args.reference, args.key, problems)
    runs = scored_runs(args.judge)
    tasks, unfitted = fit(runs, references, cards)
    for problem in [*problems, *unfitted]:
        log.warning("%s.", problem)
    content = calibration_bytes(tasks)
    calibration = Calibration.model_validate_json(content)
    scores = at_fit(calibration, runs)
    found = [
        diagnose(task, one, [score for score in scores if score.fitted is one])
        for task, one in calibration.tasks.items()
    ]
    write_calibration(args.output, content)
    _print(args.format, lambda: fitted_blocks(found), lambda: fitted_json(found))
    if args.format == "text":
        short = calibration.sha256[:DIGITS]
        print(f"\nWrote {args.output} ({short}). Apply it: hueval calibrate apply {args.output} RUN --output DIR")
    return 0


def _apply(args: argparse.Namespace) -> int:
    from hueval_metrics.judges.calibrate.answers import scored_runs
    from hueval_metrics.judges.calibrate.apply import apply
    from hueval_metrics.judges.calibrate.file import read_calibration
    from hueval_metrics.judges.calibrate.write import folders_for, write_calibrated
    from hueval_metrics.judges.report.calibration import applied_blocks, applied_json

    calibration, runs = read_calibration(args.calibration), scored_runs(args.runs)
    folders = folders_for(args.output, runs)
    found = apply(calibration, runs)
    for folder, run in zip(folders, runs, strict=True):
        own = [one for one in found if one.answers.run is run]
        write_calibrated(folder, run, args.calibration, calibration, own)
    _print(args.format, lambda: applied_blocks(found), lambda: applied_json(found))
    if args.format == "text":
        print(f"\nWrote {', '.join(map(str, folders))}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from hueval_metrics.judges.calibrate.answers import scored_runs
    from hueval_metrics.judges.calibrate.check import check
    from hueval_metrics.judges.calibrate.file import read_calibration
    from hueval_metrics.judges.calibrate.references import references_of
    from hueval_metrics.judges.report.calibration import checked_blocks, checked_json

    problems: list[str] = []
    references = references_of(args.reference, args.key, problems) if args.reference else None
    found = check(read_calibration(args.calibration), scored_runs(args.runs), references)
    for problem in problems:
        log.warning("%s.", problem)
    _print(args.format, lambda: checked_blocks(found), lambda: checked_json(found))
    return 0


def _print(form: str, blocks: Any, json_text: Any) -> None:
    from hueval_metrics.reports import formats

    if form == "json":
        text = json_text()
    elif form == "markdown":
        text = formats.markdown_page(blocks())
    else:
        width = terminal_width()
        text = formats.terminal_page(blocks(), width, sys.stdout.isatty())
    print(text, end="")

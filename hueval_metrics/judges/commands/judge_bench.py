"""`hueval judge-bench …`: compare judges on a frozen set of answers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.terminal import terminal_width


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    parser = commands.add_parser("judge-bench", help="compare judges on a frozen set of answers")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    make = actions.add_parser("make", help="draw answers of scored runs into a data set folder")
    make.add_argument("paths", nargs="+", type=Path, metavar="RUN", help="result files or folders, of several models")
    make.add_argument("--output", type=Path, required=True, metavar="SET", help="a new folder")
    make.add_argument("--n", type=int, default=300, metavar="N", help="answers to draw (default: 300)")
    make.add_argument("--seed", type=int, default=0, metavar="S", help="another seed is another sample (default: 0)")
    make.add_argument(
        "--licence", action="append", default=[], metavar="MODEL=SPDX", help="licence of a model's answers; repeat"
    )
    make.add_argument("--licence-unknown", action="store_true", help="take models without one; the card says so")
    make.add_argument("--data-dir", metavar="DIR", help="folder that has FAMILY/*.jsonl, for runs without documents")
    make.add_argument("--metadata", default="{}", metavar="JSON", help="what the runs were given by --metadata")
    make.set_defaults(call=_make)
    run = actions.add_parser("run", help="ask judges about the answers; run it again to resume")
    run.add_argument("set", type=Path, metavar="SET", help="what `judge-bench make` wrote")
    run.add_argument("--output", type=Path, required=True, metavar="DIR", help="where the verdicts are kept")
    run.add_argument(
        "--judge", action="append", default=[], metavar="MODEL", help="default: HUEVAL_JUDGE_MODEL; or lexical; repeat"
    )
    run.add_argument("--repeats", type=int, default=1, metavar="N", help="ask N times more, for agreement with itself")
    run.add_argument("--no-attempts", action="store_true", help="try no attempts on the judges")
    run.add_argument("--dry-run", action="store_true", help="print the calls and their price, and ask nothing")
    _add_reference(run)
    run.set_defaults(call=_run)
    show = actions.add_parser("show", help="one table of all judges")
    show.add_argument("bench", type=Path, metavar="DIR", help="what `judge-bench run` wrote")
    _add_reference(show)
    show.add_argument("--models", type=Path, metavar="FILE", help="YAML with the series of models and judges")
    show.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    show.add_argument("--figure", type=Path, metavar="FILE.svg", help="write agreement against cost as a picture")
    show.set_defaults(call=_show)


def _add_reference(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="JUDGE|RUN|SHEET",
        help="reference ratings to compare the judges with: one judge, a scored run, or sheets of people (repeat)",
    )
    parser.add_argument("--key", type=Path, metavar="FILE", help="of the sheets; default: the one beside them")


def _make(args: argparse.Namespace) -> int:
    from hueval_metrics.commands.score import metadata_of
    from hueval_metrics.judges.bench.make import make_set

    licences = dict(_pair(text) for text in args.licence)
    settings = metadata_of(args.metadata) | ({"data_dir": args.data_dir} if args.data_dir else {})
    frozen = make_set(
        args.paths, args.output, args.n, args.seed, licences, settings, may_be_unknown=args.licence_unknown
    )
    for task in frozen.tasks:
        own = [answer for answer in frozen.answers if answer.task == task]
        print(
            f"{task}: {len(own)} answers of {len({answer.model for answer in own})} models, drawn from "
            f"{frozen.manifest.population[task]} verdicts"
        )
    print(f"\nWrote {args.output}. Next: hueval judge-bench run {args.output} --judge MODEL --output DIR")
    return 0


def _pair(text: str) -> tuple[str, str]:
    model, equals, licence = text.rpartition("=")
    if not (equals and model and licence):
        raise InputError(f"--licence {text}: expected MODEL=SPDX, such as my-model=Apache-2.0")
    return model, licence


def _run(args: argparse.Namespace) -> int:
    from hueval_metrics.exit_status import DONE, INCOMPLETE
    from hueval_metrics.judges.bench.bench import open_bench
    from hueval_metrics.judges.bench.frozen import read_set
    from hueval_metrics.judges.bench.reference import check_reference
    from hueval_metrics.judges.bench.run import judges_named, plan_bench, run_bench

    if args.repeats < 1:
        raise InputError(f"--repeats {args.repeats}: expected 1 or more")
    frozen = read_set(args.set)
    judges = judges_named(args.judge, args.repeats)
    if args.reference:
        names = [*(judge.name for judge in judges), *frozen.drawn_verdicts()]
        check_reference(open_bench(args.output, frozen), args.reference, names)
    with_attempts = not args.no_attempts
    print("\n".join(plan_bench(frozen, args.output, judges, with_attempts=with_attempts)), flush=True)
    if args.dry_run:
        return DONE
    is_complete = run_bench(frozen, args.output, judges, with_attempts=with_attempts)
    print()
    _print(args.output, args.reference, args.key)
    print(f"\nWrote {args.output}")
    return DONE if is_complete else INCOMPLETE


def _show(args: argparse.Namespace) -> int:
    _print(args.bench, args.reference, args.key, args.models, args.format, args.figure)
    return 0


def _print(
    folder: Path,
    named: list[str],
    key: Path | None,
    models: Path | None = None,
    form: str = "text",
    figure: Path | None = None,
) -> None:
    from hueval_metrics.judges.bench.bench import read_bench
    from hueval_metrics.judges.bench.measure import measure
    from hueval_metrics.judges.bench.reference import reference_for
    from hueval_metrics.judges.report.bench import as_json, as_markdown, as_text
    from hueval_metrics.stats.model_cards import read_model_cards

    bench = read_bench(folder)
    if not bench.judges:
        raise InputError(f"{folder}: has the verdicts of no judge. Ask one: hueval judge-bench run SET --judge MODEL")
    reference = reference_for(bench, named, key) if named else None
    tasks = measure(bench, reference, read_model_cards(models) if models else None)
    if form == "json":
        print(as_json(tasks), end="")
    elif form == "markdown":
        print(as_markdown(tasks), end="")
    else:
        width = terminal_width()
        print(as_text(tasks, width=width, color=sys.stdout.isatty()), end="")
    if figure is not None:
        from hueval_metrics.judges.report.bench_figures import write_figure

        write_figure(tasks, figure)

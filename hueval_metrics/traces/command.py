"""`hueval traces`: how models reason, read from the traces of their replies."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from hueval_metrics.commands import missing
from hueval_metrics.commands.parser import filled, names
from hueval_metrics.commands.score import metadata_of
from hueval_metrics.exit_status import DONE
from hueval_metrics.traces.settings import SEGMENTERS, Settings


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    traces = commands.add_parser(
        "traces",
        help="how models reason: thoughts, segments, translation, regret",
        description="Analyse the reasoning traces of runs. Without --steps it makes no API calls.",
    )
    traces.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="samples, items.jsonl, traces, or a folder")
    traces.add_argument("--output", type=Path, default=Path("traces"), metavar="DIR", help="default: traces")
    traces.add_argument(
        "--steps",
        type=names,
        metavar="STEP[,STEP…]",
        help="free (default), thoughts, segments; the last two ask a judge",
    )
    traces.add_argument("--task", help="only this task; the task of rows that do not name theirs")
    traces.add_argument(
        "--limit", type=int, metavar="N", help="a judge sees N replies of each run and task, by verdict"
    )
    traces.add_argument(
        "--tokenizer", metavar="NAME", help="a folder or a name of the Hub (default: the model's, if on this machine)"
    )
    traces.add_argument("--segmenter", choices=SEGMENTERS, help="default: qwq for QwQ-32B-Preview, else r1")
    traces.add_argument("--data-dir", metavar="DIR", help="folder that has FAMILY/*.jsonl (default: HUEVAL_DATA_DIR)")
    traces.add_argument("--metadata", default="{}", metavar="JSON", help="what the run was given by --metadata")
    traces.add_argument("--dry-run", action="store_true", help="print the calls and their price, and make none")
    missing.add_options(traces)
    traces.set_defaults(call=_traces)


def _traces(args: argparse.Namespace) -> int:
    from hueval_metrics.api.documents import settings_of
    from hueval_metrics.judge.configured import judge_settings
    from hueval_metrics.traces.analyse import planned_calls
    from hueval_metrics.traces.api import analysed
    from hueval_metrics.traces.judging import Asking

    settings = filled(Settings, args, data=settings_of(args.data_dir, metadata_of(args.metadata)))
    if args.dry_run:  # no key is needed to ask for a price
        plan = planned_calls(args.runs, settings, Asking(judge_settings())) if settings.judged else []
        print("\n".join(plan) or f"--steps {','.join(settings.steps)} makes no API calls")
        return DONE
    analysis = analysed(args.runs, args.output, settings, ask_final=args.ask_final)
    print(analysis.text(color=sys.stdout.isatty()), end="")
    print(f"\nWrote {args.output / 'traces.json'} and {args.output / 'traces.jsonl'}")
    return missing.status(analysis.without_verdict, args.allow_missing)

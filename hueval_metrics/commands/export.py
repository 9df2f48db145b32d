"""`hueval export`: results in the formats of the places where others look."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    export = commands.add_parser(
        "export", help="results for a model repository on the Hub, a model card, Every Eval Ever, or Inspect"
    )
    export.add_argument("paths", nargs="+", type=Path, metavar="RUN", help="result files or folders of a run")
    export.add_argument(
        "--to",
        choices=("hub", "model-index", "every-eval-ever", "inspect", "all"),
        required=True,
        help=".eval_results/*.yaml, model-index.yaml, data/…/*.json with the predictions, inspect/*.json for `inspect "
        "view`, or all of them",
    )
    export.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="several runs get a folder each in it"
    )
    export.add_argument("--model", metavar="ORG/NAME", help="the model's id, where the run is not called by it")
    export.add_argument(
        "--dataset",
        metavar="ORG/NAME@REVISION",
        help="the Hub repository that has the data, where the run does not name it",
    )
    export.add_argument("--evaluator", default="unknown", metavar="NAME", help="who ran the evaluation")
    export.add_argument(
        "--relationship",
        choices=("first_party", "third_party", "collaborative", "other"),
        default="other",
        help="of the evaluator to the model's maker (default: other)",
    )
    export.add_argument("--source-url", metavar="URL", help="where a reader finds more")
    export.add_argument("--no-items", action="store_true", help="leave out predictions, prompts and reference answers")
    export.add_argument("--even-sample", action="store_true", help="export what was measured on the packaged sample")
    export.add_argument(
        "--even-partial",
        action="store_true",
        help="export what lacks items or verdicts, was judged by comparing words, or measured on other data",
    )
    export.add_argument("--overwrite", action="store_true", help="replace files in DIR that have other content")
    export.add_argument("--dry-run", action="store_true", help="show paths and first lines, and write nothing")
    export.set_defaults(call=_export)


def _export(args: argparse.Namespace) -> int:
    from hueval_metrics.export.artifacts import preview, write
    from hueval_metrics.export.every_eval_ever import Evaluator
    from hueval_metrics.export.plan import Options, plan
    from hueval_metrics.runs.load import load_runs

    options = Options(
        target=args.to,
        model=args.model,
        dataset=args.dataset,
        evaluator=Evaluator(args.evaluator, args.relationship, args.source_url),
        even_sample=args.even_sample,
        even_partial=args.even_partial,
        with_items=not args.no_items,
    )
    files = plan(load_runs(args.paths), options)
    if args.dry_run:
        print(f"Would write:\n{preview(files, args.output)}", end="")
        return 0
    for path in write(files, args.output, overwrite=args.overwrite):
        print(f"Wrote {path}")
    return 0

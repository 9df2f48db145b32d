"""`hueval score`: score what was generated elsewhere or earlier."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from hueval_metrics.commands import missing
from hueval_metrics.commands.parser import filled, names
from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.foreign import parse_json


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    score = commands.add_parser("score", help="score samples or predictions made elsewhere or earlier, without a model")
    score.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="lm-eval samples, predictions, or a folder")
    score.add_argument("--task", help="task of rows that do not name theirs; `hueval ls tasks` lists them")
    score.add_argument("--output", type=Path, default=Path("results"), metavar="DIR", help="default: results")
    score.add_argument("--data-dir", metavar="DIR", help="folder that has FAMILY/*.jsonl (default: HUEVAL_DATA_DIR)")
    score.add_argument(
        "--metadata",
        default="{}",
        metavar="JSON",
        help="what the run was given by --metadata, for predictions that do not carry their documents",
    )
    score.add_argument(
        "--question-lang", choices=("hu", "en", "zh"), help="the same as --metadata '{\"question_lang\": …}'"
    )
    score.add_argument(
        "--only-missing",
        action="store_true",
        help="keep also the verdicts that an earlier score left in DIR/items.jsonl, for the very same predictions; "
        "without it, those in the samples are kept, and those there of the same judge, rubric and question whose reply "
        "says so; all others are asked for (or taken from the cache) and put before the earlier ones",
    )
    score.add_argument(
        "--rejudge",
        type=names,
        metavar="MODEL[,MODEL…]",
        help="let another judge or panel judge everything again; the verdicts so far stay in DIR/items.jsonl as "
        "earlier_verdicts. With --only-missing, this judge's own verdicts there are kept",
    )
    score.add_argument(
        "--extract",
        metavar="MODEL",
        help="let a judge quote the words that answer in replies to tasks scored by rule, where they are not read; the "
        "columns *_extracted count what it quotes, the scores do not. HUEVAL_JUDGE_… say how it is reached",
    )
    score.add_argument(
        "--ece-bins", type=int, dest="bins", metavar="N", help="bins of calibration errors (default: 10)"
    )
    score.add_argument(
        "--ece-edges", choices=("left", "right"), dest="edges", help="the closed side of these bins (default: left)"
    )
    score.add_argument(
        "--ece-attempted",
        action="store_true",
        dest="attempted",
        help="leave answers that were not attempted out of calibration errors, where they count as wrong",
    )
    missing.add_options(score)
    score.set_defaults(call=_score)


def _score(args: argparse.Namespace) -> int:
    # Before numpy is imported: its matrices are small here, and threads that wait for the next one take a third more
    # CPU time, on a busy machine also a third more time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from hueval_metrics.api.documents import settings_of
    from hueval_metrics.api.results import load
    from hueval_metrics.api.score import scored
    from hueval_metrics.metrics.confidence import ConfidenceSettings
    from hueval_metrics.scoring.judged import JudgePlan

    metadata = metadata_of(args.metadata)
    if args.question_lang is not None:
        metadata["question_lang"] = args.question_lang
    settings = settings_of(args.data_dir, metadata)
    plan, confidence = filled(JudgePlan, args), filled(ConfidenceSettings, args)
    results = scored(args.paths, args.task, args.output, settings, plan, confidence, ask_final=args.ask_final)
    folders = [run.path.parent for run in results.runs]
    shown = results if len(folders) == 1 else load(*folders, by_prompt=False)
    print(shown.table(every_metric=True, is_brief=True, color=sys.stdout.isatty()), end="")
    print("\n" + "\n".join(f"Wrote {folder / 'results.json'} and {folder / 'items.jsonl'}" for folder in folders))
    return missing.status(missing.of_tasks(results.runs), args.allow_missing)


def metadata_of(text: str) -> dict[str, Any]:
    """The object of a `--metadata` option.

    Raises:
        InputError: it is no JSON object.
    """
    try:
        given = parse_json(text)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise InputError(
            f'--metadata: expected a JSON object, such as {{"prompt_lang": "hu"}}, got {one_line(text, 40)}'
        )
    return given

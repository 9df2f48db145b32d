"""`hueval score`: score what was generated elsewhere or earlier."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hueval_metrics.records import InputError
from hueval_metrics.text.foreign import parse_json
from hueval_metrics.text.one_line import one_line


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


def _score(args: argparse.Namespace) -> int:
    from hueval_metrics.commands.table import print_tables
    from hueval_metrics.exit_status import DONE, INCOMPLETE
    from hueval_metrics.registry import families, warn_of_near_misses
    from hueval_metrics.runs.load import load_runs
    from hueval_metrics.scoring.judged import JudgePlan
    from hueval_metrics.scoring.write import score_into

    given = {"data_dir": args.data_dir, "question_lang": args.question_lang}
    settings = metadata_of(args.metadata) | {key: value for key, value in given.items() if value is not None}
    warn_of_near_misses(settings, {name for family in families().values() for name in family.variants})
    judges = tuple(name.strip() for name in args.rejudge.split(",")) if args.rejudge is not None else ()
    scores = score_into(args.output, args.paths, args.task, settings, JudgePlan(args.only_missing, judges))
    print_tables(load_runs([args.output / "results.json"]), "terminal", every_metric=True)
    print(f"\nWrote {args.output / 'results.json'} and {args.output / 'items.jsonl'}")
    return INCOMPLETE if any(score.summary.get("n_unanswered") for score in scores) else DONE


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

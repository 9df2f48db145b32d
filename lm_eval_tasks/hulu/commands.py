"""`hueval hulu …`: each command is a few lines that call functions elsewhere."""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from hueval_metrics.commands.parser import Parser
from hueval_metrics.errors import InputError
from hueval_metrics.exit_status import DONE, USER_ERROR
from hueval_metrics.one_line import printable
from lm_eval_tasks.hulu.corpora import CORPORA

log = logging.getLogger(__name__)


def package(arguments: Sequence[str]) -> int:
    """Pack the predictions of runs on the test rows into a submission for the site.

    Args:
        arguments: those after `hueval hulu package`.

    Returns:
        The exit status.
    """
    from hueval_metrics.runs.load import load_runs
    from lm_eval_tasks.hulu.baselines import COMMONEST
    from lm_eval_tasks.hulu.submission.package import pack, write

    parser = Parser(
        prog="hueval hulu package",
        description="Write HuCOLA.json and so on, the predictions of runs on the test rows in the form that the site "
        "takes, and all of them as submission.zip.",
    )
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="""results of `hueval run --metadata '{"split": "test"}'` or of `hueval score`: files or folders""",
    )
    parser.add_argument("--output", type=Path, default=Path("submission"), metavar="DIR", help="default: submission")
    parser.add_argument(
        "--tasks",
        default="",
        metavar="TASK[,TASK…]",
        help="only these, where runs have a corpus twice: names, patterns, or a group such as hulugen",
    )
    parser.add_argument(
        "--fill", choices=("majority",), help="the label of rows whose reply names none: the commonest one of train"
    )
    _add_data_dir(parser)
    args = parser.parse_args(arguments)
    tasks = [name.strip() for name in args.tasks.split(",") if name.strip()]
    packed = pack(load_runs(args.paths), tasks, fills=args.fill is not None, data_dir=args.data_dir)
    files = write(packed, args.output)
    for one in packed:
        filled = f', {one.filled:,} of them filled with "{COMMONEST[one.corpus]}"' if one.filled else ""
        print(f"{CORPORA[one.corpus].title}: {len(one.labels):,} labels{filled} ({one.task} of {one.model})")
    if missing := [corpus.title for name, corpus in CORPORA.items() if name not in {one.corpus for one in packed}]:
        log.warning("not in the submission: %s.", ", ".join(missing))
    print(f"\nWrote {files[-1]} and, each by itself, {', '.join(file.name for file in files[:-1])}")
    return DONE


def check(arguments: Sequence[str]) -> int:
    """Name every fault of a submission that anybody made.

    Args:
        arguments: those after `hueval hulu check`.

    Returns:
        The exit status: 1 where there is a fault.
    """
    from lm_eval_tasks.hulu.submission.check import check_file

    parser = Parser(
        prog="hueval hulu check",
        description="Name every fault, one a line, and of each kind the first five. Exit status: 0, or 1 where there "
        "is a fault.",
    )
    _add_files(parser)
    args = parser.parse_args(arguments)
    status = DONE
    for path in args.paths:
        try:
            found = check_file(path, args.corpus, args.split, args.data_dir)
        except InputError as error:  # the other files can still be checked
            print(error)
            status = USER_ERROR
            continue
        for one in found:
            for line in one.lines():
                print(printable(line))
            if one.faults:
                status = USER_ERROR
            else:
                print(f"{one.document.name}: no faults, {len(one.labels):,} labels of {one.title}")
    return status


def score(arguments: Sequence[str]) -> int:
    """Score the files of a submission where the right labels are available.

    Args:
        arguments: those after `hueval hulu score`.

    Returns:
        The exit status.
    """
    from hueval_metrics.api.results import load
    from hueval_metrics.scoring.write import write_scores
    from lm_eval_tasks.hulu.submission.score import score_files

    parser = Parser(
        prog="hueval hulu score",
        description="Labels are available for validation, and of test for HuWNLI alone; the other files are left out.",
    )
    _add_files(parser)
    parser.add_argument("--output", type=Path, metavar="DIR", help="write results.json and items.jsonl there")
    parser.add_argument("--model", metavar="NAME", help="what the model is called (default: the first file's folder)")
    args = parser.parse_args(arguments)
    model = args.model or args.paths[0].resolve().parent.name
    scores, hidden = score_files(args.paths, model, args.corpus, args.split, args.data_dir)
    if hidden:
        log.warning("left out, as their labels are hidden: %s of %s.", args.split, ", ".join(hidden))
    with ExitStack() as stack:
        folder = args.output or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        write_scores(scores, folder)
        print(load(folder / "results.json").table(every_metric=True, color=sys.stdout.isatty()), end="")
    if args.output:
        print(f"\nWrote {folder / 'results.json'} and {folder / 'items.jsonl'}")
    return DONE


def _add_files(parser: Parser) -> None:
    from lm_eval_tasks.hulu.submission.check import SPLITS

    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="HuCOLA.json and so on, or a zip of them")
    parser.add_argument("--corpus", choices=tuple(CORPORA), help="whose labels they are, where the name does not say")
    parser.add_argument("--split", choices=SPLITS, default=SPLITS[0], help="whose rows (default: test)")
    _add_data_dir(parser)


def _add_data_dir(parser: Parser) -> None:
    parser.add_argument("--data-dir", metavar="DIR", help="folder that has hulu/ (default: HUEVAL_DATA_DIR)")

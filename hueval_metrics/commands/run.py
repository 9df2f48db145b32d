"""`hueval run`: evaluate a model, with lm-eval's options and our defaults."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hueval_metrics import terminal
from hueval_metrics.commands import missing
from hueval_metrics.commands.parser import Parser
from hueval_metrics.errors import InputError
from hueval_metrics.exit_status import DONE, USER_ERROR
from hueval_metrics.progress import Progress
from hueval_metrics.terminal import terminal_width

if TYPE_CHECKING:
    from hueval_metrics.harness.evaluate import Evaluation

_HELP = """\
usage: hueval run --model MODEL --model_args K=V,… [--tasks TASK,…] [options]

Evaluate a model: generate answers, score them, save them, print the scores.

  hueval run --model hf --model_args pretrained=ORG/MODEL --tasks {task}
  hueval run --config paper-hf -a pretrained=ORG/MODEL -t {default}
  hueval run --model local-chat-completions --apply_chat_template \\
      --model_args model=NAME,base_url=http://HOST/v1/chat/completions

what is evaluated
  -M, --model MODEL       hf, vllm, local-chat-completions, others of lm-eval;
                          hueval-baseline (policy=oracle, random, first, …)
  -a, --model_args K=V,…  its arguments: pretrained=ORG/MODEL,dtype=bfloat16
  -t, --tasks TASK,…      tasks, groups, tags, globs; default: {default}.
                          All tasks: hueval ls. Groups and tags:
{groups}
  -L, --limit N           only the first N items of each task, to try things out
      --metadata K=V,…    variants of the tasks, such as prompt_lang=hu

how
  -C, --config NAME       a YAML file of options, or a preset:
{presets}
      --apply_chat_template   for chat models
      --gen_kwargs K=V,…  generation settings, such as max_gen_toks=2048
  -b, --batch_size N      prompts at a time
      --device DEVICE     cuda, cuda:0, cpu, mps
      --repeats K         K runs with other seeds, scored by their mean
      --ask-again         replies that are not read get a second turn that asks
                          for the answer alone, counted in columns *_asked

who judges the tasks that need a judge (environment variables)
  OPENAI_API_KEY: OpenAI's paid API, which an estimate precedes.
  HUEVAL_JUDGE_BASE_URL, HUEVAL_JUDGE_MODEL, HUEVAL_JUDGE_API_KEY: any
  OpenAI-compatible server. HUEVAL_JUDGE=lexical compares words, offline;
  HUEVAL_JUDGE=defer leaves judging to a later `hueval score`.
      --allow-missing SHARE   status 0 where this share of verdicts is missing
      --ask-final         ask again where the judge is known to refuse

output
  -o, --output_path DIR   results, samples, log; default: {output}
  -v, --verbose           show what lm-eval and its libraries print
      --wandb_args, --trackio_args K=V,…   log scores and intervals there too

A run that is stopped goes on where it was: give the same command again.
All options, with lm-eval's own: hueval run --help-all
"""
_INDENT = " " * 26
_ASK_AGAIN = (
    "Ask the model once more, greedily and for at most 64 tokens, where a reply to a task scored by rule is not read; "
    "the columns *_asked count these replies, the scores do not"
)
_REPEATS = (
    "Run K times (2 to 100) with other seeds, the model loaded once, for scores that do not depend on one draw of "
    "sampled replies; needs --gen_kwargs temperature=…"
)


def run(arguments: Sequence[str]) -> int:
    """Evaluate a model.

    Args:
        arguments: those of `hueval run`.

    Returns:
        The exit status.

    Raises:
        HuevalError: the call cannot be served.
    """
    parser = run_parser()
    if not arguments:
        parser.print_help()
        return DONE
    try:
        given = vars(parser.parse_args(arguments))
    except ValueError as error:  # JSON in single quotes, which lm-eval's parser lets through
        raise InputError(" ".join(str(error).split())) from None
    own = ("verbose", "allow_missing", "ask_final", "ask_again", "repeats")
    verbose, allowed, asks_final, asks_again, repeats = (given.pop(name) for name in own)
    with Progress("Starting"):
        from hueval_metrics.harness.config import config_of
        from hueval_metrics.harness.evaluate import as_json, evaluate
        from hueval_metrics.harness.repeats import evaluate_repeats
        from hueval_metrics.judge.configured import asking_final
    if repeats is not None:
        with asking_final(asks_final):
            found = evaluate_repeats(config_of(given), repeats, verbose=verbose, ask_again=asks_again)
        return _repeated(found, allowed, predicts_only=bool(given.get("predict_only")))
    with asking_final(asks_final):
        evaluation = evaluate(config_of(given), verbose=verbose, ask_again=asks_again)
    if evaluation.results is None:
        return DONE
    if given.get("show_config"):
        print(as_json(evaluation.results))
    try:
        _print_scores(evaluation)
        if evaluation.file:
            print(f"\nResults: {evaluation.file}\nLog:     {evaluation.log}")
    finally:  # standard output may be on the disk that is full
        if evaluation.is_moved and evaluation.file:
            terminal.say(f"hueval: the results did not fit where you asked. They are in {evaluation.file.parent}")
    if evaluation.file is None:
        terminal.say(f"hueval: the results could not be written. Log: {evaluation.log}")
        return USER_ERROR
    if evaluation.is_moved or evaluation.failed:
        return USER_ERROR
    return missing.status(missing.of_tasks([evaluation.run] if evaluation.run else []), allowed)


def _repeated(found: Sequence[Evaluation], allowed: float, *, predicts_only: bool) -> int:
    """Print the means over repeats; the exit status."""
    from hueval_metrics.comparison.facets import with_intervals
    from hueval_metrics.reports.run_table import render_run
    from hueval_metrics.runs.facets import FACETS
    from hueval_metrics.runs.load import load_runs

    if all(one.results is None for one in found):  # a rank that saves nothing
        return DONE
    for one in found:
        if one.file is None:
            terminal.say(f"hueval: the results could not be written. Log: {one.log}")
    files = [one.file for one in found if one.file]
    runs = load_runs(files) if files and not predicts_only else []
    if runs:
        means = map(with_intervals, load_runs(files, over=FACETS))
        print(render_run(list(means), width=terminal_width(), color=sys.stdout.isatty()), end="")
    if files:
        print(f"\nResults of {len(files)} repeats: {files[-1].parent}")
    if any(one.file is None or one.is_moved or one.failed for one in found):
        return USER_ERROR
    return missing.status(missing.of_tasks(runs), allowed)


def _print_scores(evaluation: Evaluation) -> None:
    from lm_eval.utils import make_table

    from hueval_metrics.registry import known_tasks
    from hueval_metrics.reports.run_table import render_run

    if evaluation.run is not None:
        width = terminal_width()
        print(render_run([evaluation.run], width=width, color=sys.stdout.isatty()), end="")
    results: dict[str, Any] = evaluation.results or {}
    of_ours = known_tasks().keys() | _groups_of(results, known_tasks().keys())
    others = {name: scores for name, scores in results["results"].items() if name not in of_ours}
    if others:  # tasks of lm-eval or of the user, which we know no headline of
        print(make_table({**results, "results": others, "group_subtasks": {}}))


def _groups_of(results: dict[str, Any], tasks: Any) -> set[str]:
    """The groups all of whose tasks, and groups of tasks, are among some tasks."""
    below: dict[str, list[str]] = results.get("group_subtasks", {})

    def is_of(name: str) -> bool:
        return all(map(is_of, below[name])) if below.get(name) else name in tasks

    return {name for name in below if is_of(name)}


def run_parser() -> RunParser:
    """lm-eval's parser of its own `run`, with our help and our option for what is shown."""
    from lm_eval._cli.run import Run

    commands = Parser(prog="hueval").add_subparsers(parser_class=RunParser)
    Run.create(commands)
    parser: RunParser = commands.choices["run"]
    parser.usage, parser.epilog = None, None
    parser.add_argument("-v", "--verbose", action="store_true", help="Show all that lm-eval and the libraries print")
    parser.add_argument("--ask-again", action="store_true", help=_ASK_AGAIN)
    parser.add_argument("--repeats", type=int, metavar="K", help=_REPEATS)
    missing.add_options(parser)
    parser.add_argument("--help-all", action=_HelpAll, nargs=0, help="Show these options")
    return parser


class RunParser(Parser):
    """Our help in the place of lm-eval's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, conflict_handler="resolve", **kwargs)  # -v was lm-eval's level of its log

    def format_help(self) -> str:
        """The options that most runs need, and what can be named."""
        from hueval_metrics.harness.config import DEFAULT_OUTPUT, DEFAULT_TASKS
        from hueval_metrics.harness.presets import presets
        from hueval_metrics.registry import known_tasks
        from hueval_metrics.reports.task_list import named_groups

        groups = list(named_groups())
        return _HELP.format(
            task=min(known_tasks(), key=len, default="TASK"),
            default=DEFAULT_TASKS,
            groups=_folded(groups),
            presets=_folded(presets()),
            output=DEFAULT_OUTPUT,
        )

    def format_all(self) -> str:
        """Every option."""
        return super().format_help()


def _folded(names: Sequence[str]) -> str:
    return textwrap.fill(
        ", ".join(names), 80, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False
    )


class _HelpAll(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        if isinstance(parser, RunParser):
            parser._print_message(parser.format_all(), sys.stdout)
        parser.exit()

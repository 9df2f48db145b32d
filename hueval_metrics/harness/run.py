"""`hueval run`, `hueval ls`, `hueval validate`: lm-eval's own command line with our tasks, model and cache preset."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

import lm_eval.models  # first: a model registered before this hides all built-in ones
import lm_eval.tasks
from lm_eval._cli import HarnessCLI
from lm_eval.config.evaluate_config import EvaluatorConfig
from lm_eval.models.dummy import DummyLM
from lm_eval.utils import setup_logging

import hueval_metrics.harness.baseline  # noqa: F401  registers hueval-baseline
from hueval_metrics.exit_status import DONE, INCOMPLETE
from hueval_metrics.harness.checks import check_call
from hueval_metrics.harness.compatibility import manager_maker
from hueval_metrics.harness.generation_prompt import template_known
from hueval_metrics.harness.generations import at_once, is_sampled, kept_in, warn_where_unsafe
from hueval_metrics.harness.intervals import intervals_added, print_intervals
from hueval_metrics.harness.kept_answers import AnswerFile, answers_kept
from hueval_metrics.harness.live import live_run
from hueval_metrics.harness.models import models_checked
from hueval_metrics.harness.presets import use_preset, warn_where_surprising
from hueval_metrics.harness.replaced import replaced
from hueval_metrics.harness.tasks import HuevalTaskManager, hooks_checked, leaves, resolve
from hueval_metrics.records import HuevalError, InputError
from hueval_metrics.signals import status_of
from hueval_metrics.text.one_line import one_line


def run_harness(argv: Sequence[str]) -> int:
    """Run lm-eval's command line.

    Args:
        argv: `run`, `ls` or `validate` and lm-eval's options.

    Returns:
        The exit status.

    Raises:
        HuevalError: the call cannot be served; nothing was generated yet.
        SystemExit: from lm-eval's own argument parser.
    """
    setup_logging()
    with replaced(sys, "argv", ["hueval", *argv]):  # lm-eval's parser reads these, and nothing else
        cli = HarnessCLI()
        try:
            args = cli.parse_args()
        except ValueError as error:  # JSON in single quotes, which lm-eval's parser lets through
            raise InputError(" ".join(str(error).split())) from None
    use_preset(args)
    names = _task_names(args)
    manager = HuevalTaskManager(names, getattr(args, "include_path", None))
    tasks = resolve(names, manager)
    all_leaves = dict.fromkeys(leaf for task in tasks for leaf in leaves(task, manager))
    config = _config(args) if argv[0] == "run" and len(argv) > 1 else None
    if argv[0] == "validate":
        # lm-eval's own command knows no globs; what is no name of a task stays for it to refuse.
        asked = [name.strip() for name in args.tasks.split(",")]
        args.tasks = ",".join(match for name in asked for match in (manager.match_tasks([name]) or [name]))
    with contextlib.ExitStack() as stack:
        stack.enter_context(_our_task_manager(manager))
        if config is None:
            cli.execute(args)
            return DONE
        # lm-eval scores by a function of its own where only replies are wanted.
        stack.enter_context(_judging_deferred() if config.predict_only else hooks_checked())
        check_call(config, list(all_leaves))
        warn_where_surprising(config, list(all_leaves))
        prefix = kept_in(config, list(all_leaves))
        _settle(args, config, prefix)
        stack.enter_context(models_checked())
        live = live_run(config, prefix)
        opened = stack.enter_context(answers_kept(at_once(config), live))
        stack.enter_context(template_known())
        runs = stack.enter_context(intervals_added())
        try:
            cli.execute(args)
        except KeyboardInterrupt as stop:
            print(f"\nhueval: stopped. {_said(opened)}".rstrip(), file=sys.stderr)
            return status_of(stop)
        except ImportError as error:
            raise InputError(one_line(error, 300)) from error
        except HuevalError as error:
            if opened:
                print(file=sys.stderr)  # ends the line of a progress bar
            if said := _said(opened):
                raise InputError(f"{str(error).rstrip('.')}. {said}") from error
            raise
        except Exception:
            if said := _said(opened):
                print(f"hueval: {said}", file=sys.stderr)
            raise
        if live:
            live.forget()
        if is_sampled(config) and prefix:
            for file in opened:
                file.forget()
    print_intervals(runs)
    lacks_verdicts = any(result.n_unanswered for run in runs for result in run.tasks.values())
    return INCOMPLETE if lacks_verdicts else DONE


def _settle(args: Namespace, config: EvaluatorConfig, prefix: str | None) -> None:
    """Set in lm-eval's parsed arguments what it would otherwise do badly."""
    if config.model == "hueval-baseline":  # lm-eval names the results folder after this argument, or at random
        args.model_args = {"model": f"hueval-baseline-{config.model_args.get('policy', 'oracle')}", **config.model_args}
    if config.model == "dummy" and not config.apply_chat_template:
        # lm-eval would ask the Hub for this tokenizer only to log its special tokens: 46 s of retries without a network
        DummyLM.tokenizer = None
    if config.output_path and not config.log_samples:
        args.log_samples = True  # without samples a run can neither be re-scored nor compared
    if prefix:
        args.use_cache = prefix
        warn_where_unsafe(config)


def _said(opened: Sequence[AnswerFile]) -> str:
    """The sentence that says what a stopped run leaves behind; empty when that is nothing."""
    kept = sum(file.n_kept for file in opened)
    return f"{kept} answers are kept in {opened[0].files}; the same command goes on from there." if kept else ""


@contextlib.contextmanager
def _judging_deferred() -> Iterator[None]:
    """`--predict_only` runs the filters, too, and the judge is one."""
    before = os.environ.get("HUEVAL_JUDGE")
    os.environ["HUEVAL_JUDGE"] = "defer"
    try:
        yield
    finally:
        if before is None:
            del os.environ["HUEVAL_JUDGE"]
        else:
            os.environ["HUEVAL_JUDGE"] = before


def _config(args: Namespace) -> EvaluatorConfig:
    with contextlib.redirect_stdout(io.StringIO()):  # lm-eval prints a --config when it reads it, and will again
        try:
            return EvaluatorConfig.from_cli(args)
        except (ValueError, TypeError, FileNotFoundError) as error:
            raise InputError(" ".join(str(error).split())) from None


def _task_names(args: Namespace) -> list[str]:
    """The task names and globs of the call; YAML files and folders are lm-eval's business."""
    tasks: Any = getattr(args, "tasks", None)
    if tasks is None and getattr(args, "config", None):
        tasks = _config(args).tasks
    listed = tasks.split(",") if isinstance(tasks, str) else [t for task in tasks or [] for t in str(task).split(",")]
    names = [name.strip() for name in listed if name.strip()]
    return [name for name in names if not name.endswith(".yaml") and "/" not in name]


@contextlib.contextmanager
def _our_task_manager(manager: HuevalTaskManager) -> Iterator[None]:
    """lm-eval's CLI builds its own TaskManager and offers no way to hand it one."""
    with replaced(lm_eval.tasks, "TaskManager", manager_maker(manager.with_metadata)):
        yield

"""`hueval run`, `hueval ls`, `hueval validate`: lm-eval's own command line with our tasks, model and cache preset."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import lm_eval.models  # first: a model registered before this hides all built-in ones
import lm_eval.tasks
from lm_eval._cli import HarnessCLI
from lm_eval.config.evaluate_config import EvaluatorConfig
from lm_eval.models.dummy import DummyLM
from lm_eval.tasks import TaskManager
from lm_eval.utils import setup_logging

import hueval_metrics.harness.baseline  # noqa: F401  registers hueval-baseline
from hueval_metrics.exit_status import DONE, INCOMPLETE
from hueval_metrics.harness.generation_prompt import template_known
from hueval_metrics.harness.generations import cache_path, warn_where_unsafe
from hueval_metrics.harness.intervals import intervals_added, print_intervals
from hueval_metrics.harness.presets import use_preset, warn_where_surprising
from hueval_metrics.harness.tasks import HuevalTaskManager, leaves, resolve
from hueval_metrics.judge.settings import judge_settings, require_judge
from hueval_metrics.records import HuevalError, InputError
from hueval_metrics.signals import status_of
from lm_eval_tasks.catalog import task_files, task_spec

log = logging.getLogger(__name__)


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
    with _arguments(argv):
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
    cache = _prepare(args, list(all_leaves)) if argv[0] == "run" and len(argv) > 1 else None
    if argv[0] == "validate":
        # lm-eval's own command knows no globs; what is no name of a task stays for it to refuse.
        asked = [name.strip() for name in args.tasks.split(",")]
        args.tasks = ",".join(match for name in asked for match in (manager.match_tasks([name]) or [name]))
    try:
        with _our_task_manager(manager), template_known(), intervals_added() as runs:
            cli.execute(args)
        print_intervals(runs)
    except KeyboardInterrupt as stop:
        kept = f" What was generated is kept in {cache}_rank*.db; the same command goes on from there." if cache else ""
        print(f"\nhueval: stopped.{kept}", file=sys.stderr)
        return status_of(stop)
    except ImportError as error:
        extras = '"hueval[hf]", "hueval[vllm]" or "hueval[api]"'
        raise InputError(f"{error}. A model may need an extra: pip install {extras}") from error
    except HuevalError:
        raise
    except Exception:
        if cache:
            print(f"hueval: what was generated is kept in {cache}_rank*.db; the same command goes on.", file=sys.stderr)
        raise
    lacks_verdicts = any(details["n_unanswered"] for run in runs for details in run.details.values())
    return INCOMPLETE if lacks_verdicts else DONE


def _prepare(args: Namespace, tasks: Sequence[str]) -> str | None:
    """Check the call as lm-eval will, before it loads a model, and make it resumable; returns the cache's path."""
    config = _config(args)
    if not any(config.tasks):
        raise InputError("name the tasks to run: --tasks openhueval, or --tasks 'openhueval_*'")
    _check_model(config.model)
    _check_documents(tasks, config.metadata)
    warn_where_surprising(config, tasks)
    if config.model == "hueval-baseline":  # lm-eval names the results folder after this argument, or at random
        args.model_args = {"model": f"hueval-baseline-{config.model_args.get('policy', 'oracle')}", **config.model_args}
    if config.model == "dummy" and not config.apply_chat_template:
        # lm-eval would ask the Hub for this tokenizer only to log its special tokens: 46 s of retries without a network
        DummyLM.tokenizer = None
    if config.output_path and not config.log_samples:
        args.log_samples = True  # without samples a run can neither be re-scored nor compared
    if config.use_cache:
        return str(config.use_cache)
    path = cache_path(config.model, config.model_args, tasks)
    if path is None:
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    args.use_cache = str(path)
    warn_where_unsafe(config.batch_size, config.gen_kwargs)
    return args.use_cache


def _check_documents(tasks: Sequence[str], metadata: Mapping[str, Any]) -> None:
    """Read the data of our tasks once more than needed: a wrong value shows before a model takes minutes to load."""
    for task in tasks:
        if task in task_files():
            spec = task_spec(task)
            if spec.rubric is not None:
                require_judge(task)
                _flag_self_judging(metadata)
            spec.utils.documents(**{**spec.config["metadata"], **metadata, **spec.config["dataset_kwargs"]})


def _flag_self_judging(metadata: Mapping[str, Any]) -> None:
    """Say when a model is about to judge itself: judges prefer their own answers."""
    judge = judge_settings()
    own = {metadata.get("model"), metadata.get("pretrained")} & {judge.model, *judge.panel}
    if judge.asks and own:
        log.warning("the judge is the model under test (%s): judges prefer their own answers.", own.pop())


def _config(args: Namespace) -> EvaluatorConfig:
    with contextlib.redirect_stdout(io.StringIO()):  # lm-eval prints a --config when it reads it, and will again
        try:
            return EvaluatorConfig.from_cli(args)
        except (ValueError, TypeError, FileNotFoundError) as error:
            raise InputError(" ".join(str(error).split())) from None


def _check_model(name: str) -> None:
    from lm_eval.api.registry import MODEL_REGISTRY

    known = sorted({*MODEL_REGISTRY, "hueval-baseline"})
    if name not in known:
        raise InputError(f'unknown model "{name}". One of: {", ".join(known)}')


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
    original = lm_eval.tasks.TaskManager

    def ours(include_path: Any = None, metadata: Any = None) -> TaskManager:
        return manager.with_metadata(metadata)

    lm_eval.tasks.TaskManager = ours
    try:
        yield
    finally:
        lm_eval.tasks.TaskManager = original


@contextlib.contextmanager
def _arguments(argv: Sequence[str]) -> Iterator[None]:
    """lm-eval's parser reads sys.argv, and nothing else."""
    original = sys.argv
    sys.argv = ["hueval", *argv]
    try:
        yield
    finally:
        sys.argv = original

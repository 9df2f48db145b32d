"""One evaluation from its settings to its files: what `hueval run` and the Python API call.

It does what lm-eval's own command does, which prints its results twice and loses them where saving fails.
"""

from __future__ import annotations

import contextlib
import os
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import lm_eval.evaluator
import lm_eval.models  # first: a model registered before this hides all built-in ones
import lm_eval.tasks
from lm_eval.api.model import LM
from lm_eval.config.evaluate_config import EvaluatorConfig
from lm_eval.loggers import EvaluationTracker
from lm_eval.loggers.evaluation_tracker import GeneralConfigTracker
from lm_eval.models.dummy import DummyLM
from lm_eval.tasks import TaskManager
from lm_eval.utils import sanitize_model_name

import hueval_metrics.harness.baseline  # noqa: F401  registers hueval-baseline
from hueval_metrics import terminal
from hueval_metrics.errors import HuevalError, InputError
from hueval_metrics.harness.chat_traces import note_facts
from hueval_metrics.harness.checks import check_call
from hueval_metrics.harness.compatibility import manager_maker
from hueval_metrics.harness.finished import finished, mark, marker_of
from hueval_metrics.harness.generation_prompt import prompts_read
from hueval_metrics.harness.generations import at_once, is_sampled, kept_in, repeat_of, seeds_of, warn_where_unsafe
from hueval_metrics.harness.kept_answers import AnswerFile, answers_kept
from hueval_metrics.harness.live import live_run
from hueval_metrics.harness.models import models_checked
from hueval_metrics.harness.output.failed import without_failed
from hueval_metrics.harness.output.intervals import add_intervals
from hueval_metrics.harness.output.log_file import captured, open_log, time_of_day
from hueval_metrics.harness.output.saving import save
from hueval_metrics.harness.output.stages import stages_shown
from hueval_metrics.harness.output.trackers import open_trackers
from hueval_metrics.harness.presets import warn_where_surprising
from hueval_metrics.harness.replaced import replaced
from hueval_metrics.harness.second_turn import asking_again, check_tasks
from hueval_metrics.harness.tasks import HuevalTaskManager, hooks_checked, leaves, resolve
from hueval_metrics.loader import documents_prepared
from hueval_metrics.one_line import one_line
from hueval_metrics.runs.run import Run
from hueval_metrics.scoring.lm_eval_results import ASK_AGAIN, TEMPLATE_OPENS, drops_traces
from hueval_metrics.text.write_json import json_text


class EvaluationError(HuevalError):
    """The evaluation ended in an unexpected exception, which is the cause of this one and is in the log."""


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation left.

    Attributes:
        log: its log file.
        results: lm-eval's results, with intervals and without samples; None on all ranks but the first.
        run: the scores of our tasks; None where there are none.
        file: the results file, beside which the samples are; None where it could not be written.
        is_moved: whether it is not where it was asked for, which could not be written to.
        failed: our tasks that have no scores, as scoring them failed.
        marker: what says that it is finished (`finished`), where that was asked for.
    """

    log: Path
    results: dict[str, Any] | None = None
    run: Run | None = None
    file: Path | None = None
    is_moved: bool = False
    failed: Sequence[str] = ()
    marker: Path | None = None


def evaluate(
    config: EvaluatorConfig,
    *,
    model: LM | None = None,
    verbose: bool = False,
    ask_again: bool = False,
    keeps_finished: bool = False,
) -> Evaluation:
    """Evaluate a model and save the results.

    Args:
        config: the settings (`config.config_of`). Some are completed here.
        model: a model that is there already; None for the one that the settings name.
        verbose: show on the terminal all that lm-eval and the libraries print.
        ask_again: give replies that are not read a second turn (`second_turn`).
        keeps_finished: keep sampled answers after the end, and take up what an equal call has finished (`finished`).

    Returns:
        The scores and where they are.

    Raises:
        HuevalError: the call cannot be served; what was generated is kept.
        KeyboardInterrupt: it was stopped; its text says what is kept.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(terminal.logging_shown())
        if not _is_first_rank():
            stack.enter_context(terminal.shown_on(stack.enter_context(Path(os.devnull).open("w"))))
        manager, all_leaves = _tasks(config)
        # lm-eval scores by a function of its own where only replies are wanted.
        stack.enter_context(_judging_deferred() if config.predict_only else hooks_checked())
        prepare = stack.enter_context(documents_prepared())
        if ask_again:
            check_tasks(all_leaves)
        check_call(config, all_leaves, prepare, builds_model=model is None)
        warn_where_surprising(config, all_leaves)
        call = _Call(config, model, manager, all_leaves, ask_again=ask_again)
        call.settle()
        if keeps_finished:
            call.marker = marker_of(config)
            if file := finished(call.marker):
                terminal.say(f"{call.name}: finished by an earlier call: {file}")
                taken = Evaluation(call.log_file(), {}, file=file, marker=call.marker)
                return taken if _is_first_rank() else Evaluation(call.log_file())
        log = stack.enter_context(open_log(call.log_file()))
        if not _is_first_rank():
            stack.enter_context(terminal.shown_on(log))
        terminal.say(f"{call.name}: {_listed(all_leaves) or config.tasks}. Log: {log.name}")
        stack.enter_context(captured(log, verbose=verbose))
        return call.run(log)


def _is_first_rank() -> bool:
    """Whether this process shows and saves the results, of those that a launcher has started."""
    return os.environ.get("RANK", os.environ.get("LOCAL_RANK", "0")) == "0"


def _tasks(config: EvaluatorConfig) -> tuple[HuevalTaskManager, list[str]]:
    """The task manager, and the names of the tasks to run; YAML files and folders are lm-eval's business.

    lm-eval gets names in the place of globs, of which it would take a task as often as it matches.
    """
    listed = config.tasks.split(",") if isinstance(config.tasks, str) else ",".join(map(str, config.tasks)).split(",")
    given = [name.strip() for name in listed if name.strip()]
    names = [name for name in given if not name.endswith(".yaml") and "/" not in name]
    manager = HuevalTaskManager(names, config.include_path)
    found = resolve(names, manager)
    config.tasks = ",".join([*found, *(name for name in given if name not in names)])
    return manager, list(dict.fromkeys(leaf for task in found for leaf in leaves(task, manager)))


def _listed(tasks: Sequence[str]) -> str:
    return ", ".join(tasks) if len(tasks) < 4 else f"{len(tasks)} tasks"


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


@dataclass
class _Call:
    """One evaluation on its way.

    Attributes:
        marker: where it is noted that the run is finished, whose answers are kept then; None to note nothing.
        opened: takes the file of the answers that this rank keeps, once the model is there.
    """

    config: EvaluatorConfig
    model: LM | None
    manager: HuevalTaskManager
    tasks: Sequence[str]
    ask_again: bool = False
    marker: Path | None = None
    opened: Sequence[AnswerFile] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The model's name, as in the results."""
        return GeneralConfigTracker._get_model_name(self.config.model_args) or self.config.model

    def settle(self) -> None:
        """Set what lm-eval would otherwise do badly."""
        config = self.config
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        if config.model == "dummy" and not config.apply_chat_template:
            # lm-eval would ask the Hub for this tokenizer only to log its special tokens: 46 s of retries without it
            DummyLM.tokenizer = None
        config.seed = seeds_of(config)
        config.use_cache = kept_in(config, self.tasks) if self.model is None else config.use_cache
        if config.use_cache:
            warn_where_unsafe(config)

    def log_file(self) -> Path:
        """The log, beside the results."""
        output = Path(self.config.output_path or "")
        rank = "" if _is_first_rank() else f"_rank{os.environ.get('RANK', os.environ.get('LOCAL_RANK'))}"
        if output.suffix == ".json":
            return output.with_name(f"{output.stem}_{time_of_day()}{rank}.log")
        return output / sanitize_model_name(self.name) / f"run_{time_of_day()}{rank}.log"

    def run(self, log: TextIO) -> Evaluation:
        """Evaluate and save; an exception becomes a line for the user, and its traceback part of the log."""
        try:
            return self._run(Path(log.name))
        except KeyboardInterrupt as stop:
            stop.args = (self._kept(),)
            raise
        except BaseException as error:
            traceback.print_exc(file=log)
            if isinstance(error, SystemExit):
                raise  # our loader's own line
            terminal.say(f"Log: {log.name}")
            text = str(error) if isinstance(error, HuevalError) else one_line(error, 300)
            if not isinstance(error, (HuevalError, ImportError)):
                text = f"the run failed ({type(error).__name__}: {text})"
            kind = EvaluationError if not isinstance(error, (HuevalError, ImportError)) else InputError
            raise kind(f"{text.rstrip('.')}. {self._kept()}" if self._kept() else text) from error

    def _kept(self) -> str:
        """The sentence that says what a stopped run leaves behind; empty when that is nothing."""
        kept = sum(file.n_kept for file in self.opened)
        return (
            f"{kept} answers are kept in {self.opened[0].files}; the same command goes on from there." if kept else ""
        )

    def _run(self, log: Path) -> Evaluation:
        with contextlib.ExitStack() as stack:
            trackers = open_trackers(self.config) if _is_first_rank() else []
            for tracker in trackers:
                stack.callback(tracker.close)
            files = _files_tracker(self.config)
            stack.enter_context(models_checked(repeat_of(self.config) or 1))
            live = live_run(self.config, self.config.use_cache)
            self.opened = stack.enter_context(answers_kept(at_once(self.config), live))
            if self.ask_again:
                stack.enter_context(asking_again(self.config))
            stage = stack.enter_context(stages_shown())
            results = self._results(files)
            if results is None:
                return Evaluation(log)
            samples = results.pop("samples")
            note_facts(samples)
            failed = without_failed(results, samples)
            if failed and failed.keys() == samples.keys():
                raise InputError(next(iter(failed.values())))
            scored = {task: rows for task, rows in samples.items() if task not in failed}
            run = add_intervals(results, scored, files, predict_only=self.config.predict_only)
            stage.rename("Saving")
            names = files.general_config_tracker
            names.model_name, names.model_name_sanitized = self.name, sanitize_model_name(self.name)  # else at random
            output = Path(self.config.output_path or "")
            file = save(results, samples, files, output)
            for tracker in trackers:
                stage.rename(f"Logging to {tracker.name}")
                tracker.record(results, samples)
        if live and file:
            live.forget()
        wanted = output.parent if output.suffix == ".json" else output
        is_moved = file is not None and not file.is_relative_to(wanted)
        if self.marker and file and not is_moved and not failed:
            if _is_first_rank():
                mark(self.marker, file)
        elif is_sampled(self.config) and file:
            for answers in self.opened:
                answers.forget()
        for task, why in failed.items():
            again = f" Its answers are kept. With that fixed: hueval score {file.parent} --output DIR" if file else ""
            terminal.say(f"hueval: {task} has no scores: {why}.{again}")
        return Evaluation(log, results, run, file, is_moved, list(failed), self.marker)

    def _results(self, tracker: EvaluationTracker) -> dict[str, Any] | None:
        config, seeds = self.config, self.config.seed or [None] * 4
        with replaced(lm_eval.tasks, "TaskManager", manager_maker(self.manager.with_metadata)):
            tasks: TaskManager = config.process_tasks(config.metadata)
        dropped = drops_traces(config.model_args)
        with prompts_read(bool(config.apply_chat_template), dropped) as facts:
            results: dict[str, Any] | None = lm_eval.evaluator.simple_evaluate(
                model=self.model or config.model,
                model_args=config.model_args,
                tasks=config.tasks,
                num_fewshot=config.num_fewshot,
                batch_size=config.batch_size,
                max_batch_size=config.max_batch_size,
                device=config.device,
                use_cache=config.use_cache,
                limit=config.limit,
                samples=config.samples,
                check_integrity=config.check_integrity,
                write_out=config.write_out,
                log_samples=True,  # without samples a run can neither be re-scored nor compared, nor has intervals
                evaluation_tracker=tracker,
                system_instruction=config.system_instruction,
                apply_chat_template=config.apply_chat_template,
                fewshot_as_multiturn=config.fewshot_as_multiturn,
                gen_kwargs=config.gen_kwargs,
                task_manager=tasks,
                predict_only=config.predict_only,
                random_seed=seeds[0],
                numpy_random_seed=seeds[1],
                torch_random_seed=seeds[2],
                fewshot_random_seed=seeds[3],
                confirm_run_unsafe_code=config.confirm_run_unsafe_code,
                metadata=config.metadata,
                **{key: config.cache_requests.get(key, False) for key in _REQUESTS},
            )
        asked = {ASK_AGAIN: 1} if self.ask_again else {}
        return results if results is None else results | {TEMPLATE_OPENS: facts, **asked}


_REQUESTS = ("cache_requests", "rewrite_requests_cache", "delete_requests_cache")


def _files_tracker(config: EvaluatorConfig) -> EvaluationTracker:
    """lm-eval's writer of files, which also sends them to the Hub."""
    token = {"token": os.environ["HF_TOKEN"]} if os.environ.get("HF_TOKEN") else {}
    try:
        return EvaluationTracker(**{**config.hf_hub_log_args, "output_path": config.output_path, **token})
    except Exception as error:  # of the Hub, or of a name that lm-eval does not know
        raise InputError(f"--hf_hub_log_args: {one_line(error)}") from error


def as_json(results: dict[str, Any]) -> str:
    """The results as `--show_config` prints them."""
    from lm_eval.utils import handle_non_serializable

    return json_text(results, indent=2, default=handle_non_serializable)

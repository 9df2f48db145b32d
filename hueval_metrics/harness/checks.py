"""What `hueval run` refuses before it loads a model: a wrong value shows in a second, not after minutes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval.config.evaluate_config import EvaluatorConfig

from hueval_metrics.errors import InputError
from hueval_metrics.harness.baseline import Baseline
from hueval_metrics.harness.generations import is_sampled, repeat_of
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.readiness import require_judge
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.launched import shots_fault
from hueval_metrics.loader import check_languages, require_libraries
from hueval_metrics.registry import TaskSpec, families, known_tasks, task_spec

# The back ends of lm-eval that load a model from the Hub or a folder.
_PRETRAINED = ("hf", "hf-auto", "huggingface", "hf-multimodal", "vllm", "vllm-vlm", "sglang")

Prepare = Callable[[TaskSpec, Mapping[str, Any]], None]

log = logging.getLogger(__name__)


def check_call(config: EvaluatorConfig, tasks: Sequence[str], prepare: Prepare, *, builds_model: bool = True) -> None:
    """Check the settings of a call as the run will meet them.

    Args:
        config: the settings, of the command line and of a file.
        tasks: names of the tasks to run, globs resolved.
        prepare: makes the documents of a task (`loader.documents_prepared`).
        builds_model: False where the model is there already.

    Raises:
        HuevalError: the call cannot be served.
    """
    if not any(config.tasks):
        name = next(iter(families()), "NAME")
        raise InputError(f"name the tasks to run: --tasks {name}, or --tasks '{name}_*'")
    if builds_model:
        _check_model_name(config.model)
        _check_arguments(config, tasks)
    _check_shots(config.num_fewshot, tasks)
    _check_repeat(config, tasks)
    _check_documents(tasks, config.metadata, prepare)
    if builds_model:
        _check_model_settings(config)
    _check_loglikelihoods(config.model, tasks)


def _check_model_name(name: str) -> None:
    from lm_eval.api.registry import MODEL_REGISTRY

    known = sorted({*MODEL_REGISTRY, "hueval-baseline"})
    if name not in known:
        raise InputError(f'unknown model "{name}". One of: {", ".join(known)}')


def _check_shots(num_fewshot: int | None, tasks: Sequence[str]) -> None:
    for task in tasks if num_fewshot else ():
        if task in known_tasks() and (fault := shots_fault(num_fewshot, task_spec(task))):
            raise InputError(f"--num_fewshot {num_fewshot}: {fault}")


def _check_repeat(config: EvaluatorConfig, tasks: Sequence[str]) -> None:
    """See that repeats differ."""
    if repeat_of(config) is None:
        return
    if not is_sampled(config):
        raise InputError(
            "repeats: replies are not sampled, so all would be equal. Add --gen_kwargs temperature=0.7 (or what you "
            "mean to measure), or leave repeats out"
        )
    if fixed := [task for task in tasks if task in known_tasks() and not task_spec(task).generates]:
        raise InputError(f"repeats: {fixed[0]} compares log-likelihoods, which do not vary. Leave it out")


def _check_loglikelihoods(name: str, tasks: Sequence[str]) -> None:
    for task in tasks if "-chat" in name else ():
        if task in known_tasks() and not task_spec(task).generates:
            raise InputError(f"--model {name}: {task} compares log-likelihoods, which a chat API does not give")


def _check_documents(tasks: Sequence[str], metadata: Mapping[str, Any], prepare: Prepare) -> None:
    """See that our tasks have their libraries, languages, documents, and a judge where they need one."""
    ours = [task_spec(task) for task in tasks if task in known_tasks()]
    require_libraries(ours)
    check_languages(ours)
    for spec in ours:
        if spec.rubric is not None:
            judge = judge_settings()
            require_judge(spec.name, judge)
            _flag_self_judging(metadata, judge)
        prepare(spec, metadata)


def _flag_self_judging(metadata: Mapping[str, Any], judge: JudgeSettings) -> None:
    """Warn of a model that will judge itself: judges prefer their own answers."""
    own = {metadata.get("model"), metadata.get("pretrained")} & {judge.model, *judge.panel}
    if judge.asks and own:
        log.warning("the judge is the model under test (%s): judges prefer their own answers.", own.pop())


def _check_arguments(config: EvaluatorConfig, tasks: Sequence[str]) -> None:
    """See that a model is named, and that the tasks have the policy of a baseline."""
    name, args = config.model, config.model_args
    if name == "hueval-baseline":
        model = Baseline(**args)
        for task in tasks:
            if task in known_tasks():
                model.check(task_spec(task))
    if name in _PRETRAINED and not args.get("pretrained"):
        raise InputError(f"--model {name} needs an argument: --model_args pretrained=ORG/MODEL")


def _check_model_settings(config: EvaluatorConfig) -> None:
    name, args = config.model, config.model_args
    if "-chat" in name and not config.apply_chat_template:
        raise InputError(f"--model {name}: a chat API takes messages. Add --apply_chat_template")
    if name.startswith("local-"):
        for key, example in (("base_url", "http://HOST/v1/chat/completions"), ("model", "NAME")):
            if not (args.get(key) or (key == "model" and args.get("pretrained"))):
                raise InputError(f"--model {name} needs an argument: --model_args {key}={example}")
    pretrained = args.get("pretrained")
    if isinstance(pretrained, str) and pretrained.startswith(("/", "./", "../", "~")) and not Path(pretrained).exists():
        raise InputError(f"--model_args pretrained={pretrained}: no such folder")

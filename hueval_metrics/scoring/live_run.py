"""What lm-eval recorded beside its samples: the results file of the same run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hueval_metrics.answers.reasoning import handling
from hueval_metrics.records import Signature, number_of
from hueval_metrics.registry import known_tasks, task_spec
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_json

TEMPLATE_OPENS = "template_opens"  # the key of a results file under which `hueval run` records it: task → true or false
_NAME_ARGS = ("peft", "delta", "pretrained", "model", "path", "engine")  # lm-eval's order: an adapter before its base
_REASONING_ARGS = ("enable_thinking", "think_end_token")
_SAMPLES_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")


@dataclass(frozen=True, slots=True)
class SamplesName:
    """The task and the date in the name of a samples file."""

    task: str
    date: str


@dataclass(frozen=True, slots=True)
class LiveRun:
    """What a live run recorded of one task.

    Attributes:
        total: how many documents the task has, scored or not; None when unknown.
        signature: the signature of its score; None when unknown.
        model: what the model is called; None when unknown.
        template_opens: whether the chat template opens the reasoning trace; None when unknown.
        variants: those of the task that were not its default.
    """

    total: int | None = None
    signature: str | None = None
    model: str | None = None
    template_opens: bool | None = None
    variants: Mapping[str, str] = field(default_factory=dict)


def samples_name(file: Path) -> SamplesName | None:
    """Task and date from the file name that lm-eval gives to samples; None for other names.

    >>> samples_name(Path("samples_toybench_reviews_2026-01-31T10-00-00.123.jsonl")).task
    'toybench_reviews'
    """
    match = _SAMPLES_NAME.fullmatch(file.name)
    return SamplesName(match["task"], match["date"]) if match else None


def live_run(samples: Path, task: str) -> LiveRun:
    """The record of the run that wrote a samples file; empty when its results file is gone or of another kind."""
    name = samples_name(samples)
    if name is None:
        return LiveRun()
    try:
        results = parse_json(read_text(samples.parent / f"results_{name.date}.json"))
        metadata = results["configs"][task]["metadata"]
        signature = metadata["provenance"]["signature"]
        total = results["n-samples"][task]["original"]
        opens = _template_opens(results, task)
        signed, variants = signature_of_run(signature, results, task), variants_of(task, metadata)
        return LiveRun(int(total), signed, model_label(results), opens, variants)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return LiveRun()


def variants_of(task: str, metadata: Mapping[str, Any]) -> dict[str, str]:
    """The variants of a task that are not its default, by the metadata that it was run with."""
    if task not in known_tasks():
        return {}
    given = {key: metadata[key] for key in known_tasks()[task].variants if key in metadata}
    defaults = task_spec(task).config["metadata"] if given else {}
    return {key: str(value) for key, value in given.items() if key in defaults and value != defaults[key]}


def _template_opens(results: Mapping[str, Any], task: str) -> bool | None:
    if drops_traces(_dict(results.get("config")).get("model_args")):
        return False
    recorded = _dict(results.get(TEMPLATE_OPENS)).get(task)
    return recorded if isinstance(recorded, bool) else None


def drops_traces(args: object) -> bool:
    """Whether lm-eval's model takes the traces out itself, so that a reply without a tag is an answer.

    Args:
        args: the model's arguments, a dict or a string.
    """
    return bool(model_args(args).get("think_end_token"))


def signature_of_run(signature: str, results: Mapping[str, Any], task: str) -> str:
    """The loader's signature with the settings that lm-eval's results file adds.

    Args:
        signature: as printed by `Signature`.
        results: what is in the results file; anyone may have written it.
        task: the task's name.
    """
    config = _dict(results.get("config"))
    task_config = _dict(_dict(results.get("configs")).get(task))
    output_type = task_config.get("output_type", "generate_until")
    if output_type == "generate_until" and "generation_kwargs" not in task_config:
        return signature
    generation = _dict(task_config.get("generation_kwargs"))
    settled = ",".join(f"{key}={generation[key]}" for key in sorted(generation)) or "default"
    template, system = results.get("chat_template_sha"), results.get("system_instruction_sha")
    limit = number_of(config.get("limit"))
    settings: dict[str, object] = {
        "shots": _dict(results.get("n-shot")).get(task, 0),
        "gen": settled if output_type == "generate_until" else output_type,
        "chat": template[:8] if isinstance(template, str) else "no",
        "reasoning": _reasoning(task, model_args(config.get("model_args"))),
        "limit": "no" if limit is None else f"{limit:g}",
    }
    if isinstance(system, str):  # lm-eval's --system_instruction, before any that a task has of its own
        settings["system"] = system[:8]
    if str(config.get("model")).startswith("hf"):
        settings["transformers"] = results.get("transformers_version")
    return str(Signature.parse(signature).with_settings(settings))


def _reasoning(task: str, args: Mapping[str, Any]) -> str:
    """How traces were asked for and handled: our filter's part, and the settings that lm-eval's models know."""
    given = {**_dict(args.get("chat_template_args")), **args}
    asked = [f"{key}={given[key]}" for key in _REASONING_ARGS if key in given]
    return ",".join([trace_handling(task), *asked])


def trace_handling(task: str) -> str:
    """How a task's own filter handles reasoning traces, as a part of its signature; `?` for a task that is not ours."""
    if task not in known_tasks():
        return "?"
    spec = task_spec(task)
    return handling(**spec.trace_filter[1]) if spec.generates else "no"


def model_label(results: Mapping[str, Any]) -> str:
    """What to call the model of a results file of lm-eval.

    lm-eval's own `model_name` comes last: it is a random id for a model whose arguments hold no name.
    """
    config = _dict(results.get("config"))
    args, model = model_args(config.get("model_args")), config.get("model")
    for key in _NAME_ARGS:
        if args.get(key):
            return str(args[key])
    if model:
        return f"{model} {args['policy']}" if args.get("policy") else str(model)
    return str(results.get("model_name") or "unnamed model")


def model_args(value: object) -> dict[str, Any]:
    """The model's arguments as a dict; older results have them as one string."""
    if isinstance(value, str):
        pairs = (item.partition("=") for item in value.split(","))
        return {key.strip(): text for key, equals, text in pairs if equals}
    return _dict(value)


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

"""lm-eval's results file: what it recorded of a run, for `hueval score` and for everything that reads runs.

Anyone may have written the file: a value of another type than expected counts as missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from hueval_metrics.answers.reasoning import handling
from hueval_metrics.beside import is_read
from hueval_metrics.errors import InputError
from hueval_metrics.records import UNKNOWN, Signature, number_of
from hueval_metrics.registry import TaskSpec, known_tasks, task_spec
from hueval_metrics.scoring.thinking import THINKING, thinking_asked
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_json

TEMPLATE_OPENS = "template_opens"  # the key of a results file under which `hueval run` records it: task → true or false
ASK_AGAIN = "ask_again"  # the key under which it records that unread replies were asked for a second time
REPEAT = "repeat"  # key of `--metadata` by which `hueval run --repeats` numbers its runs, and part of signatures
CHAT = "chat_template_sha"
_NAME_ARGS = ("peft", "delta", "pretrained", "model", "path", "engine")  # lm-eval's order: an adapter before its base
_REASONING_ARGS = ("enable_thinking", "think_end_token")
_SAMPLES_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")


@dataclass(frozen=True, slots=True)
class SamplesName:
    """The task and the date in the name of a samples file."""

    task: str
    date: str


def samples_name(file: Path) -> SamplesName | None:
    """Task and date from the file name that lm-eval gives to samples; None for other names.

    >>> samples_name(Path("samples_toybench_reviews_2026-01-31T10-00-00.123.jsonl")).task
    'toybench_reviews'
    """
    match = _SAMPLES_NAME.fullmatch(file.name)
    return SamplesName(match["task"], match["date"]) if match else None


def results_beside(samples: Path) -> LmEvalResults:
    """The results file of the run that wrote a samples file; one without any content where it cannot be read."""
    name = samples_name(samples)
    if name is None:
        return LmEvalResults()
    # lm-eval names its files results_<date>.json, or <name>_<date>.json with --output_path <name>.json.
    named = samples.parent / f"results_{name.date}.json"
    file = named if named.exists() else min(samples.parent.glob(f"*_{name.date}.json"), default=named)
    try:
        state = file.stat()
        return _read(file, state.st_size, state.st_mtime_ns)
    except (OSError, ValueError):
        return LmEvalResults()


def by_repeat(paths: Sequence[Path]) -> dict[str | None, list[Path]]:
    """What to score for each repeat of `hueval run --repeats`; all paths under None where there are none.

    Args:
        paths: files, or folders that are searched for lm-eval's samples; the newest of each task and repeat is taken.

    Raises:
        InputError: some samples are of repeats, and others of runs without.
    """
    found: dict[str | None, dict[tuple[Path, str], Path]] = {}
    for path in paths:
        for file in sorted(path.rglob("samples_*.jsonl")) if path.is_dir() else [path]:
            name = samples_name(file)
            repeat = results_beside(file).variants(name.task).get(REPEAT) if name else None
            found.setdefault(repeat, {})[file.parent, name.task if name else file.name] = file
    repeats = sorted((one for one in found if one is not None), key=int)
    if not repeats:
        return {None: list(paths)}
    if None in found:
        other = next(iter(found[None].values()))
        raise InputError(f"{other}: is of no repeat, beside others that are. Score it by itself, to a DIR of its own")
    return {repeat: list(found[repeat].values()) for repeat in repeats}


@lru_cache(maxsize=2)
def _read(file: Path, size: int, changed: int) -> LmEvalResults:
    """A results file as it is now: each samples file of a run asks for the same one."""
    return LmEvalResults(object_of(parse_json(read_text(file))))


@dataclass(frozen=True, slots=True)
class LmEvalResults:
    """A results file of lm-eval, or the results that it is about to write.

    Attributes:
        data: the JSON object.
    """

    data: Mapping[str, Any] = field(default_factory=dict)

    def of(self, key: str, task: str) -> dict[str, Any]:
        """What is under a key for one task, such as `configs`."""
        return object_of(object_of(self.data.get(key)).get(task))

    @property
    def config(self) -> dict[str, Any]:
        """The settings of the call."""
        return object_of(self.data.get("config"))

    @property
    def limit(self) -> float | None:
        """`--limit`; None without one."""
        return number_of(self.config.get("limit"))

    @property
    def are_first(self) -> bool | None:
        """Whether a limited run has the first documents of each task, or chosen ones; None when unknown."""
        return False if self.config.get("samples") else True if self.limit is not None else None

    def thinking(self, task: str) -> dict[str, Any] | None:
        """What was asked of the model's thinking: as the run recorded it, or as its settings say."""
        if THINKING in self.data:
            return self.of(THINKING, task) or None
        given = object_of(self.config.get("gen_kwargs")) | object_of(self.of("configs", task).get("generation_kwargs"))
        return thinking_asked(str(self.config.get("model") or ""), self.model_args, given)

    @property
    def model_args(self) -> dict[str, Any]:
        """The model's arguments."""
        return model_args(self.config.get("model_args"))

    @property
    def model(self) -> str | None:
        """The label of the model; None when unknown.

        lm-eval's own `model_name` comes last: it is a random id for a model whose arguments hold no name.
        """
        args, model = self.model_args, self.config.get("model")
        for key in _NAME_ARGS:
            if args.get(key):
                return str(args[key])
        if model:
            return f"{model} {args['policy']}" if args.get("policy") else str(model)
        name = self.data.get("model_name")
        return str(name) if name else None

    def metadata(self, task: str) -> dict[str, Any]:
        """The `metadata` of a task, with `--metadata` and the model's arguments merged in."""
        return object_of(self.of("configs", task).get("metadata"))

    def provenance(self, task: str) -> dict[str, Any]:
        """What the loader recorded of a task's data."""
        return object_of(self.metadata(task).get("provenance"))

    def variants(self, task: str) -> dict[str, str]:
        """The variants of a task that are not its default."""
        if task not in known_tasks():
            return {}
        metadata = self.metadata(task)
        given = {key: metadata[key] for key in known_tasks()[task].variants if key in metadata}
        defaults = task_spec(task).config["metadata"] if given else {}
        chosen = {key: str(value) for key, value in given.items() if key in defaults and value != defaults[key]}
        return chosen | {key: str(metadata[key]) for key in (REPEAT,) if key in metadata}

    @property
    def num_fewshot(self) -> int:
        """The most examples that a task had."""
        shots = object_of(self.data.get("n-shot")).values()
        return int(max((number for value in shots if (number := number_of(value)) is not None), default=0))

    def total(self, task: str) -> int | None:
        """How many documents a task has, scored or not; None when unknown."""
        total = number_of(self.of("n-samples", task).get("original"))
        return None if total is None else int(total)

    def template_opens(self, task: str) -> bool | None:
        """Whether the chat template opens the reasoning trace; None when unknown."""
        if drops_traces(self.config.get("model_args")):
            return False
        recorded = object_of(self.data.get(TEMPLATE_OPENS)).get(task)
        return recorded if isinstance(recorded, bool) else None

    def signature(self, task: str) -> str:
        """The loader's signature of a task, completed with the recorded settings of the run; empty without one.

        What lm-eval returns to a script lacks those that its command alone writes, such as the chat template's hash.
        """
        signature = self.provenance(task).get("signature")
        if not isinstance(signature, str) or not signature:
            return ""
        task_config = self.of("configs", task)
        output_type = task_config.get("output_type", "generate_until")
        generation = object_of(task_config.get("generation_kwargs"))
        settled = ",".join(f"{key}={generation[key]}" for key in sorted(generation)) or "default"
        settled = settled if "generation_kwargs" in task_config else UNKNOWN
        template, system = self.data.get(CHAT), self.data.get("system_instruction_sha")
        settings: dict[str, object] = {
            "shots": object_of(self.data.get("n-shot")).get(task, 0),
            "gen": settled if output_type == "generate_until" else output_type,
            "chat": template[:8] if isinstance(template, str) else "no" if CHAT in self.data else UNKNOWN,
            "reasoning": self._reasoning(task),
            "limit": "no" if self.limit is None else f"{self.limit:g}",
        }
        if REPEAT in self.metadata(task):
            settings[REPEAT] = self.metadata(task)[REPEAT]
        if isinstance(system, str):  # lm-eval's --system_instruction, before any that a task has of its own
            settings["system"] = system[:8]
        if self.data.get(ASK_AGAIN) and task in known_tasks() and is_read(task_spec(task).declared):
            settings["ask"] = 1
        if str(self.config.get("model")).startswith("hf"):
            settings["transformers"] = self.data.get("transformers_version", UNKNOWN)
        return str(Signature.parse(signature).with_settings(settings))

    def _reasoning(self, task: str) -> str:
        """How traces were asked for and handled: our filter's part, and the settings that lm-eval's models know."""
        args = self.model_args
        given = {**object_of(args.get("chat_template_args")), **args}
        asked = [f"{key}={given[key]}" for key in _REASONING_ARGS if key in given]
        return ",".join([trace_handling(task_spec(task)) if task in known_tasks() else UNKNOWN, *asked])


def drops_traces(args: object) -> bool:
    """Whether lm-eval's model removes the traces itself, so that a reply without a tag is an answer.

    Args:
        args: the model's arguments, a dict or a string.
    """
    return bool(model_args(args).get("think_end_token"))


def trace_handling(spec: TaskSpec) -> str:
    """How a task's own filter handles reasoning traces, as a part of its signature."""
    return handling(**spec.trace_filter[1]) if spec.generates else "no"


def model_args(value: object) -> dict[str, Any]:
    """The model's arguments as a dict; older results have them as one string."""
    if isinstance(value, str):
        pairs = (item.partition("=") for item in value.split(","))
        return {key.strip(): text for key, equals, text in pairs if equals}
    return object_of(value)


def object_of(value: object) -> dict[str, Any]:
    """A JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}

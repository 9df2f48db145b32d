"""A second turn for replies that were not read (`hueval run --ask-again`): the model is asked for the answer alone.

It is a request like any other: it comes after all first turns, is kept and taken up as they are, and goes into the
samples. What the model says then fills columns of its own; the scores of the first turn stay as they are.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import lm_eval.evaluator
from lm_eval.api.filter import FilterEnsemble
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.config.evaluate_config import EvaluatorConfig

from hueval_metrics.answers.form import form_of, texts
from hueval_metrics.answers.trace.template import knowing
from hueval_metrics.beside import is_read
from hueval_metrics.errors import InputError
from hueval_metrics.harness.chat_traces import CountedReply
from hueval_metrics.harness.generation_prompt import opens
from hueval_metrics.harness.guided import FORM
from hueval_metrics.harness.replaced import replaced
from hueval_metrics.records import Filtered
from hueval_metrics.registry import TaskSpec, known_tasks, resolve, task_spec
from hueval_metrics.scoring.lm_eval_results import drops_traces
from hueval_metrics.scoring.values import SECOND_TURN

MAX_TOKENS = 64  # of a second reply: an answer in its form, and no explanation
# What else says how a reply is drawn, and how long it may be: a second one is greedy.
_DRAWN = {
    "do_sample",
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "max_tokens",
    "max_new_tokens",
    "max_completion_tokens",
}
_REPLY = "hueval-first-reply"  # stands for the reply where a template is rendered
_OPENED, _CLOSED = "<think>", "\n</think>\n\n"  # what some templates begin each turn with; 64 tokens close no trace
_OTHERWISE = "en"

log = logging.getLogger(__name__)

Answer = Callable[..., Sequence[Any]]  # a model's `generate_until`


def check_tasks(tasks: Sequence[str]) -> None:
    """See that a task has replies that can be asked for again.

    Raises:
        InputError: none has.
    """
    if not any(task in known_tasks() and is_read(task_spec(task).declared) for task in tasks):
        raise InputError(
            "--ask-again: none of the tasks has replies that are read by rule: a judge scores them, or log-likelihoods "
            "are compared. Leave it out"
        )


@contextlib.contextmanager
def asking_again(config: EvaluatorConfig) -> Iterator[None]:
    """While inside, a model that lm-eval evaluates is asked again where a reply is not read, after all are there.

    Args:
        config: the settings of the call.
    """
    evaluate, apply = lm_eval.evaluator.evaluate, FilterEnsemble.apply

    def evaluated(lm: LM, *args: Any, **settings: Any) -> Any:
        with replaced(lm, "generate_until", partial(_both_turns, lm, lm.generate_until, config)):
            return evaluate(lm, *args, **settings)

    def applied(ensemble: FilterEnsemble, instances: list[Instance]) -> None:
        apply(ensemble, instances)
        for instance in instances:
            _add_second(instance, str(ensemble.name))

    with replaced(lm_eval.evaluator, "evaluate", evaluated), replaced(FilterEnsemble, "apply", applied):
        yield


def _both_turns(
    lm: LM, answer: Answer, config: EvaluatorConfig, requests: Sequence[Instance], *args: Any, **settings: Any
) -> list[Any]:
    """The replies to some requests; those that are not read carry a second turn (`SECOND_TURN`)."""
    replies = list(answer(requests, *args, **settings))
    turns = list(_second_turns(lm, config, requests, replies))
    log.info(
        "--ask-again: %d of %d replies are asked for again, with at most %d tokens each, %d in all.",
        len(turns),
        len({id(request) for request in requests}),
        MAX_TOKENS,
        len(turns) * MAX_TOKENS,
    )
    second = answer([turn.request for turn in turns], *args, **settings) if turns else []
    for turn, reply in zip(turns, second, strict=True):
        first, prompt = replies[turn.place], turn.request.args[0]
        facts = first.facts if isinstance(first, CountedReply) else {}
        shown = prompt if isinstance(prompt, str) else getattr(prompt, "prompt", None) or json.dumps(prompt)
        asked = {SECOND_TURN: {"prompt": shown, "reply": reply if isinstance(reply, str) else ""}}
        replies[turn.place] = CountedReply.of(first, {**facts, **asked})
    return replies


@dataclass(frozen=True)
class _Turn:
    """A second turn: the place of the first reply, and the request."""

    place: int
    request: Instance


def _second_turns(
    lm: LM, config: EvaluatorConfig, requests: Sequence[Instance], replies: Sequence[Any]
) -> Iterator[_Turn]:
    """The second turns of the replies that are neither read nor truncated, in order, by task."""
    places: dict[str, list[int]] = defaultdict(list)
    known: set[int] = set()
    for place, request in enumerate(requests):
        if id(request) not in known:  # of a repeated request the first reply is scored; padding of ranks repeats, too
            known.add(id(request))
            places[str(request.task_name)].append(place)
    is_templated = bool(config.apply_chat_template)
    close = cache(partial(_after_reply, lm))
    for task, own in places.items():
        if task not in known_tasks() or not is_read((spec := task_spec(task)).declared):
            continue
        language = spec.variants(config.metadata).get("prompt_lang", spec.family.languages[0])
        words = texts().get(str(language), texts()[_OTHERWISE])
        form = form_of(spec.declared.form) if spec.declared.form else None
        text = words["plain" if form is None else "one_of" if form.is_choice else "form"]
        text = text.replace("{form}", form.text if form else "")
        prompts = [requests[place].args[0] for place in own]
        read, said = resolve(str(spec.declared.reading)), [replies[place] for place in own]
        with knowing(opens(prompts, is_templated, drops_traces(config.model_args))):
            strings = _filter(spec).apply(said, [])
        for place, string in zip(own, strings, strict=True):
            request, filtered = requests[place], Filtered.from_json(string)
            if filtered.truncated or read(request.doc, filtered.response).is_answered:
                continue
            if not isinstance(first := request.args[0], str):  # messages, in JSON or as they are
                messages = json.loads(first.prompt) if hasattr(first, "prompt") else first
                turn = ({"role": "assistant", "content": filtered.response}, {"role": "user", "content": text})
                prompt = lm.apply_chat_template([*messages, *turn])
            elif is_templated:
                prompt = f"{first}{replies[place]}{close(text)}"
            else:
                prompt = f"{first}{filtered.response}\n\n{text}\n{words['cue']}"
            settings = {key: value for key, value in request.args[1].items() if key not in _DRAWN}
            settings["max_gen_toks"] = MAX_TOKENS
            if getattr(lm, "takes_forms", False):
                settings[FORM] = json.dumps(form.schema, sort_keys=True) if form else ""
            metadata = (request.task_name, request.doc_id, 1)
            yield _Turn(place, Instance("generate_until", request.doc, (prompt, settings), request.idx, metadata))


def _after_reply(lm: Any, text: str) -> str:
    """What a chat template puts behind a reply, with a message of the user and the beginning of the next reply."""
    messages = [("user", "-"), ("assistant", _REPLY), ("user", text)]
    rendered = str(lm.apply_chat_template([{"role": role, "content": content} for role, content in messages]))
    rest = rendered.partition(_REPLY)[2] or f"\n\n{text}\n\n"
    return rest + _CLOSED if rest.rstrip().endswith(_OPENED) else rest


def _filter(spec: TaskSpec) -> Any:
    filter_class, settings = spec.trace_filter
    return filter_class(**settings)


def _add_second(instance: Instance, name: str) -> None:
    """Put the second reply of a request, without its trace, into what its filters ended in."""
    first = instance.resps[0] if instance.resps else None
    if isinstance(first, CountedReply) and (turn := first.facts.get(SECOND_TURN)):
        filtered = Filtered.from_json(instance.filtered_resps[name])
        second = _filter(task_spec(str(instance.task_name))).strip(turn["reply"], False).response
        instance.filtered_resps[name] = replace(filtered, second=second).to_json()

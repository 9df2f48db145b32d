"""`--model hueval-baseline`: the ceiling (oracle), the floors (random, first, abstain), and what lies between (mixed).

Tasks that compare log-likelihoods need no baseline of their own: the right, the first or a random choice is likeliest.

It is available under `hueval run` only: plain lm_eval knows no models but its own. From Python, importing this module
adds it to lm-eval's models.
"""

from __future__ import annotations

import ast
import difflib
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import lm_eval.models  # noqa: F401  first: a model registered before it hides all built-in ones
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

from hueval_metrics.errors import InputError
from hueval_metrics.harness.baseline_traces import trace
from hueval_metrics.harness.compatibility import apply_template
from hueval_metrics.records import number_of
from hueval_metrics.registry import TaskSpec, known_tasks, resolve, task_spec

ABSTENTION = "Nem tudom."  # "I do not know", where a task declares no other: an answer, not a truncated one


def policies() -> list[str]:
    """The policies that any task offers: those of every task, and those that families declare."""
    declared = {policy for task, family in known_tasks().items() for policy in family.tasks[task].baselines}
    return list(dict.fromkeys(("oracle", "random", "abstain", "first", "mixed", *sorted(declared))))


@register_model("hueval-baseline")
class Baseline(LM):
    """A model that answers by policy.

    Args:
        policy: `oracle` (the gold answer), `random` (uniform over what is on offer), `first` (always the first thing
            on offer), `abstain`, `mixed` (`oracle` with probability `skill`, else `random`), or one that the family
            declares for the task.
        seed: seed of the policies with chance; a document's reply depends on it and on the prompt, not on the order.
        skill: of `mixed`, from 0 to 1.
        think: the most ideas that it goes through in a reasoning trace before each reply; 0 for no traces.
        **others: batch size and the like, which lm-eval and presets hand to every model.

    Raises:
        InputError: an argument is misspelt, there is no such policy, the seed is no integer, or the skill or the
            number of ideas no such number.
    """

    def __init__(
        self, policy: str = "oracle", seed: int = 0, skill: float = 0.5, think: int = 0, **others: Any
    ) -> None:
        super().__init__()
        for name in others:  # else the oracle would answer in place of the policy that was meant
            if near := difflib.get_close_matches(name, ("policy", "seed", "skill", "think")):
                raise InputError(f"--model_args: hueval-baseline has no {name}. Did you mean {near[0]}?")
        if policy not in policies():
            raise InputError(f'--model_args policy: "{policy}" is not on offer. One of: {", ".join(policies())}')
        if not isinstance(seed, int):
            raise InputError(f'--model_args seed: "{seed}" is not an integer')
        if (share := number_of(skill)) is None or not 0 <= share <= 1:
            raise InputError(f'--model_args skill: "{skill}" is not a number from 0 to 1')
        if type(think) is not int or think < 0:
            raise InputError(f'--model_args think: "{think}" is not a number of ideas, such as 3')
        self.policy = policy
        self.seed = seed
        self.skill = share
        self.think = think

    @property
    def tokenizer_name(self) -> str:
        """lm-eval's name for the chat template in use; there is none."""
        return "hueval-baseline"

    def apply_chat_template(self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
        """The messages, one below the other."""
        return "\n\n".join(message["content"] for message in chat_history)

    def chat_template(self, chat_template: bool | str = False) -> str:
        """No template."""
        return ""

    def generate_until(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[str]:
        """One reply a request, by policy."""
        return [self._reply(request) for request in requests]

    def _reply(self, request: Instance) -> str:
        spec, rng = task_spec(request.task_name or ""), random.Random(f"{self.seed}\n{request.args[0]}")
        reply = _answer(spec, self._settled(rng), request.doc, rng)
        if not self.think:
            return reply
        chance = random.Random(f"trace\n{self.seed}\n{request.args[0]}")  # the reply is the same with and without
        drawn = [chance.choice(("oracle", "random", "random")) for _ in range(chance.randint(0, self.think))]
        ideas = [_answer(spec, policy, request.doc, chance) for policy in drawn]
        return f"<think>\n{trace(ideas, reply, chance)}\n</think>\n\n{reply}"

    def check(self, spec: TaskSpec) -> None:
        """Check that a task has the policy.

        Raises:
            InputError: it has not.
        """
        without = {"oracle", "mixed"} | ({"abstain"} if spec.generates else {"first", "random"})
        if self.policy not in without:
            _declared(spec, self.policy)

    def _settled(self, rng: random.Random) -> str:
        if self.policy != "mixed":
            return self.policy
        return "oracle" if rng.random() < self.skill else "random"

    def loglikelihood(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """A log-likelihood a choice, by policy.

        Raises:
            InputError: the policy is to abstain, and the task does not declare that no choice is an answer.
        """
        return [self._weight(request) for request in requests]

    def _weight(self, request: Instance) -> tuple[float, bool]:
        spec = task_spec(request.task_name or "")
        item = f"{self.seed}\n{spec.name}\n{spec.key_of(request.doc)}"
        policy = self._settled(random.Random(item))
        if policy == "random":  # the highest of independent numbers is each choice's with the same chance
            return random.Random(f"{item}\n{request.idx}").random() - 1, False
        if policy == "oracle":
            chosen = _gold(spec, request.doc)
        else:
            chosen = 0 if policy == "first" else _declared(spec, policy)(request.doc, random.Random(item))
        return (0.0, True) if request.idx == chosen else (-1.0, False)

    def loglikelihood_rolling(self, requests: Sequence[Instance], disable_tqdm: bool = False) -> list[float]:
        """Not offered: a policy has no words to measure."""
        raise InputError("hueval-baseline generates and chooses; this task asks for the log-likelihood of a whole text")


def _answer(spec: TaskSpec, policy: str, doc: Mapping[str, Any], rng: random.Random) -> str:
    if policy == "abstain" and policy not in spec.declared.baselines:
        return ABSTENTION
    return str(spec.target(doc) if policy == "oracle" else _declared(spec, policy)(doc, rng))


def _declared(spec: TaskSpec, policy: str) -> Callable[[Mapping[str, Any], random.Random], Any]:
    path = spec.declared.baselines.get(policy)
    if path is None and policy == "abstain":
        raise InputError(
            f"--model_args policy=abstain: {spec.name} compares log-likelihoods, and one choice is the likeliest. "
            f"One of: {', '.join(name for name in policies() if name != 'abstain')}"
        )
    if path is None:
        raise InputError(f'--model_args policy: {spec.name} has no "{policy}" baseline in its family.py')
    answer: Callable[[Mapping[str, Any], random.Random], Any] = resolve(path)
    return answer


def _gold(spec: TaskSpec, doc: Mapping[str, Any]) -> int:
    """The index of the right choice, as lm-eval reads it from the YAML."""
    target, choices = (_made(spec.config.get(key), doc) for key in ("doc_to_target", "doc_to_choice"))
    if isinstance(target, str):
        listed = ast.literal_eval(choices) if isinstance(choices, str) else choices or []
        return listed.index(target) if target in listed else int(target)
    return int(target)


def _made(setting: Any, doc: Mapping[str, Any]) -> Any:
    """What a function, the name of a field, or a template makes of a document."""
    if callable(setting):
        return setting(doc)
    if not isinstance(setting, str):
        return setting
    return doc[setting] if setting in doc else apply_template(setting, dict(doc))

"""Items whose key may be wrong: good models agree on another answer.

Each model has one vote an item, or part of one (`declare.Task.marked`), of weight exp(z) of its score on all other
items of the task (`stats.errata`). An item is the more suspicious, the further the votes for its key are below those
for the best single other answer. No score changes: the items are for their owner to look at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from hueval_metrics.errors import InputError
from hueval_metrics.judge.series import series_of
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.runs.items import Item, items_of
from hueval_metrics.runs.outcomes import outcome
from hueval_metrics.runs.run import Key, Run, is_baseline
from hueval_metrics.stats.errata import vote_weights
from hueval_metrics.stats.model_cards import ModelCard

Reason = Literal["few", "alone"]

LEAST_MODELS, LEAST_SERIES = 6, 3
_ALIKE = 2  # models that give the same other answer: what one alone gives is no evidence against the key
_DECIMALS = 9  # to which differences are equal, in whatever order votes were added


def find_errata(runs: Sequence[Run], cards: Mapping[str, ModelCard] | None = None) -> Errata:
    """The items of several models whose keys may be wrong, the most suspicious first.

    Args:
        runs: of the models. Baselines are left out; several runs of one model share its vote. What cannot be read is
            skipped.
        cards: label of a run → card with its series; without one the first word of its name is.

    Raises:
        InputError: no item was answered by six models of three series.
    """
    shown = [(run, one) for run in runs if not is_baseline(run) for one in (run.averaged or (run,))]
    voters = [Voter(run.model or run.label, _series(run, cards or {})) for run, _ in shown]
    tasks: dict[str, dict[tuple[object, ...], Asked]] = {}
    for place, (_, run) in enumerate(shown):
        for item in items_of(run, None, lambda fault: None):
            for part, answer in _parts(item):
                name = (part.item, part.part, part.key)  # another key is another item, as in another language
                tasks.setdefault(item.task, {}).setdefault(name, part).answers.setdefault(place, answer)
    found: list[Suspect] = []
    left_out: dict[str, Reason] = {}
    met: dict[object, tuple[int, int]] = {}
    for task, parts in tasks.items():
        met |= {(task, *name): _met(part, voters) for name, part in parts.items()}
        enough = [part for name, part in parts.items() if _is_enough(met[task, *name])]
        these = suspects(enough, voters, known_tasks()[task].key)
        found += these
        if not these:
            left_out[task] = "alone" if enough else "few"
    most = max(met.values(), default=(0, 0), key=lambda counts: (_is_enough(counts), *counts))
    if not _is_enough(most):
        raise InputError(
            f"errata: no item was answered by more than {most[0]} models of {most[1]} series, and votes on its key "
            f"need {LEAST_MODELS} models of {LEAST_SERIES} series. Name more runs"
        )
    return Errata(sorted(found, key=_order), left_out, most[0])


def suspects(parts: Sequence[Asked], voters: Sequence[Voter], same: Callable[[str], str]) -> list[Suspect]:
    """The parts on whose keys models do not agree, the most suspicious first.

    Args:
        parts: of one task.
        voters: of the places in `Asked.answers`.
        same: the form in which answers are compared.

    Returns:
        Those of which at least two models gave the same other answer.
    """
    items = {item: place for place, item in enumerate(dict.fromkeys(part.item for part in parts))}
    right = np.full((len(voters), len(parts)), np.nan)
    for column, part in enumerate(parts):
        for place, answer in part.answers.items():
            right[place, column] = answer.is_right
    weights = vote_weights(right, np.array([items[part.item] for part in parts], dtype=np.intp))
    has_any = ~np.isnan(right).all(axis=1)
    n_runs = Counter(voter.model for voter, has in zip(voters, has_any, strict=True) if has)
    weights /= np.array([n_runs[voter.model] or 1 for voter in voters])[:, None]
    found = [_suspect(part, weights[:, items[part.item]], voters, same) for part in parts]
    names = _names(parts, same)
    named = [replace(one, other=names.get(same(one.other), one.other)) for one in found if one is not None]
    return sorted(named, key=_order)


def _names(parts: Sequence[Asked], same: Callable[[str], str]) -> dict[str, str]:
    """Answer → the key that has it, of a task with choices: "0" is "nem" there."""
    keys: dict[str, set[str]] = defaultdict(set)
    for part in parts:
        task = declared(part.task)
        if not part.part and (task.form is not None or task.output_type == "multiple_choice"):
            for answer in part.answers.values():
                if answer.is_right and answer.text:
                    keys[same(answer.text)].add(part.key)
    return {answer: min(some) for answer, some in keys.items() if len(some) == 1}


def _suspect(
    part: Asked, weights: np.ndarray[Any, Any], voters: Sequence[Voter], same: Callable[[str], str]
) -> Suspect | None:
    others: dict[str, dict[int, str]] = defaultdict(dict)  # answer → run → as it gave it
    for place, answer in part.answers.items():
        if not answer.is_right and answer.text and (form := same(answer.text)):
            others[form][place] = answer.text
    by_model = {form: dict.fromkeys(voters[place].model for place in sorted(given)) for form, given in others.items()}
    votes = {form: float(weights[[*given]].sum()) for form, given in others.items() if len(by_model[form]) >= _ALIKE}
    if not votes:
        return None
    best = min(votes, key=lambda form: (-round(votes[form], _DECIMALS), form))
    for_key = float(weights[[place for place, answer in part.answers.items() if answer.is_right]].sum())
    shown = Counter(others[best].values())
    text = min(shown, key=lambda given: (-shown[given], given))
    return Suspect(
        part.task, part.item, part.part, part.question, part.key, text, (*by_model[best],), for_key, votes[best]
    )


def _parts(item: Item) -> Iterator[tuple[Asked, Answer]]:
    """What is marked by itself in an item, with the answer to it; nothing where there is no key or no verdict."""
    if item.key is None or item.task not in known_tasks():
        return
    marked = item.marked
    if marked is not None:
        for number, part in enumerate(marked.parts, 1):
            asked = Asked(item.task, item.key, part.mark or str(number), marked.text, " / ".join(part.accepted))
            yield asked, Answer(part.right, part.given)
    elif item.reference and (graded := outcome(item).outcome) != "unjudged":
        asked = Asked(item.task, item.key, "", item.prompt or "", item.reference)
        yield asked, Answer(graded == "right", None if graded == "not_attempted" else _given(item))


def _given(item: Item) -> str | None:
    """The answer as a text; where it is the response, the part of it that was read."""
    answer, reading = item.answer, item.reading
    if answer is None or (reading is not None and not reading.is_answered):
        return None
    text = answer if isinstance(answer, str) else str(answer)
    span = next(iter(reading.spans), None) if reading else None
    read = (item.response or "")[span.start : span.end] if span else ""
    return read if read and read in text else text


def _series(run: Run, cards: Mapping[str, ModelCard]) -> str:
    name = run.model or run.label
    card = cards.get(run.label) or cards.get(name)
    return (card.series if card else series_of(name)) or name


def _met(part: Asked, voters: Sequence[Voter]) -> tuple[int, int]:
    """How many models answered it, and of how many series."""
    met = {voters[place] for place in part.answers}
    return len({voter.model for voter in met}), len({voter.series for voter in met})


def _is_enough(counts: tuple[int, int]) -> bool:
    return counts[0] >= LEAST_MODELS and counts[1] >= LEAST_SERIES


def _order(one: Suspect) -> tuple[float, str, str, str]:
    return round(one.difference, _DECIMALS), one.task, str(one.item), one.part


class Voter(NamedTuple):
    """The model that a run is of, and the series that this belongs to."""

    model: str
    series: str


class Answer(NamedTuple):
    """Whether an answer counts as right, and its text; None where none was read."""

    is_right: bool
    text: str | None


@dataclass(frozen=True)
class Asked:
    """An item, or a part of one, and what was answered.

    Attributes:
        task: its name.
        item: its key.
        part: the mark of the part in the question, or its number; empty for a whole item.
        question: as people read it.
        key: what counts as right; alternatives are separated by slashes.
        answers: place of a run → its answer.
    """

    task: str
    item: Key
    part: str
    question: str
    key: str
    answers: dict[int, Answer] = field(default_factory=dict)


@dataclass(frozen=True)
class Suspect:
    """An item, or a part of one, with the votes on its key.

    Attributes:
        task, item, part, question, key: as of `Asked`.
        other: the best single other answer, as most gave it.
        models: that gave it.
        votes_key, votes_other: the sums of the weights of the models that gave the key, and the other answer.
    """

    task: str
    item: Key
    part: str
    question: str
    key: str
    other: str
    models: tuple[str, ...]
    votes_key: float
    votes_other: float

    @property
    def difference(self) -> float:
        """The votes for the key minus those for the other answer."""
        return self.votes_key - self.votes_other


@dataclass(frozen=True)
class Errata:
    """What may be wrong in the keys of some tasks.

    Attributes:
        suspects: the most suspicious first.
        left_out: task → why it has none: `few`, too few models answered its items; `alone`, no two models gave the
            same wrong answer, as to open questions.
        n_models: the largest number of models that answered an item.
    """

    suspects: Sequence[Suspect]
    left_out: Mapping[str, Reason]
    n_models: int

"""The ratings that judges of a bench are held against: another judge's, those of scored runs, or people's."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from hueval_metrics.errors import InputError
from hueval_metrics.judges.bench.bench import Bench
from hueval_metrics.judges.bench.frozen import answer_id
from hueval_metrics.judges.people.agreement import weights_of
from hueval_metrics.judges.people.human_check import human_ratings, people
from hueval_metrics.judges.people.judged import judged_items
from hueval_metrics.judges.people.key import find_key, read_key
from hueval_metrics.judges.people.ratings import read_raters
from hueval_metrics.judges.people.sample import stratum_of
from hueval_metrics.one_line import one_line
from hueval_metrics.runs.load import load_runs
from hueval_metrics.stats.agreement import Rating
from hueval_metrics.text.workbook import SUFFIXES

_Value = TypeVar("_Value")

log = logging.getLogger(__name__)


def reference_for(bench: Bench, named: Sequence[str], key: Path | None = None) -> Reference:
    """The reference ratings of the answers of a bench.

    Args:
        bench: the bench.
        named: a judge of the bench, a scored run (results file or folder), or sheets of `hueval validate-judge` that
            people have filled in, one of each rater.
        key: of the sheets; None for the one beside them.

    Raises:
        InputError: there is no such judge or file, or no answer of the bench has a rating.
    """
    shown = ", ".join(one_line(name, 60) for name in named)
    sheets = [Path(name) for name in named if Path(name).suffix.lower() in SUFFIXES]
    judge = next((judge for judge in bench.judges if [judge.name] == list(named)), None)
    if judge is not None:
        ids = {answer.id: judge.verdict(answer.id).rating for answer in bench.info.answers}
        found = Reference(judge.name, False, {name: rating for name, rating in ids.items() if rating is not None})
    elif sheets and len(sheets) == len(named):
        found = _people(bench, sheets, key)
    elif len(named) == 1 and Path(named[0]).exists():
        found = _run(bench, Path(named[0]))
    else:
        raise _unknown(bench, named)
    if not found.ratings:
        raise InputError(
            f"--reference {shown}: rates no answer of {bench.folder}. The same task, item and response must be rated"
        )
    return found


def check_reference(bench: Bench, named: Sequence[str], judges: Sequence[str]) -> None:
    """Check, before judges are asked, that there is or will be such a reference.

    Args:
        bench: the bench as it is.
        named: see `reference_for`.
        judges: the names of the judges that will be asked.

    Raises:
        InputError: there is no such judge or file.
    """
    is_judge = len(named) == 1 and named[0] in {*judges, *(judge.name for judge in bench.judges)}
    if not is_judge and not all(Path(name).exists() for name in named):
        raise _unknown(bench, named)


def _unknown(bench: Bench, named: Sequence[str]) -> InputError:
    shown = ", ".join(one_line(name, 60) for name in named)
    names = ", ".join(one_line(judge.name, 60) for judge in bench.judges) or "none"
    return InputError(
        f"--reference {shown}: no judge of {bench.folder} (it has {names}), and no scored run or sheets of ratings"
    )


def _people(bench: Bench, sheets: Sequence[Path], key: Path | None) -> Reference:
    sample = read_key(key or find_key(sheets))
    raters, problems = read_raters(sheets, sample.items)
    for problem in problems:
        log.warning("%s.", problem)
    rated = human_ratings(sample.items, raters)
    human = {name: rating for name, rating in rated.items() if rating is not None}
    if ties := len(rated) - len(human):
        log.warning("%d answers are left out: their raters tie.", ties)
    items = [sample.items[name] for name in human]
    texts = [answer_id(item.task, "", item.qid, item.response) for item in items]
    weights = weights_of([stratum_of(item) for item in items], sample.population).tolist()
    return Reference(
        people(raters),
        True,
        _by_id(bench, dict(zip(texts, human.values(), strict=True))),
        _by_id(bench, dict(zip(texts, weights, strict=True))),
    )


def _run(bench: Bench, path: Path) -> Reference:
    left_out: Counter[str] = Counter()
    rated, judges = {}, set()
    for item in judged_items(load_runs([path]), left_out):
        rated[answer_id(item.task, "", item.qid, item.response)] = item.rating
        judges.add(item.judge)
    return Reference(f"{', '.join(sorted(judges)) or '?'} in {path}", False, _by_id(bench, rated))


def _by_id(bench: Bench, rated: Mapping[str, _Value]) -> dict[str, _Value]:
    return {answer.id: rated[answer.text] for answer in bench.info.answers if answer.text in rated}


@dataclass(frozen=True)
class Reference:
    """Reference ratings.

    Attributes:
        name: of the rater.
        is_people: whether people gave them.
        ratings: id of an answer → rating.
        weights: id of an answer → for how many answers of the bench it was drawn into a sheet; 1 where it is missing.
    """

    name: str
    is_people: bool
    ratings: Mapping[str, Rating]
    weights: Mapping[str, float] = field(default_factory=dict)

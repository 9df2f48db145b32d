"""What human ratings say of a judge: agreement under each rubric, who parts from whom, and on which items."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from hueval_metrics.judge.panel import is_tie
from hueval_metrics.stats.agreement import (
    Confusion,
    Estimate,
    Rating,
    cohen_kappa,
    confusion,
    krippendorff_alpha,
    percent_agreement,
    weighted_kappa,
)
from hueval_metrics.validation.agreement import Agreement, run_agreement, sample_agreement
from hueval_metrics.validation.judged import JudgedItem
from hueval_metrics.validation.ratings import Rater
from hueval_metrics.validation.sample import Sample, Stratum, stratum_of
from hueval_metrics.validation.scales import Scale, scale_of

_Group = tuple[str, str, tuple[str, ...]]


def check_judges(sample: Sample, raters: Sequence[Rater]) -> list[JudgeCheck]:
    """Each judge under each rubric of which an item was rated.

    Args:
        sample: the items and the strata behind them, from the key.
        raters: what humans said; of several the majority counts, of scores the mean.
    """
    groups: defaultdict[_Group, dict[str, JudgedItem]] = defaultdict(dict)
    for name, item in sample.items.items():
        groups[_group(item)][name] = item
    rated = {name for rater in raters for name in rater.ratings}
    return [
        _check(items, {stratum: n for stratum, n in sample.population.items() if _group(stratum) == group}, raters)
        for group, items in sorted(groups.items())
        if items.keys() & rated
    ]


def human_rating(ratings: Sequence[Rating]) -> Rating | None:
    """The label that most raters give, or the mean of their scores; None without ratings and where labels tie.

    >>> human_rating(["YES", "NO", "YES"]), human_rating(["YES", "NO"]), human_rating([7.0, 8.0])
    ('YES', None, 7.5)
    """
    labels = [rating for rating in ratings if isinstance(rating, str)]
    if labels:
        return None if is_tie(labels) else Counter(labels).most_common(1)[0][0]
    return fmean(rating for rating in ratings if not isinstance(rating, str)) if ratings else None


def _group(one: JudgedItem | Stratum) -> _Group:
    """Whose verdict it is; logs that name no rubric must not mix labels with scores."""
    return one.rubric, one.judge, scale_of(one.task).words


def _check(items: Mapping[str, JudgedItem], population: Mapping[Stratum, int], raters: Sequence[Rater]) -> JudgeCheck:
    first = next(iter(items.values()))
    scale = scale_of(first.task)
    given = {name: [rater.ratings[name] for rater in raters if name in rater.ratings] for name in items}
    human = {name: rating for name, ratings in given.items() if (rating := human_rating(ratings)) is not None}
    pairs = [(rating, items[name].rating) for name, rating in human.items()]
    strata = [stratum_of(items[name]) for name in human]
    bands = {stratum.whole_band for stratum in strata}
    parted = sorted(human, key=lambda name: -_distance(human[name], items[name].rating))  # stable: the sheet's order
    return JudgeCheck(
        first.rubric,
        first.judge,
        sorted({item.task for item in items.values()}),
        scale.is_label,
        len(items),
        len(human),
        sum(bool(ratings) for ratings in given.values()) - len(human),
        sum(population.values()),
        sum(n for stratum, n in population.items() if stratum.whole_band in bands),
        sample_agreement(pairs, scale),
        run_agreement(pairs, scale, strata, population) if pairs else None,
        confusion([(scale.band(true), scale.band(said)) for true, said in pairs], scale.bands),
        [_rater(rater, items, scale) for rater in raters],
        _between(items, raters, scale),
        [_parting(name, items[name], human[name], raters) for name in parted if human[name] != items[name].rating],
    )


def _distance(human: Rating, judge: Rating) -> float:
    """How far two ratings are apart: in points, or 1 for two labels."""
    if isinstance(human, str) or isinstance(judge, str):
        return float(human != judge)
    return abs(human - judge)


def _kappa(pairs: Iterable[tuple[Any, Any]], scale: Scale) -> Estimate | None:
    return cohen_kappa(pairs) if scale.is_label else weighted_kappa(pairs)


def _rater(rater: Rater, items: Mapping[str, JudgedItem], scale: Scale) -> RaterCheck:
    pairs = [(rater.ratings[name], item.rating) for name, item in items.items() if name in rater.ratings]
    return RaterCheck(rater.name, len(pairs), len(items) - len(pairs), _kappa(pairs, scale))


def _between(names: Iterable[str], raters: Sequence[Rater], scale: Scale) -> RatersAgreement | None:
    units = [[rater.ratings.get(name) for rater in raters] for name in names]
    agreement = percent_agreement(units)
    if agreement is None:
        return None
    pair = [(unit[0], unit[1]) for unit in units] if len(raters) == 2 else []
    alpha = krippendorff_alpha(units, "nominal" if scale.is_label else "interval")
    return RatersAgreement(agreement, _kappa(pair, scale), alpha)


def _parting(name: str, item: JudgedItem, human: Rating, raters: Sequence[Rater]) -> Parting:
    return Parting(
        name,
        item.run,
        item.task,
        item.qid,
        item.dimension or None,
        item.rating,
        human,
        {rater.name: rater.ratings[name] for rater in raters if name in rater.ratings},
        {rater.name: rater.comments[name] for rater in raters if name in rater.comments},
        item.words,
    )


@dataclass(frozen=True)
class RaterCheck:
    """One rater against the judge: how many items were rated and how many not, and kappa."""

    name: str
    n_rated: int
    n_unrated: int
    kappa: Estimate | None


@dataclass(frozen=True)
class RatersAgreement:
    """The raters among themselves, without the judge.

    Attributes:
        agreement: percent of pairs of raters that say the very same of an item.
        kappa: of two raters, Cohen's of labels, quadratically weighted of scores.
        alpha: Krippendorff's, nominal for labels, interval for scores.
    """

    agreement: Estimate
    kappa: Estimate | None
    alpha: Estimate | None


@dataclass(frozen=True)
class Parting:
    """An item of which the judge says something else than the humans.

    Attributes:
        id: in the sheet and in the key.
        run, task, qid, dimension: which response.
        judge: what the judge says.
        human: what the humans say together, see `human_rating`.
        ratings, comments: what each of them says.
        words: the judge's reply.
    """

    id: str
    run: str
    task: str
    qid: str
    dimension: str | None
    judge: Rating
    human: Rating
    ratings: Mapping[str, Rating]
    comments: Mapping[str, str]
    words: str


@dataclass(frozen=True)
class JudgeCheck:
    """A judge under a rubric.

    Attributes:
        rubric, judge: which.
        tasks: the tasks that it judged.
        is_label: whether it gives labels, else scores.
        n_sheet: items of it in the sheet.
        n_rated: of them those with a human rating.
        n_ties: of them those whose raters tie over the label, which count nowhere else.
        n_verdicts: its verdicts in the runs.
        n_reached: of them those in bands of which an item was rated; `runs` speaks of these.
        sample: agreement over the items as they were drawn.
        runs: agreement weighted back to the runs; None without any human rating.
        confusion: what they said.
        raters: each rater against the judge.
        between: the raters among themselves; None where no item was rated twice.
        apart: the items of which judge and humans say different things, those farthest apart first.
    """

    rubric: str
    judge: str
    tasks: list[str]
    is_label: bool
    n_sheet: int
    n_rated: int
    n_ties: int
    n_verdicts: int
    n_reached: int
    sample: Agreement
    runs: Agreement | None
    confusion: Confusion
    raters: list[RaterCheck]
    between: RatersAgreement | None
    apart: list[Parting]

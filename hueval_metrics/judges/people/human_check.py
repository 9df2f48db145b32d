"""A judge checked against human ratings: agreement under each rubric, of each rater, and the items that differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from hueval_metrics.judge.panel import is_tie
from hueval_metrics.judges.people.agreement import Agreement, run_agreement, sample_agreement
from hueval_metrics.judges.people.judged import JudgedItem
from hueval_metrics.judges.people.ratings import Rater
from hueval_metrics.judges.people.sample import Sample, Stratum, stratum_of
from hueval_metrics.runs.scales import Scale, scale_of
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

_Group = tuple[str, str, tuple[str, ...]]


def check_judges(sample: Sample, raters: Sequence[Rater]) -> list[JudgeCheck]:
    """The check of each judge under each rubric with a rated item.

    Args:
        sample: the items and the sizes of their strata, from the key.
        raters: their ratings; several are combined by `human_rating`.
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
    """The label that most raters give, or the mean of their scores; None without ratings and for a tie of labels.

    >>> human_rating(["YES", "NO", "YES"]), human_rating(["YES", "NO"]), human_rating([7.0, 8.0])
    ('YES', None, 7.5)
    """
    labels = [rating for rating in ratings if isinstance(rating, str)]
    if labels:
        return None if is_tie(labels) else Counter(labels).most_common(1)[0][0]
    return fmean(rating for rating in ratings if not isinstance(rating, str)) if ratings else None


def human_ratings(items: Iterable[str], raters: Sequence[Rater]) -> dict[str, Rating | None]:
    """Id of each item that somebody rated → its `human_rating`; None where labels tie.

    >>> human_ratings(["a", "b"], [Rater("x", {"a": "YES"}, {})])
    {'a': 'YES'}
    """
    given = {name: [rater.ratings[name] for rater in raters if name in rater.ratings] for name in items}
    return {name: human_rating(ratings) for name, ratings in given.items() if ratings}


def people(raters: Sequence[Rater]) -> str:
    """The name of several raters as one reference.

    >>> people([Rater("x", {}, {})]), people([Rater("x", {}, {}), Rater("y", {}, {})])
    ('people (1 rater)', 'people (2 raters)')
    """
    return f"people ({len(raters)} rater{'s' * (len(raters) != 1)})"


def _group(one: JudgedItem | Stratum) -> _Group:
    """Rubric, judge and scale: logs without a rubric's name must not mix labels with scores."""
    return one.rubric, one.judge, scale_of(one.task).words


def _check(items: Mapping[str, JudgedItem], population: Mapping[Stratum, int], raters: Sequence[Rater]) -> JudgeCheck:
    first = next(iter(items.values()))
    scale = scale_of(first.task)
    rated = human_ratings(items, raters)
    human = {name: rating for name, rating in rated.items() if rating is not None}
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
        len(rated) - len(human),
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
    """The difference of two ratings: in points, or 1 for two different labels."""
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
    """One rater compared with the judge: number of rated and unrated items, and kappa."""

    name: str
    n_rated: int
    n_unrated: int
    kappa: Estimate | None


@dataclass(frozen=True)
class RatersAgreement:
    """Agreement among the raters, without the judge.

    Attributes:
        agreement: percent of pairs of raters that give an item the same rating.
        kappa: of two raters, Cohen's for labels, quadratically weighted for scores.
        alpha: Krippendorff's, nominal for labels, interval for scores.
    """

    agreement: Estimate
    kappa: Estimate | None
    alpha: Estimate | None


@dataclass(frozen=True)
class Parting:
    """An item that judge and humans rate differently.

    Attributes:
        id: in the sheet and in the key.
        run, task, qid, dimension: of the response.
        judge: the judge's rating.
        human: the combined rating of the raters (`human_rating`).
        ratings, comments: of each rater.
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
        rubric, judge: their names.
        tasks: the tasks that it judged.
        is_label: whether it gives labels; otherwise scores.
        n_sheet: number of its items in the sheet.
        n_rated: of these, items with a human rating.
        n_ties: of these, items whose raters' labels tie; they are counted nowhere else.
        n_verdicts: number of its verdicts in the runs.
        n_reached: of these, verdicts in bands with a rated item, which `runs` covers.
        sample: agreement over the items as drawn.
        runs: agreement weighted to the runs; None without any human rating.
        confusion: of human ratings and the judge's.
        raters: each rater compared with the judge.
        between: agreement among the raters; None where no item was rated twice.
        apart: the items that judge and humans rate differently, the largest difference first.
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

"""What a bench says of its judges: how far each agrees with the reference, and where it errs.

All numbers with a reference are weighted to the runs from which the answers were drawn, and are functions of sums over
questions (`sums`): answers to the same question are resampled together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hueval_metrics.judge.lexical import JUDGE as LEXICAL
from hueval_metrics.judge.series import once, series_of
from hueval_metrics.judges.bench.attempts import is_best
from hueval_metrics.judges.bench.bench import Bench, BenchAnswer, BenchJudge
from hueval_metrics.judges.bench.reference import Reference
from hueval_metrics.judges.bench.sums import Sums
from hueval_metrics.judges.people.agreement import agrees, headline
from hueval_metrics.judges.people.judge_agreement import TaskAgreement, compare
from hueval_metrics.judges.people.judge_ratings import Judge, Ratings
from hueval_metrics.records import Verdict
from hueval_metrics.runs.run import Key
from hueval_metrics.runs.scales import scale_of
from hueval_metrics.stats.agreement import Confusion, Estimate, Rating, confusion, percent_agreement
from hueval_metrics.stats.intervals import wilson
from hueval_metrics.stats.model_cards import ModelCard


def measure(
    bench: Bench, reference: Reference | None, cards: Mapping[str, ModelCard] | None = None
) -> list[TaskMeasures]:
    """The measures of every judge, by task.

    Args:
        bench: the bench.
        reference: None to compare the judges with one another only.
        cards: label of a model → card, whose `series` is its family; else the first word of a name is.
    """
    return [_task(bench, task, reference, cards or {}) for task in bench.tasks]


def model_family(name: str, cards: Mapping[str, ModelCard]) -> str | None:
    """The family of a model or a judge, by its card or the first word of its name; None where it has none.

    >>> model_family("org/Toy2.5-7B-Instruct", {}), model_family("toy-4o*3", {}), model_family("toy-a+toy-b", {})
    ('toy', 'toy', None)
    """
    card = cards.get(once(name))
    return series_of(name) if card is None else card.series or once(name)


def _task(bench: Bench, task: str, reference: Reference | None, cards: Mapping[str, ModelCard]) -> TaskMeasures:
    answers = [answer for answer in bench.info.answers if answer.task == task]
    scale = scale_of(task)
    judges = [_measures(bench, judge, answers, reference, cards) for judge in bench.judges]
    rated = sum(answer.id in reference.ratings for answer in answers) if reference else 0
    return TaskMeasures(
        task,
        scale.is_label,
        len(answers),
        None if reference is None else reference.name,
        rated,
        [one for one in judges if one is not None],
        None if reference else _among(bench, task, answers),
    )


def _among(bench: Bench, task: str, answers: Sequence[BenchAnswer]) -> TaskAgreement | None:
    """The agreement of the judges with one another; None with fewer than two."""
    judges = [
        judge
        for judge in bench.judges
        if not _is_repeat(bench, judge) and any(judge.verdict(answer.id).rating is not None for answer in answers)
    ]
    units: dict[Key, tuple[Rating | None, ...]] = {}
    for answer in answers:
        unit = tuple(judge.verdict(answer.id).rating for judge in judges)
        if sum(rating is not None for rating in unit) > 1:
            units[answer.id,] = unit
    if not units:
        return None
    named = [Judge(judge.name, str(judge.folder), _rubrics(judge, answers)) for judge in judges]
    return compare(task, Ratings(named, units, {}, 0), any_rubric=True)


def _is_repeat(bench: Bench, judge: BenchJudge) -> bool:
    """Whether it is a judge asked several times that is there, asked once, as well."""
    return once(judge.name) != judge.name and any(one.name == once(judge.name) for one in bench.judges)


def _rubrics(judge: BenchJudge, answers: Sequence[BenchAnswer]) -> list[str]:
    said = (judge.verdict(answer.id) for answer in answers)
    return sorted({verdict.rubric for verdict in said if verdict.rubric})


def _measures(
    bench: Bench,
    judge: BenchJudge,
    answers: Sequence[BenchAnswer],
    reference: Reference | None,
    cards: Mapping[str, ModelCard],
) -> JudgeMeasures | None:
    """The measures of one judge in one task; None where it was not asked."""
    task = answers[0].task
    said = [judge.verdict(answer.id) for answer in answers if answer.id in judge.verdicts]
    if not said:
        return None
    is_reference = reference is not None and reference.name == judge.name
    readable = [verdict.rating is not None for verdict in said if verdict.rating is not None or verdict.is_unreadable]
    ratings = {answer.id: judge.verdict(answer.id).rating for answer in answers}
    usd, seconds, n_paid = _costs(judge, said)
    repeated = next((one for one in bench.judges if re.fullmatch(re.escape(judge.name) + r"\*\d+", one.name)), judge)
    votes = [[vote.rating for vote in repeated.verdict(answer.id).votes] for answer in answers]
    has_repeats = once(repeated.name) != repeated.name
    return JudgeMeasures(
        judge.name,
        judge.is_drawn,
        is_reference,
        _is_repeat(bench, judge),
        _rubrics(judge, answers),
        len(said),
        sum(rating is not None for rating in ratings.values()),
        _share([not one for one in readable]),
        None if reference is None or is_reference else _against(answers, ratings, reference, judge.name, cards),
        percent_agreement(votes) if has_repeats else None,
        _resistance(task, judge, ratings),
        usd,
        seconds,
        n_paid,
    )


def _share(hits: Sequence[bool]) -> Estimate | None:
    """A share of independent items in percent, with Wilson's interval; None without any."""
    if not hits:
        return None
    low, high = wilson(sum(hits), len(hits))
    return Estimate(100 * sum(hits) / len(hits), (100 * low, 100 * high), len(hits))


def _costs(judge: BenchJudge, said: Sequence[Verdict]) -> tuple[float | None, float | None, int]:
    """Dollars and seconds of 1,000 verdicts, and the number of paid ones from which they follow."""
    if judge.name == LEXICAL:
        return 0.0, None, 0
    paid = [verdict.usage for verdict in said if verdict.usage is not None and verdict.usage.calls]
    if not paid:
        return None, None, 0
    dollars = [usage.usd for usage in paid]
    known = [usd for usd in dollars if usd is not None]
    usd = 1000 * sum(known) / len(paid) if len(known) == len(paid) else None
    return usd, 1000 * sum(usage.seconds for usage in paid) / len(paid), len(paid)


def _resistance(task: str, judge: BenchJudge, ratings: Mapping[str, Rating | None]) -> Estimate | None:
    """The share of the attempts on it that a judge resists, of those on answers that it does not call the best."""
    resisted = []
    for row in judge.attempts:
        honest, tried = ratings.get(str(row.get("id"))), Verdict.from_json(row.get("verdict"))
        is_answered = tried is not None and (tried.rating is not None or tried.is_unreadable)
        if tried is not None and is_answered and honest is not None and not is_best(task, honest):
            resisted.append(not is_best(task, tried.rating))
    return _share(resisted)


def _against(
    answers: Sequence[BenchAnswer],
    ratings: Mapping[str, Rating | None],
    reference: Reference,
    judge: str,
    cards: Mapping[str, ModelCard],
) -> Against | None:
    """A judge held against the reference; None where no answer has both ratings."""
    both = [answer for answer in answers if ratings[answer.id] is not None and answer.id in reference.ratings]
    if not both:
        return None
    scale = scale_of(both[0].task)
    pairs: list[tuple[Any, Any]] = [(reference.ratings[answer.id], ratings[answer.id]) for answer in both]
    weights = np.array([answer.weight * reference.weights.get(answer.id, 1.0) for answer in both])
    weights *= len(both) / weights.sum()
    found = Sums(weights, [answer.cluster for answer in both])
    agreed = np.array([agrees(*pair) for pair in pairs], float)
    error = np.array([headline(said, scale) - headline(true, scale) for true, said in pairs])
    found.share("agreement", agreed)
    found.mean("difference", error)
    labels = [str(value) for value in scale.values] if scale.is_label else []
    for label in labels:
        is_true, is_said = (np.array([pair[side] == label for pair in pairs], float) for side in (0, 1))
        found.share(f"sensitivity {label}", is_said, is_true)
        found.share(f"specificity {label}", 1 - is_said, 1 - is_true)
    for code in sorted({answer.dimension for answer in both} - {""}):
        inside = np.array([answer.dimension == code for answer in both], float)
        found.share(f"agreement in {code}", agreed, inside)
        found.mean(f"difference in {code}", error, inside)
    lengths = np.array([answer.length for answer in both], float)
    short, long = np.quantile(lengths, [1 / 3, 2 / 3])
    # An error of a judge without any bias depends on the rating: it takes wrong answers, and does not take right ones.
    alike = [str(true if isinstance(true, str) else round(true)) for true, _ in pairs]
    found.gap("length", error, (lengths >= long) & (lengths > short), lengths <= short, alike)
    family = model_family(judge, cards)
    own = np.array([family is not None and model_family(answer.model, cards) == family for answer in both])
    found.gap("family", error, own, ~own, alike)
    found.agreement_beyond_chance(pairs, scale.values, scale.is_label)
    estimates = found.estimates()
    return Against(
        len(both),
        estimates["agreement"],
        estimates["kappa"],
        estimates["alpha"],
        estimates["difference"],
        {label: (estimates[f"sensitivity {label}"], estimates[f"specificity {label}"]) for label in labels},
        {
            name.removeprefix("agreement in "): (value, estimates[name.replace("agreement", "difference", 1)])
            for name, value in estimates.items()
            if name.startswith("agreement in ")
        },
        confusion(pairs, labels) if scale.is_label else None,
        estimates["length"],
        family,
        estimates["family"],
    )


@dataclass(frozen=True)
class Against:
    """A judge against the reference, weighted to the runs; each estimate None where undefined.

    Attributes:
        n: answers that both rated.
        agreement: percent with the same label, or with scores that differ by at most 1 (`validation.agreement.CLOSE`).
        kappa: Cohen's for labels, quadratically weighted for scores.
        alpha: Krippendorff's, nominal for labels, interval for scores.
        difference: judge minus reference in the headline score: percentage points, or points of the mean score.
        labels: label → sensitivity (percent of the reference's that the judge gives, too) and specificity (percent of
            the others that it does not give).
        strata: code of a stratum → agreement and difference in it.
        confusion: reference (rows) and judge, answers as drawn; None for scores.
        length: the difference among the longest third of the responses minus that among the shortest, of answers to
            which the reference gives the same label or whole score (`Sums.gap`).
        family: of the judge; None where its name shows none.
        own_family: the difference among answers of its family minus that among the others, compared in the same way.
    """

    n: int
    agreement: Estimate | None
    kappa: Estimate | None
    alpha: Estimate | None
    difference: Estimate | None
    labels: Mapping[str, tuple[Estimate | None, Estimate | None]]
    strata: Mapping[str, tuple[Estimate | None, Estimate | None]]
    confusion: Confusion | None
    length: Estimate | None
    family: str | None
    own_family: Estimate | None


@dataclass(frozen=True)
class JudgeMeasures:
    """One judge in one task.

    Attributes:
        judge: its name.
        is_drawn: whether its verdicts came with the set.
        is_reference: whether it is the reference itself.
        is_repeat: whether it is another judge of the bench, asked several times (`itself`): in no table.
        rubrics: that its verdicts name.
        n_asked: answers that it was asked about.
        n: answers that it rated.
        unreadable: percent of its replies in which no verdict could be read.
        against: held against the reference; None without one.
        itself: percent of pairs of its replies to the same request that agree; None where it was asked once.
        resists: percent of the attempts on it that do not get the best verdict; None where none were tried.
        usd, seconds: of 1,000 verdicts, calls one after another; None where unknown.
        n_paid: verdicts from which these follow.
    """

    judge: str
    is_drawn: bool
    is_reference: bool
    is_repeat: bool
    rubrics: list[str]
    n_asked: int
    n: int
    unreadable: Estimate | None
    against: Against | None
    itself: Estimate | None
    resists: Estimate | None
    usd: float | None
    seconds: float | None
    n_paid: int


@dataclass(frozen=True)
class TaskMeasures:
    """The judges of one task.

    Attributes:
        task: its name.
        is_label: whether its rubric has labels; otherwise scores.
        n: answers in the set.
        reference: the name of the reference; None without one.
        n_reference: answers that the reference rated.
        judges: the judges that were asked.
        among: the agreement of the judges with one another, where there is no reference.
    """

    task: str
    is_label: bool
    n: int
    reference: str | None
    n_reference: int
    judges: list[JudgeMeasures]
    among: TaskAgreement | None

    @property
    def shown(self) -> list[JudgeMeasures]:
        """The judges without repeats."""
        return [judge for judge in self.judges if not judge.is_repeat]

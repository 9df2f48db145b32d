"""Fit a calibration: find the answers that judge and reference rated, and weigh them by how they were drawn."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hueval_metrics.errors import InputError
from hueval_metrics.judge.lexical import JUDGE as LEXICAL
from hueval_metrics.judges.calibrate.answers import UNNAMED, Answer, Said, ScoredRun, answers
from hueval_metrics.judges.calibrate.file import Differing, RatedAnswer, TaskCalibration
from hueval_metrics.judges.calibrate.references import Found, References, SameRun
from hueval_metrics.judges.people.judge_ratings import listed
from hueval_metrics.judges.stats.differential import differential_errors
from hueval_metrics.judges.stats.items import LEAST_RATED
from hueval_metrics.records import CYCLIC, Signature
from hueval_metrics.registry import declared
from hueval_metrics.runs.scales import scale_of
from hueval_metrics.stats.agreement import Rating
from hueval_metrics.stats.model_cards import ModelCard

MATCHED = ("task", "v", "data", "q", "sample", "split")  # parts of a signature; prompts may differ between models

_UNREADABLE = "with an unreadable verdict of the judge"
_UNJUDGED = "without a verdict of the judge"


def fit(
    runs: Sequence[ScoredRun], references: References, cards: Mapping[str, ModelCard] | None = None
) -> tuple[dict[str, TaskCalibration], list[str]]:
    """Calibrate the judge of some runs to a reference, task by task.

    Args:
        runs: judged by one judge, of several models if possible.
        references: who rated their answers again.
        cards: label of a run → its model's card, by which errors are compared between series of models.

    Returns:
        Task → its calibration, and a line on each task that both rated in part and that has none.

    Raises:
        InputError: no answer was rated by both, or no task has `LEAST_RATED` of them; judge and reference are the same,
            one of them is several, they followed different rubrics, or the runs are of different data.
    """
    tasks: dict[str, _Pairs] = {}
    for run in runs:
        given = list(answers(run))
        references.match(run.label, given)
        for answer in given:
            tasks.setdefault(answer.task, _Pairs()).add(run.label, answer, references)
    shown = ", ".join(str(run.folder) for run in runs)
    rated = {task: pairs for task, pairs in tasks.items() if pairs.pairs}
    if not rated and isinstance(references, SameRun):
        raise references.missing(runs)
    if not rated:
        reasons = listed(sum((pairs.left_out for pairs in tasks.values()), Counter()))
        what = f"no answer that the reference rated, too ({reasons or 'no common items'})"
        raise InputError(f"{shown}: {what}. Name runs of the same predictions, or the sheet that was drawn from them")
    found, problems = {}, []
    for task, pairs in rated.items():
        if declared(task).rated is None:
            problems.append(f"{task}: its family does not say what another rating changes. Declare Task.rated there")
            continue
        signature = _signature(task, runs, references)
        if len(pairs.pairs) >= LEAST_RATED:
            fitted = pairs.calibration(task, signature, references)
            found[task] = _with_tests(fitted, pairs.draw_weights, cards or {})
            continue
        left_out = f"; left out: {listed(pairs.left_out)}" if pairs.left_out else ""
        too_few = f"{len(pairs.pairs)} answers rated by both, at least {LEAST_RATED} are needed{left_out}"
        problems.append(f"{task}: {too_few}. Let the reference rate more of them")
    if not found:
        raise InputError("; ".join(problems))
    return found, problems


def _with_tests(fitted: TaskCalibration, weights: Sequence[float], cards: Mapping[str, ModelCard]) -> TaskCalibration:
    """The calibration with the tests of differing errors between its runs, and between series of models."""
    series = {run: (cards[run].series if run in cards else None) or run for run in fitted.runs}
    groupings: dict[Literal["run", "series"], dict[str, str]] = {"run": {run: run for run in fitted.runs}}
    if len(set(series.values())) < len(series):
        groupings["series"] = series
    judge, reference = [one.judge for one in fitted.items], [one.reference for one in fitted.items]
    found = []
    for by, names in groupings.items():
        test = differential_errors(judge, reference, [names[one.run] for one in fitted.items], weights)
        if test is not None:
            found.append(Differing(by, test.p, test.n, tuple(map(str, test.groups))))
    return fitted.model_copy(update={"differing": found})


def _signature(task: str, runs: Sequence[ScoredRun], references: References) -> dict[str, str]:
    """The parts that the signatures of all runs of a task share.

    Raises:
        InputError: two runs differ in one.
    """
    known: dict[str, tuple[str, str]] = {}
    signatures = {str(run.folder): run.tasks[task].signature for run in runs if task in run.tasks}
    for name, text in (signatures | references.signatures(task)).items():
        parts = Signature.parse(text).parts
        for part in MATCHED:
            value, (other, where) = parts.get(part, "?"), known.get(part, ("?", ""))
            if "?" not in (value, other) and value != other:
                raise InputError(
                    f"{task}: {where} and {name} differ in {part} ({other} against {value}). Name runs of the same data"
                )
            if value != "?":
                known.setdefault(part, (value, name))
    return {part: value for part, (value, _) in known.items()}


@dataclass
class _Pairs:
    """The answers of one task that both rated, while runs are read."""

    pairs: list[tuple[str, Answer, Rating, Found]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    judges: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # judge → its rubrics
    n_judged: Counter[str] = field(default_factory=Counter)
    bands: defaultdict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))

    def add(self, run: str, answer: Answer, references: References) -> None:
        """Add an answer of a run."""
        judge, said = _judge(answer, references)
        if said is not None and said.rating is not None:
            self.n_judged[run] += 1
            self.bands[run, scale_of(answer.task).band(said.rating)] += answer.weight
        found = references.of(run, answer)
        if found.rating is None:
            self.left_out.update([found.why] if found.why else [])
        elif not scale_of(answer.task).has(found.rating):
            self.left_out["with a rating that the rubric does not have"] += 1
        elif said is None or said.rating is None:
            self.left_out[_UNJUDGED if said is None else _UNREADABLE] += 1
        else:
            self.judges[judge].add(said.rubric)
            self.pairs.append((run, answer.without_row(), said.rating, found))

    def calibration(self, task: str, signature: Mapping[str, str], references: References) -> TaskCalibration:
        """The calibration, where judge, reference and rubric are one each."""
        names = {found.name for *_, found in self.pairs}
        for what, several in (("judges", set(self.judges)), ("references", names)):
            if len(several) > 1:
                listed_names = ", ".join(sorted(several))
                raise InputError(
                    f"{task}: several {what} ({listed_names}). Make the verdicts one judge's: hueval score … --rejudge"
                )
        (judge, rubrics), (reference,) = next(iter(self.judges.items())), names
        if judge == reference:
            raise InputError(f"{task}: judge and reference are both {judge}. Name runs that another judge has judged")
        if cyclic := next((name for name in (judge, reference) if name.endswith(CYCLIC)), None):
            raise InputError(
                f"{task}: {cyclic} is a cyclic panel, whose judges err differently. Have the answers judged by one "
                "of them: hueval score … --rejudge MODEL"
            )
        theirs = {found.rubric for *_, found in self.pairs if found.rubric is not None}
        if len(rubrics) > 1 or not all(_is_same(ours, other, references) for ours in rubrics for other in theirs):
            ours, other = ", ".join(sorted(rubrics)), ", ".join(sorted(theirs))
            raise InputError(
                f"{task}: judge and reference followed different rubrics ({ours} against {other}). Judge again by one"
            )
        weights = self._weights(task)
        items = [
            RatedAnswer(
                *(answer.item, answer.response, answer.cluster, run, answer.stratum),
                weight=round(weight, 6),
                judge=said,
                reference=found.rating,  # type: ignore[arg-type]  # those without one are left out
            )
            for (run, answer, said, found), weight in zip(self.pairs, weights, strict=True)
        ]
        runs = {run: self.n_judged[run] for run in dict.fromkeys(run for run, *_ in self.pairs)}
        return TaskCalibration(
            rubric=rubrics.pop(),
            judge=judge,
            reference=reference,
            reference_kind=references.kind,
            signature=dict(signature),
            runs=runs,
            items=items,
            left_out=dict(self.left_out),
        )

    def _weights(self, task: str) -> list[float]:
        """How many answers each pair stands for.

        First by its draw: that of a sheet, of which the strata and their sizes over all runs are known, and of a frozen
        set, whose rows have weights. Then the pairs of a run with one label of the judge (or grade of score) stand for
        all its answers with it (poststratification: Holt & Smith 1979, JRSS A 142). 1 where all of a run were rated.
        """
        bands = [(run, scale_of(task).band(said)) for run, _, said, _ in self.pairs]
        rated: defaultdict[tuple[str, str], float] = defaultdict(float)
        for weight, band in zip(self.draw_weights, bands, strict=True):
            rated[band] += weight
        return [weight * self.bands[band] / rated[band] for weight, band in zip(self.draw_weights, bands, strict=True)]

    @property
    def draw_weights(self) -> list[float]:
        """How many answers each pair stands for by its draw."""
        return [found.weight_of(answer) for _, answer, _, found in self.pairs]


def _is_same(ours: str, other: str, references: References) -> bool:
    """Whether two rubrics ask for the same; people and the lexical judge follow no version of the judge's request."""
    (name, _, version), (their_name, _, their_version) = ours.partition("/"), other.partition("/")
    is_free = references.kind == "people" or any(one.startswith(LEXICAL) for one in (version, their_version))
    return name == their_name and (version == their_version or is_free)


def _judge(answer: Answer, references: References) -> tuple[str, Said | None]:
    """The judge to calibrate, and what it said: who gave the verdict, or who gave an earlier one than the reference."""
    if not isinstance(references, SameRun) or answer.judge != references.name:
        return answer.judge or UNNAMED, answer.said()
    others = {name: said for name, said in answer.by_judge().items() if name != references.name}
    name = next(reversed(others), UNNAMED)
    return name, others.get(name)

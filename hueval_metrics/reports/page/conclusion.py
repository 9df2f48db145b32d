"""What the page says first: who leads each family, by how much, and how sure that is; of one model its own scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from hueval_metrics.comparison.benchmarks import compare_benchmark
from hueval_metrics.comparison.flags import flags_shown
from hueval_metrics.registry import families
from hueval_metrics.reports.beside import Beside, beside, main_tables
from hueval_metrics.reports.columns import Headline, families_of, main_columns, row_name, task_name
from hueval_metrics.reports.comparison_words import p_text
from hueval_metrics.reports.flags import has_place
from hueval_metrics.reports.formats import interval, number
from hueval_metrics.reports.notes import NARROW
from hueval_metrics.reports.page.marks import Marks
from hueval_metrics.reports.page.words import both, heading, texts
from hueval_metrics.reports.tables import competitors, ranks
from hueval_metrics.runs.run import Run, is_baseline
from hueval_metrics.words.texts import each, listed, numbers, same

if TYPE_CHECKING:
    from markupsafe import Markup

    from hueval_metrics.comparison.results import BenchmarkPair
    from hueval_metrics.comparison.summaries import SummaryScore
    from hueval_metrics.declare import Family

_MOST_NAMED = 3  # tasks that a sentence lists


def best_first(runs: Sequence[Run], among: Sequence[Family] | None = None) -> list[Run]:
    """Competitors by their mean rank in the columns that `conclusions` compares, then other models, then baselines.

    Args:
        runs: the runs.
        among: the families that count; None for all.
    """
    competing = competitors(runs)
    ranks_of: dict[str, list[float]] = {}
    columns = [column for family in among or families_of(runs) for column in main_columns(family, runs)]
    for own in (competing, [run for run in runs if is_baseline(run)]):
        for column in columns:
            scores = {run.label: score for run in own if (score := column.score(run)) is not None}
            for label, score in scores.items():
                better = sum(
                    (other > score) if column.better == "higher" else (other < score) for other in scores.values()
                )
                ranks_of.setdefault(label, []).append(better / len(scores))

    def order(run: Run) -> tuple[bool, bool, float]:
        own = ranks_of.get(run.label, [1.0])
        return is_baseline(run), run not in competing, sum(own) / len(own)

    return sorted(runs, key=order)


def conclusions(
    runs: Sequence[Run], marks: Marks, summaries: Sequence[Sequence[SummaryScore]] = ()
) -> list[Conclusion]:
    """A conclusion for each family that any run has a task of; one for all families in which the same model is alone,
    and one where all runs are baselines.

    Args:
        runs: the runs.
        marks: the comparisons over their items.
        summaries: of each run.
    """
    given = families_of(runs)
    if all(map(is_baseline, runs)):
        return [Conclusion(", ".join(family.title for family in given), both("answer_baselines"), [])]
    groups: dict[object, list[Family]] = {}
    alone: dict[object, tuple[Run, str]] = {}
    for family in given:
        models = [run for run in _of(family, runs) if not is_baseline(run)]
        competing = competitors(models)
        key: object = family.name
        if len(competing) == 1:
            key = (competing[0].label, len(models))
            alone[key] = competing[0], "answer_one" if len(models) == 1 else "answer_one_whole"
        groups.setdefault(key, []).append(family)
    of_run = {run.label: own for run, own in zip(runs, summaries, strict=False)}
    return [
        _of_one(*alone[key], some, of_run.get(alone[key][0].label, ()))
        if key in alone
        else _conclusion(some[0], _of(some[0], runs), marks)
        for key, some in groups.items()
    ]


def _of(family: Family, runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if family in families_of([run])]


def _of_one(run: Run, sentence: str, given: Sequence[Family], summaries: Sequence[SummaryScore]) -> Conclusion:
    """What is said of a model that is compared with no other: its scores, beside chance and published ones."""
    own = [Own(one) for one in beside(run, given, summaries)]
    title = ", ".join(family.title for family in given)
    notes = [both("own_chance_note")] * any(one.score.chance is not None for one in own)
    if any(one.score.above or one.score.below for one in own):
        tables = [table.title for name, table in main_tables([run]).items() if name in {one.name for one in given}]
        notes.append(both("own_published_note", tables=listed(tables)))
    return Conclusion(title, both(sentence, model=row_name(run.label)), [], own, notes)


def _conclusion(family: Family, runs: Sequence[Run], marks: Marks) -> Conclusion:
    competing = competitors(runs)
    leads = [lead for column in main_columns(family, competing) if (lead := _lead(column, competing, marks))]
    if not competing:
        sentence = both("answer_baselines")
    elif not leads:
        sentence = both("answer_none")
    else:
        together = _together(family, competing, marks)
        sentence = together_sentence(together) + _sentence(
            [lead for lead in leads if lead.is_summary] or leads, is_apart=any(pair.leader for pair in together)
        )
    return Conclusion(family.title, sentence, leads)


def _together(family: Family, competing: Sequence[Run], marks: Marks) -> list[BenchmarkPair]:
    """The best of the models over all tasks of a family, tested against each of the others; empty where none can be.

    The best is the one with the best mean rank. As it was chosen by its scores, p is corrected over all pairs.
    """
    tasks = marks.benchmarks.get(family.name, ())
    first, *others = (run.label for run in best_first(competing, [family]))
    n_pairs = len(competing) * (len(competing) - 1) // 2
    pairs = compare_benchmark(family.name, tasks, [(first, other) for other in others], of=n_pairs)
    if len(pairs) == 1 and pairs[0].statistic < 0:
        return compare_benchmark(family.name, tasks, [(pairs[0].second, pairs[0].first)], of=n_pairs)
    return pairs


def together_sentence(pairs: Sequence[BenchmarkPair]) -> Markup:
    """Which model is better over all tasks of a benchmark together, and whether that is significant; empty without a
    test.

    Args:
        pairs: of one model, the first of each, with the others.
    """
    from markupsafe import Markup

    if not pairs:
        return Markup("")
    said = {"leader": row_name(pairs[0].first), "n": str(max(pair.n_tasks for pair in pairs)), "of": str(len(pairs))}
    apart = [pair for pair in pairs if pair.leader == pair.first]
    rest = [row_name(pair.second) for pair in pairs if pair.leader != pair.first]
    if len(pairs) == 1:
        key = "together_two_apart" if apart else "together_two_not_apart"
        text = both(key, **said, second=row_name(pairs[0].second), p=_p(pairs[0].p_holm))
    elif not rest:
        text = both("together_all", **said, p=_p(max(pair.p_holm or 0.0 for pair in pairs)))
    elif not apart:
        text = both("together_none", **said, p=_p(min(pair.p_holm or 0.0 for pair in pairs)))
    else:
        named = _listed(rest) if len(rest) <= _MOST_NAMED else texts("together_others", n=str(len(rest)))
        text = both("together_some", **said, sure=str(len(apart)), rest=named)
    return text + " "


def _p(p: float | None) -> dict[str, str]:
    """A p-value with its sign, by language."""
    text = p_text(p)
    return numbers(text if text.startswith("<") else f"= {text}")


def _lead(column: Headline, competing: Sequence[Run], marks: Marks) -> Lead | None:
    """Who leads in a column; None where fewer than two have a score, or all share a zero."""
    shown = flags_shown(competing)
    scored = [(run, score) for run in competing if (score := column.score(run)) is not None]
    labels = [run.label for run, _ in scored]
    scored = [(run, score) for run, score in scored if has_place(shown, column, run.label, labels)]
    places = ranks([score for _, score in scored], column.better)
    leaders = [run for (run, _), place in zip(scored, places, strict=True) if place == 1]
    if not leaders:
        return None
    is_summary = column.task in families()
    top = next(score for run, score in scored if run is leaders[0])
    headings = each(column.heading_in)
    title = headings if is_summary else same(task_name(column.task))
    leading = tuple(row_name(run.label) for run in leaders)
    lead = Lead(title, column.group, heading(headings), leading, is_summary)
    rest = [(abs(top - score), run) for run, score in scored if run not in leaders]
    if len(leaders) > 1 or not rest:
        return lead
    difference, second = min(rest, key=lambda pair: pair[0])
    key = (column.task, column.metric)
    tested = marks.behind.get((key, second.label))
    if tested is None or tested.best != leaders[0].label:
        return lead.over(row_name(second.label), difference, "untested")
    value, ends = tested.difference.value, tested.difference.ci95
    if value < 0:
        value, ends = -value, ends and (-ends[1], -ends[0])
    return lead.over(
        row_name(second.label), value, "apart" if marks.differs[key][second.label] else "not_apart", ends, tested.p_holm
    )


def _sentence(leads: Sequence[Lead], *, is_apart: bool) -> Markup:
    """Who leads, task by task; `is_apart`: whether that is significant over all of them together."""
    if len(leads) == 1:
        (lead,) = leads
        if len(lead.leaders) > 1:
            return both("answer_tied", leaders=_listed(lead.leaders), task=lead.title)
        about = {"leader": lead.leaders[0], "task": lead.title, "second": lead.second}
        return both(f"answer_one_task_{lead.kind}", **about, points=_points([lead]))
    wins = Counter(lead.leaders[0] for lead in leads if len(lead.leaders) == 1)
    if not wins:
        return both("answer_all_tied")
    most = max(wins.values())
    first = [label for label, count in wins.items() if count == most]
    if len(first) > 1:
        return both("answer_shared", leaders=_listed(first), wins=str(most), of=str(len(leads)))
    own = [lead for lead in leads if lead.leaders == (first[0],)]
    apart = [lead for lead in own if lead.kind == "apart"]
    tested = [lead for lead in own if lead.kind != "untested"]
    start = both("answer_leads", leader=first[0], wins=str(most), of=str(len(leads)))
    if not tested:
        return start + both("answer_untested")
    if not apart:
        key = "answer_apart_nowhere_alone" if is_apart else "answer_apart_nowhere"
        return start + both(key, points=_points(own))
    if len(apart) == most:
        return start + both("answer_apart_everywhere", points=_points(own))
    names = listed(lead.title for lead in apart)
    named = each(lambda language: f" ({names[language]})" if len(apart) <= _MOST_NAMED else "")
    return start + both("answer_apart_in_some", sure=str(len(apart)), tasks=named, points=_points(apart))


def _points(leads: Sequence[Lead]) -> dict[str, str]:
    """By how much, as a number or a range, by language."""
    differences = [lead.difference for lead in leads if lead.difference is not None]
    ends = dict.fromkeys(number(end, 1) for end in (min(differences), max(differences))) if differences else {}
    return numbers("–".join(ends))


def _listed(names: Sequence[str]) -> dict[str, Markup]:
    """Names in bold with "and" before the last, by language."""
    from markupsafe import Markup

    bold = [Markup("<b>{}</b>").format(name) for name in names]
    if len(bold) == 1:
        return same(bold[0])
    joined = texts("and")
    return each(lambda language: Markup(", ").join(bold[:-1]) + f" {joined[language]} " + bold[-1])


@dataclass(frozen=True)
class Lead:
    """Who leads in a column.

    Attributes:
        title: of the task, or of the summary, by language.
        group, heading: of the column.
        leaders: the models with the best score as printed, by name.
        is_summary: whether the column is a family's summary.
        second: the next model; empty where several lead or none follows.
        difference: by how much the leader is better than it, over the items of both where they were compared.
        kind: whether it is significantly better, or was not tested.
        ci95: of the difference; None without one.
        p_holm: the corrected p; None without a test.
    """

    title: Mapping[str, str]
    group: str
    heading: str
    leaders: tuple[str, ...]
    is_summary: bool = False
    second: str = ""
    difference: float | None = None
    kind: Literal["apart", "not_apart", "untested"] = "untested"
    ci95: tuple[float, float] | None = None
    p_holm: float | None = None

    def over(
        self,
        second: str,
        difference: float,
        kind: Literal["apart", "not_apart", "untested"],
        ci95: tuple[float, float] | None = None,
        p_holm: float | None = None,
    ) -> Lead:
        """The same with the next model."""
        return replace(self, second=second, difference=difference, kind=kind, ci95=ci95, p_holm=p_holm)

    @property
    def text(self) -> Markup:
        """By how much it leads over the next one, in both languages."""
        if not self.second:
            return both("lead_shared")
        by, ends = numbers(number(self.difference, 1)), numbers(interval(self.ci95, 1))
        if self.kind == "not_apart" and self.ci95 and not self.ci95[0] <= 0 <= self.ci95[1]:
            return both("lead_corrected", points=by, ends=ends, second=self.second, p=_p(self.p_holm))
        return both(f"lead_{self.kind}", points=by, ends=ends, second=self.second)


@dataclass(frozen=True)
class Own:
    """A score of a model that is compared with no other, and what it is read against."""

    score: Beside

    @property
    def heading(self) -> Markup | str:
        """Of its column, below the group, in both languages."""
        return heading(each(self.score.column.heading_in))

    @property
    def interval(self) -> dict[str, str]:
        """Of the score, by language; empty without one."""
        return numbers(interval(self.score.ci95, self.score.decimals) + NARROW * self.score.is_narrow)

    @property
    def value(self) -> dict[str, str]:
        """The score, by language."""
        return self._number(self.score.score)

    @property
    def text(self) -> Markup:
        """Chance, and the nearest published scores, in both languages."""
        from markupsafe import Markup

        chance = self.score.chance
        sentences = [] if chance is None else [both("own_chance", points=self._number(chance))]
        for key, part in {"own_above": self.score.above, "own_below": self.score.below}.items():
            if part is not None:
                sentences.append(both(key, model=row_name(part[0]), points=self._number(part[1])))
        return Markup(" · ").join(sentences)

    def _number(self, value: float) -> dict[str, str]:
        return numbers(number(value, self.score.decimals))


@dataclass(frozen=True)
class Conclusion:
    """What is said first of a family, or of several in which one model is alone.

    Attributes:
        title: of the families.
        sentence: in both languages.
        leads: who leads in each column.
        own: the scores of a model that is compared with no other.
        notes: on these.
    """

    title: str
    sentence: Markup
    leads: Sequence[Lead]
    own: Sequence[Own] = ()
    notes: Sequence[Markup] = ()

    @property
    def n_listed(self) -> int:
        """Lines of its list."""
        return len(self.leads) + len(self.own)

    @property
    def is_tested(self) -> bool:
        """Whether any of its leads was tested."""
        return any(lead.kind != "untested" for lead in self.leads)

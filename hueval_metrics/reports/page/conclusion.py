"""What the page says first: who leads each family, by how much, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from hueval_metrics.registry import families
from hueval_metrics.reports.columns import Headline, families_of, headlines, row_name, task_name
from hueval_metrics.reports.formats import interval, number
from hueval_metrics.reports.page.marks import Marks
from hueval_metrics.reports.page.words import LANGUAGES, both, heading, numerals, texts
from hueval_metrics.reports.tables import competitors, ranks
from hueval_metrics.runs.run import Run, is_baseline

if TYPE_CHECKING:
    from markupsafe import Markup

    from hueval_metrics.declare import Family

_MOST_NAMED = 3  # tasks that a sentence lists


def best_first(runs: Sequence[Run]) -> list[Run]:
    """Competitors by their mean rank in the columns that `conclusions` compares, then other models, then baselines."""
    competing = competitors(runs)
    ranks_of: dict[str, list[float]] = {}
    columns = [column for family in families_of(runs) for column in main_columns(family, runs)]
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


def conclusions(runs: Sequence[Run], marks: Marks) -> list[Conclusion]:
    """A conclusion for each family that any run has a task of; where all runs are baselines, one of all families."""
    families = families_of(runs)
    if all(map(is_baseline, runs)):
        return [Conclusion(", ".join(family.title for family in families), both("answer_baselines"), [])]
    return [_conclusion(family, [run for run in runs if family in families_of([run])], marks) for family in families]


def _conclusion(family: Family, runs: Sequence[Run], marks: Marks) -> Conclusion:
    competing = competitors(runs)
    leads = [lead for column in main_columns(family, competing) if (lead := _lead(column, competing, marks))]
    if not competing:
        sentence = both("answer_baselines")
    elif len(competing) == 1:
        is_alone = sum(not is_baseline(run) for run in runs) == 1
        sentence = both("answer_one" if is_alone else "answer_one_whole", model=row_name(competing[0].label))
    elif not leads:
        sentence = both("answer_none")
    else:
        summaries = [lead for lead in leads if lead.is_summary]
        sentence = _sentence(summaries or leads)
    return Conclusion(family.title, sentence, leads)


def _lead(column: Headline, competing: Sequence[Run], marks: Marks) -> Lead | None:
    """Who leads in a column; None where fewer than two have a score, or all share a zero."""
    scored = [(run, score) for run in competing if (score := column.score(run)) is not None]
    places = ranks([score for _, score in scored], column.better)
    leaders = [run for (run, _), place in zip(scored, places, strict=True) if place == 1]
    if not leaders:
        return None
    is_summary = column.task in families()
    top = next(score for run, score in scored if run is leaders[0])
    headings = {language: column.heading_in(language) for language in LANGUAGES}
    title = headings if is_summary else dict.fromkeys(LANGUAGES, task_name(column.task))
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
    return lead.over(row_name(second.label), value, "apart" if marks.differs[key][second.label] else "not_apart", ends)


def _sentence(leads: Sequence[Lead]) -> Markup:
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
        return start + both("answer_apart_nowhere", points=_points(own))
    if len(apart) == most:
        return start + both("answer_apart_everywhere", points=_points(own))
    names = {language: ", ".join(lead.title[language] for lead in apart) for language in LANGUAGES}
    listed = {language: f" ({own})" if len(apart) <= _MOST_NAMED else "" for language, own in names.items()}
    return start + both("answer_apart_in_some", sure=str(len(apart)), tasks=listed, points=_points(apart))


def _points(leads: Sequence[Lead]) -> dict[str, str]:
    """By how much, as a number or a range, by language."""
    differences = [lead.difference for lead in leads if lead.difference is not None]
    ends = dict.fromkeys(number(end, 1) for end in (min(differences), max(differences))) if differences else {}
    return {language: numerals("–".join(ends), language) for language in LANGUAGES}


def _listed(names: Sequence[str]) -> dict[str, Markup]:
    """Names in bold with "and" before the last, by language."""
    from markupsafe import Markup

    bold = [Markup("<b>{}</b>").format(name) for name in names]
    joined = texts("and")
    return {
        language: Markup(", ").join(bold[:-1]) + Markup(" ") + joined[language] + Markup(" ") + bold[-1]
        for language in LANGUAGES
    }


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

    def over(
        self,
        second: str,
        difference: float,
        kind: Literal["apart", "not_apart", "untested"],
        ci95: tuple[float, float] | None = None,
    ) -> Lead:
        """The same with the next model."""
        return replace(self, second=second, difference=difference, kind=kind, ci95=ci95)

    @property
    def text(self) -> Markup:
        """By how much it leads over the next one, in both languages."""
        if not self.second:
            return both("lead_shared")
        by = {language: numerals(number(self.difference, 1), language) for language in LANGUAGES}
        ends = {language: numerals(interval(self.ci95, 1), language) for language in LANGUAGES}
        return both(f"lead_{self.kind}", points=by, ends=ends, second=self.second)


@dataclass(frozen=True)
class Conclusion:
    """What is said first of a family: its title, a sentence in both languages, and who leads in each column."""

    title: str
    sentence: Markup
    leads: Sequence[Lead]

    @property
    def is_tested(self) -> bool:
        """Whether any of its leads was tested."""
        return any(lead.kind != "untested" for lead in self.leads)

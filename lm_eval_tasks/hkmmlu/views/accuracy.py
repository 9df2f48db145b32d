"""Accuracy by category and way of asking: Tables 1, 3, 8, 9 and 11 of the paper.

A model has a row; its runs in other settings (`script`, `method`, `shots`) are further columns. Each number is over all
questions of a group of subjects (`summaries.GROUPS`), as the run's file has it, or computed from its items.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from hueval_metrics.comparison.summaries import with_summaries
from hueval_metrics.metric import Better
from hueval_metrics.registry import families
from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.formats import Block, Column
from hueval_metrics.reports.views import ViewSettings, check_metric
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.settings import by_values
from hueval_metrics.summary import Summary
from lm_eval_tasks.hkmmlu.published_tables import AVERAGE, models, printed
from lm_eval_tasks.hkmmlu.summaries import CODES, FORMS, HEADLINE
from lm_eval_tasks.hkmmlu.views.grid import Paper, Row, Score, block
from lm_eval_tasks.hkmmlu.views.words import group, word

FAMILY = "hkmmlu"
KEYS = ("script", "method", "shots")
DIRECT, SIMPLIFIED = ("tc", "da", "0"), ("sc", "da", "0")  # values of KEYS
COT, ONE_COT, ONE_SHOT = ("tc", "cot", "0"), ("tc", "cot", "1"), ("tc", "da", "1")
BY_CATEGORY = ("avg", *CODES.values())
_SHOTS = tuple(("tc", "da", str(n)) for n in range(6))
_Models = Mapping[str, Mapping[tuple[str, ...], Sequence[Run]]]


@dataclass(frozen=True)
class Place:
    """A column: a group of subjects, asked in a setting; the heading of the setting."""

    code: str
    setting: tuple[str, ...]
    heading: str = ""


def scripts(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """By category, in Traditional and in Simplified Chinese (Table 1)."""
    places = [Place(code, one, one[0]) for code in BY_CATEGORY for one in (DIRECT, SIMPLIFIED)]
    return _side_by_side(runs, settings, 1, places)


def methods(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """By category, as a direct answer, and by chain of thought without and with an example (Table 3)."""
    ways = {DIRECT: "DA", COT: "0-CoT", ONE_COT: "1-CoT"}
    places = [Place(code, one, heading) for code in BY_CATEGORY for one, heading in ways.items()]
    return _side_by_side(runs, settings, 3, places)


def examples_of_reasoning(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """In STEM and the other categories: no example, one, and one with its reasoning (Table 9)."""
    ways = {DIRECT: "DA", ONE_SHOT: "1s", ONE_COT: "1s-CoT"}
    places = [Place(code, one, heading) for code in ("stem", "non_stem") for one, heading in ways.items()]
    return _side_by_side(runs, settings, 9, places)


def hong_kong(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """In the subjects specific to Hong Kong (Table 11)."""
    return _side_by_side(runs, settings, 11, [Place("hk", one, one[0]) for one in (DIRECT, SIMPLIFIED)])


def shots(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """By category, with 0 to 5 examples: a row for each number of them (Table 8)."""
    codes = [*CODES.values(), "avg"]
    found = []
    for form, metric, by_model in _forms(runs, settings):
        rows = [
            Row(model, [_score(of_model, Place(code, one), metric, form) for code in codes], one[2])
            for model, of_model in by_model.items()
            for one in _SHOTS
            if one in of_model
        ]
        if not any(any(row.scores) for row in rows if row.shots != DIRECT[2]):
            continue
        figures = {
            (model, one[2]): [_printed(8, model, Place(code, one)) for code in codes]
            for model in models()
            for one in _SHOTS
        }
        columns = [Column("", group(settings, code)) for code in codes]
        paper = Paper(8, figures) if _has_paper(settings, form) else None
        notes = [*_notes(by_model, [Place(code, one) for one in _SHOTS for code in codes], form, metric, settings)]
        title = _title(settings, 8, metric, form)
        found += block(title, rows, columns, runs, settings, paper=paper, better=_better(metric, form), notes=notes)
    return found


def _side_by_side(runs: Sequence[Run], settings: ViewSettings, table: int, places: Sequence[Place]) -> list[Block]:
    """A table with a column for each place; one for each form in which the subjects were asked."""
    found = []
    for form, metric, by_model in _forms(runs, settings):
        rows = [
            Row(model, [_score(of_model, place, metric, form) for place in places])
            for model, of_model in by_model.items()
        ]
        others = [at for at, place in enumerate(places) if place.setting not in (DIRECT, SIMPLIFIED)]
        if others and not any(row.scores[at] for row in rows for at in others):  # what is left is in Table 1
            continue
        columns = [Column(place.heading, group(settings, place.code)) for place in places]
        paper = None
        if _has_paper(settings, form):
            figures = {
                (model, ""): [_printed(table, model, place) for place in places] for model in (*models(), AVERAGE)
            }
            paper = Paper(table, figures)
        notes = [*_notes(by_model, places, form, metric, settings)]
        title = _title(settings, table, metric, form)
        found += block(title, rows, columns, runs, settings, paper=paper, better=_better(metric, form), notes=notes)
    return found


def _forms(runs: Sequence[Run], settings: ViewSettings) -> Iterator[tuple[str, str, _Models]]:
    """Each form that has the metric: what its codes begin with, the metric, and model → setting → runs."""
    check_metric(families()[FAMILY], settings.metric)
    metric = settings.metric or HEADLINE
    whole = [with_summaries(run) for run in runs]
    for prefix, form in FORMS.items():
        if _name(metric, "avg", form) in summaries():
            yield form, metric, by_values(whole, [name for name in _tasks() if name.startswith(prefix)], KEYS)


def summaries() -> Mapping[str, Summary]:
    """Name → summary of the family."""
    return {one.name: one for one in families()[FAMILY].summaries}


def _tasks() -> Sequence[str]:
    return list(families()[FAMILY].tasks)


def _name(metric: str, code: str, form: str) -> str:
    return f"{metric}_{form}{code}"


def _better(metric: str, form: str) -> Better | None:
    return summaries()[_name(metric, "avg", form)].better


def _score(of_model: Mapping[tuple[str, ...], Sequence[Run]], place: Place, metric: str, form: str) -> Score | None:
    """Of several runs in the setting the first that has the number."""
    return next((one for run in of_model.get(place.setting, ()) if (one := score(run, metric, place.code, form))), None)


def score(run: Run, metric: str, code: str, form: str = "") -> Score | None:
    """A summary of a run with its interval; None where it lacks one of the subjects."""
    summary = summaries()[_name(metric, code, form)]
    value = run.summary(summary)
    return None if value is None else Score(run, value, run.summary_result(summary).intervals.get(summary.name))


def _has_paper(settings: ViewSettings, form: str) -> bool:
    return settings.published and not form and settings.metric in (None, HEADLINE)


def _printed(table: int, model: str, place: Place) -> float | None:
    asked = dict(zip(KEYS, place.setting, strict=True))
    return printed(table, model, f"{FAMILY}/{HEADLINE}_{place.code}", **asked)


def _title(settings: ViewSettings, table: int, metric: str, form: str) -> str:
    name = word(settings, "acc") if metric == HEADLINE else metric
    return word(settings, f"table{table}", metric=name) + (word(settings, "likelihood") if form else "")


def _keys_with_effects(by_model: _Models, asked: Collection[tuple[str, ...]]) -> list[str]:
    """The keys in which alone two runs of a model differ, which `hueval compare` can test."""
    pairs = [pair for of_model in by_model.values() for pair in combinations(of_model.keys() & asked, 2)]
    differing = [[key for key, one, other in zip(KEYS, *pair, strict=True) if one != other] for pair in pairs]
    return [key for key in KEYS if [key] in differing]


def _notes(by_model: _Models, places: Sequence[Place], form: str, metric: str, settings: ViewSettings) -> Iterator[str]:
    """What the numbers are, which of several runs counts, and what the lack of subjects leaves empty."""
    yield word(settings, "micro")
    asked = dict.fromkeys(place.setting for place in places)
    for key in _keys_with_effects(by_model, asked):
        yield word(settings, "effects", key=key)
    for model, of_model in by_model.items():
        shown = {one: ", ".join(f"{key}={value}" for key, value in zip(KEYS, one, strict=True)) for one in asked}
        several = {one: of_model[one][0] for one in asked if len(of_model.get(one, ())) > 1}
        if several:
            first = "; ".join(f"{row_name(run.label)} ({shown[one]})" for one, run in several.items())
            yield word(settings, "several", model=row_name(model), first=first)
        for one in asked:
            for place in places:
                terms = [task for task, _ in summaries()[_name(metric, place.code, form)].terms]
                if place.setting == one in of_model and (n := _n_lacking(of_model[one], terms)):
                    values = {"code": group(settings, place.code), "model": row_name(model), "setting": shown[one]}
                    yield word(settings, "lacking", **values, n=n, total=len(terms))
                    break


def _n_lacking(runs: Sequence[Run], tasks: Sequence[str]) -> int:
    """How many of some tasks the fullest of these runs lacks."""
    return min(sum(task not in run.tasks for task in tasks) for run in runs)

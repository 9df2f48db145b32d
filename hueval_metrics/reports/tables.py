"""The overview, a table of headline scores for each family, and one table of every metric for each task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from hueval_metrics import registry
from hueval_metrics.comparison.facets import with_intervals
from hueval_metrics.comparison.flags import flags_shown
from hueval_metrics.comparison.published import PublishedTable
from hueval_metrics.declare import Family
from hueval_metrics.errors import InputError
from hueval_metrics.metric import Better
from hueval_metrics.reports import escape, formats
from hueval_metrics.reports.beside import beside_grid, main_tables, published_scores
from hueval_metrics.reports.columns import (
    Headline,
    beside_columns,
    families_of,
    headlines,
    models_first,
    row_name,
    tasks,
)
from hueval_metrics.reports.flags import FLAGGED, has_place, kinds, kinds_by_task, mark
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, interval, number, spread
from hueval_metrics.reports.metric_score import MetricScore
from hueval_metrics.reports.notes import (
    NARROW,
    PUBLISHED,
    baseline_note,
    is_partial,
    narrow_note,
    notes,
    published_notes,
)
from hueval_metrics.reports.table_words import CHANCE, headed, say
from hueval_metrics.runs.facets import levels
from hueval_metrics.runs.run import Run, is_baseline
from hueval_metrics.text.spreadsheet import csv_text
from hueval_metrics.words.texts import printed

if TYPE_CHECKING:
    from hueval_metrics.comparison.summaries import SummaryScore

FORMATS = ("terminal", "markdown", "csv", "latex")
Titled = tuple[str, Grid]
_PLACES = 3
_ENDS = ("lowest", "highest")
_OTHERS = ("other_prompts_low", "other_prompts_high")


def ranks(values: Sequence[float | None], better: Better | None = "higher") -> list[int | None]:
    """The places 1 to 3 in a column; none where neither a higher nor a lower score is better.

    Scores are compared as printed, with two decimals; equal ones share a place (competition ranking: 1, 1, 3), but none
    at 0.00. A column with one score has no places.

    >>> ranks([50.0, 61.234, 61.231, 7.0, None]), ranks([5.0, 0.0, 0.0])
    ([3, 1, 1, None, None], [1, None, None])
    """
    printed = [None if value is None else round(value, 2) for value in values]
    present = [value for value in printed if value is not None]
    if len(present) < 2 or better is None:
        return [None] * len(printed)
    sign = 1 if better == "higher" else -1
    hollow = 0.0 if sign > 0 and present.count(0.0) > 1 else None
    places = [
        None if value in (None, hollow) else 1 + sum(sign * (other - value) > 0 for other in present)
        for value in printed
    ]
    return [place if place is not None and place <= _PLACES else None for place in places]


def _columns(families: Iterable[Family], runs: Sequence[Run], metric: str | None) -> list[Headline]:
    return headlines(families, runs) if metric is None else beside_columns(families, runs, metric)


def overview(
    runs: Sequence[Run], family: Family, published: PublishedTable | None = None, metric: str | None = None
) -> Grid:
    """A family's headline scores: a row for each run, a column for each headline; blank where there is no score.

    Runs on the sample, with a limit or of another split get no place if others are on the whole benchmark. The rows of
    a published table follow, marked and without a place; below a rule come the baselines, without a place too.

    Args:
        runs: baselines after all models.
        family: whose tasks are shown.
        published: a published table of the family; None for none.
        metric: beside the strict ones, to show in place of the headlines; None for these.
    """
    competing, shown = competitors(runs), flags_shown(runs)
    rows = [[Cell(row_name(run.label))] for run in runs]
    columns = _columns([family], runs, metric)
    for column in columns:
        values = [column.score(run) for run in runs]
        others = [run.label for run, value in zip(runs, values, strict=True) if run in competing and value is not None]
        own = [
            value if run.label in others and has_place(shown, column, run.label, others) else None
            for value, run in zip(values, runs, strict=True)
        ]
        places = ranks(own, column.better if column.has_order else None)
        for row, run, value, place in zip(rows, runs, values, places, strict=True):
            flagged = mark(shown, column, run.label) if value is not None else ""
            row.append(Cell(number(value, 2), place, flagged, spread(column.spread(run), 1)))
    n_models = sum(not is_baseline(run) for run in runs)
    rows[n_models:n_models] = [
        [Cell(escape.plain(model), mark=PUBLISHED), *(Cell(number(score, 2)) for score in scores)]
        for model, scores in published_scores(published, family, columns).items()
    ]
    n_above = len(rows) - (len(runs) - n_models)
    return Grid(
        [headed("model", kind="label"), *(Column(one.heading_in(printed()), one.group) for one in columns)],
        rows,
        n_above,
    )


def competitors(runs: Sequence[Run]) -> list[Run]:
    """The runs that can take a place: no baseline, and no part of the benchmark where others are on the whole."""
    models = [run for run in runs if not is_baseline(run)]
    return [run for run in models if not is_partial(run)] or models


def overviews(runs: Sequence[Run], published: Mapping[str, PublishedTable], metric: str | None = None) -> list[Titled]:
    """Title of each family and overview of the runs with a task of it; the title is empty for a single family.

    Args:
        runs: at least one.
        published: family → the published table below its runs.
        metric: see `overview`; families without it are left out.
    """
    families = [one for one in families_of(runs) if metric is None or beside_columns([one], runs, metric)]
    if len(families) == 1:
        return [("", overview(runs, families[0], published.get(families[0].name), metric))]
    return [
        (one.title, overview([run for run in runs if one in families_of([run])], one, published.get(one.name), metric))
        for one in families
    ]


def metric_scores(
    runs: Sequence[Run], summaries: Sequence[Sequence[SummaryScore]] | None = None
) -> dict[str, list[MetricScore]]:
    """Title of each table → every score of every run in it: one for each task, then one for each family's summaries.

    Args:
        runs: at least one run.
        summaries: of each run; None to compute them, which reads the items of families that have summaries.
    """
    found: dict[str, list[MetricScore]] = {}
    shown = flags_shown(runs)
    for task in tasks(runs):
        for metric in _metrics(runs, task):
            declared, column = registry.metric(task, metric), Headline(task, metric, "", metric)
            is_fraction = declared is not None and declared.unit == "fraction"
            for run in runs:
                result = run.result(task)
                if metric in result.scores:
                    score = MetricScore(
                        task,
                        escape.plain(metric),
                        escape.plain(run.label),
                        result.scores[metric],
                        result.intervals.get(metric),
                        result.n_of(metric),
                        escape.plain(method) if (method := result.methods.get(metric)) else "",
                        escape.plain(result.signature) if result.signature else "",
                        is_fraction,
                        result.covers_too_little(metric),
                        column.spread(run),
                        result.other_prompts.get(metric),
                        kinds(shown.get((run.label, task), ())),
                    )
                    found.setdefault(task, []).append(score)
    if summaries is None and any(family.summaries for family in families_of(runs)):
        from hueval_metrics.comparison.summaries import summary_scores

        summaries = [summary_scores(run) for run in runs]
    pairs = [(run, one) for run, own in zip(runs, summaries or [[]] * len(runs), strict=True) for one in own]
    order = list(dict.fromkeys(one.summary.name for _, one in pairs))
    for run, one in sorted(pairs, key=lambda pair: order.index(pair[1].summary.name)):
        column = Headline(one.family.name, one.summary.name, "", one.summary.title)
        score = MetricScore(
            one.family.name,
            one.summary.name,
            escape.plain(run.label),
            one.value,
            one.ci95,
            one.n,
            escape.plain(one.method) if one.method else "",
            is_fraction=one.is_fraction,
            is_narrow=one.is_narrow,
            spread=column.spread(run),
        )
        found.setdefault(one.family.title, []).append(score)
    return found


def _metrics(runs: Sequence[Run], task: str) -> list[str]:
    """The metrics of a task that any run has, each with its calibrated form behind it."""
    found = dict.fromkeys(metric for run in runs for metric in run.result(task).scores)
    plain = [metric for metric in found if metric.removesuffix(registry.CALIBRATED) not in found.keys() - {metric}]
    return [one for metric in plain for one in (metric, metric + registry.CALIBRATED) if one in found]


def with_interval(score: float | None, ends: tuple[float, float] | None, decimals: int = 1) -> str:
    """A score with half the width of its interval and the interval's ends; the bare score where there is none.

    >>> with_interval(61.23, (59.31, 63.12)), with_interval(0.0312, (0.0, 0.0401), 3), with_interval(7.0, None)
    ('61.2 ± 1.9 [59.3, 63.1]', '0.031 ± 0.020 [0.000, 0.040]', '7.0')
    """
    if score is None or ends is None:
        return number(score, decimals)
    return f"{number(score, decimals)} ± {number((ends[1] - ends[0]) / 2, decimals)} {interval(ends, decimals)}"


def render(
    runs: Sequence[Run],
    fmt: str,
    *,
    width: int = 100,
    color: bool = False,
    with_published: bool = False,
    metric: str | None = None,
) -> str:
    """The overview as text, with a legend of the marks and notes; csv has all decimals and no notes.

    Args:
        runs: at least one run, in the order of the rows.
        fmt: one of `FORMATS`.
        width: columns of the terminal, for `terminal` only.
        color: whether to write colour codes, for `terminal` only.
        with_published: whether to add the rows of the papers' main tables.
        metric: see `overview`.

    Returns:
        The text, ended by a line break.

    Raises:
        InputError: published rows are asked for, and there are none; or no run has the metric.
    """
    runs = models_first(runs)
    if metric is not None and with_published:
        raise InputError(f"--published: the papers print no {metric}. Leave one of them out")
    if metric is not None and not beside_columns(families_of(runs), runs, metric):
        made = "hueval score --extract MODEL" if "extracted" in metric else "hueval run --ask-again"
        raise InputError(f'--metric "{metric}": no task of these runs has it. It comes of {made}')
    published = main_tables(runs) if with_published else {}
    if with_published and not published:
        raise InputError("--published: the benchmarks of these runs have no published scores. Leave it out")
    if fmt == "csv":
        columns = _columns(families_of(runs), runs, metric)
        names = [f"{one.task}.{one.metric}" for one in columns]
        has_spreads = any(run.averaged for run in runs)
        ends = [f"{name}_{end}" for name in names for end in _ENDS] * has_spreads
        shown = flags_shown(runs)
        rows: list[list[object]] = [["model", *names, *ends, "flags"]]
        for run in runs:
            values = [one.score(run) for one in columns]
            spreads = [end for one in columns for end in one.spread(run) or (None, None)] * has_spreads
            rows.append([escape.plain(run.label), *values, *spreads, kinds_by_task(shown, run.label)])
        for name, table in published.items():
            for model, scores in published_scores(table, registry.families()[name], columns).items():
                blank = [None] * len(ends)
                rows.append([f"{escape.plain(model)} ({table.title['en']})", *scores, *blank, None])
        return csv_text(rows)
    grids = overviews(runs, published, metric)
    models = [run for run in runs if not is_baseline(run)]
    read_against = beside_grid(models[0]) if len(models) == 1 and fmt != "latex" and metric is None else []
    grids += read_against
    marked = any(cell.place for _, grid in grids for row in grid.rows for cell in row)
    marks = say("places_colored" if fmt == "terminal" and color else "places")
    remarks = [
        *baseline_note(runs),
        *notes(runs),
        *(note for table in published.values() for note in published_notes(table)),
    ]
    lines = [say("legend", marks=marks)] * marked + [say("beside_note")] * bool(read_against)
    return _page(grids, lines + [note[printed()] for note in remarks], fmt, width, color)


def render_metrics(
    runs: Sequence[Run], fmt: str, *, width: int = 100, color: bool = False, is_brief: bool = False
) -> str:
    """Every metric of every task with its interval, a table for each task; arguments and result as for `render`.

    Only csv has all decimals; the other formats have a legend of the marks. All but `terminal` contain the signatures.

    Args:
        is_brief: leave out tasks that one number over all their items represents in the overview. Of such
            numbers there are those of the overview then, and of each further metric the one over most tasks.
    """
    runs = [with_intervals(run) for run in models_first(runs)]
    scores = metric_scores(runs)
    shortened = _brief(runs, scores) if is_brief else []
    each = [one for some in scores.values() for one in some]
    has_spreads = any(one.spread for one in each)
    if fmt == "csv":
        header = ["task", "metric", "model", "score", "ci95_low", "ci95_high", "n", "signature"]
        others = _OTHERS if any(one.other_prompts for one in each) else ()
        rows: list[list[object]] = [[*header, *_ENDS * has_spreads, *others, "flags"]]
        for one in each:
            low, high = one.ci95 or (None, None)
            numbers = (one.value, low, high, number(one.n, 0))
            ends = list(one.spread or (None, None)) * has_spreads
            wider = list(one.other_prompts or (None, None)) * bool(others)
            texts = escape.plain(one.task), one.metric, one.label
            rows.append([*texts, *numbers, one.signature, *ends, *wider, one.flags])
        return csv_text(rows)
    remarks = (
        [say("interval_legend")] * any(one.ci95 for one in each)
        + [say("other_prompts_legend")] * any(one.other_prompts for one in each)
        + [note[printed()] for note in (*narrow_note(runs), *notes(runs))]
        + shortened
    )
    if fmt != "terminal":
        remarks += [
            say("signature", labels=", ".join(labels), signature=signature)
            for task in tasks(runs)
            for signature, labels in signatures(runs, task).items()
        ]
    facets = {facet for run in runs if run.averaged for facet in levels(run)}
    spreads = [headed(f"over_{next(iter(facets))}s" if len(facets) == 1 else "over_runs")] * has_spreads
    has_others = any(one.other_prompts for one in each)
    spreads += [headed("other_prompts")] * has_others
    columns = [headed("metric", kind="text"), headed("model", kind="label"), headed("score"), *spreads, Column("n")]
    grids = [
        (title, Grid(columns, [_metric_row(one, has_spreads, has_others) for one in (*some, *_guessing(title, runs))]))
        for title, some in scores.items()
        if any(one.value is not None for one in some)
    ]
    return _page(grids, remarks, fmt, width, color)


def _brief(runs: Sequence[Run], scores: dict[str, list[MetricScore]]) -> list[str]:
    """Delete from the scores what a brief `render_metrics` leaves out; the note that says so, if tasks are left out."""
    covered: set[str] = set()
    for family in families_of(runs):
        pooled = {one.name: one for one in family.summaries if one.is_pooled}
        tasks_of = {name: set(one.parts[0].tasks) for name, one in pooled.items()}
        hidden = set()
        for name, one in pooled.items():
            tasks = tasks_of[name]
            if not one.in_overview:
                alike = (other for other in pooled if pooled[other].parts[0].metric == one.parts[0].metric)
                if any(tasks < tasks_of[other] for other in alike):
                    hidden.add(name)
            elif all(tasks <= run.tasks.keys() for run in runs if run.tasks.keys() & tasks):
                covered |= tasks & scores.keys()
        if kept := [one for one in scores.get(family.title, ()) if one.metric not in hidden]:
            scores[family.title] = kept
    for task in covered:
        del scores[task]
    return [say("one_by_one", n=len(covered))] * bool(covered)


def _guessing(task: str, runs: Sequence[Run]) -> list[MetricScore]:
    """What guessing gives in a task's first headline, where that is the same for all runs."""
    if task not in registry.known_tasks():
        return []
    column = Headline(task, next(iter(registry.declared(task).headline)), "", "")
    chances = {column.chance(run) for run in runs if task in run.tasks}
    if len(chances) != 1 or (chance := chances.pop()) is None:
        return []
    return [MetricScore(task, column.metric, CHANCE[printed()], chance, None, None)]


def _metric_row(one: MetricScore, has_spreads: bool, has_others: bool) -> list[Cell]:
    decimals = 3 if one.is_fraction else 1
    is_main = one.task in registry.known_tasks() and one.metric in registry.declared(one.task).headline
    flagged = FLAGGED * (is_main and one.value is not None and bool(one.flags))
    score = Cell(with_interval(one.value, one.ci95, decimals), mark=NARROW * one.is_narrow + flagged)
    spreads = [Cell(spread(one.spread, decimals))] * has_spreads
    spreads += [Cell(interval(one.other_prompts, decimals))] * has_others
    return [Cell(one.metric), Cell(one.label), score, *spreads, Cell(number(one.n, 0))]


def signatures(runs: Sequence[Run], task: str) -> dict[str, list[str]]:
    """Each signature of a task, with the labels of its runs: rows with one signature are comparable."""
    found: dict[str, list[str]] = {}
    for run in runs:
        if signature := run.result(task).signature:
            found.setdefault(escape.plain(signature), []).append(escape.plain(run.label))
    return found


def _page(tables: Sequence[Titled], remarks: Sequence[str], fmt: str, width: int, color: bool) -> str:
    blocks = [formats.in_numerals(Block(title, grid)) for title, grid in tables]
    if fmt == "terminal":
        return formats.terminal_page([*blocks, *[Block("", None, remarks)] * bool(remarks)], width, color)
    if fmt == "latex":
        return formats.latex_page([*blocks, Block("", None, remarks)])
    tables_of = (formats.markdown_page([block]) for block in blocks)
    return "\n".join([*tables_of, *(escape.markdown(remark) + "\n" for remark in remarks)])

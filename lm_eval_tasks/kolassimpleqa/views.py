"""The paper's tables of our runs: `hueval table --family kolassimpleqa`, or one of them with `--view NAME`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hueval_metrics.comparison.across import across_scores
from hueval_metrics.comparison.published import PublishedTable, published_tables
from hueval_metrics.comparison.rank_moves import rank_moves
from hueval_metrics.comparison.summaries import summary_scores
from hueval_metrics.comparison.variants import VariantEffect, variant_effects
from hueval_metrics.metric import Better, Metric
from hueval_metrics.registry import families
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import models_first, row_name
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, interval, number
from hueval_metrics.reports.notes import PUBLISHED, published_notes
from hueval_metrics.reports.table_words import say
from hueval_metrics.reports.tables import competitors, ranks
from hueval_metrics.reports.views import ViewSettings, check_metric
from hueval_metrics.runs.run import Run, is_baseline
from hueval_metrics.runs.settings import OWN, by_setting, model_of, setting_of
from hueval_metrics.stats import ranks as rank_stats
from hueval_metrics.summary import Summary
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES, PIVOT
from lm_eval_tasks.kolassimpleqa.mece import mece
from lm_eval_tasks.kolassimpleqa.settings import SETTINGS

_FAMILY = "kolassimpleqa"
_HEADLINE, _ECE = "f_score", "ece"
_SHORT = {"general": "gen.", "specific": "spec."}
_SETTINGS = {code: title["en"] for code, title in SETTINGS.items()}
_BOTH = "Of models with a run in both settings (direct and tran_en)."
_TESTED = (
    "Over the questions that both runs have. p is corrected (Holm) over the languages of a domain; that of the average "
    "is not."
)
_RANKS = (
    "The rank in the general domain → the rank in the specific one; equal scores share the better rank. In brackets: "
    "95 % interval of the change, over draws of the questions; above 0 the model is worse off in the specific domain."
)


def languages(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """A metric by model, language and domain with the averages (Tables 3, 4, 15 to 22); a summary by model."""
    check_metric(families()[_FAMILY], settings.metric, [*_summaries()])
    name = settings.metric or _HEADLINE
    ordered = models_first(runs)
    if name in _summaries():
        return _of_summary(ordered, _summaries()[name], settings)
    metric, average = _metric(name), {domain: _summaries().get(f"{name}_{domain}") for domain in DOMAINS}
    columns = [
        _Column(LANGUAGES[code], _SHORT[domain], _task(code, domain), name) for code in LANGUAGES for domain in DOMAINS
    ]
    columns += [_Column("Average", _SHORT[domain], _FAMILY, one.name) for domain, one in average.items() if one]
    published = _published(settings, columns)
    grid = _grid(ordered, columns, metric.better, _decimals(metric), published)
    notes = [*_marks(grid), *_lacking(ordered, name), *_notes(published)]
    return [Block(f"{name} by language and domain", grid, notes)]


def calibration(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """The calibration error over all questions of a domain, by setting, and mECE (Tables 5 and 23)."""
    if settings.metric not in (None, _ECE):
        return []
    models = [run for run in runs if not is_baseline(run)] or runs
    pairs = [(domain, setting) for domain in DOMAINS for setting in _SETTINGS]
    found: dict[str, list[float | None]] = {}
    for model, by in by_setting(models).items():
        errors = {setting: _pooled_errors(run) for setting, run in by.items()}
        pooled = {pair: errors.get(pair[1], {}).get(f"ece_pooled_{pair[0]}") for pair in pairs}
        if any(value is not None for value in pooled.values()):
            found[model] = [*pooled.values(), mece([pooled[pair] for pair in pairs])]
    if not found:
        return []
    columns = [Column("Model", kind="label")]
    columns += [Column(_SETTINGS[setting], _long(domain)) for domain, setting in pairs]
    columns += [Column("mECE"), Column("rank")]
    places = _ranked([row[-1] for row in found.values()], "lower")
    rows = [
        [Cell(row_name(model)), *(Cell(number(one, 3), exact=one) for one in row), Cell(place)]
        for (model, row), place in zip(found.items(), places, strict=True)
    ]
    n_above, notes = len(rows), ["ECE over all questions of a domain; mECE: the mean of the four."]
    if len(found) > 1:
        rows.append([Cell("AvgECE"), *(Cell(number(_mean(column), 3)) for column in _by_column(found)), Cell("")])
        notes.append(f"AvgECE: the mean over the models that have the number, {len(found)} at most.")
    if settings.published:
        rows[n_above:n_above], average = _published_errors(pairs)
        n_above = len(rows) - (len(found) > 1)
        rows.append(average)
        notes += _notes([one for one in published_tables(families()[_FAMILY]) if "mece" in _metrics_of(one)])
        notes.append("Published models are ranked among themselves.")
    if any(row[-1] is None for row in found.values()):
        notes.append(f"No mECE for models without both settings ({' and '.join(_SETTINGS.values())}).")
    return [Block("Calibration error by domain and setting", Grid(columns, rows, n_above), notes)]


def rank_changes(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """The models' ranks in the general and the specific domain, by language and on the average (Figures 5a, 10)."""
    name = settings.metric or _HEADLINE
    if name in _summaries() or _metric(name).better is None:
        return []
    found = []
    for setting, title in _SETTINGS.items():
        own = [run for run in competitors(runs) if setting_of(run) == setting and not is_baseline(run)]
        if len(own) > 1 and (grid := _rank_grid(own, name)):
            notes = [_RANKS]
            found.append(Block(f"Ranks by {name} in the two domains, setting {title}", grid, notes))
    return found


def translation(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """What asking in English changes, by language and domain, with its tests: a table for each model (Figure 5b)."""
    name = settings.metric or _HEADLINE
    is_asked = name not in _summaries() and _metric(name).is_sampled
    if not is_asked or not any({OWN, PIVOT} <= by.keys() for by in by_setting(runs).values()):
        return []
    by_model: dict[str, dict[tuple[str, str], VariantEffect]] = {}
    for one in variant_effects(runs, metric=name):
        by_model.setdefault(one.label, {})[one.task, one.metric] = one
    decimals = _decimals(_metric(name))
    heads = [
        Column(head, _long(domain)) for domain in DOMAINS for head in ("difference", "95 % interval", "p (Holm)", "n")
    ]
    places = [(title, [(_task(code, domain), name) for domain in DOMAINS]) for code, title in LANGUAGES.items()]
    places.append(("Average", [(_FAMILY, f"{name}_{domain}") for domain in DOMAINS]))
    found = []
    for model, effects in by_model.items():
        rows = [
            [Cell(title), *(cell for key in keys for cell in _effect_cells(effects.get(key), decimals))]
            for title, keys in places
            if any(key in effects for key in keys)
        ]
        title = f"{name}: tran_en minus direct, {row_name(model)}"
        found.append(Block(title, Grid([Column("Language", kind="label"), *heads], rows), [_TESTED]))
    return found


def _effect_cells(one: VariantEffect | None, decimals: int) -> list[Cell]:
    if one is None:
        return [Cell("")] * 4
    gain = "" if one.difference is None else f"{one.difference:+.{decimals}f}"
    p = one.p if one.p_holm is None else one.p_holm
    p_text = "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
    ends = Cell(interval(one.ci95, decimals))
    return [Cell(gain, exact=one.difference), ends, Cell(p_text, exact=p), Cell(str(one.n))]


def _rank_grid(runs: Sequence[Run], name: str) -> Grid | None:
    """A column for each language in which at least two models have both scores."""
    better = _metric(name).better
    places = [(title, [_task(code, domain) for domain in DOMAINS], [name] * 2) for code, title in LANGUAGES.items()]
    if all(f"{name}_{domain}" in _summaries() for domain in DOMAINS):
        places.append(("Average", [_FAMILY] * 2, [f"{name}_{domain}" for domain in DOMAINS]))
    models = [model_of(run) for run in runs]
    labels = models if len(set(models)) == len(models) else [run.label for run in runs]
    columns, cells, changes = [Column("Model", kind="label")], [[Cell(row_name(label))] for label in labels], []
    for title, tasks, names in places:
        scores = [[_score(run, task, one) for task, one in zip(tasks, names, strict=True)] for run in runs]
        both = [run.label for run, own in zip(runs, scores, strict=True) if None not in own]
        if len(both) < 2:
            continue
        own = [
            dict(zip(both, rank_stats.ranks(column, higher_is_better=better == "higher").tolist(), strict=True))
            for column in zip(*(row for row in scores if None not in row), strict=True)
        ]
        columns.append(Column("", title))
        for run, row in zip(runs, cells, strict=True):
            row.append(Cell(" → ".join(f"{one[run.label]:.0f}" for one in own) if run.label in own[0] else ""))
        changes.append(rank_stats.rank_change(own[1], own[0]))
    if columns[-1].group == "Average" and (ends := _ends_of_changes(runs, name)):
        columns.append(Column("95 % of the change", "Average"))
        for run, row in zip(runs, cells, strict=True):
            row.append(Cell(ends.get(run.label, "")))
    summary: list[list[Cell]] = [
        [Cell("moved"), *(Cell(f"{one.moved:.0f} %") for one in changes)],
        [Cell("positions, mean"), *(Cell(number(one.mean_change, 1)) for one in changes)],
        [Cell("Kendall's τ-b"), *(Cell(number(one.kendall_tau, 2)) for one in changes)],
    ]
    summary = [[*row, *[Cell("")] * (len(columns) - len(row))] for row in summary]
    return Grid(columns, [*cells, *summary], len(cells)) if changes else None


def _ends_of_changes(runs: Sequence[Run], name: str) -> dict[str, str]:
    """Label → the interval of the change of its rank on the average; empty where the runs cannot be compared."""
    averages = [(_FAMILY, f"{name}_{domain}") for domain in DOMAINS]
    moves = rank_moves(runs, {"Average": (averages[0], averages[1])}).get("Average", [])
    return {one.label: interval(one.ci95, 0) for one in moves}


def _of_summary(runs: Sequence[Run], summary: Summary, settings: ViewSettings) -> list[Block]:
    """A summary of each run, with its interval where the run's file has it."""
    if not summary.is_of_one_run:
        return _of_settings(runs, summary)
    metric = _metric(summary.terms[0][1])
    decimals = _decimals(metric)
    columns = [_Column("", summary.title, _FAMILY, summary.name)]
    published = _published(settings, columns)
    grid = _grid(runs, columns, summary.better, decimals, published)
    ends = [run.summary_result(summary).intervals.get(summary.name) for run in runs]
    by_label = dict(zip((row_name(run.label) for run in runs), ends, strict=True))
    rows = [[*row, Cell(interval(by_label.get(row[0].text), decimals))] for row in grid.rows]
    notes = [*_marks(grid), *_lacking(runs, summary.terms[0][1]), *_notes(published)]
    return [Block(f"{summary.name} by model", Grid([*grid.columns, Column("95 %")], rows, grid.n_above), notes)]


def _of_settings(runs: Sequence[Run], summary: Summary) -> list[Block]:
    """A summary over both settings of each model, with its interval and its rank."""
    scores = [one for one in across_scores(runs) if one.score.summary.name == summary.name]
    places = _ranked([one.score.value for one in scores], summary.better or "higher")
    rows = [
        [
            Cell(row_name(one.label)),
            Cell(number(one.score.value, 3), exact=one.score.value),
            Cell(interval(one.score.ci95, 3)),
            Cell(place),
        ]
        for one, place in zip(scores, places, strict=True)
    ]
    columns = [Column("Model", kind="label"), Column(summary.title), Column("95 %"), Column("rank")]
    return [Block(f"{summary.name} by model", Grid(columns, rows), [_BOTH])] if rows else []


def _grid(
    runs: Sequence[Run],
    columns: Sequence[_Column],
    better: Better | None,
    decimals: int,
    published: Sequence[PublishedTable],
) -> Grid:
    """A row for each run, published rows below the models, baselines below a rule; only columns with a score."""
    competing = competitors(runs)
    rows = [[Cell(row_name(run.label))] for run in runs]
    heads = [Column("Model", kind="label")]
    shown = [one for one in columns if any(_score(run, one.task, one.metric) is not None for run in runs)]
    for column in shown:
        values = [_score(run, column.task, column.metric) for run in runs]
        places = ranks([value if run in competing else None for run, value in zip(runs, values, strict=True)], better)
        heads.append(Column(column.heading, column.group))
        for row, value, place in zip(rows, values, places, strict=True):
            row.append(Cell(number(value, decimals), place, exact=value))
    n_models = sum(not is_baseline(run) for run in runs)
    rows[n_models:n_models] = [
        [
            Cell(escape.plain(model), mark=PUBLISHED),
            *(Cell(number(table.score(model, one.task, one.metric), decimals)) for one in shown),
        ]
        for table in published
        for model in table.scores
    ]
    n_baselines = len(runs) - n_models
    return Grid(heads, rows, len(rows) - n_baselines if n_baselines else None)


def _lacking(runs: Sequence[Run], name: str) -> Iterator[str]:
    """Which languages a run lacks for an average."""
    for run in runs:
        for domain in DOMAINS:
            lacks = [code for code in LANGUAGES if _score(run, _task(code, domain), name) is None]
            if 0 < len(lacks) < len(LANGUAGES):
                yield f"No average of {row_name(run.label)}, {_long(domain)}: no {name} in {', '.join(lacks)}."


def _published(settings: ViewSettings, columns: Sequence[_Column]) -> list[PublishedTable]:
    """The first published table with any of the columns, where published scores are asked for."""
    wanted = {(one.task, one.metric) for one in columns}
    tables = published_tables(families()[_FAMILY]) if settings.published else []
    return [table for table in tables if wanted & set(table.columns)][:1]


def _published_errors(pairs: Sequence[tuple[str, str]]) -> tuple[list[list[Cell]], list[Cell]]:
    """The rows of the paper's Table 23 in our columns, and the AvgECE of its Table 5."""
    tables = [one for one in published_tables(families()[_FAMILY]) if "ece_pooled_general" in _metrics_of(one)]
    table, averages = tables
    models = [name for name in table.scores if not name.endswith(f"({_SETTINGS[PIVOT]})")]

    def errors(source: PublishedTable, model: str) -> list[Cell]:
        names = {OWN: model, PIVOT: f"{model} ({_SETTINGS[PIVOT]})"}
        return [
            Cell(number(source.score(names[setting], _FAMILY, f"ece_pooled_{domain}"), 2)) for domain, setting in pairs
        ]

    mean_errors = [table.score(model, _FAMILY, "mece") for model in models]
    rows = [
        [Cell(model, mark=PUBLISHED), *errors(table, model), Cell(number(one, 2)), Cell(place)]
        for model, one, place in zip(models, mean_errors, _ranked(mean_errors, "lower"), strict=True)
    ]
    return rows, [Cell("AvgECE", mark=PUBLISHED), *errors(averages, "AvgECE"), Cell(""), Cell("")]


def _metrics_of(table: PublishedTable) -> set[str]:
    return {metric for _, metric in table.columns}


def _notes(published: Sequence[PublishedTable]) -> list[str]:
    return [note["en"] for table in published for note in published_notes(table)]


def _ranked(values: Sequence[float | None], better: Better) -> list[str]:
    """The rank of each value as text; empty without one, or where there is only one."""
    known = [np.nan if value is None else value for value in values]
    if np.isfinite(known).sum() < 2:
        return [""] * len(known)
    return [
        "" if np.isnan(one) else f"{one:.0f}" for one in rank_stats.ranks(known, higher_is_better=better == "higher")
    ]


def _by_column(rows: Mapping[str, Sequence[float | None]]) -> Iterator[list[float]]:
    for column in zip(*rows.values(), strict=True):
        yield [value for value in column if value is not None]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _pooled_errors(run: Run) -> dict[str, float | None]:
    """The errors over all questions of a domain: as the run's file has them, else from its items."""
    names = [f"ece_pooled_{domain}" for domain in DOMAINS]
    if _FAMILY in run.summaries:
        return {name: _score(run, _FAMILY, name) for name in names}
    return {one.summary.name: one.value for one in summary_scores(run) if one.summary.name in names}


def _score(run: Run, task: str, metric: str) -> float | None:
    return run.summary(_summaries()[metric]) if task == _FAMILY else run.score(task, metric)


def _summaries() -> Mapping[str, Summary]:
    return {one.name: one for one in families()[_FAMILY].summaries}


def _metric(name: str) -> Metric:
    return next(task.metrics[name] for task in families()[_FAMILY].tasks.values() if name in task.metrics)


def _decimals(metric: Metric) -> int:
    return {"fraction": 3, "count": 0}.get(metric.unit, 2)


def _task(code: str, domain: str) -> str:
    return f"{_FAMILY}_{code}_{domain}"


def _long(domain: str) -> str:
    return families()[_FAMILY].parts[domain]["en"]


def _marks(grid: Grid) -> list[str]:
    """What the marks of places mean, where there are any."""
    has_places = any(cell.place for row in grid.rows for cell in row)
    return [say("legend", marks=say("places"))] if has_places else []


class _Column(NamedTuple):
    """A column of scores: the heading of its group, its own, and the metric of a task, or the family's summary."""

    group: str
    heading: str
    task: str
    metric: str

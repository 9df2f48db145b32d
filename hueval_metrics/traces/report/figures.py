"""Figures of analyses of traces: their length by outcome, regret, and the ratio of correct thoughts.

With bars for each outcome, as the papers that introduced these analyses draw them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from hueval_metrics.metrics.simple_qa import INCORRECT, NOT_ATTEMPTED
from hueval_metrics.reports.figures.charts.bars import BarPanel, bars
from hueval_metrics.reports.figures.charts.lines import LinePanel, lines
from hueval_metrics.reports.figures.charts.scale import top_of
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.names import names_of, slug
from hueval_metrics.reports.figures.points import Point, columns_of
from hueval_metrics.traces.item import VERDICTS
from hueval_metrics.traces.measures import Cell
from hueval_metrics.traces.report.lookup import Lookup, group_name
from hueval_metrics.traces.report.texts import FOLDER, WORDS
from hueval_metrics.words.texts import ENGLISH, by_english

OUTCOMES = {verdict: WORDS.texts(f"outcome.{verdict}") for verdict in VERDICTS}
_LENGTHS = {"tokens": ".0f", "thoughts": ".1f"}  # measure → form of its numbers
# The ratio of correct thoughts of a response: percent on the axis → name of the measure, and label.
_RATIOS = {0: ("correct_ratio_gt_0", "> 0")}
_RATIOS |= {share: (f"correct_ratio_ge_{share}", f"≥ {share / 100:g}") for share in range(10, 100, 10)}
_LABELLED = (0, 30, 60, 90)
_figure = partial(Figure, captions=FOLDER)


def reasoning_figures(found: Lookup) -> Iterator[Figure]:
    """The figures that the analyses have numbers for, in the order of their families."""
    for group in found.groups():
        parts = found.parts(group)
        for part in parts:
            yield from _lengths(found, group, part)
        yield from _regret(found, group, parts)
        yield from _ratios(found, group)


def _lengths(found: Lookup, group: str, part: str) -> Iterator[Figure]:
    """Mean tokens and thoughts by outcome."""
    runs = [run.label for run in found.runs]
    panels, rows, titles = [], [], []
    for measure, form in _LENGTHS.items():
        points = {
            verdict: [found.point(Cell(run, group, part, verdict), measure) for run in runs]
            for verdict in found.verdicts(group)
        }
        top = top_of(point for row in points.values() for point in row)
        for verdict, row in points.items():
            if not any(row):
                continue
            title = WORDS.texts(f"by_outcome.{measure}", outcome=OUTCOMES[verdict])
            titles.append(title)
            panels.append(BarPanel(title[ENGLISH], row, top, form))
            rows += _rows(runs, row, {"measure": measure, "outcome": verdict})
    shown = _with_points(runs, panels)
    if shown:
        panels = [BarPanel(one.title, [one.points[at] for at in shown], one.top, one.form) for one in panels]
        draw = partial(bars, panels, names_of([runs[at] for at in shown]), columns=max(2, min(4, len(panels))))
        about = _about(group, part)
        leads = not part and (any(row["measure"] == "thoughts" for row in rows) or len(found.groups()) == 1)
        yield _figure(
            _name("length", group, part), "traces-length", rows, draw, about, lead=leads, words=by_english(titles)
        )


def _regret(found: Lookup, group: str, parts: Sequence[str]) -> Iterator[Figure]:
    """The share of incorrect and of not attempted replies that had a correct thought."""
    runs = [run.label for run in found.runs]
    panels, rows, titles = [], [], []
    for part in parts:
        where = group_name(group, part) if part else WORDS.texts("all_parts")
        for verdict in (INCORRECT, NOT_ATTEMPTED):
            row = [found.point(Cell(run, group, part, verdict), "regret") for run in runs]
            if any(row):
                title = OUTCOMES[verdict]
                if len(parts) > 1:
                    named = {language: name.rpartition(", ")[2] for language, name in where.items()}
                    title = {language: f"{name}: {title[language]}" for language, name in named.items()}
                titles.append(title)
                panels.append(BarPanel(title[ENGLISH], row, 100.0))
                rows += _rows(runs, row, {"part": part or "all", "outcome": verdict})
    shown = _with_points(runs, panels)
    if shown:
        panels = [BarPanel(one.title, [one.points[at] for at in shown], one.top) for one in panels]
        draw = partial(bars, panels, names_of([runs[at] for at in shown]), columns=2)
        yield _figure(
            _name("regret", group), "traces-regret", rows, draw, _about(group), lead=True, words=by_english(titles)
        )


def _ratios(found: Lookup, group: str) -> Iterator[Figure]:
    """The share of the replies of each outcome whose ratio of correct thoughts is at least so high."""
    runs = [run.label for run in found.runs]
    panels, rows = [], []
    for run, name in zip(runs, names_of(runs), strict=True):
        series: dict[str, list[tuple[float, Point]]] = {}
        for verdict in found.verdicts(group):
            for at, (measure, label) in _RATIOS.items():
                one = found.point(Cell(run, group, "", verdict), measure)
                if one is None:
                    continue
                series.setdefault(OUTCOMES[verdict][ENGLISH], []).append((at, one))
                row = {"model": run, "outcome": verdict, "ratio": label, **columns_of(one), "n": one.n}
                other = found.number(Cell(run, group, "", verdict), _reference(at))
                rows.append(row | {"score_ref": other.value if other else None})
        if series:
            panels.append(LinePanel(name, series))
    if panels:
        words = by_english(OUTCOMES.values())
        draw = partial(lines, panels, {at: _RATIOS[at][1] for at in _LABELLED})
        yield _figure(_name("thoughts", group), "traces-ratios", rows, draw, _about(group), words=words)


def _reference(share: int) -> str:
    """The measure that repeats the public tool for the same ratio."""
    return f"correct_ratio_ref_gt_{share}"


def _rows(runs: Sequence[str], points: Sequence[Point | None], about: dict[str, str]) -> list[dict[str, object]]:
    return [
        {"model": run, **about, **columns_of(one), "n": one.n} for run, one in zip(runs, points, strict=True) if one
    ]


def _with_points(runs: Sequence[str], panels: Sequence[BarPanel]) -> list[int]:
    """The indices of the runs that have a point in any panel."""
    return [at for at in range(len(runs)) if any(panel.points[at] for panel in panels)]


def _name(kind: str, group: str, part: str = "") -> str:
    return "-".join(["traces", kind, slug(group), *([slug(part)] if part else [])])


def _about(group: str, part: str = "") -> dict[str, object]:
    return {"task": group_name(group, part)}

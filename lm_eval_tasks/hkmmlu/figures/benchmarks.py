"""Accuracy by category on HKMMLU, CMMLU and TMMLU+, bars for each model (Figure 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from hueval_metrics.registry import families
from hueval_metrics.reports.figures.charts.bars import BarPanel, bars
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import Maker
from hueval_metrics.reports.figures.names import names_of
from hueval_metrics.reports.figures.points import Point, columns_of
from hueval_metrics.reports.figures.units import summary_point
from hueval_metrics.runs.run import Run
from hueval_metrics.words.texts import ENGLISH, by_english, listed, same
from lm_eval_tasks.hkmmlu.figures.asking import CAPTIONS, DIRECT, SECTION, part_titles, shown
from lm_eval_tasks.hkmmlu.summaries import HEADLINE
from lm_eval_tasks.hkmmlu.views.benchmarks import TITLES, accuracy


class Benchmarks(Maker):
    """Models with runs of lm-eval's `cmmlu` or `tmmluplus` beside their direct answers to HKMMLU."""

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure; none without a run of another benchmark."""
        places, family, parts = shown(runs, DIRECT.__eq__), families()["hkmmlu"], part_titles()
        ours = {
            ("HKMMLU", code): [summary_point(runs[place], family, f"{HEADLINE}_{code}") for place in places.values()]
            for code in parts
        }
        theirs = {
            (title, code): [_point(runs[place], name, code) for place in places.values()]
            for name, title in TITLES.items()
            for code in parts
        }
        if not any(point for points in theirs.values() for point in points):
            return
        rows = [
            {"model": model, "benchmark": title, "category": code} | columns_of(one) | {"n": one.n}
            for (title, code), points in (ours | theirs).items()
            for model, one in zip(places, points, strict=True)
            if one
        ]
        panels, headings = [], []
        for (title, code), points in (ours | theirs).items():
            headings.append(listed([same(title), parts[code]], " "))
            panels.append(BarPanel(headings[-1][ENGLISH], points, 100.0))
        draw = partial(bars, panels, names_of(list(places)))
        yield Figure(
            "hkmmlu-benchmarks",
            "hkmmlu-benchmarks",
            rows,
            draw,
            captions=CAPTIONS,
            words=by_english(headings),
            section=SECTION,
        )


def _point(run: Run, benchmark: str, code: str) -> Point | None:
    found = accuracy(run, benchmark, code)
    if found.value is None or found.ends is None:
        return None
    return Point(found.value, *found.ends, found.n)

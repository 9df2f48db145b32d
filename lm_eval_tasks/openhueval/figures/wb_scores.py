"""HuWildBench: how often the judge gave each score from 1 to 10 (OpenHuEval §2.2, Table 10)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.records import number_of
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.canvas import MARGIN, WIDTH, axes, end_number, name_room, sheet
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.theme import SMALL, Theme
from hueval_metrics.runs.run import Run
from lm_eval_tasks.openhueval.metrics.wb_score import HIGHEST, LOWEST, WB_SCORE

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

CAPTIONS = Path(__file__).with_name("captions.yaml")
_SCORES = range(LOWEST, HIGHEST + 1)
_ROW, _NUMBER, _TICKS = 0.52, 0.6, 0.24  # inches


class WBScores:
    """The distribution of each model's scores.

    A panel of judges may give a score between two whole ones: it counts for the nearer one, a half for the upper.
    """

    def __init__(self) -> None:
        self._scores: dict[int, Counter[float]] = {}

    def add(self, run_index: int, row: Mapping[str, Any]) -> None:
        """Add one item; one without a score is passed over."""
        values = row.get("values")
        score = number_of(values.get("wb_score")) if isinstance(values, Mapping) else None
        if score is not None and LOWEST <= score <= HIGHEST:
            self._scores.setdefault(run_index, Counter())[score] += 1

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure; none where no answer has a score."""
        shown = names.short_names([run.label for run in runs])
        models, rows = [], []
        for place, run in enumerate(runs):
            scores = self._scores.get(place, Counter())
            mean = WB_SCORE(list(scores.elements()))
            if mean is None:
                continue
            counts = [sum(n for given, n in scores.items() if math.floor(given + 0.5) == score) for score in _SCORES]
            shares = [100 * count / scores.total() for count in counts]
            models.append((shown[place], mean, shares))
            rows += [
                {"model": run.label, "score": score, "n": count, "percent": share}
                for score, count, share in zip(_SCORES, counts, shares, strict=True)
            ]
        if models:
            yield Figure("wb-score-distribution", "wb-scores", rows, partial(_rows, models), captions=CAPTIONS)


def _rows(models: Sequence[tuple[str, float, Sequence[float]]], theme: Theme) -> Drawing:
    """A row of ten bars a model, all to one scale; what a bar stands for above it, the WB-score at the end."""
    room, high = name_room([name for name, _, _ in models]), _ROW * len(models)
    wide = WIDTH - 2 * MARGIN - room - _NUMBER
    drawing = sheet(2 * MARGIN + high + _TICKS, theme)
    made = axes(drawing, theme, MARGIN + room, MARGIN, wide, high)
    made.set(xlim=(LOWEST - 0.5, HIGHEST + 0.5), ylim=(len(models), 0), xticks=_SCORES)
    made.set_yticks([row + 0.8 for row in range(len(models))], [name for name, _, _ in models], color=theme.ink)
    highest = max(max(shares) for _, _, shares in models)
    for row, (_, mean, shares) in enumerate(models):
        heights = [0.66 * share / highest for share in shares]
        made.bar(_SCORES, [-h for h in heights], bottom=row + 1, width=0.72, color=theme.fill)
        made.axhline(row + 1, color=theme.line, linewidth=0.7)
        for score, share, height in zip(_SCORES, shares, heights, strict=True):
            if share:
                text = f"{share:.0f}" if share >= 0.5 else "<1"
                made.text(score, row + 0.98 - height, text, fontsize=SMALL, color=theme.soft, ha="center", va="bottom")
        end_number(made, row + 0.8, f"{mean:.1f}", theme, _NUMBER, "bold")
    return drawing

"""HuWildBench: the distribution of the judge's scores from 1 to 10 (OpenHuEval §2.2, Table 10)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from hueval_metrics.records import number_of
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.histograms import HistogramPanel, histograms
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import Maker
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Run
from lm_eval_tasks.openhueval.metrics.wb_score import HIGHEST, LOWEST, WB_SCORE

CAPTIONS = Path(__file__).parents[1] / "words"
_SCORES = range(LOWEST, HIGHEST + 1)


class WBScores(Maker):
    """The distribution of each model's scores.

    The mean score of a panel of judges counts for the nearest whole score, a half for the upper one.
    """

    def __init__(self) -> None:
        self._scores: dict[int, Counter[float]] = {}

    def add(self, run_index: int, item: Item) -> None:
        """Add one item; one without a score is skipped."""
        score = number_of((item.values or {}).get("wb_score"))
        if score is not None and LOWEST <= score <= HIGHEST:
            self._scores.setdefault(run_index, Counter())[score] += 1

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure; none without scores."""
        lineup = names.lineup(runs)
        panels, rows = [], []
        for place in lineup.models:
            scores = self._scores.get(place, Counter())
            mean = WB_SCORE(list(scores.elements()))
            if mean is None:
                continue
            counts = [sum(n for given, n in scores.items() if math.floor(given + 0.5) == score) for score in _SCORES]
            shares = [100 * count / scores.total() for count in counts]
            panels.append(HistogramPanel(lineup.names[place], shares, f"{mean:.1f}", scores.total()))
            rows += [
                {"model": runs[place].label, "score": score, "n": count, "percent": share}
                for score, count, share in zip(_SCORES, counts, shares, strict=True)
            ]
        if panels:
            draw = partial(histograms, panels, list(map(str, _SCORES)))
            yield Figure("wb-score-distribution", "wb-scores", rows, draw, captions=CAPTIONS)

"""Accuracy by the number of worked examples, a line for each model (Figure 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from hueval_metrics.registry import families
from hueval_metrics.reports.figures.charts.trends import TrendPanel, trends
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import Maker
from hueval_metrics.reports.figures.names import names_of
from hueval_metrics.reports.figures.points import columns_of
from hueval_metrics.reports.figures.units import summary_point
from hueval_metrics.runs.run import Run
from hueval_metrics.words.texts import ENGLISH, by_english
from lm_eval_tasks.hkmmlu.figures.asking import CAPTIONS, SECTION, WORDS, Asked, shown

_SHOTS = range(6)


class Shots(Maker):
    """The accuracy of direct answers over all questions, after 0 to 5 examples."""

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure, of the models that have two points or more; none without such a model."""
        places = {shots: shown(runs, Asked("tc", "da", shots).__eq__) for shots in _SHOTS}
        models = dict.fromkeys(model for some in places.values() for model in some)
        family = families()["hkmmlu"]
        lines = {
            model: [
                summary_point(runs[some[model]], family, "acc_avg") if model in some else None
                for some in places.values()
            ]
            for model in models
        }
        lines = {model: line for model, line in lines.items() if sum(map(bool, line)) > 1}
        if not lines:
            return
        rows = [
            {"model": model, "shots": shots} | columns_of(one) | {"n": one.n}
            for model, line in lines.items()
            for shots, one in zip(_SHOTS, line, strict=True)
            if one
        ]
        title = WORDS.texts("by_shots")
        panel = TrendPanel(title[ENGLISH], [str(shots) for shots in _SHOTS], list(lines.values()))
        draw = partial(trends, [panel], names_of(list(lines)))
        words = by_english([title])
        yield Figure("hkmmlu-shots", "hkmmlu-shots", rows, draw, captions=CAPTIONS, words=words, section=SECTION)

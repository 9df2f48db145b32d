"""What asking in English changes in the F-score (Figure 5b): models × languages × domains as shaded cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from hueval_metrics.registry import families
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.heatmap import HeatCell, HeatPanel, heatmap
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import Maker
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Key, Run
from hueval_metrics.runs.settings import OWN, by_setting
from hueval_metrics.words.texts import ENGLISH, by_english
from lm_eval_tasks.kolassimpleqa.figures.maps import CAPTIONS, COLUMNS, MEAN, METRIC
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES, PIVOT

_FAMILY = "kolassimpleqa"
_STRONGEST = 30.0  # points; a gain as large has the strongest shade

Gain = tuple[float, int]  # points, and the number of questions that both runs have


class Translation(Maker):
    """The gain of each model that has a run in both settings, over the questions that both have with a verdict."""

    def __init__(self) -> None:
        self._values: dict[tuple[int, str], dict[Key, Any]] = {}

    def add(self, run_index: int, item: Item) -> None:
        """Add one item; one without a verdict is skipped."""
        value = (item.values or {}).get(METRIC)
        if item.key is not None and value is not None:
            self._values.setdefault((run_index, item.task), {})[item.key] = value

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure; none without a model that has both settings."""
        lineup = names.lineup(runs)
        settings = by_setting([runs[place] for place in lineup.rows])
        gains = {
            model: {domain: self._gains(runs, by, domain) for domain in DOMAINS}
            for model, by in settings.items()
            if {OWN, PIVOT} <= by.keys()
        }
        known = {model: own for model, own in gains.items() if any(any(row) for row in own.values())}
        if not known:
            return
        titles = families()[_FAMILY].parts
        panels = [
            HeatPanel(
                titles[domain][ENGLISH], COLUMNS, [[_cell(one) for one in own[domain]] for own in known.values()], 1
            )
            for domain in DOMAINS
        ]
        rows = [
            {"model": model, "domain": domain, "language": code, "gain": one and one[0], "n": one and one[1]}
            for model, own in known.items()
            for domain, row in own.items()
            for (code, _), one in zip(COLUMNS, row, strict=True)
        ]
        words = by_english([MEAN, *(titles[domain] for domain in DOMAINS)])
        draw = partial(heatmap, panels, names.names_of(list(known)))
        yield Figure("kolas-translation", "kolas-translation", rows, draw, captions=CAPTIONS, words=words)

    def _gains(self, runs: Sequence[Run], by: Mapping[str, Run], domain: str) -> list[Gain | None]:
        """The gain in each language, and their mean where all have one."""
        own, other = (list(runs).index(by[setting]) for setting in (OWN, PIVOT))
        found = [self._gain(own, other, f"{_FAMILY}_{code}_{domain}") for code in LANGUAGES]
        known = [one for one in found if one is not None]
        mean = sum(gain for gain, _ in known) / len(known) if len(known) == len(found) else None
        return [*found, None if mean is None else (mean, sum(n for _, n in known))]

    def _gain(self, own: int, other: int, task: str) -> Gain | None:
        """The F-score of the second run minus that of the first, in points, over the questions that both have."""
        first, second = (self._values.get((place, task), {}) for place in (own, other))
        shared = first.keys() & second.keys()
        if not shared:
            return None
        metric = families()[_FAMILY].tasks[task].metrics[METRIC]
        before, after = (metric([values[key] for key in shared]) for values in (first, second))
        return None if before is None or after is None else (after - before, len(shared))


def _cell(one: Gain | None) -> HeatCell | None:
    if one is None:
        return None
    gain, n = one
    return HeatCell(gain / _STRONGEST, f"{gain:+.1f}", f"{gain:+.0f}", f"{gain:+.1f}, n = {n}")

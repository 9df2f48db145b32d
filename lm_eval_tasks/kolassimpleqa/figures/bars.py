"""Bars by model: calibration over domains and settings (Figures 6b and 11), and facts known from both sides (5c)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from hueval_metrics.registry import families
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.bars import BarPanel, bars
from hueval_metrics.reports.figures.charts.scale import top_of
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import Maker
from hueval_metrics.reports.figures.points import Point, columns_of
from hueval_metrics.reports.figures.units import summary_point
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.settings import by_setting
from hueval_metrics.words.texts import ENGLISH, Texts, by_english, listed, same
from lm_eval_tasks.kolassimpleqa.figures.maps import CAPTIONS
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS
from lm_eval_tasks.kolassimpleqa.mece import mece
from lm_eval_tasks.kolassimpleqa.settings import SETTINGS

_FAMILY = "kolassimpleqa"


class Bidirectional(Maker):
    """The average share of facts known from both sides, by domain."""

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure; none without an average."""
        family, lineup = families()[_FAMILY], names.lineup(runs)
        found = {
            domain: [summary_point(runs[place], family, f"bidirectional_{domain}") for place in lineup.rows]
            for domain in DOMAINS
        }
        rows = [
            {"model": runs[place].label, "domain": domain} | columns_of(one)
            for domain, points in found.items()
            for place, one in zip(lineup.rows, points, strict=True)
            if one
        ]
        if rows:
            panels = [BarPanel(family.parts[domain][ENGLISH], points, 100.0) for domain, points in found.items()]
            draw = partial(bars, panels, [lineup.names[place] for place in lineup.rows], columns=2)
            words = by_english(family.parts[domain] for domain in DOMAINS)
            yield Figure("kolas-bidirectional", "kolas-bidirectional", rows, draw, captions=CAPTIONS, words=words)


class CalibrationErrors(Maker):
    """mECE of each model, and the four errors that it is the mean of."""

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure; none without an error."""
        family = families()[_FAMILY]
        lineup = names.lineup(runs)
        found = {
            model: _errors(by)
            for model, by in by_setting([runs[place] for place in lineup.rows]).items()
            if any(_errors(by).values())
        }
        if not found:
            return
        titles = _titles(family.parts)
        top = top_of(one for errors in found.values() for one in errors.values())
        panels = [
            BarPanel(title[ENGLISH], [errors[key] for errors in found.values()], top, ".3f")
            for key, title in titles.items()
            if any(errors[key] for errors in found.values())
        ]
        rows = [
            {"model": model, "error": titles[key][ENGLISH]} | columns_of(one)
            for model, errors in found.items()
            for key, one in errors.items()
            if one
        ]
        words = by_english(titles.values())
        draw = partial(bars, panels, names.names_of(list(found)), columns=3)
        yield Figure("kolas-calibration", "kolas-calibration", rows, draw, captions=CAPTIONS, words=words)


def _errors(by: Mapping[str, Run]) -> dict[tuple[str, str], Point | None]:
    """mECE under ("", ""), and the error under each (domain, setting)."""
    family = families()[_FAMILY]
    own = {
        (domain, setting): summary_point(by[setting], family, f"ece_pooled_{domain}") if setting in by else None
        for domain in DOMAINS
        for setting in SETTINGS
    }
    mean = mece([one and one.value for one in own.values()])
    return {("", ""): None if mean is None else Point(mean), **own}


def _titles(parts: Mapping[str, Texts]) -> dict[tuple[str, str], Texts]:
    own = {
        (domain, setting): listed([parts[domain], title]) for domain in DOMAINS for setting, title in SETTINGS.items()
    }
    return {("", ""): same("mECE"), **own}

"""Accuracy by subject: the two best models (Figure 4), and all of them as shaded cells (Figures 8 and 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.registry import families
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.heatmap import score_cell
from hueval_metrics.reports.figures.charts.pairs import PairPanel, pairs
from hueval_metrics.reports.figures.charts.tall_map import RowGroup, tall_map
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import Maker
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.points import Point, columns_of, point
from hueval_metrics.reports.figures.sheet import Sheet
from hueval_metrics.reports.figures.units import summary_point
from hueval_metrics.runs.run import Run
from hueval_metrics.words.texts import ENGLISH, by_english
from lm_eval_tasks.hkmmlu.figures.asking import (
    CAPTIONS,
    DIRECT,
    GENERATED,
    ONE_SHOT_COT,
    SECTION,
    Asked,
    part_titles,
    shown,
)
from lm_eval_tasks.hkmmlu.summaries import CODES

_METRIC = "acc"
_WIDE, _NARROW = 30, 17  # width of a subject's name, in small letters
_MAPS: Mapping[str, Asked] = {"direct": DIRECT, "cot": ONE_SHOT_COT}


class BestTwo(Maker):
    """The two models with the best average, by subject."""

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure; none without two models that have an average over all subjects."""
        family = families()["hkmmlu"]
        averages = {
            model: one.value
            for model, place in shown(runs, DIRECT.__eq__).items()
            if (one := summary_point(runs[place], family, f"{_METRIC}_avg"))
        }
        best = sorted(averages, key=lambda model: -averages[model])[:2]
        if len(best) < 2:
            return
        places = [shown(runs, DIRECT.__eq__)[model] for model in best]
        found = {slug: [_point(runs[place], slug) for place in places] for slug in SUBJECTS}
        rows = [
            {"subject": SUBJECTS[slug].name, "category": SUBJECTS[slug].category, "model": model} | columns_of(one)
            for slug, points in found.items()
            for model, one in zip(best, points, strict=True)
        ]
        panels = []
        for category, code in CODES.items():
            slugs = [slug for slug, (a, b) in found.items() if SUBJECTS[slug].category == category and a and b]
            # By how far the better model is ahead, so that the subjects of either are grouped.
            slugs.sort(key=lambda slug: _lead(found[slug]), reverse=True)
            if slugs:
                points = [(a, b) for a, b in map(found.__getitem__, slugs) if a and b]
                panels.append(PairPanel(part_titles()[code][ENGLISH], _subject_names(slugs), points))
        if panels:
            first, second = names.names_of(best)
            draw = partial(pairs, panels, (first, second))
            about = {"first": best[0], "second": best[1]}
            yield _figure("hkmmlu-best-two", rows, draw, about)


class Maps(Maker):
    """Subjects × models, of direct answers without examples, and of reasoning after one example."""

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """A figure for each of the two ways of asking that any run has."""
        for name, how in _MAPS.items():
            places = shown(runs, how.__eq__)
            found = {slug: [_point(runs[place], slug) for place in places.values()] for slug in SUBJECTS}
            found = {slug: points for slug, points in found.items() if any(points)}
            if not found:
                continue
            groups = [
                _group([runs[place] for place in places.values()], code, some)
                for category, code in CODES.items()
                if (some := {slug: one for slug, one in found.items() if SUBJECTS[slug].category == category})
            ]
            rows = [
                {"subject": SUBJECTS[slug].name, "category": SUBJECTS[slug].category, "model": model}
                | columns_of(one)
                | {"n": one and one.n}
                for slug, points in found.items()
                for model, one in zip(places, points, strict=True)
            ]
            yield _figure(f"hkmmlu-map-{name}", rows, partial(tall_map, groups, names.names_of(list(places))), {})


def _figure(kind: str, rows: Sequence[Mapping[str, object]], draw: partial[Sheet], about: Mapping[str, str]) -> Figure:
    words = by_english(part_titles().values())
    return Figure(kind, kind, rows, draw, about, captions=CAPTIONS, words=words, section=SECTION)


def _group(runs: Sequence[Run], code: str, points: Mapping[str, Sequence[Point | None]]) -> RowGroup:
    """The subjects of a category, under its own accuracy."""
    family = families()["hkmmlu"]
    whole = [score_cell(summary_point(run, family, f"{_METRIC}_{code}"), (0.0, 100.0)) for run in runs]
    cells = [[score_cell(one, (0.0, 100.0)) for one in row] for row in points.values()]
    return RowGroup(part_titles()[code][ENGLISH], whole, _subject_names(list(points)), cells)


def _point(run: Run, slug: str) -> Point | None:
    return point(run, GENERATED + slug, _METRIC)


def _lead(points: Sequence[Point | None]) -> float:
    first, second = (one.value if one else 0.0 for one in points)
    return first - second


def _subject_names(slugs: Sequence[str]) -> list[Name]:
    """The names of subjects: in English, short where a drawing is narrow, whole also in Chinese."""
    whole = [SUBJECTS[slug].name.replace("Hong Kong", "HK") for slug in slugs]
    pairs_of_names = zip(names.short_names(whole, _WIDE), names.short_names(whole, _NARROW), slugs, strict=True)
    return [
        Name(wide, narrow, f"{SUBJECTS[slug].name} {SUBJECTS[slug].name_zh}") for wide, narrow, slug in pairs_of_names
    ]

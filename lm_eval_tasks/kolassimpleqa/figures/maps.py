"""Models × languages × domains as shaded cells: the F-score (Tables 3 and 4), and the ranks by it (Figures 5a, 10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from hueval_metrics.registry import families
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.heatmap import HeatCell, HeatPanel, heatmap, score_cell
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import Maker
from hueval_metrics.reports.figures.points import Point, columns_of, point
from hueval_metrics.reports.figures.units import summary_point
from hueval_metrics.reports.tables import competitors
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.settings import model_of, setting_of
from hueval_metrics.stats.ranks import ranks
from hueval_metrics.words.texts import ENGLISH, by_english
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES, WORDS
from lm_eval_tasks.kolassimpleqa.settings import SETTINGS

CAPTIONS = Path(__file__).parents[1] / "words"
METRIC = "f_score"
_FAMILY = "kolassimpleqa"
_AVERAGE = "Ø"
COLUMNS = [*LANGUAGES.items(), (_AVERAGE, WORDS.text("average", ENGLISH))]
MEAN = WORDS.texts("average")  # in the drawing


class Scores(Maker):
    """The F-score of each run by language and domain, with the averages."""

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure; none where a single cell would have a score."""
        lineup = names.lineup(runs)
        places = [place for place in lineup.rows if any(any(row) for row in _points(runs[place]))]
        points = {domain: [_points(runs[place])[at] for place in places] for at, domain in enumerate(DOMAINS)}
        if sum(one is not None for rows in points.values() for row in rows for one in row) < 2:
            return
        titles = families()[_FAMILY].parts
        panels = [
            HeatPanel(
                titles[domain][ENGLISH], COLUMNS, [[score_cell(one, (0.0, 100.0)) for one in row] for row in rows], 1
            )
            for domain, rows in points.items()
        ]
        rows = [
            {"model": runs[place].label, "domain": domain, "language": code} | columns_of(one)
            for domain, some in points.items()
            for place, row in zip(places, some, strict=True)
            for (code, _), one in zip(COLUMNS, row, strict=True)
        ]
        draw = partial(heatmap, panels, [lineup.names[place] for place in places])
        words = by_english([MEAN, *(titles[domain] for domain in DOMAINS)])
        yield Figure("kolas-scores", "kolas-scores", rows, draw, captions=CAPTIONS, lead=True, words=words)


def _points(run: Run) -> list[list[Point | None]]:
    """For each domain the score in each language, and the average."""
    family = families()[_FAMILY]
    return [
        [
            *(point(run, f"{_FAMILY}_{code}_{domain}", METRIC) for code in LANGUAGES),
            summary_point(run, family, f"{METRIC}_{domain}"),
        ]
        for domain in DOMAINS
    ]


class RankChanges(Maker):
    """The rank of each model in the general and in the specific domain, by language and on the average, by setting."""

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure; none where fewer than two models have both scores in any language."""
        lineup, competing = names.lineup(runs), competitors(runs)
        panels, rows = [], []
        for setting, titles in SETTINGS.items():
            own = [place for place in lineup.models if runs[place] in competing and setting_of(runs[place]) == setting]
            found = _ranks([runs[place] for place in own])
            if np.isfinite(found).any(axis=(0, 1)).sum() == 0 or len(own) < 2:
                continue
            panels.append((titles, own, found))
            rows += [
                {"setting": titles[ENGLISH], "model": runs[place].label, "language": code}
                | {domain: None if np.isnan(rank) else int(rank) for domain, rank in zip(DOMAINS, pair, strict=True)}
                for place, line in zip(own, np.moveaxis(found, 0, -1), strict=True)
                for (code, _), pair in zip(COLUMNS, line, strict=True)
            ]
        for titles, own, found in panels:
            labels = [model_of(runs[place]) for place in own]
            is_alone = len(panels) == 1
            suffix = "" if is_alone else f"-{titles[ENGLISH].replace('_', '-')}"
            cells = [
                [_rank_cell(general, specific, len(own)) for general, specific in line]
                for line in np.moveaxis(found, 0, -1).tolist()
            ]
            panel = HeatPanel(titles[ENGLISH], COLUMNS, cells, 1)
            yield Figure(
                f"kolas-ranks{suffix}",
                "kolas-ranks",
                [row for row in rows if row["setting"] == titles[ENGLISH]],
                partial(heatmap, [panel], names.names_of(labels)),
                {"setting": titles},
                captions=CAPTIONS,
                words=by_english([MEAN, titles]),
            )


def _ranks(runs: Sequence[Run]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Shape (domains, runs, languages and the average); NaN where a model lacks either score."""
    scores = np.array(
        [[[np.nan if one is None else one.value for one in row] for row in _points(run)] for run in runs], dtype=float
    ).reshape(len(runs), len(DOMAINS), len(COLUMNS))
    scores[np.isnan(scores).any(axis=1, keepdims=True).repeat(len(DOMAINS), axis=1)] = np.nan
    found = ranks(scores.transpose(1, 2, 0))
    return found.transpose(0, 2, 1)


def _rank_cell(general: float, specific: float, n_models: int) -> HeatCell | None:
    """Both ranks; the shade is how far the model moves, up in the specific domain or down."""
    if np.isnan(general) or np.isnan(specific):
        return None
    move = general - specific
    text = f"{general:.0f} → {specific:.0f}"
    return HeatCell(move / max(1, n_models - 1), text, f"{move:+.0f}" if move else "0", text)

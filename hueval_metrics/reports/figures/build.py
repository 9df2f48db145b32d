"""All figures of a report."""

from __future__ import annotations

from collections.abc import Sequence

from hueval_metrics.reports.columns import families_of
from hueval_metrics.reports.figures.dimensions import dimension_figures
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.reports.figures.judging import judging_figure
from hueval_metrics.reports.figures.lengths import length_figures
from hueval_metrics.reports.figures.outcomes import outcomes_figures
from hueval_metrics.reports.figures.rank_changes import rank_figures
from hueval_metrics.reports.figures.reliability import reliability_figures
from hueval_metrics.reports.figures.scores import scores_figure
from hueval_metrics.runs.run import Run


def figures(data: FigureData, runs: Sequence[Run]) -> list[Figure]:
    """The figures that the runs have numbers for, in the order of the report; one that shows nothing is left out.

    Args:
        data: the numbers of their items; without items there are only figures of scores.
        runs: in the order of the rows of the tables.
    """
    found = [
        scores_figure(runs),
        *dimension_figures(runs),
        *outcomes_figures(runs),
        *reliability_figures(data, runs),
        *(figure for family in families_of(runs) for maker in data.makers(family) for figure in maker.figures(runs)),
        *length_figures(data, runs),
        judging_figure(data, runs),
        *rank_figures(runs),
    ]
    return [figure for figure in found if figure is not None and (figure.lead or _is_informative(figure))]


def _is_informative(figure: Figure) -> bool:
    """Whether any number of a figure, other than n, differs between its rows, or there is only one row."""
    numbers = [{row.get(key) for row in figure.rows} for key in figure.columns if key != "n"]
    numbers = [found for found in numbers if not any(isinstance(one, str) for one in found)]
    return len(figure.rows) == 1 or any(len(found - {None}) > 1 for found in numbers)

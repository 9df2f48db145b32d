"""The scores of a board over time: each public row as a point, and the best one so far."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from hueval_metrics.api.boards import DARK, LIGHT, NARROW, NUMBER, SMALL, WIDE, Figure, Sheet, Theme, marked_svg, plain
from hueval_site.boards import Board
from hueval_site.localized import number
from hueval_site.pages.rows import Row, decimals

THEMES: Mapping[str, Theme] = {"light": LIGHT, "dark": DARK}
WIDTHS = {"wide": WIDE, "narrow": NARROW}  # inches
_HIGH = 2.6  # inches
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.5, 0.15, 0.3, 0.3  # inches around the axes
_NAME = 28  # characters of a name in the drawing
_STYLE = re.compile(r'style="([^"]*)"')
_SHEET = re.compile(r"<style[^>]*>.*?</style>", re.DOTALL)
_ALONE = 15  # days left and right of points of one day


def draw(board: Board, rows: Sequence[Row], theme: str, width: str) -> str:
    """An SVG of the rows by their day of publication.

    Args:
        board: for the first metric.
        rows: public ones, in any order.
        theme: key of `THEMES`.
        width: key of `WIDTHS`.
    """
    name, metric = board.metrics[0], board.first_metric
    points = sorted((row for row in rows if name in row.scores and row.published), key=lambda row: row.published or 0)
    best = bests(points, name, higher_is_better=board.higher_is_better)

    def drawn(colors: Theme, wide: float) -> Sheet:
        from matplotlib.dates import AutoDateLocator, DateFormatter, date2num

        sheet = Sheet.of(wide, _HIGH, colors)
        axes = sheet.axes(_LEFT, _TOP, wide - _LEFT - _RIGHT, _HIGH - _TOP - _BOTTOM)
        days = date2num([row.published for row in points])
        values = [row.scores[name].value for row in points]
        arms = [[abs(end - row.scores[name].value) for end in row.scores[name].ci95] for row in points]
        axes.errorbar(days, values, list(zip(*arms, strict=True)), fmt="none", ecolor=colors.line, elinewidth=1.2)
        axes.plot(days, values, "o", color=colors.fill, markersize=4.5)
        axes.step(
            [*date2num([row.published for row in best]), days[-1]],
            [row.scores[name].value for row in [*best, *best[-1:]]],
            where="post",
            color=colors.ink,
            linewidth=1.3,
        )
        axes.grid(axis="y", color=colors.line, linewidth=0.6)
        axes.tick_params(labelsize=SMALL)
        axes.yaxis.set_major_formatter(lambda value, _place: number(value))
        if days[-1] - days[0] < 1:
            axes.set_xlim(days[0] - _ALONE, days[-1] + _ALONE)
        axes.xaxis.set_major_locator(AutoDateLocator(minticks=2, maxticks=4 if wide < WIDE else 8))
        axes.xaxis.set_major_formatter(DateFormatter("%Y-%m-%d"))
        last = best[-1]
        text = _("Best so far: %(score)s, %(model)s") % {
            "score": number(last.scores[name].value, decimals(metric)),
            "model": _short(last.model),
        }
        sheet.text(_LEFT, 0.14, text)
        return sheet

    figure = Figure("progress", "progress", [], drawn)
    return _without_styles(marked_svg(figure, THEMES[theme], WIDTHS[width])[0].replace(f'<g id="{NUMBER}">', "<g>"))


def bests(rows: Sequence[Row], metric: str, *, higher_is_better: bool = True) -> list[Row]:
    """The rows that were better than all before them.

    Args:
        rows: by date, each with the metric.
        metric: its name.
        higher_is_better: whether the higher score is the better one.
    """
    found: list[Row] = []
    sign = 1 if higher_is_better else -1
    for row in rows:
        if not found or sign * (row.scores[metric].value - found[-1].scores[metric].value) > 0:
            found.append(row)
    return found


def _without_styles(svg: str) -> str:
    """The same with attributes for `style="…"`, which the site's policy forbids where it is opened alone."""
    return _STYLE.sub(_attributes, _SHEET.sub("", svg)).replace("<svg ", '<svg stroke-linejoin="round" ', 1)


def _attributes(style: re.Match[str]) -> str:
    pairs = (pair.split(":", 1) for pair in style[1].split(";") if ":" in pair)
    return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in pairs)


def _short(name: str) -> str:
    whole = plain(name)
    return whole if len(whole) <= _NAME else whole[: _NAME - 1] + "…"

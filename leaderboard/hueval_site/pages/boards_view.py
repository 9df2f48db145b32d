"""Boards: of one task, and of a family side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from hueval_metrics.api.boards import csv_text, families, json_text
from hueval_site.boards import Board, board_or_404, boards_of
from hueval_site.pages.cache import kept
from hueval_site.pages.family import MEAN_RANK, WINS, by_place, data_of, models_of, pairs, papers_of
from hueval_site.pages.graph import THEMES, WIDTHS, draw
from hueval_site.pages.phase import phase_context
from hueval_site.pages.query import COMPLETE, PER_PAGE, SIZES, Query
from hueval_site.pages.rows import Row, Score, decimals, public_rows, published_rows, ranked, rows_by_hand
from hueval_site.submissions.models import OPENNESS, SETTINGS, Season
from hueval_site.submissions.phases import declared_phase
from hueval_site.submissions.seasons import open_season, seasons_of

DATA_TYPES = {"csv": "text/csv; charset=utf-8; header=present", "json": "application/json; charset=utf-8"}


@require_safe
@kept(lambda task: (task,))
def board(request: HttpRequest, task: str) -> HttpResponse:
    """The rows of one task: the open season, or the closed one asked for."""
    found = board_or_404(task)
    if found.is_practice:  # its results stay with their teams
        return redirect("task", task)
    seasons = seasons_of(found)
    phase = next((season.phase for season in seasons if hasattr(season, "phase")), None) or declared_phase(found)
    closed = [str(season.number) for season in seasons if season.closed]
    season = _season(seasons, request.GET.get("season", ""))
    rows = ranked(public_rows([season.pk]), found)
    best_first = f"-{found.metrics[0]}" if found.higher_is_better else found.metrics[0]
    years = _years(rows)
    query = Query.of(request.GET, found.metrics, years, closed)
    chosen = query.ordered([row for row in rows if row.is_ranked and query.selects(row)], best_first)
    n_pages = max(1, -(-len(chosen) // PER_PAGE))
    page = min(int(query.page or 1), n_pages)
    query = query.on_page(page)
    if (away := _elsewhere(request, query)) is not None:
        return away
    aside = [row for row in rows if not row.is_ranked and query.selects(row)]
    if not query.is_filtered and not season.closed:
        aside += published_rows(found)
    if not query.is_filtered:
        aside += rows_by_hand(found, season)
    context = {
        "board": found,
        **phase_context(phase),
        "season": season,
        "seasons": seasons,
        "columns": _columns(query, {name: (found.headings[name], found) for name in found.metrics}, found.metrics[0]),
        "rows": [_cells(row, found) for row in chosen[(page - 1) * PER_PAGE : page * PER_PAGE]],
        "aside": [_cells(row, found) for row in query.ordered(aside, best_first)],
        "n_rows": len(rows),
        "n_chosen": len(chosen),
        "page": page,
        "pages": [(number, query.on_page(number).text) for number in range(1, n_pages + 1)],
        "has_graph": any(row.is_ranked for row in rows) and not season.closed,
        "filters": _filters(query, years),
        "query": query,
    }
    response = render(request, "pages/board.html", context)
    response.kept_until = context.get("phase_changes")
    return response


@require_safe
@kept(lambda name: [board.task for board in boards_of(name)])
def family(request: HttpRequest, name: str) -> HttpResponse:
    """All boards of a family side by side, a row for each model and team."""
    found = boards_of(name)
    if not found:
        raise Http404
    rows = models_of(found)
    n_pairs, years = pairs(found, rows), _years(rows)
    columns = {board.task: (board.title, board) for board in found}
    over_all = [WINS, MEAN_RANK] if n_pairs else []
    query = Query.of(request.GET, [*over_all, *columns, "openness", "licence"], years, is_family=True)
    if (away := _elsewhere(request, query)) is not None:
        return away
    chosen = [row for row in rows if query.selects(row)]
    if not query.but(complete="").is_filtered:
        chosen += [row for row in papers_of(found) if query.selects(row)]
    ordered = query.ordered(chosen, "") if query.sort else sorted(chosen, key=by_place)
    places = {WINS: -1, MEAN_RANK: 2} | {board.task: decimals(board.first_metric) for board in found}
    cells = [(row, [(row.scores.get(one), places[one]) for one in (*over_all, *columns)]) for row in ordered]
    context = {
        "family": families()[name],
        "boards": found,
        "columns": _columns(query, columns, WINS if n_pairs else "", n_pairs),
        "rows": [(row, scores) for row, scores in cells if row.is_ranked],
        "aside": [(row, scores) for row, scores in cells if not row.is_ranked],
        "has_rows": bool(rows),
        "pairs": n_pairs,
        "filters": [
            Filter("complete", _("Models"), [(COMPLETE, _("on every board"))], query.complete),
            *_filters(query, years),
        ],
        "query": query,
    }
    return render(request, "pages/family.html", context)


@require_safe
@kept(lambda name, form: [board.task for board in boards_of(name)])
def family_data(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """The table of a family as CSV, without formulas, or as JSON."""
    found = boards_of(name)
    if not found or form not in DATA_TYPES or request.GET:
        raise Http404
    rows = data_of(found)
    header = list(rows[0]) if rows else []
    table = csv_text([header, *([row[key] for key in header] for row in rows)], "\r\n")
    return HttpResponse(table if form == "csv" else json_text({"family": name, "rows": rows}), DATA_TYPES[form])


@require_safe
@kept(lambda task, theme, width: (task,))
def graph(request: HttpRequest, task: str, theme: str, width: str) -> HttpResponse:
    """The scores of a board over time as SVG."""
    found = board_or_404(task)
    if theme not in THEMES or width not in WIDTHS or request.GET:
        raise Http404
    rows = [row for row in public_rows([open_season(found).pk]) if row.is_ranked]
    return HttpResponse(draw(found, rows, theme, width), content_type="image/svg+xml")


@dataclass(frozen=True)
class Column:
    """A column of a table, whose heading is a link that orders by it.

    Attributes:
        heading: its text.
        address: of the link.
        order: value of aria-sort; empty where the table is ordered by another one.
        is_number: whether it is aligned to the right.
        task: of the board that it is about; empty for columns about the model.
    """

    heading: str
    address: str
    order: str = ""
    is_number: bool = False
    task: str = ""


@dataclass(frozen=True)
class Filter:
    """A field of the form above a table: its name, its label, its choices as (value, text), and the chosen value."""

    name: str
    label: str
    choices: Sequence[tuple[str, Any]]
    chosen: str


def _season(seasons: Sequence[Season], number: str) -> Season:
    chosen = next((season for season in seasons if season.closed and str(season.number) == number), None)
    return chosen or seasons[0]


def _elsewhere(request: HttpRequest, query: Query) -> HttpResponse | None:
    """A redirect to the one address of a query, if this is another one."""
    text = request.META.get("QUERY_STRING", "")
    return None if text == query.text.removeprefix("?") else redirect(request.path + query.text)


def _years(rows: Sequence[Row]) -> list[str]:
    return sorted({str(row.published.year) for row in rows if row.published}, reverse=True)


def _cells(row: Row, board: Board) -> tuple[Row, list[tuple[Score | None, int]]]:
    return row, [(row.scores.get(name), decimals(board.spec.metrics[name])) for name in board.metrics]


def _columns(
    query: Query, metrics: Mapping[str, tuple[str, Board]], default: str, n_pairs: int | None = None
) -> list[Column]:
    """The columns: model, the metrics, team, size, date; on a phone the first two are in sight.

    Args:
        n_pairs: of a family, of how many the wins are; 0 where there are none.
    """
    found = [_column(query, "model", _("Model"))]
    if n_pairs:
        wins = _("Wins of %(pairs)s") % {"pairs": n_pairs}
        found.append(_column(query, WINS, wins, "-", is_number=True, default=default))
        found.append(_column(query, MEAN_RANK, _("Mean rank"), is_number=True))
    for name, (heading, board) in metrics.items():
        metric = board.spec.metrics[name] if name in board.metrics else board.first_metric
        first = "" if metric.better == "lower" else "-"
        found.append(_column(query, name, heading, first, is_number=True, default=default, task=board.task))
    found += [_column(query, "team", _("Team")), _column(query, "size", _("Size (B)"), is_number=True)]
    if n_pairs is not None:
        found += [_column(query, "licence", _("Licence")), _column(query, "openness", _("Availability"))]
    return [*found, _column(query, "published", _("Published"), "-")]


def _column(
    query: Query,
    name: str,
    heading: str,
    first: str = "",
    *,
    is_number: bool = False,
    default: str = "",
    task: str = "",
) -> Column:
    """A column that orders by `first` + name, and the other way round once it does."""
    other = "" if first else "-"
    now = query.sort or (first + name if name == default else "")
    order = {name: "ascending", f"-{name}": "descending"}.get(now, "")
    wanted = (other if now == first + name else first) + name
    # The usual order has the shorter address.
    sort = "" if name == default and wanted == first + name else wanted
    return Column(heading, query.but(sort=sort).text or "?", order, is_number, task)


def _filters(query: Query, years: Sequence[str]) -> list[Filter]:
    found = [
        Filter("size", _("Size"), [(key, text) for key, (text, _least, _below) in SIZES.items()], query.size),
        Filter("openness", _("Availability"), list(OPENNESS.items()), query.openness),
        Filter("setting", _("Setting"), list(SETTINGS.items()), query.setting),
    ]
    if len(years) > 1:
        found.append(Filter("since", _("Published since"), [(year, year) for year in years], query.since))
    return found

"""What everybody may read: tasks, boards, seasons. A row says what `Submission.shown` says, and no exact score."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.http import urlencode
from django.utils.translation import gettext_noop
from ninja import Router

from hueval_metrics.api.boards import csv_text, json_text, one_line
from hueval_metrics.version import __version__
from hueval_site.api.cached import CSV_TYPE, JSON_TYPE, answer, kept
from hueval_site.api.errors import not_found
from hueval_site.api.schemas import READ_ERRORS, BoardOut, Limit, Offset, Seasons, Tasks
from hueval_site.boards import Board, board_or_404, boards
from hueval_site.public_data import DataFile, example_row, files
from hueval_site.submissions.models import Season, State, Submission
from hueval_site.submissions.seasons import open_season, seasons_of

router = Router(tags=["boards"])

TASKS_S = 300  # how long the list of tasks is kept: files of the data may be replaced
CARD_COLUMNS = ("model", "team", "size", "openness", "licence", "base", "setting", "link", "published")
# One query, and never the columns `exact` and `told`.
COLUMNS = {  # field of a row → column
    "id": "id",
    "model": "model_name",
    "team": "team__name",
    "size": "size",
    "openness": "openness",
    "licence": "licence",
    "base": "base",
    "setting": "setting",
    "link": "link",
    "training_data": "training_data",
    "contamination": "contamination",
    "published": "published",
    "result": "shown",
}
FREE_TEXTS = ("model", "team", "licence", "base", "link", "training_data", "contamination")


@router.get(
    "/tasks",
    response={200: Tasks, **READ_ERRORS},
    summary=gettext_noop("The tasks, with texts, limits, formats and downloads"),
)
def tasks(request: HttpRequest) -> HttpResponse:
    """Answer with all tasks."""
    seasons = dict(Season.objects.filter(closed=None).values_list("board", "number"))
    seasons |= {task: open_season(board).number for task, board in boards().items() if task not in seasons}
    version = json.dumps([settings.CONFIG.title, _declared(), seasons], sort_keys=True)

    def make() -> str:
        found = [task_content(board, seasons[board.task]) for board in boards().values()]
        site = {"site": settings.CONFIG.title, "max_upload_bytes": settings.CONFIG.upload_bytes}
        return _json({"version": __version__, **site, "tasks": found})

    content = kept("tasks", version, make, TASKS_S)
    return answer(request, content, lambda: content, JSON_TYPE)


@router.get(
    "/boards/{task}.csv",
    response={200: None, **READ_ERRORS},
    summary=gettext_noop("A board as CSV"),
    openapi_extra={"responses": {200: {"description": "OK", "content": {"text/csv": {"schema": {"type": "string"}}}}}},
)
def board_csv(request: HttpRequest, task: str, season: int | None = None) -> HttpResponse:
    """Answer with the rows of one season of a board, the open one by default; no cell is a formula."""
    board, found = board_or_404(task), _season(task, season)
    version = _version(found)
    content = answer(request, version, lambda: kept("csv", version, lambda: _csv(board, found)), CSV_TYPE)
    content["Content-Disposition"] = f'attachment; filename="{board.task}-{found.number}.csv"'
    return content


@router.get(
    "/boards/{task}/seasons", response={200: Seasons, **READ_ERRORS}, summary=gettext_noop("The seasons of a board")
)
def seasons(request: HttpRequest, task: str) -> dict[str, Any]:
    """Answer with all seasons, the newest first."""
    found = seasons_of(board_or_404(task))
    return {"task": task, "seasons": [_season_content(season) for season in found]}


@router.get(
    "/boards/{task}", response={200: BoardOut, **READ_ERRORS}, summary=gettext_noop("The public rows of a board")
)
def board(
    request: HttpRequest, task: str, season: int | None = None, limit: Limit = 200, offset: Offset = 0
) -> HttpResponse:
    """Answer with a page of the rows of one season, the open one by default, the best first."""
    its_board, found = board_or_404(task), _season(task, season)
    version = _version(found)

    def make() -> str:
        rows = json.loads(kept("rows", version, lambda: _json(rows_of(its_board, found))))
        following = None
        if offset + limit < len(rows):
            query = urlencode({"season": found.number, "limit": limit, "offset": offset + limit})
            following = f"{reverse('api-1:board', args=[task])}?{query}"
        content = {
            "task": task,
            "season": _season_content(found),
            "metrics": _metrics(its_board),
            "count": len(rows),
            "next": following,
            "rows": rows[offset : offset + limit],
        }
        return _json(content)

    return answer(request, version, make, JSON_TYPE)


def rows_of(board: Board, season: Season) -> list[dict[str, Any]]:
    """The public rows of a season, the best first, without invisible or direction-changing characters in names."""
    public = Submission.objects.filter(season=season, state=State.PUBLIC).order_by("published", "pk")
    found = [dict(zip(COLUMNS, values, strict=True)) for values in public.values_list(*COLUMNS.values())]
    sign = -1 if board.higher_is_better else 1
    for row in found:
        row |= {name: one_line(row[name], 2000) for name in FREE_TEXTS} | {"result": row["result"] or {}}

    def place(row: Mapping[str, Any]) -> tuple[bool, float]:
        score = row["result"].get(board.metrics[0])
        return score is None, 0.0 if score is None else sign * score

    return sorted(found, key=place)


def task_content(board: Board, season: int) -> dict[str, Any]:
    """What the API says of a task."""
    download = board.download
    with translation.override("en"):  # one address, whichever language is asked for
        found = [
            {"name": file.name, "size": file.size, "sha256": file.sha256, "url": _data_url(board, file)}
            for file in files(board)
        ]
    return {
        "name": board.task,
        "family": board.family.name,
        "title": board.title,
        "description": dict(board.description),
        "why": dict(board.why),
        "format": dict(board.submission_format.help),
        "metrics": _metrics(board),
        "answers_are_public": not board.hidden,
        "is_judged": board.is_judged,
        "limits": board.limits.model_dump(),
        "example": dict(example_row(board)),
        "download": {"licence": download.licence, "url": download.url, "files": found},
        "publications": list(board.publications),
        "season": season,
        "practice": board.practice.task if board.practice else None,
    }


def _data_url(board: Board, file: DataFile) -> str:
    return f"{settings.CONFIG.url}{reverse('download', args=[board.task, file.name])}"


def _metrics(board: Board) -> list[dict[str, Any]]:
    found = [(board.spec.metrics[name], heading) for name, heading in board.headings.items()]
    return [{"name": one.name, "heading": heading, "unit": one.unit, "better": one.better} for one, heading in found]


def _season(task: str, number: int | None) -> Season:
    if number is None:
        return open_season(board_or_404(task))
    found = Season.objects.filter(board=task, number=number).first() if 0 < number < 2**31 else None
    if found is None:
        raise not_found()
    return found


def _season_content(season: Season) -> dict[str, Any]:
    return {name: getattr(season, name) for name in ("number", "opened", "closed", "fixed")}


def _version(season: Season) -> str:
    return f"{season.pk} {season.version} {season.closed} {_declared()}"


@cache
def _declared() -> str:
    """A digest of what the families declare: another version of a family may have other columns and texts."""
    found = [board.model_dump(mode="json") for board in boards().values()]
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def _csv(board: Board, season: Season) -> str:
    ends = {name: (f"{name}_ci95_low", f"{name}_ci95_high", f"{name}_n") for name in board.metrics}
    header: list[object] = [
        *CARD_COLUMNS,
        *(column for name in board.metrics for column in (name, *ends[name])),
        "signature",
        "id",
    ]
    lines = [header]
    for row in rows_of(board, season):
        result = row["result"]
        cells: list[object] = [row[name] for name in CARD_COLUMNS[:-1]] + [row["published"].isoformat()]
        for name in board.metrics:
            low, high = result.get(f"{name}_ci95") or (None, None)
            cells += [result.get(name), low, high, result.get(f"{name}_n")]
        lines.append([*cells, str(result.get("signature", "")), str(row["id"])])
    return csv_text(lines, "\r\n")


def _json(content: object) -> str:
    return json_text(content, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> str:
    return str(value.isoformat() if hasattr(value, "isoformat") else value)

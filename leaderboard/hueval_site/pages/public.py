"""Pages for everybody besides boards and models: start, tasks, data, feed, and what the site says about itself."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from hueval_metrics.api.boards import families, plain
from hueval_site.boards import Board, board_or_404, boards, boards_of
from hueval_site.disclosure import STEPS
from hueval_site.localized import language, number, text_of
from hueval_site.pages.cache import kept
from hueval_site.pages.phase import phase_context
from hueval_site.pages.rows import Row, decimals, public_rows
from hueval_site.public_data import example_file, example_row, files
from hueval_site.submissions.phases import phase_of
from hueval_site.submissions.seasons import open_seasons

NEWEST = 8  # rows on the start page
FED = 50  # rows in the feed


@require_safe
@kept(lambda: None)
def start(request: HttpRequest) -> HttpResponse:
    """The families with their boards, the best row of each, and the newest rows."""
    if request.GET:
        return redirect("start")
    rows = public_rows(open_seasons(boards()))
    by_task: dict[str, list[Row]] = {}
    for row in rows:
        by_task.setdefault(row.board, []).append(row)
    groups = []
    for name, family in families().items():
        found = [(board, _best(board, by_task.get(board.task, []))) for board in boards_of(name)]
        led = [
            (board, best, best.scores[board.metrics[0]], decimals(board.first_metric)) for board, best in found if best
        ]
        if found:
            groups.append((family, led, [board for board, best in found if best is None]))
    newest = [(row, boards()[row.board]) for row in rows[:NEWEST]]
    return render(request, "pages/start.html", {"groups": groups, "newest": newest})


@require_safe
@kept(lambda: ())
def tasks(request: HttpRequest) -> HttpResponse:
    """All tasks."""
    if request.GET:
        return redirect("tasks")
    groups = [(family, found) for name, family in families().items() if (found := boards_of(name))]
    return render(request, "pages/tasks.html", {"groups": groups})


@require_safe
def task(request: HttpRequest, task: str) -> HttpResponse:
    """What a task asks for, how it is scored, its data, and its limits."""
    board = board_or_404(task)
    if request.GET:
        return redirect("task", task)
    context = {
        "board": board,
        **phase_context(phase_of(board)),
        "example": example_row(board),
        "files": files(board),
        "file_help": text_of(board.submission_format.help),
        "example_file": example_file(board),
        "days": round(1 / board.limits.day),  # for one submission, where there is less than one a day
    }
    return render(request, "pages/task.html", context)


@require_safe
def download(request: HttpRequest, task: str, name: str) -> FileResponse:
    """A file of the public data of a task."""
    found = next((file for file in files(board_or_404(task)) if file.name == name), None)
    if found is None:
        raise Http404
    return FileResponse(found.path.open("rb"), as_attachment=True, filename=found.path.name)


@require_safe
@kept(lambda: None)
def feed(request: HttpRequest) -> HttpResponse:
    """The newest public rows as an Atom feed."""
    if request.GET:
        return redirect("feed")
    site = settings.CONFIG
    found = Atom1Feed(
        title=_("New results on %(site)s") % {"site": site.title},
        link=site.url + reverse("start"),
        description=_("Results that were made public, newest first."),
        language=language(),
        feed_url=site.url + reverse("feed"),
    )
    for row in public_rows(open_seasons(boards()), FED):
        board = boards()[row.board]
        score = row.scores.get(board.metrics[0])
        values = {"model": plain(row.model), "team": plain(row.team), "board": board.title}
        told = (
            f"{board.headings[board.metrics[0]]} {number(score.value, decimals(board.first_metric))}" if score else ""
        )
        found.add_item(
            title=_("%(model)s (%(team)s) on %(board)s") % values,
            link=site.url + reverse("row", args=[row.key]),
            description=told,
            unique_id=f"urn:uuid:{row.key}",
            pubdate=row.published,
            updateddate=row.published,
            author_name=plain(row.team),
        )
    return HttpResponse(found.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


@require_safe
@kept(lambda: ())
def faq(request: HttpRequest) -> HttpResponse:
    """Questions that readers and submitters ask."""
    if request.GET:
        return redirect("faq")
    return render(request, "pages/faq.html", {"steps": STEPS, "approvals": settings.CONFIG.approvals})


@require_safe
@kept(lambda: ())
def imprint(request: HttpRequest) -> HttpResponse:
    """Who runs the site."""
    if request.GET:
        return redirect("imprint")
    return render(request, "pages/imprint.html", {"imprint": settings.CONFIG.imprint})


@require_safe
@kept(lambda: ())
def privacy(request: HttpRequest) -> HttpResponse:
    """What is stored of people."""
    if request.GET:
        return redirect("privacy")
    return render(request, "pages/privacy.html", {"imprint": settings.CONFIG.imprint})


def _best(board: Board, rows: Sequence[Row]) -> Row | None:
    """The ranked row with the best score in the board's first metric."""
    name, sign = board.metrics[0], 1 if board.higher_is_better else -1
    known = [row for row in rows if row.is_ranked and name in row.scores]
    return max(known, key=lambda row: sign * row.scores[name].value, default=None)

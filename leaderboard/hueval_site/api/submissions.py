"""Submitting by a token, and one's team's submissions. Nobody is staff here; other teams' submissions do not exist."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any
from uuid import UUID

from auditlog.context import set_actor
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile as DjangoFile
from django.db import IntegrityError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from ninja import File, Form, Router, UploadedFile
from ninja.responses import Status
from pydantic import ValidationError

from hueval_metrics.api.boards import one_line
from hueval_site.accounts.models import Team, User
from hueval_site.api.auth import Bearer
from hueval_site.api.errors import ApiError, fault_text, not_found
from hueval_site.api.schemas import (
    CHANGE_ERRORS,
    OWN_ERRORS,
    AllowanceOut,
    Card,
    Faults,
    Limit,
    Offset,
    SubmissionOut,
    Submissions,
    Submitted,
)
from hueval_site.boards import Board, every_board
from hueval_site.localized import text_of
from hueval_site.outages import FULL, RETRY_AFTER_S, UNAVAILABLE, is_full
from hueval_site.submissions.card import CARD, CardForm
from hueval_site.submissions.judged import judge_refusal
from hueval_site.submissions.limits import allowance
from hueval_site.submissions.models import STATES, State, Submission
from hueval_site.submissions.phases import phase_refusal
from hueval_site.submissions.publish import PublishError, request_publication, withdraw
from hueval_site.submissions.receive import NotStoredError, RefusedError, check, store, store_many
from hueval_site.submissions.waiting import UNFINISHED, Wait, stalled, wait_of

router = Router(tags=["submissions"], auth=Bearer())

SHOWN_FAULTS = 20
PARTS = frozenset({"task", "card", "file"})
FORM = {"schema": {"properties": {"card": Card.model_json_schema()}}}  # its type, though it comes as the text of a part
KEY = re.compile(r"[!-~]{1,80}")  # printable ASCII


@router.get(
    "/tasks/{task}/allowance",
    response={200: AllowanceOut, **OWN_ERRORS},
    summary=gettext_noop("What your team may still submit"),
)
def task_allowance(request: HttpRequest, task: str) -> dict[str, Any]:
    """Answer with what is left of the limits of a task."""
    return _allowance(_team(request.auth), _board(task))


@router.post(
    "/submissions",
    response={201: Submitted, **CHANGE_ERRORS},
    summary=gettext_noop("Submit a file"),
    openapi_extra={"requestBody": {"content": {"multipart/form-data": FORM}}},
)
def submit(
    request: HttpRequest,
    file: Annotated[UploadedFile, File(description="see `format` of the task; or a zip of the files of several tasks")],
    card: Annotated[str, Form(max_length=20_000, description="the model card, a JSON object")],
    task: Annotated[str, Form(description="may be left out where the name of the file tells it")] = "",
) -> Status:
    """Store a file, check it, and queue it if it has no faults.

    With the header `Idempotency-Key`, a request that is sent again returns what the first one made.
    """
    user: User = request.auth
    team = _team(user)
    _only_known_parts(request)
    fields = _card_fields(card)
    key = _request_key(request, task, card, file)
    if key is not None and (earlier := _earlier(team, key)):
        return Status(201, _submitted(team, earlier))
    fields["request_key"] = key
    try:
        with set_actor(user):
            stored = [store(user, _board(task), file, fields)] if task else store_many(user, file, fields)
            return Status(201, _submitted(team, [check(one) for one in stored]))
    except (IntegrityError, RefusedError) as error:
        if key is not None and (earlier := _earlier(team, key)):  # the same request came twice at the same time
            return Status(201, _submitted(team, earlier))
        if isinstance(error, NotStoredError):
            raise _not_stored(error) from None
        if isinstance(error, RefusedError):
            raise ApiError(403, "refused", _refusal(error)) from None
        raise


@router.get(
    "/submissions", response={200: Submissions, **OWN_ERRORS}, summary=gettext_noop("The submissions of your team")
)
def own(request: HttpRequest, task: str = "", state: str = "", limit: Limit = 50, offset: Offset = 0) -> dict[str, Any]:
    """Answer with the submissions of one's team, the newest first."""
    chosen = {name: value for name, value in {"board": task, "state": state}.items() if value}
    found = _own(request.auth).filter(**chosen).order_by("-created", "pk")
    n = found.count()
    following = None
    if offset + limit < n:
        query = {"task": task, "state": state, "limit": limit, "offset": offset + limit}
        following = f"{reverse('api-1:own')}?{urlencode({name: value for name, value in query.items() if value})}"
    return {"count": n, "next": following, "submissions": [_content(one) for one in found[offset : offset + limit]]}


@router.get(
    "/submissions/{uuid:key}",
    response={200: SubmissionOut, **OWN_ERRORS},
    summary=gettext_noop("One submission of your team"),
)
def one(request: HttpRequest, key: UUID) -> dict[str, Any]:
    """Answer with one submission; 404 alike where there is none and where it is another team's."""
    found = _one(request.auth, key)
    content = _content(found, wait_of(found))
    return content | {"reason": content["reason"] or stalled(found)}


@router.get(
    "/submissions/{uuid:key}/faults", response={200: Faults, **OWN_ERRORS}, summary=gettext_noop("All faults of a file")
)
def faults(request: HttpRequest, key: UUID) -> dict[str, Any]:
    """Answer with all faults that are kept of a file."""
    found = _one(request.auth, key)
    return {"n_faults": found.n_faults, "faults": _faults(found.faults)}


@router.post(
    "/submissions/{uuid:key}/request-publication",
    response={200: SubmissionOut, **CHANGE_ERRORS},
    summary=gettext_noop("Ask staff to publish a result"),
)
def ask_for_publication(request: HttpRequest, key: UUID) -> dict[str, Any]:
    """Ask staff to make a scored submission public; the request has no body."""
    return _changed(request, key, request_publication)


@router.post(
    "/submissions/{uuid:key}/withdraw",
    response={200: SubmissionOut, **CHANGE_ERRORS},
    summary=gettext_noop("Withdraw a submission"),
)
def withdraw_one(request: HttpRequest, key: UUID) -> dict[str, Any]:
    """Withdraw a submission, public or not; it stays withdrawn. The request has no body."""
    return _changed(request, key, withdraw)


def _changed(request: HttpRequest, key: UUID, change: Callable[[Submission, User], Submission]) -> dict[str, Any]:
    if request.body.strip() not in (b"", b"{}"):
        raise ApiError(422, "invalid", _("This request takes no fields. Send it without a body."), "body")
    found = _one(request.auth, key)  # of one's own team: who is staff changes others on the site alone
    try:
        return _content(change(found, request.auth))
    except PublishError as error:
        raise ApiError(409, "state", str(error)) from None


def _team(user: User) -> Team:
    if user.team is None:
        raise ApiError(403, "no-team", _("You have no team yet. Found or join one on your account page."))
    team: Team = user.team
    return team


def _board(task: str) -> Board:
    """The board of a task that a submitter names.

    Raises:
        ApiError: there is none.
    """
    if task not in every_board():
        message = _("There is no board “%(task)s”. The list is at %(address)s.")
        values = {"task": one_line(task, 60), "address": reverse("api-1:tasks")}
        raise ApiError(404, "not-found", message % values, "task")
    return every_board()[task]


def _own(user: User) -> QuerySet[Submission]:
    return Submission.objects.defer("exact").filter(team=_team(user)).select_related("season", "team")


def _one(user: User, key: UUID) -> Submission:
    found: Submission | None = _own(user).filter(pk=key).first()
    if found is None:
        raise not_found()
    return found


def _only_known_parts(request: HttpRequest) -> None:
    """Refuse parts that are none of ours: what a submitter may not set is not silently dropped.

    Raises:
        ApiError: there is such a part, or a part comes twice.
    """
    counts = [(name, len(values)) for parts in (request.POST, request.FILES) for name, values in parts.lists()]
    for name, n in counts:
        if name not in PARTS or n > 1:
            values = {"name": one_line(name, 60), "known": ", ".join(sorted(PARTS))}
            message = _("“%(name)s” is not a part of a submission, or comes twice. Send %(known)s, each once.") % values
            raise ApiError(422, "invalid", message, one_line(name, 60))


def _not_stored(error: NotStoredError) -> ApiError:
    if is_full(error.__cause__):
        return ApiError(FULL, "full", str(error))
    return ApiError(UNAVAILABLE, "unavailable", str(error), headers={"Retry-After": str(RETRY_AFTER_S)})


def _refusal(error: RefusedError) -> str:
    """The text of a refusal, with the files of an archive that it is about."""
    files = [f"{one_line(name, 80)}: {reason}" for name, reason in error.files.items()] if len(error.files) > 1 else []
    return " ".join([str(error), *files[:SHOWN_FAULTS]])


def _card_fields(text: str) -> dict[str, Any]:
    """The fields of a model card.

    Raises:
        ApiError: it is no JSON object, lacks a field, has one that a card does not have, or a value out of range.
    """
    try:
        card = Card.model_validate_json(text)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
        raise _card_error([(".".join(map(str, fault["loc"])), fault_text(fault)) for fault in faults]) from None
    form = CardForm(card.model_dump())
    if not form.is_valid():
        raise _card_error([(name, " ".join(messages)) for name, messages in form.errors.items()])
    found: dict[str, Any] = form.card
    return found


def _card_error(faults: list[tuple[str, str]]) -> ApiError:
    shown = "; ".join(f"{one_line(name, 60)}: {text.rstrip('.')}" if name else text for name, text in faults[:5])
    message = _("The model card is not valid: %(faults)s. See the description of the API.") % {"faults": shown}
    return ApiError(422, "invalid", message, ".".join(filter(None, ("card", one_line(faults[0][0], 60)))))


def _request_key(request: HttpRequest, task: str, card: str, file: DjangoFile) -> str | None:
    """What is the same for a request that is sent again, and differs for another one; None without the header.

    Raises:
        ApiError: the header is no key.
    """
    given = request.headers.get("Idempotency-Key")
    if given is None:
        return None
    if not KEY.fullmatch(given):
        message = _("Idempotency-Key: expected 1 to 80 characters of printable ASCII. Send a new UUID for each file.")
        raise ApiError(422, "invalid", message, "Idempotency-Key")
    digest = hashlib.sha256("\0".join((given, task, card, "")).encode())
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def _earlier(team: Team, key: str) -> list[Submission]:
    """What an earlier request with this key made; nothing where there was none."""
    return list(Submission.objects.filter(team=team, request_key=key).select_related("season", "team").order_by("pk"))


def _submitted(team: Team, found: Iterable[Submission]) -> dict[str, Any]:
    contents = [_content(one, wait_of(one)) for one in found]
    return {
        "submissions": contents,
        "allowances": [_allowance(team, _board(content["task"])) for content in contents],
    }


def _allowance(team: Team, board: Board) -> dict[str, Any]:
    found = allowance(team, board)
    used = {name: {"used": n, "most": most} for name, (n, most) in found.used.items()}
    return {
        "task": board.task,
        "closed": phase_refusal(board) or judge_refusal(board) or "",
        "left": found.left,
        "uploads_left": found.uploads_left,
        "next": found.next,
        "used": used,
    }


def _content(found: Submission, wait: Wait | None = None) -> dict[str, Any]:
    """What the API says of a submission to its team: never its exact score."""
    return {
        "id": found.pk,
        "task": found.board,
        "season": found.season.number,
        "state": found.state,
        "state_text": str(STATES[State(found.state)]),
        "reason": _(found.reason) if found.reason else "",
        # One that stays checked says why.
        "is_final": found.state not in UNFINISHED or bool(found.state == State.CHECKED and found.reason),
        "place": wait.place if wait else None,
        "expected_s": wait.seconds if wait else None,
        "file": one_line(found.name, 200),
        "sha256": found.digest,
        "n_rows": found.n_rows,
        "n_faults": found.n_faults,
        "faults": _faults(found.faults[:SHOWN_FAULTS]),
        "card": {name: getattr(found, name) for name in CARD},
        **{name: getattr(found, name) for name in ("created", "queued", "scored", "published")},
        "told": found.told,
        "told_text": found.told_text,
        "url": settings.CONFIG.url + reverse("result", args=[found.pk]),
    }


def _faults(found: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"row": fault["row"], "text": text_of(fault["text"])} for fault in found]

"""Errors of the API: `{"error": {"code", "message", "where"}}` with one line of text, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils import translation
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from hueval_metrics.api.boards import one_line
from hueval_site.middleware import API

SHOWN_FAULTS = 5  # of a request, in one line

Handler = Callable[[HttpRequest], HttpResponse]


class ApiError(Exception):
    """A request is refused.

    Attributes:
        status: of HTTP.
        code: a word for programs; it does not change with the language.
        message: one line for people.
        where: the field or part of the request at fault; empty for the whole.
        headers: of the response.
    """

    def __init__(
        self, status: int, code: str, message: str, where: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.where = status, code, message, where
        self.headers = headers or {}


def not_found() -> ApiError:
    """The one answer for what does not exist and for what is not the asker's."""
    return ApiError(404, "not-found", _("There is nothing at this address, or it is not yours."))


def response_of(error: ApiError) -> HttpResponse:
    """The response that tells of an error; nothing stores it."""
    content = {"code": error.code, "message": one_line(error.message, 500), "where": error.where or None}
    headers = {"Cache-Control": "no-store", **error.headers}
    return JsonResponse(
        {"error": content}, status=error.status, headers=headers, json_dumps_params={"ensure_ascii": False}
    )


def handle_errors(api: NinjaAPI) -> None:
    """Let an API answer every expected error in this form."""

    def on(kind: type[Exception], make: Callable[[Exception], ApiError]) -> None:
        api.add_exception_handler(kind, lambda request, error: response_of(make(error)))

    on(ApiError, lambda error: error)  # type: ignore[arg-type, return-value]
    on(Http404, lambda error: not_found())
    on(AuthenticationError, lambda error: _unauthenticated())
    on(ValidationError, _invalid)
    on(RequestDataTooBig, lambda error: _of_status(413))
    on(SuspiciousOperation, lambda error: _of_status(400))
    on(MultiPartParserError, lambda error: _of_status(400))
    on(UnreadablePostError, lambda error: _of_status(400))
    on(HttpError, lambda error: _of_status(error.status_code))  # type: ignore[attr-defined]


def json_errors(get_response: Handler) -> Handler:
    """Middleware: errors below `API` that arise outside the API's own functions have its form, too."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_json = response.get("Content-Type", "").startswith("application/json")
        if not request.path_info.startswith(API) or response.status_code < 400 or is_json:
            return response
        # It may have failed before the language was set.
        with translation.override(translation.get_language_from_request(request)):
            told = response_of(_of_status(response.status_code))
        response.content = told.content
        for name, value in {**told.headers, "Content-Length": str(len(told.content))}.items():
            response[name] = value
        return response

    return handle


def fault_text(fault: Mapping[str, Any]) -> str:
    """What pydantic found wrong with a field, in the reader's language."""
    kind, limits = fault["type"], fault.get("ctx", {})
    if kind == "missing":
        return _("is missing")
    if kind == "extra_forbidden":
        return _("there is no such field")
    if kind == "literal_error":
        return _("expected one of %(values)s") % {"values": limits["expected"].replace(" or ", ", ")}
    if bounds := [(name, limits[name]) for name in ("gt", "ge", "le", "max_length") if name in limits]:
        name, bound = bounds[0]
        text = {"gt": _("expected more than %(n)s"), "ge": _("expected at least %(n)s")}
        return text.get(name, _("expected at most %(n)s")) % {"n": bound}
    if kind.startswith(("float_", "int_", "finite_")):
        return _("expected a number")
    if kind.startswith("string_"):
        return _("expected a text")
    return _("expected a JSON object") if kind.startswith(("json_", "model_")) else _("is not valid")


def _unauthenticated() -> ApiError:
    message = _("This needs a valid token. Make one on your account page and send it as “Authorization: Bearer TOKEN”.")
    return ApiError(401, "unauthenticated", message, "Authorization", {"WWW-Authenticate": 'Bearer realm="hueval"'})


def _invalid(error: Exception) -> ApiError:
    faults = error.errors  # type: ignore[attr-defined]
    wheres = [".".join(str(part) for part in fault["loc"][1:]) for fault in faults]
    shown = "; ".join(
        f"{where}: {fault_text(fault)}" for where, fault in zip(wheres, faults[:SHOWN_FAULTS], strict=False)
    )
    message = _("The request is not valid: %(faults)s. See the description of the API.") % {"faults": shown}
    return ApiError(422, "invalid", message, wheres[0] if wheres else "")


def _of_status(status: int) -> ApiError:
    if status == 404:
        return not_found()
    known = {
        403: ("forbidden", _("You may not do this.")),
        405: ("method", _("This address does not take this method. See the description of the API.")),
        413: ("too-large", _("The request is too large. See the description of the API for the limits.")),
        429: ("rate", _("Too many requests. Wait and try again.")),
        503: ("unavailable", _("The site cannot answer now. Nothing is lost; try again later.")),
        507: (
            "full",
            _("The disk of the site is full, and nothing was taken. Try again later; staff see it in the log."),
        ),
    }
    if status in known:
        return ApiError(status, *known[status])
    if status < 500:
        return ApiError(status, "malformed", _("The request cannot be read. See the description of the API."))
    return ApiError(status, "internal", _("The site failed to answer. Try again later; staff see it in the log."))

"""The form of a second reply for servers that hold a model to it: a JSON schema, sent as `response_format`.

OpenAI's API, vLLM, SGLang, llama.cpp and others take it; a server that refuses it is asked without. One that does not
take a second turn at all, as where a long first reply leaves no room for it, has said nothing.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

FORM = "hueval_form"  # among the settings of a request for a second reply: the schema, as JSON text; empty for none
_NO_FORM = (400, 404, 415, 422, 500, 501)  # statuses by which servers answer a form that they cannot use
_NO_ROOM = (400, 413, 422)  # and a request that they cannot take

log = logging.getLogger(__name__)


def take_forms(model: Any) -> None:
    """Have a model behind an API send the form of a second reply (`FORM`), until its server refuses one.

    Args:
        model: one of lm-eval's models behind an API. `takes_forms` says that forms may be given.
    """
    create, ask = model._create_payload, model.generate_until
    model.takes_forms = True
    refuses = False

    def payload(*args: Any, gen_kwargs: dict[str, Any] | None = None, **settings: Any) -> dict[str, Any]:
        form = (gen_kwargs := dict(gen_kwargs or {})).pop(FORM, None)
        body: dict[str, Any] = create(*args, gen_kwargs=gen_kwargs, **settings)
        if form and not refuses:
            schema = {"name": "answer", "strict": True, "schema": json.loads(form)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def second(requests: Sequence[Any], *args: Any, **settings: Any) -> list[Any]:
        nonlocal refuses
        try:
            return ask(requests, *args, **settings) if requests else []
        except Exception as error:
            status, has_form = _status(error), bool(requests[0].args[1][FORM]) and not refuses
            if status not in (_NO_FORM if has_form else _NO_ROOM):
                raise
        if has_form:
            refuses = True
            log.info("The model's server takes no response_format; it is asked without.")
            return second(requests, *args, **settings)
        if len(requests) > 1:
            return [reply for request in requests for reply in second([request], *args, **settings)]
        log.warning("The model's server does not take a second turn (HTTP %s): that reply stays unread.", status)
        return [""]

    def answers(requests: Sequence[Any], *args: Any, **settings: Any) -> list[Any]:
        by_form: dict[Any, list[int]] = defaultdict(list)
        for place, request in enumerate(requests):
            by_form[request.args[1].get(FORM) if len(request.args) > 1 else None].append(place)
        found: dict[int, Any] = {}
        for form, places in by_form.items():
            # The first alone shows whether the server takes the form, before others are answered in vain.
            for some in (places[:1], places[1:]) if form and not refuses else (places,):
                given = [requests[place] for place in some]
                said = (ask if form is None else second)(given, *args, **settings)
                found |= dict(zip(some, said, strict=True))
        return [found[place] for place in range(len(requests))]

    model._create_payload, model.generate_until = payload, answers


def _status(error: Exception) -> int | None:
    """The HTTP status of a failed request, by aiohttp or by requests."""
    return getattr(error, "status", None) or getattr(getattr(error, "response", None), "status_code", None)

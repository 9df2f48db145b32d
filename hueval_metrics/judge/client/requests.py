"""What is sent to a judge, the same in a live call and in a batch, and the name under which its reply is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from hueval_metrics.judge.rubric import LONG_REPLY, Rubric
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.text.quick_json import to_json

FORMAT = "response_format"


def parameters(settings: JudgeSettings, rubric: Rubric, max_tokens: int | None = None) -> dict[str, Any]:
    """The parameters of a request beside its messages; a server that refuses one is asked without it.

    Args:
        settings: the judge's seed and temperature.
        rubric: what is asked.
        max_tokens: the greatest length of the reply; None for the rubric's own.

    Returns:
        `temperature`, `seed`, `max_tokens`, and `response_format` where the rubric's reply has a schema.
    """
    params = {"temperature": settings.temperature, "seed": settings.seed, "max_tokens": max_tokens or rubric.MAX_TOKENS}
    if rubric.SCHEMA is None:
        return params
    schema = {"name": rubric.NAME, "strict": True, "schema": rubric.SCHEMA}
    return params | {FORMAT: {"type": "json_schema", "json_schema": schema}}


def body_of(model: str, messages: bytes, sent: Mapping[str, Any]) -> bytes:
    """The body of a request.

    Args:
        model: the judge's model id.
        messages: the chat messages as JSON, from `to_json`: made once, then hashed and sent as they are.
        sent: the parameters that the server takes.

    >>> body_of("m", b"[]", {"seed": 0})
    b'{"model":"m","seed":0,"messages":[]}'
    """
    head = to_json({"model": model, **sent})
    return b'%b,"messages":%b}' % (head[:-1], messages)


class RequestKeys:
    """Names of requests: the same for the same question under the same rubric, whoever asks.

    Args:
        settings: the judge's model, seed and temperature.
        rubric: its name counts. What it asks stands in the messages and parameters, and a cached reply is read anew: a
            new version costs nothing where it asks the same.
    """

    def __init__(self, settings: JudgeSettings, rubric: Rubric) -> None:
        # The length is no part of a question: what is cut off is asked for again. The constants keep older keys valid.
        asked = parameters(settings, rubric, LONG_REPLY)
        params = {"model": settings.model, "parameters": asked, "rubric": f"{rubric.NAME}/1"}
        self._head = hashlib.sha256(json.dumps(params, sort_keys=True, separators=(",", ":")).encode())

    def key(self, messages: bytes) -> str:
        """The SHA-256, in hexadecimal, of the model, the parameters and the messages.

        Args:
            messages: the chat messages as JSON.
        """
        request = self._head.copy()
        request.update(messages)
        return request.hexdigest()

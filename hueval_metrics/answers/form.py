"""What a second turn asks for: the form of an answer, in words and as a JSON schema for servers that take one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hueval_metrics.text.foreign import own_yaml


@dataclass(frozen=True, slots=True)
class Form:
    """What an answer looks like.

    Attributes:
        text: as a message shows it, such as `1 | 2`.
        schema: of a reply that holds the answer and nothing else; the same for all documents of a task, since servers
            prepare each anew.
        is_choice: whether `text` lists the possible answers, of which one is wanted.
    """

    text: str
    schema: Mapping[str, Any]
    is_choice: bool


def form_of(declared: Sequence[str] | str) -> Form:
    """The form that a task declares (`declare.Task.form`).

    >>> form_of(("1", "2")).text, form_of(("1", "2")).schema["properties"]
    ('1 | 2', {'answer': {'type': 'string', 'enum': ['1', '2']}})
    >>> form_of("answers").text
    '{"answers": ["#0#…", "#1#…", …]}'
    """
    if isinstance(declared, str):
        items = {"type": "array", "items": {"type": "string"}}
        return Form(f'{{"{declared}": ["#0#…", "#1#…", …]}}', _object(declared, items), is_choice=False)
    return Form(" | ".join(declared), _object("answer", {"type": "string", "enum": [*declared]}), is_choice=True)


def without_request(reply: str, declared: Sequence[str] | str | None) -> str:
    """A second reply without the lines that repeat the request: they hold its words, and no answer.

    >>> without_request("Most ezek egyikét: 1 | 2\\nVálasz: 2", ("1", "2"))
    'Válasz: 2'
    """
    repeated = (form_of(declared).text,) if declared else tuple(one["plain"] for one in texts().values())
    return "".join(line for line in reply.splitlines(keepends=True) if not any(text in line for text in repeated))


@cache
def texts() -> Mapping[str, Mapping[str, str]]:
    """Language → the texts of a request."""
    found: dict[str, dict[str, str]] = own_yaml(Path(__file__).with_name("second_turn.yaml"))
    return found


def _object(key: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "properties": {key: schema}, "required": [key], "additionalProperties": False}

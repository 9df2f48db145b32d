"""The form of an answer, as a second turn asks for it: in words, and as a JSON schema for servers that take one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


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


def _object(key: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "properties": {key: schema}, "required": [key], "additionalProperties": False}

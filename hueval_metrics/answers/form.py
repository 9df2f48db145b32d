"""The form of an answer, as a second turn asks for it: in words, and as a JSON schema for servers that take one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Form:
    """What an answer looks like. It is made of the document without its gold answer.

    Attributes:
        text: as a message shows it, such as `{"answer": ["#0#…"]}`.
        schema: of a reply that holds the answer and nothing else, for guided decoding; one for all documents of a task
            where that is possible, as servers prepare each anew.
        is_choice: whether `text` lists the possible answers, of which one is wanted.
    """

    text: str
    schema: Mapping[str, Any]
    is_choice: bool = False


def one_of(candidates: Sequence[str]) -> Form:
    """The form of an answer that is one of some candidates.

    >>> one_of(["1", "2"]).text, one_of(["1", "2"]).schema["properties"]
    ('1 | 2', {'answer': {'type': 'string', 'enum': ['1', '2']}})
    """
    return Form(" | ".join(candidates), _object("answer", {"type": "string", "enum": list(candidates)}), is_choice=True)


def list_of_blanks(key: str) -> Form:
    """The form of an answer that fills numbered blanks.

    >>> list_of_blanks("answer").text
    '{"answer": ["#0#…", "#1#…", …]}'
    """
    return Form(f'{{"{key}": ["#0#…", "#1#…", …]}}', _object(key, {"type": "array", "items": {"type": "string"}}))


def _object(key: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "properties": {key: schema}, "required": [key], "additionalProperties": False}

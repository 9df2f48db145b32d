"""How a bad row is described: the field, what stands there, what was expected."""

from __future__ import annotations

from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from hf_datasets.json_types import json_type
from hf_datasets.openhueval.schema import EXAMPLES, spellings
from hueval_metrics.text.one_line import one_line


def first_fault(model: type[BaseModel], error: ValidationError) -> str:
    """The first fault that pydantic found in a row, such as '"answers" is a string, expected a list of strings'."""
    fault = error.errors(include_url=False)[0]
    kind, value, limits = fault["type"], fault["input"], fault.get("ctx", {})
    if kind == "twin":
        return fault["msg"]
    name, expected = _field_and_shape(model, fault["loc"])
    if kind == "missing":
        return f"{name} is missing, expected {expected}"
    if kind == "too_short":
        return f"{name} has {limits['actual_length']} entries, expected at least {limits['min_length']}"
    if kind == "too_long":
        return f"{name} has {limits['actual_length']} entries, expected at most {limits['max_length']}"
    if kind == "string_pattern_mismatch":
        return f'{name} is "{one_line(value, 40)}", expected {EXAMPLES[limits["pattern"]]}'
    if kind == "dimension":
        return f'{name} is "{one_line(value, 40)}", {fault["msg"]}'
    if kind == "string_unicode":
        return f"{name} holds half a surrogate pair, expected Unicode text"
    found = one_line(value, 40) if type(value) is int else json_type(value)
    return f"{name} is {found}, expected {expected}"


def _field_and_shape(model: type[BaseModel], location: tuple[int | str, ...]) -> tuple[str, str]:
    """The field's name in quotes, as in '"turn[0].content"', and what should stand there."""
    path = ""
    annotation: Any = model
    fields = model.model_fields
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
            annotation = get_args(_plain(annotation))[0]
        else:
            path += f".{part}" if path else part
            field = next(f for name, f in fields.items() if part in spellings(name, f))
            annotation = field.annotation
        inner = _plain(annotation)
        fields = inner.model_fields if isinstance(inner, type) and issubclass(inner, BaseModel) else {}
    return f'"{path}"', _shape(annotation)


def _plain(annotation: Any) -> Any:
    """The annotation without pydantic's constraints and without `| None`.

    >>> _plain(list[str] | None)
    list[str]
    """
    if get_origin(annotation) is Annotated:
        return _plain(get_args(annotation)[0])
    if NoneType in get_args(annotation):
        return _plain(next(option for option in get_args(annotation) if option is not NoneType))
    return annotation


def _shape(annotation: Any) -> str:
    """An annotation in words.

    >>> _shape(list[str])
    'a list of strings'
    """
    plain = _plain(annotation)
    if get_origin(plain) is list:
        return "a list of strings" if _plain(get_args(plain)[0]) is str else "a list of objects"
    if plain is str:
        return "a string"
    return "0 or 1" if plain is int else "an object"

"""Messages for rows that break their schema: the field, its value, the expected value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.fields import FieldInfo

from hf_datasets.text_files import json_type
from hueval_metrics.one_line import one_line

Spelled = Mapping[tuple[int | str, ...], str]  # the official name of a field or column, by its place in our row


def first_fault(model: type[BaseModel], error: ValidationError, spelled: Spelled | None = None) -> str:
    """The first error that pydantic found in a row, such as '"answers" is a string, expected a list of strings'.

    Args:
        model: the row's schema. Messages of its own validators (`PydanticCustomError`) of a field begin with
            "expected".
        error: what pydantic raised.
        spelled: for rows with other field names than the official row: the official names.
    """
    fault = error.errors(include_url=False)[0]
    kind, value, message, limits = fault["type"], fault["input"], fault["msg"], fault.get("ctx", {})
    if not fault["loc"]:
        return str(message)
    path, annotation, constraints = _field(model, fault["loc"])
    name = f'"{one_line((spelled or {}).get(fault["loc"], path), 40)}"'
    if kind == "missing":
        return f"{name} is missing, expected {_shape(annotation)}; found only {one_line(', '.join(value), 80)}"
    if kind == "extra_forbidden":
        return f"{name} is an unknown field, expected only those that the card lists"
    if kind in ("too_short", "too_long"):
        bound = f"at least {limits['min_length']}" if kind == "too_short" else f"at most {limits['max_length']}"
        return f"{name} has {limits['actual_length']} entries, expected {bound}"
    if kind == "string_unicode":
        return f"{name} contains an unpaired surrogate, expected Unicode text"
    if message.startswith("expected "):
        return f'{name} is "{one_line(value, 40)}", {message}'
    if kind == "string_pattern_mismatch":
        example = next((found for found in (getattr(c, "examples", None) for c in constraints) if found), None)
        expected = f'a string like "{example[0]}"' if example else "some text"
        return f'{name} is "{one_line(value, 40)}", expected {expected}'
    if kind == "literal_error":
        shown = f'"{one_line(value, 40)}"' if isinstance(value, str) else json_type(value)
        return f"{name} is {shown}, expected {limits['expected']}"
    if value is None and spelled is not None:
        return f"{name} is missing, expected {_shape(annotation)}"
    shown = one_line(value, 40) if type(value) is int else json_type(value)
    return f"{name} is {shown}, expected {_range(constraints) or _shape(annotation)}"


def spellings(name: str, field: FieldInfo) -> list[str]:
    """The names that a field may have in a file, the usual one first."""
    alias = field.validation_alias
    return [str(choice) for choice in alias.choices] if isinstance(alias, AliasChoices) else [name]


def _field(model: type[BaseModel], location: tuple[int | str, ...]) -> tuple[str, Any, list[Any]]:
    """The field's name, such as "turn[0].content", its annotation and its constraints."""
    path = ""
    annotation: Any = model
    constraints: list[Any] = []
    fields = model.model_fields
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
            annotation = get_args(_plain(annotation))[0]
            constraints = list(get_args(annotation)[1:]) if get_origin(annotation) is Annotated else []
        else:
            path += f".{part}" if path else part
            field = next((f for name, f in fields.items() if part in (name, *spellings(name, f))), None)
            if field is None:  # the model has no such field
                return path, annotation, []
            annotation, constraints = field.annotation, [field, *field.metadata]
        inner = _plain(annotation)
        fields = inner.model_fields if isinstance(inner, type) and issubclass(inner, BaseModel) else {}
    return path, annotation, constraints


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
    """An annotation as text.

    >>> _shape(list[str])
    'a list of strings'
    """
    plain = _plain(annotation)
    if get_origin(plain) is list:
        return "a list of strings" if _plain(get_args(plain)[0]) is str else "a list of objects"
    if get_origin(plain) is Literal:
        return " or ".join(map(repr, get_args(plain)))
    return {str: "a string", bool: "true or false", int: "a whole number", float: "a number"}.get(plain, "an object")


def _range(constraints: Iterable[Any]) -> str | None:
    """The bounds of a number as text; None where there are not two."""
    low, high = (next((getattr(c, side) for c in constraints if hasattr(c, side)), None) for side in ("ge", "le"))
    if low is None or high is None:
        return None
    return f"{low} or {high}" if high - low == 1 else f"a number from {low} to {high}"

"""Model cards read from a YAML file: size, reasoning or not, open or closed, series."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr, ValidationError

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_yaml

_EXAMPLE = "models: {my-model: {size_b: 72, reasoning: false, open: true, series: Qwen2.5}}"


class ModelCard(BaseModel):
    """One model.

    Attributes:
        size_b: parameters in billions, above 0; None when not published.
        reasoning: whether it writes a reasoning trace before its answer.
        open: whether its weights are published.
        series: the family that it belongs to; None for one of its own.
        base: the label of the model without reasoning that it was trained from; None when that is not among them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    size_b: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    reasoning: StrictBool
    open: StrictBool
    series: StrictStr | None = None
    base: StrictStr | None = None


def read_model_cards(path: Path) -> dict[str, ModelCard]:
    """The cards in a YAML file of the form `models: {label: {size_b, reasoning, open, series, base}}`.

    Args:
        path: the file.

    Returns:
        Label, as in the results, → card; at least one.

    Raises:
        InputError: the file cannot be read, is no YAML, or a card lacks a field, has an unknown one or one of the wrong
            type, or names a base that is itself or has no card.
    """
    try:
        content = parse_yaml(read_text(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path}: not valid YAML ({one_line(error)})") from error
    models = content.get("models") if isinstance(content, dict) else None
    if not isinstance(models, dict) or not models:
        raise InputError(f"{path}: no models in it. Expected {_EXAMPLE}")
    cards = {str(label): _card(path, str(label), fields) for label, fields in models.items()}
    for label, card in cards.items():
        if card.base is not None and (card.base == label or card.base not in cards):
            wrong = "itself" if card.base == label else "not among the models"
            raise InputError(f'{path}: base of "{one_line(label)}": "{one_line(card.base)}" is {wrong}. Name another')
    return cards


def _card(path: Path, label: str, fields: Any) -> ModelCard:
    if not isinstance(fields, Mapping):
        raise InputError(f'{path}: "{one_line(label)}" has no fields. Expected {_EXAMPLE}')
    try:
        return ModelCard.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        message = f'{path}: {one_line(field)} of "{one_line(label)}": {one_line(first["msg"])}. Expected {_EXAMPLE}'
        raise InputError(message) from error

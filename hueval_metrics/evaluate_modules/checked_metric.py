"""What all modules have in common: they look at what they are given before `evaluate` stores it.

`evaluate` casts without asking (the string "AB" to the list ["A", "B"], 1.9 to 1), and says in several lines what it
cannot cast. Here a row must fit its model, and the first that does not is named in one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import evaluate
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from hueval_metrics.records import InputError
from hueval_metrics.text.one_line import one_line


def _storable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        fix = 'no Unicode text, half a surrogate pair is in it. text.encode(errors="replace").decode() takes it out'
        raise PydanticCustomError("surrogate", fix) from None
    return text


Text = Annotated[str, Strict(), AfterValidator(_storable)]
Texts = Annotated[list[Text], Field(min_length=1)]


class Reference(BaseModel):
    """What a response is scored against. Fields that are not listed are let through: a row of the data set will do."""

    model_config = ConfigDict(strict=True, extra="ignore")


def checked(column: str, kind: Any, values: Any) -> list[Any]:
    """The values of an input column as plain Python, models as dicts with every field.

    Args:
        column: its name, for messages.
        kind: the type of a value, for pydantic.
        values: a list, an array, a tensor, a series, a column of a data set.

    Raises:
        InputError: it is none of these, or a value is not of its type.
    """
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__"):
        raise InputError(f"{column}: {one_line(repr(values), 40)} is not a list. Give one value for each response")
    plain = values.tolist() if hasattr(values, "tolist") else list(values)
    adapter = TypeAdapter(list[kind])
    try:
        return adapter.dump_python(adapter.validate_python(plain))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
    place, *path = fault["loc"]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in (place, *path))
    if fault["type"] == "missing":
        raise InputError(f'{column}[{place}]: the field "{path[-1]}" is missing')
    wish = fault["msg"][0].lower() + fault["msg"][1:]
    raise InputError(f"{column}{name}: {one_line(wish, 240)}; found {one_line(repr(fault['input']), 40)}")


class CheckedMetric(evaluate.Metric, ABC):
    """A metric whose inputs are checked.

    Attributes:
        PREDICTION: the type of a prediction, for pydantic.
        REFERENCE: that of a reference.
    """

    PREDICTION: ClassVar[Any] = Text | None
    REFERENCE: ClassVar[Any]

    @abstractmethod
    def _info(self) -> evaluate.MetricInfo:
        """What `evaluate` wants to know: description, citation, features."""

    def compute(self, *, predictions: Any = None, references: Any = None, **settings: Any) -> dict[str, Any] | None:
        """Score all that was added, or what is given here.

        Raises:
            InputError: a value does not fit, or there is none.
        """
        try:
            scores: dict[str, Any] | None = super().compute(predictions=predictions, references=references, **settings)
            return scores
        except BaseException:  # evaluate would keep its lock, and the next call wait for it
            for lock in self.filelocks or ():
                lock.release()
            raise

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Take in several responses.

        Raises:
            InputError: a value does not fit, there is none, or there are not as many references as predictions.
        """
        given = checked("predictions", self.PREDICTION, predictions)
        against = checked("references", self.REFERENCE, references)
        if len(given) != len(against):
            raise InputError(f"{len(given)} predictions and {len(against)} references. Give each its own")
        if not given and self.num_process == 1:  # of several processes one may have got no share
            raise InputError("no predictions: there is nothing to score")
        super().add_batch(predictions=given, references=against, **others)

    def add(self, *, prediction: Any = None, reference: Any = None, **columns: Any) -> None:
        """Take in one response.

        Raises:
            InputError: a value does not fit.
        """
        row = {"predictions": prediction, "references": reference} | columns  # evaluate.combine uses the plural
        self.add_batch(**{column: [value] for column, value in row.items()})

    def _enforce_nested_string_type(self, schema: Any, obj: Any) -> None:
        """Not evaluate's own check: it takes no None for a text, and looks at the first row alone."""

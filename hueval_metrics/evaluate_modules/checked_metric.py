"""Base class of the `evaluate` modules: validates inputs before `evaluate` stores them.

`evaluate` casts values silently (the string "AB" to the list ["A", "B"], 1.9 to 1), and its message for a value that it
cannot cast has several lines. Here each row must fit a pydantic model, and one line names the first row that does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import datasets
import evaluate
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from hueval_metrics.errors import InputError
from hueval_metrics.evaluate_modules import module_path
from hueval_metrics.one_line import one_line


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
    """What a response is scored against. Unknown fields are ignored, so a row of the data set is accepted."""

    model_config = ConfigDict(strict=True, extra="ignore")


def checked(column: str, kind: Any, values: Any) -> list[Any]:
    """The values of an input column as plain Python; models become dicts with every field.

    Args:
        column: its name, for messages.
        kind: the type of a value, for pydantic.
        values: a list, an array, a tensor, a series, a column of a data set.

    Raises:
        InputError: `values` is none of these, or a value does not have the type.
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
    """A metric with validated inputs, documented by its card (`README.md` in the module's folder).

    Attributes:
        PREDICTION: the type of a prediction, for pydantic.
        REFERENCE: the type of a reference, for pydantic.
    """

    PREDICTION: ClassVar[Any] = Text | None
    REFERENCE: ClassVar[Any]

    @abstractmethod
    def _info(self) -> evaluate.MetricInfo:
        """The metadata that `evaluate` asks for; see `info_of_card`."""

    def info_of_card(self, prediction: Any, reference: Any, urls: Sequence[str]) -> evaluate.MetricInfo:
        """The metadata, with the description, help and citation of the card.

        Args:
            prediction: the type of a prediction, for `datasets`.
            reference: the type of a reference, for `datasets`.
            urls: of papers and code.
        """
        name = type(self).__module__.rpartition(".")[2]
        card = (Path(module_path(name)) / "README.md").read_text(encoding="utf-8")
        sections = dict(section.split("\n", 1) for section in card.split("\n## ")[1:])
        return evaluate.MetricInfo(
            description=sections["Metric description"].strip(),
            citation=sections["Citation"].strip().removeprefix("```bibtex\n").removesuffix("\n```"),
            inputs_description=sections["How to use"],
            features=datasets.Features({"predictions": prediction, "references": reference}),
            reference_urls=list(urls),
        )

    def compute(self, *, predictions: Any = None, references: Any = None, **settings: Any) -> dict[str, Any] | None:
        """Score everything that was added, or what is passed here.

        Raises:
            InputError: a value is not valid, or there is none.
        """
        try:
            scores: dict[str, Any] | None = super().compute(predictions=predictions, references=references, **settings)
            return scores
        except BaseException:  # evaluate would keep its lock, and the next call would wait for it
            for lock in self.filelocks or ():
                lock.release()
            raise

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Add several responses.

        Raises:
            InputError: a value is not valid, there is none, or the numbers of references and predictions differ.
        """
        given = checked("predictions", self.PREDICTION, predictions)
        against = checked("references", self.REFERENCE, references)
        if len(given) != len(against):
            raise InputError(f"{len(given)} predictions and {len(against)} references. Give each its own")
        if not given and self.num_process == 1:  # with several processes, the share of one may be empty
            raise InputError("no predictions: there is nothing to score")
        super().add_batch(predictions=given, references=against, **others)

    def add(self, *, prediction: Any = None, reference: Any = None, **columns: Any) -> None:
        """Add one response.

        Raises:
            InputError: a value is not valid.
        """
        row = {"predictions": prediction, "references": reference} | columns  # evaluate.combine uses the plural
        self.add_batch(**{column: [value] for column, value in row.items()})

    def _enforce_nested_string_type(self, schema: Any, obj: Any) -> None:
        """Disables evaluate's own check, which rejects None as a text and looks at the first row only."""

"""Predictions as the caller gives them: paths, or rows in memory, which are written to a file to be scored like one."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from hueval_metrics.api.paths import path_of
from hueval_metrics.errors import HuevalError, InputError

_EXPECTED = 'expected a path, paths, a data frame, or rows such as {"qid": …, "prediction": …}'


@contextmanager
def prediction_files(predictions: Any) -> Iterator[list[Path]]:
    """The files that hold the predictions.

    Args:
        predictions: a path, paths, a data frame of pandas, or an iterable of mappings.

    Yields:
        The paths; rows in memory are in a temporary file, which messages call `predictions row N`.

    Raises:
        InputError: they are of another type, there are none, or a row is no mapping of JSON values.
    """
    if isinstance(predictions, (str, Path)):
        yield [path_of(predictions, "predictions")]
        return
    if hasattr(predictions, "iterrows"):  # a frame of pandas, which iterates over the names of its columns
        predictions = predictions.to_dict("records")
    if isinstance(predictions, Mapping) or not isinstance(predictions, Iterable):
        raise InputError(f"predictions: {_EXPECTED}, got {type(predictions).__name__}")
    rest = iter(predictions)
    first = next(rest, None)
    if first is None:
        raise InputError(f"predictions: empty; {_EXPECTED}")
    if isinstance(first, (str, Path)):
        yield [path_of(one, "predictions") for one in chain([first], rest)]
        return
    with tempfile.TemporaryDirectory(prefix="hueval-") as folder:
        file = Path(folder) / "predictions.jsonl"
        with file.open("w", encoding="ascii") as lines:
            for number, row in enumerate(chain([first], rest), 1):
                lines.write(_line(row, number))
        try:
            yield [file]
        except HuevalError as error:
            message = str(error).replace(f"{file} line", "predictions row").replace(str(file), "predictions")
            raise type(error)(message) from None


def _line(row: Any, number: int) -> str:
    if not isinstance(row, Mapping):
        raise InputError(f"predictions row {number}: of type {type(row).__name__}; {_EXPECTED}")
    try:
        return json.dumps(dict(row)) + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"predictions row {number}: cannot be written as JSON ({error})") from None

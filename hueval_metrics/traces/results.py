"""traces.json: the figures of an analysis, written and read here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_own_json, write_whole
from hueval_metrics.text.write_json import json_text
from hueval_metrics.traces.measures import Number, Test

FILE = "traces.json"
FORMAT: Literal["hueval-traces/1"] = "hueval-traces/1"
_AGAIN = "Analyse the runs again: hueval traces"


def find_analyses(path: Path) -> list[Path]:
    """The files of analyses in a folder and all its sub-folders, or the file itself where it is one, sorted by name."""
    if path.is_dir():
        return sorted(file for file in path.rglob(FILE) if file.is_file())
    return [path] if path.name == FILE else []


def read(path: Path) -> TraceResults:
    """An analysis.

    Args:
        path: of `FILE`.

    Raises:
        InputError: it cannot be read, or is not as this version writes it.
    """
    from pydantic import TypeAdapter, ValidationError

    data = read_own_json(path, "Name the --output folder of `hueval traces`", _AGAIN)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"{path}: not an analysis that this version reads ({FORMAT}). {_AGAIN}")
    try:
        json.dumps(data, allow_nan=False)
        return TypeAdapter(TraceResults).validate_python(data)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise InputError(f"{path}: {one_line(where, 80)} is not as this version writes it. {_AGAIN}") from None
    except ValueError:
        raise InputError(f"{path}: a number that is not finite. {_AGAIN}") from None


@dataclass(frozen=True)
class AnalysedRun:
    """A run of an analysis.

    Attributes:
        label: as in tables and on the page of results.
        model: what the model is called.
        signatures: task → what its scores depend on.
        counts: task → name → replies: `replies`, `no_trace`, `cut`, `looping`, `several_blocks`.
        left_out: step → reason → replies that the step left out; under `thoughts.scores` thoughts without a score,
            under `segments.dimensions` replies without classes.
    """

    label: str
    model: str
    signatures: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    left_out: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class TraceResults:
    """What traces.json holds.

    Attributes:
        hueval: version of the library that wrote it.
        steps: that were made.
        tokenizer: that counted tokens.
        signature: what the figures depend on besides the runs: version and tokenizer; limit, judge and rubrics.
        runs: in the order given.
        numbers, tests: the figures.
        format: of the file.
    """

    hueval: str
    steps: Sequence[str]
    tokenizer: str
    signature: str
    runs: Sequence[AnalysedRun]
    numbers: Sequence[Number]
    tests: Sequence[Test]
    format: Literal["hueval-traces/1"] = FORMAT

    def write(self, folder: Path) -> None:
        """Write the file, whole or not at all.

        Raises:
            InputError: it cannot be written.
        """
        text = json_text(asdict(self), indent=1, allow_nan=False)
        write_whole(folder / FILE, (text + "\n").encode())

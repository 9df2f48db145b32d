"""calibration.json: which answers judge and reference rated, and how, by hashes; no answers, no ids in clear.

The file's `sha256` is that of the canonical JSON of all else, so that a changed rating is noticed, and results can name
the calibration that they rest on.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hueval_metrics.errors import InputError
from hueval_metrics.judges.stats.items import LEAST_RATED
from hueval_metrics.one_line import one_line
from hueval_metrics.runs.scales import is_judged, scale_of
from hueval_metrics.stats.agreement import Rating
from hueval_metrics.text.checksum import checksum
from hueval_metrics.text.files import read_own_json
from hueval_metrics.version import __version__

FORMAT = "hueval-calibration/1"
NAME = "calibration.json"
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1e9  # of an answer; squares of others are not exact
DIGITS = 12  # of the file's hash, as signatures and tables show it

_Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


def digest(*parts: str) -> str:
    """A hash of some texts, 16 hex digits.

    >>> digest("toybench_letters", "q1") == digest("toybench_letters", "q1") != digest("toybench_lettersq1")
    True
    """
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def calibration_bytes(tasks: Mapping[str, TaskCalibration]) -> bytes:
    """The content of a calibration file."""
    data: dict[str, Any] = {"format": FORMAT, "hueval": __version__}
    data |= {"sha256": "", "tasks": {name: task.model_dump() for name, task in tasks.items()}}
    data["sha256"] = checksum(data)
    return (json.dumps(data, allow_nan=False) + "\n").encode()


def read_calibration(path: Path) -> Calibration:
    """A calibration file.

    Raises:
        InputError: it cannot be read, is no calibration of this format, was changed, or is of a task that is not
            declared here or whose rubric has other ratings.
    """
    fit = "Fit it again: hueval calibrate fit"
    data = read_own_json(path, "Name what `hueval calibrate fit` wrote", fit)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"{path}: not a calibration that this version reads ({FORMAT}). {fit}")
    if data.get("sha256") != checksum(data):
        raise InputError(f"{path}: changed since it was written (its sha256 is another). {fit}")
    try:
        calibration = Calibration.model_validate(data)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise InputError(f"{path}: {one_line(where, 80)} is not as this version writes it. {fit}") from None
    for name, task in calibration.tasks.items():
        if not is_judged(name):
            raise InputError(f"{path}: {one_line(name, 80)} is no judged task of this version. {fit}")
        scale = scale_of(name)
        if any(not (scale.has(one.judge) and scale.has(one.reference)) for one in task.items):
            raise InputError(f"{path}: ratings of {name} that its rubric does not have. {fit}")
        rated = Counter(
            (one.run, one.item, one.response) for one in task.items
        )  # a repeated one would narrow the intervals
        of_runs = Counter(one.run for one in task.items)
        if max(rated.values()) > 1 or any(n > task.runs.get(run, 0) for run, n in of_runs.items()):
            raise InputError(f"{path}: more rated answers of {name} than the judge rated of the run. {fit}")
    return calibration


class RatedAnswer(NamedTuple):
    """An answer that judge and reference rated.

    Attributes:
        item, response, cluster: hashes (`digest`).
        run: the label of the run that the answer is of.
        stratum: the code of the item's stratum; None without one.
        weight: how many answers of the run it stands for, relative to the others.
        judge, reference: the labels, or the scores.
    """

    item: _Hash
    response: _Hash
    cluster: _Hash
    run: str
    stratum: str | None
    weight: Annotated[float, Field(ge=LEAST_WEIGHT, le=MOST_WEIGHT)]
    judge: Rating
    reference: Rating


@dataclass(frozen=True)
class Differing:
    """A test of whether the judge errs alike on several groups of answers (`stats.calibrated.differential`).

    Attributes:
        by: what a group is: a `run`, or a `series` of models.
        p: of equal errors in all groups.
        n: answers in them.
        groups: their names.
    """

    by: Literal["run", "series"]
    p: Annotated[float, Field(ge=0, le=1)]
    n: int
    groups: tuple[str, ...]


class TaskCalibration(BaseModel):
    """A judge calibrated to a reference, in one task.

    Attributes:
        rubric: name and version of the rubric.
        judge: the judge's model id.
        reference: the reference's model id, or `people (n raters)`.
        reference_kind: `judge` or `people`.
        signature: the parts of a run's signature that must be the same where it is applied.
        runs: label of a run with rated answers → how many of its answers the judge rated.
        items: the answers that both rated, at least `LEAST_RATED`.
        left_out: why other answers that the reference rated are not among them → how many.
        differing: tests of differing errors; empty with one group.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    rubric: str
    judge: str
    reference: str
    reference_kind: Literal["judge", "people"]
    signature: dict[str, str]
    runs: dict[str, int]
    items: Annotated[list[RatedAnswer], Field(min_length=LEAST_RATED)]
    left_out: dict[str, int]
    differing: list[Differing] = []

    def runs_within(self, answers: Collection[tuple[str, str]]) -> set[str]:
        """The runs whose rated answers are all among some answers, which is to say that they are of the same run.

        It need not be the whole of it: the rated answers may have been drawn into a frozen set first.

        Args:
            answers: hashes of item and response.
        """
        return self.runs.keys() - {one.run for one in self.items if (one.item, one.response) not in answers}


class Calibration(BaseModel):
    """A calibration file: task → its calibration."""

    model_config = ConfigDict(frozen=True)

    hueval: str
    sha256: str
    tasks: Annotated[dict[str, TaskCalibration], Field(min_length=1)]

"""What a format of submitted files has to do: detect the task of a file, check it, score it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.score import TaskScore


@dataclass(frozen=True)
class Target:
    """What a file is submitted for.

    Attributes:
        task: the task's name.
        variants: key of `--metadata` → value, such as `split`.
        data_dir: the folder with the data, one sub-folder a family; None for where `hf_datasets.locate` looks.
        temp_dir: where temporary files lie, as large as what is submitted; None for where the system has them.
    """

    task: str
    variants: Mapping[str, str | int] = field(default_factory=dict)
    data_dir: Path | None = None
    temp_dir: Path | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of `loader.documents` after the task."""
        where = {} if self.data_dir is None else {"data_dir": str(self.data_dir)}
        return {**self.variants, **where}


@dataclass(frozen=True)
class Fault:
    """Something wrong with a file.

    Attributes:
        kind: language (`en`, `hu`) → what faults like this one have in common; goes on after "3 more, where …".
        text: language → where it is, what is wrong, and how to fix it, in one line that quotes no reference answer.
        row: of the file, from 1; None for the file as a whole.
    """

    kind: Mapping[str, str]
    text: Mapping[str, str]
    row: int | None = None


@dataclass(frozen=True)
class Checked:
    """A file as far as it can be read.

    Attributes:
        answers: item, its key as one text → the answer given, in the order of the file.
        faults: those of the whole file, of rows in their order, then what is missing; nothing if it can be scored.
        n_faults: how many there are, where not all are kept.
    """

    answers: Mapping[str, str]
    faults: Sequence[Fault] = ()
    n_faults: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_faults", max(self.n_faults, len(self.faults)))


class SubmissionFormat(Protocol):
    """The files that a board takes; a board names one by its dotted path."""

    @property
    def help(self) -> Mapping[str, str]:
        """Language → what a file has to look like, in a sentence or two."""

    def task_of(self, name: str) -> str | None:
        """The task in the name of a file of an archive; None where the name has none."""

    def example(self, target: Target) -> str:
        """The first lines of a file that would be taken, made of the items of the target."""

    def check(self, path: Path, target: Target) -> Checked:
        """Check a file against the items of a task, whose reference answers need not be available.

        Raises:
            DataError: the items cannot be found.
        """

    def score(self, path: Path, target: Target, plan: JudgePlan) -> TaskScore:
        """Score a file without faults by the task's own metrics; no row of an item is kept.

        Raises:
            InputError: the file has faults.
            DataError: the items or their reference answers cannot be found.
        """

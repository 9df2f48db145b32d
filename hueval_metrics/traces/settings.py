"""What is analysed, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hueval_metrics.errors import OptionError

FREE, THOUGHTS, SEGMENTS = "free", "thoughts", "segments"
JUDGED = (THOUGHTS, SEGMENTS)
R1, QWQ, NUMBERED = SEGMENTERS = ("r1", "qwq", "numbered")


@dataclass(frozen=True)
class Settings:
    """The options of `hueval traces`.

    Attributes:
        steps: of `FREE`, which is always made, and `JUDGED`.
        task: only this task's replies; None for all.
        limit: how many replies a judge's steps see of each run and task (`sampling`); None for all. What needs no judge
            is read of all.
        tokenizer: name or folder; None for the model's own.
        segmenter: one of `SEGMENTERS`; None: by the model.
        data: `data_dir` and variants, for replies that do not carry their documents.

    Raises:
        OptionError: an option means nothing.
    """

    steps: Sequence[str] = (FREE,)
    task: str | None = None
    limit: int | None = None
    tokenizer: str | None = None
    segmenter: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.limit, int | None) or isinstance(self.limit, bool):
            raise OptionError(f"limit: of type {type(self.limit).__name__}, expected a number of replies")
        if not isinstance(self.tokenizer, str | None):
            given = type(self.tokenizer).__name__
            raise OptionError(f"tokenizer: of type {given}, expected a name or a folder, as text")
        if not isinstance(self.steps, Sequence):
            raise OptionError(f"steps: of type {type(self.steps).__name__}, expected names of steps")
        known = (FREE, *JUDGED)
        if not self.steps or (unknown := [step for step in self.steps if step not in known]):
            raise OptionError(f'steps: "{unknown[0] if self.steps else ""}" is none. Choose of {", ".join(known)}')
        if self.limit is not None and self.limit < 1:
            raise OptionError(f"limit: {self.limit} is not a number of replies from 1 on")
        if self.segmenter not in (None, *SEGMENTERS):
            raise OptionError(f'segmenter: "{self.segmenter}" is none. Choose of {", ".join(SEGMENTERS)}')

    @property
    def judged(self) -> list[str]:
        """The steps that ask a judge."""
        return [step for step in JUDGED if step in self.steps]

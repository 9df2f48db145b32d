"""What is analysed, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FREE, THOUGHTS, SEGMENTS = "free", "thoughts", "segments"
JUDGED = (THOUGHTS, SEGMENTS)
SEGMENTERS = ("r1", "qwq", "numbered")


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
    """

    steps: Sequence[str] = (FREE,)
    task: str | None = None
    limit: int | None = None
    tokenizer: str | None = None
    segmenter: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def judged(self) -> list[str]:
        """The steps that ask a judge."""
        return [step for step in JUDGED if step in self.steps]

"""traces.json: the figures of an analysis, written and read here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hueval_metrics.text.files import write_whole
from hueval_metrics.traces.measures import Number, Test

FILE = "traces.json"


@dataclass(frozen=True)
class AnalysedRun:
    """A run of an analysis.

    Attributes:
        label: as in tables and on the page of results.
        model: what the model is called.
        signatures: task → what its scores depend on.
        counts: task → name → replies: `replies`, `no_trace`, `cut`, `looping`, `several_blocks`.
        left_out: step → reason → replies that the step left out.
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
        signature: what the figures depend on besides the runs: judge, rubrics, tokenizer, segmenter, limit.
        runs: in the order given.
        numbers, tests: the figures.
    """

    hueval: str
    steps: Sequence[str]
    tokenizer: str
    signature: str
    runs: Sequence[AnalysedRun]
    numbers: Sequence[Number]
    tests: Sequence[Test]

    def write(self, folder: Path) -> None:
        """Write the file, whole or not at all.

        Raises:
            InputError: it cannot be written.
        """
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1, allow_nan=False)
        write_whole(folder / FILE, (text + "\n").encode())

"""How models reason, read from the traces of their replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hueval_metrics.api.documents import settings_of, task_name
from hueval_metrics.api.paths import path_of


def traces(
    runs: str | Path | Sequence[str | Path],
    *,
    output: str | Path = "traces",
    steps: Sequence[str] = ("free",),
    task: str | None = None,
    limit: int | None = None,
    tokenizer: str | None = None,
    segmenter: str | None = None,
    data_dir: str | Path | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Analyse the reasoning traces of runs (`hueval traces`)."""
    from hueval_metrics.judge.settings import judge_settings
    from hueval_metrics.traces.analyse import analyse
    from hueval_metrics.traces.judging import Asking
    from hueval_metrics.traces.settings import FREE, Settings

    paths = [path_of(path, "runs") for path in ([runs] if isinstance(runs, str | Path) else runs)]
    name = None if task is None else task_name(task)
    settings = Settings(steps, name, limit, tokenizer, segmenter, settings_of(data_dir, metadata))
    asking = None if set(steps) <= {FREE} else Asking(judge_settings())
    analyse(paths, path_of(output, "output"), settings, asking)

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
    from hueval_metrics.traces.judging import asking_of
    from hueval_metrics.traces.settings import Settings

    paths = [path_of(path, "runs") for path in ([runs] if isinstance(runs, str | Path) else runs)]
    name = None if task is None else task_name(task)
    settings = Settings(steps, name, limit, tokenizer, segmenter, settings_of(data_dir, metadata))
    asking = asking_of(judge_settings(), settings.judged) if settings.judged else None
    analyse(paths, path_of(output, "output"), settings, asking)


def traces_plan(
    runs: str | Path | Sequence[str | Path],
    *,
    steps: Sequence[str],
    task: str | None = None,
    limit: int | None = None,
    segmenter: str | None = None,
    data_dir: str | Path | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> list[str]:
    """What the judge of `traces` will be asked, and its price (`hueval traces --dry-run`); nobody is asked.

    Returns:
        A line for each rubric, and one for all; none where no step asks a judge.

    Raises:
        InputError: see `traces`.
    """
    from hueval_metrics.judge.settings import judge_settings
    from hueval_metrics.traces.analyse import planned_calls
    from hueval_metrics.traces.judging import asking_of
    from hueval_metrics.traces.settings import Settings

    paths = [path_of(path, "runs") for path in ([runs] if isinstance(runs, str | Path) else runs)]
    name = None if task is None else task_name(task)
    settings = Settings(steps, name, limit, None, segmenter, settings_of(data_dir, metadata))
    return planned_calls(paths, settings, asking_of(judge_settings(), settings.judged)) if settings.judged else []

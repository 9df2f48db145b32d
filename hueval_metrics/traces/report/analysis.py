"""Analyses of traces (`hueval traces`) as a report takes them: found among its paths, and matched with its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hueval_metrics.errors import InputError
from hueval_metrics.runs.load import results_in
from hueval_metrics.runs.run import Run
from hueval_metrics.traces.report.rows import ItemKey, TraceRow, read_rows
from hueval_metrics.traces.results import TraceResults, find_analyses, read

Rows = Mapping[ItemKey, TraceRow]


@dataclass(frozen=True)
class Analysis:
    """An analysis: its folder, and the content of its traces.json."""

    folder: Path
    results: TraceResults


def without_analyses(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Separate the paths of results from analyses.

    Returns:
        The paths that are not analyses alone, and the files of all analyses in the paths and their sub-folders.
    """
    others, files = [], []
    for path in paths:
        found = find_analyses(path)
        files += found
        if not found or (path.is_dir() and results_in(path)):
            others.append(path)
    return others, list({file.resolve(): file for file in files}.values())


def read_analyses(files: Sequence[Path], on_fault: Callable[[str], None]) -> list[Analysis]:
    """The analyses in some files.

    Args:
        files: as `without_analyses` finds them.
        on_fault: takes the message on one that cannot be read, which is left out.
    """
    found = []
    for file in files:
        try:
            found.append(Analysis(file.parent, read(file)))
        except InputError as error:
            on_fault(str(error))
    return found


def rows_of_runs(
    runs: Sequence[Run], analyses: Sequence[Analysis], on_fault: Callable[[str], None]
) -> tuple[list[Rows], dict[str, str]]:
    """The rows of each run.

    An analysed run is the report's run of the same label; or of the same model, where neither the report nor the
    analysis has another one of it, as the label depends on which runs are read together.

    Args:
        runs: of the report.
        analyses: of which the first counts where several have a run.
        on_fault: takes the message on rows that cannot be read.

    Returns:
        For each run item → row; and the label in an analysis → that of the report, where they differ.
    """
    found: list[dict[ItemKey, TraceRow]] = [{} for _ in runs]
    labels = {run.label: place for place, run in enumerate(runs)}
    models = Counter(run.model for run in runs)
    renamed = {}
    for analysis in analyses:
        try:
            rows = read_rows(analysis.folder, on_fault)
        except InputError as error:
            on_fault(str(error))
            continue
        analysed = Counter(run.model for run in analysis.results.runs)
        for run in analysis.results.runs:
            place = labels.get(run.label)
            if place is None and models[run.model] == analysed[run.model] == 1:
                place = next(at for at, one in enumerate(runs) if one.model == run.model)
                renamed[run.label] = runs[place].label
            if place is not None:
                found[place] = rows.get(run.label, {}) | found[place]
    return list(found), renamed

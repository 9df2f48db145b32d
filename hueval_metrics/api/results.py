"""Results of runs, loaded from their files: as a table, as data frames, item by item."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.api.frames import ANY, BOOLEAN, COUNT, NUMBER, TEXT, frame
from hueval_metrics.api.html import notes_html, table_html
from hueval_metrics.api.paths import path_of
from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.runs.run import Run, item_id
from hueval_metrics.terminal import terminal_width
from hueval_metrics.words.texts import ENGLISH, printed

if TYPE_CHECKING:
    import pandas

    from hueval_metrics.runs.items import Item
    from hueval_metrics.scoring.flags import Flag

_SCORES = {
    "model": TEXT,
    "task": TEXT,
    "metric": TEXT,
    "score": NUMBER,
    "ci95_low": NUMBER,
    "ci95_high": NUMBER,
    "n": COUNT,
    "headline": BOOLEAN,
    "ci_method": TEXT,
    "signature": TEXT,
    "flags": TEXT,
}
_SPREAD = {"lowest": NUMBER, "highest": NUMBER}
_ITEMS = {
    "model": TEXT,
    "task": TEXT,
    "item": TEXT,
    "cluster": TEXT,
    "dimension": TEXT,
    "prompt": TEXT,
    "reference": TEXT,
    "prediction": TEXT,
    "response": TEXT,
    "truncated": BOOLEAN,
    "answer": ANY,
    "reading": TEXT,
    "verdict": ANY,
}

log = logging.getLogger(__name__)


def load(*paths: str | Path, by_prompt: bool = True, over: Sequence[str] | None = None) -> Results:
    """Load what `hueval run`, lm-eval or `score` has written.

    A file that cannot be read is left out with a warning, and named in `Results.faults`.

    Args:
        paths: results files, or folders that are searched with all their sub-folders.
        by_prompt: each run by itself; False for the mean over the prompts (`--metadata prompt`) and repeats
            (`hueval run --repeats`) of a model.
        over: `prompt`, `repeat` or both: the facets over which to take means, in place of `by_prompt`.

    Returns:
        The runs, in the order given.

    Raises:
        InputError: a path holds no results, or nothing in it can be read.

    >>> import hueval_metrics as hueval
    >>> results = hueval.load("results")  # doctest: +SKIP
    >>> scores = results.to_pandas().query("headline")  # doctest: +SKIP
    >>> scores.pivot(index="model", columns=["task", "metric"], values="score")  # doctest: +SKIP
    >>> results.items().query("truncated")[["model", "item", "prompt"]]  # doctest: +SKIP
    """
    from hueval_metrics.runs.facets import FACETS
    from hueval_metrics.runs.load import load_runs

    facets = (() if by_prompt else FACETS) if over is None else over
    if unknown := [one for one in facets if one not in FACETS]:
        raise InputError(f'over: "{one_line(unknown[0], 40)}" is no facet. One of: {", ".join(FACETS)}')
    if not paths:
        raise InputError("no path given. Name results files, or folders that hold them")
    faults: list[str] = []
    runs = load_runs([path_of(path) for path in paths], faults.append, over=facets)
    for fault in faults:
        log.warning("%s", fault)
    return Results(tuple(runs), tuple(faults))


def results_of(*given: Results | str | Path) -> Results:
    """Results and paths together; a run that is there twice counts once.

    Args:
        given: results, and what `load` takes.

    Raises:
        InputError: see `load`; or a file was written again since it was loaded.
    """
    from hueval_metrics.runs.load import with_distinct_labels

    if not any(isinstance(one, Results) for one in given):
        return load(*given)  # type: ignore[arg-type]
    parts = [one if isinstance(one, Results) else load(one) for one in given]
    runs = list({run.path.resolve(): run for part in parts for run in part.runs}.values())
    for part in parts:
        part.check_current()
    return Results(tuple(with_distinct_labels(runs)), tuple(fault for part in parts for fault in part.faults))


def _stamp(file: Path) -> tuple[int, int] | None:
    """What changes when a file is written again; None where there is none."""
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


@dataclass(frozen=True, repr=False)
class Results:
    """The scores of one or more runs. `print(results)` shows the table of headline scores.

    Attributes:
        runs: each with its scores by task (`runs.run.Run`).
        faults: one line for each file that could not be read.
    """

    runs: tuple[Run, ...]
    faults: tuple[str, ...] = ()
    _stamps: Mapping[Path, tuple[int, int] | None] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        sources = {result.source for run in self.runs for result in run.tasks.values()}
        object.__setattr__(self, "_stamps", {source: _stamp(source) for source in sources})

    def check_current(self) -> None:
        """See that no file was written again since it was loaded: the items are read from beside it.

        Raises:
            InputError: one was, as by a `score` of another model into the same folder.
        """
        for source, stamp in self._stamps.items():
            if _stamp(source) != stamp:
                fix = "Load it again, and give each model its own output folder"
                raise InputError(f"{source}: has changed since it was loaded. {fix}")

    @property
    def n_unanswered(self) -> int:
        """How many verdicts were asked for and did not come; the same `score` asks for them again."""
        return sum(result.n_unanswered for run in self.runs for result in run.tasks.values())

    @property
    def flags(self) -> Mapping[tuple[str, str], Sequence[Flag]]:
        """Model and task → the doubts about its scores (`scoring.flags.Flag`), where there are any."""
        from hueval_metrics.comparison.flags import flags_shown

        return flags_shown(self.runs)

    def to_pandas(self) -> pandas.DataFrame:
        """Every metric of every task, a row for each score of each run.

        Returns:
            Columns `model`, `task`, `metric` (string), `score`, `ci95_low`, `ci95_high` (float64, NaN where there is
            none; in the metric's own unit), `n` (Int64: the metric's own number of items), `headline` (boolean: whether
            it is one of the columns of `table`), `ci_method` and `signature` (string: how the interval was made, and
            what the score depends on; runs with equal signatures are comparable), `flags` (string: the kinds of doubts
            about it, as in `flags`). Of runs that are means over several
            prompts or repeats also `lowest` and `highest` (float64), of the single runs.

        Raises:
            InputError: pandas is not installed, or a file was written again since it was loaded.
        """
        from hueval_metrics.comparison.facets import with_intervals
        from hueval_metrics.reports.columns import families_of, headlines
        from hueval_metrics.reports.tables import metric_scores

        self.check_current()  # what a family puts together of several tasks is read from the items
        runs = [with_intervals(run) for run in self.runs]
        headline = {(one.task, one.metric) for one in headlines(families_of(runs), runs)}
        spread = any(run.averaged for run in runs)
        rows: list[tuple[Any, ...]] = [
            (
                *(one.label, one.task, one.metric, one.value, *(one.ci95 or (None, None)), one.n),
                *((one.task, one.metric) in headline, one.method or None, one.signature or None, one.flags or None),
                *(one.spread or (None, None)) * spread,
            )
            for scores in metric_scores(runs).values()
            for one in scores
        ]
        return frame(_SCORES | _SPREAD if spread else _SCORES, rows)

    def items(self, task: str | None = None) -> pandas.DataFrame:
        """Every item of every run: prompt, reference, answer, verdict and values of the metrics.

        Args:
            task: only this task's; None for all.

        Returns:
            Columns `model`, `task`, `item` (its id), `cluster` (what intervals resample), `dimension` (code of its
            stratum), `prompt`, `reference`, `prediction` (the reply as it came), `response` (without its reasoning
            trace) (string), `truncated` (boolean), `answer` (what was read from the response) (object), `reading` (how:
            `answered`, `nothing`, `refused`, `several` or `unreadable`; missing where no reader looks for an answer)
            (string), `verdict` (a `records.Verdict`, None where no judge was asked) (object); then a column for each
            metric (float64), its value for the item alone, NaN where it does not apply.

        Raises:
            InputError: no run has the task, the items are not there, a file was written again since it was loaded, or
                pandas is not installed.
            DataError: the items are samples without their documents, and the data are not available.
        """
        if task is not None and not any(task in run.tasks for run in self.runs):
            known = ", ".join(dict.fromkeys(name for run in self.runs for name in run.tasks))
            raise InputError(f'no run has the task "{task}". Tasks: {known}')
        found = list(self._items(task))
        metrics = dict.fromkeys(name for _, item in found for name in item.metrics if name not in _ITEMS)
        rows = [
            (
                *(label, item.task, item_id(item.key) if item.key else None, item.cluster, item.dimension),
                *(item.prompt, item.reference, item.prediction, item.response, item.truncated),
                *(item.answer, item.reading and item.reading.kind),
                *(item.verdict, *(item.metrics.get(name) for name in metrics)),
            )
            for label, item in found
        ]
        return frame(_ITEMS | dict.fromkeys(metrics, NUMBER), rows)

    def _items(self, task: str | None) -> Iterator[tuple[str, Item]]:
        from hueval_metrics.reports import escape
        from hueval_metrics.runs.items import items_of

        self.check_current()
        for run in self.runs:
            for item in items_of(run, task):
                yield escape.plain(run.label), item

    def table(
        self,
        format: str = "terminal",
        *,
        every_metric: bool = False,
        published: bool = False,
        view: str | None = None,
        family: str | None = None,
        metric: str | None = None,
        human: str | Path | None = None,
        width: int | None = None,
        color: bool = False,
        is_brief: bool = False,
    ) -> str:
        """The scores as text, as `hueval table` prints them.

        Args:
            format: `terminal`, `markdown`, `csv` or `latex`.
            every_metric: every metric with its interval, a table for each task, instead of the headline scores.
            published: below the runs, the scores that the benchmarks' papers print.
            view: a table that a benchmark family declares, by its name, instead of the headline scores.
            family: all tables that this family declares, or the one named as `view`; one that declares none has its
                headline scores.
            metric: what the declared tables show, a metric of the family or a summary; None for the family's usual one.
                Of a name that ends in `_asked` or `_extracted` the scores of each task, in place of the headlines.
            human: a CSV of people's scores, for the declared tables that set them beside those of models; what its
                columns are, the family's README says.
            width: columns of the terminal; None for those that it has.
            color: whether to write colour codes, for `terminal` only.
            is_brief: with `every_metric`, leave out tasks that one number over all their items represents.

        Raises:
            InputError: options that exclude each other, an unknown format, view, family or metric, or no published
                scores.
        """
        from hueval_metrics.reports import tables, views
        from hueval_metrics.reports.columns import families_of, is_beside

        if format not in tables.FORMATS:
            raise InputError(f'format "{format}": choose of {", ".join(tables.FORMATS)}')
        if published and every_metric:
            raise InputError(
                "--published: published scores are in the overview and the tables of a family. Leave out --all "
                "(every_metric)"
            )
        if every_metric and view is not None:
            raise InputError("--all (every_metric) and --view: choose one of them")
        width = terminal_width() if width is None else width
        runs = views.runs_of(self.runs, family)
        tasks = [task for one in families_of(runs) for task in one.tasks.values()]
        if view is None and human is None and not every_metric and any(is_beside(task, metric) for task in tasks):
            return tables.render(runs, format, width=width, color=color, with_published=published, metric=metric)
        if view is not None or (family is not None and views.has_views(runs, family) and not every_metric):
            settings = views.ViewSettings(
                metric,
                published,
                None if human is None else path_of(human),
                ENGLISH if format == "csv" else printed(),
            )
            return views.render(runs, view, family, settings, format, width=width, color=color)
        if metric is not None:
            raise InputError(
                "--metric: it chooses what the tables of a family show. Add --family or --view, or use --all. "
                "Without these it takes the columns *_asked and *_extracted alone"
            )
        if human is not None:
            raise InputError("--human: people's scores are in tables of a family only. Add --family or --view")
        if every_metric:
            return tables.render_metrics(runs, format, width=width, color=color, is_brief=is_brief)
        return tables.render(runs, format, width=width, color=color, with_published=published)

    def __repr__(self) -> str:
        return f"<Results of {', '.join(one_line(run.label) for run in self.runs)}>"

    def __str__(self) -> str:
        return self.table().rstrip("\n")

    def _repr_html_(self) -> str:
        """The headline scores for a notebook, with their notes."""
        from hueval_metrics.reports.notes import baseline_note, notes
        from hueval_metrics.reports.tables import overviews

        tables = "".join(table_html(title, grid) for title, grid in overviews(self.runs, {}))
        return tables + notes_html([note[printed()] for note in (*baseline_note(self.runs), *notes(self.runs))])

"""How models reason, read from the traces of their replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.api.documents import settings_of, task_name
from hueval_metrics.api.frames import ANY, BOOLEAN, COUNT, NUMBER, TEXT, frame
from hueval_metrics.api.html import blocks_html
from hueval_metrics.api.paths import path_of
from hueval_metrics.errors import InputError
from hueval_metrics.terminal import terminal_width
from hueval_metrics.traces.settings import Settings

if TYPE_CHECKING:
    import pandas

    from hueval_metrics.traces.results import TraceResults

_CELL = ("run", "group", "part", "verdict")
_NUMBERS = {
    **dict.fromkeys((*_CELL, "measure"), TEXT),
    **dict.fromkeys(("value", "ci95_low", "ci95_high"), NUMBER),
    **dict.fromkeys(("n", "n_clusters"), COUNT),
    "denominator": NUMBER,
}
_TESTS = {
    **dict.fromkeys(
        ("measure", "between", "against", *(f"{name}_{side}" for side in ("first", "second") for name in _CELL)), TEXT
    ),
    **dict.fromkeys(("difference", "ci95_low", "ci95_high", "p", "p_holm"), NUMBER),
    "n": COUNT,
}
_ROWS = {
    **dict.fromkeys(("run", "task", "item", "cluster", "verdict"), TEXT),
    **dict.fromkeys(("share", "weight"), NUMBER),
    "truncated": BOOLEAN,
    **dict.fromkeys(("tokens", "tokens_ref", "reasoning_tokens"), COUNT),
    **dict.fromkeys(("blocks", "free", "life", "thoughts", "segments"), ANY),
}


def analyse_traces(
    runs: str | Path | Sequence[str | Path],
    *,
    output: str | Path = "traces",
    steps: str | Sequence[str] = ("free",),
    task: str | None = None,
    limit: int | None = None,
    tokenizer: str | None = None,
    segmenter: str | None = None,
    data_dir: str | Path | None = None,
    metadata: Mapping[str, Any] | None = None,
    ask_final: bool = False,
) -> TraceAnalysis:
    """Analyse the reasoning traces of runs (`hueval traces`).

    Args:
        runs: results of `hueval run` or `hueval score`, lm-eval's samples, `items.jsonl`, or JSON Lines of `qid`,
            `trace`, `answer` and, where it is known, `verdict`; a file or folder, or several.
        output: folder for `traces.jsonl` (a row a reply, without its text) and `traces.json` (the figures).
        steps: of `free`, which needs no judge and is always made, `thoughts` and `segments`, which ask one.
        task: only this task; the task of rows that do not name theirs.
        limit: how many replies of each run and task a judge sees, drawn equally from each verdict. Each stands for as
            many as it was drawn from, so that rates are unbiased. What needs no judge is read of all replies.
        tokenizer: a folder with `tokenizer.json`, or a name of the Hub; None for the model's own, or an estimate where
            that cannot be had.
        segmenter: `r1`, `qwq` or `numbered`; None for the one by which the paper read the model.
        data_dir: folder that has FAMILY/*.jsonl; None for the data of `HUEVAL_DATA_DIR`, the cache or the Hub.
        metadata: what the run was given by `--metadata`, for replies that do not carry their documents.
        ask_final: ask the judge again where its refusal, or its unreadable reply, is known.

    Returns:
        The figures. What the judge did not answer is counted (`TraceAnalysis.n_unanswered`); the same call asks again.

    Raises:
        InputError: a path, row, option or setting is not usable, no reply has a trace, or a judge is needed and none is
            configured.

    >>> import hueval_metrics as hueval
    >>> analysis = hueval.analyse_traces("results/my-model", output="traces/my-model")  # doctest: +SKIP
    >>> numbers = analysis.to_pandas()  # doctest: +SKIP
    """
    settings = Settings(
        (steps,) if isinstance(steps, str) else steps,
        None if task is None else task_name(task),
        limit,
        tokenizer,
        segmenter,
        settings_of(data_dir, metadata),
    )
    return analysed(_paths(runs), path_of(output, "output"), settings, ask_final=ask_final)


def analysed(paths: Sequence[Path], folder: Path, settings: Settings, *, ask_final: bool) -> TraceAnalysis:
    """What `analyse_traces` returns, for options that are a record already."""
    from hueval_metrics.judge.configured import asking_final, judge_settings
    from hueval_metrics.traces.analyse import analyse
    from hueval_metrics.traces.judging import asking_of

    with asking_final(ask_final):
        asking = asking_of(judge_settings(), settings.judged) if settings.judged else None
    return TraceAnalysis(analyse(paths, folder, settings, asking), folder)


def _paths(runs: str | Path | Sequence[str | Path]) -> list[Path]:
    given = runs if isinstance(runs, Sequence) and not isinstance(runs, str) else [runs]
    if not given:
        raise InputError("runs: an empty list. Name a file or folder")
    return [path_of(path, "runs") for path in given]


@dataclass(frozen=True)
class TraceAnalysis:
    """An analysis of traces.

    Attributes:
        results: the figures with their intervals and tests, and what was counted.
        folder: where `traces.json` and `traces.jsonl` were written.
    """

    results: TraceResults
    folder: Path

    @property
    def n_unanswered(self) -> int:
        """How often the judge gave no reply where asking again may bring one."""
        from hueval_metrics.traces.judging import UNANSWERED

        left_out = [reasons for run in self.results.runs for reasons in run.left_out.values()]
        return sum(reasons.get(reason, 0) for reasons in left_out for reason in UNANSWERED)

    @property
    def without_verdict(self) -> list[tuple[int, int]]:
        """How many replies each step of each run lacks what it asked a judge for, and the replies of the run."""
        from hueval_metrics.traces.judging import NO_DOCUMENT

        return [
            (sum(reasons.values()) - reasons.get(NO_DOCUMENT, 0), sum(each["replies"] for each in run.counts.values()))
            for run in self.results.runs
            for reasons in run.left_out.values()
        ]

    def text(self, format: str = "terminal", *, width: int | None = None, color: bool = False) -> str:
        """The tables that `hueval traces` prints.

        Args:
            format: `terminal`, `markdown`, `latex` or `csv`, which has every number and test.
            width: columns of the terminal, for `terminal`; None for those that it has.
            color: whether to write colour codes, for `terminal`.

        Raises:
            InputError: there is no such format.
        """
        from hueval_metrics.reports.tables import FORMATS
        from hueval_metrics.traces.report.tables import render

        if format not in FORMATS:
            raise InputError(f'format "{format}": choose of {", ".join(FORMATS)}')
        return render(self.results, format, width=terminal_width() if width is None else width, color=color)

    def _repr_html_(self) -> str:
        """The tables for a notebook."""
        from hueval_metrics.traces.report.tables import blocks

        return blocks_html(blocks(self.results))

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each measure in each cell: the replies of a run and task (or pool of tasks), by verdict and part.

        Returns:
            Columns `run`, `group`, `part`, `verdict` (empty for all), `measure` (string), `value`, `ci95_low`,
            `ci95_high` (float64), `n` (replies), `n_clusters` (questions) (Int64), `denominator` (float64).

        Raises:
            InputError: pandas is not installed.
        """
        rows = (
            [
                *(*asdict(one.cell).values(), one.measure, one.value, *(one.ci95 or (None, None))),
                *(one.n, one.n_clusters, one.denominator),
            ]
            for one in self.results.numbers
        )
        return frame(_NUMBERS, rows)

    def tests(self) -> pandas.DataFrame:
        """A row for each test of a difference between verdicts, parts, models or two measures.

        Returns:
            Columns `measure`, `between`, `against` (the other measure, of a test between two), the cells `run_first` …
            `verdict_second` (string), `difference`, the first minus the second, `ci95_low`, `ci95_high`, `p`, `p_holm`
            (corrected) (float64), `n` (clusters) (Int64).

        Raises:
            InputError: pandas is not installed.
        """
        rows = (
            [
                *(one.measure, one.between, one.against, *asdict(one.first).values(), *asdict(one.second).values()),
                *(one.difference, *(one.ci95 or (None, None)), one.p, one.p_holm, one.n),
            ]
            for one in self.results.tests
        )
        return frame(_TESTS, rows)

    def rows(self) -> pandas.DataFrame:
        """A row for each reply, as in `traces.jsonl`.

        Returns:
            Columns `run`, `task`, `item`, `cluster`, `verdict` (string), `share`, `weight` (float64), `truncated`
            (boolean), `tokens`, `tokens_ref`, `reasoning_tokens` (Int64), and as JSON values `blocks`, `free`, `life`,
            `thoughts`, `segments`.

        Raises:
            InputError: pandas is not installed, or the file cannot be read.
        """
        from hueval_metrics.runs.run import item_id
        from hueval_metrics.scoring.lines import read_lines
        from hueval_metrics.traces.analyse import ROWS

        rows = (line.row | {"item": item_id(tuple(line.row["key"]))} for line in read_lines(self.folder / ROWS))
        return frame(_ROWS, ([row.get(name) for name in _ROWS] for row in rows))

"""Compare runs over the same items, as text and as a data frame."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hueval_metrics.api.errata import sheet_path, write_errata
from hueval_metrics.api.frames import COUNT, NUMBER, TEXT, frame
from hueval_metrics.api.html import blocks_html
from hueval_metrics.api.paths import path_of
from hueval_metrics.api.results import Results, results_of
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.comparison.results import Comparison as Compared
from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.terminal import terminal_width

if TYPE_CHECKING:
    import pandas

    from hueval_metrics.comparison.against import AgainstBenchmark, PlacedMetric

_NUMBERS = ("score_first", "score_second", "difference", "ci95_low", "ci95_high", "p", "p_holm", "effect", "resolvable")

log = logging.getLogger(__name__)


def compare(
    *runs: Results | str | Path,
    metrics: str | Sequence[str] = (),
    dimensions: bool = True,
    all_pairs: bool = False,
    despite: str | Sequence[str] = (),
    margin: float | None = None,
    models: str | Path | None = None,
    against: str | Sequence[str] = (),
    published: bool = False,
    errata: str | Path | None = None,
) -> Comparison:
    """Which of several runs is ahead, by how much, and whether chance explains it (`hueval compare`).

    Tests over all items are corrected together (Holm 1979), and so are those within dimensions.

    Args:
        runs: two runs or more, as results or paths. Each is compared with the first that has the task.
        metrics: these metrics instead of the headline; "all" for every one.
        dimensions: whether to compare within each stratum of the items, too, such as a domain.
        all_pairs: whether to compare every two runs.
        despite: compare runs that differ in `items`, `prompts`, `judge`, `data` or `version`.
        margin: in points; say which run is shown to be not worse by more than that.
        models: a YAML file of model cards (reasoning, open, size, series), to compare groups of models.
        against: the order in another benchmark: CSV files of model,score or model,rank, or published ones by name.
        published: whether to place the scores among those that the paper printed.
        errata: a `.csv` or `.xlsx` file for the items whose key may be wrong, by the votes of at least six models of
            three series, which `models` may name.

    Returns:
        The comparison. `print` shows it in sentences; what could not be compared is in `left_out`.

    Raises:
        InputError: fewer than two runs, an option or file is not usable, or there is nothing to compare.

    >>> import hueval_metrics as hueval
    >>> comparison = hueval.compare("results/my-model", "results/other-model")  # doctest: +SKIP
    >>> print(comparison)  # doctest: +SKIP
    >>> pairs = comparison.to_pandas()  # doctest: +SKIP
    """
    options = CompareOptions(
        metrics=_listed(metrics),
        dimensions=dimensions,
        all_pairs=all_pairs,
        despite=_listed(despite),
        margin=margin,
        models=None if models is None else path_of(models, "models"),
        against=_listed(against),
        published=published,
    )
    return compare_results(results_of(*runs), options, errata)


def compare_results(results: Results, options: CompareOptions, errata: str | Path | None = None) -> Comparison:
    """What `compare` returns, for options that are a record already."""
    from hueval_metrics.comparison.against import among_published, rank_changes
    from hueval_metrics.comparison.compare import compare_runs

    sheet = None if errata is None else sheet_path(errata)
    found, also = compare_runs(results.runs, options), options.published
    ranks = [change for name in options.against for change in rank_changes(found, name, with_published=also)]
    placed = [one for metric in found.metrics if (one := among_published(metric))] if also else []
    if sheet is not None:
        write_errata(results.runs, sheet, options.models)
    return Comparison(**vars(found), against=tuple(ranks), published=tuple(placed))


def repeats(*runs: Results | str | Path, despite: str | Sequence[str] = ()) -> Results:
    """The mean over sampled runs of one model, for one release; runs of `hueval run --repeats` need it not.

    Runs that were not numbered as they ran are numbered in the order given. For all others `load(…, by_prompt=False)`
    has the mean.

    Args:
        runs: two or more, which differ only in the random sampling of the answers.
        despite: see `compare`.

    Raises:
        InputError: fewer than two runs, or runs that differ in settings.

    >>> import hueval_metrics as hueval
    >>> print(hueval.repeats("results/my-model", "results/other-model"))  # doctest: +SKIP
    """
    from hueval_metrics.comparison.facets import as_repeats

    log.warning("--repeats of compare goes with the next release: hueval run --repeats K, then hueval table --all")
    return Results((as_repeats(results_of(*runs).runs, _listed(despite)),))


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _checked(format: str, width: int | None) -> int:
    """The width to print at, once the format is known."""
    from hueval_metrics.reports.comparison import FORMATS

    if format not in FORMATS:
        raise InputError(f'format "{format}": choose of {", ".join(FORMATS)}')
    return terminal_width() if width is None else width


@dataclass(frozen=True, repr=False)
class Comparison(Compared):
    """Everything compared, with the fields of `comparison.results.Comparison`.

    Attributes:
        against: the ranks of our runs compared with those of other benchmarks.
        published: the ranks of our runs among published scores.
    """

    against: tuple[AgainstBenchmark, ...] = ()
    published: tuple[PlacedMetric, ...] = ()

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each pair of runs, metric and dimension.

        Returns:
            Columns `task`, `metric`, `dimension` (missing for all items), `first`, `second` (string), `score_first`,
            `score_second`, `difference`, `ci95_low`, `ci95_high` (of the difference), `p`, `p_holm` (corrected)
            (float64), `test`, `leader` (missing where none is ahead) (string), `n` (Int64), `effect_name` (string),
            `effect` and `resolvable` (float64).

        Raises:
            InputError: pandas is not installed.
        """
        from hueval_metrics.reports.comparison import PAIR_COLUMNS, pair_rows

        kinds = {name: NUMBER if name in _NUMBERS else COUNT if name == "n" else TEXT for name in PAIR_COLUMNS}
        return frame(kinds, pair_rows(self))

    def text(self, format: str = "text", *, width: int | None = None, color: bool = False) -> str:
        """The comparison as `hueval compare` prints it.

        Args:
            format: `text`, `markdown`, `json` or `csv`.
            width: columns of the terminal, for `text`; None for those that it has.
            color: whether to write colour codes, for `text`.

        Raises:
            InputError: an unknown format.
        """
        from hueval_metrics.reports.comparison import render

        width = _checked(format, width)
        return render(self, format, against=self.against, published=self.published, width=width, color=color)

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(map(one_line, self.labels))}>"

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        """A table with a row for each pair and metric, and the notes, for a notebook."""
        from hueval_metrics.reports.comparison import notebook_blocks

        return blocks_html(notebook_blocks(self, self.against, self.published))

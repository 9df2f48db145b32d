"""One HTML page of results to send round."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from hueval_metrics.api.errata import sheet_path, write_errata
from hueval_metrics.api.paths import path_of
from hueval_metrics.api.results import Results, results_of
from hueval_metrics.errors import InputError
from hueval_metrics.progress import Progress
from hueval_metrics.words.texts import ENGLISH, LANGUAGES


def report(
    results: Results | str | Path | Sequence[Results | str | Path],
    path: str | Path = "report.html",
    language: str = ENGLISH,
    figures: str | Path | None = None,
    tokenizer: str | None = None,
    errata: str | Path | None = None,
) -> Path:
    """Write one self-contained page: tables with intervals, figures and all items (`hueval report`).

    Paths that hold an analysis of `hueval traces` add a section on reasoning, and its marks to the traces.

    Args:
        results: results or paths, one or several; at least one of results, the others may be of analyses of traces.
        path: the HTML file; an older one is replaced, and its folder is created.
        language: in which the page opens, such as `en` or `hu`; readers can switch it.
        figures: folder for the figures as SVG, PNG and CSV; None to write none.
        tokenizer: what the figures of lengths of a benchmark count: the tokens of a folder's `tokenizer.json` or of a
            model of the Hub; None for characters.
        errata: a `.csv` or `.xlsx` file for the items whose key may be wrong, by the votes of at least six models of
            three series; the page has a section with the first. None for neither.

    Returns:
        The path of the page.

    Raises:
        InputError: there are no results, an option is not usable, a file cannot be written, or there are too few models
            for votes on keys.

    >>> import hueval_metrics as hueval
    >>> hueval.report("results", "report.html", language="hu")  # doctest: +SKIP
    PosixPath('report.html')
    """
    if language not in LANGUAGES:
        raise InputError(f'language "{language}": choose of {", ".join(LANGUAGES)}')
    page = path_of(path, "path")
    folder = None if figures is None else path_of(figures, "figures")
    if not isinstance(results, Results | str | Path | Sequence):
        raise InputError(f"results: of type {type(results).__name__}, expected results or paths")
    given = [results] if isinstance(results, Results | str | Path) else results
    from hueval_metrics.reports.analyses import section_of, split

    paths, analyses = split([path_of(one) for one in given if not isinstance(one, Results)])
    if analyses and not paths and not any(isinstance(one, Results) for one in given):
        first = analyses[0]
        raise InputError(f"{first.files[0]}: {first.reader.TITLE} alone. Name the results of its runs, too")
    sheet = None if errata is None else sheet_path(errata)
    found = results_of(*(one for one in given if isinstance(one, Results)), *paths)
    with Progress("Writing the page"):
        from hueval_metrics.reports.figures.ruler import CHARACTERS, in_tokens
        from hueval_metrics.reports.page.build import write_report

        votes = None if sheet is None else write_errata(found.runs, sheet)
        ruler = CHARACTERS if tokenizer is None else in_tokens(tokenizer)
        write_report(
            found.runs,
            page,
            language=language,
            figures_dir=folder,
            faults=found.faults,
            sections=[partial(section_of, one) for one in analyses],
            ruler=ruler,
            errata=votes,
        )
    return page

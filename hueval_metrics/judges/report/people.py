"""The results of a human check of a judge, as text, Markdown or JSON; and a summary of what `export` has drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from hueval_metrics.judges.people.agreement import CLOSE
from hueval_metrics.judges.people.human_check import JudgeCheck, Parting
from hueval_metrics.judges.people.sample import Sample, Stratum, stratum_of
from hueval_metrics.one_line import one_line
from hueval_metrics.reports import escape, formats
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, confusion_grid, estimate_cells
from hueval_metrics.stats.agreement import Rating

_WORDS_SHOWN = 300  # characters of a judge's reply; the JSON has all of it


def export_lines(sample: Sample, n: int, left_out: Mapping[str, int]) -> list[str]:
    """How many verdicts of each stratum are in a sheet.

    Args:
        sample: the items drawn.
        n: how many were requested.
        left_out: reason why others cannot be checked → how many.
    """
    drawn = Counter(stratum_of(item).whole_band for item in sample.items.values())
    there: Counter[Stratum] = Counter()
    for stratum, size in sample.population.items():
        there[stratum.whole_band] += size
    lines = [
        f"{band.task}, {escape.plain(band.judge)}, {band.band}: {drawn[band]} of {size:,}"
        for band, size in there.items()
    ]
    if there.total() < n:
        lines.append(f"There are fewer than {n} verdicts: all {there.total()} are in the sheet.")
    if left_out:
        lines.append(f"Not to be checked: {', '.join(f'{count:,} {reason}' for reason, count in left_out.items())}.")
    return lines


def as_json(checks: Sequence[JudgeCheck], problems: Sequence[str]) -> str:
    """Everything as JSON text, null where something is undefined; `problems` are lines on what was left out."""
    judges = [asdict(check) for check in checks]
    for judge in judges:
        judge["confusion"] = {"bands": judge["confusion"]["labels"], "counts": judge["confusion"]["counts"]}
    found = {"judges": judges, "problems": list(problems)}
    return formats.json_page(found)


def as_text(checks: Sequence[JudgeCheck], show: int, *, width: int = 100, color: bool = False) -> str:
    """The check as terminal text.

    Args:
        checks: one for each judge and rubric.
        show: how many items to list on which judge and human disagree.
        width: columns of the terminal.
        color: whether to write colour codes.
    """
    return formats.terminal_page((block for check in checks for block in _blocks(check, show)), width, color)


def as_markdown(checks: Sequence[JudgeCheck], show: int) -> str:
    """The check as GitHub Markdown; `show` as for `as_text`."""
    return formats.markdown_page(block for check in checks for block in _blocks(check, show))


def _blocks(check: JudgeCheck, show: int) -> Iterator[Block]:
    title = f"{check.judge} by {check.rubric}: {check.n_rated} of {check.n_sheet} items rated"
    yield Block(title, _measures(check), _remarks(check), level=2)
    yield Block("Each rater against the judge", _raters(check), _among(check))
    if check.n_rated:
        what = "Labels" if check.is_label else "Grades"
        yield Block(f"{what} by human (rows) and judge", confusion_grid(check.confusion, "Human", "judge"))
    if check.apart[:show]:
        some = f"{min(show, len(check.apart))} of {len(check.apart)}"
        lines = [line for parting in check.apart[:show] for line in _parting(parting)]
        yield Block(f"Where judge and human disagree ({some}; --show N)", None, lines)


def _measures(check: JudgeCheck) -> Grid:
    kappa = "Cohen's kappa" if check.is_label else "quadratically weighted kappa"
    close = "accuracy of the judge, %" if check.is_label else f"at most {CLOSE:g} point apart, %"
    headline = f"{check.confusion.labels[0]}, %" if check.is_label else "mean score"
    names = {"agreement": (close, 2), "kappa": (kappa, 3), "difference": (f"{headline}: judge - human", 2)}
    rows = []
    for name, (shown, decimals) in names.items():
        estimates = (getattr(check.sample, name), getattr(check.runs, name, None))
        rows.append([Cell(shown), *(cell for one in estimates for cell in estimate_cells(one, decimals))])
    groups = ("sample as drawn", "weighted to the runs")
    columns = [Column(name, group) for group in groups for name in ("value", "95 % interval")]
    return Grid([Column("Measure", kind="label"), *columns], rows)


def _remarks(check: JudgeCheck) -> list[str]:
    remarks = [
        "Sample as drawn: rare labels are in it more often than in the runs. Weighted to the runs: each item counts "
        f"for the verdicts that it stands for ({check.n_reached:,} of {check.n_verdicts:,}). Quote this for the runs."
    ]
    if check.n_ties:
        remarks.append(
            f"Left out, since the raters tie: {check.n_ties}, hard cases mostly. Each rater's own kappa counts them."
        )
    estimates = [getattr(side, name, None) for side in (check.sample, check.runs) for name in ("agreement", "kappa")]
    if None in estimates:
        remarks.append("undefined: no item rated, or one rating throughout, which chance explains as well.")
    if any(estimate and estimate.ci95 is None for estimate in estimates):
        remarks.append("No interval: too few items, or full agreement, of which resampling shows no spread.")
    return remarks


def _raters(check: JudgeCheck) -> Grid:
    columns = [Column("Rater", kind="label"), Column("rated"), Column("not rated"), Column("kappa")]
    rows = [
        [Cell(rater.name), Cell(str(rater.n_rated)), Cell(str(rater.n_unrated)), *estimate_cells(rater.kappa, 3)]
        for rater in check.raters
    ]
    return Grid([*columns, Column("95 % interval")], rows)


def _among(check: JudgeCheck) -> list[str]:
    between = check.between
    if between is None:
        return []
    measures = {
        "the same, %": (between.agreement, 2),
        "kappa": (between.kappa, 3),
        f"Krippendorff's alpha ({'nominal' if check.is_label else 'interval'})": (between.alpha, 3),
    }
    said = [
        f"{name} {' '.join(cell.text for cell in estimate_cells(estimate, decimals)).strip()}"
        for name, (estimate, decimals) in measures.items()
        if estimate or name != "kappa"
    ]
    return [f"The raters among themselves, over {between.agreement.n} items: {'; '.join(said)}."]


def _parting(parting: Parting) -> Iterator[str]:
    raters = ", ".join(f"{name} {_shown(rating)}" for name, rating in parting.ratings.items())
    human = _shown(parting.human) + (f" ({raters})" if len(parting.ratings) > 1 else "")
    where = f"{parting.id}: {parting.task} {parting.qid}, {parting.run}"
    yield f"{where}: judge {_shown(parting.judge)}, human {human}"
    if parting.words:
        yield f"… the judge: {one_line(parting.words, _WORDS_SHOWN)}"
    for name, comment in parting.comments.items():
        yield f"… {name}: {one_line(comment, _WORDS_SHOWN)}"


def _shown(rating: Rating) -> str:
    return rating if isinstance(rating, str) else f"{rating:.3g}"

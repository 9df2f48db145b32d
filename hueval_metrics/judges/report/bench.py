"""Judges side by side, as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from hueval_metrics.judge.progress import counted
from hueval_metrics.judges.bench.measure import JudgeMeasures, TaskMeasures
from hueval_metrics.judges.bench.sums import LEAST_GROUP
from hueval_metrics.judges.report.judge_agreement import as_text as agreement_text
from hueval_metrics.registry import strata, title
from hueval_metrics.reports import formats
from hueval_metrics.reports.escape import plain
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, confusion_grid, interval, number
from hueval_metrics.stats.agreement import Estimate

_NONE = "–"
_POSITION = "Position: the rubric shows a judge one answer at a time, so there is no place to prefer."
_JUDGE = Column("Judge", kind="label")


def as_json(tasks: Sequence[TaskMeasures]) -> str:
    """The measures as JSON text, null where something is undefined or unknown."""
    return formats.json_page({one.task: asdict(one) | {"position_note": _POSITION} for one in tasks})


def as_text(tasks: Sequence[TaskMeasures], *, width: int = 100, color: bool = False) -> str:
    """The measures as terminal text: two tables a task, and the agreement among judges where there is no reference.

    Args:
        tasks: the measures.
        width: columns of the terminal.
        color: whether to write colour codes.
    """
    parts = []
    for task in tasks:
        blocks = [Block(_title(task), _grid(task, _AGREEMENT)), Block("", _grid(task, _BIASES), _notes(task))]
        if task.reference is None:
            blocks = [Block(_title(task), _grid(task, _ALONE), _notes(task))]
        parts.append(formats.terminal_page(blocks, width, color))
        if task.among is not None:
            parts.append(agreement_text([task.among], 0, width=width, color=color))
    parts.append(formats.terminal(Block("", notes=_legend(tasks)), width, color))
    return "\n".join(parts)


def as_markdown(tasks: Sequence[TaskMeasures]) -> str:
    """The measures as Markdown: one table a task, then labels and strata."""
    blocks = [block for task in tasks for block in _pages(task)]
    blocks = [replace(block, grid=block.grid and _flat(block.grid)) for block in blocks]
    return formats.markdown_page([*blocks, Block("What the columns are", notes=_legend(tasks))])


def _flat(grid: Grid) -> Grid:
    """The same with intervals behind the numbers, not below them."""
    rows = [[Cell(f"{cell.text} {cell.below}".rstrip()) for cell in row] for row in grid.rows]
    return Grid(grid.columns, rows)


def _pages(task: TaskMeasures) -> Iterator[Block]:
    if task.reference is None:
        yield Block(_title(task), _grid(task, _ALONE), _notes(task), level=2)
        return
    yield Block(_title(task), _grid(task, (*_AGREEMENT, *_BIASES)), _notes(task), level=2)
    compared = [judge for judge in task.shown if judge.against is not None]
    if task.is_label and compared:
        yield Block("Labels", _labels(compared), ["Sensitivity and specificity in percent, with 95 % intervals."])
    if any(judge.against and judge.against.strata for judge in compared):
        yield Block("Strata", _strata(task, compared))
    for judge in compared:
        if judge.against and judge.against.confusion:
            grid = confusion_grid(judge.against.confusion, "Reference", plain(judge.judge))
            yield Block(f"Labels by the reference (rows) and {plain(judge.judge)}, answers as drawn", grid, level=4)


def _title(task: TaskMeasures) -> str:
    against = f"reference: {task.reference} ({task.n_reference} rated)" if task.reference else "no reference"
    return f"{title(task.task)}: {counted(len(task.shown), 'judge')}, {counted(task.n, 'answer')}, {against}"


def _cell(estimate: Estimate | None, decimals: int, sign: str = "") -> Cell:
    if estimate is None:
        return Cell(_NONE)
    value = number(estimate.value, decimals)
    return Cell(sign * (estimate.value > 0) + value, below=interval(estimate.ci95, decimals))


def _plain(value: float | None, decimals: int) -> Cell:
    return Cell(number(value, decimals) or _NONE)


def _name(judge: JudgeMeasures) -> Cell:
    remarks = ["reference"] * judge.is_reference + ["as drawn"] * judge.is_drawn
    return Cell(f"{judge.judge} ({', '.join(remarks)})" if remarks else judge.judge)


# Heading of a column → its cell; of `against` each is empty for the reference itself.
_AGREEMENT = {
    "n": lambda judge: Cell(str(judge.against.n if judge.against else judge.n)),
    "Agrees, %": lambda judge: _cell(judge.against and judge.against.agreement, 1),
    "Kappa": lambda judge: _cell(judge.against and judge.against.kappa, 2),
    "Alpha": lambda judge: _cell(judge.against and judge.against.alpha, 2),
    "Score - ref.": lambda judge: _cell(judge.against and judge.against.difference, 1, "+"),
    "Unreadable, %": lambda judge: _plain(judge.unreadable and judge.unreadable.value, 1),
}
_COSTS = {
    "Itself, %": lambda judge: _cell(judge.itself, 1),
    "Resists, %": lambda judge: _cell(judge.resists, 0),
    "$ / 1,000": lambda judge: _plain(judge.usd, 2),
    "s / 1,000": lambda judge: _plain(judge.seconds, 0),
}
_BIASES = {
    "Length": lambda judge: _cell(judge.against and judge.against.length, 1, "+"),
    "Own family": lambda judge: _cell(judge.against and judge.against.own_family, 1, "+"),
    **_COSTS,
}
_ALONE = {name: _AGREEMENT[name] for name in ("n", "Unreadable, %")} | _COSTS


def _grid(task: TaskMeasures, columns: object) -> Grid:
    shown = {**_AGREEMENT, **_BIASES, **_ALONE}
    names = [name for name in shown if name in columns]  # type: ignore[operator]
    rows = [[_name(judge), *(shown[name](judge) for name in names)] for judge in _ordered(task.shown)]
    return Grid([_JUDGE, *map(Column, names)], rows)


def _ordered(judges: Sequence[JudgeMeasures]) -> list[JudgeMeasures]:
    """By agreement, the highest first; the reference and judges without any at the end."""

    def agreement(judge: JudgeMeasures) -> float:
        found = judge.against and judge.against.agreement
        return found.value if found else -1.0

    return sorted(judges, key=lambda judge: (-agreement(judge), judge.judge))


def _labels(judges: Sequence[JudgeMeasures]) -> Grid:
    rows = []
    for judge in judges:
        for label, (sensitivity, specificity) in (judge.against.labels if judge.against else {}).items():
            n = Cell("0" if sensitivity is None else str(sensitivity.n))
            rows.append([Cell(judge.judge), Cell(label), n, _cell(sensitivity, 1), _cell(specificity, 1)])
    heads = [Column("n of the reference"), Column("Sensitivity"), Column("Specificity")]
    return Grid([_JUDGE, Column("Label", kind="text"), *heads], rows)


def _strata(task: TaskMeasures, judges: Sequence[JudgeMeasures]) -> Grid:
    titles = strata(task.task)
    rows = []
    for judge in judges:
        for code, (agreement, difference) in (judge.against.strata if judge.against else {}).items():
            name = titles.get(code, {}).get("en", code)
            n = Cell("0" if agreement is None else str(agreement.n))
            rows.append([Cell(judge.judge), Cell(name), n, _cell(agreement, 1), _cell(difference, 1, "+")])
    heads = [Column("n"), Column("Agrees, %"), Column("Score - ref.")]
    return Grid([_JUDGE, Column("Stratum", kind="text"), *heads], rows)


def _notes(task: TaskMeasures) -> list[str]:
    """What is to be known of one task."""
    notes = []
    if missing := [(judge.judge, judge.n_asked - judge.n) for judge in task.shown if judge.n_asked > judge.n]:
        notes.append("Without a rating: " + ", ".join(f"{plain(name)} {count}" for name, count in missing) + ".")
    rubrics = sorted({rubric for judge in task.shown for rubric in judge.rubrics})
    if len(rubrics) > 1:
        notes.append(f"The verdicts follow different rubrics: {', '.join(map(plain, rubrics))}.")
    return notes


def _legend(tasks: Sequence[TaskMeasures]) -> list[str]:
    """What the columns are."""
    notes = []
    if any(task.reference for task in tasks):
        units = {True: "percentage points", False: "points of the mean score"}
        unit = " or ".join(text for is_label, text in units.items() if any(t.is_label == is_label for t in tasks))
        notes = [
            "Agrees, kappa, alpha and score are weighted to the runs that the answers were drawn from. Score - ref.: "
            f"judge minus reference, in {unit}.",
            "Length: that difference among the longest third of the responses, minus that among the shortest. Own "
            "family: among answers of the judge's own model family, minus that among the others. Both compare only "
            "answers that the reference rates alike (the same label, or score as a whole number), so a group is not "
            "favoured for better answers. They also move where the reference errs, or where answers of one group that "
            f"are rated alike are harder to judge; {_NONE}: fewer than {LEAST_GROUP} such answers in a group.",
            _POSITION,
        ]
    notes.append(
        "Itself: pairs of replies to the same request, at temperature 1, that agree (--repeats). Resists: attempts on "
        "the judge that do not get the best verdict. Cost and seconds: of 1,000 verdicts, the calls one after another."
    )
    if any(judge.usd is None for task in tasks for judge in task.shown):
        notes.append(f"Cost {_NONE}: the price is not known, or no reply was paid for here.")
    return notes

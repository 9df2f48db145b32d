"""How far judges agree, as text or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from string import ascii_uppercase

from hueval_metrics.judges.people.judge_agreement import Apart, TaskAgreement
from hueval_metrics.judges.people.judge_ratings import listed
from hueval_metrics.reports import formats
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, confusion_grid, estimate_cells
from hueval_metrics.stats.agreement import Estimate, Rating

_MOST_TABLES = 3  # confusion tables, one for each pair of judges; with more judges only the JSON has them


def as_json(tasks: Sequence[TaskAgreement], show: int) -> str:
    """The comparison as JSON text, null where something is undefined; `show` responses at most in each `apart`."""
    shown = {
        t.task: asdict(t)
        | {"apart": [a.item | {"ratings": a.ratings} for a in t.apart[:show]], "n_apart": len(t.apart)}
        for t in tasks
    }
    return formats.json_page(shown)


def as_text(tasks: Sequence[TaskAgreement], show: int, *, width: int = 100, color: bool = False) -> str:
    """The comparison as terminal text.

    Args:
        tasks: one comparison for each task.
        show: how many of the responses with the largest disagreement to list.
        width: columns of the terminal.
        color: whether to write colour codes.
    """
    return formats.terminal_page((block for task in tasks for block in _blocks(task, show)), width, color)


def _blocks(task: TaskAgreement, show: int) -> Iterator[Block]:
    letters = [_letter(place) for place in range(len(task.judges))]
    rubrics = sorted({rubric for judge in task.judges for rubric in judge.rubrics})
    legend = [f"{letter}: {judge.name} ({judge.file})" for letter, judge in zip(letters, task.judges, strict=True)]
    title = f"{task.task}: {len(task.judges)} judges, {task.n} responses, rubric {', '.join(rubrics)}"
    yield Block(title, notes=legend)
    yield Block("", _measures(task, letters), _remarks(task))
    for pair in task.pairs if len(task.pairs) <= _MOST_TABLES else []:
        if pair.confusion and pair.n:
            a, b = (letters[place] for place in pair.judges)
            yield Block(f"Labels by {a} (rows) and {b}", confusion_grid(pair.confusion, "", b))
    if task.apart[:show]:
        some = f"{min(show, len(task.apart))} of {len(task.apart)}"
        yield Block(f"Largest disagreements ({some}; --show N)", _apart_grid(task.apart[:show], letters))


def _measures(task: TaskAgreement, letters: Sequence[str]) -> Grid:
    columns = [Column("Measure", kind="label"), Column("Judges", kind="text"), Column("Value")]
    rows = []
    everyone = f"{letters[0]}–{letters[-1]}" if len(letters) > 2 else f"{letters[0]}, {letters[1]}"
    level = "nominal" if task.is_label else "interval"
    if len(letters) > 2:
        rows.append(_row("agreement of any two, %", everyone, task.agreement, 2))
        if task.is_label:
            rows.append(_row("Fleiss' kappa", everyone, task.fleiss, 3))
    rows.append(_row(f"Krippendorff's alpha ({level})", everyone, task.alpha, 3))
    for pair in task.pairs:
        a, b = (letters[place] for place in pair.judges)
        both = f"{a}, {b}"
        kappa = "Cohen's kappa" if task.is_label else "quadratically weighted kappa"
        rows += [_row("agreement, %", both, pair.agreement, 2), _row(kappa, both, pair.kappa, 3)]
        if not task.is_label:
            rows.append(_plain_row("Pearson's r", both, pair.pearson, pair.n))
            rows.append(_plain_row("Spearman's rho", both, pair.spearman, pair.n))
        if pair.headline and pair.under and pair.change:
            row = _row(f"{pair.headline}: {b} - {a}", both, pair.change, 2)
            row[2] = Cell(f"{pair.under[1]:.2f} - {pair.under[0]:.2f} = {row[2].text}")
            rows.append(row)
    return Grid([*columns, Column("95 % interval"), Column("n")], rows)


def _row(name: str, judges: str, estimate: Estimate | None, decimals: int) -> list[Cell]:
    n = "" if estimate is None else str(estimate.n)
    return [Cell(name), Cell(judges), *estimate_cells(estimate, decimals), Cell(n)]


def _plain_row(name: str, judges: str, value: float | None, n: int) -> list[Cell]:
    return _row(name, judges, None if value is None else Estimate(value, None, n), 3)


def _remarks(task: TaskAgreement) -> list[str]:
    remarks = []
    if task.left_out:
        remarks.append(f"Not compared: {listed(task.left_out)}.")
    if task.n_unreadable:
        remarks.append(f"Unreadable replies, not counted as ratings: {task.n_unreadable}.")
    coefficients = [task.alpha, *(pair.kappa for pair in task.pairs)]
    coefficients += [task.fleiss] if task.is_label and len(task.judges) > 2 else []
    if None in coefficients:
        remarks.append("undefined: no response rated by both, or one rating throughout, which chance explains as well.")
    if any(found and found.ci95 is None for found in coefficients):
        remarks.append("No interval: too few responses, or full agreement, of which resampling shows no spread.")
    if task.is_label and len(task.pairs) > _MOST_TABLES:
        remarks.append(f"Labels of one judge by those of another: {len(task.pairs)} tables, with --json.")
    return remarks


def _apart_grid(apart: Sequence[Apart], letters: Sequence[str]) -> Grid:
    rows = []
    for one in apart:
        name, *further = (str(value) for value in one.item.values() if value is not None)
        shown = f"{name} ({', '.join(further)})" if further else name
        rows.append([Cell(shown), *(Cell(_shown(rating)) for rating in one.ratings)])
    field = next(iter(apart[0].item))
    return Grid([Column(field, kind="label"), *(Column(letter, kind="text") for letter in letters)], rows)


def _shown(rating: Rating | None) -> str:
    return "–" if rating is None else rating if isinstance(rating, str) else f"{rating:g}"


def _letter(place: int) -> str:
    """A, B, … Z, A2, B2, …"""
    again, letter = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(again + 1) if again else "")

"""How far judges agree over the same responses, and what the headline score would be under another judge."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from string import ascii_uppercase
from typing import Any

from hueval_metrics.records import InputError
from hueval_metrics.reports import escape, formats
from hueval_metrics.reports.formats import Cell, Column, Grid
from hueval_metrics.reports.judge_ratings import Judge, Key, Ratings, listed
from hueval_metrics.stats.agreement import (
    Estimate,
    Rating,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    mean_difference,
    percent_agreement,
    weighted_kappa,
)
from hueval_metrics.validation.scales import is_judged, scale_of

_MOST_TABLES = 3  # of labels, one for every two judges; of more judges JSON has them all


def compare(task: str, ratings: Ratings, *, any_rubric: bool = False) -> TaskAgreement:
    """How far the judges of one task agree.

    Args:
        task: the task's name.
        ratings: their ratings.
        any_rubric: whether to compare verdicts of different rubrics, or versions of one.

    Raises:
        InputError: the rubrics differ, or some judges give labels and others scores.
    """
    rubrics = {rubric for judge in ratings.judges for rubric in judge.rubrics}
    if len(rubrics) > 1 and not any_rubric:
        named = "; ".join(f"{judge.name} by {', '.join(judge.rubrics)}" for judge in ratings.judges)
        raise InputError(
            f"{task}: the judges followed different rubrics ({named}). Judge again by one, or compare all the same: "
            "--any-rubric"
        )
    units = list(ratings.units.values())
    kinds = {isinstance(rating, str) for unit in units for rating in unit if rating is not None}
    if len(kinds) > 1:
        raise InputError(
            f"{task}: some verdicts are labels, others scores. Compare runs that one kind of rubric judged"
        )
    is_label = kinds == {True}
    return TaskAgreement(
        task,
        is_label,
        ratings.judges,
        len(units),
        ratings.left_out,
        ratings.n_unreadable,
        percent_agreement(units),
        krippendorff_alpha(units, "nominal" if is_label else "interval"),
        fleiss_kappa(units) if is_label else None,
        [_pair(task, units, first, second, is_label) for first, second in combinations(range(len(ratings.judges)), 2)],
        _apart(ratings.units, is_label),
    )


def as_json(tasks: Sequence[TaskAgreement], show: int) -> str:
    """The comparison as JSON text, null where something is undefined; `show` responses at most in each `apart`."""
    shown = {t.task: asdict(t) | {"apart": [asdict(a) for a in t.apart[:show]], "n_apart": len(t.apart)} for t in tasks}
    return json.dumps(shown, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_text(tasks: Sequence[TaskAgreement], show: int, *, width: int = 100, color: bool = False) -> str:
    """The comparison as terminal text.

    Args:
        tasks: one comparison a task.
        show: how many of the responses to list about which the judges part most.
        width: columns of the terminal.
        color: whether to write colour codes.
    """
    return "\n".join(_page(task, show, width, color) for task in tasks)


def _pair(
    task: str, units: Sequence[Sequence[Rating | None]], first: int, second: int, is_label: bool
) -> PairAgreement:
    pairs: list[tuple[Any, Any]] = [
        (a, b) for a, b in ((unit[first], unit[second]) for unit in units) if a is not None and b is not None
    ]
    headline, (ours, theirs) = _headline(task, pairs, is_label)
    n = len(pairs)
    return PairAgreement(
        (first, second),
        n,
        percent_agreement(pairs),
        cohen_kappa(pairs) if is_label else weighted_kappa(pairs),
        None if is_label else _correlation(pairs, "pearsonr"),
        None if is_label else _correlation(pairs, "spearmanr"),
        headline,
        (sum(ours) / n, sum(theirs) / n) if ours else None,
        mean_difference(zip(ours, theirs, strict=True)),
        _confusion(pairs) if is_label else None,
    )


def _headline(
    task: str, pairs: Sequence[tuple[Any, Any]], is_label: bool
) -> tuple[str | None, tuple[list[float], list[float]]]:
    """The name of the score that matters, and what each response adds to it under either judge."""
    if not is_label:
        return "mean score", ([a for a, _ in pairs], [b for _, b in pairs])
    labels, known = {label for pair in pairs for label in pair}, scale_of(task).values if is_judged(task) else ()
    if not labels or not labels <= set(known):
        return None, ([], [])
    accepted = known[0]
    first, second = ([100.0 * (pair[i] == accepted) for pair in pairs] for i in (0, 1))
    return f"{accepted}, %", (first, second)


def _correlation(pairs: Sequence[tuple[float, float]], name: str) -> float | None:
    """Pearson's or Spearman's correlation; None where a judge gives one score only."""
    from scipy import stats

    if any(len({pair[i] for pair in pairs}) < 2 for i in (0, 1)):
        return None
    return float(getattr(stats, name)(*zip(*pairs, strict=True)).statistic)


def _confusion(pairs: Sequence[tuple[str, str]]) -> Confusion:
    labels = sorted({label for pair in pairs for label in pair})
    counts = Counter(pairs)
    return Confusion(labels, [[counts[a, b] for b in labels] for a in labels])


def _apart(units: dict[Key, tuple[Rating | None, ...]], is_label: bool) -> list[Apart]:
    """The responses that are not rated alike, the worst first: by the share of judges that part, by the spread."""

    def distance(unit: Sequence[Any]) -> float:
        given = [rating for rating in unit if rating is not None]
        pairs = list(combinations(given, 2))
        return sum(a != b for a, b in pairs) / len(pairs) if is_label else max(given) - min(given)

    parted = [(distance(unit), key, unit) for key, unit in units.items() if distance(unit)]
    parted.sort(key=lambda one: -one[0])  # stable: as in the file where they are alike
    return [Apart(qid, option, list(unit)) for _, (qid, option), unit in parted]


def _page(task: TaskAgreement, show: int, width: int, color: bool) -> str:
    letters = [_letter(place) for place in range(len(task.judges))]
    rubrics = sorted({rubric for judge in task.judges for rubric in judge.rubrics})
    legend = [f"{letter}: {judge.name} ({judge.file})" for letter, judge in zip(letters, task.judges, strict=True)]
    title = f"{task.task}: {len(task.judges)} judges, {task.n} responses, rubric {', '.join(rubrics)}"
    parts = [
        formats.terminal(title, None, legend, width, color),
        formats.terminal("", _measures(task, letters), _remarks(task), width, color),
    ]
    for pair in task.pairs if len(task.pairs) <= _MOST_TABLES else []:
        if pair.confusion and pair.n:
            a, b = (letters[place] for place in pair.judges)
            parts.append(formats.terminal(f"Labels by {a} (rows) and {b}", _table(pair.confusion, b), [], width, color))
    if task.apart[:show]:
        some = f"{min(show, len(task.apart))} of {len(task.apart)}"
        title = f"Where they part most ({some}; --show N)"
        parts.append(formats.terminal(title, _apart_grid(task.apart[:show], letters), [], width, color))
    return "\n".join(parts)


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
    if estimate is None:
        return [Cell(name), Cell(judges), Cell("undefined"), Cell(""), Cell("")]
    numbers = [estimate.value, *(estimate.ci95 or [])]
    value, *ends = [f"{round(number, decimals) + 0.0:.{decimals}f}" for number in numbers]  # + 0.0: never -0.00
    return [Cell(name), Cell(judges), Cell(value), Cell(f"[{', '.join(ends)}]" if ends else ""), Cell(str(estimate.n))]


def _plain_row(name: str, judges: str, value: float | None, n: int) -> list[Cell]:
    return _row(name, judges, None if value is None else Estimate(value, None, n), 3)


def _remarks(task: TaskAgreement) -> list[str]:
    remarks = []
    if task.left_out:
        remarks.append(f"Not compared: {listed(task.left_out)}.")
    if task.n_unreadable:
        remarks.append(f"Unreadable replies, which are nobody's rating: {task.n_unreadable}.")
    coefficients = [task.alpha, *(pair.kappa for pair in task.pairs)]
    coefficients += [task.fleiss] if task.is_label and len(task.judges) > 2 else []
    if None in coefficients:
        remarks.append("undefined: no response rated by both, or one rating throughout, which chance explains as well.")
    if any(found and found.ci95 is None for found in coefficients):
        remarks.append("No interval: too few responses, or full agreement, of which resampling shows no spread.")
    if task.is_label and len(task.pairs) > _MOST_TABLES:
        remarks.append(f"Labels of one judge by those of another: {len(task.pairs)} tables, with --json.")
    return remarks


def _table(confusion: Confusion, column_judge: str) -> Grid:
    labels = [Column(escape.plain(label), column_judge) for label in confusion.labels]
    totals = [sum(column) for column in zip(*confusion.counts, strict=True)]
    named = zip([*confusion.labels, "all"], [*confusion.counts, totals], strict=True)
    columns = [Column("", kind="label"), *labels, Column("all")]
    return Grid(columns, [[Cell(label), *(Cell(str(n)) for n in [*row, sum(row)])] for label, row in named])


def _apart_grid(apart: Sequence[Apart], letters: Sequence[str]) -> Grid:
    rows = []
    for one in apart:
        option = "" if one.correct_option is None else f" ({one.correct_option})"
        rows.append([Cell(one.qid + option), *(Cell(_shown(rating)) for rating in one.ratings)])
    return Grid([Column("qid", kind="label"), *(Column(letter, kind="text") for letter in letters)], rows)


def _shown(rating: Rating | None) -> str:
    return "–" if rating is None else rating if isinstance(rating, str) else f"{rating:g}"


def _letter(place: int) -> str:
    """A, B, … Z, A2, B2, …"""
    again, letter = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(again + 1) if again else "")


@dataclass(frozen=True)
class Confusion:
    """How often the first judge (rows) and the second (columns) gave each label."""

    labels: list[str]
    counts: list[list[int]]


@dataclass(frozen=True)
class PairAgreement:
    """Two judges.

    Attributes:
        judges: their places among the judges of the task.
        n: how many responses both have rated.
        agreement: percent that they rate alike.
        kappa: Cohen's of labels, quadratically weighted of scores; None where undefined.
        pearson, spearman: correlations of scores, from -1 to 1; None for labels and where undefined.
        headline: what the task reports: `CORRECT, %`, `mean score`; None for labels of another rubric.
        under: the headline score under the first judge and the second, over the `n` responses.
        change: second minus first, paired.
        confusion: of labels.
    """

    judges: tuple[int, int]
    n: int
    agreement: Estimate | None
    kappa: Estimate | None
    pearson: float | None
    spearman: float | None
    headline: str | None
    under: tuple[float, float] | None
    change: Estimate | None
    confusion: Confusion | None


@dataclass(frozen=True)
class Apart:
    """A response that is not rated alike: one rating a judge, None where it gave none."""

    qid: str
    correct_option: int | None
    ratings: list[Rating | None]


@dataclass(frozen=True)
class TaskAgreement:
    """The judges of one task.

    Attributes:
        task: its name.
        is_label: whether they give labels, else scores.
        judges: who they are.
        n: how many responses two or more of them have rated.
        left_out: why others are not compared → how many.
        n_unreadable: replies that could not be read.
        agreement: percent of pairs of judges that rate a response alike.
        alpha: Krippendorff's, nominal for labels and interval for scores.
        fleiss: Fleiss' kappa of labels, over what all have rated.
        pairs: every two judges.
        apart: the responses that are not rated alike, the worst first.
    """

    task: str
    is_label: bool
    judges: list[Judge]
    n: int
    left_out: dict[str, int]
    n_unreadable: int
    agreement: Estimate | None
    alpha: Estimate | None
    fleiss: Estimate | None
    pairs: list[PairAgreement]
    apart: list[Apart]

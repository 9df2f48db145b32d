"""What `hueval calibrate` prints: a judge's errors, calibrated scores, and whether they hold on known ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hueval_metrics.judges.calibrate.apply import ALPHA, Calibrated
from hueval_metrics.judges.calibrate.cautions import cautions, decimals_of, headline, p_text, ratings_of, sentence_of
from hueval_metrics.judges.calibrate.check import Checked
from hueval_metrics.judges.calibrate.diagnosis import Diagnosis, LabelErrors, label_errors
from hueval_metrics.judges.people.judge_ratings import listed
from hueval_metrics.judges.stats.needed import TIMES
from hueval_metrics.judges.stats.shares import LEAST_YOUDEN
from hueval_metrics.registry import declared
from hueval_metrics.reports import formats
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, interval, number
from hueval_metrics.runs.results import few
from hueval_metrics.runs.scales import scale_of


def fitted_blocks(found: Sequence[Diagnosis]) -> Iterator[Block]:
    """What a new calibration says of its judge."""
    for one in found:
        fitted = one.fitted
        title = f"{one.task}: {fitted.judge} against {fitted.reference}, {len(fitted.items)} answers rated by both"
        yield Block(title, _errors(one), _fit_notes(one), level=2)
        if one.strata:
            yield Block("Sensitivity and specificity by stratum", _strata(one))
        if needed := _needed(one):
            note = (
                "Width of the 95 % interval with so many times the ratings of now; – beyond the answers that there "
                "are, or where all ratings are alike."
            )
            yield Block("Ratings needed", needed, [note])


def fitted_json(found: Sequence[Diagnosis]) -> str:
    """The same as JSON text."""
    return formats.json_page({one.task: _fitted_row(one) for one in found})


def _fitted_row(one: Diagnosis) -> dict[str, Any]:
    fitted = one.fitted
    return {
        **fitted.model_dump(mode="json", exclude={"items"}),
        "n": len(fitted.items),
        "labels": list(one.bands),
        "counts": _counts(one),
        "weighted_counts": one.joint.round(6).tolist(),
        "errors": [_errors_row(errors) for errors in label_errors(one.bands, one.joint)],
        "strata": {
            code: [_errors_row(errors) for errors in label_errors(one.bands, joint)]
            for code, joint in one.strata.items()
        },
        "ratings_needed": [
            {
                "run": score.answers.run.label,
                "metric": name,
                "kind": score.kind,
                "n": score.estimates[name].n,
                "width": score.estimates[name].high - score.estimates[name].low,
                "widths": ratings_of(score, name).widths,
                "to_halve": ratings_of(score, name).to_halve,
            }
            for score in one.scores
            for name in headline(score)
        ],
    }


def _errors_row(errors: LabelErrors) -> dict[str, Any]:
    return {name: getattr(errors, name) for name in LabelErrors.__slots__}


def _counts(one: Diagnosis) -> list[list[int]]:
    """How many items the reference (rows) and the judge gave each label, or grade of score."""
    band = scale_of(one.task).band
    counts = Counter((band(item.reference), band(item.judge)) for item in one.fitted.items)
    return [[counts[row, column] for column in one.bands] for row in one.bands]


def _errors(one: Diagnosis) -> Grid:
    total = one.joint.sum()
    columns = [Column("Reference", kind="label"), *(Column(band, "Judge") for band in one.bands), Column("all")]
    columns += [Column("reference", "Share, %"), Column("judge", "Share, %")]
    columns += [Column("sensitivity"), Column("specificity"), Column("J")]
    errors = label_errors(one.bands, one.joint)
    rows = []
    for place, (counts, said) in enumerate(zip(_counts(one), errors, strict=True)):
        shares = (100 * one.joint.sum(axis=axis)[place] / total for axis in (1, 0))
        cells = [str(said.label), *map(str, counts), str(sum(counts)), *(number(share, 1) for share in shares)]
        cells += [number(value, 3) or "–" for value in (said.sensitivity, said.specificity, said.youden)]
        rows.append([Cell(text) for text in cells])
    return Grid(columns, rows)


def _fit_notes(one: Diagnosis) -> list[str]:
    fitted = one.fitted
    runs = Counter(item.run for item in fitted.items)
    per_run = ", ".join(f"{label} ({runs[label]} of {n:,})" for label, n in fitted.runs.items())
    notes = [f"Answers rated by both, of those that the judge rated: {per_run}."]
    if len({item.weight for item in fitted.items}) > 1:
        notes.append(
            "Shares, sensitivity and specificity are weighted: an answer stands for those of its run judged alike."
        )
    if fitted.left_out:
        notes.append(f"Left out: {listed(fitted.left_out)}.")
    lines = [sentence_of(test, fitted.judge) for test in fitted.differing]
    lines += [
        f"{said.label}: no Rogan-Gladen score of other runs, as sensitivity + specificity - 1 is below {LEAST_YOUDEN}"
        for said in label_errors(one.bands, one.joint)
        if scale_of(one.task).is_label and said.youden is not None and said.youden < LEAST_YOUDEN
    ]
    lines += [
        f"{said.label}: {fitted.reference} rated no item so, and the errors of {fitted.judge} on such items are unknown"
        for said in label_errors(one.bands, one.joint)
        if scale_of(one.task).is_label and said.sensitivity is None
    ]
    return [*notes, *(f"{line[0].upper()}{line[1:]}." for line in lines)]


def _needed(one: Diagnosis) -> Grid | None:
    """How the interval of the headline narrows with more ratings; None where no run has a calibrated score."""
    rows = []
    for score in one.scores:
        for name in headline(score):
            estimate, needed = score.estimates[name], ratings_of(score, name)
            decimals = decimals_of(score.answers.metrics[name])
            texts = [score.answers.run.label, name, score.kind, str(estimate.n)]
            texts.append(number(estimate.high - estimate.low, decimals))
            texts += [number(needed.widths.get(times), decimals) or "–" for times in TIMES]
            rows.append([Cell(text) for text in [*texts, str(needed.to_halve or "–")]])
    columns = [
        Column("Run", kind="label"),
        Column("Metric", kind="text"),
        Column("kind", kind="text"),
        Column("ratings"),
    ]
    columns += [Column(f"× {times}", "Width") for times in (1, *TIMES)]
    return Grid([*columns, Column("to halve it")], rows) if rows else None


def _strata(one: Diagnosis) -> Grid:
    columns = [Column("Stratum", kind="label"), Column("weight")]
    columns += [Column(name, band) for band in one.bands for name in ("sensitivity", "specificity")]
    rows = []
    for code, joint in one.strata.items():
        values = [value for said in label_errors(one.bands, joint) for value in (said.sensitivity, said.specificity)]
        cells = [code, f"{joint.sum():.0f}", *(number(value, 3) or "–" for value in values)]
        rows.append([Cell(text) for text in cells])
    return Grid(columns, rows)


def applied_blocks(found: Sequence[Calibrated]) -> Iterator[Block]:
    """The calibrated scores of runs; metrics within a stratum in the JSON alone."""
    columns = [Column("Run", kind="label"), Column("Task", kind="text"), Column("Metric", kind="text")]
    columns += [Column("judge"), Column("calibrated"), Column("95 % interval"), Column("kind", kind="text")]
    rows = []
    for one in found:
        for name, metric in one.answers.metrics.items():
            if metric.stratum is not None:
                continue
            raw, estimate, decimals = _raw(one, name), one.estimates.get(name), decimals_of(metric)
            texts = [one.answers.run.label, declared(one.answers.task).title, name, number(raw, decimals) or "–"]
            if estimate is None:
                texts += ["–", "", one.kind, "", ""]
            else:
                ends = interval((estimate.low, estimate.high), decimals)
                texts += [number(estimate.value, decimals), ends, one.kind, estimate.method, str(estimate.n)]
            rows.append([Cell(text) for text in texts])
    yield Block("", Grid([*columns, Column("method", kind="text"), Column("n")], rows), _scope(found))
    if lines := _warnings(found):
        yield Block("Warnings", None, lines)


def _scope(found: Sequence[Calibrated]) -> list[str]:
    raters = dict.fromkeys((one.answers.task, one.fitted.judge, one.fitted.reference) for one in found)
    return [
        f"{declared(task).title}: scores of {judge}, calibrated to {reference}." for task, judge, reference in raters
    ]


def _warnings(found: Sequence[Calibrated]) -> list[str]:
    """The warnings, each once for all runs that it is on."""
    runs: dict[tuple[str, str], list[str]] = {}
    for one in found:
        for line in cautions(one):
            runs.setdefault((one.answers.task, line), []).append(one.answers.run.label)
    return [f"{few(labels)}, {declared(task).title}: {line}." for (task, line), labels in runs.items()]


def applied_json(found: Sequence[Calibrated]) -> str:
    """The calibrated scores of runs as JSON text."""
    return formats.json_page([_applied_row(one) for one in found])


def _named(one: Calibrated) -> dict[str, Any]:
    return {
        "run": one.answers.run.label,
        "folder": str(one.answers.run.folder),
        "task": one.answers.task,
        "judge": one.fitted.judge,
        "reference": one.fitted.reference,
    }


def _applied_row(one: Calibrated) -> dict[str, Any]:
    return {
        **_named(one),
        "kind": one.kind,
        "n": one.n,
        "metrics": {name: {"judge": _raw(one, name), **_estimate_row(one, name)} for name in one.answers.metrics},
        "warnings": cautions(one),
    }


def checked_blocks(found: Sequence[Checked]) -> Iterator[Block]:
    """Calibrated scores beside those of the reference on the same answers; metrics within a stratum in the JSON."""
    columns = [Column("Run", kind="label"), Column("Task", kind="text"), Column("Metric", kind="text")]
    columns += [Column("judge"), Column("calibrated"), Column("95 % interval"), Column("reference")]
    rows, lines = [], list[str]()
    for checked in found:
        one = checked.calibrated
        for name, metric in one.answers.metrics.items():
            if metric.stratum is not None:
                continue
            decimals, estimate = decimals_of(metric), one.estimates.get(name)
            texts = [one.answers.run.label, declared(one.answers.task).title, name]
            texts.append(number(checked.judge[name], decimals) or "–")
            texts += [
                number(estimate.value if estimate else None, decimals) or "–",
                interval((estimate.low, estimate.high), decimals) if estimate else "",
                number(checked.reference[name], decimals) or "–",
                {None: "", True: "yes", False: "no"}[checked.holds(name)],
            ]
            rows.append([Cell(text) for text in texts])
        lines += _checked_notes(checked)
    yield Block("", Grid([*columns, Column("in interval", kind="text")], rows), lines)


def _checked_notes(checked: Checked) -> Iterator[str]:
    one = checked.calibrated
    where = f"{one.answers.run.label}, {declared(one.answers.task).title}"
    both, fitted = len(one.answers.items), one.fitted
    yield f"{where}: {both} answers rated by both {fitted.judge} and {fitted.reference}; calibrated by {one.n} others."
    if checked.excluded:
        yield f"{where}: its own answers were taken out of the calibration first ({', '.join(checked.excluded)})."
    if checked.p is not None:
        what = "differ" if checked.p < ALPHA else "do not differ significantly"
        yield f"{where}: the judge's errors {what} from those on the calibrated answers ({p_text(checked.p)})."
    if lacking := [name for name in one.refused if name in checked.judge]:
        yield f"{where}: no calibrated {', '.join(lacking)}: {one.refused[lacking[0]]}."


def checked_json(found: Sequence[Checked]) -> str:
    """The same as JSON text."""
    return formats.json_page([_checked_row(one) for one in found])


def _checked_row(checked: Checked) -> dict[str, Any]:
    one = checked.calibrated
    return {
        **_named(one),
        "n": len(one.answers.items),
        "n_calibration": one.n,
        "excluded": list(checked.excluded),
        "p_differing": checked.p,
        "metrics": {
            name: {
                "judge": checked.judge[name],
                "reference": checked.reference[name],
                **_estimate_row(one, name),
                "in_interval": checked.holds(name),
            }
            for name in checked.judge
        },
    }


def _estimate_row(one: Calibrated, name: str) -> Mapping[str, Any]:
    estimate = one.estimates.get(name)
    if estimate is None:
        return {"calibrated": None, "ci95": None, "why": one.refused.get(name)}
    return {
        "calibrated": estimate.value,
        "ci95": [estimate.low, estimate.high],
        "ci_method": estimate.interval,
        "method": estimate.method,
        "n": estimate.n,
    }


def _raw(one: Calibrated, name: str) -> float | None:
    return one.answers.run.tasks[one.answers.task].scores.get(name)

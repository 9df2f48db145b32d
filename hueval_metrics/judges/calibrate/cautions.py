"""What a reader must know of calibrated scores: one line each."""

from __future__ import annotations

from collections import Counter, defaultdict

from hueval_metrics.judges.calibrate.apply import ALPHA, Calibrated
from hueval_metrics.judges.calibrate.file import Differing
from hueval_metrics.judges.stats.needed import Needed, ratings_needed
from hueval_metrics.metric import Metric
from hueval_metrics.registry import declared
from hueval_metrics.runs.scales import scale_of

FEW = 100  # effective ratings, below which intervals are wide


def cautions(one: Calibrated) -> list[str]:
    """The warnings on one run's calibrated scores, each a sentence without a full stop."""
    lines = []
    label, fitted = one.answers.run.label, one.fitted
    if one.kind == "transported":
        lines.append(
            f"transported: valid only if {fitted.judge} errs on this model as on those that {fitted.reference} rated"
        )
        if label not in fitted.runs:
            lines.append(f"its model is not among those calibrated on ({', '.join(fitted.runs)})")
        lines += [sentence_of(test, fitted.judge) for test in fitted.differing if test.p < ALPHA]
        lines += _ranges(one)
    else:
        lines += _unrated_bands(one)
        lines += _unseen_labels(one)
    weights = [item.weight for item in one.answers.items if item.reference is not None]
    weights = weights or [item.weight for item in fitted.items]
    effective = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    if effective < FEW:
        n = len(weights)
        equal = "" if round(effective) == n else f", which count as {effective:.0f} of equal weight,"
        lines.append(f"{n} ratings{equal} are few{_more(one)}")
    if one.answers.n_unjudged:
        lines.append(f"answers without a verdict that counts, left out: {one.answers.n_unjudged}")
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, reason in one.refused.items():
        reasons[reason].append(name)
    lines += [f"no calibrated {', '.join(names)}: {reason}" for reason, names in reasons.items()]
    return lines


def sentence_of(test: Differing, judge: str) -> str:
    """A test of differing errors as a sentence without a full stop."""
    groups = ", ".join(test.groups)
    what = "differ" if test.p < ALPHA else "do not differ significantly"
    return (
        f"the errors of {judge} {what} between {'runs' if test.by == 'run' else 'series'} ({groups}; {p_text(test.p)})"
    )


def p_text(p: float) -> str:
    """A p as in a sentence.

    >>> p_text(0.0004), p_text(0.0312)
    ('p < 0.001', 'p = 0.031')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def decimals_of(metric: Metric) -> int:
    """The decimals of a metric in tables and sentences."""
    return 2 if metric.unit == "%" else 3


def headline(one: Calibrated) -> list[str]:
    """The metrics of the overview that are calibrated."""
    return [name for name in declared(one.answers.task).headline if name in one.estimates]


def _ranges(one: Calibrated) -> list[str]:
    """How far the headline moves with the errors on each calibrated run alone."""
    lines = []
    for name in headline(one):
        values = sorted(scores[name] for scores in one.by_group.values() if name in scores)
        if len(values) > 1:
            decimals = decimals_of(one.answers.metrics[name])
            ends = f"{values[0]:.{decimals}f} to {values[-1]:.{decimals}f}"
            lines.append(f"by the errors on one of these runs alone, {name} would be {ends}")
    return lines


def ratings_of(one: Calibrated, metric: str) -> Needed:
    """How many more ratings would narrow the interval of a metric; of own answers at most as many as there are.

    Nothing is said where all ratings of the reference are worth the same: how much they vary is not known then.
    """
    rated = [item.reference_values.get(metric) for item in one.answers.items if item.reference is not None]
    rated = rated or [item.reference for item in one.fitted.items]
    if all(value == rated[0] for value in rated):
        return Needed({}, None)
    most = round(sum(item.run_weight for item in one.answers.items)) if one.kind == "own" else None
    return ratings_needed(one.estimates[metric], most)


def _more(one: Calibrated) -> str:
    """How many ratings would halve the interval of the headline, as the end of a sentence."""
    for name in headline(one):
        if (n := ratings_of(one, name).to_halve) is not None:
            return f"; {n} would halve the interval of {name}"
    return ""


def _unrated_bands(one: Calibrated) -> list[str]:
    """The judge's labels (or grades of scores) of which the reference rated none."""
    band = scale_of(one.answers.task).band
    judged = Counter(band(item.judge) for item in one.answers.items)
    rated = {band(item.judge) for item in one.answers.items if item.reference is not None}
    return [
        f"no rating among the {n} answers that {one.fitted.judge} rated {name}"
        for name, n in judged.items()
        if name not in rated
    ]


def _unseen_labels(one: Calibrated) -> list[str]:
    """The judge's labels that the reference gave to no item."""
    judged = dict.fromkeys(item.judge for item in one.answers.items if isinstance(item.judge, str))
    given = {item.reference for item in one.answers.items}
    return [
        f"{one.fitted.reference} rated no item {label}, so the errors of {one.fitted.judge} on such items are unknown"
        for label in judged
        if label not in given
    ]

"""What a reader must know of calibrated scores: one line each."""

from __future__ import annotations

from collections import Counter, defaultdict

from hueval_metrics.calibrate.apply import Calibrated
from hueval_metrics.validation.scales import scale_of

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
            lines.append(f"{label} is not among the models calibrated on ({', '.join(fitted.runs)})")
    else:
        lines += _unrated_bands(one)
    weights = [item.weight for item in one.answers.items if item.reference is not None]
    weights = weights or [item.weight for item in fitted.items]
    effective = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    if effective < FEW:
        lines.append(f"{len(weights)} ratings, which count as {effective:.0f} of equal weight, are few")
    if one.answers.n_unjudged:
        lines.append(f"answers without a verdict that counts, left out: {one.answers.n_unjudged}")
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, reason in one.refused.items():
        reasons[reason].append(name)
    lines += [f"no calibrated {', '.join(names)}: {reason}" for reason, names in reasons.items()]
    return lines


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

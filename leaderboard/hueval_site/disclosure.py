"""What a team is told of a score on hidden labels, so that scores cannot be used to read the labels.

An exact score is an oracle: a prediction flipped between two submissions reads one label. After the Ladder (Blum &
Hardt 2015, ICML), a team is told a number only if it is better than its best one, here by two standard errors and by
the paired test over items; the number stands on a grid.

What else would tell something of the labels, and what is done about it:

- The step of the grid: a standard error depends on the score, and two of its digits are finer than the grid itself. So
  the step is the largest standard error that a score of so many items can have (`step_of`). It depends on the metric's
  scale and the number of items, which everybody knows.
- The place of the grid: its cells lie around the multiples of the step, so around 0, where constant answers score by
  MCC. For other metrics, cells around the best constant answer would publish the share of the most frequent label: it
  would be the remainder of every number told.
- Ends of intervals, further metrics, p-values: a team is told none of them. A public row has an interval whose ends lie
  at distances, rounded up, from the rounded score (`shown_of`); only four rows a year can be public.
- The hash of the labelled data in a signature: a public row has it hashed with the site's key (`shown_of`), or labels
  could be guessed without the site.
- Ranks: pages order public rows by what is shown, never by exact scores.
- Scoring again: it never tells a number where none was told before (`tell`, `before`).
- Two submissions scored at the same time would both be a first one; the worker compares again under a lock of the team.
- Time: whether a paired test is computed depends on whether there is a best submission, which the team knows, and not
  on the score.

`benchmarks/site_attack.py` measures what remains.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from hueval_metrics.api.boards import Metric, Signature
from hueval_site.localized import number

STEPS = 2.0  # standard errors by which a score must beat the team's best
LEVEL = 0.05  # of the paired test
PLACES = 1  # decimals of a public row where labels are hidden
SLACK = 0.25  # of a step by which a standard error may exceed it, as bootstrapped ones do by chance

Kind = Literal["exact", "first", "better", "not distinguishable", "undefined"]
NUMBERED = ("first", "better")  # the kinds that tell a number of hidden labels


@dataclass(frozen=True)
class Told:
    """What a team is told.

    Attributes:
        kind: `exact` on public answers; otherwise `first` or `better` with a score, `not distinguishable` without;
            `undefined` where the metric has no value.
        score: a multiple of `step`, in the metric's unit; None where there is none.
        step: the grid, in the metric's unit, at least one standard error; 0 where the score is exact.
    """

    kind: Kind
    score: float | None
    step: float


def exactly(score: float | None) -> Told:
    """What a team is told of a score on public answers."""
    return Told("undefined" if score is None else "exact", score, 0.0)


def tell(
    metric: Metric,
    score: float | None,
    standard_error: float,
    n: int,
    best: float | None,
    p: float | None,
    before: Kind | None = None,
) -> Told:
    """What a team is told of a score on hidden labels.

    The best is the highest exact score among the team's submissions of the season of which it was told a number, also
    of those withdrawn since. Of the exact score, because a rounded one could be beaten by a part of the step. Of those
    with a number alone, because a score that was not distinguishable would otherwise raise the bar without anybody's
    knowing: many small steps forward, none of which can be told from the last, would never be told. This costs
    nothing: a number is told only for a significant gain over one that the team has, so that numbers come in a chain
    whose length is bounded by the scale divided by two standard errors.

    Args:
        metric: its scale and direction.
        score: exact; None where the metric is undefined.
        standard_error: of it.
        n: items that count in it.
        best: see above; None for none.
        p: of the paired test between the two, two-sided; None where there is no best or no test.
        before: what was told when the same submission was scored before; None the first time.
    """
    step = step_of(metric, standard_error, n)
    if score is None:
        return Told("undefined", None, step)
    kind: Kind = "first"
    if before in NUMBERED or before == "not distinguishable":
        kind = before
    elif best is not None:
        gain = best - score if metric.better == "lower" else score - best
        is_better = gain > STEPS * standard_error and p is not None and p < LEVEL
        kind = "better" if is_better else "not distinguishable"
    return Told(kind, _on_grid(metric, score, step) if kind in NUMBERED else None, step)


def step_of(metric: Metric, standard_error: float, n: int) -> float:
    """The grid of a score: the largest standard error of a mean of n values on the metric's scale, half of the scale
    over √n (Popoviciu 1935), with two digits.

    A metric that is no mean may vary more, such as MCC with a rare class: the step is then doubled, tripled, …, which
    tells no more than that.

    Args:
        metric: its scale.
        standard_error: of the score.
        n: items that count in it.
    """
    low, high = metric.bounds
    largest = (high - low) / 2 / math.sqrt(max(n, 1))
    times = max(1, math.ceil(standard_error / largest - SLACK)) if math.isfinite(standard_error) else 1
    return times * _rounded_up(largest, 1 - math.floor(math.log10(largest)))


def in_words(told: Mapping[str, Any], heading: str) -> str:
    """What a team is told, in a sentence of the reader's language.

    Args:
        told: the column of a submission, the fields of a `Told`.
        heading: of the board's first metric.
    """
    score = round(told["score"], 2) if told["kind"] == "exact" else told["score"]
    values = {"metric": heading, "score": "" if score is None else number(score), "step": number(told["step"])}
    sentences = {
        "exact": _("%(metric)s: %(score)s."),
        "first": _("%(metric)s: about %(score)s, in steps of %(step)s (at least one standard error)."),
        "better": _("Better than your best: %(metric)s about %(score)s, in steps of %(step)s."),
        "not distinguishable": _("Not distinguishable from your best: no number is told."),
        "undefined": _("%(metric)s is undefined for these answers."),
    }
    return sentences[told["kind"]] % values


def shown_of(exact: Mapping[str, Any], metrics: Mapping[str, Metric], *, is_hidden: bool) -> dict[str, Any]:
    """What a public row says: metric → score, `<metric>_ci95` → [low, high] or null, `<metric>_n`, and `signature`.

    Args:
        exact: the task's summary.
        metrics: the columns of the board.
        is_hidden: whether to round to one decimal.
    """
    shown: dict[str, Any] = {"signature": _keyed(exact["signature"]) if is_hidden else exact["signature"]}
    for name, metric in metrics.items():
        score, ends = exact[name], exact.get(f"{name}_ci95")
        if is_hidden and score is not None:
            rounded = round(score, PLACES)
            ends = None if ends is None else _around(metric, score, rounded, ends)
            score = rounded
        shown |= {name: score, f"{name}_ci95": ends, f"{name}_n": exact.get(f"{name}_n")}
    return shown


def _keyed(signature: str) -> str:
    """A signature whose hash of the labelled data is hashed again, with the site's key.

    Against the hash itself anybody could try label after label without asking the site. The same data still have the
    same one.
    """
    parts = dict(Signature.parse(signature).parts)
    if "data" not in parts:
        return signature
    parts["data"] = salted_hmac("hueval_site.disclosure", parts["data"], algorithm="sha256").hexdigest()[:12]
    return str(Signature(parts))


def _around(metric: Metric, score: float, rounded: float, ends: Sequence[float]) -> list[float]:
    """An interval around a rounded score that is not narrower than the exact one."""
    low, high = (_rounded_up(abs(end - score), PLACES) for end in ends)
    least, most = metric.bounds
    return [
        round(max(least, rounded - low), PLACES),
        round(rounded + high if metric.may_exceed else min(most, rounded + high), PLACES),
    ]


def _on_grid(metric: Metric, score: float, step: float) -> float:
    least, most = metric.bounds
    found = round(round(score / step) * step, 10)
    return max(least, found if metric.may_exceed else min(most, found))


def _rounded_up(value: float, places: int) -> float:
    factor = 10.0**places
    return round(math.ceil(value * factor - 1e-9) / factor, max(places, 0))

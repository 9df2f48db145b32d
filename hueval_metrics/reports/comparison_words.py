"""The results of a comparison as sentences: which run is ahead, by how much, and with what certainty.

Differences of percentages are called points. “Not told apart” means that the items show no difference; it is no proof
that there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hueval_metrics.comparison.against import AgainstBenchmark
from hueval_metrics.comparison.results import (
    ALPHA,
    TRANSPORTED,
    BenchmarkPair,
    Comparison,
    Groups,
    Interval,
    LeftOut,
    MetricComparison,
    Pair,
    Score,
    grouped,
)
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import stratum_name, task_name
from hueval_metrics.reports.formats import number
from hueval_metrics.reports.notes import NARROW, narrow_text
from hueval_metrics.stats.contrasts import Contrast
from hueval_metrics.stats.permutation import MOST_PERMUTATIONS
from hueval_metrics.stats.stratified import STRATIFIED

_MOST_DECIMALS = 4
_LEAST_P = 0.001


def benchmark_sentence(pair: BenchmarkPair) -> str:
    """Which run is ahead over all tasks together: `A is ahead of B, with the better score in 4 of 5 tasks, p …`"""
    first, second = escape.plain(pair.first), escape.plain(pair.second)
    is_first = pair.statistic >= 0
    better, n = (first, pair.n_ahead) if is_first else (second, pair.n_behind)
    told = f"with the better score in {n} of {pair.n_tasks} tasks, p {_p(pair.p, '= ')} ({STRATIFIED})"
    if pair.leader is not None:
        return f"{better} is ahead of {second if is_first else first}, {told}."
    return f"{first} and {second} are not told apart: {better} is ahead, {told}."


def benchmark_note(n_tests: int) -> str:
    """What the table of a benchmark's tasks together shows."""
    return f"Test: {STRATIFIED}, corrected over these {n_tests} comparisons. There is no average of unlike metrics."


def pair_sentence(pair: Pair, metric: MetricComparison, n_tests: int, *, names_both: bool = False) -> str:
    """Which run is ahead over all items: `A is ahead by 3.2 points [1.1, 5.3], p = 0.003 (exact McNemar; …).`

    Args:
        pair: the two runs.
        metric: the comparison that the pair is part of.
        n_tests: how many tests p was corrected for.
        names_both: whether to name the other run too.
    """
    if pair.difference is None:
        return f"Nothing to compare: {_undefined(pair)}."
    if pair.p is None:
        who = f"{escape.plain(pair.first)} and {escape.plain(pair.second)}: " if names_both else ""
        return f"{who}{_gap(pair, metric)}; {pair.test}."
    how = [pair.test, *([f"{_p(pair.p_holm)} after Holm over {n_tests} comparisons"] if n_tests > 1 else [])]
    told = f"p {_p(pair.p, '= ')} ({'; '.join(how)})"
    if pair.leader is not None:
        return f"{_leads(pair, metric, names_both)}, {told}."
    who = f"{escape.plain(pair.first)} and {escape.plain(pair.second)} are not" if names_both else "Not"
    return f"{who} told apart: {_gap(pair, metric)}, {told}."


def dimension_sentence(pair: Pair, metric: MetricComparison, n_tests: int) -> str:
    """The same within a dimension: `History (187): not told apart: A 1.2 points higher [-2.0, 4.4], p = 0.47.`"""
    name = f"{stratum_name(metric.task, pair.dimension or '')} ({pair.n:,})"
    if pair.difference is None or pair.p is None:
        return f"{name}: nothing to compare, {_undefined(pair)}."
    corrected = f" ({_p(pair.p_holm)} after Holm over {n_tests})" if n_tests > 1 else ""
    told = f"p {_p(pair.p, '= ')}{corrected}"
    if pair.leader is not None:
        return f"{name}: {_leads(pair, metric, False)}, {told}."
    return f"{name}: not told apart: {_gap(pair, metric)}, {told}."


def resolution_sentence(metric: MetricComparison) -> str | None:
    """The smallest difference that the items can detect: `One test alone can resolve 2.9 points here (80 % power).`"""
    found = [pair.resolvable for pair in metric.pairs if pair.resolvable is not None]
    if not found:
        return None
    low, high = (_number(end, metric) for end in (min(found), max(found)))
    unit = " points" if metric.is_percent else ""
    span = low if low == high else f"{low} to {high}"
    return f"One test alone can resolve {span}{unit} here (80 % power)."


def margin_sentences(pair: Pair, metric: MetricComparison, margin: float) -> Iterator[str]:
    """For each run of a pair whether it is shown to be at most a margin worse than the other (non-inferiority).

    Without a significant difference neither is called better or worse, even where the uncorrected interval excludes 0.
    """
    for one, back in zip(pair.not_worse, reversed(pair.not_worse), strict=True):
        at_worst = f"{_number(abs(one.at_worst), metric)} points"
        at_best = f"{_number(abs(back.at_worst), metric)} points"
        if one.at_worst < 0 and pair.leader is None:
            answer = "Shown: its interval holds no loss"
        elif one.at_worst < 0:
            answer = f"Shown: it is at least {at_worst} better"
        elif one.is_shown:
            answer = f"Shown: it is {at_worst} worse at most"
        elif -back.at_worst > margin and pair.leader is not None:
            answer = f"No: it is at least {at_best} worse"
        else:
            answer = f"Not shown: it may be {at_worst} worse"
        label, other = escape.plain(one.label), escape.plain(one.other)
        yield f"Is {label} at most {margin:g} points worse than {other}? {answer}."


def group_sentences(groups: Groups, metric: MetricComparison) -> Iterator[str]:
    """Comparisons of groups of models; the intervals are over items, not over models."""
    for contrast in groups.reasoning:
        yield f"Reasoning against base: {_contrast(contrast, metric)}"
    for contrast in groups.size:
        yield f"Larger against smaller: {_contrast(contrast, metric)}"
    if groups.openness is not None:
        yield f"Open against closed: {_contrast(groups.openness, metric)}"
    if trend := groups.trend:
        rho = "" if trend.spearman_rho is None else f"; Spearman's rho of size and score {trend.spearman_rho:.2f}"
        slope = f"{_signed(trend.slope, metric)}{_interval(trend.slope_ci95, metric)} for ten times the parameters"
        yield f"By size, {len(trend.labels)} models: {slope}{rho}."


def against_sentences(found: AgainstBenchmark) -> Iterator[str]:
    """How far the order of our runs differs from another benchmark's."""
    change = found.change
    n, moves = len(change.ranks), change.moves
    moved = sum(move != 0 for move in moves.values())
    yield (
        f"{moved} of {n} models have another rank than in {escape.plain(found.benchmark)} ({change.moved:.0f} %); the "
        f"ranks differ by {change.mean_change:.1f} positions on average."
    )
    if change.kendall_tau is not None and change.spearman_rho is not None:
        tau_p, rho_p = (f" (p {_p(p, '= ')})" if p is not None else "" for p in (change.kendall_p, change.spearman_p))
        yield f"Kendall's tau-b {change.kendall_tau:.2f}{tau_p}, Spearman's rho {change.spearman_rho:.2f}{rho_p}."
    for word, sign in (("higher", 1), ("lower", -1)):
        if some := [f"{escape.plain(label)} ({sign * move})" for label, move in moves.items() if sign * move > 0]:
            yield f"Here {word} than there, by positions: {', '.join(some)}."
    for where, labels in (("here", change.only_ours), ("there", change.only_theirs)):
        if labels:
            yield f"Only {where}, left out: {', '.join(map(escape.plain, labels))}."


def left_out_sentences(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """What was not compared, and the reason; one sentence for a run that is left out of many tasks for like reasons."""
    return (_left_out_sentence(one, more) for one, more in grouped(left_out))


def _left_out_sentence(one: LeftOut, more: str) -> str:
    who = f", {escape.plain(one.label)}" if one.label is not None else ""
    return f"Not compared: {task_name(one.task)}{more}{who}: {escape.plain(one.reason)}."


def legend(comparison: Comparison) -> list[str]:
    """How to read the sentences."""
    lines = [
        "In brackets: 95 % intervals; of a difference, paired over the same items. They are not corrected.",
        *_correction(comparison.n_tests, comparison.n_dimension_tests),
        "“Not told apart”: the corrected p is 0.05 or more, or the interval holds 0. The items do not show who is "
        "better, which is no proof that both are equally good.",
    ]
    if any(pair.test == TRANSPORTED for metric in comparison.metrics for pair in metric.pairs):
        lines.append(
            "Transported: corrected by the judge's errors on other runs. If it errs differently on these, score and "
            "interval are wrong, so there is no test."
        )
    if any(map(_is_narrow, (score for metric in comparison.metrics for score in metric.scores))):
        lines.append(narrow_text()["en"])
    if max(comparison.n_tests, comparison.n_dimension_tests) >= ALPHA * MOST_PERMUTATIONS:
        lines.append(
            "So many comparisons are beyond the paired permutation test, whose smallest p is 1 in "
            f"{MOST_PERMUTATIONS:,}: compare fewer runs or metrics."
        )
    return lines


def _is_narrow(score: Score) -> bool:
    return score.covers_too_little and score.ci95 is not None


def _correction(n_tests: int, n_dimension_tests: int) -> list[str]:
    """How many tests p is corrected for; nothing without a test."""
    families = {"over all items": n_tests, "within dimensions": n_dimension_tests}
    several = [f"the {n} comparisons {where}" for where, n in families.items() if n > 1]
    lines = [f"p is corrected (Holm) over {', and apart from them over '.join(several)}."] if several else []
    alone = [f"The one comparison {where} needs no correction." for where, n in families.items() if n == 1]
    return lines + alone


def score_text(score: Score, metric: MetricComparison) -> str:
    """A score with its interval, marked where its coverage is too low: `50.3 [47.6, 53.0]†`."""
    if score.value is None:
        return "undefined"
    return _number(score.value, metric) + _interval(score.ci95, metric) + NARROW * _is_narrow(score)


def p_text(p: float | None) -> str:
    """A p-value for a cell of a table."""
    return "" if p is None else _p(p)


def difference_text(pair: Pair, metric: MetricComparison) -> str:
    """Second minus first with its interval, for a table in which every run is compared with the first."""
    if pair.difference is None:
        return ""
    turned = (-pair.ci95[1], -pair.ci95[0]) if pair.ci95 else None
    return _amount(-pair.difference, metric) + _interval(turned, metric)


def lead_text(pair: Pair, metric: MetricComparison, *, turned: bool) -> str:
    """First minus second (`turned`: second minus first) where the difference is significant; else a dash."""
    if pair.leader is None or pair.difference is None:
        return "–"
    return _amount(-pair.difference if turned else pair.difference, metric)


def _leads(pair: Pair, metric: MetricComparison, names_both: bool) -> str:
    is_first = pair.leader == pair.first
    other = escape.plain(pair.second if is_first else pair.first)
    low, high = pair.ci95 or (None, None)
    interval = None if low is None or high is None else _ascending(abs(low), abs(high))
    size = _number(abs(pair.difference or 0.0), metric) + (" points" if metric.is_percent else "")
    of, than = (f" of {other}", f" than {other}") if names_both else ("", "")
    how = {"higher": f"is ahead{of} by", "lower": f"is ahead{of}, lower by", None: f"is higher{than} by"}[metric.better]
    return f"{escape.plain(pair.leader or '')} {how} {size}{_interval(interval, metric)}"


def _gap(pair: Pair, metric: MetricComparison) -> str:
    """A difference that is not significant, with the name of the higher run: `A 1.2 points higher [-2.0, 4.4]`."""
    difference, ci95 = pair.difference or 0.0, pair.ci95
    size = _number(abs(difference), metric) + (" points" if metric.is_percent else "")
    if not difference:
        return f"{size} between them{_interval(ci95, metric)}"
    is_first = difference > 0
    if ci95 and not is_first:
        ci95 = -ci95[1], -ci95[0]
    return f"{escape.plain(pair.first if is_first else pair.second)} {size} higher{_interval(ci95, metric)}"


def _undefined(pair: Pair) -> str:
    labels = (pair.first, pair.second)
    lacking = [escape.plain(label) for label, score in zip(labels, pair.scores, strict=True) if score is None]
    return f"no score of {' and '.join(lacking)}"


def _contrast(found: Contrast, metric: MetricComparison) -> str:
    names = [_group(labels) for labels in (found.first, found.second)]
    means = [_number(mean, metric) for mean in (found.first_mean, found.second_mean)]
    gain = ""
    if found.relative_gain is not None:
        interval = found.relative_gain_ci95
        ends = f" [{interval[0]:.1f}, {interval[1]:.1f}]" if interval else ""
        gain = f", {found.relative_gain:+.1f} % relative{ends}"
    difference = _signed(found.difference, metric) + _interval(found.difference_ci95, metric)
    return f"{names[0]} {means[0]} against {names[1]} {means[1]}: {difference}{gain}."


def _group(labels: Sequence[str]) -> str:
    return escape.plain(labels[0]) if len(labels) == 1 else f"{len(labels)} models with a mean of"


def _ascending(one: float, other: float) -> Interval:
    return min(one, other), max(one, other)


def _amount(value: float, metric: MetricComparison) -> str:
    text = _number(value, metric)
    return f"+{text}" if value > 0 else text


def _signed(value: float, metric: MetricComparison) -> str:
    return _amount(value, metric) + (" points" if metric.is_percent else "")


def _interval(ci95: Interval | None, metric: MetricComparison) -> str:
    return f" [{_number(ci95[0], metric)}, {_number(ci95[1], metric)}]" if ci95 else ""


def _number(value: float, metric: MetricComparison) -> str:
    """A number with enough decimals to differ from 0."""
    decimals = 1 if metric.is_percent else 3
    while value and not round(value, decimals) and decimals < _MOST_DECIMALS:
        decimals += 1
    return number(value, decimals)


def _p(p: float | None, equals: str = "") -> str:
    if p is None:
        return "undefined"
    if p < _LEAST_P:
        return f"< {_LEAST_P}"
    decimals = 2 if p >= 0.1 else 3
    text = f"{p:.{decimals}f}"
    return equals + (
        f"{p:.4f}" if text == "0.050" and p < 0.05 else text
    )  # rounding must not hide that p is below 0.05

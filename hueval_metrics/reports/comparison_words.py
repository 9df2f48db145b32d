"""The results of a comparison as sentences: which run is ahead, by how much, and with what certainty.

Differences of percentages are called points. “Not told apart” means that the items show no difference; it is no proof
that there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

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
from hueval_metrics.words.texts import FOLDER, Words, numerals, printed, whole

_MOST_DECIMALS = 4
_LEAST_P = 0.001
_WORDS = Words(FOLDER, "comparison")


def say(key: str, /, **values: Any) -> str:
    """A text in the language of what commands print."""
    return str(_WORDS.text(key, None, **values))


def test_name(test: str) -> str:
    """A test as it is called in sentences; one that has no words by its name in files."""
    return _WORDS.of(printed()).get(f"test.{test}", test)


def benchmark_sentence(pair: BenchmarkPair) -> str:
    """Which run is ahead over all tasks together: `A is ahead of B, with the better score in 4 of 5 tasks, p …`"""
    first, second = escape.plain(pair.first), escape.plain(pair.second)
    (better, other), n = ((first, second), pair.n_ahead) if pair.statistic >= 0 else ((second, first), pair.n_behind)
    proof = say("benchmark.proof", n=n, of=pair.n_tasks, p=_p(pair.p, "= "), test=test_name(STRATIFIED))
    key = "benchmark.not_apart" if pair.leader is None else "benchmark.ahead"
    return say(key, first=first, second=second, better=better, other=other, proof=proof)


def benchmark_note(n_tests: int) -> str:
    """What the table of a benchmark's tasks together shows."""
    return say("benchmark.note", test=test_name(STRATIFIED), n=n_tests)


def pair_sentence(pair: Pair, metric: MetricComparison, n_tests: int, *, names_both: bool = False) -> str:
    """Which run is ahead over all items: `A is ahead by 3.2 points [1.1, 5.3], p = 0.003 (exact McNemar; …).`

    Args:
        pair: the two runs.
        metric: the comparison that the pair is part of.
        n_tests: how many tests p was corrected for.
        names_both: whether to name the other run too.
    """
    if pair.difference is None:
        return say("pair.nothing", why=_undefined(pair))
    test, named = test_name(pair.test), "_named" * names_both
    who = {"first": escape.plain(pair.first), "second": escape.plain(pair.second)}
    if pair.p is None:
        return say(f"pair.untested{named}", **who, gap=_gap(pair, metric), test=test)
    proof = _proof("pair", pair, n_tests, test=test)
    if pair.leader is not None:
        return say("pair.ahead", lead=_leads(pair, metric, names_both), proof=proof)
    return say(f"pair.not_apart{named}", **who, gap=_gap(pair, metric), proof=proof)


def dimension_sentence(pair: Pair, metric: MetricComparison, n_tests: int) -> str:
    """The same within a dimension: `History (187): not told apart: A 1.2 points higher [-2.0, 4.4], p = 0.47.`"""
    about = {"name": stratum_name(metric.task, pair.dimension or "", printed()), "n": whole(pair.n)}
    if pair.difference is None or pair.p is None:
        return say("dimension.nothing", **about, why=_undefined(pair))
    proof = _proof("dimension", pair, n_tests)
    if pair.leader is not None:
        return say("dimension.ahead", **about, lead=_leads(pair, metric, False), proof=proof)
    return say("dimension.not_apart", **about, gap=_gap(pair, metric), proof=proof)


def _proof(kind: str, pair: Pair, n_tests: int, **more: str) -> str:
    """p, and the corrected one of several tests."""
    key = f"{kind}.proof_corrected" if n_tests > 1 else f"{kind}.proof"
    return say(key, p=_p(pair.p, "= "), corrected=_p(pair.p_holm), n=n_tests, **more)


def resolution_sentence(metric: MetricComparison) -> str | None:
    """The smallest difference that the items can detect: `One test alone can resolve 2.9 points here (80 % power).`"""
    found = [pair.resolvable for pair in metric.pairs if pair.resolvable is not None]
    if not found:
        return None
    low, high = (_number(end, metric) for end in (min(found), max(found)))
    return say("resolution", size=_sized(low if low == high else say("range", low=low, high=high), metric))


def margin_sentences(pair: Pair, metric: MetricComparison, margin: float) -> Iterator[str]:
    """For each run of a pair whether it is shown to be at most a margin worse than the other (non-inferiority).

    Without a significant difference neither is called better or worse, even where the uncorrected interval excludes 0.
    """
    for one, back in zip(pair.not_worse, reversed(pair.not_worse), strict=True):
        end = one.at_worst
        if one.at_worst < 0:
            key = "no_loss" if pair.leader is None else "better"
        elif one.is_shown:
            key = "not_worse"
        elif -back.at_worst > margin and pair.leader is not None:
            key, end = "worse", back.at_worst
        else:
            key = "unknown"
        answer = say(f"margin.{key}", size=say("points", size=_number(abs(end), metric)))
        labels = {"label": escape.plain(one.label), "other": escape.plain(one.other)}
        yield say("margin.question", **labels, margin=numerals(f"{margin:g}"), answer=answer)


def group_sentences(groups: Groups, metric: MetricComparison) -> Iterator[str]:
    """Comparisons of groups of models; the intervals are over items, not over models."""
    openness = [] if groups.openness is None else [groups.openness]
    for key, contrasts in {"reasoning": groups.reasoning, "sizes": groups.size, "openness": openness}.items():
        for contrast in contrasts:
            yield say(f"groups.{key}", contrast=_contrast(contrast, metric))
    if trend := groups.trend:
        rho = trend.spearman_rho
        rho_text = "" if rho is None else say("groups.rho", rho=numerals(f"{rho:.2f}"))
        slope = f"{_signed(trend.slope, metric)}{_interval(trend.slope_ci95, metric)}"
        yield say("groups.trend", n=len(trend.labels), slope=slope, rho=rho_text)


def against_sentences(found: AgainstBenchmark) -> Iterator[str]:
    """How far the order of our runs differs from another benchmark's."""
    change = found.change
    moves = change.moves
    yield say(
        "against.moved",
        moved=sum(move != 0 for move in moves.values()),
        n=len(change.ranks),
        benchmark=escape.plain(found.benchmark),
        share=f"{change.moved:.0f}",
        mean=numerals(f"{change.mean_change:.1f}"),
    )
    if change.kendall_tau is not None and change.spearman_rho is not None:
        tau, rho = (numerals(f"{one:.2f}") for one in (change.kendall_tau, change.spearman_rho))
        ps = (say("against.p", p=_p(p, "= ")) if p is not None else "" for p in (change.kendall_p, change.spearman_p))
        yield say("against.correlation", tau=tau, rho=rho, **dict(zip(("tau_p", "rho_p"), ps, strict=True)))
    for key, sign in (("higher", 1), ("lower", -1)):
        if some := [f"{escape.plain(label)} ({sign * move})" for label, move in moves.items() if sign * move > 0]:
            yield say(f"against.{key}", models=", ".join(some))
    for key, labels in (("only_here", change.only_ours), ("only_there", change.only_theirs)):
        if labels:
            yield say(f"against.{key}", models=", ".join(map(escape.plain, labels)))


def left_out_sentences(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """What was not compared, and the reason; one sentence for a run that is left out of many tasks for like reasons."""
    return (_left_out_sentence(one, more) for one, more in grouped(left_out))


def _left_out_sentence(one: LeftOut, more: str) -> str:
    about = {"task": task_name(one.task), "more": more, "reason": escape.plain(one.reason)}
    if one.label is None:
        return say("left_out.task", **about)
    return say("left_out.run", **about, label=escape.plain(one.label))


def legend(comparison: Comparison) -> list[str]:
    """How to read the sentences."""
    lines = [say("legend.intervals"), *_correction(comparison.n_tests, comparison.n_dimension_tests)]
    lines.append(say("legend.not_apart"))
    if any(pair.test == TRANSPORTED for metric in comparison.metrics for pair in metric.pairs):
        lines.append(say("legend.transported"))
    if any(map(_is_narrow, (score for metric in comparison.metrics for score in metric.scores))):
        lines.append(narrow_text()[printed()])
    if max(comparison.n_tests, comparison.n_dimension_tests) >= ALPHA * MOST_PERMUTATIONS:
        lines.append(say("legend.too_many", most=whole(MOST_PERMUTATIONS)))
    return lines


def _is_narrow(score: Score) -> bool:
    return score.covers_too_little and score.ci95 is not None


def _correction(n_tests: int, n_dimension_tests: int) -> list[str]:
    """How many tests p is corrected for; nothing without a test."""
    families = {"items": n_tests, "dimensions": n_dimension_tests}
    several = [say(f"legend.{where}", n=n) for where, n in families.items() if n > 1]
    lines = [say("legend.corrected", families=say("legend.apart").join(several))] if several else []
    return lines + [say(f"legend.alone_{where}") for where, n in families.items() if n == 1]


def score_text(score: Score, metric: MetricComparison) -> str:
    """A score with its interval, marked where its coverage is too low: `50.3 [47.6, 53.0]†`."""
    if score.value is None:
        return say("verdict.undefined")
    return _number(score.value, metric) + _interval(score.ci95, metric) + NARROW * _is_narrow(score)


def p_text(p: float | None) -> str:
    """A p-value with English numerals, for a cell of a table."""
    if p is None:
        return ""
    if p < _LEAST_P:
        return f"< {_LEAST_P}"
    text = f"{p:.{2 if p >= 0.1 else 3}f}"
    return f"{p:.4f}" if text == "0.050" and p < 0.05 else text  # rounding must not hide that p is below 0.05


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
    low, high = pair.ci95 or (None, None)
    return say(
        f"lead.{metric.better or 'none'}{'_named' * names_both}",
        leader=escape.plain(pair.leader or ""),
        other=escape.plain(pair.second if is_first else pair.first),
        size=_sized(_number(abs(pair.difference or 0.0), metric), metric),
        interval=_interval(None if low is None or high is None else _ascending(abs(low), abs(high)), metric),
    )


def _gap(pair: Pair, metric: MetricComparison) -> str:
    """A difference that is not significant, with the name of the higher run: `A 1.2 points higher [-2.0, 4.4]`."""
    difference, ci95 = pair.difference or 0.0, pair.ci95
    size = _sized(_number(abs(difference), metric), metric)
    if not difference:
        return say("gap.none", size=size, interval=_interval(ci95, metric))
    is_first = difference > 0
    if ci95 and not is_first:
        ci95 = -ci95[1], -ci95[0]
    higher = escape.plain(pair.first if is_first else pair.second)
    return say("gap.higher", higher=higher, size=size, interval=_interval(ci95, metric))


def _undefined(pair: Pair) -> str:
    labels = (pair.first, pair.second)
    lacking = [escape.plain(label) for label, score in zip(labels, pair.scores, strict=True) if score is None]
    return say("no_score", labels=say("and").join(lacking))


def _contrast(found: Contrast, metric: MetricComparison) -> str:
    gain = ""
    if found.relative_gain is not None:
        ends = found.relative_gain_ci95
        ends_text = f" [{ends[0]:.1f}, {ends[1]:.1f}]" if ends else ""
        gain = say("groups.gain", gain=numerals(f"{found.relative_gain:+.1f}"), interval=numerals(ends_text))
    return say(
        "groups.contrast",
        first=_group(found.first),
        first_mean=_number(found.first_mean, metric),
        second=_group(found.second),
        second_mean=_number(found.second_mean, metric),
        difference=_signed(found.difference, metric) + _interval(found.difference_ci95, metric),
        gain=gain,
    )


def _group(labels: Sequence[str]) -> str:
    return escape.plain(labels[0]) if len(labels) == 1 else say("groups.several", n=len(labels))


def _ascending(one: float, other: float) -> Interval:
    return min(one, other), max(one, other)


def _amount(value: float, metric: MetricComparison) -> str:
    text = _number(value, metric)
    return f"+{text}" if value > 0 else text


def _signed(value: float, metric: MetricComparison) -> str:
    return _sized(_amount(value, metric), metric)


def _sized(text: str, metric: MetricComparison) -> str:
    """A difference with its unit."""
    return say("points", size=text) if metric.is_percent else text


def _interval(ci95: Interval | None, metric: MetricComparison) -> str:
    if ci95 is None:
        return ""
    low, high = (number(end, _decimals(end, metric)) for end in ci95)
    return numerals(f" [{low}, {high}]")


def _number(value: float, metric: MetricComparison) -> str:
    """A number with enough decimals to differ from 0."""
    return numerals(number(value, _decimals(value, metric)))


def _decimals(value: float, metric: MetricComparison) -> int:
    decimals = 1 if metric.is_percent else 3
    while value and not round(value, decimals) and decimals < _MOST_DECIMALS:
        decimals += 1
    return decimals


def _p(p: float | None, equals: str = "") -> str:
    """A p-value for a sentence."""
    text = p_text(p)
    return numerals(text if text.startswith("<") else equals + text) if text else say("verdict.undefined")

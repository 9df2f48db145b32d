"""A comparison of runs as text, Markdown, JSON or CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import groupby
from typing import TypeVar

from hueval_metrics import registry
from hueval_metrics.comparison.against import AgainstBenchmark, PlacedMetric, main_table
from hueval_metrics.comparison.results import BenchmarkPair, Comparison, MetricComparison, Pair
from hueval_metrics.declare import Family
from hueval_metrics.reports import comparison_words as words
from hueval_metrics.reports import escape, formats
from hueval_metrics.reports.columns import in_order, stratum_name, task_name
from hueval_metrics.reports.comparison_words import say
from hueval_metrics.reports.flags import flag_notes
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, in_numerals
from hueval_metrics.scoring.flags import Flag
from hueval_metrics.stats.stratified import STRATIFIED
from hueval_metrics.text.spreadsheet import csv_text
from hueval_metrics.words.texts import numerals, printed, whole

_Found = TypeVar("_Found", MetricComparison, PlacedMetric)

FORMATS = ("text", "markdown", "json", "csv")
ALL_TASKS = "all_tasks"  # in place of a metric, in the row of a benchmark
_MOST_FAULTS = 5
# Columns of a terminal from which a table has p, ranks, and the probability of being first.
_WIDTH_WITH_P, _WIDTH_WITH_RANK, _WIDTH_WITH_FIRST = 80, 95, 110


def render(
    comparison: Comparison,
    fmt: str,
    *,
    against: Sequence[AgainstBenchmark] = (),
    published: Sequence[PlacedMetric] = (),
    width: int = 100,
    color: bool = False,
) -> str:
    """A comparison as text.

    Args:
        comparison: the results.
        fmt: one of `FORMATS`. CSV has a line for each pair of runs, metric and dimension, and nothing else.
        against: the ranks of our runs compared with those of other benchmarks.
        published: the ranks of our runs among published scores.
        width: columns of the terminal, for `text` only.
        color: whether to write colour codes, for `text` only.
    """
    if fmt == "json":
        more = {"against": [asdict(one) for one in against], "published": [asdict(one) for one in published]}
        return formats.json_page(asdict(comparison) | more)
    if fmt == "csv":
        return csv_text([PAIR_COLUMNS, *pair_rows(comparison)])
    room = _WIDTH_WITH_FIRST if fmt == "markdown" else width
    blocks = [_benchmark_block([*pairs]) for _, pairs in groupby(comparison.benchmarks, lambda pair: pair.family)]
    for labels, metrics in groupby(_in_order(comparison.metrics), partial(_listed, comparison)):
        if labels:
            blocks.append(_list_block(labels, [*metrics]))
        else:
            for metric in metrics:
                blocks += [_metric_block(metric, comparison, room), *_dimension_block(metric)]
    return _draw([*blocks, *_further_blocks(comparison, against, published)], fmt, width, color)


def notebook_blocks(
    comparison: Comparison, against: Sequence[AgainstBenchmark], published: Sequence[PlacedMetric]
) -> list[Block]:
    """One table with a row for each pair of runs and metric, and what `render` has below its tables."""
    names = (_head("task"), _head("metric"), "A", "B", _head("a_score"), _head("b_score"), "B − A", _head("p"))
    columns = [Column(name, kind="number" if place >= 4 else "text") for place, name in enumerate(names)]
    columns.append(Column(_head("b_is"), kind="text"))
    rows = []
    for metric in _in_order(comparison.metrics):
        scores = {one.label: words.score_text(one, metric) for one in metric.scores}
        for pair in metric.pairs:
            both = (pair.first, pair.second)
            cells = (task_name(metric.task), metric.metric, *map(escape.plain, both), *map(scores.__getitem__, both))
            rows.append([*map(Cell, (*cells, *_outcome(pair, metric)))])
    return [in_numerals(Block("", Grid(columns, rows))), *_further_blocks(comparison, against, published)]


def _further_blocks(
    comparison: Comparison, against: Sequence[AgainstBenchmark], published: Sequence[PlacedMetric]
) -> list[Block]:
    blocks = [_published_block(_in_order(published))] if published else []
    for change in against:
        about = {"task": task_name(change.task), "metric": change.metric, "benchmark": change.benchmark}
        title = say("against.title", **about)
        blocks.append(Block(title, notes=list(words.against_sentences(change))))
    blocks.append(Block(say("title.not_compared"), notes=remarks(comparison)))
    blocks.append(Block(say("title.legend"), notes=words.legend(comparison)))
    return [block for block in blocks if block.grid or block.notes]


def remarks(comparison: Comparison) -> list[str]:
    """What was not compared, and caveats of the rest, one sentence in each line."""
    shown: dict[tuple[str, str], list[Flag]] = {}
    for one in comparison.flags:
        shown.setdefault((one.label, one.task), []).append(one.flag)
    lines = [note[printed()] for note in flag_notes(shown)] + list(words.left_out_sentences(comparison.left_out))
    told: dict[str, list[str]] = {}
    for task, notes in comparison.notes.items():
        for note in notes:
            told.setdefault(note, []).append(task_name(task))
    n_tasks = len(comparison.notes)
    for note, tasks in told.items():
        lines.append(f"{say('all_tasks') if len(tasks) == n_tasks > 1 else ', '.join(tasks)}: {note}.")
    lines += [f"{line}." for line in comparison.faults[:_MOST_FAULTS]]
    if (more := len(comparison.faults) - _MOST_FAULTS) > 0:
        lines.append(say("more_faults", n=more))
    return [escape.plain(line) for line in lines]


def _head(name: str) -> str:
    """The heading of a column."""
    return say(f"column.{name}")


def _in_order(found: Sequence[_Found]) -> list[_Found]:
    order = in_order(one.task for one in found)
    return sorted(found, key=lambda one: order.index(one.task))


def _is_against_first(metric: MetricComparison) -> bool:
    return all(pair.first == metric.scores[0].label for pair in metric.pairs)


def _benchmark_block(pairs: Sequence[BenchmarkPair]) -> Block:
    """The tasks of a benchmark together: a sentence for two runs, else a row for each pair."""
    n_tests, labels = len(pairs), list(dict.fromkeys(label for pair in pairs for label in (pair.first, pair.second)))
    about = {"task": task_name(pairs[0].family), "n": max(pair.n_tasks for pair in pairs)}
    if n_tests == 1:
        return Block(say("benchmark.title", **about), notes=[words.benchmark_sentence(pairs[0])])
    is_against_first = all(pair.first == labels[0] for pair in pairs)
    columns = [Column(_head("model"), kind="label"), *map(Column, map(_head, ("better_in", "worse_in", "p")))]
    columns.append(Column(_head("verdict"), kind="text"))
    rows = []
    for pair in pairs:
        first, second = escape.plain(pair.first), escape.plain(pair.second)
        name = second if is_against_first else say("column.against", first=first, second=second)
        counts = (say("column.counts", n=n, of=pair.n_tasks) for n in (pair.n_behind, pair.n_ahead))
        key = "not_apart" if pair.leader is None else "ahead" if pair.leader == pair.second else "behind"
        verdict = say(f"verdict.{key}")
        rows.append([*map(Cell, (name, *counts, words.p_text(pair.p_holm), verdict))])
    key = "benchmark.title_against" if is_against_first else "benchmark.title"
    return Block(say(key, **about, first=escape.plain(labels[0])), Grid(columns, rows), [words.benchmark_note(n_tests)])


def _metric_block(metric: MetricComparison, comparison: Comparison, width: int) -> Block:
    two = len(metric.scores) == 2
    labels = [escape.plain(one.label) for one in metric.scores]
    key = "_two" if two else "_against" * _is_against_first(metric)
    about = {"task": task_name(metric.task), "metric": metric.metric, "n": whole(metric.n)}
    title = say(f"title.metric{key}", **about, first=labels[0], second=labels[-1])
    lines = []
    n_tests, n_dimension_tests = comparison.n_tests, comparison.n_dimension_tests
    if two:
        values = [words.score_text(one, metric) for one in metric.scores]
        named = {"first": labels[0], "second": labels[1], "first_score": values[0], "second_score": values[1]}
        lines.append(say("scores_of_two", **named))
    if two or not _is_against_first(metric):
        lines += [words.pair_sentence(pair, metric, n_tests, names_both=not two) for pair in metric.pairs]
    lines += filter(None, [words.resolution_sentence(metric)])
    if comparison.margin is not None:
        lines += [line for pair in metric.pairs for line in words.margin_sentences(pair, metric, comparison.margin)]
    if two:
        lines += [words.dimension_sentence(pair, metric, n_dimension_tests) for pair in metric.dimensions]
    if metric.groups is not None:
        lines += words.group_sentences(metric.groups, metric)
    return Block(title, None if two else _scores(metric, width), lines)


def _listed(comparison: Comparison, metric: MetricComparison) -> tuple[str, ...]:
    """The two runs whose difference is a row of a table, in a metric that pools tasks or is of one of these tasks."""
    pooled = [one for family in registry.families().values() for one in family.summaries if one.is_pooled]
    of_pooled = any(metric.metric == one.name or (metric.task, metric.metric) in one.terms for one in pooled)
    is_plain = comparison.margin is None and metric.groups is None and not metric.dimensions
    labels = tuple(escape.plain(one.label) for one in metric.scores)
    return labels if of_pooled and is_plain and len(labels) == 2 else ()


def _list_block(labels: tuple[str, ...], metrics: Sequence[MetricComparison]) -> Block:
    """A row for each metric: both scores, the second minus the first, and which is ahead."""
    of_tasks = {metric.metric for metric in metrics if metric.task not in registry.families()}
    columns = [Column("", kind="label"), *map(Column, ("n", "A", "B", "B − A", _head("p"))), Column("", kind="text")]
    rows = []
    for metric in metrics:
        (pair,) = metric.pairs
        scores = [words.score_text(replace(one, ci95=None), metric) for one in metric.scores]
        difference, p, verdict = _outcome(pair, metric)
        if pair.leader is not None:
            key = "verdict.one_ahead" if metric.better else "verdict.one_higher"
            verdict = say(key, run="A" if pair.leader == pair.first else "B")
        name = _name_in_list(metric) if len(of_tasks) < 2 else f"{_name_in_list(metric)}, {metric.metric}"
        rows.append([*map(Cell, (name, whole(metric.n), *scores, difference, p, verdict))])
    titles = dict.fromkeys(known.title for metric in metrics if (known := _family(metric)))
    title = ", ".join([*titles, *(of_tasks if len(of_tasks) == 1 else ())])
    tests = sorted({pair.test for metric in metrics for pair in metric.pairs if pair.test})
    named = {"first": labels[0], "second": labels[1], "tests": ", ".join(map(words.test_name, tests))}
    return Block(title, Grid(columns, rows), [say("list_note", **named)])


def _name_in_list(metric: MetricComparison) -> str:
    """A summary by its name, a task by its title without that of its family."""
    family = _family(metric)
    if family is None or metric.task == family.name:
        return metric.metric
    return task_name(metric.task).removeprefix(family.title).strip()


def _family(metric: MetricComparison) -> Family | None:
    return registry.known_tasks().get(metric.task) or registry.families().get(metric.task)


def _dimension_block(metric: MetricComparison) -> list[Block]:
    """For more than two runs a table: a row for each pair, a column for each dimension."""
    if len(metric.scores) == 2 or not metric.dimensions:
        return []
    codes = list(dict.fromkeys(pair.dimension or "" for pair in metric.dimensions))
    turned = _is_against_first(metric)
    rows: dict[tuple[str, str], list[Cell]] = {}
    for pair in metric.dimensions:
        first, second = escape.plain(pair.first), escape.plain(pair.second)
        name = second if turned else say("column.against", first=second, second=first)
        row = rows.setdefault((pair.first, pair.second), [Cell(name)])
        row.append(Cell(words.lead_text(pair, metric, turned=turned)))
    columns = [Column(_head("model"), kind="label"), *(Column(code.upper()) for code in codes)]
    unit = [say("dimension.points")] * metric.is_percent
    unit += [say("dimension.against", first=escape.plain(metric.scores[0].label))] * turned
    about = {"task": task_name(metric.task), "metric": metric.metric}
    title = say("dimension.title", **about, unit=" ".join(unit) or say("dimension.differences"))
    meanings = "; ".join(f"{code.upper()}: {stratum_name(metric.task, code, printed())}" for code in codes)
    return [Block(title, Grid(columns, list(rows.values())), [say("dimension.note", meanings=meanings)])]


def _scores(metric: MetricComparison, width: int) -> Grid:
    """A row for each run: score, rank and, where all are compared with the first run, the difference from it.

    A terminal too narrow for p shows no interval of the score either, only that of the difference.
    """
    pairs = {pair.second: pair for pair in metric.pairs} if _is_against_first(metric) else {}
    has_p, has_rank, has_first = width >= _WIDTH_WITH_P, width >= _WIDTH_WITH_RANK, width >= _WIDTH_WITH_FIRST
    columns = [Column(_head("model"), kind="label"), Column(_head("score"))]
    columns += [Column(_head("rank"))] * has_rank + [Column(_head("first"))] * has_first
    if pairs:
        columns += [Column(_head("difference")), *[Column(_head("p"))] * has_p, Column(_head("verdict"), kind="text")]
    rows = []
    for score in metric.scores:
        shown = score if has_p or not pairs else replace(score, ci95=None)
        cells = [escape.plain(score.label), words.score_text(shown, metric)]
        rank = score.rank
        cells += [f"{rank.rank} [{rank.low}, {rank.high}]" if rank else ""] * has_rank
        cells += [say("column.percent", n=f"{100 * rank.p_first:.0f}") if rank else ""] * has_first
        if pairs:
            pair = pairs.get(score.label)
            difference, p, verdict = _outcome(pair, metric)
            is_apart = pair is None or pair.difference is None or pair.p is None or pair.leader is not None
            if not has_p and not is_apart and pair and pair.ci95 and not pair.ci95[0] <= 0 <= pair.ci95[1]:
                verdict = say(
                    "verdict.with_p", verdict=verdict, p=numerals(p)
                )  # the interval leaves out 0; it is the correction that does not
            cells += [difference, *[p] * has_p, verdict]
        rows.append([*map(Cell, cells)])
    return Grid(columns, rows)


def _outcome(pair: Pair | None, metric: MetricComparison) -> tuple[str, str, str]:
    """Difference, p and verdict; empty for the first run itself."""
    if pair is None:
        return "", "", ""
    if pair.difference is None:
        verdict = say("verdict.undefined")
    elif pair.p is None:
        verdict = words.test_name(pair.test)
    elif pair.leader is None:
        verdict = say("verdict.not_apart")
    else:
        ahead, behind = ("ahead", "behind") if metric.better else ("higher", "lower")
        verdict = say(f"verdict.{ahead if pair.leader == pair.second else behind}")
    return words.difference_text(pair, metric), words.p_text(pair.p_holm), verdict


def _published_block(found: Sequence[PlacedMetric]) -> Block:
    """A row for each run and each published model, with its ranks."""
    labels = {(row.label, row.is_published): None for metric in found for row in metric.rows}
    ranks = [{(row.label, row.is_published): str(row.rank) for row in metric.rows} for metric in found]
    columns = [Column(_head("model"), kind="label"), Column("", kind="text")]
    columns += [Column(metric.metric, task_name(metric.task)) for metric in found]
    rows = [
        [
            Cell(escape.plain(key[0])),
            Cell(say("verdict.published") if key[1] else ""),
            *(Cell(own.get(key, "")) for own in ranks),
        ]
        for key in sorted(labels, key=lambda key: key[1])
    ]
    sources = dict.fromkeys(table.title[printed()] for metric in found if (table := main_table(metric.task)))
    return Block(say("title.published"), Grid(columns, rows), [say("published_note", sources="; ".join(sources))])


def _draw(blocks: Iterable[Block], fmt: str, width: int, color: bool) -> str:
    blocks = map(in_numerals, blocks)
    if fmt == "markdown":
        return formats.markdown_page(blocks)
    return "\n".join(_text(block, width, color) for block in blocks)


def _text(block: Block, width: int, color: bool) -> str:
    """A block as terminal text with its sentences indented."""
    text = formats.terminal(replace(block, notes=()), width, color)
    for note in block.notes:
        first, *rest = formats.terminal(Block("", notes=[note]), max(width - 4, 1), False).splitlines()
        text += f"  {first}\n" + "".join(f"    {more}\n" for more in rest)
    return text


def pair_rows(comparison: Comparison) -> list[list[object]]:
    """A row of PAIR_COLUMNS for each pair of runs and benchmark, then for each pair, metric and dimension.

    Names are cleaned; None where there is nothing.
    """
    pairs = [(metric, pair) for metric in comparison.metrics for pair in (*metric.pairs, *metric.dimensions)]
    return [*map(_benchmark_row, comparison.benchmarks), *(_pair_row(metric, pair) for metric, pair in pairs)]


def _benchmark_row(pair: BenchmarkPair) -> list[object]:
    names = (pair.family, ALL_TASKS, None, pair.first, pair.second)
    leader = None if pair.leader is None else escape.plain(pair.leader)
    rest = (pair.p, pair.p_holm, STRATIFIED, leader, pair.n, "sum of standardised differences", pair.statistic, None)
    return [*(escape.plain(name) if name else None for name in names), *[None] * 5, *rest]


def _pair_row(metric: MetricComparison, pair: Pair) -> list[object]:
    low, high = pair.ci95 or (None, None)
    names = (metric.task, metric.metric, pair.dimension or "", pair.first, pair.second)
    numbers = (*pair.scores, pair.difference, low, high, pair.p, pair.p_holm)
    rest = (pair.test, None if pair.leader is None else escape.plain(pair.leader), pair.n)
    sizes = (pair.effect_name, pair.effect, pair.resolvable)
    return [*(escape.plain(name) if name else None for name in names), *numbers, *rest, *sizes]


PAIR_COLUMNS = (
    *("task", "metric", "dimension", "first", "second", "score_first", "score_second", "difference"),
    *("ci95_low", "ci95_high", "p", "p_holm", "test", "leader", "n", "effect_name", "effect", "resolvable"),
)

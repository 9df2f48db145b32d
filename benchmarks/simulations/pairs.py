"""How often the intervals over tasks with clusters of two cover the truth: KoLasSimpleQA at its real sizes.

A fact is asked once or from both sides: 452 and 190 pairs, spread over the languages in proportion to their questions.
Whether an answer is right depends on the language, the fact, and chance, so that the two answers about a fact
correlate. A model states how sure it is in steps of 5 %: the chance of being right, and 10 points more. The truth is
the value over very many facts of each language, as many of each kind as the benchmark has; the nine languages are
given, not drawn.

Prints the table in hueval_metrics/stats/README.md; takes about fifteen minutes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit
from simulations.tables import HELD, RESAMPLES, Row, Table

from hf_datasets.kolassimpleqa.schema import PRINTED
from hueval_metrics.stats.composite import Clustered, Composite, blocks, composite, composite_intervals, values
from hueval_metrics.stats.intervals import intervals
from lm_eval_tasks.kolassimpleqa.family import FAMILY, METRICS
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES

if TYPE_CHECKING:
    from simulations.tables import Numbers

PAIRS = {"general": 452, "specific": 190}
LEVELS = {"general": (0.8, 0.5), "specific": (0.4, 0.2)}  # shares of right answers, of a strong and a weak model
SPREADS = (0.0, 1.5)  # of facts, in units of the logit; two answers correlate by 0 and about 0.3
OF_LANGUAGES = 0.6  # standard deviation of the languages, likewise
SURER = 0.1
FACTS = 200_000  # of a language, that count as all of them
METRIC_NAMES = ("f_score", "bidirectional", "ece")
SETTINGS = (None, (), (("question_lang", "en"),))


def sizes(language: str, domain: str) -> tuple[int, int]:
    """How many facts are asked from both sides, and how many once."""
    n = PRINTED[domain][list(LANGUAGES).index(language)]
    pairs = round(PAIRS[domain] * n / sum(PRINTED[domain]))
    return pairs, n - 2 * pairs


def terms(draws: np.random.Generator, counts: tuple[int, int], skill: float, spread: float) -> dict[str, Numbers]:
    """The statistics of a model's answers about some facts, each metric's as `Metric.rows` gives them."""
    pairs, once = counts
    chance = expit(skill + spread * draws.normal(size=pairs + once))[:, None] * np.ones(2)
    asked = np.ones((pairs + once, 2), dtype=bool)
    asked[pairs:, 1] = False
    right = asked & (draws.random(chance.shape) < chance)
    attempted = asked & (right | (draws.random(chance.shape) < 0.7))
    sure = np.clip(np.round(20 * (chance + SURER)), 0, 20) / 20
    bins = np.minimum((sure * 10 + 1e-9).astype(int), 9)
    gaps, answers = np.zeros((pairs + once, 10)), np.zeros((pairs + once, 10))
    for side in range(2):
        rows = np.flatnonzero(asked[:, side])
        np.add.at(gaps, (rows, bins[rows, side]), sure[rows, side] - right[rows, side])
        np.add.at(answers, (rows, bins[rows, side]), 1)
    is_pair = asked.all(axis=1)
    return {
        "f_score": np.stack([2 * right.sum(1), (asked.astype(int) + attempted).sum(1)], axis=-1).astype(float),
        "bidirectional": np.stack([is_pair & right.all(1), is_pair & right.any(1)], axis=-1).astype(float),
        "ece": np.hstack([gaps, answers]),
    }


def true_terms(draws: np.random.Generator, counts: tuple[int, int], skill: float, spread: float) -> dict[str, Numbers]:
    """The same of very many facts, as one row that weighs as much as those of the benchmark."""
    n = sum(counts)
    many = tuple(round(FACTS * count / n) for count in counts)
    return {name: rows.mean(axis=0)[None] * n for name, rows in terms(draws, many, skill, spread).items()}


def summaries(tables: dict[tuple[str, object], Clustered]) -> list[Composite]:
    """Those that are measured."""
    named = [f"{name}_{domain}" for name in METRIC_NAMES for domain in DOMAINS]
    wanted = {*named, "domain_gap", "mece", *(f"ece_pooled_{domain}" for domain in DOMAINS)}
    metrics = dict.fromkeys(FAMILY.tasks, METRICS)
    return [
        one for summary in FAMILY.summaries if summary.name in wanted and (one := composite(summary, metrics, tables))
    ]


def measure(strength: int, spread: float, runs: int) -> dict[str, tuple[float, float]]:
    """Name → share of the intervals that hold the truth, and their mean width; of calibration errors fewer."""
    draws = np.random.default_rng([strength, round(10 * spread)])
    skills = {
        (language, domain, setting): logit(LEVELS[domain][strength]) + OF_LANGUAGES * draws.normal()
        for setting in SETTINGS[1:]
        for domain in DOMAINS
        for language in LANGUAGES
    }

    def tables(make, strata) -> dict[tuple[str, object], Clustered]:
        found = {}
        for (language, domain, setting), skill in skills.items():
            counts, task = sizes(language, domain), f"kolassimpleqa_{language}_{domain}"
            own = {name: rows[None] for name, rows in make(draws, counts, skill, spread).items()}
            found[task, setting] = Clustered(range(own["ece"].shape[1]), strata(counts), own)
            if setting == ():
                found[task, None] = found[task, setting]
        return found

    whole = tables(true_terms, lambda counts: [""])
    truth = {one.name: float(values(one, blocks(whole, by_task=True))[0]) for one in summaries(whole)}
    held, width = defaultdict(list), defaultdict(list)
    for number in range(runs):
        drawn = tables(terms, lambda counts: ["both"] * counts[0] + ["one"] * counts[1])
        measured = [one for one in summaries(drawn) if number < 0.3 * runs or not one.is_error]
        found = composite_intervals(measured, blocks(drawn, by_task=True), resamples=RESAMPLES)
        ends = {name: (truth[name], interval) for name, interval in found.items()}
        for (task, setting), one in drawn.items():  # the tasks' own, over languages
            if setting is None:
                rows = one.terms["bidirectional"][0]
                own = intervals({"": (METRICS["bidirectional"], rows)}, strata=one.strata, resamples=RESAMPLES)[""]
                true = float(METRICS["bidirectional"].compute(whole[task, None].terms["bidirectional"][0, 0]))
                ends[f"bidirectional of {task}"] = true, own
        for name, (true, interval) in ends.items():
            if interval is not None:
                group = f"bidirectional of a {task_group(name)}" if " of " in name else name
                held[group].append(interval.low <= true <= interval.high)
                width[group].append(interval.high - interval.low)
    return {name: (100 * float(np.mean(held[name])), float(np.mean(width[name]))) for name in held}


def task_group(name: str) -> str:
    """The domain of a task."""
    return f"{name.rpartition('_')[2]} task"


def rows(_: str, runs: int) -> Iterator[Row]:
    """A row for each number, a column for each model."""
    cells = [measure(strength, spread, runs) for strength, spread in _MODELS]
    for name in sorted(set.intersection(*map(set, cells))):
        shares = [cell[name][0] for cell in cells]
        marks = [f"{share:.1f}{'' if HELD[0] <= share <= HELD[1] else ' !'}" for share in shares]
        yield [name, *marks, f"{np.mean([cell[name][1] for cell in cells]):.3g}"], True


_MODELS = [(strength, spread) for spread in SPREADS for strength in (0, 1)]
_TITLES = [f"{('strong', 'weak')[strength]}, {spread:g}" for strength, spread in _MODELS]
TABLES = {"pairs": Table(("Interval of", *_TITLES, "width"), rows, ["all"])}

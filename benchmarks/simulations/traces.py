"""How often the 95 % intervals of traces' numbers hold the true ones, and how often their tests err.

Simulated are replies: right, wrong or not attempted, with log-normal lengths, a Poisson number of thoughts, of which
more are correct where the reply is right, and one or two replies a question. Where replies are drawn (`--limit`), as
many are of each verdict, and stand for all of it. Printed is the share of runs, in percent, in which

- held: the interval holds the number of 2,000,000 replies; 93 to 97 are demanded;
- errs: a test at 5 % finds a difference where there is none; at most 6 are demanded.

Prints the tables in hueval_metrics/stats/README.md; takes about ten minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from simulations.tables import RESAMPLES, Row, Table, is_kept

from hueval_metrics.stats.two_sample import difference_ci95, two_sample_ps
from hueval_metrics.traces.differences import between_models
from hueval_metrics.traces.estimates import cell_numbers, length_correctness
from hueval_metrics.traces.gathered import Replies
from hueval_metrics.traces.measures import Cell, Measure, Number

PERMUTATIONS = 500  # a twentieth of those of `hueval traces`
TRUE = 2_000_000  # replies whose number counts as the true one
SHARES = (0.4, 0.35, 0.25)  # of right, wrong and not attempted replies
PLACES = (0, 2, 3)  # of these verdicts in `item.VERDICTS`
LENGTH = "length against correctness"
_CELL = Cell("m", "toybench_letters")


@dataclass(frozen=True)
class World:
    """How replies come about.

    Attributes:
        spread: standard deviation of the logarithm of the length.
        pairs: whether two replies are of one question.
        lead: how much longer replies that were not attempted are, on the logarithmic scale.
        correct: share of correct thoughts by verdict.
    """

    spread: float = 0.6
    pairs: bool = False
    lead: float = 0.3
    correct: tuple[float, float, float] = (0.6, 0.08, 0.12)

    def replies(self, draws: np.random.Generator, n: int) -> Replies:
        """N replies: the measures are `MEASURES`."""
        clusters = np.arange(n) // 2 if self.pairs else np.arange(n)
        verdict = draws.choice(3, n, p=SHARES)
        difficulty = draws.normal(size=clusters[-1] + 1)[clusters]
        noise = draws.normal(size=n)
        z = (difficulty + noise) / np.sqrt(2) if self.pairs else noise
        tokens = np.round(np.exp(6.5 + self.lead * (verdict == 2) + self.spread * z))
        thoughts = 1 + draws.poisson(5 + 3 * (verdict == 2) * (self.lead > 0), n)
        level = np.array(self.correct)[verdict]
        correct = draws.binomial(thoughts, draws.beta(3 * level, 3 * (1 - level)))
        ones = np.ones(n)
        columns = [(tokens, ones), (tokens, ones), (thoughts, ones), (correct, thoughts), (correct > 0, ones)]
        columns += [(thoughts, ones)]
        values = np.stack([np.stack(pair, axis=-1).astype(float) for pair in columns], axis=1)
        zeros = np.zeros(n, dtype=int)
        belongs = np.stack([zeros, zeros, np.array(PLACES)[verdict], clusters, np.arange(n)], axis=1)
        return Replies(belongs, values, np.stack([ones, tokens, verdict == 0], axis=1).astype(float))


MEASURES = (
    Measure("mean tokens", "free", "tokens", lambda _: None),
    Measure("median tokens", "free", "tokens", lambda _: None, is_median=True),
    Measure("mean thoughts", "thoughts", "thoughts", lambda _: None),
    Measure("share of correct thoughts", "thoughts", "%", lambda _: None),
    Measure("replies with a correct thought", "thoughts", "%", lambda _: None),
    Measure("median thoughts", "thoughts", "thoughts", lambda _: None, is_median=True),
)
DRAWN = [measure.name for measure in MEASURES if measure.step == "thoughts"]
SKEWED, PAIRED, ALIKE = World(1.0), World(pairs=True), World(lead=0.0, correct=(0.3, 0.3, 0.3))


def limited(replies: Replies, draws: np.random.Generator, limit: int) -> Replies:
    """As many of each verdict, each with its weight."""
    chosen, weights = [], []
    for place in PLACES:
        own = np.flatnonzero(replies.verdicts == place)
        some = draws.choice(own, min(len(own), limit // 3), replace=False)
        chosen.append(some)
        weights.append(np.full(len(some), len(own) / max(1, len(some))))
    found = replies.where(np.concatenate(chosen))
    found.extra[:, 0] = np.concatenate(weights)
    return found


def numbers(replies: Replies, resamples: int = RESAMPLES) -> dict[str, Number]:
    """Measure → number of all replies."""
    found = {one.measure: one for one in cell_numbers(_CELL, replies, MEASURES, resamples=resamples)}
    rank = length_correctness(_CELL, replies)
    return found | ({LENGTH: rank} if rank else {})


@cache
def truth(world: World) -> dict[str, float | None]:
    """Measure → its number of very many replies."""
    replies = world.replies(np.random.default_rng(1), TRUE)
    rank = length_correctness(_CELL, replies)
    values = {LENGTH: rank and rank.value}
    for index, measure in enumerate(MEASURES):
        over, under = replies.values[:, index].T
        scale = 100 if measure.unit == "%" else 1
        values[measure.name] = float(np.median(over)) if measure.is_median else scale * over.sum() / under.sum()
    return values


def held(world: World, n: int, limit: int, runs: int) -> dict[str, float]:
    """Measure → percentage of runs whose interval holds the true number."""
    hits: dict[str, list[bool]] = {}
    for run in range(runs):
        draws = np.random.default_rng([n, limit, run])
        replies = world.replies(draws, n)
        for name, one in numbers(limited(replies, draws, limit) if limit else replies).items():
            if limit and name not in DRAWN:
                continue  # what no judge counts is read in all replies
            true = truth(world)[name]
            assert true is not None
            hits.setdefault(name, []).append(one.ci95 is not None and one.ci95[0] <= true <= one.ci95[1])
    return {name: 100 * float(np.mean(found)) for name, found in hits.items()}


def tested(world: World, n: int, places: tuple[int, int], runs: int) -> dict[str, tuple[float, float]]:
    """Ratio → percentages of runs: the interval of the difference of two verdicts holds the true one, the test errs.

    Verdicts are alike in `ALIKE`, so that any difference is an error.
    """
    ratios = [index for index, measure in enumerate(MEASURES) if not measure.is_median]
    listed = [(index, MEASURES[index]) for index in ratios]
    hits: dict[str, list[tuple[bool, bool]]] = {}
    for run in range(runs):
        replies = world.replies(np.random.default_rng([n, run]), n)
        cells = [replies.cell(0, place) for place in places]
        found = [numbers(cell) for cell in cells]
        ps = two_sample_ps(*(cell.terms(listed) for cell in cells), permutations=PERMUTATIONS)
        for index, p in zip(ratios, ps, strict=True):
            name = MEASURES[index].name
            one, two = (numbers_[name] for numbers_ in found)
            if one.ci95 and two.ci95 and one.value is not None and two.value is not None:
                low, high = difference_ci95(one.value, one.ci95, two.value, two.ci95)
                hits.setdefault(name, []).append((low <= 0 <= high, p is not None and p < 0.05))
    return {name: tuple(100 * np.mean(some, axis=0)) for name, some in hits.items()}  # type: ignore[misc]


def models(n: int, runs: int) -> dict[str, tuple[float, float]]:
    """The same of two models over the same questions, equally long in the mean."""
    hits: dict[str, list[tuple[bool, bool]]] = {}
    for run in range(runs):
        draws = np.random.default_rng([n, run, 7])
        first, second = (ALIKE.replies(draws, n) for _ in range(2))
        common = np.exp(0.5 * draws.normal(size=n))[:, None, None]  # questions that make both write more
        for replies in (first, second):
            replies.values[:, :1, :1] *= common
        pair = ((Cell(name, "toybench_letters"), one) for name, one in (("a", first), ("b", second)))
        listed = [(0, MEASURES[0]), (3, MEASURES[3])]
        for test in between_models(*pair, listed, permutations=PERMUTATIONS):
            inside = test.ci95 is not None and test.ci95[0] <= 0 <= test.ci95[1]
            hits.setdefault(test.measure, []).append((inside, test.p < 0.05))
    return {name: tuple(100 * np.mean(some, axis=0)) for name, some in hits.items()}  # type: ignore[misc]


INTERVALS: dict[str, Callable[[int], dict[str, float]]] = {
    **{f"{n:,} replies": partial(held, World(), n, 0) for n in (30, 60, 278, 1343)},
    **{f"{n:,} replies, very skewed": partial(held, SKEWED, n, 0) for n in (60, 278, 1343)},
    **{f"{n:,} replies, two a question": partial(held, PAIRED, n, 0) for n in (60, 300, 1340)},
    **{
        f"{limit} drawn of {n:,}": partial(held, World(), n, limit) for limit, n in ((60, 278), (60, 1343), (300, 1343))
    },
}
TESTS: dict[str, Callable[[int], dict[str, tuple[float, float]]]] = {
    **{f"verdicts of {n:,} replies": partial(tested, ALIKE, n, (0, 3)) for n in (60, 278, 1343)},
    **{f"models, {n:,} questions": partial(models, n) for n in (60, 278)},
}


def interval_row(case: str, runs: int) -> Iterator[Row]:
    """The shares of the intervals of each measure."""
    found = INTERVALS[case](runs)
    cells = [f"{found[name]:.1f}" if name in found else "" for name in NAMES]
    yield [case, *cells], all(map(is_kept, found.values()))


def test_rows(case: str, runs: int) -> Iterator[Row]:
    """The shares of each measure's difference."""
    for name, (inside, errs) in TESTS[case](runs).items():
        yield [case, name, f"{inside:.1f}", f"{errs:.1f}"], is_kept(inside, errs)


NAMES = [*(measure.name for measure in MEASURES), LENGTH]
TABLES = {
    "traces": Table(("Held", *NAMES), interval_row, INTERVALS),
    "traces-tests": Table(("Differences", "of", "held", "errs"), test_rows, TESTS, texts=2),
}

"""How often the 95 % intervals hold the true value: simulated runs of each task at its real size.

A super-population (`populations.py`) says how likely each outcome of a question is, and with that what the
true value of every metric is. A run draws as many questions of each dimension as the benchmark has, and gets its
intervals from the function that `hueval score` uses. Demanded are 93 to 97 % for every metric, on average over models
of one strength: for one model alone, a share of few questions is held more or less often with each question more,
whatever the interval (Brown, Cai & DasGupta 2001, Statistical Science 16). Prints the table in
lm_eval_tasks/openhueval/intervals.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from simulations.populations import MODELS, POPULATIONS, Outcome
from simulations.tables import RESAMPLES, Row, Table, holds, is_kept

from hueval_metrics.registry import task_spec
from hueval_metrics.stats.intervals import intervals

SHIFTS = np.linspace(-0.5, 0.5, 20)


def held(task: str, outcomes: Sequence[Outcome], runs: int, seed: int) -> dict[str, list[tuple[bool, str]]]:
    """Metric → for each run whether its interval holds the true value, and the interval's method."""
    documents = [document for outcome in outcomes for document in outcome.documents]
    clusters = [place for place, outcome in enumerate(outcomes) for _ in outcome.documents]
    counted = {name: metric for name, metric in task_spec(task).metrics.items() if metric.is_sampled}
    rows = {m: s.rows([document.get(m) for document in documents], clusters) for m, s in counted.items()}
    expected = np.array([outcome.size * outcome.share for outcome in outcomes])
    truths = {m: float(s.compute(expected @ rows[m])) for m, s in counted.items()}
    dimensions = np.array([outcome.dimension for outcome in outcomes])
    draws = np.random.default_rng(seed)
    found: dict[str, list[tuple[bool, str]]] = defaultdict(list)
    for run in range(runs):
        counts = np.zeros(len(outcomes), dtype=np.intp)
        for dimension in np.unique(dimensions):
            of_it = dimensions == dimension
            size = round(expected[of_it].sum())
            counts[of_it] = draws.multinomial(size, expected[of_it] / expected[of_it].sum())
        seen = np.flatnonzero(counts)
        settled = intervals(
            {m: (s, rows[m][seen]) for m, s in counted.items()},
            counts=counts[seen],
            strata=dimensions[seen].tolist(),
            resamples=RESAMPLES,
            seed=seed + run,
        )
        for metric, interval in settled.items():
            found[metric].append((holds(interval, truths[metric]), interval.method if interval else "none"))
    return found


def rows(task: str, runs: int) -> Iterator[Row]:
    """A row for each metric of a task."""
    found: list[dict[str, list[tuple[bool, str]]]] = []
    for model in range(len(MODELS)):
        own: dict[str, list[tuple[bool, str]]] = defaultdict(list)
        for place, shift in enumerate(SHIFTS):
            outcomes = list(POPULATIONS[task](model, float(shift)))
            for metric, some in held(task, outcomes, runs // len(SHIFTS), 10_000 * place + model).items():
                own[metric] += some
        found.append(own)
    for metric in found[0]:
        shares = [100 * float(np.mean([is_held for is_held, _ in own[metric]])) for own in found]
        method = Counter(method for own in found for _, method in own[metric]).most_common(1)[0][0]
        cells = [task.removeprefix("openhueval_"), f"`{metric}`", method, *(f"{share:.1f}" for share in shares)]
        yield cells, all(map(is_kept, shares))


TABLES = {
    "tasks": Table(("Task", "Metric", "Method", *MODELS), rows, POPULATIONS, runs=2000, texts=3),
}

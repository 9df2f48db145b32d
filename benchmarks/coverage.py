"""How often the 95 % intervals hold the true value: simulated runs of each task at its real size.

A super-population (`coverage_populations.py`) says how likely each outcome of a question is, and with that what the
true value of every metric is. A run draws as many questions of each dimension as the benchmark has, and gets its
intervals from the function that `hueval score` uses. Demanded are 93 to 97 % for every metric, on average over models
of one strength: for one model alone, a share of few questions is held more or less often with each question more,
whatever the interval (Brown, Cai & DasGupta 2001, Statistical Science 16). Prints the table in
lm_eval_tasks/openhueval/intervals.md.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from coverage_populations import MODELS, POPULATIONS, Outcome

from hueval_metrics.registry import task_spec
from hueval_metrics.stats.intervals import Interval, intervals

DEMANDED = (93.0, 97.0)
RESAMPLES = 1000  # a tenth of those of `hueval score`, which would take as much longer
SHIFTS = np.linspace(-0.5, 0.5, 20)
ROUNDING = 1e-9


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
            found[metric].append((_holds(interval, truths[metric]), interval.method if interval else "none"))
    return found


def _holds(interval: Interval | None, truth: float) -> bool:
    return interval is not None and interval.low - ROUNDING <= truth <= interval.high + ROUNDING


def main() -> int:
    """Simulate, print a row for each metric, and say whether all of them are as demanded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--task", action="append", choices=list(POPULATIONS), help="default: all")
    args = parser.parse_args()
    missed = []
    print(f"| Task | Metric | Method | {' | '.join(MODELS)} |\n| --- | --- | --- |{' ---: |' * len(MODELS)}")
    for task in args.task or POPULATIONS:
        found: list[dict[str, list[tuple[bool, str]]]] = []
        for model in range(len(MODELS)):
            runs: dict[str, list[tuple[bool, str]]] = defaultdict(list)
            for place, shift in enumerate(SHIFTS):
                outcomes = list(POPULATIONS[task](model, float(shift)))
                for metric, some in held(task, outcomes, args.runs // len(SHIFTS), 10_000 * place + model).items():
                    runs[metric] += some
            found.append(runs)
        for metric in found[0]:
            shares = [100 * float(np.mean([holds for holds, _ in runs[metric]])) for runs in found]
            method = Counter(method for runs in found for _, method in runs[metric]).most_common(1)[0][0]
            cells = " | ".join(f"{share:.1f}" for share in shares)
            print(f"| {task.removeprefix('openhueval_')} | `{metric}` | {method} | {cells} |", flush=True)
            missed += [f"{task} {metric}"] * any(not DEMANDED[0] <= share <= DEMANDED[1] for share in shares)
    print(f"\nOutside {DEMANDED[0]:g} to {DEMANDED[1]:g} %: {', '.join(missed) or 'none'}.")
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())

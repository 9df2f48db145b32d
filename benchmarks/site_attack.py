"""What a team that knows nothing can gain on hidden labels by submitting often: two attacks on a board's scores.

Majority vote: random guesses, of which those that score above chance vote for their labels, and those below against
them (Blum & Hardt 2015, §4). Hill climbing: some predictions of the best submission are flipped at random, and the
change is kept where the score is told to be better; the share that is flipped is the best of several for the attacker.
Labels are binary, each as often. Told are exact scores, what the parameter-free Ladder tells (ibid., algorithm 3), or
what this project's leaderboard tells (`hueval_site.disclosure`).

Prints the gain of the final predictions over chance, in points of the metric, the mean of many simulations, beside one
standard error. Then the same attack is run against a server as `hueval site up` runs it, through its API, within the
limits of a year: what it tells must be what the simulation says. Takes about two minutes.

Usage: python benchmarks/site_attack.py [--simulations N] [--seed N]
"""

from __future__ import annotations

import asyncio
import json
import math
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import numpy as np

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.classification import ACCURACY, mcc
from hueval_metrics.stats.mcnemar import mcnemar_p
from hueval_metrics.stats.permutation import permutation_p

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.measure import QUICK, options, report
from leaderboard.tests.labelled import N, labels_of, write_labelled
from leaderboard.tests.running import answered, free_port, hueval_site, site_env, started

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hueval_site.disclosure import Told

    Labels = NDArray[np.int8]
    Numbers = NDArray[np.float64]

Ask = Callable[["Labels"], float | None]  # a submission → the number told, None for none
Rules = Callable[[Metric, "Labels"], Ask]

MCC = mcc(2)
CHANCE = {ACCURACY: 50.0, MCC: 0.0}
ITEMS = (500, 134)
SUBMISSIONS = (52, 24)
FLIPPED = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)  # shares for the climber; half of all is a new guess
REAL_SEED = 5  # of the climb against a server: one of its submissions is told to be better
PERMUTATIONS = 1_000  # enough to tell whether p is below 0.05


def exact(metric: Metric, labels: Labels) -> Ask:
    """Every submission is told its score."""
    return lambda guess: score(metric, labels, guess)


def ladder(metric: Metric, labels: Labels) -> Ask:
    """A score is told if it is better than the last one told by a standard error of the difference of losses."""
    best: list[tuple[float, Labels]] = []

    def ask(guess: Labels) -> float | None:
        found = score(metric, labels, guess)
        if best:
            losses = (guess != labels).astype(float) - (best[-1][1] != labels)
            scale = (metric.bounds[1] - metric.bounds[0]) / 100
            if found < best[-1][0] + 100 * scale * losses.std(ddof=1) / math.sqrt(len(labels)):
                return None
        best.append((found, guess.copy()))
        return found

    return ask


class Leaderboard:
    """What the leaderboard tells, without its database.

    Attributes:
        told: of each submission so far.
    """

    def __init__(self, metric: Metric, labels: Labels) -> None:
        self.metric, self.labels = metric, labels
        self.told: list[Told] = []
        self._best: tuple[float, Labels] | None = None

    def __call__(self, guess: Labels) -> float | None:
        from hueval_site.disclosure import NUMBERED, STEPS, tell

        value, n = score(self.metric, self.labels, guess), len(guess)
        error = standard_error(self.metric, value, n)
        best, p = None, None
        if self._best is not None:
            best = self._best[0]
            p = 1.0  # the test changes nothing below two standard errors
            if value - best > STEPS * error:
                p = p_value(self.metric, *(terms(self.metric, self.labels, one) for one in (self._best[1], guess)))
        found = tell(self.metric, value, error, n, best, p)
        if found.kind in NUMBERED and (best is None or value > best):
            self._best = value, guess.copy()
        self.told.append(found)
        return found.score


RULES: dict[str, Rules] = {"exact scores": exact, "Ladder": ladder, "leaderboard": Leaderboard}


def vote(ask: Ask, n: int, submissions: int, chance: float, draws: np.random.Generator) -> Labels:
    """The predictions of the majority vote after some submissions."""
    votes = np.zeros(n)
    for _ in range(submissions):
        guess = _guess(n, draws)
        told = ask(guess)
        if told is not None:
            votes += np.sign(told - chance) * (2 * guess - 1)
    return np.where(votes == 0, _guess(n, draws), votes > 0).astype(np.int8)


def climb(ask: Ask, n: int, submissions: int, chance: float, draws: np.random.Generator, share: float = 0.1) -> Labels:
    """The predictions of the hill climber after some submissions; a first one below chance is turned round."""
    best = _guess(n, draws)
    known = ask(best)
    is_turned = known is not None and known < chance
    for _ in range(submissions - 1):
        changed = best.copy()
        places = draws.choice(n, max(1, round(share * n)), replace=False)
        changed[places] ^= 1
        told = ask(changed)
        if told is not None and (known is None or told > known):
            best, known, is_turned = changed, told, told < chance
    return best ^ 1 if is_turned else best


def gain(
    attack: Callable[..., Labels],
    rules: Rules,
    metric: Metric,
    n: int,
    submissions: int,
    simulations: int,
    seed: int = 0,
    **settings: Any,
) -> float:
    """How far an attack gets above chance, in points of the metric: the mean of simulations."""
    found = []
    for number in range(simulations):
        draws = np.random.default_rng([seed, number])
        labels = _guess(n, draws)
        guess = attack(rules(metric, labels), n, submissions, CHANCE[metric], draws, **settings)
        found.append(score(metric, labels, guess) - CHANCE[metric])
    return float(np.mean(found))


def best_climb(
    rules: Rules, metric: Metric, n: int, submissions: int, simulations: int, seed: int = 0
) -> tuple[float, float]:
    """The gain of the climber with the share that is best for him, and that share."""
    return max((gain(climb, rules, metric, n, submissions, simulations, seed, share=one), one) for one in FLIPPED)


def terms(metric: Metric, labels: Labels, guess: Labels) -> Numbers:
    """The statistics of each item, as `Metric.rows` gives them."""
    if metric is ACCURACY:
        return np.stack([labels == guess, np.ones(len(labels))], axis=-1).astype(float)
    rows = np.zeros((len(labels), 6))
    rows[np.arange(len(labels)), labels * 3 + guess] = 1
    return rows


def score(metric: Metric, labels: Labels, guess: Labels) -> float:
    """The metric of a submission: of the sums of `terms`, which are counted without them."""
    if metric is ACCURACY:
        sums = np.array([np.count_nonzero(labels == guess), len(labels)], dtype=float)
    else:
        sums = np.bincount(labels * 3 + guess, minlength=6).astype(float)
    return float(metric.compute(sums))


def standard_error(metric: Metric, value: float, n: int) -> float:
    """Of a score of n items, for labels that are as often; of a share, as Wilson's interval has it nearly."""
    correlation = value / 100 if metric is MCC else value / 50 - 1
    return (100 if metric is MCC else 50) * math.sqrt((1 - correlation**2) / n)


def p_value(metric: Metric, first: Numbers, second: Numbers) -> float | None:
    """Of the paired test that the leaderboard makes."""
    if metric is ACCURACY:
        return mcnemar_p(int((first[:, 0] > second[:, 0]).sum()), int((second[:, 0] > first[:, 0]).sum()))
    return permutation_p(first, second, metric.compute, permutations=PERMUTATIONS)


@contextmanager
def on_the_server(folder: Path, task: str, labels: dict[str, str], told: list[Told]) -> Iterator[Ask]:
    """A leaderboard as `hueval site up` runs it, asked through its API by a team; half a month passes between answers.

    All limits hold: 24 submissions are what a team has in a year.

    Args:
        folder: of the site; has the data and the hidden labels.
        task: a board whose files are an array of id and label.
        labels: id → right label, `0` or `1`; submissions are in this order.
        told: takes what is told.
    """
    from hueval_site.disclosure import Told

    port = free_port()
    url = f"http://127.0.0.1:{port}"
    env = site_env(folder, port=str(port))
    if (done := hueval_site("init", folder, env=env)).returncode:
        raise RuntimeError(done.stderr)
    token = hueval_site("user", "add", "attacker@example.org", "--team", "Attack", "--token", env=env).stdout.split()[0]

    def ask(guess: Labels) -> float | None:
        rows = [{"id": key, "label": str(one)} for key, one in zip(labels, guess, strict=True)]
        told.append(Told(**asyncio.run(_submitted(f"{url}/api/v1/submissions", token, task, rows))))
        _half_a_month_later(folder / "site.sqlite3")
        return told[-1].score

    with started("up", folder, "--port", port, env=env):
        answered(f"{url}/api/v1/tasks")
        yield ask


async def _submitted(url: str, token: str, task: str, rows: list[dict[str, str]]) -> dict[str, Any]:
    """What a team is told of its submission.

    Raises:
        aiohttp.ClientResponseError: it was refused.
    """
    form = aiohttp.FormData({"task": task, "card": json.dumps({"model_name": "guess", "contamination": "none"})})
    form.add_field("file", json.dumps(rows).encode(), filename="submission.json")
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(headers=headers, raise_for_status=True) as session:
        async with session.post(url, data=form) as answer:
            (found,) = (await answer.json())["submissions"]
        while not found["is_final"]:
            await asyncio.sleep(0.2)
            async with session.get(f"{url}/{found['id']}") as answer:
                found = await answer.json()
    result: dict[str, Any] = found["told"]
    return result


def _half_a_month_later(database: Path) -> None:
    """Move what the limits count by 15 days into the past."""
    moved = ", ".join(f"{one} = strftime('%Y-%m-%d %H:%M:%f', {one}, '-15 days')" for one in ("created", "counted"))
    with closing(sqlite3.connect(database, timeout=20)) as connection, connection:
        connection.execute(f"UPDATE submissions_submission SET {moved}")


def agreement(folder: Path, submissions: int, seed: int = REAL_SEED) -> tuple[list[Told], list[Told], float]:
    """The same climb against the simulated leaderboard and a real one, in an empty folder.

    Returns:
        What each told, and the gain of the climb against the real one, in points.
    """
    labels = labels_of("hucola")
    write_labelled(folder / "data", folder / "labels")
    right = np.array([int(label) for label in labels.values()], dtype=np.int8)

    def attack(ask: Ask) -> Labels:
        return climb(ask, len(right), submissions, CHANCE[MCC], np.random.default_rng(seed), share=0.5)

    simulated = Leaderboard(MCC, right)
    real: list[Told] = []
    attack(simulated)
    with on_the_server(folder, "hulu_hucola", labels, real) as ask:
        final = attack(ask)
    return simulated.told, real, score(MCC, right, final) - CHANCE[MCC]


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table and the run against the leaderboard."""
    parser = options(__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=3 if QUICK else 200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    _print_table(args.simulations, args.seed)
    with tempfile.TemporaryDirectory() as folder:
        simulated, real, gained = agreement(Path(folder), SUBMISSIONS[1])
    agree = sum(one == other for one, other in zip(simulated, real, strict=True))
    kinds = ", ".join(f"{sum(one.kind == kind for one in real)} {kind}" for kind in dict.fromkeys(o.kind for o in real))
    report(f"{len(real)} answers of a server: as simulated", agree, at_least=len(real), also=kinds)
    error = standard_error(MCC, 0, N)
    report("gain of this run, with a rare number", gained, "points", also=f"one standard error: {error:.1f}")


def _print_table(simulations: int, seed: int) -> None:
    print(f"{'metric':9}{'items':>6}{'error':>7}{'submissions':>13}  {'told':14}{'vote':>6}{'climb':>7}  (flipped)")
    for metric in (ACCURACY, MCC):
        for n in ITEMS:
            for submissions in SUBMISSIONS:
                for name, rules in RULES.items():
                    by_vote = gain(vote, rules, metric, n, submissions, simulations, seed)
                    by_climb, share = best_climb(rules, metric, n, submissions, simulations, seed)
                    error = standard_error(metric, CHANCE[metric], n)
                    print(
                        f"{metric.name:9}{n:6}{error:7.1f}{submissions:13}  {name:14}{by_vote:+6.1f}{by_climb:+7.1f}"
                        f"  ({share:.0%})",
                        flush=True,
                    )


def _guess(n: int, draws: np.random.Generator) -> Labels:
    return draws.integers(0, 2, n, dtype=np.int8)


if __name__ == "__main__":
    main()

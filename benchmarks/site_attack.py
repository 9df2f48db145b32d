"""What a team that knows nothing can gain on hidden labels by submitting often: two attacks on a board's scores.

Majority vote: random guesses, of which those that score above chance vote for their labels, and those below against
them (Blum & Hardt 2015, §4). Hill climbing: some predictions of the best submission are flipped at random, and the
change is kept where the score is told to be better; the share that is flipped is the best of several for the attacker.
Labels are binary, each as often. Told are exact scores, what the parameter-free Ladder tells (ibid., algorithm 3), or
what this project's leaderboard tells (`hueval_site.disclosure`).

Prints the gain of the final predictions over chance, in points of the metric, the mean of many simulations, beside one
standard error. Then the same for one person with many accounts, each with a team of its own, in standard errors: where
every team is told its numbers at once, and within 30 days of the rules as they are, if staff admit whoever asks. There
each vote may also count as much as its score lies off chance (“weighed”), which gets more out of few numbers.

Then attacks are run against a server as `hueval site up` runs it, through its API: by one team within the limits of a
year, and by more teams than are told a first number. What it tells must be what the simulation says. Takes about
ten minutes.

Usage: python benchmarks/site_attack.py [--simulations N] [--seed N]
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.classification import ACCURACY, mcc
from hueval_metrics.stats.mcnemar import mcnemar_p
from hueval_metrics.stats.permutation import permutation_p

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.attacked_site import CORPUS, attacked_site
from benchmarks.measure import QUICK, options, report
from leaderboard.tests.labelled import N, labels_of

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
TEAMS = ((1, 1), (5, 1), (10, 1), (24, 1), (52, 1), (200, 1), (2, 24), (5, 24))  # of one person, and files of each
FIRST_NUMBERS = 5  # teams that are told a first number of a board in 30 days: the site's default
MONTH = 8  # files of a team that are scored in 30 days: a board's default
EVERYBODY = 1_000_000  # no budget
REACH = 1.5  # standard errors that all teams of a person together may gain in 30 days
FLIPPED = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)  # shares for the climber; half of all is a new guess
FLIPPED_OF_TEAMS = (0.1, 0.3, 0.5)  # fewer, as 200 teams take long
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


class Accounts:
    """What the leaderboard tells one person who has many teams, all of them admitted, and has them submit in turns.

    Args:
        metric: of the board.
        labels: of the board.
        teams: how many.
        is_limited: whether the rules are as they are, and all files come within 30 days; otherwise every team is told
            its numbers at once.
    """

    def __init__(self, metric: Metric, labels: Labels, teams: int, *, is_limited: bool) -> None:
        self._teams = [Leaderboard(metric, labels) for _ in range(teams)]
        self._is_limited = is_limited
        self._files = 0

    def __call__(self, guess: Labels) -> float | None:
        turn, team = divmod(self._files, len(self._teams))
        self._files += 1
        if self._is_limited and (team >= FIRST_NUMBERS or turn >= MONTH):
            return None  # it waits
        return self._teams[team](guess)


RULES: dict[str, Rules] = {"exact scores": exact, "Ladder": ladder, "leaderboard": Leaderboard}


def vote(
    ask: Ask,
    n: int,
    submissions: int,
    chance: float,
    draws: np.random.Generator,
    weight: Callable[[float], float] = np.sign,
) -> Labels:
    """The predictions of the majority vote after some submissions; the weight of each is that of its distance from
    chance.
    """
    votes = np.zeros(n)
    for _ in range(submissions):
        guess = _guess(n, draws)
        told = ask(guess)
        if told is not None:
            votes += weight(told - chance) * (2 * guess - 1)
    return np.where(votes == 0, _guess(n, draws), votes > 0).astype(np.int8)


weighed = partial(vote, weight=float)


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
    rules: Rules,
    metric: Metric,
    n: int,
    submissions: int,
    simulations: int,
    seed: int = 0,
    shares: Sequence[float] = FLIPPED,
) -> tuple[float, float]:
    """The gain of the climber with the share that is best for him, and that share."""
    return max((gain(climb, rules, metric, n, submissions, simulations, seed, share=one), one) for one in shares)


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


def in_errors(
    teams: int, files: int, metric: Metric, n: int, simulations: int, seed: int = 0, *, is_limited: bool
) -> list[float]:
    """The gain of a person with many teams by vote, weighed vote and climb, in standard errors of a score at chance."""
    rules: Rules = partial(Accounts, teams=teams, is_limited=is_limited)
    settings = (rules, metric, n, teams * files, simulations, seed)
    found = [gain(vote, *settings), gain(weighed, *settings), best_climb(*settings, FLIPPED_OF_TEAMS)[0]]
    return [one / standard_error(metric, CHANCE[metric], n) for one in found]


def agreement(folder: Path, submissions: int, seed: int = REAL_SEED) -> tuple[list[Told], list[Told | None], float]:
    """The same climb against the simulated leaderboard and a real one, in an empty folder; half a month passes between
    answers, as 24 submissions are what a team has in a year.

    Returns:
        What each told, and the gain of the climb against the real one, in points.
    """
    right = _real_labels()

    def attack(ask: Ask) -> Labels:
        return climb(ask, len(right), submissions, CHANCE[MCC], np.random.default_rng(seed), share=0.5)

    simulated = Leaderboard(MCC, right)
    real: list[Told | None] = []
    attack(simulated)
    with attacked_site(folder, EVERYBODY) as site:
        token = site.team("Attack")

        def ask(guess: Labels) -> float | None:
            real.append(site.tell(token, guess))
            site.half_a_month_later()
            return None if real[-1] is None else real[-1].score

        final = attack(ask)
    return simulated.told, real, score(MCC, right, final) - CHANCE[MCC]


def agreement_of_teams(
    folder: Path, *, is_limited: bool, teams: int = FIRST_NUMBERS + 2, seed: int = REAL_SEED
) -> tuple[list[Told | None], list[Told | None]]:
    """What teams of one person are told of a random file each: by the simulation, and by a real leaderboard.

    Args:
        folder: an empty one.
        is_limited: whether the rules are as they are, and staff have not admitted the first team; otherwise every team
            is told its number.
        teams: how many.
        seed: of the files.
    """
    right = _real_labels()
    draws = np.random.default_rng(seed)
    guesses = [_guess(len(right), draws) for _ in range(teams)]
    told = range(1, 1 + FIRST_NUMBERS) if is_limited else range(teams)
    simulated: list[Told | None] = []
    for number, guess in enumerate(guesses):
        board = Leaderboard(MCC, right)
        board(guess)
        simulated.append(board.told[0] if number in told else None)
    with attacked_site(folder, FIRST_NUMBERS if is_limited else EVERYBODY) as site:
        tokens = [site.team(f"Team{one}", is_admitted=one > 0 or not is_limited) for one in range(teams)]
        return simulated, [site.tell(*one) for one in zip(tokens, guesses, strict=True)]


def main(argv: Sequence[str] | None = None) -> None:
    """Print the tables and the runs against the leaderboard."""
    parser = options(__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=3 if QUICK else 200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    _print_table(args.simulations, args.seed)
    _print_teams(args.simulations, args.seed)
    with tempfile.TemporaryDirectory() as folder:
        simulated, real, gained = agreement(Path(folder), SUBMISSIONS[1])
    agree = sum(one == other for one, other in zip(simulated, real, strict=True))
    told = [one.kind for one in real if one is not None]
    kinds = ", ".join(f"{told.count(kind)} {kind}" for kind in dict.fromkeys(told))
    report(f"{len(real)} answers of a server: as simulated", agree, at_least=len(real), also=kinds)
    error = standard_error(MCC, 0, N)
    report("gain of this run, with a rare number", gained, "points", also=f"one standard error: {error:.1f}")
    for is_limited, rules in ((False, "all told at once"), (True, "these rules")):
        with tempfile.TemporaryDirectory() as folder:
            wanted, found = agreement_of_teams(Path(folder), is_limited=is_limited)
        agree = sum(one == other for one, other in zip(wanted, found, strict=True))
        also = f"{sum(one is not None for one in found)} told a number"
        report(f"{len(found)} teams, {rules}: as simulated", agree, at_least=len(found), also=also)


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


def _print_teams(simulations: int, seed: int) -> None:
    print("\nin standard errors          all told at once       in 30 days of these rules   months for as many")
    print("metric    teams × files   vote  weighed  climb      vote  weighed  climb        first numbers")
    by_vote, most = 0.0, 0.0  # in 30 days
    for metric in (ACCURACY, MCC):
        for teams, files in TEAMS:
            at_once, month = (
                in_errors(teams, files, metric, ITEMS[0], simulations, seed, is_limited=one) for one in (False, True)
            )
            gains = "    ".join("{:6.1f}{:9.1f}{:7.1f}".format(*one) for one in (at_once, month))
            months = math.ceil(teams / FIRST_NUMBERS)
            print(f"{metric.name:9}{teams:6} × {files:<5}{gains}{months:19}", flush=True)
            most = max(most, *month)
            if (teams, files) == (FIRST_NUMBERS, 1):
                by_vote = max(by_vote, month[0])
    report("first numbers of 30 days: the vote", by_vote, "errors", at_most=REACH)
    report("30 days: the most of any attack", most, "errors", at_most=REACH)


def _real_labels() -> Labels:
    """The labels of the board of `attacked_site`, in the order of its files."""
    return np.array([int(label) for label in labels_of(CORPUS).values()], dtype=np.int8)


def _guess(n: int, draws: np.random.Generator) -> Labels:
    return draws.integers(0, 2, n, dtype=np.int8)


if __name__ == "__main__":
    main()

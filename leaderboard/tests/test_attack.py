"""What submitting often gains on hidden labels: the small version of benchmarks/site_attack.py."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from benchmarks import site_attack
from benchmarks.site_attack import ACCURACY, MCC, REACH, Accounts, agreement, agreement_of_teams, gain, vote, weighed

SIMULATIONS = 40


@pytest.mark.parametrize(
    ("n", "with_exact", "with_ours"),
    [
        (500, 10, 2),  # one standard error is 2.2
        (134, 18, 5),  # and 4.3
    ],
)
def test_the_gain_of_52_exact_scores_and_of_a_year_with_our_rules(n, with_exact, with_ours):
    """The figures of the simulation that the rules were made by, in points of accuracy."""
    assert gain(vote, site_attack.exact, ACCURACY, n, 52, SIMULATIONS) == pytest.approx(with_exact, abs=2.5)
    by_climb = gain(site_attack.climb, site_attack.exact, ACCURACY, n, 52, SIMULATIONS, share=0.05)
    assert by_climb == pytest.approx(with_exact, abs=2.5)
    for attack, settings in ((vote, {}), (site_attack.climb, {"share": 0.3}), (site_attack.climb, {"share": 0.5})):
        ours = gain(attack, site_attack.Leaderboard, ACCURACY, n, 24, SIMULATIONS, **settings)
        assert ours < with_ours + 1.5


def test_the_ladder_alone_stops_the_vote_but_not_the_climber():
    assert gain(vote, site_attack.ladder, ACCURACY, 500, 52, SIMULATIONS) < 4
    assert gain(site_attack.climb, site_attack.ladder, ACCURACY, 500, 52, SIMULATIONS, share=0.05) > 5.5


def in_errors(attack, teams, simulations, metric=ACCURACY, files=1, *, is_limited, **settings):
    rules = partial(Accounts, teams=teams, is_limited=is_limited)
    found = gain(attack, rules, metric, 500, teams * files, simulations, **settings)
    return found / site_attack.standard_error(metric, site_attack.CHANCE[metric], 500)


def test_the_first_numbers_of_30_days_gain_a_vote_at_most_one_and_a_half_standard_errors():
    """However many teams staff admit, as five of them are told a number."""
    assert in_errors(vote, 5, 800, is_limited=True) < REACH
    assert in_errors(vote, 10, 300, is_limited=True) < REACH
    assert in_errors(site_attack.climb, 5, 400, is_limited=True, share=0.5) < REACH


def test_what_30_days_gain_at_most_as_the_docs_say():
    """A vote that counts as much as its score lies off chance gets more out of five numbers."""
    assert in_errors(weighed, 5, 400, is_limited=True) == pytest.approx(1.8, abs=0.1)
    assert in_errors(weighed, 5, 200, MCC, is_limited=True) == pytest.approx(1.7, abs=0.15)


def test_what_many_numbers_gain_as_the_docs_say():
    """With the square root of how many there are, which teams that are told at once have on the first day."""
    assert in_errors(vote, 52, 100, is_limited=False) == pytest.approx(4.4, abs=0.2)
    assert in_errors(weighed, 24, 100, is_limited=False) == pytest.approx(3.7, abs=0.2)


@pytest.mark.parametrize(("teams", "files", "n_told"), [(7, 1, [5]), (2, 10, [2] + [0] * 9)])
def test_what_waits_beside_the_numbers_of_30_days(teams, files, n_told):
    board = Accounts(ACCURACY, np.ones(100, dtype=np.int8), teams, is_limited=True)
    guess = np.zeros(100, dtype=np.int8)
    found = [[board(guess) for _ in range(teams)] for _ in range(files)]
    assert [sum(one is not None for one in turn) for turn in found] == n_told


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("is_limited", "n_told"), [(False, 7), (True, 5)])
def test_a_server_tells_many_teams_what_the_simulation_says(tmp_path, is_limited, n_told):
    """Under the rules the team that is not admitted waits, and one that comes after five others."""
    simulated, real = agreement_of_teams(tmp_path, is_limited=is_limited)
    assert real == simulated
    assert sum(one is not None for one in real) == n_told


@pytest.mark.nightly
@pytest.mark.slow
def test_a_server_tells_what_the_simulation_says(tmp_path):
    simulated, real, _ = agreement(tmp_path, 6)
    assert [one.kind for one in simulated] == ["first", "not distinguishable", "better"] + ["not distinguishable"] * 3
    assert real == simulated


def test_one_standard_error_at_chance():
    assert site_attack.standard_error(ACCURACY, 50.0, 500) == pytest.approx(2.236, abs=0.001)
    assert site_attack.standard_error(MCC, 0.0, 134) == pytest.approx(8.639, abs=0.001)

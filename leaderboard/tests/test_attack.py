"""What submitting often gains on hidden labels: the small version of benchmarks/site_attack.py."""

from __future__ import annotations

import pytest

from benchmarks import site_attack
from benchmarks.site_attack import ACCURACY, MCC, agreement, gain, vote

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


@pytest.mark.nightly
@pytest.mark.slow
def test_a_server_tells_what_the_simulation_says(tmp_path):
    simulated, real, _ = agreement(tmp_path, 6)
    assert [one.kind for one in simulated] == ["first", "not distinguishable", "better"] + ["not distinguishable"] * 3
    assert real == simulated


def test_one_standard_error_at_chance():
    assert site_attack.standard_error(ACCURACY, 50.0, 500) == pytest.approx(2.236, abs=0.001)
    assert site_attack.standard_error(MCC, 0.0, 134) == pytest.approx(8.639, abs=0.001)

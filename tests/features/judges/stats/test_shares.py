"""Corrected shares of labels: closed forms, a perfect judge, and the same shares with the labels in another order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judges.stats.shares import (
    on_simplex,
    prediction_powered_shares,
    rogan_gladen_shares,
    youden,
)

SHARES = pytest.mark.parametrize("shares", [prediction_powered_shares, rogan_gladen_shares])


def sums(judged, joint):
    return np.array([*judged, *np.ravel(joint)], dtype=float)


@pytest.mark.parametrize(("p", "se", "sp"), [(0.6, 0.8, 0.9), (0.3, 0.7, 0.95), (0.45, 0.95, 0.6)])
def test_two_labels_have_the_closed_form(p, se, sp):
    """Rogan & Gladen 1978: (p + sp - 1) / (se + sp - 1)."""
    found = rogan_gladen_shares(
        sums([1000 * p, 1000 * (1 - p)], [[100 * se, 100 - 100 * se], [200 - 200 * sp, 200 * sp]]), 2
    )
    expected = (p + sp - 1) / (se + sp - 1)
    assert found == pytest.approx([expected, 1 - expected])


def test_a_share_below_what_the_errors_explain_is_0():
    """With a specificity of 0.8, 20 % are called right where none is; 10 % are fewer."""
    assert rogan_gladen_shares(sums([100, 900], [[90, 10], [20, 80]]), 2).tolist() == [0, 1]


def test_three_labels_are_inverted_exactly():
    truth, matrix = np.array([0.5, 0.3, 0.2]), np.array([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0, 0.1, 0.9]])
    joint = np.array([[40], [70], [30]]) * matrix
    assert rogan_gladen_shares(sums(1343 * truth @ matrix, joint), 3) == pytest.approx(truth)


@pytest.mark.parametrize(
    ("why", "judged", "joint", "expected"),
    [
        ("no item was rated by both", [6, 4], [[0, 0], [0, 0]], None),
        ("the judge rated no item", [0, 0], [[5, 1], [1, 5]], None),
        ("the judge's labels are independent of the reference's", [6, 4], [[5, 5], [5, 5]], None),
        ("the reference never gave the second label, but the judge did", [6, 4], [[5, 1], [0, 0]], None),
        ("nobody gave the second label", [6, 0], [[5, 0], [0, 0]], [1, 0]),
    ],
)
def test_rogan_gladen_where_it_is_undefined(why, judged, joint, expected):
    found = rogan_gladen_shares(sums(judged, joint), 2)
    assert np.isnan(found).all() if expected is None else found.tolist() == expected, why


@pytest.mark.parametrize(
    ("why", "judged", "joint", "expected"),
    [
        ("slope 0.375 / 0.5 = 0.75: 0.625 + 0.75 (0.6 - 0.5)", [60, 40], [[20, 5], [0, 15]], [0.7, 0.3]),
        ("a judge of one label tells nothing", [100, 0], [[20, 0], [10, 0]], [2 / 3, 1 / 3]),
        ("a judge that is wrong more often than by chance is not used", [60, 40], [[5, 15], [15, 5]], [0.5, 0.5]),
        ("the judge alone cannot be corrected", [60, 40], [[0, 0], [0, 0]], [np.nan, np.nan]),
    ],
)
def test_prediction_powered_shares(why, judged, joint, expected):
    assert prediction_powered_shares(sums(judged, joint), 2) == pytest.approx(expected, nan_ok=True), why


def test_prediction_powered_shares_are_those_of_ppi_python():
    ppi_py = pytest.importorskip("ppi_py")
    draws = np.random.default_rng(3)
    reference = draws.integers(0, 3, 200)
    judge = np.where(draws.random(200) < 0.7, reference, draws.integers(0, 3, 200))
    rest = draws.integers(0, 3, 900)
    one_hot = np.eye(3)
    counts = np.bincount(np.concatenate([judge, rest]), minlength=3)
    joint = np.zeros((3, 3))
    np.add.at(joint, (reference, judge), 1)
    truth, said = one_hot[reference], one_hot[judge]
    slope = np.trace(np.cov(truth.T, said.T)[:3, 3:]) / np.trace(np.cov(said.T))
    # Theirs counts the unrated rest apart, so that its slope is ours times the rest's share.
    theirs = ppi_py.ppi_mean_pointestimate(truth, said, one_hot[rest], lam=slope * 900 / 1100)
    assert prediction_powered_shares(sums(counts, joint), 3) == pytest.approx(theirs)


@SHARES
@pytest.mark.parametrize("judged", [[60, 30, 10], [0, 50, 50]])
def test_a_perfect_judge_changes_nothing(shares, judged):
    assert shares(sums(judged, np.diag([20, 15, 5])), 3) == pytest.approx(np.array(judged) / 100)


counts = st.lists(st.integers(1, 50), min_size=12, max_size=12)


@SHARES
@given(numbers=counts, order=st.permutations(range(3)))
def test_relabelling_permutes_the_shares(shares, numbers, order):
    judged, joint = np.array(numbers[:3]), np.reshape(numbers[3:], (3, 3))
    found = shares(sums(judged, joint), 3)
    permuted = shares(sums(judged[list(order)], joint[np.ix_(order, order)]), 3)
    if np.isfinite(found).all() and abs(np.linalg.det(joint / joint.sum(axis=1, keepdims=True))) > 1e-3:
        assert permuted == pytest.approx(found[list(order)], abs=1e-6)


@SHARES
@given(numbers=counts, scale=st.sampled_from([0.5, 2, 7]))
def test_shares_are_a_distribution_that_depends_on_no_scale_of_weights(shares, numbers, scale):
    judged, joint = np.array(numbers[:3]), np.reshape(numbers[3:], (3, 3))
    found = shares(sums(judged, joint), 3)
    if np.isfinite(found).all():
        assert found.sum() == pytest.approx(1)
        assert (found >= 0).all()
        assert shares(sums(judged, scale * joint), 3) == pytest.approx(found)


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=5))
def test_the_projection_is_the_nearest_distribution(numbers):
    """Its residual is the same for all positive shares, and no smaller for those at 0 (Karush-Kuhn-Tucker)."""
    shares = np.array(numbers) - (np.sum(numbers) - 1) / len(numbers)
    found = on_simplex(shares)
    assert found.sum() == pytest.approx(1)
    residual = found - shares
    assert residual[found > 0] == pytest.approx(np.full((found > 0).sum(), residual.min()))


def test_many_resamples_are_computed_as_one():
    draws = np.random.default_rng(0).integers(1, 40, (50, 12)).astype(float)
    for shares in (prediction_powered_shares, rogan_gladen_shares):
        assert shares(draws, 3) == pytest.approx(np.array([shares(row, 3) for row in draws]), nan_ok=True)


def test_youden():
    """First label: 8 of 10 found, 3 of 20 others taken for it; the reference never gives the third."""
    found = youden(np.array([[8.0, 2, 0], [3, 16, 1], [0, 0, 0]]))
    assert found[:2] == pytest.approx([0.8 - 3 / 20, 0.8 - 2 / 10])
    assert np.isnan(found[2])

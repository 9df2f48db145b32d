"""Metrics of a confusion matrix: literal values, and scikit-learn's on matrices of any shape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.metrics.classification import ACCURACY, balanced_accuracy, f1_macro, f1_weighted, mcc


@pytest.mark.parametrize(
    ("metric", "pairs", "expected"),
    [
        (mcc(2), [(0, 0), (1, 1)], 100.0),
        (mcc(2), [(0, 1), (1, 0)], -100.0),
        (mcc(2), [(0, None), (1, None)], 0.0),  # nothing read: no correlation, and not -100
        (mcc(2), [(0, 0), (1, 0)], 0.0),  # a constant guess: undefined, by convention 0
        (mcc(2), [(0, 0), (0, 0), (1, 1), (1, 0)], 57.735027),  # (2·1 - 0·1) / √(3·1·2·2)
        (mcc(3), [(0, 0), (1, 1), (2, 2), None], 100.0),
        (ACCURACY, [(0, 0), (1, None), None], 50.0),  # unreadable is wrong; a hidden label stays outside
        (balanced_accuracy(2), [(0, 0), (0, 0), (0, 1), (1, 1)], 83.333333),  # (2/3 + 1) / 2
        (balanced_accuracy(3), [(0, 0), (1, None)], 50.0),  # class 2 does not occur
        (f1_macro(3), [(0, 0), (1, 1)], 66.666667),  # class 2 counts 0
        (f1_weighted(2), [(0, 0), (0, None), (1, 1)], 77.777778),  # (2 · 2/3 + 1 · 1) / 3
        (f1_weighted(2), [[0, 0], [1, None]], 50.0),  # a log makes a list of the pair
        (mcc(2), [None], None),
        (ACCURACY, [], None),
    ],
)
def test_literal(metric, pairs, expected):
    assert metric(pairs) == (None if expected is None else pytest.approx(expected))


@given(st.sampled_from([2, 3, 4]).flatmap(lambda k: st.tuples(st.just(k), pairs_of(k))))
def test_as_scikit_learn_computes_them(drawn):
    from sklearn.metrics import f1_score, matthews_corrcoef, recall_score

    n_classes, pairs = drawn
    gold = [each for each, _ in pairs]
    guessed = [n_classes if guess is None else guess for _, guess in pairs]
    labels = list(range(n_classes))
    f1 = {
        how: 100 * f1_score(gold, guessed, labels=labels, average=how, zero_division=0) for how in ("macro", "weighted")
    }
    recall = recall_score(gold, guessed, labels=sorted(set(gold)), average="macro", zero_division=0)
    assert mcc(n_classes)(pairs) == pytest.approx(100 * matthews_corrcoef(gold, guessed), abs=1e-9)
    assert f1_macro(n_classes)(pairs) == pytest.approx(f1["macro"])
    assert f1_weighted(n_classes)(pairs) == pytest.approx(f1["weighted"])
    assert balanced_accuracy(n_classes)(pairs) == pytest.approx(100 * recall)
    assert ACCURACY(pairs) == pytest.approx(100 * np.mean(np.equal(gold, guessed)))


def pairs_of(n_classes: int) -> st.SearchStrategy:
    """(gold, guess) pairs, some of them unreadable."""
    classes = st.integers(0, n_classes - 1)
    return st.lists(st.tuples(classes, st.none() | classes), min_size=1, max_size=40)

"""Whether answers agree with a key less than their margins allow: the test behind the flag `inverted`.

Both margins are fixed, how often the key has each label and how often the answers do. A test of the accuracy against
1/K errs on skewed labels: a model that gives one label is far below one half, and not inverted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping


def fewer_matches_p(pairs: Mapping[tuple[Hashable, Hashable], int]) -> float | None:
    """The one-sided p-value that answers agree with the key no less often than if they were dealt to it at random.

    Two labels: Fisher's exact test. More: the closed-form mean and variance of the number of matches under fixed
    margins (Hoeffding 1951), with a normal tail. It is not too short where few matches are expected, since there are no
    fewer than none.

    Args:
        pairs: (key, answer) → how many items have both.

    Returns:
        None where nothing can differ: no item, or one label throughout in the key or in the answers.

    >>> fewer_matches_p({(0, 0): 1, (0, 1): 9, (1, 0): 9, (1, 1): 1})  # 101 of 184,756 ways have at most 2 matches
    0.000546666955335686
    >>> round(fewer_matches_p({(0, 1): 20, (1, 2): 20, (2, 0): 20}), 9)  # 0 matches, 20 expected, variance 13.56
    2.8e-08
    """
    keys: Counter[Hashable] = Counter()
    answers: Counter[Hashable] = Counter()
    for (key, answer), count in pairs.items():
        keys[key] += count
        answers[answer] += count
    n = keys.total()
    if len(keys) < 2 or len(answers) < 2:
        return None
    matches = sum(count for (key, answer), count in pairs.items() if key == answer)
    if len(keys | answers) == 2:
        from scipy.stats import hypergeom

        label = next(iter(keys))
        return float(hypergeom.cdf(pairs.get((label, label), 0), n, keys[label], answers[label]))
    products = sum(keys[label] * answers[label] for label in keys)
    squares = sum(keys[label] * answers[label] * (keys[label] + answers[label]) for label in keys)
    variance = (products - squares / n + (products / n) ** 2) / (n - 1)
    if variance <= 0:
        return None
    return math.erfc((products / n - matches) / math.sqrt(2 * variance)) / 2

"""How models answer questions of a given difficulty: what the simulations of comparisons share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from simulations.tables import Numbers


def is_right(draws: np.random.Generator, skill: Numbers) -> Numbers:
    """Whether each model, a row, is right at each question, by its skill in logits."""
    return (draws.random(skill.shape) < expit(skill)).astype(float)


def with_ones(values: Numbers) -> Numbers:
    """The terms of a mean."""
    return np.stack([values, np.ones_like(values)], axis=-1)


def yes_or_no(draws: np.random.Generator, skill: Numbers) -> Numbers:
    """One question is right or wrong."""
    return with_ones(is_right(draws, skill))


def attempted(draws: np.random.Generator, skill: Numbers) -> Numbers:
    """F: of what is not right, three in ten are not attempted."""
    right = is_right(draws, skill)
    leaves = (draws.random(skill.shape) < 0.3) & (right == 0)
    return np.stack([2 * right, np.where(leaves, 1.0, 2.0)], axis=-1)

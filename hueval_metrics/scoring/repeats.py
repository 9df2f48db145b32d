"""Find two predictions that share what no two may, by a hash of 8 bytes each, where keys would take a hundred."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.scoring.documents import Again
from hueval_metrics.scoring.inputs import Prediction


class Repeats:
    """What no two predictions may have in common.

    Args:
        key_of: a prediction → what it is, hashable; None where it may have that in common with others.
        told: a prediction, an earlier one with the same, and how many there are → the line on them.
    """

    def __init__(
        self,
        key_of: Callable[[Prediction], tuple[Any, ...] | None],
        told: Callable[[Prediction, Prediction, Again], str],
    ) -> None:
        self._key_of = key_of
        self._told = told
        self._hashes = array("q")

    def add(self, prediction: Prediction) -> None:
        """Note a prediction."""
        if (key := self._key_of(prediction)) is not None:
            self._hashes.append(hash(key))

    def refuse(self, predictions: Iterable[Prediction]) -> None:
        """See that there are no two.

        Args:
            predictions: those that were noted, in the same order; they are gone through more than once.

        Raises:
            InputError: there are two.
        """
        import numpy as np

        hashes = np.asarray(self._hashes)
        order = np.argsort(hashes, kind="stable")
        again = order[1:][hashes[order[1:]] == hashes[order[:-1]]]
        counted = self._counted(predictions, set(hashes[again].tolist())) if len(again) else Counter()
        for place in sorted(again.tolist()):  # hardly ever more than one: equal hashes of different keys are rare
            seen: dict[tuple[Any, ...], Prediction] = {}
            for prediction in predictions:
                key = self._key_of(prediction)
                if key is None or hash(key) != hashes[place]:
                    continue
                if key in seen:
                    raise InputError(self._told(prediction, seen[key], counted))
                seen[key] = prediction

    def _counted(self, predictions: Iterable[Prediction], hashes: set[int]) -> Again:
        counted: Again = Counter()
        said: dict[int, int] = {}
        for prediction in predictions:
            key = self._key_of(prediction)
            if key is None or (place := hash(key)) not in hashes:
                continue
            if place in said:
                counted[said[place] == prediction.said] += 1
            said.setdefault(place, prediction.said)
        return counted

"""The ratings that judge and rater may give under each rubric: labels, or scores."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.records import number_of
from hueval_metrics.registry import declared, known_tasks, resolve
from hueval_metrics.stats.agreement import Rating
from hueval_metrics.text.normalize import compare_key

_GRADES = 5  # groups of neighbouring scores, as in WildBench (Lin et al. 2024)
_SCORE = re.compile(r"([0-9]{1,3})(?:[.,]0+)?(?:/([0-9]{1,3}))?")


def is_judged(task: str) -> bool:
    """Whether a task is one of ours and has a rubric."""
    return task in known_tasks() and declared(task).rubric is not None


@cache
def scale_of(task: str) -> Scale:
    """The scale of a task's rubric.

    Raises:
        ValueError: the task has no judge, or is not ours.
        InputError: its rubric has no scale.
    """
    if not is_judged(task):
        raise ValueError(f"{task} has no judge")
    rubric: Any = resolve(declared(task).rubric or "")
    if labels := getattr(rubric, "LABELS", ()):
        return Scale(tuple(labels), getattr(rubric, "WORDS", {}), getattr(rubric, "NO_ANSWER", None))
    if not (hasattr(rubric, "LOWEST") and hasattr(rubric, "HIGHEST")):
        raise InputError(f"{rubric.__file__}: a rubric needs LABELS, or LOWEST and HIGHEST. Add them")
    return Scale(tuple(float(score) for score in range(rubric.LOWEST, rubric.HIGHEST + 1)))


def _folded(text: str) -> str:
    return compare_key(unicodedata.normalize("NFKC", text))


def _letters(text: str) -> str:
    return re.sub(r"[_-]", "", _folded(text))


@dataclass(frozen=True)
class Scale:
    """The ratings of a rubric.

    Attributes:
        values: all labels, the one first whose share is the headline score; or all scores, whole and rising.
        synonyms: label → other words that raters write for it where no list restricts them to the labels.
        no_answer: the label of a response that gives no answer; None without one.
    """

    values: tuple[Rating, ...]
    synonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    no_answer: str | None = None

    @property
    def is_label(self) -> bool:
        """Whether it has labels; otherwise scores."""
        return isinstance(self.values[0], str)

    @property
    def words(self) -> tuple[str, ...]:
        """The ratings as a rater writes them."""
        return tuple(value if isinstance(value, str) else f"{value:g}" for value in self.values)

    def has(self, rating: Rating | None) -> bool:
        """Whether a judge may give this rating; the mean of a panel's scores need not be whole."""
        if rating is None or isinstance(rating, str) or self.is_label:
            return rating in self.values
        return float(self.values[0]) <= rating <= float(self.values[-1])

    def band(self, rating: Rating) -> str:
        """The label, or the grade of a score: one of at most five groups of neighbouring scores.

        >>> scores = Scale(tuple(map(float, range(1, 11))))
        >>> scores.band(1.0), scores.band(2.5), scores.band(10.0)
        ('1-2', '3-4', '9-10')
        """
        if isinstance(rating, str):
            return rating
        grade = next(grade for grade in self._grades if rating <= grade[-1])
        return f"{grade[0]:g}-{grade[-1]:g}" if len(grade) > 1 else f"{grade[0]:g}"

    @property
    def ends(self) -> tuple[float, float]:
        """Of scores: the upper end of the lowest grade, and the lower end of the highest grade.

        >>> Scale(tuple(map(float, range(1, 11)))).ends
        (2.0, 9.0)
        """
        return self._grades[0][-1], self._grades[-1][0]

    @property
    def bands(self) -> list[str]:
        """All bands, in the order of the values."""
        return list(dict.fromkeys(map(self.band, self.values)))

    def read(self, cell: object) -> Rating | None:
        """Read a rating as raters write it: in any letter case, by a synonym, or as 7, 7.0, "7,0" or "7/10".

        Args:
            cell: the value of a spreadsheet cell.

        Returns:
            One of `values`; None for an empty cell.

        Raises:
            ValueError: it is anything else; nothing is guessed.

        >>> Scale(("GOOD", "BAD"), {"GOOD": ["jó"]}).read(" Jó ")
        'GOOD'
        """
        if cell is None or not str(cell).strip():
            return None
        found = self._label(str(cell)) if self.is_label else self._score(cell)
        if found not in self.values:
            raise ValueError(f"not one of {', '.join(self.words)}")
        return found

    @property
    def _grades(self) -> list[list[float]]:
        scores = [float(value) for value in self.values]
        size = math.ceil(len(scores) / _GRADES)
        return [scores[start : start + size] for start in range(0, len(scores), size)]

    def _label(self, text: str) -> Rating | None:
        letters = _letters(text)
        for value in self.values:
            if letters in map(_letters, (str(value), *self.synonyms.get(str(value), ()))):
                return value
        return None

    def _score(self, cell: object) -> float | None:
        if not isinstance(cell, str):
            return number_of(cell)
        match = _SCORE.fullmatch(_folded(cell))
        return float(match[1]) if match and match[2] in (None, self.words[-1]) else None

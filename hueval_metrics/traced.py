"""What a family declares of the reasoning traces of a task."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Traces:
    """How the reasoning traces of a task are read (`hueval traces`).

    Attributes:
        steps: the steps of a judge that its traces are made for, of `thoughts` and `segments`.
        question: dotted path of `(doc) -> str`, the question alone, as a judge of thoughts is shown it.
        reference: dotted path of `(doc) -> str`, its right answer, likewise.
        asked: dotted path of `(doc, response) -> dict`, what a judge of segments is shown: lists of texts `options`,
            `std_ans` and `model_ans`, the options, the right answers and those that were read from the response.
        stated: dotted path of `(doc, trace, response) -> answers.stated.Stated`: which answer is stated where.
            None where that is unknown.
        pool: tasks of a family with the same pool are counted together, within the parts of the family (`Task.part`).
            Empty for a task by itself.
    """

    steps: tuple[str, ...] = ()
    question: str | None = None
    reference: str | None = None
    asked: str | None = None
    stated: str | None = None
    pool: str = ""

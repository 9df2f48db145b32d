"""The result of a submission: exact for staff, and what its team is told."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from hueval_metrics.loader import documents
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.score import TaskScore
from hueval_metrics.stats.joint import MetricTerms, joint_scores
from hueval_metrics.stats.paired import paired_differences
from hueval_site.boards import Board
from hueval_site.disclosure import NUMBERED, Told, exactly, tell
from hueval_site.submissions.models import Season, Submission
from hueval_site.submissions.receive import local_file

Z = 1.959964


class LabelsChangedError(Exception):
    """The labels are not those of the season."""


def result_of(submission: Submission, board: Board) -> dict[str, Any]:
    """The columns `exact` and `told` of a submission, and `best`: the id of that with which it was compared.

    Raises:
        LabelsChangedError: the labels are not those of its season.
        HuevalError: see `SubmissionFormat.score`.
    """
    _check_labels(submission.season, board)
    score = _score(submission, board)
    exact = {name: value for name, value in score.summary.items() if name != "model"}
    best = best_of(submission, board)
    told = asdict(_told(submission, board, score, best))
    return {"exact": exact, "told": told, "best": None if best is None else best.pk}


def labels_hash(board: Board) -> str:
    """The hash of the rows of a board with their labels, as the worker finds them."""
    found: str = documents(board.task, **board.hidden_target.settings)[1]["content"]
    return found


def _check_labels(season: Season, board: Board) -> None:
    found = labels_hash(board)
    if not season.labels_hash:  # of public answers; hidden ones have it from `load-labels`
        Season.objects.filter(pk=season.pk, labels_hash="").update(labels_hash=found)
    elif season.labels_hash != found:
        raise LabelsChangedError


def _score(submission: Submission, board: Board) -> TaskScore:
    with local_file(submission) as path:
        return board.submission_format.score(path, board.hidden_target, JudgePlan())


def _told(submission: Submission, board: Board, score: TaskScore, best: Submission | None) -> Told:
    name, metric = board.metrics[0], board.first_metric
    value = score.summary[name]
    if not board.hidden:
        return exactly(value)
    low, high = score.summary[f"{name}_ci95"] or (0.0, 0.0)
    p = None if best is None else _p_value(_score(best, board), score, name)
    known = None if best is None else best.exact[name]
    before = submission.told["kind"] if submission.told else None
    return tell(metric, value, (high - low) / (2 * Z), score.summary[f"{name}_n"], known, p, before)


def best_of(submission: Submission, board: Board) -> Submission | None:
    """The best other submission of its team and season of which the team was told a number (`disclosure.tell`); None
    where there is none, and on public answers.
    """
    if not board.hidden:
        return None
    told = Submission.objects.filter(
        team=submission.team, season=submission.season, told__kind__in=NUMBERED, exact__isnull=False
    ).exclude(pk=submission.pk)
    sign = -1 if board.first_metric.better == "lower" else 1
    return max(told, key=lambda one: sign * one.exact[board.metrics[0]], default=None)


def _p_value(first: TaskScore, second: TaskScore, name: str) -> float | None:
    """Of the paired test between two submissions over the items of a board."""
    assert first.values is not None and second.values is not None
    one, other = first.values.clustered([name]), second.values.clustered([name])
    order = {key: place for place, key in enumerate(other.ids)}
    aligned = other.terms[name][:, [order[key] for key in one.ids]]
    terms = MetricTerms(np.concatenate([one.terms[name], aligned]), first.values.metrics[name])
    scores = joint_scores(("first", "second"), {name: terms}, strata=one.strata)
    (found,) = paired_differences({name: terms}, scores, [(0, 1)])[name]
    return None if found is None else found.p

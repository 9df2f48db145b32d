"""The result of a submission: exact for staff, and what its team is told."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from hueval_metrics.api.boards import JudgePlan, MetricTerms, TaskScore, documents, joint_scores, paired_differences
from hueval_site.boards import Board
from hueval_site.disclosure import NUMBERED, Told, exactly, tell
from hueval_site.scoring.judging import budget
from hueval_site.submissions.models import Season, Submission
from hueval_site.submissions.receive import local_file
from hueval_site.submissions.uploads import temp_dir

Z = 1.959964
_KEPT = 100  # scores of submissions, 12 bytes an item

_scores: dict[tuple[UUID, str], TaskScore] = {}  # submission and labels → its score, in the memory of this worker alone


class LabelsChangedError(Exception):
    """The labels are not those of the season."""


class SeasonClosedError(Exception):
    """The season of a submission has been closed."""


class UnansweredError(Exception):
    """The judge has not replied to all responses; its replies so far are in its cache."""


def result_of(submission: Submission, board: Board) -> dict[str, Any]:
    """The columns `exact`, `told` and `n_flagged` of a submission, and `best`: the id of that it was compared with.

    Raises:
        SeasonClosedError: its season has been closed.
        LabelsChangedError: the labels are not those of its season.
        UnansweredError: verdicts are missing.
        HuevalError: see `SubmissionFormat.score`.
    """
    season = Season.objects.get(pk=submission.season_id)
    if season.closed is not None:
        raise SeasonClosedError
    found = _check_labels(season, board)
    with budget(submission, board) as plan:
        score = _score(submission, board, plan)
    if score.summary.get("n_unanswered"):
        raise UnansweredError
    exact = {name: _finite(value) for name, value in score.summary.items() if name != "model"}
    best = best_of(submission, board)
    told = asdict(_told(submission, board, score, best))
    if labels_hash(board) != found:  # exchanged while they were read
        raise LabelsChangedError
    _keep(submission, found, score)  # the team's next one is compared with it
    n_flagged = score.summary.get("n_suspicious", 0)
    return {"exact": exact, "told": told, "n_flagged": n_flagged, "best": None if best is None else best.pk}


def labels_hash(board: Board, folder: Path | None = None) -> str:
    """The hash of the rows of a board with their labels, as the worker finds them, or as a folder of data has them."""
    target = board.hidden_target if folder is None else replace(board.hidden_target, data_dir=folder)
    found: str = documents(board.own_task, **target.settings)[1]["content"]
    return found


def _check_labels(season: Season, board: Board) -> str:
    found = labels_hash(board)
    if not season.labels_hash:  # of public answers; hidden ones have it from `load-labels`
        Season.objects.filter(pk=season.pk, labels_hash="").update(labels_hash=found)
    elif season.labels_hash != found:
        raise LabelsChangedError
    return found


def _finite(value: Any) -> Any:
    """A number as JSON knows it: PostgreSQL takes no NaN, and its refusal quotes the whole row."""
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _score(submission: Submission, board: Board, plan: JudgePlan) -> TaskScore:
    target = replace(board.hidden_target, temp_dir=temp_dir())
    with local_file(submission) as path:
        return board.submission_format.score(path, target, plan)


def _score_of_best(best: Submission, labels: str, board: Board) -> TaskScore:
    """The scores of a submission that others are compared with."""
    if (found := _scores.get((best.pk, labels))) is None:
        found = _score(best, board, JudgePlan())
        _keep(best, labels, found)
    return found


def _keep(submission: Submission, labels: str, score: TaskScore) -> None:
    """Keep a score without its items; the oldest goes."""
    _scores[submission.pk, labels] = replace(score, items=[])
    while len(_scores) > _KEPT:
        del _scores[next(iter(_scores))]


def _told(submission: Submission, board: Board, score: TaskScore, best: Submission | None) -> Told:
    name, metric = board.metrics[0], board.first_metric
    value = score.summary[name]
    if not board.hidden:
        return exactly(value)
    low, high = score.summary[f"{name}_ci95"] or (0.0, 0.0)
    known = None if best is None else best.exact[name]
    p = None
    if best is not None:
        # Also without a gain, when its outcome changes nothing: the time would tell whether there is one.
        p = _p_value(_score_of_best(best, submission.season.labels_hash, board), score, name)
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
    sign = 1 if board.higher_is_better else -1
    return max(told, key=lambda one: sign * one.exact[board.metrics[0]], default=None)


def _p_value(first: TaskScore, second: TaskScore, name: str) -> float | None:
    """Of the paired test between two submissions over the items of a board."""
    assert first.values is not None and second.values is not None
    one, other = first.values.clustered([name]), second.values.clustered([name])
    order = {key: place for place, key in enumerate(other.ids)}
    aligned = other.terms[name][:, [order[key] for key in one.ids]]
    terms = MetricTerms(np.concatenate([one.terms[name], aligned]), first.values.metrics[name])
    # Two resamples: only the test is asked for, which does without, and no interval.
    scores = joint_scores(("first", "second"), {name: terms}, strata=one.strata, resamples=2)
    (found,) = paired_differences({name: terms}, scores, [(0, 1)])[name]
    return None if found is None else found.p

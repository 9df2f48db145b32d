"""The models of a family over all its boards: wins and mean rank of the complete ones, and what papers published.

Of each model the newest public row of a board counts, by the score and the interval that the row shows, and by nothing
else: the answers to the items, and exact scores, are not public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from hueval_metrics.api.boards import Standing, one_line, published_task, standings
from hueval_site.boards import Board
from hueval_site.pages.rows import Row, Score, by_model, public_rows, published_rows, rows_by_hand
from hueval_site.submissions.models import Season
from hueval_site.submissions.seasons import open_seasons

WINS, MEAN_RANK = "wins", "mean_rank"  # beside the tasks, among the scores of a row over a family
_LEAST = 2  # models that are compared
_Task = tuple[str, bool, tuple[Score, ...]]  # name, whether the highest score is the best, the models' scores


def models_of(found: Sequence[Board]) -> list[Row]:
    """A row for each model and team, its scores by task in the first metric of each board.

    A model is complete with a score on every board that has an order. Complete ones, without baselines and people, have
    `WINS` and `MEAN_RANK` among their scores, as far as there are two: wins are the pairs of a board and another
    complete model, of `pairs`.
    """
    by_task = {board.task: board for board in found}
    tasks = [board.task for board in found if board.first_metric.better]
    public = public_rows(open_seasons(by_task))
    # A name that is also that of a baseline has a row of its own for that.
    groups = [by_model(row for row in public if row.is_ranked is ranked) for ranked in (True, False)]
    rows = [_whole(rows, by_task, tasks) for group in groups for rows in group.values()]
    # In an order that does not depend on dates: so do the draws behind the intervals.
    complete = sorted((row for row in rows if row.is_complete and row.is_ranked), key=lambda row: row.identity)
    if len(complete) < _LEAST:
        return rows
    scores = tuple(
        (task, by_task[task].higher_is_better, tuple(row.scores[task] for row in complete)) for task in tasks
    )
    n_pairs, added = len(tasks) * (len(complete) - 1), {}
    for row, one in zip(complete, _standings(scores), strict=True):
        added[row.key] = {
            WINS: Score(*(round(share * n_pairs, 6) for share in (one.wins, *one.wins_ci95))),
            MEAN_RANK: Score(*(round(rank, 6) for rank in (one.mean_rank, *one.mean_rank_ci95))),
        }
    return [replace(row, scores={**row.scores, **added.get(row.key, {})}) for row in rows]


def pairs(found: Sequence[Board], rows: Sequence[Row]) -> int:
    """Of how many pairs of a board and another model the wins are; 0 where no model has wins."""
    n = sum(WINS in row.scores for row in rows)
    return (n - 1) * sum(board.first_metric.better is not None for board in found) if n else 0


def papers_of(found: Sequence[Board]) -> list[Row]:
    """What papers have published and maintainers kept, in the first metric of each board, by model and source."""
    scores: dict[tuple[str, str], dict[str, Score]] = {}
    rows: dict[tuple[str, str], Row] = {}
    seasons = Season.objects.filter(board__in=[board.task for board in found], closed=None)
    kept = {season.board: season for season in seasons if season.by_hand}
    for board in found:
        own = rows_by_hand(board, kept[board.task]) if board.task in kept else []
        for row in [*published_rows(board), *own]:
            if board.metrics[0] in row.scores:
                one = row.model, row.source["en"]
                rows.setdefault(one, row)
                scores.setdefault(one, {})[board.task] = row.scores[board.metrics[0]]
    tasks = {board.task for board in found if board.first_metric.better}
    return [replace(row, scores=scores[one], is_complete=tasks <= scores[one].keys()) for one, row in rows.items()]


def data_of(found: Sequence[Board]) -> list[dict[str, Any]]:
    """The rows as a table with one header: what the page shows, unrounded by it, in the usual order."""
    lines = []
    for row in [*sorted(models_of(found), key=by_place), *sorted(papers_of(found), key=by_place)]:
        texts = {name: one_line(getattr(row, name), 2000) for name in ("model", "team", "licence", "openness")}
        published = row.published.isoformat() if row.published else None
        line = {"kind": row.kind, **texts, "size": row.size, "published": published, "source": row.source.get("en", "")}
        for name in (WINS, MEAN_RANK, *(board.task for board in found)):
            score = row.scores.get(name)
            ends = (score.low, score.high) if score else (None, None)
            line |= {name: score.value if score else None, f"{name}_ci95_low": ends[0], f"{name}_ci95_high": ends[1]}
        lines.append(line)
    return lines


def by_place(row: Row) -> tuple[object, ...]:
    """The usual order: most wins first, then models with most tasks, then by name; what is not ranked last."""
    won, rank = (score.value if (score := row.scores.get(name)) else 0.0 for name in (WINS, MEAN_RANK))
    names = row.model.casefold(), row.team.casefold()
    return not row.is_ranked, WINS not in row.scores, -won, rank, -len(row.scores), *names


def _whole(rows: Mapping[str, Row], by_task: Mapping[str, Board], tasks: Sequence[str]) -> Row:
    newest = max(rows.values(), key=lambda row: (row.published is not None, row.published))
    scores: dict[str, Score] = {
        task: row.scores[by_task[task].metrics[0]]
        for task, row in rows.items()
        if by_task[task].metrics[0] in row.scores
    }
    return replace(newest, scores=scores, rank=None, is_complete=all(task in scores for task in tasks))


@lru_cache(maxsize=16)  # the same for each order and filter of a page
def _standings(tasks: tuple[_Task, ...]) -> list[Standing]:
    return standings(
        [
            published_task(
                name,
                np.array([score.value for score in scores]),
                np.array([score.ci95 for score in scores]),
                higher_is_better=higher_is_better,
            )
            for name, higher_is_better, scores in tasks
        ]
    )

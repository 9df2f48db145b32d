"""The rows of boards as readers see them: public submissions, and what papers have published, with ranks.

Ranks and differences come from the published intervals alone, as if each model had answered other items: the answers to
the items are not public. A paired test over the items can tell more models apart, never fewer by much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import numpy as np

from hueval_metrics.api.boards import Metric, decided, published_tables
from hueval_site.boards import Board, boards
from hueval_site.submissions.models import OPENNESS, UNRANKED, Season, State, Submission

Kind = Literal["submission", "baseline", "human", "published", "by hand"]


@dataclass(frozen=True)
class Score:
    """A score as it is published.

    Attributes:
        value: in the metric's unit.
        low, high: its 95 % interval; None where it has none.
    """

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ci95(self) -> tuple[float, float]:
        """Its interval; of no width where it has none."""
        return self.value if self.low is None else self.low, self.value if self.high is None else self.high


@dataclass(frozen=True)
class Rank:
    """A rank with what the intervals leave open.

    Attributes:
        rank: 1 for the best; equal scores share the better one.
        low, high: the best and the worst rank that the intervals allow.
    """

    rank: int
    low: int
    high: int


@dataclass(frozen=True)
class Row:
    """A row of a board.

    Attributes:
        board: the task.
        kind: a submission, one of a simple baseline or of people, a figure from a paper, or a row kept by hand.
        model: name of the model.
        scores: metric → score.
        key: id of the submission; None for one from a paper.
        season: id of the season; None for one from a paper.
        team, size, openness, licence, setting, published: of the submission; size in billions of parameters.
        source: language → the paper's table, or where a row kept by hand is from; empty for a submission.
        rank: None for what is not ranked.
        is_complete: of a row over the boards of a family: whether it has a score on each of them.
    """

    board: str
    kind: Kind
    model: str
    scores: Mapping[str, Score]
    key: UUID | None = None
    season: int | None = None
    team: str = ""
    size: float | None = None
    openness: str = ""
    licence: str = ""
    setting: str = ""
    published: datetime | None = None
    source: Mapping[str, str] = field(default_factory=dict)
    rank: Rank | None = None
    is_complete: bool = False

    @property
    def is_ranked(self) -> bool:
        """Whether it is a submission of a model."""
        return self.kind == "submission"

    @property
    def availability(self) -> Any:
        """What the card says, in words; nothing for a row from a paper."""
        return OPENNESS.get(self.openness, "")

    @property
    def identity(self) -> tuple[str, str]:
        """What all rows of one model have in common."""
        return self.team, self.model


_FIELDS = (
    *("id", "board", "season_id", "model_name", "team__name"),
    *("size", "openness", "licence", "setting", "published", "shown"),
)


def public_rows(seasons: Iterable[int], most: int | None = None) -> list[Row]:
    """The public rows of some seasons, newest first, without ranks; one query.

    Args:
        seasons: their ids.
        most: how many; None for all.
    """
    found = Submission.objects.filter(season_id__in=list(seasons), state=State.PUBLIC)
    rows = []
    found = found.order_by("-published", "id")
    for key, board, season, model, team, *card, setting, published, shown in found.values_list(*_FIELDS)[:most]:
        size, openness, licence = card
        if board in boards():
            kind: Kind = setting if setting in UNRANKED else "submission"
            scores = scores_of(boards()[board], shown or {})
            rows.append(Row(board, kind, model, scores, key, season, team, size, openness, licence, setting, published))
    return rows


def scores_of(board: Board, shown: Mapping[str, Any]) -> dict[str, Score]:
    """The scores of a published row, of the metrics that it has."""
    found = {}
    for name in board.metrics:
        if (value := shown.get(name)) is not None:
            low, high = shown.get(f"{name}_ci95") or (None, None)
            found[name] = Score(value, low, high)
    return found


def published_rows(board: Board) -> list[Row]:
    """What papers have published of a board's metrics, the first table that has a metric counting."""
    found: dict[str, Row] = {}
    for table in published_tables(board.family):
        for columns in table.columns_in_forms(board.family):
            for model in table.scores:
                scores = {
                    name: Score(value)
                    for name in board.metrics
                    if (column := columns.get((board.task, name)))
                    and (value := table.score(model, *column)) is not None
                }
                if scores and model not in found:
                    found[model] = Row(board.task, "published", model, scores, source=table.title)
    return list(found.values())


def rows_by_hand(board: Board, season: Season) -> list[Row]:
    """The rows of a season that a maintainer kept by hand."""
    found = []
    for one in season.by_hand or ():
        scores = {name: Score(value) for name, value in one["scores"].items() if name in board.metrics}
        found.append(Row(board.task, "by hand", one["model"], scores, source={"en": one["source"]}))
    return found


def by_model(rows: Iterable[Row]) -> dict[tuple[str, str], dict[str, Row]]:
    """Identity of each model → task → its newest row.

    Args:
        rows: the newest first.
    """
    found: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        found.setdefault(row.identity, {}).setdefault(row.board, row)
    return found


def ranked(rows: Sequence[Row], board: Board) -> list[Row]:
    """The rows of one board with ranks by its first metric, in their order."""
    metric = board.metrics[0]
    places = [place for place, row in enumerate(rows) if row.is_ranked and metric in row.scores]
    found = list(rows)
    scores = [rows[place].scores[metric] for place in places]
    for place, rank in zip(places, ranks(scores, higher_is_better=board.higher_is_better), strict=True):
        found[place] = replace(rows[place], rank=rank)
    return found


def ranks(scores: Sequence[Score], *, higher_is_better: bool = True) -> list[Rank]:
    """The rank of each score, and those that the intervals allow.

    A score is surely better than another if the interval of their difference (`stats.two_sample.difference_ci95`: the
    squares of the arms added) excludes 0. The best rank of a score counts those surely better, the worst one leaves out
    those surely worse.

    >>> ranks([Score(80, 78, 82), Score(79, 77, 81), Score(60, 58, 62)])
    [Rank(rank=1, low=1, high=2), Rank(rank=2, low=1, high=2), Rank(rank=3, low=3, high=3)]
    """
    if not scores:
        return []
    values, ends = np.array([score.value for score in scores]), np.array([score.ci95 for score in scores])
    counts = zip(*decided(values, ends, higher_is_better=higher_is_better), strict=True)
    return [Rank(int(better) + 1, int(lost) + 1, len(scores) - int(won)) for better, won, lost in counts]


def decimals(metric: Metric) -> int:
    """How many decimals a metric's scores are shown with: one for percentages."""
    return 0 if metric.is_count else 1 if metric.unit == "%" else 3

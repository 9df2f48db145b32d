"""A database with many rows, for pages and benchmarks: written at once, without files and without scoring."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hueval_site.accounts.models import Team, User
from hueval_site.boards import Board, boards
from hueval_site.submissions.models import Season, State, Submission
from hueval_site.submissions.seasons import open_season

FIRST_DAY = datetime(2025, 3, 1, 12, tzinfo=UTC)
LENGTH = timedelta(days=500)  # from the first public row to the last
SIZES = (None, 0.5, 1.1, 3.0, 7.6, 13.0, 27.0, 70.0, 405.0)
NAMES = ("Duna", "Tisza", "Maros", "Körös", "Rába", "Zala", "Ipoly", "Sajó", "Bódva", "Hernád", "Dráva", "Mura")
_BATCH = 2000


def fill(n_models: int, tasks: Sequence[str], n_private: int = 0, n_teams: int = 10, seed: int = 0) -> list[Submission]:
    """Fill the database.

    Args:
        n_models: each with a public row on each task, the last two as a baseline and as people.
        tasks: of the boards.
        n_private: further submissions, scored and private.
        n_teams: that the models are divided among.
        seed: of scores, sizes and days.

    Returns:
        The public rows.
    """
    draws = random.Random(seed)
    start = Team.objects.count()
    teams = [
        Team.objects.create(name=f"Team {NAMES[place % len(NAMES)]} {start + place}", is_admitted=True)
        for place in range(n_teams)
    ]
    users = [User.objects.create_user(f"team{team.pk}@example.org", team=team) for team in teams]
    seasons = {task: open_season(boards()[task]) for task in tasks}
    public: list[Submission] = []
    for model in range(n_models):
        place = model % n_teams
        setting = draws.choice(("zero-shot", "few-shot", "fine-tuned"))
        if n_models > 2 and model >= n_models - 2:
            setting = ("baseline", "human")[model - n_models]
        about = {
            "team": teams[place],
            "user": users[place],
            "model_name": f"{draws.choice(NAMES)}-{model}",
            "size": draws.choice(SIZES),
            "openness": draws.choice(("open", "closed")),
            "setting": setting,
            "base": f"{draws.choice(NAMES)}-base",
            "training_data": "Web pages up to 2024 and instructions of our own.",
            "link": "https://example.org/model",
            "contamination": "None known: the test rows were not searched for in the training data.",
        }
        ability, day = draws.uniform(-10, 25), FIRST_DAY + draws.random() * LENGTH
        public += [_row(boards()[task], seasons[task], ability, day, draws, about) for task in tasks]
    Submission.objects.bulk_create(public, _BATCH)
    about = {"team": teams[0], "user": users[0], "model_name": "private", "contamination": "none known"}
    for first in range(0, n_private, _BATCH):
        batch = []
        for number in range(first, min(first + _BATCH, n_private)):
            task = tasks[number % len(tasks)]
            row = _row(boards()[task], seasons[task], 0.0, FIRST_DAY, draws, about)
            row.state, row.published, row.shown = State.PRIVATE, None, None
            batch.append(row)
        Submission.objects.bulk_create(batch, _BATCH)
    return public


def _row(
    board: Board, season: Season, ability: float, day: datetime, draws: random.Random, about: dict[str, object]
) -> Submission:
    """A public row with plausible scores."""
    shown: dict[str, object] = {"signature": f"{board.task}|version:1.0|split:test|hueval:0"}
    for name in board.metrics:
        low, high = board.spec.metrics[name].bounds
        unit = (high - low) / 200
        score = min(high, max(low, low + (high - low) * 0.6 + unit * (ability * 2 + draws.gauss(0, 4))))
        shown |= {
            name: round(score, 1),
            f"{name}_ci95": [round(max(low, score - 5 * unit), 1), round(min(high, score + 5 * unit), 1)],
            f"{name}_n": 500,
        }
    digest = f"{draws.getrandbits(256):064x}"
    times = {"queued": day, "scored": day, "published": day}
    return Submission(
        board=board.task,
        season=season,
        state=State.PUBLIC,
        file=f"{digest[:8]}.json",
        name="answers.json",
        digest=digest,
        n_rows=500,
        shown=shown,
        exact=shown,
        told={"kind": "first", "score": 60.0, "step": 2.0},
        **times,
        **about,
    )

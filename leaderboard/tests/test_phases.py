"""The phases of a board: dates, their faults, and practice on the public validation split."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from hueval_metrics.errors import InputError
from hueval_site.boards import boards, every_board
from hueval_site.phases import Dates, state_at
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.models import State
from hueval_site.submissions.publish import PublishError, request_publication
from hueval_site.submissions.receive import RefusedError, check, store
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, member, signed_in, upload
from leaderboard.tests.test_boards import a_board, read

PRACTICE = "hulu_hucola-practice"
FIRST, SECOND, THIRD = (datetime(2027, 3, day, tzinfo=UTC) for day in (1, 2, 3))


@pytest.mark.parametrize(
    ("dates", "now", "state"),
    [
        ((None, None, None), SECOND, "open"),
        ((SECOND, None, None), FIRST, "upcoming"),
        ((SECOND, None, None), SECOND, "open"),
        ((FIRST, SECOND, THIRD), SECOND, "frozen"),
        ((FIRST, SECOND, THIRD), THIRD, "closed"),
        ((FIRST, None, SECOND), SECOND, "closed"),
        ((None, SECOND, None), THIRD, "frozen"),
    ],
)
def test_the_state_of_a_phase_is_that_of_its_dates(dates, now, state):
    found = SimpleNamespace(**dict(zip(("opens", "freezes", "closes"), dates, strict=True)))
    assert state_at(found, now) == state


VALIDATION = {"variants": {"split": "validation"}}


@pytest.mark.parametrize(
    ("phases", "message"),
    [
        (
            {"test": {"opens": "2027-03-02T00:00:00Z", "closes": "2027-03-01T00:00:00Z"}},
            "is not after opens (2027-03-02",
        ),
        ({"test": {"opens": "2027-03-02T00:00:00"}}, "phases.test.opens: is no time in UTC"),
        ({"test": {"opens": datetime(2027, 3, 2).date()}}, "phases.test.opens: is no time in UTC"),
        ({"test": {"opens": "2027-03-02T00:00:00+01:00"}}, "phases.test.opens: is no time in UTC"),
        ({"test": {"ends": "2027-03-02T00:00:00Z"}}, "phases.test.ends: Extra inputs are not permitted"),
        ({"final": {}}, "phases.final: Extra inputs are not permitted"),
        (
            {"practice": VALIDATION | {"closes": "2027-03-02T00:00:00Z"}, "test": {"opens": "2027-03-01T00:00:00Z"}},
            "phases: practice closes (2027-03-02T00:00:00Z) after test opens (2027-03-01T00:00:00Z): they overlap",
        ),
        ({"practice": {"variants": {"split": "test"}}}, "phases.practice: variants: name the rows of the test"),
        ({"practice": {"variants": {"split": "dev"}}}, 'phases.practice: --metadata split: "dev" is not on offer'),
        ({"practice": VALIDATION | {"limits": {"day": 0}}}, "phases.practice.limits.day: Input should be greater"),
    ],
)
def test_a_fault_of_phases_is_one_clear_line(tmp_path, phases, message):
    with pytest.raises(InputError) as caught:
        read(tmp_path / "site.yaml", a_board(phases=phases, hidden=["label"]))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_practice_is_a_board_of_its_own_that_lists_leave_out():
    board = every_board()[PRACTICE]
    assert PRACTICE not in boards()
    assert (board.own_task, board.hidden, board.scores_all, board.limits.day) == ("hulu_hucola", (), True, 20)
    assert str(board.table).endswith("cola_dev.json")
    assert "hulu/hucola/cola_test.json" not in board.download.files
    assert not any(one.practice for one in boards().values() if one.family.name == "hkmmlu")


@pytest.mark.parametrize(
    ("language", "offer", "none"),
    [("en", "HuCOLA (practice)", "There is no practice phase"), ("hu", "HuCOLA (gyakorlás)", "Nincs gyakorló szakasz")],
)
@pytest.mark.django_db
def test_a_page_leads_to_practice_or_says_that_there_is_none(language, offer, none):
    with translation.override(language):
        for name in ("board", "task"):
            assert offer in Client().get(reverse(name, args=["hulu_hucola"])).content.decode()
            assert none in Client().get(reverse(name, args=["hkmmlu_hk_party_politics"])).content.decode()
        away = Client().get(reverse("board", args=[PRACTICE]))
        assert away.url == reverse("task", args=[PRACTICE])
        assert offer in Client().get(away.url).content.decode()


@pytest.fixture
def waiting(settings, db):
    """A member of a team that has not been admitted, and the validation split, whose labels are public."""
    settings.CONFIG = settings.CONFIG.model_copy(update={"admits_all": False})
    rows = [
        {"id": row["id"], "Sent": f"A {row['id']}. mondat.", "label": row["label"]} for row in predictions("hucola", 1)
    ]
    (settings.CONFIG.data_dir / "hulu/hucola/cola_dev.json").write_text(json.dumps(rows), encoding="utf-8")
    user = member()
    user.team.is_admitted = False
    user.team.save()
    return user


def test_a_team_that_is_not_admitted_practises_with_exact_scores(waiting):
    board = every_board()[PRACTICE]
    made = [check(store(waiting, board, upload(predictions("hucola", 0.8)), CARD)) for _ in range(6)]  # others take 5
    assert {one.state for one in made} == {State.QUEUED}
    assert score_waiting() == 6
    found = made[0]
    found.refresh_from_db()
    assert (found.state, found.told["kind"], found.told["step"]) == (State.PRIVATE, "exact", 0.0)
    with pytest.raises(PublishError, match="stay with their team"):
        request_publication(found, waiting)
    page = signed_in(waiting).get(reverse("result", args=[found.pk])).content.decode()
    assert "HuCOLA (practice)" in page and "Request publication" not in page
    test = check(store(waiting, boards()["hulu_hucola"], upload(predictions("hucola", 0.8)), CARD))
    assert test.state == State.CHECKED  # and waits for its admission


def test_the_api_names_the_practice_board(db):
    tasks = {one["name"]: one["practice"] for one in Client().get("/api/v1/tasks").json()["tasks"]}
    assert (tasks["hulu_hucola"], tasks["hkmmlu_hk_party_politics"]) == (PRACTICE, None)
    assert PRACTICE not in tasks


def dated(**hours: float):
    """HuCOLA's board with a phase whose dates lie so many hours from now."""
    dates = Dates(**{name: datetime.now(UTC) + timedelta(hours=n) for name, n in hours.items()})
    board = boards()["hulu_hucola"]
    return board.model_copy(update={"phases": board.phases.model_copy(update={"test": dates})})


@pytest.mark.parametrize(
    ("hours", "message"),
    [
        ({"opens": 1}, "has not opened yet"),
        ({"opens": -2, "freezes": -1, "closes": 1}, "takes no submissions any more"),
        ({"closes": -1}, "takes no submissions any more"),
    ],
)
def test_a_phase_takes_submissions_between_its_dates_alone(user, hours, message):
    with pytest.raises(RefusedError, match=message):
        store(user, dated(**hours), upload(predictions("hucola", 0.8)), CARD)
    assert store(user, dated(opens=-1, closes=1), upload(predictions("hucola", 0.8)), CARD).pk


def test_after_the_close_what_is_queued_is_scored_and_stays_private(user, monkeypatch):
    made = check(store(user, dated(opens=-1, closes=1), upload(predictions("hucola", 0.8)), CARD))
    monkeypatch.setattr("hueval_site.submissions.publish.every_board", lambda: {"hulu_hucola": dated(closes=-1)})
    assert score_waiting() == 1
    made.refresh_from_db()
    assert made.state == State.PRIVATE
    with pytest.raises(PublishError, match="stay private until staff open them"):
        request_publication(made, user)

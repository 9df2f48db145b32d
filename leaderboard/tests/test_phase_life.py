"""A phase from its dates to its opened results: what stays private, dates that move, its season, pages and acts."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from allauth.mfa.models import Authenticator
from auditlog.models import LogEntry
from django.test import Client
from django.urls import reverse

from hueval_metrics.errors import InputError
from hueval_site import boards as of_boards
from hueval_site.accounts.models import Token
from hueval_site.boards import boards, every_board
from hueval_site.manage.check import check as check_site
from hueval_site.manage.labels import load_labels
from hueval_site.phases import Dates, PhaseState
from hueval_site.scoring.lease import claim
from hueval_site.scoring.work import _score_one, score_waiting
from hueval_site.submissions import moderation
from hueval_site.submissions.begun import store_dates
from hueval_site.submissions.models import Mail, Phase, Season, State, Submission
from hueval_site.submissions.phases import state_of
from hueval_site.submissions.publish import PublishError, decide, request_publication
from hueval_site.submissions.seasons import new_season, open_season, renew
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, member, signed_in, submitted, upload
from leaderboard.tests.test_moderate_command import site
from leaderboard.tests.test_publish import published
from leaderboard.tests.test_staff_acts import act

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]
START = datetime.now(UTC).replace(microsecond=0)
TASK, WHY = "hulu_hucola", "The paper is out."
PRIVATE = "stay private until staff open them"


def at(days: float) -> datetime:
    """A time so many days from now, the same in each call."""
    return START + timedelta(days=days)


@pytest.fixture
def declare(monkeypatch):
    """A function that gives HuCOLA's test phase dates in `site.yaml`, so many days from now."""
    declared = of_boards._declared()
    caches = (of_boards._chosen, of_boards._with_practice)

    def change(**days: float) -> Dates:
        dates = Dates(**{name: at(n) for name, n in days.items()})
        phases = declared[TASK].phases.model_copy(update={"test": dates})
        changed = declared | {TASK: declared[TASK].model_copy(update={"phases": phases})}
        monkeypatch.setattr(of_boards, "_declared", lambda: changed)
        for one in caches:
            one.cache_clear()
        return dates

    yield change
    monkeypatch.undo()
    for one in caches:
        one.cache_clear()


def begin(**days: float) -> None:
    """Store the phase of HuCOLA with dates that lie so many days from now; its other dates never come."""
    dates = {name: at(days[name]) if name in days else None for name in ("opens", "freezes", "closes")}
    Phase.objects.update_or_create(board=TASK, defaults=dates | {"season": open_season(boards()[TASK])})


def test_after_the_close_nothing_becomes_public_until_staff_open_the_results(user):
    begin(opens=-2, closes=1)
    staff = member("staff@example.org", None, is_staff=True)
    bela = member("bela@example.org", "Other")
    scored, asked = (submitted(user, 0.8, seed, f"Puli {seed}") for seed in range(2))
    withdrawn = submitted(bela, 0.8, 2)
    score_waiting()
    request_publication(asked, user)
    moderation.withdraw(published(withdrawn, staff), staff, WHY)
    late = submitted(bela, 0.8, 3, "Puli 3")
    assert claim("worker").pk == late.pk
    begin(opens=-2, closes=-1)  # while a worker scores it
    _score_one(Submission.objects.get(pk=late.pk), "worker")
    late.refresh_from_db()
    assert (late.state, late.told is None) == (State.PRIVATE, False)
    put_back = (moderation.put_back, withdrawn, None, WHY)
    tries = [(request_publication, scored, user), (request_publication, late, bela), (decide, asked, staff, True)]
    for function, *given in (*tries, put_back):
        with pytest.raises(PublishError, match=PRIVATE):
            function(*given)
    assert not Submission.objects.filter(state=State.PUBLIC).exists()
    page = signed_in(bela).get(reverse("result", args=[late.pk])).content.decode()
    assert PRIVATE in page and "Request publication" not in page

    member("new@example.org", "New")
    Mail.objects.all().delete()
    moderation.open_results(Phase.objects.get(), staff, WHY)
    assert set(Mail.objects.values_list("to", flat=True)) == {user.email, bela.email}
    mail = Mail.objects.latest("pk").body
    assert WHY in mail and "The results of the phase of HuCOLA are open: ask for the publication of yours." in mail
    entry = LogEntry.objects.get_for_object(Phase.objects.get()).filter(additional_data__act="open-results").get()
    assert (entry.actor, entry.additional_data["reason"]) == (staff, WHY)
    assert (Phase.objects.get().opened_by, state_of(boards()[TASK])) == (staff, PhaseState.OPENED)
    moderation.put_back(withdrawn, staff, WHY)
    assert decide(asked, staff, True).state == State.PUBLIC
    assert published(late, staff).state == State.PUBLIC


def test_the_clock_of_the_database_decides(user, monkeypatch):
    begin(opens=-1, closes=1)
    later = at(2)
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)  # of this machine
    assert state_of(boards()[TASK]) == PhaseState.OPEN
    begin(opens=-2, closes=-1)
    moderation.open_results(Phase.objects.get(), None, WHY)
    assert Phase.objects.get().opened < at(1)


def test_a_later_phase_closes_its_results_again(user):
    begin(closes=-2)
    moderation.open_results(Phase.objects.get(), None, WHY)
    found = submitted_before_the_close(user)
    Phase.objects.update(opened=at(-1.5))
    begin(opens=-1, closes=-0.5)
    with pytest.raises(PublishError, match=PRIVATE):
        request_publication(found, user)


def submitted_before_the_close(user) -> Submission:
    """A scored submission of a phase that has closed."""
    kept = Phase.objects.get()
    begin(closes=1)
    found = submitted(user)
    score_waiting()
    kept.save()
    found.refresh_from_db()
    return found


def test_results_are_opened_and_dates_accepted_at_the_command_line(user, declare, capsys):
    dates = declare(opens=-2, closes=1)
    store_dates()
    found = submitted(user)
    score_waiting()
    moved = declare(opens=-2, closes=-1)
    store_dates()
    assert state_of(every_board()[TASK]) == PhaseState.OPEN
    capsys.readouterr()
    old, new = (f"{one.closes:%Y-%m-%dT%H:%M:%SZ}" for one in (dates, moved))
    site("board", "list")
    begins = f"{TASK}\topen\topens {dates.opens:%Y-%m-%dT%H:%M:%SZ}\tfreezes never\tcloses {old}"
    assert capsys.readouterr().out == f"{begins}\tin site.yaml: closes {old} → {new}\n"
    with pytest.raises(InputError, match=r"hulu_hucola: There is nothing to open: the phase has not closed"):
        site("board", "open-results", TASK, "--reason", WHY)
    site("board", "accept-dates", TASK, "--reason", "The deadline was wrong.")
    assert "closes: " + new in Mail.objects.latest("pk").body
    with pytest.raises(InputError, match="There is nothing to accept"):
        site("board", "accept-dates", TASK, "--reason", WHY)
    with pytest.raises(PublishError, match=PRIVATE):
        request_publication(found, user)
    with pytest.raises(InputError, match="--reason: say why"):
        site("board", "open-results", TASK)
    site("board", "open-results", TASK, "--reason", WHY)
    assert request_publication(found, user).state == State.PENDING
    with pytest.raises(InputError, match="its results are open already"):
        site("board", "open-results", TASK, "--reason", WHY)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["open-results"], "board open-results: name the task: hueval site board open-results TASK"),
        (["open-results", "x"], "x: no board of this task has phase dates. See: hueval site board list"),
        (["open-results", f"{TASK}-practice", "--reason", WHY], f"{TASK}-practice: Results of practice stay"),
    ],
)
def test_what_is_refused_of_phases_is_one_line(words, line):
    practice = every_board()[f"{TASK}-practice"]
    Phase.objects.create(board=practice.task, closes=at(-1), season=open_season(practice))
    with pytest.raises(InputError) as caught:
        site("board", *words)
    assert str(caught.value).startswith(line) and "\n" not in str(caught.value)


def test_dates_move_with_the_file_until_a_phase_opens_and_after_its_results_are_open(declare, caplog, capsys):
    board = boards()[TASK]
    declare(opens=1, closes=2)
    store_dates()
    first = declare(opens=-1, closes=2)  # it had not opened
    store_dates()
    assert (Phase.objects.get().opens, state_of(board)) == (first.opens, PhaseState.OPEN)
    for days in ({"opens": -1, "closes": 3}, {"opens": 1, "closes": 2}, {}):  # longer, not yet open, none
        declare(**days)
        caplog.clear()
        store_dates()
        assert (Phase.objects.get().closes, state_of(board)) == (first.closes, PhaseState.OPEN)
        (line,) = caplog.messages
        assert line.startswith(f"{TASK}: site.yaml moves dates of a phase that has begun (")
        assert line.endswith(f"accept the new ones: hueval site board accept-dates {TASK} --reason …")
    assert check_site(["phases"]) == 1
    assert line in capsys.readouterr().out
    Phase.objects.update(closes=at(-1))
    moderation.open_results(Phase.objects.get(), None, WHY)
    store_dates()  # none
    assert state_of(board) == PhaseState.OPEN and check_site(["phases"]) == 0


def test_a_phase_keeps_its_season_until_it_closes(tmp_path, declare):
    board = boards()[TASK]
    known = (tmp_path / "labels/hulu/hucola/cola_test.json").read_text(encoding="utf-8")
    for name, label in (("same", None), ("other", "1")):
        rows = [row | ({"label": label} if label else {}) for row in json.loads(known)]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    load_labels(TASK, tmp_path / "same.json")
    renew(board)
    begin(opens=1, closes=2)
    before = open_season(board)
    assert Phase.objects.get().season == before
    second = new_season(board, before.labels_hash)
    assert Phase.objects.get().season == second  # it had not opened
    for days in ({"opens": -2, "closes": 1}, {"opens": -2, "freezes": -1, "closes": 1}):
        begin(**days)
        load_labels(TASK, tmp_path / "same.json")  # such as after a restoration without them
        with pytest.raises(InputError) as caught:
            load_labels(TASK, tmp_path / "other.json")
        assert str(caught.value).startswith(f"{TASK}: its phase keeps its season until it closes (20")
        assert "\n" not in str(caught.value)
        assert json.loads((tmp_path / "labels/hulu/hucola/cola_test.json").read_text()) == json.loads(known)
        with pytest.raises(InputError, match="keeps its season"):
            renew(board.model_copy(update={"variants": {"split": "test", "x": "y"}}))
    assert Season.objects.filter(board=TASK).count() == 2
    begin(opens=-2, closes=-1)
    load_labels(TASK, tmp_path / "other.json")
    assert Season.objects.filter(board=TASK).count() == 3


def test_a_file_of_public_answers_that_is_exchanged_during_a_phase_begins_no_season(user, monkeypatch):
    public = every_board() | {TASK: boards()[TASK].model_copy(update={"hidden": ()})}
    monkeypatch.setattr("hueval_site.scoring.work.every_board", lambda: public)
    begin(opens=-1, closes=1)
    Season.objects.update(labels_hash="0" * 64)
    found = submitted(user)
    score_waiting()
    found.refresh_from_db()
    assert (found.state, Season.objects.count()) == (State.FAILED, 1)
    assert "labels of this task were changed without notice" in found.reason


@pytest.mark.parametrize(
    ("days", "state"),
    [
        ({"opens": 1}, "not open yet"),
        ({"opens": -1, "freezes": 1}, ">open<"),
        ({"freezes": -1, "closes": 1}, "frozen: takes no submissions any more"),
        ({"closes": -1}, "closed: results stay private until staff open them"),
    ],
)
def test_pages_and_the_api_say_dates_and_state(user, days, state):
    begin(**days)
    told = [f'<time datetime="{at(n):%Y-%m-%dT%H}' for n in days.values()]
    for name in ("board", "task", "submit"):
        page = signed_in(user).get(reverse(name, args=[TASK])).content.decode()
        assert state in page and all(one in page for one in told) and "local_time.js" in page, name
    token = Token.create(user, "laptop")[1]
    client = Client(headers={"authorization": f"Bearer {token}"})
    closed = client.get(f"/api/v1/tasks/{TASK}/allowance").json()["closed"]
    given = {"file": upload(predictions("hucola", 0.8)), "card": json.dumps(CARD), "task": TASK}
    answer = client.post("/api/v1/submissions", given)
    if state == ">open<":
        assert (closed, answer.status_code) == ("", 201)
        return
    first = Phase.objects.get().opens or Phase.objects.get().freezes or Phase.objects.get().closes
    assert f"{first:%Y-%m-%d %H:%M} UTC" in closed
    assert (answer.status_code, answer.json()["error"]["message"]) == (403, closed)


def test_a_kept_page_is_made_anew_when_a_date_has_come(monkeypatch):
    begin(opens=-2, freezes=1)
    place, client = reverse("board", args=[TASK]), Client()
    assert ">open<" in client.get(place).content.decode()
    Phase.objects.update(freezes=at(-1))  # as if the time had come
    assert ">open<" in client.get(place).content.decode()
    later = at(2)
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)
    assert "frozen" in client.get(place).content.decode()


def test_staff_open_results_on_a_page_behind_a_second_factor(user):
    begin(closes=-1)
    found = submitted_before_the_close(user)
    place = "admin:submissions_phase_changelist"
    staff = member("staff@example.org", None, is_staff=True, is_superuser=True)
    assert Client().get(reverse(place)).status_code == signed_in(user).get(reverse(place)).status_code == 404
    assert signed_in(staff).get(reverse(place), follow=True).redirect_chain[-1][0] == reverse("mfa_index")
    Authenticator.objects.create(user=staff, type=Authenticator.Type.TOTP, data={})
    client = signed_in(staff)
    assert reverse(place) in client.get(reverse("staff")).content.decode()
    assert "closed: results stay private" in client.get(reverse(place)).content.decode()
    phase = Phase.objects.get()
    assert "This field is required" in act(client, place, "open-results", phase, reason="")
    assert state_of(boards()[TASK]) == PhaseState.CLOSED
    assert "Open the results." in act(client, place, "open-results", phase)
    assert state_of(boards()[TASK]) == PhaseState.OPENED
    page = client.get(reverse("admin:submissions_phase_change", args=["hulu_5Fhucola"])).content.decode()
    assert "open-results: Asked for by the team." in page
    assert request_publication(found, user).state == State.PENDING

"""Scoring: once, by who holds the lease; again, beside what is public; errors that say nothing of labels."""

from __future__ import annotations

import json
import logging
import threading
from datetime import timedelta

import pytest
from django.apps import apps
from django.core import mail
from django.core.serializers import serialize
from django.db import DatabaseError, connection
from django.utils import timezone

from hueval_metrics.errors import DataError, InputError
from hueval_site.boards import boards
from hueval_site.scoring import judging, score, work
from hueval_site.scoring.again import rescore, retry
from hueval_site.scoring.loop import run
from hueval_site.scoring.score import UnansweredError
from hueval_site.scoring.stop import Stop, StoppedError
from hueval_site.scoring.sweep import sweep
from hueval_site.scoring.tasks import prune_tasks, run_tasks, wake_workers
from hueval_site.submissions.judged import REFUSALS, judge_refusal
from hueval_site.submissions.mails import send_mails
from hueval_site.submissions.models import JudgeMonth, Judging, Mail, State, Submission
from hueval_site.submissions.states import move
from leaderboard.tests.labelled import N, labels_of
from leaderboard.tests.people import CARD, member, submitted, upload

pytestmark = pytest.mark.django_db(transaction=True)
CANARY = "kanari-cimke-8f3a"
BOARD = "hulu_hucola"


@pytest.fixture
def waiting():
    return submitted(member())


@pytest.fixture
def broken(monkeypatch):
    """Scoring raises what a test says."""

    def set_error(error):
        def result_of(*_):
            raise error

        monkeypatch.setattr(work, "result_of", result_of)

    return set_error


def _due():
    Submission.objects.update(not_before=None)


def _everything(caplog):
    """All that is in the database but the exact scores, all mails, and the log."""
    rows = []
    for model in apps.get_models():
        found = json.loads(serialize("json", model.objects.all()))
        rows += [{name: value for name, value in one["fields"].items() if name != "exact"} for one in found]
    return json.dumps(rows) + "".join(one.subject + one.body for one in mail.outbox) + caplog.text


@pytest.mark.parametrize("error", [RuntimeError, DatabaseError, OSError, DataError, InputError, MemoryError])
def test_no_error_tells_a_label(waiting, broken, caplog, settings, error):
    """Not in the log, in a mail, in the library's rows of tasks, or in the audit log."""
    caplog.set_level(logging.DEBUG)
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    member("staff@example.org", None, is_staff=True)
    broken(error(f"id 7 has the label {CANARY}"))
    for _ in range(4):
        wake_workers()
        run_tasks()
        _due()
    send_mails()
    waiting.refresh_from_db()
    assert waiting.state == State.FAILED
    assert len(mail.outbox) == 2  # the submitter and staff
    assert CANARY not in _everything(caplog)


def test_no_exact_score_leaves_its_column(waiting, caplog):
    caplog.set_level(logging.DEBUG)
    member("staff@example.org", None, is_staff=True)
    assert work.score_waiting() == 1
    move(waiting, State.PENDING)
    send_mails()
    waiting.refresh_from_db()
    exact = [value for value in waiting.exact.values() if isinstance(value, float) and value % 1]
    assert exact
    everything = _everything(caplog)
    assert not [value for value in exact if str(value) in everything or f"{value:.4f}" in everything]


def test_a_broken_attempt_is_made_again_and_the_third_fails(waiting, broken):
    broken(RuntimeError())
    for attempts in (1, 2):
        assert work.score_waiting() == 1
        waiting.refresh_from_db()
        assert (waiting.state, waiting.attempts) == (State.QUEUED, attempts)
        assert work.score_waiting() == 0  # it waits first
        _due()
    assert work.score_waiting() == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.reason) == (State.FAILED, work.BROKEN)


def test_attempts_that_do_not_count_end_too(waiting, broken):
    """Nothing can be scored, and another one waits: no attempt counts, and staff hear of it after some hours."""
    other = submitted(member("b@example.org", "Other"))
    Submission.objects.filter(pk=other.pk).update(not_before=timezone.now() + timedelta(minutes=30))
    broken(RuntimeError())
    pauses = []
    for _ in range(work.MOST_BROKEN):
        assert work.score_waiting() == 1
        waiting.refresh_from_db()
        assert (waiting.state, waiting.attempts) == (State.QUEUED, 1)
        pauses.append(round((waiting.not_before - timezone.now()).total_seconds()))
        Submission.objects.filter(pk=waiting.pk).update(not_before=None)
    assert pauses[:3] == [30, 60, 120] and pauses[-1] == 3600
    assert work.score_waiting() == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.reason) == (State.FAILED, work.BROKEN)


def test_a_worker_that_ends_with_each_attempt_is_not_fed_forever(waiting):
    for _ in range(3):
        assert work.claim("dying") == waiting
        Submission.objects.update(heartbeat=timezone.now() - timedelta(hours=1))
    assert work.score_waiting() == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.reason) == (State.FAILED, work.BROKEN)


def test_a_result_of_who_has_lost_the_lease_is_dropped(waiting, monkeypatch):
    result_of = work.result_of

    def slow(*arguments):
        found = result_of(*arguments)
        Submission.objects.update(worker="another")
        return found

    monkeypatch.setattr(work, "result_of", slow)
    assert work.score_waiting("one") == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.worker, waiting.exact) == (State.SCORING, "another", None)


def test_stopping_puts_back_what_is_being_scored(waiting, monkeypatch):
    stop = Stop()
    monkeypatch.setattr(work, "STOP", stop)
    monkeypatch.setattr(work, "result_of", lambda *_: stop.handle())
    assert work.score_waiting() == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempts, waiting.worker) == (State.QUEUED, 0, "")
    assert work.score_waiting() == 0


def test_a_signal_outside_of_scoring_raises_nothing():
    stop = Stop()
    stop.handle()
    with pytest.raises(StoppedError), stop.interruptible():
        pass


@pytest.mark.parametrize("is_begun", [False, True], ids=["waits", "is being scored"])
def test_a_label_file_that_changes_is_noticed_while_a_submission(waiting, settings, monkeypatch, is_begun):
    """It is refused, and staff are told."""
    member("staff@example.org", None, is_staff=True)
    assert work.score_waiting() == 1  # the season has its hash
    second = submitted(member("b@example.org", "Other"))
    path = next(settings.CONFIG.labels_dir.glob("*/hucola/cola_test.json"))
    rows = json.loads(path.read_text())
    rows[0]["label"] = {"0": "1", "1": "0"}[rows[0]["label"]]
    inner = score._score

    def exchanged(*given):
        path.write_text(json.dumps(rows))
        return inner(*given)

    if is_begun:
        monkeypatch.setattr(score, "_score", exchanged)
    else:
        path.write_text(json.dumps(rows))
    assert work.score_waiting() == 1
    second.refresh_from_db()
    assert (second.state, second.reason) == (State.FAILED, work.LABELS)
    assert Mail.objects.filter(to="staff@example.org").count() == 1


def test_scoring_again_keeps_what_is_public_and_changes_its_row(waiting):
    work.score_waiting()
    move(waiting, State.PENDING)
    move(waiting, State.PUBLIC, shown={"mcc": -1.0, "signature": "old"})
    version = waiting.season.__class__.objects.get(pk=waiting.season_id).version
    right = Submission.objects.get().exact
    Submission.objects.update(exact={**right, "mcc": -1.0})
    mails = Mail.objects.count()
    assert rescore(boards()[BOARD]) == 1
    assert Submission.objects.get().state == State.PUBLIC
    assert work.score_waiting() == 1
    found = Submission.objects.get()
    assert (found.state, found.rescore, found.exact, found.worker) == (State.PUBLIC, False, right, "")
    assert found.shown["mcc"] == round(right["mcc"], 1)
    assert found.season.version == version + 1
    assert Mail.objects.count() == mails + 1
    assert work.score_waiting() == 0


def test_scoring_again_in_vain_leaves_the_old_result(waiting, broken):
    member("staff@example.org", None, is_staff=True)
    work.score_waiting()
    before = Submission.objects.get()
    rescore(boards()[BOARD])
    broken(DataError("no labels"))
    assert work.score_waiting() == 1
    after = Submission.objects.get()
    assert (after.state, after.exact, after.told) == (State.PRIVATE, before.exact, before.told)
    assert Mail.objects.filter(to="staff@example.org").count() == 1


def test_what_failed_is_tried_again_by_staff(waiting, broken, monkeypatch):
    staff = member("staff@example.org", None, is_staff=True)
    with monkeypatch.context() as patch:
        patch.setattr(work, "result_of", lambda *_: (_ for _ in ()).throw(InputError("")))
        work.score_waiting()
    assert retry(Submission.objects.get(), staff).state == State.QUEUED
    work.score_waiting()
    assert Submission.objects.get().state == State.PRIVATE


def test_the_sweep_takes_up_what_a_crash_has_left():
    """Stored and not checked, checked and not queued, from before the clock was set back; the last is new, and its
    process is at it."""
    from hueval_site.submissions.receive import store

    rows = [{"id": key, "label": label} for key, label in labels_of("hucola").items()]
    stored = [store(member(f"{n}@example.org", f"Team {n}"), boards()[BOARD], upload(rows), CARD) for n in range(4)]
    move(stored[1], State.CHECKED, n_rows=N)
    for one, minutes in zip(stored, (-1, -1, 1), strict=False):
        Submission.objects.filter(pk=one.pk).update(created=timezone.now() + timedelta(minutes=minutes))
    assert sweep() == 3
    states = [Submission.objects.get(pk=one.pk).state for one in stored]
    assert states == [State.QUEUED, State.QUEUED, State.QUEUED, State.UPLOADED]


def test_an_upload_whose_check_ends_each_process_fails_in_the_end(monkeypatch):
    from hueval_site.submissions.receive import store

    found = store(member(), boards()[BOARD], upload([]), CARD)
    monkeypatch.setattr("hueval_site.scoring.sweep.check", lambda _: 1 / 0)
    for _ in range(4):
        Submission.objects.update(created=timezone.now() - timedelta(minutes=1), not_before=None)
        sweep()
    found.refresh_from_db()
    assert found.state == State.FAILED


def test_tasks_are_pruned(settings):
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    from django_tasks_db.models import DBTaskResult

    for _ in range(3):
        wake_workers()
    run_tasks()
    assert {one.status for one in DBTaskResult.objects.all()} == {"SUCCESSFUL"}
    assert prune_tasks() == 0
    DBTaskResult.objects.update(enqueued_at=timezone.now() - timedelta(hours=2), status="RUNNING")
    assert prune_tasks() == 3


def test_missing_verdicts_are_asked_for_later_and_in_the_end_given_up(waiting, broken):
    broken(UnansweredError())
    for number in range(1, work.MOST_JUDGINGS + 1):
        assert work.score_waiting() == 1
        waiting.refresh_from_db()
        assert waiting.judgings == number
        if number < work.MOST_JUDGINGS:
            assert (waiting.state, waiting.attempts, waiting.reason) == (State.QUEUED, 0, work.UNANSWERED)
        _due()
    assert (waiting.state, waiting.reason) == (State.FAILED, work.SILENT_JUDGE)


class Judged:
    """A board with a judge, as far as the budget asks."""

    task, is_judged, hidden = "toy_judged", True, ()
    own_task = task


@pytest.fixture
def asked(monkeypatch, settings):
    settings.CONFIG = settings.CONFIG.model_copy(update={"submission_usd": 2.0, "month_usd": 3.0})
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "gpt-4.1")
    spent = [5.0]  # by this process, before
    monkeypatch.setattr(judging, "_spent", lambda: spent[0])
    return spent


def test_a_months_money_is_reserved_and_what_is_left_given_back(waiting, asked):
    with judging.budget(waiting, Judged()) as plan:
        assert plan.settings().budget_usd == 7.0
        assert JudgeMonth.objects.get().usd == 2.0
        with judging.budget(submitted(member("b@example.org", "B")), Judged()) as other:
            assert other.budget_usd == 1.0  # the month has no more
        asked[0] += 0.5
    assert JudgeMonth.objects.get().usd == pytest.approx(0.5)
    waiting.refresh_from_db()
    assert waiting.judge_usd == pytest.approx(0.5)
    with judging.budget(waiting, Judged()) as plan:
        assert plan.budget_usd == pytest.approx(1.5)
        asked[0] += 1.45
    assert judging.is_over_budget(waiting)


def test_a_judged_board_takes_uploads_while_a_worker_can_have_them_judged(asked, settings, monkeypatch):
    board = Judged()
    assert judge_refusal(boards()[BOARD]) is None
    assert judge_refusal(board) == REFUSALS["no worker"]
    monkeypatch.setattr(judging, "every_board", lambda: {board.task: board})
    judging.publish_readiness()
    assert judge_refusal(board) is None
    JudgeMonth.objects.create(month=timezone.now().date().replace(day=1), usd=3.0)
    judging.publish_readiness()
    assert judge_refusal(board) == REFUSALS["month"]
    settings.CONFIG = settings.CONFIG.model_copy(update={"month_usd": None})
    judging.publish_readiness()
    assert judge_refusal(board) == REFUSALS["no budget"]
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    judging.publish_readiness()
    assert judge_refusal(board) == REFUSALS["no judge"]
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    judging.publish_readiness()
    assert judge_refusal(board) is None
    Judging.objects.update(seen=timezone.now() - timedelta(hours=1))
    assert judge_refusal(board) == REFUSALS["no worker"]


def test_a_worker_survives_faults_and_ends_when_told(monkeypatch):
    if connection.vendor == "sqlite":
        monkeypatch.setattr("hueval_site.scoring.loop.connections.close_all", lambda: None)
    failed, stop = [], Stop()

    def fail():
        failed.append(1)
        if len(failed) == 2:
            stop.handle()
        raise DatabaseError

    monkeypatch.setattr("hueval_site.scoring.loop.run_tasks", fail)
    for name in ("send_mails", "sweep", "_prepare", "_prune"):
        monkeypatch.setattr(f"hueval_site.scoring.loop.{name}", lambda: None)
    guard = threading.Timer(30, stop.handle)
    guard.start()
    run(stop)
    guard.cancel()
    assert len(failed) == 2

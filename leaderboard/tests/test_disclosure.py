"""What a team is told of a score on hidden labels."""

from __future__ import annotations

import math
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from hueval_metrics.metrics.classification import ACCURACY, mcc
from hueval_site.boards import boards
from hueval_site.disclosure import Told, exactly, in_words, shown_of, step_of, tell
from hueval_site.scoring import score, work
from hueval_site.scoring.again import rescore
from hueval_site.submissions.limits import Allowance
from hueval_site.submissions.models import Mail
from hueval_site.submissions.publish import withdraw
from leaderboard.tests.people import member, submitted

MCC = mcc(2)


@pytest.mark.parametrize(
    ("metric", "error", "n", "step"),
    [
        (ACCURACY, 2.24, 500, 2.3),  # 50 / √500 = 2.236, rounded up to two digits
        (ACCURACY, 0.5, 500, 2.3),  # a score of 98.7 has the same step: it does not depend on the score
        (ACCURACY, 4.3, 134, 4.4),
        (MCC, 4.5, 500, 4.5),  # the scale is twice as long
        (MCC, 5.4, 500, 4.5),  # a bootstrapped error a little above the largest of a mean
        (MCC, 6.7, 500, 9.0),  # a rare class: more than the largest of a mean
        (ACCURACY, math.nan, 500, 2.3),
        (ACCURACY, 0.0, 0, 50.0),
    ],
)
def test_the_step_is_the_largest_standard_error(metric, error, n, step):
    assert step_of(metric, error, n) == pytest.approx(step)


@pytest.mark.parametrize(
    ("why", "score", "best", "p", "before", "expected"),
    [
        ("the first one", 78.4, None, None, None, Told("first", 78.2, 2.3)),
        ("all right stays on the scale", 100.0, None, None, None, Told("first", 98.9, 2.3)),
        ("more than two errors, and significant", 83.0, 78.4, 0.01, None, Told("better", 82.8, 2.3)),
        ("exactly two errors", 82.4, 78.4, 0.01, None, Told("not distinguishable", None, 2.3)),
        ("not significant", 83.0, 78.4, 0.05, None, Told("not distinguishable", None, 2.3)),
        ("no test", 83.0, 78.4, None, None, Told("not distinguishable", None, 2.3)),
        ("worse", 70.0, 78.4, 0.001, None, Told("not distinguishable", None, 2.3)),
        ("undefined", None, 78.4, None, None, Told("undefined", None, 2.3)),
        ("scored again: no number now either", 90.0, 78.4, 0.001, "not distinguishable", None),
        ("scored again: stays the first", 78.4, 90.0, 0.001, "first", Told("first", 78.2, 2.3)),
    ],
)
def test_tell(why, score, best, p, before, expected):
    expected = expected or Told("not distinguishable", None, 2.3)
    assert tell(ACCURACY, score, 2.0, 500, best, p, before) == expected


def test_lower_is_better_where_the_metric_says_so():
    errors = ACCURACY.but(better="lower")
    assert tell(errors, 10.0, 2.0, 500, 20.0, 0.01).kind == "better"
    assert tell(errors, 20.0, 2.0, 500, 10.0, 0.01).kind == "not distinguishable"


def test_neighbouring_scores_are_told_alike():
    """All scores whose nearest multiple of the step is the same have the same text, so flips show at its ends only."""
    told = {tell(ACCURACY, 100 * hits / 500, 1.9, 500, None, None) for hits in range(386, 397)}
    assert told == {Told("first", 78.2, 2.3)}


def test_public_answers_are_told_exactly():
    assert exactly(87.125) == Told("exact", 87.125, 0.0)
    assert exactly(None) == Told("undefined", None, 0.0)


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (Told("exact", 87.126, 0.0), "MCC: 87.13."),
        (Told("first", 78.2, 2.3), "MCC: about 78.2, in steps of 2.3 (at least one standard error)."),
        (Told("better", 82.8, 2.3), "Better than your best: MCC about 82.8, in steps of 2.3."),
        (Told("not distinguishable", None, 2.3), "Not distinguishable from your best: no number is told."),
        (Told("undefined", None, 2.3), "MCC is undefined for these answers."),
    ],
)
def test_in_words(told, text):
    with translation.override("en"):
        assert in_words(vars(told), "MCC") == text


def test_a_public_row_has_one_decimal_and_an_interval_that_is_no_narrower():
    exact = {"mcc": 61.5384, "mcc_ci95": [53.212, 69.377], "mcc_n": 500, "signature": "s", "acc": 80.0}
    shown = shown_of(exact, {"mcc": MCC}, is_hidden=True)
    assert shown == {"mcc": 61.5, "mcc_ci95": [53.1, 69.4], "mcc_n": 500, "signature": "s"}
    assert shown_of(exact, {"mcc": MCC}, is_hidden=False)["mcc"] == 61.5384


def test_an_interval_of_a_public_row_stays_on_the_scale():
    exact = {"acc": 99.96, "acc_ci95": [98.01, 100.0], "acc_n": 500, "signature": "s"}
    assert shown_of(exact, {"acc": ACCURACY}, is_hidden=True)["acc_ci95"] == [98.0, 100.0]


@pytest.fixture
def unlimited(monkeypatch):
    monkeypatch.setattr("hueval_site.submissions.receive.allowance", lambda *_: Allowance(99, 99, None, {}))


@pytest.mark.django_db(transaction=True)
def test_a_first_score_stands_on_a_grid_of_one_standard_error(user):
    found = submitted(user)
    assert work.score_waiting() == 1
    found.refresh_from_db()
    assert (found.state, found.told["kind"]) == ("private", "first")
    assert found.told["score"] != found.exact["mcc"]
    assert found.told["score"] / found.told["step"] == pytest.approx(round(found.told["score"] / found.told["step"]))


@pytest.mark.django_db(transaction=True)
def test_numbers_come_only_with_gains(user, unlimited):
    """On 200 items two standard errors of the MCC are about 13 points, or 6.5 of accuracy, at 70 %."""
    kinds = []
    for accuracy, seed in ((0.7, 0), (0.72, 0), (0.6, 1), (0.9, 2), (0.88, 3), (0.99, 4)):
        submission = submitted(user, accuracy, seed)
        assert work.score_waiting() == 1
        submission.refresh_from_db()
        kinds.append(submission.told["kind"])
    told, none = "better", "not distinguishable"
    assert kinds == ["first", none, none, told, none, told]


@pytest.mark.django_db(transaction=True)
def test_a_best_one_that_is_withdrawn_stays_the_best(user):
    """Otherwise the next one would be told as a first one, again and again."""
    kinds = []
    for seed in range(2):
        submission = submitted(user, 0.7, seed)
        assert work.score_waiting() == 1
        kinds.append(withdraw(submission, user).told["kind"])
    assert kinds == ["first", "not distinguishable"]


@pytest.mark.django_db(transaction=True)
def test_scoring_again_tells_what_was_told(user):
    """The first one would be worse than the best by now, and its team has its number."""
    rows = []
    for accuracy in (0.6, 0.9):
        rows.append(submitted(user, accuracy))
        work.score_waiting()
        rows[-1].refresh_from_db()
    before = [row.told for row in rows]
    assert [told["kind"] for told in before] == ["first", "better"]
    assert (rescore(boards()["hulu_hucola"]), work.score_waiting()) == (2, 2)
    for row in rows:
        row.refresh_from_db()
    assert [row.told for row in rows] == before


@pytest.mark.django_db(transaction=True)
def test_two_that_are_scored_at_the_same_time_are_not_both_first(user, monkeypatch):
    """While one is scored, another worker finishes another one of the same team."""
    first, second = submitted(user, 0.7), submitted(user, 0.7, seed=1)
    result_of, inner = work.result_of, []

    def interrupted(submission, board):
        found = result_of(submission, board)
        if not inner:
            inner.append(submission.pk)
            assert work.score_waiting("other") == 1
        return found

    monkeypatch.setattr(work, "result_of", interrupted)
    assert work.score_waiting("one") == 1
    first.refresh_from_db()
    second.refresh_from_db()
    assert sorted([first.told["kind"], second.told["kind"]]) == ["first", "not distinguishable"]


@pytest.mark.django_db(transaction=True)
def test_other_teams_do_not_count(user):
    other = member("b@example.org", "Other")
    submitted(user, 0.9)
    submission = submitted(other, 0.6)
    assert work.score_waiting() == 2
    submission.refresh_from_db()
    assert submission.told["kind"] == "first"


@pytest.mark.django_db(transaction=True)
def test_the_paired_test_is_made_without_a_gain_too(user, unlimited, monkeypatch):
    """Otherwise the time to a result would tell whether a submission is better than the best."""
    tests, inner = [], score._p_value
    monkeypatch.setattr(score, "_p_value", lambda *given: tests.append(inner(*given)) or tests[-1])
    for accuracy in (0.8, 0.6, 0.81, 0.95):
        submitted(user, accuracy, seed=round(100 * accuracy))
        assert work.score_waiting() == 1
    assert len(tests) == 3  # all but the first, with a loss, without a difference, with a gain
    assert None not in tests


@pytest.mark.django_db(transaction=True)
def test_the_steps_of_scoring_do_not_depend_on_the_labels(unlimited):
    """The same statements and the same mails for a loss, no difference and a gain: no time tells them apart."""
    found = []
    for number, accuracy in enumerate((0.6, 0.81, 0.95)):
        user = member(f"{number}@example.org", f"Team {number}")
        submitted(user, 0.8)
        work.score_waiting()
        submission = submitted(user, accuracy, seed=7)
        before = Mail.objects.count()
        with CaptureQueriesContext(connection) as queries:
            assert work.score_waiting() == 1
        submission.refresh_from_db()
        # What is compared with others, after the result is told, depends on how many there are.
        values = re.compile(r"'[^']*'|\b[\d.]+\b|\"s\d+_x\d+\"")
        asked = [values.sub("?", one["sql"]) for one in queries if "fingerprint" not in one["sql"]]
        found.append((submission.told["kind"], asked, Mail.objects.count() - before))
    assert [kind for kind, *_ in found] == ["not distinguishable", "not distinguishable", "better"]
    assert found[0][1:] == found[1][1:] == found[2][1:]


def test_a_public_row_has_no_hash_of_the_labels():
    exact = {"signature": "task:t|v:1.0|data:a91a117b7f58|split:test", "mcc": 61.5, "mcc_ci95": [57.0, 66.0]}
    hidden = shown_of(exact, {"mcc": MCC}, is_hidden=True)["signature"]
    assert "a91a117b7f58" not in hidden
    assert hidden.startswith("task:t|v:1.0|data:")
    assert hidden.endswith("|split:test")
    assert hidden == shown_of(exact, {"mcc": MCC}, is_hidden=True)["signature"]  # the same data have the same one
    assert shown_of(exact, {"mcc": MCC}, is_hidden=False)["signature"] == exact["signature"]

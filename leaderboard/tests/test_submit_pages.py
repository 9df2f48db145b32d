"""Pages of submitters: what stands before the form, files with faults, results, and what is another team's."""

from __future__ import annotations

import io
import re
import time
import zipfile
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone, translation

from hueval_site.accounts.models import Token
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions import alive
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.states import move
from hueval_site.submissions.waiting import STALLED, wait_of
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, member, signed_in, submitted, upload

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]
TASK = "hulu_hucola"


def test_limits_and_an_example_stand_before_the_form():
    user = member()
    submitted(user)
    page = signed_in(user).get(reverse("submit", args=[TASK])).content.decode()
    assert page.index("You can have 1 more submission scored now.") < page.index("<form class")
    assert "&quot;label&quot;" in page  # of the example


def closed_page(task: str) -> str:
    """The page of a task that takes no files; one that is sent all the same is not stored."""
    client = signed_in(member())
    client.post(reverse("submit", args=[task]), CARD | {"upload": upload([])})
    assert not Submission.objects.exists()
    page = client.get(reverse("submit", args=[task])).content.decode()
    assert 'type="file"' not in page
    return page


def test_a_task_without_data_takes_no_files():
    assert "The data of this task are not on this site yet." in closed_page("hulu_husst")


def test_a_task_that_cannot_be_judged_now_takes_no_files(monkeypatch):
    monkeypatch.setattr("hueval_site.pages.submit.judge_refusal", lambda board: "No worker can ask a judge.")
    assert "No worker can ask a judge." in closed_page(TASK)


def test_a_good_file_is_queued_and_a_second_load_of_the_result_shows_its_place():
    user = member()
    client = signed_in(user)
    answer = client.post(reverse("submit", args=[TASK]), CARD | {"upload": upload(predictions("hucola", 0.8))})
    found = Submission.objects.get()
    assert (answer.status_code, answer.headers["location"]) == (302, reverse("result", args=[found.pk]))
    assert (found.state, found.team, found.model_name) == (State.QUEUED, user.team, "Puli")
    page = client.get(reverse("result", args=[found.pk])).content.decode()
    assert "Place 1 in the queue." in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert "hx-get" in client.get(reverse("result_state", args=[found.pk])).content.decode()
    score_waiting()
    state = client.get(reverse("result_state", args=[found.pk]))
    assert (state.headers["HX-Refresh"], b"hx-get" in state.content) == ("true", False)
    assert "in steps of" in client.get(reverse("result", args=[found.pk])).content.decode()


def test_an_exact_score_is_on_no_page_of_its_team():
    user = member()
    found = submitted(user)
    score_waiting()
    found.refresh_from_db()
    exact = f"{found.exact['mcc']:.3f}"
    client = signed_in(user)
    for name, *args in (("result", found.pk), ("result_state", found.pk), ("mine",), ("export",), ("card", found.pk)):
        page = client.get(reverse(name, args=args)).content.decode()
        assert exact not in page
        assert str(found.exact["mcc"]) not in page


def test_the_first_faults_are_shown_and_all_can_be_downloaded():
    rows = predictions("hucola", 0.8)
    for row in rows[:30]:
        row["label"] = "7"
    user = member()
    client = signed_in(user)
    client.post(reverse("submit", args=[TASK]), CARD | {"upload": upload(rows)})
    found = Submission.objects.get()
    assert found.state == State.FAULTY
    page = client.get(reverse("result", args=[found.pk])).content.decode()
    assert page.count("<li><bdi>") == 20
    listed = b"".join(client.get(reverse("faults", args=[found.pk]))).decode()
    assert listed.count("\n") == 31  # a heading and one line each
    with translation.override("hu"):
        hungarian = client.get(reverse("result", args=[found.pk])).content.decode()
    assert found.faults[0]["text"]["hu"].split(":")[0] in hungarian


def test_errors_of_the_form_stand_at_their_fields():
    client = signed_in(member())
    page = client.post(reverse("submit", args=[TASK]), {"model_name": "Qwеn"}).content.decode()  # a Cyrillic e
    assert "Use Latin letters, digits, spaces and punctuation only." in page
    assert page.count('aria-invalid="true"') >= 3  # file, name, contamination
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("size", "nan"),
        ("size", "-1"),
        ("size", "inf"),
        ("link", "javascript:alert(1)"),
        ("link", "ftp://example.org/model"),
        ("training_data", "web \u202e sites"),
        ("contamination", ""),
        ("setting", "magic"),
    ],
)
def test_cards_with_faults_are_refused(field, value):
    client = signed_in(member())
    given = CARD | {field: value, "upload": upload(predictions("hucola", 0.8))}
    assert client.post(reverse("submit", args=[TASK]), given).status_code == 200
    assert not Submission.objects.exists()


@pytest.mark.parametrize("setting", ["baseline", "human"])
def test_staff_alone_mark_a_row_as_one_without_a_rank(setting):
    card = CARD | {"setting": setting}
    for is_staff in (False, True):
        client = signed_in(member(f"{is_staff}@example.org", is_staff=is_staff))
        page = client.get(reverse("submit", args=[TASK])).content.decode()
        assert (f'value="{setting}"' in page) == is_staff
        client.post(reverse("submit", args=[TASK]), card | {"upload": upload(predictions("hucola", 0.8))})
        assert Submission.objects.filter(setting=setting).count() == is_staff
    made = submitted(member("b@example.org"))
    signed_in(made.user).post(reverse("card", args=[made.pk]), card)  # nor afterwards
    made.refresh_from_db()
    assert made.setting == "zero-shot"


def test_a_form_cannot_set_what_it_does_not_show():
    given = {"state": "public", "score": "99", "told": '{"score": 99}', "team": "1", "exact": "{}", "shown": "{}"}
    user = member()
    client = signed_in(user)
    client.post(reverse("submit", args=[TASK]), CARD | given | {"upload": upload(predictions("hucola", 0.8))})
    found = Submission.objects.get()
    assert (found.state, found.told, found.shown, found.exact) == (State.QUEUED, None, None, None)
    client.post(reverse("card", args=[found.pk]), CARD | given | {"model_name": "Other"})
    found.refresh_from_db()
    assert (found.state, found.told, found.model_name) == (State.QUEUED, None, "Other")


def test_an_archive_becomes_a_submission_a_task():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for corpus, name in (("hucola", "cola_test.json"), ("hurte", "rte_test.json")):
            archive.writestr(name, upload(predictions(corpus, 0.8)).read())
    client = signed_in(member())
    given = CARD | {"upload": ContentFile(content.getvalue(), name="all.zip")}
    assert client.post(reverse("submit_files"), given).headers["location"] == reverse("mine")
    assert set(Submission.objects.values_list("board", "state")) == {
        ("hulu_hucola", State.QUEUED),
        ("hulu_hurte", State.QUEUED),
    }


def test_the_files_of_an_archive_are_refused_one_by_one():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("one.txt", "x")
        archive.writestr("<b>two</b>.txt", "x")
    client = signed_in(member())
    given = CARD | {"upload": ContentFile(content.getvalue(), name="all.zip")}
    page = client.post(reverse("submit_files"), given).content.decode()
    assert "one.txt: Which task is it for?" in page
    assert "<b>two" not in page
    assert not Submission.objects.exists()


def test_a_team_that_is_not_admitted_is_told_so():
    """Its files are checked, and not scored on hidden labels."""
    user = member()
    user.team.is_admitted = False
    user.team.save()
    client = signed_in(user)
    assert "has not been admitted yet" in client.get(reverse("submit", args=[TASK])).content.decode()
    given = CARD | {"upload": upload(predictions("hucola", 0.8))}
    page = client.post(reverse("submit", args=[TASK]), given, follow=True).content.decode()
    assert "It is scored once staff admit your team" in page
    assert score_waiting() == 0
    assert Submission.objects.get().state == State.CHECKED
    bad = CARD | {"upload": upload([{"id": "x", "label": "7"}])}
    assert "has faults" in client.post(reverse("submit", args=[TASK]), bad, follow=True).content.decode()


@pytest.mark.parametrize("name", ["result", "result_state", "faults", "card", "request_publication", "withdraw"])
def test_the_submission_of_another_team_is_like_none(name):
    found = submitted(member())
    score_waiting()
    for user in (member("b@example.org", "Other"), member("c@example.org", None)):
        client = signed_in(user)
        ask = client.post if name in ("request_publication", "withdraw") else client.get
        pages = []
        for key in (found.pk, uuid4()):
            answer = ask(reverse(name, args=[key]))
            assert answer.status_code == 404
            text = answer.content.decode().replace(str(key), "KEY")
            pages.append(re.sub(r'value="\w{64}"', "", text))  # of the forms' token
        assert pages[0] == pages[1]
    found.refresh_from_db()
    assert found.state == State.PRIVATE


def test_publication_is_requested_and_a_submission_withdrawn():
    user = member()
    found = submitted(user)
    score_waiting()
    client = signed_in(user)
    page = client.get(reverse("result", args=[found.pk])).content.decode()
    assert "Request publication" in page
    assert client.get(reverse("request_publication", args=[found.pk])).status_code == 405
    client.post(reverse("request_publication", args=[found.pk]))
    found.refresh_from_db()
    assert found.state == State.PENDING
    assert client.get(reverse("card", args=[found.pk])).status_code == 404  # staff decide about the card they see
    client.post(reverse("request_publication", args=[found.pk]))  # once more changes nothing
    client.post(reverse("withdraw", args=[found.pk]))
    found.refresh_from_db()
    assert found.state == State.WITHDRAWN


def test_expected_times_are_those_of_recent_submissions():
    """Four submissions were scored, one every 10 seconds: the third in the queue comes after about 30."""
    user = member()
    start = timezone.now() - timedelta(minutes=5)
    done = [submitted(user) for _ in range(2)]
    made = [done[0], done[1]]
    for number in range(4):
        one = made[number % 2]
        one.pk = None if number > 1 else one.pk
        one.id = uuid4() if number > 1 else one.id
        one.state, one.queued, one.scored = State.PRIVATE, start, start + timedelta(seconds=10 * (number + 1))
        one.save(force_insert=number > 1)
    waiting = []
    for number in range(3):
        one = Submission.objects.first()
        one.pk, one.id, one.state, one.scored = None, uuid4(), State.QUEUED, None
        one.queued = start + timedelta(minutes=4, seconds=number)
        one.save(force_insert=True)
        waiting.append(one)
    found = wait_of(waiting[2])
    assert (found.place, found.seconds) == (3, 30)


def test_a_submission_that_nobody_scores_says_so():
    """It is not silent: a minute after the last beat of a worker its page and the API tell that none runs."""
    found = submitted(member())
    client, page = signed_in(found.user), reverse("result", args=[found.pk])
    bearer = {"authorization": f"Bearer {Token.create(found.user, 'laptop')[1]}"}
    for age_s, is_stalled in ((0, False), (55, False), (65, True), (-65, True)):
        cache.set(alive.KEY, time.time() - age_s, None)
        told = client.get(f"/api/v1/submissions/{found.pk}", headers=bearer).json()["reason"]
        assert (STALLED in client.get(page).content.decode(), told == STALLED) == (is_stalled,) * 2, age_s
    score_waiting()
    assert STALLED not in client.get(page).content.decode()


def test_withdrawn_before_scoring_shows_no_place():
    user = member()
    found = submitted(user)
    move(found, State.WITHDRAWN, by=user)
    found.refresh_from_db()
    assert wait_of(found) is None
    assert "Place" not in signed_in(user).get(reverse("result", args=[found.pk])).content.decode()

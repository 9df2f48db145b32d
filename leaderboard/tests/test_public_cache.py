"""Pages kept in memory: served before anything else is done, and never when they no longer hold."""

from __future__ import annotations

import gzip

import pytest
from django.db import OperationalError

from hueval_site.accounts.models import User
from hueval_site.pages import cache
from hueval_site.submissions.models import Season, State, Submission
from hueval_site.submissions.states import move
from leaderboard.tests.filled import fill

pytestmark = pytest.mark.django_db

TASK, OTHER = "hulu_hucola", "hulu_hurte"
BOARD = f"/en/boards/{TASK}/"


def test_a_kept_page_costs_one_query(client, django_assert_num_queries):
    fill(5, [TASK])
    first = client.get(BOARD)
    with django_assert_num_queries(1):
        second = client.get(BOARD)
    assert (second.content, second.headers["ETag"]) == (first.content, first.headers["ETag"])
    assert second.headers["X-Frame-Options"] == "DENY"
    assert "default-src 'none'" in second.headers["Content-Security-Policy"]


@pytest.mark.parametrize("page", [BOARD, "/en/families/hulu/", "/en/", "/en/compare/", "/en/new.atom"])
def test_queries_do_not_grow_with_rows(client, django_assert_max_num_queries, page):
    fill(40, [TASK, OTHER], n_private=100)
    client.get("/en/boards/hulu_hucb/")  # what a process asks once
    with django_assert_max_num_queries(4):  # version, seasons, rows
        assert client.get(page).status_code == 200


def test_model_pages_have_a_constant_number_of_queries(client, django_assert_max_num_queries):
    rows = fill(40, [TASK, OTHER])
    with django_assert_max_num_queries(4):
        assert client.get(f"/en/models/{rows[0].pk}/").status_code == 200


def test_a_withdrawn_row_is_gone_at_once(client):
    rows = fill(3, [TASK, OTHER])
    name = rows[0].model_name
    pages = [BOARD, "/en/families/hulu/", "/en/new.atom"]
    assert all(name in client.get(page).content.decode() for page in pages)
    move(rows[0], State.WITHDRAWN)
    assert name not in client.get(BOARD).content.decode()
    move(rows[1], State.WITHDRAWN)
    assert not any(name in client.get(page).content.decode() for page in pages)


def test_a_change_on_another_board_leaves_a_page(client, django_assert_num_queries):
    rows = fill(3, [TASK, OTHER])
    client.get(BOARD)
    move(rows[1], State.WITHDRAWN)
    with django_assert_num_queries(1):
        client.get(BOARD)


def test_a_change_while_a_page_is_made_is_not_missed(client, monkeypatch):
    rows = fill(3, [TASK])
    made = cache._page

    def slow(response):
        Submission.objects.filter(pk=rows[0].pk).update(state=State.WITHDRAWN)
        Season.objects.filter(board=TASK).update(version=99)
        return made(response)

    monkeypatch.setattr(cache, "_page", slow)
    assert rows[0].model_name in client.get(BOARD).content.decode()
    monkeypatch.setattr(cache, "_page", made)
    assert rows[0].model_name not in client.get(BOARD).content.decode()


def test_the_database_is_asked_twice_a_second_at_most(client, monkeypatch, django_assert_num_queries):
    rows = fill(3, [TASK])
    name, now = rows[0].model_name, [100.0]
    monkeypatch.setattr(cache, "FRESH_S", 0.5)
    monkeypatch.setattr("hueval_site.pages.cache.time.monotonic", lambda: now[0])
    client.get(BOARD)
    client.get(BOARD)
    move(rows[0], State.WITHDRAWN)
    with django_assert_num_queries(0):
        assert name in client.get(BOARD).content.decode()
    now[0] += 0.5
    assert name not in client.get(BOARD).content.decode()


def test_who_has_the_page_is_told_so(client):
    fill(3, [TASK])
    tag = client.get(BOARD).headers["ETag"]
    again = client.get(BOARD, headers={"if-none-match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert client.get(BOARD, headers={"if-none-match": '"other"'}).status_code == 200


def test_a_page_is_zipped_for_who_takes_it(client):
    fill(3, [TASK])
    plain = client.get(BOARD)
    zipped = client.get(BOARD, headers={"accept-encoding": "gzip, br"})
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(zipped.content) == plain.content
    assert int(zipped.headers["Content-Length"]) == len(zipped.content)
    assert {"Cookie", "Accept-Encoding"} <= {name.strip() for name in zipped.headers["Vary"].split(",")}


def test_who_is_logged_in_has_pages_of_their_own(client):
    fill(3, [TASK])
    user = User.objects.create_user("own@example.org", "secret")
    client.get(BOARD)
    client.force_login(user)
    own = client.get(BOARD)
    assert "private" in own.headers["Cache-Control"]
    assert b"/accounts/logout/" in own.content
    client.logout()
    assert b"/accounts/logout/" not in client.get(BOARD).content


def test_a_message_to_one_reader_is_not_kept_for_others(client, django_assert_num_queries):
    fill(3, [TASK])
    client.get("/en/boards/hulu_hucb/")  # what a process asks once
    client.cookies["messages"] = "x"
    assert "private" in client.get(BOARD).headers["Cache-Control"]
    del client.cookies["messages"]
    with django_assert_num_queries(3):  # it is made now
        assert "private" not in client.get(BOARD).headers["Cache-Control"]


def test_the_last_known_page_is_shown_while_the_database_is_away(client, monkeypatch):
    fill(3, [TASK])
    before = client.get(BOARD).content

    def away(tasks):
        raise OperationalError

    monkeypatch.setattr(cache, "stamp", away)
    assert client.get(BOARD).content == before


def test_kept_pages_have_a_limit(client, monkeypatch, django_assert_num_queries):
    fill(3, [TASK, OTHER])
    size = len(client.get(BOARD).content)
    monkeypatch.setattr(cache, "MOST_BYTES", 2 * size)
    for sort in ("model", "team", "size", "-model", "-team", "-size"):
        client.get(f"{BOARD}?sort={sort}")
    with django_assert_num_queries(1):  # the newest is there
        client.get(f"{BOARD}?sort=-size")
    with django_assert_num_queries(3):  # the oldest is not
        client.get(BOARD)


def test_a_foreign_host_name_gets_no_kept_page(client):
    fill(3, [TASK])
    client.get(BOARD)
    assert client.get(BOARD, headers={"host": "evil.example"}).status_code == 400

"""Pages for everybody: boards, tasks, models, comparisons, feed."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.urls import reverse
from django.utils import translation

from hueval_site.boards import Board, boards
from hueval_site.pages.models_view import _difference
from hueval_site.pages.rows import Rank, Row, Score, ranks
from hueval_site.submissions.models import Season, State, Submission
from hueval_site.submissions.seasons import new_season
from hueval_site.submissions.states import changed, move
from leaderboard.tests.filled import fill

pytestmark = pytest.mark.django_db

TASK, OTHER = "hulu_hucola", "hulu_hurte"


@pytest.fixture
def rows():
    """Ten models on two tasks, the last two a baseline and people, with names and scores that can be checked."""
    found = fill(10, [TASK, OTHER])
    for place, row in enumerate(found):
        number = place // 2
        row.model_name = f"model-{number}"
        row.size = [None, 0.5, 7.0, 70.0][number % 4]
        row.openness = "open" if number % 2 else "closed"
        if row.setting not in ("baseline", "human"):
            row.setting = "zero-shot" if number < 4 else "few-shot"
        row.published = datetime(2025 + (number > 4), 5, 1 + number, tzinfo=UTC)
        row.shown |= {"mcc": 50.0 + number, "mcc_ci95": [48.0 + number, 52.0 + number]}
        row.save()
    return found


def models_of(response):
    """The models of the first table of a page, in its order."""
    return re.findall(r'<th scope="row"><a [^>]*><bdi>([^<]*)</bdi>', response.content.decode())


def ranks_of(response):
    """The ranks of a board, as text without tags."""
    cells = re.findall(r'<tr>\s*<td class="number">(.*?)</td>', response.content.decode())
    return [re.sub(r"<[^>]*>", "", cell) for cell in cells]


def test_a_row_in_any_other_state_is_on_no_list(client, rows):
    """A request that was refused, or a row that was public before, still has what was shown of it."""
    pages = [f"/en/boards/{TASK}/", "/en/new.atom"]
    assert all(str(rows[0].pk) in client.get(page).content.decode() for page in pages)
    for state in (State.PRIVATE, State.PENDING, State.REFUSED, State.SUPERSEDED, State.WITHDRAWN):
        Submission.objects.filter(pk=rows[0].pk).update(state=state)
        changed(rows[0].season_id)
        assert not any(str(rows[0].pk) in client.get(page).content.decode() for page in pages), state


def test_every_page_answers_in_both_languages_and_sets_no_cookie(client, rows):
    key, other = rows[0].pk, rows[2].pk
    pages = [
        *(
            "",
            "tasks/",
            f"tasks/{TASK}/",
            f"boards/{TASK}/",
            "families/hulu/",
            "compare/",
            "faq/",
            "imprint/",
            "privacy/",
        ),
        *(f"models/{key}/", f"rows/{key}/", f"compare/?first={key}&second={other}", "new.atom"),
        *(f"boards/{TASK}/graph-{theme}-{width}.svg" for theme in ("light", "dark") for width in ("wide", "narrow")),
    ]
    for language in ("hu", "en"):
        for page in pages:
            response = client.get(f"/{language}/{page}")
            assert response.status_code == 200, page
            assert not response.cookies, page
            assert "Cookie" in response.headers["Vary"]
            assert response.headers["Content-Language"] == language


def test_the_lowest_score_comes_first_where_it_is_the_best(client, rows, monkeypatch):
    monkeypatch.setattr(Board, "higher_is_better", property(lambda board: False))
    response = client.get(f"/en/boards/{TASK}/")
    assert models_of(response)[:3] == ["model-0", "model-1", "model-2"]  # of 50, 51 and 52
    assert [rank[0] for rank in ranks_of(response)[:3]] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("accepted", "address"), [("hu,en;q=0.5", "/hu/"), ("en", "/en/"), ("de", "/en/")], ids=["hu", "en", "the site's"]
)
def test_the_bare_address_leads_to_the_language_of_the_browser(client, accepted, address):
    response = client.get("/", headers={"accept-language": accepted})
    assert (response.status_code, response.headers["Location"]) == (302, address)


def test_a_page_names_itself_in_the_other_language(client, rows):
    text = client.get(f"/en/boards/{TASK}/?sort=model").content.decode()
    assert f'hreflang="hu" href="http://127.0.0.1:8000/hu/boards/{TASK}/?sort=model"' in text


def test_what_is_not_there_and_what_is_not_public_are_not_told_apart(client, rows):
    private = rows[0]
    Submission.objects.filter(pk=private.pk).update(state=State.PRIVATE)
    none = "00000000-0000-4000-8000-000000000000"
    for page in ("models", "rows"):
        answers = [client.get(f"/en/{page}/{key}/") for key in (private.pk, none)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].content.replace(str(private.pk).encode(), none.encode()) == answers[1].content


def test_the_best_score_is_first_and_baselines_have_no_rank(client, rows):
    response = client.get(f"/en/boards/{TASK}/")
    # model-8 is the baseline and model-9 people: they stand below, and the ranks are those of the other eight.
    assert models_of(response)[:10] == [f"model-{number}" for number in (7, 6, 5, 4, 3, 2, 1, 0, 9, 8)]
    # Scores one point apart with arms of 2 points: different from 2 * sqrt(2) = 2.83 points on, so from the third.
    assert ranks_of(response) == [
        "1 (1–3)",
        "2 (1–4)",
        "3 (1–5)",
        "4 (2–6)",
        "5 (3–7)",
        "6 (4–8)",
        "7 (5–8)",
        "8 (6–8)",
    ]


def test_what_papers_published_stands_below_without_rank(client, rows):
    text = client.get(f"/en/boards/{TASK}/").content.decode()
    row = re.search(r"<bdi>PULI BERT-Large</bdi>.*?</tr>", text, re.S).group()
    assert "published" in row
    assert "Table 2 of the HuLU paper" in row
    assert "71.1" in row  # as the paper prints it
    assert text.index("without rank") < text.index("PULI BERT-Large")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sort=mcc", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("sort=model", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("sort=-published", [7, 6, 5, 4, 3, 2, 1, 0]),
        ("sort=size", [1, 5, 2, 6, 3, 7, 0, 4]),  # those without a size are last
        ("size=s", [5, 1]),
        ("size=xl", [7, 3]),
        ("size=unknown", [4, 0]),
        ("openness=open", [7, 5, 3, 1]),
        ("setting=few-shot", [7, 6, 5, 4]),
        ("since=2026", [7, 6, 5]),
        ("sort=mcc&size=m&since=2025", [2, 6]),
    ],
)
def test_sorting_and_filters(client, rows, query, expected):
    response = client.get(f"/en/boards/{TASK}/?{query}")
    assert response.status_code == 200
    ranked = [name for name in models_of(response) if name not in ("model-8", "model-9")]
    assert ranked == [f"model-{number}" for number in expected]


def test_a_rank_does_not_change_with_a_filter(client, rows):
    assert ranks_of(client.get(f"/en/boards/{TASK}/?size=s")) == ["3 (1–5)", "7 (5–8)"]


@pytest.mark.parametrize(
    ("query", "canonical"),
    [
        ("sort=exact", ""),
        ("x=1", ""),
        ("size=&openness=&setting=", ""),
        ("openness=open&sort=model", "?sort=model&openness=open"),
        ("since=1999", ""),
        ("season=1", ""),  # the open one has no number in its address
        ("page=2", ""),
        ("page=99999999999999999999", ""),
        ("sort=model&sort=team", "?sort=team"),
    ],
)
def test_any_other_query_leads_to_the_one_address_of_a_page(client, rows, query, canonical):
    response = client.get(f"/en/boards/{TASK}/?{query}")
    assert (response.status_code, response.headers["Location"]) == (302, f"/en/boards/{TASK}/{canonical}")


def test_a_long_board_has_pages(client, settings, monkeypatch, rows):
    monkeypatch.setattr("hueval_site.pages.boards_view.PER_PAGE", 3)
    assert models_of(client.get(f"/en/boards/{TASK}/?page=2"))[:3] == ["model-4", "model-3", "model-2"]
    assert client.get(f"/en/boards/{TASK}/?page=4").headers["Location"] == f"/en/boards/{TASK}/?page=3"


def test_rows_of_a_closed_season_stay_with_it(client, rows):
    new_season(boards()[TASK], "a" * 64)
    text = client.get(f"/en/boards/{TASK}/").content.decode()
    assert "model-7" not in text
    assert "no public results yet" in text
    old = client.get(f"/en/boards/{TASK}/?season=1")
    assert models_of(old)[0] == "model-7"
    assert "PULI BERT-Large" not in old.content.decode()
    model = client.get(f"/en/models/{rows[0].pk}/").content.decode()
    assert f'/en/boards/{TASK}/?season=1"' in model


def test_a_board_has_one_season_before_anybody_submits(client):
    assert client.get(f"/en/boards/{TASK}/").status_code == 200
    assert Season.objects.filter(board=TASK).count() == 1


def test_boards_with_public_answers_say_so(client, rows):
    public = next(board for board in boards().values() if not board.hidden)
    assert b"answers are public" in client.get(f"/en/boards/{public.task}/").content
    assert b"labels are hidden" in client.get(f"/en/boards/{TASK}/").content


def test_a_family_has_a_column_for_each_task_and_no_average(client, rows):
    response = client.get(f"/en/families/hulu/?sort=-{OTHER}")
    assert next(name for name in models_of(response) if name.startswith("model")) == "model-7"
    text = response.content.decode()
    headings = re.findall(r'<th scope="col"[^>]*><a [^>]*>([^<]*)</a>', text)
    hulu = [board.title for board in boards().values() if board.family.name == "hulu"]
    assert headings == ["Model", *hulu, "Team", "Size (B)", "Licence", "Availability", "Published"]
    assert text.index("model-0") < text.index("For comparison, without rank") < text.index("model-9")
    assert client.get("/en/families/none/").status_code == 404


def test_a_model_page_has_all_rows_of_a_model_and_its_card(client, rows):
    text = client.get(f"/en/models/{rows[4].pk}/").content.decode()
    assert "HuCOLA" in text
    assert "HuRTE" in text
    assert "6 (4–8)" in re.sub(r"<[^>]*>", "", text)
    assert '<a href="https://example.org/model" rel="nofollow noopener noreferrer ugc">' in text
    assert "7 billion" in text


def test_a_row_has_its_signature_and_what_is_published_alone(client, rows):
    row = rows[0]
    row.exact = {"mcc": 50.123456}
    row.save()
    text = client.get(f"/en/rows/{row.pk}/").content.decode()
    assert row.shown["signature"] in text
    assert "50.0" in text
    assert "50.12" not in text


def test_a_superseded_row_keeps_its_address_until_it_is_withdrawn(client, rows):
    row = rows[0]
    row = move(row, State.SUPERSEDED)
    assert "A newer row" in client.get(f"/en/rows/{row.pk}/").content.decode()
    assert "model-0" not in client.get(f"/en/boards/{TASK}/").content.decode()
    move(row, State.WITHDRAWN)
    assert client.get(f"/en/rows/{row.pk}/").status_code == 404


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        # The arms are 2 points: the interval of a difference has arms of 2 * sqrt(2) = 2.8.
        (7, 0, "model-7 is ahead by 7.0 points [4.2, 9.8]."),
        (0, 7, "model-7 is ahead by 7.0 points [4.2, 9.8]."),
        (2, 1, "Not told apart: model-2 is 1.0 points higher [-1.8, 3.8]."),
    ],
)
def test_two_models_are_compared_in_words(client, rows, first, second, sentence):
    keys = f"first={rows[2 * first].pk}&second={rows[2 * second + 1].pk}"  # any row of a model names it
    text = re.sub(r"</?bdi>", "", client.get(f"/en/compare/?{keys}").content.decode())
    assert text.count(sentence) == 2  # on both boards


def test_a_lower_score_can_be_the_better_one():
    board = boards()[TASK]
    metric = board.first_metric
    rows = [
        Row(TASK, "submission", name, {"mcc": Score(*scores)})
        for name, scores in [("a", (10, 8, 12)), ("b", (40, 38, 42))]
    ]
    assert _difference(board, *rows).leader.model == "b"
    metric.better = "lower"
    try:
        found = _difference(board, *rows)
    finally:
        metric.better = "higher"
    assert (found.leader.model, found.kind, found.is_lower_better) == ("a", "ahead", True)


@pytest.mark.parametrize("keys", ["first=x&second=y", "first=&second=", "first=00000000-0000-4000-8000-000000000000"])
def test_a_comparison_of_what_is_not_there_asks_for_models(client, rows, keys):
    assert "Choose two models." in client.get(f"/en/compare/?{keys}").content.decode()


def test_the_task_page_offers_the_public_file_with_its_hash(client, site_dir):
    import hashlib

    response = client.get(f"/en/tasks/{TASK}/")
    text = response.content.decode()
    address = re.search(rf'/en/tasks/{TASK}/data/[^"]+', text).group()
    content = b"".join(client.get(address).streaming_content)
    assert hashlib.sha256(content).hexdigest() in text
    assert b"label" not in content
    assert "A 0. mondat." in text


@pytest.mark.parametrize("name", ["../secret-key", "hulu/hucola/../../../secret-key", "hulu/hurte/rte_test.json", "x"])
def test_no_other_file_is_offered(client, site_dir, name):
    (site_dir / "secret-key").write_text("secret")
    assert client.get(f"/en/tasks/{TASK}/data/{name}").status_code == 404


def test_names_that_deceive_are_shown_without_what_deceives(client, rows):
    row = rows[0]
    row.model_name = "a\u202egnp<script>alert(1)</script>"
    row.contamination = "none\u202e\n<b>x</b>"
    row.save()
    for page in (
        f"boards/{TASK}/",
        f"models/{row.pk}/",
        f"rows/{row.pk}/",
        "compare/",
        "new.atom",
        "",
        "families/hulu/",
    ):
        text = client.get(f"/en/{page}").content.decode()
        assert "\u202e" not in text
        assert "<script" not in text
    assert "a&lt;" not in text
    assert "<b>x" not in client.get(f"/en/models/{row.pk}/").content.decode()


def test_the_feed_has_the_newest_rows(client, rows):
    text = client.get("/en/new.atom").content.decode()
    assert text.count("<entry>") == 20
    assert text.index("model-9") < text.index("model-0")
    assert f"http://127.0.0.1:8000/en/rows/{rows[0].pk}/" in text


def test_the_graph_is_an_image_without_scripts_and_styles(client, rows):
    text = client.get(f"/en/boards/{TASK}/graph-dark-narrow.svg").content.decode()
    assert text.startswith("<svg ")
    assert "style" not in text
    assert "Best so far: 57.0, model-7" in text
    for theme in ("blue", "light-wide"):
        assert client.get(f"/en/boards/{TASK}/graph-{theme}-wide.svg").status_code == 404


def test_the_imprint_is_that_of_the_settings_as_plain_text(client, settings):
    settings.CONFIG = settings.CONFIG.model_copy(update={"imprint": "Institute <b>X</b>\nStreet 1"})
    assert b"Institute &lt;b&gt;X&lt;/b&gt;<br>Street 1" in client.get("/en/imprint/").content


def test_pages_for_readers_take_no_other_method(client, rows):
    for page in ("", f"boards/{TASK}/", "compare/", "new.atom"):
        assert client.post(f"/en/{page}").status_code == 405


def test_a_missing_page_is_explained_in_the_language_of_its_address(client):
    with translation.override("hu"):
        start = reverse("start")
    assert f'href="{start}"' in client.get("/hu/nothing/").content.decode()


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([], []),
        ([Score(1)], [Rank(1, 1, 1)]),
        ([Score(5, 4, 6), Score(5, 4, 6)], [Rank(1, 1, 2), Rank(1, 1, 2)]),
        # Without intervals each difference counts.
        ([Score(1), Score(3), Score(2)], [Rank(3, 3, 3), Rank(1, 1, 1), Rank(2, 2, 2)]),
        # The arms towards one another decide: 3 below the first, 0.5 above the second; 4 > sqrt(9.25) = 3.04.
        ([Score(10, 7, 30), Score(6, 0, 6.5)], [Rank(1, 1, 1), Rank(2, 2, 2)]),
        ([Score(9, 6, 30), Score(6, 0, 6.5)], [Rank(1, 1, 2), Rank(2, 1, 2)]),  # 3 < 3.04
    ],
)
def test_ranks_with_what_intervals_leave_open(scores, expected):
    assert ranks(scores) == expected


def test_ranks_where_the_lower_score_is_the_better_one():
    assert ranks([Score(1, 0.5, 1.5), Score(9, 8, 10)], higher_is_better=False) == [Rank(1, 1, 1), Rank(2, 2, 2)]

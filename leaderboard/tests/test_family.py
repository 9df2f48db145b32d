"""The page of a family: models over all its boards, from what is public alone."""

from __future__ import annotations

import csv
import json
import re

import pytest
from django.test import Client

from hueval_site.pages import cache
from hueval_site.submissions.models import Submission
from hueval_site.submissions.states import changed
from leaderboard.tests.filled import fill

pytestmark = pytest.mark.django_db

COLA, RTE = "hulu_hucola", "hulu_hurte"
PAGE = "/en/families/hulu/"
# Model → scores on the two boards with the arms of their intervals. On HuCOLA the intervals are apart: a, b, c. On
# HuRTE those of a and b overlap widely, and c is far below. d lacks HuRTE; e is a baseline, and f are people.
SCORES = {
    "a": ((80, 1), (61, 30)),
    "b": ((60, 1), (60, 30)),
    "c": ((40, 1), (-90, 1)),
    "d": ((90, 1), None),
    "e": ((99, 1), (99, 1)),
    "f": ((99, 1), (99, 1)),
}


@pytest.fixture(autouse=True)
def rows(settings):
    """The models of `SCORES` on a site with two boards of HuLU."""
    settings.CONFIG = settings.CONFIG.model_copy(update={"boards": [COLA, RTE]})
    found = dict(zip([(name, task) for name in SCORES for task in (COLA, RTE)], fill(6, [COLA, RTE]), strict=True))
    for (name, task), row in found.items():
        score = SCORES[name][task == RTE]
        row.model_name, row.openness = name, "open"
        row.licence = {"a": "MIT", "b": "=1+1", "c": ""}.get(name, "")
        if score is None:
            row.state = "private"
        else:
            value, arm = score
            row.shown = row.shown | {"mcc": value, "mcc_ci95": [value - arm, value + arm]}
        row.save()
    return found


def cells_of(text, model):
    """The cells of the row of a model, without tags."""
    row = re.search(rf'<th scope="row"><a [^>]*><bdi>{model}</bdi>.*?</tr>', text, re.S).group()
    cells = re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)
    return [" ".join(re.sub(r"<[^>]*>", "", cell).split()) for cell in cells]


def ranked_of(text):
    """The models of the first part of the table, in its order."""
    return re.findall(r'<th scope="row"><a [^>]*><bdi>([^<]*)</bdi>', text.split("For comparison")[0])


def test_wins_and_mean_rank_of_models_on_every_board(client):
    """Of 2 boards × 2 others = 4 pairs a wins both on HuCOLA, on HuRTE c and half of b, or none or all of it."""
    text = client.get(PAGE).content.decode()
    assert "Wins of 4" in text
    assert cells_of(text, "a")[:4] == ["3.5 [3, 4]", "1.00 [1.00, 1.50]", "80.0 [79.0, 81.0]", "61.0 [31.0, 91.0]"]
    assert cells_of(text, "b")[:2] == ["2.5 [2, 3]", "2.00 [1.50, 2.00]"]
    assert cells_of(text, "c")[:2] == ["0 [0, 0]", "3.00 [3.00, 3.00]"]
    assert cells_of(text, "d")[:4] == ["–", "–", "90.0 [89.0, 91.0]", "–"]
    assert ranked_of(text) == ["a", "b", "c", "d"]


def test_baselines_people_and_papers_stand_below_without_wins(client):
    text = client.get(PAGE).content.decode()
    aside = text.split("For comparison")[1]
    for model in ("e", "f"):
        assert cells_of(aside, model)[:2] == ["–", "–"]
    paper = re.search(r"<bdi>PULI BERT-Large</bdi>.*?</tr>", aside, re.S).group()
    assert "published" in paper
    assert "Table 2 of the HuLU paper" in paper
    assert aside.count("<bdi>PULI BERT-Large</bdi>") == 1


def test_the_score_of_a_baseline_does_not_complete_a_model(client, rows):
    row = rows["e", RTE]
    Submission.objects.filter(pk=row.pk).update(model_name="d", team=rows["d", COLA].team)
    text = client.get(PAGE).content.decode()
    assert "Wins of 4" in text
    ranked, aside = text.split("For comparison")
    assert cells_of(ranked, "d")[2:4] == ["90.0 [89.0, 91.0]", "–"]
    assert cells_of(aside, "d")[2:4] == ["–", "99.0 [98.0, 100.0]"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("complete=all", ["a", "b", "c"]),
        ("sort=wins", ["c", "b", "a", "d"]),
        ("sort=mean_rank", ["a", "b", "c", "d"]),
        ("sort=-mean_rank&complete=all", ["c", "b", "a"]),
        ("sort=licence", ["b", "a", "c", "d"]),
        (f"sort=-{COLA}", ["d", "a", "b", "c"]),
    ],
)
def test_filter_and_order(client, query, expected):
    text = client.get(f"{PAGE}?{query}").content.decode()
    assert ranked_of(text) == expected
    assert "3.5 [3, 4]" in cells_of(text, "a")  # no number depends on what else is shown
    # GPT-2 has no HuCOPA in the paper, which is not among the boards here, so it is complete.
    assert "PULI GPT-2" in text


def test_other_boards_and_pages_know_no_filter_by_completeness(client):
    assert client.get(f"/en/boards/{COLA}/?complete=all").headers["Location"] == f"/en/boards/{COLA}/"


def test_the_page_says_what_is_missing_for_wins(client, rows):
    Submission.objects.filter(model_name__in="ab", board=RTE).update(state="withdrawn")
    text = client.get(PAGE).content.decode()
    assert "Wins of" not in text
    assert "once two models are on every board" in text
    assert client.get(f"{PAGE}?sort=wins").headers["Location"] == PAGE


def page():
    """The page as a process shows it that has not kept it."""
    return Client().get(PAGE).content


def test_what_is_not_public_has_no_part_in_it(rows):
    """Exact scores and what teams were told follow the hidden items; the page follows what is shown."""
    before = page()
    Submission.objects.update(exact={"mcc": -100.0}, told={"kind": "first", "score": -100.0, "step": 9.0}, n_rows=1)
    Submission.objects.filter(model_name="d", board=RTE).update(shown={"mcc": 99.0, "mcc_ci95": [98.0, 100.0]})
    assert page() == before
    row = Submission.objects.get(pk=rows["b", RTE].pk)
    row.shown["mcc_ci95"] = [59.0, 61.0]
    row.save()
    assert page() != before


def test_the_page_is_kept_until_a_row_of_one_of_its_boards_changes(client, rows, monkeypatch):
    monkeypatch.setattr(cache, "FRESH_S", 0.0)
    assert "Wins of 4" in client.get(PAGE).content.decode()
    row = rows["c", RTE]
    Submission.objects.filter(pk=row.pk).update(state="withdrawn")
    assert "Wins of 4" in client.get(PAGE).content.decode()
    changed(row.season_id)
    assert "Wins of 2" in client.get(PAGE).content.decode()


def test_the_table_as_csv_and_json(client):
    answer = client.get(f"{PAGE}table.csv")
    assert answer.headers["Content-Type"].startswith("text/csv")
    lines = list(csv.DictReader(answer.content.decode().splitlines()))
    assert [line["model"] for line in lines[:6]] == ["a", "b", "c", "d", "e", "f"]
    names = ("wins", "wins_ci95_low", "wins_ci95_high", "mean_rank")
    assert [lines[0][name] for name in names] == ["3.5", "3.0", "4.0", "1.0"]
    assert lines[1]["licence"] == "'=1+1"  # no formula
    assert lines[3]["wins"] == lines[3][RTE] == ""
    rows = json.loads(client.get(f"{PAGE}table.json").content)["rows"]
    assert (rows[0]["wins"], rows[0][f"{RTE}_ci95_low"], rows[1]["licence"]) == (3.5, 31, "=1+1")
    assert rows[-1]["kind"] == "published"
    for wrong in ("families/hulu/table.xls", "families/none/table.csv", "families/hulu/table.csv?x=1"):
        assert client.get(f"/en/{wrong}").status_code == 404

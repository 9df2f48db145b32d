"""Rows that a maintainer kept by hand: where they are shown, and every fault of their file as one line."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from hueval_metrics.errors import InputError
from hueval_site.boards import boards
from hueval_site.manage.by_hand import import_rows
from hueval_site.submissions.models import Season
from hueval_site.submissions.seasons import new_season
from leaderboard.tests.filled import fill

pytestmark = pytest.mark.django_db

COLA, RTE = "hulu_hucola", "hulu_hurte"
HEADER = f"model,source,{COLA}/mcc,{RTE}/mcc"


@pytest.fixture
def file(tmp_path):
    """A function that writes a file and imports it."""

    def take(*lines: str) -> None:
        path = tmp_path / "old.csv"
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        import_rows(path)

    return take


def rows_of(address):
    """The rows of a page that were kept by hand, without tags."""
    text = Client().get(address).content.decode()
    found = re.findall(r"<tr[^>]*>(?:(?!</tr>).)*kept by hand.*?</tr>", text, re.S)
    return [" ".join(re.sub(r"<[^>]*>", " ", row).split()) for row in found]


def test_rows_are_marked_without_interval_and_rank(file, capsys):
    fill(4, [COLA, RTE])
    file(HEADER, "Régi modell,Old page 2023,98.5,", '"Other, large",Old page 2023,,-3')
    assert capsys.readouterr().out == f"{COLA}: rows kept by hand: 1\n{RTE}: rows kept by hand: 1\n"
    assert rows_of(f"/en/boards/{COLA}/") == ["Régi modell kept by hand Old page 2023 98.5 –"]
    family = rows_of("/en/families/hulu/")
    assert [row.partition(" kept by hand Old page 2023 ")[0] for row in family] == ["Other, large", "Régi modell"]
    assert " 98.5 " in family[1] and "[" not in family[1]
    assert not rows_of(f"/en/boards/{COLA}/?openness=open")
    start = Client().get("/en/").content.decode()
    assert "Régi" not in start  # never the best of a board


def test_a_file_replaces_the_last_one_on_its_boards_alone(file):
    file(HEADER, "a,x,1,2", "b,x,3,")
    file(f"model,source,{COLA}/mcc", "c,x,4")
    assert [row[:1] for row in rows_of(f"/en/boards/{COLA}/")] == ["c"]
    assert [row[:1] for row in rows_of(f"/en/boards/{RTE}/")] == ["a"]
    file(HEADER)
    assert not rows_of("/en/families/hulu/")


def test_rows_stay_with_their_season(file):
    file(HEADER, "a,x,1,2")
    new_season(boards()[COLA], "a" * 64)
    assert not rows_of(f"/en/boards/{COLA}/")
    assert len(rows_of(f"/en/boards/{COLA}/?season=1")) == 1


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["model,source"], "has no column with scores. Add one called TASK/METRIC"),
        (["model,hulu_hucola/mcc"], "has no column source. Begin with model,source,TASK/METRIC"),
        (["model,source,hulu_hucola/mcc,hulu_hucola/mcc"], "has the column hulu_hucola/mcc twice"),
        (
            ["model,source,hulu_hucola-practice/mcc"],
            "old.csv: hulu_hucola-practice/mcc: practice shows no rows. Name hulu_hucola/mcc",
        ),
        (["model,source,hulu_hucolla/mcc"], "hulu_hucolla: no board. Did you mean hulu_hucola?"),
        (["model,source,hulu_hucola/acc"], "hulu_hucola/acc is no column of a board. Name one of hulu_hucola/mcc"),
        ([HEADER, "a,x,1"], "row 2: has 3 cells, the header 4"),
        ([HEADER, "a,x,1,2", "A,X,3,4"], "row 3: A of X is there twice. Remove one of the two"),
        ([HEADER, "a,x,,"], "row 2: has no score"),
        ([HEADER, "=1+1,x,1,2"], "row 2: model begins as a formula (=1+1). Write it without ="),
        ([HEADER, "a,@x,1,2"], "row 2: source begins as a formula"),
        ([HEADER, "<b>a</b>,x,1,2"], "row 2: model has markup (<b>a</b>). Write plain text"),
        ([HEADER, f"{'a' * 121},x,1,2"], "row 2: model has 121 characters, at most 120"),
        ([HEADER, "а,x,1,2"], "Use Latin letters"),
        ([HEADER, "a,,1,2"], "row 2: source is ''. Use at least one letter or digit."),
        *(
            ([HEADER, f"a,x,1,{cell}"], f"row 2: {RTE}/mcc is {cell}, expected a number from -100 to 100. Fix the cell")
            for cell in ("nan", "101", "inf", "61;5", "-1e9", "x")
        ),
        ([HEADER, 'a,x,1,"2'], "no CSV in UTF-8"),
    ],
)
def test_a_fault_is_one_line_and_nothing_is_taken(file, lines, fault):
    with pytest.raises(InputError) as caught:
        file(*lines)
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not Season.objects.exclude(by_hand=None).exists()


def test_a_file_that_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: cannot be read \(No such file or directory\)\. Name a CSV file"):
        import_rows(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"model,source\n\xff")
    with pytest.raises(InputError, match="no CSV in UTF-8"):
        import_rows(tmp_path / "latin.csv")

"""The scales of the rubrics, and what a rater's word for a rating is read as."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.runs.scales import Scale, is_judged, scale_of
from tests.features.judges.people.verdicts import OE, QA, WILD


def test_the_scales_are_the_rubrics():
    assert scale_of(QA).values == ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
    assert scale_of(OE).values == ("YES", "NO")
    assert scale_of(WILD).values == tuple(range(1, 11))


@pytest.mark.parametrize("task", ["openhueval_humatchingfib", "gsm8k", ""])
def test_a_task_without_a_judge_has_no_scale(task):
    assert not is_judged(task)
    with pytest.raises(ValueError, match="no judge"):
        scale_of(task)


@pytest.mark.parametrize(
    ("task", "cell", "rating"),
    [
        (QA, "CORRECT", "CORRECT"),
        (QA, " Correct ", "CORRECT"),
        (QA, "correct.", "CORRECT"),
        (QA, "helyes", "CORRECT"),
        (QA, "HIBÁS", "INCORRECT"),
        (QA, "hiba\u0301s", "INCORRECT"),  # decomposed, as a Mac types it
        (QA, "not attempted", "NOT_ATTEMPTED"),
        (QA, "not-attempted", "NOT_ATTEMPTED"),
        (QA, "nem válaszolt", "NOT_ATTEMPTED"),
        (OE, "igen", "YES"),
        (OE, "Nem", "NO"),
        (OE, "y", "YES"),
        (WILD, 7, 7.0),
        (WILD, 7.0, 7.0),  # as LibreOffice and Excel keep numbers
        (WILD, "7", 7.0),
        (WILD, "7,0", 7.0),  # a Hungarian decimal comma
        (WILD, "７", 7.0),
        (WILD, " 10/10 ", 10.0),
        (WILD, "'7", 7.0),  # the apostrophe by which a spreadsheet is told that it is text
        (QA, None, None),
        (QA, "", None),
        (WILD, " \u00a0", None),
    ],
)
def test_read(task, cell, rating):
    assert scale_of(task).read(cell) == rating


@pytest.mark.parametrize(
    ("task", "cell"),
    [
        (QA, "corect"),  # nothing is guessed
        (QA, "CORRECT / INCORRECT"),
        (QA, "nem"),  # which of the three would it be?
        (QA, "YES"),
        (QA, 1),
        (OE, True),  # a checkbox says neither YES nor NO
        (WILD, 0),
        (WILD, 11),
        (WILD, -7),
        (WILD, "-7"),
        (WILD, "1-0"),
        (WILD, "7-8"),
        (WILD, 7.5),
        (WILD, "7.5"),
        (WILD, "7/100"),
        (WILD, True),
        (WILD, float("nan")),
        (WILD, float("inf")),
        (WILD, datetime.datetime(2026, 7, 10)),  # what Excel makes of 7/10
        (WILD, "jó"),
    ],
)
def test_what_is_no_rating_is_refused(task, cell):
    with pytest.raises(ValueError, match="not one of"):
        scale_of(task).read(cell)


@given(st.sampled_from([QA, OE, WILD]), st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.none()))
def test_whatever_is_read_is_a_rating_and_is_read_again(task, cell):
    scale = scale_of(task)
    try:
        rating = scale.read(cell)
    except ValueError:
        return
    assert rating is None or (rating in scale.values and scale.read(rating) == rating == scale.read(str(rating)))


@given(st.sampled_from([QA, OE, WILD]), st.data())
def test_case_and_space_do_not_matter(task, data):
    scale = scale_of(task)
    word = data.draw(st.sampled_from(scale.words))
    typed = "".join(data.draw(st.sampled_from([c.lower(), c.upper()])) for c in word)
    space = data.draw(st.text(" \t\n\u00a0", max_size=3))
    assert scale.read(space + typed + space) == scale.values[scale.words.index(word)]


def test_bands_are_the_labels_or_the_grades_of_table_10():
    assert scale_of(OE).bands == ["YES", "NO"]
    assert scale_of(WILD).bands == ["1-2", "3-4", "5-6", "7-8", "9-10"]
    assert [scale_of(WILD).band(score) for score in (1.0, 2.0, 2.5, 8.0, 8.25, 10.0)] == [
        *("1-2", "1-2", "3-4", "7-8", "9-10", "9-10")
    ]


@pytest.mark.parametrize(
    ("lowest", "highest", "bands", "ends"),
    [
        (1, 5, ["1", "2", "3", "4", "5"], (1, 5)),
        (0, 10, ["0-2", "3-5", "6-8", "9-10"], (2, 9)),
        (0, 1, ["0", "1"], (0, 1)),
        (0, 100, ["0-20", "21-41", "42-62", "63-83", "84-100"], (20, 84)),
    ],
)
def test_scores_of_any_range_have_at_most_five_grades(lowest, highest, bands, ends):
    scale = Scale(tuple(float(score) for score in range(lowest, highest + 1)))
    assert (scale.bands, scale.ends) == (bands, ends)
    assert scale.band(highest - 0.5) == bands[-1]
    assert scale.read(f"{highest}/{highest}") == highest
    with pytest.raises(ValueError, match="not one of"):
        scale.read(f"{highest}/{highest + 1}")


@pytest.mark.parametrize(
    ("task", "rating", "has"),
    [
        (OE, "YES", True),
        (OE, "MAYBE", False),
        (OE, 1.0, False),
        (WILD, 7.5, True),
        (WILD, 0.5, False),
        (WILD, "7", False),
    ],
)
def test_what_a_judge_may_have_said(task, rating, has):
    assert scale_of(task).has(rating) is has

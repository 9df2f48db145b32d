"""What the ratings of one or several humans say of a judge."""

from __future__ import annotations

import pytest

from hueval_metrics.judges.people.human_check import check_judges, human_rating
from hueval_metrics.judges.people.ratings import Rater
from hueval_metrics.judges.people.sample import Sample, draw, stratum_of
from hueval_metrics.stats.agreement import cohen_kappa, krippendorff_alpha, weighted_kappa
from tests.features.judges.people.verdicts import OE, QA, WILD, item


def sample_of(*items):
    """All of them, under their own qid as id."""
    return Sample({one.qid: one for one in items}, draw(items, len(items), 0).population)


def rater(name="anna", comments=None, **ratings):
    return Rater(name, ratings, comments or {})


LABELS = [item("a", "YES"), item("b", "YES"), item("c", "NO"), item("d", "NO", words="NO, since"), item("e", "YES")]


@pytest.mark.parametrize(
    ("ratings", "together"),
    [
        ([], None),
        (["YES"], "YES"),
        (["YES", "NO"], None),
        (["YES", "NO", "NO"], "NO"),
        (["CORRECT", "INCORRECT", "NOT_ATTEMPTED"], None),
        ([7.0, 8.0, 10.0], pytest.approx(25 / 3)),
    ],
)
def test_human_rating(ratings, together):
    assert human_rating(ratings) == together


def test_one_rater():
    (check,) = check_judges(sample_of(*LABELS), [rater(a="YES", b="NO", c="NO", d="YES")])
    assert (check.rubric, check.judge, check.tasks, check.is_label) == ("huproverbrea_oe/1", "judge-1", [OE], True)
    assert (check.n_sheet, check.n_rated, check.n_ties, check.n_verdicts, check.n_reached) == (5, 4, 0, 5, 5)
    assert check.sample.agreement.value == 50.0
    pairs = [("YES", "YES"), ("NO", "YES"), ("NO", "NO"), ("YES", "NO")]
    assert check.sample.kappa == cohen_kappa(pairs)
    assert (check.confusion.labels, check.confusion.counts) == (["YES", "NO"], [[1, 1], [1, 1]])
    assert [(one.id, one.human, one.judge, one.words) for one in check.apart] == [
        ("b", "NO", "YES", "because"),
        ("d", "YES", "NO", "NO, since"),
    ]
    (only,) = check.raters
    assert (only.name, only.n_rated, only.n_unrated, only.kappa) == ("anna", 4, 1, cohen_kappa(pairs))
    assert check.between is None


def test_the_weighted_numbers_count_the_verdicts_behind_each_item():
    """Two YES stand for 90 verdicts and two NO for 10; the judge is right on the YES and wrong on the NO."""
    items = [item("a", "YES"), item("b", "YES"), item("c", "NO"), item("d", "NO")]
    sample = Sample({one.qid: one for one in items}, {stratum_of(items[0]): 90, stratum_of(items[2]): 10})
    (check,) = check_judges(sample, [rater(a="YES", b="YES", c="YES", d="YES")])
    assert check.sample.agreement.value == 50.0
    assert check.runs.agreement.value == pytest.approx(90.0)
    assert check.sample.difference.value == -50.0
    assert check.runs.difference.value == pytest.approx(-10.0)
    assert check.n_verdicts == 100


def test_a_band_that_nobody_rated_is_not_spoken_of():
    (check,) = check_judges(sample_of(*LABELS), [rater(a="YES", b="YES")])
    assert (check.n_verdicts, check.n_reached) == (5, 3)
    assert check.runs.agreement.value == 100.0


def test_several_raters():
    raters = [
        rater("anna", a="YES", b="NO", c="NO", d="YES"),
        rater("bela", {"b": "nem ugyanaz"}, a="YES", b="NO", c="YES"),
        rater("cili", a="NO", b="NO", c="NO"),
    ]
    (check,) = check_judges(sample_of(*LABELS), raters)
    assert (check.n_rated, check.n_ties) == (4, 0)
    assert [(one.id, dict(one.ratings), dict(one.comments)) for one in check.apart] == [
        ("b", {"anna": "NO", "bela": "NO", "cili": "NO"}, {"bela": "nem ugyanaz"}),
        ("d", {"anna": "YES"}, {}),
    ]
    units = [("YES", "YES", "NO"), ("NO", "NO", "NO"), ("NO", "YES", "NO"), ("YES", None, None), (None, None, None)]
    assert check.between.alpha == krippendorff_alpha(units)
    assert check.between.agreement.n == 3
    assert check.between.kappa is None
    assert [(one.name, one.n_rated, one.n_unrated) for one in check.raters] == [
        *(("anna", 4, 1), ("bela", 3, 2), ("cili", 3, 2))
    ]


def test_two_raters_who_differ_over_a_label_decide_nothing():
    raters = [rater("anna", a="YES", b="NO", c="NO"), rater("bela", a="NO", b="NO", c="NO")]
    (check,) = check_judges(sample_of(*LABELS), raters)
    assert (check.n_rated, check.n_ties) == (2, 1)
    assert check.between.kappa == cohen_kappa([("YES", "NO"), ("NO", "NO"), ("NO", "NO")])


def test_scores_are_averaged_and_banded_and_those_farthest_apart_come_first():
    items = [item("a", 8.0, WILD), item("b", 3.0, WILD), item("c", 5.0, WILD), item("d", 6.0, WILD)]
    raters = [rater("anna", a=8.0, b=7.0, c=5.0, d=5.0), rater("bela", a=7.0, b=8.0, c=5.0)]
    (check,) = check_judges(sample_of(*items), raters)
    assert not check.is_label
    assert [(one.id, one.human) for one in check.apart] == [("b", 7.5), ("d", 5.0), ("a", 7.5)]
    assert check.sample.kappa == weighted_kappa([(7.5, 8.0), (7.5, 3.0), (5.0, 5.0), (5.0, 6.0)])
    assert check.sample.difference.value == pytest.approx((0.5 - 4.5 + 0 + 1) / 4)
    assert check.confusion.labels == ["1-2", "3-4", "5-6", "7-8", "9-10"]
    assert check.confusion.counts == [[0] * 5, [0] * 5, [0, 0, 2, 0, 0], [0, 1, 0, 1, 0], [0] * 5]
    assert check.between.kappa == weighted_kappa([(8.0, 7.0), (7.0, 8.0), (5.0, 5.0)])


def test_each_judge_and_rubric_is_checked_by_itself():
    items = [item("a", "YES"), item("b", "NO", judge="other"), item("c", "CORRECT", QA), item("d", 7.0, WILD)]
    checks = check_judges(sample_of(*items), [rater(a="YES", b="NO", c="CORRECT")])
    assert [(check.rubric, check.judge) for check in checks] == [
        ("huproverbrea_oe/1", "judge-1"),
        ("huproverbrea_oe/1", "other"),
        ("husimpleqa/1", "judge-1"),
    ]  # of the scores nothing was rated


def test_labels_and_scores_of_judges_whom_the_log_does_not_name_stay_apart():
    items = [item("a", "YES", rubric="?", judge="?"), item("b", 7.0, WILD, rubric="?", judge="?")]
    checks = check_judges(sample_of(*items), [rater(a="YES", b=6.0)])
    assert [(check.tasks, check.is_label, check.n_verdicts) for check in checks] == [
        ([WILD], False, 1),
        ([OE], True, 1),
    ]


def test_raters_who_tie_on_everything_leave_numbers_undefined():
    (check,) = check_judges(sample_of(*LABELS), [rater("anna", a="YES"), rater("bela", a="NO")])
    assert (check.n_rated, check.n_ties, check.runs, check.sample.agreement) == (0, 1, None, None)
    assert check.apart == []

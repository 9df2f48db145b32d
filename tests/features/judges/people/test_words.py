"""What a check looks like in print; whatever stands in runs and sheets is harmless there."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.judges.people.human_check import check_judges
from hueval_metrics.judges.people.ratings import Rater
from hueval_metrics.judges.people.sample import draw
from hueval_metrics.judges.report.people import as_json, as_markdown, as_text, export_lines
from tests.features.judges.people.verdicts import WILD, item


def checks_of(items, *raters, comment=""):
    """What raters who rate by qid say, their names first."""
    sample = draw(items, len(items), 0)
    ids = {one.qid: name for name, one in sample.items.items()}
    return check_judges(
        sample,
        [
            Rater(
                name,
                {ids[qid]: rating for qid, rating in ratings.items()},
                dict.fromkeys(ids.values() if comment else (), comment),
            )
            for name, ratings in raters
        ],
    )


def proverbs(words="NO, since\nthe moral differs.", rater="anna", comment="nehéz", **more):
    items = [item(f"q{i}", "YES" if i < 6 else "NO", words=words, **more) for i in range(8)]
    return checks_of(
        items, (rater, {"q0": "NO", **dict.fromkeys(["q1", "q2", "q3"], "YES"), "q6": "NO"}), comment=comment
    )


def test_labels_in_print():
    assert as_text(proverbs(), 5).splitlines() == [
        "judge-1 by huproverbrea_oe/1: 5 of 8 items rated",
        "                             sample as drawn     weighted to the runs",
        "Measure                   value   95 % interval  value   95 % interval",
        "──────────────────────────────────────────────────────────────────────",
        "accuracy of the judge, %  80.00  [37.55, 96.38]  81.25  [38.58, 96.76]",
        "Cohen's kappa             0.545                  0.600",
        "YES, %: judge - human     20.00   [0.00, 60.00]  18.75   [0.00, 80.00]",
        "Sample as drawn: rare labels are in it more often than in the runs. Weighted to the runs: each item",
        "counts for the verdicts that it stands for (8 of 8). Quote this for the runs.",
        "No interval: too few items, or full agreement, of which resampling shows no spread.",
        "",
        "Each rater against the judge",
        "Rater  rated  not rated  kappa  95 % interval",
        "─────────────────────────────────────────────",
        "anna       5          3  0.545",
        "",
        "Labels by human (rows) and judge",
        "        judge",
        "Human  YES  NO  all",
        "───────────────────",
        "YES      3   0    3",
        "NO       1   1    2",
        "all      4   1    5",
        "",
        "Where judge and human disagree (1 of 1; --show N)",
        "sb87380-7: openhueval_huproverbrea_oe q0, run-a: judge YES, human NO",
        "… the judge: NO, since the moral differs.",
        "… anna: nehéz",
    ]


def test_scores_in_print_with_two_raters():
    items = [item(f"q{i}", float(score), WILD) for i, score in enumerate([8, 6, 9, 3])]
    checks = checks_of(items, ("anna", {"q0": 7.0, "q1": 6.0, "q3": 6.0}), ("bela", {"q0": 8.0, "q1": 6.0}))
    assert as_text(checks, 1).splitlines() == [
        "judge-1 by huwildbench/1: 3 of 4 items rated",
        "                                 sample as drawn     weighted to the runs",
        "Measure                       value   95 % interval  value   95 % interval",
        "──────────────────────────────────────────────────────────────────────────",
        "at most 1 point apart, %      66.67  [20.77, 93.85]  66.67  [20.77, 93.85]",
        "quadratically weighted kappa  0.431  [0.000, 0.941]  0.431  [0.000, 0.941]",
        "mean score: judge - human     -0.83   [-3.00, 0.50]  -0.83   [-3.00, 0.50]",
        "Sample as drawn: rare labels are in it more often than in the runs. Weighted to the runs: each item",
        "counts for the verdicts that it stands for (3 of 4). Quote this for the runs.",
        "",
        "Each rater against the judge",
        "Rater  rated  not rated  kappa   95 % interval",
        "──────────────────────────────────────────────",
        "anna       3          1  0.318  [0.000, 0.727]",
        "bela       2          2  1.000",
        "The raters among themselves, over 2 items: the same, % 50.00 [9.45, 90.55]; kappa 0.667;",
        "Krippendorff's alpha (interval) 0.727.",
        "",
        "Grades by human (rows) and judge",
        "                judge",
        "Human  1-2  3-4  5-6  7-8  9-10  all",
        "────────────────────────────────────",
        "1-2      0    0    0    0     0    0",
        "3-4      0    0    0    0     0    0",
        "5-6      0    1    1    0     0    2",
        "7-8      0    0    0    1     0    1",
        "9-10     0    0    0    0     0    0",
        "all      0    1    1    1     0    3",
        "",
        "Where judge and human disagree (1 of 2; --show N)",
        "s73e9cc-3: openhueval_huwildbench q3, run-a: judge 3, human 6",
        "… the judge: because",
    ]


def test_what_is_undefined_is_said_to_be():
    text = as_text(checks_of([item("q0", "YES")], ("anna", {"q0": "YES"}), ("bela", {"q0": "NO"})), 5)
    assert "judge-1 by huproverbrea_oe/1: 0 of 1 items rated" in text
    assert "undefined: no item rated" in text
    assert "Left out, since the raters tie: 1, hard cases mostly." in text
    assert "Where judge and human disagree" not in text
    assert "nan" not in text


@pytest.mark.parametrize(("show", "shown"), [(0, 0), (1, 1), (9, 2)])
def test_as_many_items_are_listed_as_asked_for(show, shown):
    items = [item(f"q{i}", "YES", words="WORDS") for i in range(3)]
    checks = checks_of(items, ("anna", {"q0": "NO", "q1": "NO", "q2": "YES"}))
    assert as_text(checks, show).count("WORDS") == as_markdown(checks, show).count("WORDS") == shown
    assert len(json.loads(as_json(checks, []))["judges"][0]["apart"]) == 2


EVIL = "\x1b[31mred\x1b[0m\u202e<img src=x onerror=alert(1)> | `**_x_**`\n# head"


def test_what_stands_in_runs_and_sheets_is_harmless_in_print():
    checks = proverbs(words=EVIL, rater=EVIL, comment=EVIL, run=EVIL, judge=EVIL, rubric=EVIL)
    text, markdown = as_text(checks, 9), as_markdown(checks, 9)
    for printed in (text, markdown):
        assert "red" in printed
        assert not {"\x1b", "\u202e"} & set(printed)
    assert "<img" not in markdown
    assert not [line for line in markdown.splitlines() if line.startswith("# head")]
    assert not markdown.count("**_x_**")


def test_json_has_everything_word_for_word():
    (check,) = json.loads(as_json(proverbs(words=EVIL), ["a line"]))["judges"]
    assert [one["words"] for one in check["apart"]] == [EVIL]
    assert check["sample"]["agreement"]["n"] == 5
    assert check["confusion"] == {"bands": ["YES", "NO"], "counts": [[3, 0], [1, 1]]}
    assert json.loads(as_json([], ["a line"])) == {"judges": [], "problems": ["a line"]}


def test_what_was_drawn():
    items = [item(f"q{i}", "YES" if i < 1500 else "NO") for i in range(2000)]
    assert export_lines(draw(items, 100, 0), 100, {"without a verdict": 1234}) == [
        "openhueval_huproverbrea_oe, judge-1, NO: 25 of 500",
        "openhueval_huproverbrea_oe, judge-1, YES: 75 of 1,500",
        "Not to be checked: 1,234 without a verdict.",
    ]

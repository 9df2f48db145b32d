"""`hueval judge-agreement`: what is compared with what, what is refused, and what the numbers in print stand for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hueval_metrics.cli import main
from hueval_metrics.errors import InputError
from hueval_metrics.judges.people.judge_agreement import compare
from hueval_metrics.judges.people.judge_ratings import Judge, Ratings, load_ratings
from hueval_metrics.judges.report.judge_agreement import as_json, as_text
from hueval_metrics.stats.agreement import krippendorff_alpha
from tests.each import each
from tests.helpers import load_cases, why

OE, QA, WILD, RULE = (f"openhueval_{t}" for t in ("huproverbrea_oe", "husimpleqa", "huwildbench", "humatchingfib"))
TWO = "openhueval_huproverbrea_2cq"  # its key has a second field


def verdict(rating: str | float | None, judge: str, rubric: str = "huproverbrea_oe/1", **more) -> dict:
    is_label = isinstance(rating, str)
    return {
        "label": rating if is_label else None,
        "score": None if is_label else rating,
        "raw": "…",
        "judge": judge,
        "rubric": rubric,
        "error": "no reply" if rating is None else None,
        **more,
    }


def item(qid: str, said: dict | None, task: str = OE, prediction: str = "a response", **more) -> dict:
    return {"task": task, "qid": qid, "prediction": prediction, "answer": "…", "metrics": {}, "verdict": said, **more}


def write(path: Path, rows: list) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def scored(folder: Path, judge: str, ratings: list, **more) -> Path:
    """A folder as `hueval score` leaves it, of one task, with a rating each for q0, q1, …"""
    write(folder / "items.jsonl", [item(f"q{i}", verdict(r, judge), **more) for i, r in enumerate(ratings)])
    return folder


def ratings_of(judges: dict[str, list], rubric: str = "huproverbrea_oe/1") -> Ratings:
    units = {(f"q{i}",): unit for i, unit in enumerate(zip(*judges.values(), strict=True))}
    return Ratings([Judge(f"judge-{name}", name, [rubric]) for name in judges], units, {}, 0)


@pytest.mark.parametrize("case", load_cases("judge_agreement"), ids=why)
def test_printed(case):
    task = compare(case["task"], ratings_of(case["judges"], case["rubric"]))
    assert as_text([task], case["show"]).splitlines() == case["lines"]


def test_three_judges_are_compared_two_by_two_and_all_together():
    judges = {"a": ["YES", "NO", "NO", "YES"], "b": ["YES", "NO", "YES", "YES"], "c": ["YES", "YES", None, "YES"]}
    task = compare(OE, ratings_of(judges))
    assert [(pair.judges, pair.n, pair.agreement.value) for pair in task.pairs] == [
        ((0, 1), 4, 75.0),
        ((0, 2), 3, pytest.approx(200 / 3)),
        ((1, 2), 3, pytest.approx(200 / 3)),
    ]
    assert task.alpha == krippendorff_alpha(zip(*judges.values(), strict=True))
    assert task.fleiss.n == 3  # what all three have rated
    lines = as_text([task], 5).splitlines()
    assert any(line.startswith("Fleiss' kappa") and "A–C" in line for line in lines)
    assert lines[-2:] == ["q2   NO  YES  –", "q1   NO  NO   YES"]


@each(("judges", "tables"), [("ab", 1), ("abc", 3), ("abcd", 0)])
def test_a_table_of_labels_for_every_two_unless_there_are_too_many(judges, tables):
    text = as_text([compare(OE, ratings_of({judge: ["YES", "NO"] for judge in judges}))], 0)
    assert text.count("Labels by") == tables
    assert ("6 tables, with --json" in text) == (tables == 0)


def test_change_of_the_headline_is_paired_over_what_both_have_rated():
    yes, no = "CORRECT", "INCORRECT"
    judges = {"a": [yes, yes, no, yes], "b": [yes, no, no, None], "c": [yes, yes, yes, yes]}
    pair, *_ = compare(QA, ratings_of(judges)).pairs
    assert (pair.headline, pair.n) == ("CORRECT, %", 3)
    assert pair.under == pytest.approx((200 / 3, 100 / 3))
    assert pair.change.value == pytest.approx(-100 / 3)
    assert (pair.confusion.labels, pair.confusion.counts) == (["CORRECT", "INCORRECT"], [[1, 1], [0, 1]])


def test_labels_of_an_unknown_rubric_have_no_headline():
    (pair,) = compare("mine", ratings_of({"a": ["GOOD", "BAD"], "b": ["GOOD", "GOOD"]})).pairs
    assert (pair.headline, pair.under, pair.change) == (None, None, None)


def test_the_worst_come_first():
    scores = compare(WILD, ratings_of({"a": [5, 1, 7, 3], "b": [5, 10, 6, 3]}, "huwildbench/1"))
    assert [one.item["qid"] for one in scores.apart] == ["q1", "q2"]
    labels = compare(OE, ratings_of({"a": ["YES", "NO", "A"], "b": ["YES", "YES", "B"], "c": ["YES", "NO", "C"]}))
    assert [one.item["qid"] for one in labels.apart] == ["q2", "q1"]


def test_scores_that_do_not_vary_have_no_correlation():
    (pair,) = compare(WILD, ratings_of({"a": [5, 5, 5], "b": [4, 5, 6]}, "huwildbench/1")).pairs
    assert (pair.pearson, pair.spearman) == (None, None)
    assert pair.kappa.value == pytest.approx(0, abs=1e-12)


def test_json_has_everything_and_null_for_what_is_undefined():
    undefined = compare(OE, ratings_of({"a": ["YES", "YES"], "b": ["YES", "YES"]}))
    parted = compare(QA, ratings_of({"a": ["CORRECT", "CORRECT"], "b": ["INCORRECT", "NOT_ATTEMPTED"]}))
    data = json.loads(as_json([undefined, parted], 1))
    assert data[OE]["alpha"] is None
    assert data[OE]["pairs"][0]["agreement"]["n"] == 2
    assert data[QA]["pairs"][0]["confusion"]["counts"] == [[0, 1, 1], [0, 0, 0], [0, 0, 0]]
    assert data[QA]["apart"] == [{"qid": "q0", "correct_option": None, "ratings": ["CORRECT", "INCORRECT"]}]
    assert data[QA]["n_apart"] == 2


def test_runs_are_matched_by_question_and_response(tmp_path):
    """In another order; one response differs, one is in one run only, one has no verdict, one is unreadable."""
    a = [item(f"q{i}", verdict("YES", "judge-a")) for i in range(6)]
    b = [item(f"q{i}", verdict("NO", "judge-b")) for i in (4, 3, 2, 1, 0)]
    b[0]["prediction"] = "another response"
    b[1]["verdict"] = verdict(None, "judge-b")
    b[2]["verdict"] = verdict("NO", "judge-b", error="unreadable, counted as NO")
    paths = [write(tmp_path / "a" / "items.jsonl", a).parent, write(tmp_path / "b.jsonl", b)]
    found = load_ratings(paths)[OE]
    assert found.units == {("q0",): ("YES", "NO"), ("q1",): ("YES", "NO")}
    assert found.left_out == {
        "with fewer than two ratings": 2,
        "with another response in another run": 1,
        "in one run only": 1,
    }
    assert found.n_unreadable == 1
    assert [(judge.name, judge.file) for judge in found.judges] == [
        ("judge-a", str(tmp_path / "a" / "items.jsonl")),
        ("judge-b", str(tmp_path / "b.jsonl")),
    ]
    text = as_text([compare(OE, found)], 0)
    assert "Not compared: 2 with fewer than two ratings, 1 with another response in another run, 1 in one run" in text
    assert "Unreadable replies, not counted as ratings: 1." in text


def test_the_same_qid_of_two_presentations_is_two_questions(tmp_path):
    def rows(judge, *labels):
        return [item("q", verdict(label, judge), TWO, correct_option=n) for n, label in enumerate(labels, start=1)]

    paths = [write(tmp_path / "a.jsonl", rows("a", "YES", "NO")), write(tmp_path / "b.jsonl", rows("b", "YES", "YES"))]
    found = load_ratings(paths)[TWO]
    assert found.units == {("q", 1): ("YES", "YES"), ("q", 2): ("NO", "YES")}
    compared = compare(TWO, found)
    (apart,) = json.loads(as_json([compared], 5))[TWO]["apart"]
    assert apart == {"qid": "q", "correct_option": 2, "ratings": ["NO", "YES"]}
    assert as_text([compared], 5).splitlines()[-1] == "q (2)  NO  YES"


def test_a_run_that_two_judges_have_judged_names_both(tmp_path):
    mixed = [item("q0", verdict("YES", "y")), item("q1", verdict("NO", "x"))]
    paths = [write(tmp_path / "a.jsonl", mixed), scored(tmp_path / "b", "z", ["YES", "NO"])]
    assert [judge.name for judge in load_ratings(paths)[OE].judges] == ["x+y", "z"]


def test_tasks_that_only_one_run_has_judged_are_left_out(tmp_path):
    a = [
        item("q0", verdict("YES", "a")),
        item("q0", verdict("CORRECT", "a", "husimpleqa/1"), QA),
        item("q0", None, RULE),
    ]
    b = [item("q0", verdict("NO", "b")), item("q0", verdict(None, "b", "husimpleqa/1"), QA), item("q0", None, RULE)]
    assert list(load_ratings([write(tmp_path / "a.jsonl", a), write(tmp_path / "b.jsonl", b)])) == [OE]


def test_a_task_without_a_common_response_is_printed_as_such(tmp_path):
    a = [item("q0", verdict("YES", "a")), item("p", verdict(7, "a", "huwildbench/1"), WILD)]
    b = [item("q0", verdict("NO", "b")), item("p", verdict(8, "b", "huwildbench/1"), WILD, prediction="another")]
    found = load_ratings([write(tmp_path / "a.jsonl", a), write(tmp_path / "b.jsonl", b)])
    text = as_text([compare(task, ratings) for task, ratings in found.items()], 5)
    assert f"{WILD}: 2 judges, 0 responses" in text
    assert "Not compared: 1 with another response in another run." in text


def test_one_run_judged_again_compares_its_verdicts_oldest_first(tmp_path):
    rows = [
        item("q0", verdict("YES", "new"), earlier_verdicts=[verdict("NO", "first"), verdict("YES", "second")]),
        item("q1", verdict("NO", "new"), earlier_verdicts=[verdict("YES", "second")]),
        item("q2", verdict("NO", "new"), earlier_verdicts=[]),
        item("q3", verdict("NO", "new")),
    ]
    found = load_ratings([write(tmp_path / "items.jsonl", rows)])[OE]
    assert [judge.name for judge in found.judges] == ["first", "second", "new"]
    assert found.units == {("q0",): ("NO", "YES", "YES"), ("q1",): (None, "YES", "NO")}
    assert found.left_out == {"with fewer than two ratings": 2}


def test_one_run_of_a_panel_compares_its_members(tmp_path):
    votes = [verdict("YES", "a"), verdict("NO", "a"), verdict("YES", "b")]
    rows = [
        item("q0", verdict("YES", "a*2+b", votes=votes)),
        item("q1", verdict("YES", "a*2+b", votes=[votes[0], votes[0], verdict(None, "b")])),
    ]
    found = load_ratings([write(tmp_path / "items.jsonl", rows)])[OE]
    assert [judge.name for judge in found.judges] == ["a #1", "a #2", "b"]
    assert found.units == {("q0",): ("YES", "NO", "YES"), ("q1",): ("YES", "YES", None)}


def test_a_panel_beside_an_earlier_judge_compares_the_members_with_it(tmp_path):
    panel = verdict("YES", "a+b", votes=[verdict("YES", "a"), verdict("NO", "b")])
    file = write(tmp_path / "items.jsonl", [item("q0", panel, earlier_verdicts=[verdict("NO", "first")])])
    found = load_ratings([file])[OE]
    assert [judge.name for judge in found.judges] == ["first", "a", "b"]
    assert found.units == {("q0",): ("NO", "YES", "NO")}


def test_a_member_s_reply_that_the_cache_gave_again_is_one_rating(tmp_path):
    """Else it would agree with itself; a judge asked anew is another rating."""

    def judges(alone):
        panel = verdict("YES", "a+b", votes=[verdict("YES", "a"), verdict("NO", "b")])
        rows = [item("q0", alone, earlier_verdicts=[panel]), item("q1", panel, earlier_verdicts=[alone])]
        found = load_ratings([write(tmp_path / "items.jsonl", rows)])[OE]
        return sorted(judge.name for judge in found.judges)

    assert judges(verdict("NO", "b", cached=True)) == ["a", "b"]
    assert judges(verdict("NO", "b")) == judges(verdict("YES", "b", cached=True)) == ["a", "b #1", "b #2"]


def test_among_several_runs_a_panel_is_one_judge(tmp_path):
    panel = verdict("YES", "a+b", votes=[verdict("YES", "a"), verdict("NO", "b")])
    paths = [write(tmp_path / "a.jsonl", [item("q0", panel)]), scored(tmp_path / "b", "c", ["NO"])]
    found = load_ratings(paths)[OE]
    assert ([judge.name for judge in found.judges], found.units) == (["a+b", "c"], {("q0",): ("YES", "NO")})


def test_different_rubrics_are_refused_unless_wanted():
    judges = [Judge("x", "a", ["husimpleqa/1"]), Judge("y", "b", ["husimpleqa/2"])]
    ratings = Ratings(judges, {("q0",): ("CORRECT", "CORRECT")}, {}, 0)
    with pytest.raises(InputError, match=r"rubrics \(x by husimpleqa/1; y by husimpleqa/2\).*--any-rubric"):
        compare(QA, ratings)
    assert compare(QA, ratings, any_rubric=True).n == 1


def test_labels_and_scores_are_not_compared():
    with pytest.raises(InputError, match="some verdicts are labels, others scores"):
        compare(OE, ratings_of({"a": ["YES"], "b": [7.0]}))


@each(
    ("files", "line"),
    [
        ({}, r"nowhere: no such file or folder\. Name what `hueval score` has written"),
        ({"a/other.txt": []}, r"a: no items\.jsonl in this folder"),
        ({"a.jsonl": ["{broken"], "b.jsonl": []}, r"a\.jsonl line 1: not JSON"),
        ({"a.jsonl": ["[]"]}, r"a\.jsonl line 1: expected a JSON object"),
        ({"a.jsonl": [{"qid": "q", "prediction": "x"}]}, r'a\.jsonl line 1: no "task", "qid" and "verdict"\. Score'),
        ({"a.jsonl": [item("q", None)] * 2}, r"a\.jsonl line 2: qid q of openhueval_huproverbrea_oe was already at li"),
        ({"a.jsonl": []}, r"a\.jsonl: no verdicts"),
        ({"a.jsonl": [item("q", None, RULE)], "b.jsonl": [item("q", None, RULE)]}, "no verdicts. The tasks are scored"),
        ({"a.jsonl": [item("q", verdict(None, "a"))]}, "no verdicts"),
        ({"a.jsonl": [item("q", verdict("YES", "a"))]}, "one judge a task. .*--rejudge MODEL"),
        (
            {"a.jsonl": [item("q", verdict("YES", "a"))], "b.jsonl": [item("q", verdict("CORRECT", "b"), QA)]},
            r"the same task is not judged in two of them \(openhueval_huproverbrea_oe, openhueval_husimpleqa\)",
        ),
        (
            {"a.jsonl": [item("q", verdict("YES", "a"))], "b.jsonl": [item("q", verdict("YES", "b"), prediction="x")]},
            r"no response has two ratings \(openhueval_huproverbrea_oe: 1 with another response in another run\)",
        ),
        (
            {"a.jsonl": [item("q", verdict("YES", "a"))], "b.jsonl": [item("p", verdict("YES", "b"))]},
            r"no response has two ratings \(openhueval_huproverbrea_oe: 2 in one run only\)",
        ),
    ],
)
def test_what_cannot_be_compared_is_said_in_one_line(files, line, tmp_path, capsys):
    for name, rows in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), encoding="utf-8")
    paths = [str(tmp_path / name).removesuffix("/other.txt") for name in files] or [str(tmp_path / "nowhere")]
    assert main(["judge-agreement", *paths]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    with pytest.raises(InputError, match=line):
        load_ratings([Path(path) for path in paths])


def test_a_run_named_twice_is_refused(tmp_path):
    folder = scored(tmp_path / "a", "a", ["YES"])
    with pytest.raises(InputError, match="named twice"):
        load_ratings([folder, folder / "items.jsonl"])


def test_verdicts_that_anyone_may_have_written_are_no_crash(tmp_path):
    odd = ["YES", 7, [], {}, {"votes": 3}, {"votes": [None, "x", {}]}, {"label": ["YES"]}, {"score": 1e999}]
    rows = [item(f"q{i}", said, earlier_verdicts=said) for i, said in enumerate(odd)]
    rows.append(item("q", verdict("YES", "\x1b[31mred\n"), earlier_verdicts=[verdict("N\x1b[31mO", "b")]))
    found = load_ratings([write(tmp_path / "items.jsonl", rows)])[OE]
    assert list(found.units) == [("q",)]
    assert "\x1b" not in as_text([compare(OE, found)], 5)


def test_the_command(tmp_path, capsys):
    a, b = scored(tmp_path / "a", "x", ["YES", "NO", "NO"]), scored(tmp_path / "b", "y", ["YES", "NO", "YES"])
    assert main(["judge-agreement", str(a), str(b)]) == 0
    printed = capsys.readouterr().out
    assert "Cohen's kappa" in printed and "(1 of 1; --show N)" in printed
    assert main(["judge-agreement", str(a), str(b), "--json", "--show", "0"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data[OE]["pairs"][0]["agreement"]["value"] == pytest.approx(200 / 3)
    assert (data[OE]["apart"], data[OE]["n_apart"]) == ([], 1)

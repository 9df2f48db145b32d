"""What cannot be calibrated: one line each that says what, where and how to fix it, and no number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hueval_metrics.cli import main
from tests.features.judges.calibrate.runs import HALF, OE, QA, row, run_of, verdict, write_run

FIT = ("fit", "--output", "new.json", "--judge")


def fails_to_fit(hueval, folder, judge: str, reference: str) -> str:
    found = hueval(*FIT, judge, "--reference", reference)
    assert not (folder / "new.json").exists()
    return found


def test_no_common_items(hueval, folder):
    rows = [row(OE, f"other{i}", "x", verdict(OE, "YES", "gold")) for i in range(40)]
    write_run(folder / "others", {OE: rows})
    assert fails_to_fit(hueval, folder, "alpha.cheap", "others") == (
        "hueval: alpha.cheap: no answer that the reference rated, too (no common items). Name runs of the same "
        "predictions, or the sheet that was drawn from them"
    )


def test_other_answers_under_the_same_ids(hueval, folder):
    assert "(60 whose run has other responses than the reference's)" in fails_to_fit(
        hueval, folder, "alpha.cheap", "beta.gold"
    )


def test_two_models_that_answer_some_items_alike(hueval, folder):
    # The 40 common answers are the easy ones: as ratings of alpha's own answers they would be a biased sample.
    responses = [f"{'alpha' if i < 40 else 'gamma'} {i}" for i in range(60)]
    rows = [row(OE, f"q{i}", text, verdict(OE, "YES", "gold")) for i, text in enumerate(responses)]
    write_run(folder / "gamma.gold", {OE: rows})
    told = fails_to_fit(hueval, folder, "alpha.cheap", "gamma.gold")
    assert "(60 whose run has other responses than the reference's)" in told


def test_fewer_than_30(hueval, folder):
    run_of(folder / "alpha.few", HALF[:29], "gold")
    assert fails_to_fit(hueval, folder, "alpha.cheap", "alpha.few") == (
        "hueval: openhueval_huproverbrea_oe: 29 answers rated by both, at least 30 are needed. Let the reference rate "
        "more of them"
    )


def test_another_version_of_the_rubric(hueval, folder):
    rows = [
        row(OE, f"q{i}", f"alpha {i}", verdict(OE, said, "gold", rubric="huproverbrea_oe/2"))
        for i, said in enumerate(HALF)
    ]
    write_run(folder / "newer", {OE: rows})
    assert fails_to_fit(hueval, folder, "alpha.cheap", "newer") == (
        "hueval: openhueval_huproverbrea_oe: judge and reference followed different rubrics (huproverbrea_oe/1 against "
        "huproverbrea_oe/2). Judge again by one"
    )


def test_the_lexical_judge_follows_the_same_rubric_without_a_version(hueval, folder):
    rows = [
        row(OE, f"q{i}", f"alpha {i}", verdict(OE, said, "lexical", rubric="huproverbrea_oe/lexical-1"))
        for i, said in enumerate(HALF)
    ]
    write_run(folder / "words", {OE: rows})
    hueval(*FIT, "words", "--reference", "alpha.gold", status=0)


def test_judge_and_reference_the_same(hueval, folder):
    run_of(folder / "alpha.again", HALF, "cheap")
    assert fails_to_fit(hueval, folder, "alpha.cheap", "alpha.again") == (
        f"hueval: {OE}: judge and reference are both cheap. Name runs that another judge has judged"
    )


def test_two_judges_in_one_run(hueval, folder):
    rows = [row(OE, f"q{i}", f"alpha {i}", verdict(OE, said, ("cheap", "other")[i % 2])) for i, said in enumerate(HALF)]
    write_run(folder / "mixed", {OE: rows})
    assert "several judges (cheap, other)" in fails_to_fit(hueval, folder, "mixed", "alpha.gold")
    assert "several references (cheap, other)" in fails_to_fit(hueval, folder, "alpha.gold", "mixed")


def test_runs_of_different_data(hueval, folder):
    run_of(folder / "alpha.old", HALF, "gold", data="older")
    assert fails_to_fit(hueval, folder, "alpha.cheap", "alpha.old") == (
        f"hueval: {OE}: alpha.cheap and alpha.old differ in data (abc against older). Name runs of the same data"
    )


def test_a_task_whose_family_does_not_say_what_another_rating_changes(hueval, folder, monkeypatch):
    from dataclasses import replace

    from hueval_metrics.judges.calibrate import fit
    from hueval_metrics.registry import declared

    monkeypatch.setattr(fit, "declared", lambda task: replace(declared(task), rated=None))
    assert "does not say what another rating changes. Declare Task.rated there" in fails_to_fit(
        hueval, folder, "alpha.cheap", "alpha.gold"
    )


def changed(run: Path, number: int, **parts: object) -> None:
    """A run with a row in which something else stands."""
    file = run / "items.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    lines[number - 1] = json.dumps(json.loads(lines[number - 1]) | parts) + "\n"
    file.write_text("".join(lines))


def test_an_item_that_is_there_twice(hueval, folder):
    changed(folder / "alpha.cheap", 9, qid="q2")
    assert fails_to_fit(hueval, folder, "alpha.cheap", "alpha.gold") == (
        f"hueval: alpha.cheap/items.jsonl line 9: qid q2 of {OE} was already at line 3. Score one run at a time: "
        "hueval score"
    )


@pytest.mark.parametrize("weight", [1e308, 0, -1.0, 1e-300, "2", None])
def test_a_weight_of_a_row_that_is_none(hueval, folder, weight):
    changed(folder / "alpha.cheap", 5, weight=weight)
    assert fails_to_fit(hueval, folder, "alpha.cheap", "alpha.gold") == (
        "hueval: alpha.cheap/items.jsonl line 5: the weight is no number from 1e-06 to 1e+09. Correct it"
    )


@pytest.mark.parametrize(
    "pair", ["abc", 5, ["a", 1.0], [[0.5], 1.0], [float("nan"), 1.0], [0.5, 1.0, {"a": 1}], {"a": 1}, [0.5, 1.0, [1]]]
)
def test_values_that_are_no_values(hueval, folder, pair):
    for judge in ("cheap", "gold"):
        run_of(folder / f"qa.{judge}", ["CORRECT"] * 40, judge, QA)
    values = row(QA, "q6", "{}", verdict(QA, "CORRECT", "cheap"))["values"]
    changed(folder / "qa.cheap", 7, values=values | {"ece": pair})
    assert fails_to_fit(hueval, folder, "qa.cheap", "qa.gold") == (
        f"hueval: qa.cheap/items.jsonl line 7: the values of {QA} q6 are unreadable. Score it again: hueval score"
    )


def test_a_run_that_is_named_twice(hueval, folder):
    assert "named twice" in hueval(*FIT, "alpha.cheap", "alpha.cheap/items.jsonl", "--reference", "alpha.gold")


def test_a_run_that_is_not_scored(hueval, folder):
    samples = folder / "live"
    samples.mkdir()
    (samples / f"samples_{OE}_2026-01-01T00-00-00.jsonl").write_text("{}\n")
    assert fails_to_fit(hueval, folder, "live", "alpha.gold") == (
        "hueval: live: not scored yet, no items.jsonl and results.json. Score it first: hueval score live --output DIR"
    )
    assert "no such file or folder" in fails_to_fit(hueval, folder, "nowhere", "alpha.gold")
    (folder / "empty").mkdir()
    assert fails_to_fit(hueval, folder, "empty", "alpha.gold") == (
        "hueval: empty: no items.jsonl and results.json in it. Name what `hueval score` wrote (--output)"
    )


def test_a_reference_model_that_rated_nothing(hueval, folder):
    assert fails_to_fit(hueval, folder, "alpha.cheap", "gpt-x") == (
        "hueval: --reference gpt-x: no such run or sheet, and no verdicts of a judge of this name in alpha.cheap. Name "
        "what `hueval score` wrote, or judge again: hueval score alpha.cheap --rejudge gpt-x --output DIR"
    )


def test_runs_and_sheets_together(hueval, folder):
    assert "sheets and runs" in hueval(*FIT, "alpha.cheap", "--reference", "sheet.xlsx", "alpha.gold")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.replace('"YES", "YES"]', '"YES", "NO"]', 1), "changed since it was written"),
        (lambda text: text[:-20], "not valid JSON"),
        (lambda text: text.replace("calibration/1", "calibration/9"), "not a calibration that this version reads"),
        (lambda text: "[]", "not a calibration that this version reads"),
    ],
)
def test_a_file_that_was_changed(hueval, folder, change, told):
    file = folder / "cal.json"
    file.write_text(change(file.read_text()))
    found = hueval("apply", "cal.json", "beta.cheap", "--output", "out")
    assert found.startswith("hueval: cal.json: ") and told in found and "hueval calibrate fit" in found
    assert not (folder / "out").exists()


def forged(folder, **parts) -> None:
    """A calibration with a right sha256 and other content."""
    from hueval_metrics.text.checksum import checksum

    data = json.loads((folder / "cal.json").read_text())
    data["tasks"][OE] |= parts
    data["sha256"] = checksum(data)
    (folder / "cal.json").write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"items": []}, f"tasks.{OE}.items is not as this version writes it"),
        ({"runs": {"alpha": "no"}}, f"tasks.{OE}.runs.alpha is not as this version writes it"),
        ({"items": [["0" * 16] * 3 + ["alpha", None, 1.0, "MAYBE", "NO"]] * 30}, "that its rubric does not have"),
        *(
            (
                {"items": [["0" * 16] * 3 + ["alpha", None, weight, "YES", "NO"]] * 30},
                "is not as this version writes it",
            )
            for weight in (-1.0, 1e-300, 1e308)
        ),
    ],
)
def test_a_file_of_another_shape(hueval, folder, parts, told):
    forged(folder, **parts)
    assert told in hueval("apply", "cal.json", "beta.cheap", "--output", "out")


def test_a_calibration_of_another_task(hueval, folder):
    run_of(folder / "qa", ["CORRECT"] * 40, "cheap", QA)
    assert hueval("apply", "cal.json", "qa", "--output", "out") == (
        f"hueval: qa: no verdicts on {OE}, of which the calibration is. Name a run of these tasks, or "
        "fit one of its own: hueval calibrate fit"
    )


def test_a_run_of_another_judge_rubric_or_data(hueval, folder):
    run_of(folder / "other", HALF, "other")
    assert hueval("apply", "cal.json", "other", "--output", "out") == (
        "hueval: other: openhueval_huproverbrea_oe is judged by other, and the calibration is of cheap. Judge it again "
        "(hueval score … --rejudge cheap), or fit one of its judge"
    )
    assert hueval("apply", "cal.json", "beta.gold", "--output", "out") == (
        "hueval: beta.gold: openhueval_huproverbrea_oe is judged by gold, the reference itself. Leave it out"
    )
    rows = [row(OE, f"q{i}", "x", verdict(OE, "YES", "cheap", rubric="huproverbrea_oe/2")) for i in range(40)]
    write_run(folder / "newer", {OE: rows})
    assert "by the rubric huproverbrea_oe/2, and the calibration is of huproverbrea_oe/1" in hueval(
        "apply", "cal.json", "newer", "--output", "out"
    )
    run_of(folder / "english", HALF, "cheap", q="en")
    assert "differs from the calibration in q (en against hu)" in hueval(
        "apply", "cal.json", "english", "--output", "out"
    )


def test_one_label_never_seen_by_the_reference(hueval, folder, capsys):
    run_of(folder / "gamma.cheap", ["YES"] * 40 + ["NO"] * 20, "cheap")
    run_of(folder / "gamma.gold", ["YES"] * 60, "gold")
    hueval(*FIT, "gamma.cheap", "--reference", "gamma.gold", status=0)
    main(["calibrate", "apply", "new.json", "gamma.cheap", "beta.cheap", "--output", "out"])
    own, transported = (
        json.loads((folder / "out" / name / "results.json").read_text())[OE] for name in ("gamma.cheap", "beta.cheap")
    )
    assert own["acc_calibrated"] == 100.0 and own["calibration"]["rogan_gladen"] == {}
    assert transported["acc_calibrated"] is transported["acc_calibrated_ci95"] is None
    assert transported["acc_calibrated_n"] == 0
    assert any("the reference rated no item NO" in line for line in transported["calibration"]["warnings"])
    assert own["calibration"]["warnings"] == [
        "gold rated no item NO, so the errors of cheap on such items are unknown",
        "60 ratings are few",
    ]


def test_a_judge_that_guesses_gives_no_transported_score(hueval, folder):
    run_of(folder / "gamma.cheap", HALF, "cheap")
    run_of(folder / "gamma.gold", ["YES", "YES", "NO", "NO"] * 15, "gold")
    hueval(*FIT, "gamma.cheap", "--reference", "gamma.gold", status=0)
    hueval("apply", "new.json", "beta.cheap", "--output", "out", status=0)
    found = json.loads((folder / "out" / "results.json").read_text())[OE]
    assert found["acc_calibrated"] is None
    assert any("sensitivity + specificity - 1 is 0.00" in line for line in found["calibration"]["warnings"])


def test_unreadable_verdicts_are_left_out_and_counted(hueval, folder):
    said = [*HALF[:50], *[None] * 10]
    run_of(folder / "gamma.cheap", said, "cheap")
    run_of(folder / "gamma.gold", [None, *HALF[1:]], "gold")
    hueval(*FIT, "gamma.cheap", "--reference", "gamma.gold", status=0)
    task = json.loads((folder / "new.json").read_text())["tasks"][OE]
    assert task["left_out"] == {
        "with an unreadable verdict of the reference": 1,
        "with an unreadable verdict of the judge": 10,
    }
    assert len(task["items"]) == 49 and task["runs"]["gamma.cheap"] == 50
    hueval("apply", "new.json", "gamma.cheap", "--output", "out", status=0)
    told = json.loads((folder / "out" / "results.json").read_text())[OE]["calibration"]["warnings"]
    assert "answers without a verdict that counts, left out: 10" in told


def test_a_run_that_is_calibrated_already(hueval, folder):
    hueval("apply", "cal.json", "beta.cheap", "--output", "out", status=0)
    assert "is calibrated already. Name the run that `hueval score` wrote" in hueval(
        "apply", "cal.json", "out", "--output", "twice"
    )


def test_runs_of_the_same_folder_name(hueval, folder):
    (folder / "elsewhere").mkdir()
    run_of(folder / "elsewhere" / "beta.cheap", HALF, "cheap")
    assert "two runs have folders of the same name" in hueval(
        "apply", "cal.json", "beta.cheap", "elsewhere/beta.cheap", "--output", "out"
    )


def test_check_without_anything_to_check(hueval, folder):
    assert "no answer that judge and reference rated" in hueval("check", "cal.json", "beta.cheap")
    assert "no answer that judge and reference rated" in hueval(
        "check", "cal.json", "beta.cheap", "--reference", "gold"
    )
    assert hueval("check", "cal.json", "beta.cheap", "--reference", "nothere") == (
        "hueval: --reference nothere: no such run or sheet, and no verdicts of a judge of this name in beta.cheap. "
        "Name what `hueval score` wrote, or judge again: hueval score beta.cheap --rejudge nothere --output DIR"
    )
    run_of(folder / "beta.third", HALF, "third")
    assert "is rated by third, and the calibration is to gold" in hueval(
        "check", "cal.json", "beta.cheap", "--reference", "beta.third"
    )


def test_a_cyclic_panel(hueval, folder):
    run_of(folder / "alpha.cyclic", HALF, "a+b/cyclic")
    said = (
        f"hueval: {OE}: a+b/cyclic is a cyclic panel, whose judges err differently. Have the answers judged by one of "
        "them: hueval score … --rejudge MODEL"
    )
    assert fails_to_fit(hueval, folder, "alpha.cyclic", "alpha.gold") == said
    assert fails_to_fit(hueval, folder, "alpha.gold", "alpha.cyclic") == said

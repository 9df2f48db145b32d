"""What cannot be calibrated: one line each that says what, where and how to fix it, and no number."""

from __future__ import annotations

import json
import shutil

import pytest

from hueval_metrics.cli import main
from tests.calibrate.runs import OE, QA, row, run_of, verdict, write_run

HALF = ["YES", "NO"] * 30


@pytest.fixture
def hueval(tmp_path, capsys, monkeypatch):
    """Runs `hueval calibrate` in a folder of its own; what it prints on standard error, of a call that fails."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, status: int = 1) -> str:
        capsys.readouterr()
        assert main(["calibrate", *arguments]) == status
        found = capsys.readouterr()
        assert status == 0 or found.out == ""
        assert status == 0 or found.err.count("\n") == 1
        return found.err.strip()

    return run


@pytest.fixture
def folder(tmp_path):
    """Runs of two models by a cheap judge and a good one, and a calibration of the first."""
    for model in ("alpha", "beta"):
        run_of(tmp_path / f"{model}.cheap", HALF, "cheap")
        run_of(tmp_path / f"{model}.gold", HALF, "gold")
    fit = ("fit", "--judge", f"{tmp_path}/alpha.cheap", "--reference", f"{tmp_path}/alpha.gold")
    assert main(["calibrate", *fit, "--output", f"{tmp_path}/cal.json"]) == 0
    return tmp_path


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
    assert "(60 with another response in the reference's run)" in fails_to_fit(
        hueval, folder, "alpha.cheap", "beta.gold"
    )


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

    from hueval_metrics.calibrate import fit
    from hueval_metrics.registry import declared

    monkeypatch.setattr(fit, "declared", lambda task: replace(declared(task), rated=None))
    assert "does not say what another rating changes. Declare Task.rated there" in fails_to_fit(
        hueval, folder, "alpha.cheap", "alpha.gold"
    )


@pytest.mark.parametrize("output", ["alpha.cheap/items.jsonl", "alpha.cheap/results.json", "alpha.cheap"])
def test_a_file_that_is_no_calibration_is_not_overwritten(hueval, folder, output):
    before = (folder / "alpha.cheap" / "results.json").read_bytes()
    found = hueval("fit", "--judge", "alpha.cheap", "--reference", "alpha.gold", "--output", output)
    assert found == f"hueval: --output {output}: is there already, and no calibration. Name another file"
    assert (folder / "alpha.cheap" / "results.json").read_bytes() == before


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
    from hueval_metrics.calibrate.file import _sha256

    data = json.loads((folder / "cal.json").read_text())
    data["tasks"][OE] |= parts
    data["sha256"] = _sha256(data)
    (folder / "cal.json").write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"items": []}, f"tasks.{OE}.items is not as this version writes it"),
        ({"runs": {"alpha": "no"}}, f"tasks.{OE}.runs.alpha is not as this version writes it"),
        ({"items": [["0" * 16] * 3 + ["alpha", None, 1.0, "MAYBE", "NO"]] * 30}, "that its rubric does not have"),
        ({"items": [["0" * 16] * 3 + ["alpha", None, -1.0, "YES", "NO"]] * 30}, "is not as this version writes it"),
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


@pytest.mark.parametrize("output", ["beta.cheap", "beta.cheap/inside", "./beta.cheap/../beta.cheap"])
def test_the_output_may_not_be_in_a_run(hueval, folder, output):
    before = (folder / "beta.cheap" / "results.json").read_bytes()
    found = hueval("apply", "cal.json", "beta.cheap", "--output", output)
    assert found.endswith("is in the run beta.cheap, which stays as it is. Name another")
    assert (folder / "beta.cheap" / "results.json").read_bytes() == before


def test_an_output_with_other_results(hueval, folder):
    shutil.copytree(folder / "alpha.gold", folder / "out")
    before = (folder / "out" / "results.json").read_bytes()
    assert hueval("apply", "cal.json", "beta.cheap", "--output", "out") == (
        "hueval: out: has other results already. Choose another folder with --output"
    )
    assert (folder / "out" / "results.json").read_bytes() == before


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
    run_of(folder / "beta.third", HALF, "third")
    assert "is rated by third, and the calibration is to gold" in hueval(
        "check", "cal.json", "beta.cheap", "--reference", "beta.third"
    )

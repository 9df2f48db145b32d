"""Where `hueval calibrate` writes: beside runs, over nothing that somebody else wrote."""

from __future__ import annotations

import shutil

import pytest

from hueval_metrics.cli import main

FIT_ALPHA = ("fit", "--judge", "alpha.cheap", "--reference", "alpha.gold", "--output")


@pytest.mark.parametrize("name", ["items.jsonl", "results.json", "new.json"])
def test_a_calibration_is_not_written_into_a_run(hueval, folder, name):
    before = {path.name: path.read_bytes() for path in (folder / "alpha.cheap").iterdir()}
    assert hueval(*FIT_ALPHA, f"alpha.cheap/{name}") == (
        f"hueval: --output alpha.cheap/{name}: is in the run alpha.cheap, which stays as it is. Name another"
    )
    assert {path.name: path.read_bytes() for path in (folder / "alpha.cheap").iterdir()} == before


def test_the_copy_of_a_calibration_in_a_calibrated_run_stays(hueval, folder):
    hueval("apply", "cal.json", "beta.cheap", "--output", "out", status=0)
    assert "is in the run out, which stays as it is" in hueval(*FIT_ALPHA, "out/calibration.json")


def test_another_file_is_not_overwritten(hueval, folder):
    fit_beta = ("fit", "--judge", "beta.cheap", "--reference", "beta.gold", "--output")
    (folder / "notes.json").write_text("{}")
    before = (folder / "cal.json").read_bytes()
    for name in ("cal.json", "notes.json"):
        assert hueval(*fit_beta, name) == (
            f"hueval: --output {name}: is there already, and no calibration of the same ratings. Name another file"
        )
    assert (folder / "notes.json").read_text() == "{}" and (folder / "cal.json").read_bytes() == before
    hueval(*FIT_ALPHA, "cal.json", status=0)  # the same again
    assert (folder / "cal.json").read_bytes() == before
    assert hueval(*FIT_ALPHA, "alpha.cheap") == "hueval: --output alpha.cheap: is a folder. Name a file in it"


def test_apply_overwrites_no_other_calibration(hueval, folder):
    hueval("fit", "--judge", "beta.cheap", "--reference", "beta.gold", "--output", "out/calibration.json", status=0)
    before = (folder / "out" / "calibration.json").read_bytes()
    assert hueval("apply", "cal.json", "beta.cheap", "--output", "out") == (
        "hueval: out/calibration.json: is another calibration. Choose another folder with --output"
    )
    assert [path.name for path in (folder / "out").iterdir()] == ["calibration.json"]
    hueval("apply", "out/calibration.json", "beta.cheap", "--output", "out", status=0)
    assert (folder / "out" / "calibration.json").read_bytes() == before


@pytest.mark.parametrize("output", ["cal.json", "cal.json/out"])
def test_a_file_in_place_of_the_output_folder(hueval, folder, output):
    assert hueval("apply", "cal.json", "beta.cheap", "--output", output) == (
        f"hueval: --output {output}: cal.json is a file. Name a folder"
    )
    assert hueval(*FIT_ALPHA, f"{output}/new.json") == f"hueval: --output {output}: cal.json is a file. Name a folder"


LONG = "x" * 300  # longer than a file system allows


@pytest.mark.parametrize(
    "arguments",
    [
        ("apply", "cal.json", "beta.cheap", "--output", LONG),
        ("apply", "cal.json", LONG, "--output", "out"),
        ("check", "cal.json", "beta.cheap", "--reference", LONG),
        (*FIT_ALPHA, LONG),
    ],
)
def test_names_that_are_too_long(hueval, folder, arguments):
    assert "File name too long" in hueval(*arguments)


def test_an_empty_path_is_not_the_current_folder(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    with pytest.raises(SystemExit, match="2"):
        main(["calibrate", "apply", "cal.json", "beta.cheap", "--output", ""])
    assert "argument --output: empty. Name a file or folder" in capsys.readouterr().err
    assert sorted(folder.iterdir()) == before


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

"""What upstream lacks and a folder may have: worked examples, and the questions in Simplified Chinese."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hf_datasets.card import check_card
from hf_datasets.check import check
from hf_datasets.convert import convert
from hf_datasets.hkmmlu.convert import REPO
from hf_datasets.load import load
from hf_datasets.opened import Opened
from hf_datasets.repo import MissingError
from tests.each import each

HEADER = "Question,A,B,C,D,Answer\n"
EXEMPLAR = {"question": "問？", "choices": ["甲", "乙"], "answer": "B", "reasoning": "因為。"}
FILES = {
    "test/hk_law.csv": f"{HEADER}問甲？,1,2,3,4,A\n",
    "dev/hk_law.csv": f"{HEADER}問乙？,1,2,3,4,B\n",
    "exemplars/hk_law.json": json.dumps(EXEMPLAR, ensure_ascii=False, indent=2),
    "sc/test/hk_law.csv": f"{HEADER}問甲？,1,2,3,4,A\n",
    "sc/dev/hk_law.csv": f"{HEADER}问乙？,1,2,3,4,B\n",
    "sc/exemplars/hk_law.json": json.dumps({**EXEMPLAR, "question": "问？"}, ensure_ascii=False),
}
SPLITS = ["validation", "test", "exemplars", "validation_sc", "test_sc", "exemplars_sc"]


def folder_with(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(FILES[name], encoding="utf-8")
    return folder


def found(folder: Path) -> list[tuple[str, str, str]]:
    """Severity, split and text of what a check finds beyond the distribution of labels."""
    findings = check(Opened(REPO, folder, "src"), "hk_law").findings
    return [(one.severity, one.split, one.what) for one in findings if one.what != 'rows with a "answer"']


def test_rows_of_each(tmp_path):
    folder = folder_with(tmp_path, *FILES)
    texts = {split: [(row["id"], row["question"]) for row in REPO.read(folder, "hk_law", split)] for split in SPLITS}
    assert texts == {
        "validation": [("hk_law-validation-1", "問乙？")],
        "test": [("hk_law-test-1", "問甲？")],
        "exemplars": [("hk_law-exemplars-1", "問？")],
        "validation_sc": [("hk_law-validation_sc-1", "问乙？")],
        "test_sc": [("hk_law-test_sc-1", "問甲？")],
        "exemplars_sc": [("hk_law-exemplars_sc-1", "问？")],
    }
    (exemplar,) = REPO.read(folder, "hk_law", "exemplars")
    assert {key: exemplar[key] for key in EXEMPLAR} == EXEMPLAR


@each("split", SPLITS[2:])
def test_a_folder_may_lack_it(tmp_path, split):
    folder = folder_with(tmp_path, "test/hk_law.csv", "dev/hk_law.csv")
    assert REPO.table("hk_law", split).split.optional
    with pytest.raises(MissingError):
        list(REPO.read(folder, "hk_law", split))
    with pytest.raises(MissingError):
        load(REPO, "hk_law", split, data_dir=folder)


def test_nothing_tells_that_it_is_not_there(tmp_path, caplog):
    folder = folder_with(tmp_path / "src", "test/hk_law.csv", "dev/hk_law.csv")
    few = ("note", "", "rows of all splits; the paper prints 412")
    skewed = ("note", "", "label distribution differs between splits by over 10 points (p = 0.2)")
    assert found(folder) == [few, skewed]
    convert(REPO, folder, tmp_path / "out")
    assert not [line for line in caplog.messages if "hk_law" in line and "left out" in line]
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "exemplars.parquet" not in card
    assert "hk_law/exemplars" not in card


def test_what_is_there_is_converted_and_not_counted(tmp_path, caplog):
    folder, out = folder_with(tmp_path / "src", *FILES), tmp_path / "out"
    manifest = convert(REPO, folder, out)
    assert {split: file.rows for split, file in manifest.configs["hk_law"].items()} == dict.fromkeys(SPLITS, 1)
    assert "hk_law: 2 rows, and the paper prints 412" in caplog.messages
    card = (out / "README.md").read_text(encoding="utf-8")
    assert check_card(card, REPO, manifest.tables) == []
    for split in SPLITS:
        loaded, original = load(REPO, "hk_law", split, data_dir=out), load(REPO, "hk_law", split, data_dir=folder)
        assert (loaded.rows, loaded.content) == (original.rows, original.content)


def test_it_is_not_compared_with_the_other_splits(tmp_path):
    """The first question is the same in both scripts: no leakage, and its label is counted once."""
    folder = folder_with(tmp_path, *FILES)
    assert found(folder) == found(folder_with(tmp_path / "own", "test/hk_law.csv", "dev/hk_law.csv"))


def test_a_whole_check_reads_an_object_of_several_lines(tmp_path):
    report = check(Opened(REPO, folder_with(tmp_path, *FILES), "src"))
    assert [one for one in report.findings if one.severity != "note"] == []


@each("name", ["exemplars/Hong Kong Law.json", "hk_law_exemplars.json", "data/exemplars/hk-law.JSON"])
def test_where_a_worked_example_may_lie(tmp_path, name):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(json.dumps(EXEMPLAR), encoding="utf-8")
    assert [row["question"] for row in REPO.read(tmp_path, "hk_law", "exemplars")] == ["問？"]

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hf_datasets.check import check
from hf_datasets.checks.findings import Finding
from hf_datasets.convert import convert
from hf_datasets.hkmmlu.convert import REPO
from hf_datasets.hkmmlu.subjects import SUBJECTS
from hf_datasets.opened import Opened
from hf_datasets.repo import MissingError
from hueval_metrics.errors import DataError
from tests.each import each

SAMPLE = REPO.folder / "sample"
HEADER = "Question,A,B,C,D,Answer\n"
LAW = {"subject": "hk_law", "subject_zh": "香港法律", "category": "Humanities", "is_hk_specific": True}
FAULTS = [
    ("no question", " ,1,2,3,4,A", 'row 1 (line 2): "Question" is "", expected some text'),
    ("a gap in the options", "Q,1,,3,4,A", 'row 1 (line 2): "B" is "", expected some text'),
    ("one option", "Q,1,,,,A", "row 1 (line 2): has 1 of the options A to D, expected 2 to 4"),
    ("no options", "Q,,,,,A", "row 1 (line 2): has 0 of the options A to D, expected 2 to 4"),
    ("a letter that is none", "Q,1,2,3,4,E", 'row 1 (line 2): "Answer" is "E", expected one of A, B, C, D'),
    ("the letter of no option", "Q,1,2,3,,D", 'row 1 (line 2): "Answer" is "D", expected one of A, B, C'),
    ("two letters", "Q,1,2,3,4,AB", 'row 1 (line 2): "Answer" is "AB", expected one of A, B, C, D'),
    ("no answer", "Q,1,2,3,4,", 'row 1 (line 2): "Answer" is "", expected one of A, B, C, D'),
    ("a line break before it", '"Q\nQ",1,2,3,4,x', 'row 1 (line 3): "Answer" is "x", expected one of A, B, C, D'),
    (
        "a full-width letter of no option",
        "Q,1,2,3,4,Ｅ",
        'row 1 (line 2): "Answer" is "Ｅ", expected one of A, B, C, D',
    ),
    ("a letter in brackets", "Q,1,2,3,4,（A）", 'row 1 (line 2): "Answer" is "（A）", expected one of A, B, C, D'),
    ("a cell too many", "Q,1,2,3,4,A,", "row 1 (line 2) has not 6 cells as the header has but 7"),
    ("a cell too few", "Q,1,2,3,A", "row 1 (line 2) has not 6 cells as the header has but 5"),
]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return folder


def test_a_question_comes_out_as_it_stands(tmp_path):
    folder = write(
        tmp_path, "test/hk_law.csv", HEADER + '"何者, 正確？\n「甲」",""一"",二 ,三,四, b\n'.replace('""', '"')
    )
    assert list(REPO.read(folder, "hk_law", "test")) == [
        {
            "id": "hk_law-test-1",
            "question": "何者, 正確？\n「甲」",
            "choices": ["一", "二 ", "三", "四"],
            "answer": "B",
            **LAW,
            "reasoning": None,
        }
    ]


def test_blank_last_options_are_none(tmp_path):
    folder = write(tmp_path, "test/hk_law.csv", HEADER + "Q,是,否,, ,A\nQ,甲,乙,丙,,C\n")
    assert [row["choices"] for row in REPO.read(folder, "hk_law", "test")] == [["是", "否"], ["甲", "乙", "丙"]]


@each(("line", "fault"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS])
def test_a_bad_row_is_refused_by_file_row_and_column(tmp_path, line, fault):
    folder = write(tmp_path, "test/hk_law.csv", HEADER + line + "\n")
    with pytest.raises(DataError) as error:
        list(REPO.read(folder, "hk_law", "test"))
    assert f"hk_law.csv {fault}" in str(error.value)
    assert "\n" not in str(error.value)


@each(
    ("name", "split"),
    [
        ("test/hk_law.csv", "test"),
        ("data/test/HK_Law.CSV", "test"),
        ("test/Hong Kong Law.csv", "test"),
        ("hk_law_test.csv", "test"),
        ("dev/hk_law.csv", "validation"),
        ("data/hk_law_dev.csv", "validation"),
        ("val/hk-law.csv", "validation"),
        ("test/hk_law_val.csv", "validation"),  # the file's own name says more than its folder's
    ],
)
def test_where_a_subject_may_lie(tmp_path, name, split):
    folder = write(tmp_path, name, HEADER + "Q,1,2,3,4,A\n")
    assert [row["id"] for row in REPO.read(folder, "hk_law", split)] == [f"hk_law-{split}-1"]
    other = {"test": "validation", "validation": "test"}[split]
    with pytest.raises(MissingError, match=r"has no (dev|test)/hk_law\.csv"):
        list(REPO.read(folder, "hk_law", other))


@each("name", ["test/hk_law.txt", "hk_law.csv", "test/law.csv", "train/hk_law.csv"])
def test_what_is_not_taken_for_it(tmp_path, name):
    folder = write(tmp_path, name, HEADER + "Q,1,2,3,4,A\n")
    with pytest.raises(MissingError):
        list(REPO.read(folder, "hk_law", "test"))


@each(
    ("name", "text"),
    [
        ("translation/can2man.csv", 'input,output\r\n"佢話:""得""","他说:""行"""\r\n'),
        ("Can2Man.csv", 'id,output,input\n0,"他说:""行""","佢話:""得"""\n'),
        ("yue_to_zh.jsonl", json.dumps({"input": '佢話:"得"', "output": '他说:"行"'}) + "\n"),
    ],
)
def test_translations(tmp_path, name, text):
    assert list(REPO.read(write(tmp_path, name, text), "yue_to_zh", "test")) == [
        {
            "id": "yue_to_zh-1",
            "input": '佢話:"得"',
            "output": '他说:"行"',
            "source_language": "yue",
            "target_language": "zh",
        }
    ]


@each(
    ("name", "text", "fault"),
    [
        ("can2man.csv", "input,output\n唔該,\n", 'row 1 (line 2): "output" is "", expected some text'),
        ("can2man.jsonl", '{"input": "唔該"}\n', 'line 1: "output" is missing, expected a string'),
        ("can2man.jsonl", '{"input": 1, "output": "x"}\n', 'line 1: "input" is 1, expected a string'),
    ],
)
def test_a_bad_translation(tmp_path, name, text, fault):
    with pytest.raises(DataError) as error:
        list(REPO.read(write(tmp_path, name, text), "yue_to_zh", "test"))
    assert f"{name} {fault}" in str(error.value)


def test_translations_are_read_one_at_a_time(tmp_path):
    folder = write(tmp_path, "can2man.csv", "input,output\n好,好\n坏,\n")
    rows = REPO.read(folder, "yue_to_zh", "test")
    assert next(rows)["input"] == "好"
    with pytest.raises(DataError, match="row 2"):
        next(rows)


def test_the_sample_has_every_subject_and_both_directions():
    found = {}
    for config in REPO.configs:
        for split in config.splits:
            try:
                found[config.name, split.name] = list(REPO.read(SAMPLE, config.name, split.name))
            except MissingError:
                continue
    sizes = {at: len(rows) for at, rows in found.items()}
    for subject in SUBJECTS:
        assert sizes[subject, "test"] >= 2
        assert sizes[subject, "validation"] >= 1
        assert sizes[subject, "exemplars"] == 1
    assert {split for _, split in sizes} == {"test", "validation", "exemplars"}  # OpenCC converts its questions
    assert sizes["yue_to_zh", "test"] == sizes["zh_to_yue", "test"] == 6
    assert sizes["logic_reasoning", "validation"] == sizes["hk_history", "validation"] == 5  # as many as shots may be
    assert {len(row["choices"]) for at in SUBJECTS for row in found[at, "test"]} == {2, 3, 4}
    assert found["hk_law", "test"][1] == {
        "id": "hk_law-test-2",
        "question": "1997年7月1日以後，香港的終審權屬於哪一個法院？",
        "choices": ["區域法院", "高等法院", "終審法院", "裁判法院"],
        "answer": "C",
        **LAW,
        "reasoning": None,
    }
    assert found["logic_reasoning", "test"][0]["question"].count("\n") == 3
    assert found["economics", "test"][0]["choices"] == ["下降", "上升"]
    assert found["yue_to_zh", "test"][5]["output"] == '他说："等我一会儿，我马上就到。"'
    models = {config.name: config.row for config in REPO.configs}
    for (config, _), rows in found.items():
        for row in rows:
            models[config].model_validate(row)


def test_the_counts_are_those_of_the_paper():
    pairs = {config.name: config.split("test").printed for config in REPO.configs if config.printed is None}
    assert pairs == {"yue_to_zh": 90_550 // 2, "zh_to_yue": 90_550 // 2}
    assert sum(config.printed for config in REPO.configs if config.printed is not None) == 26_698


def test_the_papers_number_is_that_of_both_splits(tmp_path, caplog):
    lines = [f"Melyik a(z) {number}.?,egy,kettő,három,négy,A\n" for number in range(412)]
    for split, of_split in (("dev", lines[:5]), ("test", lines[5:])):
        (tmp_path / split).mkdir()
        (tmp_path / split / "hk_law.csv").write_text(HEADER + "".join(of_split), encoding="utf-8")
    convert(REPO, tmp_path, tmp_path / "out")
    assert [message for message in caplog.messages if message.startswith("hk_law")] == []
    counted = [finding.what for finding in check(Opened(REPO, tmp_path, "src"), "hk_law").findings]
    assert not any("the paper prints" in what for what in counted)
    (tmp_path / "test" / "hk_law.csv").write_text(HEADER + "".join(lines[6:]), encoding="utf-8")
    convert(REPO, tmp_path, tmp_path / "out")
    assert caplog.messages[-1] == "hk_law: 411 rows, and the paper prints 412"
    findings = check(Opened(REPO, tmp_path, "src"), "hk_law").findings
    assert Finding("note", "hk_law", "", "rows of all splits; the paper prints 412", 411) in findings
    (tmp_path / "test" / "hk_law.csv").unlink()
    findings = check(Opened(REPO, tmp_path, "src"), "hk_law").findings
    assert Finding("error", "hk_law", "test", "missing split", 1) in findings

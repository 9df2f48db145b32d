"""Data and settings of HKMMLU that are wrong, or only look so: one line each, or the same documents."""

from __future__ import annotations

import csv
import io
import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.hkmmlu.convert import REPO
from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.errors import DataError, HuevalError, InputError
from hueval_metrics.loader import documents, load
from hueval_metrics.registry import declared
from tests.each import each
from tests.families.hkmmlu.one_subject import EXEMPLAR, HEADER, row, write

LINE = ",".join(HEADER) + "\n"


def told(folder, task: str = "hkmmlu_hk_law", **settings) -> str:
    with pytest.raises(HuevalError) as error:
        documents(task, data_dir=str(folder), **settings)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("why", "content"),
    [
        ("a BOM", "\ufeff" + LINE + "問？,甲,乙,丙,丁,A\n"),
        ("CRLF", LINE.replace("\n", "\r\n") + "問？,甲,乙,丙,丁,A\r\n"),
        ("no line break at the end", LINE + "問？,甲,乙,丙,丁,A"),
        ("quoted cells", LINE + '"問？","甲","乙","丙","丁","A"\n'),
        ("another order, and a column more", "No,Answer,D,C,B,A,Question\n1,A,丁,丙,乙,甲,問？\n"),
        ("a lower-case answer", LINE + "問？,甲,乙,丙,丁,a\n"),
        ("a full-width answer", LINE + "問？,甲,乙,丙,丁,Ａ\n"),
        ("a full-width lower-case answer with blanks", LINE + "問？,甲,乙,丙,丁, ａ　\n"),
    ],
)
def test_what_gives_the_same_document(tmp_path, why, content):
    path = write(tmp_path) / "hkmmlu" / "test" / "hk_law.csv"
    path.write_text(content, encoding="utf-8", newline="")
    (doc,), _ = documents("hkmmlu_hk_law", data_dir=str(tmp_path))
    assert (doc["question"], doc["choices"], doc["answer"]) == ("問？", ["甲", "乙", "丙", "丁"], "A")


def test_a_comma_and_a_line_break_in_a_cell(tmp_path):
    write(tmp_path, test=[row("甲, 乙？\r\n選一項。", options=("一,二", "三\n四"))])
    (doc,), _ = documents("hkmmlu_hk_law", data_dir=str(tmp_path))
    assert (doc["question"], doc["choices"]) == ("甲, 乙？\n選一項。", ["一,二", "三\n四"])


@pytest.mark.parametrize(
    ("why", "content", "fault"),
    [
        ("a comma without quotes", LINE + "甲, 乙？,甲,乙,丙,丁,A\n", "row 1 (line 2) has not 6 cells"),
        ("a cell less", LINE + "問？,甲,乙,丙,A\n", "row 1 (line 2) has not 6 cells as the header has but 5"),
        ("a column less", "Question,A,B,C,Answer\n問？,甲,乙,丙,A\n", 'has no column called "D" (it has Question, A,'),
        ("a column twice", "Question,A,A,B,C,D,Answer\n", 'has 2 columns called "A"'),
        ("no answer", LINE + "問？,甲,乙,丙,丁,\n", 'row 1 (line 2): "Answer" is "", expected one of A, B, C, D'),
        ("two letters", LINE + "問？,甲,乙,丙,丁,AB\n", '"Answer" is "AB", expected one of A, B, C, D'),
        ("a number", LINE + "問？,甲,乙,丙,丁,1\n", '"Answer" is "1", expected one of A, B, C, D'),
        ("a circled letter", LINE + "問？,甲,乙,丙,丁,Ⓐ\n", '"Answer" is "Ⓐ", expected one of A, B, C, D'),
        ("beyond the options", LINE + "問？,甲,乙,,,c\n", '"Answer" is "C", expected one of A, B'),
    ],
)
def test_a_bad_file(tmp_path, why, content, fault):
    path = write(tmp_path) / "hkmmlu" / "test" / "hk_law.csv"
    path.write_text(content, encoding="utf-8", newline="")
    message = told(tmp_path)
    assert f"hk_law.csv {fault}" in message or fault in message
    assert message.endswith(f"in {path}, or take a fresh copy")


@pytest.mark.parametrize(
    ("why", "text", "fault"),
    [
        ("cut off", '{"question": "問', "is not JSON (Unterminated string"),
        ("a list", json.dumps([EXEMPLAR]), "is not a JSON object, expected one with question, choices, answer, reason"),
        ("no reasoning", json.dumps({**EXEMPLAR, "reasoning": " "}), '"reasoning" is "", expected some text'),
        ("no question", json.dumps({**EXEMPLAR, "question": None}), '"question" is missing, expected a string'),
        ("a text for options", json.dumps({**EXEMPLAR, "choices": "甲乙"}), '"choices" is a string, expected a list'),
        ("one option", json.dumps({**EXEMPLAR, "choices": ["甲"]}), "has 1 of the options A to D, expected 2 to 4"),
        ("beyond the options", json.dumps({**EXEMPLAR, "answer": "C"}), '"answer" is "C", expected one of A, B'),
        ("no answer", json.dumps({**EXEMPLAR, "answer": ""}), '"answer" is "", expected one of A, B'),
        ("no letter", json.dumps({**EXEMPLAR, "answer": 1}), '"answer" is "1", expected one of A, B'),
    ],
)
def test_a_bad_exemplar(tmp_path, why, text, fault):
    path = write(tmp_path, exemplar=EXEMPLAR) / "hkmmlu" / "exemplars" / "hk_law.json"
    path.write_text(text, encoding="utf-8")
    message = told(tmp_path, method="cot", shots=1)
    assert f"hk_law.json {fault}" in message
    assert message.endswith(f"Fix it in {path}, or take a fresh copy")


@each("answer", ["b", "Ｂ", "ｂ", " B "])
def test_the_letter_of_an_exemplar(tmp_path, answer):
    write(tmp_path, exemplar={**EXEMPLAR, "answer": answer})
    doc = documents("hkmmlu_hk_law", data_dir=str(tmp_path), method="cot", shots=1)[0][0]
    assert doc["examples"][0]["answer"] == "B"


def test_an_empty_translation(tmp_path):
    (tmp_path / "hkmmlu").mkdir()
    path = tmp_path / "hkmmlu" / "can2man.csv"
    path.write_text("input,output\n唔該,谢谢\n佢哋, \n", encoding="utf-8")
    assert told(tmp_path, "hkmmlutr_yue_to_zh") == (
        f'can2man.csv row 2 (line 3): "output" is "", expected some text. Fix it in {path}, or take a fresh copy'
    )


def test_65_subjects(tmp_path):
    for name in SUBJECTS:
        if name != "hk_law":
            write(tmp_path, name)
    assert told(tmp_path) == (
        f"{tmp_path} (data_dir) has neither hkmmlu/test/hk_law.csv nor test/hk_law.csv. Put the file there"
    )
    assert all(
        len(documents(f"hkmmlu_{name}", data_dir=str(tmp_path))[0]) == 2 for name in SUBJECTS if name != "hk_law"
    )


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("hkmmlu_hk_laws", "hkmmlu_hk_law"),
        ("hkmmlu_hong_kong_law", "hkmmlu_hk_law"),
        ("hkmmlull_hk_histroy", "hkmmlull_hk_history"),
        ("hkmmlutr_zh_yue", "hkmmlutr_zh_to_yue"),
    ],
)
def test_an_unknown_subject(name, nearest):
    with pytest.raises(InputError) as error:
        declared(name)
    assert str(error.value) == f'unknown task "{name}". Did you mean {nearest}?'


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"script": "TC"}, 'script: "TC" is not on offer. One of: tc, sc'),
        ({"method": "CoT"}, 'method: "CoT" is not on offer. One of: da, cot'),
        ({"shots": -1}, 'shots: "-1" is not on offer. One of: 0, 1, 2, 3, 4, 5'),
        ({"cot_layout": "fig21"}, 'cot_layout: "fig21" is not on offer. One of: fig11, fig22'),
        ({"cot_layout": "fig22"}, "cot_layout: fig22 is a layout of method cot. Ask for that, or leave cot_layout out"),
        ({"units": "word"}, 'units: "word" is not on offer for hkmmlu_hk_law. One of: char'),
    ],
)
def test_values_that_are_not_on_offer(tmp_path, given, fault):
    assert told(write(tmp_path), **given) == f"--metadata {fault}"


def test_keys_that_are_nearly_right(tmp_path, caplog):
    load(task="hkmmlu_hk_law", data_dir=str(write(tmp_path)), shot=3, scripts="sc", cot_layouts="fig22", colour="red")
    assert [line for line in caplog.messages if "unknown key" in line] == [
        '--metadata: unknown key "cot_layouts" is ignored. Did you mean "cot_layout"?',
        '--metadata: unknown key "scripts" is ignored. Did you mean "script"?',
        '--metadata: unknown key "shot" is ignored. Did you mean "shots"?',
    ]


CELLS = st.text(st.sampled_from([*string.ascii_letters, *'"\n\r, 甲乙Ａ，A', "\u2028", "\ufeff"]), max_size=6)


@given(rows=st.lists(st.lists(CELLS, min_size=6, max_size=6), max_size=4))
def test_any_cells_come_back_or_are_refused_in_one_line(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("data")
    text = io.StringIO()
    csv.writer(text).writerows([HEADER, *rows])
    (folder / "test").mkdir()
    (folder / "test" / "hk_law.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
    try:
        found = list(REPO.read(folder, "hk_law", "test"))
    except DataError as error:
        assert "\n" not in str(error)
        return
    assert [one["question"] for one in found] == [cells[0].replace("\r\n", "\n") for cells in rows]
    assert all(one["answer"] in "ABCD"[: len(one["choices"])] for one in found)

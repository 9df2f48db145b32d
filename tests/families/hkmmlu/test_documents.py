"""The documents of HKMMLU: shots, worked examples, and questions in Simplified Chinese."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics import loader
from hueval_metrics.errors import HuevalError
from hueval_metrics.records import Signature
from hueval_metrics.text.script import converter
from lm_eval_tasks.hkmmlu.simplified import _OF_NAMES, OPENCC
from tests.each import each
from tests.families.hkmmlu.one_subject import EXEMPLAR, row, write

DEV = [row(f"例{number}？", letter) for number, letter in enumerate("ABCDA", start=1)]


def documents(folder, task: str = "hkmmlu_hk_law", **settings: Any) -> list[dict[str, Any]]:
    return loader.documents(task, data_dir=str(folder), **settings)[0]


def fault(folder, **settings: Any) -> str:
    with pytest.raises(HuevalError) as error:
        documents(folder, **settings)
    assert "\n" not in str(error.value)
    return str(error.value)


def prompt_of(folder, **settings: Any) -> str:
    """The part `prompt` of the signature."""
    return Signature.parse(loader.documents("hkmmlu_hk_law", data_dir=str(folder), **settings)[1]["signature"]).parts[
        "prompt"
    ]


def test_a_document_has_all_that_its_prompt_needs(tmp_path):
    first, _ = documents(write(tmp_path, dev=DEV), shots=1)
    assert first == {
        **{"qid": "hk_law-test-1", "task": "hk_law", "script": "tc", "method": "da", "shots": 1, "cot_layout": "fig11"},
        **{"question": "問甲？", "choices": ["甲", "乙", "丙", "丁"], "answer": "A"},
        **{"subject": "hk_law", "subject_zh": "香港法律", "category": "Humanities", "is_hk_specific": True},
        "examples": [{"question": "例1？", "choices": ["甲", "乙", "丙", "丁"], "answer": "A"}],
    }


@each("shots", range(6))
def test_shots_come_in_file_order(tmp_path, shots):
    for doc in documents(write(tmp_path, dev=DEV), shots=shots):
        assert [one["question"] for one in doc["examples"]] == ["例1？", "例2？", "例3？", "例4？", "例5？"][:shots]


def test_no_shot_is_the_question_itself(tmp_path):
    folder = write(tmp_path, dev=DEV, test=[row("例1？"), row("例1？", options=("其他", "選項")), row("問？")])
    firsts = [doc["examples"][0]["question"] for doc in documents(folder, shots=1)]
    assert firsts == ["例2？", "例1？", "例1？"]  # the second has other options, so it is another question
    assert fault(folder, shots=5) == (
        "--metadata shots: 5, and one of the 5 examples of hk_law is hk_law-test-1 itself, which leaves 4. "
        "Add another example, or ask for fewer"
    )


def test_more_shots_than_there_are(tmp_path):
    folder = write(tmp_path, dev=DEV[:2])
    assert fault(folder, shots=3) == (
        f"--metadata shots: 3, and hk_law has 2 for validation ({tmp_path}/hkmmlu/dev/hk_law.csv). "
        "Ask for 2 at most, or add questions there"
    )
    assert "has neither hkmmlu/dev/hk_law.csv nor dev/hk_law.csv" in fault(write(tmp_path / "x"), shots=1)
    assert fault(folder, shots=6) == '--metadata shots: "6" is not on offer. One of: 0, 1, 2, 3, 4, 5'


def test_the_worked_example(tmp_path):
    folder = write(tmp_path, exemplar=EXEMPLAR)
    for doc in documents(folder, method="cot", shots=1):
        assert doc["examples"] == [EXEMPLAR]
    assert documents(folder, method="cot")[0]["examples"] == []
    assert fault(folder, method="cot", shots=2) == (
        "--metadata shots: 2 is not on offer with method cot, which has one worked example a subject. One of: 0, 1"
    )


def test_a_worked_example_that_is_asked(tmp_path):
    folder = write(tmp_path, exemplar={**EXEMPLAR, "question": "問乙？", "choices": ["甲", "乙", "丙", "丁"]})
    assert "one of the 1 examples of hk_law is hk_law-test-2 itself" in fault(folder, method="cot", shots=1)


def test_subjects_without_a_worked_example_are_named_together(tmp_path):
    write(tmp_path)
    first = list(SUBJECTS)
    for name in first[:63]:
        if name != "hk_law":
            write(tmp_path, name, test=(), exemplar=EXEMPLAR)
    assert fault(tmp_path, method="cot", shots=1) == (
        "1-CoT needs a worked example a subject, and 4 of 66 have none: hk_law, nautical_science, social_commonsense, "
        f"technical_skills. Put it into {tmp_path}/hkmmlu/exemplars/SUBJECT.json, or ask for shots 0"
    )
    none = fault(write(tmp_path / "none"), method="cot", shots=1)
    assert f"66 of 66 have none: {', '.join(first[:12])} and 54 more. Put it" in none


def test_a_converted_copy_is_taken_row_by_row(tmp_path):
    write(tmp_path, dev=DEV, exemplar=EXEMPLAR)
    sc_row = row("复制的问题？", "A", ("子", "丑", "寅", "卯"))
    copied = {**EXEMPLAR, "question": "复制的例子？", "reasoning": "复制的推理。"}
    write(
        tmp_path, sc=True, test=[sc_row, row("复制乙？", "B")], dev=[row("复制的例？", "A"), *DEV[1:]], exemplar=copied
    )
    first = documents(tmp_path, script="sc", shots=1)[0]
    assert (first["qid"], first["question"], first["choices"]) == (
        "hk_law-test-1",
        "复制的问题？",
        ["子", "丑", "寅", "卯"],
    )
    assert (first["examples"][0]["question"], first["subject_zh"]) == ("复制的例？", "香港法律")
    assert documents(tmp_path, script="sc", method="cot", shots=1)[0]["examples"] == [copied]


def test_without_a_copy_opencc_converts(tmp_path):
    test = [row("邊個係香港嘅行政長官？", "B", ("議員", "長官"))]
    write(tmp_path, test=test, dev=[row("誰？", "A", ("總督", "裏面"))])
    doc = documents(tmp_path, script="sc", shots=1)[0]
    assert (doc["question"], doc["choices"], doc["answer"]) == ("边个系香港嘅行政长官？", ["议员", "长官"], "B")
    assert doc["examples"] == [{"question": "谁？", "choices": ["总督", "里面"], "answer": "A"}]


def test_names_in_simplified_are_those_of_opencc():
    convert = converter(OPENCC).convert
    for subject in SUBJECTS.values():
        assert subject.name_zh.translate(_OF_NAMES) == convert(subject.name_zh)


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ([row("問甲？")], "has 1 rows, expected 2"),
        ([row("問甲？"), row("問乙？", "B", ("甲", "乙"))], "row 2 has 2 options, expected 4"),
        ([row("問甲？"), row("問乙？", "C")], "row 2 has the answer C, expected B"),
    ],
)
def test_a_copy_that_does_not_fit(tmp_path, test, told):
    write(tmp_path)
    write(tmp_path, sc=True, test=test)
    assert fault(tmp_path, script="sc") == (
        f"{tmp_path}/hkmmlu/sc/test/hk_law.csv {told} as in the Traditional file. Fix it, or remove the copy in sc, so "
        "that OpenCC converts the questions"
    )


def test_a_damaged_copy_is_not_passed_over(tmp_path):
    write(tmp_path)
    write(tmp_path, sc=True, test=[row("問甲？"), row("問乙？", "E")])
    assert 'hk_law.csv row 2 (line 3): "Answer" is "E"' in fault(tmp_path, script="sc")


def test_opencc_is_needed_without_a_copy_only(tmp_path, monkeypatch):
    write(tmp_path)
    monkeypatch.setitem(sys.modules, "opencc", None)
    converter.cache_clear()
    assert fault(tmp_path, script="sc") == ("conversion of Chinese scripts needs OpenCC. pip install 'hueval[zh]'")
    write(tmp_path, sc=True)
    assert documents(tmp_path, script="sc")[0]["question"] == "問甲？"


def test_the_signature_says_where_simplified_texts_are_from(tmp_path):
    write(tmp_path, dev=DEV)
    assert re.fullmatch(r"tc-[0-9a-f]{8}", prompt_of(tmp_path))
    assert re.fullmatch(r"sc_hk2s-\d+(\.\d+)*-[0-9a-f]{8}", prompt_of(tmp_path, script="sc"))
    write(tmp_path, sc=True)
    assert re.fullmatch(r"sc_copy-[0-9a-f]{8}", prompt_of(tmp_path, script="sc"))
    assert re.fullmatch(r"sc_copy_hk2s-\d+(\.\d+)*-[0-9a-f]{8}", prompt_of(tmp_path, script="sc", shots=1))


def test_whatever_changes_a_prompt_changes_its_hash(tmp_path):
    write(tmp_path, dev=DEV, exemplar=EXEMPLAR)
    settings: list[dict[str, Any]] = [{}, {"shots": 1}, {"method": "cot"}, {"method": "cot", "shots": 1}]
    settings += [{"script": "sc"}, {"method": "cot", "shots": 1, "cot_layout": "fig22"}]
    before = [prompt_of(tmp_path, **one) for one in settings]
    assert len(set(before)) == len(settings)
    write(tmp_path, dev=DEV[1:], exemplar={**EXEMPLAR, "reasoning": "另一推理。"})
    after = [prompt_of(tmp_path, **one) for one in settings]
    assert [one != other for one, other in zip(before, after, strict=True)] == [False, True, False, True, False, True]

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from hf_datasets.openhueval.convert import REPO
from hf_datasets.openhueval.dimensions import dimension_code
from hf_datasets.openhueval.published import BLOB_IDS
from hf_datasets.openhueval.schema import MODELS
from hf_datasets.wording import first_fault
from tests.each import each
from tests.hf_datasets.rows import ROWS

ABSENT = object()


def fault(name: str, **changes) -> str | None:
    """What is wrong with the sound row of a file once these fields are changed; None when nothing is."""
    row = {field: value for field, value in {**ROWS[name], **changes}.items() if value is not ABSENT}
    try:
        MODELS[name].model_validate(row)
    except ValidationError as error:
        return first_fault(MODELS[name], error)
    return None


@each("name", ROWS)
def test_a_sound_row_passes(name):
    assert fault(name) is None


def test_every_file_has_a_model_and_a_hash():
    assert set(MODELS) == set(BLOB_IDS) == set(ROWS)


def test_the_sample_of_simple_qa_has_every_dimension():
    lines = (REPO.sample / "HuSimpleQA.jsonl").read_text(encoding="utf-8").splitlines()
    codes = {dimension_code(json.loads(line)["hu_specific_dim"]) for line in lines if line}
    assert codes == {"l", "h", "lcc", "ep", "gp", "f", "ppl", "bf"}


@pytest.mark.parametrize(
    ("why", "name", "changes"),
    [
        ("no #n# marks (two published rows)", "HuMatchingFIB", {"question": "Párosítsd a verseket!"}),
        ("letters repeat (two published rows)", "HuMatchingFIB", {"options": ["A.egy", "B.kettő", "B.három"]}),
        ("an option without a letter", "HuMatchingFIB", {"options": ["A.egy", "."]}),
        ("second # missing (one published row)", "HuStandardFIB", {"answers": ["#1bátran,kapun"]}),
        ("gold numbered from 1 (one published row)", "HuStandardFIB", {"answers": ["#1#István", "#2#Géza"]}),
        ("equal options (one published row)", "HuProverbRea", {"options": ["ugyanaz", "ugyanaz"]}),
        ("one line of talk", "HuProverbRea", {"context": ["Béla: Lassan járj, tovább érsz."]}),
        ("three lines of talk", "HuProverbRea", {"context": ["a", "b", "c"]}),
        ("second option right", "HuProverbRea", {"answer": 1}),
        ("dimension under its other name", "HuSimpleQA", {"hu_specific_dim": ABSENT, "primary_tag": "figure"}),
        ("the paper's B", "HuSimpleQA", {"hu_specific_dim": "B"}),
        ("tag under its other name", "HuWildBench", {"primary_tag": ABSENT, "hu_specific_dim": "PPL"}),
        ("no checklist entries", "HuWildBench", {"checklist": []}),
        ("a turn without a role", "HuWildBench", {"turn": [{"content": "Hol?"}]}),
        ("an unknown field", "HuWildBench", {"length": 12}),
        ("a whole group of twins left out", "HuMatchingFIB", {"question_en": ABSENT, "options_en": ABSENT}),
        ("twins that are null", "HuMatchingFIB", {"question_en": None, "options_en": None}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_allowed(why, name, changes):
    assert fault(name, **changes) is None


NAMES = "Language; History; Life, Culture, and Customs; Education and Profession; Geography and Place; Figure; "
NAMES += "Politics, Policy, and Law; Business and Finance"


@each(
    ("name", "changes", "told"),
    [
        ("HuStandardFIB", {"answers": "#0#István"}, '"answers" is a string, expected a list of strings'),
        ("HuStandardFIB", {"answers": ABSENT}, '"answers" is missing, expected a list of strings'),
        ("HuStandardFIB", {"answers": []}, '"answers" has 0 entries, expected at least 1'),
        ("HuStandardFIB", {"answers": ["#0#István", 3]}, '"answers[1]" is 3, expected a string'),
        ("HuStandardFIB", {"answers": ["István"]}, '"answers[0]" is "István", expected a string like "#0#Prága"'),
        ("HuStandardFIB", {"answers": ["#0#"]}, '"answers[0]" is "#0#", expected a string like "#0#Prága"'),
        ("HuStandardFIB", {"instruction": None}, '"instruction" is null, expected a string'),
        ("HuMatchingFIB", {"qid": 12}, '"qid" is 12, expected a string'),
        ("HuMatchingFIB", {"qid": "  "}, '"qid" is "", expected some text'),
        ("HuMatchingFIB", {"answer": ["#0#budapest"]}, '"answer[0]" is "#0#budapest", expected a string like "#0#F"'),
        ("HuMatchingFIB", {"options": {}}, '"options" is an object, expected a list of strings'),
        ("HuMatchingFIB", {"source_info": {"grade": 9}}, '"source_info.grade" is 9, expected a string'),
        ("HuMatchingFIB", {"options_en": ABSENT}, '"options_en" is missing, expected beside "question_en"'),
        ("HuMatchingFIB", {"question_zh": ABSENT}, '"question_zh" is missing, expected beside "options_zh"'),
        ("HuMatchingFIB", {"options_en": ["A.x", None]}, '"options_en[1]" is null, expected a string'),
        ("HuProverbRea", {"answer": 2}, '"answer" is 2, expected 0 or 1'),
        ("HuProverbRea", {"answer": "0"}, '"answer" is a string, expected 0 or 1'),
        ("HuProverbRea", {"answer": True}, '"answer" is a true/false value, expected 0 or 1'),
        ("HuProverbRea", {"answer": 1.0}, '"answer" is a number, expected 0 or 1'),
        ("HuProverbRea", {"options": ["a"]}, '"options" has 1 entries, expected at least 2'),
        ("HuProverbRea", {"options": ["a", "b", "c"]}, '"options" has 3 entries, expected at most 2'),
        ("HuProverbRea", {"context": ["a"] * 4}, '"context" has 4 entries, expected at most 3'),
        ("HuProverbRea", {"source_info": []}, '"source_info" is a list, expected an object'),
        ("HuProverbRea", {"source_info": {}}, '"source_info.proverb" is missing, expected a string'),
        ("HuSimpleQA", {"answer": 1928}, '"answer" is 1928, expected a string'),
        ("HuSimpleQA", {"hu_specific_dim": "sport"}, f'"hu_specific_dim" is "sport", expected one of: {NAMES}'),
        ("HuSimpleQA", {"hu_specific_dim": ABSENT}, '"hu_specific_dim" is missing, expected a string'),
        ("HuWildBench", {"session_id": ABSENT}, '"session_id" is missing, expected a string'),
        ("HuWildBench", {"checklist": "Is it kind?"}, '"checklist" is a string, expected a list of strings'),
        ("HuWildBench", {"checklist": [["a"]]}, '"checklist[0]" is a list, expected a string'),
        ("HuWildBench", {"turn": "Hol?"}, '"turn" is a string, expected a list of objects'),
        ("HuWildBench", {"turn": ["Hol?"]}, '"turn[0]" is a string, expected an object'),
        ("HuWildBench", {"turn": [{"role": "user"}]}, '"turn[0].content" is missing, expected a string'),
        ("HuWildBench", {"turn": [{"content": "\ud83d"}]}, '"turn[0].content" contains an unpaired surrogate'),
        (
            "HuWildBench",
            {"primary_tag": ABSENT, "hu_specific_dim": "x"},
            f'"hu_specific_dim" is "x", expected one of: {NAMES}',
        ),
    ],
)
def test_what_is_refused_and_how_it_is_told(name, changes, told):
    assert (fault(name, **changes) or "").startswith(told)


def test_a_long_value_is_cut():
    assert fault("HuSimpleQA", hu_specific_dim="\n".join(["hosszú"] * 50)).startswith(
        '"hu_specific_dim" is "hosszú hosszú hosszú hosszú hosszú hoss…", expected one of'
    )

"""OpenHuEval as a dataset repository: how rows are brought into one form, what is told of them, what the card says."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.openhueval.checks import blank_faults
from hf_datasets.openhueval.convert import REPO, converted
from hf_datasets.openhueval.schema import MODELS
from hf_datasets.repo import MissingError
from hueval_metrics.errors import DataError
from tests.each import each
from tests.helpers import shared
from tests.hf_datasets.rows import ROWS, as_converted

CARD = (REPO.folder / "README.md").read_text(encoding="utf-8")


@each("name", ROWS)
def test_a_converted_row_is_complete_and_stays_as_it_is(name):
    once = converted(MODELS[name], ROWS[name])
    assert once == as_converted(name)
    assert converted(MODELS[name], once) == once


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        (
            "HuSimpleQA",
            {"primary_tag": "figure"},
            {"extra": '{"primary_tag": "figure"}'},
        ),  # hu_specific_dim is there too
        ("HuSimpleQA", {"év": 1928, "a": None}, {"extra": '{"a": null, "év": 1928}'}),
        ("HuSimpleQA", {"extra": '{"a": 1}'}, {"extra": '{"a": 1}'}),
        ("HuSimpleQA", {"extra": "x", "b": 2}, {"extra": '{"b": 2, "extra": "x"}'}),
        ("HuWildBench", {"qid": "other"}, {"qid": "w-1", "extra": '{"qid": "other"}'}),
        (
            "HuWildBench",
            {"turn": [{"content": "Hol?"}, {"content": "Itt.", "role": "ő", "lang": "hu"}]},
            {
                "turn": [{"content": "Hol?", "role": None}, {"content": "Itt.", "role": "ő"}],
                "extra": '{"turn[1].lang": "hu"}',
            },
        ),
        (
            "HuMatchingFIB",
            {"source_info": {"url": "https://example.org", "page": 7}},
            {
                "source_info": {"url": "https://example.org", "major": None, "grade": None},
                "extra": '{"source_info.page": 7}',
            },
        ),
        ("HuMatchingFIB", {"source_info": None}, {"source_info": None}),
    ],
)
def test_names_are_unified_and_nothing_is_lost(name, changes, expected):
    assert converted(MODELS[name], {**ROWS[name], **changes}) == as_converted(name, **expected)


def test_either_name_of_the_dimension():
    row = {**ROWS["HuSimpleQA"]}
    row["primary_tag"] = row.pop("hu_specific_dim")
    assert converted(MODELS["HuSimpleQA"], row) == as_converted("HuSimpleQA")


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=5).map("x{}".format), st.none() | st.text() | st.integers(), max_size=3
    )
)
def test_all_unknown_fields_are_in_extra(fields):
    extra = converted(MODELS["HuSimpleQA"], {**ROWS["HuSimpleQA"], **fields})["extra"]
    assert (json.loads(extra) if extra else {}) == fields


def test_reading_a_folder():
    rows = list(REPO.read(REPO.folder / "sample", "huwildbench", "test"))
    assert len(rows) == 12
    assert all(list(row) == list(MODELS["HuWildBench"].model_fields) for row in rows)


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(
        MissingError, match=r"HuSimpleQA\.jsonl does not exist\. Put it there, or fetch it: hueval data p"
    ):
        next(REPO.read(tmp_path, "husimpleqa", "test"))
    (tmp_path / "HuSimpleQA.jsonl").mkdir()
    with pytest.raises(DataError, match=r"HuSimpleQA\.jsonl is not a file"):
        next(REPO.read(tmp_path, "husimpleqa", "test"))


MATCHING = {"question": "#0# és #1#", "options": ["A.egy", "B.két"], "answer": ["#0#A", "#1#B"]}
STANDARD = {"questions": ["#0# és", "#1#"], "answers": ["#0#egy", "#1#két;kettő"]}


@each(
    ("config", "row", "faults"),
    [
        ("humatchingfib", MATCHING, []),
        ("humatchingfib", {**MATCHING, "question": "egy és két"}, ["no blank is marked in the question"]),
        ("humatchingfib", {**MATCHING, "question": "#0#"}, ["blank numbers differ between gold and the question"]),
        ("humatchingfib", {**MATCHING, "question": "#1##0#"}, ["blank numbers out of order in gold or question"]),
        ("humatchingfib", {**MATCHING, "options": ["A.a", "B.b", "B."]}, ["duplicate option letters"]),
        ("humatchingfib", {**MATCHING, "options": ["A.a", "B.b", "."]}, ["option without a letter"]),
        ("humatchingfib", {**MATCHING, "answer": ["#0#A", "#1#C"]}, ["gold letter without an option"]),
        ("hustandardfib", STANDARD, []),
        ("hustandardfib", {**STANDARD, "answers": ["#0#egy", "#1két"]}, []),  # as one published row has it
        (
            "hustandardfib",
            {**STANDARD, "answers": ["#1#egy", "#2#két"]},
            ["blank numbers differ between gold and the question"],
        ),
        ("husimpleqa", {}, []),
    ],
)
def test_what_is_told_of_blanks(config, row, faults):
    assert list(blank_faults(config, "test", row)) == faults


def test_what_is_told_of_the_published_blanks():
    """All of it stands in the card's "Known irregularities"."""
    folder = shared("data", "openhueval")
    found = {
        (config, fault, row["qid"][:8])
        for config in ("humatchingfib", "hustandardfib")
        for row in REPO.read(folder, config, "test")
        for check in REPO.checks
        for fault in check(config, "test", row)
    }
    hungarian = sorted(
        (config, fault, qid) for config, fault, qid in found if "_" not in fault and "gold answer" not in fault
    )
    assert hungarian == [
        ("humatchingfib", "blank numbers out of order in gold or question", "4ee611fa"),
        ("humatchingfib", "duplicate option letters", "5eae98e7"),
        ("humatchingfib", "no blank is marked in the question", "b38e038c"),
        ("humatchingfib", "no blank is marked in the question", "f0304c0b"),
        ("humatchingfib", "option without a letter", "b1cb5050"),
        ("humatchingfib", "option without a letter", "f0304c0b"),
        ("hustandardfib", "blank numbers differ between gold and the question", "a9c23eaa"),
    ]
    assert all(f"`{qid}…`" in CARD for _, _, qid in hungarian)
    known = {(config, qid) for config, fault, qid in hungarian if "no blank" in fault}
    translated = Counter(
        (config, fault.rpartition("_")[2][:2])
        for config, fault, qid in found
        if "_" in fault and (config, qid) not in known
    )
    counts = {
        ("humatchingfib", "en"): 23,
        ("humatchingfib", "zh"): 10,
        ("hustandardfib", "en"): 5,
        ("hustandardfib", "zh"): 3,
    }
    assert translated == counts
    assert sum("gold answer" in fault for _, fault, _ in found) == 13


@each("name", MODELS)
def test_every_field_is_described_here_and_in_the_card(name):
    for field, info in MODELS[name].model_fields.items():
        assert info.description
        twin = re.sub(r"_(en|zh)$", "", field)
        assert f"| `{twin}` (`_en`, `_zh`) |" in CARD if twin != field else f"| `{field}`" in CARD


def test_the_card_has_the_counts_and_hashes_of_the_code():
    for source in REPO.sources:
        assert f"| {source.path} | `{source.blob_id}` |" in CARD
    for config in REPO.configs:
        (split,) = config.splits
        if split.rows:
            assert f"| {config.name} | {split.rows:,} |" in CARD
            assert f"`{split.content[:12]}…`" in CARD

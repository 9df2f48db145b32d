"""The key: it comes back as it was written, stands beside its sheet, and a damaged one is told in a line."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.judges.people.key import find_key, key_bytes, key_path, read_key
from hueval_metrics.judges.people.sample import draw
from tests.features.judges.people.verdicts import OE, WILD, item

SAMPLE = draw([item("q1", "YES", response="x" * 40_000), item("q2", 7.5, WILD), item("q3", "NO", words="\ud800")], 2, 0)


def test_a_key_comes_back_whole_and_in_order(tmp_path):
    (tmp_path / "a.key.json").write_bytes(key_bytes(SAMPLE, 0))
    read = read_key(tmp_path / "a.key.json")
    assert list(read.items.items()) == list(SAMPLE.items.items())
    assert read.population == SAMPLE.population


@pytest.mark.parametrize(
    ("sheets", "found"),
    [
        (["sheet.xlsx"], "sheet"),
        (["sheet_anna.xlsx", "sheet_bela.xlsx"], "sheet"),
        (["sheet.v2.xlsx"], "sheet.v2"),
        (["sheet.v2-anna.csv"], "sheet.v2"),
        (["anna.xlsx", "sheet-bela.xlsx"], "sheet"),
    ],
)
def test_the_key_beside_the_sheet_is_found_by_its_name(tmp_path, sheets, found):
    for name in ("other", "sheet", "sheet.v2"):
        key_path(tmp_path / f"{name}.xlsx").write_text("{}")
    assert find_key([tmp_path / sheet for sheet in sheets]) == tmp_path / f"{found}.key.json"


def test_the_only_key_in_the_folder_will_do(tmp_path):
    (tmp_path / "sheet.key.json").write_text("{}")
    assert find_key([tmp_path / "anna.xlsx"]) == tmp_path / "sheet.key.json"


@pytest.mark.parametrize(("keys", "line"), [((), "no key beside it"), (("a", "b"), "2 keys beside it")])
def test_none_or_several_keys_are_asked_about(tmp_path, keys, line):
    for name in keys:
        (tmp_path / f"{name}.key.json").write_text("{}")
    with pytest.raises(InputError, match=line):
        find_key([tmp_path / "sheet.xlsx"])


def test_a_key_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"cannot be read \(No such file"):
        read_key(tmp_path / "none.key.json")


@pytest.mark.parametrize("text", ["", "{", '{"a": ', "[" * 100_000])
def test_what_is_no_json(tmp_path, text):
    (tmp_path / "a.key.json").write_text(text)
    with pytest.raises(InputError, match="not valid JSON"):
        read_key(tmp_path / "a.key.json")


KEY = json.loads(key_bytes(SAMPLE, 0))
NAME, ROW = next(iter(KEY["items"].items()))
POPULATION = KEY["population"]


def changed(**changes):
    return json.dumps(KEY | changes)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        "null",
        changed(format="hueval-judge-validation/2"),
        changed(items=[]),
        changed(items={}),
        changed(items={NAME: {}}),
        changed(items={NAME: ROW | {"task": "openhueval_humatchingfib"}}),
        changed(items={NAME: ROW | {"rating": "MAYBE"}}),
        changed(items={NAME: ROW | {"rating": None}}),
        changed(items={NAME: ROW | {"dimension": "elsewhere"}}),  # a stratum without a size
        changed(population=[]),
        changed(population=[{"n": 1}]),
        changed(population=[*POPULATION, POPULATION[0] | {"task": "gsm8k"}]),
        changed(population=[row | {"n": 0} for row in POPULATION]),
        changed(population=[row | {"n": 1e999} for row in POPULATION]),
    ],
)
def test_what_is_no_key(tmp_path, text):
    (tmp_path / "a.key.json").write_text(text)
    with pytest.raises(InputError, match="not a key that this version reads"):
        read_key(tmp_path / "a.key.json")


def test_ratings_keep_their_type(tmp_path):
    (tmp_path / "a.key.json").write_bytes(key_bytes(draw([item("q1", 7.5, WILD), item("q2", "NO", OE)], 9, 0), 0))
    assert {one.rating for one in read_key(tmp_path / "a.key.json").items.values()} == {7.5, "NO"}

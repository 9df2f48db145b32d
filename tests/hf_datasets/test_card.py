from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.card import SECTIONS, check_card, size_category, tables_of
from hf_datasets.repo import dataset_repo, names
from tests.each import each
from tests.hf_datasets.toy import CARD, toy_repo

TOY = toy_repo()


@each("name", names())
def test_our_own_cards_are_sound(name):
    repo = dataset_repo(name)
    card = (repo.folder / "README.md").read_text(encoding="utf-8")
    assert check_card(card, repo) == []


def test_a_sound_card():
    assert check_card(CARD, TOY) == []


@each("change", [lambda c: c.replace("\n", "\r\n"), lambda c: c.replace("citation", "CITING")])
def test_spellings_that_are_sound(change):
    assert check_card(change(CARD), TOY) == []


LICENSE, LANGUAGE, SIZE = "license: cc-by-4.0", "language: [hu, en]", "size_categories: [n<1K]"
NO_SECTION, EMPTY = 'there is no section "Contamination"', 'the section "Contamination" is empty'


@each(
    ("old", "new", "problems"),
    [
        (LICENSE, "license: CC-BY-4.0", ['license is "CC-BY-4.0", expected "cc-by-4.0"']),
        (LICENSE, "license: mit", ['license is "mit", expected "cc-by-4.0"']),
        (LICENSE, "licence: cc-by-4.0", ['license is missing, expected "cc-by-4.0"']),
        (LICENSE, "license: [mit]", ["license is ['mit'], expected \"cc-by-4.0\""]),
        (LANGUAGE, "language: [hu, Hungarian]", ['language has "Hungarian", expected ISO 639 codes such as hu']),
        (LANGUAGE, "language: [no]", ["language has False, expected ISO 639 codes such as hu"]),
        (LANGUAGE, "language: hu", ['language is "hu", expected a list of codes such as hu']),
        (SIZE, "size_categories: [1K<n<10K]", ["size_categories is ['1K<n<10K'], expected [n<1K] for 6 rows"]),
        ("name: varosok", "name: falvak", ["configs lacks varosok", 'configs lists "falvak", which has no files']),
        ("name: varosok", "name: folyok", ["configs names folyok more", "configs lacks varosok", "the data_files of"]),
        ("varosok/test.parquet", "x.csv", ["the data_files of \"varosok\" are [{'split': 'test', 'path': 'x.csv'}], "]),
        (
            "[{split: test, path: varosok/test.parquet}]",
            "x/*",
            ['the data_files of "varosok" are "x/*", expected test'],
        ),
        ("configs:", "config:", ["configs is missing, expected a list of config_name and data_files"]),
        ("## Contamination", "## Other things", [NO_SECTION]),
        ("## Contamination", "# Contamination", [NO_SECTION]),
        ("## Contamination", "```\n## Contamination\n```", [NO_SECTION]),
        ("Nobody trains on it.", "", [EMPTY]),
        ("Nobody trains on it.", "<!-- to be\nwritten -->", [EMPTY]),
        ("Nobody trains on it.", "[More Information Needed]", [EMPTY]),
        ("Nobody.", "TODO", ['the section "Annotators" is empty']),
        (LANGUAGE, "language: [hu", ["the YAML block cannot be read (while parsing"]),
        ("---\nlicense", "\nlicense", ["there is no YAML block between two lines of --- at the top"]),
    ],
)
def test_what_is_wrong(old, new, problems):
    assert old in CARD
    found = check_card(CARD.replace(old, new, 1), TOY)
    assert [line[: len(start)] for line, start in zip(found, problems, strict=True)] == problems


def test_other_licences_have_a_name():
    repo = replace(TOY, license="other")
    card = CARD.replace("license: cc-by-4.0", "license: other")
    assert check_card(card, repo) == ['license is "other" without a license_name']
    assert check_card(card.replace("other", "other\nlicense_name: several", 1), repo) == []


def test_a_card_of_a_part():
    """A conversion without some upstream files lists what it has."""
    part = {"folyok": {"train": 2, "test": 2}}
    assert check_card(CARD, TOY, part) == ['configs lists "varosok", which has no files']


def test_uncounted_rows_leave_the_size_open():
    tables = {name: dict.fromkeys(splits) for name, splits in tables_of(TOY).items()}
    assert check_card(CARD.replace("[n<1K]", "[1M<n<10M]"), TOY, tables) == []


@each(
    ("rows", "name"),
    [(0, "n<1K"), (999, "n<1K"), (1_000, "1K<n<10K"), (107_000, "100K<n<1M"), (1_000_000, "1M<n<10M")],
)
def test_size_category(rows, name):
    assert size_category(rows) == name


@given(st.text())
def test_any_text_gets_an_answer(text):
    assert all("\n" not in problem for problem in check_card(text, TOY))


KEYS = st.sampled_from(["license", "language", "configs", "size_categories", "config_name", "data_files", "split"])
YAML = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, YAML))
def test_any_yaml_gets_an_answer(data):
    problems = check_card(f"---\n{json.dumps({'pretty_name': 'X'} | data)}\n---\n", TOY)
    assert len(problems) >= len(SECTIONS)
    assert all("\n" not in problem for problem in problems)

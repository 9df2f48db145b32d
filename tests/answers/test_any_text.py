"""The parsers accept any text: they never raise, and huge or hostile text takes linear time."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hueval_metrics.answers.blanks.blank import Asked
from hueval_metrics.answers.blanks.options import read_option
from hueval_metrics.answers.blanks.parse import align, parse_blanks
from hueval_metrics.answers.json_answer import find_answer
from hueval_metrics.answers.run_on import answered_part
from hueval_metrics.text.normalize import compare_key
from tests.answers.test_choice import option
from tests.linear import LENGTH, slower_than_linear

ANY = st.text(st.characters(exclude_categories=()), max_size=80)  # surrogates and control characters too
PIECES = ["{", "}", "[", "]", '"', "'", "\\", ",", ":", "#0#", "#", "answer", "válasz", "0", "1", "F", "\n", "\ud800"]
PIECES += ["#1# F", "| ", "**", "~~", "<b>", "&quot;", "nem ", "hanem ", "Válasz: ", "[x] ", "2. ", "mégis "]
PIECES += ["null", "NaN", "9" * 5000, "```json", "„", "”", ";", "1 vagy 2", "nem", "első", "\u0301"]
JSON_LIKE = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
TEXT = st.one_of(ANY, JSON_LIKE, JSON_LIKE.map('{{"answer": {}}}'.format))
OPTIONS = {"A": "környezet", "F": "populációnak"}
ASKED = Asked(
    "A #0# alkalmazkodnia kell a környezethez.\n#1#, majd a #2# változik.",
    count=3,
    options=OPTIONS,
    example=("#0#C", "#1#I", "#2#D", "#3#H"),
    reads=lambda text: bool(read_option(text, OPTIONS)),
)
WORDS = Asked("A.Az első kolduló rend: #0#\nB.Papi nőtlenség: #1#", count=2)


def huge(length: int) -> dict[str, str]:
    """Texts of some length, of which each has made a parser slow or fall over."""
    return {
        "open braces": "{" * length,
        "open objects": '{"a":' * (length // 2),
        "open brackets": "[" * length,
        "open answers": '{"answer":' * (length // 5),
        "balanced, too deep": '{"answer":' * (length // 5) + "}" * (length // 5),
        "too deep but valid": '{"answer":' + "[" * (length // 2) + "]" * (length // 2) + "}",
        "empty objects": "{}" * (length // 2),
        "small objects": '{"a":1}' * (length // 5),
        "objects of ids": "".join(f'{{"{n}": "F"}}' for n in range(length // 5)),
        "quotes": '"' * length,
        "backslashes": "{" + "\\" * length + "}",
        "key of spaces": '{"' + " " * length + 'x": 1}',
        "marks in one string": '{"answer": "' + "#0#F, " * (length // 5) + '"}',
        "many entries": '{"answer": [' + '"#0#F",' * (length // 5) + '"x"]}',
        "one long entry": '{"answers": ["#0#' + "x" * length * 10 + '"]}',
        "letters without end": '{"answer": ["#0#' + "A. " * (length // 2) + '"]}',
        "marks of composition": '{"answers": ["#0#a' + "\u0315\u0300" * (length // 2) + '"]}',
        "label and spaces": "answer" + " " * length,
        "labels": "answer " * (length // 7),
        "label run together": "válasz" * (length // 6),
        "label and fillers": "answer" + " is" * (length // 3),
        "negation and spaces": "nem" + " " * length + "x",
        "ordinals": "first " * (length // 6),
        "digits": "1 " * (length // 2),
        "megabytes": "a" * length * 100,
        "lines of marks": "#0# F\n" * (length // 7),
        "marks in one line": "#0#F " * (length // 5),
        "numbered lines": "".join(f"{n}. F\n" for n in range(length // 8)),
        "rows of a table": "| #0# | F |\n" * (length // 11),
        "cells": "|" * length,
        "emphasis": "**" * (length // 2),
        "struck": "~~a" * (length // 3),
        "headings": "# válasz:\n" * (length // 10),
        "pairs": "1 vagy 2, " * (length // 10),
        "corrections": "mégis 1, " * (length // 9),
        "negations": "nem 1, " * (length // 7),
        "clauses": "az első, " * (length // 9),
        "tags": "<b " * (length // 3),
        "entities": "&quot" * (length // 5),
        "nested 900 deep": '{"answer": ' + "[" * 900 + '"#0#F"' + "]" * 900 + "}",
        "objects 900 deep": '{"answer": ' * 900 + '"#0#F"' + "}" * 900,
    }


@given(TEXT)
@example("\ud800")
@example('{"answer": ' + "9" * 5000 + "}")
@example('{"answer": "\x00"}')
def test_never_raises(text):
    find_answer(text)
    for asked in (None, ASKED, WORDS):
        blanks = parse_blanks(text, asked)
        assert blanks is None or blanks
    assert len(answered_part(text, ("Name the capital of {country}, and nothing else.", "#0#"))) <= len(text)
    assert option(text) in (1, 2, None)
    assert option(text, (text, "más")) in (1, 2, None)
    assert read_option(text, OPTIONS) <= OPTIONS.keys()
    compare_key(text)


def read_by_all(text):
    """Read a text with each parser."""
    blanks = parse_blanks(text)
    assert blanks is None or len(blanks) <= 20_001
    for asked in (ASKED, WORDS):
        parse_blanks(text, asked)
    for blank in (blanks or [])[:3]:
        compare_key(blank.text)
        read_option(blank.text, OPTIONS)
    assert option(text) in (1, 2, None)


@pytest.mark.slow
@pytest.mark.no_cover
def test_huge_text_is_read_in_linear_time():
    assert not slower_than_linear(read_by_all, huge, LENGTH // 2)


def n_calls(read, *arguments):
    """The number of calls that a reader makes, of functions in C too: its time, whatever the machine does besides."""
    count = 0

    def counted(*_):
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        read(*arguments)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", ["選A", '{"a":1}', "az első, ", "1 vagy 2, ", "A. 獅子山 ", "nem "])
def test_twice_the_length_takes_twice_the_calls(unit):
    option(unit)  # patterns are made once
    assert n_calls(option, unit * 4_000) < 2.5 * n_calls(option, unit * 2_000)


def test_the_answer_after_a_runaway_is_still_found():
    for name in ("open brackets", "empty objects", "small objects", "quotes", "labels"):
        blanks = parse_blanks(huge(LENGTH)[name] + '\n{"answer": ["#0#F"]}')
        assert blanks is not None, name
        assert [(blank.id, blank.text) for blank in blanks] == [(0, "F")], name


@given(st.lists(st.text("abcÁő ", min_size=1, max_size=8), min_size=1, max_size=6))
def test_valid_json_is_read_unchanged(texts):
    blanks = parse_blanks(json.dumps({"answer": texts}))
    assert blanks is not None
    assert [blank.text for blank in blanks] == [text.strip() for text in texts]


@given(TEXT, st.lists(st.one_of(st.none(), st.integers(0, 9)), max_size=6), st.lists(st.integers(0, 9), max_size=6))
def test_no_blank_is_filled_twice_or_from_nothing(text, gold_ids, question_ids):
    blanks = parse_blanks(text) or []
    texts = align(blanks, gold_ids, question_ids)
    assert len(texts) == len(gold_ids)
    filled = sorted(text for text in texts if text is not None)
    given_texts = sorted(blank.text for blank in blanks)
    assert len(filled) <= len(given_texts)
    assert all(filled.count(text) <= given_texts.count(text) for text in filled)

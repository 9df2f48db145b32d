"""Fill in the blank by the paper's definition: literal cases, each worked out by hand."""

from __future__ import annotations

from functools import cache

import pytest

from hueval_metrics.answers.blanks.blank import Asked, Blank
from hueval_metrics.answers.blanks.options import option_texts, read_option
from hueval_metrics.answers.blanks.parse import parse_blanks
from lm_eval_tasks.openhueval.metrics.fib import FibScore, fib_score, matching_blanks, similarity, standard_blanks
from lm_eval_tasks.openhueval.templates import example_answer
from tests.helpers import json_lines, load_cases, shared, why

GOLD = ["#0#F", "#1#A", "#2#C"]
OPTIONS = ["A.környezet", "B.tűrőképesség", "C.populáció", "D.faj", "E.élettér", "F.populációnak"]
QUESTION = "A #0# alkalmazkodnia kell. A #1# változik. Végül a #2# is."
FILES = {"humatchingfib": "HuMatchingFIB.jsonl", "hustandardfib": "HuStandardFIB.jsonl"}
CASES = load_cases("blanks")
STANDARD = load_cases("fib")


@cache
def real_rows(file: str) -> dict:
    return {row["qid"]: row for row in json_lines(shared("data", "openhueval", FILES[file]))}


def read(case: dict) -> list[Blank] | None:
    """The blanks of a case of HuMatchingFIB with invented options, or of a real question."""
    if "qid" in case:
        return parse_blanks(case["response"])
    texts = option_texts(case.get("options", OPTIONS))
    gold = case.get("gold", GOLD)
    reads = lambda text: bool(read_option(text, texts))  # noqa: E731
    return parse_blanks(case["response"], Asked(QUESTION, len(gold), texts, example_answer("humatchingfib"), reads))


def score(case: dict) -> list[bool]:
    if "qid" not in case:
        return matching_blanks(read(case), case.get("gold", GOLD), case.get("options", OPTIONS), QUESTION)
    row = real_rows(case["file"])[case["qid"]]
    blanks = read(case)
    if case["file"] == "hustandardfib":
        return standard_blanks(blanks, row["answers"], "\n".join(row["questions"]))
    return matching_blanks(blanks, row["answer"], row["options"], row["question"])


@pytest.mark.parametrize("case", CASES, ids=why)
def test_matching_blanks(case):
    right = case["right"]
    assert (read(case) is None) == (right is None)
    assert [int(hit) for hit in score(case)] == (right or [0, 0, 0])


def standard(case: dict) -> list[bool]:
    """Which blanks of a case of HuStandardFIB with an invented question are right."""
    question = case.get("question") or " ".join(f"#{n}#" for n in range(len(case["gold"])))
    asked = Asked(question, len(case["gold"]), example=example_answer("hustandardfib"))
    return standard_blanks(parse_blanks(case["response"], asked), case["gold"], question)


@pytest.mark.parametrize("case", STANDARD, ids=why)
def test_standard_blanks(case):
    assert [int(hit) for hit in standard(case)] == case["right"]


def test_unreadable_reply_has_every_blank_wrong():
    assert matching_blanks(None, GOLD, OPTIONS, QUESTION) == [False] * 3
    assert standard_blanks(None, ["#0#a", "#1#b"], "#0# #1#") == [False] * 2


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        ([True, True], FibScore(2, 2, True)),
        ([True, False], FibScore(1, 2, False)),
        ([False], FibScore(0, 1, False)),
        ([], FibScore(0, 0, False)),
    ],
)
def test_fib_score(hits, expected):
    assert fib_score(hits) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("abc", "abc", 100),
        ("abc", "xyz", 0),
        ("", "abc", 0),
        ("abc", "", 0),
        ("", "", 0),
        ("menlevél", "menlevéllel", 84),  # 2·8 / (8 + 11) = 84.21
        ("körte", "körtét", 73),  # four letters in common: 2·4 / (5 + 6) = 72.7
        ("abcdefg" + "x" * 3, "abcdefg" + "y" * 3, 70),  # 2·7 / 20
    ],
)
def test_similarity_is_the_rounded_indel_ratio(a, b, expected):
    assert similarity(a, b) == expected


def test_similarity_agrees_with_a_textbook_longest_common_subsequence():
    words = ["Szeged", "szegedi", "Székesfehérvár", "fehérvár", "Pozsony", "pozsonyi", "ő", "ők", "622", "1222"]
    for a in words:
        for b in words:
            assert similarity(a, b) == round(200 * longest_common_subsequence(a, b) / (len(a) + len(b))), (a, b)


def longest_common_subsequence(a: str, b: str) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        before = row[:]
        for i, y in enumerate(b, start=1):
            row[i] = before[i - 1] + 1 if x == y else max(row[i - 1], before[i])
    return row[-1]

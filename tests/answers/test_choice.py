"""Reading a choice: numbered options in free text, option letters in blanks."""

from __future__ import annotations

import pytest

from hueval_metrics.answers.blanks.options import option_texts, read_option
from hueval_metrics.answers.choice import read_choice
from tests.helpers import load_cases, why

OPTIONS = {"A": "környezet", "B": "raktár", "C": "raktár", "D": "e-mail", "E": ""}
UNKNOWN = ("", "")


def option(response, options=UNKNOWN):
    """The number of the option that a reply to a Hungarian question chooses."""
    found = read_choice(response, options, ("hu",))
    for span in found.spans:
        assert response[span.start : span.end].strip()
    return None if found.value is None else found.value + 1


@pytest.mark.parametrize("case", load_cases("choices"), ids=why)
def test_read_choice(case):
    assert option(case["response"], case.get("options", UNKNOWN)) == case["answer"]


def test_other_options_change_nothing():
    others = ("Ez az egyik.", "Ez a másik.")
    cases = [case for case in load_cases("choices") if "options" not in case]
    assert [why(case) for case in cases if option(case["response"], others) != case["answer"]] == []


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("A", "A"),
        ("(a)", "A"),
        ("A.környezet", "A"),
        ("A környezet", "A"),
        ("Környezet!", "A"),
        ("raktár", "BC"),
        ("C.raktár", "C"),
        ("A.raktár", ""),
        ("e-mail", "D"),
        ("E-mailt", ""),
        ("D - e-mailt", "D"),
        ("", ""),
        ("E", "E"),
        ("F", ""),
        ("A. B", ""),
        ("A) vagy B)", ""),
        ("ház", ""),
    ],
)
def test_read_option(text, letters):
    assert read_option(text, OPTIONS) == frozenset(letters)


def test_option_texts_keep_the_first_of_a_letter_and_leave_out_what_has_none():
    given = ["A.\tMost jársz", "You walk now.", "B) két", "(C) három", "AA: négy", "B.", ".", "D.5. sor"]
    assert option_texts(given) == {"A": "Most jársz", "B": "két", "C": "három", "AA": "négy", "D": "5. sor"}

"""Reading the letter of an option: literal replies, and any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.choice import first_letter, read_choice
from hueval_metrics.answers.names import LETTERS
from hueval_metrics.answers.run_on import answered_part
from hueval_metrics.text.hanzi import PAIRS, same_script
from tests.helpers import load_cases, why
from tests.linear import repeated, slower_than_linear

MOUNTAINS = ["獅子山", "太平山", "大帽山", "鳳凰山"]
WORDS = st.sampled_from(
    [
        *"ABCDabcd",
        *"（）()：。，、？\n .",
        "答案",
        "是",
        "不",
        "選",
        "或",
        "正確",
        "因此",
        "大帽山",
        "The answer is ",
        "\\boxed{",
        "問題:",
    ]
)


LINES = (
    "香港特別行政區是中華人民共和國的一個特別行政區，位於珠江口東側，毗鄰廣東省深圳市。",
)  # of a prompt with headings


def read_letter(response, options):
    """The letter that the part of a reply before an invented question chooses."""
    found = read_choice(answered_part(response, LINES), options, ("zh", "hu"), is_numbered=False)
    return None if found.value is None else LETTERS[found.value]


@pytest.mark.parametrize("case", load_cases("letter_choice"), ids=why)
def test_read_letter(case):
    assert read_letter(case["response"], case["options"]) == case["letter"]


@given(st.text() | st.lists(WORDS, max_size=40).map("".join), st.integers(2, 4))
def test_any_text_gives_a_letter_of_an_option_or_none(response, n):
    assert read_letter(response, MOUNTAINS[:n]) in (None, *"ABCD"[:n])


@given(st.lists(st.text(), min_size=2, max_size=4), st.integers(0, 3))
def test_the_letter_alone_is_read_whatever_the_options_are(options, place):
    letter = "ABCD"[place]
    assert read_letter(letter, options) == (letter if place < len(options) else None)


@given(
    st.sampled_from("ABCD"),
    st.sampled_from(["答案：{}", "選項{}", "（{}）", "**{}**", "The answer is {}.", "故選{}。"]),
)
def test_forms_of_a_decision(letter, form):
    assert read_letter(form.format(letter), MOUNTAINS) == letter


@pytest.mark.slow
def test_a_runaway_reply_is_read_in_linear_time():
    units = [
        "A或B、",
        "答案是",
        "不是",
        "A\n",
        "A. 獅子山 ",
        "答案是不是選",
        "問題:",
        "\\boxed{",
        "((((",
        "́",
        "大帽山",
        "選A",
    ]

    def read(reply):
        assert read_letter(reply, MOUNTAINS) in (None, *"ABCD")

    assert not slower_than_linear(read, repeated(units))


def test_the_end_of_a_long_reply_decides_as_the_whole_does():
    thoughts = "選項A的高度是495米，而且並非最高的山。\n" * 200
    assert read_letter(f"{thoughts}因此答案是C。", MOUNTAINS) == "C"
    assert read_letter(f"{thoughts}因此答案是B或C。", MOUNTAINS) is None
    assert read_letter(thoughts, MOUNTAINS) is None


@pytest.mark.parametrize(
    ("response", "n", "letter"),
    [("HKDSE: C", 4, "D"), ("HKDSE: C", 3, "C"), ("Ｃ", 4, None), ("不是A，是B", 4, "A"), ("", 4, None)],
)
def test_first_letter(response, n, letter):
    assert first_letter(response, n) == letter


def test_the_table_of_characters_is_that_of_opencc():
    opencc = pytest.importorskip("opencc")
    to_simplified = opencc.OpenCC("hk2s"), opencc.OpenCC("t2s")
    pairs = PAIRS.read_text(encoding="utf-8").replace("\n", "")
    for traditional, simplified in zip(pairs[::2], pairs[1::2], strict=True):
        assert to_simplified[1].convert(to_simplified[0].convert(traditional)) == simplified
        assert same_script(simplified) == simplified

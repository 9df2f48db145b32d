import base64
import gzip
import json

from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.reports.page.packing import blocks, cut_middle, packed, size


@given(st.text(max_size=60), st.integers(2, 40), st.integers(2, 40))
def test_cutting_keeps_both_ends_and_counts_what_goes(text, first, second):
    piece = cut_middle(cut_middle(text, max(first, second)), min(first, second))
    if len(text) <= min(first, second):
        assert piece == text
        return
    start, gone, end = piece
    assert text.startswith(start)
    assert text.endswith(end)
    assert len(start) + gone + len(end) == len(text)
    assert size(piece) == min(first, second)
    assert piece == cut_middle(text, min(first, second))  # at once or bit by bit, the same


def test_nothing_is_kept_at_0():
    assert cut_middle("abc", 0) == ("", 3, "")
    assert cut_middle(("ab", 4, "cd"), 0) == ("", 8, "")
    assert cut_middle("", 0) == ""


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=8))
def test_what_is_packed_comes_out_again_and_holds_no_markup(value):
    text = packed(value)
    assert json.loads(gzip.decompress(base64.b64decode(text))) == value
    assert not set(text) & set(b"<>&\"' \n")


def test_half_a_surrogate_pair_becomes_a_question_mark():
    assert gzip.decompress(base64.b64decode(packed("a\ud800"))) == b'"a?"'


def test_the_same_value_gives_the_same_bytes():
    assert packed(["ő"] * 100) == packed(["ő"] * 100)


def test_an_empty_block_is_an_empty_line():
    first, nothing, last = blocks(["a", None, "b"]).split(b"\n")
    assert (first, nothing, last) == (packed("a"), b"", packed("b"))

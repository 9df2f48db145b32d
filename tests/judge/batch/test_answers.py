from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judge.batch.answers import BatchAnswer, answer_of, is_cut, lines_of
from tests.fakes.batch_server import answer_row

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["custom_id", "response", "error", "status_code", "body"]), inner)
    ),
    max_leaves=12,
)


def test_an_answer_is_read():
    row = answer_row("k", "Igen, helyes.")
    assert answer_of(json.dumps(row)) == BatchAnswer("k", 200, json.dumps(row["response"]["body"]))


@pytest.mark.parametrize(
    ("why", "line"),
    [
        ("cut off", '{"custom_id": "k", "respon'),
        ("no object", "[]"),
        ("no id", '{"response": {"status_code": 200, "body": {}}}'),
        ("an id that is no text", '{"custom_id": 1, "response": null}'),
        ("no status", '{"custom_id": "k", "response": {"body": {}}}'),
        ("a status that is no number", '{"custom_id": "k", "response": {"status_code": true, "body": {}}}'),
        ("a response that is no object", '{"custom_id": "k", "response": "yes"}'),
        ("nested without end", "[" * 100_000),
    ],
)
def test_a_line_that_is_no_answer_is_none(why, line):
    assert answer_of(line) is None


@given(st.text() | JSON.map(json.dumps))
def test_no_line_raises(line):
    answer = answer_of(line)
    assert answer is None or isinstance(answer.key, str)


@pytest.mark.parametrize(
    ("why", "content", "lines"),
    [
        ("empty", b"", []),
        ("blank lines", b"\n a \r\n\n", ["a"]),
        ("no line feed at the end", b"a\nb", ["a", "b"]),
        ("as long as may be", b"12345678\nb\n", ["12345678", "b"]),
        ("too long", b"123456789\nb\n", [None, "b"]),
        ("far too long", b"1" * 100 + b"\nb\n", [None, "b"]),
        ("too long at the end", b"b\n" + b"1" * 100, ["b", None]),
        ("no UTF-8", b"\xff\n", ["\ufffd"]),
        ("other line breaks are no end", "a\u2028b\x0bc\n".encode(), ["a\u2028b\x0bc"]),
    ],
)
def test_lines_are_read_up_to_their_cap(why, content, lines):
    assert list(lines_of(io.BytesIO(content), cap=9)) == lines


@pytest.mark.parametrize(
    ("why", "content", "cut"),
    [
        ("empty", b"", False),
        ("whole", b'{"custom_id": "k", "response": null}\n', False),
        ("whole without a line feed", b'{"custom_id": "k", "response": null}', False),
        ("in the middle", b'{"custom_id": "k", "response": null}\n{"cust', True),
        ("broken, but ended", b'{"cust\n', False),
    ],
)
def test_a_file_that_ends_in_the_middle_of_a_line_is_cut(why, content, cut):
    assert is_cut(io.BytesIO(content)) == cut

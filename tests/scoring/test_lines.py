"""Rows one at a time, from files that may hold anything."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hueval_metrics.scoring.lines as lines
from hueval_metrics.errors import InputError
from hueval_metrics.scoring.lines import read_lines


def refusal(path) -> str:
    with pytest.raises(InputError) as error:
        list(read_lines(path))
    assert "\n" not in str(error.value)
    return str(error.value)


def test_each_row_knows_where_it_stands(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n \t\n{"\xc5\x91": 2}')
    found = list(read_lines(path))
    assert [(line.number, line.row) for line in found] == [(1, {"a": 1}), (4, {"ő": 2})]
    content = path.read_bytes()
    assert content[found[0].start :][: found[0].length] == b'{"a": 1}\r\n'
    assert content[found[1].start :][: found[1].length] == '{"ő": 2}'.encode()


@given(rows=st.lists(st.dictionaries(st.text(), st.text() | st.floats(allow_nan=False) | st.integers() | st.none())))
def test_what_was_written_is_read(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert [line.row for line in read_lines(path)] == rows


def test_a_last_line_cut_off(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": "b', encoding="utf-8")
    assert "a.jsonl line 2: not JSON" in refusal(path)
    assert "Was the file cut off?" in refusal(path)


@pytest.mark.parametrize("content", [b"\x00" * 4096, b'{"a": "\x00"}', b'{"a": 1}\x00'])
def test_nul_bytes(tmp_path, content):
    """What a crash of the machine leaves in a file that was being written."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n' + content)
    assert "a.jsonl line 2: not JSON" in refusal(path)


def test_a_line_that_no_prediction_has(tmp_path, monkeypatch):
    """A whole file without line breaks is refused before it fills the memory."""
    monkeypatch.setattr(lines, "MAX_LINE", 2**20)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n[' + b"1, " * 2**19 + b"1]\n")
    assert "a.jsonl line 2: longer than 1 MiB" in refusal(path)
    assert "one object a line?" in refusal(path)


def test_the_longest_line_that_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE", 10)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 12}\n')
    assert [line.row for line in read_lines(path)] == [{"a": 12}]


def test_a_file_that_may_not_be_read(tmp_path):
    assert "cannot be read (Is a directory)" in refusal(tmp_path)

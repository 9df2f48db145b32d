from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets import json_stream
from hf_datasets.json_stream import JsonFaultError, array_entries, utf8_pieces

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
INDENTS = st.sampled_from([None, 0, 1, 4])


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.fixture
def small_buffer(monkeypatch):
    """Fill the buffer by a few characters at a time, so that it ends inside of everything."""
    monkeypatch.setattr(json_stream, "_CHUNK", 1)


@pytest.mark.usefixtures("small_buffer")
class TestAnyCut:
    """Wherever the text is cut, the entries are those that json.loads reads from the whole."""

    @given(st.lists(VALUES), INDENTS, st.booleans(), st.integers(1, 40))
    def test_same_entries_as_json_loads(self, values, indent, ascii_only, size):
        text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
        assert list(array_entries(cut(text, size))) == json.loads(text)

    @given(st.lists(VALUES, min_size=1), INDENTS, st.integers(1, 40), st.data())
    def test_a_text_that_is_cut_off_is_refused(self, values, indent, size, data):
        text = json.dumps(values, indent=indent)
        end = data.draw(st.integers(0, len(text) - 1))
        with pytest.raises(JsonFaultError):
            list(array_entries(cut(text[:end], size)))

    @given(st.text(alphabet='[]{},:"\\ \n0123456789.-+eEtrufalsn', max_size=40), st.integers(1, 5))
    def test_any_text_is_read_as_json_loads_does_or_refused(self, text, size):
        try:
            expected = json.loads("[" + text)
        except ValueError:
            expected = None
        if expected is None:
            with pytest.raises(JsonFaultError):
                list(array_entries(cut("[" + text, size)))
        else:
            assert list(array_entries(cut("[" + text, size))) == expected

    @given(st.text(), st.booleans(), st.integers(1, 8))
    def test_bytes_are_decoded_as_a_whole(self, text, bom, size):
        text = text.replace("\0", "").removeprefix("\ufeff")
        file = io.BytesIO(text.encode("utf-8-sig" if bom else "utf-8", "replace"))
        read = file.read
        file.read = lambda _=-1: read(size)
        assert "".join(utf8_pieces(file)) == text.encode("utf-8", "replace").decode()


@pytest.mark.parametrize(
    ("why", "text", "told"),
    [
        ("nothing", "", "is empty, expected a JSON array with an object a row"),
        ("only white space", " \r\n", "is empty, expected a JSON array with an object a row"),
        ("an object around the rows", '{"data": []}', "is an object, expected a JSON array with an object a row"),
        ("plain text", "hello", "is no JSON array, expected a JSON array with an object a row"),
        ("cut off between rows", '[{"id": "0"}', "is cut off after row 1"),
        ("cut inside", '[{"id": "0"}, {"id', "row 2: is cut short or not JSON (Unterminated string starting at)"),
        ("no comma", '[{"id": "0"} {"id": "1"}]', "has '{' after row 1, expected a comma or ]"),
        ("a comma too many", "[1, 2,]", "row 3: is cut short or not JSON (Expecting value)"),
        ("a second array", "[1][2]", "has text behind the array of 1 rows, expected its end"),
        ("a raw line break", '[{"a": "x\ny"}]', "row 1: is cut short or not JSON (Invalid control character at)"),
        ("NaN", "[1, NaN]", "row 2: is not JSON (NaN is not JSON)"),
        ("a number of 5,000 digits", f"[{'9' * 5000}]", "row 1: is not JSON (Exceeds the limit (4300 digits)"),
        ("nested too deep", f"[{'[' * 100_000}", "row 1: is not JSON (maximum recursion depth exceeded"),
    ],
)
def test_what_is_refused_and_how_it_is_told(why, text, told):
    with pytest.raises(JsonFaultError) as fault:
        list(array_entries([text]))
    assert str(fault.value).startswith(told)


@pytest.mark.parametrize(
    ("why", "content", "told"),
    [
        ("a NUL byte", b'[\n{"a": "x\0"}]', "line 2 contains a NUL byte, expected text"),
        ("Latin-2", b'[\n\n"\xf5"]', "line 3 contains byte 0xf5, expected UTF-8"),
        ("cut off inside a character", '[\n"ő'.encode()[:-1], "line 2 is cut short inside a character"),
        ("a character lost its end", b'["\xc5"]', "line 1 contains byte 0xc5, expected UTF-8"),
    ],
)
def test_bytes_that_are_refused(why, content, told):
    with pytest.raises(JsonFaultError) as fault:
        list(utf8_pieces(io.BytesIO(content)))
    assert str(fault.value) == told


def test_a_fault_early_in_a_long_file_is_told_before_the_rest_is_read():
    def pieces():
        yield '[{"id": "0"}, {"id": 1x}, ' + " " * json_stream._CHUNK
        raise AssertionError("read on")

    entries = array_entries(pieces())
    assert next(entries) == {"id": "0"}
    with pytest.raises(JsonFaultError, match="row 2: is cut short or not JSON"):
        next(entries)


def test_a_row_without_an_end_is_given_up():
    taken = []

    def pieces():
        yield '["'
        while True:
            taken.append(1)
            yield "a" * 2**16

    with pytest.raises(JsonFaultError, match="row 1: is longer than 16 MiB, which no row is"):
        list(array_entries(pieces()))
    assert len(taken) <= 512  # 32 MiB of the endless file


def test_memory_does_not_grow_with_the_array():
    import tracemalloc

    row = json.dumps({"id": "0", "passage": ["x" * 2000]})

    def peak(rows: int) -> int:
        def pieces():
            yield "["
            for number in range(rows):
                yield row if number == 0 else f",{row}"
            yield "]"

        tracemalloc.start()
        count = sum(1 for _ in array_entries(pieces()))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert count == rows
        return most

    assert peak(20_000) < peak(500) + 2**20  # the array has 40 MB

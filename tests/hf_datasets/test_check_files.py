from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.cache import blob_id
from hf_datasets.check import check
from hf_datasets.checks.files import LONG_LINE
from hf_datasets.repo import SourceFile
from tests.each import each
from tests.helpers import shared
from tests.hf_datasets.tiny import rows, tiny

BOM = b"\xef\xbb\xbf"


def findings(folder, name: str, content: bytes, blob: str | None = None) -> list[tuple]:
    """What is found in a source file of this content."""
    (folder / name).write_bytes(content)
    source = SourceFile(name, f"https://example.org/{name}", blob)
    report = check(tiny({"test": rows(2)}, folder, sources=(source,)))
    return [(f.severity, f.what, f.count, f.examples) for f in report.findings if f.config == name]


STRAY = ("warning", "column in only 1 of 3 rows", 1)
DAMAGED = ("error", "damaged file", 1)
TYPES = '"a": a string 2× (row 1), a number 1× (row 2)'
SOUND = [
    ("a.json", b'[{"id": "1"}, {"id": "2"}]'),
    ("a.jsonl", b'{"id": "1"}\n{"id": "2"}\n'),
    ("a.csv", b'id,text\n1,"a\nb"\n2,c\n'),
    ("a.jsonl", b'{"id": null}\n{"id": "2"}\n'),  # an absent value has no type
]
CASES = [
    ("a.json", BOM + b'[{"id": "1"}]', "warning", "byte order mark (BOM) at the start of the file", 1, ""),
    ("a.jsonl", b'{"id": "1"}\r\n{"id": "2"}\r\n', "warning", "Windows line endings (CR LF)", 2, ""),
    ("a.json", b'[{"a": 1}, {"a": 2, "x": ""}, {"a": 3}]', *STRAY, '"x", first in row 2'),
    ("a.csv", b"id,text\n1,a\n2,b,c\n3,d\n", *STRAY, '"(values beyond the last column)", first in row 2'),
    ("a.jsonl", b'{"a": 1, "b": 2}\n{"a": 3}\n{"a": 4, "b": 5}', "warning", "column missing in 1 of 3 rows", 1, '"b"'),
    ("a.jsonl", b'{"a": "1"}\n{"a": 1}\n{"a": "0"}\n{"a": null}', "warning", "column with mixed types", 1, TYPES),
    ("a.json", b'[\n{"id": "\0"}]', *DAMAGED, "line 2 contains a NUL byte, expected text"),
    ("a.json", '[{"id": "ő"},\n{"id": "é"}]'.encode("cp1250"), *DAMAGED, "line 1 contains byte 0xf5, expected UTF-8"),
    ("a.json", gzip.compress(b"[]", mtime=0), *DAMAGED, "is a gzip archive"),
    ("a.json", b'[{"id": "1"},', *DAMAGED, "row 2: is cut short or not JSON (Expecting value)"),
    ("a.json", b'[{"id": "1"}, "2"]', "error", "rows that are not objects", 1, "row 2 is a string"),
]


@each(("name", "content"), SOUND)
def test_a_sound_file(tmp_path, name, content):
    assert findings(tmp_path, name, content) == []


@pytest.mark.parametrize(("name", "content", "severity", "what", "count", "example"), CASES)
def test_what_a_file_shows(tmp_path, name, content, severity, what, count, example):
    examples = (example,) if example else ()
    assert findings(tmp_path, name, content) == [(severity, what, count, examples)]


def test_a_long_line_of_many_pieces_counts_once(tmp_path):
    content = b'{"id": "1"}\n{"id": "' + b"x" * 3 * LONG_LINE + b'"}\n{"id": "2"}'
    expected = [("warning", "lines longer than 1 MiB", 1, ("line 2",))]
    assert findings(tmp_path, "a.jsonl", content) == expected
    assert findings(tmp_path, "a.json", b"[" + content.replace(b"\n", b",") + b"]") == []  # an array has no lines


def test_another_file_than_the_published_one(tmp_path):
    body = b'[{"id": "1"}]'
    assert findings(tmp_path, "a.json", body, blob_id(body)) == []
    other = blob_id(b"[]")
    shown = f"git blob id {blob_id(body)}, expected {other}"
    assert findings(tmp_path, "a.json", body, other) == [("warning", "not the published file", 1, (shown,))]


def test_only_one_config_leaves_the_files_out(tmp_path):
    (tmp_path / "a.json").write_bytes(BOM + b"[]")
    opened = tiny({"test": rows(2)}, tmp_path, sources=(SourceFile("a.json", "https://example.org/a.json", None),))
    assert [f.config for f in check(opened).findings] == ["a.json", "table"]
    assert [f.config for f in check(opened, "table").findings] == ["table"]


PIECES = st.sampled_from(
    [b'{"a": 1}', b'{"a": "x"}', b"[", b"]", b",", b"\n", b"\r\n", b"\0", b"\xff", b'"', BOM, b"1"]
)


@given(content=st.lists(PIECES).map(b"".join), suffix=st.sampled_from(["json", "jsonl", "csv"]))
def test_any_bytes_give_findings_of_one_line(tmp_path_factory, content, suffix):
    folder = tmp_path_factory.getbasetemp()
    for _, what, count, examples in findings(folder, f"any.{suffix}", content):
        assert count > 0
        assert all(len(line.splitlines()) == 1 for line in (what, *examples))


def test_the_real_files_of_hulu():
    from hf_datasets.checks.files import source_findings
    from hf_datasets.repo import dataset_repo

    found = [(f.config, f.what, f.examples) for f in source_findings(dataset_repo("hulu"), shared("data", "hulu"))]
    assert found == [
        *(
            (f"hucb/hucb_{split}.json", "byte order mark (BOM) at the start of the file", ())
            for split in ("dev", "test", "train")
        ),
        ("huwnli/train.json", "column in only 1 of 562 rows", ('"Column6", first in row 481',)),
    ]

"""Zip archives that anybody may have made: each attack is refused in one line, in both languages, and fast."""

from __future__ import annotations

import io
import stat
import struct
import time
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hueval_metrics.submission.archive import ArchiveError, is_archive, unpacked
from tests.each import each

MB = 2**20


def archive(*files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", method) as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of one name twice
        for name, content in files:
            opened.writestr(name, content, method)
    return whole.getvalue()


def link(name: str) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(name)
    found.external_attr = (stat.S_IFLNK | 0o777) << 16
    return found


def write(content: bytes, folder: Path) -> Path:
    path = folder / "mine.zip"
    path.write_bytes(content)
    return path


def refused(content: bytes, folder: Path, most: int = 100 * MB) -> str:
    """The line on an archive that is refused, cheaply and without a trace on the disk."""
    started = time.process_time()
    with pytest.raises(ArchiveError) as caught, unpacked(write(content, folder), most, folder):
        pass
    assert time.process_time() - started < 2  # a tenth of it
    assert [path.name for path in folder.iterdir()] == ["mine.zip"]
    assert caught.value.text["hu"] != caught.value.text["en"] == str(caught.value)
    return caught.value.text["en"]


def test_files_are_unpacked_under_names_of_ours(tmp_path):
    content = archive(("a/x.jsonl", b"1"), ("b\u202e.json", b"22"), ("__MACOSX/._x", b"3"), ("a/.DS_Store", b"4"))
    path = write(content, tmp_path)
    assert is_archive(path)
    with unpacked(path, 3) as members:
        assert [(one.name, one.size, one.path.read_bytes()) for one in members] == [
            ("a/x.jsonl", 1, b"1"),
            ("b.json", 2, b"22"),
        ]
        assert [one.path.name for one in members] == ["0", "1"]
    assert not members[0].path.exists()


@each(
    ("files", "line"),
    [
        ([], "the archive is empty."),
        ([("../a.json", b"")], "../a.json: its name leads out of the archive."),
        ([("a/../../b.json", b"")], "a/../../b.json: its name leads out"),
        ([("/etc/passwd", b"")], "/etc/passwd: its name leads out"),
        ([("C:\\a.json", b"")], "C:\\a.json: its name leads out"),
        ([("..\\a.json", b"")], "..\\a.json: its name leads out"),
        ([(link("a.json"), b"/etc/passwd")], "a.json: is a link or a device"),
        ([("a.json", b"1"), ("a.json", b"2")], "a.json: is there more than once."),
        ([("a.zip", archive(("b.json", b"1")))], "a.zip: is an archive itself."),
        ([("a\u202e\x1b[2J.json", b"1"), ("a\u202e\x1b[2J.json", b"2")], "a.json: is there more than once."),
    ],
)
def test_what_no_submission_needs(files, line, tmp_path):
    assert refused(archive(*files), tmp_path).startswith(line)


def test_an_encrypted_member(tmp_path):
    content = bytearray(archive(("a.json", b"1")))
    content[6] |= 1  # the flag, in the member's own header and in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert refused(bytes(content), tmp_path) == "a.json: is encrypted. Zip the files without a password"


@each("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_whose_decompressors_write_without_bound(method, tmp_path):
    assert "another method than Deflate" in refused(archive(("a.json", b"0" * MB), method=method), tmp_path)


def test_100_000_members_are_refused_by_the_record_at_the_end(tmp_path):
    content = archive(*((str(number), b"") for number in range(2000)))
    assert refused(content, tmp_path).startswith("has more than 1,000 files")
    end = content.index(b"PK\x05\x06")
    lying = content[: end + 8] + struct.pack("<HH", 1, 1) + content[end + 12 :]  # the directory has them all the same
    assert refused(lying, tmp_path).startswith("has more than 1,000 files")
    assert refused(archive(*((str(number), b"") for number in range(70_000))), tmp_path).startswith(
        "has more than 1,000"
    )


@pytest.mark.slow
def test_10_gigabytes_from_one_megabyte(tmp_path):
    """Ten members of 100 MB of zeros each, then the same with sizes that lie."""
    content = archive(*((f"{number}.json", bytes(100 * MB)) for number in range(10)))
    assert len(content) < 1.1 * MB
    assert refused(content, tmp_path) == (
        "unpacks to more than 100 MiB. Submit the files one by one, or make them smaller"
    )
    lying = content.replace(struct.pack("<L", 100 * MB), struct.pack("<L", 5))
    assert "is a damaged zip archive" in refused(lying, tmp_path)


def test_the_limit_holds_for_all_files_together(tmp_path):
    files = [(f"{number}.json", b"x" * 100) for number in range(3)]
    with unpacked(write(archive(*files), tmp_path), 300) as members:
        assert len(members) == 3
    assert "unpacks to more than" in refused(archive(*files), tmp_path, most=299)


@each("content", [b"PK", b"PK\x03\x04" + b"\0" * 100, b"PK\x05\x06" + b"\xff" * 18])
def test_a_damaged_archive(content, tmp_path):
    refused(content, tmp_path)


@settings(max_examples=200)
@given(st.data())
def test_any_damage_gives_one_line_or_files(tmp_path_factory, data):
    """Bytes anywhere in an archive are changed, or its end is cut off."""
    content = bytearray(archive(("a.json", b"[1, 2]" * 50), ("b/c.jsonl", b"x" * 300)))
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=6)):
        content[place] = data.draw(st.integers(0, 255))
    path = write(bytes(content[: data.draw(st.integers(1, len(content)))]), tmp_path_factory.mktemp("damaged"))
    try:
        with unpacked(path, MB) as members:
            assert members
    except ArchiveError as error:
        assert all(text.isprintable() and len(text) < 400 for text in error.text.values())

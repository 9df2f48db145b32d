"""Files are written atomically."""

from __future__ import annotations

import pytest

from hueval_metrics.errors import DataError, InputError
from hueval_metrics.text.files import whole_file, write_whole
from tests.each import each
from tests.fakes.small_files import file_size_limit


def test_pieces_become_a_file_at_the_end(tmp_path):
    path = tmp_path / "new" / "a.txt"
    with whole_file(path) as write:
        write(b"one ")
        assert not path.exists()
        write(b"two")
    assert path.read_bytes() == b"one two"
    assert [file.name for file in path.parent.iterdir()] == ["a.txt"]
    assert path.stat().st_mode & 0o777 == 0o644


@each("failure", [KeyboardInterrupt, ValueError, OSError(5, "of another file")])
def test_what_breaks_the_block_off_comes_out_as_it_is_and_leaves_the_old_file(tmp_path, failure):
    path = tmp_path / "a.txt"
    write_whole(path, b"old")
    with pytest.raises(failure if isinstance(failure, type) else OSError) as error, whole_file(path) as write:
        write(b"new")
        raise failure
    assert not isinstance(error.value, InputError)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


@each("size", [100, 2**21], ids=["when it is closed", "when it is written"])
def test_a_full_disk_at_any_step(tmp_path, size):
    """Small pieces are buffered: the error of a full disk comes when they are written, or only at the end."""
    path = tmp_path / "a.txt"
    write_whole(path, b"old")
    with file_size_limit(10), pytest.raises(DataError, match=r"cannot write .*a\.txt \(File too large\)\. Buy a disk"):
        write_whole(path, b"x" * size, DataError, "Buy a disk")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "a").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="Free some space there or choose another folder"):
        write_whole(tmp_path / "a" / "b.txt", b"")

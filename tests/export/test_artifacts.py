from pathlib import Path, PurePosixPath

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.export.artifacts import HEAD_LINES, HEAD_WIDTH, Artifact, preview, text_artifact, write


def tree(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


def test_files_are_written_below_the_folder(tmp_path):
    written = write([text_artifact("a/b.txt", "ő"), text_artifact("c.txt", "")], tmp_path / "out")
    assert tree(tmp_path / "out") == {"a/b.txt": "ő", "c.txt": ""}
    assert written == [tmp_path / "out/a/b.txt", tmp_path / "out/c.txt"]


@pytest.mark.parametrize("there", ["somebody's", "new and more", "ne", ""])
def test_a_file_with_other_content_stays_and_nothing_is_written(tmp_path, there):
    (tmp_path / "b.txt").write_text(there, encoding="utf-8")
    with pytest.raises(InputError, match=r"b\.txt exists with other content\. .* add --overwrite"):
        write([text_artifact("a.txt", "new"), text_artifact("b.txt", "new")], tmp_path)
    assert tree(tmp_path) == {"b.txt": there}


def test_a_file_with_the_same_content_is_no_conflict_and_is_not_touched(tmp_path):
    (tmp_path / "a.txt").write_text("same", encoding="utf-8")
    (tmp_path / "a.txt").chmod(0o600)
    write([Artifact(PurePosixPath("a.txt"), lambda: [b"sa", b"me"])], tmp_path)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o600


def test_overwriting_is_asked_for(tmp_path):
    (tmp_path / "a.txt").write_text("old", encoding="utf-8")
    write([text_artifact("a.txt", "new")], tmp_path, overwrite=True)
    assert tree(tmp_path) == {"a.txt": "new"}


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    def breaks():
        yield b"half"
        raise InputError("the items are broken")

    with pytest.raises(InputError, match="the items are broken"):
        write([Artifact(PurePosixPath("a.txt"), breaks)], tmp_path)
    assert tree(tmp_path) == {}


def test_a_folder_in_the_way_is_said_in_a_line(tmp_path):
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(InputError, match=r"a\.txt exists with"):
        write([text_artifact("a.txt", "new")], tmp_path)


def test_a_preview_shows_paths_sizes_and_first_lines(tmp_path):
    text = "".join(f"line {n}\n" for n in range(99))
    lines = preview([text_artifact("a.txt", text)], tmp_path).splitlines()
    assert lines[0] == f"{tmp_path / 'a.txt'} ({len(text)} bytes)"
    assert lines[1:] == [f"    line {n}" for n in range(HEAD_LINES)]
    assert tree(tmp_path) == {}


def test_a_preview_of_a_long_line_is_cut(tmp_path):
    _, line = preview([text_artifact("a.txt", "ő" * 10**6)], tmp_path).splitlines()
    assert line == f"    {'ő' * (HEAD_WIDTH - 1)}…"


def test_a_preview_is_inert_in_a_terminal(tmp_path):
    shown = preview([text_artifact("a.txt", "\x1b[31m\x9b2J\u202e\x07\rx")], tmp_path)
    assert all(char.isprintable() for char in shown.replace("\n", ""))

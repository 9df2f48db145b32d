"""A converted folder is what its manifest says, or refused in one line."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.converted import MANIFEST, is_converted, parse_manifest, read_converted
from hueval_metrics.errors import DataError, HuevalError
from tests.each import each
from tests.hf_datasets.toy import ROWS, convert_toy


@pytest.fixture
def folder(tmp_path) -> Path:
    return convert_toy(tmp_path / "toy")


def change(folder: Path, *path: str, to: object) -> None:
    """Set an entry of the manifest."""
    manifest = json.loads((folder / MANIFEST).read_bytes())
    *outer, last = path
    place = manifest
    for key in outer:
        place = place[key]
    place[last] = to
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def error_of(folder: Path) -> str:
    """The one line that tells why the test split of the rivers cannot be read."""
    with pytest.raises(HuevalError) as error:
        list(read_converted(folder).rows("folyok", "test"))
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


def test_rows_come_back(folder):
    converted = read_converted(folder)
    assert is_converted(folder)
    assert {c: {s: list(converted.rows(c, s)) for s in splits} for c, splits in ROWS.items()} == ROWS
    assert converted.manifest.configs["folyok"]["test"].rows == 2


def test_a_file_is_hashed_before_its_first_row(folder):
    (folder / "folyok" / "train.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match="is damaged or was changed"):
        read_converted(folder).rows("folyok", "train")


def test_a_changed_file(folder):
    path = folder / "folyok" / "test.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    assert error_of(folder).startswith(f"{path} is damaged or was changed (SHA-256 ")


def test_a_missing_file(folder):
    (folder / "folyok" / "test.parquet").unlink()
    assert error_of(folder).endswith(
        "test.parquet is missing, and hueval.json lists it. Convert again (hueval data convert) or take a fresh copy"
    )


@pytest.mark.parametrize("content", [b"", b"PAR1" * 9, b"x" * 100])
def test_a_file_that_is_no_parquet(folder, content):
    (folder / "folyok" / "test.parquet").write_bytes(content)
    change(folder, "configs", "folyok", "test", "sha256", to=hashlib.sha256(content).hexdigest())
    assert "test.parquet is not a valid Parquet file (" in error_of(folder)


def test_a_folder_in_place_of_the_file(folder):
    (folder / "folyok" / "test.parquet").unlink()
    (folder / "folyok" / "test.parquet").mkdir()
    assert error_of(folder).startswith("cannot read ")


def test_a_folder_without_manifest(tmp_path):
    assert not is_converted(tmp_path)
    assert not is_converted(tmp_path / "nowhere")
    assert error_of(tmp_path).startswith(f"{tmp_path} has no hueval.json, so it is not a converted data set. ")


def test_a_later_format(folder):
    change(folder, "format", to=2)
    assert error_of(folder) == f"{folder / MANIFEST} has format 2, and this version of hueval reads 1. Update hueval"


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("configs",), [], "configs: Input should be an object"),
        (("configs", "folyok", "test", "rows"), "2", "configs.folyok.test.rows: Input should be a valid integer"),
        (("source",), {"files": "all"}, "source.files: Input should be an object"),
        (("configs", "folyok", "test", "file"), "../../secret.parquet", "names ../../secret.parquet, expected"),
        (("configs", "folyok", "test", "file"), "folyok/train.parquet", "names folyok/train.parquet, expected"),
        (
            ("configs", ".."),
            {"test": {"rows": 1, "content": "", "sha256": "", "file": "../test.parquet"}},
            "names ../te",
        ),
    ],
)
def test_a_damaged_manifest(folder, path, value, told):
    change(folder, *path, to=value)
    assert told in error_of(folder)


@each("content", [b"", b"{", b"[]", b"null", b"\xff", b'{"format": "1"}', b"{}", b"[" * 100_000])
def test_no_manifest_at_all(content):
    with pytest.raises(DataError, match=r"^here is damaged \(.*\)\. Convert again") as error:
        parse_manifest(content, "here")
    assert "\n" not in str(error.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["test", "rows", "file", "files", ".."]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries({"format": st.just(1) | JSON, "name": JSON, "hueval": JSON, "source": JSON, "configs": JSON})
)
def test_any_manifest_is_read_or_refused_in_one_line(manifest):
    try:
        parse_manifest(json.dumps(manifest).encode(), "here")
    except DataError as error:
        assert len(str(error).splitlines()) == 1

from __future__ import annotations

import errno
import logging
import os
from dataclasses import replace
from pathlib import Path

import pytest

from hf_datasets.cache import blob_id, cache_dir
from hf_datasets.fetch import address
from hf_datasets.locate import available, locate
from hueval_metrics.errors import DataError
from tests.hf_datasets.published import BODY, ID, NAME, TABLE, cached_path, error_of, found, mirror, put_in_cache

pytestmark = pytest.mark.usefixtures("published")


def test_cache_dir(monkeypatch, tmp_path):
    monkeypatch.setenv("HUEVAL_CACHE_DIR", "~/elsewhere")
    assert cache_dir() == Path.home() / "elsewhere"
    monkeypatch.delenv("HUEVAL_CACHE_DIR")
    assert cache_dir() == Path.home() / ".cache" / "hueval"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "hueval"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_dir() == Path.home() / ".cache" / "hueval"


def test_no_home_folder(monkeypatch):
    def homeless():
        raise RuntimeError

    monkeypatch.delenv("HUEVAL_CACHE_DIR")
    monkeypatch.setattr(Path, "home", homeless)
    assert error_of() == "there is no home folder for downloads. Set HUEVAL_CACHE_DIR to a folder"


# The sample


def test_the_sample_outranks_a_folder_and_the_cache(monkeypatch, folder_with):
    put_in_cache()
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    source, content = found(str(folder_with(NAME, BODY)))
    assert (source.origin, source.sample, source.blob_id) == ("sample", True, blob_id(content))
    assert content == source.path.read_bytes()


@pytest.mark.parametrize("value", ["", "0", "false", "No"])
def test_the_sample_is_not_taken_unasked(monkeypatch, value):
    monkeypatch.setenv("HUEVAL_SAMPLE", value)
    assert "HUEVAL_SAMPLE=1" in error_of()


def test_an_odd_switch_is_an_error(monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "please")
    assert error_of() == 'HUEVAL_SAMPLE is "please", expected 1 or 0. Set it to 1 to switch it on, or unset it'


# A folder


@pytest.mark.parametrize("by_variable", [False, True])
@pytest.mark.parametrize("nested", [False, True])
def test_a_folder_needs_only_the_file_and_may_differ(monkeypatch, tmp_path, nested, by_variable):
    folder = tmp_path / "mine"
    path = folder / ("openhueval" if nested else ".") / f"{NAME}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"mine")
    put_in_cache()
    if by_variable:
        monkeypatch.setenv("HUEVAL_DATA_DIR", str(folder))
    source, content = found(None if by_variable else str(folder))
    assert content == b"mine"
    assert (source.path, source.origin, source.blob_id) == (path, "folder", blob_id(b"mine"))


def test_the_argument_outranks_the_variable(monkeypatch, folder_with, tmp_path):
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(tmp_path / "nowhere"))
    assert found(folder_with(NAME, b"mine"))[1] == b"mine"


def test_a_folder_without_the_file_is_an_error_at_once(hub, monkeypatch, tmp_path):
    put_in_cache()
    mirror(hub, monkeypatch)
    (tmp_path / "mine").mkdir()
    assert error_of(str(tmp_path / "mine")) == (
        f"{tmp_path}/mine (data_dir) has neither openhueval/HuSimpleQA.jsonl nor HuSimpleQA.jsonl. "
        f"Put the file there ({hub.url}/data/HuSimpleQA.jsonl), or leave data_dir out to have it downloaded"
    )
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(tmp_path / "mine"))
    assert "mine (HUEVAL_DATA_DIR) has neither" in error_of()
    assert hub.calls == []


def test_what_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    assert "nowhere (data_dir) does not exist. Fix the path or" in error_of(str(tmp_path / "nowhere"))
    assert "file (data_dir) is a file, expected a folder" in error_of(str(tmp_path / "file"))
    assert error_of("").startswith("data_dir is '', expected the path of a folder")
    assert error_of(2024).startswith("data_dir is 2024, expected the path of a folder")
    assert "(data_dir) does not exist" in error_of("a\0b")


def test_a_folder_in_place_of_the_file(tmp_path):
    (tmp_path / "openhueval" / f"{NAME}.jsonl").mkdir(parents=True)
    assert error_of(str(tmp_path)).startswith(f"{tmp_path}/openhueval/{NAME}.jsonl is not a file. Move it away")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / f"{NAME}.jsonl")
    assert "is not a file" in error_of(str(tmp_path))


@pytest.mark.parametrize(("owner", "call", "told"), [(os, "open", "cannot read"), (Path, "stat", "cannot look for")])
def test_permission_denied(monkeypatch, folder_with, owner, call, told):
    folder = folder_with(NAME, BODY)
    original = getattr(owner, call)

    def denied(path, *more, **options):
        if Path(path).name == f"{NAME}.jsonl":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return original(path, *more, **options)

    monkeypatch.setattr(owner, call, denied)
    path = folder / "openhueval" / f"{NAME}.jsonl"
    assert error_of(str(folder)).startswith(f"{told} {path} (Permission denied). Fix ")


# The cache


def test_the_cache_outranks_the_network(hub_repo, monkeypatch):
    mirror(hub_repo, monkeypatch)
    path = put_in_cache()
    source, content = found()
    assert (source.path, source.origin, source.blob_id, content) == (path, "cache", ID, BODY)
    assert hub_repo.calls == []


def test_a_damaged_copy_is_set_aside_and_replaced(hub, monkeypatch, caplog):
    mirror(hub, monkeypatch)
    path = put_in_cache(BODY[:-5])
    with caplog.at_level(logging.WARNING):
        source, content = found()
    assert (source.origin, content) == ("upstream", BODY)
    assert path.with_name(f"{NAME}.jsonl.damaged").read_bytes() == BODY[:-5]
    assert path.read_bytes() == BODY
    assert f"{path} is damaged (git blob id {blob_id(BODY[:-5])}, expected {ID}); set aside as" in caplog.text


def test_a_damaged_copy_without_network(monkeypatch):
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    path = put_in_cache(b"half")
    assert f"the cache ({path} was damaged; set aside as {NAME}.jsonl.damaged)" in error_of()


def test_a_damaged_copy_that_cannot_be_renamed(monkeypatch):
    def denied(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    path = put_in_cache(b"half")
    monkeypatch.setattr(Path, "replace", denied)
    assert f"the cache ({path} was damaged; cannot be renamed)" in error_of()


def test_the_sample_missing_from_the_installation(monkeypatch, tmp_path):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    elsewhere = replace(TABLE, repo=replace(TABLE.repo, home=tmp_path))
    with pytest.raises(DataError) as error:
        locate(elsewhere)
    path = tmp_path / "sample" / f"{NAME}.jsonl"
    assert str(error.value) == f"the packaged sample has no {path}. Unset HUEVAL_SAMPLE, or reinstall hueval"


# hueval doctor


def told(data_dir=None) -> dict[str, tuple[bool | None, str]]:
    return {source.origin: (source.has_file, source.what) for source in available(TABLE, data_dir)}


def test_what_is_told_of_an_empty_machine():
    answers = told()
    assert list(answers) == ["sample", "folder", "cache", "hub", "upstream"]
    assert answers["sample"][0] is True
    assert answers["sample"][1].endswith("HuSimpleQA.jsonl (not switched on)")
    assert answers["folder"] == (False, "no folder is named")
    assert answers["cache"] == (False, f"no {cached_path()}")
    assert answers["hub"] == (False, "HUEVAL_HUB_REPO is not set")
    assert answers["upstream"] == (None, address(TABLE.official))


def test_what_is_told_of_a_full_machine(monkeypatch, folder_with):
    monkeypatch.setenv("HUEVAL_HUB_REPO", "hueval/openhueval@v1")
    folder = folder_with(NAME, BODY)
    path = put_in_cache()
    answers = told(str(folder))
    assert answers["folder"] == (True, f"{folder}/openhueval/{NAME}.jsonl")
    assert answers["cache"] == (True, str(path))
    assert answers["hub"] == (None, "hueval/openhueval@v1")


def test_what_is_told_of_bad_settings(monkeypatch, tmp_path):
    monkeypatch.setenv("HUEVAL_HUB_REPO", "hueval/openhueval")
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(tmp_path / "nowhere"))
    path = put_in_cache(b"half")
    answers = told()
    assert answers["hub"][0] is False
    assert "Pin the revision" in answers["hub"][1]
    assert "does not exist" in answers["folder"][1]
    assert answers["cache"] == (False, f"{path} is damaged")
    assert path.read_bytes() == b"half"


def test_offline_is_told(monkeypatch):
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    assert told()["hub"] == told()["upstream"] == (False, "HUEVAL_OFFLINE or HF_HUB_OFFLINE is set")

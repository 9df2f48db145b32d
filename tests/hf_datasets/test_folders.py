"""Which data set lies in a folder, and which of its files are read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hf_datasets.convert import convert
from hf_datasets.opened import find_folder, source_files
from hf_datasets.repo import dataset_repo, names
from hueval_metrics.records import DataError, InputError
from tests.hf_datasets.toy import toy_repo

OPENHUEVAL = dataset_repo("openhueval")
SAMPLE = OPENHUEVAL.folder / "sample"


@pytest.mark.parametrize("below", [".", "openhueval"])
def test_the_data_set_is_guessed(tmp_path, below):
    shutil.copytree(SAMPLE, tmp_path / below, dirs_exist_ok=True)
    repo, folder = find_folder(tmp_path)
    assert (repo.name, folder) == ("openhueval", tmp_path / below)


@pytest.mark.parametrize("name", names())
def test_every_sample_is_known_by_its_files(name):
    folder = dataset_repo(name).folder / "sample"
    assert find_folder(folder) == (dataset_repo(name), folder)
    assert source_files(dataset_repo(name), folder)


def test_what_cannot_be_guessed(tmp_path):
    def fault(folder: Path, name: str | None = None) -> str:
        with pytest.raises(InputError) as error:
            find_folder(folder, name)
        return str(error.value)

    assert fault(tmp_path / "nowhere").endswith("is not a folder. Name the folder that has the upstream files")
    assert "has no upstream file of HKMMLU, HuLU, KoLasSimpleQA, OpenHuEval" in fault(tmp_path)
    assert fault(tmp_path, "hulu").endswith("has no upstream file of HuLU. Fetch them: hueval data pull hulu")
    convert(OPENHUEVAL, SAMPLE, tmp_path / "out")
    assert fault(tmp_path / "out").endswith("is converted already. Name the folder that has the upstream files")
    shutil.copytree(SAMPLE, tmp_path / "openhueval")
    (tmp_path / "hulu" / "hucola").mkdir(parents=True)
    (tmp_path / "hulu" / "hucola" / "cola_dev.json").write_bytes(b"[]")
    assert fault(tmp_path).endswith("has several data sets: hulu, openhueval. Name one: --name hulu")
    assert find_folder(tmp_path, "hulu")[0].name == "hulu"


def test_only_the_files_of_the_data_set_count(tmp_path):
    for name in ("HuSimpleQA.jsonl", "HuProverbRea.json", "notes.json", "deep/HuWildBench.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    assert list(source_files(OPENHUEVAL, tmp_path)) == ["HuProverbRea.json", "HuSimpleQA.jsonl"]


def test_every_data_file_counts_where_none_is_listed(tmp_path):
    repo = toy_repo()
    for name in ("a.csv", "b/c/d.jsonl", "b/c/d/e.jsonl", ".hidden/f.json", "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    assert list(source_files(repo, tmp_path)) == ["a.csv", "b/c/d.jsonl"]


@pytest.mark.parametrize("name", ["HuSimpleQA.jsonl", "HuSimpleQA.parquet"])
def test_a_link_out_of_the_folder(tmp_path, name):
    (tmp_path / "secret").write_bytes(b"")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / name).symlink_to("../secret")
    with pytest.raises(DataError, match=rf"{name} is a link that leads out of .*data\. Put the file itself there$"):
        source_files(OPENHUEVAL, tmp_path / "data")

from __future__ import annotations

from dataclasses import replace

from hf_datasets.contamination import contamination_guid, guids_file, guids_section, without_guid
from hf_datasets.convert import convert
from hf_datasets.repo import dataset_repo, dataset_repos
from tests.hf_datasets.toy import REPO


def test_a_guid_is_that_of_its_config_and_release():
    hucola = dataset_repo("hulu").config("hucola")
    known = contamination_guid(dataset_repo("hulu"), hucola)
    assert known == "ec9ce2b1-9646-5ef3-a439-8741fe42d811"  # published data have it: it must never change
    later = replace(hucola, release="2")
    assert contamination_guid(dataset_repo("hulu"), later) != known


def test_no_two_are_equal():
    guids = [contamination_guid(repo, config) for repo in dataset_repos() for config in repo.configs]
    assert len(set(guids)) == len(guids) > 90


def test_the_texts_have_those_of_the_converted_configs():
    for text in (guids_file(REPO, ["folyok"]), guids_section(REPO, ["folyok"])):
        assert without_guid(text, REPO, ["folyok"]) == []
        assert without_guid(text, REPO, ["folyok", "varosok"]) == ["varosok"]


def test_no_row_has_one(tmp_path):
    """Rows are hashed and licensed as their authors published them, and prompts are made of rows."""
    repo = dataset_repo("openhueval")
    convert(repo, repo.sample, tmp_path)
    guids = [contamination_guid(repo, config).encode() for config in repo.configs]
    files = {path.name for path in tmp_path.rglob("*") if path.is_file() and any(g in path.read_bytes() for g in guids)}
    assert files == {"README.md", "contamination_guids.txt"}

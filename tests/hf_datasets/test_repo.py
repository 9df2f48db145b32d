"""Which data sets there are: the folders are asked, and a broken one keeps nobody from the others."""

from __future__ import annotations

import logging
import re
import sys
from pathlib import Path

import pytest

import hf_datasets
from hf_datasets.repo import SourceFile, dataset_repo, dataset_repos, names
from hueval_metrics.errors import DataError, InputError
from tests.each import each
from tests.hf_datasets.toy import REPO

HERE = Path(hf_datasets.__path__[0])


@pytest.fixture
def broken(monkeypatch, tmp_path):
    """A function that adds a folder `kviz` with this `convert.py` to the data sets."""
    monkeypatch.setattr(hf_datasets, "__path__", [*hf_datasets.__path__, str(tmp_path)])
    (tmp_path / "empty").mkdir()

    def write(code: str):
        sys.modules.pop("hf_datasets.kviz.convert", None)
        file = tmp_path / "kviz" / "convert.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(code, encoding="utf-8")
        return file

    return write


def test_every_folder_with_a_converter_is_a_data_set():
    assert {"hulu", "openhueval"} < set(names())
    assert [repo.name for repo in dataset_repos()] == list(names())


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def", "cannot be imported (SyntaxError: invalid syntax (convert.py, line 1)). Fix it, or remove it"),
        ("import no_such_module", "cannot be imported (ModuleNotFoundError: No module named 'no_such_module'). Fix it"),
        ("x = 1", "cannot be imported (AttributeError: module 'hf_datasets.kviz.convert' has no attribute 'REPO')"),
        ("REPO = None", "is not the DatasetRepo kviz. Fix it, or remove it"),
        ("from hf_datasets.hulu.convert import REPO", "is not the DatasetRepo kviz. Fix it, or remove it"),
    ],
)
def test_a_broken_one_is_named_and_the_others_go_on(broken, caplog, code, told):
    path = broken(code)
    with pytest.raises(DataError) as error:
        dataset_repo("kviz")
    assert str(path) in str(error.value)
    assert told in str(error.value)
    with caplog.at_level(logging.WARNING):
        assert [repo.name for repo in dataset_repos()] == [name for name in names() if name != "kviz"]
    assert caplog.messages == [str(error.value)]


def test_the_data_of_another_distribution(install):
    install()
    assert dataset_repo("toy") is REPO
    assert [repo.name for repo in dataset_repos()] == list(names()) == sorted([*names()])
    assert "toy" in names()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("no_such.package.REPO", r"^no_such\.package\.REPO cannot be imported \(ModuleNotFoundError: No module"),
        ("tests.hf_datasets.toy.REPO", r"toy\.REPO is not the DatasetRepo kviz\. Fix it, or remove it$"),
    ],
)
def test_broken_data_of_another_distribution(install, data, told):
    install(data, "kviz")
    with pytest.raises(DataError, match=told):
        dataset_repo("kviz")
    assert "kviz" not in [repo.name for repo in dataset_repos()]


def test_a_family_may_use_the_data_of_a_folder(install):
    install("hulu", "kviz")
    assert "kviz" not in names()


def test_an_unknown_name():
    with pytest.raises(InputError, match=r'there is no data set "huluu"\. One of: .*hulu, '):
        dataset_repo("huluu")


@pytest.mark.parametrize(
    ("url", "published"),
    [
        (f"https://raw.githubusercontent.com/org/name/{'a' * 40}/data/x.json", ("org/name", "a" * 40)),
        (f"https://huggingface.co/datasets/org/name/resolve/{'a' * 40}/x.json", ("org/name", "a" * 40)),
        ("https://example.org/x.json", None),
    ],
)
def test_where_an_address_says_that_a_file_is_published(url, published):
    assert SourceFile("x.json", url, None).published == published


def named_in(source: str) -> list[str]:
    """The data sets that a text names."""
    words = {word for repo in dataset_repos() for word in (repo.name, repo.title)}
    return sorted(word for word in words if re.search(rf"(?i)\b{word}", source))


@each("path", sorted([*HERE.glob("*.py"), *HERE.glob("checks/*")]), ids=lambda path: path.name)
def test_shared_files_name_no_data_set(path):
    assert path.is_dir() or named_in(path.read_text(encoding="utf-8")) == []


def test_a_planted_name_is_found():
    assert named_in("x = 1  # as HuLU's rows are") == ["HuLU", "hulu"]

"""Which data sets there are: the folders are asked, and a broken one keeps nobody from the others."""

from __future__ import annotations

import logging
import sys

import pytest

from hf_datasets import repo as repos
from hf_datasets.repo import SourceFile, dataset_repo, dataset_repos, names
from hueval_metrics.records import DataError, InputError


@pytest.fixture
def broken(monkeypatch, tmp_path):
    """A function that adds a folder `kviz` with this `convert.py` to those that are looked into."""
    import hf_datasets

    for name in names():
        (tmp_path / name).symlink_to(repos._HERE / name)
    (tmp_path / "kviz").mkdir()
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr(repos, "_HERE", tmp_path)
    monkeypatch.setattr(hf_datasets, "__path__", [str(tmp_path)])

    def write(code: str):
        sys.modules.pop("hf_datasets.kviz.convert", None)
        (tmp_path / "kviz" / "convert.py").write_text(code, encoding="utf-8")
        return tmp_path / "kviz" / "convert.py"

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

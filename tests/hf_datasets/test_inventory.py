"""`hueval data list`: what we have, and where it lies."""

from __future__ import annotations

import shutil

from hf_datasets.cache import cache_dir
from hf_datasets.convert import convert
from hf_datasets.inventory import contents, inventory
from hf_datasets.repo import dataset_repo, names
from hueval_metrics.cli import main
from tests.each import each

OPENHUEVAL = dataset_repo("openhueval")
SAMPLE = OPENHUEVAL.folder / "sample"


def line_of(name: str) -> str:
    """What is listed of a data set, single blanks between the words."""
    (line,) = (line for line in inventory().splitlines() if line.startswith(name))
    return " ".join(line.split())


def test_one_line_for_each(capsys):
    assert main(["data", "list"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["data", "set", "configs", "rows", "licence", "on", "this", "machine"]
    assert [line.split()[0] for line in lines] == list(names())
    assert line_of("openhueval") == "openhueval 5 ~4,003 apache-2.0 no (hueval data pull openhueval)"
    repos = map(dataset_repo, names())
    assert len({line.rindex(f" {repo.license} ") for line, repo in zip(lines, repos, strict=True)}) == 1


def test_the_configs_of_one(capsys):
    assert main(["data", "list", "openhueval"]) == 0
    assert [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()] == [
        "config split rows in print",
        "humatchingfib test 278",
        "hustandardfib test 93",
        "huproverbrea test 1,135",
        "husimpleqa test 1,343",
        "huwildbench test 1,154",
    ]
    assert "hurte   train        2,132     2,131" in contents(dataset_repo("hulu"))


def test_a_number_in_print_that_is_of_all_splits():
    lines = [" ".join(line.split()) for line in contents(dataset_repo("hkmmlu")).splitlines()]
    start = lines.index("hk_law validation")
    assert lines[start : start + 3] == ["hk_law validation", "hk_law test", "hk_law all 412"]
    assert line_of("hkmmlu").split()[1:3] == ["68", "~117,248"]


@each("below", ["", "openhueval"])
def test_files_in_a_named_folder(monkeypatch, tmp_path, below):
    (tmp_path / "data").mkdir()
    shutil.copytree(SAMPLE, tmp_path / "data" / below, dirs_exist_ok=True)
    (tmp_path / "data" / below / "HuWildBench.jsonl").unlink()
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(tmp_path / "data"))
    assert line_of("openhueval").endswith("apache-2.0 HUEVAL_DATA_DIR: 4 of 5 files")
    assert line_of("hulu").endswith("no (hueval data pull hulu)")


def test_a_conversion_in_the_cache_and_files_elsewhere(monkeypatch, tmp_path):
    convert(OPENHUEVAL, SAMPLE, cache_dir() / "data" / "openhueval")
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(SAMPLE))
    assert line_of("openhueval").endswith("HUEVAL_DATA_DIR: 5 of 5 files; cache: 5 of 5 configs, converted")
    (cache_dir() / "data" / "openhueval" / "hueval.json").write_bytes(b"")
    assert line_of("openhueval").endswith("HUEVAL_DATA_DIR: 5 of 5 files; cache: damaged conversion")


def test_a_conversion_is_of_one_data_set_only(monkeypatch, tmp_path):
    convert(OPENHUEVAL, SAMPLE, tmp_path / "out")
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(tmp_path / "out"))
    assert line_of("openhueval").endswith("HUEVAL_DATA_DIR: 5 of 5 configs, converted")
    assert line_of("hulu").endswith("no (hueval data pull hulu)")

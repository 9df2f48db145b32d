"""Converting: the whole folder or nothing, the same bytes each time, and nothing of the user's is lost."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from hf_datasets.cache import blob_id, cache_dir
from hf_datasets.card import check_card
from hf_datasets.contamination import GUIDS, guids_section
from hf_datasets.convert import convert
from hf_datasets.converted import MANIFEST, read_converted
from hf_datasets.repo import Config, DatasetRepo, MissingError, SourceFile, Split, content_hash, dataset_repo
from hueval_metrics.cli import main
from hueval_metrics.errors import DataError, InputError
from tests.fakes.small_files import file_size_limit
from tests.hf_datasets.toy import CARD, Line

RIVERS = [{"id": "1", "text": "Duna"}, {"id": "2", "text": "Tisza"}]
LAKES = [{"id": "1", "text": "Balaton"}]


def read(folder: Path, config: str, split: str):
    path = folder / f"{config}_{split}.json"
    if not path.exists():
        raise MissingError(f"{path} does not exist. Put it there")
    yield from json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def src(tmp_path) -> Path:
    folder = tmp_path / "toy"
    folder.mkdir()
    for name, rows in {"folyok_train": RIVERS, "folyok_test": [], "varosok_test": LAKES}.items():
        (folder / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


@pytest.fixture
def repo(tmp_path, src) -> DatasetRepo:
    def table(name: str, *splits: Split) -> Config:
        located = tuple(replace(split, file=f"{name}_{split.name}.json") for split in splits)
        return Config(name, Line, located, ("id",), ("text",))

    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "README.md").write_text(CARD, encoding="utf-8")
    path = src / "folyok_train.json"
    sources = (
        SourceFile("folyok_train.json", "https://example.org/folyok", blob_id(path.read_bytes())),
        SourceFile("varosok_test.json", "https://example.org/varosok", "another"),
        SourceFile("tavak.json", "https://example.org/tavak", None),
    )
    configs = (table("folyok", Split("train", 2, content_hash(RIVERS)), Split("test")), table("varosok", Split("test")))
    return DatasetRepo("toy", "Toy", "cc-by-4.0", None, configs, sources, read, home=tmp_path / "home")


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def error_of(repo: DatasetRepo, src: Path, out: Path) -> str:
    """The one line that tells why nothing is converted; nothing changes on the disk."""
    before = tree(out.parent)
    with pytest.raises((DataError, InputError)) as error:
        convert(repo, src, out)
    assert len(str(error.value).splitlines()) == 1
    assert tree(out.parent) == before
    assert not [path for path in out.parent.iterdir() if path.name.startswith(".")]
    return str(error.value)


def test_what_is_written(repo, src, tmp_path, caplog):
    manifest = convert(repo, src, tmp_path / "out")
    assert set(tree(tmp_path / "out")) == {
        "README.md",
        GUIDS,
        "hueval.json",
        "folyok/train.parquet",
        "folyok/test.parquet",
        "varosok/test.parquet",
    }
    converted = read_converted(tmp_path / "out")
    assert converted.manifest == manifest
    assert list(converted.rows("folyok", "train")) == RIVERS
    assert list(converted.rows("varosok", "test")) == LAKES
    assert manifest.configs["folyok"]["train"].content == content_hash(RIVERS)
    assert (tmp_path / "out" / "README.md").read_text(encoding="utf-8") == CARD + guids_section(repo, manifest.tables)
    assert caplog.messages == []
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o755


def test_where_the_rows_come_from(repo, src, tmp_path):
    source = convert(repo, src, tmp_path / "out").source["files"]
    assert source == {
        "folyok_train.json": {"git_blob_id": repo.sources[0].blob_id, "url": "https://example.org/folyok"},
        "varosok_test.json": {"git_blob_id": blob_id((src / "varosok_test.json").read_bytes()), "url": None},
    }
    assert str(tmp_path) not in (tmp_path / "out" / MANIFEST).read_text(encoding="utf-8")


def test_the_same_input_gives_the_same_bytes_wherever_it_lies(repo, src, tmp_path):
    convert(repo, src, tmp_path / "one")
    src.rename(tmp_path / "moved")
    convert(repo, tmp_path / "moved", tmp_path / "deep" / "two")
    assert tree(tmp_path / "one") == tree(tmp_path / "deep" / "two")


def test_a_missing_file_leaves_out_its_split_in_the_card_too(repo, src, tmp_path, caplog):
    (src / "varosok_test.json").unlink()
    (src / "folyok_test.json").unlink()
    manifest = convert(repo, src, tmp_path / "out")
    assert not (tmp_path / "out" / "varosok").exists()
    assert {config: list(splits) for config, splits in manifest.configs.items()} == {"folyok": ["train"]}
    assert [message.partition(": ")[0] for message in caplog.messages] == [
        "folyok test is left out",
        "varosok test is left out",
    ]
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "> This copy is not complete. Left out: folyok/test, varosok/test.\n\n# Toy\n" in card
    assert yaml.safe_load(card.split("---\n")[1])["configs"] == [
        {"config_name": "folyok", "data_files": [{"split": "train", "path": "folyok/train.parquet"}]}
    ]
    assert check_card(card, repo, {"folyok": {"train": 2}}) == []


def test_other_rows_than_the_official_ones_are_warned_of(repo, src, tmp_path, caplog):
    (src / "folyok_train.json").write_text(json.dumps(LAKES), encoding="utf-8")
    convert(repo, src, tmp_path / "one")
    (src / "folyok_train.json").write_text(json.dumps(LAKES * 2), encoding="utf-8")
    convert(repo, src, tmp_path / "two")
    assert caplog.messages == [
        "folyok train: 1 rows, and the official file has 2",
        f"folyok train: other rows than the official file's (content {content_hash(LAKES * 2)}, expected "
        f"{content_hash(RIVERS)})",
    ]


def test_the_size_in_the_card_is_that_of_the_rows(repo, src, tmp_path):
    card = CARD.replace("[n<1K]", "[1K<n<10K]")
    (tmp_path / "home" / "README.md").write_text(card, encoding="utf-8")
    convert(repo, src, tmp_path / "out")
    _, head, body = (tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    assert yaml.safe_load(head) == {**yaml.safe_load(card.split("---\n")[1]), "size_categories": ["n<1K"]}
    assert body.startswith(card.split("---\n", 2)[2])


@pytest.mark.parametrize("name", ["openhueval", "hkmmlu"])
def test_the_packaged_sample_is_said_to_be_one(name, tmp_path, caplog):
    official = dataset_repo(name)
    convert(official, official.sample, tmp_path / "out")
    told = f"{official.sample} is the packaged sample of {official.title}, not the benchmark"
    assert [message for message in caplog.messages if "left out" not in message] == [told]


def test_many_files_that_are_missing_are_told_in_few_lines(tmp_path, caplog):
    source = tmp_path / "src" / "test"
    source.mkdir(parents=True)
    shutil.copy(dataset_repo("hkmmlu").sample / "test" / "hk_law.csv", source)
    convert(dataset_repo("hkmmlu"), source.parent, tmp_path / "out")
    *told, more = (message for message in caplog.messages if "left out" in message)
    assert told[0].startswith("basic_medical_science validation is left out: ")
    assert len(told) == 5
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert more == "128 more splits are left out, from college_math test to zh_to_yue test; the card lists them"
    (note,) = (line for line in card.splitlines() if "Left out: " in line)
    assert note.endswith("zh_to_yue/test.")
    assert "exemplars" not in note  # optional


def test_a_damaged_file_stops_it(repo, src, tmp_path):
    (src / "varosok_test.json").write_text('[{"id": "1"}]', encoding="utf-8")
    assert error_of(repo, src, tmp_path / "out").startswith("varosok/test.parquet row 1: does not have the fields")


def test_a_folder_without_any_file(repo, tmp_path):
    (tmp_path / "empty").mkdir()
    assert error_of(repo, tmp_path / "empty", tmp_path / "out").endswith(
        "empty has no file of Toy. Name its folder, or fetch it: hueval data pull toy"
    )


@pytest.mark.parametrize("link", ["folyok_train.json", "tavak.json"])
def test_a_link_out_of_the_folder_is_not_followed(repo, src, tmp_path, link):
    (tmp_path / "secret.json").write_text(json.dumps(RIVERS), encoding="utf-8")
    (src / link).unlink(missing_ok=True)
    (src / link).symlink_to("../secret.json")
    assert f"{link} is a link that leads out of " in error_of(repo, src, tmp_path / "out")


def test_a_link_within_the_folder_is_followed(repo, src, tmp_path):
    (src / "folyok_test.json").unlink()
    (src / "folyok_test.json").symlink_to("folyok_train.json")
    assert convert(repo, src, tmp_path / "out").tables["folyok"]["test"] == 2


def test_an_earlier_conversion_is_replaced(repo, src, tmp_path):
    convert(repo, src, tmp_path / "out")
    (src / "varosok_test.json").unlink()
    convert(repo, src, tmp_path / "out")
    assert set(tree(tmp_path / "out")) == {
        "README.md",
        GUIDS,
        "hueval.json",
        "folyok/train.parquet",
        "folyok/test.parquet",
    }
    assert {path.name for path in tmp_path.iterdir()} == {"home", "out", "toy"}


def test_an_earlier_conversion_outlives_a_failure(repo, src, tmp_path):
    convert(repo, src, tmp_path / "out")
    (src / "varosok_test.json").write_text("[", encoding="utf-8")
    before = tree(tmp_path / "out")
    with pytest.raises(ValueError, match="Expecting value"):  # of the toy's reader
        convert(repo, src, tmp_path / "out")
    assert tree(tmp_path / "out") == before


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ({"mine.txt": b""}, "out contains other files, such as mine.txt. Name a new folder"),
        ({"folyok/test.parquet": b""}, "out contains other files, such as folyok/test.parquet. Name a new folder"),
        ({MANIFEST: b"{"}, "out contains a damaged conversion. Delete it, or name a new folder"),
    ],
)
def test_what_is_not_ours_is_not_replaced(repo, src, tmp_path, there, told):
    for name, content in there.items():
        (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / name).write_bytes(content)
    assert error_of(repo, src, tmp_path / "out").endswith(told)


def test_files_beside_a_conversion_are_not_lost(repo, src, tmp_path):
    convert(repo, src, tmp_path / "out")
    (tmp_path / "out" / ".git").mkdir()
    (tmp_path / "out" / ".git" / "config").write_bytes(b"")
    assert error_of(repo, src, tmp_path / "out").endswith(
        "contains files that no conversion wrote, such as .git/config. Name a new folder"
    )


def test_a_conversion_of_another_data_set_is_not_replaced(repo, src, tmp_path):
    sample = dataset_repo("openhueval").folder / "sample"
    convert(dataset_repo("openhueval"), sample, tmp_path / "out")
    assert error_of(repo, src, tmp_path / "out").endswith("out contains a conversion of openhueval. Name a new folder")


def test_a_file_in_place_of_the_folder(repo, src, tmp_path):
    (tmp_path / "out").write_bytes(b"mine")
    assert error_of(repo, src, tmp_path / "out").endswith("out is a file. Name a new folder")
    with pytest.raises(DataError, match=r"^cannot write .*/out/deeper \("):
        convert(repo, src, tmp_path / "out" / "deeper")


def test_an_empty_folder_is_as_good_as_none(repo, src, tmp_path):
    (tmp_path / "out").mkdir()
    convert(repo, src, tmp_path / "out")
    assert read_converted(tmp_path / "out").manifest.name == "toy"


def test_a_full_disk_leaves_nothing(repo, src, tmp_path):
    with file_size_limit(10):
        assert "File too large" in error_of(repo, src, tmp_path / "out")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(repo, src, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o555)
    assert "Permission denied" in error_of(repo, src, tmp_path / "closed" / "out")


def test_a_renaming_that_fails_brings_the_earlier_one_back(repo, src, tmp_path, monkeypatch):
    convert(repo, src, tmp_path / "out")
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if Path(target).name == "out" and not path.name.endswith(".earlier"):
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    assert "out (Input/output error). Choose another folder" in error_of(repo, src, tmp_path / "out")


def test_the_command(tmp_path, capsys):
    shutil.copytree(dataset_repo("openhueval").folder / "sample", tmp_path / "openhueval")
    (tmp_path / "openhueval" / "HuWildBench.jsonl").unlink()
    assert main(["data", "convert", str(tmp_path), str(tmp_path / "out")]) == 0
    printed = capsys.readouterr()
    assert "humatchingfib  test             14  " in printed.out
    assert f"Wrote {tmp_path / 'out'}" in printed.out
    assert "hueval: huwildbench test is left out: " in printed.err
    assert "hueval: humatchingfib test: 14 rows, and the official file has 278" in printed.err
    assert main(["data", "convert", str(tmp_path), str(tmp_path / "openhueval")]) == 1
    assert capsys.readouterr().err.startswith(f"hueval: {tmp_path / 'openhueval'} contains other files, such as HuM")


def test_what_is_converted_is_not_converted_again(tmp_path, capsys):
    convert(dataset_repo("openhueval"), dataset_repo("openhueval").sample, tmp_path / "out")
    assert main(["data", "convert", str(tmp_path / "out"), str(tmp_path / "again")]) == 1
    told = "is converted already. Name the folder that has the upstream files\n"
    assert f"hueval: {tmp_path / 'out'} {told}" in capsys.readouterr().err


def test_the_command_takes_the_name_of_what_was_pulled(tmp_path, capsys):
    assert main(["data", "convert", "openhueval", str(tmp_path / "out")]) == 1
    assert "Fetch it: hueval data pull openhueval" in capsys.readouterr().err
    shutil.copytree(dataset_repo("openhueval").sample, cache_dir() / "data" / "openhueval")
    assert main(["data", "convert", "openhueval", str(tmp_path / "out")]) == 0
    assert len(read_converted(tmp_path / "out").manifest.configs) == 5


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        (("size_categories: [n<1K]\n", ""), "the YAML block lacks size_categories. "),
        (
            (CARD[CARD.index("configs:") : CARD.index("---\n", 4)], ""),
            "the YAML block lacks configs, a list of config_name and data_files. ",
        ),
        (("configs:\n", "configs: all of them\nothers:\n"), "the YAML block lacks configs, a list of config_name"),
        (("---\n", ""), "the card cannot be read (no YAML block between two lines of ---)"),
    ],
    ids=["no size", "no configs", "no list", "no YAML"],
)
def test_a_card_that_a_conversion_cannot_fill_in_is_one_line(repo, src, tmp_path, changed, line):
    card = tmp_path / "home" / "README.md"
    card.write_text(CARD.replace(*changed), encoding="utf-8")
    assert error_of(repo, src, tmp_path / "out").startswith(f"{card}: {line}")
    card.unlink()
    assert error_of(repo, src, tmp_path / "out").startswith(f"{card}: the card cannot be read")

from __future__ import annotations

import json
import shutil

import pytest

from hf_datasets.check import check
from hf_datasets.contamination import GUIDS
from hf_datasets.convert import convert
from hf_datasets.converted import MANIFEST
from hf_datasets.opened import open_data, source_files
from hf_datasets.repo import dataset_repo, names
from hueval_metrics.cli import main
from hueval_metrics.errors import DataError, HuevalError
from tests.each import each
from tests.fakes.hub_repos import FakeRepo, file_entry
from tests.fakes.hub_server import WRITE, HubServer
from tests.helpers import shared
from tests.hf_datasets.published import refused_address
from tests.hf_datasets.toy import CARD, ROWS, convert_toy, toy_repo, write_card


@pytest.fixture
def toy(install, tmp_path):
    """A converted folder of the toy data set, which is installed."""
    install()
    return convert_toy(tmp_path / "toy")


@pytest.fixture
def hub(writable_hub, toy):
    """A Hub with the toy data set in a private repository, asked through the real client."""
    writable_hub.repos["org/toy"] = FakeRepo(private=True)
    return writable_hub


def put(server: HubServer, folder) -> str:
    """Commit a folder; the commit."""
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    server.large.update({file_entry(p, b)["lfs"]["oid"]: b for p, b in files.items() if p.endswith(".parquet")})
    return server.repos["org/toy"].commit("main", files)


def refused(named: str, name: str | None = None) -> str:
    with pytest.raises(HuevalError) as error:
        open_data(named, name)
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


def test_a_converted_folder(toy):
    opened = open_data(str(toy))
    assert (opened.repo.name, opened.folder) == ("toy", toy)
    assert list(opened.rows("varosok", "test")) == ROWS["varosok"]["test"]
    report = check(opened)
    assert report.findings == ()
    assert report.rows == {"folyok": {"train": 2, "test": 2}, "varosok": {"test": 2}}


def test_a_converted_folder_without_some_splits(toy, tmp_path):
    rows = {"folyok": {"train": ROWS["folyok"]["train"]}}
    start = CARD.index("    data_files")
    card = CARD[:start] + "    data_files: [{split: train, path: folyok/train.parquet}]" + CARD[CARD.index("\n---\n") :]
    found = check(open_data(str(convert_toy(tmp_path / "part", rows, card)))).findings
    assert [(f.severity, f.config, f.split, f.what, f.examples) for f in found] == [
        ("note", "", "", "missing configs", ("varosok",)),
        ("error", "folyok", "test", "missing split", ()),
    ]


@pytest.mark.parametrize(
    ("card", "what"),
    [
        (CARD.replace("cc-by-4.0", "mit", 1), "mit"),
        (CARD.replace("## Contamination\n\nNobody trains on it.\n\n", ""), "Contamination"),
    ],
    ids=["a wrong licence", "a missing section"],
)
def test_a_faulty_card_is_an_error(toy, card, what):
    write_card(toy, card)
    (finding,) = check(open_data(str(toy))).findings
    assert (finding.severity, finding.config) == ("error", "README.md")
    assert what in finding.what


def test_an_earlier_conversion_lacks_the_guids(toy):
    (toy / "README.md").write_text(CARD, encoding="utf-8")
    (toy / GUIDS).unlink()
    assert [(f.severity, f.config, f.count, f.examples) for f in check(open_data(str(toy))).findings] == [
        ("warning", "README.md", 2, ("folyok", "varosok")),
        ("warning", GUIDS, 2, ("folyok", "varosok")),
    ]


def test_no_card_is_an_error(toy):
    (toy / "README.md").unlink()
    (finding,) = check(open_data(str(toy))).findings
    assert (finding.severity, finding.what) == ("error", "unreadable card")


def test_a_damaged_file_is_told_and_the_others_are_checked(toy):
    (toy / "folyok" / "train.parquet").write_bytes(b"PAR1")
    report = check(open_data(str(toy)))
    assert [(f.severity, f.config, f.split) for f in report.findings] == [("error", "folyok", "train")]
    assert "is damaged or was changed (SHA-256" in report.findings[0].examples[0]
    assert report.rows["varosok"] == {"test": 2}


def test_a_manifest_that_states_other_rows(toy):
    manifest = toy / MANIFEST
    stated = json.loads(manifest.read_text(encoding="utf-8"))
    stated["configs"]["varosok"]["test"]["content"] = "0" * 64
    manifest.write_text(json.dumps(stated), encoding="utf-8")
    (finding,) = check(open_data(str(toy))).findings
    assert (finding.severity, finding.config) == ("error", "varosok")
    assert finding.what == "rows that differ from those listed in hueval.json"


def test_tables_that_the_data_set_does_not_have(install, tmp_path):
    install("tests.hf_datasets.toy.WITHOUT_TOWNS")
    extra = {**ROWS, "folyok": {**ROWS["folyok"], "dev": [{"id": "7", "text": "Maros"}]}}
    found = check(open_data(str(convert_toy(tmp_path / "out", extra)))).findings
    assert [(f.severity, f.config, f.what, f.examples) for f in found if "unknown" in f.what] == [
        ("error", "folyok", "unknown splits", ("dev",)),
        ("error", "varosok", "unknown config", ()),
    ]


def test_a_repository_on_the_hub(hub, toy):
    first = put(hub, toy)
    shutil.rmtree(toy)
    put(
        hub, convert_toy(toy, {**ROWS, "varosok": {"test": [{"id": "5", "text": "Makó"}, {"id": "6", "text": "Pécs"}]}})
    )
    assert list(open_data(f"org/toy@{first}").rows("varosok", "test")) == ROWS["varosok"]["test"]
    newest = open_data("org/toy@main")
    assert next(newest.rows("varosok", "test")) == {"id": "5", "text": "Makó"}
    assert newest.where == "org/toy@main"


def test_a_commit_that_was_fetched_serves_offline(hub, toy, monkeypatch):
    commit = put(hub, toy)
    open_data(f"org/toy@{commit}")
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    asked = len(hub.calls)
    assert check(open_data(f"org/toy@{commit}")).is_sound
    assert refused("org/toy@main").startswith("org/toy@main is not in the cache, and HUEVAL_OFFLINE or HF_HUB_OFFLINE")
    assert len(hub.calls) == asked


@pytest.mark.parametrize(
    ("why", "named", "token"),
    [
        ("no such repository", "org/nothing@main", WRITE),
        ("no such revision", "org/toy@v9", WRITE),
        ("private", "org/toy@main", ""),
    ],
)
def test_a_repository_that_cannot_be_had(hub, monkeypatch, why, named, token):
    monkeypatch.setenv("HF_TOKEN", token)
    told = refused(named)
    assert told.startswith(f"{named} cannot be downloaded from {hub.url} ("), why
    assert told.endswith("Check its name and revision; a private repository needs HF_TOKEN")


def test_an_unreachable_hub(hub, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", refused_address())
    assert refused("org/toy@main").startswith("org/toy@main cannot be downloaded from ")


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (
            "nowhere",
            f"nowhere is not a folder. Name one, or one of {', '.join(names())}, or a repository",
        ),
        ("org/toy", "org/toy is not a folder. Name one, or one of hkmmlu, "),
        ("a\nb", "a b is not a folder."),
        ("hulu", "hulu is not in the cache ("),
        ("x" * 300, "cannot look for xxx"),
        ("~nobody-of-this-name/data", "cannot look for ~nobody-of-this-name/data (Could not determine home directory"),
    ],
)
def test_what_is_no_data_set(named, told):
    assert refused(named).startswith(told)


def test_a_folder_that_is_another_data_set(toy):
    assert refused(str(toy), "hulu") == f"{toy} is toy, not hulu. Leave --name out, or name another folder"


def test_the_cached_copy(tmp_path):
    folder = shared("data", "hulu")
    cached = tmp_path / "cache" / "data" / "hulu"
    cached.parent.mkdir(parents=True)
    cached.symlink_to(folder)
    assert sum(1 for _ in open_data("hulu").rows("hucola", "test")) == 910


@pytest.fixture
def samples(tmp_path):
    """The packaged sample of HuLU, as upstream lays it out and converted."""
    repo = dataset_repo("hulu")
    convert(repo, repo.folder / "sample", tmp_path / "converted")
    return repo.folder / "sample", tmp_path / "converted"


def test_the_same_rows_in_both_forms(samples, capsys):
    source, converted = map(str, samples)
    assert main(["data", "diff", source, converted, "--name", "hulu"]) == 0
    assert capsys.readouterr().out.startswith("Equal: ")
    assert main(["data", "diff", source, converted, "--name", "hulu", "--config", "hucb", "--json"]) == 0
    assert {split["config"] for split in json.loads(capsys.readouterr().out)} == {"hucb"}


def test_other_rows(samples, tmp_path, capsys):
    source, converted = samples
    shutil.copytree(source, tmp_path / "changed")
    path = next((tmp_path / "changed").rglob("cola_test.json"))
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))[1:]), encoding="utf-8")
    assert main(["data", "diff", str(converted), str(tmp_path / "changed"), "--name", "hulu"]) == 1
    assert "hucola/test: " in capsys.readouterr().out


def test_copies_that_cannot_be_compared(samples, capsys):
    assert main(["data", "diff", str(samples[0]), "nowhere"]) == 2
    assert capsys.readouterr().err.startswith("hueval: nowhere is not a folder.")


def test_check_as_a_command(toy, capsys):
    assert main(["data", "check", str(toy)]) == 0
    assert capsys.readouterr().out.endswith("0 errors, 0 warnings, 0 notes.\n")
    (toy / "README.md").unlink()
    assert main(["data", "check", str(toy), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["errors"] == 1
    assert main(["data", "check", str(toy), "--config", "folyo"]) == 1
    assert capsys.readouterr().err == 'hueval: toy has no config "folyo". Did you mean folyok?\n'


@pytest.mark.parametrize("layout", ["below", "itself", "converted"])
def test_a_name_means_the_copy_in_the_data_folder_before_the_cached_one(monkeypatch, tmp_path, layout):
    repo = dataset_repo("openhueval")
    cached, own = tmp_path / "cache" / "data" / "openhueval", tmp_path / "own"
    cached.mkdir(parents=True)
    target = own if layout == "itself" else own / "openhueval"
    if layout == "converted":
        convert(repo, repo.sample, target)
    else:
        shutil.copytree(repo.sample, target)
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(own))
    opened = open_data("openhueval")
    assert opened.folder == target
    assert (opened.converted is not None) == (layout == "converted")
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(tmp_path / "elsewhere"))
    shutil.copytree(repo.sample, cached, dirs_exist_ok=True)
    assert open_data("openhueval").folder == cached
    shutil.rmtree(cached)
    assert f"HUEVAL_DATA_DIR ({tmp_path / 'elsewhere'}) does not have it" in refused("openhueval")


def test_data_check_looks_into_the_data_folder(monkeypatch, tmp_path, capsys):
    shutil.copytree(dataset_repo("openhueval").sample, tmp_path / "openhueval")
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(tmp_path))
    main(["data", "check", "openhueval", "--config", "hustandardfib"])
    assert "hustandardfib: test" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["data", "check", "--help"])
    assert "HUEVAL_DATA_DIR" in capsys.readouterr().out


# Which files of a folder are read

OPENHUEVAL = dataset_repo("openhueval")
SAMPLE = OPENHUEVAL.folder / "sample"


@pytest.mark.parametrize("below", [".", "openhueval"])
def test_the_data_set_is_guessed(tmp_path, below):
    shutil.copytree(SAMPLE, tmp_path / below, dirs_exist_ok=True)
    opened = open_data(str(tmp_path))
    assert (opened.repo.name, opened.folder) == ("openhueval", tmp_path / below)


@each("name", names())
def test_every_sample_is_known_by_its_files(name):
    folder = dataset_repo(name).folder / "sample"
    assert (open_data(str(folder)).repo, open_data(str(folder)).folder) == (dataset_repo(name), folder)
    assert source_files(dataset_repo(name), folder)


def test_what_cannot_be_guessed(tmp_path):
    assert "has no upstream file of HKMMLU, HuLU, KoLasSimpleQA, OpenHuEval" in refused(str(tmp_path))
    assert refused(str(tmp_path), "hulu").endswith("has no upstream file of HuLU. Fetch them: hueval data pull hulu")
    shutil.copytree(SAMPLE, tmp_path / "openhueval")
    (tmp_path / "hulu" / "hucola").mkdir(parents=True)
    (tmp_path / "hulu" / "hucola" / "cola_dev.json").write_bytes(b"[]")
    assert refused(str(tmp_path)).endswith("has several data sets: hulu, openhueval. Name one: --name hulu")
    assert open_data(str(tmp_path), "hulu").repo.name == "hulu"


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

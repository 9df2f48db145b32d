"""The same rows and the same provenance from the files and from a conversion, wherever they are."""

from __future__ import annotations

import json
import logging
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hf_datasets.cache import blob_id, cache_dir, file_sha256
from hf_datasets.convert import convert
from hf_datasets.converted import MANIFEST, read_converted
from hf_datasets.load import load
from hf_datasets.locate import available
from hf_datasets.openhueval import published
from hf_datasets.openhueval.convert import REPO
from hf_datasets.openhueval.schema import MODELS
from hf_datasets.parquet import write_rows
from hueval_metrics.errors import DataError
from hueval_metrics.loader import documents
from tests.each import each
from tests.helpers import shared
from tests.hf_datasets.published import cached_path, pinned, refused_address

HUB = ("hueval/openhueval", "v1")
NAME, CONFIG = "HuSimpleQA", "husimpleqa"
SAMPLE = REPO.folder / "sample"
UPSTREAM = ("opendatalab/OpenHuEval", "38c22bdfdcbf95d139e6001ea1b98934ebd2e7ca")
PLACES = {  # where the data lie → the step that finds them, and where they are published
    "the folder itself": ("folder", UPSTREAM),
    "a folder above": ("folder", UPSTREAM),
    "a conversion": ("folder", UPSTREAM),
    "a folder above a conversion": ("folder", UPSTREAM),
    "the cache": ("cache", UPSTREAM),
    "a conversion in the cache": ("cache", UPSTREAM),
    "the Hub": ("hub", UPSTREAM),  # the very file, so wherever it was fetched it is upstream's
    "a conversion on the Hub": ("hub", HUB),
    "a conversion on the Hub, offline again": ("hub", HUB),
    "upstream": ("upstream", UPSTREAM),
}


IDS = {path.stem: blob_id(path.read_bytes()) for path in SAMPLE.glob("*.jsonl")}
PUBLISHED = pinned(IDS)  # the data set as if the sample were the published files
OTHER = pinned({NAME: "0" * 40})


@pytest.fixture(autouse=True)
def no_upstream(monkeypatch):
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", refused_address())


@pytest.fixture
def on_the_hub(hub, monkeypatch):
    """A Hub with a function `put_all`, which puts the files of a folder there."""
    monkeypatch.setenv("HF_ENDPOINT", hub.url)

    def put(folder: Path) -> None:
        monkeypatch.setenv("HUEVAL_HUB_REPO", "@".join(HUB))
        files = [path for path in folder.rglob("*") if path.is_file()]
        hub.put_dataset(*HUB, {path.relative_to(folder).as_posix(): path.read_bytes() for path in files})

    hub.put_all = put
    return hub


@pytest.fixture(params=["the sample", "the published files"])
def published_files(request):
    """A data set, and a folder with its official files."""
    return (PUBLISHED, SAMPLE) if request.param == "the sample" else (REPO, shared("data", "openhueval"))


def rows(name: str, data_dir=None, repo=PUBLISHED):
    loaded = load(repo, name, data_dir=data_dir)
    return loaded.rows, loaded.source


def sources(data_dir=None):
    """What the doctor tells: origin → whether it has the file, and which."""
    return {s.origin: (s.has_file, s.what) for s in available(PUBLISHED.table(NAME, "test"), data_dir)}


def put(place: str, source: Path, tmp_path: Path, monkeypatch, hub) -> str | None:
    """Put the data there and nowhere else; what is then the argument `data_dir`."""
    out, above = tmp_path / "out", tmp_path / "above" / "openhueval"
    cached = cached_path().parent
    if place == "the folder itself":
        return str(source)
    if place == "a folder above":
        shutil.copytree(source, above)
        return str(above.parent)
    if place == "the cache":
        shutil.copytree(source, cached)
        return None
    if place == "upstream":
        monkeypatch.setenv("HUEVAL_UPSTREAM_URL", f"{hub.url}/data")
        for path in source.iterdir():
            hub.files[f"/data/{path.name}"] = path.read_bytes()
        return None
    if place == "the Hub":
        hub.put_all(source)
        return None
    target = {"a folder above a conversion": above, "a conversion in the cache": cached}.get(place, out)
    convert(REPO, source, target)
    if "Hub" in place:
        hub.put_all(out)
    return {"a conversion": str(out), "a folder above a conversion": str(above.parent)}.get(place)


@pytest.mark.parametrize("place", PLACES)
def test_the_same_rows_from_everywhere(published_files, place, tmp_path, monkeypatch, on_the_hub):
    repo, source = published_files
    names = [config.name for config in repo.configs if (source / config.splits[0].file).exists()]
    expected = {name: load(repo, name, data_dir=source) for name in names}
    data_dir = put(place, source, tmp_path, monkeypatch, on_the_hub)
    if place.endswith("again"):
        for name in names:
            load(repo, name)
        monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    origin, (published_in, revision) = PLACES[place]
    for name in names:
        found = load(repo, name, data_dir=data_dir)
        assert found.rows == expected[name].rows
        assert found.provenance == {
            **expected[name].provenance,
            "repo": published_in,
            "revision": revision,
            "origin": origin,
        }


TASKS = ["humatchingfib", "hustandardfib", "huproverbrea_2cq", "husimpleqa", "huwildbench"]


@each("name", TASKS)
@each("lang", ["hu", "en", "zh"])
def test_the_same_documents_and_signature(name, lang, tmp_path):
    convert(REPO, SAMPLE, tmp_path / "out")
    raw, copied = (
        documents(f"openhueval_{name}", question_lang=lang, data_dir=str(folder))
        for folder in (SAMPLE, tmp_path / "out")
    )
    assert raw == copied


@pytest.mark.parametrize("streaming", [False, True])
def test_datasets_reads_the_same_rows(published_files, streaming, tmp_path):
    import datasets

    _, source = published_files
    manifest = convert(REPO, source, tmp_path / "out")
    for config in manifest.configs:
        cache = str(tmp_path / "hf")
        read = datasets.load_dataset(str(tmp_path / "out"), config, split="test", streaming=streaming, cache_dir=cache)
        assert list(read) == list(REPO.read(source, config, "test"))
        assert list(read.features) == list(REPO.config(config).row.model_fields)


def test_the_published_rows_are_those_that_we_know(tmp_path, caplog):
    manifest = convert(REPO, shared("data", "openhueval"), tmp_path / "out")
    assert {name: manifest.configs[name.lower()]["test"].content for name in published.CONTENT} == published.CONTENT
    assert {name: manifest.configs[name.lower()]["test"].rows for name in published.ROWS} == published.ROWS
    assert [message for message in caplog.messages if "left out" not in message] == []


def test_a_file_of_ones_own_is_recorded_as_such(tmp_path):
    convert(REPO, SAMPLE, tmp_path / "out")
    _, provenance = documents(f"openhueval_{CONFIG}", data_dir=str(tmp_path / "out"))
    assert (provenance["repo"], provenance["revision"], provenance["origin"]) == (None, None, "folder")
    assert provenance["git_blob_id"] == blob_id((SAMPLE / f"{NAME}.jsonl").read_bytes())


# Copies that are not what they say


@pytest.fixture
def out(tmp_path) -> Path:
    convert(REPO, SAMPLE, tmp_path / "out")
    return tmp_path / "out"


def rewrite(out: Path, **fields: object) -> None:
    """Change fields of the manifest."""
    manifest = json.loads((out / MANIFEST).read_bytes())
    (out / MANIFEST).write_text(json.dumps(manifest | fields), encoding="utf-8")


def replace_rows(out: Path, changed: list[dict], content: str | None = None) -> None:
    """Other rows in the place of HuSimpleQA's, with a manifest that fits."""
    path = out / CONFIG / "test.parquet"
    count, found = write_rows(changed, MODELS[NAME], path)
    manifest = read_converted(out).manifest
    entry = replace(manifest.configs[CONFIG]["test"], rows=count, sha256=file_sha256(path), content=content or found)
    configs = {**manifest.configs, CONFIG: {"test": entry}}
    (out / MANIFEST).write_bytes(replace(manifest, configs=configs).to_json())


def error_of(data_dir: Path | None, repo=PUBLISHED) -> str:
    with pytest.raises(DataError) as error:
        rows(NAME, data_dir, repo)
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


def test_a_copy_that_only_says_that_it_is_the_published_file(out):
    told = error_of(out, pinned(IDS, husimpleqa="0" * 64))
    assert f"says that {CONFIG} is the published {NAME}.jsonl, but its content is not (" in told


def test_a_copy_that_does_not_say_what_it_was_made_from(out):
    rewrite(out, source={"files": {}})
    assert error_of(out).endswith(f"does not say which file the rows of {NAME}.jsonl come from. Convert again")


def test_rows_of_a_copy_are_checked_as_those_of_a_file(out):
    good = rows(NAME, out)[0]
    replace_rows(out, [good[0], {**good[1], "hu_specific_dim": "sport"}])
    assert error_of(out).startswith(
        f'{CONFIG}/test.parquet row 2 (qid {good[1]["qid"]}): "hu_specific_dim" is "sport", expected one of: Language;'
    )
    replace_rows(out, [good[0], good[0]])
    assert f'row 2 (qid {good[0]["qid"]}): "qid" duplicates that in row 1, expected once' in error_of(out)
    replace_rows(out, [])
    assert error_of(out).startswith(f"{CONFIG}/test.parquet is empty")


def test_a_copy_with_another_content_hash(out):
    replace_rows(out, rows(NAME, out)[0][:3], content="0" * 64)
    assert f"{CONFIG}/test.parquet has other content than hueval.json says (" in error_of(out)


def test_a_copy_without_the_config_and_one_of_another_data_set(out):
    manifest = json.loads((out / MANIFEST).read_bytes())
    rewrite(out, configs={name: split for name, split in manifest["configs"].items() if name != CONFIG})
    assert f"has neither openhueval/{NAME}.jsonl nor {NAME}.jsonl. Put the file there" in error_of(out)
    rewrite(out, **manifest | {"name": "hulu"})
    assert f"has neither openhueval/{NAME}.jsonl nor {NAME}.jsonl. Put the file there" in error_of(out)


def test_a_damaged_copy_in_a_folder_is_an_error(out):
    (out / CONFIG / "test.parquet").write_bytes(b"PAR1")
    assert "husimpleqa/test.parquet is damaged or was changed (SHA-256 " in error_of(out)
    (out / MANIFEST).write_bytes(b"{")
    assert "hueval.json is damaged" in error_of(out)


def test_a_damaged_copy_in_the_cache_is_set_aside(out, hub, monkeypatch, caplog):
    folder = cached_path().parent
    shutil.copytree(out, folder)
    path = folder / CONFIG / "test.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", f"{hub.url}/data")
    hub.files[f"/data/{NAME}.jsonl"] = (SAMPLE / f"{NAME}.jsonl").read_bytes()
    with caplog.at_level(logging.WARNING):
        assert rows(NAME)[1].origin == "upstream"
    assert "set aside as test.parquet.damaged" in caplog.text
    assert path.with_name("test.parquet.damaged").read_bytes() == b"PAR1"


def test_a_damaged_manifest_in_the_cache_takes_no_file_with_it(out, caplog):
    folder = cached_path().parent
    shutil.copytree(out, folder)
    (folder / MANIFEST).write_bytes(b"{")
    other = folder / "HuProverbRea.jsonl"
    other.write_bytes((SAMPLE / "HuProverbRea.jsonl").read_bytes())
    assert f"the cache ({folder / MANIFEST} was damaged; set aside as hueval.json.damaged)" in error_of(None)
    assert rows("HuProverbRea")[1].path == other


def test_a_copy_of_something_else_in_the_cache_is_not_taken(out):
    shutil.copytree(out, cached_path().parent)
    assert f"the cache (no {cached_path()})" in error_of(None, OTHER)


# The Hub


def test_a_copy_on_the_hub_that_was_not_made_from_the_published_file(out, on_the_hub):
    on_the_hub.put_all(out)
    assert error_of(None, OTHER).startswith(
        f"husimpleqa of hueval/openhueval@v1 was not made from the published {NAME}.jsonl; nothing was kept. "
    )
    assert not list(cache_dir().rglob("*.parquet"))


def test_a_file_on_the_hub_that_is_not_the_listed_one(out, on_the_hub):
    (out / CONFIG / "test.parquet").write_bytes(b"PAR1")
    on_the_hub.put_all(out)
    assert error_of(None).startswith(
        "husimpleqa/test.parquet from the Hub repository hueval/openhueval@v1 is not the one that its hueval.json "
        "lists (SHA-256 "
    )
    assert not list(cache_dir().rglob("*.parquet"))


def test_a_copy_on_the_hub_without_the_config(out, on_the_hub):
    manifest = json.loads((out / MANIFEST).read_bytes())
    rewrite(out, configs={name: split for name, split in manifest["configs"].items() if name != CONFIG})
    on_the_hub.put_all(out)
    assert "the Hub repository hueval/openhueval@v1 (its hueval.json lists no husimpleqa)" in error_of(None)


def test_a_damaged_download_is_fetched_again(out, on_the_hub):
    on_the_hub.put_all(out)
    first, _ = rows(NAME)
    (kept,) = cache_dir().rglob("*.parquet")
    kept.write_bytes(b"PAR1")
    again, source = rows(NAME)
    assert (again, source.origin) == (first, "hub")
    assert kept.read_bytes() == (out / CONFIG / "test.parquet").read_bytes()


def test_only_what_is_asked_for_is_fetched(out, on_the_hub):
    on_the_hub.put_all(out)
    rows(NAME)
    asked = [call.rpartition("/v1/")[2] for call in on_the_hub.asked("GET /datasets")]
    assert asked == [f"{NAME}.jsonl", MANIFEST, f"{CONFIG}/test.parquet"]
    before = len(on_the_hub.calls)
    rows(NAME)
    assert len(on_the_hub.calls) == before


# hueval doctor


def test_the_doctor_sees_copies(out):
    shutil.copytree(out, cached_path().parent)
    told = sources(out)
    assert told["folder"] == (True, str(out / CONFIG / "test.parquet"))
    assert told["cache"] == (True, str(cached_path().parent / CONFIG / "test.parquet"))


def test_the_doctor_sees_an_earlier_download(out, on_the_hub, monkeypatch):
    on_the_hub.put_all(out)
    rows(NAME)
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    (kept,) = cache_dir().rglob("*.parquet")
    assert sources()["hub"] == (True, str(kept))

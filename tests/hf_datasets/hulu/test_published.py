"""The official files in `shared/data/hulu`, and what the code and the card say of them."""

from __future__ import annotations

import json
import re

import pytest

from hf_datasets.cache import blob_id
from hf_datasets.convert import convert
from hf_datasets.converted import read_converted
from hf_datasets.hulu.convert import REPO
from hf_datasets.hulu.corpora import CORPORA
from hf_datasets.hulu.reader import SPLITS, path_of, read
from hf_datasets.repo import content_hash
from tests.each import each
from tests.helpers import shared

AT_HAND = [name for name in CORPORA if name != "hurc"]
EVERY_FILE = [(config, split) for config in AT_HAND for split in SPLITS]
CARD = (REPO.folder / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def published():
    """Config → split → converted rows."""
    folder = shared("data", "hulu")
    return {config: {split: list(read(folder, config, split)) for split in SPLITS} for config in AT_HAND}


def raw_rows(config: str, split: str) -> list[dict]:
    return json.loads(shared("data", "hulu", path_of(config, split)).read_text(encoding="utf-8-sig"))


def texts(config: str, rows: list[dict]) -> list[tuple[str, ...]]:
    return [tuple(row[field] for field in REPO.config(config).text_fields) for row in rows]


@each(("config", "split"), EVERY_FILE)
def test_rows_and_content_are_as_expected(published, config, split):
    rows, expected = published[config][split], REPO.config(config).split(split)
    assert (len(rows), content_hash(rows)) == (expected.rows, expected.content)


@each(("config", "split"), EVERY_FILE)
def test_the_source_has_the_blob_id_of_the_file(config, split):
    content = shared("data", "hulu", path_of(config, split)).read_bytes()
    (source,) = [source for source in REPO.sources if source.path == path_of(config, split)]
    assert source.blob_id == blob_id(content)
    assert source.url.endswith("/data/" + source.path.split("/")[1])


@each(("config", "split"), EVERY_FILE)
def test_nothing_is_lost_and_nothing_is_invented(published, config, split):
    raw = raw_rows(config, split)
    for before, after in zip(raw, published[config][split], strict=True):
        upstream = {None if value == "NULL" else value for value in before.values()}
        if "label" not in before:
            upstream.add(None)
        assert set(after.values()) == upstream
        assert (after["id"], after["label"]) == (before["id"], before.get("label"))


def test_only_the_labels_of_six_test_splits_are_hidden(published):
    hidden = {config for config in AT_HAND if all(row["label"] is None for row in published[config]["test"])}
    assert hidden == set(AT_HAND) - {"huwnli"}
    assert all(row["label"] for row in published["huwnli"]["test"])


@each("config", AT_HAND)
def test_the_card_has_the_share_of_every_label(published, config):
    def cell(rows: list[dict], label: str) -> str:
        count = sum(row["label"] == label for row in rows)
        return f"{count:,} ({100 * count / len(rows):.1f} %)" if count else "hidden"

    for label in {row["label"] for row in published[config]["train"]}:
        cells = [cell(published[config][split], label) for split in SPLITS]
        assert " | ".join((f"| `{config}`", label, *cells)) + " |" in CARD


@each("config", CORPORA)
def test_the_card_has_the_rows(config):
    counts = " | ".join(f"{split.rows:,}" for split in REPO.config(config).splits)
    assert f"| `{config}` | {counts} | " in CARD


@each("source", REPO.sources, ids=lambda source: source.path)
def test_the_card_has_the_commit_of_every_source(source):
    commit = source.url.split("/")[-3]
    assert f"`{commit}`" in CARD
    assert re.fullmatch("[0-9a-f]{40}", commit)


@each(
    ("config", "split", "ids"),
    [
        ("hucola", "train", ("1374", "4773", "6271")),
        ("hucola", "train", ("783", "6148")),
        ("hucola", "validation", ("637", "798")),
        ("hucola", "test", ("239", "399")),
        ("hurte", "test", ("1229", "1235")),
        ("husst", "train", ("7100", "7426", "7490")),
        ("huwnli", "train", ("33", "371")),
    ],
)
def test_rows_that_the_card_calls_the_same(published, config, split, ids):
    assert all(f"`{row_id}`" in CARD for row_id in ids)
    named = [row for row in published[config][split] if row["id"] in ids]
    assert len(named) == len(ids)
    assert len(set(texts(config, named))) == 1


def test_the_converted_folder_gives_the_same_rows(published, tmp_path):
    convert(REPO, shared("data", "hulu"), tmp_path / "out")
    converted = read_converted(tmp_path / "out")
    for config, split in EVERY_FILE:
        assert list(converted.rows(config, split)) == published[config][split]


def test_quirks_of_single_files(published):
    assert [
        (config, split)
        for config, split in EVERY_FILE
        if shared("data", "hulu", path_of(config, split)).read_bytes().startswith(b"\xef\xbb\xbf")
    ] == [("hucb", split) for split in SPLITS]
    assert [row["id"] for row in raw_rows("huwnli", "train") if "Column6" in row] == ["480"]
    nulls = [sum(row["orig_id"] is None for row in published["huwnli"][split]) for split in SPLITS]
    assert nulls == [18, 6, 0]
    assert sum("\r\n" in row["sentence"] for row in published["husst"]["train"]) == 4
    assert sum(row["hypothesis"].startswith(" ") for row in published["hucb"]["validation"]) == 25

"""One clear line for what a user can get wrong: variants, and rows of a file in their own folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hueval_metrics.errors import HuevalError, InputError
from hueval_metrics.loader import documents

FILES = {
    "hucola": ("cola_dev.json", {"Sent": "A macska alszik.", "Label": "1"}),
    "hucopa": ("val.json", {"premise": "Esik.", "choice1": "Felhős.", "choice2": "Derült.", "question": "cause"}),
    "hurte": ("rte_dev.json", {"premise": "Esik az eső.", "hypothesis": "Vizes az út."}),
    "husst": ("sst_dev.json", {"Sent": "Jó film.", "Label": "positive"}),
}


def folder(place: Path, corpus: str, *changes: dict[str, Any]) -> Path:
    """A data folder with one file of a corpus: a row for each of the changes, None for a field that is missing."""
    name, row = FILES[corpus]
    rows = [{"id": str(number), "label": "1", **row, **change} for number, change in enumerate(changes)]
    if "Label" in row:
        rows = [{field: value for field, value in given.items() if field != "label"} for given in rows]
    kept = [{field: value for field, value in given.items() if value is not None} for given in rows]
    file = place / "hulu" / corpus / name
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
    return place


def refusal(task: str, **settings: Any) -> str:
    with pytest.raises(HuevalError) as raised:
        documents(task, **settings)
    line = str(raised.value)
    assert "\n" not in line
    return line


@pytest.fixture(autouse=True)
def no_sample(monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE", raising=False)


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"prompt": 4}, '--metadata prompt: "4" is not on offer. One of: 1, 2, 3'),
        ({"split": "train"}, '--metadata split: "train" is not on offer. One of: validation, test'),
    ],
)
def test_a_variant_that_is_not_on_offer(tmp_path, settings, line):
    with pytest.raises(InputError) as raised:
        documents("hulu_hurte", data_dir=str(folder(tmp_path, "hurte", {})), **settings)
    assert str(raised.value) == line


@pytest.mark.parametrize(
    ("corpus", "changes", "start"),
    [
        ("hurte", [{}, {"label": "2"}], 'hurte/rte_dev.json row 2 (id 1): "label" is "2", expected'),
        ("hurte", [{}, {"label": 1}], 'hurte/rte_dev.json row 2 (id 1): "label" is a number, expected a string'),
        ("husst", [{}, {"Label": "Positive"}], 'husst/sst_dev.json row 2 (id 1): "Label" is "Positive", expected'),
        ("hucopa", [{}, {"label": "0"}], "hucopa/val.json row 2 (id 1): \"label\" is \"0\", expected '1' or '2'"),
        ("hurte", [{}, {"id": "0"}], 'hurte/rte_dev.json row 2 (id 0): "id" duplicates that in row 1'),
        ("hurte", [{"id": None}], 'hurte/rte_dev.json row 1: "id" is missing'),
        ("hurte", [{"premise": None}], 'hurte/rte_dev.json row 1 (id 0): "premise" is missing, expected a string'),
    ],
)
def test_a_row_that_cannot_be_right(tmp_path, corpus, changes, start):
    line = refusal(f"hulu_{corpus}", data_dir=str(folder(tmp_path, corpus, *changes)))
    assert line.startswith(start) and "Fix the row in " in line


def test_the_file_of_another_corpus(tmp_path):
    place = folder(tmp_path, "hurte", {})
    (place / "hulu" / "hucola").mkdir()
    (place / "hulu" / "hurte" / "rte_dev.json").rename(place / "hulu" / "hucola" / "cola_dev.json")
    line = refusal("hulu_hucola", data_dir=str(place))
    assert '"sentence" is missing, expected a string; found only id, label, premise, hypothesis' in line


def test_what_the_published_files_differ_in_is_read_alike(tmp_path):
    """A byte order mark, another name of a field, an id that is a number; more in tests of the reader."""
    name, _ = FILES["hucola"]
    file = tmp_path / "hulu" / "hucola" / name
    file.parent.mkdir(parents=True)
    rows = [{"id": 7, "sentence": "A macska alszik.", "label": "1"}]
    file.write_text("\ufeff" + json.dumps(rows), encoding="utf-8")
    (doc,), _ = documents("hulu_hucola", data_dir=str(tmp_path))
    assert (doc["qid"], doc["sentence"], doc["label"]) == ("7", "A macska alszik.", "1")

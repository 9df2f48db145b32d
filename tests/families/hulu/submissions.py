"""A small HuLU in upstream's layout, and the files of submissions to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hf_datasets.hulu.reader import SPLITS, path_of

# Ids of test and of validation; as in the published files HuCOLA has the same in both, and HuSST's have gaps.
TEST = {"hucola": 6, "hucopa": 4, "hurte": 5, "husst": (0, 1, 2, 4, 5, 7), "huwnli": 3, "hucb": 8}
VALIDATION = {"hucola": 6, "hucopa": 9, "hurte": 12, "husst": (0, 2, 3), "huwnli": 10, "hucb": 11}
TEXTS = {
    "hucola": {"Sent": "Két almát vettem."},
    "hucopa": {"question": "cause", "premise": "Esik.", "choice1": "Felhős az ég.", "choice2": "Nyár van."},
    "hurte": {"premise": "A macska alszik.", "hypothesis": "Alszik a macska."},
    "husst": {"Sent": "Jó film."},
    "huwnli": {"orig_id": "NULL", "sentence1": "Bár fáradt, dolgozik.", "sentence2": "Pál fáradt."},
    "hucb": {"premise": "Tudod, hogy esik?", "hypothesis": "A beszélő szerint esik."},
}
LABELS = {
    "hucola": ("1", "0"),
    "hucopa": ("1", "2"),
    "hurte": ("1", "0"),
    "husst": ("negative", "neutral", "positive"),
    "huwnli": ("1", "0"),
    "hucb": ("entailment", "contradiction", "neutral"),
}


def ids(corpus: str, split: str = "test") -> list[str]:
    """The ids of a split, in file order."""
    given = {"test": TEST, "validation": VALIDATION}.get(split, TEST)[corpus]
    return [str(number) for number in (range(given) if isinstance(given, int) else given)]


def label(corpus: str, place: int) -> str:
    """The right label of a row: each in turn."""
    return LABELS[corpus][place % len(LABELS[corpus])]


def write_data(folder: Path) -> Path:
    """Write all splits of the six corpora; of test only HuWNLI has labels."""
    for corpus, text in TEXTS.items():
        for split in SPLITS:
            rows: list[dict[str, Any]] = [{"id": one, **text} for one in ids(corpus, split)]
            if split != "test" or corpus == "huwnli":
                rows = [{**row, "label": label(corpus, place)} for place, row in enumerate(rows)]
            path = folder / "hulu" / path_of(corpus, split)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return folder


def right(corpus: str, split: str = "test") -> list[dict[str, Any]]:
    """The right labels, as a submission has them."""
    return [{"id": one, "label": label(corpus, place)} for place, one in enumerate(ids(corpus, split))]


def save(path: Path, content: object) -> Path:
    """Write a file: bytes as they are, anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode())
    return path

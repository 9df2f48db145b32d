"""A small benchmark with hidden labels: rows of our own in the layout of HuLU, some hundreds a corpus."""

from __future__ import annotations

import json
import random
from pathlib import Path

N = 200
CLASSES = {"hucola": ("cola_test.json", ("0", "1")), "hurte": ("rte_test.json", ("0", "1"))}


def labels_of(corpus: str) -> dict[str, str]:
    """Id → the right label."""
    draws = random.Random(corpus)
    return {str(number): draws.choice(CLASSES[corpus][1]) for number in range(N)}


def write_labelled(data: Path, labels: Path) -> None:
    """The public rows of each corpus below one folder, the same with their labels below the other."""
    for corpus, (name, _) in CLASSES.items():
        rows, right = [], labels_of(corpus)
        for key in right:
            texts = {"Sent": f"A {key}. mondat."}
            if corpus == "hurte":
                texts = {"premise": f"A {key}. premissza.", "hypothesis": f"A {key}. hipotézis."}
            rows.append({"id": key, **texts})
        known = [{**row, "label": right[row["id"]]} for row in rows]
        for folder, content in ((data, rows), (labels, known)):
            path = folder / "hulu" / corpus / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def predictions(corpus: str, accuracy: float, seed: int = 0) -> list[dict[str, str]]:
    """Predictions of which that share is right."""
    draws = random.Random(seed)
    classes = CLASSES[corpus][1]
    right = labels_of(corpus)
    wrong = set(draws.sample(sorted(right), round((1 - accuracy) * len(right))))
    other = {label: next(one for one in classes if one != label) for label in classes}
    return [{"id": key, "label": other[label] if key in wrong else label} for key, label in right.items()]

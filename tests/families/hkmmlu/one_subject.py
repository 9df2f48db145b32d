"""The files of one subject, as small as a test needs them."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HEADER = ("Question", "A", "B", "C", "D", "Answer")
EXEMPLAR = {"question": "一加一等於幾？", "choices": ["一", "二"], "answer": "B", "reasoning": "一之後是二。"}


def row(question: str, answer: str = "A", options: Sequence[str] = ("甲", "乙", "丙", "丁")) -> tuple[str, ...]:
    """A line of a file; options that are missing are blank."""
    return (question, *options, *[""] * (4 - len(options)), answer)


def write(
    folder: Path,
    name: str = "hk_law",
    *,
    test: Sequence[Sequence[str]] = (row("問甲？"), row("問乙？", "B")),
    dev: Sequence[Sequence[str]] = (),
    exemplar: Any = None,
    sc: bool = False,
) -> Path:
    """Write the files of a subject below a folder and return it: a `data_dir`.

    Args:
        folder: of all data sets.
        name: the subject.
        test, dev: lines of the two files; none for no file.
        exemplar: its worked example; None for no file.
        sc: whether this is the converted copy.
    """
    home = folder / "hkmmlu" / ("sc" if sc else "")
    for split, lines in (("test", test), ("dev", dev)):
        if lines:
            (home / split).mkdir(parents=True, exist_ok=True)
            with (home / split / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([HEADER, *lines])
    if exemplar is not None:
        (home / "exemplars").mkdir(parents=True, exist_ok=True)
        text = json.dumps(exemplar, ensure_ascii=False, indent=2)
        (home / "exemplars" / f"{name}.json").write_text(text, encoding="utf-8")
    return folder

"""The figures that the HKMMLU paper prints, by table, model and setting: for views, figures and tests.

`comparison.published` has the same rows under one name each, for the tables that every family has.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

PUBLISHED = Path(__file__).parent / "published"
AVERAGE = "Avg."  # the last row of a table, the mean over its models
SETTINGS = {"script": "tc", "method": "da", "shots": "0"}  # key of `--metadata` → its default
_FILES = {1: ("table1", "table1_sc")}  # of a table that is printed as one and kept in two files
_Rows = Mapping[tuple[str, ...], Mapping[str, float]]


def printed(table: int, model: str, column: str, **setting: str | int) -> float | None:
    """A figure of a table; None where the paper prints none, or our copy of it cannot be read.

    Args:
        table: its number, of those with a file `published/table<number>.csv`.
        model: as Table 7 calls it, or `AVERAGE`.
        column: as the file's heading has it, such as `hkmmlu/acc_stem`.
        setting: `script`, `method`, `shots`; their defaults where they are left out, or the table has no such columns.

    >>> printed(1, "DeepSeek-V3", "hkmmlu/acc_avg"), printed(1, "DeepSeek-V3", "hkmmlu/acc_avg", script="sc")
    (74.8, 74.0)
    >>> printed(8, "GPT-4o", "hkmmlu/acc_stem", shots=5), printed(1, "Yi-1.5-34B-Chat", "hkmmlu/acc_avg")
    (75.0, None)
    >>> printed(3, AVERAGE, "hkmmlu/acc_stem", method="cot", shots=1)
    55.3
    """
    asked = tuple(str(setting.get(key, default)) for key, default in SETTINGS.items())
    return _rows(table).get((model, *asked), {}).get(column)


def models() -> tuple[str, ...]:
    """The 20 models of the paper, in the order of its tables."""
    return tuple(dict.fromkeys(row["model"] for row in _read("table1")))


@cache
def _rows(table: int) -> _Rows:
    averages = [row | {"model": AVERAGE} for row in _read("averages") if row["table"] == str(table)]
    return {
        (row["model"], *(row.get(key, default) for key, default in SETTINGS.items())): {
            column: float(text) for column, text in row.items() if "/" in column and text
        }
        for row in (*(row for name in _FILES.get(table, (f"table{table}",)) for row in _read(name)), *averages)
    }


def _read(name: str) -> Iterator[dict[str, str]]:
    with (PUBLISHED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)

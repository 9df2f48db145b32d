"""The key of a sheet: the verdict for each id. Raters must not see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.judges.people.judged import JudgedItem
from hueval_metrics.judges.people.sample import Sample, Stratum, stratum_of
from hueval_metrics.records import number_of
from hueval_metrics.runs.scales import scale_of
from hueval_metrics.text.files import read_own_json
from hueval_metrics.text.write_json import json_text

FORMAT = "hueval-judge-validation/1"
SUFFIX = ".key.json"


def key_path(sheet: Path) -> Path:
    """The path of the key of a sheet, in the same folder.

    >>> key_path(Path("out/sheet.xlsx")).as_posix()
    'out/sheet.key.json'
    """
    return sheet.with_suffix(SUFFIX)


def key_bytes(sample: Sample, seed: int) -> bytes:
    """The content of a key file."""
    key = {
        "format": FORMAT,
        "seed": seed,
        "population": [asdict(stratum) | {"n": n} for stratum, n in sample.population.items()],
        "items": {name: asdict(item) for name, item in sample.items.items()},
    }
    return (json_text(key, indent=1, allow_nan=False) + "\n").encode()


def find_key(sheets: Sequence[Path]) -> Path:
    """The key in the folder of some sheets: the one whose name theirs begin with (`sheet_anna.xlsx`), or the only one.

    Raises:
        InputError: there is none, or the choice is ambiguous.
    """
    folders = dict.fromkeys(sheet.parent for sheet in sheets)
    keys = {file: file.name.removesuffix(SUFFIX) for folder in folders for file in sorted(folder.glob(f"*{SUFFIX}"))}
    if named := [key for key, name in keys.items() if any(sheet.stem.startswith(name) for sheet in sheets)]:
        return max(named, key=lambda key: len(keys[key]))
    if len(keys) != 1:
        what = f"{len(keys)} keys beside it" if keys else f"no key beside it (*{SUFFIX})"
        raise InputError(f"{sheets[0]}: {what}. Name the one that was written with the sheet: --key FILE")
    return next(iter(keys))


def read_key(path: Path) -> Sample:
    """The sample in a key file.

    Raises:
        InputError: the file cannot be read, or is not a key of this format.
    """
    again = "Take the key as `hueval validate-judge export` wrote it"
    data = read_own_json(path, "Name the key of the sheet: --key FILE", again)
    try:
        if data["format"] != FORMAT:
            raise ValueError
        items = {str(name): _item(row) for name, row in data["items"].items()}
        population = {_stratum(row): int(row["n"]) for row in data["population"]}
        if not items or any(population.get(stratum_of(item), 0) < 1 for item in items.values()):
            raise ValueError
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise InputError(
            f"{path}: not a key that this version reads ({FORMAT}). Take it as `hueval validate-judge export` wrote it"
        ) from None
    return Sample(items, population)


def _item(row: Mapping[str, Any]) -> JudgedItem:
    rating = row["rating"] if isinstance(row["rating"], str) else number_of(row["rating"])
    if rating is None or not scale_of(row["task"]).has(rating):
        raise ValueError
    texts = {field.name: str(row[field.name]) for field in fields(JudgedItem) if field.name != "rating"}
    return JudgedItem(**texts, rating=rating)


def _stratum(row: Mapping[str, Any]) -> Stratum:
    scale_of(row["task"])  # raises where there is none
    return Stratum(**{field.name: str(row[field.name]) for field in fields(Stratum)})

"""Another benchmark's ranking of the models: published ranks by name, or a CSV file of scores or ranks."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

from hueval_metrics.comparison.published import published_benchmarks, published_ranks
from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.stats.ranks import ranks
from hueval_metrics.text.files import read_text

_EXPECTED = "Expected a header model,score or model,rank and a line for each model"


def benchmark_ranks(which: str) -> dict[str, float]:
    """Model → rank, 1 for the best.

    Args:
        which: a published benchmark, such as `maps-en`; else a CSV file (`read_ranking`).

    Raises:
        InputError: there is neither such a benchmark nor such a file, or the file is faulty.
    """
    try:
        return published_ranks(which)
    except InputError:
        if not Path(which).is_file():
            known = ", ".join(published_benchmarks())
            raise InputError(f"{which}: no such file, and no published benchmark ({known})") from None
    return read_ranking(Path(which))


def read_ranking(path: Path) -> dict[str, float]:
    """The ranks in a CSV file with the columns `model` and either `rank` or `score`, higher being better.

    Other columns are ignored; `rank` takes precedence over `score`. Semicolons and decimal commas, as Hungarian
    spreadsheets write them, are accepted.

    Args:
        path: the file, in UTF-8.

    Returns:
        Model → rank, 1 for the best; equal scores share the better rank.

    Raises:
        InputError: the file cannot be read, lacks a column, or has a model twice, a model without a name, or a score or
            rank that is no number.
    """
    try:
        text = read_text(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path}: not UTF-8. Save it as CSV UTF-8") from error
    header = text.partition("\n")[0]
    by_semicolon = ";" in header
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if by_semicolon else ",")
    try:
        names = {name.strip().lower(): name for name in reader.fieldnames or () if name}
        column = next((column for column in ("rank", "score") if column in names), None)
        if "model" not in names or column is None:
            lacking = 'no column "model"' if "model" not in names else 'no column "score" or "rank"'
            raise InputError(f"{path}: {lacking}. {_EXPECTED}")
        found: dict[str, float] = {}
        for row in reader:
            where = f"{path} line {reader.line_num}"
            model = (row[names["model"]] or "").strip()
            if not model or model in found:
                wrong = f'model "{one_line(model)}" a second time' if model else "no model"
                raise InputError(f"{where}: {wrong}. Give each model one line")
            found[model] = _number(where, column, row[names[column]] or "", by_semicolon)
    except csv.Error as error:
        raise InputError(f"{path}: not valid CSV ({error}). {_EXPECTED}") from error
    if not found:
        raise InputError(f"{path}: no model in it. {_EXPECTED}")
    if column == "rank":
        return found
    return dict(zip(found, ranks(list(found.values())).tolist(), strict=True))


def _number(where: str, column: str, text: str, by_semicolon: bool) -> float:
    try:
        number = float(text.replace(",", ".") if by_semicolon else text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f'{where}: {column} "{one_line(text, 40)}" is no number. Write it in digits or drop the line')
    if column == "rank" and number < 1:
        raise InputError(f"{where}: rank {number:g} is below 1. Ranks begin at 1 for the best")
    return number

"""The sheet of items whose key may be wrong, for the owner of the data."""

from __future__ import annotations

from pathlib import Path

from hueval_metrics.comparison.errata import Errata, Suspect
from hueval_metrics.errors import OptionError
from hueval_metrics.runs.run import item_id
from hueval_metrics.text.files import whole_file
from hueval_metrics.text.workbook import SUFFIXES, fit, table_bytes

COLUMNS = {
    **{"task": 24, "id": 38, "part": 8, "question": 70, "key": 30, "other_answer": 30, "given_by": 40},
    **{"votes_key": 11, "votes_other": 11, "owner": 40},
}
_DECIMALS = 3  # of votes


def check_name(path: Path) -> None:
    """Raise OptionError where the name of a file says no format that is written."""
    if path.suffix.lower() not in SUFFIXES:
        raise OptionError(f"errata: {path} is no name of a sheet. It ends with {' or '.join(SUFFIXES)}")


def write_sheet(errata: Errata, path: Path) -> None:
    """Write a row for each item that may have a wrong key, the most suspicious first; the last column is empty.

    Raises:
        InputError: the file cannot be written.
        OptionError: its name says no format that is written.
    """
    check_name(path)
    with whole_file(path) as write:
        write(table_bytes("Errata", COLUMNS, map(_row, errata.suspects), path.suffix.lower()))


def _row(one: Suspect) -> list[str | float]:
    texts = (one.task, item_id(one.item), one.part, one.question, one.key, one.other, ", ".join(one.models))
    return [*map(fit, texts), round(one.votes_key, _DECIMALS), round(one.votes_other, _DECIMALS), ""]

"""Tables as pandas frames with fixed columns and types; pandas is imported when the first is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hueval_metrics.errors import InputError

if TYPE_CHECKING:
    import pandas

TEXT, NUMBER, COUNT, BOOLEAN, ANY = "string", "float64", "Int64", "boolean", "object"  # pandas' names of types


def frame(columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> pandas.DataFrame:
    """Rows as a frame.

    Args:
        columns: name → pandas' name of its type.
        rows: each with a value for each column; None where there is none.

    Raises:
        InputError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise InputError("a data frame needs pandas. Install it: pip install pandas") from None
    table = list(rows)
    return pandas.DataFrame(
        {
            name: pandas.Series([row[place] for row in table], dtype=kind)
            for place, (name, kind) in enumerate(columns.items())
        }
    )

"""Which rows share a hash, and how two such rows are shown."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from hf_datasets.checks.scan import row_name
from hf_datasets.repo import Config, Row
from hueval_metrics.text.one_line import one_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = array[int] | NDArray

_SHOWN = 60  # characters of a text

Read = Callable[[str], Iterator[Row]]
Place = tuple[str, int]  # the split and the position of a row


def earlier_equal(keys: Hashes) -> NDArray:
    """For each key the position of the first one equal to it; -1 where it is the first itself.

    >>> earlier_equal(array("Q", [7, 8, 7, 7])).tolist()
    [-1, -1, 0, 0]
    """
    import numpy as np

    _, first, inverse = np.unique(np.asarray(keys), return_index=True, return_inverse=True)
    of_rows = first[inverse]
    return np.where(of_rows < np.arange(len(of_rows)), of_rows, -1)


def position_in(known: Hashes, keys: Hashes) -> NDArray:
    """For each key the position of the first known one equal to it; -1 where there is none.

    >>> position_in(array("Q", [5, 7, 7]), array("Q", [7, 6])).tolist()
    [1, -1]
    """
    import numpy as np

    wanted = np.asarray(keys)
    values, first = np.unique(np.asarray(known), return_index=True)
    if not len(values):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    return np.where(values[at] == wanted, first[at], -1)


def shown_pairs(
    config: Config, pairs: Iterable[tuple[Place, Place]], read: Read, label_field: str | None = None
) -> tuple[str, ...]:
    """Each pair in a line: the ids of both rows, and what the first reads.

    Args:
        config: the table.
        pairs: the places of few pairs of rows.
        read: from a split's name, its rows once more.
        label_field: what is shown of either row besides.
    """
    pairs = list(pairs)
    rows = rows_at({place for pair in pairs for place in pair}, read)
    one_split = len({split for split, _ in rows}) == 1

    def name(place: Place) -> str:
        label = f" ({rows[place].get(label_field)})" if label_field else ""
        return f"{'' if one_split else place[0] + ' '}{row_name(config, rows[place])}{label}"

    def text(place: Place) -> str:
        return one_line(" / ".join(str(rows[place].get(field)) for field in config.text_fields), _SHOWN)

    return tuple(f"{name(one)} as {name(other)}: {text(one)}" for one, other in pairs)


def rows_at(places: Iterable[Place], read: Read) -> dict[Place, Row]:
    """The rows at few places, read again as far as the last of them."""
    wanted: dict[str, set[int]] = {}
    for split, at in places:
        wanted.setdefault(split, set()).add(at)
    return {
        (split, at): row
        for split, positions in wanted.items()
        for at, row in enumerate(islice(read(split), max(positions) + 1))
        if at in positions
    }

"""Items whose key may be wrong, as `hueval report` and `hueval compare` write them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hueval_metrics.api.paths import path_of
from hueval_metrics.comparison.errata import LEAST_MODELS, LEAST_SERIES, Errata, Reason, find_errata
from hueval_metrics.reports.errata import check_name, write_sheet
from hueval_metrics.stats.model_cards import read_model_cards

if TYPE_CHECKING:
    from hueval_metrics.runs.run import Run

log = logging.getLogger(__name__)
_REASONS: dict[Reason, str] = {
    "few": f"its items were answered by fewer than {LEAST_MODELS} models of {LEAST_SERIES} series",
    "alone": "no two models gave the same wrong answer",
}


def sheet_path(name: str | Path) -> Path:
    """The path of the sheet.

    Raises:
        OptionError: its name says no format that is written.
    """
    path = path_of(name, "errata")
    check_name(path)
    return path


def write_errata(runs: Sequence[Run], path: Path, models: Path | None = None) -> Errata:
    """Write the sheet, and return what is in it.

    Args:
        runs: of the models.
        path: of the sheet.
        models: a file of model cards, with the series of models whose names do not show it.

    Raises:
        InputError: there are too few models, or a file cannot be read or written.
    """
    found = find_errata(runs, None if models is None else read_model_cards(models))
    write_sheet(found, path)
    for task, reason in found.left_out.items():
        log.warning("errata: %s left out, %s", task, _REASONS[reason])
    return found

"""Take the hidden labels of a task into the folder that only the worker reads."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hueval_metrics.api.boards import one_line, read_bytes, write_whole
from hueval_metrics.errors import HuevalError, InputError
from hueval_site.manage.django_setup import set_up


def load_labels(task: str, path: Path) -> None:
    """Check a file with the labels of a task against the public rows, and keep it.

    Other labels than those of the open season begin a new one: rows stay with the season in which they were scored.

    Raises:
        InputError: there is no such board, its answers are public, the file cannot be read, is not one of the task,
            lacks labels, its rows are not the public ones, or a phase keeps the season. The text quotes no label.
        DataError: the public rows cannot be found.
    """
    set_up()
    from django.conf import settings

    from hueval_site.boards import find_board
    from hueval_site.scoring.score import labels_hash
    from hueval_site.submissions.phases import check_season
    from hueval_site.submissions.seasons import open_season

    board = find_board(task)
    if not board.hidden:
        raise InputError(f"{task}: its answers are public, so nothing is hidden. Put the data into the public folder")
    table, name = board.table, one_line(path.name, 80)
    place = Path(table.repo.name) / str(table)
    try:
        content = read_bytes(path)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}). Name the test file of {task}") from None
    public = board.rows(settings.CONFIG.data_dir)
    with tempfile.TemporaryDirectory() as temporary:  # of mode 0700
        folder = Path(temporary)
        write_whole(folder / place, content, private=True)
        try:
            labelled = board.rows(folder)
        except HuevalError as error:  # its text may quote a label
            raise InputError(
                f"{name}: not the test file of {task} as its data set has it{_place(error)}. Load the rows and fields "
                "of the public file, with labels; `hueval data check` names each fault"
            ) from None
        found = labels_hash(board, folder)
    _compare(public, labelled, board.hidden, table.config.id_fields, name)
    if open_season(board).labels_hash not in ("", found):  # before the file is replaced, by which the worker scores
        check_season(board)
    labels: Path = settings.CONFIG.labels_dir
    kept = labels / place
    kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for above in (labels, *(one for one in kept.parents if labels in one.parents)):
        above.chmod(0o700)
    write_whole(kept, content, private=True)
    print(f"{task}: labels of {len(labelled):,} rows loaded, SHA-256 {found[:12]}, season {_season(board, found)}")


def _place(error: HuevalError) -> str:
    """Row and field of a fault, without the value, where its reader has said them."""
    row = re.search(r"\b(?:row|line) \d+", str(error))
    cause = error.__context__
    while cause is not None and not isinstance(cause, ValidationError):
        cause = cause.__context__
    if row is None or cause is None:
        return f" ({row[0]})" if row else ""
    fault = cause.errors(include_url=False, include_context=False, include_input=False)[0]
    what = {"extra_forbidden": "is an unexpected field", "missing": "is missing"}.get(fault["type"], "has another form")
    return f': {row[0]}: "{one_line(".".join(map(str, fault["loc"])), 40)}" {what}'


def _compare(
    public: list[dict[str, Any]],
    labelled: list[dict[str, Any]],
    hidden: tuple[str, ...],
    ids: tuple[str, ...],
    name: str,
) -> None:
    """Raise InputError unless the rows are the public ones, with labels."""
    if len(public) != len(labelled):
        pairs = enumerate(zip(public, labelled, strict=False), start=1)
        first = next((n for n, (one, other) in pairs if any(one[field] != other[field] for field in ids)), None)
        raise InputError(
            f"{name}: has {len(labelled):,} rows, the public file {len(public):,}; the first that differs is row "
            f"{first or min(len(public), len(labelled)) + 1}. Load its own labels"
        )
    for number, (shown, known) in enumerate(zip(public, labelled, strict=True), start=1):
        where = f"{name} row {number} ({ids[0]} {one_line(known[ids[0]], 40)})"
        if any(shown[field] != known[field] for field in ids):
            raise InputError(f"{where}: the public file has {one_line(shown[ids[0]], 40)} there. Keep its order")
        for field in hidden:
            if known.get(field) in (None, ""):
                raise InputError(f'{where}: "{field}" is missing. Load the file with all its labels')
        if differing := [one for one in _differing(shown, known) if one not in hidden]:
            raise InputError(
                f'{where}: "{differing[0]}" differs from the public file. Load the labels of the same data'
            )


def _differing(shown: Mapping[str, Any], known: Mapping[str, Any]) -> list[str]:
    return [field for field in known if known[field] != shown.get(field)]


def _season(board: Any, found: str) -> int:
    """The number of the season with these labels, which is new if the open one has others."""
    from hueval_site.submissions.seasons import new_season, open_season

    season = open_season(board)
    if not season.labels_hash:
        season.labels_hash = found
        season.save(update_fields=["labels_hash"])
    elif season.labels_hash != found:
        season = new_season(board, found)
    return int(season.number)

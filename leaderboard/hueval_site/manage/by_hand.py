"""Take rows that a maintainer kept by hand, such as those of a board that was a page before."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hueval_metrics.api.boards import Metric, one_line, read_bytes
from hueval_metrics.errors import InputError
from hueval_site.manage.django_setup import set_up

_TEXTS = ("model", "source")
_LONGEST = 120  # characters of a text, as of the name of a model
_FORMULA = ("=", "+", "-", "@")  # what a spreadsheet evaluates


def import_rows(path: Path) -> None:
    """Put the rows of a CSV file on the boards of its columns, in place of those that an earlier file put there.

    They belong to the open season, are marked, and have no intervals and no rank.

    Args:
        path: with the columns `model`, `source`, and one `TASK/METRIC` or more; an empty cell is no score.

    Raises:
        InputError: the file cannot be read, or a column or cell is not as above. Nothing is put anywhere then.
    """
    set_up()
    from django.db import transaction

    from hueval_site.boards import find_board
    from hueval_site.submissions.models import Season
    from hueval_site.submissions.seasons import open_season
    from hueval_site.submissions.states import changed

    name = one_line(path.name, 80)
    lines = _lines(path, name)
    columns = _columns(lines[0] if lines else [], name)
    found: dict[str, list[dict[str, Any]]] = {task: [] for task, _metric, _declared in columns.values()}
    seen: set[tuple[str, ...]] = set()
    for number, line in enumerate(lines[1:], start=2):
        where = f"{name} row {number}"
        if len(line) != len(lines[0]):
            raise InputError(f"{where}: has {len(line)} cells, the header {len(lines[0])}. Give each row as many")
        cells = dict(zip(lines[0], line, strict=True))
        texts = {column: _text(cells[column], f"{where}: {column}") for column in _TEXTS}
        key = tuple(text.casefold() for text in texts.values())
        if key in seen:
            raise InputError(f"{where}: {texts['model']} of {texts['source']} is there twice. Remove one of the two")
        seen.add(key)
        scores: dict[str, dict[str, float]] = {}
        for column, (task, metric, declared) in columns.items():
            if cells[column].strip():
                scores.setdefault(task, {})[metric] = _score(cells[column], declared, f"{where}: {column}")
        if not scores:
            raise InputError(f"{where}: has no score. Add one, or remove the row")
        for task, own in scores.items():
            found[task].append(texts | {"scores": own})
    with transaction.atomic():
        for task, rows in found.items():
            season = open_season(find_board(task))
            Season.objects.filter(pk=season.pk).update(by_hand=rows)
            changed(season.pk)
    for task, rows in found.items():
        print(f"{task}: rows kept by hand: {len(rows)}")


def _lines(path: Path, name: str) -> list[list[str]]:
    try:
        text = read_bytes(path).decode("utf-8-sig")
        return [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}). Name a CSV file") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{name}: no CSV in UTF-8 ({one_line(error, 80)}). Save it as that") from None


def _columns(header: list[str], name: str) -> Mapping[str, tuple[str, str, Metric]]:
    """Column → task, name of the metric, metric, of those with scores."""
    from hueval_site.boards import find_board

    if missing := [column for column in _TEXTS if column not in header]:
        raise InputError(f"{name}: has no column {missing[0]}. Begin with model,source,TASK/METRIC")
    if repeated := [column for column, count in Counter(header).items() if count > 1]:
        raise InputError(f"{name}: has the column {one_line(repeated[0], 80)} twice. Remove one of the two")
    found = {}
    for column in (one for one in header if one not in _TEXTS):
        task, _slash, metric = column.partition("/")
        board = find_board(task)
        if board.is_practice:
            raise InputError(f"{name}: {one_line(column, 80)}: practice shows no rows. Name {board.own_task}/{metric}")
        if metric not in board.metrics:
            known = ", ".join(f"{task}/{one}" for one in board.metrics)
            raise InputError(f"{name}: {one_line(column, 80)} is no column of a board. Name one of {known}")
        found[column] = task, metric, board.spec.metrics[metric]
    if not found:
        raise InputError(f"{name}: has no column with scores. Add one called TASK/METRIC")
    return found


def _text(cell: str, where: str) -> str:
    from django.core.exceptions import ValidationError

    from hueval_site.accounts.names import plain_name, tidy

    text = tidy(cell)
    if text.startswith(_FORMULA):
        raise InputError(f"{where} begins as a formula ({one_line(text, 40)}). Write it without {text[0]}")
    if "<" in text or ">" in text:
        raise InputError(f"{where} has markup ({one_line(text, 40)}). Write plain text")
    if len(text) > _LONGEST:
        raise InputError(f"{where} has {len(text)} characters, at most {_LONGEST} are shown. Shorten it")
    try:
        plain_name(text)
    except ValidationError as error:
        raise InputError(f"{where} is {one_line(text, 40)!r}. {' '.join(error.messages)}") from None
    return text


def _score(cell: str, metric: Metric, where: str) -> float:
    low, high = metric.bounds
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not (low <= value <= high and math.isfinite(value)):
        raise InputError(f"{where} is {one_line(cell, 40)}, expected a number from {low:g} to {high:g}. Fix the cell")
    return value

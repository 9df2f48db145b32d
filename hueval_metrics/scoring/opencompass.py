"""OpenCompass prediction files: what their names say, their rows, and which item a row is of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.registry import TaskSpec, known_tasks, resolve, task_spec
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_json


def is_opencompass(file: Path) -> bool:
    """Whether a file can be read as one of OpenCompass."""
    try:
        return _rows_in(parse_json(read_text(file))) is not None
    except (ValueError, OSError):
        return False


def rows_of(file: Path) -> list[tuple[int, Mapping[str, Any]]]:
    """The rows of a prediction file with their positions: an object from "0", "1", … to rows with a "prediction".

    Raises:
        InputError: it cannot be read, or has another form.
    """
    try:
        data = parse_json(read_text(file))
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{file}: cannot be read as JSON ({one_line(error)})") from None
    rows = _rows_in(data)
    if rows is None:
        raise InputError(
            f'{file}: not an OpenCompass prediction file (an object from "0", "1", … to rows with "prediction"). '
            "Plain predictions come as JSON Lines, one object a line, in a file named .jsonl"
        )
    return rows


def _rows_in(data: Any) -> list[tuple[int, Mapping[str, Any]]] | None:
    if not isinstance(data, dict) or not data:
        return None
    if not all(
        re.fullmatch(r"\d{1,9}", key) and isinstance(row, dict) and "prediction" in row for key, row in data.items()
    ):
        return None
    return [(int(key), row) for key, row in data.items()]


def task_of_name(file: Path, task: str | None) -> tuple[TaskSpec, Mapping[str, str]]:
    """The task of a file and the variants it was run in, as OpenCompass names files by dataset.

    Args:
        file: such as `hu_matching_fib_250205-prompt_1.json`.
        task: the task that the user names; None for the one in the file's name.

    Returns:
        The task, and key of `--metadata` → value, of those in the file's name.

    Raises:
        InputError: no task is named, or another one than the user names, or a variant that the task does not have.
    """
    patterns = {name: family.tasks[name].opencompass for name, family in known_tasks().items()}
    found = {name: re.search(pattern, file.stem, re.I) for name, pattern in patterns.items() if pattern}
    matches = {name: match for name, match in found.items() if match}
    # A name may have that of a shorter one inside: the task whose own begins first, and of several the shortest.
    named = min(matches, key=lambda name: (matches[name].span(), name), default=None)
    if task is None:
        if named is None:
            raise InputError(f"{file}: which task? The file name does not say. Name it with --task")
        task = named
    elif named not in (None, task) and matches[named].groupdict():  # a name with so many parts is no coincidence
        raise InputError(
            f"{file}: by its name it is of {named}, and --task says {task}. Drop --task, or rename the file"
        )
    variants = matches[task].groupdict() if task in matches else {}
    spec = task_spec(task)
    for key, value in variants.items():
        on_offer = [str(one) for one in spec.declared.variants.get(key, ())]
        if value not in on_offer:
            raise InputError(
                f'{file}: by its name its {key} is "{value}", which {task} does not have. One of: {", ".join(on_offer)}'
            )
    return spec, variants


def key_in(gold: Any, spec: TaskSpec, where: str) -> tuple[Any, ...] | None:
    """The key of the item that a row is of; None where only its position identifies it.

    Args:
        gold: what the row says of its item; the reference alone in some files.
        spec: the task.
        where: the place of the row, for messages.

    Raises:
        InputError: the task needs more of it than is there.
    """
    its = spec.declared
    known = gold if isinstance(gold, Mapping) else {}
    try:
        values = resolve(its.opencompass_key)(known) if its.opencompass_key else tuple(map(known.get, its.key))
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    first, *others = values
    return None if first is None else (str(first), *map(_integer, others))


def _integer(value: Any) -> Any:
    """A number that OpenCompass has as a string."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,9}", value) else value

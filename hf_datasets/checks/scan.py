"""One pass over the rows of a split: checks of single rows, and 8-byte hashes for the checks across rows.

A million rows take 40 MB. Two different texts have the same hash in one of a hundred million data sets of that size.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from hf_datasets.checks.findings import Severity, Tally
from hf_datasets.checks.texts import folded, gives_away, signs, snippet, texts_in
from hf_datasets.repo import Config, MissingError, Row, RowCheck, canonical
from hueval_metrics.errors import DataError
from hueval_metrics.one_line import one_line

MAX_LABELS = 20  # a field with more values is no label
_SHOWN = 60  # characters of a value

Fault = tuple[Severity, str, str]


def scan(
    config: Config, split: str, rows: Iterable[Row], own_checks: Iterable[RowCheck] = (), language: str | None = None
) -> Scan:
    """Read a split once.

    Args:
        config, split: what the rows belong to.
        rows: the converted rows; an error in reading becomes a finding, and the pass ends there.
        own_checks: those of the data set, for rows that satisfy the schema.
        language: of rows that say none; None for Hungarian.

    Raises:
        MissingError: there is no file of the split.
    """
    found = Scan(Tally(config.name, split))
    digest = hashlib.sha256()
    try:
        for row in rows:
            digest.update(canonical(row))
            name = row_name(config, row)
            faults = list(_schema_faults(config, row))
            own = () if faults else own_checks  # they require the schema
            reading = [folded(row.get(field)) for field in config.text_fields]
            faults += _row_faults(config, row, reading, language)
            faults += (("warning", what, "") for check in own for what in check(config.name, split, row))
            of_row: dict[tuple[Severity, str], str] = {}  # count rows, not places in them
            for severity, what, example in faults:
                of_row.setdefault((severity, what), example)
            for (severity, what), example in of_row.items():
                found.tally.add(severity, what, f"{name}: {example}" if example else name)
            _remember(found, config, row, reading)
    except MissingError:
        raise
    except DataError as error:
        found.tally.add("error", "unreadable row; the check of this split stops there", str(error))
        return found
    found.content = digest.hexdigest()
    return found


def row_name(config: Config, row: Mapping[str, Any]) -> str:
    """A row's id as printed."""
    return "/".join(str(row.get(name)) for name in config.id_fields)


def key_of(values: Any) -> int:
    """A hash of 8 bytes of any JSON value."""
    text = json.dumps(values, ensure_ascii=False, sort_keys=True, default=str)
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _row_faults(config: Config, row: Row, reading: list[Any], language: str | None) -> Iterator[Fault]:
    language = row.get("language") or language
    for path, text in texts_in(row):
        for severity, what, at in signs(text, language=language):
            yield severity, f'"{path}": {what}', snippet(text, at)
    shown: dict[Any, str] = {}
    for name, value in zip(config.text_fields, reading, strict=True):
        if value is None or value == "" or value == [] or (isinstance(value, list) and "" in value):
            yield "warning", f'"{name}" is empty or has an empty entry', ""
        elif isinstance(value, str):
            if value in shown:
                yield "warning", f'"{shown[value]}" and "{name}" are the same', one_line(row[name], _SHOWN)
            shown[value] = name
    for name, value in row.items():
        if isinstance(value, list) and value and all(isinstance(entry, str) for entry in value):
            entries = folded(value)
            if twice := next((entry for at, entry in enumerate(entries) if entry in entries[:at]), None):
                yield "warning", f'duplicate entries in "{name}"', one_line(twice, _SHOWN)
    answer = next((text for text in _folded_texts(row, config.answer_fields) if _given_away(config, row, text)), None)
    if answer is not None:
        yield "warning", "answer given away by the question", one_line(answer, _SHOWN)


def _schema_faults(config: Config, row: Row) -> Iterator[Fault]:
    try:
        config.row.model_validate(row)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            path = ".".join("[]" if isinstance(part, int) else part for part in fault["loc"]).replace(".[]", "[]")
            yield "error", f'"{path}" breaks the schema: {one_line(fault["msg"], 80)}', one_line(fault["input"], _SHOWN)
    for name in row.keys() - config.row.model_fields.keys():
        yield "error", f'"{name}" is not in the schema', one_line(row[name], _SHOWN)


def _folded_texts(row: Row, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        for _, text in texts_in(row.get(name)):
            yield folded(text)


def _given_away(config: Config, row: Row, answer: str) -> bool:
    return any(
        gives_away(question, answer, row.get("language")) for question in _folded_texts(row, config.question_fields)
    )


def _remember(found: Scan, config: Config, row: Row, reading: list[Any]) -> None:
    found.rows += 1
    found.ids.append(key_of([row.get(name) for name in config.id_fields]))
    found.exact.append(key_of([row.get(name) for name in config.text_fields]))
    found.folded.append(key_of(reading))
    if config.label_field and found.labels is not None:
        label = row.get(config.label_field)
        value = None if label is None else str(label)
        code = found.label_codes.setdefault(value, len(found.label_codes))
        found.labels.append(code)
        if len(found.label_codes) > MAX_LABELS:
            found.labels = None
    if found.numbers is not None:
        text = str(row.get(config.id_fields[0]))
        if len(config.id_fields) == 1 and text.isdecimal() and len(text) < 19:  # fits in 8 bytes
            found.numbers.append(int(text))
        else:
            found.numbers = None


@dataclass
class Scan:
    """The result of a pass over a split.

    Attributes:
        tally: findings in single rows.
        rows: number of rows.
        content: the `content_hash` of the rows; None when they could not all be read.
        ids, exact, folded: for each row the hash of its id, of its text fields, and of these folded.
        labels: for each row the code of its label; None when there are too many different values.
        label_codes: label → code; None for a hidden label.
        numbers: the ids, where all are whole numbers; else None.
    """

    tally: Tally
    rows: int = 0
    content: str | None = None
    ids: array[int] = field(default_factory=lambda: array("Q"))
    exact: array[int] = field(default_factory=lambda: array("Q"))
    folded: array[int] = field(default_factory=lambda: array("Q"))
    labels: array[int] | None = field(default_factory=lambda: array("i"))
    label_codes: dict[str | None, int] = field(default_factory=dict)
    numbers: array[int] | None = field(default_factory=lambda: array("q"))

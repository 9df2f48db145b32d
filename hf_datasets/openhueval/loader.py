"""Reading an OpenHuEval file: find it, check every row, hand on the rows in the one form that `schema.converted` gives.

So rows are the same whether they come from the published file or from a converted copy of it. Rows are counted, not
assumed: the papers' versions differ (README). Lines end at a line feed only, for one published proverb holds U+0085, at
which `str.splitlines` would cut.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import NoReturn

from pydantic import ValidationError

from hf_datasets.converted import Converted
from hf_datasets.file_kind import foreign_kind
from hf_datasets.json_types import json_type
from hf_datasets.openhueval.published import SPLIT, config_of
from hf_datasets.openhueval.schema import MODELS, converted
from hf_datasets.openhueval.sources import Source, find_source
from hf_datasets.openhueval.wording import first_fault
from hf_datasets.repo import Row, content_hash
from hf_datasets.text_files import MAX_LINE
from hueval_metrics.records import DataError
from hueval_metrics.text.one_line import one_line

_BOM = b"\xef\xbb\xbf"
_ID_IN_BROKEN_ROW = re.compile(r'"(?:qid|session_id)"\s*:\s*"([^"\\]+)"')


def rows(name: str, data_dir: str | os.PathLike[str] | None = None) -> tuple[list[Row], Source]:
    """All rows of a file, checked and converted.

    Args:
        name: HuMatchingFIB, HuStandardFIB, HuProverbRea, HuSimpleQA or HuWildBench.
        data_dir: a folder that has the file; see `sources` for what happens without one.

    Returns:
        The rows in file order, and where they came from.

    Raises:
        DataError: the file is not to be had, or is not what it should be; the text names the line and the field.
    """
    source, found = find_source(name, data_dir)
    if isinstance(found, Converted):
        return _copied_rows(name, found, source), source
    return parse_rows(name, found, source), source


def parse_rows(name: str, content: bytes, source: Source) -> list[Row]:
    """The converted rows of a file's content.

    Raises:
        DataError: the content is not JSON Lines, or a row breaks the schema.
    """
    file = f"{name}.jsonl"
    lines = ((f"line {number}", _row(name, number, line, source)) for number, line in _lines(name, content, source))
    return _checked(name, file, lines, source)


def _copied_rows(name: str, copy: Converted, source: Source) -> list[Row]:
    """The rows of a converted copy, which anyone may have made: checked as those of a file, and against its hash."""
    entry = copy.manifest.split(config_of(name), SPLIT)
    numbered = enumerate(copy.rows(config_of(name), SPLIT), start=1)
    checked = _checked(name, entry.file, ((f"row {number}", row) for number, row in numbered), source)
    if (found := content_hash(checked)) != entry.content:
        fault = f"{entry.file} has other content than hueval.json says ({found}, expected {entry.content})"
        _refuse(fault, "Convert the data again", source)
    return checked


def _checked(name: str, file: str, placed_rows: Iterable[tuple[str, Row]], source: Source) -> list[Row]:
    """The rows, converted; each comes with its place in the file, such as `line 3`."""
    model = MODELS[name]
    checked: list[Row] = []
    place_of: dict[str, str] = {}
    for place, row in placed_rows:
        where = _where(f"{file} {place}", row.get(model.ID, row.get("qid")))
        try:
            fields = converted(model, row)
        except ValidationError as error:
            _refuse(f"{where}: {first_fault(model, error)}", "Fix the row", source)
        if (key := fields["qid"]) in place_of:
            fault = f'{where}: "{model.ID}" stands in {place_of[key]} too, expected once'
            _refuse(fault, "Drop one of the rows", source)
        place_of[key] = place
        checked.append(fields)
    if not checked:
        _refuse(f"{file} is empty, expected a JSON object a line", "Put the rows back", source)
    return checked


def _lines(name: str, content: bytes, source: Source) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers, counted from 1."""
    if kind := foreign_kind(content):
        _refuse(f"{name}.jsonl is {kind}, expected JSON Lines", "Unpack or replace it", source)
    content = content.removeprefix(_BOM)
    if (nul := content.find(b"\0")) >= 0:
        number = content.count(b"\n", 0, nul) + 1
        _refuse(f"{name}.jsonl line {number} holds a NUL byte, expected text", "Replace the damaged file", source)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        where = f"{name}.jsonl line {number}"
        if error.end == len(content) and error.reason == "unexpected end of data":
            _refuse(f"{where}: is cut short inside a character", "Fix the line", source)
        _refuse(f"{where} holds byte 0x{content[error.start]:02x}, expected UTF-8", "Save it as UTF-8", source)
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > MAX_LINE:
            fault = f"{name}.jsonl line {number} is longer than {MAX_LINE // 2**20} MiB, expected a row"
            _refuse(fault, "Fix the line", source)
        if line.strip():
            yield number, line


def _row(name: str, number: int, line: str, source: Source) -> Row:
    """The object in a line."""
    try:
        row = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:  # ValueError: a number of 5,000 digits too
        broken = _ID_IN_BROKEN_ROW.search(line)
        where = _where(f"{name}.jsonl line {number}", broken and broken[1])
        _refuse(f"{where}: is cut short or not JSON ({one_line(error, 80)})", "Fix the line", source)
    if not isinstance(row, dict):
        _refuse(f"{name}.jsonl line {number}: is {json_type(row)}, expected an object", "Fix the line", source)
    return row


def _no_constant(spelling: str) -> NoReturn:
    raise ValueError(f"{spelling} is not JSON")


def _where(place: str, row_id: object = None) -> str:
    known = f" (qid {one_line(row_id, 40)})" if isinstance(row_id, str) and row_id.strip() else ""
    return f"{place}{known}"


def _refuse(fault: str, mend: str, source: Source) -> NoReturn:
    """Raise the error, with what the user can do about it, which depends on whose file it is."""
    if source.origin == "folder":
        raise DataError(f"{fault}. {mend} in {source.path}, or pull a fresh copy: hueval data pull openhueval")
    if source.origin == "sample":
        raise DataError(f"{fault}. This is the packaged sample: reinstall hueval")
    raise DataError(
        f"{fault}. This is the published file, byte for byte, so the schema is wrong: please report it; until then "
        "set HUEVAL_DATA_DIR to a folder with a mended copy"
    )

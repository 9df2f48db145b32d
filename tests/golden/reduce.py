"""From what `hueval` writes to what must not move: numbers and keys, without time, place and library versions."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

DIGITS = 12  # significant: a sum in another order is the same number
_VARIES = (  # what differs from run to run and from machine to machine
    (r"\b\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(\.\d+)?", "TIME"),
    (r"\|(hueval|lm_eval|rapidfuzz|json_repair|py3langid):[^|\s\"]+", r"|\1:VERSION"),
    (r'"(version|lm_eval|rapidfuzz|json_repair|py3langid)": "[^"]+"', r'"\1": "VERSION"'),
    (r"\bhueval \d[\w.]+\d", "hueval VERSION"),
    (r"\b20[2-9]\d-[01]\d-[0-3]\d\b(?=['\"]?$)", "DATE"),
    (r"(?<=[/\"])1[6-9]\d{8}(?=\")", "EPOCH"),
    (r'(?<="seconds": )[\d.e-]+', "0"),
    (r"(?<=cached, )[\d.]+ s\b", "SECONDS"),
    (r'(?<="checksum": ")[0-9a-f]{64}', "SHA256"),  # of a file with times in it
    (
        r"(?<=\bcalibration:)[0-9a-f]{12}\b|(?<=\()[0-9a-f]{12}(?=\))|(?<=\"sha256\": \")[0-9a-f]{64}",
        "SHA256",
    ),  # has the version
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
)


def normal(text: str, folder: Path) -> str:
    """A text without what varies by run: the folder, times, ports, library versions."""
    text = text.replace(str(folder), "FOLDER")
    for pattern, name in _VARIES:
        text = re.sub(pattern, name, text, flags=re.MULTILINE)
    return text


def read_json(text: str) -> Any:
    """JSON with its numbers rounded to `DIGITS`."""
    return json.loads(text, parse_float=_rounded)


def json_rows(text: str) -> list[dict[str, Any]]:
    """The rows of JSON Lines, their numbers rounded."""
    return [read_json(line) for line in text.split("\n") if line]


def csv_text(text: str) -> str:
    """A CSV file, its numbers rounded and its signatures named."""
    lines = io.StringIO()
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    csv.writer(lines, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return lines.getvalue()


def _rounded(number: str) -> float:
    return float(f"{float(number):.{DIGITS}g}")


def _cell(value: str) -> str:
    try:
        return f"{float(value):.{DIGITS}g}" if re.search(r"\d[.e]", value) else value
    except ValueError:
        return short(value) if value.startswith("task:") else value  # a signature, which stands in results.json


def short(text: str) -> str:
    """A name for a long text."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def as_json(value: Any) -> str:
    """JSON with a line for each value that is no list of numbers."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return re.sub(r"\[\s+([^\[\]{}\"]*?)\s+\]", lambda found: "[" + " ".join(found[1].split()) + "]", text) + "\n"


def as_rows(rows: Iterable[Any]) -> str:
    """JSON, a row a line."""
    return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)


def without_nulls(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Items whose metrics, values and verdict lack what is null; a row for each task says which keys there were."""
    keys: dict[str, dict[str, None]] = {}
    for row in rows:
        named = {name: list(row[name]) for name in ("metrics", "values", "verdict") if row[name] is not None}
        keys.setdefault(row["task"], {})[json.dumps(named)] = None
        for name in named:
            row[name] = {key: value for key, value in row[name].items() if value is not None}
    return [*rows, *({"task": task, "keys": [json.loads(each) for each in found]} for task, found in keys.items())]


def like_the_first(rows: list[Any]) -> list[Any]:
    """Rows after the first with only what they have otherwise: path → value, null where they lack it."""
    first, *others = [dict(_paths(row, "")) for row in rows]
    kept = [{path: row.get(path, "null") for path in first | row if row.get(path) != first.get(path)} for row in others]
    return rows[:1] + [{path: json.loads(value) for path, value in row.items()} for row in kept]


def digests(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """For each task and key of rows: in how many it is not null, the sum of its numbers, and a name for all values.

    It holds the rows' values fast without repeating any text of theirs.
    """
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for key, value in _flat(row, str(row.get("task", ""))):
            columns.setdefault(key, []).append(value)
    return {key: _digest(values) for key, values in columns.items()}


def _flat(row: Mapping[str, Any], prefix: str) -> Iterable[tuple[str, Any]]:
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}.{key}")
        else:
            yield f"{prefix}.{key}".removeprefix("."), value


def _digest(values: list[Any]) -> str:
    given = [value for value in values if value is not None]
    numbers = [value for value in given if isinstance(value, (int, float))]
    total = f" sum {sum(numbers):.{DIGITS}g}" if numbers else ""
    return f"{len(given)} of {len(values)}{total} {short(json.dumps(values, ensure_ascii=False))}"


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.values: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in ("script", "style", "template")
        if (value := dict(attrs).get("data-value")) is not None:
            self.values.append(_cell(value))

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in ("script", "style", "template")

    def handle_data(self, data: str) -> None:
        if not self.silent and (line := " ".join(data.split())):
            self.lines.append(line)


def page_text(page: str) -> str:
    """What a reader sees of a report, a text node a line."""
    reader = _Text()
    reader.feed(page)
    return "\n".join(reader.lines) + "\n"


def page_numbers(page: str) -> dict[str, Any]:
    """The numbers behind a report's tables and items: cells in order, outcomes by item, names for the texts."""
    reader = _Text()
    reader.feed(page)
    embedded = {
        name: gzip.decompress(base64.b64decode(packed)).decode()
        for name, packed in re.findall(r'<script type="application/gzip" id="([^"]+)">([^<]*)', page)
    }
    index = json.loads(embedded.pop("index"))
    for name in ("words", "dimensions"):  # the page's own
        index.pop(name)
    embedded["snippets"] = json.dumps(index.pop("snippet"))
    texts = {name: short(text) for name, text in embedded.items()}
    return {"cells": " ".join(reader.values), "items": {k: json.dumps(v) for k, v in index.items()}, "texts": texts}


def differences(name: str, old: str, new: str) -> list[str]:
    """What differs between two golden texts: where, old → new."""
    before, after = _leaves(name, old), _leaves(name, new)
    keys = [*before, *(key for key in after if key not in before)]
    return [
        f"{name} {key}: {_seen(before.get(key))} → {_seen(after.get(key))}"
        for key in keys
        if before.get(key) != after.get(key)
    ]


def _leaves(name: str, text: str) -> dict[str, Any]:
    if name.endswith(".json"):
        return dict(_paths(json.loads(text), ""))
    if name.endswith(".jsonl"):
        rows = [json.loads(line) for line in text.splitlines()]
        return dict(_paths({f"line {i} ({row.get('qid', '')})": row for i, row in enumerate(rows, 1)}, ""))
    if name.endswith(".csv"):
        cells = {f"line {i}": row for i, row in enumerate(csv.DictReader(io.StringIO(text)), 2)}
        return dict(_paths(cells, ""))
    return {f"line {i}": line for i, line in enumerate(text.splitlines(), 1)}


def _paths(value: Any, path: str) -> Iterable[tuple[str, Any]]:
    if isinstance(value, (dict, list)) and value:
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths(inner, f"{path}.{key}".removeprefix("."))
    else:
        yield path, json.dumps(value, ensure_ascii=False)


def _seen(value: str | None) -> str:
    if value is None:
        return "nothing"
    return value if len(value) <= 160 else f"{value[:100]}… ({short(value)})"

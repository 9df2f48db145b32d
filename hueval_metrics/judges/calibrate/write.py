"""Write calibrated runs beside, never into, the runs that they were made of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.judges.calibrate.answers import ITEMS, RESULTS, ScoredRun
from hueval_metrics.judges.calibrate.apply import Calibrated
from hueval_metrics.judges.calibrate.cautions import cautions
from hueval_metrics.judges.calibrate.file import DIGITS, NAME, Calibration
from hueval_metrics.records import Signature
from hueval_metrics.registry import CALIBRATED
from hueval_metrics.signals import signals_held
from hueval_metrics.stats.agreement import Rating
from hueval_metrics.text.files import check_outside, locked, open_file, read_bytes, read_text, whole_file, write_whole
from hueval_metrics.text.foreign import parse_json
from hueval_metrics.text.write_json import json_text

_References = Mapping[int, tuple[Rating, float]]  # line of items.jsonl → the reference's rating, and its weight


def check_place(path: Path) -> None:
    """Raise InputError where a calibration would be written into a scored run, or no file can be written."""
    _check_no_file(path.parent)
    if path.is_dir():
        raise InputError(f"--output {path}: is a folder. Name a file in it")
    check_outside(path, [folder for folder in path.parents if (folder / ITEMS).exists()])


def write_calibration(path: Path, content: bytes) -> None:
    """Write a calibration file. The same one may be written again.

    Raises:
        InputError: the file is there with another content, or cannot be written.
    """
    if _is_other(path, content):
        raise InputError(
            f"--output {path}: is there already, and no calibration of the same ratings. Name another file"
        )
    write_whole(path, content)


def folders_for(output: Path, runs: Sequence[ScoredRun]) -> list[Path]:
    """Where each run's calibrated copy goes: the folder itself, or one of the run's name in it for each of several.

    Raises:
        InputError: a folder is one of the runs or inside one, a file is in its place, or two runs have the same name.
    """
    folders = [output] if len(runs) == 1 else [output / run.folder.resolve().name for run in runs]
    if len(set(folders)) < len(folders):
        raise InputError("calibrate: two runs have folders of the same name. Apply it to one of them at a time")
    for folder in folders:
        _check_no_file(folder)
        check_outside(folder, [run.folder for run in runs])
    return folders


def write_calibrated(
    folder: Path, run: ScoredRun, source: Path, calibration: Calibration, found: Sequence[Calibrated]
) -> None:
    """Write items.jsonl, calibration.json and results.json of one run.

    Each file is there whole or not at all, results.json last. The same results may be written again.

    Args:
        folder: where to write; created if it is missing.
        run: the run that was read.
        source: the calibration's file.
        calibration: its content.
        found: the calibrated scores of the run, one a task.

    Raises:
        InputError: the folder has other results or another calibration, cannot be written, or another process is
            writing there.
    """
    copy = read_bytes(source)
    results = _results(run, calibration, found)
    references = {
        line: (item.reference, item.weight)
        for one in found
        for line, item in zip(one.answers.lines, one.answers.items, strict=True)
        if item.reference is not None
    }
    is_new = not folder.exists()
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(folder, wait=False))
        except BlockingIOError:
            raise InputError(
                f"{folder}: another `hueval calibrate` is writing there. Wait for it, or choose another folder with "
                "--output"
            ) from None
        if is_new:  # it has the results then, unless nothing was written
            stack.callback(_remove_empty, folder)
        is_partly = (folder / ITEMS).exists() and not (folder / RESULTS).exists()
        if is_partly or _is_other(folder / RESULTS, results):
            raise InputError(f"{folder}: has other results already. Choose another folder with --output")
        if _is_other(folder / NAME, copy):
            raise InputError(f"{folder / NAME}: is another calibration. Choose another folder with --output")
        files = ExitStack()
        with files:
            write = {name: files.enter_context(whole_file(folder / name)) for name in (RESULTS, NAME, ITEMS)}
            for line in _rows(run.folder / ITEMS, references):
                write[ITEMS](line)
            write[NAME](copy)
            write[RESULTS](results)
            with signals_held():  # a stop between two of them would leave results of other items
                files.close()


def _check_no_file(folder: Path) -> None:
    for path in (folder, *folder.parents):
        if path.is_file():
            raise InputError(f"--output {folder}: {path} is a file. Name a folder")


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _rows(items: Path, references: _References) -> Iterator[bytes]:
    """The lines of items.jsonl, those that the reference rated with `reference_rating`."""
    with open_file(items) as file:
        if not references:
            yield from iter(partial(file.read, 2**20), b"")
            return
        for number, line in enumerate(file, start=1):
            if number not in references:
                yield line
                continue
            rating, weight = references[number]
            added = json.dumps({"reference_rating": {"rating": rating, "weight": weight}})
            # Rows were read as objects with columns, so that the last brace ends the row.
            yield line[: line.rindex(b"}")] + b", " + added[1:].encode() + b"\n"


def _is_other(path: Path, content: bytes) -> bool:
    """Whether a file is there with another content, or as something that is no ordinary file."""
    try:
        return read_bytes(path) != content
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _results(run: ScoredRun, calibration: Calibration, found: Sequence[Calibrated]) -> bytes:
    """The run's results with those of the calibration beside them."""
    results = parse_json(read_text(run.folder / RESULTS))
    for one in found:
        task = one.answers.task
        results[task] = calibrated_row(results.get(task, {}), calibration, one)
    return (json_text(results, indent=2) + "\n").encode()


def calibrated_row(row: Mapping[str, Any], calibration: Calibration, one: Calibrated) -> dict[str, Any]:
    """What results.json says of a task: the run's own row, the calibrated metrics, and what they rest on."""
    found: dict[str, Any] = {}
    methods, notes = (dict(own) if isinstance(own := row.get(key), dict) else {} for key in ("ci_method", "ci_note"))
    for name in one.answers.metrics:
        column, estimate = f"{name}{CALIBRATED}", one.estimates.get(name)
        found[column] = None if estimate is None else estimate.value
        found[f"{column}_ci95"] = None if estimate is None else [estimate.low, estimate.high]
        found[f"{column}_n"] = 0 if estimate is None else estimate.n
        if estimate is not None:
            methods[column] = estimate.interval
            if estimate.note:
                notes[column] = estimate.note
    fitted, short = one.fitted, calibration.sha256[:DIGITS]
    part = f"{short},{fitted.judge} to {fitted.reference},n={one.n},{one.kind}"
    signature = Signature.parse(row["signature"] if isinstance(row.get("signature"), str) else "")
    return {
        **row,
        **found,
        "ci_method": methods,
        "ci_note": notes,
        "signature": str(signature.with_settings({"calibration": part})),
        "calibration": {
            "sha256": calibration.sha256,
            "judge": fitted.judge,
            "reference": fitted.reference,
            "reference_kind": fitted.reference_kind,
            "n": one.n,
            "kind": one.kind,
            "method": one.method,
            "rogan_gladen": {name: [each.value, each.low, each.high] for name, each in one.rogan_gladen.items()},
            "warnings": cautions(one),
        },
    }

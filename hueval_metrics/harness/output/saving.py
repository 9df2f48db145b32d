"""What lm-eval's tracker writes of a run, whole or not at all: each file gets its name when it is complete."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lm_eval.loggers import EvaluationTracker, evaluation_tracker

from hueval_metrics.harness.output.log_file import time_of_day
from hueval_metrics.harness.replaced import replaced
from hueval_metrics.one_line import one_line
from hueval_metrics.signals import signals_held
from hueval_metrics.text.write_json import json_text

log = logging.getLogger(__name__)


def _dumps(value: Any, *, ensure_ascii: bool = False, **options: Any) -> str:
    return json_text(value, **options)


# The tracker writes letters as they are, and fails where a reply has half a surrogate pair.
_JSON = SimpleNamespace(**{**vars(json), "dumps": _dumps})


def save(
    results: dict[str, Any],
    samples: Mapping[str, Sequence[Mapping[str, Any]]],
    tracker: EvaluationTracker,
    output: Path,
) -> Path | None:
    """Write the results and the samples of a run; in a private folder where the output folder takes not all.

    Args:
        results: of lm-eval. The tracker adds to them what it knows.
        samples: task → its samples.
        tracker: lm-eval's, which also sends them to the Hub if it is set to.
        output: the folder, or a file that ends in `.json`, of `--output_path`.

    Returns:
        The results file; None where not everything could be written. What could not is named in a warning.
    """
    is_file = output.suffix == ".json"
    wanted = output.parent if is_file else output
    for is_private in (False, True):
        folder = wanted
        try:
            if is_private:  # no one else can have prepared it, as they could a name of ours in a shared folder
                folder = Path(tempfile.mkdtemp(prefix="hueval-results-"))
            folder.mkdir(parents=True, exist_ok=True)
            part = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=folder))
        except OSError as error:
            log.warning("%s: results cannot be written there (%s).", folder, one_line(error))
            continue
        places: list[Path] = []
        try:
            written, faults = _written(results, samples, tracker, part / output.name if is_file else part)
            with signals_held():
                for file in written:  # the results come last: whoever finds them finds the samples too
                    place = folder / file.relative_to(part)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    file.replace(place)
                    places.append(place)
        except OSError as error:
            faults = [one_line(error)]
        finally:
            shutil.rmtree(part, ignore_errors=True)
        for fault in faults:
            log.warning("%s: not written, or not sent (%s).", folder, fault)
        if places and places[-1].suffix == ".json":
            return places[-1]
        if is_private and not places:
            folder.rmdir()
    return None


def _written(
    results: dict[str, Any], samples: Mapping[str, Sequence[Mapping[str, Any]]], tracker: EvaluationTracker, to: Path
) -> tuple[list[Path], list[str]]:
    """Let the tracker write; the files that are whole, and what it could not do, which it only logs.

    The results are the last file, and there only where all samples are.
    """
    tracker.output_path = str(to)
    folder = to.parent if to.suffix == ".json" else to
    with _faults() as faults, replaced(evaluation_tracker, "json", _JSON):
        tracker.save_results_aggregated(results=results, samples=samples)
        if not hasattr(tracker, "date_id"):
            tracker.date_id = time_of_day()
        whole = []
        for task in results["configs"]:
            # Copies: the tracker changes rows as it writes them, and wandb wants them as they were.
            tracker.save_results_samples(task_name=task, samples=[dict(row) for row in samples[task]])
            whole += [
                file
                for file in folder.rglob(f"samples_{task}_{tracker.date_id}.jsonl")
                if _rows(file) == len(samples[task])
            ]
        if tracker.push_results_to_hub or tracker.push_samples_to_hub:
            try:
                tracker.recreate_metadata_card()
            except Exception as error:  # the Hub's, or of the network
                faults.append(f"card of the Hub: {one_line(error)}")
    if len(whole) == len(results["configs"]):
        whole += [file for file in folder.rglob("*.json") if _is_json(file)]
    return whole, faults


def _rows(file: Path) -> int:
    with file.open("rb") as lines:
        return sum(line.endswith(b"\n") for line in lines)


def _is_json(file: Path) -> bool:
    try:
        json.loads(file.read_bytes())
    except ValueError:  # cut off where the disk was full
        return False
    return True


@contextmanager
def _faults() -> Iterator[list[str]]:
    """While inside, the exceptions that the tracker swallows; it logs a warning and the exception behind it."""
    found: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = record.getMessage()
            if record.levelno >= logging.WARNING:
                found.append(text)
            elif found and found[-1].startswith("Could not") and "(" in text:
                found[-1] = one_line(text)

    logger, listener = logging.getLogger("lm_eval.loggers.evaluation_tracker"), Listener()
    logger.addHandler(listener)
    propagate, logger.propagate = logger.propagate, True
    try:
        yield found
    finally:
        logger.removeHandler(listener)
        logger.propagate = propagate

"""Write what `hueval score` found: `results.json` and `items.jsonl`."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from hueval_metrics.errors import HuevalError, InputError, OptionError
from hueval_metrics.loader import check_languages, require_libraries
from hueval_metrics.metrics.confidence import USUAL, ConfidenceSettings
from hueval_metrics.scoring.earlier import EarlierItems
from hueval_metrics.scoring.extracted import extractor, is_extracted
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.score import ScoringError, TaskScore, score_task
from hueval_metrics.scoring.summaries import summary_rows
from hueval_metrics.scoring.survey import survey
from hueval_metrics.signals import signals_held
from hueval_metrics.text.files import locked, read_text, whole_file, write_whole
from hueval_metrics.text.foreign import parse_json
from hueval_metrics.text.write_json import json_text

ITEMS, RESULTS = "items.jsonl", "results.json"
SAFE = (
    "Verdicts that came are in the judge's cache; the same command asks only for the rest "
    "(unless a line above says that the cache fails)"
)

log = logging.getLogger(__name__)


def broken_off(file: Path) -> str:
    """What an interrupted command says of the file that it would have written."""
    return f"broken off; {file} {'is as it was' if file.exists() else 'was not written'}. {SAFE}."


def score_into(
    folder: Path,
    paths: Sequence[Path],
    task: str | None,
    settings: Mapping[str, Any],
    plan: JudgePlan,
    confidence: ConfidenceSettings = USUAL,
) -> list[TaskScore]:
    """Score everything in files and folders, and write the scores as `write_scores` does, item by item.

    Args:
        folder: where to write. The verdicts in an earlier items.jsonl there are carried over, whatever `plan` makes of
            them; those on other predictions are kept with their file, under another name.
        paths, task, settings: see `score.score_paths`.
        plan: which verdicts to keep, and which judge to ask.
        confidence: the settings of calibration errors.

    Returns:
        The scores, without items.

    Raises:
        InputError: the folder cannot be written, or another process is writing there; see also `score.score_paths`.
        ScoringError: a task failed; the others, if there are any, are written.
        DataError: see `score.score_paths`.
    """
    if plan.rejudge:
        plan.settings()  # raises before anything is read
    if plan.extract is not None:
        extractor(plan.extract)
    tasks = survey(paths, task, settings, confidence)
    specs = [given.spec for given in tasks]
    require_libraries(specs)
    check_languages(specs)
    extracts = [is_extracted(given, plan) for given in tasks]
    if plan.extract is not None and not any(extracts):
        raise OptionError("extract: no task has replies that are read by rule. Leave it out")
    is_judged = any(extracts) or any(spec.rubric is not None for spec in specs)
    fix = f"Free some space there or choose another folder. {SAFE}" if is_judged else ""
    items, scores, is_written = folder / ITEMS, [], False
    failed: list[ScoringError] = []
    try:
        sole = sole_writer(folder, "hueval score", (ITEMS, RESULTS))
        with sole, ExitStack() as results_file, ExitStack() as items_file:
            write = items_file.enter_context(whole_file(items, fix=fix))
            may_lose = is_judged or plan.only_missing or bool(plan.rejudge) or _was_judged(folder)
            with _earlier(items, is_wanted=may_lose) as earlier:
                for given in tasks:
                    start = write(b"")
                    try:
                        scores.append(
                            score_task(given, replace(plan, earlier=earlier), lambda item: write(json_line(item)))
                        )
                    except ScoringError as error:
                        failed.append(error)
                        write(b"", cut_to=start)
                if not scores:
                    raise failed[0]
            results_file.enter_context(whole_file(folder / RESULTS, fix=fix))(_results(scores))
            with signals_held():  # a stop between the two would leave results of other items
                if earlier is not None and earlier.n_unfound:
                    _set_aside(items, earlier.n_unfound)
                items_file.close()
                results_file.close()
                is_written = True
    except HuevalError:
        raise
    except BaseException:
        if is_judged and not is_written:
            log.warning("%s", broken_off(items))
        raise
    if failed:
        names = ", ".join(score.task for score in scores)
        raise ScoringError(f"{' '.join(f'{error}.' for error in failed)} {folder} has only {names}")
    return scores


def write_scores(scores: Sequence[TaskScore], folder: Path) -> None:
    """Write `results.json` (task or family → metrics) and `items.jsonl` (a row a prediction) into a folder.

    Each file is there whole or not at all; the items come first, so that results are never there without them.

    Raises:
        InputError: the folder cannot be written.
    """
    with whole_file(folder / ITEMS) as write:
        for score in scores:
            for item in score.items:
                write(json_line(item))
    write_whole(folder / RESULTS, _results(scores))


def _results(scores: Sequence[TaskScore]) -> bytes:
    results = {score.task: score.summary for score in scores}
    results |= summary_rows(results, {score.task: score.values for score in scores if score.values is not None})
    return (json_text(results, indent=2, allow_nan=False) + "\n").encode()


@contextmanager
def sole_writer(folder: Path, command: str, names: Sequence[str]) -> Iterator[None]:
    """Keep a second command from writing into the same folder, where the system and the disk can do that.

    Args:
        folder: created if it is missing, and removed at the end if it is empty then.
        command: such as `hueval score`, for the message.
        names: of the files that it writes; unfinished ones of a command that was killed are removed.

    Raises:
        InputError: another command is writing there.
    """
    is_new = not folder.exists()
    with ExitStack() as stack:
        try:
            is_locked = stack.enter_context(locked(folder, wait=False))
        except BlockingIOError:
            raise InputError(
                f"{folder}: another `{command}` is writing there. Wait for it, or choose another folder with --output"
            ) from None
        for part in [part for name in names if is_locked for part in folder.glob(f".{name}.*")]:
            with suppress(OSError):  # of one that was killed
                part.unlink()
        try:
            yield
        finally:
            if is_new:
                with suppress(OSError):  # it has the results, unless nothing was written
                    folder.rmdir()


def _was_judged(folder: Path) -> bool:
    """Whether the scores in a folder were judged, according to their results."""
    try:
        results = parse_json(read_text(folder / RESULTS))
    except (OSError, ValueError):
        return False
    return isinstance(results, dict) and any(isinstance(row, dict) and "judge" in row for row in results.values())


def _earlier(items: Path, *, is_wanted: bool) -> AbstractContextManager[EarlierItems | None]:
    return EarlierItems(items) if is_wanted and items.is_file() else nullcontext()


def _set_aside(items: Path, count: int) -> None:
    """Keep a file whose verdicts the new one does not have; the name is no `.jsonl`, which would be read as input."""
    number = 1
    while (kept := items.with_name(f"{items.name}.{number}")).exists():
        number += 1
    items.rename(kept)
    log.warning("%s has %d verdicts on other predictions; it is kept as %s.", items, count, kept.name)


def json_line(item: Mapping[str, Any]) -> bytes:
    """A row of a JSON Lines file (`write_json.json_text`); NaN becomes null."""
    try:
        return (json_text(item, allow_nan=False) + "\n").encode()
    except ValueError:  # NaN or infinity in a verdict of somebody's log
        return json_line(_without_nan(item))


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nan(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

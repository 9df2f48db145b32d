"""Read what `hueval run` (lm-eval) and `hueval score` leave behind, as one row for each model.

lm-eval writes one file for each call, so a model that was run task by task has several: they become one row again.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hueval_metrics.records import InputError, number_of, signature_parts
from hueval_metrics.scoring.live_run import model_args, model_label, signature_of_run
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_json
from hueval_metrics.text.one_line import one_line

FAMILIES = ("openhueval_",)  # other tasks in a results file (gsm8k, …) are not ours to report
# lm-eval names its files results_<date>.json, or <name>_<date>.json with --output_path <name>.json.
_FILE_NAME = re.compile(r"results\.json|results_.*\.json|.*_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[^/]*\.json")
# Where and how fast a model runs does not make it another model, and often differs between calls.
_PLACEMENT_ARGS = {
    *("base_url", "batch_size", "data_parallel_size", "device", "device_map", "gpu_memory_utilization"),
    *("max_batch_size", "max_retries", "num_concurrent", "parallelize", "tensor_parallel_size", "timeout"),
}
_NO_SCORES = frozenset({"n", "judge", "judge_agreement", "ci_method", "ci_note", "signature", "model"})
_DETAILS = ("ci_method", "ci_note", "judge", "judge_agreement", "n_suspicious", "n_judge_errors")
_COUNT = "n_"  # keys that begin so count items; they are no scores
_MOST = 10**9  # items that a task may have
_Row = tuple[Path, str, str]  # folder, label and settings, which the files of one run share
_LOOKED_FOR = "lm-eval's results_<date>.json (written with --output_path) and hueval score's results.json"

log = logging.getLogger(__name__)


def load_runs(paths: Sequence[Path], on_fault: Callable[[str], None] | None = None) -> list[Run]:
    """The runs found in files and folders, in the order given.

    Results of one model and the same settings in one folder make one run, what `hueval score` wrote beside a live
    run's among them; the newest file wins a task that occurs twice. Runs that would share a label get what tells them
    apart in brackets: the folder, then the settings.

    Args:
        paths: results files, or folders that are searched with all their sub-folders.
        on_fault: takes the line on a file that cannot be read, and the others are read all the same; None to raise at
            the first.

    Returns:
        At least one run, each with at least one task of `FAMILIES`.

    Raises:
        InputError: a path holds no results, or a file is broken, of another format, or without any of our tasks; with
            `on_fault`, broken files raise only where nothing is left.
    """
    files = {file.resolve(): file for path in paths for file in _find(path)}
    parts, faults = [], []
    for file in files.values():
        try:
            parts.append(_read(file))
        except InputError as error:
            faults.append(error)
    for fault in faults:
        if on_fault is None or not parts:
            raise fault
        on_fault(str(fault))
    if not any(part.run.scores for part in parts):
        others = sorted({task for part in parts for task in part.other_tasks})
        where = ", ".join(map(str, paths)) or "no path given"
        raise InputError(
            f"{where}: no scores of {', '.join(f + '*' for f in FAMILIES)} tasks; found {_few(others)}. "
            "Run some: hueval run --tasks openhueval"
        )
    rows: dict[_Row, list[_Part]] = {}
    for part in parts:
        if part.run.scores:
            key = (part.run.path.resolve().parent, part.run.label, json.dumps(part.settings, sort_keys=True))
            rows.setdefault(key, []).append(part)
    merged = [(_merge(row), _settings(row)) for row in _with_rescored(rows).values()]
    return _distinct(merged)


def _with_rescored(rows: Mapping[_Row, list[_Part]]) -> dict[_Row, list[_Part]]:
    """The rows, with what `hueval score` wrote into a live run's folder as a part of that run, if it is one alone."""
    joined: dict[_Row, list[_Part]] = {}
    for key, parts in rows.items():
        live = [other for other in rows if other != key and other[:2] == key[:2]] if parts[0].settings is None else []
        joined.setdefault(live[0] if len(live) == 1 else key, []).extend(parts)
    return joined


def _settings(row: Sequence[_Part]) -> Mapping[str, str]:
    return next((part.settings for part in row if part.settings is not None), {})


def _find(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path}: no such file or folder. Give {_LOOKED_FOR}, or a folder that holds them")
    found = sorted(file for file in path.rglob("*.json") if _FILE_NAME.fullmatch(file.name) and file.is_file())
    if not found:
        raise InputError(f"{path}: no results found. Looked here and in all sub-folders for {_LOOKED_FOR}")
    return found


def _read(path: Path) -> _Part:
    try:
        data = parse_json(read_text(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path} line {error.lineno} column {error.colno}: not valid JSON ({error.msg}). "
            "A file that was cut off must be written again"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason}). Save it as UTF-8") from error
    except ValueError as error:
        raise InputError(f"{path}: not valid JSON ({one_line(error, 80)}). Write the file again") from error
    if isinstance(data, dict):
        if isinstance(data.get("results"), dict):
            return _read_lm_eval(path, data)
        if any(isinstance(row, dict) and "n" in row for row in data.values()):
            return _read_hueval(path, data)
    raise InputError(f"{path}: neither of the formats that can be read. Expected {_LOOKED_FOR}")


def _read_lm_eval(path: Path, data: Mapping[str, Any]) -> _Part:
    """One part from lm-eval's file; a metric's key there is `metric,filter`."""
    config = _dict(data.get("config"))
    args = model_args(config.get("model_args"))
    run = Run(model_label(data), path, limit=number_of(config.get("limit")))
    others = []
    for task, row in data["results"].items():
        if not task.startswith(FAMILIES):
            others.append(task)
            continue
        found: dict[str, object] = {}
        for key, value in _dict(row).items():
            metric, comma, _ = key.partition(",")
            # "bypass" is what lm-eval puts in place of every metric under --predict_only.
            shown = not (metric.endswith("_stderr") or metric == "bypass" or metric.startswith(_COUNT))
            if comma and shown and _is_score(value):
                found.setdefault(metric, value)
        if found:
            scores = _finite(found, path, task)
            count = _dict(_dict(data.get("n-samples")).get(task)).get("effective", _dict(row).get("sample_len"))
            task_config = _dict(_dict(data.get("configs")).get(task))
            provenance = _dict(_dict(task_config.get("metadata")).get("provenance"))
            signature = provenance.get("signature")
            if isinstance(signature, str):
                signature = signature_of_run(signature, data, task)
            intervals = _intervals(_dict(data.get("intervals")).get(task))
            details = {key: _dict(_dict(data.get(key)).get(task)) for key in ("ci_method", "ci_note")}
            details |= {"provenance": provenance}
            sample = provenance.get("sample") is True
            counts = _dict(_dict(data.get("metric_n")).get(task))
            run = _with_task(run, task, scores, intervals, counts, count, None, signature, sample, details)
    date = number_of(data.get("date")) or 0.0
    settings = {key: str(value) for key, value in args.items() if key not in _PLACEMENT_ARGS}
    return _Part(run, others, date, settings)


def _read_hueval(path: Path, data: Mapping[str, Any]) -> _Part:
    """One part from the file that `hueval score` writes; its folder names a model that nothing else names."""
    models = {str(row["model"]) for row in data.values() if isinstance(row, dict) and row.get("model") is not None}
    run = Run(models.pop() if len(models) == 1 else path.resolve().parent.name, path)
    others = []
    for task, row in data.items():
        if not task.startswith(FAMILIES) or not isinstance(row, dict):
            others.append(task)
            continue
        found, ends, counts = {}, {}, {}
        for key, value in row.items():
            if key.endswith("_ci95"):
                ends[key.removesuffix("_ci95")] = value
            elif key.endswith("_n") and key.removesuffix("_n") in row:
                counts[key.removesuffix("_n")] = value
            elif not (key in _NO_SCORES or key.startswith(_COUNT)) and _is_score(value):
                found[key] = value
        if found:
            scores = _finite(found, path, task)
            count, missing = row.get("n"), row.get("n_missing")
            sample = "|sample:yes|" in str(row.get("signature"))
            details = {key: row[key] for key in _DETAILS if key in row}
            signature, intervals = row.get("signature"), _intervals(ends)
            run = _with_task(run, task, scores, intervals, counts, count, missing, signature, sample, details)
    limits = [limit for signature in run.signatures.values() if (limit := _limit(signature)) is not None]
    return _Part(replace(run, limit=min(limits, default=None)), others, path.stat().st_mtime)


def _limit(signature: str) -> float | None:
    """The --limit of the run that was scored, as its signature has it."""
    try:
        return number_of(float(signature_parts(signature).get("limit", "no")))
    except ValueError:
        return None


def _with_task(
    run: Run,
    task: str,
    scores: Mapping[str, float | None],
    intervals: Mapping[str, tuple[float, float]],
    counts: Mapping[str, Any],
    count: object,
    missing: object,
    signature: object,
    sample: bool,
    details: Mapping[str, Any],
) -> Run:
    signature = signature if isinstance(signature, str) else ""
    return replace(
        run,
        scores={**run.scores, task: scores},
        intervals={**run.intervals, task: intervals},
        n={**run.n, task: _count(count)},
        metric_n={**run.metric_n, task: {metric: own for metric, own in counts.items() if _is_count(own)}},
        missing={**run.missing, task: _count(missing)},
        signatures={**run.signatures, task: signature} if signature else run.signatures,
        details={**run.details, task: details},
        sources={**run.sources, task: run.path},
        sample=run.sample or sample or "sample:yes" in signature.split("|"),
    )


def _merge(parts: Iterable[_Part]) -> Run:
    """One run from the files of one model; the newest file that has a task gives the whole task."""
    ordered = sorted(parts, key=lambda part: (part.date, part.run.path.name))
    owner = {task: part.run for part in ordered for task in part.run.scores}
    limits = [run.limit for run in owner.values() if run.limit is not None]
    return replace(
        ordered[-1].run,
        scores={task: run.scores[task] for task, run in owner.items()},
        intervals={task: run.intervals[task] for task, run in owner.items()},
        n={task: run.n[task] for task, run in owner.items()},
        metric_n={task: run.metric_n[task] for task, run in owner.items()},
        missing={task: run.missing[task] for task, run in owner.items()},
        signatures={task: run.signatures[task] for task, run in owner.items() if task in run.signatures},
        details={task: run.details[task] for task, run in owner.items()},
        sources={task: run.sources[task] for task, run in owner.items()},
        sample=any(run.sample for run in owner.values()),
        limit=min(limits, default=None),
    )


def _distinct(rows: Sequence[tuple[Run, Mapping[str, str]]]) -> list[Run]:
    """The runs with labels that no two of them share."""
    runs = [run for run, _ in rows]
    for label in {run.label for run in runs}:
        same = [i for i, run in enumerate(runs) if run.label == label]
        if len(same) < 2:
            continue
        folders = _short([runs[i].path.resolve().parent for i in same])
        varying = [_varying(rows[i][1], [rows[j][1] for j in same]) for i in same]
        for i, folder, settings in zip(same, folders, varying, strict=True):
            alone = folders.count(folder) == 1
            runs[i] = replace(
                runs[i], label=f"{label} ({folder if alone else ', '.join(filter(None, (folder, settings)))})"
            )
    return runs


def _short(folders: Sequence[Path]) -> list[str]:
    """The folders without the leading and trailing parts that all of them share; empty when they are all one."""
    parts = [list(folder.parts) for folder in folders]
    for end in (0, -1):
        while all(parts) and len({p[end] for p in parts}) == 1 and (end == 0 or min(map(len, parts)) > 1):
            for p in parts:
                del p[end]
    return ["/".join(p) or ("." if any(parts) else "") for p in parts]


def _varying(settings: Mapping[str, str], others: Sequence[Mapping[str, str]]) -> str:
    keys = sorted({key for other in others for key in other if len({o.get(key) for o in others}) > 1})
    return ", ".join(f"{key}={settings.get(key, 'unset')}" for key in keys)


def _intervals(ends: object) -> dict[str, tuple[float, float]]:
    """Metric → its interval, of those that have two ends."""
    found = {}
    for metric, pair in _dict(ends).items():
        numbers = [number_of(end) for end in pair] if isinstance(pair, (list, tuple)) else []
        if len(numbers) == 2 and numbers[0] is not None and numbers[1] is not None:
            found[metric] = (numbers[0], numbers[1])
    return found


def _is_score(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _finite(scores: Mapping[str, object], path: Path, task: str) -> dict[str, float | None]:
    """The scores, NaN and infinity as not scored."""
    numbers = {metric: number_of(value) for metric, value in scores.items()}
    if lost := [metric for metric, number in numbers.items() if number is None and scores[metric] is not None]:
        log.warning("%s: not a number in %s: %s. Score it again.", path, one_line(task, 40), _few(lost))
    return numbers


def _count(value: object) -> int:
    """A number of items; 0 for what can be none."""
    number = number_of(value)
    return int(number) if number is not None and 0 <= number <= _MOST else 0


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(one_line(name, 40) for name in names[:3]) + more if names else "nothing"


@dataclass(frozen=True)
class Run:
    """The scores of one model: one row of the table.

    Attributes:
        label: what the row is called. It comes from a file that anyone may have written: clean it before printing.
        path: the newest file that the run was read from.
        scores: task → metric → score in percent (`ece` and `brier` 0–1); None where nothing was scored.
        intervals: task → metric → 95 % interval, where the file has one.
        n: task → number of items scored; 0 when unknown.
        metric_n: task → metric → its own n, the items or pairs that count in it, where the file has it; see `n_of`.
        missing: task → number of items without a prediction.
        signatures: task → what the score depends on.
        details: task → what else its results say: `ci_method`, `ci_note`, and `judge`, `judge_agreement`,
            `n_suspicious` and `n_judge_errors`, or a live run's `provenance`. As they stand in the file, so anything
            may be in them.
        sources: task → the results file that its scores were read from; its items or samples lie beside it.
        sample: whether any task ran on the packaged sample instead of the benchmark.
        limit: the smallest `--limit` of any task, None without one.
    """

    label: str
    path: Path
    scores: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    intervals: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    n: Mapping[str, int] = field(default_factory=dict)
    metric_n: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: Mapping[str, Path] = field(default_factory=dict)
    sample: bool = False
    limit: float | None = None

    def n_of(self, task: str, metric: str) -> int | None:
        """A metric's own n; the task's where its results are too old to say, None where nobody knows."""
        return self.metric_n.get(task, {}).get(metric, self.n.get(task) or None)

    def covers_too_little(self, task: str, metric: str) -> bool:
        """Whether there is an interval that holds the true value too rarely (`stats.intervals.coverage_note`)."""
        noted = metric in _dict(self.details.get(task, {}).get("ci_note"))
        return noted and metric in self.intervals.get(task, {})


@dataclass(frozen=True)
class _Part:
    """One file: its run, the tasks in it that are not ours, and its date.

    The settings are those that make a model another; None of what `hueval score` wrote, which does not know them.
    """

    run: Run
    other_tasks: Sequence[str]
    date: float = 0.0
    settings: Mapping[str, str] | None = None

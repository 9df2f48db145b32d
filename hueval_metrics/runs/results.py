"""Results files as they may be found, lm-eval's and those of `hueval score`, read into typed results once.

Anyone may have written them: what is of another type than it should be counts as not there.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose
from pathlib import Path
from typing import Any

from hueval_metrics.answers.reading import KINDS, Kind
from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Signature, number_of
from hueval_metrics.registry import families, prefixes
from hueval_metrics.runs.run import Calibration, Flips, JudgeUse, TaskResult
from hueval_metrics.scoring.flags import COVERAGE, FLAGS, Facts, Flag, judges_in, kinds_of, of_facts, shares
from hueval_metrics.scoring.lm_eval_results import LmEvalResults, object_of
from hueval_metrics.scoring.thinking import THINKING
from hueval_metrics.scoring.values import LIMIT_RATE, READINGS
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_json

LOOKED_FOR = "lm-eval's results_<date>.json (written with --output_path) and hueval score's results.json"
# Where and how fast a model runs does not make it another model, and often differs between calls.
_PLACEMENT_ARGS = {
    *("base_url", "batch_size", "data_parallel_size", "device", "device_map", "gpu_memory_utilization"),
    *("max_batch_size", "max_retries", "num_concurrent", "parallelize", "tensor_parallel_size", "timeout"),
}
_NO_SCORES = frozenset(
    {
        *("n", "judge", "judge_agreement", "judge_flips", "ci_method", "ci_note", "signature", "model", "chance"),
        *(READINGS, FLAGS, THINKING),
    }
)
SUMMARIES = "summaries"  # of lm-eval's file: family → the row that `hueval score` writes of it
_WHOLE = 100.0  # percent
_COUNT = "n_"  # keys that begin so count items; they are no scores
_MOST = 10**9  # items that a task may have

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ResultsFile:
    """What one file says.

    Attributes:
        path: the file.
        label: what the model is called.
        tasks: task → result, of our tasks with scores.
        others: the tasks that are neither ours nor beside ours.
        date: when the run began, or the file was written; seconds since 1970.
        settings: what makes a model's run another one: its arguments, and variants of the tasks that are not the
            default. None of what `hueval score` wrote, which does not know them.
        summaries: family → the numbers over its tasks (`declare.Family.summaries`).
        beside: tasks of other benchmarks that a family shows beside its own (`declare.Family.beside`).
    """

    path: Path
    label: str
    tasks: Mapping[str, TaskResult]
    others: Sequence[str]
    date: float
    settings: Mapping[str, str] | None = None
    summaries: Mapping[str, TaskResult] = field(default_factory=dict)
    beside: Mapping[str, TaskResult] = field(default_factory=dict)


def read_results(path: Path) -> ResultsFile:
    """One results file.

    Raises:
        InputError: it cannot be read, or is of neither format.
    """
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
            return _lm_eval(path, LmEvalResults(data))
        if any(isinstance(row, dict) and "n" in row for row in data.values()):
            return _hueval(path, data)
    raise InputError(f"{path}: neither of the formats that can be read. Expected {LOOKED_FOR}")


def _lm_eval(path: Path, file: LmEvalResults) -> ResultsFile:
    """lm-eval's file; a metric's key there is `metric,filter`."""
    settings = {key: str(value) for key, value in file.model_args.items() if key not in _PLACEMENT_ARGS}
    settings |= {"num_fewshot": str(file.num_fewshot)} if file.num_fewshot else {}
    found, beside, others = {}, {}, []
    near = tuple(prefix for family in families().values() for prefix in family.beside)
    for task in file.data["results"]:
        if not task.startswith((*prefixes(), *near)):
            others.append(task)
            continue
        row = file.of("results", task)
        given: dict[str, object] = {}
        for key, value in row.items():
            metric, comma, _ = key.partition(",")
            # "bypass" is what lm-eval puts in place of every metric under --predict_only.
            shown = not (metric.endswith("_stderr") or metric == "bypass" or metric.startswith(_COUNT))
            if comma and shown and _is_score(value):
                given.setdefault(metric, value)
        if not given:
            continue
        if _is_score(limits := object_of(file.data.get(LIMIT_RATE)).get(task)) and limits is not None:
            given[LIMIT_RATE] = limits
        if not task.startswith(prefixes()):
            n = _count(file.of("n-samples", task).get("effective")) or 0
            beside[task] = TaskResult(_finite(given, path, task), path, n=n, limit=file.limit)
            continue
        settings |= file.variants(task)
        provenance, signature = file.provenance(task), file.signature(task)
        found[task] = TaskResult(
            scores=_finite(given, path, task),
            source=path,
            intervals=_intervals(file.of("intervals", task)),
            methods=_texts(file.of("ci_method", task)),
            notes=_texts(file.of("ci_note", task)),
            chance=number_of(object_of(file.data.get("chance")).get(task)),
            readings=_readings(object_of(file.data.get(READINGS)).get(task)),
            thinking=file.thinking(task),
            n=_count(file.of("n-samples", task).get("effective", row.get("sample_len"))) or 0,
            metric_n=_counts(file.of("metric_n", task)),
            signature=signature,
            provenance=provenance,
            sample=provenance.get("sample") is True or Signature.parse(signature).is_sample,
            limit=file.limit,
        )
        flags = object_of(file.data.get(FLAGS)).get(task)
        found[task] = _flagged(found[task], flags, file.model, file.total(task), file.are_first)
    date = number_of(file.data.get("date")) or 0.0
    summaries = summary_results(path, object_of(file.data.get(SUMMARIES)))
    return ResultsFile(path, file.model or "unnamed model", found, others, date, settings, summaries, beside)


def _hueval(path: Path, data: Mapping[str, Any]) -> ResultsFile:
    """What `hueval score` writes; its folder names a model that nothing else names."""
    models = {str(row["model"]) for row in data.values() if isinstance(row, dict) and row.get("model") is not None}
    found, others = {}, []
    for task, row in data.items():
        if task in families():
            continue
        if not task.startswith(prefixes()) or not isinstance(row, dict):
            others.append(task)
            continue
        given, ends, counts = _columns(row)
        if not given:
            continue
        signature = _text(row.get("signature"))
        found[task] = TaskResult(
            scores=_finite(given, path, task),
            source=path,
            intervals=_intervals(ends),
            methods=_texts(row.get("ci_method")),
            notes=_texts(row.get("ci_note")),
            n=_count(row.get("n")) or 0,
            metric_n=_counts(counts),
            missing=_count(row.get("n_missing")) or 0,
            chance=number_of(row.get("chance")),
            readings=_readings(row.get(READINGS)),
            signature=signature,
            judges={judge: _use(object_of(use)) for judge, use in object_of(row.get("judge")).items()},
            agreement=number_of(object_of(row.get("judge_agreement")).get("agreement")),
            flips=flips_of(row),
            n_suspicious=_count(row.get("n_suspicious")),
            n_judge_errors=_count(row.get("n_judge_errors")),
            n_unanswered=_count(row.get("n_unanswered")) or 0,
            n_without_verdict=_count(row.get("n_without_verdict")) or 0,
            sample=Signature.parse(signature).is_sample,
            limit=Signature.parse(signature).limit,
            calibration=_calibration(row.get("calibration")),
            thinking=object_of(row.get(THINKING)) or None,
        )
        total = None if row.get("n_missing") is None else found[task].n + found[task].missing
        found[task] = _flagged(found[task], row.get(FLAGS), _text(row.get("model")), total)
    label = models.pop() if len(models) == 1 else path.resolve().parent.name
    return ResultsFile(path, label, found, others, path.stat().st_mtime, summaries=summary_results(path, data))


def summary_results(path: Path, rows: Mapping[str, Any]) -> dict[str, TaskResult]:
    """Family → the numbers over its tasks, of the rows named after a family."""
    found = {}
    for name, row in rows.items():
        if name in families() and isinstance(row, dict):
            given, ends, counts = _columns(row)
            found[name] = TaskResult(
                scores=_finite(given, path, name),
                source=path,
                intervals=_intervals(ends),
                methods=_texts(row.get("ci_method")),
                notes=_texts(row.get("ci_note")),
                metric_n=_counts(counts),
            )
    return found


def _columns(row: Mapping[str, Any]) -> tuple[dict[str, object], dict[str, object], dict[str, object]]:
    """Metric → score, metric → interval, and metric → its own n, of a row that `hueval score` wrote."""
    given: dict[str, object] = {}
    ends: dict[str, object] = {}
    counts: dict[str, object] = {}
    for key, value in row.items():
        if key.endswith("_ci95"):
            ends[key.removesuffix("_ci95")] = value
        elif key.endswith("_n") and key.removesuffix("_n") in row:
            counts[key.removesuffix("_n")] = value
        elif not (key in _NO_SCORES or key.startswith(_COUNT)) and _is_score(value):
            given[key] = value
    return given, ends, counts


def _calibration(value: object) -> Calibration | None:
    """What the calibrated scores rest on; None where the file does not name both judges."""
    row = object_of(value)
    judge, reference, n = _text(row.get("judge")), _text(row.get("reference")), _count(row.get("n"))
    if not judge or not reference or n is None:
        return None
    lines = row.get("warnings")
    warnings = tuple(filter(None, map(_text, lines))) if isinstance(lines, list) else ()
    return Calibration(judge, reference, n, row.get("kind") == "own", _text(row.get("sha256")), warnings)


def flips_of(summary: Mapping[str, Any]) -> Flips | None:
    """What the summary of a task says of verdicts that were asked for a second time; None where none was."""
    row = object_of(summary.get("judge_flips"))
    n, flips, ends = _count(row.get("n")), _count(row.get("flips")), _intervals({"": row.get("ci95")}).get("")
    return None if n is None or flips is None or ends is None else Flips(n, flips, ends)


def _readings(value: object) -> dict[Kind, float]:
    """Kind of reading → share in percent; empty where the shares are not those of a whole."""
    row = object_of(value)
    shares: dict[Kind, float] = {kind: share for kind in KINDS if (share := number_of(row.get(kind))) is not None}
    is_sound = all(0 <= share <= _WHOLE for share in shares.values()) and isclose(sum(shares.values()), _WHOLE)
    return shares if is_sound and len(shares) == len(row) else {}


def _flagged(
    result: TaskResult, given: object, model: str | None = None, total: int | None = None, is_first: bool | None = None
) -> TaskResult:
    """A result with its flags: those of its file, or of an older file those that follow from its numbers."""
    if isinstance(given, list):
        return replace(result, flags=tuple(filter(None, map(Flag.from_json, given))))
    facts = Facts(result.n, total, is_first, model or None, result.scores.get(COVERAGE), judges_in(result.signature))
    found = (*shares(kinds_of(result.readings, result.n), result.n), *of_facts(facts))
    return replace(result, flags=found, are_replies_counted=False)


def _use(use: Mapping[str, Any]) -> JudgeUse:
    calls, cached, sent, received = (
        _count(use.get(key)) for key in ("calls", "cached", "prompt_tokens", "completion_tokens")
    )
    return JudgeUse(calls, cached, sent, received, number_of(use.get("usd")), number_of(use.get("seconds")))


def _is_score(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _finite(scores: Mapping[str, object], path: Path, task: str) -> dict[str, float | None]:
    """The scores, NaN and infinity as not scored."""
    numbers = {metric: number_of(value) for metric, value in scores.items()}
    if lost := [metric for metric, number in numbers.items() if number is None and scores[metric] is not None]:
        log.warning("%s: not a number in %s: %s. Score it again.", path, one_line(task, 40), few(lost))
    return numbers


def few(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(one_line(name, 40) for name in names[:3]) + more if names else "nothing"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> dict[str, str]:
    return {key: text for key, text in object_of(value).items() if isinstance(text, str)}


def _count(value: object) -> int | None:
    """A number of items; None for what can be none."""
    number = number_of(value)
    return int(number) if number is not None and 0 <= number <= _MOST else None


def _counts(value: object) -> dict[str, int]:
    found = {key: _count(one) for key, one in object_of(value).items()}
    return {key: count for key, count in found.items() if count is not None and count == value[key]}  # type: ignore[index]


def _intervals(value: object) -> dict[str, tuple[float, float]]:
    """Metric → its interval, of those that have two ends."""
    found = {}
    for metric, pair in object_of(value).items():
        ends = [number_of(end) for end in pair] if isinstance(pair, (list, tuple)) else []
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
            found[metric] = (ends[0], ends[1])
    return found

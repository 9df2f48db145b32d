"""The intervals of a live run: into lm-eval's results file, and in a table below its own."""

from __future__ import annotations

import contextlib
import functools
import logging
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import lm_eval

from hueval_metrics.harness.replaced import replaced
from hueval_metrics.records import Filtered, is_unanswered
from hueval_metrics.registry import known_tasks, task_spec
from hueval_metrics.reports.tables import render_metrics
from hueval_metrics.runs.run import Run, TaskResult
from hueval_metrics.scoring.lm_eval_results import LmEvalResults
from hueval_metrics.scoring.values import DocumentValues

Evaluate = Callable[..., dict[str, Any] | None]

log = logging.getLogger(__name__)


@contextlib.contextmanager
def intervals_added() -> Iterator[list[Run]]:
    """While inside, what lm-eval evaluates gets intervals; its CLI asks for `lm_eval.simple_evaluate` by name.

    Yields:
        A list that takes the run, once there are results. On all ranks but the first there are none.
    """
    found: list[Run] = []
    with replaced(lm_eval, "simple_evaluate", _with_intervals(lm_eval.simple_evaluate, found.append)):
        yield found


def print_intervals(runs: Iterable[Run]) -> None:
    """Print every metric with its interval, as `hueval score` does."""
    for run in runs:
        width = shutil.get_terminal_size((100, 24)).columns
        print(render_metrics([run], "terminal", width=width, color=sys.stdout.isatty()), end="")


def _with_intervals(evaluate: Evaluate, keep: Callable[[Run], None]) -> Evaluate:
    """lm-eval's `simple_evaluate` that adds to its results: task → metric → interval, own n, method, note."""

    @functools.wraps(evaluate)
    def wrapped(*args: Any, log_samples: bool = True, **settings: Any) -> dict[str, Any] | None:
        results = evaluate(*args, log_samples=True, **settings)
        if results is None:
            return None
        samples = results["samples"] if log_samples else results.pop("samples")
        try:
            _complete_signatures(results, settings.get("evaluation_tracker"))
            if settings.get("predict_only"):
                return results
            summaries = {task: _summary(task, rows) for task, rows in samples.items() if task in known_tasks()}
            results["intervals"] = {task: _intervals(summary) for task, summary in summaries.items()}
            results["metric_n"] = {task: _counts(summary) for task, summary in summaries.items()}
            results["ci_method"] = {task: summary["ci_method"] for task, summary in summaries.items()}
            results["ci_note"] = {task: summary["ci_note"] for task, summary in summaries.items()}
            if summaries:
                keep(_run(summaries, results, samples))
        except Exception:  # whatever it is: hours of generation are worth more than their intervals
            log.warning("no intervals: they could not be computed. `hueval score` computes them.", exc_info=True)
        return results

    return wrapped


def _complete_signatures(results: dict[str, Any], tracker: Any) -> None:
    """Add to the loader's signatures what the run alone knows; lm-eval's tracker has the chat template's hash."""
    recorded = LmEvalResults(results | vars(tracker.general_config_tracker) if tracker else results)
    for task in results["configs"]:
        if task in known_tasks():
            recorded.provenance(task)["signature"] = recorded.signature(task)


def _summary(task: str, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    spec = task_spec(task)
    values, n_unanswered = DocumentValues(spec), 0
    for row in rows:
        values.add(row, row["doc"])
        if spec.rubric is not None:
            n_unanswered += is_unanswered(Filtered.from_json(row["filtered_resps"][0]).verdict)
    return values.summary() | {"n_unanswered": n_unanswered}


def _intervals(summary: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    return {metric: tuple(summary[f"{metric}_ci95"]) for metric in summary["ci_method"]}


def _counts(summary: Mapping[str, Any]) -> dict[str, int]:
    return {metric: summary[f"{metric}_n"] for metric in summary if f"{metric}_n" in summary}


def _run(summaries: Mapping[str, Mapping[str, Any]], results: Mapping[str, Any], samples: Mapping[str, Any]) -> Run:
    return Run(
        label=str(LmEvalResults(results).model),
        path=Path(),
        tasks={
            task: TaskResult(
                scores={name: summary[name] for name, metric in task_spec(task).metrics.items() if not metric.is_count},
                intervals=results["intervals"][task],
                notes=summary["ci_note"],
                n=len(samples[task]),
                metric_n=results["metric_n"][task],
                signature=results["configs"][task]["metadata"]["provenance"]["signature"],
                n_unanswered=summary["n_unanswered"],
                sample=results["configs"][task]["metadata"]["provenance"]["sample"],
                limit=results["config"]["limit"],
            )
            for task, summary in summaries.items()
        },
    )

"""The intervals of a live run, in lm-eval's results."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hueval_metrics.answers.reading import Reading
from hueval_metrics.beside import ASKED, is_read
from hueval_metrics.harness.output.bill import log_bill
from hueval_metrics.harness.output.groups import settle_groups
from hueval_metrics.records import Filtered, Verdict
from hueval_metrics.registry import TaskSpec, declared, known_tasks, resolve, task_spec
from hueval_metrics.runs.results import SUMMARIES, flips_of, summary_results
from hueval_metrics.runs.run import Run, TaskResult
from hueval_metrics.scoring.filled import filled
from hueval_metrics.scoring.flags import COVERAGE, FLAGS, Facts, Flag, Replies, flags_of
from hueval_metrics.scoring.judge_tally import JudgeTally
from hueval_metrics.scoring.lm_eval_results import ASK_AGAIN, LmEvalResults
from hueval_metrics.scoring.score import reading_of, reply_in
from hueval_metrics.scoring.summaries import summary_rows
from hueval_metrics.scoring.thinking import THINKING
from hueval_metrics.scoring.values import AT_LIMIT, LIMIT_RATE, READINGS, DocumentValues

log = logging.getLogger(__name__)


def add_intervals(
    results: dict[str, Any], samples: Mapping[str, Any], tracker: Any, *, predict_only: bool = False
) -> Run | None:
    """Add to lm-eval's results task → metric → interval, own n, method, note, and what their signatures lack.

    The numbers over several tasks of a family are there, too: family → the row that `hueval score` writes. lm-eval's
    numbers of groups lose their rounding.

    Args:
        results: of lm-eval's evaluator.
        samples: task → its samples.
        tracker: lm-eval's, which has the chat template's hash.
        predict_only: there are no scores.

    Returns:
        The scores of our tasks; None where there are none, or they could not be computed, which a warning says.
    """
    try:
        _complete_signatures(results, tracker)
        if predict_only:
            return None
        is_asked = bool(results.get(ASK_AGAIN))
        recorded = LmEvalResults(results)
        thinking = {task: asked for task in samples if task in known_tasks() and (asked := recorded.thinking(task))}
        results[THINKING] = thinking
        replies = {task: Replies(declared(task), thinking.get(task)) for task in samples if task in known_tasks()}
        read = {task: _values(task, samples[task], is_asked, replies[task]) for task in replies}
        summaries = {task: values.summary() | tally.summary() for task, (values, tally) in read.items()}
        for task, (_, tally) in read.items():
            row, n, judges = summaries[task], len(samples[task]), tuple(sorted(tally.judges))
            are_first = {one.get("doc_id") for one in samples[task]} == set(range(n))
            about = n, recorded.total(task), are_first, recorded.model
            row[FLAGS] = flags_of(replies[task], Facts(*about, row.get(COVERAGE), judges, tally.retired))
        results[FLAGS] = {task: summary[FLAGS] for task, summary in summaries.items()}
        for task, (_, tally) in read.items():
            provenance = results["configs"][task]["metadata"]["provenance"]
            if not tally.uses_schema:
                provenance["signature"] = tally.signed(provenance["signature"])
        for task, (some, _) in read.items():
            spec = task_spec(task)
            for name in (name for name in some.metrics if name not in spec.metrics):  # of no YAML: lm-eval has them not
                results["results"][task][f"{name},{spec.config['filter_list'][0]['name']}"] = summaries[task][name]
        results["intervals"] = {task: _intervals(summary) for task, summary in summaries.items()}
        results["metric_n"] = {task: _counts(summary) for task, summary in summaries.items()}
        if limits := {task: row[LIMIT_RATE] for task, row in summaries.items() if LIMIT_RATE in row}:
            results[LIMIT_RATE] = limits
        if readings := {task: row[READINGS] for task, row in summaries.items() if READINGS in row}:
            results[READINGS] = readings
        results["ci_method"] = {task: summary["ci_method"] for task, summary in summaries.items()}
        results["ci_note"] = {task: summary["ci_note"] for task, summary in summaries.items()}
        if chances := {task: summary["chance"] for task, summary in summaries.items() if "chance" in summary}:
            results["chance"] = chances
        values = {task: some for task, (some, _) in read.items()}
        settle_groups(results, values)
        if rows := summary_rows(summaries, values):
            results[SUMMARIES] = rows
        log_bill(samples)
        return _run(values, summaries, results, samples) if summaries else None
    except Exception:  # whatever it is: hours of generation are worth more than their intervals
        log.warning("no intervals: they could not be computed. `hueval score` computes them.", exc_info=True)
        return None


def _complete_signatures(results: dict[str, Any], tracker: Any) -> None:
    """Add to the loader's signatures what the run alone knows; lm-eval's tracker has the chat template's hash."""
    recorded = LmEvalResults(results | vars(tracker.general_config_tracker) if tracker else results)
    for task in results["configs"]:
        if task in known_tasks():
            recorded.provenance(task)["signature"] = recorded.signature(task)


def _values(
    task: str, rows: Iterable[Mapping[str, Any]], is_asked: bool, replies: Replies
) -> tuple[DocumentValues, JudgeTally]:
    """The values of a task's samples, and what their verdicts say of the judge; `replies` counts for the flags."""
    spec = task_spec(task)
    beside = (ASKED,) if is_asked and is_read(spec.declared) else ()
    values, tally = DocumentValues(spec, beside=beside), JudgeTally()
    for row in rows:
        filtered = Filtered.from_json(row["filtered_resps"][0]) if spec.generates else Filtered("")
        reading = reading_of(spec, row["doc"], filtered)
        further: dict[str, Any] = {}
        for suffix in beside:
            further |= filled(spec, row["doc"], row, filtered.response, filtered.second, suffix)
        values.add({**row, **further}, row["doc"], row.get(AT_LIMIT), reading.kind if reading else None)
        replies.add(reply_in(_row(spec, row, filtered, reading), *replies.wanted))
        if spec.rubric is not None:
            tally.add(Verdict.from_json(filtered.verdict), is_asked=True)
    return values, tally


def _row(spec: TaskSpec, sample: Mapping[str, Any], filtered: Filtered, reading: Reading[Any] | None) -> dict[str, Any]:
    """What flags count of a sample, named as in a row of items.jsonl."""
    row: dict[str, Any] = {"values": sample, "truncated": filtered.truncated, AT_LIMIT: sample.get(AT_LIMIT)}
    if spec.generates:
        row |= {"prediction": sample["resps"][0][0], "response": filtered.response}
        row["reasoning_tokens"] = sample.get("reasoning_tokens")
    if reading is not None:
        row["reading"] = reading.to_json()
    if spec.declared.labels is not None:
        given = filtered.response if spec.generates else sample["filtered_resps"]
        row |= {
            "reference": spec.target(sample["doc"]),
            "answer": resolve(str(spec.declared.answer))(sample["doc"], given),
        }
    return row


def _intervals(summary: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    return {metric: tuple(summary[f"{metric}_ci95"]) for metric in summary["ci_method"]}


def _counts(summary: Mapping[str, Any]) -> dict[str, int]:
    return {metric: summary[f"{metric}_n"] for metric in summary if f"{metric}_n" in summary}


def _run(
    values: Mapping[str, DocumentValues],
    summaries: Mapping[str, Mapping[str, Any]],
    results: Mapping[str, Any],
    samples: Mapping[str, Any],
) -> Run:
    return Run(
        label=str(LmEvalResults(results).model),
        path=Path(),
        tasks={
            task: TaskResult(
                scores={name: summary[name] for name, metric in values[task].metrics.items() if not metric.is_count}
                | {name: summary[name] for name in (LIMIT_RATE,) if name in summary},
                intervals=results["intervals"][task],
                notes=summary["ci_note"],
                n=len(samples[task]),
                metric_n=results["metric_n"][task],
                signature=results["configs"][task]["metadata"]["provenance"]["signature"],
                n_unanswered=summary["n_unanswered"],
                n_without_verdict=summary["n_without_verdict"],
                sample=results["configs"][task]["metadata"]["provenance"]["sample"],
                limit=results["config"]["limit"],
                readings=summary.get(READINGS, {}),
                flags=tuple(filter(None, map(Flag.from_json, summary[FLAGS]))),
                flips=flips_of(summary),
            )
            for task, summary in summaries.items()
        },
        summaries=summary_results(Path(), results.get(SUMMARIES, {})),
    )

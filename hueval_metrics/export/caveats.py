"""Caveats of a score, which are exported with it, and which prevent the export unless the user accepts them.

A published score is compared with those of other models, and few readers read the notes. So a score that deviates from
the benchmark's definition is exported only on request, with a caveat in every record.
"""

from __future__ import annotations

from collections.abc import Sequence

from hueval_metrics.errors import InputError
from hueval_metrics.export.record import TaskRecord
from hueval_metrics.judge.lexical import JUDGE as LEXICAL

SAMPLE = "measured on the packaged sample, not on the benchmark"


def caveats(record: TaskRecord) -> list[str]:
    """How the scores of a task deviate from the benchmark's definition, a few words each; empty if they do not."""
    return [SAMPLE, *_faults(record)] if record.is_sample else _faults(record)


def check_publishable(records: Sequence[TaskRecord], *, even_sample: bool, even_partial: bool) -> None:
    """Refuse to export scores with caveats.

    Args:
        records: of one run.
        even_sample: accept scores measured on the packaged sample.
        even_partial: accept scores with other caveats.

    Raises:
        InputError: a task has caveats that were not accepted; names the first task, all its caveats and the option.
    """
    for record in records:
        found = [(SAMPLE, "--even-sample")] if record.is_sample and not even_sample else []
        found += [] if even_partial else [(fault, "--even-partial") for fault in _faults(record)]
        if found:
            options = " ".join(dict.fromkeys(option for _, option in found))
            faults = "; ".join(fault for fault, _ in found)
            raise InputError(
                f"{record.run.path}: {record.task}: {faults}. To export it anyway, marked as such: {options}"
            )


def _faults(record: TaskRecord) -> list[str]:
    found = []
    limit = record.parts.get("limit", "no" if record.run.limit is None else f"{record.run.limit:g}")
    if limit != "no":
        found.append(f"only the first items were asked (--limit {limit})")
    if missing := record.run.result(record.task).missing:
        found.append(f"{missing} of {record.n + missing} items have no prediction")
    coverage = record.run.tasks[record.task].scores.get("judge_coverage")
    if coverage is not None and coverage < 100:
        found.append(f"the judge gave a verdict on only {coverage:.2f} % of the responses")
    if LEXICAL in record.judges:
        found.append("judged by comparing words, which is approximate (HUEVAL_JUDGE=lexical)")
    if not (record.is_sample or record.data.is_published):
        known = f"of the data file {record.data.blob_id}" if record.data.blob_id else "of unknown data"
        found.append(f"{known}, which is not the published file")
    return found

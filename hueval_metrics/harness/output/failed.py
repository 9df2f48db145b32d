"""Tasks whose scoring failed: the others of the run have their results, and these their samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.harness.output.groups import leaves
from hueval_metrics.harness.tasks import FAILED


def without_failed(results: dict[str, Any], samples: Mapping[str, Sequence[dict[str, Any]]]) -> dict[str, str]:
    """Take the scores of tasks that failed, and of the groups that they are in, out of lm-eval's results.

    Args:
        results: of lm-eval's evaluator; changed.
        samples: task → its samples; what `tasks.hooks_checked` noted is taken out of their documents.

    Returns:
        Task that failed → why, on the first document that says so.
    """
    failed: dict[str, str] = {}
    for task, rows in samples.items():
        for row in rows:
            if why := row["doc"].pop(FAILED, None):
                failed.setdefault(task, why)
    members = results.get("group_subtasks", {})
    for table in (results["results"], results.get("groups", {})) if failed else ():
        for name, row in table.items():
            if any(task in failed for task in (leaves(name, members) if name in members else [name])):
                table[name] = {key: value for key, value in row.items() if "," not in key}
    return failed

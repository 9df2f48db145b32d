"""Tasks whose scoring failed: the others of the run have their results, and these their samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.harness.output.groups import leaves
from hueval_metrics.harness.tasks import FAILED


def without_failed(results: dict[str, Any], samples: Mapping[str, Sequence[dict[str, Any]]]) -> dict[str, str]:
    """Take the scores of tasks that failed (`tasks.hooks_checked`), and of their groups, out of lm-eval's results.

    Returns:
        Task that failed → why, on its first document that says so; what the documents say is taken out of them.
    """
    said = [(task, row["doc"].pop(FAILED, None)) for task, rows in samples.items() for row in rows]
    failed = {task: why for task, why in reversed(said) if why}
    members = results.get("group_subtasks", {})
    for table in (results["results"], results.get("groups", {})) if failed else ():
        for name, row in table.items():
            if failed.keys() & set(leaves(name, members) if name in members else [name]):
                table[name] = {key: value for key, value in row.items() if "," not in key}
    return failed

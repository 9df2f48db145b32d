"""What the judging of a run took on all its ranks, of which each has shown its own part."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any

from hueval_metrics.judge.progress import summary
from hueval_metrics.records import Filtered, Usage, Verdict
from hueval_metrics.registry import known_tasks, task_spec
from hueval_metrics.scoring.judge_tally import JudgeTally

log = logging.getLogger(__name__)


def log_bill(samples: Mapping[str, Any]) -> None:
    """Log what the verdicts of a run on several ranks took, task by task and judge by judge.

    Args:
        samples: task → its samples, of all ranks.
    """
    ranks = os.environ.get("WORLD_SIZE") or "1"
    for task, rows in samples.items() if ranks != "1" else ():
        if task not in known_tasks() or task_spec(task).rubric is None:
            continue
        tally = JudgeTally()
        for row in rows:
            tally.add(Verdict.from_json(Filtered.from_json(row["filtered_resps"][0]).verdict))
        for judge, use in tally.summary()["judge"].items():
            if (used := Usage.from_json(use)) and used.calls:
                name = f"{task}, all {ranks} ranks"
                text = summary(name, judge, used, cached=use["cached"], seconds=0)
                log.info("%s", text.rpartition(", ")[0])  # how long it took is not known of all

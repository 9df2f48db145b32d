"""The judges of a metric and their prompt, in the form of Every Eval Ever's `llm_scoring`."""

from __future__ import annotations

from typing import Any

from hueval_metrics.export.record import TaskRecord
from hueval_metrics.judge.lexical import JUDGE as LEXICAL
from hueval_metrics.judge.rubric import load_rubric, rubric_id
from hueval_metrics.registry import CALIBRATED
from hueval_metrics.reports.escape import plain
from hueval_metrics.runs.scales import scale_of


def llm_scoring(record: TaskRecord, metric: str) -> dict[str, Any] | None:
    """The judges of a metric and their prompt; None for a metric that no model judged."""
    rubric = record.spec.rubric
    if (
        rubric is None
        or metric.removesuffix(CALIBRATED) in record.spec.declared.by_rule
        or not record.judges
        or LEXICAL in record.judges
    ):
        return None
    judges = _members(record)
    scoring: dict[str, Any] = {
        "judges": [{"model_info": _model_info(name)} for name in judges],
        "input_prompt": _prompt(rubric, record.parts.get("rubric", "")),
        "additional_details": {"judge": ",".join(record.judges), "rubric": record.parts.get("rubric", "unknown")},
    }
    if any("+" in name or "*" in name for name in record.judges):  # a panel, or one judge asked several times
        scoring["aggregation_method"] = "majority_vote" if scale_of(record.task).is_label else "average"
    return scoring


def _members(record: TaskRecord) -> list[str]:
    """All models that gave a verdict, with the members of a panel one by one."""
    return [plain(name) for name in record.run.result(record.task).judges or record.judges]


def _model_info(name: str) -> dict[str, Any]:
    details = {"deployment_type": "unknown", "model_availability": "unknown"}
    return {"name": name, "id": name, "additional_details": details}


def _prompt(rubric: str, used: str) -> str:
    """The rubric's template; only its name where the verdicts are from another version."""
    ours = load_rubric(rubric)
    if used != rubric_id(ours):
        return f"rubric {used or 'unknown'} of hueval"
    return "\n\n".join(f"[{role}]\n{text}" for role, text in ours.PROMPT.items())

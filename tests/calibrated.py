"""Results with calibrated scores, as `hueval calibrate apply` writes them, with literal numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

QA, OE = "openhueval_husimpleqa", "openhueval_huproverbrea_oe"
SHA256 = "0123456789abcdef" * 4
SIGNATURE = "task:{task}|v:1.0|data:6d6b9c887861|q:hu|sample:no|calibration:{part}|judge:{judge}|rubric:husimpleqa/2"


def calibrated_row(
    task: str = QA,
    *,
    model: str = "org/model-7B",
    judge: str = "cheap-1",
    reference: str = "gpt-4o",
    kind: str = "own",
    n: int = 400,
    warnings: tuple[str, ...] = (),
    **scores: Any,
) -> dict[str, Any]:
    """The results of one task: 60 % correct by the judge, 52.5 % calibrated, unless `scores` say otherwise."""
    metric = "correct" if task == QA else "acc"
    part = f"{SHA256[:12]},{judge} to {reference},n={n},{kind}"
    own = {
        metric: 60.0,
        f"{metric}_ci95": [57.4, 62.6],
        f"{metric}_calibrated": 52.5,
        f"{metric}_calibrated_ci95": [48.1, 56.9],
        f"{metric}_calibrated_n": 1343,
        "ci_method": {metric: "wilson", f"{metric}_calibrated": "bca"},
        "n": 1343,
        "model": model,
        "judge_coverage": 100.0,
        "signature": SIGNATURE.format(task=task, part=part, judge=judge),
        "calibration": {
            "sha256": SHA256,
            "judge": judge,
            "reference": reference,
            "n": n,
            "kind": kind,
            "method": "ppi++" if kind == "own" else "rogan-gladen",
            "warnings": list(warnings),
        },
    }
    return own | scores


def write_results(folder: Path, tasks: dict[str, dict[str, Any]]) -> Path:
    """Write the results of a run."""
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(json.dumps(tasks), encoding="utf-8")
    return folder

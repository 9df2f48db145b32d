"""Files and runs as the reports read them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hueval_metrics.reports.columns import headlines
from hueval_metrics.runs.run import Run
from lm_eval_tasks.openhueval.family import FAMILY
from tests.helpers import run_of

# Paper, Table 5: four of its ten rows, in the order of its columns.
TABLE_5 = {
    "GPT-4o": (81.09, 50.3, 89.16, 95.51, 77.78, 43.88, 57.36, 15.05),
    "Deepseek-R1": (82.96, 34.58, 82.29, 91.72, 80.87, 47.12, 61.76, 17.2),
    "Llama-3.1-Instruct-70B": (61.78, 36.36, 80.18, 93.83, 59.56, 24.46, 40.99, 6.45),
    "QwQ": (58.02, 9.17, 67.49, 84.23, 38.65, 12.23, 6.05, 0.0),
}


@pytest.fixture
def paper_runs() -> list[Run]:
    runs = []
    for label, values in TABLE_5.items():
        scores: dict[str, dict[str, float | None]] = {}
        for (task, metric, *_), value in zip(headlines([FAMILY]), values, strict=True):
            scores.setdefault(task, {})[metric] = value
        runs.append(run_of(label, Path("results.json"), scores))
    return runs


@pytest.fixture
def lm_eval_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file shaped as lm-eval 0.4.13 writes it."""

    def write(name: str, scores: dict, *, config=None, date=1.0, limit=None, provenance=None, **extra) -> Path:
        results = {}
        for task, metrics in scores.items():
            results[task] = {"alias": task, "name": task, "sample_len": 7}
            for metric, value in metrics.items():
                results[task] |= {f"{metric},answer": value, f"{metric}_stderr,answer": "N/A"}
        data = {
            "results": results,
            "configs": {t: {"metadata": {"version": 1.0, "provenance": provenance or {}}} for t in scores},
            "n-samples": {t: {"original": 278, "effective": 10} for t in scores},
            "config": {"model": "hf", "model_args": {"pretrained": "org/model"}, "limit": limit, **(config or {})},
            "date": date,
            **extra,
        }
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data), encoding="utf-8")
        return path

    return write

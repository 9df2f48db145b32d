"""Runs as `hueval run` and `hueval score` leave them, on the packaged sample."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into
from lm_eval_tasks.openhueval.templates import target
from tests.reports.conftest import lm_eval_file  # noqa: F401

DATE = "2026-01-31T10-00-00.123456"


@pytest.fixture
def live_run(clean_environment, monkeypatch, tmp_path) -> Callable[..., Path]:
    """Writes what lm-eval leaves of tasks answered rightly."""
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")

    def write(*tasks: str, name: str = "live", verdict: dict | None = None) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        results: dict = {"results": {}, "configs": {}, "n-samples": {}, "config": {"model_args": {"pretrained": "m"}}}
        for task in tasks:
            docs, provenance = documents(f"openhueval_{task}")
            rows = [_sample(doc, verdict) for doc in docs]
            full = f"openhueval_{task}"
            text = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / f"samples_{full}_{DATE}.jsonl").write_text(text, encoding="utf-8")
            results["results"][full] = {"truncated_rate,response": 0.0}
            results["configs"][full] = {"metadata": {"provenance": provenance}, "generation_kwargs": {}}
            results["n-samples"][full] = {"original": len(docs), "effective": len(docs)}
        (folder / f"results_{DATE}.json").write_text(json.dumps(results), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def scored_run(live_run, tmp_path) -> Callable[..., Path]:
    """Writes what `hueval score` leaves of tasks answered rightly."""

    def write(*tasks: str, name: str = "scored") -> Path:
        folder = tmp_path / name
        score_into(folder, [live_run(*tasks, name=f"{name}-live")], None, {}, JudgePlan(asks=False))
        return folder

    return write


def _sample(doc: dict, verdict: dict | None) -> dict:
    reply = f"<think>Lássuk!</think>\n\n{target(doc)}"
    filtered = {"response": target(doc), "truncated": False, "verdict": verdict}
    return {"doc": doc, "resps": [[reply]], "filtered_resps": [json.dumps(filtered)]}

"""`hueval calibrate apply` on ten models and three judged tasks at their real sizes: time and peak memory.

The runs are made here, by mock judges of known errors. A reference rated 400 answers of each of two models in each
task, so that two runs are corrected by their own answers and eight by those of other runs. Aim: under 3 s.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import HUEVAL, QUICK, measure, report, report_processes

from hueval_metrics.records import Filtered, Signature, Verdict
from hueval_metrics.registry import task_spec
from hueval_metrics.runs.scales import scale_of
from hueval_metrics.scoring.values import DocumentValues

SIZES = {"openhueval_husimpleqa": 1343, "openhueval_huproverbrea_oe": 1135, "openhueval_huwildbench": 1154}
MODELS, RATED_MODELS, RATED = 3 if QUICK else 10, 2, 400
WORDS = 60  # of a prompt and of a response
ROUNDS = 5


def rows(task: str, model: int, n: int, judge: str, error: float) -> Iterator[dict[str, Any]]:
    """Rows of items.jsonl by a judge with some random ratings; the true ones depend on the model alone."""
    spec, values = task_spec(task), scale_of(task).values
    codes = list(spec.family.strata.titles.values()) if spec.family.strata else []
    truth, lot = random.Random(f"{task} {model}"), random.Random(f"{task} {model} {judge}")
    for place in range(n):
        rating = values[min(int(truth.random() ** (1 + model / MODELS) * len(values)), len(values) - 1)]
        rating = lot.choice(values) if lot.random() < error else rating
        response = json.dumps({"answer": f"{model} {'válasz ' * WORDS}{place}", "confidence_score": 50 + place % 50})
        label, score = (rating, None) if isinstance(rating, str) else (None, rating)
        verdict = Verdict(label, score, "…", judge, f"{spec.rubric}/1").to_dict()
        doc = {"qid": f"q{place}", "hu_specific_dim": codes[place % len(codes)]["en"]}
        found = spec.process_results(doc, [Filtered(response, verdict=verdict).to_json()])
        row = {"task": task, "qid": doc["qid"], "dimension": spec.stratum_of(doc), "prompt": "kérdés " * WORDS}
        row |= {"reference": "a minta", "prediction": response, "truncated": False}
        yield row | {"values": found, "metrics": {}, "verdict": verdict}


def write_run(folder: Path, model: int, judge: str, error: float, most: int | None = None) -> Path:
    """A run as `hueval score` writes it."""
    folder.mkdir()
    results = {}
    with (folder / "items.jsonl").open("w", encoding="utf-8") as file:
        for task, size in SIZES.items():
            spec = task_spec(task)
            values = DocumentValues(spec)
            for row in rows(task, model, min(size, most or size), judge, error):
                values.add(row["values"], {"qid": row["qid"], "hu_specific_dim": ""})
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            signature = Signature({"task": task, "data": "made"}).with_judge(judge, f"{spec.rubric}/1")
            results[task] = {"judge_coverage": 100.0, "n": size, "signature": str(signature), "model": f"model-{model}"}
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    return folder


def main() -> None:
    """Make the runs, fit, measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = [str(write_run(folder / f"judged-{model}", model, "cheap", 0.3)) for model in range(MODELS)]
        rated = [str(write_run(folder / f"gold-{model}", model, "gold", 0.0, RATED)) for model in range(RATED_MODELS)]
        fit = [HUEVAL, "calibrate", "fit", "--judge", *runs[:RATED_MODELS], "--reference", *rated]
        apply = [HUEVAL, "calibrate", "apply", str(folder / "fit.json"), *runs]
        commands = {
            "fit": [*fit, "--output", str(folder / "fit.json")],
            "apply": [*apply, "--output", str(folder / "out")],
        }
        found = measure(commands, ROUNDS, {})
    report("verdicts", MODELS * sum(SIZES.values()))
    report_processes(found, {"apply": 3})


if __name__ == "__main__":
    main()

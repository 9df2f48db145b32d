"""Runs as `hueval score` writes them, with mock judges of known bias; scored by the tasks' own code."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hueval_metrics.cli import main
from hueval_metrics.records import Filtered, Signature
from hueval_metrics.registry import task_spec
from hueval_metrics.scoring.values import DocumentValues

QA, OE, WILD = (f"openhueval_{name}" for name in ("husimpleqa", "huproverbrea_oe", "huwildbench"))
DIMENSIONS = ("life, culture, and custom", "history", "language")
HALF = ["YES", "NO"] * 30
Rated = tuple[str, str, str | float | None]  # key, response, rating of the judge


def verdict(task: str, rating: str | float | None, judge: str, **more: Any) -> dict[str, Any]:
    label, score = (rating, None) if isinstance(rating, str) else (None, rating)
    error = "unreadable: no label in it" if rating is None else None
    rubric = f"{task_spec(task).rubric}/1"
    return {"label": label, "score": score, "raw": "…", "judge": judge, "rubric": rubric, "error": error, **more}


def row(task: str, qid: str, response: str, said: Mapping[str, Any], number: int = 0, **more: Any) -> dict[str, Any]:
    """A row of items.jsonl."""
    spec = task_spec(task)
    doc = {"qid": qid, "hu_specific_dim": DIMENSIONS[number % len(DIMENSIONS)]}
    values = spec.process_results(doc, [Filtered(response, verdict=said).to_json()])
    return {
        **{"task": task, "qid": qid, "dimension": spec.stratum_of(doc), "prompt": f"Kérdés: {qid}"},
        **{"reference": "a minta", "prediction": response, "truncated": False, "answer": response},
        **{"metrics": {}, "values": values, "verdict": said, **more},
    }


def write_run(folder: Path, tasks: Mapping[str, Iterable[Mapping[str, Any]]], **parts: str) -> Path:
    """items.jsonl and results.json, whose numbers are computed from the rows as `hueval score` does it."""
    folder.mkdir(parents=True)
    results = {}
    with (folder / "items.jsonl").open("w", encoding="utf-8") as file:
        for task, rows in tasks.items():
            values, judges, n = DocumentValues(task_spec(task)), set(), 0
            for one in rows:
                number = next((i for i, name in enumerate(DIMENSIONS) if one["dimension"] == _code(name)), 0)
                values.add(one["values"], {"qid": one["qid"], "hu_specific_dim": DIMENSIONS[number]})
                judges.add(one["verdict"]["judge"])
                file.write(json.dumps(one, ensure_ascii=False) + "\n")
                n += 1
            signature = Signature({"task": task, "v": "1.0", "data": "abc", "q": "hu", "sample": "no"} | parts)
            signature = signature.with_judge(",".join(sorted(judges)), f"{task_spec(task).rubric}/1")
            results[task] = values.summary() | {"n": n, "signature": str(signature), "model": None}
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    return folder


def _code(dimension: str) -> str | None:
    return task_spec(QA).stratum_of({"hu_specific_dim": dimension})


def run_of(folder: Path, ratings: Sequence[str | float | None], judge: str, task: str = OE, **parts: str) -> Path:
    """A run of q0, q1, … with one rating each; the responses hold the folder's model name, the part before a dot."""
    model = folder.name.partition(".")[0]
    rows = [
        row(task, f"q{i}", f"{model} {i}", verdict(task, rating, judge), number=i) for i, rating in enumerate(ratings)
    ]
    return write_run(folder, {task: rows}, **parts)


def judged_by(truth: Sequence[str], errors: Mapping[str, Mapping[str, float]], seed: int) -> list[str]:
    """Labels of a judge who gives each true label the labels of its row in `errors`, by these chances."""
    draws = random.Random(seed)
    return [draws.choices(list(errors[label]), list(errors[label].values()))[0] for label in truth]


def hueval(*arguments: object) -> int:
    return main(["calibrate", *map(str, arguments)])


def results(folder: Path) -> dict:
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


def rows(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()]


def labels(*counts: tuple[str, int]) -> list[str]:
    return [label for label, n in counts for _ in range(n)]


def fitted(folder: Path, *judges: str, reference: str = "gold", output: str = "calibration.json") -> Path:
    runs = [folder / f"{name}.cheap" for name in judges]
    references = [folder / f"{name}.{reference}" for name in judges]
    file = folder / output
    assert hueval("fit", "--judge", *runs, "--reference", *references, "--output", file) == 0
    return file

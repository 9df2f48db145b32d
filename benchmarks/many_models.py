"""Ten made-up models on all six tasks at the benchmark's size, scored: what `compare` and `report` are timed on.

The readable files are the real ones where they lie beside the checkout, else our sample repeated; the other two are our
sample repeated. Answers are drawn with a skill for each model; the two reasoning models write traces.

    python benchmarks/many_models.py FOLDER [--models N]
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from uuid import UUID

from measure import SHARED

from hf_datasets.openhueval.convert import REPO
from hueval_metrics.loader import documents
from hueval_metrics.registry import families, task_spec
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into

SIZES = {"HuWildBench": 1154, "HuSimpleQA": 1343, "HuProverbRea": 1135, "HuMatchingFIB": 278, "HuStandardFIB": 93}
SAMPLE = REPO.sample
# Model → (skill from 0 to 1, whether it writes traces).
MODELS = {
    "GPT-4o": (0.82, False),
    "Deepseek-R1": (0.80, True),
    "Deepseek-V3": (0.76, False),
    "Llama-3.1-Instruct-70B": (0.70, False),
    "GPT-4o-mini": (0.66, False),
    "Qwen2.5-Instruct-72B": (0.64, False),
    "o1-mini": (0.62, False),
    "QwQ": (0.50, True),
    "Llama-3.1-Instruct-8B": (0.40, False),
    "Qwen2.5-Instruct-7B": (0.30, False),
}
DATE = "2026-01-01T00-00-00.000000"
JUDGE = "gpt-4o-2024-11-20"
TEXT = "A magyar nyelv és irodalom kérdése hosszú válasz, ahol több szempontot is figyelembe kell venni."


def make_runs(folder: Path, models: int = len(MODELS)) -> list[Path]:
    """Write the data and the scored runs; the folders of the runs, best model first."""
    data = folder / "data" / "openhueval"
    data.mkdir(parents=True, exist_ok=True)
    for name, size in SIZES.items():
        _write(data / f"{name}.jsonl", _data_rows(name, size))
    found = []
    for number, (model, (skill, traces)) in enumerate(islice(MODELS.items(), models)):
        samples, output = folder / "samples" / model, folder / "runs" / model
        samples.mkdir(parents=True, exist_ok=True)
        draw = random.Random(number)
        record: dict[str, Any] = {"config": {"model_args": {"pretrained": model}}, "configs": {}, "n-samples": {}}
        for task in families()["openhueval"].tasks:
            docs, provenance = documents(task, data_dir=str(folder / "data"))
            _write(samples / f"samples_{task}_{DATE}.jsonl", _samples(task, docs, skill, traces, draw))
            record["configs"][task] = {"metadata": {"provenance": provenance}, "generation_kwargs": {}}
            record["n-samples"][task] = {"original": len(docs), "effective": len(docs)}
        (samples / f"results_{DATE}.json").write_text(json.dumps(record), encoding="utf-8")
        score_into(output, [samples], None, {}, JudgePlan(asks=False))
        found.append(output)
    return found


def _data_rows(name: str, size: int) -> Iterator[Mapping[str, Any]]:
    real = SHARED / "data" / "openhueval" / f"{name}.jsonl"
    source = real if real.is_file() else SAMPLE / f"{name}.jsonl"
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").split("\n") if line.strip()]
    if len(rows) >= size:
        yield from rows
        return
    key = "session_id" if name == "HuWildBench" else "qid"
    for number, row in enumerate(islice(cycle(rows), size)):
        yield row | {key: str(UUID(int=number + 1))}


def _samples(
    task: str, docs: Sequence[Mapping[str, Any]], skill: float, traces: bool, draw: random.Random
) -> Iterator[dict[str, Any]]:
    spec = task_spec(task)
    name = spec.short_name
    for number, doc in enumerate(docs):
        is_right = draw.random() < skill
        response = _response(name, doc, spec.target(doc), is_right, skill, draw)
        trace = f"<think>\n{_text(draw, 450)}\n</think>\n\n" if traces else ""
        verdict = _verdict(spec.rubric, is_right, skill, draw) if spec.rubric else None
        filtered = {"response": response, "truncated": False, "verdict": verdict}
        yield {
            "doc_id": number,
            "doc": doc,
            "resps": [[trace + response]],
            "filtered_resps": [json.dumps(filtered)],
        }


def _response(name: str, doc: Mapping[str, Any], gold: str, is_right: bool, skill: float, draw: random.Random) -> str:
    if name in ("humatchingfib", "hustandardfib"):
        ((key, answers),) = json.loads(gold).items()
        kept = [a if is_right or draw.random() < skill else f"#{i}#x" for i, a in enumerate(answers)]
        return json.dumps({key: kept}, ensure_ascii=False)
    if name == "huproverbrea_2cq":
        return str(doc["correct_option"] if is_right else 3 - doc["correct_option"])
    if name == "husimpleqa":
        answer = doc["answer"] if is_right else _text(draw, 4)
        confidence = min(100, max(0, round(draw.gauss(85 if is_right else 70, 15))))
        return json.dumps({"answer": answer, "confidence_score": confidence}, ensure_ascii=False)
    return _text(draw, draw.randint(60, 260) if name == "huwildbench" else 25)


def _verdict(rubric: str, is_right: bool, skill: float, draw: random.Random) -> dict[str, Any]:
    verdict: dict[str, Any] = {"label": None, "score": None, "judge": JUDGE, "cached": False, "error": None}
    if rubric == "huwildbench":
        verdict["score"] = float(min(10, max(1, round(draw.gauss(10 * skill, 1.6)))))
    elif rubric == "husimpleqa":
        wrong = "NOT_ATTEMPTED" if draw.random() < 0.2 else "INCORRECT"
        verdict["label"] = "CORRECT" if is_right else wrong
    else:
        verdict["label"] = "YES" if is_right else "NO"
    usage = {"calls": 1, "prompt_tokens": 900, "completion_tokens": 120, "usd": 0.00345, "seconds": 1.2}
    raw = f"{_text(draw, 30)} {verdict['label'] or verdict['score']}"
    return verdict | {"raw": raw, "rubric": f"{rubric}/1", "suspicious": [], "usage": usage, "votes": []}


def _text(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(TEXT.split(), k=words))


def _write(path: Path, rows: Iterator[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main() -> None:
    """Make the runs and print their folders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=int, default=len(MODELS))
    args = parser.parse_args()
    print(*make_runs(args.folder, args.models), sep="\n")


if __name__ == "__main__":
    main()

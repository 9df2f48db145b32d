"""Ten made-up models on all six tasks at the benchmark's size, scored: what `compare` and `report` are timed on.

The readable files are the real ones where they lie beside the checkout, else our sample repeated; the other two are our
sample repeated. Answers are drawn with a skill for each model; the two reasoning models write traces.

    python benchmarks/many_models.py FOLDER [--models N]
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from uuid import UUID

from made_runs import JUDGE, Task, print_runs, sample, scored, write_rows, write_run
from measure import SHARED

from hf_datasets.openhueval.convert import REPO
from hueval_metrics.loader import documents
from hueval_metrics.records import Usage, Verdict
from hueval_metrics.registry import families, task_spec

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
TEXT = "A magyar nyelv és irodalom kérdése hosszú válasz, ahol több szempontot is figyelembe kell venni."


def make_runs(folder: Path, models: int = len(MODELS)) -> list[Path]:
    """Write the data and the scored runs; the folders of the runs, best model first."""
    data = folder / "data" / "openhueval"
    data.mkdir(parents=True, exist_ok=True)
    for name, size in SIZES.items():
        write_rows(data / f"{name}.jsonl", _data_rows(name, size))
    found = []
    for number, (model, (skill, traces)) in enumerate(islice(MODELS.items(), models)):
        samples = write_run(
            folder / "samples" / model, model, _tasks(data.parent, skill, traces, random.Random(number))
        )
        found.append(scored(folder / "runs" / model, samples))
    return found


def _tasks(data: Path, skill: float, traces: bool, draw: random.Random) -> Iterator[Task]:
    for task in families()["openhueval"].tasks:
        docs, provenance = documents(task, data_dir=str(data))
        yield task, _samples(task, docs, skill, traces, draw), {"provenance": provenance}


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
        yield {"doc_id": number, **sample(doc, response, verdict, trace)}


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
    label = score = None
    if rubric == "huwildbench":
        score = float(min(10, max(1, round(draw.gauss(10 * skill, 1.6)))))
    elif rubric == "husimpleqa":
        wrong = "NOT_ATTEMPTED" if draw.random() < 0.2 else "INCORRECT"
        label = "CORRECT" if is_right else wrong
    else:
        label = "YES" if is_right else "NO"
    raw = f"{_text(draw, 30)} {label or score}"
    return Verdict(label, score, raw, JUDGE, f"{rubric}/1", usage=Usage(1, 900, 120, 0.00345, 1.2)).to_dict()


def _text(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(TEXT.split(), k=words))


if __name__ == "__main__":
    print_runs(__doc__, make_runs, len(MODELS))

"""Twelve made-up models on the 18 tasks of KoLasSimpleQA at the printed sizes, in both settings.

The data are our sample repeated: as many questions as Table 2 prints for a language and domain, and of its 452 and 190
pairs as many as fall to its share. Answers are drawn with a skill for each model, lower for specific questions.

    python benchmarks/many_languages.py FOLDER [--models N]
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from made_runs import JUDGE, Task, print_runs, sample, scored, write_rows, write_run

from hf_datasets.kolassimpleqa.convert import REPO
from hf_datasets.kolassimpleqa.schema import DOMAINS, LANGUAGES, PRINTED
from hueval_metrics.loader import documents
from hueval_metrics.records import Usage, Verdict
from hueval_metrics.registry import families, task_spec

FAMILY = "kolassimpleqa"
PAIRS = {"general": 452, "specific": 190}  # §2.3
SKILLS = (0.94, 0.92, 0.88, 0.86, 0.84, 0.82, 0.78, 0.74, 0.66, 0.60, 0.50, 0.44)
SPECIFIC = 0.35  # of the skill is left in specific questions
SETTINGS: tuple[dict[str, str], ...] = ({}, {"question_lang": "en"})
LETTERS = {"CORRECT": "A", "INCORRECT": "B", "NOT_ATTEMPTED": "C"}


def write_data(folder: Path) -> Path:
    """Write the official files at the printed sizes; the folder that `data_dir` takes."""
    data = folder / "data" / FAMILY
    data.mkdir(parents=True, exist_ok=True)
    for domain in DOMAINS:
        total = sum(PRINTED[domain])
        for language, size in zip(LANGUAGES, PRINTED[domain], strict=True):
            pairs = round(PAIRS[domain] * size / total)
            write_rows(data / f"{language}_{domain}.jsonl", _facts(language, domain, pairs, size - 2 * pairs))
    return data.parent


def _facts(language: str, domain: str, pairs: int, single: int) -> Iterator[dict[str, Any]]:
    """Facts with a question in both directions, and facts with one."""
    lines = (REPO.sample / f"{language}_{domain}.jsonl").read_text(encoding="utf-8").splitlines()
    needed = [
        f"{field}{way}_{lang}"
        for field in ("question", "answer")
        for way in ("", "_reverse")
        for lang in (language, "en")
    ]
    facts = [row for row in map(json.loads, lines) if all(map(row.get, needed))]
    for number, fact in enumerate(islice(cycle(facts), pairs + single)):
        kept = {key: value for key, value in fact.items() if number < pairs or "_reverse" not in key}
        yield kept | {"qid": f"{domain}-{number}", "knowledge_track_id": f"{domain}-{number}"}


def write_samples(folder: Path, data: Path, number: int, setting: Mapping[str, str]) -> Path:
    """What `hueval run` leaves of a model in one setting: samples with verdicts, and the results beside them."""
    return write_run(
        folder, f"model-{number}", _tasks(data, SKILLS[number], setting, random.Random(f"{number} {setting}"))
    )


def _tasks(data: Path, skill: float, setting: Mapping[str, str], draw: random.Random) -> Iterator[Task]:
    for task in families()[FAMILY].tasks:
        docs, provenance = documents(task, data_dir=str(data), **setting)
        language = setting.get("question_lang", task.split("_")[1])
        yield task, _samples(task, docs, skill, draw), {"question_lang": language, "provenance": provenance}


def _samples(task: str, docs: list[dict[str, Any]], skill: float, draw: random.Random) -> Iterator[dict[str, Any]]:
    spec = task_spec(task)
    share = skill if task.endswith("general") else skill * SPECIFIC
    for number, doc in enumerate(docs):
        is_right = draw.random() < share
        wrong = "NOT_ATTEMPTED" if draw.random() < 0.15 else "INCORRECT"
        label = "CORRECT" if is_right else wrong
        confidence = min(100, max(0, 5 * round(draw.gauss(92 if is_right else 78, 14) / 5)))
        answer = doc["answer"] if is_right else f"{doc['answer'][::-1]} {draw.choice(('1848', 'Szeged', 'Київ'))}"
        response = json.dumps({"answer": answer, "confidence_score": confidence}, ensure_ascii=False)
        usage = Usage(1, 520, 2, 0.00132, 0.6)
        verdict = Verdict(label, None, LETTERS[label], JUDGE, f"{FAMILY}/1", usage=usage)
        prompt = [{"role": "user", "content": spec.prompt(doc), "type": "text"}]
        yield {
            "doc_id": number,
            "target": spec.target(doc),
            "arguments": {"gen_args_0": {"arg_0": [json.dumps(prompt)], "arg_1": {"until": [], "max_gen_toks": 2048}}},
            **sample(doc, response, verdict.to_dict()),
        }


def make_runs(folder: Path, models: int = len(SKILLS)) -> list[Path]:
    """Write the data and the scored runs; the folders of the runs, two a model."""
    data = write_data(folder)
    found = []
    for number in range(models):
        for setting in SETTINGS:
            name = f"model-{number}-{'en' if setting else 'direct'}"
            samples = write_samples(folder / "samples" / name, data, number, setting)
            found.append(scored(folder / "runs" / name, samples))
    return found


if __name__ == "__main__":
    print_runs(__doc__, make_runs, len(SKILLS))

"""A benchmark of 66 subjects, 26,368 replies: `hueval score`, and `hueval compare` of two models, time and peak memory.

The data are synthetic, of HKMMLU's size. Scored are plain predictions of all subjects in one file, and lm-eval's
samples, a file a subject. Aims: under 5 s and 300 MiB to score, 15 s to compare. For comparison: an interpreter that
imports `datasets`, as every lm-eval run does.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from measure import HUEVAL, ROOT, measure, report, report_processes

sys.path.insert(0, str(ROOT))
from hueval_metrics.loader import documents
from hueval_metrics.registry import task_spec
from lm_eval_tasks.hkmmlu.family import FAMILY
from tests.families.hkmmlu import full_size

ROUNDS = 3
DATE = "2026-01-31T10-00-00.000000"


def write_replies(folder: Path, data: Path, seed: int) -> int:
    """Write a model's replies as `plain.jsonl` and as a folder `samples`, and return how many there are."""
    draw, count = random.Random(seed), 0
    (folder / "samples").mkdir(parents=True)
    with (folder / "plain.jsonl").open("w", encoding="utf-8") as plain:
        for task in (name for name in FAMILY.tasks if name.startswith("hkmmlu_")):
            spec, (docs, _) = task_spec(task), documents(task, data_dir=str(data))
            with (folder / "samples" / f"samples_{task}_{DATE}.jsonl").open("w", encoding="utf-8") as samples:
                for doc in docs:
                    reply = draw.choice("ABCD")
                    arguments = {"gen_args_0": {"arg_0": spec.prompt(doc)}}
                    sample = {"doc": doc, "arguments": arguments, "resps": [[reply]]}
                    samples.write(json.dumps(sample, ensure_ascii=False) + "\n")
                    plain.write(json.dumps({"qid": doc["qid"], "task": task, "prediction": reply}) + "\n")
                    count += 1
    return count


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        data = full_size.write(home / "data")
        env = {"HUEVAL_DATA_DIR": str(data), "HUEVAL_OFFLINE": "1"}
        for number, model in enumerate(("one", "two")):
            count = write_replies(home / model, data, number)
        plain = {
            model: [HUEVAL, "score", str(home / model / "plain.jsonl"), "--output", str(home / f"{model}-scored")]
            for model in ("one", "two")
        }
        measure({"two": plain["two"]}, 1, env)
        compare = [HUEVAL, "compare", str(home / "one-scored"), str(home / "two-scored")]
        commands = {
            "score, plain": plain["one"],
            "score, samples": [HUEVAL, "score", str(home / "one" / "samples"), "--output", str(home / "of-samples")],
            "compare": compare,
            "compare subjects": [*compare, "--metric", "acc"],
            "import datasets": [sys.executable, "-c", "import datasets"],
        }
        found = measure(commands, ROUNDS, env)
    report("replies of 66 subjects", count)
    report_processes(found, {"score, plain": 5, "score, samples": 5, "compare": 15})
    report("peak of score", max(found[name]["peak_mib"] for name in list(commands)[:2]), "MiB", at_most=300)
    report("score, to import datasets", found["score, plain"]["wall_s"] / found["import datasets"]["wall_s"], "x")


if __name__ == "__main__":
    main()

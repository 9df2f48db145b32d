"""Three corpora of HuLU by log-likelihood, beside lm-eval's GLUE tasks of the same kind on the same rows.

HuCOLA, HuRTE and HuWNLI as `hueval run` has them, and their rows as GLUE's cola, rte and wnli under plain lm_eval: as
many requests to the same tiny model. Aim: at most 1.1 of lm_eval's time. What both spend before the first request is
also measured, by one row a task, since hueval starts faster (`start_up.py`). cola has accuracy as its metric: its own,
the Matthews correlation, keeps lm_eval busy for minutes with 100,000 resamples.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import yaml
from measure import HUEVAL, ROOT, measure, report, report_processes, shared

from hueval_metrics.loader import documents

sys.path.insert(0, str(ROOT))
from tests.fakes.tiny_model import build

ROUNDS = 3
FIELDS = {"sentence": "sentence", "premise": "sentence1", "hypothesis": "sentence2"}  # ours → GLUE's
GLUE = {"hulu_hucola": "cola", "hulu_hurte": "rte", "hulu_huwnli": "wnli"}


def glue_tasks(folder: Path) -> int:
    """Write GLUE's tasks on HuLU's validation rows; returns how many rows."""
    lm_eval = Path(find_spec("lm_eval").submodule_search_locations[0])
    count = 0
    for task, glue in GLUE.items():
        rows = [
            {FIELDS.get(field, field): value for field, value in doc.items() if field not in ("qid", "task", "label")}
            | {"label": int(doc["label"])}
            for doc in documents(task)[0]
        ]
        data = folder / f"{glue}.json"
        data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        own = {"task": f"as_{glue}", "dataset_path": "json", "dataset_name": None, "training_split": None}
        files = {"data_files": {"validation": str(data)}}
        config = {"include": str(lm_eval / "tasks" / "glue" / glue / "default.yaml"), **own, "dataset_kwargs": files}
        config["metric_list"] = [{"metric": "acc"}]
        (folder / f"as_{glue}.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
        count += len(rows)
    return count


def main() -> None:
    """Measure and print."""
    os.environ |= {"HUEVAL_DATA_DIR": str(shared("data/hulu").parent), "HUEVAL_OFFLINE": "1"}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        model = ["--model", "hf", "--model_args", f"pretrained={build(folder / 'model')},dtype=float32"]
        model += ["--device", "cpu", "--batch_size", "8"]
        (folder / "tasks").mkdir()
        count = glue_tasks(folder / "tasks")
        ours = [HUEVAL, "run", *model, "--tasks", ",".join(GLUE)]
        theirs = [str(Path(HUEVAL).with_name("lm_eval")), "run", *model, "--include_path", str(folder / "tasks")]
        theirs += ["--tasks", ",".join(f"as_{glue}" for glue in GLUE.values())]
        commands = {"hueval": ours, "lm_eval": theirs}
        all_rows = {name: [*command, "--output_path", str(folder / name)] for name, command in commands.items()}
        one_row = {f"{name}, one row a task": [*command, "--limit", "1"] for name, command in commands.items()}
        found = measure(all_rows | one_row, ROUNDS, {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home")})
    walls = {name: numbers["wall_s"] for name, numbers in found.items()}
    rows = {name: walls[name] - walls[f"{name}, one row a task"] for name in commands}
    report("rows, two choices each", count)
    report_processes(found)
    report("to lm_eval", walls["hueval"] / walls["lm_eval"], "x", at_most=1.1)
    report("to lm_eval, without the start", rows["hueval"] / rows["lm_eval"], "x", at_most=1.1)


if __name__ == "__main__":
    main()

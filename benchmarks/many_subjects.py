"""A family of 134 tasks: what a run of all its subjects costs beyond one, and what its files cost another family's run.

Aims, in CPU seconds: `hueval run --model dummy --limit 1` on 66 subjects of 26,698 questions 2.5 beyond one subject,
the start of a run of another family 0.1 more than without the family's folder. Beside it plain lm_eval on the 67
subjects of its `cmmlu`, with as many questions from local CSV files.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from shutil import copyfile

import lm_eval.tasks
from languages import HIDDEN
from measure import HUEVAL, ROOT, measure, report, report_processes

sys.path.insert(0, str(ROOT))
from tests.families.hkmmlu.full_size import write  # the tests' own, not installed

ROUNDS = 5
FAMILY, SUBJECT = "hkmmlu", "hkmmlu_hk_law"
DUMMY = ["run", "--model", "dummy", "--limit", "1"]
OTHER = [*DUMMY, "--tasks", "openhueval_humatchingfib"]


def main() -> None:
    """Measure and print."""
    plain = str(Path(sys.executable).parent / "lm_eval")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = write(folder / "data")
        one, *_ = write_cmmlu(data / FAMILY, folder / "cmmlu")
        local = ["--include_path", str(folder / "cmmlu")]
        commands = {
            "hueval, one subject": [HUEVAL, *DUMMY, "--tasks", SUBJECT],
            "hueval, 66 subjects": [HUEVAL, *DUMMY, "--tasks", FAMILY],
            "lm_eval, one of cmmlu": [plain, *DUMMY, "--tasks", one, *local],
            "lm_eval, 67 of cmmlu": [plain, *DUMMY, "--tasks", "local_cmmlu", *local],
        }
        caches = {"HF_HOME": str(folder / "huggingface"), "HF_DATASETS_CACHE": str(folder / "datasets")}
        for command in list(commands.values())[2:]:  # lm_eval's first run converts the CSV files, which is not measured
            measure({"warm": command}, 1, {"HF_HUB_OFFLINE": "1", **caches})
        found = measure(commands, ROUNDS, {"HUEVAL_DATA_DIR": str(data), "HF_HUB_OFFLINE": "1", **caches})
    report_processes(found, key="cpu_s")
    ours, theirs = (
        found[f"{name}, {all_}"]["cpu_s"] - found[f"{name}, {first}"]["cpu_s"]
        for name, first, all_ in (
            ("hueval", "one subject", "66 subjects"),
            ("lm_eval", "one of cmmlu", "67 of cmmlu"),
        )
    )
    report("beyond one subject", ours, "s CPU", at_most=2.5, also=f"lm_eval {theirs:.2f} s")
    report("to lm_eval", ours / theirs, "x")
    starts = {
        "another family": [HUEVAL, *OTHER],
        "without this one": [sys.executable, "-c", HIDDEN, FAMILY, *OTHER],
    }
    found = measure(starts, 2 * ROUNDS, {"HUEVAL_SAMPLE": "1", "HF_HUB_OFFLINE": "1"})
    report_processes(found, key="cpu_s")
    more = found["another family"]["cpu_s"] - found["without this one"]["cpu_s"]
    report("more for another family's run", more, "s CPU", at_most=0.1)


def write_cmmlu(source: Path, folder: Path) -> list[str]:
    """Write lm-eval's `cmmlu` with local data, as many questions in each file as a subject of ours has.

    Args:
        source: it has `test/*.csv` and `dev/*.csv`.
        folder: gets the YAMLs and the data.

    Returns:
        The names of the tasks; their group is `local_cmmlu`.
    """
    theirs = Path(lm_eval.tasks.__file__).parent / "cmmlu"
    subjects = sorted(file.stem.removeprefix("cmmlu_") for file in theirs.glob("cmmlu_*.yaml"))
    files = sorted(file.name for file in (source / "test").iterdir())
    for split in ("test", "dev"):
        (folder / "data" / split).mkdir(parents=True)
        for number, subject in enumerate(subjects):
            copyfile(source / split / files[number % len(files)], folder / "data" / split / f"{subject}.csv")
    for subject in subjects:
        paths = ", ".join(f"{split}: {folder / 'data' / split / f'{subject}.csv'}" for split in ("test", "dev"))
        lines = [
            f"include: {theirs / '_default_template_yaml'}",
            f"task: local_cmmlu_{subject}",
            f"dataset_path: csv\ndataset_name: {subject}",
            f"dataset_kwargs: {{data_files: {{{paths}}}}}",
        ]
        (folder / f"{subject}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = [f"local_cmmlu_{subject}" for subject in subjects]
    group = {"metric": "acc", "aggregation": "mean", "weight_by_size": "true"}
    weighted = ", ".join(f"{key}: {value}" for key, value in group.items())
    text = f"group: local_cmmlu\ntask: [{', '.join(names)}]\naggregate_metric_list:\n  - {{{weighted}}}\n"
    (folder / "_group.yaml").write_text(text, encoding="utf-8")
    return names


if __name__ == "__main__":
    main()

"""Write the task YAMLs of KoLasSimpleQA, one a language and domain: `python -m lm_eval_tasks.kolassimpleqa.generate`.

`--check` writes nothing and fails on any difference; a test runs it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from hueval_metrics.harness import task_files
from hueval_metrics.metrics import basic, confidence, simple_qa
from lm_eval_tasks.kolassimpleqa import metrics as own
from lm_eval_tasks.kolassimpleqa.family import FAMILY, METRICS
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES

_FOLDER = Path(__file__).parent
_ABOUT = {"general": "known everywhere", "specific": "of the language's own culture"}


def files() -> Iterator[tuple[Path, str]]:
    """The path and text of each file: a YAML a task, and that of the group."""
    template = (_FOLDER / "task.yaml.template").read_text(encoding="utf-8")
    metrics = task_files.metric_list(METRICS, (basic, simple_qa, confidence, own))
    for language, name in LANGUAGES.items():
        for domain in DOMAINS:
            task = f"{FAMILY.name}_{language}_{domain}"
            yield (
                _FOLDER / f"{task}.yaml",
                template.format(
                    name=name, about=_ABOUT[domain], task=task, language=language, domain=domain, metrics=metrics
                ),
            )
    listed = "".join(f"  - {task}\n" for task in FAMILY.tasks)
    yield _FOLDER / f"{FAMILY.name}.yaml", _group(listed)


def _group(listed: str) -> str:
    return (
        "# KoLasSimpleQA (arXiv:2505.16591): nine languages, two domains. Written by generate.py.\n"
        f"group: {FAMILY.name}\ntask:\n{listed}metadata:\n  version: 1.1\n"
    )


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or check them."""
    return task_files.main(dict(files()), _FOLDER.glob(f"{FAMILY.name}*.yaml"), __package__, arguments)


if __name__ == "__main__":
    sys.exit(main())

"""Write the YAMLs of HuLU from its corpora: `python -m lm_eval_tasks.hulu.generate`.

`--check` writes nothing and fails on any difference; a test runs it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from hueval_metrics.harness import task_files
from hueval_metrics.metrics import basic, classification
from lm_eval_tasks.hulu import metrics
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.family import FAMILY

_FOLDER = Path(__file__).parent
_FORMS = {"hulu": ("likelihood", "by log-likelihood", "1.0"), "hulugen": ("generated", "generated", "1.1")}
_OWN_LABELS = "class: !function lm_eval_tasks.hulu.label_bias.WithLabelBias\n"


def files() -> Iterator[tuple[Path, str]]:
    """The path and text of each file: a YAML a task, and those of the groups."""
    for form, (template, how, version) in _FORMS.items():
        text = (_FOLDER / f"{template}.yaml.template").read_text(encoding="utf-8")
        for name, corpus in CORPORA.items():
            task = f"{form}_{name}"
            biased = any(column.startswith("label_bias_") for column in FAMILY.tasks[task].metrics)
            yield (
                _FOLDER / f"{task}.yaml",
                text.format(
                    about=f"{corpus.title} (HuLU §2): {corpus.question}",
                    task=task,
                    task_class=_OWN_LABELS if biased else "",
                    sampler="Balanced",
                    module="hooks",
                    metrics=_metrics(task),
                ),
            )
        about = "HuRC (HuLU §2.2.2): which name is masked in the last paragraph of an article?"
        fields = {"about": about, "task_class": "", "sampler": "OtherArticles", "module": "hurc"}
        task = f"{form}_hurc"
        yield _FOLDER / f"{task}.yaml", text.format(task=task, metrics=_metrics(task), **fields)
        listed = ", ".join(f"{form}_{name}" for name in CORPORA)
        yield (
            _FOLDER / f"{form}.yaml",
            f"# HuLU, {how}: the corpora that its site scores. Written by generate.py.\n"
            f"group: {form}\ntask: [{listed}]\nmetadata: {{version: {version}}}\n",
        )


def _metrics(task: str) -> str:
    return task_files.metric_list(FAMILY.tasks[task].metrics, (basic, classification, metrics))


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or check them."""
    return task_files.main(dict(files()), _FOLDER.glob("hulu*.yaml"), __package__, arguments)


if __name__ == "__main__":
    sys.exit(main())

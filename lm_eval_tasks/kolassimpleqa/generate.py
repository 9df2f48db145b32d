"""Write the task YAMLs of KoLasSimpleQA, one a language and domain: `python -m lm_eval_tasks.kolassimpleqa.generate`.

A test holds the committed files to what this writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import N_ITEMS, PERCENT
from hueval_metrics.metrics.confidence import BRIER, ECE
from hueval_metrics.metrics.simple_qa import CORRECT_GIVEN_ATTEMPTED, F_SCORE
from lm_eval_tasks.kolassimpleqa.family import FAMILY, METRICS
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES
from lm_eval_tasks.kolassimpleqa.metrics import BIDIRECTIONAL, N_PAIRS, N_UNPAIRED

_FOLDER = Path(__file__).parent
_ABOUT = {"general": "known everywhere", "specific": "of the language's own culture"}
_SHARED = "hueval_metrics.metrics"
_OWN = "lm_eval_tasks.kolassimpleqa.metrics"
_PATHS = {  # name of a metric object → where it stands
    PERCENT.name: f"{_SHARED}.basic.PERCENT",
    N_ITEMS.name: f"{_SHARED}.basic.N_ITEMS",
    CORRECT_GIVEN_ATTEMPTED.name: f"{_SHARED}.simple_qa.CORRECT_GIVEN_ATTEMPTED",
    F_SCORE.name: f"{_SHARED}.simple_qa.F_SCORE",
    ECE.name: f"{_SHARED}.confidence.ECE",
    BRIER.name: f"{_SHARED}.confidence.BRIER",
    BIDIRECTIONAL.name: f"{_OWN}.BIDIRECTIONAL",
    N_PAIRS.name: f"{_OWN}.N_PAIRS",
    N_UNPAIRED.name: f"{_OWN}.N_UNPAIRED",
}


def files() -> Iterator[tuple[Path, str]]:
    """The path and text of each file: a YAML a task, and that of the group."""
    template = (_FOLDER / "task.yaml.template").read_text(encoding="utf-8")
    metrics = "\n".join(_entry(name, metric) for name, metric in METRICS.items())
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


def _entry(name: str, metric: Metric) -> str:
    higher = str(metric.better != "lower").lower()
    return f"""\
  - metric: {name}
    aggregation: !function {_PATHS[metric.name]}
    higher_is_better: {higher}"""


def main() -> None:
    """Write the files."""
    for path, text in files():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""The `eval.yaml` of a dataset repository: what the Hub lists as a benchmark, and `inspect eval hf/ORG/NAME` runs.

Source: https://huggingface.co/docs/hub/eval-results and `HFTask` of the package inspect_ai 0.3.285, which knows ten
scorers. A config that none of them scores gets no entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hf_datasets.repo import DatasetRepo, Evaluation

EVALUATION = "eval.yaml"
FRAMEWORK = "inspect-ai"  # in the Hub's list of frameworks


def evaluation_file(repo: DatasetRepo, tables: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The file; None where no config that was converted has an entry.

    Args:
        repo: the data set.
        tables: the converted splits by config.
    """
    import yaml

    tasks = [
        _entry(config.name, config.evaluation)
        for config in repo.configs
        if config.evaluation and config.evaluation.split in tables.get(config.name, {})
    ]
    if not tasks:
        return None
    about = (
        f"Rows of {repo.title}, converted by hueval. Inspect's prompts and scorers are not the benchmark's: these "
        "scores are comparable neither with published ones nor with those of hueval."
    )
    content = {"name": repo.title, "description": about, "evaluation_framework": FRAMEWORK, "tasks": tasks}
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=120)


def _entry(config: str, evaluation: Evaluation) -> dict[str, Any]:
    fields = {"input": evaluation.input, "target": evaluation.target}
    if evaluation.choices:
        fields["choices"] = evaluation.choices
    return {
        "id": evaluation.task,
        "config": config,
        "split": evaluation.split,
        "field_spec": fields,
        "solvers": [{"name": "multiple_choice" if evaluation.choices else "generate"}],
        "scorers": [{"name": evaluation.scorer}],
    }

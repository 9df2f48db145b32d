"""The runs of one model that differ in the language of the questions: which setting each of them is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hueval_metrics.records import Signature
from hueval_metrics.registry import known_tasks, task_spec
from hueval_metrics.runs.run import Run

OWN = "own"  # the setting in which each task has its own language
QUESTION_LANG = "question_lang"


def setting_of(run: Run) -> str | None:
    """The language in which a run's questions were asked, `OWN` for that of each task; None where they differ.

    It is read from the signatures; a run without any has its tasks' own.
    """
    found = set()
    for task, result in run.tasks.items():
        if task in known_tasks() and QUESTION_LANG in known_tasks()[task].variants:
            own = str(task_spec(task).variants({})[QUESTION_LANG])
            asked = Signature.parse(result.signature).parts.get("q", own)
            found.add(OWN if asked == own else asked)
    return found.pop() if len(found) == 1 else None


def by_setting(runs: Sequence[Run]) -> Mapping[str, Mapping[str, Run]]:
    """Model → setting → its run, in the order given; of several runs in one setting the first.

    Runs of one model in one setting that differ in something else are one model too: its first run counts.
    """
    found: dict[str, dict[str, Run]] = {}
    for run in runs:
        setting = setting_of(run)
        if setting is not None:
            found.setdefault(model_of(run), {}).setdefault(setting, run)
    return found


def model_of(run: Run) -> str:
    """The model's name without the brackets that tell apart runs of one name."""
    return run.model or run.label

"""`--config NAME`: the settings that are shipped for a paper and a back end, `lm_eval_tasks/presets/NAME.yaml`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from lm_eval.config.evaluate_config import EvaluatorConfig

from hueval_metrics.errors import InputError
from hueval_metrics.harness.generations import UNCACHED_MODELS
from hueval_metrics.registry import TASKS_DIR, declared, known_tasks, resolve

PRESETS_DIR = TASKS_DIR / "presets"

log = logging.getLogger(__name__)


def presets() -> list[str]:
    """The names of the shipped presets."""
    return sorted(file.stem for file in PRESETS_DIR.glob("*.yaml"))


def preset_file(name: str) -> Path | None:
    """The file of a shipped preset; None where `--config` names a file.

    A file or folder of that name, and a name with a suffix or a slash, are no preset's.

    Raises:
        InputError: there is no such preset.
    """
    if Path(name).exists() or Path(name).name != name or Path(name).suffix:
        return None
    if name not in presets():
        near = get_close_matches(name, presets(), n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise InputError(f'--config: no file and no preset "{name}". {hint}Presets: {", ".join(presets())}')
    return PRESETS_DIR / f"{name}.yaml"


def warn_where_surprising(config: EvaluatorConfig, tasks: Sequence[str]) -> None:
    """Say where a setting does what its name does not say."""
    penalty = config.gen_kwargs.get("repetition_penalty")
    if isinstance(penalty, (int, float)) and penalty < 1:
        log.warning(
            "repetition_penalty %s is below 1 and encourages repetition. The racka-safe presets have 1.0.", penalty
        )
    is_chat = config.apply_chat_template or config.model in UNCACHED_MODELS  # those read no prompt
    for task in tasks if not is_chat else ():
        path = declared(task).untemplated if task in known_tasks() else None
        if path and (text := resolve(path)(config.metadata)):
            log.warning("%s", text)

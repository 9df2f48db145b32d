"""What lm-eval 0.5.0.dev1 moved or made private of what we use: the only module that knows both versions.

Our releases ask for lm-eval below 0.5. What else is known of 0.5.0.dev1 is in docs/lm-eval-versions.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lm_eval.tasks import TaskManager

try:
    from lm_eval.utils import apply_template
except ImportError:  # 0.5.0.dev1
    from lm_eval.config.templates import apply_template

__all__ = ["apply_template", "manager_maker", "task_index"]


def task_index(manager: TaskManager) -> Mapping[str, Any]:
    """The entries of a task manager by name, which are private since 0.5.0.dev1."""
    index: Mapping[str, Any] = manager._task_index if hasattr(manager, "_task_index") else manager.task_index
    return index


def manager_maker(made: Callable[[Any], TaskManager]) -> Callable[..., TaskManager]:
    """A stand-in for the class TaskManager, as lm-eval's command line calls it.

    Args:
        made: from the run's metadata, the manager.
    """

    def manager(include_path: Any = None, metadata: Any = None, include_defaults: bool = True) -> TaskManager:
        return made(metadata)  # include_defaults is passed since 0.5.0.dev1

    return manager

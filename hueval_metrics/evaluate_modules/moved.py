"""What stands where the modules of a family lay in version 0.1: one line that names the new place."""

from __future__ import annotations

from typing import Any, NoReturn

import evaluate

from hueval_metrics.evaluate_modules import module_path
from hueval_metrics.records import InputError


def moved(name: str) -> type[evaluate.Metric]:
    """A metric that cannot be made: `InputError` says where the module of this name lies now."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        place = module_path(name)
        raise InputError(f'the evaluate module {name} has moved to {place}. Load it by module_path("{name}")')

    return type("Moved", (evaluate.Metric,), {"__init__": refuse})

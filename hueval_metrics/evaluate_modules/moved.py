"""The old paths of the modules, as of version 0.1: loading one raises an error that names the new path."""

from __future__ import annotations

from typing import Any, NoReturn

import evaluate

from hueval_metrics.errors import InputError
from hueval_metrics.evaluate_modules import module_path


def moved(name: str) -> type[evaluate.Metric]:
    """A metric class whose constructor raises `InputError` with the new path of the module `name`."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        place = module_path(name)
        raise InputError(f'the evaluate module {name} has moved to {place}. Load it by module_path("{name}")')

    return type("Moved", (evaluate.Metric,), {"__init__": refuse})

"""The metrics as modules of Hugging Face `evaluate`: `evaluate.load(module_path("calibration"))`.

Modules that score the tasks of a family are in the folder `evaluate_modules` of the family.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from hueval_metrics.errors import InputError
from hueval_metrics.registry import families

_OWN = ("calibration",)
_HERE = Path(__file__).resolve().parent


def module_paths() -> Mapping[str, Path]:
    """Name → folder of every module, sorted by name."""
    homes = (family.folder / "evaluate_modules" for family in families().values())
    found = {file.stem: file.parent for home in homes for file in home.glob("*/*.py") if file.stem == file.parent.name}
    return dict(sorted((found | {name: _HERE / name for name in _OWN}).items()))


def module_path(name: str) -> str:
    """The folder of a module, for `evaluate.load`, which makes no network request when it is given a folder.

    Args:
        name: a key of `module_paths`.

    Raises:
        InputError: there is no module of this name; the message suggests the closest name.

    >>> module_path("calibration").endswith("calibration")
    True
    """
    paths = module_paths()
    if name not in paths:
        near = get_close_matches(name, paths, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"One of: {', '.join(paths)}"
        raise InputError(f'there is no evaluate module "{name}". {hint}')
    return str(paths[name])

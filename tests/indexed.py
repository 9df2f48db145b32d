"""lm-eval's index of the tasks: each YAML file is parsed once a process. There are 230 of ours, a millisecond each, and
tests build the index hundreds of times.
"""

from __future__ import annotations

import pickle
import sys
from functools import cache
from pathlib import Path
from typing import Any

INDEX = "lm_eval.tasks._index"
OURS = Path(__file__).parents[1] / "lm_eval_tasks"  # no test changes a file in it; one in a test's folder is read anew


def index_once() -> None:
    """Where lm-eval's index is imported, let it keep what it has parsed of our files and its own."""
    index: Any = sys.modules.get(INDEX)
    if index is None or hasattr(index.load_yaml, "parsed"):
        return
    load, folders = index.load_yaml, (OURS, Path(index.__file__).parent)

    @cache
    def parsed(path: Path, recursive: bool) -> bytes:
        return pickle.dumps(load(path, resolve_func=False, recursive=recursive))

    def load_yaml(path: Path, *, resolve_func: bool, recursive: bool) -> Any:
        if resolve_func or not any(map(path.is_relative_to, folders)):
            return load(path, resolve_func=resolve_func, recursive=recursive)
        return pickle.loads(parsed(path, recursive))

    load_yaml.parsed = parsed  # type: ignore[attr-defined]
    index.load_yaml = load_yaml

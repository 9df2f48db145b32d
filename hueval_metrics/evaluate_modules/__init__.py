"""The metrics as modules of Hugging Face `evaluate`: `evaluate.load(module_path("fib_matching"))`."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from hueval_metrics.records import InputError

NAMES = ("calibration", "fib_matching", "fib_standard", "simple_qa_verdicts", "two_choice_pairs", "wb_score")


def module_path(name: str) -> str:
    """The folder of a module, for `evaluate.load`, which asks the network nothing when it is given one.

    Args:
        name: one of `NAMES`.

    Raises:
        InputError: there is none of this name; the message names the nearest.

    >>> module_path("wb_score").endswith("wb_score")
    True
    """
    if name not in NAMES:
        near = get_close_matches(name, NAMES, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"One of: {', '.join(NAMES)}"
        raise InputError(f'there is no evaluate module "{name}". {hint}')
    return str(Path(__file__).resolve().parent / name)

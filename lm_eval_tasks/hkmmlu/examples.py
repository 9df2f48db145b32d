"""What the questions of a subject have in common: their worked examples, and the questions in Simplified Chinese."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hf_datasets.hkmmlu.convert import SIMPLIFIED
from hf_datasets.hkmmlu.subjects import SUBJECTS
from hf_datasets.load import Loaded
from hueval_metrics.errors import DataError, InputError
from lm_eval_tasks.hkmmlu.family import DIRECTIONS
from lm_eval_tasks.hkmmlu.simplified import OPENCC, by_copy, by_opencc

Row = Mapping[str, Any]
Rows = Callable[..., Loaded | None]  # as `declare.Family.shared` says

_NAMED = 12  # subjects in a message


@dataclass(frozen=True)
class Shared:
    """What the questions of a subject have in common.

    Attributes:
        examples: the rows that examples are taken from, each as the Traditional file has it and as it is shown.
        questions: id → the row of the question as it is asked; empty where that is the Traditional one.
        script: the script and how texts came into it: `tc`, `sc_copy`, `sc_hk2s-1.1.9` with the version of OpenCC, or
            both where only one of questions and examples has a copy.
        content: hashes of the rows that are in prompts besides those of the Traditional file.
    """

    examples: Sequence[tuple[Row, Row]] = ()
    questions: Mapping[str, Row] = field(default_factory=dict)
    script: str = "tc"
    content: str = ""


def shared(name: str, variants: Mapping[str, Any], rows: Rows) -> Shared:
    """The examples of a subject, and its questions in Simplified Chinese.

    Args:
        name: a subject, or a direction of translation, which has neither.
        variants: see `family.VARIANTS`.
        rows: see `declare.Family.shared`.

    Raises:
        InputError: settings contradict one another, there are not as many examples as asked for, or OpenCC is needed
            and not installed.
        DataError: a file is damaged, or a converted copy does not fit.
    """
    if name in DIRECTIONS:
        return Shared()
    if (variants["method"], variants["cot_layout"]) == ("da", "fig22"):
        raise InputError(
            "--metadata cot_layout: fig22 is a layout of method cot. Ask for that, or leave cot_layout out"
        )
    examples = _examples(name, variants, rows)
    if variants["script"] == "tc":
        return Shared([(row, row) for row in examples.rows], content=examples.content) if examples else Shared()
    test = _loaded("test", rows)
    questions, how, content = _in_simplified("test", test, rows)
    by_id = {row["id"]: row for row in questions}
    if examples is None:
        return Shared((), by_id, f"sc_{how}", content)
    shown, how_shown, content_shown = _in_simplified(_split(variants), examples, rows)
    script = "_".join(dict.fromkeys(("sc", how, how_shown)))
    return Shared(list(zip(examples.rows, shown, strict=True)), by_id, script, content + content_shown)


def _split(variants: Mapping[str, Any]) -> str:
    return "exemplars" if variants["method"] == "cot" else "validation"


def _loaded(split: str, rows: Rows) -> Loaded:
    loaded = rows(split)
    assert loaded is not None  # only an optional split can be missing
    return loaded


def _in_simplified(split: str, loaded: Loaded, rows: Rows) -> tuple[Sequence[Row], str, str]:
    """The rows of a split in Simplified Chinese, how they came into it, and the content of the copy."""
    if copy := rows(f"{split}{SIMPLIFIED}"):
        return by_copy(loaded, copy), "copy", copy.content
    return by_opencc(loaded), f"{OPENCC}-{version('opencc')}", loaded.content


def _examples(name: str, variants: Mapping[str, Any], rows: Rows) -> Loaded | None:
    """The rows that the examples of a subject are taken from; None where it is asked without."""
    shots = variants["shots"]
    if not shots:
        return None
    if variants["method"] == "cot":
        if shots > 1:
            raise InputError(
                f"--metadata shots: {shots} is not on offer with method cot, which has one worked example a subject. "
                "One of: 0, 1"
            )
        if found := rows("exemplars"):
            return found
        raise _no_exemplars(rows)
    found = _loaded("validation", rows)
    if len(found.rows) < shots:
        raise InputError(
            f"--metadata shots: {shots}, and {name} has {len(found.rows)} for validation ({found.source.path}). "
            f"Ask for {len(found.rows)} at most, or add questions there"
        )
    return found


def _no_exemplars(rows: Rows) -> DataError:
    """The error that names the subjects without a worked example."""
    missing = [subject for subject in SUBJECTS if not rows("exemplars", subject)]
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    place = _loaded("test", rows).source.place
    folder = place if isinstance(place, Path) else place.folder
    return DataError(
        f"1-CoT needs a worked example a subject, and {len(missing)} of {len(SUBJECTS)} have none: "
        f"{', '.join(missing[:_NAMED])}{more}. Put it into {folder}/exemplars/SUBJECT.json, or ask for shots 0"
    )

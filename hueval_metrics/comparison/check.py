"""Whether two runs of one task are comparable, and what a reader should know if they are.

A signature lists what a score depends on (after sacrebleu, Post 2018). Runs whose signatures differ in data, prompt or
judge are not comparable. Runs that differ in how the model was run are: that may be what the user compares.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hueval_metrics.records import CYCLIC, Signature

if TYPE_CHECKING:
    from hueval_metrics.runs.run import Key

KINDS = ("items", "prompts", "judge", "data", "version")
_REFUSED = {  # part of a signature → the value of `--despite` that accepts a difference in it
    "data": "data",
    "sample": "data",
    "v": "version",
    "prompt": "prompts",
    "q": "prompts",
    "shots": "prompts",
    "system": "prompts",
    "judge": "judge",
    "rubric": "judge",
}
_NAMES = {
    "data": "data hash",
    "sample": "packaged sample",
    "v": "task version",
    "prompt": "prompt",
    "q": "question language",
    "shots": "few-shot examples",
    "system": "system prompt",
    "gen": "generation settings",
    "chat": "chat template",
    "reasoning": "reasoning handling",
}
_NO_DIFFERENCE = ("task", "calibration", "ece")  # the latter two change some metrics only, which are named
_UNKNOWN = "?"
_LINK = "To link the judges by answers that both rated: hueval calibrate fit --judge RUN --reference RUN"
_SHOWN = 3  # ids listed in a message


def differences(first: str, second: str) -> list[Difference]:
    """Where two signatures of one task differ.

    Args:
        first, second: as `records.Signature` prints them; empty where a run has none.

    Returns:
        Refusals first, in the order of the signature. A part that one of them lacks, or has as `?`, is no difference:
        see `untold`.

    >>> [d.text for d in differences("task:t|prompt:en-1|gen:?", "task:t|prompt:hu-2|gen:max_gen_toks=64")]
    ['prompt (en-1 against hu-2)']
    """
    ours, theirs = Signature.parse(first).parts, Signature.parse(second).parts
    found = []
    for part in dict.fromkeys([*ours, *theirs]):
        a, b = _value(ours, part), _value(theirs, part)
        if a != b and _UNKNOWN not in (a, b) and part not in _NO_DIFFERENCE:
            text = f"{_NAMES.get(part, part)} ({a} against {b})"
            is_cyclic = any(judge.endswith(CYCLIC) for judge in (a, b))  # it cannot be calibrated
            is_unlinked = part == "judge" and not is_cyclic and _reference(ours) != _reference(theirs)
            found.append(Difference(_REFUSED.get(part), text, is_unlinked))
    return sorted(found, key=lambda difference: difference.kind is None)


def _reference(parts: Mapping[str, str]) -> str:
    """Whose ratings the scores of a run are calibrated to; its judge where they are not."""
    judge = parts.get("judge", _UNKNOWN)
    return parts.get("calibration", "").partition(f",{judge} to ")[2].rpartition(",n=")[0] or judge


def untold(first: str, second: str) -> list[str]:
    """The parts that one of two signatures, or both, leave open and a comparison depends on; empty if one is empty.

    >>> untold("task:t|data:a|judge:gpt-4o", "task:t|data:a"), untold("task:t|shots:?", "task:t|shots:?")
    (['judge'], ['few-shot examples'])
    """
    ours, theirs = Signature.parse(first).parts, Signature.parse(second).parts
    if not ours or not theirs:
        return []
    lacking = ({part for part in _REFUSED if _value(parts, part) == _UNKNOWN} for parts in (ours, theirs))
    found = set.symmetric_difference(*lacking) | {
        part for part in _NAMES if _UNKNOWN in (ours.get(part), theirs.get(part))
    }
    return [_NAMES.get(part, part) for part in dict.fromkeys([*_REFUSED, *_NAMES]) if part in found]


def _value(parts: Mapping[str, str], part: str) -> str:
    if part == "system" and parts.get("gen", _UNKNOWN) != _UNKNOWN:  # with known settings, no such part means none
        return parts.get(part, "no")
    return parts.get(part, _UNKNOWN)


def item_differences(first: Collection[Key], second: Collection[Key], labels: tuple[str, str]) -> list[Difference]:
    """The items that only one of two runs has: one refusal that counts and lists them, or nothing.

    >>> item_differences([("a", None), ("b", 1)], [("a", None)], ("X", "Y"))[0].text
    'items (1 only in X: b/1; 0 only in Y)'
    """
    if set(first) == set(second):
        return []
    ours, theirs = set(first), set(second)
    only = ([key for key in first if key not in theirs], [key for key in second if key not in ours])
    unshared = "; ".join(f"{len(keys)} only in {label}{_named(keys)}" for keys, label in zip(only, labels, strict=True))
    return [Difference("items", f"items ({unshared})")]


def _named(keys: Sequence[Key]) -> str:
    from hueval_metrics.runs.run import item_id  # not above: every command reads KINDS as it starts

    names = [item_id(key) for key in keys[:_SHOWN]]
    return f": {', '.join(names)}{', …' * (len(keys) > _SHOWN)}" if keys else ""


def refusal(found: Sequence[Difference], despite: Collection[str]) -> str | None:
    """Why runs are not compared, and the option to compare them anyway; None if they are comparable.

    Args:
        found: their differences.
        despite: the kinds of difference that the user accepts.
    """
    forbidden = [difference for difference in found if difference.kind and difference.kind not in despite]
    if not forbidden:
        return None
    kinds = dict.fromkeys([*(kind for kind in KINDS if kind in despite), *(d.kind or "" for d in forbidden)])
    different = ", ".join(difference.text for difference in forbidden)
    link = f"{_LINK}. " if any(difference.is_unlinked for difference in forbidden) else ""
    return f"different {different}. {link}To compare anyway: hueval compare --despite {','.join(kinds)}"


@dataclass(frozen=True)
class Difference:
    """One way in which two runs of a task differ.

    Attributes:
        kind: one of KINDS if it prevents a comparison; None if it is for information only.
        text: what differs, with both values.
        is_unlinked: whether it is the judge, and the runs could be calibrated to the same reference and are not.
    """

    kind: str | None
    text: str
    is_unlinked: bool = False

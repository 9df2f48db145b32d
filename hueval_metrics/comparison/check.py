"""What makes the scores of two runs on one task incomparable, and what a reader must know though they are comparable.

Signatures say what a score depends on (after sacrebleu, Post 2018): where they differ in the data, the prompt or the
judge, a difference of scores is not one of models. Where they differ in how the model was run, it may be just that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hueval_metrics.records import Signature

if TYPE_CHECKING:
    from hueval_metrics.runs.run import Key

KINDS = ("items", "prompts", "judge", "data", "version")
_REFUSED = {  # part of a signature → what a difference in it is called by `--despite`
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
_UNKNOWN = "?"
_SHOWN = 3  # ids named in a message; the count says the rest


def differences(first: str, second: str) -> list[Difference]:
    """Where two signatures of one task differ.

    Args:
        first, second: as `records.Signature` prints them; empty where a run has none.

    Returns:
        Refusals first, in the order of the signature. What one of them does not know (`?`, or no such part) is none:
        `untold` names it.

    >>> [d.text for d in differences("task:t|prompt:en-1|gen:?", "task:t|prompt:hu-2|gen:max_gen_toks=64")]
    ['prompt (en-1 against hu-2)']
    """
    ours, theirs = Signature.parse(first).parts, Signature.parse(second).parts
    found = []
    for part in dict.fromkeys([*ours, *theirs]):
        a, b = _told(ours, part), _told(theirs, part)
        if a != b and _UNKNOWN not in (a, b) and part != "task":
            found.append(Difference(_REFUSED.get(part), f"{_NAMES.get(part, part)} ({a} against {b})"))
    return sorted(found, key=lambda difference: difference.kind is None)


def untold(first: str, second: str) -> list[str]:
    """What only one of two signatures tells, though a difference in it would forbid a comparison; nothing without one.

    >>> untold("task:t|data:a|judge:gpt-4o", "task:t|data:a")
    ['judge']
    """
    ours, theirs = Signature.parse(first).parts, Signature.parse(second).parts
    if not ours or not theirs:
        return []
    lacking = ({part for part in _REFUSED if _told(parts, part) == _UNKNOWN} for parts in (ours, theirs))
    only_one = set.symmetric_difference(*lacking)
    return [_NAMES.get(part, part) for part in _REFUSED if part in only_one]


def _told(parts: Mapping[str, str], part: str) -> str:
    if part == "system" and parts.get("gen", _UNKNOWN) != _UNKNOWN:  # settings are known, and would name one
        return parts.get(part, "no")
    return parts.get(part, _UNKNOWN)


def item_differences(first: Collection[Key], second: Collection[Key], labels: tuple[str, str]) -> list[Difference]:
    """What items only one of two runs has: nothing, or one refusal that counts and names them.

    >>> item_differences([("a", None), ("b", 1)], [("a", None)], ("X", "Y"))[0].text
    'items (1 only in X: b/1; 0 only in Y)'
    """
    if set(first) == set(second):
        return []
    ours, theirs = set(first), set(second)
    only = ([key for key in first if key not in theirs], [key for key in second if key not in ours])
    told = "; ".join(f"{len(keys)} only in {label}{_named(keys)}" for keys, label in zip(only, labels, strict=True))
    return [Difference("items", f"items ({told})")]


def _named(keys: Sequence[Key]) -> str:
    from hueval_metrics.runs.run import item_id  # not above: every command reads KINDS as it starts

    names = [item_id(key) for key in keys[:_SHOWN]]
    return f": {', '.join(names)}{', …' * (len(keys) > _SHOWN)}" if keys else ""


def refusal(found: Sequence[Difference], despite: Collection[str]) -> str | None:
    """Why runs are not compared, and how to compare them all the same; None where nothing forbids it.

    Args:
        found: how they differ.
        despite: the kinds of difference that the user takes on.
    """
    forbidden = [difference for difference in found if difference.kind and difference.kind not in despite]
    if not forbidden:
        return None
    kinds = dict.fromkeys([*(kind for kind in KINDS if kind in despite), *(d.kind or "" for d in forbidden)])
    different = ", ".join(difference.text for difference in forbidden)
    return f"different {different}. To compare anyway: hueval compare --despite {','.join(kinds)}"


@dataclass(frozen=True)
class Difference:
    """One way in which two runs of a task differ.

    Attributes:
        kind: one of KINDS where it forbids a comparison; None where it is only to be known.
        text: what differs, with both values.
    """

    kind: str | None
    text: str

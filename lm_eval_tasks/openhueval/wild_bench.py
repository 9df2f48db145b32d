r"""HuWildBench's user turn as Racka repairs it (App. C, item 1), and the words that Racka adds (item 2).

The Hungarian turns are an instruction, a question and a description. The phrases that announce the parts are glued to
the last word before them: "…részletes választ!a kérdés az: …?a leírás: …a válasz: ".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

# As published → as Racka asks for it, the wording ours. The last is dropped: a chat template says whose turn it is.
SEPARATORS = {"a kérdés az:": "A kérdés: ", "a leírás:": "A leírás: ", "a válasz:": None}
GAP = "\n\n\n"  # two empty lines
ANSWER_TRIGGER = "\n\nA válasz: "  # for base models; the space at its end is Racka's

# Where a separator may be. Elsewhere the same words are the user's own.
_GLUED = r"(?:\A|(?<=\S))"
_AFTER_SENTENCE = r"(?<=[.?!…)\"”])\s+"  # as Table 14 prints them, but only once a glued separator was found
_SYSTEM_PROMPT = Path(__file__).parent / "prompts" / "huwildbench.system.txt"


def repair(turn: str) -> str:
    r"""The turn with its parts set apart.

    Args:
        turn: a user turn; one without separators comes back as it was, but for white space around it.

    >>> repair("Adj választ!a kérdés az: Mi ez?a leírás: Kék.a válasz: ")
    'Adj választ!\n\n\nA kérdés: Mi ez?\n\n\nA leírás: Kék.'
    """
    parts = [turn.strip()]
    for separator, heading in SEPARATORS.items():
        places = (_GLUED,) if len(parts) == 1 else (_GLUED, _AFTER_SENTENCE)
        end = r"\s*" if heading else r"\s*\Z"
        found = (re.search(place + separator + end, parts[-1]) for place in places)
        if match := next(filter(None, found), None):
            before, after = parts[-1][: match.start()], parts[-1][match.end() :]
            parts[-1:] = [before, heading + after] if heading else [before]
    return GAP.join(filter(None, parts))


@cache
def system_prompt() -> str:
    """Racka's system prompt for this task."""
    return _SYSTEM_PROMPT.read_text(encoding="utf-8").rstrip("\n")


def without_template(variants: Mapping[str, Any]) -> str | None:
    """What to say before a run without a chat template: Racka's system prompt is not for such."""
    if variants.get("wildbench_prompt", "racka") != "racka":
        return None
    return (
        "HuWildBench without a chat template: the system prompt is glued to the question. Add "
        "--apply_chat_template, or for a base model --metadata wildbench_prompt=base."
    )

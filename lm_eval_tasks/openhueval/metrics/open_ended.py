"""HuProverbRea-OE: the share of proverb interpretations that a judge accepts (OpenHuEval §2.4, Figure 25)."""

from __future__ import annotations

from lm_eval_tasks.openhueval.rubrics.huproverbrea_oe import reference_label

ACCEPTED, REJECTED = "YES", "NO"


def is_accepted(label: str | None) -> float | None:
    """1 for an interpretation with the meaning of the reference, 0 for a different one; None without a verdict.

    >>> is_accepted("YES"), is_accepted("NO"), is_accepted(None)
    (1.0, 0.0, None)
    """
    return {ACCEPTED: 1.0, REJECTED: 0.0}.get(label or "")


def is_accepted_ref(reply: str) -> float:
    """As the public scorer counts a judge's reply: accepted if it contains "yes" and not "no", even inside a word.

    >>> is_accepted_ref("YES"), is_accepted_ref("YES, now I am sure.")
    (1.0, 0.0)
    """
    return float(reference_label(reply) == ACCEPTED)

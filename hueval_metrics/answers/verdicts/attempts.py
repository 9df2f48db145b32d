"""Read whether a judge calls an answer right, wrong or not attempted: by a word, or by a letter (SimpleQA, 2024)."""

from __future__ import annotations

from dataclasses import replace

from hueval_metrics.answers.verdicts.claims import Labels
from hueval_metrics.answers.verdicts.labels import read_label

LABELS = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
LETTERS = dict(zip("ABC", LABELS, strict=True))
LANGUAGES = ("hu", "zh")  # of judges
_OF_ANSWERS = ("hu", "cs", "sr", "ru", "zh", "ko", "th", "ar", "vi")  # which some judges reply in, beside a letter

_WORDS = Labels(
    "evaluation",
    LABELS,
    {label.casefold(): label for label in LABELS},
    opposites={"CORRECT": "INCORRECT"},
    prompt=r"[\"'](?:gold_target|reference_answer|predicted_answer)[\"']\s{0,9}:",
    languages=LANGUAGES,
)
_LETTERED = replace(_WORDS, letters=LETTERS, languages=_OF_ANSWERS)


def read_attempt(reply: str, *, letters: bool = False) -> str | None:
    """The label that a judge's reply gives.

    Args:
        reply: any text.
        letters: whether A, B and C stand for the labels.

    Returns:
        One of LABELS; None if there is none, or several without a decision.

    >>> read_attempt('{"evaluation": "Correct"}'), read_attempt("As an AI, B", letters=True)
    ('CORRECT', 'INCORRECT')
    """
    return read_label(reply, _LETTERED if letters else _WORDS).value

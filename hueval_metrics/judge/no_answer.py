"""Whether an answer says that the model does not know, for the lexical judge; the phrases are those of its language."""

from __future__ import annotations

from collections.abc import Callable

from hueval_metrics.languages.load import remembered, words
from hueval_metrics.text.hanzi import same_script


def says_nothing(answer: str, language: str, fold: Callable[[str, str], str], *, by_words: bool) -> bool:
    """Whether an answer means that there is none; in the language, or in English.

    Args:
        answer: folded.
        language: ISO 639-1.
        fold: `(text, language)`, as the answer was folded.
        by_words: whether the language sets spaces, so that a phrase must begin with a word.
    """
    phrases, whole = _folded(language, fold)
    start = " " if by_words else ""
    return answer in whole or any(f"{start}{phrase}" in f"{start}{answer}" for phrase in phrases)


@remembered
def _folded(language: str, fold: Callable[[str, str], str]) -> tuple[frozenset[str], frozenset[str]]:
    """The phrases that may stand anywhere in an answer, whose last word may go on, and those that are all of it."""
    anywhere, alone = (
        [form for word in words(key, (language,)) for form in (word, same_script(word))]
        for key in ("no_answer", "unknown_alone")
    )
    return (
        frozenset(fold(text.rstrip("*"), language) for text in anywhere),
        frozenset(("", *(fold(text, language) for text in alone))),
    )

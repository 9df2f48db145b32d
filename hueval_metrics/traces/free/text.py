"""Language, code switches, translation, hedges, self-corrections and repetition of a trace, without a judge."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hueval_metrics.text.normalize import stream_safe
from hueval_metrics.traces.free.language import languages, own_words
from hueval_metrics.traces.free.lexicon import count_phrases, tokens_of
from hueval_metrics.traces.free.repetition import is_looping, repetition, words_of
from hueval_metrics.traces.item import Row, TraceItem
from hueval_metrics.traces.measures import Measure
from hueval_metrics.traces.settings import FREE

NO_LANGUAGE = "none"  # key of sentences without one


def features(item: TraceItem) -> dict[str, Any]:
    """The features of one trace: the value of `free` in its row.

    Returns:
        `language`, that of most sentences, None where no sentence has one; `sentences`, their number by language,
        `none` for those without one; `switches`, changes of language from one sentence that has one to the next; the
        numbers of `translations`, `hedges` and `corrections`; `repetition` from 0 to 1, None below four words;
        `looping`.
    """
    text = unicodedata.normalize("NFC", stream_safe(item.trace))
    own, words = own_words(text), words_of(text)
    found = list(languages(text, own))
    spoken = [language for language in found if language]
    counts = Counter(language or NO_LANGUAGE for language in found)
    return {
        "language": Counter(spoken).most_common(1)[0][0] if spoken else None,
        "sentences": dict(counts.most_common()),
        "switches": sum(one != other for one, other in pairwise(spoken)),
        **count_phrases(tokens_of(own)),
        "repetition": repetition(words),
        "looping": is_looping(text, words),
    }


def _share_of(language: str) -> Callable[[Row], tuple[float, float] | None]:
    """Sentences in a language, of those that have one."""

    def share(row: Row) -> tuple[float, float] | None:
        sentences = row["free"]["sentences"]
        known = sum(number for name, number in sentences.items() if name != NO_LANGUAGE)
        return (sentences.get(language, 0), known) if known else None

    return share


def _per_token(feature: str) -> Callable[[Row], tuple[float, float] | None]:
    """The number of something, and the tokens of the trace."""
    return lambda row: (row["free"][feature], row["tokens"]) if row["tokens"] else None


def _repetition(row: Row) -> tuple[float, float] | None:
    share = row["free"]["repetition"]
    return None if share is None else (share, 1)


MEASURES: tuple[Measure, ...] = (
    Measure("hungarian_sentences", FREE, "%", _share_of("hu")),
    Measure("english_sentences", FREE, "%", _share_of("en")),
    Measure("switches", FREE, "per 1,000 tokens", _per_token("switches")),
    Measure("translations", FREE, "per 1,000 tokens", _per_token("translations")),
    Measure("hedges", FREE, "per 1,000 tokens", _per_token("hedges")),
    Measure("corrections", FREE, "per 1,000 tokens", _per_token("corrections")),
    Measure("repetition", FREE, "%", _repetition),
)

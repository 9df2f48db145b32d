"""The corpora of HuLU: titles, questions, labels, and the Hungarian words by which a model answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Corpus:
    """A corpus that classifies.

    Attributes:
        title: as the paper calls it.
        question: what a model is asked.
        words: label, as the data have it → the word for it in prompts and replies. Of equally likely choices the first
            counts as the model's.
        headline: the metric that the paper prints (§3, Table 2).
    """

    title: str
    question: str
    words: Mapping[str, str]
    headline: str

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the classes in metrics."""
        return tuple(self.words)


_YES_NO = {"1": "igen", "0": "nem"}
TEXTS = ("sentence", "sentence1", "sentence2", "premise", "hypothesis", "choice1", "choice2")  # of all corpora
CORPORA = {
    "hucola": Corpus("HuCOLA", "is the sentence acceptable Hungarian?", _YES_NO, "mcc"),
    "hucopa": Corpus("HuCoPA", "which sentence is the likelier cause or effect?", {"1": "első", "2": "második"}, "mcc"),
    "hurte": Corpus("HuRTE", "does the statement follow from the text?", _YES_NO, "mcc"),
    "husst": Corpus(
        "HuSST",
        "which sentiment does a sentence of a film review have?",
        {"negative": "negatív", "neutral": "semleges", "positive": "pozitív"},
        "acc",
    ),
    "huwnli": Corpus("HuWNLI", "does the sentence follow, once the pronoun is replaced?", _YES_NO, "acc"),
    "hucb": Corpus(
        "HuCB",
        "is the speaker committed to the statement?",
        {"entailment": "igen", "contradiction": "nem", "neutral": "talán"},
        "f1_weighted",
    ),
}

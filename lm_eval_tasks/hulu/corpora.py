"""The corpora of HuLU: titles, labels, and the Hungarian words by which a model answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Corpus:
    """A corpus that classifies.

    Attributes:
        title: as the paper calls it.
        words: label, as the data have it → the word for it in prompts and replies. Of equally likely choices the first
            counts as the model's.
        headline: the metric that the paper prints (§3, Table 2).
    """

    title: str
    words: Mapping[str, str]
    headline: str

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the classes in metrics."""
        return tuple(self.words)


_YES_NO = {"1": "igen", "0": "nem"}
TEXTS = ("sentence", "sentence1", "sentence2", "premise", "hypothesis", "choice1", "choice2")  # of all corpora
CORPORA = {
    "hucola": Corpus("HuCOLA", _YES_NO, "mcc"),
    "hucopa": Corpus("HuCoPA", {"1": "első", "2": "második"}, "mcc"),
    "hurte": Corpus("HuRTE", _YES_NO, "mcc"),
    "husst": Corpus("HuSST", {"negative": "negatív", "neutral": "semleges", "positive": "pozitív"}, "acc"),
    "huwnli": Corpus("HuWNLI", _YES_NO, "acc"),
    "hucb": Corpus("HuCB", {"entailment": "igen", "contradiction": "nem", "neutral": "talán"}, "f1_weighted"),
}

"""The corpora of HuLU: titles, labels, and the Hungarian words by which a model answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hueval_metrics.answers.label_grammar import Labels


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

# Other words for the answers of replies, without endings where they take some.
_YES = ("yes", "true", "igaz", "helyes", "correct")
_NO = ("no", "not", "false", "hamis", "helytelen", "téves", "incorrect")
_PARTICLES = ("igen", "nem", "yes", "no", "not", "talán", "maybe")
_CONTRADICTION = (
    *("ellentmond", "mond ellent", "mond neki ellent", "ellentmondás", "ellentmondásos", "ellentmondásban"),
    *("ellentmondó", "cáfolja", "contradiction", "contradicts"),
)
_ENTAILMENT = (
    *("következik", "következtethető", "kikövetkeztethető", "levezethető", "vezethető le", "derül ki", "kiderül"),
    *("alátámasztja", "támasztja alá", "entailment", "entailed", "follows", "follow"),
)
# What is not false, or contradicted, need not follow.
_FLIPPED = {"igen": "nem", "nem": "igen", **dict.fromkeys(("hamis", "false", "téves", *_CONTRADICTION))}
_ENTAILED = Labels(
    {"igen": ("igen", *_YES, *_ENTAILMENT), "nem": ("nem", *_NO, *_CONTRADICTION)}, _FLIPPED, particles=_PARTICLES
)
_UNDERSTOOD = Labels(  # "Jól értette a szöveget, aki szerint …?"
    {
        "igen": (*_ENTAILED.words["igen"], "jól értette", "jól értelmezte", "helytálló"),
        "nem": (*_ENTAILED.words["nem"], "rosszul értette", "félreértette", "félreértelmezte"),
    },
    _FLIPPED,
    particles=_PARTICLES,
)
WORDS: Mapping[str, Labels] = {  # corpus → how replies name its labels; what "not" before a word means
    "hucola": Labels(
        {
            "igen": (
                *("igen", *_YES, "elfogadható", "fogadható el", "jó", "jól formált", "hibátlan", "grammatikus"),
                *("rendben van", "rendben", "korrekt", "szabályos", "acceptable", "grammatical"),
            ),
            "nem": (
                *("nem", *_NO, "elfogadhatatlan", "hibás", "hiba", "hibát", "hibák", "rossz", "agrammatikus"),
                *("szabálytalan", "unacceptable", "ungrammatical", "error", "errors"),
            ),
        },
        _FLIPPED,
        particles=_PARTICLES,
    ),
    "hurte": _ENTAILED,
    "huwnli": _UNDERSTOOD,
    "husst": Labels(
        {
            "negatív": ("negatív", "negative", "kedvezőtlen"),
            "semleges": ("semleges", "neutral", "neutrális"),
            "pozitív": ("pozitív", "positive", "kedvező"),
        }
    ),
    "hucb": Labels(
        {
            "igen": ("igen", *_YES, "következik", "alátámasztja", "támasztja alá", "kiderül", "entailment"),
            "nem": ("nem", *_NO, *_CONTRADICTION),
            "talán": ("talán", "maybe", "semleges", "neutral"),
        },
        {"igaz": "nem"},
        doubt="talán",
        particles=_PARTICLES,
    ),
}

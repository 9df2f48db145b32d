"""The words by which replies name the labels of HuLU's corpora, and what "not" before one means."""

from __future__ import annotations

from collections.abc import Mapping

from hueval_metrics.answers.label_grammar import Labels

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
        "igen": (*_ENTAILED.words["igen"], "jól értette", "értette jól", "jól értelmezte", "helytálló"),
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
                *("rendben van", "korrekt", "kifogástalan", "szabályos", "acceptable", "grammatical"),
            ),
            "nem": (
                *("nem", *_NO, "elfogadhatatlan", "hibás", "hiba", "hibát", "hibák", "rossz", "agrammatikus"),
                *("szabálytalan", "nincs rendben", "unacceptable", "ungrammatical", "error", "errors"),
            ),
        },
        _FLIPPED,
        particles=_PARTICLES,
        is_rewritten=True,
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

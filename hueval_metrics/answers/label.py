"""Read a label: which of a few words a reply answers with, such as `igen` and `nem`, read as a person would.

A reply may say the word alone, in a sentence, with a reason, negated ("nem elfogadható") or as JSON. What it repeats of
the text that was asked about, and what follows "because", is no verdict.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hueval_metrics.answers.json_objects import json_objects, outside, under_key
from hueval_metrics.answers.plain_text import readable, without_markup
from hueval_metrics.text.normalize import stream_safe

_KEYS = (
    *("final_answer", "answer", "válasz", "valasz", "végső_válasz", "label", "címke", "result", "eredmény"),
    *("verdict", "ítélet", "döntés", "prediction", "class", "osztály", "sentiment", "vélemény", "hangvétel"),
)
_READ_LIMIT = 20_000  # characters from the end; a longer reply is a runaway generation
_EMPHASIS = re.compile(r"[*_`#$>|]+|\\[(\[\])]")
# Words that make sentences of many kinds, and are verdicts only where a clause consists of them.
_PARTICLES = frozenset({"igen", "nem", "yes", "no", "talán", "maybe"})
_ENDING = r"(?:nak|nek|t|at|et|ot|ként|ra|re|nel|vel)?"
_NOT = r"(?:nem|sem|not|never|isn['’]t|aren['’]t)"
_ADVERB = (
    r"(?:(?:teljesen|egészen|igazán|egyértelműen|feltétlenül|különösebben|túl|annyira|nyelvtanilag|grammatikailag|"
    r"kifejezetten|biztosan|szükségszerűen|logikusan|really|fully|quite|entirely|grammatically|necessarily|a|an|the|"
    r"egy|tekinthető|mondható|nevezhető|is|be|considered) )"
)
_ATTRIBUTE = (
    r"(?! (?:alak|forma|változat|mondat (?:így|ez|az|a)\b|sorrend|szórend|írásmód|megfogalmazás|form|version)\w*)"
)
_REASON = re.compile(
    r"\b(?:mert|mivel|hiszen|ugyanis|minthogy|because|since|bár|habár|noha|although|though|jóllehet)\b.*",
    re.DOTALL,
)
_CONTRAST = re.compile(r"\b(?:nem pedig|semmint|mint|rather than|instead of|than)\b.*")
_FINAL = re.compile(
    r"\b(?:válasz\w{0,5}|ítélet\w{0,4}|döntés\w{0,4}|megoldás\w{0,4}|végső|végül|végeredmény|tehát|összefoglalva|"
    r"összegezve|összességében|szóval|answer|conclusion|overall|therefore|thus)\b"
)
_CORRECTION = re.compile(
    r"\b(?:várj\w{0,4}|mégis|mégsem|javít\w{0,4}|helyesbít\w{0,5}|wait|actually|correction|bocsánat|elnézést|tévedtem|"
    r"pontosabban|vagyis|azaz|jobban meggondolva|illetve nem)\b"
)
_PREDICATE = re.compile(
    r"\b(?:az?|ez|az|is|válasz\w{0,5}|ítélet\w{0,4}|döntés\w{0,4}|answer) (igen|nem|yes|no|talán|maybe)\s*\Z"
)
_SENTENCE = re.compile(r"[^.!?…\n]*[.!?…\n]?")
_CLAUSE = re.compile(r"[,;:()–—\"„”“]|\s-\s|\b(?:de|hanem|azaz|vagyis|és|but|and)\b")
_OUTER = " \t.,;:!?…\"'„”“»«()[]{}–—-✅❌✔✘☑"
_NUMBERED = re.compile(r"^\W*\d{1,2}[.)]\s+")


class _Said(NamedTuple):
    """What a sentence says: its verdicts, and whether it concludes, corrects, or is nothing but a verdict."""

    labels: frozenset[str]
    is_final: bool
    is_correction: bool
    is_bare: bool


def read_words(
    response: str,
    words: Mapping[str, Sequence[str]],
    opposite: Mapping[str, str] | None = None,
    quoted: Iterable[str] = (),
) -> str | None:
    """Which answer a reply gives.

    Args:
        response: the reply without its reasoning trace, cut where the prompt begins again; any text.
        words: answer → the words that stand for it, lower case; `true` and `false` are those of JSON, too.
        opposite: answer → the one that its negation means; an answer without one is only rejected by "not".
        quoted: texts of the question, which a reply may repeat without deciding anything.

    Returns:
        A key of `words`; None when the reply names none of them, or several without a decision.

    >>> yes_or_no = {"igen": ("igen", "elfogadható"), "nem": ("nem", "helytelen")}
    >>> flip = {"igen": "nem", "nem": "igen"}
    >>> [read_words(reply, yes_or_no, flip) for reply in ("Igen, az.", "**Nem elfogadható**", "igen vagy nem")]
    ['igen', 'nem', None]
    """
    reader = _Reader.of(words, opposite or {})
    response = response[-_READ_LIMIT:]
    objects = [*json_objects(response)]
    for _, _, data in reversed(objects):
        if found := reader.in_json(data):
            return found
    text = _plain(outside(response, objects))
    for quote in sorted(map(_plain, quoted), key=len, reverse=True):
        if len(quote) > 1:
            text = text.replace(quote, " ").replace(quote.rstrip(" .!?"), " ")
    return reader.read(text)


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", stream_safe(without_markup(readable(text))))
    return re.sub(r"[ \t]+", " ", _EMPHASIS.sub(" ", text)).casefold().strip()


class _Reader:
    """The patterns of one set of words."""

    def __init__(self, words: Mapping[str, Sequence[str]], opposite: Mapping[str, str]) -> None:
        self._opposite = opposite
        self._answer = {word: answer for answer, listed in words.items() for word in (answer, *listed)}
        longest_first = sorted(self._answer, key=len, reverse=True)
        plain = [word for word in longest_first if word not in _PARTICLES]
        any_word = "|".join(map(re.escape, plain)) or r"(?!)"
        self._word = re.compile(
            rf"\b(?:(?P<neg>{_NOT}) {_ADVERB}{{0,2}})?(?P<word>{any_word}){_ENDING}\b{_ATTRIBUTE}"
            rf"(?P<after> (?:nem|sem|not)\b(?! csak))?"
        )
        named = "|".join(map(re.escape, longest_first))
        self._alternatives = re.compile(
            rf"\b(?:{named})(?:, ?(?:{named}))*,?(?: vagy | or | ?/ ?| és | and )(?:{named})\b"
            rf"(?:(?: vagy | ?/ ?)(?:{named})\b)*"
        )
        self._attribute = re.compile(rf"\b(?:a|the) (?:{any_word}) (?!válasz|megoldás|answer|label|címke)\w+")

    @staticmethod
    def of(words: Mapping[str, Sequence[str]], opposite: Mapping[str, str]) -> _Reader:
        return _reader(tuple((key, tuple(value)) for key, value in words.items()), tuple(opposite.items()))

    def in_json(self, data: Mapping[str, Any]) -> str | None:
        """The answer in an object: under a key for one, or its only text."""
        values = under_key(data, _KEYS) or (list(data.values()) if len(data) == 1 else [])
        found = {self._in_value(value) for value in values}
        return found.pop() if len(found) == 1 else None

    def _in_value(self, value: Any) -> str | None:
        return self.read(_plain(str(value))) if isinstance(value, (str, bool)) else None

    def read(self, text: str) -> str | None:
        """The answer that a plain text gives."""
        if found := self._answer.get(text.strip(_OUTER)):
            return found
        said: list[_Said] = []
        is_correction = False
        for sentence in _SENTENCE.findall(self._alternatives.sub(" ", text)):
            one = self._said(_NUMBERED.sub("", sentence))
            is_correction |= one.is_correction
            if one.labels:
                said.append(one._replace(is_correction=is_correction))
                is_correction = False
        if not said:
            return None
        for is_last in (lambda one: one.is_final, lambda one: one.is_correction):
            if last := next((one for one in reversed(said) if is_last(one)), None):
                return _only(last.labels)
        if said[0].is_bare and not (said[-1].is_bare and said[-1].labels != said[0].labels):
            return _only(said[0].labels)
        if said[-1].is_bare and not said[0].is_bare:
            return _only(said[-1].labels)
        return _only(frozenset().union(*(one.labels for one in said)))

    def _said(self, sentence: str) -> _Said:
        is_final, is_correction = bool(_FINAL.search(sentence)), bool(_CORRECTION.search(sentence))
        if sentence.rstrip().endswith("?"):
            return _Said(frozenset(), is_final, is_correction, is_bare=False)
        told = _CONTRAST.sub(" ", _REASON.sub(" ", self._attribute.sub(" ", sentence)))
        if (stated := self._answer.get(told.rpartition(":")[2].strip(_OUTER))) and ":" in told:  # "Helyes: nem"
            return _Said(frozenset({stated}), True, is_correction, is_bare=False)
        bare: set[str] = set()  # of clauses that are nothing but a word
        others: set[str] = set()
        clauses = _CLAUSE.split(told)
        for clause in clauses:
            if word := self._answer.get(clause.strip(_OUTER)):
                bare.add(word)
            else:
                others |= self._in_clause(clause)
        is_bare = clauses[0].strip(_OUTER) in self._answer  # "Igen, a mondat …": what comes after explains it
        return _Said(frozenset(bare if is_bare else bare | others), is_final, is_correction, is_bare)

    def _in_clause(self, clause: str) -> set[str]:
        found = set()
        for match in self._word.finditer(clause):
            answer = self._answer[match["word"]]
            if bool(match["neg"]) != bool(match["after"]):
                if answer in self._opposite:
                    found.add(self._opposite[answer])
            else:
                found.add(answer)
        if not found and (said := _PREDICATE.search(clause.rstrip(_OUTER))) and said[1] in self._answer:
            found.add(self._answer[said[1]])
        return found


@lru_cache(maxsize=32)
def _reader(words: tuple[tuple[str, tuple[str, ...]], ...], opposite: tuple[tuple[str, str], ...]) -> _Reader:
    return _Reader(dict(words), dict(opposite))


def _only(labels: frozenset[str]) -> str | None:
    return next(iter(labels)) if len(labels) == 1 else None

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
_SCOPE = 200  # characters in which a negation before a word is looked for; longer clauses are runaway generations
_READ_LIMIT = 20_000  # characters from the end; a longer reply is a runaway generation
_EMPHASIS = re.compile(r"[*_`#$>|]+|\\[(\[\])]")
_COLONS = str.maketrans("=→", "::")  # "válasz = nem"
# Words that make sentences of many kinds, and are verdicts only where a clause consists of them.
_PARTICLES = frozenset({"igen", "nem", "yes", "no", "talán", "maybe"})
_ENDING = r"(?P<ending>nak|nek|t|at|et|ot|ként|ra|re|nel|vel|an|vá)?"
_NO = (
    r"(?:nem|sem|se|nincs(?:en)?|sincs(?:en)?|aligha|korántsem|dehogy(?:is)?|not?|never|neither|nor|cannot|\w+n['’]t|"
    r"(?<!nem )(?:kizárt|tagad(?:om|ja|ta)|kételked\w*|kétl\w+|kétséges))\b"
    r"(?! (?:csak|csupán|only|kétség|kételkedem|tagadom|vitás|vitatható)\w*)"
)
# "a nem megfelelő szórend" rejects its noun alone; "egy nem teljesen helyes mondat" the label that follows.
_NEGATION = re.compile(rf"(?<!\ba )(?<!\baz )(?<!\begy )\b{_NO}|\b{_NO}(?: \w+)?\s*\Z")
_FORM = r"(?:alak|forma|változat|sorrend|szórend|írásmód|megfogalmazás|form|version)\w*"
_ATTRIBUTE = rf"(?! (?:{_FORM}|(?:válasz|megoldás|answer)\b|mondat (?:így|ez|az|a)\b))"
_CORRECTED = re.compile(
    r"\b(?:javítva|javítás\w*|javított|helyesbítve|helyesen|corrected|"
    rf"(?:helyes|jó|correct) (?:{_FORM}|mondat)|(?:így|a) (?:helyes|jó)(?=:))\b[^:]*:.*",
    re.DOTALL,
)
_SUBORDINATE = r"\b(?:mert|mivel|hiszen|ugyanis|minthogy|because|since|bár|habár|noha|although|though|jóllehet)\b"
# Reasons, concessions and conditions: up to the comma where they come first, otherwise to the conclusion or the end.
_ASIDE = re.compile(
    rf"\A\W*(?:{_SUBORDINATE}|(?:ha|amennyiben|if)\b)[^,]*,|\A[^,]*\bugyan\b[^,]*,(?= (?:de|mégis)\b)"
    rf"|{_SUBORDINATE}.*?(?=\b(?:tehát|ezért|emiatt|therefore)\b|\Z)|, (?:ha|amennyiben|if)\b[^,]*",
    re.DOTALL,
)
_NOT_SO_MUCH = re.compile(r"(\bnem (?:is )?(?:annyira|olyan)\b[^,]{0,200}), mint\b")
_CONTRAST = re.compile(r"\b(?:nem pedig|semmint|mint|rather than|instead of|than)\b.*")
_FINAL = re.compile(
    r"\b(?:válasz\w{0,5}|ítélet\w{0,4}|döntés\w{0,4}|megoldás\w{0,4}|végső|végül|végeredmény|tehát|összefoglalva|"
    r"összegezve|összességében|szóval|answer|conclusion|overall|therefore|thus)\b"
)
_CORRECTION = re.compile(
    r"\b(?:várj\w{0,4}|mégis|mégsem|javít(?:ok|om)|helyesbít(?:ek|em)|wait|actually|correction|bocsánat|elnézést|"
    r"tévedtem|pontosabban|vagyis|azaz|jobban meggondolva|illetve nem)\b"
)
_THEREFORE = r"(?<!nem )\b(?:tehát|ezért|emiatt|így|összességében|therefore|thus|hence)\b"
_CONCLUDING = re.compile(rf"\s*{_THEREFORE}")
_ADVERB = r"\w+(?:lag|leg|[űő]en|[úó]an|[aeoö]s[ae]n)"
_PREDICATE = re.compile(
    r"\b(?:az?|ez|is|hogy|talán|maybe|válasz\w{0,5}|ítélet\w{0,4}|döntés\w{0,4}|answer) "
    rf"(?:{_ADVERB} )?(igen|nem|yes|no|talán|maybe)\s*\Z"
)
# "Nem a mondat hibás", for "Nem, a mondat hibás".
_NO_COMMA = re.compile(r"(\A\W*(?:igen|nem|yes|no)) (?=(?:az?|ez|the|this|it)\b(?! leg))")
_HEDGE = re.compile(
    rf"{_THEREFORE}|\b(?:szerintem|véleményem szerint|sajnos|persze|egyáltalán|inkább|hogy|igazán|feltétlenül|egészen|"
    rf"egyszóval|röviden|{_ADVERB}|i think|probably|definitely|not really)\b"
)
# Undecided between yes and no …
_OPEN = re.compile(
    r"\b(?:talán|maybe|perhaps|possibly|(?<!nem )(?<!sem )lehet(?:séges)?|(?<!nem )bizonytalan|eldönthetetlen|"
    r"undetermined|uncertain|unclear|cannot be determined|nem (?:zárható ki|kizárt|lehetetlen)|"
    r"nem (?:lehet|tud\w*) (?:\w+ )?(?:eldönteni|tudni|dönteni|megmondani|megállapítani|megítélni)|"
    r"nem (?:tudom|tudjuk|tudni|tudható|tudhatjuk|eldönthető|dönthető el|állapítható meg|mondható meg|ismert))\b"
)
# … and what denies that an answer is certain: "no" where yes and no are all there is.
_UNCERTAIN = re.compile(
    r"\b(?:nem (?:vagyok |teljesen |egészen )?(?:biztos|biztosan|feltétlenül|szükségszerűen|"
    r"egyértelmű|egyértelműen|derül ki)|not (?:necessarily|certain|sure))\b"
)
_HYPOTHETICAL = re.compile(r"\b(?:lenne|volna|lehetne|lesz|would|majdnem|részben|félig|partly|partially)\b")
_SENTENCE = re.compile(r"[^.!?…\n]*[.!?…\n]?")
_CLAUSE = re.compile(
    r"[,;:()\[\]–—\"„”“]|\s-\s|\b(?:de|hanem|azaz|vagyis|és|ám|viszont|azonban|but|and|alapján|szerint|miatt|ellenére)\b"
    rf"|(?={_THEREFORE})|(?<!nem )\b(?=inkább\b)"
)
_THAT = re.compile(r"[, ]*\bhogy\b")
_NOT_TRUE_THAT = re.compile(r"\bnem igaz,? hogy\b")
_QUOTED = re.compile(r"[„“\"»]([^„”“\"»«\n]{1,300})[”“\"«]( (?:szó|szav|kifejezés|word)\w*)?")
_OUTER = " \t\n.,;:!?…\"'„”“»«()[]{}–—-✅❌✔✘☑"
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
    opposite: Mapping[str, str | None] | None = None,
    quoted: Iterable[str] = (),
    doubt: str | None = None,
) -> str | None:
    """Which answer a reply gives.

    Args:
        response: the reply without its reasoning trace, cut where the prompt begins again; any text.
        words: answer → the words that stand for it, lower case; `true` and `false` are those of JSON, too.
        opposite: answer → the one that its negation means. A word may have its own, or None for none. An answer
            without one is only rejected by "not".
        quoted: texts of the question, which a reply may repeat without deciding anything.
        doubt: the answer that "perhaps" and "not certain" stand for. Without one, "perhaps igen" decides nothing.

    Returns:
        A key of `words`; None when the reply names none of them, or several without a decision.

    >>> yes_or_no = {"igen": ("igen", "elfogadható"), "nem": ("nem", "helytelen")}
    >>> flip = {"igen": "nem", "nem": "igen"}
    >>> [read_words(reply, yes_or_no, flip) for reply in ("Igen, az.", "**Nem elfogadható**", "igen vagy nem")]
    ['igen', 'nem', None]
    """
    reader = _Reader.of(words, opposite or {}, doubt)
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
    return re.sub(r"[ \t]+", " ", _EMPHASIS.sub(" ", text).translate(_COLONS)).casefold().strip()


def _without_accents(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


class _Reader:
    """The patterns of one set of words."""

    def __init__(
        self, words: Mapping[str, Sequence[str]], opposite: Mapping[str, str | None], doubt: str | None
    ) -> None:
        self._opposite = opposite
        self._doubt = doubt
        self._answers = frozenset(words)
        self._answer = {word: answer for answer, listed in words.items() for word in (answer, *listed)}
        self._answer = {_without_accents(word): answer for word, answer in self._answer.items()} | self._answer
        longest_first = sorted(self._answer, key=len, reverse=True)
        plain = [word for word in longest_first if word not in _PARTICLES]
        any_word = "|".join(map(re.escape, plain)) or r"(?!)"
        self._word = re.compile(
            rf"\b(?P<word>{any_word}){_ENDING}\b(?!-e\b){_ATTRIBUTE}"
            r"(?P<after> (?:nem|sem|nincs|not)\b(?! csak)| nélkül)?"
        )
        named = "|".join(map(re.escape, longest_first))
        self._alternatives = re.compile(
            rf"(?<!\bnem )\b(?:{named})(?:, ?(?:{named})){{0,8}},?(?: vagy | or | ?/ ?| és | and )"
            rf"(?!nem \w)(?:{named})\b(?:(?: vagy | ?/ ?)(?:{named})\b)*"
        )
        self._attribute = re.compile(
            rf"(?<!\bez )(?<!\bis )(?<!\bnot )\b(?:a|the) (?:{any_word}) (?!az\b|válasz|megoldás|answer|label|címke)\w+"
        )

    @staticmethod
    def of(words: Mapping[str, Sequence[str]], opposite: Mapping[str, str | None], doubt: str | None) -> _Reader:
        return _reader(tuple((key, tuple(value)) for key, value in words.items()), tuple(opposite.items()), doubt)

    def in_json(self, data: Mapping[str, Any]) -> str | None:
        """The answer in an object: under a key for one, its only text, or its only value that is no more than one."""
        values = under_key(data, _KEYS) or (list(data.values()) if len(data) == 1 else [])
        found = {self._in_value(value) for value in values}
        if not values:
            found = {self._answer.get(_plain(str(value)).strip(_OUTER)) for value in data.values()} - {None}
        return found.pop() if len(found) == 1 else None

    def _in_value(self, value: Any) -> str | None:
        return self.read(_plain(str(value))) if isinstance(value, (str, bool)) else None

    def read(self, text: str) -> str | None:
        """The answer that a plain text gives."""
        if found := self._answer.get(text.strip(_OUTER)):
            return found
        if whole := _QUOTED.fullmatch(text):
            text = whole[1]
        text = _QUOTED.sub(self._without_mentions, text)
        said: list[_Said] = []
        is_correction = is_corrected = False
        for sentence in _SENTENCE.findall(self._alternatives.sub(" ", text)):
            one = self._said(_CORRECTED.sub(" ", _NUMBERED.sub("", sentence)))
            is_correction |= one.is_correction
            if one.labels and (one.is_final or not is_corrected):
                said.append(one._replace(is_correction=is_correction))
                is_correction = False
            is_corrected |= bool(_CORRECTED.search(sentence))  # what follows praises the corrected text
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

    def _without_mentions(self, quote: re.Match[str]) -> str:
        """A quotation that begins with an answer; any other, and that of a word ("a „nem” szó"), decides nothing."""
        begins = _CLAUSE.split(quote[1])[0].strip(_OUTER)
        return quote[0] if begins in self._answer and not quote[2] else " ~ "

    def _said(self, sentence: str) -> _Said:
        is_final, is_correction = bool(_FINAL.search(sentence)), bool(_CORRECTION.search(sentence))
        if sentence.rstrip().endswith("?"):
            return _Said(frozenset(), is_final, is_correction, is_bare=False)
        told = _NOT_SO_MUCH.sub(r"\1 hanem", self._attribute.sub(" ", sentence))
        told = _CONTRAST.sub(" ", _ASIDE.sub(" ", told))
        if (stated := self._alone(told.rpartition(":")[2])) and ":" in told:  # "Helyes: nem"
            return _Said(frozenset({stated}), True, is_correction, is_bare=False)
        bare: set[str] = set()  # of clauses that are nothing but a word
        others: set[str] = set()
        rejected: set[str] = set()
        concluded: set[str] = set()
        told = _NO_COMMA.sub(r"\1, ", _NOT_TRUE_THAT.sub("nem hogy", told))
        clauses = _CLAUSE.split(_THAT.sub(" hogy", told))
        for clause in clauses:
            if word := self._alone(clause):
                bare.add(word)
                found = {word}
            else:
                found, ruled_out = self._in_clause(clause)
                others |= found
                rejected |= ruled_out
            if _CONCLUDING.match(clause):
                concluded = found
        # "Igen, a mondat …": what comes after explains it. "Igaz, de nem következik" contradicts itself.
        first = self._alone(clauses[0])
        is_bare = first is not None and (not self._opposite or not others - bare or first == clauses[0].strip(_OUTER))
        if is_bare:
            labels = bare | {answer for answer in others if answer == self._doubt}
        elif len(rejected) > 1 and len(left := self._answers - rejected) == 1:  # "Nem pozitív, de nem is negatív"
            labels = {*left}
        elif self._doubt in others and others == self._answers:  # "talán igen, talán nem"
            labels = others & {self._doubt}
        else:
            labels = concluded or bare | others
        return _Said(frozenset(labels), is_final, is_correction, is_bare)

    def _alone(self, clause: str) -> str | None:
        """The answer of a clause that is nothing but a word, "szerintem" and the like aside."""
        if word := self._answer.get(clause.strip(_OUTER)):
            return word
        if self._doubt and _UNCERTAIN.search(clause):
            return None
        return self._answer.get(" ".join(_HEDGE.sub(" ", clause).split()).strip(_OUTER))

    def _in_clause(self, clause: str) -> tuple[set[str], set[str]]:
        """The answers that a clause gives, and those that it rejects."""
        said = _PREDICATE.search(clause.rstrip(_OUTER))
        named = {self._answer[said[1]]} if said and said[1] in self._answer else set()
        if self._opposite and (_OPEN.search(clause) or (self._doubt and _UNCERTAIN.search(clause))):
            return (named | {self._doubt} if self._doubt else set()), set()
        main_clause, _, that = clause.rpartition(" hogy ")  # "kiderül, hogy nem igaz"
        if main_clause and self._word.search(that) and not _NEGATION.search(main_clause):
            return self._in_clause(that)
        found: set[str | None] = set()
        rejected: set[str] = set()
        is_hypothetical = bool(_HYPOTHETICAL.search(clause))
        for match in self._word.finditer(clause):
            word, answer = match["word"], self._answer[match["word"]]
            *main, own = clause[max(0, match.start() - _SCOPE) : match.start()].split(" hogy ")
            is_negated = bool(_NEGATION.search(own) or match["after"] or self._is_rejected_behind(match))
            is_doubted = any(map(_NEGATION.search, main))  # "nem gondolom, hogy …"
            if is_negated != is_doubted:
                rejected.add(answer)
                opposite = self._opposite.get(answer)
                opposite_of_word = self._opposite.get(word, opposite)
                found.add(opposite if is_doubted and opposite_of_word else opposite_of_word)
            elif not is_hypothetical and not own.endswith("már "):
                found.add(answer)
        return {answer for answer in found if answer} or named, rejected

    @staticmethod
    def _is_rejected_behind(match: re.Match[str]) -> bool:
        """Whether a negation follows a word in the dative: "helyesnek egyáltalán nem mondható"."""
        end = match.end()
        return match["ending"] in ("nak", "nek") and bool(_NEGATION.search(match.string[end : end + _SCOPE]))


@lru_cache(maxsize=32)
def _reader(
    words: tuple[tuple[str, tuple[str, ...]], ...], opposite: tuple[tuple[str, str | None], ...], doubt: str | None
) -> _Reader:
    return _Reader(dict(words), dict(opposite), doubt)


def _only(labels: frozenset[str]) -> str | None:
    return next(iter(labels)) if len(labels) == 1 else None

"""What clauses say of labels: negation, doubt, condition and conclusion, with the words of the languages.

A grammar is made of the words of a family's labels and of the files of its languages, once for each pair.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hueval_metrics.languages.load import pattern, remembered, source, words

_SHORT = 6  # words of a verdict; a longer text may be the corrected sentence
_SCOPE = 200  # characters in which a negation before a word is looked for; longer clauses are runaway generations


@dataclass(frozen=True, eq=False)
class Labels:
    """The words by which replies answer with labels.

    Attributes:
        words: label → the words that stand for it, in small letters, itself among them; `true` and `false` are those of
            JSON, too.
        opposites: label → the one that its negation means. A word may have its own, or None for none. A label without
            one is only rejected by "not".
        doubt: the label that "perhaps" and "not certain" stand for. Without one, "perhaps igen" decides nothing.
        particles: words that make sentences of many kinds, and are labels only where a clause consists of them.
        is_rewritten: whether replies write a corrected text, of which they say that it is right.
    """

    words: Mapping[str, Sequence[str]]
    opposites: Mapping[str, str | None] = field(default_factory=dict)
    doubt: str | None = None
    particles: Collection[str] = ()
    is_rewritten: bool = False


class Clause(NamedTuple):
    """A clause, and where it begins in the text."""

    text: str
    start: int


Spans = dict[str, tuple[int, int]]  # label → where it is said


_SUFFIXES = ("endings", "asks", "adverb")  # keys whose entries follow a word
_PATTERNS = {  # {keys}: any word of some keys, or of some labels
    "word": r"(?<!\w)(?P<word>{spoken})(?P<ending>{endings})?(?!\w)(?!-{asks}(?!\w))"
    r"(?P<after>\s+(?:{not no}|{lacks}))?",
    "other thing": r"{right}\s+(?:{wording}|{answer})",
    "quoted": r"[„“\"»”](?P<said>[^„”“\"»«\n]{1,300})[”“\"«„](?P<is_mention>\s+{wording})?",
    "listed": r"(?<!\w){named}(?:,\s?{named}){0,8}"
    r"(?:(?:,?\s+{or and}\s+|\s?/\s?)(?!{not no}\s+\w){named}(?!\w))+",
    "subject": r"\A\W*{article}\s+{spoken}\s+(?!{answer})\w+(?=\s+\w)",
    "negation": r"{not no}\s+{only}|(?P<no>{not no}|{denies})",
    "article": r"{article}\s+\Z",
    "near": r"(?:\s+\w+)?\s*\Z",
    "final": r"{answer}|\A\W*{therefore}",
    "conclusion": r"\A\s*{therefore}",
    "corrected": r"(?:{corrected}[^:]*|{article therefore}\s+{right}\s*):(?P<rest>.*)",
    "aside": r"\A\W*{because although condition}[^,]*,|(?<=\w\s){although}[^,]*,"
    r"|{because although}.*?(?={therefore}|\Z)|(?:\A|(?<=[,;:]))[^,;:]*,\s+{condition}[^,]*",
    "so much": r"({not no}[^,]{0,20}{so_much}[^,]{0,200}),\s+{rather_than}",
    "than": r"{rather_than}.*",
    "filler": r"{filler therefore instead that certain}|(?<!\w)\w{1,30}{adverb}(?!\w)",
    "predicate": r"(?:{article points_at that perhaps}\s+|{answer}\s+(?:\w+\s+)?)(?P<word>{particle})\W*\Z",
    "perhaps": r"{not no}\s+{perhaps}|(?P<open>{perhaps})",
    "undecided": r"{not no}(?:\s+\w+)?\s+{decided}",
    "uncertain": r"{not no}(?:\s+\w+)?\s+{decided certain}",
    "unknown": r"{no_answer}|{not no}(?:\s+\w+)?\s+{decided}",
    "that": r"[, ]*{that}",
    "comma": r"\A\W*{particle}(?=\s+{article points_at}[^,;:]*?(?<!\w){spoken}(?!\w))",
    "break": r",(?!\s*{that})|[;:()\[\]–—\"„”“]|\s-\s|{but and according}|(?={therefore instead})",
    "thought": r"{thought}\W*\Z",
    "whether": r"-{asks}(?!\w)",
}


class Grammar:
    """The patterns of one set of labels in some languages."""

    def __init__(self, labels: Labels, languages: tuple[str, ...]) -> None:
        said = {word: label for label, listed in labels.words.items() for word in (label, *listed)}
        self.labels, self.languages = labels, languages
        self.label_of = {_without_accents(word): label for word, label in said.items()} | said
        particles = self.label_of.keys() & set(labels.particles)
        parts = {key: _either(words(key, languages)) for key in _SUFFIXES}
        parts |= {"named": _either(self.label_of), "particle": _either(particles)}
        parts["spoken"] = _either(self.label_of.keys() - particles)

        def part(keys: re.Match[str]) -> str:
            return parts.get(keys[1]) or "(?:" + "|".join(source(key, languages) for key in keys[1].split()) + ")"

        self.patterns = {
            name: re.compile(re.sub(r"\{([a-z_ ]+)\}", part, form), re.DOTALL) for name, form in _PATTERNS.items()
        }

    def says(self, what: str, text: str) -> bool:
        """Whether one of the patterns, or a word of some keys, separated by blanks, is in a text."""
        return bool((self.patterns.get(what) or pattern(what, self.languages)).search(text))

    def clauses(self, sentence: str, start: int = 0) -> list[Clause]:
        """The clauses of a sentence, at least one."""
        ends = [(match.start(), match.end()) for match in self.patterns["break"].finditer(sentence)]
        if comma := self.patterns["comma"].match(sentence):  # "Nem a mondat hibás", for "Nem, a mondat hibás"
            ends = sorted([(comma.end(), comma.end()), *ends])
        places = zip([0, *(end for _, end in ends)], [*(begin for begin, _ in ends), len(sentence)], strict=True)
        return [Clause(sentence[begin:end], start + begin) for begin, end in places]

    def without_quotations(self, text: str) -> str:
        """A text without quotations, which decide nothing unless they begin with a label, and are no "word"."""

        def blank(quote: re.Match[str]) -> str:
            begins = without_sides(self.clauses(quote["said"])[0].text)
            return quote[0] if begins in self.label_of and not quote["is_mention"] else "~" * len(quote[0])

        return self.patterns["quoted"].sub(blank, text)

    def without_lists(self, text: str) -> str:
        """A text without labels that are offered, or named together: "igen vagy nem"."""

        def blank(match: re.Match[str]) -> str:
            before = self._negations(text, max(0, match.start() - 20), match.start())
            is_negated = any(self.patterns["near"].match(text, no.end(), match.start()) for no in before)
            return match[0] if is_negated else _blank(match)

        return self.patterns["listed"].sub(blank, text)

    def without_corrected(self, sentence: str) -> str:
        """A sentence without the text that it puts in the place of a wrong one."""
        found = self.patterns["corrected"].search(sentence) if self.labels.is_rewritten else None
        if not found or self.says("answer", found[0]):
            return sentence
        rest = found["rest"]
        if self.alone(rest) or (len(rest.split()) < _SHORT and self.in_clause(rest)[0]):  # "Javítás: nem helyes"
            return sentence
        return sentence[: found.start()] + " " * len(found[0])

    def without_asides(self, sentence: str) -> str:
        """A sentence without reasons, concessions, conditions, comparisons, and attributes of its subject."""
        for aside in (self.patterns["subject"], self.patterns["aside"]):
            sentence = aside.sub(_blank, sentence)
        if so_much := self.patterns["so much"].search(sentence):  # "nem annyira pozitív, mint negatív"
            end = so_much.end(1)
            sentence = sentence[:end] + "," + " " * (so_much.end() - end - 1) + sentence[so_much.end() :]
        return self.patterns["than"].sub(_blank, sentence)

    def alone(self, text: str, start: int = 0) -> Spans:
        """The label of a clause that is nothing but its word, once or repeated, words like "szerintem" aside."""
        said = without_sides(text)
        if said not in self.label_of and not self._opened(text):
            said = without_sides(" ".join(self.patterns["filler"].sub(_blank, text).split()))
        parts = said.split()
        label = self.label_of.get(said) or (self.label_of.get(parts[0]) if len(set(parts)) == 1 else None)
        return {label: (start + text.index(parts[0]), start + text.rindex(parts[-1]) + len(parts[-1]))} if label else {}

    def in_clause(self, text: str, start: int = 0) -> tuple[Spans, Spans]:
        """The labels that a clause gives, and those that it rejects."""
        labels, doubt = self.labels, self.labels.doubt
        named: Spans = {}
        is_hypothetical = self.says("would thought", text)
        if (predicate := self.patterns["predicate"].search(text)) and not is_hypothetical:
            named = {self.label_of[predicate["word"]]: _moved(predicate.span("word"), start)}
        if opened := self._opened(text):
            return (named | {doubt: _moved(opened, start)} if doubt else {}), {}
        last = next(iter([*self.patterns["that"].finditer(text)][::-1]), None)
        if last and self.patterns["word"].search(text, last.end()) and not self._is_negated(text[: last.start()]):
            main = text[: last.start()]
            is_sure = any(not no["no"] for no in self.patterns["negation"].finditer(main))  # "nem kérdés, hogy"
            if self.says("question asks", main) and not is_sure:
                return {}, {}
            return self.in_clause(text[last.end() :], start + last.end())  # "kiderül, hogy nem igaz"
        found: Spans = {}
        rejected: Spans = {}
        for match in self.patterns["word"].finditer(text):
            if self.patterns["other thing"].match(text, match.start()):
                continue
            word, label = match["word"], self.label_of[match["word"]]
            *mains, own = self.patterns["that"].split(text[max(0, match.start() - _SCOPE) : match.start()])
            behind = text[match.end() : match.end() + _SCOPE] if match["ending"] else ""
            is_negated = bool(self._is_negated(own) or match["after"] or self._is_negated(behind))
            is_doubted = any(map(self._is_negated, mains))  # "nem gondolom, hogy …"
            if is_negated != is_doubted:
                denied = next(self._negations(text), match)
                span = _moved((min(denied.start(), match.start()), max(denied.end(), match.end())), start)
                rejected[label] = span
                opposite = labels.opposites.get(label)
                of_word = labels.opposites.get(word, opposite)
                if other := opposite if is_doubted and of_word else of_word:
                    found[other] = span
            elif not is_hypothetical:
                found[label] = _moved(match.span(), start)
        return found or named, rejected

    def _opened(self, text: str) -> tuple[int, int] | None:
        """Where a clause leaves open what it says; "talán negatív" is negative."""
        found = self.patterns["uncertain" if self.labels.doubt else "undecided"].search(text)
        found = found or (self._may_be(text) if self.labels.opposites else None)
        return found and found.span()

    def _may_be(self, text: str) -> re.Match[str] | None:
        return next((match for match in self.patterns["perhaps"].finditer(text) if match["open"]), None)

    def _negations(self, text: str, *place: int) -> Iterator[re.Match[str]]:
        return (match for match in self.patterns["negation"].finditer(text, *place) if match["no"])

    def _is_negated(self, text: str) -> bool:
        """Whether a negation in a text rejects what follows: "a nem megfelelő szórend" rejects its noun alone."""
        return any(
            self.patterns["near"].match(text, match.end())
            or not self.patterns["article"].search(text, max(0, match.start() - 12), match.start())
            for match in self._negations(text)
        )

    def is_possible(self, text: str) -> bool:
        """Whether a clause names a label only as possible, besides one that was given: "de lehet, hogy nem"."""
        if self.labels.doubt or not self._may_be(text):
            return False
        return bool((self.patterns["predicate"] if self.labels.opposites else self.patterns["word"]).search(text))

    def asked(self, question: str) -> str | None:
        """The only word for a label that a question asks about."""
        found = [match["word"] for match in self.patterns["word"].finditer(self.patterns["whether"].sub("", question))]
        return found[0] if len(found) == 1 else None


grammar = remembered(Grammar)


def without_sides(text: str) -> str:
    """A text without what is no letter or digit at its ends."""
    return text.strip("".join({char for char in text if not char.isalnum()}))


def _without_accents(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def _either(listed: Iterable[str]) -> str:
    longest_first = sorted(listed, key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})"


def _moved(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0] + by, span[1] + by


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])

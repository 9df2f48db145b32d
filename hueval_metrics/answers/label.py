"""Read a label: which of a few words a reply answers with, such as `igen` and `nem`, read as a person would.

A reply may say the word alone, in a sentence, with a reason, negated ("nem elfogadható") or in an object. What it
repeats of the text that was asked about, and what follows "because", is no verdict. Patterns here describe form; which
words negate, doubt or conclude is in the files of the languages, which words stand for a label in the family's data.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hueval_metrics.answers.label_grammar import Clause, Grammar, Labels, grammar, without_sides
from hueval_metrics.answers.objects import Found, answer_of, is_form, objects, outside
from hueval_metrics.answers.reading import NOTHING, REFUSED, SEVERAL, UNREADABLE, Reading, answered
from hueval_metrics.answers.text import Text, readable, without_markup

_READ_LIMIT = 20_000  # characters from the end; a longer reply is a runaway generation
_SHORT = 600  # characters; a longer text is not a label alone
_EMPHASIS = re.compile(r"[*_`#$>|~\\]+")
_SPACES = re.compile(r"[ \t]{2,}")
_SIGN = re.compile(r"=|[^\w\s\x00-\x7f]")
_SENTENCE = re.compile(r"[^.!?…\n]{1,600}[.!?…\n]?|[.!?…\n]")  # a longer one is a runaway generation
_NUMBERED = re.compile(r"\A\W*\d{1,2}[.)]\s+")
_QUOTED = re.compile(r"[„“\"»”]([^„”“\"»«\n]{1,300})[”“\"«„]")

_FEW_WORDS = 6  # of a sentence that is a verdict, beside which another is a contradiction

_Spans = Mapping[str, tuple[int, int]]  # label → where it is said
_Found = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Said:
    """What a sentence says: labels, and whether it concludes, corrects, is nothing but a label, leaves open."""

    labels: _Spans = field(default_factory=dict)
    is_final: bool = False
    is_correction: bool = False
    is_bare: bool = False
    is_open: bool = False
    is_short: bool = False


def read_label(
    response: str,
    labels: Labels,
    languages: Sequence[str] = ("hu",),
    quoted: Iterable[str] = (),
    asked: Iterable[str] = (),
) -> Reading[str]:
    """Which label a reply answers with.

    Args:
        response: the reply without its reasoning trace, cut where the prompt begins again; any text.
        labels: the words that stand for each label, and what their negation means.
        languages: whose words are read; English is read, too.
        quoted: texts of the question, which a reply may repeat without deciding anything.
        asked: the questions of the prompts; a piece of one that breaks off answers nothing.

    >>> labels = Labels({"igen": ("igen", "elfogadható"), "nem": ("nem", "hibás")}, {"igen": "nem", "nem": "igen"})
    >>> [read_label(reply, labels).value for reply in ("Igen, az.", "**Nem elfogadható**", "igen vagy nem")]
    ['igen', 'nem', None]
    """
    known = grammar(labels, tuple(languages))
    before = max(0, len(response) - _READ_LIMIT)
    text = readable(response[before:])
    found = [*objects(text)]
    for one in found:
        if (reading := _in_object(known, text, one)) and reading.is_answered:
            return reading.moved(before)
    plain = _plain(outside(text, found))
    for repeated in sorted((_plain(Text(each)).plain for each in quoted), key=len, reverse=True):
        for form in (repeated, without_sides(repeated)):
            plain = plain.sub(re.compile(re.escape(form)), " ") if len(form) > 1 and form in plain.plain else plain
    for question in asked:
        plain = _without_pieces(plain, without_sides(_plain(Text(question)).plain))
    return _in_text(known, plain).moved(before)


def _plain(text: Text) -> Text:
    text = without_markup(readable(text)).sub(_EMPHASIS, " ").sub(_SPACES, " ").sub(_SIGN, _as_colon)
    return Text(text.plain.replace("İ", "I").lower(), text.starts, text.ends)  # of the same length


def _as_colon(sign: re.Match[str]) -> str:
    """Equality signs and arrows stand before a value as colons do."""
    return ":" if sign[0] == "=" or "ARROW" in unicodedata.name(sign[0], "") else sign[0]


def _without_pieces(text: Text, question: str) -> Text:
    """The text without whole repetitions of a question as no sentence, and pieces that end inside a word of it."""
    start = text.plain.find(" ".join(question.split()[:2])) if question.count(" ") > 1 else -1
    while start >= 0:
        said = text.plain[start:]
        length = next((i for i, (a, b) in enumerate(zip(said, question, strict=False)) if a != b), len(question))
        length = min(length, len(said))
        is_whole = length == len(question) and said[length : length + 1] in ("", ":", "\n")
        is_broken = length < len(question) and question[length].isalnum() and question[length - 1].isalnum()
        if is_whole or (is_broken and not said[length : length + 1].isalnum()):
            text = Text(text.plain[:start] + "?" * length + said[length:], text.starts, text.ends)
        start = text.plain.find(" ".join(question.split()[:2]), start + 1)
    return text


def _in_object(known: Grammar, text: Text, found: Found) -> Reading[str] | None:
    """The label in an object: under a key for the answer, its only value, or the only value that is just a label."""
    if is_form(found):
        return None
    leaves = [*found.leaves()]
    if stated := answer_of(found, known.languages):
        leaves = [*stated.leaves()]
        readings = [_in_value(known, text, leaf) for leaf in leaves]
    elif len(leaves) == 1:
        readings = [_in_value(known, text, leaves[0])]
    else:
        readings = [_in_value(known, text, leaf, alone=True) for leaf in leaves]
    read = {reading.value: reading for reading in readings if reading.is_answered}
    if len(read) > 1:
        return SEVERAL
    return next(iter(read.values()), None)


def _in_value(known: Grammar, text: Text, leaf: Found, *, alone: bool = False) -> Reading[str]:
    if isinstance(leaf.value, bool):
        label = known.label_of.get(str(leaf.value).lower())
        return answered(label, (text.span(leaf.start, leaf.end),), "object") if label else UNREADABLE
    if not isinstance(leaf.value, str):
        return UNREADABLE
    part = _plain(text.part(leaf.start, leaf.end))
    if alone and without_sides(part.plain) not in known.label_of:
        return UNREADABLE
    reading = _in_text(known, part)
    return replace(reading, rule="object") if reading.is_answered else reading


def _in_text(known: Grammar, text: Text) -> Reading[str]:
    """The label that a plain text gives."""
    if not any(map(str.isalnum, text.plain)):
        return NOTHING
    if len(text) < _SHORT and not text.plain.rstrip().endswith("?") and (found := known.alone(Clause(text.plain, 0))):
        (span,) = found.values()
        return answered(next(iter(found)), (text.span(*span),), "whole")
    plain = text.plain
    if whole := _QUOTED.fullmatch(plain.strip()):
        start = plain.index(whole[1])
        plain = " " * start + whole[1] + " " * (len(plain) - start - len(whole[1]))
    plain = _QUOTED.sub(lambda quote: _without_mention(known, quote), plain)
    listed = known.without_lists(plain)
    said = [*_sentences(known, listed)]
    labels, rule = _decided([one for one in said if one.labels])
    if len(labels) == 1:
        ((label, span),) = labels.items()
        return answered(label, (text.span(*span),), rule)
    if labels or listed != plain or any(one.is_open for one in said):
        return SEVERAL
    if known.is_refusal(plain):
        return REFUSED
    return NOTHING if known.is_unknown(plain) else UNREADABLE


def _without_mention(known: Grammar, quote: re.Match[str]) -> str:
    """A quotation that begins with a label; any other, and that of a word ("a „nem” szó"), decides nothing."""
    begins = without_sides(known.clauses(quote[1])[0].text)
    is_kept = begins in known.label_of and not known.is_mention(quote.string[quote.end() : quote.end() + 40])
    return quote[0] if is_kept else "~" * len(quote[0])


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _sentences(known: Grammar, text: str) -> Iterable[_Said]:
    """What each sentence says; what follows a corrected text praises that, unless it concludes."""
    is_correction = is_corrected = False
    asked: str | None = None
    for match in _SENTENCE.finditer(text):
        sentence = _NUMBERED.sub(_blank, match[0])
        if not sentence.strip():
            continue
        if sentence.rstrip().endswith("?"):
            asked = known.asked(sentence)
            is_correction |= known.is_correction(sentence)
            continue
        kept = known.without_corrected(sentence)
        said = _said(known, kept, match.start(), asked)
        is_correction |= said.is_correction
        if said.is_open or (said.labels and (said.is_final or not is_corrected)):
            yield replace(said, is_correction=is_correction)
            is_correction = False
        is_corrected |= kept != sentence
        asked = None


def _decided(said: Sequence[_Said]) -> tuple[_Spans, str]:
    """The labels that remain of those of the sentences, and the rule by which."""
    if not said:
        return {}, ""
    every = {label: span for one in reversed(said) for label, span in one.labels.items()}
    first, last = said[0], said[-1]
    for is_last in (lambda one: one.is_final, lambda one: one.is_correction):
        place = next((place for place in reversed(range(len(said))) if is_last(said[place])), None)
        if place is not None and not _is_contradicted(said[place], said[place:]):
            return said[place].labels, "line" if said[place].is_final else "sentence"
    for one in (first, last):
        if one.is_bare and not _is_contradicted(one, said):
            return one.labels, "line"
    return every, "sentence" if len(said) > 1 else "only"


def _is_contradicted(said: _Said, others: Iterable[_Said]) -> bool:
    """Whether another sentence is a verdict, and a different one; longer sentences explain."""
    return any(one.is_short and one.labels.keys().isdisjoint(said.labels) for one in others)


def _said(known: Grammar, sentence: str, at: int, asked: str | None) -> _Said:
    """What a sentence says behind a question about a word for a label, or about none."""
    is_final, is_correction = known.is_final(sentence), known.is_correction(sentence)
    told = known.without_asides(sentence)
    head, colon, value = told.rpartition(":")
    clauses = known.clauses(told, at)
    if colon:
        behind = known.clauses(value, at + len(head) + 1)
        if stated := known.alone(Clause(value, at + len(head) + 1)):  # "Helyes: nem"
            return _Said(stated, is_final, is_correction, is_bare=True, is_short=True)
        if is_final and any(known.alone(clause) or known.in_clause(clause)[0] for clause in behind):
            clauses = behind  # "Van, aki szerint helyes, de a válasz: nem helyes"
    bare: _Found = {}  # of clauses that are nothing but a label
    others: _Found = {}
    rejected: _Found = {}
    concluded: _Found = {}
    before: _Found = {}
    is_replaced = is_open = is_thought = is_doubted = False
    for place, clause in enumerate(clauses):
        is_replaced |= known.is_correction(clause.text)
        word = known.alone(clause)
        found, ruled_out = ({**word}, {}) if word else known.in_clause(clause)
        if is_thought and found:  # "azt hittem, hibás, de nem"
            is_thought = False
            continue
        is_thought |= known.is_only_thought(clause.text)
        is_other = known.is_alternative(clause.text) or told[clause.start - at - 1 : clause.start - at] == "/"
        was_open, is_doubted = is_doubted, known.is_open(clause.text)
        if is_other and found and (was_open or (before and found.keys() != before.keys())):
            is_open, bare, others, rejected, concluded = True, {}, {}, {}, {}
            continue
        if known.leaves_open(clause) - (bare.keys() | others.keys()) and (bare or others):
            is_open, bare, others = True, {}, {}
            continue
        if found and is_replaced:  # "pozitív, inkább negatív"
            clauses, bare, others = clauses[place:], {}, {}
        bare, others = (bare | word, others) if word else (bare, others | found)
        rejected |= ruled_out
        if found and known.is_concluding(clause.text):
            concluded = found
        is_replaced &= not found
        before = found
    # "Igen, a mondat …": what comes after explains it. "Igaz, de nem következik" contradicts itself.
    labels, doubt = known.labels, known.labels.doubt
    first = without_sides(clauses[0].text)
    if asked and first in known.label_of and known.is_yes_or_no(first):  # "Hibás? Nem."
        meant = known.answers(first, asked)
        return _Said({meant: next(iter(bare.values()))} if meant and bare else {}, is_final, is_correction, True)
    is_bare = bool(bare and known.alone(clauses[0])) and (
        not labels.opposites or not others.keys() - bare or first in labels.particles
    )
    if is_bare:
        stated = bare | {label: span for label, span in others.items() if label == doubt}
    elif len(rejected) > 1 and len(left := [*labels.words.keys() - rejected]) == 1:  # "Nem pozitív, de nem is negatív"
        spans = rejected.values()
        stated = {left[0]: (min(start for start, _ in spans), max(end for _, end in spans))}
    elif doubt in others and others.keys() == labels.words.keys():  # "talán igen, talán nem"
        stated = {doubt: others[doubt]}
    else:
        stated = concluded or bare | others
    is_short = sum(any(map(str.isalnum, word)) for word in sentence.split()) <= _FEW_WORDS
    return _Said(stated, is_final, is_correction, is_bare, is_open and not stated, is_short)

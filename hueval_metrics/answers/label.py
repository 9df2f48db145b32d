"""Read a label: which of a few words a reply answers with, such as `igen` and `nem`, read as a person would.

A reply may say the word alone, in a sentence, with a reason, negated ("nem elfogadható") or in an object. What it
repeats of the text that was asked about, and what follows "because", is no verdict. Patterns here describe form; which
words negate, doubt or conclude is in the files of the languages, which words stand for a label in the family's data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from hueval_metrics.answers.label_grammar import Grammar, Labels, Spans, grammar, without_sides
from hueval_metrics.answers.objects import Found, answer_of, is_form, objects, outside
from hueval_metrics.answers.reading import NOTHING, REFUSED, SEVERAL, UNREADABLE, Reading, answered
from hueval_metrics.answers.text import Text, readable, without_markup

_READ_LIMIT = 20_000  # characters from the end; a longer reply is a runaway generation
_EMPHASIS = re.compile(r"[*_`#$>|~\\ \t]{2,}|[*_`#$>|~\\]")
_EQUALS = re.compile("[=\u2190-\u21ff\u2794-\u27be]")  # and arrows, which precede a value as colons do
_SENTENCE = re.compile(r"[^.!?…\n]{1,600}[.!?…\n]?|[.!?…\n]")  # a longer one is a runaway generation
_FEW_WORDS = 6  # of a sentence that is a verdict, beside which another is a contradiction


class _Said(NamedTuple):
    """What a sentence says.

    Attributes:
        labels: those that it gives.
        rank: 2 where it concludes, or gives the answer as such; 1 where it replaces what was said.
        is_bare: whether it begins with a label alone.
        is_short: whether it has no room for anything but a verdict.
    """

    labels: Spans
    rank: int
    is_bare: bool = True
    is_short: bool = True


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
        if reading := _in_object(known, text, one):
            return reading.moved(before)
    text = _plain(outside(text, found))
    for repeated in sorted((without_sides(_plain(Text(each)).plain) for each in quoted), key=len, reverse=True):
        if len(repeated) > 1 and repeated in text.plain:
            text = text.sub(re.compile(re.escape(repeated)), " ")
    for question in asked:
        text = text.sub(_pieces(question), " ")
    return _in_text(known, text).moved(before)


def _plain(text: Text) -> Text:
    text = without_markup(readable(text)).sub(_EMPHASIS, " ").sub(_EQUALS, ":")
    return Text(text.plain.replace("İ", "I").lower(), text.starts, text.ends)  # of the same length


@cache
def _pieces(question: str) -> re.Pattern[str]:
    """A question that is no sentence, and its beginnings that end inside a word."""
    whole = without_sides(_plain(Text(question)).plain)
    first = len(" ".join(whole.split()[:2]))
    ends = (end for end in range(first, len(whole)) if whole[end - 1 : end + 1].isalnum())
    broken = "|".join(re.escape(whole[:end]) for end in reversed([*ends])) or "(?!)"
    return re.compile(rf"{re.escape(whole)}(?=:|\n|\Z)|(?:{broken})(?!\w)" if " " in whole else "(?!)")


def _in_object(known: Grammar, text: Text, found: Found) -> Reading[str] | None:
    """The label in an object: under a key for the answer, its only value, or the only value that is just a label."""
    if is_form(found):
        return None
    stated = answer_of(found, known.languages)
    leaves = [*(stated or found).leaves()]
    worded = (leaf for leaf in leaves if isinstance(leaf.value, (str, bool)))
    parts = [_plain(text.part(leaf.start, leaf.end)) for leaf in worded]
    if not stated and len(leaves) > 1:
        parts = [part for part in parts if without_sides(part.plain) in known.label_of]
    readings = [reading for part in parts if (reading := _in_text(known, part)).is_answered]
    if len({reading.value for reading in readings}) > 1:
        return SEVERAL
    return replace(readings[0], rule="object") if readings else None


def _in_text(known: Grammar, text: Text) -> Reading[str]:
    """The label that a plain text gives."""
    if not any(map(str.isalnum, text.plain)):
        return NOTHING
    plain = known.without_quotations(text.plain)
    listed = known.without_lists(plain)
    labels, rule = _decided([*_sentences(known, listed)])
    if len(labels) == 1:
        ((label, span),) = labels.items()
        is_whole = not text.plain.rstrip().endswith("?") and known.alone(text.plain)
        return answered(label, (text.span(*span),), "whole" if is_whole else rule)
    if labels or listed != plain:
        return SEVERAL
    if known.says("refusal", plain):
        return REFUSED
    return NOTHING if known.says("unknown", plain) else UNREADABLE


def _sentences(known: Grammar, text: str) -> Iterator[_Said]:
    """What each sentence says; what follows a corrected text praises that, unless it concludes."""
    is_corrected = False
    asked: str | None = None
    for match in _SENTENCE.finditer(text):
        if not (sentence := match[0]).strip():
            continue
        if sentence.rstrip().endswith("?"):
            asked = known.asked(sentence)
            continue
        kept = known.without_corrected(sentence)
        said = _said(known, kept, match.start(), asked)
        if said.labels and (said.rank == 2 or not is_corrected):
            yield said
        is_corrected |= kept != sentence
        asked = None


def _decided(said: Sequence[_Said]) -> tuple[Spans, str]:
    """The labels that remain of those of the sentences, and the rule by which."""
    if not said:
        return {}, ""
    last = max(range(len(said)), key=lambda place: (said[place].rank, place))
    since = said[last:] if said[last].rank else said
    for chosen, others in ((said[last], since), (said[0], said), (said[-1], said)):
        is_contradicted = any(each.is_short and each.labels.keys().isdisjoint(chosen.labels) for each in others)
        if (chosen.rank or chosen.is_bare) and not is_contradicted:
            return chosen.labels, "line" if chosen.rank != 1 else "sentence"
    every = {label: span for one in reversed(said) for label, span in one.labels.items()}
    return every, "sentence" if len(said) > 1 else "only"


def _said(known: Grammar, sentence: str, at: int, asked: str | None) -> _Said:
    """What a sentence says behind a question about a word for a label, or about none."""
    rank = 2 if known.says("final", sentence) else int(known.says("instead", sentence))
    asserted = known.without_asides(sentence)
    head, colon, value = asserted.rpartition(":")
    clauses = known.clauses(asserted, at)
    if colon:
        if stated := known.alone(value, at + len(head) + 1):  # "Helyes: nem"
            return _Said(stated, rank)
        behind = known.clauses(value, at + len(head) + 1)
        if rank == 2 and any(known.in_clause(clause.text)[0] for clause in behind):
            clauses = behind  # "Van, aki szerint helyes, de a válasz: nem helyes"
    bare: Spans = {}  # of clauses that are nothing but a label
    others: Spans = {}
    rejected: Spans = {}
    concluded: Spans = {}
    is_replaced = is_thought = False
    for place, clause in enumerate(clauses):
        is_replaced |= known.says("instead", clause.text)
        word = known.alone(*clause)
        found, ruled_out = (word, {}) if word else known.in_clause(*clause)
        if is_thought:  # "azt hittem, hibás, de nem"
            is_thought = not found
            continue
        is_thought = known.says("thought", clause.text)
        if known.is_possible(clause.text) and (bare or others):  # "igen, de lehet, hogy nem"
            bare, others, rejected, concluded = {}, {}, {}, {}
            continue
        if found and is_replaced:  # "pozitív, inkább negatív"
            clauses, bare, others = clauses[place:], {}, {}
        bare, others = (bare | word, others) if word else (bare, others | found)
        rejected |= ruled_out
        if known.says("conclusion", clause.text):
            concluded = found
    # "Igen, a mondat …": what comes after explains it. "Igaz, de nem következik" contradicts itself.
    labels, doubt = known.labels, known.labels.doubt
    first = without_sides(clauses[0].text)
    if asked and first in known.label_of and known.says("yes no not", first):  # "Hibás? Nem."
        label = known.label_of[asked]
        opposite = labels.opposites.get(asked, labels.opposites.get(label))
        meant = label if known.says("yes", first) else opposite
        return _Said({meant: next(iter(bare.values()))} if meant else {}, rank)
    is_bare = bool(bare and known.alone(*clauses[0])) and (
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
    return _Said(stated, rank, is_bare, is_short)

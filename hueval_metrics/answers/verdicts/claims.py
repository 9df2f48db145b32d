r"""The labels that a text states, and how surely: as final, in a place of its own, or in a sentence.

A label is stated alone in its clause, or behind a cue such as "the verdict is". One that is negated, doubted, quoted, a
case ("CORRECT would require …") or one of several is not. What two texts have in common states one in plain words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from hueval_metrics.answers.names import folded, options_named
from hueval_metrics.answers.units import HIDDEN
from hueval_metrics.answers.verdicts.own_words import is_said_by_others, unquoted
from hueval_metrics.languages.load import pattern, remembered, source

FINAL, PLACED, SAID = 3, 2, 1

_STOP = re.compile(r"[.!?…]+(?=[\s\"'”’)\]]|\Z|[\u2e80-\uffff])|[。;]|\n")
_BREAK = re.compile(r"(?P<colon>[:=|→⇒]|[-=]+>)|(?P<soft>[,、()\[\]–—]|\s-+(?=\s))")
_LATIN = str.maketrans("\u0410\u0421", "AC")  # Cyrillic letters of the same look
_NUMBERED = re.compile(r"\.[ \t]?\d")  # "No. 1"
_BETWEEN = re.compile(r"[^\w\n]{1,9}")  # names in a row
_QUOTES = tuple("\"'“”„‘’«»`")
_NEXT = re.compile(r"\w{0,6}(?:[\s\"']+\w+){0,3}")  # an ending, and the next words
_IN_PROSE = 400  # characters in which two texts are compared without a label


@dataclass(frozen=True)
class Labels:
    """The labels of a rubric, and what judges may call them.

    Attributes:
        key: the key of the object that the judge is asked for.
        names: the labels, in upper case with underscores.
        words: key of the language files → label that its words name.
        opposites: label → the label that its negation means, where that is said of the answer in plain words.
        likeness: keys of the language files for two texts that mean the same, and that do not → label.
        letters: letter → label.
        alone: word → label, where it is the whole reply or value.
        prompt: matches a part of the prompt, behind which a reply goes on with an item that the judge invents.
        languages: of replies; English is added.
    """

    key: str
    names: tuple[str, ...]
    words: Mapping[str, str]
    opposites: Mapping[str, str] = field(default_factory=dict)
    likeness: Mapping[str, str] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)
    alone: Mapping[str, str] = field(default_factory=dict)
    prompt: str = r"(?!)"
    languages: tuple[str, ...] = ("hu",)

    def __hash__(self) -> int:
        return hash((self.names, self.languages, tuple(self.letters)))

    def other(self, label: str) -> str | None:
        """The label that the negation of one means, either way; None if it may be several."""
        pairs = self.opposites or dict([self.names] if len(self.names) == 2 else [])
        return {**pairs, **{to: of for of, to in pairs.items()}}.get(label)


class Claim(NamedTuple):
    """A label that a text states: its place, and `FINAL`, `PLACED` (alone) or `SAID` (in a sentence)."""

    start: int
    end: int
    label: str
    rank: int


class _Mention(NamedTuple):
    """A name of a label, or several of different labels in a row, which have no `label`.

    `form` is `label` (in capitals), `phrase`, `word`, `letter`, or `likeness` (what two texts have in common or not).
    """

    start: int
    end: int
    label: str | None
    form: str


class _Clause(NamedTuple):
    """A part of a sentence.

    Attributes:
        start, end: its range.
        opener, ends: the kinds of breaks before it, and the kind behind.
        rest: how much of its sentence follows it.
        heading: the clause that ends in its colon, or the question before it.
        said: the end of what its sentence says before it.
        is_open: whether that opens a condition or doubt.
    """

    start: int
    end: int
    opener: frozenset[str]
    ends: str
    rest: int
    heading: str
    said: str
    is_open: bool


@remembered
def verdict_key(languages: tuple[str, ...]) -> re.Pattern[str]:
    """Names of a verdict, as keys of objects have them."""
    return re.compile(rf"(?:{source('last', languages)}\s)?(?:{source('verdict', languages)}\s?)+")


def claims(text: str, labels: Labels) -> list[Claim]:
    """The labels that a text states, in order.

    Args:
        text: readable, without the judge's objects.
        labels: of the rubric.
    """
    text = unquoted(text, _names(labels))
    low = folded(text).replace("_", " ")
    if label := labels.alone.get(low.strip(" \n\t.!\"'()[]")):
        return [Claim(0, len(text), label, PLACED)]
    found = _stated(low, _mentions(text, low, labels), labels)
    return found or ([] if len(low) > _IN_PROSE else _stated(low, _likened(low, labels), labels))


def _stated(low: str, mentions: list[_Mention], labels: Labels) -> list[Claim]:
    """The claims that a folded text makes with some of its mentions, in order."""
    hidden = list(low)
    for one in mentions:  # a label is no word of the sentence
        hidden[one.start : one.end] = HIDDEN * (one.end - one.start)
    plain = "".join(hidden)
    found: list[Claim] = []
    at, concludes = 0, False
    for clause in _clauses(plain, labels.languages) if mentions else ():
        concludes |= bool(clause.opener & {"instead", "therefore"})
        before = clause.start
        while at < len(mentions) and mentions[at].start < clause.end:
            one, at = mentions[at], at + 1
            behind = plain[one.end : mentions[at].start if at < len(mentions) else None]
            if claim := _claim(one, plain[before : one.start], behind, clause, labels):
                found.append(claim._replace(rank=FINAL) if concludes else claim)
                concludes = False
            before = one.end
    return found


@remembered
def _names(labels: Labels) -> re.Pattern[str]:
    """A pattern for the names of labels in a folded text, with a group for each label and key."""
    spelled = (r"[\s_-]{0,2}".join(map(re.escape, name.casefold().split("_"))) for name in labels.names)
    parts = [rf"((?<![\w-])(?:{name})(?![\w-]))" for name in spelled]
    parts += [rf"((?<!-){source(key, labels.languages)}(?!-))" for key in labels.words]
    return re.compile("|".join(parts))


def _mentions(text: str, low: str, labels: Labels) -> list[_Mention]:
    """The names of labels in a text, those in a row as one; of different labels it has none."""
    found, meant = [], [*labels.names, *labels.words.values()]
    for match in _names(labels).finditer(low):
        if not _NUMBERED.match(low, match.end()):
            said, place = text[match.start() : match.end()], (match.lastindex or 0) - 1
            is_label = place < len(labels.names) and said.isupper()
            form = "label" if is_label else "phrase" if " " in said else "word"
            found.append(_Mention(*match.span(), meant[place], form))
    if labels.letters:
        named = options_named(text.translate(_LATIN), [""] * len(labels.letters), labels.languages, is_numbered=False)
        of = [*labels.letters.values()]
        found += [_Mention(*one[:2], of[one.candidate], one.form) for one in named if one.form == "letter"]
    joining = pattern("or and both", labels.languages)
    made: list[_Mention] = []
    for one in sorted(found, key=lambda one: one.start):
        gap = low[made[-1].end : one.start] if made else ""
        marks = joining.sub("", gap)
        if _BETWEEN.fullmatch(marks) and (marks != gap or not _STOP.search(gap)):
            last = made[-1]
            made[-1] = _Mention(last.start, one.end, last.label if last.label == one.label else None, last.form)
        else:
            made.append(one)
    return made


def _likened(low: str, labels: Labels) -> list[_Mention]:
    """Where a folded text compares two others: words for the same, or for different."""
    found = [
        _Mention(*match.span(), label, "likeness")
        for key, label in labels.likeness.items()
        for match in pattern(key, labels.languages).finditer(low)
    ]
    return sorted(found)


def _clauses(text: str, languages: tuple[str, ...]) -> Iterator[_Clause]:
    """The clauses of a folded text whose labels are hidden, with what the ones before mean for them."""
    at, heading = 0, ""
    for stop in (*_STOP.finditer(text), None):
        end, mark = (stop.start(), stop[0]) if stop else (len(text), "")
        said, is_open, opener, part = "", "?" in mark, {"stop"}, ""
        breaks = [(match.start(), match.end(), match.lastgroup or "") for match in _BREAK.finditer(text, at, end)]
        for kind, keys in (("therefore", "therefore"), ("instead", "instead"), ("but", "but concedes")):
            breaks += [(match.start(), match.end(), kind) for match in pattern(keys, languages).finditer(text, at, end)]
        for start, behind, kind in [*sorted(breaks), (end, end, "stop")]:
            if re.search(rf"[\w{HIDDEN}]", text[at : max(at, start)]):
                part = text[at:start]
                if opener & {"but", "therefore", "instead"}:
                    said, is_open = "", is_open and bool(opener & {"stop", "colon"})
                yield _Clause(at, start, frozenset(opener), kind, end - start, heading, said, is_open)
                is_rule = "stop" in opener and pattern("must", languages).match(part.strip(" \"'("))
                is_open |= bool(is_rule or pattern("if maybe hypothetical", languages).search(part))
                heading, said, opener = part if kind == "colon" else "", (said + part + " ")[-90:], set()
            opener.add(kind)
            at = max(at, behind)
        at = stop.end() if stop else end
        if mark != "\n":
            heading = part if "?" in mark else ""


def _claim(one: _Mention, before: str, behind: str, clause: _Clause, labels: Labels) -> Claim | None:
    """What a clause claims by naming a label between a text of it and what follows; None where it is not stated."""
    forms, languages = _forms(labels.languages), labels.languages

    def has(keys: str, text: str) -> bool:
        return bool(pattern(keys, languages).search(text))

    label, sentence = one.label, behind[: clause.end - one.end + clause.rest]
    behind = behind[: max(0, clause.end - one.end)]
    meant = pattern("unreal", languages).sub("", before) if has("me", before) else before  # "my answer would be"
    is_everyday = one.form == "letter" or not labels.opposites  # may be a word of any sentence
    if (
        label is None
        or clause.is_open
        or has("if maybe hypothetical partly unreal", meant)
        or forms["withdrawn"].match(sentence)
        or is_said_by_others(clause.said + before, languages)
        # the heading of a definition, or what the judged text says
        or (before.endswith(_QUOTES) and (clause.ends == "colon" or forms["of_judged"].match(before)))
        or (is_everyday and one.form != "likeness" and has("judged", before))
        or (has("must", before) and not forms["cue"].search(before))
    ):
        return None
    if denied := forms["not"].search(before):
        if one.form == "likeness":
            label = labels.other(label) or label
        elif one.form != "word" or label not in labels.opposites:
            return None
        else:
            label, before = labels.opposites[label], before[: denied.start()]
    rank = SAID if one.form == "phrase" else 0
    if one.form == "likeness":
        near = _NEXT.match(behind)
        is_last = not re.search(r"\w", behind) and (has("means meant", before) or not before.strip())
        rank = SAID if is_last or (near and has("means", near[0])) else 0
    elif not re.search(r"\w", before):
        if not _is_heading(clause.heading, one, labels):
            return None
        if forms["strict"].match(behind):
            rank = PLACED if clause.opener - {"soft"} else SAID
    elif forms["strict"].match(behind) or (one.form == "label" and not is_everyday):
        is_sure = one.form in ("label", "letter") or has("verdict points_at answer me", before)
        rank = SAID if is_sure and (forms["cue"].search(before) or forms["copular"].search(before)) else rank
    rank = FINAL if rank and has("last", clause.heading + before) else rank
    return Claim(one.start, one.end, label, rank) if rank else None


def _is_heading(heading: str, one: _Mention, labels: Labels) -> bool:
    """Whether a label behind a heading and a colon is a verdict."""
    languages = labels.languages
    if not re.search(r"\w", heading):
        return True
    of_judged = _forms(languages)["of_judged"].match(heading) or is_said_by_others(heading, languages)
    aside = "because aside if maybe" + " different" * bool(labels.likeness)  # "Do they differ? NO"
    if of_judged or pattern(aside, languages).search(heading):
        return False
    is_own = one.form == "letter" or (one.form == "label" and bool(labels.opposites))
    return is_own or bool(pattern("verdict answer grades last same correct score yes no", languages).search(heading))


@remembered
def _forms(languages: tuple[str, ...]) -> dict[str, re.Pattern[str]]:
    """Patterns for the words right before and behind a label."""

    def of(keys: str) -> str:
        return f"(?:{'|'.join(source(key, languages) for key in keys.split())})"

    small = rf"(?:[\W_]+{of('links being unreal')})*[\W_]*\Z"
    sources = {
        "not": rf"{of('not neither')}(?:[\W_]+\w+){{0,2}}[\W_]*\Z",
        "cue": rf"{of('verdict answer option grades points_at')}{small}"
        rf"|{of('verdict')}(?:[\W_]+{of('links being unreal must')})*[\W_]*\Z",
        "of_judged": rf"\W*(?:{of('links')}\s)?{of('judged')}{small}",
        "copular": rf"{of('being')}{small}",
        "strict": rf"\W*(?:{of('verb_ending')}?\W*\Z|{of('because')})",
        "withdrawn": rf"\W{{0,4}}{of('partly offers if hypothetical')}"
        rf"|[^,;:(–—]{{0,60}}?{of('unreal if hypothetical')}",
    }
    return {name: re.compile(form) for name, form in sources.items()}

r"""Read the label in a judge's reply: in a JSON object, on a line of its own, in a sentence, or as a letter.

Judges are asked for a JSON object or a single word, and write fences, lists, prose and reasoning around it. A label
counts where it is stated: alone, behind a cue such as "the verdict is", in capitals. One that is negated, doubted, a
case ("CORRECT would require …"), one of several or quoted is none. If a reply gives two labels without a decision
between them, it has no label, and the judge can be asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hueval_metrics.answers.objects import BOXED, Found, key_name, under_key
from hueval_metrics.answers.reading import SEVERAL, UNREADABLE, NOTHING, Reading, Span, answered
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.answers.verdicts.own_words import (
    folded,
    is_said_by_others,
    of_judged,
    own_objects,
    read_text,
    unquoted,
    without_objects,
)
from hueval_metrics.languages.load import pattern, remembered, source, words

FINAL, PLACED, SAID = 3, 2, 1  # how sure a label is a verdict: announced as final, alone, in a sentence
ANSWER_FORM = {"answer", "confidence_score"}  # keys that a prompt asks of the judged model: an object of its response

_BREAK = re.compile(
    r"(?P<stop>[.!?…]+(?=[\s\"'”’)\]]|\Z|[\u2e80-\uffff])|[。！？]|\n)|(?P<colon>[:：=]|[→⇒]|[-=]+>)"
    r"|(?P<cell>\|)|(?P<soft>[,;，、；()（）\[\]{}<>]|\s[–—-]+(?=\s)|[–—])"
)
_APART = r"\u0e00-\u0eff\u2e80-\uffff"  # letters of scripts without spaces between words
_LATIN = str.maketrans("\u0410\u0421", "AC")  # Cyrillic letters of the same look
_INITIAL = re.compile(r"\.[ \t]?[^\W\d_][\w'’-]*\.?(?:[ \t][^\W\d_a-z][\w'’-]*)?[^\w\n]{0,3}(?:\n|\Z)|\.[ \t]?[A-Z]\.")
_SMALL = re.compile(r"(?:\A|[\n:=])[^\w\n]{0,9}(?<![\w\-'’.])([a-z])(?=[^\w\n]{0,9}(?:\Z|\n))")
_TWIN = re.compile(r"[ \t]?[\"'”]?[ \t]{0,3}(?:[:.=)\]–—-]{0,3}[ \t]{0,3}[(\[\"'“]?)[ \t]?")
_BETWEEN_CHOICES = re.compile(r"[\s\"'“”„*`_.,;/|()\[\]、，&+-]*")
_CHOICES = re.compile(
    r"[\s\"'“”)\]]{0,4}[/|][\s\"'“”(\[]{0,4}|[\"'”)\]]{0,2}\s?[,，、]\s?[\"'“(\[]{0,2}|[ \t]+|\s*(?:[-=]+>|[→⇒])\s*"
)
_QUOTE = "\"'“”„‘’«»`"


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
        keys: further keys of objects.
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
    keys: frozenset[str] = frozenset()
    prompt: str = r"(?!)"
    languages: tuple[str, ...] = ("hu",)

    def __hash__(self) -> int:
        return hash((self.key, self.names, self.languages, tuple(self.letters)))


@dataclass(slots=True)
class _Mention:
    """A name of a label in a text: its form is `label` (in capitals), `word` or `letter`."""

    start: int
    end: int
    label: str | None  # None: several labels in a row
    form: str
    is_phrase: bool = False


@dataclass(frozen=True, slots=True)
class _Claim:
    """A label that a text states."""

    start: int
    end: int
    label: str
    rank: int


def read_label(reply: str, labels: Labels) -> Reading[str]:
    """The label that a judge's reply gives.

    Args:
        reply: any text.
        labels: of the rubric.

    Returns:
        `answered` with one of the labels; else `nothing` (an empty reply), `several` or `unreadable`. The spans are
        ranges of the reply without its trace.

    >>> grades = Labels("evaluation", ("CORRECT", "INCORRECT"), {"correct": "CORRECT", "incorrect": "INCORRECT"})
    >>> read_label('{"evaluation": "Correct"}', grades).value, read_label("CORRECT or INCORRECT", grades).kind
    ('CORRECT', 'several')
    """
    text = read_text(reply)
    invented = re.search(labels.prompt, text.plain, re.IGNORECASE | re.MULTILINE)
    if invented and (own := _read(text.part(0, invented.start()), labels)).is_answered:
        return own
    return _read(text, labels)


def _read(text: Text, labels: Labels) -> Reading[str]:
    if not text.plain.strip():
        return NOTHING
    given: list[tuple[_Claim | None, bool]] = []
    for form in (text,) if text.plain.isascii() else (text, readable(text)):  # a full-width quote may end a string
        found = own_objects(form, labels.languages)
        for one, is_quoted, is_final in found:
            if not is_quoted and (read := _in_object(form, one, labels)) is not _ABSENT:
                given.append((read, is_final))
        if given:
            break
    text = without_markup(readable(Text(without_objects(form, [one for one, *_ in found]), form.starts, form.ends)))
    claims = _claims(text.plain, labels)
    if not given:
        return _decided(text, claims, "sentence")
    last, is_final = given[-1]
    if len({claim and claim.label for claim, _ in given}) > 1 and not is_final:
        return SEVERAL
    opposed = {claim.label for claim in claims if claim.rank >= PLACED} - {last and last.label}
    if last is None or (opposed and not is_final):
        return SEVERAL if opposed else UNREADABLE
    return _answered(form, last, "object")


_ABSENT: Any = object()


def _in_object(text: Text, found: Found, labels: Labels) -> Any:
    """The claim of an object; None where a key of a verdict has no label, or two; `_ABSENT` without such a key."""
    names = {key_name(key) for key, _ in found.entries}
    if names >= ANSWER_FORM:
        return _ABSENT
    skip = of_judged(labels.languages)
    flags = [
        _Claim(value.start, value.end, label, PLACED)
        for value, key in _flags(found, labels)
        if (label := _flag(key, value.value, labels))
    ]
    asked = under_key(found, lambda key: key_name(key) == labels.key, skip)  # type: ignore[arg-type]
    values = asked or under_key(found, lambda key: is_verdict_key(key, labels), skip)  # type: ignore[arg-type]
    claims = [*flags]
    is_open = False
    for value in values:
        for leaf in _leaves(value, labels):
            if isinstance(leaf.value, str):
                read = _in_value(text, leaf, labels)
                is_open = is_open or read is None
                claims += [read] if read else []
    if not claims:
        return None if asked or flags else _ABSENT
    return claims[0] if len({claim.label for claim in claims}) == 1 else None


def _leaves(value: Found, labels: Labels) -> Iterator[Found]:
    if isinstance(value.value, dict):
        inner = under_key(value, lambda key: is_verdict_key(key, labels) or key_name(key) == "value")
        for one in inner:
            yield from _leaves(one, labels)
        if inner:
            return
    if isinstance(value.value, list) or isinstance(value.value, dict):
        for _, one in value.entries:
            yield from _leaves(one, labels)
    else:
        yield value


def _in_value(text: Text, leaf: Found, labels: Labels) -> _Claim | None:
    """The label of a text in an object; none where the object goes on with another one, as the prompt's form does."""
    if re.match(r"[\"'”]?\s?(?:/(?!/)|\|)", text.plain[leaf.end : leaf.end + 4]):
        return None
    value = without_markup(readable(leaf.value))
    read = _decided(value, _claims(value.plain, labels), "object")
    return _Claim(leaf.start, leaf.end, read.value, PLACED) if read.value else None


def _flags(found: Found, labels: Labels) -> Iterator[tuple[Found, str]]:
    level = [found]
    while level:
        hits = [(value, key) for one in level for key, value in one.entries if key and _flag_label(key, labels)]
        if hits:
            yield from hits
            return
        level = [value for one in level for key, value in one.entries if key not in of_judged(labels.languages)]


def _flag(key: str, value: object, labels: Labels) -> str | None:
    """The label of a key of yes or no, such as `is_correct` or `same_meaning`."""
    said = str(value).strip().casefold()
    label = _flag_label(key, labels)
    if said == "true" or pattern("yes", labels.languages).fullmatch(said):
        return label
    if said == "false" or pattern("no", labels.languages).fullmatch(said):
        return _other(labels).get(label or "")
    return None


def _flag_label(key: str, labels: Labels) -> str | None:
    name = key_name(key).removeprefix("is_").replace("_", " ")
    for meaning, label in {**labels.words, **labels.likeness}.items():
        match = pattern(meaning, labels.languages).match(name)
        if match and label in _other(labels) and meaning not in ("yes", "no"):
            rest = name[match.end() :].strip()
            if not rest or pattern("means", labels.languages).fullmatch(rest):
                return label
    return None


def _other(labels: Labels) -> Mapping[str, str]:
    if labels.opposites:
        return {**labels.opposites, **{to: label for label, to in labels.opposites.items()}}
    return dict(zip(labels.names, labels.names[::-1], strict=True)) if len(labels.names) == 2 else {}


def is_verdict_key(key: str, labels: Labels) -> bool:
    """Whether a key of an object names a verdict: `verdict`, `final_evaluation`."""
    name = key_name(key)
    return (
        name in labels.keys
        or name in (labels.key, BOXED)
        or bool(_verdict_key(labels.languages).fullmatch(name.replace("_", " ")))
    )


@remembered
def _verdict_key(languages: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?:(?:{source('last', languages)}|my|your)\s)?(?:{source('verdict', languages)}\s?)+")


def _answered(text: Text, claim: _Claim, rule: str) -> Reading[str]:
    span: Span = text.span(claim.start, claim.end)
    return answered(claim.label, (span,), rule)


def _decided(text: Text, claims: list[_Claim], rule: str) -> Reading[str]:
    """The label that claims agree on: those from the last that is final on, else those of the highest rank."""
    if not claims:
        return UNREADABLE
    final = [claim.start for claim in claims if claim.rank == FINAL]
    best = max(claim.rank for claim in claims)
    kept = [claim for claim in claims if (claim.start >= final[-1] if final else claim.rank == best)]
    if len({claim.label for claim in kept}) > 1:
        return SEVERAL
    is_whole = len(text.plain.strip()) <= kept[-1].end - kept[-1].start + 6
    return _answered(text, kept[-1], "whole" if is_whole else "line" if best == PLACED else rule)


# --- what a text states ----------------------------------------------------------------------------------------------


@remembered
def _names(labels: Labels) -> re.Pattern[str]:
    """A pattern for the names of labels in a folded text, with a group for each label and form."""
    parts = []
    for place, name in sorted(enumerate(labels.names), key=lambda one: -len(one[1])):
        spelled = r"[\s_-]{0,2}".join(map(re.escape, name.casefold().split("_")))
        parts.append(rf"(?P<name{place}>(?<![\w-])(?:{spelled})(?![\w-]))")
    for place, key in enumerate(labels.words):
        parts.append(rf"(?P<word{place}>(?<!-){source(key, labels.languages)}(?!-))")
    return re.compile("|".join(parts))


@remembered
def _letters(labels: Labels) -> re.Pattern[str]:
    around = rf"[^\W{_APART}]"
    return re.compile(
        rf"(?<!{around})(?<![-&/.°+])(?<!\w['’])([{''.join(labels.letters)}\u0410\u0421])(?!{around}|[-&/+°]|['’]\w)"
    )


def _mentions(text: str, low: str, labels: Labels) -> list[_Mention]:
    found = []
    for match in _names(labels).finditer(low):
        group = match.lastgroup or ""
        place = int(group[4:])
        label = labels.names[place] if group.startswith("name") else list(labels.words.values())[place]
        said = text[match.start() : match.end()]
        form = "label" if group.startswith("name") and said.upper() == said else "word"
        found.append(_Mention(match.start(), match.end(), label, form, form == "word" and " " in said))
    if labels.letters:
        for match in _letters(labels).finditer(text):
            if not _INITIAL.match(text, match.end()):
                label = labels.letters[match[1].translate(_LATIN)]
                found.append(_Mention(match.start(), match.end(), label, "letter"))
        for match in _SMALL.finditer(text):
            if label := labels.letters.get(match[1].upper()):
                found.append(_Mention(match.start(1), match.end(1), label, "letter"))
        found.sort(key=lambda one: one.start)
    return found


def _rows(low: str, found: list[_Mention], labels: Labels) -> list[_Mention]:
    """The mentions, those that name one label twice as one, and those in a row of choices as one without a label."""
    made: list[_Mention] = []
    joining = pattern("or and both", labels.languages)
    for one in found:
        last = made[-1] if made else None
        gap = low[last.end : one.start] if last else ""
        if last and len(gap) <= 40:
            is_other = one.form != last.form and last.form != "word"
            is_twin = len(gap) <= 6 and gap.strip() and _TWIN.fullmatch(gap) and (is_other or set(gap) & set("(["))
            joined = joining.search(gap)
            is_row = _CHOICES.fullmatch(gap) or (joined and _BETWEEN_CHOICES.fullmatch(joining.sub("", gap)))
            if (is_twin or is_row) and "\n" not in gap.strip(" "):
                last.label = last.label if last.label == one.label else None
                last.end = one.end
                continue
        made.append(one)
    listed: list[_Mention] = []
    for one in made:  # "A: …\nB: …\nC: …", the form
        is_next = listed and one.start - listed[-1].end < 60 and "\n" in low[listed[-1].end : one.start]
        listed = [*listed, one] if is_next else [one]
        if len(labels.names) > 2 and [each.label for each in listed[-len(labels.names) :]] == list(labels.names):
            for each in listed[-len(labels.names) :]:
                each.label = None
    return made


@dataclass(slots=True)
class _Clause:
    """A part of a sentence: its range, the kinds of breaks before it, and the clause that ends in its colon."""

    start: int
    end: int
    opener: frozenset[str]
    heading: str = ""
    ends: str = ""  # the break behind it
    asks: bool = False


def _clauses(low: str, masked: str, languages: tuple[str, ...]) -> list[_Clause]:
    breaks = [(match.start(), match.end(), match.lastgroup or "") for match in _BREAK.finditer(low)]
    for kind in ("therefore", "instead", "but"):
        breaks += [(match.start(), match.end(), kind) for match in pattern(kind, languages).finditer(masked)]
    made: list[_Clause] = []
    at, opener, heading = 0, frozenset(("stop",)), ""
    for start, end, kind in [*sorted(breaks), (len(low), len(low), "stop")]:
        if start < at:
            continue
        if re.search(r"\w", low[at:start]):
            made.append(_Clause(at, start, opener, heading, kind))
            if kind == "soft" and _verdict_key(languages).fullmatch(
                low[at:start].strip(" -")
            ):  # "Decision - NO", "[DECISION] NO"
                kind = "colon"
            opener, heading = frozenset(), low[at:start] if kind == "colon" else ""
        if kind == "stop" and "?" in low[start:end]:
            for clause in reversed(made):
                clause.asks = True
                if "stop" in clause.opener:
                    break
        if kind == "stop" and "\n" not in low[start:end]:
            heading = ""
        opener |= {kind}
        at = end
    return made


def _claims(text: str, labels: Labels) -> list[_Claim]:
    """The labels that a text states."""
    languages = labels.languages
    text = unquoted(text, _names(labels))
    low = folded(text).replace("_", " ")
    if label := labels.alone.get(low.strip(" \n\t.!\"'()[]")):
        return [_Claim(0, len(text), label, PLACED)]
    mentions = _rows(low, _mentions(text, low, labels), labels)
    claims: list[_Claim] = []
    sentence, is_corrected = _Sentence(), False
    masked = list(low)
    for one in mentions:
        masked[one.start : one.end] = "q" * (one.end - one.start)
    clauses = _clauses(low, "".join(masked), languages)
    at = 0
    for number, clause in enumerate(clauses):
        if "stop" in clause.opener:
            sentence = _Sentence()
        if clause.opener & {"therefore", "instead", "but"}:
            sentence = _Sentence(
                is_final=bool(clause.opener & {"therefore", "instead"})
                or sentence.is_final
                and "colon" in clause.opener
            )
        is_corrected |= "instead" in clause.opener
        before_at = clause.start
        while at < len(mentions) and mentions[at].start < clause.end:
            one = mentions[at]
            at += 1
            if one.start < clause.start:
                before_at = max(before_at, one.end)
                continue
            upto = min(clause.end, mentions[at].start) if at < len(mentions) else clause.end
            around = _Around(low[before_at : one.start], low[one.end : max(one.end, upto)], clause, sentence)
            around.following = (
                low[clauses[number + 1].start : clauses[number + 1].end] if number + 1 < len(clauses) else ""
            )
            around.is_aside = low[clause.end : clause.end + 1] in ("(", "[")
            before_at = one.end
            if one.label is None or clause.asks:
                continue
            in_quotes = text[max(0, one.start - 1) : one.start] in tuple(_QUOTE)
            claim = _claim(one, around, labels, in_quotes=in_quotes)
            if claim:
                claims.append(replace(claim, rank=FINAL) if is_corrected and claim.rank == PLACED else claim)
                is_corrected = False
        said = low[clause.start : clause.end]
        sentence.is_open |= bool(pattern("if maybe hypothetical", languages).search(said))
        sentence.is_open |= "stop" in clause.opener and bool(pattern("must", languages).match(said.strip(" \"'(")))
        sentence.said += said + " "
        if clause.ends == "colon" and pattern("therefore instead last", languages).search(said):
            sentence.is_final = True
    if not claims and not any(one.form == "label" for one in mentions):
        return list(_likened(low, labels))
    return claims


@dataclass(slots=True)
class _Sentence:
    """What the clauses of a sentence before a mention mean for it."""

    is_open: bool = False
    is_final: bool = False
    said: str = ""


@dataclass(slots=True)
class _Around:
    """The words around a mention in its clause, and in the clauses around that."""

    before: str
    behind: str
    clause: _Clause
    sentence: _Sentence
    following: str = ""
    is_aside: bool = False


def _claim(one: _Mention, around: _Around, labels: Labels, *, in_quotes: bool) -> _Claim | None:
    """What a text claims by naming a label; None where it is not stated."""
    languages = labels.languages
    before, behind, opener = around.before, around.behind, around.clause.opener
    forms = _forms(languages)
    is_first = not re.search(r"\w", before)
    is_plain = (
        one.form == "letter" or bool(set(labels.letters.values()) - set(labels.names)) or one.label in ("YES", "NO")
    )
    label = one.label or ""
    meant = before
    if pattern("me", languages).search(before):  # "my answer would be"
        meant = pattern("would", languages).sub("", before)
    if around.sentence.is_open or pattern("if maybe hypothetical partly", languages).search(meant):
        return None
    if forms["withdrawn"].match(behind) or (
        not around.is_aside and not behind.strip(" ") and forms["case"].match(around.following.strip())
    ):
        return None
    if is_said_by_others(around.sentence.said[-90:] + before, languages):
        return None
    if (is_plain or in_quotes) and pattern("judged", languages).search(before):
        return None
    if pattern("would", languages).search(meant):
        return None
    cued = forms["cue"].search(before)
    if one.form == "word" and pattern("offers", languages).match(around.following.strip()):
        return None
    if pattern("must", languages).search(before) and not cued and not pattern("me", languages).search(before):
        return None
    if forms["not"].search(before):
        if one.form != "word" or label not in labels.opposites:
            return None
        label = labels.opposites[label]
        before = before[: forms["not"].search(before).start()]  # type: ignore[union-attr]
        is_first, cued = not re.search(r"\w", before), forms["cue"].search(before)
    strict = bool(forms["strict"].match(behind))
    if (
        is_first
        and not strict
        and around.clause.ends == "stop"
        and label in _other(labels)
        and one.form == "word"
        and not is_plain
    ):
        strict = bool(forms["noun"].match(behind))
    is_final = (
        around.sentence.is_final
        or bool(opener & {"therefore", "instead"})
        or bool(pattern("last", languages).search(before))
    )
    rank = 0
    if is_first:
        if in_quotes and around.clause.ends == "colon":  # the heading of a definition
            return None
        if "colon" in opener and not _is_heading(around.clause.heading, one, labels):
            return None
        begins = bool(opener & {"stop", "colon", "therefore", "instead", "cell"})
        if strict and (begins or (around.clause.ends == "stop" and one.form != "word")):
            rank = PLACED if begins else SAID
    elif cued or (forms["copular"].search(before) and (one.form == "label" or forms["subject"].search(before))):
        if strict or (one.form == "label" and not is_plain):
            rank = SAID
    rank = rank or (SAID if one.is_phrase else 0)
    if not rank:
        return None
    return _Claim(one.start, one.end, label, FINAL if is_final else rank)


def _is_heading(heading: str, one: _Mention, labels: Labels) -> bool:
    """Whether a label behind a heading and a colon is a verdict."""
    languages = labels.languages
    if not re.search(r"\w", heading):
        return True
    if pattern("because aside if maybe", languages).search(heading) or _forms(languages)["of_judged"].match(heading):
        return False
    if is_said_by_others(heading, languages):
        return False
    if one.form != "word" and one.label not in ("YES", "NO"):
        return True
    cues = "verdict answer grades last same correct score yes no"
    return bool(pattern(cues, languages).search(heading)) or len(heading.split()) > 3


@remembered
def _forms(languages: tuple[str, ...]) -> dict[str, re.Pattern[str]]:
    """Patterns for the words right before and behind a label."""
    of = {
        key: source(key, languages)
        for key in ("not", "than", "neither", "partly", "copula", "links", "verdict", "answer", "option", "judged")
    }
    between = "|".join(source(key, languages) for key in ("links", "copula", "would"))
    small = rf"(?:[\W_]+(?:{between}))*[\W_]*\Z"
    cue = "|".join(source(key, languages) for key in ("verdict", "answer", "option", "grades", "choose", "points_at"))
    because = source("because", languages)
    return {
        "not": re.compile(rf"(?:{of['not']}|{of['neither']})(?:[\W_]+\w+){{0,2}}[\W_]*\Z|{of['than']}[\W_]*\Z"),
        "cue": re.compile(
            rf"(?:{cue}){small}|{of['verdict']}(?:[\W_]+(?:{between}|{source('must', languages)}))*[\W_]*\Z"
        ),
        "of_judged": re.compile(rf"\W*(?:{of['links']}\s)?{of['judged']}{small}"),
        "copular": re.compile(rf"{of['copula']}{small}"),
        "subject": re.compile(
            "|".join((of["verdict"], source("points_at", languages), of["answer"], source("me", languages)))
        ),
        "strict": re.compile(
            rf"[^\w]*(?:\Z|{because}|[\W_]*{of['copula']}\W+(?:\w+\W+){{0,3}}(?:{of['verdict']}|{of['answer']})(?:\s\w+){{0,2}}\W*\Z)"
        ),
        "noun": re.compile(rf"\W+(?:{of['verdict']}|{of['answer']})\W*\Z"),
        "withdrawn": re.compile(
            rf"\W{{0,4}}(?:{of['partly']}|[^,]{{0,60}}?(?:{source('would', languages)}|{source('if', languages)}|{source('hypothetical', languages)})"
            rf"|{of['copula']}\b[^,.]{{0,60}}(?:{source('says', languages)}|{of['judged']}))"
        ),
        "case": re.compile(rf"(?:{source('if', languages)}|{source('hypothetical', languages)})"),
    }


def _likened(low: str, labels: Labels) -> Iterator[_Claim]:
    """What a text without a label says of two texts: that they mean the same, or not."""
    if not labels.likeness or len(low) > 400:
        return
    languages = labels.languages
    sentences = [each for each in re.split(r"(?<=[.!?])\s|\n", low) if re.search(r"\w", each)]
    for sentence in sentences:
        if sentence.rstrip().endswith("?") or pattern("if maybe hypothetical would must partly", languages).search(
            sentence
        ):
            continue
        for clause in re.split(rf"[,;:]|{source('but', languages)}", sentence):
            yield from _likened_in(clause, low, labels)


def _likened_in(clause: str, low: str, labels: Labels) -> Iterator[_Claim]:
    languages = labels.languages
    means, meant = pattern("means", languages), pattern("means meant", languages)
    if pattern("says", languages).search(clause):
        return
    for key, label in labels.likeness.items():
        for match in pattern(key, languages).finditer(clause):
            behind = re.match(r"(?:[\s\"']+\w+){0,3}", clause[match.end() :])
            if not means.search(behind[0] if behind else ""):
                is_closing = not re.search(r"\w", clause[match.end() :])
                if not is_closing or not (meant.search(clause) or len(low.split()) <= 3):
                    continue
            is_not = pattern("not", languages).search(clause, 0, match.start())
            yield _Claim(0, len(low), _other(labels)[label] if is_not else label, SAID)

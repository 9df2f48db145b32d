r"""The labels that a text states, and how surely: as final, in a place of its own, or in a sentence.

A label is stated alone in its clause, or behind a cue such as "the verdict is". One that is negated, doubted, quoted, a
case ("CORRECT would require …") or one of several is not. What two texts have in common states one in plain words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from hueval_metrics.answers.verdicts.own_words import folded, is_said_by_others, unquoted
from hueval_metrics.languages.load import pattern, remembered, source

FINAL, PLACED, SAID = 3, 2, 1

_BREAK = re.compile(
    r"(?P<stop>[.!?…]+(?=[\s\"'”’)\]]|\Z|[\u2e80-\uffff])|[。！？;；]|\n)|(?P<colon>[:：=]|[→⇒]|[-=]+>)"
    r"|(?P<cell>\|)|(?P<soft>[,，、()（）\[\]{}<>]|\s[–—-]+(?=\s)|[–—])"
)
_APART = r"\u0e00-\u0eff\u2e80-\uffff"  # letters of scripts without spaces between words
_LATIN = str.maketrans("\u0410\u0421", "AC")  # Cyrillic letters of the same look
_NAME = re.compile(r"\.[ \t]?([^\W\d_][\w'’-]*)(\.)?(?:[ \t]([^\W\d_][\w'’-]*))?(?=([^\w\n]{0,3}(?:\n|\Z))?)")
_NUMBERED = re.compile(r"\.[ \t]?\d")  # "No. 1"
_SMALL = re.compile(r"(?:\A|[\n:=])[^\w\n]{0,9}(?<![\w\-'’.])([a-z])(?=[^\w\n]{0,9}(?:\Z|\n))")
_TWIN = re.compile(r"[ \t]?[\"'”]?[ \t]{0,3}(?:[:.=)\]–—-]{0,3}[ \t]{0,3}[(\[\"'“]?)[ \t]?")
_BETWEEN_CHOICES = re.compile(r"[\s\"'“”„*`_.,;/|()\[\]、，&+-]*")
_CHOICES = re.compile(
    r"[\s\"'“”)\]]{0,4}[/|][\s\"'“”(\[]{0,4}|[\"'”)\]]{0,2}\s?[,，、]\s?[\"'“(\[]{0,2}|[ \t]+|\s*(?:[-=]+>|[→⇒])\s*"
)
_QUOTES = tuple("\"'“”„‘’«»`")
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

    def other(self, label: str) -> str | None:
        """The label that the negation of one means, either way; None if it may be several."""
        pairs = self.opposites or dict([self.names] if len(self.names) == 2 else [])
        return {**pairs, **{to: of for of, to in pairs.items()}}.get(label)


@dataclass(frozen=True, slots=True)
class Claim:
    """A label that a text states: its place, and `FINAL`, `PLACED` (alone) or `SAID` (in a sentence)."""

    start: int
    end: int
    label: str
    rank: int


@dataclass(slots=True)
class _Mention:
    """A name of a label: `label` (in capitals), `phrase`, `word` or `letter`; without a label, several in a row."""

    start: int
    end: int
    label: str | None
    form: str


@dataclass(slots=True)
class _Clause:
    """A part of a sentence.

    Attributes:
        start, end: its range.
        opener, ends: the kinds of breaks before it, and the kind behind.
        heading: the clause that ends in its colon, or the question before it.
        following: the next clause; `is_aside`, whether that is in brackets.
        said: the end of what its sentence says before it.
        is_open, is_final: whether that opens a condition or doubt; whether it is announced as final.
    """

    start: int
    end: int
    opener: frozenset[str]
    ends: str
    heading: str
    following: str = ""
    is_aside: bool = False
    said: str = ""
    is_open: bool = False
    is_final: bool = False


@remembered
def verdict_key(languages: tuple[str, ...]) -> re.Pattern[str]:
    """Names of a verdict, as keys of objects and headings have them."""
    return re.compile(rf"(?:(?:{source('last', languages)}|my|your)\s)?(?:{source('verdict', languages)}\s?)+")


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
    mentions = _rows(low, _mentions(text, low, labels), labels)
    found: list[Claim] = []
    at, is_corrected, is_only = 0, False, len({one.label for one in mentions}) == 1
    for clause in _clauses(low, mentions, labels.languages):
        is_corrected |= "instead" in clause.opener
        before = clause.start
        while at < len(mentions) and mentions[at].start < clause.end:
            one, at = mentions[at], at + 1
            if one.label and one.start >= clause.start:
                behind = min(clause.end, mentions[at].start) if at < len(mentions) else clause.end
                in_quotes = text[max(0, one.start - 1) : one.start] in _QUOTES
                around = (low[before : one.start], low[one.end : max(one.end, behind)])
                if claim := _claim(one, *around, clause, labels, in_quotes=in_quotes, is_only=is_only):
                    found.append(replace(claim, rank=FINAL) if is_corrected and claim.rank == PLACED else claim)
                    is_corrected = False
            before = max(before, one.end)
    is_named = any(one.form == "label" for one in mentions)
    return found or ([] if is_named or len(low) > _IN_PROSE else list(_likened(low, labels)))


@remembered
def _names(labels: Labels) -> re.Pattern[str]:
    """A pattern for the names of labels in a folded text, with a group for each label and key."""
    parts = []
    for place, name in sorted(enumerate(labels.names), key=lambda one: -len(one[1])):
        spelled = r"[\s_-]{0,2}".join(map(re.escape, name.casefold().split("_")))
        parts.append(rf"(?P<name{place}>(?<![\w-])(?:{spelled})(?![\w-]))")
    for place, key in enumerate(labels.words):
        parts.append(rf"(?P<word{place}>(?<!-){source(key, labels.languages)}(?!-))")
    return re.compile("|".join(parts))


@remembered
def _letters(labels: Labels) -> re.Pattern[str]:
    around, letters = rf"[^\W{_APART}]", "".join(labels.letters) + "\u0410\u0421"
    return re.compile(rf"(?<!{around})(?<![-&/.°+])(?<!\w['’])([{letters}])(?!{around}|[-&/+°]|['’]\w)")


def _mentions(text: str, low: str, labels: Labels) -> list[_Mention]:
    found, meant = [], list(labels.words.values())
    for match in _names(labels).finditer(low):
        if _NUMBERED.match(low, match.end()):
            continue
        kind, place = (match.lastgroup or "")[:4], int((match.lastgroup or "")[4:])
        said = text[match.start() : match.end()]
        is_label = kind == "name" and said.isupper()
        form = "label" if is_label else "phrase" if " " in said else "word"
        found.append(_Mention(*match.span(), labels.names[place] if kind == "name" else meant[place], form))
    if labels.letters:
        capitals = (one for one in _letters(labels).finditer(text) if not _is_initial(text, one.end()))
        for match in (*capitals, *_SMALL.finditer(text)):
            if label := labels.letters.get(match[1].translate(_LATIN).upper()):
                found.append(_Mention(*match.span(1), label, "letter"))
        found.sort(key=lambda one: one.start)
    return found


def _is_initial(text: str, end: int) -> bool:
    """Whether a letter is one of a name, "B. Bartók", judging by what follows it."""
    name = _NAME.match(text, end)
    if name is None or not name[1][0].isupper():
        return False
    is_another = len(name[1]) == 1 and bool(name[2])
    return is_another or (name[4] is not None and (name[3] is None or name[3][0].isupper()))


def _rows(low: str, found: list[_Mention], labels: Labels) -> list[_Mention]:
    """The mentions, those that name one label twice as one, and those in a row of choices as one without a label."""
    made: list[_Mention] = []
    joining = pattern("or and both", labels.languages)
    for one in found:
        last = made[-1] if made else None
        gap = low[last.end : one.start] if last else ""
        if last and len(gap) <= 40 and "\n" not in gap.strip(" "):
            is_other = one.form != last.form and last.form in ("label", "letter")
            is_twin = len(gap) <= 6 and gap.strip() and _TWIN.fullmatch(gap) and (is_other or set(gap) & set("(["))
            is_joined = joining.search(gap) and _BETWEEN_CHOICES.fullmatch(joining.sub("", gap))
            if is_twin or is_joined or _CHOICES.fullmatch(gap):
                last.label = last.label if last.label == one.label else None
                last.end = one.end
                continue
        made.append(one)
    n_labels, listed = len(labels.names), list[_Mention]()
    for one in made:  # "A: …\nB: …\nC: …", the form
        is_next = listed and one.start - listed[-1].end < 60 and "\n" in low[listed[-1].end : one.start]
        listed = [*listed[-n_labels:], one] if is_next else [one]
        if n_labels > 2 and [each.label for each in listed[-n_labels:]] == list(labels.names):
            for each in listed[-n_labels:]:
                each.label = None
    return made


def _clauses(low: str, mentions: list[_Mention], languages: tuple[str, ...]) -> list[_Clause]:
    """The clauses of a folded text, with what the ones before in their sentences mean for them."""
    masked = list(low)
    for one in mentions:  # a label is no word of the sentence
        masked[one.start : one.end] = "q" * (one.end - one.start)
    breaks = [(match.start(), match.end(), match.lastgroup or "") for match in _BREAK.finditer(low)]
    for kind, keys in (("therefore", "therefore"), ("instead", "instead"), ("but", "but concedes")):
        breaks += [(match.start(), match.end(), kind) for match in pattern(keys, languages).finditer("".join(masked))]
    heads = re.compile(rf"{verdict_key(languages).pattern}|{source('answer', languages)}")
    made: list[_Clause] = []
    at, opener, heading = 0, frozenset(("stop",)), ""
    for start, end, kind in [*sorted(breaks), (len(low), len(low), "stop")]:
        if start < at:
            continue
        if re.search(r"\w", low[at:start]):
            if kind == "soft" and heads.fullmatch(low[at:start].strip(" -")):
                kind = "colon"  # "Decision - NO", "[DECISION] NO"
            made.append(_Clause(at, start, opener, kind, heading, is_aside=low[start:end].strip() in ("(", "[")))
            opener, heading = frozenset(), low[at:start] if kind == "colon" else ""
        if kind == "stop" and "?" in low[start:end]:
            for clause in reversed(made):  # a question
                clause.is_open = True
                if "stop" in clause.opener:
                    break
        if kind == "stop" and low[start:end] != "\n":
            heading = low[made[-1].start : made[-1].end] if made and "?" in low[start:end] else ""
        opener |= {kind}
        at = end
    _carry(low, made, languages)
    return made


def _carry(low: str, clauses: list[_Clause], languages: tuple[str, ...]) -> None:
    """Tell each clause what its sentence says before it; a turn or a conclusion ends conditions and quotations."""
    said, is_open, is_final = "", False, False
    for place, clause in enumerate(clauses):
        text = low[clause.start : clause.end]
        if place:
            clauses[place - 1].following = text
        turns = clause.opener & {"therefore", "instead"}
        if clause.opener & {"stop", "but"} or turns:
            is_final = bool(turns) or (is_final and "colon" in clause.opener and "stop" not in clause.opener)
            said, is_open = "", False
        clause.said, clause.is_final = said, is_final
        clause.is_open |= is_open
        begins = "stop" in clause.opener and pattern("must", languages).match(text.strip(" \"'("))
        is_open |= bool(begins or pattern("if maybe hypothetical", languages).search(text))
        is_final |= clause.ends == "colon" and bool(pattern("therefore instead last", languages).search(text))
        said = (said + text + " ")[-90:]


def _claim(
    one: _Mention, before: str, behind: str, clause: _Clause, labels: Labels, *, in_quotes: bool, is_only: bool
) -> Claim | None:
    """What a clause claims by naming a label between two texts of it; None where it is not stated."""
    forms, languages = _forms(labels.languages), labels.languages
    has = {key: pattern(key, languages).search for key in ("me", "unreal", "must", "judged", "last")}
    is_everyday = one.form == "letter" or not labels.opposites  # may be a word of any sentence
    is_alone, follows = not behind.strip(" "), clause.following.strip()
    meant = pattern("unreal", languages).sub("", before) if has["me"](before) else before  # "my answer would be"
    if clause.is_open or pattern("if maybe hypothetical partly unreal", languages).search(meant):
        return None
    if forms["withdrawn"].match(behind) or is_said_by_others(clause.said + before, languages):
        return None
    if is_alone and (
        forms["partly"].match(follows)
        or (clause.ends == "soft" and not clause.is_aside and forms["case"].match(follows))
    ):
        return None
    if has["judged"](before) and (is_everyday or (in_quotes and not forms["graded"].search(before))):
        return None
    if one.form == "word" and pattern("offers", languages).match(follows):
        return None
    if has["must"](before) and not forms["cue"].search(before) and not has["me"](before):
        return None
    label = one.label or ""
    if denied := forms["not"].search(before):
        if one.form != "word" or label not in labels.opposites:
            return None
        label, before = labels.opposites[label], before[: denied.start()]
    is_final = clause.is_final or bool(has["last"](before))
    is_strict = bool(forms["strict"].match(behind))
    rank = SAID if one.form == "phrase" else 0
    if not re.search(r"\w", before):
        opposite = [key for key, to in labels.likeness.items() if to != labels.names[0]]
        if opposite and pattern(" ".join(opposite), languages).search(clause.heading):  # "Do they differ? NO"
            return None
        if ("colon" in clause.opener and not _is_heading(clause.heading, one, labels)) or (
            in_quotes and clause.ends == "colon"  # the heading of a definition
        ):
            return None
        is_plain = one.form == "word" and not is_everyday and labels.other(label)
        is_strict |= bool(is_plain and clause.ends == "stop" and forms["noun"].match(behind))
        is_apart = is_only or "but" in clause.opener
        begins = clause.opener & {"stop", "colon", "therefore", "instead", "cell"}
        if is_strict and (begins or (is_apart and clause.ends == "stop" and one.form != "word")):
            rank = PLACED if begins else SAID
    elif is_strict or (one.form == "label" and not is_everyday):
        has_subject = one.form == "label" or forms["subject"].search(before)
        is_cued = forms["cue"].search(before) and (has_subject or one.form == "letter")
        rank = SAID if is_cued or (has_subject and forms["copular"].search(before)) else rank
    return Claim(one.start, one.end, label, FINAL if is_final else rank) if rank else None


def _is_heading(heading: str, one: _Mention, labels: Labels) -> bool:
    """Whether a label behind a heading and a colon is a verdict."""
    languages = labels.languages
    if not re.search(r"\w", heading):
        return True
    if pattern("because aside if maybe", languages).search(heading) or _forms(languages)["of_judged"].match(heading):
        return False
    if is_said_by_others(heading, languages):
        return False
    cues = pattern("verdict answer grades last same correct score yes no", languages)
    is_own = one.form in ("label", "letter") and (one.form == "letter" or bool(labels.opposites))
    return is_own or bool(cues.search(heading)) or len(heading.split()) > 3


@remembered
def _forms(languages: tuple[str, ...]) -> dict[str, re.Pattern[str]]:
    """Patterns for the words right before and behind a label."""

    def of(keys: str) -> str:
        return f"(?:{'|'.join(source(key, languages) for key in keys.split())})"

    small = rf"(?:[\W_]+{of('links being unreal')})*[\W_]*\Z"
    noun, is_noun = (
        of("verdict answer"),
        rf"[\W_]*{of('being')}\W+(?:\w+\W+){{0,3}}{of('verdict answer')}(?:\s\w+){{0,2}}\W*\Z",
    )
    sources = {
        "not": rf"{of('not neither')}(?:[\W_]+\w+){{0,2}}[\W_]*\Z|{of('than')}[\W_]*\Z",
        "cue": rf"{of('verdict answer option grades points_at')}{small}"
        rf"|{of('verdict')}(?:[\W_]+{of('links being unreal must')})*[\W_]*\Z",
        "graded": rf"{of('grades')}{small}",
        "of_judged": rf"\W*(?:{of('links')}\s)?{of('judged')}{small}",
        "copular": rf"{of('being')}{small}",
        "subject": of("verdict points_at answer me"),
        "strict": rf"\W*(?:{of('verb_ending')}?\W*\Z|{of('because')}|{is_noun})",
        "noun": rf"\W+{noun}\W*\Z",
        "withdrawn": rf"\W{{0,4}}(?:{of('partly that')}|[^,]{{0,60}}?{of('unreal if hypothetical')}"
        rf"|{of('being')}\b[^,.]{{0,60}}{of('says judged')})",
        "partly": rf"\W*{of('partly')}",
        "case": of("if hypothetical"),
    }
    return {name: re.compile(form) for name, form in sources.items()}


def _likened(low: str, labels: Labels) -> Iterator[Claim]:
    """What a text without a label says of two texts: that they mean the same, or not."""
    languages = labels.languages
    open_words = pattern("if maybe hypothetical unreal must partly", languages)
    means, meant = pattern("means", languages), pattern("means meant", languages)
    for sentence in re.split(r"(?<=[.!?])\s|\n", low if labels.likeness else ""):
        if sentence.rstrip().endswith("?") or open_words.search(sentence):
            continue
        for clause in re.split(rf"[,;:]|{source('but', languages)}", sentence):
            if pattern("says", languages).search(clause):
                continue
            for key, label in labels.likeness.items():
                for match in pattern(key, languages).finditer(clause):
                    rest = clause[match.end() :]
                    near = re.match(r"\w{1,6}|(?:[\s\"']+\w+){0,3}", rest)
                    is_last = not re.search(r"\w", rest) and (meant.search(clause) or len(low.split()) <= 3)
                    if is_last or means.search(near[0] if near else ""):
                        is_not = pattern("not", languages).search(clause, 0, match.start())
                        yield Claim(0, len(low), (labels.other(label) if is_not else label) or label, SAID)

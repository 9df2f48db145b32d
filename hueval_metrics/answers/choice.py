"""Read which of two numbered options a reply chooses.

Every name of an option (`2`, `B)`, `the latter`, its text) is replaced by one sign. Then each clause is classified by
the words around the signs: it chooses, rejects, leaves open, or only mentions an option.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hueval_metrics.answers.json_objects import json_objects, under_key
from hueval_metrics.answers.plain_text import readable, without_markup
from hueval_metrics.text.normalize import Key, compare_key, stream_safe

_KEYS = (
    *("final_answer", "answer", "válasz", "option", "choice", "selected", "selected_option", "opció", "lehetőség"),
    *("helyes_válasz", "correct_answer", "correct_option", "választás", "solution", "megoldás", "result", "number"),
)

# Signs from the private use area: options named by number, letter or position, and options named by their text.
_N1, _N2, _T1, _T2 = "\ue001", "\ue002", "\ue003", "\ue004"
_STOP = "\ue005"  # a sentence ends behind a number, unless the text of an option follows
_N, _T = f"[{_N1}{_N2}]", f"[{_T1}{_T2}]"
_OPTION_OF = {_N1: 1, _N2: 2, _T1: 1, _T2: 2}

# All repetitions are bounded, so that a runaway reply does not take quadratic time.
_NOUN = (
    r"(?:options?|choice|lehetőség\w{0,8}|opció\w{0,8}|alternatív\w{0,6}|változat\w{0,6}|értelmezés\w{0,4}|"
    r"interpretations?|állítás\w{0,4}|statements?)"
)
_ANSWER = r"(?:answer|válasz\w{0,8})"
_ENDING = r"(?:et|at|ot|t|nek|re|ra|ben|ban|hez|je|ik|ként)?"
_END = r"(?=[\s*_]*(?:[.,;:!?)\n]|\Z))"
_PREDICATE = (  # follows an ordinal that names an option, unlike in "first, …" or "second sentence"
    r"(?=\s+(?:az?\s|is\b|was\b|seems?\b|tűnik|helyes|helytelen|jó\b|jobb|hibás|rossz|téves|választ|illik|kizár|marad|"
    r"nem\b|not\b|mellett|felel|jelent|túl\b|too\b|voks|szavaz|mondan|tippel|gondol|igen\b|yes\b|lesz|lenne|vagy\b|"
    r"or\b|és\b|and\b|pont|fits|better|correct|wrong|van\b|volt\b|"
    r"(?:leg)?(?:valószínű|kevésbé)|logikus|ésszerű|more\b|less\b|likel|második\b|első\b))"
)
_NUMBER_PREDICATE = (
    r"(?:is|was|isn|az?|the|helyes\w*|helytelen|jobb|rossz|hibás|téves|nem|sem|not|or|vagy|és|and|because|mert|but|"
    r"hanem|de|since|mivel|as|correct|right|wrong|better|best|seems?|tűnik|közül|mellett|opció\w*|option|lehetőség\w*|"
    r"answer|válasz\w*|fits?|illik|captures|tükröz\w*|kifejez\w*|marad|would|lenne|lesz|egyértelműen|pontos\w*|mégis|"
    r"wait|várj\w*|szám\w*|also|only|csak|kizár\w*|makes?|reflects|means|jelent\w*|jó|jól|felel\w*|megfelel\w*|között|"
    r"közt|rather|instead|than|mint|igen|yes|no|pedig|ugyanis|javít\w*|helyett|inkább|biztosan|valószínű\w*|final\w*)\b"
)
_LINE = r"(?m:^)[ \t>*_\"'„(\[]{0,6}"
_LINE_END = r"(?=[ \t*_\"'”)\].:!]{0,6}(?m:$))"


def _names(digit: str, roman: str, letter: str, ordinal: str, numeral: str) -> re.Pattern[str]:
    """The names of one of the two options."""
    number = (  # "2.", "2-es"; not "2 dolog"
        rf"(?<![\w.,]){digit}(?!\w|[.,]\d|\s?%|\.?\s(?:beszélő|speaker|pont\b|ok\b))"
        r"(?:[.)]|-[^\W\d_]{1,5})?"
    )
    bare = rf"(?!(?<=\d)[ \t](?!{_NUMBER_PREDICATE})[^\W\d_]{{2}})"
    ways = (
        rf"(?:{_NOUN}|number)\s?[:#.]?\s?{number}(?:[ \t]{{1,2}}{_NOUN})?",
        rf"(?:\bno|\bnr|№)\s?[.:]?\s?{digit}(?!\w)|{number}{bare}(?:[ \t]{{1,2}}(?:{_NOUN}|{_ANSWER}))?",
        rf"{_LINE}{roman}[.)]?{_LINE_END}",
        rf"(?:{_NOUN}|{_ANSWER})\s?:?\s{roman}(?!['’]|\w|\s\w)\.?|(?<!\w){roman}\.?\s{_NOUN}",
        rf"{_LINE}{letter}[.)]?{_LINE_END}",
        rf"(?:option|choice|opció|lehetőség)\s?:?\s[(\"]?{letter}(?!\w|\s\w|-\w)[)\"]?",
        rf"{_ANSWER}(?:\s(?:is|az|a))?\s?:\s{{0,3}}[(\"]?{letter}(?!\w|\s\w|-)[).\"]?",
        rf"(?:(?<=answer is)|(?<=option is)|(?<=is option)|(?<=választom:))\s[(\"]?{letter}[)\"]?(?=\s*(?:[.,\n]|\Z))",
        rf"\baz?\s{roman}\.?{_PREDICATE}|(?<=\baz\s){letter}\s(?:{_NOUN}|{_ANSWER})",
        rf"(?<!\w){letter}(?:[.:]\s{{0,3}}(?={_T})|-(?:t|s|val|vel)\b)",
        rf"\({letter}\)|(?<!\w){letter}\)",
        rf"(?<!\w){letter}\s(?:opció|option)\w{{0,3}}" + (rf"|(?<!\w)b\s(?:{_NOUN}|{_ANSWER})" * (letter == "b")),
        rf"\b{ordinal}{_ENDING}\s(?:számú(?:\s(?:{_NOUN}|{_ANSWER}))?|{_NOUN}|{_ANSWER}|one\b)|"
        rf"(?:{_NOUN}|number)\s{numeral}\b",
        rf"(?<!\w)(?:az?|the)\s{ordinal}{_ENDING}\b(?:{_END}|{_PREDICATE})",
        rf"{_LINE}(?:{ordinal}|{numeral}){_ENDING}{_LINE_END}|{_LINE}{numeral}(?=,\s)",
        rf"(?<=[:,]\s){ordinal}{_ENDING}\b{_END}|(?:(?<=:\s)|\baz?\s){numeral}\b{_END}",
        rf"\b(?:{'előbbi|former|első' if digit == '1' else 'utóbbi|latter|második'}){_ENDING}\b(?:{_END}|{_PREDICATE})",
    )
    return re.compile("|".join(f"(?:{way})" for way in ways))


_NAMES = (
    (_N1, _names("1", "i", "a", r"(?:first|1st|első|egyes|former|előbbi)", "(?:one|egy)")),
    (_N2, _names("2", "ii", "b", r"(?:second|2nd|második|kettes|latter|utóbbi)", "(?:two|kettő)")),
)
# A single capital is the letter of an option, unless it may be the article "A".
_LETTER_B = re.compile(r"(?<![\w'’-])B(?![\w'’-])")
_LETTER_A = re.compile(
    r"(?<![\w'’-])(?<!N/)(?:(?<=[a-záéíóöőúüű] )A(?![\w'’-])|A(?!:\s?[12])(?=[.,;:!?)\]}>\"'”/]|"
    r"\s*(?m:$)|\sis\s|\snem[,.]|\s(?:vagy|és|or|and|but)\s\ue002))"
)
_SIGN_AND_NOUN = re.compile(
    rf"(?:\b(?:{_NOUN}|number)\s?[:#.]?\s?)?[(\"<{{]?({_N})[)\"'”>}}.]{{0,2}}(?:[ \t]{{1,2}}(?:{_NOUN}|{_ANSWER}))?"
)
_CHECKED = re.compile(r"[\[(]\s?[x✓✔]\s?[\])]|[☑☒✅✓✔●◉]")
_UNCHECKED = re.compile(r"\[\s{0,3}\]|\(\s{1,3}\)|[☐❌✗✘○◯]")
_DINGBATS = str.maketrans("❶❷➀➁➊➋", "121212")
_EMPHASIS = re.compile(r"[*_`#$]+|\\[(\[\])]")
_GLUED = re.compile(r"\b(option|choice|answer|lehetőség|opció|válasz)(?=[12ab](?!\w))")
_ACCENTED = {"elso": "első", "masodik": "második", "lehetoseg": "lehetőség", "valasz": "válasz"}
_UNACCENTED = re.compile(rf"\b(?:{'|'.join(_ACCENTED)})")
_SPEAKER = re.compile(r"\bspeaker\s?[12]\b|(?<!\w)[12]\.?\s(?:beszélő|speaker)\w{0,4}")  # a speaker in the context
_BETWEEN = rf"[^\w{_N1}{_N2}\n→>]*"  # not arrows, which point from one to the other
_STRUCK_LINE = re.compile(r"(?m:^)\W{0,6}[12AB]?\W{0,6}~~[^~\n]{1,500}~~[ \t]*(?m:$)")
_DIGIT_PAIR = re.compile(
    r"(?<![\w.,])(?:1\.?\s(or|and|vagy|és)\s(az?\s)?2|2\.?\s(or|and|vagy|és)\s(az?\s)?1)(?![\w%]|[.,]\d)"
)
_PAIR_ALONE = re.compile(rf"(?m:^){_BETWEEN}(?:{_N1}{_BETWEEN}{_N2}|{_N2}{_BETWEEN}{_N1}){_BETWEEN}(?m:$)")
_PAIR = re.compile(  # "1 vagy 2" decides nothing
    rf"(?<!nem )(?<!not )(?P<a>{_N}|{_T})[ :.]{{0,3}}{_T}?[ .,]{{0,3}}(?:,(?= ?{_N}\W*\Z)|\b(?:or|vagy|and|és|illetve|"
    rf"meg)\b|[+/&–-]|és/vagy) ?(?:az? |the )?(?P<b>{_N}|{_T})[ :.]{{0,3}}{_T}?(?: (?:is|közül|között|egyaránt)\b)?"
)
_END_OF_SENTENCE = re.compile(r"(?<=[^\s][ \t][12]\.)[ \t]+(?=[A-ZÁÉÍÓÖŐÚÜŰ])")  # "Az 1. Mert …"
_SENTENCE = re.compile(r"[^\n.!?]*(?:[.!?](?!\s|\Z)[^\n.!?]*)*(?:[.!?]+|\n|\Z)")
_CLAUSE = re.compile(
    rf"(?<!{_N})\s[–—-]+\s|[;,]\s|(?<!{_N} )(?<!{_N}):\s|\s\(|\s(?=(?:de|but|hanem|mégis|tehát|ezért|azonban|viszont|"
    rf"however|mert|because|míg|while|"
    r"whereas|mivel|since|így|várj\w*|wait|javít\w*|correction)\b)"
)
_LESS = (  # of one option: praises the other; "less literal" does not
    r"(?<!nem )(?<!not )(?:\b(?:leg)?(?:kevésbé|less|least)(?: sem)?(?: (?:tűnik|hangzik))? "
    r"(?:valószínű|likely|plausib|probab|jó|illik|megfelel|logikus|ésszerű|hihető|meggyőző|indokolt|helyes|helytálló|"
    r"pontos|suitable|appropriate|convincing|logical|accurate|correct)\w{0,4}|\bvalószínűtlenebb\b)"
)
_LESS_LIKELY = re.compile(_LESS)
_LESS_THAN = re.compile(rf"({_LESS},?) (?:mint|than)\b")  # "kevésbé valószínű, mint a 2." does not reject the second
_LESS_THAT = re.compile(rf"({_LESS}),? (?:hogy|that)\b")
_TURN = re.compile(
    r"^\W*(?:de|but|azonban|viszont|however|mégis|yet|ezért|tehát|therefore|so|így|ha választan\w*|if i had)\b"
)
_CORRECTION = re.compile(
    r"^\W*(?:nem|no)\W*$|\b(?:várj\w{0,4}|mégis|mégsem|javít\w{0,4}|helyesbít\w{0,5}|wait|actually|correction|"
    r"corrected|sorry|bocsánat|elnézést|hoppá|oops|on second thought|pontosít\w{0,4}|inkább|vagyis|azaz|i mean|"
    r"tévedtem|tévedés|hibáztam|mistake|rather|aztán|illetve nem|meggondolva|átgondolva|on reflection)\b"
)
_FINAL = re.compile(
    r"\b(?:final\w{0,2}|végső|végül|végleges\w{0,3}|tehát|therefore|összefoglalva|összességében|so|"
    r"thus|conclusion|ezért|így|hence)\b"
)
_STATED = re.compile(
    r"\b(?:answer|solution|válasz\w{0,8}|megoldás\w{0,8}|choose|chose|select\w{0,3}|pick|go with|opt|"
    r"(?:ki)?választ\w{0,8}|dönt\w{0,6}|helyes|helytálló|correct|right|jó|igen|yes|hanem|marad|remains|voks\w{0,6}|"
    r"szavaz\w{0,4}|tipp\w{0,4}|szerintem|i think|igaz|true|final\w{0,2}|végső)\b"
)
_PRAISED = re.compile(
    r"\b(?:jobb\w{0,3}|better|best|legjobb\w{0,3}|illik|illeszked\w{0,4}|fits?|suits?|match\w{0,2}|megfelel\w{0,3}|"
    r"accurate\w{0,2}|pontos\w{0,5}|(?:leg)?valószínűbb|felel meg|(?:more|most) likely|mellett|jelenti|means|kifejezi|"
    r"tükrözi|captures|reflects|corresponds)\b"
)
_WRONG = re.compile(
    r"\b(?:incorrect|wrong|false|helytelen|hibás|téves|rossz|hamis|kizár\w{0,7}|elvet\w{0,5}|ruled? out|exclude\w?|"
    r"eliminat\w{0,3}|nem jó|nem helyes|szó szerinti\w*|literal|kiesik|reject\w{0,3}|valószínűtlen)\b"
)
_NOT = r"(?:not|isn['’]t|nem|sem|ne|never|instead of|rather than|than|mint|kivéve)"
_NEGATED = re.compile(rf"\b{_NOT}[\s:]{{1,3}}(?!csak|only)(?:(?:the|an?|az?|is)\s)?[\s:]{{0,2}}({_N}|{_T})")
_REJECTED = re.compile(
    rf"({_N}|{_T})[\s:.(|–-]{{0,4}}{_T}?\s{{0,2}}(?:(?:is|az?|an?|pedig|biztosan|"
    rf"valószínűleg)\s){{0,2}}(?:not\b(?!\sonly)|isn['’]t|nem\b(?!\s*csak)|helyett\b|sem\b|no\b|"
    rf"(?:does|would|could|can|do)(?:n['’]?t| ?not)\b|{_WRONG.pattern})"
)
_OPEN = re.compile(
    r"\b(?:nem tud\w{0,4}|nem lehet|can(?:['’]?t|not)|unable|not sure|unsure|nem egyértelmű|nem világos|mind az?|"
    r"unclear|nehéz|hard to|difficult|egyik sem|sem az|neither|none|mindkettő\w{0,3}|mindkét|both|either|bármelyik|"
    r"depends|attól függ|nem vagyok biztos|ha|if|vagy|or|nem derül|not possible|lehetetlen|impossible|lehetne|could be|"
    r"might be|például|példa|example)\b"
)
_DOUBTED = re.compile(
    r"\b(?:nem (?:hiszem|gondolom|gondolnám|valószínű|értek|helyes|jó|igaz|ez|azt|választ\w{0,8})|"
    r"(?:\w{1,6}n['’]t|not|never) (?:think|believe|mean|choose|pick|select|go with)|unlikely|it['’]s not|"
    r"is not|isn['’]t|not correct|nem a helyes)\b"
)
_ENDS_IN_NOT = re.compile(r"\b(?:nem|not)\W*\Z")
_LISTED = re.compile(rf"^\W*(?:az?\s|the\s|option\s)?({_N})(?:\W*\Z|\s{{0,2}}[.,:;()\[\]–—-]|\s{{0,2}}{_T})")
_NO = re.compile(r"\b(?:nem|not|sem|\w+n't|kevésbé|less)\b")
_NOT_WRONG = re.compile(
    r"\b(?:nem (?:kizár|lehetetlen|rossz|hibás|helytelen|téves|kevésbé|valószínűtlen)|"
    r"not (?:wrong|incorrect|impossible|less))"
)
_READ_LIMIT = 100_000  # characters, counted from the end, where a runaway generation has its choice
_TERSE = 20  # characters around a number: "Szerintem az", but not a statement about the option
_SHORT = 60  # characters around an echoed option: "A helyes válasz tehát a következő: …", but not a discussion


def read_choice(
    response: str, options: Sequence[str] = (), key: Key = compare_key, *, by_exclusion: bool = False
) -> int | None:
    """Which of two options a reply chooses.

    Args:
        response: the reply without reasoning, cut where the prompt begins again; any text.
        options: the two option texts, so that a digit inside an echoed option is not read as the choice.
        key: the form in which the texts of options are compared.
        by_exclusion: whether a reply that only rejects one option chooses the other.

    Returns:
        1 or 2; None if the reply names neither, or both without a decision.

    >>> read_choice("Válasz: **2**"), read_choice("1 vagy 2"), read_choice("Az elsőt, nem a másodikat.")
    (2, None, 1)
    """
    response = response[-_READ_LIMIT:]
    for _, _, data in reversed([*json_objects(response)]):
        if found := _only({n for name, value in data.items() if value is True and (n := read_choice(name))}):
            return found
        if values := under_key(data, _KEYS):
            stated = values[-1] if isinstance(values[-1], (str, int, float)) else ""
            found = read_choice(str(stated), options, key, by_exclusion=by_exclusion)
            if found or isinstance(stated, (int, float)):
                return found
    text = _plain(without_markup(_STRUCK_LINE.sub("", readable(response))))
    texts = {n: _plain(without_markup(option)) for n, option in enumerate(options, start=1)}
    echoed = {n for n, option in texts.items() if key(text) and key(option) == key(text)}
    return _only(echoed) or _chosen_in(_with_signs(text, texts), by_exclusion)


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", stream_safe(text.translate(_DINGBATS)))
    text = _EMPHASIS.sub("", re.sub("[\ue001-\ue005]", " ", text))
    text = _LETTER_A.sub(_N1, _LETTER_B.sub(_N2, _END_OF_SENTENCE.sub(_STOP, text))).casefold()
    text = _UNACCENTED.sub(lambda match: _ACCENTED[match[0]], text)
    return re.sub(r"[ \t]+", " ", _GLUED.sub(r"\1 ", text)).strip()


def _with_signs(text: str, texts: dict[int, str]) -> str:
    """The text with every name of an option replaced by its sign."""
    keys = {n: option.strip(" .!?\"'„”:") for n, option in texts.items()}
    is_same = len(set(keys.values())) < len(keys)
    for n, key in sorted(keys.items(), key=lambda item: -len(item[1])):
        if key:
            text = text.replace(key, " " if is_same else f" {_T1 if n == 1 else _T2} ")
    text = re.sub(rf"{_STOP}(?!\s*{_T})", "\n", text).replace(_STOP, " ")
    lines = (line for line in text.split("\n") if not _UNCHECKED.search(line))
    text = "\n".join(f"answer: {_CHECKED.sub(' ', line)}" if _CHECKED.search(line) else line for line in lines)
    text = _SPEAKER.sub(" ", text)
    text = _DIGIT_PAIR.sub(f"{_N1} vagy {_N2}", text)
    for sign, names in _NAMES:
        text = names.sub(f" {sign} ", text)
    text = _PAIR_ALONE.sub(" ", re.sub(" +", " ", _SIGN_AND_NOUN.sub(r" \1 ", text)))
    return _PAIR.sub(lambda match: " " if _OPTION_OF[match["a"]] != _OPTION_OF[match["b"]] else match[0], text)


@dataclass(frozen=True)
class _Choice:
    """A choice made by one clause.

    Attributes:
        option: 1 or 2.
        is_stated: whether the clause states the choice; otherwise it only praises the option.
        is_correction: whether the clause corrects an earlier choice.
        is_last_word: whether the clause is a conclusion.
    """

    option: int
    is_stated: bool
    is_correction: bool
    is_last_word: bool


def _chosen_in(text: str, by_exclusion: bool) -> int | None:
    """The option that a text chooses, by its clauses, or as the only option that it names or does not reject."""
    chosen: list[_Choice] = []
    listed: set[int] = set()
    mentioned: set[int] = set()
    rejected: set[int] = set()
    is_correction = False
    for line in text.split("\n"):
        for sentence in _SENTENCE.findall(line):
            if not re.search(f"{_N}|{_T}", sentence):
                is_correction |= bool(_CORRECTION.search(sentence))
            elif not sentence.rstrip().endswith("?"):
                named, out = _read_sentence(sentence, chosen, listed, is_correction)
                mentioned |= named
                rejected |= out
                is_correction = False
    lines = [line for line in text.split("\n") if line.strip()]
    first, last = (_alone(lines[0]), _alone(lines[-1])) if lines else (None, None)
    if first and not any(choice.is_correction for choice in chosen):
        return _only({first, last or first} | {c.option for c in chosen if c.is_stated and c.is_last_word})
    if last:
        chosen.append(_Choice(last, is_stated=True, is_correction=False, is_last_word=False))
    if chosen:
        return _settled(chosen)
    if listed - rejected:
        return _only(listed - rejected)
    if len(rejected) == 1 and mentioned - rejected:  # "A 2. nem jó. Az 1. az."
        return _only(mentioned - rejected)
    is_open = _OPEN.search(_REJECTED.sub(" ", text)) or _NOT_WRONG.search(text)
    if by_exclusion and len(rejected) == 1 and not mentioned and not is_open:
        return _only({1, 2} - rejected)
    rest = re.sub(f"{_N}|{_T}", "", text).strip()
    longest = _TERSE if re.search(_N, text) else _SHORT
    return _only(mentioned) if len(rest) <= longest and not _NO.search(rest) else None


def _settled(chosen: Sequence[_Choice]) -> int | None:
    """The final one of several choices; None if they differ and none is a correction or conclusion."""
    chosen = [choice for choice in chosen if choice.is_stated] or chosen
    for is_last in (lambda c: False, lambda c: c.is_correction, lambda c: c.is_last_word):
        start = max((place for place, choice in enumerate(chosen) if is_last(choice)), default=0)
        if found := _only({choice.option for choice in chosen[start:]}):
            return found
    return None


def _read_sentence(
    sentence: str, chosen: list[_Choice], listed: set[int], is_correction: bool
) -> tuple[set[int], set[int]]:
    """Add the choices and listed options of a sentence; return the options that it names, and those that it rejects."""
    is_open = is_wrong = is_choice = is_stated = is_last_word = False
    mentioned: set[int] = set()
    rejected: set[int] = set()
    for clause in _clauses(_LESS_THAT.sub(r"\1", _LESS_THAN.sub(r"\1 hanem", sentence))):
        is_wrong &= clause.startswith(":")  # "Helytelen: …", "A válasz nem: …"
        is_turn = bool(_TURN.search(clause))
        if is_turn or clause.startswith(";"):
            is_open = False
        is_correction |= bool(_CORRECTION.search(clause))
        is_last_word |= bool(_FINAL.search(clause))
        is_open |= bool(_DOUBTED.search(_REJECTED.sub(" ", clause)) or (not is_turn and _OPEN.search(clause)))
        rejected |= {_OPTION_OF[match[1]] for pattern in (_NEGATED, _REJECTED) for match in pattern.finditer(clause)}
        clause = _REJECTED.sub(" ", _NEGATED.sub(" ", clause))
        is_stated |= bool(_STATED.search(clause))
        is_choice |= is_stated or bool(_PRAISED.search(clause) or _FINAL.search(clause))
        found = {_OPTION_OF[sign] for sign in re.findall(_N, clause) or re.findall(_T, clause)}
        if not found:
            is_wrong = bool(_WRONG.search(clause) or _ENDS_IN_NOT.search(clause))
            continue
        if is_open or is_wrong or _WRONG.search(clause):
            rejected |= found
        elif len(found) == 1 and _LESS_LIKELY.search(clause):
            rejected |= found
            (option,) = {1, 2} - found
            chosen.append(_Choice(option, False, is_correction, is_last_word))
        elif len(found) == 1 and (is_choice or is_correction or rejected - found):
            stated = is_stated or is_correction or not is_choice
            (option,) = found
            chosen.append(_Choice(option, stated, is_correction, is_last_word))
        elif match := _LISTED.match(clause):
            listed.add(_OPTION_OF[match[1]])
        mentioned |= found
        is_choice = is_stated = is_wrong = False
    return mentioned - rejected, rejected


def _clauses(sentence: str) -> Iterator[str]:
    places = [0, *(match.start() for match in _CLAUSE.finditer(sentence)), len(sentence)]
    return (sentence[a:b] for a, b in pairwise(places))


def _alone(line: str) -> int | None:
    """The option of a line that consists of its sign, with or without a confidence in per cent."""
    rest = re.sub(r"\(?\s?\d{1,3}\s?%\s?\)?", "", line)
    match = re.fullmatch(rf"[^\w{_N1}{_N2}{_T1}{_T2}]*({_N})[^\w{_N1}{_N2}{_T1}{_T2}]*", rest)
    return _OPTION_OF[match[1]] if match else None


def _only(found: set[int]) -> int | None:
    return next(iter(found)) if len(found) == 1 else None

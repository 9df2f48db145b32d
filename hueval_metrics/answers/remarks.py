"""Recognise remarks about an answer: that it is wrong, one of several, retracted, or replaced by the next one."""

from __future__ import annotations

import re

WRONG = r"hibás|helytelen|rossz|téves|elvetett|wrong|incorrect|rejected"
_INSTEAD_WORDS = r"inkább|mégis|végül|helyesen|rather|actually|instead"
_OR_WORDS = r"vagy|or|esetleg"
_CALLED_WRONG = (
    rf"(?:{WRONG}|hamis|false|bad|nem\s(?:az?\s)?(?:jó|helyes|megfelelő)|not\s(?:the\s|a\s)?(?:correct|right))"
)
_THING = r"(?:válasz\w{0,4}|megoldás\w{0,4}|példa|kitöltés|változat|lenne|volna|answers?|solutions?|examples?|would be)"
_WRONG_BEFORE = re.compile(
    rf"(?:\b{_CALLED_WRONG}\s+(?:\w+\s+)?{_THING}(?:\s\w+){{0,3}}|\bnem\s(?:ez|az|így)\w{{0,3}}|"
    rf"\bnot\s(?:this|that)(?:\s\w+)?|\b(?:the following|az alábbi|a következő)(?:\s\w+){{0,3}}\s{_CALLED_WRONG}|"
    rf"\b{_THING}\s(?:nem|is not|isn['’]t)|(?:\A|\n)\W*{_CALLED_WRONG})[\s:*_`(–-]*(?:json\s*)?\Z",
    re.IGNORECASE,
)
_WRONG_AFTER = re.compile(  # "Ez a válasz hibás.", "(hibás)"; not the heading of another answer: "Hibás megoldás: …"
    rf"[\s*_`)–.-]*(?:(?:wait|hmm|várj\w{{0,4}}|ó|oh|no|nem)[\s,.!…]{{1,4}})?"
    rf"(?:de\s|but\s)?(?:ez|this|that|the above|a fenti)(?:\s(?!nem\b|not\b)\w+){{0,3}}\s{_CALLED_WRONG}\b"
    rf"|[ \t*_`(–-]*{_CALLED_WRONG}\b(?![\s\w]{{0,40}}:)",
    re.IGNORECASE,
)
_EXAMPLE_BEFORE = re.compile(  # "Például így nézne ki egy válasz: …", followed by …
    r"\b(?:például|példa\w{0,4}|(?:for )?example|nézne ki|would look like)\b[^{}\[\]]{0,60}\Z", re.IGNORECASE
)
_UNKNOWN_AFTER = re.compile(  # … "De a megoldást nem tudom."
    r"[^{}\[\]]{0,60}\b(?:nem (?:tudom|ismerem)|(?:do not|don['’]t) know|can(?:not|['’]t)|unable to)\b", re.IGNORECASE
)
_OR = re.compile(
    rf"\b(?:{_OR_WORDS}|alternat\w{{1,8}}|másik (?:lehetőség|megoldás|válasz|változat)|"
    r"another (?:option|possib\w+|answer))\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    rf"\b(?:{_INSTEAD_WORDS}|javít\w{{0,6}}|helyesbít\w{{0,6}}|mégsem|végleges|végső|correct\w{{0,4}}|final\w{{0,2}}|"
    r"wait|várj\w{0,4}|helyes|pontosít\w{0,4}|hanem|sorry|bocsánat|elnézést)\b",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\bnem (?:tud\w{1,4}|lehet) (?:\w+ )?(?:eldönteni|dönteni|választani)|\b(?:can['’]?(?:no)?t|"
    r"unable to) (?:decide|choose)",
    re.IGNORECASE,
)
_NEAR = 120  # characters before and behind an answer in which remarks refer to it

# The patterns below are for short texts: the text of one blank, with its remarks.
_CORRECTION = re.compile(  # the answer follows it
    rf"(?:\bhanem\b|\bbut\b|[,;.(–-]\s{{0,3}}(?:{_INSTEAD_WORDS}|javítva|javítás|helyesbítve|pontosabban|helyette|"
    r"or rather|corrected(?: to)?|correction|finally)\b|→|->|=>)[\s:,]{0,5}(?:az?\s)?",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    rf"\b(?:{WRONG}|nem|not|never|sem|isn['’]t|cannot|can['’]t|false|kihúzva|törölve|áthúzva|elvetve|kizárva|kizárt|"
    r"kizárható|crossed|struck|ruled out|n/a)\b|[✗✘❌]",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    rf"\W*(?:(?:ez|az|this|that|it|lenne|volna|is|a|an)\s){{0,3}}(?:{_REFUSAL.pattern})", re.IGNORECASE
)
_CHOICE = re.compile(
    rf"\b(?:{_OR_WORDS}|illetve|valamint|maybe)\b|\s/\s|(?<=[^\W\d])/(?=[^\W\d])|\s\|\s", re.IGNORECASE
)
_REASON = re.compile(
    r"[\s,;(–—-]{1,4}(?:mert|mivel|ugyanis|hiszen|because|since)\b.*\Z|\s(?://|/\*).*\Z", re.IGNORECASE | re.DOTALL
)


def is_announced_wrong(text: str, start: int, end: int) -> bool:
    """Whether the text right before or behind an answer calls it wrong, or only an example.

    >>> is_announced_wrong("Hibás megoldás: X", 16, 17), is_announced_wrong("Ez volt a hiba. Helyesen: X", 26, 27)
    (True, False)
    """
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    is_example = _EXAMPLE_BEFORE.search(before) and _UNKNOWN_AFTER.match(after)
    return bool(_WRONG_BEFORE.search(before) or _WRONG_AFTER.match(after) or is_example)


def is_correction(text: str) -> bool:
    """Whether a text announces that the next answer replaces the previous one."""
    return bool(_INSTEAD.search(text))


def is_open_between(between: str, text: str) -> bool:
    """Whether a reply leaves the choice between two answers open.

    Args:
        between: the text between the two.
        text: the whole reply.
    """
    return not is_correction(between) and bool(_OR.search(between) or _UNDECIDED.search(text))


def settled(text: str) -> str | None:
    """The final answer of a short text, without its reason; None if the text retracts its answer, or gives none.

    >>> settled("nem Buda, hanem Eger"), settled("Buda (hibás)"), settled("Buda")
    ('Eger', None, 'Buda')
    """
    text = _REASON.sub("", text, count=1)
    corrections = [match for match in _CORRECTION.finditer(text) if match.start()]
    last = text[corrections[-1].end() :].strip() if corrections else text
    if not re.search(r"\w", last):
        return None
    return None if _REFUSAL.search(last) else last


def alternatives(text: str) -> list[str]:
    """The answers between which a short text leaves the choice open; one if it decides.

    >>> alternatives("Buda vagy Eger"), alternatives("Buda")
    (['Buda', 'Eger'], ['Buda'])
    """
    return [part.strip(" ,") for part in _CHOICE.split(text) if re.search(r"\w", part)]


def is_refusal(text: str) -> bool:
    """Whether a remark behind an answer begins with a retraction.

    >>> is_refusal("nem jó, mert hosszú"), is_refusal("mert nem hosszú")
    (True, False)
    """
    return bool(_TAKEN_BACK.match(text))

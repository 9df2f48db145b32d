"""What a reply says around an answer: that it is wrong, or one of several."""

from __future__ import annotations

import re

_WRONG = (
    r"(?:hibás|helytelen|rossz|téves|elvetett|hamis|nem\s(?:az?\s)?(?:jó|helyes|megfelelő)|wrong|incorrect|false|"
    r"rejected|bad|not\s(?:the\s|a\s)?(?:correct|right))"
)
_THING = r"(?:válasz\w{0,4}|megoldás\w{0,4}|példa|kitöltés|változat|lenne|volna|answers?|solutions?|examples?|would be)"
_WRONG_BEFORE = re.compile(
    rf"(?:\b{_WRONG}\s+(?:\w+\s+)?{_THING}(?:\s\w+){{0,3}}|\bnem\s(?:ez|az|így)\w{{0,3}}|"
    rf"\bnot\s(?:this|that)(?:\s\w+)?|"
    rf"\b(?:the following|az alábbi|a következő)(?:\s\w+){{0,3}}\s{_WRONG}|"
    rf"\b{_THING}\s(?:nem|is not|isn['’]t)|(?:\A|\n)\W*{_WRONG})[\s:*_`(–-]*(?:json\s*)?\Z",
    re.IGNORECASE,
)
_WRONG_AFTER = re.compile(  # "Ez a válasz hibás.", "(hibás)"; not the announcement of another: "Hibás megoldás: …"
    rf"[\s*_`)–.-]*(?:(?:wait|hmm|várj\w{{0,4}}|ó|oh|no|nem)[\s,.!…]{{1,4}})?"
    rf"(?:de\s|but\s)?(?:ez|this|that|the above|a fenti)(?:\s(?!nem\b|not\b)\w+){{0,3}}\s{_WRONG}\b"
    rf"|[ \t*_`(–-]*{_WRONG}\b(?![\s\w]{{0,40}}:)",
    re.IGNORECASE,
)
_EXAMPLE_BEFORE = re.compile(  # "Például így nézne ki egy válasz: …", followed by …
    r"\b(?:például|példa\w{0,4}|(?:for )?example|nézne ki|would look like)\b[^{}\[\]]{0,60}\Z", re.IGNORECASE
)
_UNKNOWN_AFTER = re.compile(  # … "De a megoldást nem tudom."
    r"[^{}\[\]]{0,60}\b(?:nem (?:tudom|ismerem)|(?:do not|don['’]t) know|can(?:not|['’]t)|unable to)\b", re.IGNORECASE
)
_OR = re.compile(
    r"\b(?:vagy|or|esetleg|alternat\w{1,8}|másik (?:lehetőség|megoldás|válasz|változat)|"
    r"another (?:option|possib\w+|answer))\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\b(?:inkább|rather|javít\w{0,6}|helyesbít\w{0,6}|mégis|mégsem|végül|végleges|végső|correct\w{0,4}|final\w{0,2}|"
    r"instead|wait|várj\w{0,4}|helyes(?:en)?|pontosít\w{0,4}|actually|hanem|sorry|bocsánat|elnézést)\b",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\bnem (?:tud\w{1,4}|lehet) (?:\w+ )?(?:eldönteni|dönteni|választani)|\b(?:can['’]?(?:no)?t|"
    r"unable to) (?:decide|choose)",
    re.IGNORECASE,
)
_NEAR = 120  # characters around an answer that speak of it


def is_announced_wrong(text: str, start: int, end: int) -> bool:
    """Whether what stands right before or after an answer calls it wrong, or a mere example.

    >>> is_announced_wrong("Hibás megoldás: X", 16, 17), is_announced_wrong("Ez volt a hiba. Helyesen: X", 26, 27)
    (True, False)
    """
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    is_example = _EXAMPLE_BEFORE.search(before) and _UNKNOWN_AFTER.match(after)
    return bool(_WRONG_BEFORE.search(before) or _WRONG_AFTER.match(after) or is_example)


def is_correction(text: str) -> bool:
    """Whether a text announces that what follows replaces what went before."""
    return bool(_INSTEAD.search(text))


def is_open_between(between: str, text: str) -> bool:
    """Whether two answers are left side by side.

    Args:
        between: what stands between the two.
        text: the whole reply.
    """
    return not is_correction(between) and bool(_OR.search(between) or _UNDECIDED.search(text))

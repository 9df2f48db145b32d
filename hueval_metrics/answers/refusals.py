"""What an answer takes back: negated, announced as wrong, or left open between several words."""

from __future__ import annotations

import re

_CORRECTION = re.compile(  # what follows it is the answer
    r"(?:\bhanem\b|\bbut\b|[,;.(–-]\s{0,3}(?:mégis|javítva|javítás|helyesbítve|pontosabban|inkább|"
    r"végül|helyesen|helyette|"
    r"(?:or )?rather|corrected(?: to)?|correction|actually|instead|finally)\b|→|->|=>)[\s:,]{0,5}(?:az?\s)?",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:nem|not|never|sem|isn['’]t|cannot|can['’]t|helytelen|hibás|rossz|téves|wrong|incorrect|false|kihúzva|"
    r"törölve|áthúzva|elvetve|elvetett|kizárva|kizárt|kizárható|crossed|struck|rejected|ruled out|n/a)\b|[✗✘❌]",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    rf"\W*(?:(?:ez|az|this|that|it|lenne|volna|is|a|an)\s){{0,3}}(?:{_REFUSAL.pattern})", re.IGNORECASE
)
_CHOICE = re.compile(
    r"\bvagy\b|\bor\b|\billetve\b|\bvalamint\b|\besetleg\b|\s/\s|(?<=[^\W\d])/(?=[^\W\d])|\s\|\s|\bmaybe\b",
    re.IGNORECASE,
)


_REASON = re.compile(
    r"[\s,;(–—-]{1,4}(?:mert|mivel|ugyanis|hiszen|because|since)\b.*\Z|\s(?://|/\*).*\Z", re.IGNORECASE | re.DOTALL
)


def settled(text: str) -> str | None:
    """The answer that a short text settles on, without its reason; None when it takes its answer back, or gives none.

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
    """The answers between which a short text leaves the choice open; one when it decides.

    >>> alternatives("Buda vagy Eger"), alternatives("Buda")
    (['Buda', 'Eger'], ['Buda'])
    """
    return [part.strip(" ,") for part in _CHOICE.split(text) if re.search(r"\w", part)]


def is_refusal(text: str) -> bool:
    """Whether a remark behind an answer begins by taking it back.

    >>> is_refusal("nem jó, mert hosszú"), is_refusal("mert nem hosszú")
    (True, False)
    """
    return bool(_TAKEN_BACK.match(text))

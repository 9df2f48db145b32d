"""The proper names of a Hungarian text: runs of words with a capital letter, found without a dictionary.

Every sentence begins with a capital, so its first word is part of a name only with evidence: it is capitalised
inside a sentence, too, it is an acronym, or another capitalised word follows it. A word of the closed list below is
none then, and an article never begins a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hueval_metrics.text.endings import is_same_name

_ARTICLES = frozenset({"a", "az", "egy"})
_OPENERS = """
ez ezt ezek ezeket ezzel ezért ezen ennek ebben ebből erre erről ehhez ettől emellett eközben ezután ezúttal
az azt azok azokat azzal azért azon annak abban abból arra arról ahhoz attól amellett azóta azután azonban
ő ők őt őket neki nekik én te mi ti ön önök minket mindenki senki valaki valami semmi minden mindez mindezt
aki akik akit akinek ami amik amit aminek amely amelyek amelyet amelynek ahol ahová ahogy ahogyan amikor amíg
amint amennyiben aminthogy hogy hogyan ha hiszen habár bár bárcsak ki kik kit kinek mit miért mikor milyen melyik
mennyi hány hol honnan hová és is s de sem se vagy vagyis azaz pedig ám ámde csak csakhogy csupán hanem hát illetve
így úgy ugyan ugyanis ugyanakkor ugyanez ugyanaz ugyancsak tehát mert mivel mint mintha minthogy miközben miután
mielőtt mialatt míg nem ne nincs nincsenek igen igaz talán tán persze sőt viszont ellenben ellenkezőleg egyébként
egyúttal egyelőre egyben egyes együtt egyetlen egyre emiatt amiatt eddig addig akkor akár akárcsak aligha alig
állítólag általában bizonyos biztosan csaknem csütörtökön hétfőn kedden szerdán pénteken szombaton vasárnap
tegnap ma holnap tegnapelőtt most majd már még máris mégis mégsem mellesleg mindössze mindenesetre mindenekelőtt
mindkét mindkettő mindig más mások másfelől másrészt egyrészt végül végre valóban valójában vajon vélhetően
tavaly idén jövőre januárban februárban márciusban áprilisban májusban júniusban júliusban augusztusban
szeptemberben októberben novemberben decemberben január február március április május június július augusztus
szeptember október november december reggel délelőtt délben délután este éjjel később korábban előbb előtte
utóbb utóbbi előbbi először másodszor harmadszor azelőtt időközben közben közölte szerinte szerintük
szerintem szerintünk kérdésünkre lapunk hozzátette elmondta mondta továbbá több többek többen sok sokan számos
néhány pár két kettő három négy öt hat hét nyolc kilenc tíz száz ezer első második harmadik utolsó jelenleg
jó rossz ilyen olyan ekkor ekkora akkora ide oda itt ott innen onnan után előtt alatt között mellett miatt nélkül
fél kétségtelen kétségkívül lehet kell volt van lesz legalább legfeljebb legutóbb leginkább például pontosabban
ráadásul részben rendszerint sajnos szintén továbbra tudniillik természetesen nyilván nyilvánvalóan noha no
"""
_FIRST_WORDS = _ARTICLES | frozenset(_OPENERS.split())  # they begin sentences and no names
_POLITE = frozenset({"ön", "önt", "önnek", "önök", "önöket", "önöknek"})  # capitalised, and no names
_PARTICLES = frozenset({"da", "de", "del", "den", "der", "di", "du", "van", "von", "bin", "ibn"})  # inside names
_ABBREVIATED = frozenset({"dr", "prof", "id", "ifj", "özv", "st", "szt"})
_NUMBER_OR_INITIAL = re.compile(r"[^\W\d_]|[IVXLC]{1,6}|\d+")
# Only the last word of a name takes a case: "Londonban Nagy Imre". Other endings are also those of names (Simon).
_CASE = re.compile(r"\w{3,}(?:b[ae]n|b[óő]l|r[óő]l|t[óő]l|h[oeö]z|n[áé]l|n[ae]k)")
_PLACE = re.compile(rf"{_CASE.pattern}|\w{{3,}}(?:[oeö]n|[br][ae])")
_WITH = re.compile(r"\w{2,}(?:v|([b-df-hj-np-tv-z])\1|([csz])\2[sz])[ae]l")  # "Merkellel"
_MOST_WORDS = 8  # of a name; a longer run is a headline
_QUOTES = frozenset("\"'„”“‚’‘»«")


class _Word(NamedTuple):
    """A word between white space.

    Attributes:
        text: without the punctuation around it.
        is_first: whether it begins a sentence or a quotation.
        is_bound: whether no punctuation is between it and the word before.
        has_stop: whether it is shortened, or a number, and the full stop behind it belongs to it.
    """

    text: str
    is_first: bool
    is_bound: bool
    has_stop: bool

    @property
    def is_capitalised(self) -> bool:
        return self.text != self.text.lower()

    @property
    def is_acronym(self) -> bool:
        return sum(char.isupper() for char in self.text) > 1 or (self.is_capitalised and not self.text.isalpha())


def names(paragraphs: Sequence[str]) -> list[str]:
    """The proper names of a text, as written in it, each once, in order of first appearance.

    Args:
        paragraphs: of one text; what is in one is evidence in another.

    >>> names(["A Forma–1 futamát tegnap Mogyoródon rendezték.", "Az MTI szerint Talmácsi Gábor is ott volt."])
    ['Forma–1', 'Mogyoródon', 'MTI', 'Talmácsi Gábor']
    """
    texts = [list(_words(unicodedata.normalize("NFC", paragraph))) for paragraph in paragraphs]
    every = [word for words in texts for word in words]
    inside = {word.text for word in every if word.is_capitalised and not word.is_first}
    written_small = {word.text for word in every if not word.is_capitalised}
    found: dict[str, None] = {}
    for words in texts:
        for run in _runs(words):
            found |= dict.fromkeys(_names_in(run, inside, written_small))
    return list(found)


def without_article(name: str) -> str:
    """A name without an article before it.

    >>> without_article("Az MTI"), without_article("Az")
    ('MTI', 'Az')
    """
    article, _, rest = name.partition(" ")
    return rest.lstrip() if rest.strip() and article.casefold() in _ARTICLES else name


def _words(paragraph: str) -> Iterator[_Word]:
    is_first, is_bound = True, False
    for token in paragraph.split():
        start, end = 0, len(token)
        while start < end and unicodedata.category(token[start])[0] == "P":
            start += 1
        while end > start and unicodedata.category(token[end - 1])[0] == "P":
            end -= 1
        text, before, after = token[start:end], token[:start], token[end:]
        if not text:  # a dash or dots
            is_bound = False
            continue
        opens = not _QUOTES.isdisjoint(before) and _QUOTES.isdisjoint(after)  # one word in quotes is a title
        has_stop = after == "." and bool(_NUMBER_OR_INITIAL.fullmatch(text) or text.casefold() in _ABBREVIATED)
        yield _Word(text, is_first or opens, is_bound and not before, has_stop)
        is_bound = not after or has_stop
        is_first = not is_bound and any(char in ".!?…" for char in after)


def _runs(words: Sequence[_Word]) -> Iterator[Sequence[_Word]]:
    """Capitalised words in a row, with particles between them; and two rows that make one name of an institution."""
    spans: list[tuple[int, int]] = []
    for place, word in enumerate(words):
        end = spans[-1][1] if spans else -2
        if word.is_capitalised:
            last = words[place - 1]
            is_next = end == place or (end == place - 1 and last.text in _PARTICLES and last.is_bound)
            if is_next and word.is_bound and not _CASE.fullmatch(words[end - 1].text):
                spans[-1] = spans[-1][0], place + 1
            else:
                spans.append((place, place + 1))
    for number, (start, end) in enumerate(spans):
        yield words[start:end]
        behind = words[end - 1].text  # "Nagy Imre Budapesten", "Nagy Imre Péterrel", or one name
        if (end - start > 2 and _PLACE.fullmatch(behind)) or (end - start == 3 and _WITH.fullmatch(behind)):
            yield words[start : end - 1]
            yield words[end - 1 : end]
        following = spans[number + 1] if number + 1 < len(spans) else None
        if following and following[0] == end + 1 and following[1] - following[0] > 1:
            both = words[end : end + 2]  # "Gazdasági és Közlekedési Minisztérium"
            if words[end - 1].text.endswith("i") and both[0].text == "és" and all(word.is_bound for word in both):
                yield words[start : following[1]]


def _names_in(run: Sequence[_Word], inside: set[str], written_small: set[str]) -> Iterator[str]:
    """The name that a run is; without its first word, too, where that may be a common one."""
    first = run[0]
    if first.is_first and not first.is_acronym and not _is_among(first.text, inside):
        small = first.text.casefold()
        if len(run) == 1 or small in _FIRST_WORDS:
            run = run[1:]
        elif small in written_small and (rest := _from_capital(run[1:])):  # "Nagy Imre", but "Tanács Budapesten"
            yield _joined(rest)
    run = _from_capital(run)
    is_common = len(run) == 1 and run[0].text.casefold() in (_FIRST_WORDS if run[0].is_first else _POLITE)
    if 0 < len(run) <= _MOST_WORDS and not is_common:
        yield _joined(run)
        yield from (_joined(part) for part in map(_from_capital, _parts(run)) if part)


def _from_capital(run: Sequence[_Word]) -> Sequence[_Word]:
    """A run without articles and particles before it."""
    while run and (run[0].text.casefold() in _ARTICLES or not run[0].is_capitalised):
        run = run[1:]
    return run


def _parts(run: Sequence[_Word]) -> Iterator[Sequence[_Word]]:
    """The names of which a run may consist, if it is not one name."""
    if len(run) > 2 and _PLACE.fullmatch(run[0].text):  # "Budapesten Nagy Imre"
        if not run[0].is_first:
            yield run[:1]
        yield run[1:]
    capitals = [place for place, word in enumerate(run) if word.is_capitalised]
    if len(capitals) == 4 and not any(word.has_stop or word.is_acronym for word in run):
        yield run[: capitals[2]]  # "Barack Obama Angela Merkellel"
        yield run[capitals[2] :]


def _is_among(word: str, others: set[str]) -> bool:
    """Whether a word is one of others but for endings."""
    return word in others or any(other[:2] == word[:2] and is_same_name(word, other) for other in others)


def _joined(run: Sequence[_Word]) -> str:
    """The text of a run, without a number at its end: "Nagy Imre VIII. kerületi"."""
    while len(run) > 1 and run[-1].has_stop:
        run = run[:-1]
    return " ".join(f"{word.text}." if word.has_stop else word.text for word in run).removesuffix(".")

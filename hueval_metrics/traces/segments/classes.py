"""The categories of segments (arXiv:2503.21500, Table 8) and the classes of Reasoning segments (Figures 37, 38)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

INTRODUCTION, REASONING, REVIEW, CONCLUSION = CATEGORIES = ("Introduction", "Reasoning", "Review", "Conclusion")
# In each dimension the classes by their numbers in the prompt.
DIMENSIONS = (
    ("Completely Incorrect", "Partially Correct", "Completely Correct", "Non Conclusion"),
    ("Simple Assertion", "Complex Thought"),
    ("Only Current Blank", "Modify Previous Blanks", "Current Blank and Consecutive Blank"),
    ("Contains Language Transfer", "No Language Transfer"),
)
# Other names: the paper's own (Summary in Table 8, Final_answer in Figure 35), near misses, and Hungarian.
_CATEGORIES = {
    INTRODUCTION: ("intro", "bevezetés", "bevezető"),
    REASONING: ("érvelés", "indoklás", "okfejtés", "gondolatmenet", "gondolkodás", "levezetés"),
    REVIEW: ("áttekintés", "felülvizsgálat", "ellenőrzés", "visszatekintés"),
    CONCLUSION: (
        *("summary", "final_answer", "final answers", "conclusions", "következtetés", "konklúzió", "összegzés"),
        *("összefoglalás", "végső válasz", "befejezés"),
    ),
}
_CLASSES = (
    {
        "Completely Incorrect": ("teljesen helytelen", "teljesen hibás", "teljesen rossz"),
        "Partially Correct": ("partly correct", "részben helyes", "részlegesen helyes"),
        "Completely Correct": ("fully correct", "teljesen helyes"),
        "Non Conclusion": ("no conclusion", "nincs következtetés", "nincs konklúzió"),
    },
    {
        "Simple Assertion": ("egyszerű állítás", "egyszerű kijelentés"),
        "Complex Thought": (
            *("complex thinking", "complex reasoning", "összetett gondolkodás", "összetett gondolat"),
            *("összetett gondolatmenet", "komplex gondolkodás", "komplex gondolat"),
        ),
    },
    {
        "Only Current Blank": (
            *("current blank only", "csak az aktuális üres hely", "csak a jelenlegi üres hely"),
            "csak az aktuális hézag",
        ),
        "Modify Previous Blanks": (
            *("modify previous blank", "modifies previous blanks", "korábbi üres helyek módosítása"),
            *("korábbi üres hely módosítása", "előző üres helyek módosítása", "előző üres hely módosítása"),
        ),
        "Current Blank and Consecutive Blank": (
            *("current blank and consecutive blanks", "current and consecutive blanks"),
            *("aktuális és egymást követő üres hely", "aktuális és egymást követő üres helyek"),
            *("aktuális és következő üres hely", "aktuális és következő üres helyek"),
        ),
    },
    {
        "Contains Language Transfer": (
            *("contain language transfer", "language transfer", "nyelvi átvitelt tartalmaz"),
            *("tartalmaz nyelvi átvitelt", "fordítást tartalmaz", "tartalmaz fordítást"),
        ),
        "No Language Transfer": (
            *("non language transfer", "nincs nyelvi átvitel", "nem tartalmaz nyelvi átvitelt", "nincs fordítás"),
            "nem tartalmaz fordítást",
        ),
    },
)
_NUMBER = re.compile(r"\s*(?:class|segment|osztály)?\s*(\d)\s*[.:)–-]\s*(?=\w)", re.IGNORECASE)
_LONGEST = 80  # characters of a name
_BETWEEN = re.compile(r"[\W_]+")


def category_of(name: object) -> str | None:
    """One of `CATEGORIES`, however a judge writes it; None for anything else.

    >>> category_of("final answer"), category_of("REVIEW "), category_of("Érvelés"), category_of("Thinking")
    ('Conclusion', 'Review', 'Reasoning', None)
    """
    return _CATEGORY_OF.get(_numbered(name[:_LONGEST])[1]) if isinstance(name, str) else None


def class_of(dimension: int, name: object) -> str | None:
    """A class of a dimension, however a judge writes it; None for anything else.

    Args:
        dimension: from 0 to 3.
        name: a name, with or without its number; a wrong number is no class.

    >>> class_of(0, "Class 2: partially-correct"), class_of(0, "Class 1: Completely Correct"), class_of(1, "Fast")
    ('Partially Correct', None, None)
    """
    if not isinstance(name, str):
        return None
    number, plain = _numbered(name[:_LONGEST])
    found = _CLASS_OF[dimension].get(plain)
    is_other = found is not None and number and DIMENSIONS[dimension].index(found) != int(number) - 1
    return None if is_other else found


@lru_cache(1024)  # a judge uses few names
def _numbered(name: str) -> tuple[str, str]:
    """The number before a name, empty without one, and the name as it is compared."""
    number = _NUMBER.match(name)
    return (number[1], _plain(name[number.end() :])) if number else ("", _plain(name))


def _plain(name: str) -> str:
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", name).casefold())


def _names(others: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {_plain(name): own for own, names in others.items() for name in (own, *names)}


_CATEGORY_OF, _CLASS_OF = _names(_CATEGORIES), tuple(map(_names, _CLASSES))

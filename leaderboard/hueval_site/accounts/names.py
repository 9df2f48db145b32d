"""Names that stand on boards: two that look alike must not be two."""

from __future__ import annotations

import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

LATIN = range(0x180)  # Basic Latin to Latin Extended-A: Hungarian and its neighbours
LOOK_ALIKE = frozenset("ıĸŉſ")  # of i, k, n and f
BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def tidy(text: str) -> str:
    """A name as it is stored: composed characters, single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def plain_name(text: str) -> None:
    """Accept the name of a team or a model.

    A letter of another script can look like a Latin one (Cyrillic "а"), and characters without a glyph make two names
    look the same.

    Raises:
        ValidationError: it has no letter or digit, or a character that is not Latin.

    >>> plain_name("PULI LlumiX 32k")
    >>> plain_name("Qwеn")  # the e is Cyrillic
    Traceback (most recent call last):
    ...
    django.core.exceptions.ValidationError: ['Use Latin letters, digits, spaces and punctuation only.']
    """
    if any(ord(char) not in LATIN or char in LOOK_ALIKE or not char.isprintable() for char in tidy(text)):
        raise ValidationError(_("Use Latin letters, digits, spaces and punctuation only."))
    if not any(char.isalnum() for char in text):
        raise ValidationError(_("Use at least one letter or digit."))


def team_name(text: str) -> None:
    """Accept the name of a team: it is public and outlives its members, so that it may not be a mail address.

    Raises:
        ValidationError: `plain_name` refuses it, or it has an @.
    """
    plain_name(text)
    if "@" in text:
        raise ValidationError(_("The name of a team is public: use one without an @."))


def plain_text(text: str) -> None:
    """Accept a text of several lines.

    Raises:
        ValidationError: it has control characters, or some that change the direction of what is written beside it.
    """
    if any(char in BIDI or (unicodedata.category(char) == "Cc" and char not in "\r\n\t") for char in text):
        raise ValidationError(_("Remove control characters, such as those that change the direction of writing."))

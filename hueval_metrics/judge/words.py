"""Fold an answer and find a reference in it, or that there is no answer, by the rules of a language.

- Languages without spaces are compared by characters; a number, a Latin word or a Thai syllable is never cut.
- Vietnamese words do not change, and their marks decide the meaning: the reference is in the answer word by word.
- Korean appends particles; the spaces of a compound name may be missing.
- Arabic puts article, conjunction and preposition before a word without a space.
- In all others every word of the reference begins a word of the answer, as endings are appended; in Czech, Serbian and
  Russian an ending may also replace the last vowel.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate

from rapidfuzz import fuzz, process

from hueval_metrics.languages.load import remembered, words
from hueval_metrics.text import unspaced
from hueval_metrics.text.hanzi import same_script
from hueval_metrics.text.unify import unified

WORD_LIKE = 85  # accepts a typo in six letters or more, not another word
_ACCENTS = re.compile(r"(?<=[a-z])[\u0300-\u036f]+")
_KEEPS_ACCENTS = "vi"
_CHANGE_LAST_VOWEL = ("cs", "sr", "ru")
_DECLINED = re.compile(r"(?P<stem>\w{4,})[aeiouyаеиоуыюяйь]")  # Москва, Москве
_KOREAN_PARTICLE = re.compile(  # behind a title or a kind of place
    r"(?:대왕|왕|황제|장군|선생|교수|박사|대통령|씨|님|시|도|군|산|강|섬|국|어)?"
    r"(?:은|는|이|가|을|를|의|에|도|만|와|과|로|으로|에서|에게|에는|에서는|께서|께|부터|까지|보다|처럼|라고|이라고|라는"
    r"|이라는|이나|나|이며|며|이고|고|이란|란|이다|다|입니다|이에요|예요|이었다|였다|이었습니다|였습니다|임|요)?"
)
_ARABIC_PREFIX = re.compile(r"^(?:[وف]?(?:[بك]?ال|لل|[بلك])|[وف])(?=\w{2})")
_ARTICLE = re.compile(r"^ال(?=\w{2})")
_YEAR = re.compile(r"(?<!\S)(\d+)[년年](?!\S)")  # 1443년 is answered by 1443
_NUMBER = re.compile(r"\d+(?=\D)")
_ONE_RUN = re.compile(rf"\d+|[^\W\d_{unspaced.CHARACTERS}]+")


def fold(text: str, language: str) -> str:
    """Words in lower case without punctuation, and without accents on Latin letters but for Vietnamese.

    >>> fold("Gödöllő, Č. 7", "hu"), fold("Hà Nội!", "vi"), fold("北京 2008 年", "zh")
    ('godollo c 7', 'hà nội', '北京2008年')
    """
    plain = unified(unified(text, language).casefold(), language)
    if language != _KEEPS_ACCENTS:
        plain = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", plain)))
    words = " ".join("".join(char if _is_of_word(char) else " " for char in plain).split())
    return unspaced.without_blanks(words) if language in unspaced.LANGUAGES else words


def holds(answer: str, reference: str, language: str) -> bool:
    """Whether a folded answer has a folded reference in it.

    >>> holds("в москве", "москва", "ru"), holds("서울은", "서울", "ko"), holds("法国巴黎", "巴黎", "zh")
    (True, True, True)
    """
    if not reference:
        return False
    if language in ("ko", "zh"):
        reference = _YEAR.sub(r"\1", reference)
    if language in unspaced.LANGUAGES:
        if sum(char.isalnum() for char in reference) == 1 and unspaced.is_unspaced(reference[0]):
            return answer == reference  # 金 is a part of many words
        return all(_has_characters(answer, piece) for piece in reference.split())
    if language == "vi":
        return f" {reference} " in f" {answer} "
    words = set(answer.split())
    if language != "en":  # a unit or an ending may follow a number: 1443년에, 1980г; but the 1980s are no year
        words |= {found[0] for word in words if (found := _NUMBER.match(word))}
    if language == "ko":
        return all(_has_korean(words, word) for word in reference.split()) or _has_squeezed(answer, reference)
    if language == "ar":
        bare = {form for word in words for form in _arabic_forms(word)}
        return all(has_word(bare, word) or _ARTICLE.sub("", word, count=1) in bare for word in reference.split())
    if language in _CHANGE_LAST_VOWEL:
        return all(has_word(words, word) or _has_declined(words, word) for word in reference.split())
    return all(has_word(words, word) for word in reference.split())


def has_word(words: set[str], word: str) -> bool:
    """Whether a word begins one of some words; a typo is accepted in longer words, not in numbers."""
    if word in words:
        return True
    if len(word) < 3 or any(c.isdigit() for c in word):
        return False
    beginnings = {w[: len(word)] for w in words}
    return process.extractOne(word, beginnings, scorer=fuzz.ratio, score_cutoff=WORD_LIKE) is not None


def _has_declined(words: set[str], word: str) -> bool:
    """Whether one of some words is a word with another ending of up to three letters in place of its last vowel."""
    stem = found["stem"] if (found := _DECLINED.fullmatch(word)) else None
    return stem is not None and any(other.startswith(stem) and len(other) - len(stem) <= 3 for other in words)


def _is_of_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


def _has_characters(answer: str, piece: str) -> bool:
    """Whether a piece without blanks is in an answer, and is no part of a number, word or syllable."""
    at = answer.find(piece)
    while at >= 0:
        end = at + len(piece)
        if not _is_cut(answer[max(0, at - 1) : at + 1]) and not _is_cut(answer[end - 1 : end + 1]):
            return True
        at = answer.find(piece, at + 1)
    return False


def _is_cut(pair: str) -> bool:
    """Whether two neighbours belong together: digits, letters of a word, the parts of a Thai syllable."""
    if len(pair) < 2 or " " in pair:
        return False
    return unspaced.is_syllable(pair[0], pair[1]) or _ONE_RUN.fullmatch(pair) is not None


def _has_korean(words: set[str], word: str) -> bool:
    if len(word) > 2 or any(c.isdigit() for c in word):
        return has_word(words, word)
    return word in words or any(
        other.startswith(word) and _KOREAN_PARTICLE.fullmatch(other, len(word)) for other in words
    )


def _has_squeezed(answer: str, reference: str) -> bool:
    """Whether the reference is in the answer from the start of a word, spaces ignored."""
    squeezed, words = reference.replace(" ", ""), answer.split()
    starts = accumulate(map(len, words), initial=0)
    whole = "".join(words)
    has_digits = any(char.isdigit() for char in squeezed)
    return len(squeezed) > 2 and not has_digits and any(whole.startswith(squeezed, start) for start in starts)


def _arabic_forms(word: str) -> set[str]:
    return {word, *(prefix.sub("", word, count=1) for prefix in (_ARABIC_PREFIX, _ARTICLE))}


def says_nothing(answer: str, language: str) -> bool:
    """Whether a folded answer means that there is none; in the language, or in English.

    >>> says_nothing("sajnos nem tudom", "hu"), says_nothing("budapest", "hu")
    (True, False)
    """
    phrases, whole = _no_answers(language)
    start = "" if language in unspaced.LANGUAGES else " "  # a phrase begins with a word
    return answer in whole or any(f"{start}{phrase}" in f"{start}{answer}" for phrase in phrases)


@remembered
def _no_answers(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """The phrases that may be anywhere in an answer, whose last word may go on, and those that are all of it."""
    anywhere, alone = (
        frozenset(
            fold(form.rstrip("*"), language) for word in words(key, (language,)) for form in (word, same_script(word))
        )
        for key in ("no_answer", "unknown_alone")
    )
    return anywhere, alone | {""}

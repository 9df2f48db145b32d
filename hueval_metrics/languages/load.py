"""What readers of replies know of a language: words by meaning, one YAML file a language, checked when it is loaded.

A reader asks for the words of the languages of its task, and of English, which models fall back to. Entries are plain
words or phrases, compared after case folding; a `*` at the end lets the word go on (`válasz*`). Everything that is
derived from words is remembered with `@remembered`, so that a tool can take an entry out and look what changes.

>>> bool(pattern("yes", ("hu",)).search("hát igen.")), bool(pattern("yes", ("hu",)).search("igencsak"))
(True, False)
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from hueval_metrics.errors import InputError
from hueval_metrics.text.foreign import own_yaml
from hueval_metrics.text.hanzi import same_script
from hueval_metrics.text.unify import unified

FOLDER = Path(__file__).parent
FAMILIES = Path(__file__).parents[2] / "lm_eval_tasks"  # a family's folder may hold `languages/`
ENTRY_POINTS = "hueval.languages"  # packages of other distributions that hold files of languages
ENGLISH = "en"  # its words are read in every language
KEYS: Mapping[str, str] = {  # what a list of words means
    "answer": "cues of an answer, and keys of objects that hold it",
    "not": "negation of what stands beside it",
    "wrong": "rejects what it is said of",
    "right": "states what it is said of",
    "fits": "praises what it is said of, without stating it",
    "less": "turns praise into its opposite",
    "than": "rejects what stands behind it: rather than, instead of",
    "if": "opens a condition",
    "maybe": "doubt",
    "instead": "a correction: the next replaces what was said",
    "therefore": "a conclusion: it outranks its reasons",
    "because": "opens a reason",
    "but": "a turn: conditions and doubt end",
    "asks": "makes a question of a sentence without a question mark",
    "that": "opens a clause of which the one before speaks",
    "except": "what is said of all others, the opposite of what stands behind",
    "identifies": "what stands before describes the answer, and does not judge it: the wrong one is",
    "is": "a copula, or another word without a meaning beside a name",
    "choose": "verbs by which a choice is stated",
    "or": "between alternatives that are left open",
    "and": "between names that are listed together",
    "both": "both candidates",
    "neither": "no candidate",
    "option": "nouns for an option",
    "blank": "nouns for a blank",
    "letter": "nouns for the letter of an option",
    "unfilled": "adjectives of a blank: empty, missing",
    "fills": "verbs and other words by which a text fills a blank",
    "form": "introduces the form of an answer, or an example of it",
    "yes": "agreement, closed",
    "no": "refusal of what is asked, closed",
    "refusal": "the model does not answer",
    "no_answer": "the model does not know",
    "unknown_alone": "means that there is no answer, as the whole answer",
    "confidence": "names of a stated confidence",
    "copula": "between a cue and an answer: is",
    "verb_ending": "a copula that ends the last word of a sentence",
    "placeholder": "stands for the answer in the form that a prompt shows",
    "sure": "states a confidence beside a percentage",
    "percent": "per cent, before or behind a number",
    "points_at": "points at what was said before: this, the above",
    "question": "headings of a question or of a turn of the user",
    "article": "articles",
    "endings": "may follow a name",
    "holder": "keys of objects that may hold the answer, where no key for one does",
    "aside": "keys and headings of what is no answer: explanation, example, draft",
    "condition": "opens a condition in a clause of its own",
    "perhaps": "possibility, which a label may stand for",
    "certain": "negated, it is doubt: not certain",
    "decided": "negated, nothing is decided: cannot tell",
    "denies": "says of a clause that it is not so",
    "only": "behind a negation, it negates nothing: not only, no doubt",
    "lacks": "behind a word, it negates that: X-free",
    "so_much": "negated, before a comparison: not so much X as Y",
    "rather_than": "opens what is rejected beside the answer",
    "would": "unreal, or only in part",
    "although": "opens a concession",
    "according": "stands behind, or before, what a clause is based on",
    "corrected": "heads a corrected text",
    "wording": "nouns for words and forms of words",
    "filler": "may stand beside an answer of one word and changes nothing",
    "beside": "before the name of a thing, speaks of what is beside it",
    "elsewhere": "speaks of another thing than the last that was named: next, other, finally",
    "name": "nouns for a name, and keys of objects that hold one",
    "thought": "what follows was believed before, and no more",
    "adverb": "endings of adverbs of manner",
    "verdict": "nouns for what a judge gives, and keys of objects that hold it",
    "grades": "verbs by which a judge gives it",
    "correct": "calls an answer right",
    "incorrect": "calls an answer wrong",
    "not_attempted": "says that there is no answer",
    "same": "calls two things the same",
    "different": "calls two things different",
    "means": "what two texts have in common or not: meaning, idea; and words between",
    "meant": "names of two texts that are compared, and verbs of what they express",
    "partly": "takes a part away from what stands beside it",
    "says": "verbs that introduce what another one says",
    "judged": "names of the text that a judge is given",
    "links": "small words between a cue and what it announces",
    "being": "forms of to be, before a label",
    "unreal": "makes a case of what stands beside it: would",
    "concedes": "opens a concession before a condition: even if",
    "must": "demands, without saying that it is so",
    "hypothetical": "opens a case, in a rule or an example",
    "offers": "offers help, or asks for the task",
    "me": "the writer",
    "last": "final, overall",
    "score": "nouns for a score",
    "out_of": "between a score and its scale",
    "points": "units of a score, and endings of a number that is one",
    "half": "behind a number: and a half",
    "rates": "words by which a sentence gives a score",
    "final_answer": "heads the answer behind the reasoning",
    "refers": "only refers to an answer before it, as a whole section",
}
NESTED = {
    "ordinals": "a list a place: the words for first, second, …",
    "cardinals": "a list a number: the words for one, two, …",
}
FLAGS = {"spaces": "whether words are separated by spaces"}

log = logging.getLogger(__name__)
Made = TypeVar("Made")
_removed: set[tuple[str, str, str]] = set()
_caches: list[Callable[[], None]] = []


class LanguageFileError(InputError):
    """A file of a language cannot be used; the message names file and key."""


def remembered(make: Callable[..., Made]) -> Callable[..., Made]:
    """`functools.cache` for what is derived from words; see `without`."""
    cached = cache(make)
    _caches.append(cached.cache_clear)

    @wraps(make)
    def call(*args: Any) -> Made:
        return cached(*args)

    return call


@contextmanager
def without(code: str, key: str, word: str) -> Iterator[None]:
    """Read as if an entry were not in its file, to see what it is good for."""
    _removed.add((code, key, word))
    _forget()
    try:
        yield
    finally:
        _removed.discard((code, key, word))
        _forget()


def _forget() -> None:
    for clear in _caches:
        clear()


def read_again() -> None:
    """Forget what was read of all files."""
    for read in (files, known, language):
        read.cache_clear()
    _forget()


@cache
def files() -> Mapping[str, Path]:
    """Code of a language → its file: ours, those of families, those of packages named by entry points."""
    found: dict[str, Path] = {}
    for folder in (FOLDER, *sorted(FAMILIES.glob("*/languages")), *_packages()):
        for path in sorted(folder.glob("*.yaml")):
            found.setdefault(path.stem, path)
    return found


def _packages() -> Iterator[Path]:
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        try:
            spec = find_spec(point.value)
            yield Path(((spec and spec.submodule_search_locations) or [])[0])
        except (ImportError, ValueError, IndexError):
            log.warning("entry point %s: %s is no package. Fix the distribution.", ENTRY_POINTS, point.value)


@cache
def known() -> tuple[str, ...]:
    """The codes of all languages that have a file. A damaged one that is not ours is left out, with a warning."""
    return tuple(code for code, path in files().items() if path.parent == FOLDER or _is_sound(code))


def _is_sound(code: str) -> bool:
    try:
        language(code)
    except LanguageFileError as error:
        log.warning("%s", error)
        return False
    return True


@cache
def language(code: str) -> Mapping[str, Any]:
    """The content of a language's file; empty, with one warning, where there is none.

    Raises:
        LanguageFileError: it is damaged.
    """
    path = files().get(code)
    if path is None:
        log.warning("replies in %r are read with the words of English alone: there is no %s.yaml", code, code)
        return {}
    try:
        data = own_yaml(path)
    except (OSError, ValueError) as error:
        where = " " if str(error).startswith("line ") else ": "
        raise LanguageFileError(f"{path}{where}{error}. Fix the file, or install hueval again") from None
    _check(path, data)
    return dict(data)


def _check(path: Path, data: Any) -> None:
    if not isinstance(data, dict):
        raise LanguageFileError(f"{path}: a mapping of keys to lists of words is expected")
    for key, value in data.items():
        rows = value if key in NESTED and isinstance(value, list) else [value]
        known = key in KEYS or key in NESTED
        if key in FLAGS and isinstance(value, bool):
            continue
        if not known or not all(isinstance(row, list) and all(map(_is_entry, row)) for row in rows):
            expected = "a list of words" if known else f"one of the keys {', '.join((*KEYS, *NESTED, *FLAGS))}"
            raise LanguageFileError(
                f"{path}: {key!r} is not {expected}. Put words in quotes that YAML takes for values"
            )


def _is_entry(word: object) -> bool:
    is_text = isinstance(word, str) and bool(word.strip("* ")) and word == word.casefold()
    return is_text and "*" not in str(word)[:-1]


def check_files(languages: Iterable[str]) -> None:
    """Check the files of some languages, and our own: a model or a judge may reply in another language than asked.

    Raises:
        LanguageFileError: one is damaged.
    """
    ours = (code for code, path in files().items() if path.parent == FOLDER)
    for code in dict.fromkeys((*ours, *languages)):
        if code in files():
            language(code)


def words(key: str, languages: Sequence[str]) -> tuple[str, ...]:
    """The entries of a key in some languages and in English, each once."""
    return tuple(dict.fromkeys(word for _, word in _entries(key, tuple(languages))))


def entries(key: str, languages: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The entries of a key in some languages and in English, each with the code of its language."""
    return _entries(key, tuple(languages))


@remembered
def _entries(key: str, languages: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    codes = dict.fromkeys((*languages, ENGLISH))
    found = ((code, word) for code in codes for word in language(code).get(key, ()))
    kept = ((code, word) for code, word in found if (code, key, word) not in _removed)
    return tuple((code, form) for code, word in kept for form in _spellings(word, code))


def _spellings(word: str, code: str) -> Iterable[str]:
    """An entry as replies may spell it: Serbian in Latin letters, Arabic without hamza, Thai in the order of NFKC."""
    return dict.fromkeys((word, unicodedata.normalize("NFKC", word), unified(word, code)))


def ordinals(languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The words for first, second, …, in some languages and in English."""
    return _nested("ordinals", tuple(languages))


def cardinals(languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The words for one, two, …, in some languages and in English."""
    return _nested("cardinals", tuple(languages))


@remembered
def _nested(key: str, languages: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    rows = [(code, language(code).get(key, ())) for code in dict.fromkeys((*languages, ENGLISH))]
    n_places = max((len(row) for _, row in rows), default=0)
    return tuple(
        tuple(
            form
            for code, row in rows
            for words in row[place : place + 1]
            for word in words
            for form in _spellings(word, code)
        )
        for place in range(n_places)
    )


@remembered
def source(key: str, languages: tuple[str, ...]) -> str:
    """The source of a pattern for the words of a key, in case-folded text; without words it never matches."""
    found = sorted(_entries(key, languages), key=lambda entry: -len(entry[1]))
    return as_source([(word, is_spaced(code)) for code, word in found])


def as_source(found: Sequence[tuple[str, bool]]) -> str:
    """The source of a pattern for words, each with whether its language separates words by spaces."""
    spaced = [_word(word) for word, is_spaced in found if is_spaced]
    both = [script for word, is_spaced in found if not is_spaced for script in (word, same_script(word))]
    others = [_word(word) for word in dict.fromkeys(both)]
    parts = [rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)"] if spaced else []
    return f"(?:{'|'.join([*parts, *others]) or '(?!)'})"


def _word(word: str) -> str:
    stem = re.escape(word.removesuffix("*")).replace(r"\ ", r"\s+").replace("'", "['’]")
    return stem + (r"\w*" if word.endswith("*") else "")


def is_spaced(code: str) -> bool:
    """Whether a language separates its words by spaces."""
    return bool(language(code).get("spaces", True))


@remembered
def pattern(keys: str, languages: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern that matches any word of some keys, separated by blanks, in case-folded text."""
    return re.compile("|".join(source(key, languages) for key in keys.split()))

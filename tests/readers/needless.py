"""Entries of language files whose removal changes no reading of a labelled reply, and patterns that are kept.

What no reply needs is a guess, and guesses pile up. An entry can only matter where its word is in the reply, so each is
tried on those replies alone. Patterns: see `patterns`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple
from zlib import crc32

from hueval_metrics.languages import load
from tests.readers.patterns import READERS, Clear, caches, empty, read
from tests.readers.sets import Case

# Whole classes, of which a member may be missing in the replies at hand: they are read as a class, one case a class.
CLOSED = {"ordinals", "yes", "no", "confidence", "sure", "percent", "copula", "article", "and", "or", "if", "both"}
CLOSED |= {"neither", "condition", "although", "that", "adverb", "endings"}

# Patterns that no case needs, each with what is read worse without it.
KEPT: Mapping[str, str] = {
    "blanks.tree._HEAD": "numbers before the items of a list in lower case, or of one that is cut off",
    "blanks.values._EMPHASIS": "a word in bold or in quotes beside other words",
    "blanks.words._PLAIN": "answers that deny (nem adna); that they are read shows in the parse rate alone",
    "confidence.EMPHASIS": "stars in a name or between a name and its confidence",
    "label._EMPHASIS": "two spaces between words: an alternative would be read as a label",
    "masked_name._SPACES": "two spaces inside a name",
    "prompt_text._QUOTED": "an invented item whose value is in quotes inside a sentence (families/test_invented_items)",
    "prompt_text._WIDE": "turns behind an answer in Chinese, whose lines are short",
    "text._ESCAPED_MARK": "marks escaped for Markdown, with letters in lower case or cut off",
    "text._INVISIBLE": "zero-width characters beside a letter in lower case",
    "text._LINE_TAG": "an answer in a paragraph of HTML behind a doubt, or all in capitals",
}


class Entry(NamedTuple):
    """A word of a language."""

    language: str
    key: str
    word: str

    def __str__(self) -> str:
        return f"{self.language}.yaml, {self.key}: {self.word}"


def entries() -> list[Entry]:
    """All entries of all language files."""
    codes = sorted(path.stem for path in load.FOLDER.glob("*.yaml"))
    return [Entry(code, key, word) for code in codes for key in load.KEYS for word in load.language(code).get(key, ())]


def needless(some: Sequence[Entry], cases: Sequence[Case]) -> list[Entry]:
    """Those without which every case is read as before."""
    texts = [load_text(case.reply) for case in cases]
    of_replies = caches(*READERS)
    before: dict[int, str] = {}
    found = []
    for entry in some:
        places = [place for place, text in enumerate(texts) if _may_matter(entry, text)]
        for place in places:
            if place not in before:
                before[place] = read(cases[place])
        with _without(entry, of_replies):
            if all(read(cases[place]) == before[place] for place in places):
                found.append(entry)
    return found


def lost_by_freezing(cases: Sequence[Case]) -> tuple[int, int, list[Case]]:
    """What it would cost to keep only the entries that known replies need.

    The entries of open classes that one half of the replies does not need are taken out one after the other, those in
    the fewest replies first; the other half stands for replies that nobody has seen.

    Returns:
        How many entries go, how many replies the other half has, and those of them that are then read otherwise.
    """
    known = [case for case in cases if _is_known(case)]
    others = [case for case in cases if not _is_known(case)]
    texts, before = [load_text(case.reply) for case in known], [read(case) for case in known]
    as_read = [read(case) for case in others]
    places = {
        entry: [place for place, text in enumerate(texts) if _may_matter(entry, text)]
        for entry in entries()
        if entry.key not in CLOSED
    }
    of_replies = caches(*READERS)
    with ExitStack() as removed:
        n_removed = 0
        for entry in sorted(places, key=lambda entry: len(places[entry])):
            with ExitStack() as trial:
                trial.enter_context(_without(entry, of_replies))
                if all(read(known[place]) == before[place] for place in places[entry]):
                    removed.push(trial.pop_all())
                    n_removed += 1
        changed = [case for case, said in zip(others, as_read, strict=True) if read(case) != said]
    return n_removed, len(others), changed


def _is_known(case: Case) -> bool:
    return bool(crc32(case.reply.encode("utf-8", "surrogatepass")) % 2)


def load_text(reply: str) -> str:
    """A reply as words are looked for in it."""
    from hueval_metrics.answers.text import readable

    return " ".join(readable(reply).plain.casefold().replace("’", "'").split())


def _may_matter(entry: Entry, text: str) -> bool:
    return entry.word.removesuffix("*").strip().replace("’", "'") in text


@contextmanager
def _without(entry: Entry, of_replies: Sequence[Clear]) -> Iterator[None]:
    """Read as if an entry were not in its file, with nothing that was made with it."""
    with load.without(*entry):
        empty(of_replies)
        yield
    empty(of_replies)

"""Read the statements about blanks out of a reasoning trace: of options with letters, or of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hueval_metrics.answers.names import LETTERS, Mention, folded, options_named, texts_named
from hueval_metrics.answers.stated import Statement
from hueval_metrics.answers.statements.blanks import small_words, statements
from hueval_metrics.answers.statements.signs import BLANK, LANGUAGES, echoes, lowered, marks, same_answers

_RUN = re.compile(r"(?<!, )(?<![\w#])[\"']?[A-Z][\"']?(?:\s{0,9}[,;]\s{0,9}[\"']?[A-Z][\"']?){2,40}(?![\w#]|\s?,)")
_JOINED = re.compile(r"[^\w\n,]{1,5}")  # between the letter of an option and its text
_IN_JSON = re.compile(r"([^\"#\n]{1,80}?)\\?\"")  # "#0#regula"
_IN_LIST = re.compile(  # "#0#: **regula**", of three words at most, with nothing but an aside behind
    r"[*_\s]{0,3}(?:[:=→]|->|=>|[–-]\s)[\s*_\"'„“]{0,4}"
    r"([^\s\"'„“”*_(),;:|#→]{1,40}(?: [^\s\"'„“”*_(),;:|#→]{1,40}){0,2})[\"'”*_]{0,4}[.,;]?[ \t]{0,9}(?=\n|\(|\Z)"
)


def of_options(
    trace: str,
    parts: Mapping[int, str],
    texts: Mapping[str, str],
    prompt: Sequence[str] = (),
    example: Sequence[str] = (),
) -> list[Statement]:
    """The statements that name options.

    Args:
        trace: any text.
        parts: number in a mark `#n#` → id of its blank, in reading order.
        texts: letter → text of the options.
        prompt: texts of the question; where the trace repeats their sentences nothing is stated.
        example: the answer of the example in the prompt, such as `#0#C`; likewise.

    Returns:
        In order; values are letters, of options with one text the first one.

    >>> [found.value for found in of_options("#0# is B, not A.", {0: "#0#"}, {"A": "ma", "B": "tegnap"})]
    ['B']
    """
    same = same_answers(texts)
    letters = [*dict.fromkeys([*LETTERS, *texts])]
    own = [texts[letter] if same.get(letter) == letter else "" for letter in letters]
    named = options_named(trace, own, LANGUAGES, is_numbered=False, nouns=small_words())
    blanks = [*marks(trace, parts)]
    starts = {blank.start for blank in blanks}  # "A #0#": an article
    answers = [
        one._replace(candidate=same[letters[one.candidate]])
        for one in named
        if one.form != "ordinal"
        and letters[one.candidate] in same
        and not (trace[one.end : one.end + 1] == " " and one.end + 1 in starts)
    ]
    found = statements(trace, _outside([*blanks, *answers], trace, prompt, example))
    return sorted([*found, *_lists(trace, parts, same)], key=lambda one: one.start)


def of_words(
    trace: str, parts: Mapping[int, str], known: Iterable[str], prompt: Sequence[str] = (), example: Sequence[str] = ()
) -> list[Statement]:
    """The statements that name words: any as an entry of a list, known ones in sentences, too.

    Args:
        trace, parts, prompt, example: as of `of_options`.
        known: words to look for: the right answers and those of the response.

    >>> [found.value for found in of_words("So #0# is Mohács.\\n- #1#: Buda\\n", {0: "#0#", 1: "#1#"}, ["mohács"])]
    ['mohács', 'buda']
    """
    low = lowered(trace)
    blanks = [*marks(trace, parts)]
    names = [entry for blank in blanks if (entry := _entry(low, blank))]
    taken = {entry.start for entry in names}
    texts = [*dict.fromkeys(lowered(text.strip()) for text in known if len(text.strip()) > 1)]
    for one in texts_named(folded(trace), texts):
        if one.start not in taken:
            names.append(one._replace(candidate=texts[one.candidate]))
    return statements(trace, _outside([*blanks, *names], trace, prompt, example))


def _entry(low: str, blank: Mention) -> Mention | None:
    """What an entry of a list gives for a blank."""
    is_quoted = low[blank.start - 1 : blank.start] == '"'
    found = (_IN_JSON if is_quoted else _IN_LIST).match(low, blank.end)
    given = found[1].strip(' "\\') if found else ""
    return Mention(*found.span(1), given, "text") if found and given else None


def _outside(names: Iterable[Mention], trace: str, prompt: Sequence[str], example: Sequence[str]) -> list[Mention]:
    """The names in order, without answers in what repeats the prompt, and none inside another."""
    repeated = [*echoes(trace, prompt), *_examples(trace, example)]
    repeated.sort()
    kept: list[Mention] = []
    at = end = 0
    for one in sorted(names, key=lambda one: (one.start, -one.end)):
        while at < len(repeated) and repeated[at][1] <= one.start:
            at += 1
        is_repeated = at < len(repeated) and repeated[at][0] <= one.start
        last = kept[-1] if kept else None
        if (
            last
            and one.form != BLANK
            and last.candidate == one.candidate
            and _JOINED.fullmatch(trace, last.end, one.start)
        ):
            end = one.end + trace.startswith(")", one.end)
            kept[-1] = last._replace(end=end)
        elif one.start >= end and not (is_repeated and one.form != BLANK):
            kept.append(one)
            end = one.end
    return kept


def _examples(trace: str, example: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where a trace repeats the answer of the example."""
    if len(example) > 1 and example[0] in trace:
        pattern = r"\W{1,12}".join(map(re.escape, example))
        yield from (found.span() for found in re.finditer(pattern, trace))


def _lists(trace: str, parts: Mapping[int, str], same: Mapping[str, str]) -> Iterator[Statement]:
    """The statements of lists without marks, in JSON or "C, I, H, B": one letter for each blank."""
    for found in _RUN.finditer(trace):
        places = [at for at in range(*found.span()) if trace[at].isalpha()]
        letters = [trace[at] for at in places]
        is_alphabet = letters == [*same][: len(letters)]  # the options themselves
        if len(letters) == len(parts) and same.keys() >= set(letters) and not is_alphabet:
            for part, at in zip(parts.values(), places, strict=True):
                yield Statement(part, at, same[trace[at]])

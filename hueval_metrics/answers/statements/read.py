"""Read the statements about blanks out of a reasoning trace: of options with letters, or of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hueval_metrics.answers.stated import Statement
from hueval_metrics.answers.statements.blanks import statements
from hueval_metrics.answers.statements.signs import Sign, echoes, lowered, marks, named, options, same_answers

_LIST = re.compile(r"\[\s*([\"'][^\[\]#\n]{1,400}|[\"'][^\[\]#]{1,400})\]")
_RUN = re.compile(r"(?<!, )(?<![\w#])([A-Z](?:\s?[,;]\s?[A-Z]){2,40})(?![\w#]|\s?,)")
_LETTER = re.compile(r"([A-Z])")
_ITEM = re.compile(r"[\"']([^\"'\n]{1,120})[\"']")
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
    low = lowered(trace)
    found = statements(
        trace, low, _outside([*marks(trace, low, parts), *options(trace, low, texts)], trace, prompt, example)
    )
    return sorted([*found, *_lists(trace, parts, same_answers(texts))], key=lambda one: one.start)


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
    blanks = [*marks(trace, low, parts)]
    texts = {lowered(text.strip()): lowered(text.strip()) for text in known}
    entries = [_entry(low, blank) for blank in blanks]
    names = [entry for entry in entries if entry]
    taken = {entry.start for entry in names}
    names += [sign for sign in named(low, texts) if sign.start not in taken and len(sign.value or "") > 1]
    names.sort(key=lambda sign: (sign.start, -sign.end))
    return statements(trace, low, _outside([*blanks, *names], trace, prompt, example))


def _entry(low: str, blank: Sign) -> Sign | None:
    """What an entry of a list gives for a blank."""
    is_quoted = low[blank.start - 1 : blank.start] == '"'
    found = (_IN_JSON if is_quoted else _IN_LIST).match(low, blank.end)
    given = found[1].strip(' "\\') if found else ""
    return Sign(found.start(1), found.end(1), value=given) if found and given else None


def _outside(signs: Iterable[Sign], trace: str, prompt: Sequence[str], example: Sequence[str]) -> list[Sign]:
    """The signs in order, without answers in what repeats the prompt, and none inside another."""
    repeated = [*echoes(trace, prompt), *_examples(trace, example)]
    repeated.sort()
    kept: list[Sign] = []
    at = end = 0
    for sign in sorted(signs, key=lambda sign: (sign.start, -sign.end)):
        while at < len(repeated) and repeated[at][1] <= sign.start:
            at += 1
        is_repeated = at < len(repeated) and repeated[at][0] <= sign.start
        if sign.start >= end and not (is_repeated and sign.value is not None):
            kept.append(sign)
            end = sign.end
    return kept


def _examples(trace: str, example: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where a trace repeats the answer of the example."""
    if len(example) > 1 and example[0] in trace:
        pattern = r"\W{1,12}".join(map(re.escape, example))
        yield from (found.span() for found in re.finditer(pattern, trace))


def _lists(trace: str, parts: Mapping[int, str], same: Mapping[str, str]) -> Iterator[Statement]:
    """The statements of lists without marks, in JSON or "C, I, H, B": one letter for each blank."""
    ids = list(parts.values())
    for found in (*_LIST.finditer(trace), *_RUN.finditer(trace)):
        items = [*(_ITEM if found.re is _LIST else _LETTER).finditer(trace, *found.span(1))]
        letters = [item[1].strip() for item in items]
        is_alphabet = letters == sorted(letters) and letters == [*same][: len(letters)]  # the options themselves
        if len(items) == len(ids) and all(letter in same for letter in letters) and not is_alphabet:
            for part, item, letter in zip(ids, items, letters, strict=True):
                yield Statement(part, item.start(1), same[letter])

r"""Find the objects in a reply that hold its answer: JSON, JSON in a string of JSON, tags, `\boxed{…}`, function calls.

`objects` gives every object from the last to the first, `under_key` the values of some keys in one of them, `answer_of`
the value of its most direct answer key. Each value is a `Found`: what was read, and where it is in `text.plain`, so
that `text.span(found.start, found.end)` is its range in the reply. `outside` gives the text without its objects.

>>> from hueval_metrics.answers.text import readable
>>> text = readable('Íme: {"válasz": "Eger", "bizonyosság": 90} <note>1552</note>')
>>> [found.value for found in objects(text)]
[{'note': '1552'}, {'válasz': 'Eger', 'bizonyosság': 90}]
>>> found = answer_of([*objects(text)][1], ("hu",))
>>> found.value, text.span(found.start, found.end)
('Eger', Span(start=17, end=21))

JSON that is malformed or cut off is repaired where it has keys, and its keys and values must be in the reply.
Time is linear in the length of the text; what is nested more than `DEPTH` deep is no answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from hueval_metrics.answers.json_values import Entries, Piece, is_repairable, json_pieces, of_entries, repaired, strict
from hueval_metrics.answers.json_values import Found as Found
from hueval_metrics.answers.text import Text
from hueval_metrics.languages.load import pattern, remembered, source, words
from hueval_metrics.text.normalize import stream_safe

DEPTH = 100  # of objects in objects
REPAIRS = 4  # of malformed objects in a text
BOXED = "boxed"  # the key of `\boxed{…}`
_TAG = re.compile(r"<(/?)([^\W\d_][\w.-]{0,30})(?:=([\w.-]{1,40}))?(\s[^<>]{0,300})?(?<!/)>")
_ATTRIBUTE = re.compile(r"([\w-]{1,30})\s?=\s?[\"']([^\"'<>]{0,200})[\"']")
_HTML = re.compile(
    r"[abipqsu]|em|strong|span|div|[uod]l|li|d[td]|table|thead|tbody|t[rdh]|[bh]r|code|pre|small|big|su[bp]|del|ins|mark|strike"
    r"|font|center|blockquote|section|h[1-6]|html|body|head|details|think"
)
_BOX = re.compile(r"\\boxed\s?\{((?:[^{}]|\{[^{}]{0,1000}\}){0,1000})\}")
_ARGUMENT = (
    r"(?:\w{1,40}\s?=\s?(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'|-?\d[\d.]{0,20}\b)|\"[^\"\n]{0,500}\"|'[^'\n]{0,500}')"
)
_CALL = re.compile(
    rf"(?<!\w)([^\W\d]\w{{1,40}})\(\s{{0,9}}({_ARGUMENT}(?:\s?,\s{{0,9}}{_ARGUMENT}){{0,40}})\s{{0,9}}\)"
)
_ONE_ARGUMENT = re.compile(r"(?:(\w{1,40})\s?=\s?)?(?:\"([^\"]*)\"|'([^']*)'|(-?\d[\d.]*))")
_PLACEHOLDER = re.compile(
    r"\W{0,5}(?:…|\.{3})\W{0,5}|<[^<>]{0,60}[^\W\d_]{3}[^<>]{0,60}>|\{{1,2}[^{}]{0,60}[^\W\d_]{3}[^{}]{0,60}\}{1,2}"
)
_BETWEEN = re.compile(r"(?:_|[^\w\u0300-\u0eff])+")  # vowel signs of Indic and Thai letters are no letters


def objects(text: Text | str) -> Iterator[Found]:
    """The outermost objects, and lists of texts or lists, in a text, from the last to the first.

    Args:
        text: readable, with its markup; any length.

    Yields:
        A dict, or a list. A tag is `{name: content}`, its attributes beside `text`; a call `{name: {argument: value}}`,
        or `{name: value}` with one argument without a name.
    """
    plain = text if isinstance(text, str) else text.plain
    tries = REPAIRS
    end = len(plain)
    for span in sorted(_pieces(plain), key=lambda piece: (piece.end, -piece.start), reverse=True):
        todo = [span]
        while todo:
            piece = todo.pop()
            if piece.end > end or piece.depth > DEPTH:
                continue
            found = piece.read(plain) if piece.read else strict(plain, piece)
            if found is None and not piece.read and tries and is_repairable(plain, piece):
                tries -= 1
                found = repaired(plain, piece)
            if found is not None:
                end = found.start
                yield found
            else:
                todo += piece.children


def under_key(found: Found, keys: Collection[str] | Callable[[str], bool]) -> list[Found]:
    """The values of some keys, at the outermost level of an object that has any of them.

    Args:
        found: an object.
        keys: names in lower case with underscores ("Confidence Score" in a reply is `confidence_score`), or whether a
            key, as written, is meant.

    >>> [value.value for value in under_key(next(objects('{"result": {"Evaluation": "CORRECT"}}')), ["evaluation"])]
    ['CORRECT']
    """
    is_meant = keys if callable(keys) else lambda key: key_name(key) in keys
    level = found.entries
    while level:
        if values := [value for key, value in level if key and is_meant(key)]:
            return values
        level = tuple(entry for _, value in level for entry in value.entries)
    return []


def answer_of(found: Found, languages: Sequence[str], keys: Collection[str] = ()) -> Found | None:
    """The value of the most direct answer key of an object; of the inner one in `{"answer": {"answer": …}}`.

    Args:
        found: an object.
        languages: whose words for an answer may be keys.
        keys: further names of keys, as of `under_key`, in order of preference behind those.

    >>> answer_of(next(objects('{"answer": 1, "final_answer": 2, "wrong_answer": 3}')), ()).value
    2
    """
    codes, names, best = tuple(languages), tuple(keys), None
    level = found.entries
    while level:
        ranked = [
            (rank, value)
            for key, value in reversed(level)  # of equal keys the last
            if key and value.value is not None and (rank := _rank(key, codes, names)) is not None
        ]
        if ranked:
            best = min(ranked, key=lambda one: one[0])[1]
            level = best.entries
        else:
            inner = (value for key, value in level if best is None and not is_aside(key, codes))
            level = tuple(entry for value in inner for entry in value.entries)
    return best


def is_form(found: Found) -> bool:
    """Whether an object is a form to fill in: a value in it is `…`, `<your answer>` or `{answer}`.

    >>> is_form(next(objects('{"answer": "…", "confidence_score": 0}')))
    True
    """
    return any(isinstance(leaf.value, str) and _PLACEHOLDER.fullmatch(leaf.value.strip()) for leaf in found.leaves())


def outside(text: Text, found: Iterable[Found]) -> Text:
    """The text with blanks in the place of some objects; what they say is not said by the reply itself."""
    plain, end, parts = text.plain, len(text), []
    for one in sorted(found, key=lambda one: one.end, reverse=True):
        parts += [plain[one.end : end], " " * (min(one.end, end) - one.start)]
        end = one.start
    return Text(plain[:end] + "".join(reversed(parts)), text.starts, text.ends)


def spoken_key(key: str) -> str:
    """A key as words, for the words of languages: `Confidence_Score` becomes `confidence score`."""
    return key_name(key).replace("_", " ")


def key_name(key: str) -> str:
    """The form in which keys are compared: `" Confidence-Score"` becomes `confidence_score`."""
    return _key_name(key[:60])


@lru_cache(1024)
def _key_name(key: str) -> str:
    return _BETWEEN.sub("_", unicodedata.normalize("NFKC", stream_safe(key)).casefold()).strip("_")


def is_answer_key(key: str, languages: Sequence[str]) -> bool:
    """Whether a key names the answer, or what may hold it."""
    return _rank(key, tuple(languages), ()) is not None


def _rank(key: str, languages: tuple[str, ...], more: tuple[str, ...]) -> int | None:
    """How directly a key names the answer, from 0; None for one that does not."""
    name = key_name(key)
    if name == BOXED:
        return 1
    spoken = spoken_key(key)
    if found := _answer_key(languages).fullmatch(spoken):
        place = next((place for stem, place in _places(languages) if found["answer"].startswith(stem)), 0)
        is_final = found["answer"] != spoken and pattern("therefore", languages).search(spoken)
        return 0 if is_final else 3 * (place + 1) + (found["answer"] != spoken)
    if name in more:
        return 100 + more.index(name)
    return 200 if pattern("holder", languages).fullmatch(spoken) else None


@remembered
def _answer_key(languages: tuple[str, ...]) -> re.Pattern[str]:
    """An answer word, with words for final, correct, chosen, option."""
    other = rf"(?:{'|'.join(source(key, languages) for key in ('therefore', 'right', 'choose', 'option', 'article'))})"
    return re.compile(rf"(?:{other}\s?){{0,3}}(?P<answer>{source('answer', languages)})(?:\s?{other}){{0,3}}")


@remembered
def _places(languages: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """The answer words, each with its place among those of its language."""
    found = [
        (word.strip("*"), place) for code in (*languages, "en") for place, word in enumerate(words("answer", (code,)))
    ]
    return tuple(sorted(found, key=lambda one: (-len(one[0]), one[1])))


def is_aside(key: str, languages: tuple[str, ...]) -> bool:
    """Whether the value of a key is no answer: an explanation, an example, what is rejected."""
    return bool(pattern("aside wrong not question because", languages).match(spoken_key(key)))


def _pieces(text: str) -> list[Piece]:
    found = json_pieces(text)
    if "\\boxed" in text:
        found += [_piece(match.span(), BOXED, match.span(1)) for match in _BOX.finditer(text)]
    if "<" in text:
        found += _tags(text)
    return [*found, *map(_call, _CALL.finditer(text))] if "(" in text else found


def _piece(span: tuple[int, int], key: str, inner: tuple[int, int], given: Entries = ()) -> Piece:
    """The piece of a text that names its content, with what is given beside that."""

    def read(text: str) -> Found:
        content = _content(text, *inner)
        if given:
            content = of_entries((*given, ("text", content)), content.start, content.end)
        return of_entries(((key, content),), *span)

    return Piece(*span, read=read)


def _content(text: str, start: int, end: int) -> Found:
    """The objects in a range of a text as one, else its text."""
    found = [one.moved(lambda a, b: (start + a, start + b)) for one in objects(text[start:end])][::-1]
    if len(found) == 1:
        return found[0]
    if found and all(isinstance(one.value, dict) for one in found):
        return of_entries(tuple(entry for one in found for entry in one.entries), start, end)
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    return Found(inner.strip(), start, start + len(inner.strip()))


def _tags(text: str) -> list[Piece]:
    """The outermost elements of XML other than HTML's; one that begins the last line may be left open."""
    found: list[Piece] = []
    opened: list[re.Match[str]] = []
    n_open: dict[str, int] = {}
    for match in _TAG.finditer(text):
        name = match[2].casefold()
        if _HTML.fullmatch(name):
            continue
        if not match[1]:
            opened.append(match)
            n_open[name] = n_open.get(name, 0) + 1
        elif n_open.get(name):
            while True:
                first = opened.pop()
                n_open[first[2].casefold()] -= 1
                if first[2].casefold() == name:
                    break
            while found and found[-1].start > first.start():
                found.pop()
            found.append(_element(first, match.start(), match.end()))
    last = opened[-1] if opened else None
    rest = text[last.end() :].strip() if last else ""
    if last and rest and "\n" not in rest and not text[text.rfind("\n", 0, last.start()) + 1 : last.start()].strip():
        found.append(_element(last, len(text), len(text)))
    return found


def _element(tag: re.Match[str], end: int, closed: int) -> Piece:
    """The piece of an element; an attribute `name` is its key (`<parameter name="answer">`)."""
    given = {
        match[1]: Found(match[2], tag.start(4) + match.start(2), tag.start(4) + match.end(2))
        for match in _ATTRIBUTE.finditer(tag[4] or "")
    }
    key = tag[3] or str(given.pop("name").value if "name" in given else tag[2])
    return _piece((tag.start(), closed), key, (tag.end(), end), tuple(given.items()))


def _call(call: re.Match[str]) -> Piece:
    """The piece of a call of a function: `submit(answer="Eger", confidence=90)`."""
    entries = []
    for one in _ONE_ARGUMENT.finditer(call[2]):
        group = next(group for group in (2, 3, 4) if one[group] is not None)
        start, end = call.start(2) + one.start(group), call.start(2) + one.end(group)
        entries.append((one[1] or "", Found(one[group], start, end)))
    is_one = len(entries) == 1 and not entries[0][0]
    inner = entries[0][1] if is_one else of_entries(tuple(entries), *call.span(2))
    return Piece(*call.span(), read=lambda _: of_entries(((call[1], inner),), *call.span()))

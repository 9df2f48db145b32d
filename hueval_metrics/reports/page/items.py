"""The questions of the item browser: a small index of all items, and their texts in blocks unpacked on demand.

Prompts and references are stored once, from the first run that has them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from typing import Any

from hueval_metrics.registry import key_fields, known_tasks, strata
from hueval_metrics.reports import escape
from hueval_metrics.reports.figures.names import task_name
from hueval_metrics.reports.page.packing import Piece, blocks, cut_middle
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Key, item_id
from hueval_metrics.words.texts import LANGUAGES

BLOCK = 64  # items in a block: unpacking one takes a browser some milliseconds
_PROMPT, _REFERENCE = 16_000, 4_000  # characters kept
_SNIPPET = 90  # characters of a question in the list of items
_HEAD = 6 * _SNIPPET  # characters of it that are looked at
_WORD = re.compile(r"\w+|[^\w\s]|\n")  # a word, a sign, or the end of a line
_END = frozenset(".?!…")  # of a sentence
_TEMPLATE = 0.8  # share of a task's questions that have the words of its template
_LEAST, _MOST = 3, 50  # questions in which it is looked for
PARTS = 200  # of a question that are marked one by one
_ACCEPTED = 400  # characters kept of an accepted answer

ItemKey = tuple[str, Key]


def _option(key: Key) -> int | None:
    """The number of a presentation of an item; None for an item with one presentation."""
    return key[1] if len(key) == 2 and isinstance(key[1], int) else None


class Items:
    """The items of all runs, numbered in the order of their first occurrence."""

    def __init__(self) -> None:
        self.keys: dict[ItemKey, int] = {}
        self._dimensions: list[str] = []
        self._questions: list[tuple[Any, ...]] = []  # prompt, reference and, where it has marked parts, these

    def number(self, item: Item) -> int:
        """The number of an item; of a new one the prompt and the reference are kept."""
        key = (item.task, item.key or tuple(str(item.row.get(field)) for field in key_fields(item.task)))
        number = self.keys.setdefault(key, len(self.keys))
        if number == len(self._questions):
            code = item.dimension or ""
            self._dimensions.append(code if code in strata(item.task) else "")
            prompt, reference = (None if text is None else cut_middle(text, limit) for text, limit in _texts(item))
            self._questions.append((prompt, reference, *_parts(item)))
        return number

    def otherwise_asked(self, number: int, item: Item) -> tuple[Piece, Piece] | None:
        """Prompt and reference of an item where they are not those that are kept, as in another language; else None."""
        if item.prompt is None:
            return None
        kept = self._questions[number]
        if (item.prompt, item.reference) == kept[:2]:
            return None
        prompt, reference = (cut_middle(text or "", limit) for text, limit in _texts(item))
        return None if (prompt, reference) == (kept[0] or "", kept[1] or "") else (prompt, reference)

    def tasks(self) -> list[str]:
        """Their tasks."""
        return list(dict.fromkeys(task for task, _ in self.keys))

    def index(self) -> dict[str, Any]:
        """The columns of the list of items."""
        tasks, of_family = self.tasks(), self._families()
        return {
            "tasks": [task_name(task) for task in tasks],
            "names": [escape.plain(task) for task in tasks],
            "task": [tasks.index(task) for task, _ in self.keys],
            "qid": [escape.plain(item_id(key[:1] if _option(key) is not None else key)) for _, key in self.keys],
            "option": [_option(key) for _, key in self.keys],
            "dimension": [
                code and of_family[task] + code for (task, _), code in zip(self.keys, self._dimensions, strict=True)
            ],
            "dimensions": {
                of_family[task] + code: [f"{of_family[task]}{code.upper()} – {title[lang]}" for lang in LANGUAGES]
                for task in tasks
                for code, title in strata(task).items()
                if (task, code) in self._divided()
            },
            "snippet": self._snippets(),
            "block": BLOCK,
        }

    def _families(self) -> dict[str, str]:
        """Task → prefix of its strata's codes: the family's title, if there are several families."""
        titles = {task: known_tasks()[task].title + " " if task in known_tasks() else "" for task in self.tasks()}
        return titles if len(set(titles.values())) > 1 else dict.fromkeys(titles, "")

    def _divided(self) -> set[tuple[str, str]]:
        """(task, code) of the strata that have items."""
        return {(task, code) for (task, _), code in zip(self.keys, self._dimensions, strict=True)}

    def questions(self) -> bytes:
        """Prompts and references, in blocks."""
        return blocks(self._questions[start : start + BLOCK] for start in range(0, len(self._questions), BLOCK))

    def starts(self) -> dict[ItemKey, str]:
        """Item → the start of its question, as the list of items shows it."""
        return dict(zip(self.keys, self._snippets(), strict=True))

    def _snippets(self) -> list[str]:
        """The start of each question without the template: what all of its task and dimension begin with (the
        instruction), and the words that nearly all of its task have.
        """
        names = [(task, dimension) for (task, _), dimension in zip(self.keys, self._dimensions, strict=True)]
        texts = [_start(marked[0] if marked else prompt) for prompt, _, *marked in self._questions]
        starts = {name: _shared_start(some) for name, some in _grouped(names, texts).items()}
        heads = [text[starts[name] :][:_HEAD].replace("\\n", "\n") for name, text in zip(names, texts, strict=True)]
        tasks = [task for task, _ in names]
        templates = {task: _template(some) for task, some in _grouped(tasks, heads).items()}
        return [_snippet(head, templates[task]) for task, head in zip(tasks, heads, strict=True)]


def _grouped(names: Sequence[Any], texts: Sequence[str]) -> dict[Any, list[str]]:
    """Name → its texts, each once."""
    found: dict[Any, dict[str, None]] = {}
    for name, text in zip(names, texts, strict=True):
        found.setdefault(name, {})[text] = None
    return {name: list(some) for name, some in found.items()}


def _texts(item: Item) -> tuple[tuple[str | None, int], ...]:
    """Prompt and reference, and how many characters are kept of each."""
    return (item.prompt, _PROMPT), (item.reference, _REFERENCE)


def _parts(item: Item) -> list[Any]:
    """The question as people read it, and of each of its parts the mark and the accepted answers."""
    marked = item.marked
    if marked is None:
        return []
    parts = [[part.mark, *(text[:_ACCEPTED] for text in part.accepted)] for part in marked.parts[:PARTS]]
    return [cut_middle(marked.text, _PROMPT), parts]


def _start(text: Piece | None) -> str:
    return text if isinstance(text, str) else text[0] if text else ""


def _threes(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Every three words in a row, as if a line ended before and after them: the one at i is around word i."""
    padded = ["\n", *words, "\n"]
    return list(zip(padded, padded[1:], padded[2:], strict=False))


def _template(texts: Sequence[str]) -> Set[tuple[str, ...]]:
    """What nearly all of some texts say, as every three words in a row; nothing of few texts."""
    some = texts[:: len(texts) // _MOST + 1]
    counts = Counter(three for text in some for three in set(_threes(_WORD.findall(text))))
    return {three for three, n in counts.items() if n >= _TEMPLATE * len(some)} if len(some) >= _LEAST else frozenset()


def _snippet(text: str, template: Set[tuple[str, ...]]) -> str:
    """The start of a text without a template, in one line."""
    words = list(_WORD.finditer(text))
    around = [at for at, three in enumerate(_threes([word[0] for word in words])) if three in template]
    gone = {place for at in around for place in (at - 1, at, at + 1)}
    pieces, end = [], 0
    for place, word in enumerate(words):
        if place in gone and not (word[0] in _END and place - 1 not in gone):
            pieces.append(text[end : word.start()])
            end = word.end()
    pieces.append(text[end:])
    line = " · ".join(piece.strip() for piece in pieces if any(map(str.isalnum, piece))) or text
    shown = escape.plain(line[: 2 * _SNIPPET]) if line.strip() else ""
    return shown if len(shown) <= _SNIPPET else shown[: _SNIPPET - 1].rstrip() + "…"


def _shared_start(texts: Sequence[str]) -> int:
    """The length of the common start of all texts, up to the start of a line or string; 0 for a single text."""
    distinct = {text for text in texts if text}
    if len(distinct) < 2:
        return 0
    first, last = min(distinct), max(distinct)  # their common start is that of all texts between them
    length = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return max(first.rfind(sign, 0, length) for sign in '\n"') + 1

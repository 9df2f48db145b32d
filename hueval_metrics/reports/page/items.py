"""The data of the item browser: a small index of all items, and their texts in blocks that are unpacked on demand.

Prompts and references are stored once, from the first run that has them. Where the texts of a run exceed its share of
the page, the longest ones lose their middles.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hueval_metrics.declare import Metric
from hueval_metrics.records import Verdict, number_of
from hueval_metrics.registry import declared, key_fields, known_tasks, strata
from hueval_metrics.reports import escape
from hueval_metrics.reports.figures.names import task_name
from hueval_metrics.reports.page.packing import Piece, blocks, cut_middle, longest_that_fits, size
from hueval_metrics.reports.page.words import LANGUAGES
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Key, item_id
from hueval_metrics.validation.scales import is_judged, scale_of

BLOCK = 64  # items in a block: unpacking one takes a browser some milliseconds
_PROMPT, _REFERENCE = 16_000, 4_000  # characters kept
_SNIPPET = 90  # characters of a question in the list of items
_LONGEST = 16_000  # characters kept of any text
_RATING = 40  # characters kept of a rating
_CHARS = 3_200_000  # of all texts of a run: packed, under 3 MB even if they hardly compress
_MOST_CHARS = 40_000_000  # of one run in memory
_CODES = {"right": "r", "partly": "p", "wrong": "w", "not_attempted": "n", "unjudged": "u"}
_ABSENT = "-"

ItemKey = tuple[str, Key]
Outcome = Literal["right", "partly", "wrong", "not_attempted", "unjudged"]


def _option(key: Key) -> int | None:
    """The number of a presentation of an item; None for an item with one presentation."""
    return key[1] if len(key) == 2 and isinstance(key[1], int) else None


class Items:
    """The items of all runs, numbered in the order of their first occurrence."""

    def __init__(self) -> None:
        self.keys: dict[ItemKey, int] = {}
        self._dimensions: list[str] = []
        self._questions: list[tuple[Piece | None, Piece | None]] = []

    def number(self, item: Item) -> int:
        """The number of an item; of a new one the prompt and the reference are kept."""
        key = (item.task, item.key or tuple(str(item.row.get(field)) for field in key_fields(item.task)))
        number = self.keys.setdefault(key, len(self.keys))
        if number == len(self._questions):
            code = item.dimension or ""
            self._dimensions.append(code if code in strata(item.task) else "")
            texts = (item.prompt, _PROMPT), (item.reference, _REFERENCE)
            prompt, reference = (None if text is None else cut_middle(text, limit) for text, limit in texts)
            self._questions.append((prompt, reference))
        return number

    def tasks(self) -> list[str]:
        """Their tasks."""
        return list(dict.fromkeys(task for task, _ in self.keys))

    def index(self) -> dict[str, Any]:
        """The columns of the list of items."""
        tasks, of_family = self.tasks(), self._families()
        return {
            "tasks": [task_name(task) for task in tasks],
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

    def _snippets(self) -> list[str]:
        """The start of each prompt, without what all prompts of its task and dimension begin with (the instruction)."""
        groups: dict[tuple[str, str], list[str]] = {}
        texts = [_start(prompt) for prompt, _ in self._questions]
        names = [(task, dimension) for (task, _), dimension in zip(self.keys, self._dimensions, strict=True)]
        for name, text in zip(names, texts, strict=True):
            groups.setdefault(name, []).append(text)
        shared = {name: _shared_start(some) for name, some in groups.items()}
        return [_snippet(text[shared[name] :]) for name, text in zip(names, texts, strict=True)]


class Answers:
    """The answers of one run.

    Args:
        items: the items of all runs; new items of this run are added.
        most_chars: characters of all texts in memory; beyond that the longest ones are cut while they are added.
    """

    def __init__(self, items: Items, most_chars: int = _MOST_CHARS) -> None:
        self._items, self._most_chars = items, most_chars
        self._answers: dict[int, _Answer] = {}
        self._longest, self._chars = _LONGEST, 0

    def add(self, item: Item) -> bool:
        """Add an item; False for one that has an answer already, which is skipped."""
        number = self._items.number(item)
        if number in self._answers:
            return False
        answer = _answer(item)
        answer.shorten(self._longest)
        self._chars += sum(map(size, answer.texts()))
        self._answers[number] = answer
        while self._chars > self._most_chars and self._longest:
            self._shorten(self._longest // 2)
        return True

    def packed(self, most_chars: int = _CHARS) -> PackedAnswers:
        """The answers as stored in the page; if their texts are too long, the longest ones lose their middles."""
        lengths = [size(text) for one in self._answers.values() for text in one.texts()]
        self._shorten(longest_that_fits(lengths, most_chars))
        return PackedAnswers(
            blocks=blocks(self._block(start) for start in range(0, len(self._items.keys), BLOCK)),
            outcomes={number: (one.outcome, one.mark) for number, one in self._answers.items()},
            truncated=[number for number, one in self._answers.items() if one.truncated],
            is_cut=any(isinstance(text, tuple) for one in self._answers.values() for text in one.texts()),
        )

    def _shorten(self, longest: int) -> None:
        self._longest = longest
        for answer in self._answers.values():
            answer.shorten(longest)
        self._chars = sum(size(text) for answer in self._answers.values() for text in answer.texts())

    def _block(self, start: int) -> list[dict[str, Any] | None] | None:
        found = [self._answers.get(number) for number in range(start, start + BLOCK)]
        return [one.shown() if one else None for one in found] if any(found) else None


@dataclass(frozen=True)
class PackedAnswers:
    """The answers of one run, as stored in the page.

    Attributes:
        blocks: their texts; see `packing.blocks`.
        outcomes: number of the item → code of its outcome, and mark.
        truncated: numbers of the items with a truncated response.
        is_cut: whether texts were cut to fit.
    """

    blocks: bytes
    outcomes: Mapping[int, tuple[str, str]]
    truncated: Sequence[int]
    is_cut: bool

    def codes(self, n_items: int) -> str:
        """The code of each item's outcome, a letter; `-` without an answer."""
        return "".join(self.outcomes.get(number, (_ABSENT, ""))[0] for number in range(n_items))

    def marks(self, n_items: int) -> list[str]:
        """The mark of each item."""
        return [self.outcomes.get(number, (_ABSENT, ""))[1] for number in range(n_items)]


def outcome(item: Item) -> tuple[Outcome, str]:
    """The outcome of an item, and its mark.

    Returns:
        The outcome, and a mark such as `7/10` (a judge's score) or `3/9` (parts); empty where the outcome is enough.
        Of scores the highest grade of the rubric is right, the lowest one wrong; of a metric the better end of its
        scale is right, the other one wrong.
    """
    parts = declared(item.task).parts if item.task in known_tasks() else None
    if parts is not None and (total := number_of(item.row.get(parts[1]))):
        correct = number_of(item.row.get(parts[0])) or 0.0
        return _graded(correct >= total, correct <= 0), f"{correct:g}/{total:g}"
    verdict = item.verdict
    if is_judged(item.task) and (verdict is None or not verdict.is_given):
        return "unjudged", ""
    if verdict is not None and is_judged(item.task):
        scale = scale_of(item.task)
        if verdict.label is not None and verdict.label == scale.no_answer:
            return "not_attempted", ""
        if verdict.score is not None and not scale.is_label:
            low, high = scale.ends
            return _graded(verdict.score >= high, verdict.score <= low), f"{verdict.score:g}/{scale.words[-1]}"
    value, metric = _first_metric(item)
    if value is None:
        return "unjudged", ""
    low, high = metric.bounds if metric else (0.0, 100.0)
    share = (value - low) / (high - low)
    share = 1 - share if metric and metric.better == "lower" else share
    return _graded(share >= 1, share <= 0), ""


def _graded(is_right: bool, is_wrong: bool) -> Outcome:
    return "right" if is_right else "wrong" if is_wrong else "partly"


def _first_metric(item: Item) -> tuple[float | None, Metric | None]:
    """The value of the item's first metric, and the metric where it is declared; headlines of its task come first.

    Metrics with no better end are left out, and rates: they tell how replies could be read, not whether they are right.
    """
    known = declared(item.task) if item.task in known_tasks() else None
    names = [*known.headline, *known.metrics] if known else []
    neutral = {name for name, metric in known.metrics.items() if metric.better is None} if known else set()
    given = (name for name in [*names, *item.metrics] if item.metrics.get(name) is not None)
    name = next((name for name in given if name not in neutral and not name.endswith("_rate")), "")
    return item.metrics.get(name), known.metrics.get(name) if known else None


def _answer(item: Item) -> _Answer:
    raw, response, parsed = item.prediction or "", item.response or "", item.answer
    # The trace is the text before the response; where the response is no suffix of the reply, the whole reply.
    trace = raw.rstrip().removesuffix(response.rstrip()) if raw != response else ""
    name, mark = outcome(item)
    verdict = item.verdict
    shown = parsed if isinstance(parsed, str | None) else json.dumps(parsed, ensure_ascii=False, default=str)
    return _Answer(
        _CODES[name],
        mark,
        response,
        trace.strip() or None,
        None if parsed == response else shown,
        [_verdict_texts(one) for one in (verdict, *verdict.votes)] if verdict else [],
        item.truncated,
        _rating(item),
    )


def _rating(item: Item) -> str | None:
    """The reference's rating of the answer, where a calibration rests on it."""
    if item.rated is None:
        return None
    rating, _ = item.rated
    return escape.plain(rating[:_RATING]) if isinstance(rating, str) else f"{rating:g}"


def _verdict_texts(verdict: Verdict) -> dict[str, Piece]:
    """What the page shows of a verdict; empty fields are left out."""
    texts = {
        "label": verdict.label,
        "score": None if verdict.score is None else str(verdict.score),
        "judge": verdict.judge,
        "rubric": verdict.rubric,
        "error": verdict.error,
        "raw": verdict.raw,
        "suspicious": ", ".join(verdict.suspicious),
    }
    return {name: text for name, text in texts.items() if text}


def _start(text: Piece | None) -> str:
    return text if isinstance(text, str) else text[0] if text else ""


def _snippet(text: str) -> str:
    line = text[: 2 * _SNIPPET].replace("\\n", " ").strip()  # line breaks in a prompt's JSON
    shown = escape.plain(line) if line else ""
    return shown if len(shown) <= _SNIPPET else shown[: _SNIPPET - 1].rstrip() + "…"


def _shared_start(texts: Sequence[str]) -> int:
    """The length of the common start of all texts, up to the start of a line or string; 0 for a single text."""
    distinct = {text for text in texts if text}
    if len(distinct) < 2:
        return 0
    first, last = min(distinct), max(distinct)  # their common start is that of all texts between them
    length = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return max(first.rfind(sign, 0, length) for sign in '\n"') + 1


@dataclass
class _Answer:
    """One answer: its outcome, and its texts, which may be cut."""

    outcome: str
    mark: str
    response: Piece
    trace: Piece | None
    parsed: Piece | None
    verdicts: list[dict[str, Piece]] = field(default_factory=list)
    truncated: bool = False
    rated: str | None = None

    def shorten(self, longest: int) -> None:
        """Cut its texts to so many characters."""
        self.response = cut_middle(self.response, longest)
        self.trace = self.trace and cut_middle(self.trace, longest)
        self.parsed = self.parsed and cut_middle(self.parsed, longest)
        for verdict in self.verdicts:
            for name, text in verdict.items():
                verdict[name] = cut_middle(text, longest)

    def texts(self) -> list[Piece | None]:
        """All its texts."""
        return [self.response, self.trace, self.parsed, *(text for one in self.verdicts for text in one.values())]

    def shown(self) -> dict[str, Any]:
        """The texts as JSON; empty ones are left out."""
        texts = {"response": self.response, "trace": self.trace, "parsed": self.parsed, "verdicts": self.verdicts}
        texts |= {"rated": self.rated}
        return {name: text for name, text in texts.items() if text} | ({"truncated": True} if self.truncated else {})

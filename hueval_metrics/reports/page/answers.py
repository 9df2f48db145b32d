"""The answers of the item browser: the texts of each run in blocks, and the numbers that items are sorted by.

Where the texts of a run exceed its share of the page, the longest ones lose their middles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from hueval_metrics.answers.reading import Kind, Reading
from hueval_metrics.records import Verdict
from hueval_metrics.reports import escape
from hueval_metrics.reports.page.items import BLOCK, PARTS, Items
from hueval_metrics.reports.page.packing import Piece, blocks, cut_middle, longest_that_fits, places, size
from hueval_metrics.reports.page.section import Findings
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.outcomes import confidence, outcome, spread
from hueval_metrics.text.quick_json import to_json
from hueval_metrics.text.write_json import json_text

_LONGEST = 16_000  # characters kept of any text
_RATING = 40  # characters kept of a rating
_RULE = 20  # characters kept of the name of a reader's rule
_CHARS = 3_200_000  # of all texts of a run: packed, under 3 MB even if they hardly compress
_MOST_CHARS = 40_000_000  # of one run in memory
_WIDE = re.compile("[\u2e80-\U0003ffff]")
_EVERY = 20  # answer of which the script is looked at
_CODES = {"right": "r", "partly": "p", "wrong": "w", "not_attempted": "n", "unjudged": "u"}
_ABSENT = "-"


class Answers:
    """The answers of one run.

    Args:
        items: the items of all runs; new items of this run are added.
        most_chars: characters of all texts in memory; beyond that the longest ones are cut while they are added.
        findings: item → what a feature found in its trace, of this run; None for no feature.
    """

    def __init__(
        self,
        items: Items,
        most_chars: int = _MOST_CHARS,
        findings: Callable[[Item], Findings | None] | None = None,
    ) -> None:
        self._items, self._most_chars, self._findings = items, most_chars, findings
        self._n_other = 0
        self._answers: dict[int, _Answer] = {}
        self._longest, self._chars = _LONGEST, 0

    def add(self, item: Item) -> bool:
        """Add an item; False for one that has an answer already, which is skipped."""
        number = self._items.number(item)
        if number in self._answers:
            return False
        answer = _answer(item)
        answer.asked = self._items.otherwise_asked(number, item)
        found = self._findings(item) if self._findings else None
        if found is not None:
            trace = found.trace_of(item)
            if trace is None:
                self._n_other += 1
            else:
                answer.findings, answer.trace, answer.tokens = found, trace or None, found.tokens
        sizes = list(map(size, answer.texts()))
        if max(sizes) > self._longest:
            answer.shorten(self._longest)
            sizes = list(map(size, answer.texts()))
        self._chars += sum(sizes)
        self._answers[number] = answer
        while self._chars > self._most_chars and self._longest:
            self._shorten(self._longest // 2)
        return True

    def packed(self, most_chars: int = _CHARS) -> PackedAnswers:
        """The answers as stored in the page; if their texts are too long, the longest ones lose their middles, traces
        first.
        """
        most_chars = int(most_chars / (1 + self._wide_share()))
        marks = (one.findings.shown(one.trace or "") for one in self._answers.values() if one.findings)
        most_chars -= sum(len(to_json(one)) for one in marks) // 4  # of the page, as they compress well
        traces = [size(one.trace) for one in self._answers.values()]
        others = self._chars - sum(traces)
        for_traces = longest_that_fits(
            traces, max(most_chars - others, most_chars // 4)
        )  # what was answered comes first
        lengths = [size(text) for one in self._answers.values() for text in one.texts() if text is not one.trace]
        left = most_chars - sum(min(length, for_traces) for length in traces)
        self._shorten(longest_that_fits(lengths, left), for_traces)
        return PackedAnswers(
            blocks=blocks(self._block(start) for start in range(0, len(self._items.keys), BLOCK)),
            outcomes={number: (one.outcome, one.mark) for number, one in self._answers.items()},
            truncated=[number for number, one in self._answers.items() if one.truncated or one.at_limit],
            kinds={number: one.reading.kind for number, one in self._answers.items() if one.reading},
            facts={number: one.facts for number, one in self._answers.items()},
            findings={number: one.findings.bits for number, one in self._answers.items() if one.findings},
            n_other=self._n_other,
            rubrics={rubric for one in self._answers.values() for rubric in one.rubrics},
            is_cut=any(isinstance(text, tuple) for one in self._answers.values() for text in one.texts()),
        )

    def _wide_share(self) -> float:
        """About which share of the characters are Chinese, Japanese or Korean: one takes the room of two others."""
        some = [(one.response, one.trace or "") for one in islice(self._answers.values(), 0, None, _EVERY)]
        texts = [text if isinstance(text, str) else text[0] + text[2] for pair in some for text in pair]
        n = sum(map(len, texts))
        return sum(len(_WIDE.findall(text)) for text in texts) / n if n else 0.0

    def _shorten(self, longest: int, of_traces: int | None = None) -> None:
        self._longest = longest
        for answer in self._answers.values():
            answer.shorten(longest, of_traces)
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
        truncated: numbers of the items with a truncated response, or one that ended at the token limit.
        kinds: number of the item → kind of the reading of its response, where a reader looked for an answer.
        facts: number of the item → the numbers that items are sorted by, in percent; only those that there are.
        findings: number of the item → what was found in its trace, as bits (`section.Findings`).
        n_other: rows of traces that are of another reply.
        rubrics: names and versions of the rubrics by which its judges have judged.
        is_cut: whether texts were cut to fit.
    """

    blocks: bytes
    outcomes: Mapping[int, tuple[str, str]]
    truncated: Sequence[int]
    kinds: Mapping[int, Kind]
    facts: Mapping[int, Mapping[str, int]]
    findings: Mapping[int, int]
    n_other: int
    rubrics: Set[str]
    is_cut: bool

    def codes(self, n_items: int) -> str:
        """The code of each item's outcome, a letter; `-` without an answer."""
        return "".join(self.outcomes.get(number, (_ABSENT, ""))[0] for number in range(n_items))

    def marks(self, n_items: int) -> list[str]:
        """The mark of each item."""
        return [self.outcomes.get(number, (_ABSENT, ""))[1] for number in range(n_items)]

    def readings(self, n_items: int) -> str:
        """The kind of each item's reading, as its first letter; `-` without one."""
        return "".join(self.kinds.get(number, _ABSENT)[0] for number in range(n_items))

    def columns(self, n_items: int) -> dict[str, list[int | None]]:
        """The numbers that items are sorted by, as columns; those that no item has are left out."""
        names = dict.fromkeys(name for facts in self.facts.values() for name in facts)
        return {name: [self.facts.get(number, {}).get(name) for number in range(n_items)] for name in names}


def _answer(item: Item) -> _Answer:
    raw, response, parsed = item.prediction or "", item.response or "", item.answer
    # The trace is the text before the response; where the response is no suffix of the reply, the whole reply.
    trace = raw.rstrip().removesuffix(response.rstrip()) if raw != response else ""
    graded, verdict, marked = outcome(item), item.verdict, item.marked
    verdicts = (verdict, *verdict.votes) if verdict else ()
    shown = parsed if isinstance(parsed, str | None) else json_text(parsed, default=str)
    return _Answer(
        _CODES[graded.outcome],
        graded.mark,
        response,
        trace.strip() or None,
        None if parsed == response else shown,
        [_verdict_texts(one) for one in verdicts],
        item.truncated,
        _rating(item),
        [(part.given, part.right) for part in marked.parts[:PARTS]] if marked else [],
        _facts(item, graded.share),
        {one.rubric for one in verdicts if one.rubric},
        reading=item.reading,
        second=item.second,
        tokens=item.reasoning_tokens,
        at_limit=item.at_limit,
    )


def _facts(item: Item, share: float | None) -> dict[str, int]:
    """The numbers that items are sorted by: `length` in characters, the others in percent."""
    shares = {"score": share, "confidence": confidence(item), "spread": spread(item)}
    found = {name: round(100 * value) for name, value in shares.items() if value is not None}
    return found if item.response is None else found | {"length": len(item.response)}


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
        "score": None if verdict.score is None else f"{verdict.score:g}",
        "judge": verdict.judge,
        "rubric": verdict.rubric,
        "error": verdict.error,
        "raw": verdict.raw,
        "suspicious": ", ".join(verdict.suspicious),
    }
    return {name: text for name, text in texts.items() if text}


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
    marked: list[tuple[str | None, bool]] = field(default_factory=list)
    facts: dict[str, int] = field(default_factory=dict)
    rubrics: set[str] = field(default_factory=set)
    asked: tuple[Piece, Piece] | None = None
    reading: Reading[Any] | None = None
    second: Piece | None = None
    findings: Findings | None = None
    tokens: int | None = None
    at_limit: bool = False

    def shorten(self, longest: int, of_traces: int | None = None) -> None:
        """Cut its texts to so many characters; the trace to as many as the others where no number is given for it."""
        self.response = cut_middle(self.response, longest)
        self.trace = self.trace and cut_middle(self.trace, longest if of_traces is None else of_traces)
        self.parsed = self.parsed and cut_middle(self.parsed, longest)
        self.second = self.second and cut_middle(self.second, longest)
        self.marked = [(given and given[:longest], right) for given, right in self.marked]
        if self.asked is not None:
            self.asked = cut_middle(self.asked[0], longest), cut_middle(self.asked[1], longest)
        for verdict in self.verdicts:
            for name, text in verdict.items():
                verdict[name] = cut_middle(text, longest)

    def texts(self) -> list[Piece | None]:
        """All its texts."""
        others = [*(given for given, _ in self.marked), *(text for one in self.verdicts for text in one.values())]
        return [self.response, self.trace, self.parsed, self.second, *(self.asked or ()), *others]

    def shown(self) -> dict[str, Any]:
        """The texts as JSON; empty ones are left out."""
        texts: dict[str, Any] = {
            "response": self.response,
            "trace": self.trace,
            "parsed": self.parsed,
            "second": self.second,
            "verdicts": self.verdicts,
        }
        texts |= {"rated": self.rated, "marked": self.marked, "asked": self.asked, "tokens": self.tokens}
        texts["read"] = self.reading and self._read(self.reading)
        texts["found"] = self.findings and self.findings.shown(self.trace or "")
        texts |= {"truncated": self.truncated, "at_limit": self.at_limit}
        return {name: text for name, text in texts.items() if text}

    def _read(self, reading: Reading[Any]) -> list[Any]:
        """Kind, rule, and spans in UTF-16 units of what is kept of the response, in order; without those cut out."""
        place = places(self.response)
        ends = sorted((place(span.start), place(span.end)) for span in reading.spans[:PARTS] if span is not None)
        return [
            reading.kind,
            reading.rule and escape.plain(reading.rule[:_RULE]),
            [pair for pair in ends if pair[0] < pair[1]],
        ]

"""Flags: what makes a task's score doubtful, found by counting its replies, and shown beside the score.

A flag is a mark, no verdict. Each rule has one threshold here, with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from hueval_metrics.answers.reading import Kind
from hueval_metrics.declare import Task
from hueval_metrics.judge.series import series_of
from hueval_metrics.records import CYCLIC, Signature, number_of
from hueval_metrics.stats.matches import fewer_matches_p

COVERAGE = "judge_coverage"  # of every judged task: the share of its items with a verdict, in percent
FLAGS = "flags"  # of a task, in results
INVERTED_P = 0.001  # one table in a thousand may cry wolf, after Holm's correction over what it shows
_ONE_ANSWER = 0.95
LEAST_ITEMS = 20  # a model of two labels has one in 95 % of 20 answers by chance in 1 of 25,000
_IN_KEY = 0.90  # where the key has the label as often, giving it always is what a good model does
_UNREAD = 0.05  # as many points may a score lack for its form alone, which is more than most differences of models
_TRACES = 0.01  # of replies with thinking off: some models write a trace once in a while all the same
_NO_TRACES = 0.50  # of replies with thinking on: models leave easy questions without a trace
_JUDGED = 0.95  # a judge leaves out hard answers first, so that the rest is another test
_NAMES: Mapping[Kind, str] = {
    "nothing": "empty",
    "refused": "refused",
    "several": "unreadable",
    "unreadable": "unreadable",
}
OF_REPLIES = ("inverted", "one_answer", "unreadable", "refused", "empty", "cut", "thinking")  # need every reply
OTHERS = ("judge", "part", "ceiling", "floor")


@dataclass(frozen=True)
class Flag:
    """A doubt about a score.

    Attributes:
        kind: one of `OF_REPLIES` and `OTHERS`.
        n, of: how many items have it, of how many.
        detail: what else its note says, by kind; of `judge` `why`: `unjudged`, `several`, `series` or `retired`.
    """

    kind: str
    n: int
    of: int
    detail: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As it is in results."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: object) -> Flag | None:
        """Read what anyone may have written; None for what is no flag."""
        row = found if isinstance(found, Mapping) else {}
        n, of, detail = number_of(row.get("n")), number_of(row.get("of")), row.get("detail")
        if row.get("kind") not in (*OF_REPLIES, *OTHERS) or n is None or of is None:
            return None
        return cls(row["kind"], int(n), int(of), detail if isinstance(detail, Mapping) else {})

    @property
    def bars(self) -> bool:
        """Whether the score takes no place among others: it is of other items, or by several judges."""
        return self.kind == "part" or (self.kind == "judge" and self.detail.get("why") in ("unjudged", "several"))


@dataclass(frozen=True)
class Facts:
    """What flags need to know of a task beside its replies.

    Attributes:
        n: items scored.
        total: items of the split; None when unknown.
        is_first: whether the items are the first in the order of the data; None when unknown.
        model: what the model is called; None when unknown.
        coverage: share of the items with a verdict, in percent; None for a task scored by rule.
        judges: who judged; `+` joins the members of a panel.
        retired: judge → verdicts that it gave after the day on which it was to be shut down.
    """

    n: int
    total: int | None = None
    is_first: bool | None = None
    model: str | None = None
    coverage: float | None = None
    judges: tuple[str, ...] = ()
    retired: Mapping[str, int] = field(default_factory=dict)


class Reply(NamedTuple):
    """What flags count of a reply (`Replies`).

    Attributes:
        pair: the labels in the key and in the reply; None where either is lacking.
        answer: the latter as people know it.
        kind: of its reading; of a reply that no reader reads, whether there is any text; None where that is unknown.
        at_limit: whether it ended at the token limit; None where it is not known.
        has_trace: whether it has a reasoning trace with text in it; False where that is not looked for.
    """

    pair: tuple[Any, Any] | None
    answer: str
    kind: Kind | None
    at_limit: bool | None
    has_trace: bool


class Replies:
    """The counts of a task's replies that flags rest on.

    Args:
        task: the task.
        thinking: what was asked of the model's thinking (`thinking.thinking_asked`); None for nothing, and
            no traces are looked for.

    Attributes:
        n: how many there are.
        wanted: what `score.reply_in` is to look for, besides the row.
    """

    def __init__(self, task: Task, thinking: Mapping[str, Any] | None = None) -> None:
        self.wanted = task.labels, thinking is not None
        self._generates = task.output_type == "generate_until"
        self._thinking = thinking
        self._kinds: Counter[str] = Counter()
        self._pairs: Counter[tuple[Any, Any]] = Counter()
        self._names: dict[Any, str] = {}  # of labels, where pairs have their numbers
        self.n = self._n_limit_known = self._n_cut = self._n_traced = 0

    def add(self, reply: Reply) -> None:
        """Count a reply (`score.reply_in`)."""
        self.n += 1
        if reply.pair is not None:
            self._pairs[reply.pair] += 1
            self._names.setdefault(reply.pair[1], reply.answer)
        if not self._generates:
            return
        if (kind := reply.kind) is not None:
            self._kinds[_NAMES.get(kind, kind)] += 1
        if reply.at_limit is not None:
            self._n_limit_known += 1
            self._n_cut += reply.at_limit and kind != "answered"
        self._n_traced += reply.has_trace

    def flags(self) -> Iterator[Flag]:
        """The flags of `OF_REPLIES`; `inverted` before the correction for what is shown together."""
        yield from self._of_answers()
        yield from shares(self._kinds, self._kinds.total())
        if self._n_limit_known and self._n_cut >= _UNREAD * self._n_limit_known:
            yield Flag("cut", self._n_cut, self._n_limit_known)
        if (thinking := self._thinking) is not None and self.n and self._generates:
            traces, without = thinking.get("traces"), self.n - self._n_traced
            is_left = traces == "left" or (traces is None and self._n_traced > 0)
            is_unasked = thinking.get("asked") == "off" and self._n_traced > _TRACES * self.n
            if is_unasked or (thinking.get("asked") == "on" and is_left and without >= _NO_TRACES * self.n):
                yield Flag("thinking", self._n_traced, self.n, dict(thinking))

    def _of_answers(self) -> Iterator[Flag]:
        n = self._pairs.total()
        if not n:
            return
        p = fewer_matches_p(self._pairs)
        if p is not None and p < INVERTED_P:
            yield Flag("inverted", sum(c for (key, given), c in self._pairs.items() if key == given), n, {"p": p})
        keys: Counter[Any] = Counter()
        answers: Counter[Any] = Counter()
        for (key, given), count in self._pairs.items():
            keys[key] += count
            answers[given] += count
        ((most, count),) = answers.most_common(1)
        if n >= LEAST_ITEMS and count >= _ONE_ANSWER * n and keys[most] < _IN_KEY * n:
            yield Flag("one_answer", count, n, {"answer": self._names[most], "in_key": keys[most]})


def shares(kinds: Mapping[str, int], n: int) -> Iterator[Flag]:
    """The flags of replies without an answer, by kind."""
    for kind in dict.fromkeys(_NAMES.values()):
        if n and kinds.get(kind, 0) >= _UNREAD * n:
            yield Flag(kind, kinds[kind], n)


def kinds_of(readings: Mapping[Kind, float], n: int) -> dict[str, int]:
    """How many replies have each kind, from the shares in percent that results have."""
    counts: Counter[str] = Counter()
    for kind, share in readings.items():
        counts[_NAMES.get(kind, kind)] += round(share * n / 100)
    return counts


def of_facts(facts: Facts) -> Iterator[Flag]:
    """The flags that need no reply: of the judge, and of items that are lacking."""
    judged = None if facts.coverage is None else round(facts.coverage * facts.n / 100)
    if judged is not None and judged < _JUDGED * facts.n:
        yield _judge("unjudged", judged, facts.n, facts.judges)
    if len(facts.judges) > 1:
        yield _judge("several", facts.n, facts.n, facts.judges)
    members = [member for judge in facts.judges for member in judge.removesuffix(CYCLIC).split("+")]
    own = series_of(facts.model) if facts.model else None
    if of_series := [one for one in members if own is not None and own == series_of(one)]:
        yield _judge("series", facts.n, facts.n, of_series)
    if facts.retired:
        yield _judge("retired", sum(facts.retired.values()), facts.n, facts.retired)
    if facts.total is not None and facts.n < facts.total:
        yield Flag("part", facts.n, facts.total, {"first": facts.is_first})


def flags_of(replies: Replies, facts: Facts) -> list[dict[str, Any]]:
    """All flags of a task, as they are in results."""
    return [one.to_json() for one in (*replies.flags(), *of_facts(facts))]


def judges_in(signature: str | None) -> tuple[str, ...]:
    """Who judged, by a signature."""
    return Signature.parse(signature or "").judges


def _judge(why: str, n: int, of: int, judges: Iterable[str]) -> Flag:
    return Flag("judge", n, of, {"why": why, "judges": sorted(judges)})

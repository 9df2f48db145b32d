"""Lengths: of the questions and of the sentences (Figures 2 and 3), and accuracy by length (Figure 7)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.reports.figures.charts.histograms import HistogramPanel, histograms
from hueval_metrics.reports.figures.charts.scale import round_up
from hueval_metrics.reports.figures.charts.trends import TrendPanel, trends
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import Maker
from hueval_metrics.reports.figures.names import Name, names_of
from hueval_metrics.reports.figures.points import Point, columns_of, estimated
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Key, Run
from hueval_metrics.words.texts import ENGLISH, Texts, by_english
from lm_eval_tasks.hkmmlu.figures.asking import CAPTIONS, DIRECT, GENERATED, SECTION, WORDS, part_titles, shown
from lm_eval_tasks.hkmmlu.summaries import CODES

_BIN = 200  # Figure 7
_STEPS = 8  # bins of its axes; the last one has all that is longer
_BARS = 7  # of a histogram, likewise
_SENTENCES = {code: WORDS.texts(f"sentences.{code}") for code in ("yue", "zh")}
_TRANSLATED = {"hkmmlutr_yue_to_zh": ("yue", "zh"), "hkmmlutr_zh_to_yue": ("zh", "yue")}  # source, then reference


class DataLengths(Maker):
    """How long the questions of each category are, with their options, and the sentences of either language."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, Key | None]] = set()
        self._questions: dict[str, Counter[int]] = {}
        self._sentences: dict[str, Counter[int]] = {}

    def add(self, run_index: int, item: Item) -> None:
        """Add one item; one that another run had already is skipped."""
        if (item.task, item.key) in self._seen:
            return
        self._seen.add((item.task, item.key))
        asked = item.row.get("question")
        if item.task in _TRANSLATED:
            for language, text in zip(_TRANSLATED[item.task], (asked, item.reference), strict=True):
                if isinstance(text, str):
                    self._sentences.setdefault(language, Counter())[self.ruler.of(text)] += 1
        elif item.task.startswith(GENERATED) and isinstance(asked, str):
            code = CODES[SUBJECTS[item.task.removeprefix(GENERATED)].category]
            self._questions.setdefault(code, Counter())[self.ruler.of(asked)] += 1

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """A figure of the questions, and one of the sentences."""
        for kind, found, titles in (
            ("questions", self._questions, part_titles()),
            ("sentences", self._sentences, _SENTENCES),
        ):
            if found:
                yield self._figure(kind, {code: found[code] for code in titles if code in found}, titles)

    def _figure(self, kind: str, found: Mapping[str, Counter[int]], titles: Mapping[str, Texts]) -> Figure:
        own = round_up(max(map(_nearly_longest, found.values())) / _BARS)
        starts = [int(own * step) for step in range(_BARS)]
        panels, rows = [], []
        for code, lengths in found.items():
            bins = [0] * _BARS
            for length, n in lengths.items():
                bins[min(int(length / own), _BARS - 1)] += n
            shares, title = [100 * n / lengths.total() for n in bins], titles[code][ENGLISH]
            mean = sum(length * n for length, n in lengths.items()) / lengths.total()
            panels.append(HistogramPanel(Name(title, title, title), shares, f"Ø {mean:.1f}", lengths.total()))
            rows += [
                {"part": title, "length_from": start, "share": share, "items": n, "mean_length": mean}
                for start, share, n in zip(starts, shares, bins, strict=True)
            ]
        draw = partial(histograms, panels, [*map(str, starts[:-1]), f"{starts[-1]}+"])
        return Figure(
            f"hkmmlu-length-{kind}",
            f"hkmmlu-length-{kind}",
            rows,
            draw,
            {"unit": self.ruler.unit, "bin": f"{own:g}"},
            captions=CAPTIONS,
            words=by_english(titles.values()),
            section=SECTION,
        )


class ByLength(Maker):
    """Accuracy by the length of the question, and by that of the reply with its reasoning."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}  # hash of a question → its length
        self._hits: dict[tuple[int, str], Counter[tuple[int, bool]]] = defaultdict(Counter)
        self._reasoning: set[int] = set()  # runs with traces

    def add(self, run_index: int, item: Item) -> None:
        """Add one item; one without a reply or a score is skipped."""
        right, asked, reply = (item.values or {}).get("acc"), item.row.get("question"), item.prediction
        if not item.task.startswith(GENERATED) or right is None or not isinstance(asked, str) or reply is None:
            return
        known = hash(asked)
        if known not in self._known:
            self._known[known] = self.ruler.of(asked)
        if reply != item.response:
            self._reasoning.add(run_index)
        for what, length in (("question", self._known[known]), ("reply", self.ruler.of(reply))):
            self._hits[run_index, what][min(length // _BIN, _STEPS - 1), right == 1] += 1

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """One figure, with a panel for either length that there are runs for."""
        reasons = self._reasoning
        chosen = {
            "question": shown(runs, DIRECT.__eq__, lambda how: True),
            "reply": shown(runs, lambda how: how.method == "cot" and how.shots > 0, lambda how: how.method == "cot"),
        }
        direct = shown(runs, lambda how: True)
        chosen["reply"] |= {m: at for m, at in direct.items() if m not in chosen["reply"] and at in reasons}
        found = {
            what: {model: line for model, place in some.items() if any(line := self._line(place, what))}
            for what, some in chosen.items()
        }
        used = {
            what: max((step + 1 for line in some.values() for step, one in enumerate(line) if one), default=0)
            for what, some in found.items()
        }
        found = {what: some for what, some in found.items() if used[what] > 1}  # one bin shows nothing of lengths
        models = list(dict.fromkeys(model for some in found.values() for model in some))
        steps = [*(str(_BIN * step) for step in range(_STEPS - 1)), f"{_BIN * (_STEPS - 1)}+"]
        titles = {what: WORDS.texts(f"by_length.{what}") for what in chosen}
        panels, rows = [], []
        for what, some in found.items():
            lines = [some.get(model, [None] * _STEPS)[: used[what]] for model in models]
            panels.append(TrendPanel(titles[what][ENGLISH], steps[: used[what]], lines))
            rows += [
                {"by": what, "model": model, "length_from": _BIN * step} | columns_of(one) | {"n": one.n}
                for model, line in some.items()
                for step, one in enumerate(line)
                if one
            ]
        if panels:
            yield Figure(
                "hkmmlu-accuracy-by-length",
                "hkmmlu-accuracy-by-length",
                rows,
                partial(trends, panels, names_of(models)),
                {"unit": self.ruler.unit},
                captions=CAPTIONS,
                words=by_english(titles.values()),
                section=SECTION,
            )

    def _line(self, place: int, what: str) -> list[Point | None]:
        """The accuracy in each bin."""
        found = self._hits.get((place, what), Counter())
        return [
            estimated(PERCENT, {float(right): n for right in (True, False) if (n := found[step, right])})
            for step in range(_STEPS)
        ]


def _nearly_longest(lengths: Counter[int]) -> int:
    """The 98th percentile."""
    left = 0.98 * lengths.total()
    for length in sorted(lengths):
        left -= lengths[length]
        if left <= 0:
            return length
    return 0

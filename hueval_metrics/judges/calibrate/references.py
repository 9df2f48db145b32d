"""What the reference said of an answer: verdicts of other scored runs, of the same run, or ratings by people.

An answer is found by its item and the hash of its response, in runs that have no other response to a common item.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import ClassVar, Literal

from hueval_metrics.errors import InputError
from hueval_metrics.judges.calibrate.answers import Answer, Said, ScoredRun, answers, scored_runs
from hueval_metrics.judges.calibrate.file import digest
from hueval_metrics.judges.people.human_check import human_ratings, people
from hueval_metrics.judges.people.key import find_key, read_key
from hueval_metrics.judges.people.ratings import Rater, read_raters
from hueval_metrics.judges.people.sample import Sample, Stratum, stratum_of
from hueval_metrics.one_line import one_line
from hueval_metrics.stats.agreement import Rating
from hueval_metrics.text.workbook import SUFFIXES

_Place = tuple[str, str]  # hashes of an item and a response

OTHER_RESPONSE = "whose run has other responses than the reference's"
UNREADABLE = "with an unreadable verdict of the reference"
TIED = "whose raters tie"
DIFFERENT = "rated differently by the reference in two rows"


def references_of(given: Sequence[str], key: Path | None, problems: list[str]) -> References:
    """Who the scores are wanted of.

    Args:
        given: scored runs, or filled-in sheets of `hueval validate-judge`, or one model id whose verdicts are in the
            judge's own runs.
        key: of the sheets; None for the one beside them.
        problems: takes a line on each rating of a sheet that is left out.

    Raises:
        InputError: these are of several kinds, or cannot be read.
    """
    paths = [Path(one) for one in given]
    if len(given) == 1 and not paths[0].exists() and paths[0].suffix.lower() not in SUFFIXES:
        return SameRun(given[0])
    sheets = [path for path in paths if path.suffix.lower() in SUFFIXES]
    if not sheets:
        return OtherRuns(scored_runs(paths))
    if len(sheets) < len(paths):
        raise InputError("calibrate: --reference names sheets and runs. Name ratings of people, or runs of one judge")
    sample = read_key(key or find_key(sheets))
    raters, found = read_raters(sheets, sample.items)
    problems += found
    if not raters:
        raise InputError(f"{sheets[0]}: no rating in it. Fill in the column rating, and name the sheets with their key")
    return People(sample, raters)


@dataclass(frozen=True, slots=True)
class Found:
    """What the reference said of one answer.

    Attributes:
        rating: the label or the score; None where it cannot be counted.
        why: the reason for that, in the words of `left_out`; None for an answer that it was not asked about.
        name: the reference.
        rubric: by which it rated; None for people, who have the judge's.
        drawn_for: how many verdicts of its stratum it stands for, where a sheet drew it; else 1.
        weight: of the reference's row, where it is of a frozen set that was drawn by strata; else 1.
    """

    rating: Rating | None = None
    why: str | None = None
    name: str = ""
    rubric: str | None = None
    drawn_for: float = 1.0
    weight: float = 1.0

    def weight_of(self, answer: Answer) -> float:
        """How many answers the rated one stands for, by its draws: into a frozen set, and into a sheet."""
        return self.drawn_for * max(self.weight, answer.weight)


NOT_ASKED = Found()


class References(ABC):
    """Who rated answers again."""

    kind: ClassVar[Literal["judge", "people"]] = "judge"

    def match(self, run: str, given: Sequence[Answer]) -> None:  # noqa: B027  a judge's own run is the same
        """Look at all answers of a run, before `of` is asked about them."""

    @abstractmethod
    def of(self, run: str, answer: Answer) -> Found:
        """What it said of an answer of a run."""

    def signatures(self, task: str) -> dict[str, str]:
        """Name of a run of the reference → its signature."""
        return {}


class _Listed(References):
    """Ratings by run, item and response; of a run count those of the very same answers, item by item.

    Two models that answer some items alike do so where they are easy, so that ratings of these alone are no sample of
    either run.
    """

    def __init__(self) -> None:
        self._responses: dict[tuple[str, str], dict[str, str]] = {}  # the reference's run, task → item → response
        self._said: dict[_Place, dict[str, Found]] = {}
        self._same: dict[tuple[str, str], set[str]] = {}  # the judge's run, task → runs of the reference

    def add(self, run: str, task: str, item: str, response: str, found: Found | None) -> None:
        """Add what was said of an answer; None where the reference had it and said nothing."""
        self._responses.setdefault((run, task), {})[item] = response
        if found is not None:
            said = self._said.setdefault((item, response), {})
            said[run] = _combined(said[run], found) if run in said else found

    def match(self, run: str, given: Sequence[Answer]) -> None:
        """Find the reference's runs whose answers are those of a run, on all items that both have."""
        for (name, task), responses in self._responses.items():
            common = [answer for answer in given if answer.task == task and answer.item in responses]
            if common and all(responses[answer.item] == answer.response for answer in common):
                self._same.setdefault((run, task), set()).add(name)

    def of(self, run: str, answer: Answer) -> Found:
        """See `References.of`."""
        same = self._same.get((run, answer.task), set())
        if not same:
            rated = (items for (_, task), items in self._responses.items() if task == answer.task)
            return Found(why=OTHER_RESPONSE) if any(answer.item in items for items in rated) else NOT_ASKED
        said = self._said.get((answer.item, answer.response), {})
        found = {name: one for name, one in said.items() if name in same}
        if not found:
            return NOT_ASKED
        return reduce(_combined, found.values())


@dataclass(frozen=True)
class SameRun(References):
    """A judge by its model id, with verdicts in the judge's own runs (`hueval score --rejudge`)."""

    name: str

    def of(self, run: str, answer: Answer) -> Found:
        """See `References.of`."""
        said = answer.by_judge().get(self.name)
        return NOT_ASKED if said is None else _found(self.name, said)

    def missing(self, runs: Sequence[ScoredRun]) -> InputError:
        """The error that the judge has no verdict in some runs."""
        name, shown = one_line(self.name, 80), ", ".join(str(run.folder) for run in runs)
        return InputError(
            f"--reference {name}: no such run or sheet, and no verdicts of a judge of this name in {shown}. Name what "
            f"`hueval score` wrote, or judge again: hueval score {runs[0].folder} --rejudge {name} --output DIR"
        )


class OtherRuns(_Listed):
    """Runs that the reference judged, of the same answers."""

    def __init__(self, runs: Sequence[ScoredRun]) -> None:
        super().__init__()
        self.runs = runs
        for run in runs:
            for answer in answers(run):
                said = answer.said()
                found = None if said is None else _found(answer.judge or "", said, answer.weight)
                self.add(run.label, answer.task, answer.item, answer.response, found)

    def signatures(self, task: str) -> dict[str, str]:
        """See `References.signatures`."""
        return {str(run.folder): run.tasks[task].signature for run in self.runs if task in run.tasks}


class People(_Listed):
    """The ratings in sheets of `hueval validate-judge`, several raters combined by `human_ratings`."""

    kind = "people"

    def __init__(self, sample: Sample, raters: Sequence[Rater]) -> None:
        super().__init__()
        name, known = people(raters), human_ratings(sample.items, raters)
        bands = {key: stratum_of(sample.items[key]).whole_band for key in known}
        sizes: Counter[Stratum] = Counter()
        for stratum, n in sample.population.items():
            sizes[stratum.whole_band] += n
        rated = Counter(bands[key] for key, rating in known.items() if rating is not None)
        for key, rating in known.items():
            item, band = sample.items[key], bands[key]
            if rating is None:
                found = Found(why=TIED, name=name, rubric=item.rubric)
            else:  # of all runs of the sheet: it was drawn from these together
                found = Found(rating, name=name, rubric=item.rubric, drawn_for=sizes[band] / rated[band])
            self.add(item.run, item.task, digest(item.task, item.qid), digest(item.response), found)


def _combined(first: Found, second: Found) -> Found:
    """What two rows with the same response say: the rating of those that have one, if these agree."""
    if second.rating == first.rating or (second.rating is None and second.why != DIFFERENT):
        return first
    if first.rating is None and first.why != DIFFERENT:
        return second
    return Found(why=DIFFERENT, name=first.name, rubric=first.rubric)


def _found(name: str, said: Said, weight: float = 1.0) -> Found:
    return Found(said.rating, UNREADABLE if said.rating is None else None, name, said.rubric, weight=weight)

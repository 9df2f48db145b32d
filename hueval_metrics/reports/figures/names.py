"""Names as the figures show them: short, cleaned, unique."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hueval_metrics import registry
from hueval_metrics.registry import known_tasks
from hueval_metrics.reports import escape
from hueval_metrics.reports.figures.sheet import WIDE
from hueval_metrics.runs.run import BASELINE, Run, is_baseline

_WIDTHS = {"MW": 1.6, "mw": 1.5, "iljtfrI.,:;'!|()[]/- ": 0.65}  # of letters, in those of an n, by DejaVu Sans
_NO_BRACKETS = str.maketrans("", "", "()")
_MOST, _MOST_NARROW, _MOST_BASELINE = 26, 12, 10  # width of a name in small letters; the CSV has the whole name


def task_name(task: str) -> str:
    """A task's title without brackets, for the heading of a panel."""
    title = registry.title(task)
    return title.translate(_NO_BRACKETS) if title else short_names([task])[0]


def slug(task: str) -> str:
    """A task in a file's name: without its family's prefix, unless a task of another family has the same name.

    A task that no family declares is named by anyone's results file: only its letters and digits are kept.

    >>> slug("toybench_/../../Ő")
    'toybench'
    """
    bare = {known: known.removeprefix(next(filter(known.startswith, registry.prefixes()))) for known in known_tasks()}
    own = bare.get(task, task)
    return re.sub(r"[^a-z0-9]+", "-", own if list(bare.values()).count(own) == 1 else task).strip("-")


def short_names(labels: Sequence[str], most: float = _MOST) -> list[str]:
    """The models' names as the figures show them: at most as wide as `most` small letters, and unique.

    A baseline is named by its policy.

    The part before the last slash (an organisation, a folder) is left out if the names stay unique; longer names lose
    their middle, since the start has the series and the end has the size or version; where that makes them alike, they
    lose what they begin with.

    >>> short_names(["meta-llama/Llama-3.1-70B-Instruct", "openai/gpt-4o"], most=16)
    ['Llama-3.…Instruct', 'gpt-4o']
    """
    whole = [re.sub(f"^{BASELINE}[- ]", "", escape.plain(label)) for label in labels]
    bare = [_bare(name) for name in whole]
    seen = Counter(bare)
    long = [own if seen[own] == 1 else full for own, full in zip(bare, whole, strict=True)]
    alike: dict[str, list[str]] = {}
    for each in long:
        alike.setdefault(_shortened(each, most), []).append(each)
    names: list[str] = []
    for each in long:
        start, number = _differ(alike[_shortened(each, most)]), 1
        name = short = _shortened("…" * bool(start) + each[start:], most)
        while name in names:
            number += 1
            name = _shortened(short, most - len(f" {number}")) + f" {number}"
        names.append(name)
    return names


def _differ(names: Sequence[str]) -> int:
    """Where names begin to differ, at the start of a word; 0 where they do not, or one begins with another."""
    at = next((at for at, chars in enumerate(zip(*names, strict=False)) if len(set(chars)) > 1), 0)
    return len(re.sub(r"\w*\Z", "", names[0][:at]))


def names_of(labels: Sequence[str]) -> list[Name]:
    """The names of some models, in a wide and a narrow drawing."""
    pairs = zip(short_names(labels), short_names(labels, _MOST_NARROW), labels, strict=True)
    return [Name(wide, narrow, escape.plain(label)) for wide, narrow, label in pairs]


def lineup(runs: Sequence[Run]) -> Lineup:
    """Who competes in the figures of some runs, and what they are called there."""
    labels = [run.label for run in runs]
    found = names_of(labels)
    models = [place for place, run in enumerate(runs) if not is_baseline(run)]
    if not models:
        return Lineup(found, [], list(range(len(runs))), {})
    baselines = [place for place, run in enumerate(runs) if is_baseline(run)]
    policies = [runs[place].label.removeprefix(BASELINE).strip("- ") or BASELINE for place in baselines]
    return Lineup(found, models, models, dict(zip(baselines, short_names(policies, _MOST_BASELINE), strict=True)))


class Name(NamedTuple):
    """A model's name in a wide drawing, in a narrow one, and whole."""

    wide: str
    narrow: str
    whole: str

    def at(self, inches: float) -> str:
        """The name in a drawing of this width."""
        return self.wide if inches >= WIDE else self.narrow


class Lineup(NamedTuple):
    """The runs of a figure.

    Attributes:
        names: of all runs.
        models: indices of the runs that compete: all but the baselines.
        rows: those that have rows: the same, or the baselines where there are no others.
        baselines: index → policy of the runs that are reference lines.
    """

    names: Sequence[Name]
    models: Sequence[int]
    rows: Sequence[int]
    baselines: dict[int, str]


def width(text: str) -> float:
    """The width of a text, in small letters.

    >>> width("Qwq"), width("百川")
    (3.8, 4.0)
    """
    return sum(_width(char) for char in text)


def _bare(name: str) -> str:
    """The name without organisation; slashes in the brackets that `load_runs` adds are kept."""
    own, bracket, rest = name.partition(" (")
    return (own.rstrip("/").rpartition("/")[2] or own) + bracket + rest


def _shortened(name: str, most: float) -> str:
    if width(name) <= most:
        return name
    head = "".join(_fitting(name, most / 2))
    tail = "".join(_fitting(name[::-1], most - 1 - width(head)))[::-1]
    return f"{head}…{tail}"


def _fitting(chars: str, room: float) -> Iterator[str]:
    for char in chars:
        room -= _width(char)
        if room < 0:
            return
        yield char


def _width(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 2.0
    return next((width for chars, width in _WIDTHS.items() if char in chars), 1.3 if char.isupper() else 1.0)

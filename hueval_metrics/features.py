"""Features: parts of the product that can be taken out, each a folder with a `feature.py` that declares it.

`features` finds them in the folders beside this file and by the entry points `hueval.features` of other distributions.
Nothing imports a feature: what it adds is looked up here by the command line, the page, the tables and comparisons.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line

ROOM = Path(__file__).parent
ENTRY_POINTS = "hueval.features"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Feature:
    """What a feature adds. Data only: every dotted path is imported when it is needed.

    Attributes:
        name: unique among features.
        commands: word of the command line → module with `add(commands)`, which adds the parser of the command and
            sets as its `call` a function of the parsed arguments that returns the exit status.
        api: name that `import hueval_metrics` offers → module that has it.
        analyses: module that reads files beside results for tables and pages (`reports.analyses.Reader`).
        comparison: class of further scores that runs are compared by (`comparison.further.FurtherScores`).
        words: folder of the page's texts, with a folder for each language.
        where: the file or entry point that declares it; set when it is found.
    """

    name: str
    commands: Mapping[str, str] = field(default_factory=dict)
    api: Mapping[str, str] = field(default_factory=dict)
    analyses: str | None = None
    comparison: str | None = None
    words: Path | None = None
    where: str = ""


@cache
def features() -> tuple[Feature, ...]:
    """All features, ours by the names of their folders first; one that is broken is left out with a warning."""
    found: list[Feature] = []
    for where, load in _candidates():
        try:
            feature = load()
            if not isinstance(feature, Feature):
                raise InputError(f"expected a features.Feature, found {type(feature).__name__}")
            _check(feature, found)
        except Exception as error:  # whatever a declaration raises, the others go on
            warn(where, error)
        else:
            found.append(replace(feature, where=where))
    return tuple(found)


def warn(where: str, error: Exception) -> None:
    """Say in one line that a feature, or a part of it, is left out."""
    reason = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {one_line(error)}"
    log.warning("%s: left out (%s). Fix the feature, or remove it.", where, reason)


def _candidates() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Where a feature is declared, and what loads it."""
    for file in sorted(ROOM.glob("*/feature.py")):
        yield str(file), partial(_load_folder, file.parent.name)
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        yield f"entry point {ENTRY_POINTS}: {point.name} = {point.value}", point.load


def _load_folder(name: str) -> Any:
    return importlib.import_module(f"{ROOM.name}.{name}.feature").FEATURE


def _check(feature: Feature, others: list[Feature]) -> None:
    """Raise InputError where a feature declares what another one has."""
    for other in others:
        if feature.name == other.name:
            raise InputError(f"there is another feature {feature.name}, in {other.where}")
        for kind, ours, theirs in (("command", feature.commands, other.commands), ("name", feature.api, other.api)):
            if twice := sorted(set(ours) & set(theirs)):
                raise InputError(f"the {kind} {twice[0]} is declared in {other.where}, too")

"""How the questions of a run were asked, and which run of a model a figure shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from hueval_metrics.registry import families
from hueval_metrics.reports.figures import names
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.settings import model_of, values_of
from hueval_metrics.words.texts import Texts, Words

CAPTIONS = Path(__file__).parents[1] / "words"
WORDS = Words(CAPTIONS, "figures")
SECTION = "HKMMLU"
GENERATED = "hkmmlu_"


class Asked(NamedTuple):
    """The script of the questions, whether the reply reasons, and the number of worked examples."""

    script: str
    method: str
    shots: int


DIRECT = Asked("tc", "da", 0)  # Table 1
ONE_SHOT_COT = Asked("tc", "cot", 1)


def asked(run: Run) -> Asked | None:
    """How a run was asked its questions, from the signature; None without a question."""
    task = next((name for name in run.tasks if name.startswith(GENERATED)), None)
    if task is None:
        return None
    found = values_of(run, [task], ("script", "method", "shots"))
    return Asked(found[0], found[1], int(found[2])) if found else None


def shown(runs: Sequence[Run], *wanted: Callable[[Asked], bool]) -> dict[str, int]:
    """Model → index of the run that a figure shows: the first that fulfils the first wish that any of them fulfils.

    Baselines are left out where there are models. Of two runs asked in the same way the first counts.
    """
    found: dict[str, int] = {}
    places = names.lineup(runs).rows
    for wish in wanted:
        for place in places:
            how = asked(runs[place])
            if how is not None and wish(how):
                found.setdefault(model_of(runs[place]), place)
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def part_titles() -> dict[str, Texts]:
    """Code of a category → its title by language."""
    parts = families()["hkmmlu"].parts
    return {code: titles for code, titles in parts.items() if not code.startswith("ll_")}

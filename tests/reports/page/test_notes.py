import re
from dataclasses import replace
from pathlib import Path

import pytest

from hueval_metrics.reports import tables
from hueval_metrics.reports.page.notes import notes
from hueval_metrics.runs.load import Run

FIB, QA = "openhueval_humatchingfib", "openhueval_husimpleqa"


def run(label, **more):
    return Run(label, Path("results.json"), **more)


def said(runs, language):
    """The notes in one language, without markup."""
    return [re.search(f'<span lang="{language}">(.*?)</span>', note)[1] for note in notes(runs)]


RUNS = [
    run("s", sample=True),
    run("l", limit=10.0),
    run("m", missing={FIB: 3, QA: 0}, scores={QA: {"judge_coverage": 97.5}}),
    run("m2", scores={QA: {"judge_coverage": 97.5}}),
    run("whole", scores={QA: {"judge_coverage": 100.0, "suspicious_rate": 0.0}}),
    run("x", scores={QA: {"suspicious_rate": 12.5}}, signatures={QA: "task:t|judge:gpt-4o,lexical|rubric:r"}),
]


def test_the_english_notes_are_those_of_the_other_formats():
    assert said(RUNS, "en") == tables.notes(RUNS)


def test_in_hungarian():
    assert said(RUNS, "hu") == [
        "Mellékelt minta: a közölt számokkal nem vethető össze (s).",
        "A futás --limit 10 beállítással készült: a közölt számokkal nem vethető össze (l).",
        "Az ilyen megkötéssel készült sorok nem kapnak első, második vagy harmadik helyet.",
        "Szavak összevetésével bírálva (HUEVAL_JUDGE=lexical): közelítő érték (x).",
        f"Hiányzó válaszok: m, {FIB}: 3; a pontszám a többiből készült.",
        f"Hiányzó bírálatok: {QA} (97,50% bírálva); a pontszám a többiből készült (m, m2).",
        f"A bírálóhoz szóló válaszok: x, {QA} (12,50%); érdemes megnézni őket a tételek között.",
    ]


def test_every_run_is_named_as_such():
    both = [replace(RUNS[0], label="a"), replace(RUNS[0], label="b")]
    assert said(both, "hu") == ["Mellékelt minta: a közölt számokkal nem vethető össze (minden futás)."]


@pytest.mark.parametrize("some", [RUNS[4:5], []])
def test_nothing_to_say(some):
    assert notes(some) == []


def test_names_are_escaped():
    (note,) = notes([run("<b>", sample=True)])
    assert "&lt;b&gt;" in note
    assert "<b>" not in note

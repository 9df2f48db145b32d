"""The data of the item browser, packed for the page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any

from hueval_metrics.judge.rubric import load_rubric, rubric_id
from hueval_metrics.records import Signature
from hueval_metrics.registry import known_tasks, rubrics
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.page.answers import PackedAnswers
from hueval_metrics.reports.page.items import Items
from hueval_metrics.reports.page.packing import blocks, packed
from hueval_metrics.reports.page.section import Section, with_findings
from hueval_metrics.reports.page.words import page_words
from hueval_metrics.runs.run import Run, is_baseline
from hueval_metrics.words.texts import ENGLISH, FOLDER, LANGUAGES, Words

_WORDS = Words(FOLDER, "items")  # those that the script uses


def data(
    runs: Sequence[Run], items: Items, answers: Sequence[PackedAnswers], sections: Sequence[Section] = ()
) -> list[tuple[str, str]]:
    """The data elements: id of each, and its content in base64.

    `index` is unpacked when the page opens; the others when they are needed: `questions` and `answers-N` (of one run)
    in blocks of items, `facts` with a block for each run, `rubrics`. `sections` add to the index what was found in
    traces.
    """
    index, tasks, n = items.index(), items.tasks(), len(items.keys)
    columns = [one.columns(n) for one in answers]
    langs = [[language_of(run, task) for task in tasks] for run in runs]
    index |= {
        "models": [row_name(run.label) for run in runs],
        "order": sorted(range(len(runs)), key=lambda place: is_baseline(runs[place])),  # which two are compared first
        "where": [[where(run, task) for task in tasks] for run in runs],
        "langs": langs,
        "asked_in": [next((run[place] for run in langs if run[place]), "") for place in range(len(tasks))],
        "outcomes": [one.codes(n) for one in answers],
        "marks": [one.marks(n) for one in answers],
        "truncated": [one.truncated for one in answers],
        "sorts": list(dict.fromkeys(chain.from_iterable(columns))),
        "words": {
            key: [page_words().of(language)[key] for language in LANGUAGES]
            for key in [*_WORDS.of(ENGLISH), *(key for section in sections for key in section.words)]
        },
    }
    if any(one.kinds for one in answers):
        index["readings"] = [one.readings(n) for one in answers]
    if (marking := with_findings(sections)) is not None:
        seen = reduce(or_, (bits for one in answers for bits in one.findings.values()), 0)
        index["findings"] = [[one.findings.get(number, 0) for number in range(n)] for one in answers]
        index["findable"] = {name: 1 << place for place, name in enumerate(marking.findable) if seen >> place & 1}
    found = {"index": packed(index), "questions": items.questions(), "facts": blocks(columns)}
    found["rubrics"] = packed(_rubrics(set().union(*(one.rubrics for one in answers))))
    found |= {f"answers-{place}": one.blocks for place, one in enumerate(answers)}
    return [(name, text.decode("ascii")) for name, text in found.items()] if n else []


def where(run: Run, task: str) -> str:
    """The file with the whole texts: its folder's name and its own."""
    if task not in run.tasks:
        return ""
    source = run.tasks[task].source
    name = "items.jsonl" if source.name == "results.json" else f"samples_{task}_*.jsonl"
    return escape.plain(f"{source.resolve().parent.name}/{name}")


def language_of(run: Run, task: str) -> str:
    """The language in which a run's questions of a task were asked, ISO 639-1; empty where it is unknown."""
    if task not in run.tasks or task not in known_tasks():
        return ""
    asked = Signature.parse(run.tasks[task].signature).parts.get("q", "")
    languages = known_tasks()[task].languages
    return asked if asked.isalpha() and asked.isascii() else languages[0] if len(languages) == 1 else ""


def _rubrics(used: set[str]) -> dict[str, Any]:
    """Name and version of each rubric in use, as far as it is ours and of this version → (role, template) pairs."""
    known = (load_rubric(name) for name in rubrics() if any(one.startswith(f"{name}/") for one in used))
    return {rubric_id(rubric): list(rubric.PROMPT.items()) for rubric in known if rubric_id(rubric) in used}

"""The section on keys that may be wrong: the most suspicious items, and what to expect of them."""

from __future__ import annotations

from collections.abc import Mapping

from hueval_metrics.comparison.errata import Errata, Suspect
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.figures.names import task_name
from hueval_metrics.reports.formats import number
from hueval_metrics.reports.page.items import ItemKey
from hueval_metrics.reports.page.parts import Block, Part, Table
from hueval_metrics.reports.page.words import both
from hueval_metrics.runs.run import item_id

_SHOWN = 10  # items; the sheet has all
_AROUND = 70  # characters of a question before and after the mark of a part
_LONGEST = 120  # characters of an answer
_NAMES = ("task", "errata_item", "errata_question", "errata_key", "errata_other", "errata_by")
_NUMBERS = ("errata_votes_key", "errata_votes_other")


def errata_part(errata: Errata, questions: Mapping[ItemKey, str]) -> Part:
    """The section, its table as short as a page needs it.

    Args:
        errata: what was found.
        questions: (task, key) → the start of the question.
    """
    rows = [_row(one, questions.get((one.task, one.item), "")) for one in errata.suspects[:_SHOWN]]
    header = [both(name) for name in (*_NAMES, *_NUMBERS)]
    caption = both("errata_caption", shown=len(rows), all=len(errata.suspects))
    remarks = [
        both("errata_left_out", task=task_name(task), reason=both(f"errata_{reason}"))
        for task, reason in errata.left_out.items()
    ]
    intro = both("errata_intro", models=errata.n_models)
    return Part("errata", intro, [Table(caption, header, [Block(rows)], labels=len(_NAMES))], remarks)


def _row(one: Suspect, start: str) -> list[str]:
    names = [task_name(one.task), f"{item_id(one.item)} {one.part}".strip(), _around(one) or start]
    texts = [one.key, one.other, ", ".join(map(row_name, one.models))]
    shown = [escape.plain(text) if len(text) <= _LONGEST else f"{escape.plain(text[:_LONGEST])}…" for text in texts[:2]]
    return [*map(escape.plain, names), *shown, texts[2], number(one.votes_key, 2), number(one.votes_other, 2)]


def _around(one: Suspect) -> str:
    """The question around the mark of a part; empty where the mark is not in it."""
    place = one.question.find(one.part) if one.part else -1
    if place < 0:
        return ""
    start, end = max(place - _AROUND, 0), place + len(one.part) + _AROUND
    return f"{'…' * (start > 0)}{one.question[start:end]}{'…' * (end < len(one.question))}"

"""The flags of the runs that are shown together: marks beside scores, and the notes that explain them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hueval_metrics.comparison.flags import Shown
from hueval_metrics.registry import title
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import Headline, row_name
from hueval_metrics.scoring.flags import OF_REPLIES, OTHERS, Flag
from hueval_metrics.words.texts import FOLDER, Texts, Words, listed, numbers, same

FLAGGED = "!"  # beside a score with a flag
_FEW = 3  # tasks of a run that a note names

_WORDS = Words(FOLDER, "flags")


def mark(shown: Shown, column: Headline, label: str) -> str:
    """What stands beside a score: `FLAGGED` where any task that it is made of has a flag.

    Scores that are calibrated to one reference may be compared, whoever judged, and an average is not at an end of the
    scale because one of its tasks is.
    """
    flags = (one for task, _ in column.terms for one in shown.get((label, task), ()))
    beside = ("ceiling", "floor") if len(column.terms) > 1 else ()
    return FLAGGED * any(
        one.kind not in beside and not (column.reference and one.detail.get("why") == "differ") for one in flags
    )


def kinds(flags: Iterable[Flag]) -> str:
    """The kinds of flags in one cell of a CSV file."""
    return " ".join(dict.fromkeys(one.kind for one in flags))


def kinds_by_task(shown: Shown, label: str) -> str:
    """The kinds of flags of all tasks of a run, likewise."""
    return "; ".join(f"{task}: {kinds(flags)}" for (own, task), flags in shown.items() if own == label)


def has_place(shown: Shown, column: Headline, label: str, others: Iterable[str]) -> bool:
    """Whether a score takes a place in its column: not one by several judges, nor one over other items than others'.

    Args:
        shown: the flags.
        column: the column.
        label: of the run whose score it is.
        others: labels of all runs with a score that compete in it; where all have the same part of the items, they take
            places.
    """
    for task, _ in column.terms:
        barring = [one for one in shown.get((label, task), ()) if one.bars]
        parts = {_part(shown, other, task) for other in others}
        if any(one.kind != "part" or len(parts) > 1 for one in barring):
            return False
    return True


def flag_notes(shown: Shown) -> list[Texts]:
    """A note for each kind of flag, with the scores that have it."""
    groups: dict[tuple[str, str], dict[str, list[tuple[str, Flag]]]] = {}
    for (label, task), flags in shown.items():
        for one in flags:
            why = str(one.detail.get("why", one.detail.get("asked", "")))
            why += "_unsent" * (one.kind == "thinking" and one.detail.get("sent") is False)
            groups.setdefault((one.kind, f"_{why}" * bool(why)), {}).setdefault(label, []).append((task, one))
    order = [*OF_REPLIES, *OTHERS]
    return [
        _text(kind + why, mark=FLAGGED, each=listed(_each(kind + why, of_kind), "; "), **_common(of_kind))
        for (kind, why), of_kind in sorted(groups.items(), key=lambda group: order.index(group[0][0]))
        if kind + why in _WORDS.of("en")
    ]


def _each(key: str, of_runs: Mapping[str, Sequence[tuple[str, Flag]]]) -> Iterator[Texts]:
    """Each run with its tasks; of many their number."""
    if key.startswith(("ceiling", "floor", "judge_differ")):  # of all runs alike
        tasks = dict.fromkeys(task for some in of_runs.values() for task, _ in some)
        yield _tasks([*tasks])
        return
    for label, some in of_runs.items():
        if len(some) > _FEW:
            n, of = (sum(numbers) for numbers in zip(*((_n(one), one.of) for _, one in some), strict=True))
            yield _text("of_many", run=row_name(label), tasks=str(len(some)), count=str(n), of=str(of))
            continue
        for task, one in some:
            item = f"{key}_item" if f"{key}_item" in _WORDS.of("en") else "item"
            yield _text(item, run=row_name(label), task=_name(task), count=str(_n(one)), of=str(one.of), **_detail(one))


def _n(one: Flag) -> int:
    """What a note counts: replies without a trace where thinking was on, items without a verdict."""
    is_rest = one.detail.get("asked") == "on" or one.detail.get("why") == "unjudged"
    return one.of - one.n if is_rest else one.n


def _detail(one: Flag) -> dict[str, Any]:
    """What a note says of one flag; details come from files, and may be anything."""
    told: dict[str, Any] = {}
    if one.kind == "inverted":
        p = one.detail.get("p")
        told["p"] = numbers(f"{p:.1e}") if isinstance(p, float) else "?"
    if one.kind == "one_answer":
        told |= {name: escape.plain(str(one.detail.get(name))) for name in ("answer", "in_key")}
    if one.kind == "judge":
        judges = one.detail.get("judges")
        told["judges"] = ", ".join(map(escape.plain, map(str, judges))) if isinstance(judges, list) else "?"
    if one.kind == "part":
        first = one.detail.get("first")
        told["which"] = same("") if first is None else _text("part_first" if first else "part_chosen")
    return told


def _common(of_runs: Mapping[str, Sequence[tuple[str, Flag]]]) -> dict[str, str]:
    """The settings by which thinking was asked for, of all runs of a note."""
    told = dict.fromkeys(
        str(one.detail.get("as")) for some in of_runs.values() for _, one in some if "as" in one.detail
    )
    return {"setting": escape.plain(", ".join(told))} if told else {}


def _tasks(tasks: Sequence[str]) -> Texts:
    if len(tasks) > _FEW:
        return _text("tasks", n=str(len(tasks)))
    return same(", ".join(map(_name, tasks)))


def _name(task: str) -> str:
    return title(task) or escape.plain(task)


def _part(shown: Shown, label: str, task: str) -> tuple[object, ...] | None:
    """Which part of the items a run has; None for all."""
    found = (one for one in shown.get((label, task), ()) if one.kind == "part")
    return next(((one.n, one.of, one.detail.get("first")) for one in found), None)


def _text(key: str, /, **values: Any) -> Texts:
    return _WORDS.texts(key, **values)

"""What a reader must know before comparing the rows, in both languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hueval_metrics.records import signature_parts
from hueval_metrics.reports import escape
from hueval_metrics.reports.page.words import LANGUAGES, both, numerals, texts
from hueval_metrics.runs.load import Run

if TYPE_CHECKING:
    from markupsafe import Markup


def notes(runs: Sequence[Run]) -> list[Markup]:
    """The notes that the results give rise to, one sentence each; none where there is nothing to say."""
    found = []
    if sampled := [run for run in runs if run.sample]:
        found.append(both("sample", runs=_labels(sampled, runs)))
    for limit in sorted({run.limit for run in runs if run.limit is not None}):
        limited = [run for run in runs if run.limit == limit]
        found.append(both("limit", limit=_number(f"{limit:g}"), runs=_labels(limited, runs)))
    partial = [run.sample or run.limit is not None for run in runs]
    if any(partial) and not all(partial):
        found.append(both("no_place"))
    if lexical := [run for run in runs if any(map(_is_lexical, run.signatures.values()))]:
        found.append(both("lexical", runs=_labels(lexical, runs)))
    for run in runs:
        if lacking := [(task, {"count": count}) for task, count in run.missing.items() if count]:
            found.append(both("missing", run=escape.plain(run.label), tasks=_listed("missing_task", lacking)))
    gaps: dict[tuple[tuple[str, float], ...], list[Run]] = {}
    for run in runs:
        rates = {task: scores.get("judge_coverage") for task, scores in run.scores.items()}
        if some := tuple((task, rate) for task, rate in rates.items() if rate is not None and rate < 100):
            gaps.setdefault(some, []).append(run)
    for some, gapped in gaps.items():
        found.append(both("unjudged", tasks=_listed("unjudged_task", _rates(some)), runs=_labels(gapped, runs)))
    for run in runs:
        if speaking := [(t, rate) for t, scores in run.scores.items() if (rate := scores.get("suspicious_rate"))]:
            tasks = _listed("suspicious_task", _rates(speaking))
            found.append(both("suspicious", run=escape.plain(run.label), tasks=tasks))
    return found


def _rates(rates: Iterable[tuple[str, float]]) -> list[tuple[str, dict[str, Any]]]:
    return [(task, {"rate": _number(f"{rate:.2f}")}) for task, rate in rates]


def _number(text: str) -> dict[str, str]:
    return {language: numerals(text, language) for language in LANGUAGES}


def _listed(key: str, tasks: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Markup]:
    """Tasks with a figure each, by language."""
    from markupsafe import Markup

    each = [texts(key, task=escape.plain(task), **values) for task, values in tasks]
    return {language: Markup(", ").join(one[language] for one in each) for language in LANGUAGES}


def _labels(some: Sequence[Run], runs: Sequence[Run]) -> Any:
    if len(some) == len(runs) > 1:
        return texts("every_run")
    return ", ".join(escape.plain(run.label) for run in some)


def _is_lexical(signature: str) -> bool:
    return "lexical" in signature_parts(signature).get("judge", "").split(",")

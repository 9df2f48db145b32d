"""Numbers over the subjects of HKMMLU: accuracy by category, over all questions, and over those specific to Hong Kong.

Each is a micro average (Table 1): over the questions of all its subjects, as of one task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from hf_datasets.hkmmlu.subjects import CATEGORIES, SUBJECTS, Subject
from hueval_metrics.metric import Metric
from hueval_metrics.summary import Part, Summary
from hueval_metrics.words.texts import Later, Words

HEADLINE = "acc"
CODES = dict(zip(CATEGORIES, ("stem", "social", "humanities", "other"), strict=True))  # category → code
FORMS = {"hkmmlu_": "", "hkmmlull_": "ll_"}  # prefix of the tasks → what its codes begin with
_SHORT = {"stem": "STEM", "social": "Soc. Sci.", "humanities": "Humanities", "other": "Other"}
# Code → English title, and which subjects it is of.
GROUPS: Mapping[str, tuple[str, Callable[[Subject], bool]]] = {
    **{
        code: (_SHORT[code], lambda subject, name=name: subject.category == name)  # type: ignore[misc]
        for name, code in CODES.items()
    },
    "avg": ("Avg.", lambda subject: True),
    "hk": ("HK-specific", lambda subject: subject.is_hk_specific),
    "non_stem": ("non-STEM", lambda subject: subject.category != "STEM"),
}
WORDS = Words(Path(__file__).with_name("words"), "family")
GROUP_TITLES = {code: WORDS.later(f"subjects.{code}") for code in GROUPS}
_IN_OVERVIEW = (*CODES.values(), "avg")
PARTS = {
    f"{form}{code}": WORDS.later("part", group=GROUP_TITLES[code]) if form else GROUP_TITLES[code]
    for form in FORMS.values()
    for code in CODES.values()
}


def summaries(metrics: Mapping[str, Mapping[str, Metric]]) -> tuple[Summary, ...]:
    """The summaries of the family: each metric of its tasks over each group of subjects.

    Args:
        metrics: prefix of the tasks → name → metric.
    """
    return tuple(one for prefix, named in metrics.items() for one in _of_form(prefix, named))


def _of_form(prefix: str, metrics: Mapping[str, Metric]) -> Iterator[Summary]:
    form = FORMS[prefix]
    behind = " (ll)" if form else ""
    for name, metric in metrics.items():
        for code, (title, is_of) in GROUPS.items():
            label = "" if name == HEADLINE else f"{name} "
            yield Summary(
                f"{name}_{form}{code}",
                f"{label}{title}{behind}",
                (Part(name, tuple(prefix + slug for slug, subject in SUBJECTS.items() if is_of(subject))),),
                better=metric.better,
                in_overview=name == HEADLINE and code in _IN_OVERVIEW,
                by_task=True,
                titles=_titles(label, code, behind),
            )


def _titles(label: str, code: str, behind: str) -> Later:
    """The heading of a summary by language."""
    return Later(lambda language: f"{label}{GROUP_TITLES[code][language]}{behind}")

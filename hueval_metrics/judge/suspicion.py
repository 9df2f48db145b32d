"""Structural marks of a response that is aimed at the judge: counted, never acted upon.

The marks are forms, not meanings: delimiters of the rubric's requests, role markers of chat templates, and a verdict in
the form that the judge is asked for. A request in plain words ("please give full marks") has none of these and is not
marked, so a rate of 0 is no proof of honest answers; an honest answer about chat templates may be marked.
A response cannot change the request that carries it, marked or not: that is each rubric's `render`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from hueval_metrics.judge.rubric import load_rubric
from hueval_metrics.registry import families, rubric_name
from hueval_metrics.text.normalize import visible

KINDS = ("forged_delimiter", "forged_role", "forged_verdict")

# What a verdict is called in the languages of benchmarks, and how one is called final, before or behind it.
_NAMES = (
    *("evaluation", "verdict", "decision", "judgment", "judgement", "értékelés", "döntés", "ítélet", "hodnocení"),
    *("verdikt", "rozhodnutí", "оцена", "пресуда", "одлука", "ocena", "presuda", "odluka", "оценка", "вердикт"),
    *("решение", "评估", "评分", "评判", "判定", "评价", "評估", "評分", "평가", "판정", "판단", "การประเมิน", "คำตัดสิน"),
    *("ผลการประเมิน", "ผลการตัดสิน", "التقييم", "الحكم", "القرار", "đánh giá", "phán quyết", "kết luận"),
)
_FINAL = (
    *("final", "overall", "your", "judge's", "judge’s", "végső", "konečné", "konečný", "коначна", "konačna"),
    *("итоговая", "окончательное", "окончательный", "最终", "最終", "최종", "النهائي", "cuối cùng"),
)
_SCORE_NAME = r"(?:final |overall |végső )?(?:score|pontszám)"
_QUOTE = r"\\?[\"']"
# Forms that belong to no rubric, in a text as a reader sees it. All gaps are bounded: a long text takes linear time.
_DELIMITERS = (
    r"^[^\w\n]{0,9}(?:begin|end)(?:ning)? of (?:the |model |user |student )?(?:response|answer|analysis)[^\w\n]{1,9}$",
    r"[\[<]/?(?:begin|end) of (?:the |model )?(?:response|answer|analysis)[\]>]",
    r"</?(?:(?:model|assistant|student)_)?(?:response|answer)>\s*\S",
)
_ROLES = (
    r"<\|\s?[a-z_]{2,24}\s?\|?>",
    r"\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>",
    r"^#{2,4} ?(?:system|instruction|assistant|human|user)s?:?[ \t]*$",
    r"^(?:human|user|system): ?[^\n]{0,300}\n{1,3}assistant:",
    rf"{_QUOTE}role{_QUOTE}\s{{0,9}}:\s{{0,9}}{_QUOTE}(?:system|assistant){_QUOTE}",
)
_LABEL_KEYS = ("verdict", "evaluation")  # whatever the key that a rubric asks for
_ORDINARY = 3  # letters; an honest answer may be a bare YES or NO, and no longer label


def signs(response: str, rubric: str) -> tuple[str, ...]:
    """The kinds of marks in a response; a verdict must never depend on them.

    Args:
        response: without its reasoning trace; any text, any length.
        rubric: the name of the rubric that judges it. Forms of all rubrics of its family count: an attempt may be
            written for another task of the same benchmark.

    Returns:
        Kinds of `KINDS`, sorted; empty for an ordinary response.
    """
    text = visible(response)
    return tuple(kind for kind, pattern in _patterns(rubric).items() if pattern.search(text))


@cache
def _patterns(rubric: str) -> Mapping[str, re.Pattern[str]]:
    rubrics: list[Any] = []
    for name in _of_its_family(rubric):
        with suppress(Exception):  # one that cannot be loaded is reported by the task that it judges
            rubrics.append(load_rubric(name))
    own = [form for one in rubrics for form in getattr(one, "DELIMITERS", ())]
    forms = ((*_DELIMITERS, *own), _ROLES, _verdicts(rubrics))
    return {
        kind: re.compile("|".join(some) or r"(?!)", re.IGNORECASE | re.MULTILINE)  # a rubric may have no form
        for kind, some in zip(KINDS, forms, strict=True)
    }


def _of_its_family(rubric: str) -> list[str]:
    for family in families().values():
        names = {name for task in family.tasks.values() if (name := rubric_name(task))}
        if rubric in names:
            return sorted(names)
    return [rubric]


def _verdicts(rubrics: Sequence[Any]) -> list[str]:
    """The forms of a verdict: labels and scores under their keys in `SCHEMA`, announced, or on a line of their own."""
    forms, values, label_keys = [], [], [*_LABEL_KEYS]
    labels = [label for rubric in rubrics for label in getattr(rubric, "LABELS", ())]
    letters = [letter for rubric in rubrics for letter in getattr(rubric, "LETTERS", ())]
    label = "|".join(map(re.escape, [*labels, *letters])).replace("_", "[_ ]")
    for rubric in rubrics:
        before, key = _verdict_key(rubric)
        if before:
            forms.append(rf"{_QUOTE}{before}{_QUOTE}[^\n]{{0,400}}{_QUOTE}{key}{_QUOTE}\s{{0,9}}:")
        if hasattr(rubric, "LABELS"):
            label_keys.append(key)
        elif hasattr(rubric, "HIGHEST"):
            numbers = "|".join(map(str, range(rubric.HIGHEST, rubric.LOWEST - 1, -1)))
            score = rf"(?:{numbers})(?:/{rubric.HIGHEST})?"
            values.append(score)
            value = rf"(?:{_QUOTE})?{score}(?:{_QUOTE})?"
            forms.append(rf"\{{\s{{0,9}}{_QUOTE}{key}{_QUOTE}\s{{0,9}}:\s{{0,9}}{value}\s{{0,9}}\}}")
            forms.append(rf"^[^\w\n-]{{0,9}}{_SCORE_NAME}[^\w\n]{{1,9}}{score}[^\w\n]{{0,9}}$")
    if labels:
        values.append(label)
        forms.append(rf"{_QUOTE}(?:{'|'.join(label_keys)}){_QUOTE}\s{{0,9}}:\s{{0,9}}{_QUOTE}(?:{label}){_QUOTE}")
    if values:
        final, name = _as_seen(_FINAL), _as_seen(_NAMES)
        announced = rf"(?:{final})?[ \t]?(?:{name})(?:[ \t](?:{final}))?"
        forms.append(rf"^[^\w\n-]{{0,9}}{announced}[^\w\n]{{1,9}}(?:{'|'.join(values)})[^\w\n]{{0,9}}$")
    if bare := "|".join(re.escape(one) for one in labels if len(one) > _ORDINARY):
        forms.append(rf"^[^\w\n]{{0,9}}(?-i:{bare})[^\w\n]{{0,9}}$")
    return forms


def _as_seen(words: Sequence[str]) -> str:
    """A pattern of words as `visible` leaves them, which changes some Cyrillic letters in one case only."""
    forms = {visible(form) for word in words for form in (word, word.capitalize(), word.upper())}
    return "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))


def _verdict_key(rubric: Any) -> tuple[str, str]:
    """The key in `SCHEMA` before that of the verdict, empty where the verdict comes first; and the verdict's key."""
    before = ""
    for key, form in (rubric.SCHEMA or {}).get("properties", {}).items():
        if "enum" in form or form.get("type") in ("integer", "number"):
            return before, re.escape(key)
        before = re.escape(key)
    return "", "verdict" if hasattr(rubric, "LABELS") else "score"

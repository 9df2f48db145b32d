"""Score one document of a judged OpenHuEval task: the `process_results` of the task YAMLs, live and in `hueval score`.

Each takes the document and the one filtered JSON string, and returns every metric key of its task for every document;
None where a key does not apply. A document without a verdict counts in `judge_coverage` alone: it is neither right nor
wrong. A judge's reply that could not be read is no verdict. Only the metrics that repeat a reference fill it in, and
the share filled in is beside them (`unreadable_rate`, `default_score_rate`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hf_datasets.openhueval.dimensions import DIMENSIONS, dimension_code
from hueval_metrics.answers.confidence import stated_confidence
from hueval_metrics.answers.json_answer import answer_text
from hueval_metrics.answers.reading import Reading
from hueval_metrics.answers.short import short_answer
from hueval_metrics.declare import Task
from hueval_metrics.metrics import simple_qa
from hueval_metrics.metrics.judged import label_of, rates
from hueval_metrics.records import Filtered, has_verdict, is_unreadable
from lm_eval_tasks.openhueval.family import FAMILY, HUSIMPLEQA, HUWILDBENCH, WILD_BENCH_DIMENSIONS
from lm_eval_tasks.openhueval.metrics import open_ended, wb_score
from lm_eval_tasks.openhueval.templates import answer_range, answer_to


def husimpleqa(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """HuSimpleQA (OpenHuEval §2.3): a short answer and a confidence, judged by facts.

    Args:
        doc: `hu_specific_dim`.
        results: one filtered JSON string (`records.Filtered`).

    Returns:
        `correct_given_attempted`, `f_score`: terms of `metrics.simple_qa`; `ece`, `n_confidence`, `brier`: (confidence,
        whether correct), and how it was stated, as `confidence.settled` takes them; the others from 0 to 1.
    """
    filtered = Filtered.from_json(results[0])
    label = label_of(filtered, simple_qa.LABELS)
    response = answer_to("husimpleqa", doc, filtered.response)
    by_label = _by_label(label, stated_confidence(response, FAMILY.languages), dimension_code(doc["hu_specific_dim"]))
    others = {"n_confidence": by_label["ece"], "judge_coverage": float(label is not None)}
    return _ordered(HUSIMPLEQA, by_label | others | _rates(filtered, answer_text(response, FAMILY.languages)))


def husimpleqa_rated(values: Mapping[str, Any], label: str) -> dict[str, Any]:
    """The values of a HuSimpleQA item that has a verdict, with another label (`declare.Task.rated`)."""
    pair = values["ece"]
    return _by_label(label, pair and (pair[0], *pair[2:]), _dimension("correct", values, DIMENSIONS))


def _by_label(label: str | None, stated: Sequence[Any] | None, dimension: str | None) -> dict[str, Any]:
    """The metrics that follow from a label (`simple_qa.by_label`), also within the question's dimension."""
    found = simple_qa.by_label(label, stated)
    return found | _by_dimension("correct", found["correct"], dimension, DIMENSIONS)


def huproverbrea_oe(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """HuProverbRea-OE (OpenHuEval §2.4): the meaning of a proverb in one's own words.

    Args:
        doc: not looked at; the judge has compared the answer with its reference.
        results: one filtered JSON string (`records.Filtered`).

    Returns:
        Every metric from 0 to 1. `acc_ref` is the reference scorer's: "yes" in the judge's reply and no "no"; an
        unreadable verdict is wrong there.
    """
    filtered = Filtered.from_json(results[0])
    label = label_of(filtered, (open_ended.ACCEPTED, open_ended.REJECTED))
    accepted, unread = open_ended.is_accepted(label), _unreadable(filtered, label)
    said = filtered.verdict.get("raw") if filtered.verdict is not None and label is not None else None
    return {
        "acc": accepted,
        "acc_ref": 0.0 if unread else open_ended.is_accepted_ref(said) if isinstance(said, str) else accepted,
        "unreadable_rate": unread,
        "judge_coverage": float(accepted is not None),
        **_rates(filtered, answer_to("huproverbrea_oe", doc, filtered.response)),
    }


def huproverbrea_oe_rated(values: Mapping[str, Any], label: str) -> dict[str, Any]:
    """The values of a HuProverbRea-OE item, with another label (`declare.Task.rated`); `acc_ref` goes by the reply."""
    return {"acc": open_ended.is_accepted(label)}


def huwildbench(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """HuWildBench (OpenHuEval §2.2): advice on everyday questions, scored by a checklist.

    Args:
        doc: `hu_specific_dim`.
        results: one filtered JSON string (`records.Filtered`).

    Returns:
        `wb_score*`: the judge's score, 1 to 10; the others from 0 to 1. `wb_score_racka` has the default in place of an
        unreadable one, and `default_score_rate` counts these.
    """
    filtered = Filtered.from_json(results[0])
    score = _score(filtered)
    unread = _unreadable(filtered, score)
    by_score = _by_score(score, dimension_code(doc["hu_specific_dim"]))
    others = {
        "wb_score_racka": wb_score.DEFAULT if unread else score,
        "default_score_rate": unread,
        "judge_coverage": float(score is not None),
    }
    rates = _rates(filtered, answer_to("huwildbench", doc, filtered.response))
    return _ordered(HUWILDBENCH, by_score | others | rates)


def huwildbench_rated(values: Mapping[str, Any], score: float) -> dict[str, Any]:
    """The values of a HuWildBench item that has a verdict, with another score (`declare.Task.rated`)."""
    return _by_score(score, _dimension("wb_score", values, WILD_BENCH_DIMENSIONS))


def _by_score(score: float | None, dimension: str | None) -> dict[str, Any]:
    """The metrics that follow from a score; None without a verdict."""
    return {
        "wb_score": score,
        "wb_score_ref": score,
        **_by_dimension("wb_score", score, dimension, WILD_BENCH_DIMENSIONS),
    }


def oe_answer(doc: Mapping[str, Any], response: str) -> str:
    """The answer to a proverb, without what repeats the prompt."""
    return answer_to("huproverbrea_oe", doc, response)


def simple_answer(doc: Mapping[str, Any], response: str) -> str:
    """The answer to a short question, likewise."""
    return answer_to("husimpleqa", doc, response)


def simple_reading(doc: Mapping[str, Any], response: str) -> Reading[str]:
    """The short answer to a question of HuSimpleQA (`declare.Task.reading`)."""
    part = answer_range("husimpleqa", doc, response)
    return short_answer(response[part.start : part.end], FAMILY.languages).moved(part.start)


def wild_bench_answer(doc: Mapping[str, Any], response: str) -> str:
    """The answer to an everyday question, likewise."""
    return answer_to("huwildbench", doc, response)


def _ordered(task: Task, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values in the order in which the task declares its metrics."""
    return {metric: values[metric] for metric in task.metrics}


def _score(filtered: Filtered) -> float | None:
    """The verdict's score; None if it is missing, or outside the scale."""
    score = filtered.verdict.get("score") if filtered.verdict is not None and has_verdict(filtered.verdict) else None
    if not isinstance(score, (int, float)) or isinstance(score, bool):
        return None
    return float(score) if wb_score.LOWEST <= score <= wb_score.HIGHEST else None


def _unreadable(filtered: Filtered, read: str | float | None) -> float | None:
    """1 where a judge's reply could not be read, 0 where it could; None where none came."""
    return 1.0 if is_unreadable(filtered.verdict) else None if read is None else 0.0


def _rates(filtered: Filtered, answer: str) -> dict[str, float | None]:
    return rates(filtered, answer, FAMILY.languages, "hungarian_rate")


def _by_dimension(
    metric: str, value: float | None, dimension: str | None, codes: Sequence[str] | Mapping[str, Any]
) -> dict[str, float | None]:
    return {f"{metric}_{code}": value if code == dimension else None for code in codes}


def _dimension(metric: str, values: Mapping[str, Any], codes: Sequence[str] | Mapping[str, Any]) -> str | None:
    """The code of an item's dimension, identified by the metric within it; None where it has none of these."""
    return next((code for code in codes if values.get(f"{metric}_{code}") is not None), None)

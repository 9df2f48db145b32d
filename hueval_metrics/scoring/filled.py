"""The columns beside the strict ones: the scores if what fills in an unread reply, such as a second turn, counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.form import without_request
from hueval_metrics.beside import ASKED, beside
from hueval_metrics.records import Filtered
from hueval_metrics.registry import TaskSpec, resolve


def filled(
    spec: TaskSpec, doc: Mapping[str, Any], strict: Mapping[str, Any], response: str, text: str | None, suffix: str
) -> dict[str, Any]:
    """The values of one document in these columns (`beside.beside`).

    Args:
        spec: the task.
        doc: the document.
        strict: what `process_results` made of the response.
        response: the response. One that is read by itself keeps its values.
        text: what fills it in; None for nothing. It counts only where the task's reader finds an answer in it.
        suffix: `beside.ASKED` or `beside.EXTRACTED`.
    """
    if text is not None and suffix == ASKED:
        text = without_request(text, spec.declared.form)
    *names, share = beside(spec.declared, suffix)
    read = resolve(str(spec.declared.reading))
    is_filled = text is not None and not read(doc, response).is_answered and read(doc, text).is_answered
    values = spec.process_results(doc, [Filtered(str(text)).to_json()]) if is_filled else strict
    return {name: values[name.removesuffix(suffix)] for name in names} | {share: float(is_filled)}

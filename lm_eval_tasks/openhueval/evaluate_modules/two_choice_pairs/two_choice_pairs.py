"""Two options shown in both orders: HuProverbRea-2CQ's scores as a module of `evaluate`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from hueval_metrics.evaluate_modules import checked_metric, task_metric
from hueval_metrics.records import InputError

_DESCRIPTION = """\
Scores questions with two options, each asked twice with the options swapped (OpenHuEval's HuProverbRea-2CQ): a question
is right if both presentations are. Besides, how far the model prefers the option that stands first.
"""

_INPUTS = """\
Args:
    predictions (list of str): the responses as the model wrote them, reasoning traces included. None: nothing came.
    references (list of dict): for each response
        qid (str): the question's id, shared by its two presentations.
        correct_option (int): 1 or 2, the place of the right option in this presentation.
        option1, option2 (str, optional): the options as shown, so that a response may repeat one instead of its number.

Returns:
    dict: percent, 0 to 100, unless said otherwise; None where a metric applies to no response.
        acc: questions right in both orders, of those asked in both.
        acc_single: presentations answered right.
        position_bias: share of readable answers that choose option 1, minus 50: from -50 to 50.
        parse_rate, truncated_rate: readable responses; responses cut inside their reasoning trace.
        n_single_order: how many questions came in one order only.
        acc_ref: acc with the option as the public reference scorer reads it.

Examples:
    >>> import evaluate
    >>> from hueval_metrics.evaluate_modules import module_path
    >>> pairs = evaluate.load(module_path("two_choice_pairs"))
    >>> orders = [{"qid": "a", "correct_option": 1}, {"qid": "a", "correct_option": 2}]
    >>> scores = pairs.compute(predictions=["1", "A válasz: 1"], references=orders)
    >>> scores["acc"], scores["acc_single"], scores["position_bias"]
    (0.0, 50.0, 50.0)
"""


class Presentation(checked_metric.Reference):
    """A question in one order of its options."""

    qid: checked_metric.Text = Field(description="shared by the two presentations")
    correct_option: Literal[1, 2] = Field(description="where the right option stands")
    option1: checked_metric.Text = Field("", description="the option shown first")
    option2: checked_metric.Text = Field("", description="the option shown second")


class TwoChoicePairs(task_metric.TaskMetric):
    """The scores of `openhueval_huproverbrea_2cq`."""

    TASK = "openhueval_huproverbrea_2cq"
    REFERENCE = Presentation
    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS

    def _compute(self, predictions: list[str | None], references: list[dict[str, Any]]) -> dict[str, float | None]:
        seen: set[tuple[str, int]] = set()
        for row in references:
            shown = (row["qid"], row["correct_option"])
            if shown in seen:  # the second would hide the first
                raise InputError(
                    f"references: qid {shown[0]}, correct_option {shown[1]} is there twice. Give one response to each"
                )
            seen.add(shown)
        return super()._compute(predictions, references)

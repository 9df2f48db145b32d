"""Blanks filled from a list of options: HuMatchingFIB's scores as a module of `evaluate`."""

from __future__ import annotations

from pydantic import Field

from hueval_metrics.evaluate_modules import checked_metric, task_metric
from lm_eval_tasks.openhueval.evaluate_modules import of_dimension

_DESCRIPTION = """\
Scores texts whose blanks are filled from a list of options (OpenHuEval's HuMatchingFIB): the share of right blanks and
of texts with every blank right, by the paper's definition and as the public reference scorer counts.
"""

_INPUTS = """\
Args:
    predictions (list of str): the responses as the model wrote them, reasoning traces included. None: nothing came.
    references (list of dict): for each response
        question (str): the text, with blanks #0#, #1#, ...
        options (list of str): such as "A.király".
        answer (list of str): the right letters, such as "#0#A".
        hu_specific_dim (str, optional): "language" or "history".

Returns:
    dict: percent, 0 to 100; None where a metric applies to no response.
        blank_acc, question_acc: right blanks of all blanks; questions with every blank right.
        parse_rate, truncated_rate: readable responses; responses cut inside their reasoning trace.
        blank_acc_ref, question_acc_ref: as the public reference scorer counts.
        blank_acc_l, blank_acc_h: blank_acc of the language and of the history questions.

Examples:
    >>> import evaluate
    >>> from hueval_metrics.evaluate_modules import module_path
    >>> blanks = evaluate.load(module_path("fib_matching"))
    >>> row = {"question": "#0# fia #1#.", "options": ["A.László", "B.Géza", "C.István"], "answer": ["#0#B", "#1#C"]}
    >>> scores = blanks.compute(predictions=['{"answer": ["#1#C", "#0#A"]}'], references=[row])
    >>> scores["blank_acc"], scores["question_acc"], scores["blank_acc_ref"]
    (50.0, 0.0, 0.0)
"""


class Blanks(of_dimension.OfDimension):
    """A text with blanks and its options."""

    question: checked_metric.Text = Field(description="the text; blanks are written #0#, #1#, …")
    options: checked_metric.Texts = Field(description="each with its letter: A.király")
    answer: checked_metric.Texts = Field(description="blank number and letter: #0#A")


class FibMatching(task_metric.TaskMetric):
    """The scores of `openhueval_humatchingfib`."""

    TASK = "openhueval_humatchingfib"
    REFERENCE = Blanks
    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS

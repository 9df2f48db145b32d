"""Blanks filled in one's own words: HuStandardFIB's scores as a module of `evaluate`."""

from __future__ import annotations

from pydantic import Field

from hueval_metrics.evaluate_modules import checked_metric, task_metric
from lm_eval_tasks.openhueval.evaluate_modules import of_dimension

_DESCRIPTION = """\
Scores sentences whose blanks are filled in one's own words (OpenHuEval's HuStandardFIB). A blank is right if it is
similar enough to any of the accepted words; `_ref` repeats what the public reference scorer counts.
"""

_INPUTS = """\
Args:
    predictions (list of str): the responses as the model wrote them, reasoning traces included. None: nothing came.
    references (list of dict): for each response
        questions (list of str): the sentences, with blanks #0#, #1#, ...
        answers (list of str): the accepted words with semicolons between them, such as "#0#Buda;budai vár".
        hu_specific_dim (str, optional): "language" or "history".

Returns:
    dict: percent, 0 to 100, but blank_acc_ref, which can be more; None where a metric applies to no response.
        blank_acc, question_acc: right blanks of all blanks; questions with every blank right.
        parse_rate, truncated_rate: readable responses; responses cut inside their reasoning trace.
        blank_acc_ref, question_acc_ref: as the public reference scorer counts.
        blank_acc_l, blank_acc_h: blank_acc of the language and of the history questions.

Examples:
    >>> import evaluate
    >>> from hueval_metrics.evaluate_modules import module_path
    >>> blanks = evaluate.load(module_path("fib_standard"))
    >>> gold = ["#0#Magyarország", "#1#Kolozsvárt;Kolozsváron"]
    >>> row = {"questions": ["Mátyás #0# királya volt, és #1# született."], "answers": gold}
    >>> scores = blanks.compute(predictions=['{"answers": ["#0#magyarország", "#1#Budán"]}'], references=[row])
    >>> scores["blank_acc"], scores["question_acc"]
    (50.0, 0.0)
"""


class Blanks(of_dimension.OfDimension):
    """Sentences with blanks."""

    questions: checked_metric.Texts = Field(description="the sentences; blanks are written #0#, #1#, …")
    answers: checked_metric.Texts = Field(description="alternatives are split by ;  #0#Buda;budai vár")


class FibStandard(task_metric.TaskMetric):
    """The scores of `openhueval_hustandardfib`."""

    TASK = "openhueval_hustandardfib"
    REFERENCE = Blanks
    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS

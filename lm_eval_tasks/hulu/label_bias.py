"""Which label a prompt alone makes likely: the choices are also asked for after a constant text.

After the content-free input of Zhao et al. (ICML 2021, Calibrate Before Use, §5). It is the same for every item of a
run but for the examples before it, so it is asked for once, with the first item of the data: one request a label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lm_eval_tasks.hulu.corpora import TEXTS

if TYPE_CHECKING:
    from lm_eval.api.instance import Instance
    from lm_eval.api.task import ConfigurableTask

CONSTANT = "N/A"  # in place of every text of an item


class WithLabelBias:
    """The `class` of a YAML: a task of log-likelihoods that also asks for those of the choices after a constant text.

    The task is of a class made here, since scoring without a model reads the YAML too, and its base class takes a
    second to import. lm-eval hands over a config only where `__init__` takes one.
    """

    def __init__(self, config: Mapping[str, Any]) -> None: ...

    def __new__(cls, config: Mapping[str, Any]) -> ConfigurableTask:  # noqa: D102
        from lm_eval.api.task import ConfigurableTask

        class Built(ConfigurableTask):
            def construct_requests(self, doc: Mapping[str, Any], ctx: str, **kwargs: Any) -> list[Instance]:
                requests: list[Instance] = super().construct_requests(doc, ctx, **kwargs)
                return requests if requests[0].doc_id else requests + _after_constant_text(self, doc, ctx, requests)

        return Built(config={key: value for key, value in config.items() if key != "class"})


def _after_constant_text(
    task: ConfigurableTask, doc: Mapping[str, Any], ctx: str, requests: list[Instance]
) -> list[Instance]:
    text = task.doc_to_text({**doc, **{field: CONSTANT for field in TEXTS if field in doc}})
    before, own, after = ctx.rpartition(task.doc_to_text(doc))
    if not own:  # a chat template changed the text: what it would make of the constant one is not known
        return []
    constant = before + text + after
    return [
        replace(each, arguments=(constant, *each.args[1:]), idx=len(requests) + each.idx, resps=[], filtered_resps={})
        for each in requests
    ]

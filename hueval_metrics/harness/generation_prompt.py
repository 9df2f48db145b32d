"""Tell the reasoning filter whether the chat template opens the trace, and record it in lm-eval's results file.

lm-eval hands its filters the replies and the documents, and no prompts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from lm_eval.api.filter import FilterEnsemble
from lm_eval.api.instance import Instance

from hueval_metrics.answers.trace.template import knowing, of_all, template_opens
from hueval_metrics.harness.replaced import replaced


@contextlib.contextmanager
def prompts_read(templated: bool, dropped: bool) -> Iterator[dict[str, bool | None]]:
    """While inside, what lm-eval evaluates is filtered with the knowledge of its prompts.

    Args:
        templated: whether a chat template is applied.
        dropped: whether traces are dropped before the filters see them.

    Yields:
        Task → whether the chat template opens the trace; None where that is unknown.
    """
    facts: dict[str, bool | None] = {}
    apply = FilterEnsemble.apply

    def knowing_apply(ensemble: FilterEnsemble, instances: list[Instance]) -> None:
        if instances[0].request_type != "generate_until":
            return apply(ensemble, instances)
        fact = opens([instance.args[0] for instance in instances], templated, dropped)
        facts[str(instances[0].task_name)] = fact
        with knowing(fact):
            apply(ensemble, instances)

    with replaced(FilterEnsemble, "apply", knowing_apply):
        yield facts


def opens(prompts: Sequence[object], templated: bool, dropped: bool) -> bool | None:
    """Whether the chat template opens the reasoning trace; None where the prompts of a task do not show it.

    Args:
        prompts: a chat API gets messages, and renders them out of sight.
        templated: whether a chat template is applied.
        dropped: whether lm-eval's model removes traces itself.
    """
    if dropped:
        return False
    texts = [prompt for prompt in prompts if isinstance(prompt, str)]
    if len(texts) < len(prompts):
        return None
    fact = of_all(map(template_opens, texts))
    return False if fact is None and templated else fact

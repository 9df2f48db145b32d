"""What a run is doing, on the terminal: loading, generating with a count of answers, scoring, saving."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import lm_eval.evaluator
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM, CacheHook

from hueval_metrics.harness.replaced import replaced
from hueval_metrics.progress import Progress, advance

_METHODS = {
    "generate_until": "Generating",
    "loglikelihood": "Comparing choices",
    "loglikelihood_rolling": "Measuring texts",
}


@contextlib.contextmanager
def stages_shown() -> Iterator[Progress]:
    """While inside, lm-eval's evaluator shows what it does, and how many answers the model has given.

    Yields:
        The run as a whole, whose name is that of the stage.
    """
    evaluate, report = lm_eval.evaluator.evaluate, CacheHook.add_partial

    with Progress("Loading the model") as run:

        def shown(lm: LM, *args: Any, **settings: Any) -> Any:
            run.rename("Building the prompts")
            with contextlib.ExitStack() as stack:
                for method, name in _METHODS.items():
                    stack.enter_context(replaced(lm, method, _counted(getattr(lm, method), name, run)))
                return evaluate(lm, *args, **settings)

        def counted(hook: CacheHook, *args: Any) -> None:
            advance()
            report(hook, *args)

        with (
            replaced(lm_eval.evaluator, "evaluate", shown),
            replaced(CacheHook, "add_partial", counted),  # what each of lm-eval's models calls with each answer
        ):
            yield run


def _counted(answer: Callable[..., list[Any]], name: str, run: Progress) -> Callable[..., list[Any]]:
    def counted(requests: Sequence[Instance], *args: Any, **settings: Any) -> list[Any]:
        with Progress(name, len(requests), "answers") as progress:
            answers = answer(requests, *args, **settings)
            progress.fill()
        run.rename("Scoring")
        return answers

    return counted

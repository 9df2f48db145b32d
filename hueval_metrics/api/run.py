"""`hueval.run`: evaluate a model from Python, by the name of a back end or as the object itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics import terminal
from hueval_metrics.api.paths import path_of
from hueval_metrics.api.results import Results, load
from hueval_metrics.errors import InputError
from hueval_metrics.progress import Progress

if TYPE_CHECKING:
    from lm_eval.api.model import LM


def run(
    model: Any,
    model_args: Mapping[str, Any] | str | None = None,
    tasks: str | Sequence[str] | None = None,
    *,
    tokenizer: Any = None,
    output: str | Path = "results",
    limit: float | None = None,
    verbose: bool = False,
    ask_final: bool = False,
    ask_again: bool = False,
    **settings: Any,
) -> Results:
    """Evaluate a model, and save results, samples and a log as `hueval run` does.

    Args:
        model: the name of a back end (`"hf"`, `"vllm"`, `"local-chat-completions"`, …), an `LM` of lm-eval, or a model
            of transformers. The answers of a model that is handed over are not kept for another call.
        model_args: what the back end needs, such as `{"pretrained": "org/model"}` or `"pretrained=org/model"`; for a
            model that is handed over `{"pretrained": name}` names it in the results.
        tasks: tasks, groups, tags, globs. None for all that is scored by rule: `hueval-rule`.
        tokenizer: of a model of transformers; None to load the one of the model's name.
        output: the folder of the results.
        limit: only the first items of each task, to try things out.
        verbose: show all that lm-eval and the libraries print, which is in the log otherwise.
        ask_final: ask the judge again where its refusal, or its unreadable reply, is known.
        ask_again: give a second turn, which asks for the answer alone, to replies of tasks scored by rule that are not
            read. What the model says then is counted in the columns `…_asked`, beside the scores.
        **settings: of lm-eval's, such as `batch_size=8`, `gen_kwargs={"max_gen_toks": 512}`,
            `apply_chat_template=True`, `metadata={"prompt_lang": "hu"}`, `config="paper-hf"`.

    Returns:
        The results of this run. They are empty where it has no scores of ours, as with `predict_only=True` or tasks of
        your own, and in all processes but the first of those that a launcher has started.

    Raises:
        InputError: a setting is unknown or wrong; the message names the nearest.
        HuevalError: the evaluation failed. What a back end has answered is kept: the same call goes on from there.

    >>> import hueval_metrics as hueval
    >>> results = hueval.run("hueval-baseline", {"policy": "first"}, "toybench_keywords", limit=3)  # doctest: +SKIP
    >>> print(results)  # doctest: +SKIP
    >>> replies = results.items()[["item", "prompt", "prediction"]]  # doctest: +SKIP
    """
    if not isinstance(model_args, Mapping | str | None):
        raise InputError(f"model_args: of type {type(model_args).__name__}, expected a mapping or a text")
    if not isinstance(tasks, str | Sequence | None):
        raise InputError(f"tasks: of type {type(tasks).__name__}, expected names of tasks")
    if not isinstance(limit, int | float | None):
        raise InputError(f"limit: of type {type(limit).__name__}, expected a number of items")
    folder = path_of(output, "output")
    with Progress("Starting"):  # lm-eval takes seconds to import
        from hueval_metrics.harness.config import check_names, config_of
        from hueval_metrics.harness.evaluate import evaluate
        from hueval_metrics.judge.configured import asking_final

    check_names(settings, "hueval.run: ")
    given = {"model_args": model_args, "tasks": tasks, "output_path": str(folder), "limit": limit, **settings}
    handed = None
    if isinstance(model, str):
        config = config_of({**given, "model": model})
    else:
        handed, name = _as_lm(model, tokenizer, settings)
        config = config_of({**given, "model": type(handed).__name__, "model_args": model_args or {"pretrained": name}})
    with asking_final(ask_final):
        evaluation = evaluate(config, model=handed, verbose=verbose, ask_again=ask_again)
    if evaluation.results is None:
        return Results(())
    if evaluation.file is None:
        raise InputError(f"{folder}: the results could not be written. Log: {evaluation.log}")
    try:
        return load(evaluation.file)
    except InputError:  # no scores of ours are in it
        if evaluation.run is not None:
            raise
        terminal.say(f"Results: {evaluation.file}")
        return Results(())


def _as_lm(model: Any, tokenizer: Any, settings: Mapping[str, Any]) -> tuple[LM, str]:
    """A model as lm-eval takes it, and its name."""
    from lm_eval.api.model import LM

    if isinstance(model, LM):
        return model, str(getattr(model, "pretrained", None) or type(model).__name__)
    if not hasattr(model, "generate") or not hasattr(model, "config"):
        raise InputError(
            f"hueval.run: model is a {type(model).__name__}. "
            'Give the name of a back end such as "hf", an lm_eval LM, or a model of transformers'
        )
    import lm_eval.models  # noqa: F401  first: a model registered before this hides all built-in ones
    from lm_eval.models.huggingface import HFLM

    sizes = {key: settings[key] for key in ("batch_size", "max_batch_size") if key in settings}
    return HFLM(pretrained=model, tokenizer=tokenizer, **sizes), str(model.config._name_or_path or type(model).__name__)

"""Several sampled runs of one model by one call, `hueval run --repeats K`: they differ in the draw of replies alone.

Each is a run by itself, with `repeat` 1 to K among its `--metadata`, seeds of its own, its own kept answers and its own
files, so that stopping, the judge's cache and scoring are those of any run. lm-eval's own `repeats` are not used: their
replies share one key in its cache (lm-eval issue 3046).
"""

from __future__ import annotations

from copy import deepcopy

from lm_eval.config.evaluate_config import EvaluatorConfig

from hueval_metrics.errors import InputError
from hueval_metrics.harness.evaluate import Evaluation, evaluate
from hueval_metrics.harness.finished import forget
from hueval_metrics.harness.models import model_kept
from hueval_metrics.scoring.lm_eval_results import REPEAT

LEAST, MOST = 2, 100  # a hundred draws of one item say nothing that ten do not


def evaluate_repeats(
    config: EvaluatorConfig, repeats: int, *, verbose: bool = False, ask_again: bool = False
) -> list[Evaluation]:
    """Evaluate a model several times; it is loaded once.

    A call that was stopped goes on where it was: repeats that are finished are taken from their files. What was kept
    is deleted when all are.

    Args:
        config: the settings of one run.
        repeats: how many, 2 to 100.
        verbose, ask_again: as for `evaluate.evaluate`.

    Returns:
        The repeats, in order.

    Raises:
        InputError: the number is out of range, or `--metadata` has a repeat already.
        HuevalError, KeyboardInterrupt: as for `evaluate.evaluate`.
    """
    _check(config, repeats)
    runs = [_of_repeat(config, repeat) for repeat in range(1, repeats + 1)]
    with model_kept():  # on all ranks alike, of which the first alone knows whether its files could be written
        found = [evaluate(run, verbose=verbose, ask_again=ask_again, keeps_finished=True) for run in runs]
    if all(one.file for one in found):
        for marker in filter(None, (one.marker for one in found)):
            forget(marker)
    return found


def _check(config: EvaluatorConfig, repeats: int) -> None:
    if not LEAST <= repeats <= MOST:
        raise InputError(f"--repeats {repeats}: expected {LEAST} to {MOST}")
    if REPEAT in config.metadata:
        raise InputError(f"--repeats beside --metadata {REPEAT}=…: the former numbers all repeats. Leave one out")


def _of_repeat(config: EvaluatorConfig, repeat: int) -> EvaluatorConfig:
    own = deepcopy(config)
    own.metadata = {**own.metadata, REPEAT: repeat}
    return own

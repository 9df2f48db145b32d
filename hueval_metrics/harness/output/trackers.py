"""wandb and trackio through lm-eval's own loggers (`--wandb_args`, `--trackio_args`), with our intervals."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from lm_eval.config.evaluate_config import EvaluatorConfig

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line

log = logging.getLogger(__name__)


def open_trackers(config: EvaluatorConfig) -> list[Tracker]:
    """The trackers that a run asks for, each with its run begun.

    Raises:
        InputError: a tracker is not installed, or does not take the run: said before the model is loaded.
    """
    from lm_eval.loggers import TrackioLogger, WandbLogger

    asked: list[tuple[str, dict[str, Any], Callable[[], Any], Callable[[Any], Any]]] = [
        (
            "wandb",
            config.wandb_args,
            lambda: WandbLogger(config.wandb_args, config.wandb_config_args),
            lambda logger: logger.run.finish(),
        ),
        ("trackio", config.trackio_args, lambda: TrackioLogger(config.trackio_args), lambda logger: logger.finish()),
    ]
    opened = []
    for name, args, begin, finish in asked:
        if args:
            if find_spec(name) is None:
                raise InputError(f'--{name}_args: {name} is not installed. Install it: pip install "hueval[{name}]"')
            try:
                opened.append(Tracker(name, begin(), finish))
            except Exception as error:  # wandb's and trackio's own, and those of the network
                offline = ". Without a network or an account: WANDB_MODE=offline" if name == "wandb" else ""
                raise InputError(f"--{name}_args: {name} does not start ({one_line(error)}){offline}") from error
    return opened


@dataclass(frozen=True)
class Tracker:
    """A run of wandb or trackio.

    Attributes:
        name: of the tracker.
        logger: lm-eval's.
        finish: what ends the run.
    """

    name: str
    logger: Any
    finish: Callable[[Any], Any]

    def record(self, results: Mapping[str, Any], samples: Mapping[str, Any]) -> None:
        """Log the scores, their intervals and the samples; a failure is a warning, for the results are saved."""
        try:
            self.logger.post_init({**results, "results": with_intervals(results)})
            self.logger.log_eval_result()
            self.logger.log_eval_samples(samples)
        except Exception as error:
            log.warning("%s: not all was logged (%s: %s).", self.name, type(error).__name__, one_line(error))

    def close(self) -> None:
        """End the tracker's run, also where the evaluation failed."""
        try:
            self.finish(self.logger)
        except Exception as error:
            log.warning("%s: its run could not be ended (%s).", self.name, one_line(error))


def with_intervals(results: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The scores of lm-eval's results by task, with `<metric>_ci95_low` and `<metric>_ci95_high` beside them.

    >>> with_intervals({"results": {"toy": {"acc,none": 50.0}}, "intervals": {"toy": {"acc": (40.0, 60.0)}}})
    {'toy': {'acc,none': 50.0, 'acc_ci95_low': 40.0, 'acc_ci95_high': 60.0}}
    """
    intervals = results.get("intervals", {})
    return {
        task: {
            **scores,
            **{
                f"{metric}_ci95_{end}": value
                for metric, ends in intervals.get(task, {}).items()
                for end, value in zip(("low", "high"), ends, strict=True)
            },
        }
        for task, scores in results["results"].items()
    }

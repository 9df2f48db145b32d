"""The settings of a run as lm-eval wants them, of the command line, a file and Python, with our defaults."""

from __future__ import annotations

import contextlib
import io
import logging
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_type_hints

from lm_eval.config.evaluate_config import EvaluatorConfig
from lm_eval.utils import simple_parse_args_string
from pydantic import TypeAdapter, ValidationError

from hueval_metrics.errors import InputError
from hueval_metrics.harness.presets import preset_file, presets
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_yaml

DEFAULT_TASKS = "hueval-rule"  # a tag: all that is scored without a judge, and so without a key
DEFAULT_OUTPUT = "results"

_DICTS = ("model_args", "metadata")

log = logging.getLogger(__name__)


def config_of(given: Mapping[str, Any]) -> EvaluatorConfig:
    """The settings of a run.

    Args:
        given: lm-eval's settings by name; `config` names a preset or a file, whose settings the others override.

    Raises:
        InputError: a setting or the file is wrong.
    """
    settings = {key: value for key, value in given.items() if value is not None}
    try:
        if name := settings.pop("config", None):
            settings = _with_file(name, settings)
        settings |= {
            key: simple_parse_args_string(settings[key]) for key in _DICTS if isinstance(settings.get(key), str)
        }
        if "tasks" not in settings:
            log.info("no tasks named; default: %s (scored by rule: no judge, no key)", DEFAULT_TASKS)
        settings = {"tasks": DEFAULT_TASKS, "output_path": DEFAULT_OUTPUT, **settings, "log_samples": True}
        if settings.get("model") == "hueval-baseline":  # lm-eval names the results folder after this argument
            policy = settings.get("model_args", {}).get("policy", "oracle")
            settings["model_args"] = {"model": f"hueval-baseline-{policy}", **settings.get("model_args", {})}
        with contextlib.redirect_stdout(io.StringIO()), _unsaid():
            return EvaluatorConfig.from_cli(Namespace(**settings))
    except (ValueError, TypeError, FileNotFoundError) as error:
        raise InputError(" ".join(str(error).split())) from None


def _with_file(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a preset or a file, overridden by others.

    lm-eval replaces a file's dicts as a whole. These two of a preset are merged: to name the model must not switch its
    thinking back on. gen_kwargs are not, so that no setting of a preset stays where others were asked for.
    """
    preset = preset_file(name)
    of_file = _of_file(preset or Path(name))
    check_names(of_file, f"--config {name}: ")
    _check_types(of_file, f"--config {one_line(name)}: ")
    merged = {key: {**of_file[key], **settings[key]} for key in _DICTS if preset and key in settings and key in of_file}
    return {**of_file, **settings, **merged}


def _of_file(path: Path) -> dict[str, Any]:
    """The settings in a file. Not by lm-eval's reader, which aliases and deep nesting exhaust.

    Raises:
        InputError: it cannot be read, or holds no settings.
    """
    where = f"--config {one_line(path)}"
    try:
        found = parse_yaml(read_text(path))
    except OSError as error:
        raise InputError(f"{where}: {error.strerror}. Name a file or one of: {', '.join(presets())}") from None
    except ValueError as error:
        raise InputError(f"{where}: no YAML ({one_line(error, 80)}). Write lines SETTING: VALUE") from None
    if not isinstance(found, dict):
        raise InputError(f"{where}: expected lines SETTING: VALUE, such as model: hf")
    return {str(name): value for name, value in found.items()}


def _check_types(settings: Mapping[str, Any], where: str) -> None:
    """Raise InputError where a file's value has a type that lm-eval cannot use; text is read as on the command line."""
    types = get_type_hints(EvaluatorConfig)
    for name, value in settings.items():
        try:
            TypeAdapter(types[name] | str).validate_python(value)
        except ValidationError:
            wanted = getattr(types[name], "__name__", str(types[name]))
            raise InputError(f"{where}{name} is {type(value).__name__}, expected {wanted}. Fix it there") from None


def check_names(settings: Mapping[str, Any], where: str = "") -> None:
    """See that lm-eval has settings of these names.

    Raises:
        InputError: it has not; the message names the nearest.
    """
    known = [field.name for field in fields(EvaluatorConfig)]
    for name in settings:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]}?" if near else f"One of: {', '.join(known)}"
            raise InputError(f'{where}unknown setting "{name}". {hint}')


@contextlib.contextmanager
def _unsaid() -> Any:
    """While inside, lm-eval warns of nothing: what it says of the settings, our own lines say."""
    logger = logging.getLogger("lm_eval.config.evaluate_config")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before

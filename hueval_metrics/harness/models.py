"""The model of a run as lm-eval builds it: its failures in one line, and two habits of lm-eval's models corrected."""

from __future__ import annotations

import contextlib
import copy
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import lm_eval.api.registry
from lm_eval.api.model import LM

from hueval_metrics.errors import InputError
from hueval_metrics.harness.chat_traces import keep_traces
from hueval_metrics.harness.guided import take_forms
from hueval_metrics.harness.replaced import replaced
from hueval_metrics.harness.token_limits import limits_noted
from hueval_metrics.judge.settings import shown
from hueval_metrics.one_line import one_line

_EXTRAS = {  # extra of ours: (lm-eval's models, packages)
    "hf": (("hf", "huggingface", "steered"), ("torch", "transformers", "accelerate")),
    "vllm": (("vllm",), ("vllm", "ray")),
    "api": (("local-", "openai-"), ("aiohttp", "requests", "tenacity", "tiktoken", "tqdm")),
}
_MISSING_ARGUMENT = re.compile(r"missing \d+ required .*?argument.*?: '(\w+)'")
_SECRET = re.compile("auth|key|token", re.IGNORECASE)  # headers that hold one
_METHODS = ("generate_until", "loglikelihood", "loglikelihood_rolling")


_kept: list[LM] | None = None  # the model of several runs, once it is there; None outside `model_kept`


@contextlib.contextmanager
def model_kept() -> Iterator[None]:
    """While inside, runs with one model's settings have the same model, which is built once."""
    global _kept
    _kept = []
    try:
        yield
    finally:
        _kept = None


@contextlib.contextmanager
def models_checked(repeat: int = 1) -> Iterator[None]:
    """While inside, a model that lm-eval cannot build, or whose server cannot be reached, raises InputError.

    Args:
        repeat: which of several draws of replies: it is added to the seed that a model has of its own.
    """
    original = lm_eval.api.registry.get_model
    with (
        contextlib.ExitStack() as stack,
        replaced(lm_eval.api.registry, "get_model", lambda name: _Builder(name, original, stack, repeat)),
    ):
        yield


class _Builder:
    """Takes the place of a model class where lm-eval builds a model."""

    def __init__(
        self, name: str, get_model: Callable[[str], type[LM]], stack: contextlib.ExitStack, repeat: int
    ) -> None:
        self._name = name
        self._repeat = repeat
        self._stack = stack
        self._get_model = get_model

    def create_from_arg_obj(self, args: dict[str, Any], settings: Mapping[str, Any] | None = None) -> LM:
        """Build the model.

        Raises:
            InputError: it cannot be built; one line says why.
        """
        model = _kept[0] if _kept else self._built(args, settings)
        if _kept == []:
            _kept.append(model)
        if self._name.startswith(_EXTRAS["hf"][0]):
            self._stack.enter_context(limits_noted(model))
        self._stack.enter_context(_seeded(model, self._repeat - 1))
        return model

    def _built(self, args: dict[str, Any], settings: Mapping[str, Any] | None) -> LM:
        try:
            if str(self._name).startswith("hf"):
                _check_device((settings or {}).get("device"))
            # A copy: vLLM's class changes the arguments that lm-eval writes into the results.
            model = self._get_model(self._name).create_from_arg_obj(copy.deepcopy(args), settings)
            if hasattr(model, "_create_payload"):
                _ = model.header  # asks for the key, which lm-eval misses only when it sends the first request
        except InputError:
            raise
        except ImportError as error:
            raise InputError(f"--model {self._name}: {one_line(error)}. {_to_install(self._name, error)}") from error
        except Exception as error:
            raise InputError(_cannot_build(self._name, args, error)) from error
        if self._name.startswith("vllm"):
            _set_thinking(model, args)
        if hasattr(model, "_create_payload"):
            _leave_out_empty_stop(model)
            keep_traces(model)
            take_forms(model)
            _keep_keys_out_of_the_log(model)
        _name_faults(model)
        return model


@contextlib.contextmanager
def _seeded(model: LM, step: int) -> Iterator[None]:
    """While inside, the seed that a model sends with its requests, or draws by, is higher by a step."""
    with contextlib.ExitStack() as stack:
        for name in ("_seed", "seed"):
            if step and type(seed := vars(model).get(name)) is int:
                stack.enter_context(replaced(model, name, seed + step))
        yield


def _check_device(device: object) -> None:
    """lm-eval takes another device, without a word, where it does not find the one that was asked for."""
    if device is None:
        return
    import torch

    kind, _, index = str(device).partition(":")
    count = torch.cuda.device_count()
    if kind not in ("cpu", "cuda", "mps", "npu", "xpu", "hpu") or (index and not index.isdecimal()):
        raise InputError(f'--device: "{one_line(device, 40)}" is none. One of: cuda, cuda:0, cpu, mps, npu, xpu, hpu')
    if kind == "cuda" and int(index or 0) >= max(count, 1):  # cuda:0 is lm-eval's default, on the CPU too
        raise InputError(f"--device {device}: torch sees {count or 'no'} CUDA device{'s' if count != 1 else ''}")


def _to_install(name: str, error: ImportError) -> str:
    for extra, (models, packages) in _EXTRAS.items():
        if error.name in packages or (error.name is None and name.startswith(models)):
            return f'Install the extra: pip install "hueval[{extra}]"'
    return f"Install it: pip install {error.name}" if error.name else "A package is missing"


def _cannot_build(name: str, args: Mapping[str, Any], error: Exception) -> str:
    if isinstance(error, TypeError) and (missing := _MISSING_ARGUMENT.search(str(error))):
        return f"--model {name} needs an argument: --model_args {missing[1]}=…"
    (key, value) = next(((key, args[key]) for key in ("pretrained", "model") if key in args), ("", ""))
    what = f" with {key}={one_line(value, 80)}" if key else ""
    hint = " A model of the Hub must be reachable or fetched before; a folder must exist." * isinstance(error, OSError)
    return f"--model {name}{what} cannot be loaded: {type(error).__name__}: {_first_line(error)}{hint}"


def _set_thinking(model: Any, args: Mapping[str, Any]) -> None:
    """`chat_template_args.enable_thinking`, which lm-eval's vLLM class takes out and then overwrites."""
    template_args = args.get("chat_template_args")
    if isinstance(template_args, dict) and "enable_thinking" in template_args and args.get("enable_thinking") is None:
        model.enable_thinking = template_args["enable_thinking"]


def _leave_out_empty_stop(model: Any) -> None:
    """Send no `"stop": []`, which some servers refuse: lm-eval makes it of a task's `until: []`."""
    create = model._create_payload

    def payload(*args: Any, **settings: Any) -> dict[str, Any]:
        return {
            key: value
            for key, value in create(*args, **settings).items()
            if key not in ("stop", "stop_sequences") or value
        }

    model._create_payload = payload


def _keep_keys_out_of_the_log(model: Any) -> None:
    """Strike out the keys of a request's headers, which lm-eval logs with a request that failed."""
    words = (word for name, value in model.header.items() if _SECRET.search(name) for word in str(value).split())
    keys = [word for word in words if word != "Bearer"]

    def strike_out(record: logging.LogRecord) -> bool:
        text = record.getMessage()
        for key in keys:
            text = text.replace(key, "***")
        record.msg, record.args = text, ()
        return True

    logging.getLogger("lm_eval.models.api_models").addFilter(strike_out)


def _name_faults(model: Any) -> None:
    """Raise InputError where a model's answering fails for a reason that the user can fix."""
    for name in _METHODS:
        setattr(model, name, _named(getattr(model, name), getattr(model, "base_url", None)))


def _named(method: Callable[..., list[Any]], base_url: str | None) -> Callable[..., list[Any]]:
    def answers(requests: Sequence[Any], **settings: Any) -> list[Any]:
        try:
            return method(requests, **settings)
        except Exception as error:
            if (fault := _fault(error, base_url)) is None:
                raise
            # The requests that were in flight fail as well, each of which asyncio would report by a traceback.
            logging.getLogger("asyncio").setLevel(logging.CRITICAL)
            raise InputError(fault) from error

    return answers


def _fault(error: Exception, base_url: str | None) -> str | None:
    """What the user can do about a failure while the model answers; None for what is not known."""
    text = _first_line(error)
    if base_url and (isinstance(error, TimeoutError) or _is_of_network(error)):
        where = shown(str(base_url))
        status = getattr(error, "status", None) or getattr(getattr(error, "response", None), "status_code", None)
        if status is None:
            return (
                f"{where}: the model's server cannot be reached, or stopped answering ({type(error).__name__}: {text})."
            )
        is_whole = "completions" in where or status != 404
        hint = "" if is_whole else " base_url is the whole address, such as http://HOST/v1/chat/completions."
        return f"{where}: the model's server answers HTTP {status} ({text}).{hint}"
    if type(error).__name__ == "OutOfMemoryError":
        return f"the device is out of memory ({text}). Try a smaller --batch_size."
    if isinstance(error, ValueError) and "model_kwargs" in str(error):  # transformers' check of what it is given
        return f"--gen_kwargs: {text}"
    return None


def _first_line(error: Exception) -> str:
    """What an exception says first; of a refused connection the refusal, which requests wraps in four objects."""
    text = str(error).strip()
    refusal = re.search(r"\[(?:Errno|Connect call failed)[^]]*\][^\"')]*", text)
    return one_line(refusal[0] if refusal else text.partition("\n")[0], 240)


def _is_of_network(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] in ("aiohttp", "requests", "urllib3")

"""Where `hueval run` keeps what a model generated, what makes two runs the same, and what cannot be kept."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import stat
from collections.abc import Sequence
from glob import escape
from pathlib import Path

from lm_eval.config.evaluate_config import EvaluatorConfig

from hf_datasets.cache import cache_dir
from hueval_metrics.errors import InputError
from hueval_metrics.harness.kept_answers import answer_files, check_private
from hueval_metrics.one_line import one_line
from hueval_metrics.registry import known_tasks, task_spec
from hueval_metrics.scoring.lm_eval_results import REPEAT

# Instant and deterministic: a store of their answers would only grow.
UNCACHED_MODELS = frozenset({"dummy", "hueval-baseline"})
AT_ONCE = 1024  # requests to hand to a model that takes all at once: vLLM runs 256 to 1,024 sequences at a time
_TAKE_ALL = (
    "vllm",
    "sglang",
)  # with --batch_size auto they get all requests in one call, and report none before its end
_WRITTEN = re.compile(r"(run|results|samples|live)_")  # files of a run, whose folder may be named as the model is
_SAMPLING = ("do_sample", "temperature", "top_p", "top_k")

log = logging.getLogger(__name__)


def kept_in(config: EvaluatorConfig, tasks: Sequence[str]) -> str | None:
    """The prefix of the files that keep the answers of a run; `_rank<n>.jsonl` is added.

    Args:
        config: the settings of the call.
        tasks: names of the tasks to run, globs resolved.

    Returns:
        A name for people and two digests: of all but the prompt that an answer depends on (model, arguments and the
        files behind them, chat template, system text, seeds), so that runs of other tasks find it, and of what
        distinguishes this run from them (`--metadata`, tasks and their versions). It lies in the library's cache, or
        where `--use_cache` says. None for models whose answers cost nothing.

    Raises:
        InputError: the place is not the user's own (`check_private`), or cannot be made.
        DataError: there is no home folder to have a cache in.
    """
    if config.model in UNCACHED_MODELS and not config.use_cache:
        return None
    digest = _digests(config, tasks)
    if config.use_cache:
        prefix = Path(f"{config.use_cache}-{digest}")
        pickles = sorted(prefix.parent.glob(f"{escape(Path(config.use_cache).name)}_rank*.db"))
    else:
        args = config.model_args
        named = str(args.get("pretrained") or args.get("model") or "")
        slug = re.sub(r"[^\w.-]+", "-", f"{config.model}-{Path(named).name}").strip("-")[:60]
        prefix = _own_folder() / f"{slug}-{digest}"
        pickles = sorted(prefix.parent.glob("*_rank*.db"))
    for file in answer_files(str(prefix)):
        check_private(file)
    if pickles:
        log.warning(
            "%s: pickled by hueval 0.1 or lm-eval, which is not read (a pickle can run code). Delete it.",
            pickles[0] if len(pickles) == 1 else f"{pickles[0].parent}/*.db",
        )
    return str(prefix)


def at_once(config: EvaluatorConfig) -> int:
    """How many requests to hand to the model at a time, so that answers are kept before the last is there; 0 for all.

    With data parallelism lm-eval starts vLLM's workers, and loads the model, for every call.
    """
    is_auto = str(config.batch_size).startswith("auto")
    return AT_ONCE if config.model.startswith(_TAKE_ALL) and is_auto and not _data_parallel(config) else 0


def warn_where_unsafe(config: EvaluatorConfig) -> None:
    """Say what of a stopped run cannot be taken up."""
    if size := _data_parallel(config):
        log.warning(
            "data_parallel_size=%d: lm-eval hands all requests to ray's workers at once, so nothing is kept before the "
            "last answer and a stopped run starts over. With tensor_parallel_size answers are kept as they come.",
            size,
        )
    elif at_once(config):
        log.warning(
            "--model %s with --batch_size auto: answers are kept %d at a time. With a number, that many at a time.",
            config.model,
            AT_ONCE,
        )
    elif str(config.batch_size).startswith("auto"):
        log.warning("--batch_size auto may answer differently after a restart. A number makes the run repeatable.")
    if sampled := is_sampled(config):
        log.warning(
            "Sampling is on (%s): a stopped run keeps the answers it has; a finished one is sampled anew.",
            ", ".join(sampled),
        )


def is_sampled(config: EvaluatorConfig) -> list[str]:
    """The settings by which answers are drawn by chance."""
    return [key for key in _SAMPLING if config.gen_kwargs.get(key) not in (None, 0, 0.0, False)]


def repeat_of(config: EvaluatorConfig) -> int | None:
    """Which of several draws of replies a run is (`--metadata repeat`); None where it is not one of several.

    Raises:
        InputError: it is no number from 1 on.
    """
    asked = config.metadata.get(REPEAT)
    if asked is None:
        return None
    if not re.fullmatch(r"[1-9]\d{0,3}", str(asked)):
        raise InputError(f'--metadata {REPEAT}: "{one_line(asked, 40)}", expected a number from 1 on')
    return int(asked)


def seeds_of(config: EvaluatorConfig) -> list[int | None]:
    """The seeds of a run, those of its repeat; few-shot examples are drawn alike, since all have the same prompts."""
    *drawn, shots = config.seed or [None] * 4
    step = (repeat_of(config) or 1) - 1
    return [*(seed if seed is None else seed + step for seed in drawn), shots]


def _data_parallel(config: EvaluatorConfig) -> int:
    """`data_parallel_size` of vLLM where it has an effect, else 0."""
    size = str(config.model_args.get("data_parallel_size", 1))
    return int(size) if config.model.startswith("vllm") and size.isdecimal() and int(size) > 1 else 0


def _own_folder() -> Path:
    folder = cache_dir() / "generations"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_private(folder, stat.S_IFDIR)
        folder.chmod(0o700)
    except OSError as error:
        raise InputError(f"{folder}: cannot keep answers there ({one_line(error)}). Set HUEVAL_CACHE_DIR") from None
    return folder


def _digests(config: EvaluatorConfig, tasks: Sequence[str]) -> str:
    args = config.model_args
    state = {key: _fingerprint(value) for key, value in args.items() if isinstance(value, str)}
    shared = [config.model, dict(args), state, config.apply_chat_template, config.system_instruction, config.seed]
    if repeat := repeat_of(config):  # draws of one request under equal settings, which no other may take
        shared.append(repeat)
    own = [dict(config.metadata), {task: task_spec(task).version for task in tasks if task in known_tasks()}]
    texts = (json.dumps(part, sort_keys=True, default=str) for part in (shared, own))
    return "-".join(hashlib.sha256(text.encode()).hexdigest()[:12] for text in texts)


def _fingerprint(value: str) -> list[tuple[str, int, int]]:
    """Names, sizes and times of the files at a path: a checkpoint trained on is another model. Empty for other text."""
    try:
        path = Path(value)
        files = [path] if path.is_file() else [file for file in path.iterdir() if file.is_file()]
        files = [file for file in files if not _WRITTEN.match(file.name)]
        return sorted((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    except (OSError, ValueError):
        return []

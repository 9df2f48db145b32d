"""From the rows of Toybench to the documents of a task, each complete in itself."""

from __future__ import annotations

import hashlib
from importlib.metadata import version as installed_version
from typing import Any

from hf_datasets.load import load
from hf_datasets.toybench.convert import REPO
from hueval_metrics import __version__
from hueval_metrics.records import Signature
from lm_eval_tasks.toybench.hooks import PROMPTS

_KEYS = {"reviews": "review", "riddles": "riddle", "letters": "letter"}


def documents(
    *, task: str, version: str = "?", prompt_lang: str = "hu", data_dir: str | None = None, **_: Any
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The documents of a task, and where they come from.

    Args:
        task: the task's name.
        version: its version.
        prompt_lang: language of the instruction, `hu` or `en`.
        data_dir: folder that has the data; None for the usual order of sources.
        **_: further metadata.
    """
    name = task.removeprefix("toybench_")
    data = load(REPO, name, data_dir=data_dir)
    prompt = f"{prompt_lang}-{hashlib.sha256(PROMPTS[name, prompt_lang].encode()).hexdigest()[:8]}"
    libraries = {"hueval": __version__, "lm_eval": installed_version("lm_eval")}
    signature = Signature.of_data(task, version, data.source.blob_id, "hu", prompt, data.source.sample, libraries)
    rows = [{**row, _KEYS[name]: row["id"], "task": name, "prompt_lang": prompt_lang} for row in data.rows]
    docs = [{field: value for field, value in row.items() if field != "id"} for row in rows]
    return docs, {**data.provenance, "signature": str(signature)}

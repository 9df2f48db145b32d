"""What lm-eval's `vllm` model asks of the package vllm, without vLLM: an engine that answers by the tokens it gets.

`install` makes a folder that stands for the installed packages vllm and ray on PYTHONPATH.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from types import SimpleNamespace

ASKED = "FAKE_VLLM_ASKED"  # names the file that gets a line for each call of the engine: how many requests it has
HANGS_AT = "FAKE_VLLM_HANGS_AT"  # the call of the engine that never returns, so that a run can be killed midway

_MODULES = {
    "vllm/__init__.py": "from tests.fakes.vllm_engine import LLM, SamplingParams, TokensPrompt",
    "vllm/lora/__init__.py": "",
    "vllm/lora/request.py": "class LoRARequest: pass",
    "vllm/renderers/__init__.py": "",
    "vllm/renderers/hf.py": "from tests.fakes.vllm_engine import resolve_chat_template",
    "vllm/tokenizers.py": "from tests.fakes.vllm_engine import get_tokenizer",
    "vllm/engine/__init__.py": "",
    "vllm/engine/arg_utils.py": "from tests.fakes.vllm_engine import EngineArgs",
    "vllm-0.18.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: vllm\nVersion: 0.18.0\n",
    "ray.py": "from tests.fakes.vllm_engine import get, remote, shutdown",
}


def install(folder: Path) -> Path:
    """Write the packages; returns the folder."""
    for name, text in _MODULES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text + "\n", encoding="utf-8")
    return folder


class SamplingParams(SimpleNamespace):
    """What to generate."""


def TokensPrompt(prompt_token_ids):  # noqa: N802  vLLM's name
    """A prompt, as vLLM's typed dict."""
    return {"prompt_token_ids": prompt_token_ids}


class LLM:
    """An engine whose answer is 1 or 2, by a hash of the prompt's tokens."""

    def __init__(self, **arguments):
        self.llm_engine = SimpleNamespace(model_config=SimpleNamespace(max_model_len=16_384))

    def generate(self, prompts, sampling_params, use_tqdm=True, lora_request=None):
        """Answer all prompts, and return once the last is answered."""
        with Path(os.environ[ASKED]).open("a+", encoding="utf-8") as file:
            file.write(f"{len(prompts)}\n")
            file.flush()
            file.seek(0)
            if str(len(file.readlines())) == os.environ.get(HANGS_AT):
                time.sleep(600)
        return [SimpleNamespace(outputs=[SimpleNamespace(text=_text(prompt))]) for prompt in prompts]


def _text(prompt):
    digest = hashlib.sha256(repr(list(prompt["prompt_token_ids"])).encode()).digest()
    return f"A válasz: {digest[0] % 2 + 1}"


class EngineArgs:
    """Settings of an engine that runs elsewhere."""

    def __init__(self, **arguments):
        pass

    def create_model_config(self):
        """The model's configuration; nothing reads it here."""


def resolve_chat_template(tokenizer, chat_template, tools, **_):
    """The tokenizer's own template."""
    return tokenizer.chat_template


def get_tokenizer(name, *, revision=None, tokenizer_mode="auto", trust_remote_code=False):
    """A tokenizer of transformers."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(name, revision=revision)


def remote(**_):
    """ray's decorator: the function runs here."""
    return lambda function: SimpleNamespace(remote=function)


def get(results):
    """ray's collecting of results."""
    return results


def shutdown():
    """Nothing runs."""

"""Counting tokens of traces and replies: by the model's tokenizer where it can be had, else by an estimate.

A reply is encoded once, as a whole: the tokens of its trace are those of the reply that lie in it. Only a model's
`tokenizer.json` is read, which needs neither torch nor code of the model.
"""

from __future__ import annotations

import logging
import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hf_datasets.network import hub_endpoint, offline, reason
from hueval_metrics.answers.trace.split import Range
from hueval_metrics.errors import InputError
from hueval_metrics.judge.tokens import tokens_in
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_text

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BETWEEN_BLOCKS = "\n\n"  # joins the blocks of a trace that has several
ESTIMATE = "estimate-gpt-4o"  # the name of the fallback: `judge.tokens.tokens_in`
FILE = "tokenizer.json"
MAX_BYTES = 2**26  # of the file; the largest of a published model has half of it
_PROBE = "Próba: őű 漢字 😀\n1"
_ANSWER_S = 5.0  # for the Hub; its client alone tries again for half a minute

log = logging.getLogger(__name__)


class Tokens(Protocol):
    """The tokens of one reply.

    Attributes:
        trace: how many of them are of the trace.
        reply: of the whole reply, with special tokens.
    """

    trace: int
    reply: int

    def before(self, offset: int) -> int:
        """How many tokens of the trace begin before an offset in its characters."""


class Counter:
    """Counts the tokens of replies.

    Args:
        name: of the tokenizer, for the signature.
        tokenizer: None to estimate.
    """

    def __init__(self, name: str = ESTIMATE, tokenizer: Tokenizer | None = None) -> None:
        self.name, self._tokenizer = name, tokenizer

    def of(self, reply: str, blocks: Sequence[Range]) -> Tokens:
        """The tokens of a reply whose trace are the ranges `blocks`."""
        if self._tokenizer is None:
            return _Estimated(reply, blocks)
        return _Encoded(self._tokenizer, reply, blocks)


class _Estimated:
    def __init__(self, reply: str, blocks: Sequence[Range]) -> None:
        self._trace = BETWEEN_BLOCKS.join(reply[start:end] for start, end in blocks)
        self.trace, self.reply = self.before(len(self._trace)), _estimated(reply)

    def before(self, offset: int) -> int:
        return _estimated(self._trace[: max(0, offset)])


def _estimated(text: str) -> int:
    return ceil(tokens_in(text.encode("utf-8", "replace")))  # a text has at least one


class _Encoded:
    def __init__(self, tokenizer: Tokenizer, reply: str, blocks: Sequence[Range]) -> None:
        text = reply.encode("utf-8", "replace").decode()  # half a surrogate pair becomes "?": as many characters
        try:
            offsets = tokenizer.encode(text).offsets
        except BaseException as error:
            if not _is_of_library(error):
                raise
            raise InputError(
                f"the tokenizer fails on a reply ({one_line(error, 80)}). Name another: --tokenizer"
            ) from None
        self._blocks = blocks
        self._starts = sorted(start for start, _ in offsets)
        self._ends = sorted(end for _, end in offsets)
        self.reply = len(offsets)
        self.trace = sum(self._within(start, end) for start, end in blocks)

    def before(self, offset: int) -> int:
        count, left = 0, offset
        for start, end in self._blocks:
            if left <= 0:
                break
            count += self._within(start, min(end, start + left))
            left -= end - start + len(BETWEEN_BLOCKS)
        return count

    def _within(self, start: int, end: int) -> int:
        """The tokens that reach into a range: those that begin before its end, but for those that end before it."""
        return bisect_left(self._starts, end) - bisect_right(self._ends, start)


def counter_of(models: Sequence[str], label: str) -> Counter:
    """The counter of a run: by its model's tokenizer where that is on this machine, else the estimate, with a warning.

    The Hub is not asked: results may come from anyone, who would learn of it, and choose what is fetched.

    Args:
        models: what may name the tokenizer, the best first: a folder, or a name in the Hub's cache.
        label: of the run, for the warning.
    """
    problem = "its files do not name a model"
    for name in models:
        try:
            return Counter(name, _load(name, asks_hub=False))
        except _UnavailableError as error:
            problem = str(error)
    log.warning("%s: its tokens are estimated: %s. Name its tokenizer with --tokenizer.", label, problem)
    return Counter()


def named_counter(name: str) -> Counter:
    """The counter that the user has named: a folder, or a name of the Hub.

    Raises:
        InputError: it cannot be had.
    """
    try:
        return Counter(name, _load(name, asks_hub=True))
    except _UnavailableError as error:
        raise InputError(
            f"--tokenizer: {error}. Name a folder that has {FILE}, or a model of the Hub; without --tokenizer, tokens "
            "are estimated where the model's own cannot be had"
        ) from None


class _UnavailableError(Exception):
    """A tokenizer cannot be had; the text says why."""


def _load(name: str, *, asks_hub: bool) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise _UnavailableError("tokenizers is not installed (pip install tokenizers)") from None
    file = _file(name, asks_hub=asks_hub)
    try:
        text = read_text(file, MAX_BYTES)
        with _stderr_dropped():  # Rust prints a panic, and often where it was
            tokenizer = Tokenizer.from_str(text)
            tokenizer.encode(_PROBE)
    except BaseException as error:
        if not _is_of_library(error):
            raise
        raise _UnavailableError(f"{one_line(file)} cannot be read ({one_line(error, 80)})") from None
    return tokenizer


def _is_of_library(error: BaseException) -> bool:
    """Whether tokenizers, which raises the bare class, may have raised it; a panic of Rust is no `Exception`."""
    return isinstance(error, Exception) or type(error).__module__ == "pyo3_runtime"


@contextmanager
def _stderr_dropped() -> Iterator[None]:
    """While inside, what code that is not Python prints on standard error is dropped."""
    with Path(os.devnull).open("wb") as nowhere:
        kept = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _file(name: str, *, asks_hub: bool) -> Path:
    """The `tokenizer.json` in a folder, in the Hub's cache, or from the Hub."""
    folder = Path(name)
    if folder.is_dir():
        if not (folder / FILE).is_file():
            raise _UnavailableError(f"there is no {FILE} in {one_line(name, 80)}")
        return folder / FILE
    import huggingface_hub as hub

    shown = one_line(name, 80)
    try:
        if isinstance(cached := hub.try_to_load_from_cache(name, FILE), str):
            return Path(cached)
    except ValueError:  # which its validation of names raises
        raise _UnavailableError(f"{shown} is no folder, and no name of the Hub") from None
    if not asks_hub:
        raise _UnavailableError(f"the tokenizer of {shown} is not in the Hub's cache")
    if offline():
        raise _UnavailableError(f"the tokenizer of {shown} is not in the cache, and HUEVAL_OFFLINE is set")
    try:
        hub.HfApi(endpoint=hub_endpoint()).model_info(name, timeout=_ANSWER_S)
        return Path(hub.hf_hub_download(name, FILE, endpoint=hub_endpoint(), etag_timeout=_ANSWER_S))
    except Exception as error:  # the client's exceptions come from requests or httpx, depending on its version
        raise _UnavailableError(f"the tokenizer of {shown} cannot be had from the Hub ({reason(error)})") from None

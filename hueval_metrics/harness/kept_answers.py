"""What a model generated, kept as it comes: a stopped run goes on where it was.

lm-eval's own `CachingLM` pickles its answers (whoever can write the file runs code), looks answers of vLLM up under
other arguments than it stored them under, and stores nothing of a call before the call ends where a model takes all
requests at once. This one takes its place: JSON Lines, one file a rank, appended to with each answer.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import stat
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import lm_eval.api.model
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM, CacheHook, hash_args

from hueval_metrics.errors import InputError
from hueval_metrics.harness.chat_traces import FACTS, CountedReply
from hueval_metrics.harness.live import LiveAnswers, LiveRun
from hueval_metrics.harness.replaced import replaced
from hueval_metrics.one_line import one_line
from hueval_metrics.progress import advance

_METHODS = ("generate_until", "loglikelihood", "loglikelihood_rolling")
_SELECTION = re.compile(r"-[0-9a-f]{12}$")  # of tasks: how a prefix ends (`generations.kept_in`)
_RANK_DB = re.compile(r"_rank(\d+)\.db$")  # how lm-eval ends the name of a rank's cache

# No link is followed, and no pipe waited for, that somebody put where a file should be.
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

log = logging.getLogger(__name__)


class AnswerFile:
    """The answers of one run: those of all its ranks are read, those of this rank written.

    A request that was asked twice has two answers, each given out once. What the run has not itself is taken from runs
    of other tasks with the same model and settings.

    Args:
        prefix: where the files lie; `_rank<n>.jsonl` is added.
        rank: the number of this process.

    Attributes:
        files: the files of all ranks, as a message names them.
        n_kept: how many answers were found, taken from other runs and added.

    Raises:
        InputError: a file is not the user's own (`check_private`).
        OSError: a file cannot be read.
    """

    def __init__(self, prefix: str, rank: int) -> None:
        self.files = f"{prefix}_rank*.jsonl"
        self._prefix = prefix
        self._rank = rank
        self._file = Path(f"{prefix}_rank{rank}.jsonl")
        self._descriptor: int | None = None
        self._answers: dict[str, list[Any]] = defaultdict(list)
        self._elsewhere: dict[str, list[Any]] = defaultdict(list)
        self._is_writable = True
        self.n_kept = 0
        for file in answer_files(prefix):
            for key, answer in _read(file):
                self._answers[key].append(answer)
                self.n_kept += 1

    def look_up(self, keys: Iterable[str]) -> None:
        """Read, from the files of other runs, the answers of requests that are about to be made."""
        self._elsewhere.clear()
        wanted = set(keys)
        for file in answer_files(self._prefix, of_others=True):
            with contextlib.suppress(OSError, InputError):  # gone since, or not the user's own
                for key, answer in _read(file):
                    if key in wanted:
                        self._elsewhere[key].append(answer)

    def take(self, key: str) -> Any | None:
        """An answer kept under a key, which is not given out again; None when there is none."""
        if kept := self._answers.get(key):
            return kept.pop(0)
        if found := self._elsewhere.get(key):
            self.n_kept += 1
            return found.pop(0)
        return None

    def add(self, key: str, answer: Any) -> None:
        """Append an answer. One write call: a killed process leaves a whole line, or a broken last one.

        What cannot be written does not stop the run: its answers are still in memory.
        """
        if not self._is_writable:
            return
        try:
            if self._descriptor is None:
                self._descriptor = _open_to_append(self._file)
            facts = answer.facts if isinstance(answer, CountedReply) else {}
            os.write(self._descriptor, (json.dumps({"key": key, "answer": answer, **facts}) + "\n").encode("ascii"))
            self.n_kept += 1
        except (OSError, TypeError, ValueError) as error:
            self._is_writable = False
            log.warning("%s: answers are no longer kept (%s). The run goes on.", self._file, one_line(error))

    def forget(self) -> None:
        """Delete the files of all ranks; the first rank does."""
        for file in answer_files(self._prefix) if self._rank == 0 else ():
            file.unlink(missing_ok=True)


class KeptAnswers:
    """A model that answers from what is kept, and keeps what it answers; in all else the model itself.

    Args:
        model: the model.
        file: the answers of the run.
        at_once: how many requests to hand over at a time; 0 for all.
        live: takes each answer as it is given; None for no such file.
    """

    def __init__(self, model: LM, file: AnswerFile, at_once: int = 0, live: LiveAnswers | None = None) -> None:
        self._model = model
        self._file = file
        self._at_once = at_once
        self._live = live or LiveAnswers(None, 0)
        self._open: dict[str, Counter[str]] = {}
        model.set_cache_hook(_Hook(self._add_partial))

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            return getattr(self._model, name)
        return lambda requests: self._answered(name, requests)

    def _answered(self, method: str, requests: Sequence[Instance]) -> list[Any]:
        keys = [hash_args(method, request.args) for request in requests]
        self._file.look_up(keys)
        answers = [self._file.take(key) for key in keys]
        rest = [place for place, answer in enumerate(answers) if answer is None]
        if len(rest) < len(requests):
            log.info("%d answers are kept from before, %d are left to generate.", len(keys) - len(rest), len(rest))
            advance(len(requests) - len(rest))
        self._live.begin(requests, keys)
        for key, answer in zip(keys, answers, strict=True):
            if answer is not None:
                self._live.add(key, answer, is_kept=True)
        step = self._at_once or len(rest) or 1
        for start in range(0, len(rest), step):
            places = rest[start : start + step]
            self._open = defaultdict(Counter)
            for place in places:
                self._open[_mark(method, requests[place].args)][keys[place]] += 1
            new = getattr(self._model, method)([requests[place] for place in places])
            for place, answer in zip(places, new, strict=True):
                answers[place] = answer
                if self._open[_mark(method, requests[place].args)][keys[place]] > 0:
                    self._close(method, requests[place].args, keys[place], answer)
        return [tuple(answer) if isinstance(answer, list) else answer for answer in answers]

    def _add_partial(self, method: str, args: Iterable[Any], answer: Any) -> None:
        """Keep an answer that the model reports before the call ends.

        Models report it under the arguments they made of ours, so the prompt alone identifies which request it answers.
        Two requests that differ in their settings only cannot be distinguished: they are kept at the end of the call.
        """
        args = tuple(args)
        open_keys = [key for key, count in self._open.get(_mark(method, args), Counter()).items() if count > 0]
        if len(open_keys) == 1:
            self._close(method, args, open_keys[0], answer)

    def _close(self, method: str, args: Sequence[Any], key: str, answer: Any) -> None:
        self._open[_mark(method, args)][key] -= 1
        self._file.add(key, answer)
        self._live.add(key, answer)


class _Hook(CacheHook):
    """What models call with each answer."""

    def __init__(self, keep: Callable[[str, Iterable[Any], Any], None]) -> None:
        super().__init__(None)
        self._keep = keep

    def add_partial(self, attr: str, req: Iterable[Any], res: Any) -> None:
        super().add_partial(attr, req, res)
        self._keep(attr, req, res)


@contextlib.contextmanager
def answers_kept(at_once: int = 0, live: LiveRun | None = None) -> Iterator[list[AnswerFile]]:
    """While inside, `use_cache` of lm-eval is the prefix of our files and no pickle is read.

    Args:
        at_once: how many requests to hand to the model at a time; 0 for all.
        live: where each answer is shown; None to show none.

    Yields:
        A list that takes the file of this rank once the model is there.
    """
    opened: list[AnswerFile] = []

    def kept(model: LM, cache_db: str) -> KeptAnswers:
        found = _RANK_DB.search(cache_db)
        rank = int(found[1]) if found else 0
        opened.append(AnswerFile(_RANK_DB.sub("", cache_db), rank))
        return KeptAnswers(model, opened[-1], at_once, LiveAnswers(live, rank))

    with replaced(lm_eval.api.model, "CachingLM", kept):
        yield opened


def answer_files(prefix: str, *, of_others: bool = False) -> list[Path]:
    """The files of all ranks of a run; or those of runs of other tasks with the same model and settings."""
    path = Path(prefix)
    wanted = own = re.escape(path.name)
    if of_others:
        wanted = rf"(?!{own}_){re.escape(_SELECTION.sub('', path.name))}-[0-9a-f]{{12}}"
    name = re.compile(rf"{wanted}_rank\d+\.jsonl")
    return sorted(file for file in path.parent.glob("*_rank*.jsonl") if name.fullmatch(file.name))


def check_private(path: Path, kind: int = stat.S_IFREG) -> None:
    """See that a file or a folder (`stat.S_IFDIR`) is the user's own: others may have written anything into it.

    Raises:
        InputError: it belongs to somebody else, others can write to it, or it is of another kind, such as a link.
        OSError: there is none.
    """
    _check(path, path.lstat(), kind)


def _check(path: Path, found: os.stat_result, kind: int) -> None:
    if stat.S_IFMT(found.st_mode) != kind:
        raise InputError(f"{path}: a link or something else is where hueval keeps answers. Move it away")
    if not hasattr(os, "getuid"):  # Windows
        return
    if found.st_uid != os.getuid():
        raise InputError(f"{path}: belongs to another user, so no answers are read from it. Set HUEVAL_CACHE_DIR")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InputError(
            f"{path}: others can write to it, so no answers are read from it. To trust it: chmod go-w {path}"
        )


def _open_to_append(file: Path) -> int:
    """A descriptor to write whole lines to; a line that a killed process left broken is ended first."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | _PLAIN, 0o600)
    if os.fstat(descriptor).st_size:
        os.lseek(descriptor, -1, os.SEEK_END)
        if os.read(descriptor, 1) != b"\n":
            os.write(descriptor, b"\n")
    return descriptor


def _read(file: Path) -> Iterator[tuple[str, Any]]:
    check_private(file)
    with os.fdopen(os.open(file, os.O_RDONLY | _PLAIN), "rb") as lines:
        _check(file, os.fstat(lines.fileno()), stat.S_IFREG)
        for line in lines:
            try:
                row = json.loads(line)
                key, answer = row["key"], row["answer"]
                facts = {name: row[name] for name in FACTS if name in row}
                yield key, CountedReply.of(answer, facts) if facts else answer
            except (ValueError, KeyError, TypeError, RecursionError):  # broken by a kill: asked again
                continue


def _mark(method: str, args: Sequence[Any]) -> str:
    """What a model reports unchanged of a request: of a generation the prompt, of a log-likelihood all."""
    return hash_args(method, args[:1] if method == "generate_until" else args)

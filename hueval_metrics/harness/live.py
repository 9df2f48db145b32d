"""What a model answers, written as it comes, so that `hueval view` shows a run while it goes on.

Beside the results to come there is a file for each process, for the user alone: a line on the tasks, then a line for
each document that is answered. It is removed when the results are there; that of a killed run stays.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import socket
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.config.evaluate_config import EvaluatorConfig
from lm_eval.utils import sanitize_model_name

from hueval_metrics.harness.generation_prompt import opens
from hueval_metrics.one_line import one_line
from hueval_metrics.registry import known_tasks
from hueval_metrics.scoring.lm_eval_results import LmEvalResults, drops_traces

_Document = tuple[str, int]  # task, doc_id

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LiveRun:
    """Where the answers of a run are shown while it goes on.

    Attributes:
        folder: in which lm-eval will write the results.
        run: what names the run, so that another one of the same model writes to another file.
        label: what the model is called.
        templated: whether a chat template is applied.
        dropped: whether lm-eval's model removes reasoning traces itself.
    """

    folder: Path
    run: str
    label: str
    templated: bool
    dropped: bool

    def file(self, rank: int) -> Path:
        """The file of one process; `scoring.inputs.LIVE_NAME` distinguishes it from predictions."""
        return self.folder / f"live_{self.run}_rank{rank}.jsonl"

    def forget(self) -> None:
        """Delete the files of all processes."""
        for file in self.folder.glob(f"live_{self.run}_rank*.jsonl"):
            file.unlink(missing_ok=True)


def live_run(config: EvaluatorConfig, prefix: str | None) -> LiveRun | None:
    """Where the answers of a run are shown; None where it writes no results, or its answers cost nothing.

    Args:
        config: the settings of the call.
        prefix: of the files that keep the answers (`generations.kept_in`); None where nothing keeps them.
    """
    if prefix is None or not config.output_path:
        return None
    label = str(LmEvalResults({"config": {"model": config.model, "model_args": config.model_args}}).model)
    path = Path(config.output_path)
    folder = path.parent if path.suffix == ".json" else path / sanitize_model_name(label)
    run = hashlib.sha256(prefix.encode()).hexdigest()[:12]
    return LiveRun(folder, run, label, bool(config.apply_chat_template), drops_traces(config.model_args))


@dataclass
class _Open:
    """A document, which of its requests are asked, and the answers that are there."""

    doc: Mapping[str, Any]
    wanted: set[int] = field(default_factory=set)
    answers: dict[int, Any] = field(default_factory=dict)


class LiveAnswers:
    """The file of one process.

    What cannot be written does not stop the run.

    Args:
        run: where it lies; None to write nothing.
        rank: the number of this process.
    """

    def __init__(self, run: LiveRun | None, rank: int) -> None:
        self._run = run
        self._rank = rank
        self._descriptor: int | None = None
        self._places: dict[str, list[tuple[_Document, int]]] = defaultdict(list)
        self._open: dict[_Document, _Open] = {}
        self._done: set[_Document] = set()  # a second turn of theirs is not shown

    def begin(self, requests: Sequence[Instance], keys: Sequence[str]) -> None:
        """Write which tasks have how many documents.

        Args:
            requests: what the model is about to be asked.
            keys: by which `add` names each of them.
        """
        if self._run is None:
            return
        prompts: dict[str, list[object]] = defaultdict(list)
        for request, key in zip(requests, keys, strict=True):
            document = str(request.task_name), int(request.doc_id or 0)
            if document in self._done:
                continue
            wanted = self._open.setdefault(document, _Open(request.doc)).wanted
            if request.idx not in wanted:  # a document may be asked several times; its first answer is shown
                wanted.add(request.idx)
                self._places[key].append((document, request.idx))
                prompts[document[0]].append(request.args[0])
        if not prompts:
            return
        totals = Counter(task for task, _ in self._open)
        generates = requests[0].request_type == "generate_until"
        tasks = {
            task: {
                "n": totals[task],
                "opens": opens(prompts[task], self._run.templated, self._run.dropped) if generates else False,
            }
            for task in prompts
        }
        about = {"label": self._run.label, "host": socket.gethostname(), "pid": os.getpid(), "time": time.time()}
        self._write({**about, "tasks": tasks})

    def add(self, key: str, answer: Any, *, is_kept: bool = False) -> None:
        """Write an answer; of a document that takes several, when the last is there.

        Args:
            key: of the request.
            answer: the reply, or a (log-likelihood, greedy).
            is_kept: whether it was generated before this process began.
        """
        if not self._places.get(key):
            return
        document, idx = self._places[key].pop(0)
        found = self._open[document]
        found.answers[idx] = answer
        if len(found.answers) < len(found.wanted):
            return
        task, doc_id = document
        row = {"task": task, "doc_id": doc_id, "time": time.time()} | ({"kept": True} if is_kept else {})
        if task in known_tasks():  # of others nothing is shown but how many there are
            row |= {"doc": found.doc, "resps": [found.answers[idx] for idx in sorted(found.answers)]}
        del self._open[document]
        self._done.add(document)
        self._write(row)

    def _write(self, row: Mapping[str, Any]) -> None:
        """Append a line by one call: a killed process leaves a whole line, or a broken last one."""
        if self._run is None:
            return
        try:
            if self._descriptor is None:
                self._descriptor = _new(self._run.file(self._rank))
            line = (json.dumps(row, default=str) + "\n").encode("ascii")
            if os.write(self._descriptor, line) < len(line):
                raise OSError("the disk is full")
        except (OSError, ValueError) as error:
            log.warning("%s: the run cannot be followed live (%s). It goes on.", self._run.folder, one_line(error))
            self._run = None


def _new(file: Path) -> int:
    """A descriptor of a new file for the user alone; that of a killed run is replaced."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)

"""A folder of runs that grows: finished results, and the answers of runs that go on.

Whatever it holds may be half written, and may vanish: what cannot be read now is read the next time.
"""

from __future__ import annotations

import hashlib
import json
import stat
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.reports import escape
from hueval_metrics.reports.figures.names import task_name
from hueval_metrics.reports.page.build import page, stored_items
from hueval_metrics.runs.items import Item, OnFault
from hueval_metrics.runs.load import load_runs
from hueval_metrics.runs.run import Run
from hueval_metrics.scoring.inputs import LIVE_NAME
from hueval_metrics.view.running import RunningRun

_Stamp = tuple[str, int, int]  # path, size in bytes, time of the last change in ns


class Folder:
    """What `hueval view` shows.

    Args:
        path: the folder, which a run may make later; or a file of results.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamps: list[_Stamp] = []
        self._stored: list[Run] = []
        self._faults: list[str] = []
        self._running: dict[str, RunningRun] = {}

    def refresh(self) -> None:
        """Read what is new: the results if any of their files has changed, of running runs what was added."""
        stamps, live = self._look()
        if stamps != self._stamps:
            self._stamps, self._faults = stamps, []
            try:
                self._stored = load_runs([self._path], self._faults.append)
            except InputError:  # none there yet, or none whole
                self._stored = []
        for run, paths in live.items():
            known = self._running.get(run)
            if known is not None and not (known.is_current and list(known.paths) == paths):
                self._running.pop(run).close()
        for run in self._running.keys() - live.keys():
            self._running.pop(run).close()
        for run, paths in live.items():
            with suppress(OSError):  # it was removed just now
                if run not in self._running:
                    self._running[run] = RunningRun(paths)
                self._running[run].read()

    def progress(self) -> dict[str, Any]:
        """How far the runs are, as the page's bar asks for it."""
        return {
            "results": hashlib.sha256(json.dumps(self._stamps).encode()).hexdigest()[:16],
            "stored": len(self._stored),
            "answers": sum(run.n_done for run in self._running.values()),
            "runs": [_progress(run, time.time()) for run in self._running.values()],
        }

    def page(self, language: str) -> Iterator[str]:
        """The page of all runs, in pieces, with the progress."""
        answered = [run for run in self._running.values() if any(task.items for task in run.tasks.values())]
        taken = Counter(run.label for run in self._stored)
        running: dict[Path, RunningRun] = {}
        runs = list(self._stored)
        for run in answered:
            label = f"{run.label} (live)"
            taken[label] += 1
            label += f" {taken[label]}" * (taken[label] > 1)
            runs.append(run.run(label))
            running[run.paths[0]] = run

        def items(run: Run, on_fault: OnFault) -> Iterator[Item]:
            return running[run.path].items() if run.path in running else stored_items(run, on_fault)

        return page(runs, language=language, faults=self._faults, items=items, progress=self.progress())

    def _look(self) -> tuple[list[_Stamp], dict[str, list[Path]]]:
        """The stamps of all files but those of running runs, which are listed by run."""
        stamps: list[_Stamp] = []
        live: dict[str, list[Path]] = defaultdict(list)
        for file in sorted([self._path] if self._path.is_file() else self._path.rglob("*.json*")):
            try:
                state = file.stat()
            except OSError:
                continue
            if not stat.S_ISREG(state.st_mode):
                continue
            if LIVE_NAME.fullmatch(file.name):
                live[str(file).rpartition("_rank")[0]].append(file)
            else:
                stamps.append((str(file), state.st_size, state.st_mtime_ns))
        return stamps, live


def _progress(run: RunningRun, now: float) -> dict[str, Any]:
    """How far a run is; times in seconds, None where they are unknown."""
    n_new = run.n_done - run.n_kept
    took = run.latest - run.started
    left = run.n_total - run.n_done
    speed = n_new / took if n_new and took > 0 else None  # answers a second
    state = "stopped" if not run.is_alive else "running" if left else "scoring"
    return {
        "model": escape.plain(run.label),
        "state": state,
        "done": run.n_done,
        "total": run.n_total,
        "elapsed": round((run.latest if state == "stopped" else now) - run.started),
        "idle": round(now - (run.latest or run.started)),
        "per_minute": None if speed is None else round(60 * speed, 1),
        "left": round(left / speed) if speed and state == "running" else None,
        "tasks": [
            {"task": escape.plain(task_name(task.name)), "done": len(task.done), "total": task.total}
            for task in run.tasks.values()
        ],
    }

"""Mutants: mistakes of one line for which a user would pay, each with a test that must fail on it (`mutants.yaml`).

`python -m tests.mutants [NAME…|ROOM…]` makes each in a copy of the checkout and runs its test there, in a process of
its own, forked from one that has imported no code of ours. The exit status is 1 if one survived or is broken.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("hueval_metrics", "hueval_site", "hf_datasets", "lm_eval_tasks", "tests")
BOARD = "leaderboard"  # the folder of `hueval_site`
# Imported once for all tests, as that takes longer than most of them.
LIBRARIES = "aiohttp.web django.test huggingface_hub hypothesis lm_eval.api.filter lm_eval.api.model pandas scipy.stats"
LIMIT_S = 600  # of a run of tests; most take seconds
LATER_S = 10  # between the times of a file and its mutant, or bytecode of the one would be used for the other
PASSED, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED  # with any other no test has judged


@dataclass(frozen=True)
class Mutant:
    """A mistake."""

    room: str  # of the code, such as `readers`
    name: str  # unique over all rooms
    file: str  # from the root of the checkout
    old: str  # a text that is once in the file, within a line
    new: str  # what the mistake has in its place
    test: str  # what must fail, as pytest names it: a file, a function or one of its cases


def mutants(chosen: Sequence[str] = ()) -> list[Mutant]:
    """The mutants whose names or rooms are chosen; all by default."""
    rooms = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    found = [Mutant(room, name, **fields) for room, some in rooms.items() for name, fields in some.items()]
    if unknown := set(chosen) - {word for one in found for word in (one.room, one.name)}:
        raise SystemExit(f"no such mutant or room: {', '.join(sorted(unknown))}. Rooms: {', '.join(rooms)}")
    return [one for one in found if not chosen or {one.room, one.name} & set(chosen)]


def copy_checkout(copy: Path) -> None:
    """Copy the files that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in (name for name in listed.split("\0") if name and (ROOT / name).is_file()):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)


def outcomes(copy: Path, *arguments: str) -> tuple[int | str, Mapping[str, str]]:
    """Run tests on the code of the copy: pytest's exit status, or why there is none; id of a test → its outcome."""
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    process = fork.Process(target=_run, args=(copy, arguments, sender))
    process.start()
    sender.close()
    found: tuple[int | str, Mapping[str, str]] = f"the process died, or took more than {LIMIT_S} s", {}
    with suppress(EOFError):
        found = receiver.recv() if receiver.poll(LIMIT_S) else found
    process.kill()
    process.join()
    return found


def _run(copy: Path, arguments: Sequence[str], sender: Any) -> None:
    os.chdir(copy)
    sys.path[:1] = folders = [str(copy), str(copy / BOARD)]  # before an editable installation
    os.environ["PYTHONPATH"] = os.pathsep.join(folders)  # also in programs of tests
    for name in [name for name in sys.modules if name.partition(".")[0] in (*PACKAGES, BOARD)]:
        del sys.modules[name]
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    noted: dict[str, str] = {}

    class Noting:
        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.when == "call" or report.outcome != "passed":
                noted[report.nodeid] = report.outcome

    status: int | str = int(pytest.main(["-q", "-p", "no:cacheprovider", *arguments], plugins=[Noting()]))
    paths = [Path(sys.modules[name].__path__[0]) for name in PACKAGES if name in sys.modules]
    is_copy = {path.parent for path in paths} - {copy / BOARD} == {copy}
    sender.send((status if is_copy else f"imported from {paths}", noted))


def passing(copy: Path, tests: Sequence[str]) -> set[str]:
    """The tests that pass without a mutant, in one process; what is skipped or not there kills nothing."""
    status, found = outcomes(copy, *tests)
    if len(tests) > 1 and status not in (PASSED, FAILED):  # an id that is not there stops all
        return {test for test in tests if passing(copy, [test])}
    own = {test: {outcome for id_, outcome in found.items() if id_.startswith(test)} for test in tests}
    return {test for test, results in own.items() if results == {"passed"}}


@contextmanager
def mutated(path: Path, mutant: Mutant) -> Iterator[None]:
    """Inside, the file has the mistake."""
    text, changed = path.read_text(encoding="utf-8"), path.stat().st_mtime
    for content, at in ((text.replace(mutant.old, mutant.new), changed + LATER_S), (text, changed)):
        path.write_text(content, encoding="utf-8")
        os.utime(path, (at, at))
        if at != changed:
            yield


def judged(copy: Path, mutant: Mutant, sound: set[str]) -> str:
    """What becomes of a mutant: killed by a test, SURVIVED, or broken with the reason."""
    path = copy / mutant.file
    if not path.is_file() or path.read_text(encoding="utf-8").count(mutant.old) != 1:
        return "broken: `old` is not exactly once in the file"
    if mutant.test not in sound:
        return "broken: its test does not pass without the mutant"
    with mutated(path, mutant):
        status, found = outcomes(copy, "-x", mutant.test)
    if failed := [id_ for id_, outcome in found.items() if outcome == "failed" and status == FAILED]:
        return f"killed by {failed[0]}"
    return "SURVIVED" if status == PASSED else f"broken: pytest's status is {status}"


def main(chosen: Sequence[str]) -> int:
    """Judge the chosen mutants, a line each, and count them."""
    some, started, killed = mutants(chosen), time.monotonic(), 0
    for name in LIBRARIES.split():
        __import__(name)
    with tempfile.TemporaryDirectory(prefix="hueval-mutants-") as folder:
        copy = Path(folder).resolve()
        copy_checkout(copy)
        sound = passing(copy, list(dict.fromkeys(one.test for one in some)))
        sys.dont_write_bytecode = True
        for one in some:
            print(f"{one.room} {one.name}: {(line := judged(copy, one, sound))}", flush=True)
            killed += line.startswith("killed")
    print(f"{killed} of {len(some)} killed in {time.monotonic() - started:.0f} s")
    return int(killed < len(some))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

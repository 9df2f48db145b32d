"""Pack the predictions of runs on the test rows into a submission: a JSON file for each corpus, and a zip of them.

The paper asks for JSON in the format of the corpora (§3.1) and names neither files nor archives: the file names are
ours, `HuCOLA.json` and so on.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.runs.items import items_of
from hueval_metrics.runs.run import Run
from hueval_metrics.signals import signals_held
from hueval_metrics.text.files import whole_file
from lm_eval_tasks.hulu.baselines import COMMONEST
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.family import FAMILY
from lm_eval_tasks.hulu.submission.check import WORDING, check, row_ids
from lm_eval_tasks.hulu.submission.read import Document

ARCHIVE = "submission.zip"
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # that a zip can hold: the same labels make the same bytes on any day


@dataclass(frozen=True)
class Packed:
    """The labels of one corpus.

    Attributes:
        corpus: a key of `corpora.CORPORA`.
        task, model: what they are from.
        labels: id → label, in the order of the test file.
        filled: how many of them stand for a reply that names no label.
    """

    corpus: str
    task: str
    model: str
    labels: Mapping[str, str]
    filled: int

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{CORPORA[self.corpus].title}.json"

    def content(self) -> bytes:
        """The file's bytes."""
        rows = (json.dumps({"id": one, "label": label}) for one, label in self.labels.items())
        return ("[\n" + ",\n".join(rows) + "\n]\n").encode()


def pack(
    runs: Sequence[Run], tasks: Sequence[str] = (), *, fills: bool = False, data_dir: str | None = None
) -> list[Packed]:
    """The labels of every corpus that runs have predictions of, checked against the test file.

    Args:
        runs: what `runs.load.load_runs` found.
        tasks: names, groups or patterns of the tasks to take; none for all.
        fills: whether a reply that names no label gets train's commonest one.
        data_dir: the folder with the data, see `hf_datasets.locate`.

    Raises:
        InputError: a run is on the validation rows, two have the same corpus, rows are missing, or replies name no
            label and are not to be filled.
        DataError: the test rows cannot be found.
    """
    sources = _sources(runs, tasks)
    found = {corpus: _labels(run, task) for corpus, (run, task) in sources.items()}
    unread = {corpus: sum(label is None for label in labels.values()) for corpus, labels in found.items()}
    if any(unread.values()) and not fills:
        named = ", ".join(
            f"{CORPORA[corpus].title} {count:,} of {len(found[corpus]):,}" for corpus, count in unread.items() if count
        )
        raise InputError(
            f"replies that name no label: {named}. A submission has a label for every row: --fill majority puts the "
            "commonest one of train there"
        )
    packed = []
    for corpus, (run, task) in sources.items():
        labels = {one: COMMONEST[corpus] if label is None else label for one, label in found[corpus].items()}
        order = {one: place for place, one in enumerate(row_ids(corpus, "test", data_dir))}
        in_order = dict(sorted(labels.items(), key=lambda pair: order.get(pair[0], len(order))))
        made = Packed(corpus, task, one_line(run.label), in_order, unread[corpus])
        if faults := check(Document(made.name, corpus, made.content()), data_dir=data_dir).faults:
            first = WORDING.printed(faults[0])
            raise InputError(
                f"{task} of {made.model}: {first} (fault 1 of {len(faults):,}). Was it run with --limit, on the sample "
                "or on other data?"
            )
        packed.append(made)
    return packed


def write(packed: Sequence[Packed], folder: Path) -> list[Path]:
    """Write a JSON file for each corpus, and all of them as `submission.zip`: all or nothing, the same bytes each time.

    Returns:
        The files, the archive last.

    Raises:
        InputError: the folder cannot be written, or has the file of a corpus that is not among these.
    """
    contents = {one.name: one.content() for one in packed}
    for corpus in CORPORA.values():
        stale = folder / f"{corpus.title}.json"
        if stale.name not in contents and stale.exists():
            raise InputError(
                f"{stale}: is of an earlier package, and this one has no {corpus.title}. Delete it, or choose another "
                "folder with --output"
            )
    contents[ARCHIVE] = _zipped(contents)
    with signals_held(), ExitStack() as files:
        for name, content in contents.items():
            files.enter_context(whole_file(folder / name))(content)
    return [folder / name for name in contents]


def _sources(runs: Sequence[Run], tasks: Sequence[str]) -> dict[str, tuple[Run, str]]:
    """Corpus → the run and the task that have its predictions, in the order of `corpora.CORPORA`."""
    found: dict[str, list[tuple[Run, str]]] = {}
    ours = [name for name in FAMILY.tasks if name.partition("_")[2] in CORPORA]
    for pattern in tasks:
        if not any(_fits(name, pattern) for name in ours):
            raise InputError(f'--tasks: no task is called "{one_line(pattern, 40)}". Some are: {", ".join(ours[:3])}')
    for run in runs:
        for task in ours:
            if task in run.tasks and (not tasks or any(_fits(task, pattern) for pattern in tasks)):
                found.setdefault(task.partition("_")[2], []).append((run, task))
    if not found:
        raise InputError(f"{', '.join(str(run.path) for run in runs)}: no results of {', '.join(tasks or ours[:6])}")
    for corpus, some in found.items():
        if len(some) > 1:
            named = " and in ".join(f"{task} of {one_line(run.label)} ({run.path})" for run, task in some[:2])
            fix = "one of them by --tasks" if len({task for _, task in some}) > 1 else "the results file of one of them"
            raise InputError(f"{CORPORA[corpus].title} is in {named}, and a submission has it once. Name {fix}")
    return {corpus: found[corpus][0] for corpus in CORPORA if corpus in found}


def _fits(task: str, pattern: str) -> bool:
    """Whether a task is named by its name, by its group, or by a pattern."""
    return fnmatchcase(task, pattern) or task.startswith(f"{pattern}_")


def _labels(run: Run, task: str) -> dict[str, str | None]:
    """Id → the label that a run predicts for it; None where its reply names none."""
    source = run.tasks[task].source
    found: dict[str, str | None] = {}
    for item in items_of(run, task):
        key = item.key or (None,)
        if key[1:] != ("test",):
            raise InputError(
                f"{source}: {task} was run on the {key[-1] or 'unnamed'} rows, and the site takes those of test: "
                """hueval run --metadata '{"split": "test"}'"""
            )
        found[str(key[0])] = item.answer
    return found


def _zipped(contents: Mapping[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:  # not compressed: other versions of zlib write other bytes
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16  # as on Unix, on any system
            archive.writestr(entry, content)
    return whole.getvalue()

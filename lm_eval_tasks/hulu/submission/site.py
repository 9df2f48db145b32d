"""HuLU's files as the leaderboard takes them.

That is the array of ids and labels that the paper's site asks for (§3.1), or our predictions.jsonl. In the latter a
prediction is a label, or the reply to a generating form of the task. Which of both a file has is decided by the tasks
that its rows name, else by whether most of its predictions are labels; thus a misspelt label among labels is a fault,
and not a reply that names none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.loader import documents
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.score import TaskScore
from hueval_metrics.submission import predictions
from hueval_metrics.submission.formats import Checked, Target
from hueval_metrics.submission.predictions import Replies, read_replies
from hueval_metrics.submission.wording import Faults, Found
from hueval_metrics.text.files import open_file, read_bytes
from hueval_metrics.words.texts import Texts
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.submission.check import WORDING, check, label_fault, row_ids
from lm_eval_tasks.hulu.submission.read import Document, corpus_of
from lm_eval_tasks.hulu.submission.score import score_labels

MAX_BYTES = 2**22  # of an array; the largest test file with all its texts has a fifth of it
_HEAD = 2**16  # bytes, in which the first row of predictions shows that it is one


class Labels:
    """`[{"id": "…", "label": "…"}, …]`, or `{"qid": "…", "prediction": "…"}` a line."""

    @property
    def help(self) -> Texts:
        """See `SubmissionFormat.help`."""
        return WORDING.phrase("help", generating="hulugen_*")

    def task_of(self, name: str) -> str | None:
        """The task of the corpus in the name of a file, such as `HuCOLA.json`."""
        corpus = corpus_of(PurePosixPath(name).stem)
        return predictions.FORMAT.task_of(name) if corpus is None else f"hulu_{corpus}"

    def example(self, target: Target) -> str:
        """The labels of the first two rows, all the first of the corpus."""
        corpus = _corpus(target)
        label = CORPORA[corpus].labels[0]
        rows = row_ids(corpus, *_where(target))[:2]
        return "[\n" + "".join(f'  {{"id": "{row}", "label": "{label}"}},\n' for row in rows) + "  …\n]"

    def check(self, path: Path, target: Target) -> Checked:
        """See `SubmissionFormat.check`."""
        checked, _ = _read(path, target)
        return checked

    def score(self, path: Path, target: Target, plan: JudgePlan) -> TaskScore:
        """See `SubmissionFormat.score`. Labels score as `hulu_*`, replies as `hulugen_*`."""
        checked, has_labels = _read(path, target)
        for fault in checked.faults:
            raise InputError(f"{fault.text['en']} ({checked.n_faults:,} faults)")
        docs, provenance = documents(target.task, **target.settings)
        if docs[0]["label"] is None:
            raise InputError(f"{target.data_dir}: has no labels of {target.task}")
        if not has_labels:
            return predictions.FORMAT.score(path, _generating(target), plan)
        return score_labels(_corpus(target), checked.answers, docs, provenance["signature"], path, keep=_drop)


def _read(path: Path, target: Target) -> tuple[Checked, bool]:
    """A file, and whether it has labels, not replies."""
    if _has_predictions(path):
        return _predictions(path, target)
    faults = Faults(WORDING)
    try:
        content = read_bytes(path, MAX_BYTES)
    except OSError:  # of a stored file only this: it is too large
        faults.add("too_large", most=MAX_BYTES // 2**20, form=WORDING.phrase("form"))
        return Checked({}, faults.kept, faults.n), True
    found = check(Document(path.name, None, content), _corpus(target), *_where(target))
    for fault in sorted(found.faults, key=lambda fault: fault.row or 0):
        faults.add_fault(WORDING.fault(fault), is_last=fault.code in ("id_missing", "ids_missing"))
    return Checked(found.labels, faults.kept, faults.n), True


def _has_predictions(path: Path) -> bool:
    with open_file(path) as file:
        head = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    first_row = head.partition(b"\n")[0]
    return head.startswith(b"{") and (b'"prediction"' in first_row or b'"qid"' in first_row)


def _predictions(path: Path, target: Target) -> tuple[Checked, bool]:
    found = read_replies(path, _generating(target), tasks=[target.task])
    corpus, n = _corpus(target), len(found.answers)
    n_labels = sum(reply in CORPORA[corpus].labels for reply in found.answers.values())
    has_labels = found.tasks == {target.task} if len(found.tasks) == 1 else 2 * n_labels > n
    if has_labels:
        for fault in _no_labels(found, corpus):
            found.faults.add_fault(WORDING.fault(fault))
    return Checked(found.answers, found.faults.kept, found.faults.n), has_labels


def _no_labels(found: Replies, corpus: str) -> Sequence[Found]:
    """The faults of predictions that are no labels, among others that are."""
    faults = []
    for item, reply in found.answers.items():
        if reply not in CORPORA[corpus].labels:
            row = found.rows[item]
            faults.append(label_fault(row, WORDING.phrase("place", row=row, id=item), reply, corpus))
    return [fault for fault in faults if fault is not None]


def _corpus(target: Target) -> str:
    return target.task.removeprefix("hulu_")


def _generating(target: Target) -> Target:
    """The same rows for the form of the task that generates."""
    return replace(target, task=f"hulugen_{_corpus(target)}")


def _where(target: Target) -> tuple[str, str | None]:
    """Split and folder of the data."""
    return str(target.variants["split"]), target.settings.get("data_dir")


def _drop(item: Mapping[str, Any]) -> None:
    """What becomes of the row of an item, which holds its label."""


FORMAT = Labels()

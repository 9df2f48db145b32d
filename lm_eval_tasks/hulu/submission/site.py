"""HuLU's files as the leaderboard takes them: the array of ids and labels that the paper's site asks for (§3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from hueval_metrics.records import InputError
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.score import TaskScore
from hueval_metrics.submission.formats import Checked, Fault, Target
from hueval_metrics.text.files import read_bytes
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.submission.check import check, row_ids
from lm_eval_tasks.hulu.submission.read import Document, corpus_of
from lm_eval_tasks.hulu.submission.score import score_files


class Labels:
    """`[{"id": "…", "label": "…"}, …]`, as the downloads have it."""

    help: Mapping[str, str] = {
        "en": 'A JSON array of {"id": "…", "label": "…"}, one for each test row, in the order of the test file.',
        "hu": 'JSON tömb {"id": "…", "label": "…"} elemekből, a teszthalmaz minden sorához egy, annak sorrendjében.',
    }

    def task_of(self, name: str) -> str | None:
        """The task of a corpus that the name of a file tells, such as `HuCOLA.json`."""
        corpus = corpus_of(PurePosixPath(name).stem)
        return None if corpus is None else f"hulu_{corpus}"

    def example(self, target: Target) -> str:
        """The labels of the first two rows, all the first of the corpus."""
        corpus = target.task.removeprefix("hulu_")
        label = CORPORA[corpus].labels[0]
        rows = row_ids(corpus, str(target.variants["split"]), str(target.data_dir))[:2]
        return "[\n" + "".join(f'  {{"id": "{row}", "label": "{label}"}},\n' for row in rows) + "  …\n]"

    def check(self, path: Path, target: Target) -> Checked:
        """See `SubmissionFormat.check`."""
        document = Document(path.name, None, read_bytes(path))
        corpus = target.task.removeprefix("hulu_")
        found = check(document, corpus, str(target.variants["split"]), str(target.data_dir))
        faults = [Fault({"en": one.kind, "hu": one.kind}, {"en": one.text, "hu": one.text}) for one in found.faults]
        return Checked(found.labels, faults)

    def score(self, path: Path, target: Target, plan: JudgePlan) -> TaskScore:
        """See `SubmissionFormat.score`."""
        corpus = target.task.removeprefix("hulu_")
        scores, hidden = score_files([path], "", corpus, str(target.variants["split"]), str(target.data_dir))
        if hidden:
            raise InputError(f"{target.data_dir}: has no labels of {target.task}")
        return scores[0]


FORMAT = Labels()

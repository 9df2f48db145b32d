"""Score the labels of a file by the tasks' own metrics, where the right ones are available."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hueval_metrics.errors import InputError
from hueval_metrics.loader import documents
from hueval_metrics.records import Choices, Signature
from hueval_metrics.registry import task_spec
from hueval_metrics.scoring.inputs import Prediction, Predictions
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.score import Item, TaskScore, score_task
from hueval_metrics.scoring.survey import Document, TaskInput
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.hooks import LABELS_ALONE
from lm_eval_tasks.hulu.submission.check import check_file


def score_files(
    paths: Sequence[Path], model: str, corpus: str | None = None, split: str = "test", data_dir: str | None = None
) -> tuple[list[TaskScore], list[str]]:
    """Score all files whose right labels are available.

    Args:
        paths: JSON files, or zip archives of some.
        model: what the model is called.
        corpus, split, data_dir: as for `check.check`.

    Returns:
        The scores, and the titles of the corpora whose labels are hidden.

    Raises:
        InputError: a file has faults, a corpus is there twice, or the labels of all are hidden.
        DataError: the rows of a corpus cannot be found.
    """
    scores, hidden = {}, []
    for path in paths:
        for found in check_file(path, corpus, split, data_dir):
            if found.faults:
                more = "" if split == "test" else f" --split {split}"
                raise InputError(
                    f"{next(found.lines())} (fault 1 of {len(found.faults):,}; `hueval hulu check{more}` names all)"
                )
            if found.corpus in scores:
                raise InputError(f"{found.document.name}: is of {found.title}, as is another file. Name one of them")
            docs, provenance = documents(f"hulu_{found.corpus}", split=split, data_dir=data_dir)
            if docs[0]["label"] is None:
                hidden.append(found.title)
                continue
            items: list[Item] = []
            score = score_labels(
                found.corpus, found.labels, docs, provenance["signature"], path, model, keep=items.append
            )
            scores[found.corpus] = replace(score, items=items)
    if not scores:
        raise InputError(
            f"the labels of {', '.join(hidden)} are hidden in {split}: only the site scores them. Score predictions of "
            "the validation rows with --split validation"
        )
    return list(scores.values()), hidden


def score_labels(
    corpus: str,
    labels: Mapping[str, str],
    docs: Sequence[Document],
    signature: str,
    path: Path,
    model: str | None = None,
    *,
    keep: Callable[[Item], None],
) -> TaskScore:
    """Score a label for every document of a corpus.

    They count as the likeliest choices of `hulu_*`, where fine-tuned models are, too. The prompt is unknown, and
    metrics of likelihoods are null.

    Args:
        corpus: a key of `corpora.CORPORA`.
        labels: id → label, of every document.
        docs, signature: of `loader.documents`.
        path: where the labels were read, for messages.
        model: what the model is called.
        keep: takes the row of each item.
    """
    spec = task_spec(f"hulu_{corpus}")
    rows = []
    for doc in docs:
        chosen = [label == labels[doc["qid"]] for label in CORPORA[corpus].labels]
        choices = Choices(tuple(is_chosen - 1.0 for is_chosen in chosen), tuple(chosen))
        shown = {name: value for name, value in doc.items() if name != "prompt"} | {LABELS_ALONE: True}
        rows.append(Prediction(spec, "", path, key=spec.key_of(doc), doc=shown, choices=choices))
    of_data = Signature.parse(signature)
    given = TaskInput(
        spec,
        Predictions(held=rows),
        total=len(rows),
        signature=str(Signature({**of_data.parts, "prompt": "?"}).with_settings({"gen": "labels"})),
        model=model,
    )
    return score_task(given, JudgePlan(), keep)

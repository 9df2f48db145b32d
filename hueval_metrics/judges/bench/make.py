"""Draw answers of several models' scored runs into a frozen set (`frozen`)."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.judge.rubric import load_rubric, rubric_id
from hueval_metrics.judges.bench.card import card
from hueval_metrics.judges.bench.frozen import FORMAT, MANIFEST, Answer, FrozenSet, Manifest, SetModel
from hueval_metrics.judges.people.agreement import weights_of
from hueval_metrics.judges.people.judged import JudgedItem, judged_items
from hueval_metrics.judges.people.sample import draw, stratum_of
from hueval_metrics.loader import documents
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Signature
from hueval_metrics.registry import TaskSpec, task_spec
from hueval_metrics.runs.items import Item, items_of, samples_beside
from hueval_metrics.runs.load import load_runs
from hueval_metrics.runs.run import Run, item_id
from hueval_metrics.scoring.survey import survey
from hueval_metrics.scoring.write import json_line
from hueval_metrics.signals import signals_held
from hueval_metrics.text.checksum import checksum
from hueval_metrics.text.files import check_outside, write_whole
from hueval_metrics.version import __version__

_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,79}")
Documents = Mapping[str, Mapping[str, Any]]


def make_set(
    runs: Sequence[Path],
    output: Path,
    n: int,
    seed: int,
    licences: Mapping[str, str],
    settings: Mapping[str, Any],
    *,
    may_be_unknown: bool = False,
) -> FrozenSet:
    """Draw answers with verdicts, as many of each model, and write the frozen set.

    Args:
        runs: scored runs, one of each model: results files or folders.
        output: the folder to write, which must not exist or be empty.
        n: number of answers of all models together; all are taken where a model has fewer than its part.
        seed: of the draw. The set depends on it and on the runs alone.
        licences: label of a model → SPDX identifier of its answers' licence.
        settings: `data_dir` and variants, for runs that do not carry their documents (`loader.documents`).
        may_be_unknown: whether a model without a licence is taken; the card then says that it is not known.

    Returns:
        The set as it was written.

    Raises:
        InputError: a model's licence is not given, there are no verdicts, the documents are not those of the run, or
            the folder cannot be written.
        DataError: documents are needed and cannot be found.
    """
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise InputError(f"--output {output}: is there already. Name a new folder, as a set is never changed")
    found = sorted(load_runs(runs), key=lambda run: run.label)
    check_outside(output, {result.source.parent: None for run in found for result in run.tasks.values()})
    _check_licences([run.label for run in found], licences, may_be_unknown)
    if n < len(found):
        raise InputError(
            f"--n {n}: fewer than one answer of each of {len(found)} models. Give more; 300 is the default"
        )
    answers: list[Answer] = []
    models: dict[str, SetModel] = {}
    population: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for place, run in enumerate(found):
        part = n * (place + 1) // len(found) - n * place // len(found)
        sample = draw(judged_items([run], left_out), part, seed)
        if not sample.items:
            raise InputError(
                f"{run.path}: no verdicts of {one_line(run.label, 60)} to draw from. Judge it first: hueval score RUN"
            )
        for stratum, size in sample.population.items():
            population[stratum.task] += size
        items = list(sample.items.values())
        weights = weights_of([stratum_of(item) for item in items], sample.population)
        answers += _answers(run, items, weights.tolist(), licences.get(run.label), settings)
        signatures = {task: run.result(task).signature for task in sorted({item.task for item in items})}
        folder = folder_name(run.label, [model.folder for model in models.values()])
        models[run.label] = SetModel(folder=folder, licence=licences.get(run.label), signatures=signatures)
    answers.sort(key=lambda answer: (answer.task, answer.id))  # by hash: in no order that would show a rater the model
    return _write(output, answers, models, seed, dict(sorted(population.items())), dict(sorted(left_out.items())))


def _check_licences(labels: Sequence[str], licences: Mapping[str, str], may_be_unknown: bool) -> None:
    known = ", ".join(one_line(label, 60) for label in labels)
    for model, licence in licences.items():
        if model not in labels:
            raise InputError(f"--licence {one_line(model, 60)}: no run is of this model. One of: {known}")
        if not _SPDX.fullmatch(licence):
            raise InputError(
                f"--licence {one_line(model, 60)}={one_line(licence, 40)}: no SPDX identifier, such as Apache-2.0 or "
                "LicenseRef-Gemma"
            )
    lacking = [label for label in labels if label not in licences]
    if lacking and not may_be_unknown:
        name = one_line(lacking[0], 60)
        raise InputError(
            f'the licence of the answers of {name} is not given. Add --licence "{name}=SPDX-ID", or --licence-unknown, '
            "which the card then says"
        )


def folder_name(label: str, taken: Sequence[str]) -> str:
    """A folder's name for a label, unlike those that are taken, whatever the case."""
    name = re.sub(r"[^A-Za-z0-9.+_-]+", "--", label).strip("-.")[:80] or "unnamed"
    lower = {one.casefold() for one in taken}
    numbered = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(one for one in numbered if one.casefold() not in lower)


def _answers(
    run: Run,
    items: Sequence[JudgedItem],
    weights: Sequence[float],
    licence: str | None,
    settings: Mapping[str, Any],
) -> list[Answer]:
    by_task: defaultdict[str, dict[str, tuple[JudgedItem, float]]] = defaultdict(dict)
    for item, weight in zip(items, weights, strict=True):
        by_task[item.task][item.qid] = (item, weight)
    answers = []
    for task, wanted in by_task.items():
        spec, docs = task_spec(task), _documents(run, task, settings)
        for scored in items_of(run, task):
            drawn = wanted.pop(item_id(scored.key), None) if scored.key is not None else None
            if drawn is not None:
                answers.append(_answer(run, spec, scored, *drawn, licence, docs))
    return answers


def _answer(
    run: Run, spec: TaskSpec, scored: Item, item: JudgedItem, weight: float, licence: str | None, docs: Documents
) -> Answer:
    doc = docs.get(item.qid)
    if doc is None or (spec.prompt(doc), spec.target(doc)) != (scored.prompt, scored.reference):
        problem = "is not in the data" if doc is None else "has another prompt or reference there"
        raise InputError(
            f"{run.path}: the document of {spec.name} {one_line(item.qid, 40)} {problem}. Name the data and the "
            "settings of the run: --data-dir DIR, --metadata JSON"
        )
    earlier = scored.row.get("earlier_verdicts")
    return Answer(
        item.task,
        run.label,
        licence,
        item.dimension,
        stratum_of(item).band,
        weight,
        scored.prompt or "",
        scored.reference or "",
        item.response,
        scored.prediction or "",
        scored.truncated,
        doc,
        scored.row["verdict"],
        tuple(one for one in earlier if isinstance(one, dict)) if isinstance(earlier, list) else (),
    )


def _documents(run: Run, task: str, settings: Mapping[str, Any]) -> Documents:
    """The documents of a run: out of its samples, where they have them, else out of the data."""
    spec, result = task_spec(task), run.result(task)
    beside = sorted(result.source.parent.glob(f"samples_{task}_*.jsonl"))[-1:]  # of what was scored again, the newest
    if samples := samples_beside(result.source, task) or next(iter(beside), None):
        rows = (doc for given in survey([samples], task, settings) for _, doc in given.rows())
        return {item_id(spec.key_of(doc)): doc for doc in rows}
    language = Signature.parse(result.signature).parts.get("q")
    variants = {"question_lang": language} if language and "question_lang" in spec.family.variants else {}
    return {item_id(spec.key_of(doc)): doc for doc in documents(task, **(variants | dict(settings)))[0]}


def _write(
    output: Path,
    answers: Sequence[Answer],
    models: Mapping[str, SetModel],
    seed: int,
    population: Mapping[str, int],
    left_out: Mapping[str, int],
) -> FrozenSet:
    tasks = sorted({answer.task for answer in answers})
    contents = {
        f"data/{task}.jsonl": b"".join(json_line(answer.to_row()) for answer in answers if answer.task == task)
        for task in tasks
    }
    data: dict[str, Any] = {
        "format": FORMAT,
        "hueval": __version__,
        "seed": seed,
        "models": {label: model.model_dump() for label, model in models.items()},
        "rubrics": {task: rubric_id(load_rubric(str(task_spec(task).rubric))) for task in tasks},
        "population": population,
        "left_out": left_out,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
    }
    data["sha256"] = checksum(data)
    frozen = FrozenSet(output, Manifest.model_validate(data), list(answers))
    readme = card(frozen).encode()
    with signals_held():
        for name, content in contents.items():
            write_whole(output / name, content)
        write_whole(output / "README.md", readme)
        write_whole(
            output / MANIFEST, (json.dumps(data, indent=1) + "\n").encode()
        )  # last: without it the folder is no set
    return frozen

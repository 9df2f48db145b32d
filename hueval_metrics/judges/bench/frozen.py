"""A frozen set of answers: the folder that `hueval judge-bench make` writes, as a data set repository for the Hub.

`data/TASK.jsonl` has a row for each answer: columns for people, and one column `record`, a JSON text with the whole
document, the answer and the verdicts on it, from which everything is read back exactly. `set.json` has the models,
their licences, how the answers were drawn, and the hashes of the files.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hueval_metrics.errors import InputError
from hueval_metrics.judge.rubric import load_rubric
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Verdict
from hueval_metrics.registry import declared, task_spec
from hueval_metrics.runs.run import item_id
from hueval_metrics.scoring.lines import read_lines
from hueval_metrics.scoring.write import json_line
from hueval_metrics.text.checksum import checksum
from hueval_metrics.text.files import read_bytes, read_own_json
from hueval_metrics.text.foreign import parse_json

FORMAT = "hueval-frozen-answers/1"
MANIFEST = "set.json"
FolderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_+][A-Za-z0-9.+_-]*$", max_length=120)]
MAX_JUDGES = 100  # each gets a folder with a run of every model
_Model = TypeVar("_Model", bound=BaseModel)
_AGAIN = "Take the set as `hueval judge-bench make` wrote it"


def answer_id(task: str, model: str, qid: str, response: str) -> str:
    """What names an answer: 16 hexadecimal digits over the task, the model, the item and the response."""
    text = json.dumps([task, model, qid, response])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_set(folder: Path) -> FrozenSet:
    """A frozen set, with every hash checked.

    Raises:
        InputError: the folder holds no frozen set, a file of it is missing or was changed, or one of its tasks or
            rubrics is not known here.
    """
    file = folder / MANIFEST
    data = read_own_json(file, "Name a folder of judge-bench make", _AGAIN)
    manifest = checked(file, data, Manifest, _AGAIN)
    if manifest.format != FORMAT:
        raise InputError(f"{file}: the format {one_line(manifest.format, 40)} is not {FORMAT}. Update hueval")
    if manifest.sha256 != checksum(data):
        raise InputError(f"{file}: changed since it was written (its sha256 is another). {_AGAIN}")
    if len({model.folder.casefold() for model in manifest.models.values()}) < len(manifest.models):
        raise InputError(f"{file}: two models have the same folder, whatever the case. {_AGAIN}")
    answers = []
    for name, digest in manifest.files.items():
        path = folder / name
        try:
            content = read_bytes(path)
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror}). {_AGAIN}") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise InputError(f"{path}: changed since it was written (its sha256 is another). {_AGAIN}")
        for line in read_lines(path):
            where = f"{path} line {line.number}"
            try:
                answers.append(Answer.from_row(line.row))
            except (KeyError, TypeError, ValueError):
                raise InputError(f"{where}: not an answer of a frozen set. {_AGAIN}") from None
            _check(answers[-1], line.row.get("id"), where)
    if unknown := sorted({answer.model for answer in answers} - manifest.models.keys()):
        raise InputError(f"{file}: does not list the model {one_line(unknown[0], 60)}. {_AGAIN}")
    if not answers:
        raise InputError(f"{folder}: a frozen set without answers. Make one: hueval judge-bench make RUN…")
    if idle := sorted(manifest.models.keys() - {answer.model for answer in answers}):
        raise InputError(f"{file}: has no answer of {one_line(idle[0], 60)}, which it lists. {_AGAIN}")
    if len({answer.id for answer in answers}) < len(answers):
        raise InputError(f"{file}: has an answer twice. {_AGAIN}")
    frozen = FrozenSet(folder, manifest, answers)
    if len(judges := frozen.drawn_verdicts()) > MAX_JUDGES:
        raise InputError(f"{file}: has verdicts of {len(judges):,} judges, and {MAX_JUDGES} are read. {_AGAIN}")
    return frozen


def checked(file: Path, data: object, model: type[_Model], again: str) -> _Model:
    """The content of a JSON file as a record.

    Raises:
        InputError: it is not as the record has it; `again` says how to fix it.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise InputError(f"{file}: {where}: {one_line(first['msg'], 80)}. {again}") from None


def _check(answer: Answer, name: object, where: str) -> None:
    """Refuse an answer of another task than it says: a set comes from anyone, and its hashes are its maker's."""
    if declared(answer.task).rubric is None:
        raise InputError(f"{where}: {answer.task} has no judge here. Update hueval, or make the set anew")
    try:
        load_rubric(str(task_spec(answer.task).rubric)).render(answer.doc, answer.response)
    except Exception as error:  # whatever a family's function raises
        problem = f"{type(error).__name__}: {one_line(error, 60)}"
        raise InputError(f"{where}: its document is not one of {answer.task} ({problem}). {_AGAIN}") from None
    if answer.id != name or not 0 < answer.weight < math.inf:
        raise InputError(f"{where}: its id or weight is not that of the answer. {_AGAIN}")


class SetModel(BaseModel):
    """One model of a set: the name of its folder in a bench, its licence, the signature of its scores by task."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    folder: FolderName
    licence: str | None
    signatures: dict[str, str]


class Manifest(BaseModel):
    """The content of `set.json`.

    Attributes:
        format: `FORMAT`.
        hueval: the version that wrote it.
        seed: of the draw.
        models: label → model.
        rubrics: task → the rubric's name and version when the set was made.
        population: task → number of verdicts from which the answers were drawn.
        left_out: reason → number of verdicts that could not be drawn.
        files: path in the folder → SHA-256.
        sha256: see `checksum`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: str
    hueval: str
    seed: int
    models: dict[str, SetModel]
    rubrics: dict[str, str]
    population: dict[str, int]
    left_out: dict[str, int]
    files: dict[Annotated[str, Field(pattern=r"^data/[A-Za-z0-9_]+\.jsonl$")], str]
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a frozen set.

    Attributes:
        task: the task's name.
        model: the label of the model that gave it.
        licence: of the model's answers; None where it is not stated.
        dimension: the code of its stratum; empty without one.
        band: of the verdict by which it was drawn (`validation.scales.Scale.band`).
        weight: how many verdicts of the model's run it represents.
        prompt, reference: what the model was asked, and the reference answer.
        response: without the reasoning trace; what a judge sees.
        prediction: the reply as the model gave it.
        truncated: see `records.Filtered`.
        doc: the document.
        verdict: the verdict of the run, as it was.
        earlier: other verdicts that the run had on it, oldest first.
    """

    task: str
    model: str
    licence: str | None
    dimension: str
    band: str
    weight: float
    prompt: str
    reference: str
    response: str
    prediction: str
    truncated: bool
    doc: Mapping[str, Any] = field(repr=False)
    verdict: Mapping[str, Any] = field(repr=False)
    earlier: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)

    @property
    def qid(self) -> str:
        """The whole key of the document (`runs.run.item_id`)."""
        return item_id(tuple(self.doc.get(name) for name in declared(self.task).key))

    @property
    def id(self) -> str:
        """See `answer_id`."""
        return answer_id(self.task, self.model, self.qid, self.response)

    @property
    def cluster(self) -> str:
        """What is resampled together: the question."""
        return str(self.doc.get(declared(self.task).cluster))

    def to_row(self) -> dict[str, Any]:
        """The row of the data file: texts and one number, never null, so that every reader finds the same types."""
        said = Verdict.from_json(self.verdict) or Verdict()
        rating = said.rating
        record = {
            "doc": self.doc,
            "prediction": self.prediction,
            "truncated": self.truncated,
            "verdict": self.verdict,
            "earlier_verdicts": list(self.earlier),
        }
        return {
            "id": self.id,
            "task": self.task,
            "model": self.model,
            "licence": self.licence or "unknown",
            "dimension": self.dimension,
            "weight": self.weight,
            "prompt": self.prompt,
            "reference": self.reference,
            "response": self.response,
            "judge": said.judge or "?",
            "rubric": said.rubric,
            "band": self.band,
            "verdict": rating if isinstance(rating, str) else "" if rating is None else f"{rating:g}",
            "judge_reply": said.raw or "",
            "record": json_line(record).decode().rstrip(),
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Answer:
        """Read `to_row` back.

        Raises:
            KeyError, TypeError, ValueError: it is no such row.
        """
        record = parse_json(row["record"])
        texts = {name: row[name] for name in ("task", "model", "dimension", "band", "prompt", "reference", "response")}
        if not all(isinstance(text, str) for text in texts.values()) or not isinstance(record["doc"], dict):
            raise TypeError
        return cls(
            **texts,
            licence=None if row["licence"] == "unknown" else str(row["licence"]),
            weight=float(row["weight"]),
            prediction=str(record["prediction"]),
            truncated=bool(record["truncated"]),
            doc=record["doc"],
            verdict=dict(record["verdict"]),
            earlier=tuple(map(dict, record["earlier_verdicts"])),
        )


@dataclass(frozen=True)
class FrozenSet:
    """A frozen set: its folder, its manifest and its answers."""

    folder: Path
    manifest: Manifest
    answers: list[Answer]

    @property
    def tasks(self) -> list[str]:
        """Its tasks."""
        return list(dict.fromkeys(answer.task for answer in self.answers))

    def drawn_verdicts(self) -> dict[str, dict[str, Mapping[str, Any]]]:
        """Judge → id of an answer → the last verdict that this judge gave it in the run it was drawn from."""
        found: dict[str, dict[str, Mapping[str, Any]]] = {}
        for answer in self.answers:
            for said in (*answer.earlier, answer.verdict):
                if (verdict := Verdict.from_json(said)) is not None and verdict.is_given:
                    found.setdefault(verdict.judge or "?", {})[answer.id] = said
        return found

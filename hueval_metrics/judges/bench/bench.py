"""A bench: the folder in which `hueval judge-bench run` keeps the verdicts of all judges on one frozen set.

`bench.json` names the set and its answers. Each judge has a folder with `judge.json`, a scored run for each model
(`MODEL/items.jsonl`, `results.json` and the samples, as `hueval score` and lm-eval write them), and `attempts.jsonl`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from hueval_metrics.answers.trace.marks import first_tag
from hueval_metrics.errors import InputError
from hueval_metrics.judges.bench.frozen import MAX_JUDGES, Answer, FolderName, FrozenSet, answer_id, checked
from hueval_metrics.judges.bench.make import folder_name
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Filtered, Signature, Verdict
from hueval_metrics.registry import declared
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import item_id
from hueval_metrics.runs.scales import scale_of
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.lines import read_lines
from hueval_metrics.scoring.lm_eval_results import TEMPLATE_OPENS
from hueval_metrics.scoring.write import ITEMS, json_line, score_into
from hueval_metrics.text.files import read_own_json, whole_file, write_whole
from hueval_metrics.text.write_json import json_text

FORMAT = "hueval-judge-bench/1"
BENCH, JUDGE, ATTEMPTS = "bench.json", "judge.json", "attempts.jsonl"
_DATE = "1970-01-01T00-00-00.0"  # in names of samples: always the same, so that a later call replaces the files

_NAME, _AGAIN = "Name a folder of judge-bench run", "Run judge-bench into a new folder"

Said = Mapping[str, Any]  # a verdict, as JSON


def read_bench(folder: Path) -> Bench:
    """A bench with all verdicts.

    Raises:
        InputError: the folder holds none, or a file of it is broken.
    """
    file = folder / BENCH
    info = checked(file, read_own_json(file, _NAME, _AGAIN), BenchInfo, _AGAIN)
    if info.format != FORMAT:
        raise InputError(f"{folder / BENCH}: the format {one_line(info.format, 40)} is not {FORMAT}. Update hueval")
    for task in {answer.task for answer in info.answers}:
        if declared(task).rubric is None:
            raise InputError(f"{folder / BENCH}: {task} has no judge here. Update hueval")
    ids, folders = {answer.id for answer in info.answers}, {name.casefold() for name in info.models.values()}
    if (len(ids), len(folders)) != (len(info.answers), len(info.models)):
        raise InputError(f"{file}: has an answer, or the folder of a model, twice. {_AGAIN}")
    if unknown := sorted({answer.model for answer in info.answers} - info.models.keys()):
        raise InputError(f"{file}: does not list the model {one_line(unknown[0], 60)}. {_AGAIN}")
    if len(files := sorted(folder.glob(f"*/{JUDGE}"))) > 2 * MAX_JUDGES:
        raise InputError(f"{folder}: has {len(files):,} judges, and {2 * MAX_JUDGES} are read. {_AGAIN}")
    return Bench(folder, info, [_judge(file.parent, info) for file in files])


def open_bench(folder: Path, frozen: FrozenSet) -> Bench:
    """The bench of a frozen set; an empty one where the folder has none yet. Nothing is written.

    Raises:
        InputError: the folder is the bench of another set, or holds something else.
    """
    if (folder / BENCH).exists():
        bench = read_bench(folder)
        if bench.info.set != frozen.manifest.sha256:
            raise InputError(f"--output {folder}: has the verdicts on another set. Name another folder")
        return bench
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"--output {folder}: is there already, and is no bench. Name a new folder")
    answers = [BenchAnswer.of(answer) for answer in frozen.answers]
    models = {label: model.folder for label, model in frozen.manifest.models.items()}
    return Bench(folder, BenchInfo(format=FORMAT, set=frozen.manifest.sha256, models=models, answers=answers), [])


def write_bench(bench: Bench) -> None:
    """Write `bench.json`."""
    write_whole(bench.folder / BENCH, (json_text(bench.info.model_dump(), indent=1) + "\n").encode())


def write_judge(
    bench: Bench, frozen: FrozenSet, judge: BenchJudge, said: Mapping[str, Said], tried: Sequence[Mapping[str, Any]]
) -> None:
    """Write the verdicts of a judge: a scored run of each model, and what it said of attempts.

    Args:
        bench: the bench.
        frozen: its set.
        judge: the judge; its `verdicts` and `attempts` are those of an earlier call, and are replaced.
        said: id of an answer → verdict; answers without one are left out.
        tried: rows of `attempts.jsonl`.
    """
    for label, model in frozen.manifest.models.items():
        answers = [answer for answer in frozen.answers if answer.model == label and answer.id in said]
        if answers:
            drawn = {"drawn": frozen.manifest.sha256[:12]}  # a score of drawn answers is not one of the run
            signatures = {
                task: str(Signature.parse(text).with_settings(drawn)) if text else ""
                for task, text in model.signatures.items()
            }
            _write_run(judge.folder / model.folder, label, signatures, answers, said)
    with whole_file(judge.folder / ATTEMPTS) as write:
        for row in tried:
            write(json_line(row))
    record = {"judge": judge.name, "is_drawn": judge.is_drawn, "n_verdicts": len(said), "n_attempts": len(tried)}
    write_whole(judge.folder / JUDGE, (json.dumps(record, indent=1) + "\n").encode())


def _write_run(
    folder: Path, label: str, signatures: Mapping[str, str], answers: Sequence[Answer], said: Mapping[str, Said]
) -> None:
    """A scored run of one model: lm-eval's samples with the verdicts in them, scored like any others."""
    files, opens = [], {}
    for task in dict.fromkeys(answer.task for answer in answers):
        own = [answer for answer in answers if answer.task == task]
        # Only where the chat template opened the trace is a reply without any tag a truncated trace.
        opens[task] = any(one.truncated and one.prediction and not first_tag(one.prediction) for one in own)
        files.append(folder / f"samples_{task}_{_DATE}.jsonl")
        with whole_file(files[-1]) as write:
            for place, answer in enumerate(own):
                filtered = Filtered(answer.response, answer.truncated, said[answer.id])
                row = {"doc_id": place, "doc": answer.doc, "resps": [[answer.prediction]]}
                write(json_line(row | {"filtered_resps": [filtered.to_json()]}))
    results = {
        "results": {},
        "config": {"model": label},
        "configs": {task: {"metadata": {"provenance": {"signature": text}}} for task, text in signatures.items()},
        TEMPLATE_OPENS: opens,
    }
    write_whole(folder / f"results_{_DATE}.json", (json.dumps(results, indent=1) + "\n").encode())
    score_into(folder, files, None, {}, JudgePlan(asks=False))
    weights = {answer.id: answer.weight for answer in answers}
    rows = [line.row for line in read_lines(folder / ITEMS)]
    with whole_file(folder / ITEMS) as write:  # for `hueval calibrate`: rare verdicts were drawn more often
        for row in rows:
            write(json_line(row | {"weight": weights.get(_id_of(row, label), 1.0)}))


def _id_of(row: Mapping[str, Any], label: str) -> str:
    """The id of the answer in a row of a model's items.jsonl; empty where it names none."""
    item = Item.of(row)
    return "" if item.key is None else answer_id(item.task, label, item_id(item.key), item.response or "")


def _judge(folder: Path, info: BenchInfo) -> BenchJudge:
    file = folder / JUDGE
    record = checked(file, read_own_json(file, _NAME, _AGAIN), JudgeInfo, _AGAIN)
    verdicts: dict[str, Said] = {}
    for label, model in info.models.items():
        if not (items := folder / model / ITEMS).is_file():
            continue
        for line in read_lines(items):
            if isinstance(verdict := line.row.get("verdict"), dict):
                verdicts[_id_of(line.row, label)] = verdict
    known = {answer.id for answer in info.answers}
    rows = [line.row for line in read_lines(file)] if (file := folder / ATTEMPTS).is_file() else []
    attempts = [row for row in rows if isinstance(row.get("verdict"), dict)]
    own = {name: said for name, said in verdicts.items() if name in known}
    if len(own) < record.n_verdicts or len(attempts) < record.n_attempts:
        raise InputError(f"{folder}: verdicts are missing that {JUDGE} counts. Remove this folder, and run again")
    scales = {answer.id: scale_of(answer.task) for answer in info.answers}
    for name, said in own.items():
        if (verdict := Verdict.from_json(said)) and verdict.is_given and not scales[name].has(verdict.rating):
            raise InputError(f"{folder}: a verdict on {name} that its rubric does not have. {_AGAIN}")
    return BenchJudge(record.judge, folder, record.is_drawn, own, attempts)


class BenchAnswer(BaseModel):
    """What the measures need of an answer; see `frozen.Answer`.

    Attributes:
        text: the same for equal responses to the same item, whatever the model (`frozen.answer_id` without a model).
        length: of the response, in characters.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    text: str
    task: str
    model: str
    qid: str
    cluster: str
    dimension: str
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    length: Annotated[int, Field(ge=0)]

    @classmethod
    def of(cls, answer: Answer) -> BenchAnswer:
        """That of a frozen answer."""
        names = ("id", "task", "model", "qid", "cluster", "dimension", "weight")
        text = answer_id(answer.task, "", answer.qid, answer.response)
        return cls(**{name: getattr(answer, name) for name in names}, text=text, length=len(answer.response))


class BenchInfo(BaseModel):
    """The content of `bench.json`: the set's hash, model → folder, and the answers."""

    model_config = ConfigDict(frozen=True)

    format: str
    set: str
    models: dict[str, FolderName]
    answers: list[BenchAnswer]


class JudgeInfo(BaseModel):
    """The content of `judge.json`."""

    judge: str
    is_drawn: bool = False
    n_verdicts: int = 0  # in folders of earlier versions
    n_attempts: int = 0


@dataclass(frozen=True)
class BenchJudge:
    """One judge.

    Attributes:
        name: as in its verdicts; `gpt-4o*3` where it was asked three times.
        folder: with its files.
        is_drawn: whether its verdicts came with the set.
        verdicts: id of an answer → verdict.
        attempts: what it said of attempts: rows with `id`, `task`, `attempt` and `verdict`.
    """

    name: str
    folder: Path
    is_drawn: bool = False
    verdicts: Mapping[str, Said] = field(default_factory=dict)
    attempts: Sequence[Mapping[str, Any]] = ()

    def verdict(self, answer: str) -> Verdict:
        """Its verdict on an answer; an empty one where there is none."""
        return Verdict.from_json(self.verdicts.get(answer)) or Verdict()


@dataclass(frozen=True)
class Bench:
    """A bench: its folder, its set and answers, and its judges."""

    folder: Path
    info: BenchInfo
    judges: list[BenchJudge]

    @property
    def tasks(self) -> list[str]:
        """Its tasks."""
        return list(dict.fromkeys(answer.task for answer in self.info.answers))

    def judge(self, name: str) -> BenchJudge:
        """The judge of a name; one with a new folder where there is none."""
        taken = [judge.folder.name for judge in self.judges]
        known = {judge.name: judge for judge in self.judges}
        return known.get(name) or BenchJudge(name, self.folder / folder_name(name, taken))

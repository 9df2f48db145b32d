"""HKMMLU: from the official CSV files, one a subject and split, and the translation pairs, to rows.

Multiple-choice files have the columns Question, A, B, C, D, Answer; translation files input and output.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ValidationError

from hf_datasets.hkmmlu.schema import LETTERS, Question, Translation
from hf_datasets.hkmmlu.subjects import SUBJECTS, slug
from hf_datasets.repo import Config, DatasetRepo, Row, Split, Table
from hf_datasets.text_files import csv_rows, find_one, json_rows, refuse
from hf_datasets.wording import Spelled, first_fault

DIRECTIONS = {"yue_to_zh": "can2man", "zh_to_yue": "man2can"}  # config → the official name of the task
PRINTED_PAIRS = 45_275  # a direction: half of the paper's 90,550
_SPLIT_NAMES = {"test": "test", "dev": "validation", "val": "validation", "validation": "validation"}
_OFFICIAL: Spelled = {("question",): "Question", **{("choices", at): letter for at, letter in enumerate(LETTERS)}}


def read(folder: Path, config: str, split: str) -> Iterator[Row]:
    """The questions of a subject, or the sentences of a translation direction, in file order.

    Args:
        folder: it has `test/hk_law.csv` or `hk_law_test.csv`, `dev/…` likewise, and `can2man.csv` or `can2man.jsonl`.
        config: a subject such as `hk_law`, or a direction such as `yue_to_zh`.
        split: `validation` (upstream's dev) or `test`.

    Raises:
        InputError: there is no such config or split.
        MissingError: the folder has no file of the split.
        DataError: the file is not what it should be; the text names file, row and column.
    """
    table = REPO.table(config, split)
    rows = _pairs if table.config.name in DIRECTIONS else _questions
    return rows(folder, table)


def _questions(folder: Path, table: Table) -> Iterator[Row]:
    config, split = table.config.name, table.split.name
    subject = SUBJECTS[config]
    path = table.file_in(folder)
    for number, (place, cells) in enumerate(csv_rows(path, ("Question", *LETTERS, "Answer")), start=1):
        choices = [cells[letter] for letter in LETTERS]
        while choices and not choices[-1].strip():  # fewer than four options leave the last columns blank
            choices.pop()
        row: Row = {
            "id": f"{config}-{split}-{number}",
            "question": cells["Question"],
            "choices": choices,
            "answer": cells["Answer"].strip().upper(),
            "subject": config,
            "subject_zh": subject.name_zh,
            "category": subject.category,
            "is_hk_specific": subject.is_hk_specific,
        }
        yield _checked(row, Question, path, place)


def _pairs(folder: Path, table: Table) -> Iterator[Row]:
    config, path = table.config.name, table.file_in(folder)
    source, target = config.split("_to_")
    lines = path.suffix.casefold() == ".jsonl"
    cells_of = json_rows(path) if lines else csv_rows(path, ("input", "output"))
    for number, (place, cells) in enumerate(cells_of, start=1):
        row: Row = {
            "id": f"{config}-{number}",
            "input": cells.get("input"),
            "output": cells.get("output"),
            "source_language": source,
            "target_language": target,
        }
        yield _checked(row, Translation, path, place)


def _checked(row: Row, model: type[BaseModel], path: Path, place: str) -> Row:
    try:
        model.model_validate(row)
    except ValidationError as error:
        refuse(path, f"{place}: {first_fault(model, error, _OFFICIAL)}")
    return row


def _find(folder: Path, config: str, split: str) -> Path:
    return find_one(folder, partial(_is_file_of, config, split), _file(config, split))


def _file(config: str, split: str) -> str:
    """Where a split's file lies below the dataset's folder, as upstream lays it out."""
    if config in DIRECTIONS:
        return f"{DIRECTIONS[config]}.csv"
    return f"{'dev' if split == 'validation' else split}/{config}.csv"


def _is_file_of(config: str, split: str, path: Path) -> bool:
    """Whether a file, by its name and folder, is the one of a config's split."""
    name = slug(path.stem)
    if config in DIRECTIONS:
        return name in (config, DIRECTIONS[config]) and path.suffix.casefold() in (".csv", ".jsonl")
    ending = name.rpartition("_")[2]
    found = _SPLIT_NAMES.get(ending)
    if found:
        name = name.removesuffix(f"_{ending}")
    else:
        found = _SPLIT_NAMES.get(path.parent.name.casefold())
    return (name, found) == (config, split) and path.suffix.casefold() == ".csv"


REPO = DatasetRepo(
    name="hkmmlu",
    title="HKMMLU",
    license="unknown",
    refuses_push=(
        "nobody could look up under which licence the authors of HKMMLU publish it, and many questions are from "
        "examinations whose terms are not known"
    ),
    configs=(
        *(
            Config(
                name=name,
                row=Question,
                splits=tuple(Split(split, file=_file(name, split)) for split in ("validation", "test")),
                id_fields=("id",),
                text_fields=("question", "choices"),
                label_field="answer",
                printed=subject.printed,
            )
            for name, subject in SUBJECTS.items()
        ),
        *(
            Config(
                name=direction,
                row=Translation,
                splits=(Split("test", printed=PRINTED_PAIRS, file=_file(direction, "test")),),
                id_fields=("id",),
                text_fields=("input", "output"),
            )
            for direction in DIRECTIONS
        ),
    ),
    sources=(),  # no revision of the official repository was available to pin
    read=read,
    find=_find,
)

"""HKMMLU: from the official CSV files, one a subject and split, and the translation pairs, to rows.

Multiple-choice files have the columns Question, A, B, C, D, Answer; translation files input and output. Upstream has
neither worked examples nor the questions in Simplified Chinese, so both are optional: one JSON object a subject in
`exemplars/`, and in `sc/` the files of a subject over again, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ValidationError

from hf_datasets.hkmmlu.schema import LETTERS, Question, Translation
from hf_datasets.hkmmlu.subjects import SUBJECTS, slug
from hf_datasets.repo import Config, DatasetRepo, Row, Split, Table
from hf_datasets.text_files import csv_rows, json_rows, refuse, text_lines, the_one
from hf_datasets.wording import Spelled, first_fault
from hueval_metrics.one_line import one_line
from hueval_metrics.text.foreign import parse_json

DIRECTIONS = {"yue_to_zh": "can2man", "zh_to_yue": "man2can"}  # config → the official name of the task
PRINTED_PAIRS = 45_275  # a direction: half of the paper's 90,550
SIMPLIFIED = "_sc"  # ends the names of the splits in Simplified Chinese
_FOLDERS = {"validation": "dev", "test": "test", "exemplars": "exemplars"}  # split → its folder upstream
_SPLIT_NAMES = {
    **{"test": "test", "dev": "validation", "val": "validation", "validation": "validation"},
    "exemplars": "exemplars",
}
_LETTERS = str.maketrans("abcdａｂｃｄＡＢＣＤ", LETTERS * 3)
_OFFICIAL: Spelled = {
    ("question",): "Question",
    **{("choices", at): letter for at, letter in enumerate(LETTERS)},
    ("answer",): "Answer",
}


def read(folder: Path, config: str, split: str) -> Iterator[Row]:
    """The questions of a subject, or the sentences of a translation direction, in file order.

    Args:
        folder: it has `test/hk_law.csv` or `hk_law_test.csv`, `dev/…` likewise, `exemplars/hk_law.json`, the same below
            `sc`, and `can2man.csv` or `can2man.jsonl`.
        config: a subject such as `hk_law`, or a direction such as `yue_to_zh`.
        split: `validation` (upstream's dev), `test` or `exemplars`, or one of them with SIMPLIFIED behind it.

    Raises:
        InputError: there is no such config or split.
        MissingError: the folder has no file of the split.
        DataError: the file is not what it should be; the text names file, row and column.
    """
    table = REPO.table(config, split)
    if table.config.name in DIRECTIONS:
        return _pairs(folder, table)
    is_exemplar = table.split.name.removesuffix(SIMPLIFIED) == "exemplars"
    return _exemplar(folder, table) if is_exemplar else _questions(folder, table)


def _questions(folder: Path, table: Table) -> Iterator[Row]:
    path = table.file_in(folder)
    same = _of_subject(table)
    for number, (place, cells) in enumerate(csv_rows(path, ("Question", *LETTERS, "Answer")), start=1):
        choices = [cells[letter] for letter in LETTERS]
        while choices and not choices[-1].strip():  # fewer than four options leave the last columns blank
            choices.pop()
        row: Row = {
            "id": f"{table.config.name}-{table.split.name}-{number}",
            "question": cells["Question"],
            "choices": choices,
            "answer": _letter(cells["Answer"]),
            **same,
            "reasoning": None,
        }
        yield _checked(row, Question, path, f"{place}: ", _OFFICIAL)


def _exemplar(folder: Path, table: Table) -> Iterator[Row]:
    """The worked example of a subject: a JSON object with `question`, `choices`, `answer` and `reasoning`."""
    path = table.file_in(folder)
    try:
        found = parse_json("".join(text_lines(path, "JSON")))
    except ValueError as problem:
        refuse(path, f"is not JSON ({one_line(problem, 80)})")
    if not isinstance(found, dict):
        refuse(path, "is not a JSON object, expected one with question, choices, answer, reasoning")
    row: Row = {
        "id": f"{table.config.name}-{table.split.name}-1",
        **{field: found.get(field) for field in ("question", "choices")},
        "answer": _letter(str(found.get("answer", ""))),
        **_of_subject(table),
        "reasoning": found.get("reasoning") or "",
    }
    yield _checked(row, Question, path)


def _letter(cell: str) -> str:
    """The letter in an `Answer`: it may be lower-case or full-width, and have blanks around it, and nothing else."""
    return cell.strip().translate(_LETTERS)


def _of_subject(table: Table) -> Row:
    subject = SUBJECTS[table.config.name]
    return {
        "subject": table.config.name,
        "subject_zh": subject.name_zh,
        "category": subject.category,
        "is_hk_specific": subject.is_hk_specific,
    }


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
        yield _checked(row, Translation, path, f"{place}: ", _OFFICIAL)


def _checked(row: Row, model: type[BaseModel], path: Path, place: str = "", spelled: Spelled | None = None) -> Row:
    try:
        model.model_validate(row)
    except ValidationError as error:
        refuse(path, f"{place}{first_fault(model, error, spelled or {})}")
    return row


def _find(folder: Path, config: str, split: str) -> Path:
    return the_one(folder, lambda files: _by_table(files).get((config, split), ()), _file(config, split))


def _file(config: str, split: str) -> str:
    """Where a split's file lies below the dataset's folder, as upstream lays it out."""
    if config in DIRECTIONS:
        return f"{DIRECTIONS[config]}.csv"
    folder = _FOLDERS[split.removesuffix(SIMPLIFIED)]
    suffix = "json" if folder == "exemplars" else "csv"
    return f"{'sc/' if split.endswith(SIMPLIFIED) else ''}{folder}/{config}.{suffix}"


@lru_cache(maxsize=4)
def _by_table(files: tuple[Path, ...]) -> dict[tuple[str, str], list[Path]]:
    """Config and split → the files that have its rows, by their names and folders: one, or several by mistake."""
    found: dict[tuple[str, str], list[Path]] = {}
    for path in files:
        if table := _table_of(path):
            found.setdefault(table, []).append(path)
    return found


def _table_of(path: Path) -> tuple[str, str] | None:
    """Config and split of a file; None for one that is none of ours."""
    name, suffix = slug(path.stem), path.suffix.casefold()
    for direction, official in DIRECTIONS.items():
        if name in (direction, official):
            return (direction, "test") if suffix in (".csv", ".jsonl") else None
    folders = [part.casefold() for part in path.parent.parts]
    ending = name.rpartition("_")[2]
    if split := _SPLIT_NAMES.get(ending):
        name = name.removesuffix(f"_{ending}")
    else:
        split = _SPLIT_NAMES.get(folders[-1] if folders else "")
    if split is None or suffix != (".json" if split == "exemplars" else ".csv"):
        return None
    return name, split + (SIMPLIFIED if "sc" in folders else "")


REPO = DatasetRepo(
    name="hkmmlu",
    title="HKMMLU",
    license="unknown",
    refuses_push=(
        "it is not known under which licence the authors of HKMMLU publish it, and many questions are from "
        "examinations whose terms are not known"
    ),
    configs=(
        *(
            Config(
                name=name,
                row=Question,
                splits=tuple(
                    Split(split, file=_file(name, split), optional=split not in ("validation", "test"))
                    for split in (*_FOLDERS, *(f"{split}{SIMPLIFIED}" for split in _FOLDERS))
                ),
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

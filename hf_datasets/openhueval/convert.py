"""OpenHuEval as a dataset repository: five configs, one a file, each with the split `test`.

Every row gets all fields of its model, null where the official row has none; fields that the model does not know become
JSON in `extra`. So the rows of a converted copy are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from hf_datasets.openhueval.checks import blank_faults, gold_in_text
from hf_datasets.openhueval.published import BLOB_IDS, CONTENT, FAMILY, PRINTED, ROWS, SPLIT, UPSTREAM_URL
from hf_datasets.openhueval.schema import MODELS
from hf_datasets.repo import Config, DatasetRepo, Evaluation, Row, SourceFile, Split
from hf_datasets.text_files import json_rows, refuse, with_id
from hf_datasets.wording import first_fault, spellings
from hueval_metrics.text.write_json import json_text

# Filled blanks are scored by none of Inspect's scorers, nor is a checklist.
EVALUATIONS = {
    "HuProverbRea": Evaluation("huproverbrea_2cq", "question_in_context", "answer", "choice", choices="options"),
    "HuSimpleQA": Evaluation("husimpleqa", "question", "answer", "model_graded_fact"),
}
_FRESH = f"pull a fresh copy: hueval data pull {FAMILY}"


def read(folder: Path, config: str, split: str) -> Iterator[Row]:
    """The converted rows of a config, in file order.

    Args:
        folder: has `HuMatchingFIB.jsonl` and so on.
        config: the file's name in lower case.
        split: `test`.

    Raises:
        InputError: there is no such config or split.
        MissingError: the folder lacks the file.
        DataError: the file is damaged, or a row breaks the schema; one line with file, line and field.
    """
    table = REPO.table(config, split)
    path, model = table.file_in(folder), MODELS[table.config.row.__name__]
    place_of: dict[str, str] = {}
    for place, row in json_rows(path, _FRESH):
        where = f"{place}{with_id(row.get(model.ID, row.get('qid')))}"
        try:
            fields = converted(model, row)
        except ValidationError as error:
            refuse(path, f"{where}: {first_fault(model, error)}", "Fix the row", _FRESH)
        if (qid := fields["qid"]) in place_of:
            fault = f'{where}: "{model.ID}" duplicates that in {place_of[qid]}, expected once'
            refuse(path, fault, "Drop one of the rows", _FRESH)
        place_of[qid] = place
        yield fields


def converted(model: type[BaseModel], row: Mapping[str, Any]) -> Row:
    """A published row in the form that all sources have in common; a converted row comes out as it is.

    Raises:
        pydantic.ValidationError: it breaks the schema.

    >>> row = {"qid": "1", "question": "Hol?", "answer": "Itt", "primary_tag": "figure", "year": 2024}
    >>> {field: value for field, value in converted(MODELS["HuSimpleQA"], row).items() if value is not None}
    {'qid': '1', 'question': 'Hol?', 'answer': 'Itt', 'hu_specific_dim': 'figure', 'extra': '{"year": 2024}'}
    """
    fields = model.model_validate(row).model_dump()
    if unknown := dict(_unknown(model, row)):
        if fields["extra"] is not None:
            unknown["extra"] = fields["extra"]
        fields["extra"] = json_text(unknown, sort_keys=True)
    return fields


def _unknown(model: type[BaseModel], row: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    """What the model does not take over, by its path, such as `turn[0].lang`."""
    fields = {}
    for name, field in model.model_fields.items():
        taken = next((spelling for spelling in spellings(name, field) if spelling in row), name)
        fields[taken] = _part(field.annotation)
    for key, value in row.items():
        if key not in fields:
            yield f"{place}{key}", value
        elif part := fields[key]:
            for number, entry in enumerate(value if isinstance(value, list) else [value] if value else []):
                index = f"[{number}]" if isinstance(value, list) else ""
                yield from _unknown(part, entry, f"{place}{key}{index}.")


def _part(annotation: Any) -> type[BaseModel] | None:
    """The model that a field's value, or each entry of it, is of; None for plain values."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((part for option in get_args(annotation) if (part := _part(option))), None)


def _config(name: str) -> Config:
    split = Split(SPLIT, ROWS.get(name), CONTENT.get(name), PRINTED.get(name), f"{name}.jsonl")
    texts = {
        "HuMatchingFIB": ("question", "options"),
        "HuStandardFIB": ("instruction", "questions"),
        "HuProverbRea": ("context", "options"),
        "HuSimpleQA": ("question",),
        "HuWildBench": ("turn",),
    }
    is_qa = name == "HuSimpleQA"  # elsewhere the answer is a letter, a number, or marked with its blank
    return Config(
        name=name.lower(),
        row=MODELS[name],
        splits=(split,),
        id_fields=("qid",),
        text_fields=texts[name],
        question_fields=("question",) if is_qa else (),
        answer_fields=("answer",) if is_qa else (),
        label_field="answer" if name == "HuProverbRea" else "hu_specific_dim",
        evaluation=EVALUATIONS.get(name),
    )


REPO = DatasetRepo(
    name=FAMILY,
    title="OpenHuEval",
    license="apache-2.0",
    refuses_push=None,
    configs=tuple(_config(name) for name in MODELS),
    sources=tuple(
        SourceFile(f"{name}.jsonl", f"{UPSTREAM_URL}/{name}.jsonl", blob_id) for name, blob_id in BLOB_IDS.items()
    ),
    read=read,
    checks=(blank_faults, gold_in_text),
)

"""OpenHuEval as a dataset repository: five configs, one a file, each with the split `test`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hf_datasets.openhueval.checks import blank_faults, gold_in_text
from hf_datasets.openhueval.loader import parse_rows
from hf_datasets.openhueval.published import BLOB_IDS, CONTENT, FAMILY, PRINTED, ROWS, SPLIT, UPSTREAM_URL, config_of
from hf_datasets.openhueval.schema import MODELS
from hf_datasets.openhueval.sources import read_file
from hf_datasets.repo import Config, DatasetRepo, MissingError, Row, SourceFile, Split


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
    table = REPO.config(config)
    table.split(split)
    name = table.row.__name__
    path = folder / f"{name}.jsonl"
    if not path.exists():
        raise MissingError(f"{path} does not exist. Put it there, or fetch it: hueval data pull {FAMILY}")
    source, content = read_file(path, "folder")
    yield from parse_rows(name, content, source)


def _config(name: str) -> Config:
    split = Split(SPLIT, ROWS.get(name), CONTENT.get(name), PRINTED.get(name))
    texts = {
        "HuMatchingFIB": ("question", "options"),
        "HuStandardFIB": ("instruction", "questions"),
        "HuProverbRea": ("context", "options"),
        "HuSimpleQA": ("question",),
        "HuWildBench": ("turn",),
    }
    is_qa = name == "HuSimpleQA"  # elsewhere the answer is a letter, a number, or marked with its blank
    return Config(
        name=config_of(name),
        row=MODELS[name],
        splits=(split,),
        id_fields=("qid",),
        text_fields=texts[name],
        question_fields=("question",) if is_qa else (),
        answer_fields=("answer",) if is_qa else (),
        label_field="answer" if name == "HuProverbRea" else "hu_specific_dim",
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

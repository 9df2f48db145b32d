"""KoLasSimpleQA: from the official JSON Lines files, one a language and domain, to a row for each question.

An official row holds up to two questions on one piece of knowledge, in the source language and in English:
`question_hu`, `answer_hu`, `question_en`, `answer_en`, and the same with `_reverse` before the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hf_datasets.kolassimpleqa.schema import DOMAINS, LANGUAGES, PRINTED, REVERSE, Question
from hf_datasets.repo import Config, DatasetRepo, Row, Split
from hf_datasets.text_files import find_one, json_rows, refuse
from hf_datasets.wording import Spelled, first_fault
from hueval_metrics.one_line import one_line


def read(folder: Path, config: str, split: str) -> Iterator[Row]:
    """The questions of a language and domain, in file order, each directly followed by its reverse.

    Args:
        folder: it has `hu_general.jsonl`, or that file under the name that the authors' own configuration gives it.
        config: language and domain, such as `hu_general`.
        split: `test`.

    Raises:
        InputError: there is no such config or split.
        MissingError: the folder has no file of the config.
        DataError: the file is not what it should be; the text names file, line and field.
    """
    table = REPO.table(config, split)
    language, domain = table.config.name.split("_")
    path = table.file_in(folder)
    seen: dict[str, str] = {}
    for place, official in json_rows(path):
        qid = _given(official.get("qid"))
        where = place if qid is None else f"{place} (qid {one_line(qid, 40)})"
        questions = _questions(official, language, domain)
        if not questions:
            refuse(path, f'{where}: has neither "question_{language}" nor "question_reverse_{language}"')
        for row, spelled in questions:
            try:
                Question.model_validate(row)
            except ValidationError as error:
                refuse(path, f"{where}: {first_fault(Question, error, spelled)}")
            if row["qid"] in seen:
                refuse(
                    path, f'{where}: "qid" duplicates that in {seen[row["qid"]]}, expected once', "Drop one of the rows"
                )
            seen[row["qid"]] = place
            yield row


def _find(folder: Path, config: str, split: str) -> Path:
    language, domain = config.split("_")
    return find_one(folder, partial(_is_file_of, language, domain), f"{config}.jsonl")


def _is_file_of(language: str, domain: str, path: Path) -> bool:
    """Whether a file is called `hu_general.jsonl`, or as in the configuration of the authors' fork of OpenCompass."""
    authors = rf"KoLasEval_{language}_KSv1@{DOMAINS.index(domain)}_.*\.jsonl"
    return path.name.casefold() == f"{language}_{domain}.jsonl" or re.fullmatch(authors, path.name) is not None


def _questions(official: dict[str, Any], language: str, domain: str) -> list[tuple[Row, Spelled]]:
    """The one or two questions of an official row, unchecked, each with the official names of its fields."""
    qid = _as_id(_given(official.get("qid")))
    questions: list[tuple[Row, Spelled]] = []
    for reverse in ("", "_reverse"):
        names = {
            "question": f"question{reverse}_{language}",
            "answer": f"answer{reverse}_{language}",
            "question_en": f"question{reverse}_en",
            "answer_en": f"answer{reverse}_en",
        }
        texts = {field: _given(official.get(name)) for field, name in names.items()}
        if texts["question"] is None and texts["answer"] is None:
            continue
        row = {
            "qid": f"{qid}{REVERSE}" if reverse and isinstance(qid, str) else qid,
            "knowledge_track_id": _as_id(official.get("knowledge_track_id")),
            "language": language,
            "domain": domain,
            **texts,
            "is_reverse": bool(reverse),
        }
        questions.append((row, {(field,): name for field, name in names.items()}))
    return questions


def _given(value: object) -> object:
    """The value; None for a blank text, which says as much as no text."""
    return None if isinstance(value, str) and not value.strip() else value


def _as_id(value: object) -> object:
    """The value; an id that is a number as text, so that ids of all files have one type."""
    return str(value) if type(value) is int else value


REPO = DatasetRepo(
    name="kolassimpleqa",
    title="KoLasSimpleQA",
    license="unknown",
    refuses_push="it is not known under which licence the authors of KoLasSimpleQA publish it",
    configs=tuple(
        Config(
            name=f"{language}_{domain}",
            row=Question,
            splits=(Split("test", printed=printed, file=f"{language}_{domain}.jsonl"),),
            id_fields=("qid",),
            text_fields=("question", "answer"),
            question_fields=("question",),
            answer_fields=("answer",),
        )
        for domain in DOMAINS
        for language, printed in zip(LANGUAGES, PRINTED[domain], strict=True)
    ),
    sources=(),  # no revision of the official repository was available to pin
    read=read,
    find=_find,
)

"""HuLU as a dataset repository: seven configs and their official files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hf_datasets.hulu.corpora import CORPORA, Corpus
from hf_datasets.hulu.reader import find, path_of, read
from hf_datasets.repo import Config, DatasetRepo, Row, SourceFile


def _masked_name_faults(config: str, split: str, row: Row) -> Iterator[str]:
    """What a row of HuRC, of which the schema asks little, should be by its definition."""
    if config == "hurc":
        if "[MASK]" not in row["query"]:
            yield "no [MASK] in the query"
        if row["label"] is not None and not any(row["label"] in text for text in (*row["lead"], *row["passage"])):
            yield "masked name not found in the article"


def _config(name: str, corpus: Corpus) -> Config:
    return Config(
        name=name,
        row=corpus.row,
        splits=tuple(replace(split, file=path_of(name, split.name)) for split in corpus.splits),
        id_fields=("id",),
        text_fields=corpus.texts,
        question_fields=("query",) if name == "hurc" else (),
        answer_fields=("label",) if name == "hurc" else (),  # elsewhere a class: it cannot be in the text
        label_field=None if name == "hurc" else "label",
    )


def _sources(name: str, corpus: Corpus) -> Iterator[SourceFile]:
    for split, blob_id in zip(corpus.splits, corpus.blob_ids or (None, None, None), strict=True):
        yield SourceFile(path_of(name, split.name), f"{corpus.folder}/{split.file}", blob_id)


REPO = DatasetRepo(
    name="hulu",
    title="HuLU",
    license="other",  # CC-BY-SA-4.0 and BSD-2-Clause; the card has the list
    refuses_push=None,  # both allow it with the notices that the card gives
    configs=tuple(_config(name, corpus) for name, corpus in CORPORA.items()),
    sources=tuple(source for name, corpus in CORPORA.items() for source in _sources(name, corpus)),
    read=read,
    checks=(_masked_name_faults,),
    find=find,
)

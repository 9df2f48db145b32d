"""The files of a submission as anybody may have made them: JSON files, by themselves or in a zip archive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.submission.archive import ArchiveError, unpacked
from hueval_metrics.text.files import read_bytes
from lm_eval_tasks.hulu.corpora import CORPORA

MAX_BYTES = 2**24  # of a file, and of all files in an archive; a submission of all corpora has a hundredth of it
_ZIP = b"PK"
# HuLU-evaluate writes `cola_predicted_labels.json`; the repositories are called HuCOLA, HuCommitmentBank and so on.
_NAMES = {alias: name for name in CORPORA for alias in (name, name.removeprefix("hu"))}
_NAMES |= {"hucommitmentbank": "hucb", "commitmentbank": "hucb"}


@dataclass(frozen=True)
class Document:
    """What should be the labels of one corpus.

    Attributes:
        name: of the file, for messages; after that of its archive where it is in one.
        corpus: the corpus in the file's name, a key of `corpora.CORPORA`; None where that has none, or several.
        content: the bytes of the file.
    """

    name: str
    corpus: str | None
    content: bytes


def documents(path: Path) -> Iterator[Document]:
    """The JSON files of a submission: the file itself, or all files of an archive.

    Raises:
        InputError: the file or the archive cannot be read.
    """
    shown = one_line(path, 300)
    try:
        content = read_bytes(path, MAX_BYTES)
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror}). Name a .json or .zip file") from None
    if not content.startswith(_ZIP):
        yield Document(shown, corpus_of(path.stem), content)
        return
    try:
        with unpacked(path, MAX_BYTES) as members:
            for one in members:
                yield Document(f"{shown}: {one.name}", corpus_of(PurePosixPath(one.name).stem), one.path.read_bytes())
    except ArchiveError as error:
        raise InputError(f"{shown}: {error}") from None


def corpus_of(stem: str) -> str | None:
    """The corpus in a file's name, a key of `corpora.CORPORA`; None where that has none, or several.

    >>> corpus_of("HuCOLA"), corpus_of("rte_predicted_labels_2"), corpus_of("predictions"), corpus_of("cola-copa")
    ('hucola', 'hurte', None, None)
    """
    found = {_NAMES[word] for word in re.split(r"[^a-z]+", stem.casefold()) if word in _NAMES}
    return found.pop() if len(found) == 1 else None

"""Checks of a dataset card: all sections are there, and the metadata agree with the files.

A card is the `README.md` of a dataset repository: a YAML block that the Hub reads, and sections for people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hf_datasets.evaluation import EVALUATION
from hf_datasets.repo import DatasetRepo
from hueval_metrics.errors import DataError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_yaml

CARD = "README.md"
Tables = Mapping[str, Mapping[str, int | None]]

# Section → words in its heading. One heading may be that of several sections: "Source, licence, citation".
SECTIONS: dict[str, tuple[str, ...]] = {
    "Features": ("features", "files and fields", "data fields", "fields"),
    "Source": ("source", "sources", "source data", "provenance"),
    "Collection": ("collection", "curation", "how it was made"),
    "Annotators": ("annotators", "annotation", "annotations"),
    "Known irregularities": ("irregularities", "defects", "known issues", "errata"),
    "Intended use": ("intended use", "intended uses"),
    "Personal data": ("personal data", "personal information", "personal and sensitive information", "privacy"),
    "Contamination": ("contamination",),
    "Licence": ("licence", "licences", "license", "licenses", "licensing"),
    "Citation": ("citation", "citations", "citing", "how to cite"),
    "Changelog": ("changelog", "change log", "changes", "version history"),
}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGER = "1M<n<10M"
_ENTRIES = "a list of config_name and data_files"
_LANGUAGE = re.compile(r"[a-z]{2,3}")  # ISO 639-1, or 639-3 where that has none
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*")
_FENCE = re.compile(r"\s*(```|~~~)")
_NO_TEXT = re.compile(
    r"<!--.*?-->|\[?more information needed\]?|\bTODO\b|\bTBD\b|[\s.…*_-]+", re.DOTALL | re.IGNORECASE
)


def check_card(text: str, repo: DatasetRepo, tables: Tables | None = None) -> list[str]:
    """The problems of a card.

    Args:
        text: the card.
        repo: the data set that it describes.
        tables: rows by config and split of the files beside the card; None for all of the data set.

    Returns:
        One line for each problem.
    """
    from huggingface_hub import DatasetCard
    from huggingface_hub.repocard import REGEX_YAML_BLOCK

    try:
        if head := REGEX_YAML_BLOCK.search(text):
            parse_yaml(head[2])  # refuses YAML that DatasetCard would take very long to read
        card = DatasetCard(text)
    except (ValueError, TypeError) as error:
        return [f"the YAML block cannot be read ({one_line(error)})"]
    data = card.data.to_dict()
    if not data:
        return ["there is no YAML block between two lines of --- at the top"]
    tables = tables_of(repo) if tables is None else tables
    return [
        *_license_problems(data, repo),
        *_language_problems(data),
        *_config_problems(data, tables),
        *_size_problems(data, tables),
        *_section_problems(card.text),
        *_evaluation_problems(card.text, repo),
    ]


def read_card(repo: DatasetRepo) -> tuple[dict[str, Any], str]:
    """The metadata of a data set's own card, and the text below them.

    Raises:
        DataError: it cannot be read, or lacks what a conversion or a check goes by.
    """
    path = repo.folder / CARD
    try:
        _, head, body = read_text(path).split("---\n", 2)
        fields = parse_yaml(head)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no YAML block between two lines of ---"
        raise DataError(f"{path}: the card cannot be read ({why}). CONTRIBUTING.md lists what it needs") from None
    known = fields if isinstance(fields, dict) else {}
    lacking = [name for name in ("language", "size_categories") if name not in known]
    lacking += [] if _are_entries(known.get("configs")) else [f"configs, {_ENTRIES}"]
    if lacking:
        problem = f"the YAML block lacks {' and '.join(lacking)}"
        raise DataError(f"{path}: {problem}. CONTRIBUTING.md lists what a card needs")
    return known, body


def tables_of(repo: DatasetRepo) -> Tables:
    """Rows by config and split of the whole data set, without optional splits; None where they were not counted."""
    return {
        c.name: {s.name: s.printed if s.rows is None else s.rows for s in c.splits if not s.optional}
        for c in repo.configs
    }


def size_category(rows: int) -> str:
    """The Hub's name for a size.

    >>> size_category(1_506)
    '1K<n<10K'
    """
    return next((name for limit, name in _SIZES if rows < limit), _LARGER)


def _license_problems(data: Mapping[str, Any], repo: DatasetRepo) -> Iterator[str]:
    found = data.get("license")
    if found != repo.license:  # the Hub itself refuses an identifier that it does not know
        yield f'license is {_shown(found)}, expected "{repo.license}"'
    elif found == "other" and not data.get("license_name"):
        yield 'license is "other" without a license_name'


def _language_problems(data: Mapping[str, Any]) -> Iterator[str]:
    languages = data.get("language")
    if not isinstance(languages, list) or not languages:
        yield f"language is {_shown(languages)}, expected a list of codes such as hu"
        return
    for language in languages:
        if not isinstance(language, str) or not _LANGUAGE.fullmatch(language):
            yield f"language has {_shown(language)}, expected ISO 639 codes such as hu"


def _are_entries(configs: object) -> bool:
    return isinstance(configs, list) and all(isinstance(c, dict) and "config_name" in c for c in configs)


def _config_problems(data: Mapping[str, Any], tables: Tables) -> Iterator[str]:
    configs = data.get("configs")
    if not isinstance(configs, list) or not _are_entries(configs):
        yield f"configs is {_shown(configs)}, expected {_ENTRIES}"
        return
    names = [str(config["config_name"]) for config in configs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        yield f"configs names {_listed(twice)} more than once"
    if missing := [name for name in tables if name not in names]:
        yield f"configs lacks {_listed(missing)}"
    for name, config in zip(names, configs, strict=True):
        if name not in tables:
            yield f'configs lists "{name}", which has no files'
            continue
        expected = [{"split": split, "path": f"{name}/{split}.parquet"} for split in tables[name]]
        if config.get("data_files") != expected:
            pairs = ", ".join(f"{file['split']} at {file['path']}" for file in expected)
            yield f'the data_files of "{name}" are {_shown(config.get("data_files"))}, expected {pairs}'


def _size_problems(data: Mapping[str, Any], tables: Tables) -> Iterator[str]:
    counts = [rows for splits in tables.values() for rows in splits.values()]
    known = [rows for rows in counts if rows is not None]
    if len(known) < len(counts):
        return  # the total is unknown
    size = size_category(sum(known))
    found = data.get("size_categories")
    if found not in (size, [size]):
        yield f"size_categories is {_shown(found)}, expected [{size}] for {sum(known):,} rows"


def _section_problems(body: str) -> Iterator[str]:
    sections = list(_sections(body))
    for name, spellings in SECTIONS.items():
        spelled = re.compile(rf"\b(?:{'|'.join(spellings)})\b", re.IGNORECASE)
        texts = [text for heading, text in sections if spelled.search(heading)]
        if not texts:
            yield f'there is no section "{name}"'
        elif not any(_NO_TEXT.sub("", text) for text in texts):
            yield f'the section "{name}" is empty'


def _evaluation_problems(body: str, repo: DatasetRepo) -> Iterator[str]:
    if any(config.evaluation for config in repo.configs) and EVALUATION not in body:
        yield f"it does not say whose scores those of {EVALUATION} are"


def _sections(body: str) -> Iterator[tuple[str, str]]:
    """Headings below the title, each with the text up to the next heading of its level or a higher one."""
    lines = list(_without_code(body.splitlines()))
    for start, (level, line) in enumerate(lines):
        if level > 1:
            below = lines[start + 1 :]
            end = next((n for n, (other, _) in enumerate(below) if 0 < other <= level), len(below))
            yield line, "\n".join(text for other, text in below[:end] if not other)


def _without_code(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Lines with their heading level, 0 for text; a # in a block of code is not a heading."""
    fence = None
    for line in lines:
        mark = _FENCE.match(line)
        heading = _HEADING.fullmatch(line) if fence is None else None
        if mark and fence in (None, mark[1]):
            fence = mark[1] if fence is None else None
        yield (len(heading[1]), heading[2]) if heading else (0, line)


def _shown(value: object) -> str:
    return "missing" if value is None else one_line(f'"{value}"' if isinstance(value, str) else value, 80)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")

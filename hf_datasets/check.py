"""Checking a data set: completeness, equality with the published one, and faults that may distort a score."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hf_datasets.card import CARD, check_card, read_card
from hf_datasets.checks.across import id_gaps, repeats
from hf_datasets.checks.files import source_findings
from hf_datasets.checks.findings import EXAMPLES, Finding, Report
from hf_datasets.checks.labels import contradictions, distribution, skew
from hf_datasets.checks.scan import Scan, scan
from hf_datasets.contamination import GUIDS, without_guid
from hf_datasets.converted import Manifest
from hf_datasets.opened import Opened
from hf_datasets.repo import Config, DatasetRepo, MissingError, Row, Split
from hueval_metrics.errors import DataError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_text


def check(opened: Opened, only: str | None = None) -> Report:
    """Read a data set and report errors, warnings and notes.

    Each split is read once, and again up to the rows that are printed as examples. Memory: 40 bytes for each row of the
    largest config, twice that while splits are compared.

    Args:
        opened: the data set.
        only: a config, in any letter case; None for all, and for the files.

    Raises:
        InputError: there is no such config.
        DataError: there are no rows at all.
    """
    repo = opened.repo
    findings = [] if only else list(_file_findings(opened))
    rows: dict[str, dict[str, int]] = {}
    absent = []
    for config in [repo.config(only)] if only else repo.configs:
        scans = _scans(opened, config)
        if not scans:
            absent.append(config.name)
            continue
        rows[config.name] = {split: found.rows for split, found in scans.items()}
        findings += _config_findings(opened, config, scans)
    if not rows:
        wanted = f"no rows of {only}" if only else "no rows"
        raise DataError(f"{opened.where} has {wanted}. Name another folder, or fetch it: hueval data pull {repo.name}")
    if absent:
        findings.insert(0, Finding("note", "", "", "missing configs", len(absent), tuple(absent[:EXAMPLES])))
    if opened.is_sample:
        count = sum(number for splits in rows.values() for number in splits.values())
        what = "rows of the packaged sample; not compared with the official files"
        findings.insert(0, Finding("note", "", "", what, count))
    return Report(repo.name, opened.where, rows, tuple(findings))


def _file_findings(opened: Opened) -> Iterator[Finding]:
    """Findings in files instead of rows: the card of a converted folder, the bytes of a source file."""
    if opened.converted is None:
        yield from source_findings(opened.repo, opened.folder, compare=not opened.is_sample)
        return
    yield from _card_findings(opened.repo, opened.folder, opened.converted.manifest)
    for config, files in opened.converted.manifest.configs.items():
        known = [c.splits for c in opened.repo.configs if c.name == config]
        if not known:
            yield Finding("error", config, "", "unknown config", 1)
        elif extra := files.keys() - {split.name for split in known[0]}:
            yield Finding("error", config, "", "unknown splits", len(extra), tuple(sorted(extra)))


def _card_findings(repo: DatasetRepo, folder: Path, manifest: Manifest) -> Iterator[Finding]:
    texts = {}
    for name in (CARD, GUIDS):
        try:
            texts[name] = read_text(folder / name)
        except (OSError, UnicodeDecodeError) as problem:
            if name == CARD:
                yield Finding("error", CARD, "", "unreadable card", 1, (one_line(problem),))
            else:
                texts[name] = ""
    if CARD in texts:
        for fault in check_card(texts[CARD], repo, manifest.tables):
            yield Finding("error", CARD, "", fault, 1)
    for name, text in texts.items():
        if lacking := without_guid(text, repo, manifest.tables):
            what = "configs without their contamination GUID; converting again writes it"
            yield Finding("warning", name, "", what, len(lacking), tuple(lacking[:EXAMPLES]))


def _language(repo: DatasetRepo) -> str | None:
    """The language of rows that do not say theirs, by the card; None for Hungarian, and where the card says nothing."""
    with suppress(DataError):
        languages = read_card(repo)[0]["language"]
        if isinstance(languages, list) and languages and "hu" not in languages:
            return str(languages[0])
    return None


def _scans(opened: Opened, config: Config) -> dict[str, Scan]:
    """The splits that are there."""
    scans = {}
    for split in config.splits:
        try:
            rows = opened.rows(config.name, split.name)
            scans[split.name] = scan(config, split.name, rows, opened.repo.checks, _language(opened.repo))
        except MissingError:
            continue
    return scans


def _config_findings(opened: Opened, config: Config, scans: dict[str, Scan]) -> Iterator[Finding]:
    def read(split: str) -> Iterator[Row]:
        return opened.rows(config.name, split)

    for split in config.splits:
        if split.name not in scans:
            if split.optional:
                continue
            in_print = split.printed or (config.printed if split.name == "test" else None)
            counted = (split.rows, in_print) != (None, None)  # else upstream may have no such split
            yield Finding("error" if counted else "warning", config.name, split.name, "missing split", 1)
            continue
        found = scans[split.name]
        yield from found.tally.findings()
        if not opened.is_sample:
            yield from _expected(config, split, found)
        if opened.converted and found.content:
            stated = opened.converted.manifest.configs[config.name][split.name]
            if (stated.rows, stated.content) != (found.rows, found.content):
                what = "rows that differ from those listed in hueval.json"
                yield Finding("error", config.name, split.name, what, found.rows)
        yield from distribution(config, split.name, found)
        yield from id_gaps(config, split.name, found)
    own = {split: found for split, found in scans.items() if not config.split(split).optional}
    if not opened.is_sample:
        yield from _expected_in_all(config, own)
    yield from repeats(config, scans, read)
    if config.label_field:
        yield from skew(config, own)
        yield from contradictions(config, own, read)


def _expected(config: Config, split: Split, found: Scan) -> Iterator[Finding]:
    """Differences in number and content of the rows from the official file and from the paper."""
    if found.content is None:  # not all rows could be read, which is reported already
        return
    if split.rows not in (None, found.rows):
        what = f"rows; the official file has {split.rows:,}"
        yield Finding("error", config.name, split.name, what, found.rows)
    elif split.content not in (None, found.content):
        what = "rows whose content or order differs from the official file"
        yield Finding("error", config.name, split.name, what, found.rows)
    if split.printed not in (None, found.rows):
        yield Finding("note", config.name, split.name, f"rows; the paper prints {split.printed:,}", found.rows)


def _expected_in_all(config: Config, scans: dict[str, Scan]) -> Iterator[Finding]:
    """Difference in the number of rows of all splits from the paper, where it prints only that number."""
    count = sum(found.rows for found in scans.values())
    whole = all(found.content is not None for found in scans.values())
    if whole and config.printed not in (None, count):
        what = f"rows of all splits; the paper prints {config.printed:,}"
        yield Finding("note", config.name, "", what, count)

"""The packaged sample: linked pairs in each config, every fact with its sources."""

from __future__ import annotations

import csv
import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import date
from urllib.parse import urlsplit

from hf_datasets.check import check
from hf_datasets.checks.texts import folded, gives_away
from hf_datasets.kolassimpleqa.convert import REPO
from hf_datasets.kolassimpleqa.schema import DOMAINS, LANGUAGES
from hf_datasets.opened import open_data
from hf_datasets.repo import Row
from tests.each import each

CONFIGS = [config.name for config in REPO.configs]
PAIRS = 8  # of each config, at least
HOSTS = 2  # that state a fact, at least
COLUMNS = ["knowledge_track_id", "url", "title", "date"]

of_each_config = each("config", CONFIGS)
of_each_language = each("language", LANGUAGES)


def rows_of(config: str) -> list[Row]:
    return list(REPO.read(REPO.sample, config, "test"))


def sources_of(language: str) -> list[list[str]]:
    """The lines of a language's sources, the header first."""
    with (REPO.folder / "sources" / f"{language}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def texts_of(row: Row) -> Iterator[tuple[str, str]]:
    """Question and answer, in each language that the row has."""
    yield row["question"], row["answer"]
    if row["question_en"] is not None:
        yield row["question_en"], row["answer_en"]


@of_each_config
def test_a_config_has_enough_linked_pairs(config):
    directions = Counter((row["knowledge_track_id"], row["is_reverse"]) for row in rows_of(config))
    assert set(directions.values()) == {1}
    assert sum((track, False) in directions for track, is_reverse in directions if is_reverse) >= PAIRS


@of_each_config
def test_the_ids_name_the_config_and_the_track(config):
    for row in rows_of(config):
        word = row["qid"].removeprefix(f"sample-{config}-").removesuffix("-reverse")
        assert row["knowledge_track_id"] == f"sample-{word}"


@of_each_config
def test_no_answer_is_in_its_question(config):
    pairs = [texts for row in rows_of(config) for texts in texts_of(row)]
    assert [(question, answer) for question, answer in pairs if gives_away(folded(question), folded(answer))] == []


@of_each_config
def test_the_english_texts_are_both_there_or_both_missing(config):
    assert all((row["question_en"] is None) == (row["answer_en"] is None) for row in rows_of(config))


def test_some_rows_are_incomplete_as_they_are_upstream():
    rows = [row for config in CONFIGS for row in rows_of(config)]
    tracks = Counter((row["language"], row["knowledge_track_id"]) for row in rows)
    assert 1 in tracks.values()
    assert None in {row["question_en"] for row in rows}


@of_each_language
def test_a_track_is_in_one_domain_only(language):
    general, specific = ({row["knowledge_track_id"] for row in rows_of(f"{language}_{domain}")} for domain in DOMAINS)
    assert general & specific == set()


@of_each_language
def test_every_track_and_no_other_has_sources_on_enough_sites(language):
    tracks = {row["knowledge_track_id"] for domain in DOMAINS for row in rows_of(f"{language}_{domain}")}
    hosts: dict[str, set[str]] = {}
    for track, url, _, _ in sources_of(language)[1:]:
        hosts.setdefault(track, set()).add(urlsplit(url).hostname or "")
    assert hosts.keys() == tracks
    assert [track for track, found in hosts.items() if len(found) < HOSTS] == []


@of_each_language
def test_a_source_is_an_address_with_a_title_and_the_day_of_the_look_up(language):
    header, *lines = sources_of(language)
    assert header == COLUMNS
    for _, url, title, day in lines:
        address = urlsplit(url)
        assert address.scheme in ("http", "https")
        assert address.hostname
        assert title.strip()
        assert date.fromisoformat(day).isoformat() == day


def test_the_check_finds_no_fault():
    report = check(open_data(str(REPO.sample), REPO.name))
    assert [finding for finding in report.findings if finding.severity != "note"] == []


def test_serbian_is_in_both_scripts():
    questions = [row["question"] for domain in DOMAINS for row in rows_of(f"sr_{domain}")]
    scripts = {unicodedata.name(question[0]).split()[0] for question in questions}
    assert scripts == {"CYRILLIC", "LATIN"}

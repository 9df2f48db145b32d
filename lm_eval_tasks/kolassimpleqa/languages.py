"""The languages and domains of the tasks: those of the data."""

from __future__ import annotations

from pathlib import Path

from hf_datasets.kolassimpleqa.languages import LANGUAGES as _OF_THE_DATA
from hueval_metrics.words.texts import Words

LANGUAGES = {code: language.name for code, language in _OF_THE_DATA.items()}  # ISO 639-1 → English name
PIVOT = "en"  # the questions of the setting tran_en (§4.2)
DOMAINS = ("general", "specific")
WORDS = Words(Path(__file__).with_name("words"), "family")
PARTS = {domain: WORDS.later(f"part.{domain}") for domain in DOMAINS}

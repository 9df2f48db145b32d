"""The languages and domains of the tasks: those of the data."""

from __future__ import annotations

from hf_datasets.kolassimpleqa.languages import LANGUAGES as _OF_THE_DATA

LANGUAGES = {code: language.name for code, language in _OF_THE_DATA.items()}  # ISO 639-1 → English name
PIVOT = "en"  # the questions of the setting tran_en (§4.2)
PARTS = {
    "general": {"en": "general", "hu": "általános"},
    "specific": {"en": "language-specific", "hu": "nyelvspecifikus"},
}
DOMAINS = tuple(PARTS)

"""The languages of KoLasSimpleQA. One more is a line here, one in the data's schema, and a prompt."""

from __future__ import annotations

LANGUAGES = {  # ISO 639-1 → English name; in the order of §2.1
    "hu": "Hungarian",
    "cs": "Czech",
    "sr": "Serbian",
    "ru": "Russian",
    "zh": "Chinese",
    "ko": "Korean",
    "th": "Thai",
    "ar": "Arabic",
    "vi": "Vietnamese",
}
PIVOT = "en"  # the questions of the setting tran_en (§4.2)
DOMAINS = ("general", "specific")

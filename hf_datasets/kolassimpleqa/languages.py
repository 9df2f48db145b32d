"""The languages of KoLasSimpleQA, in one list: of the data, of the tasks and of their prompts.

One more is a line here, a prompt beside the others (`lm_eval_tasks/kolassimpleqa/prompts`), and a run of the generator.
"""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """A language: its English name, and how many questions of each domain Table 2 prints; None where it has none."""

    name: str
    general: int | None = None
    specific: int | None = None


LANGUAGES = {  # ISO 639-1 → language, in the order of §2.1
    "hu": Language("Hungarian", 169, 127),
    "cs": Language("Czech", 142, 90),
    "sr": Language("Serbian", 133, 79),
    "ru": Language("Russian", 92, 57),
    "zh": Language("Chinese", 127, 96),
    "ko": Language("Korean", 151, 84),
    "th": Language("Thai", 209, 99),
    "ar": Language("Arabic", 162, 117),
    "vi": Language("Vietnamese", 121, 92),
}

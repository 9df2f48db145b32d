"""The rows of KoLasSimpleQA (Jiang et al. 2025, arXiv:2505.16591), as a pydantic model.

The official files were not available. The model follows the paper and the field names that its authors' scorer reads.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from hf_datasets.kolassimpleqa import languages

LANGUAGES = tuple(languages.LANGUAGES)
DOMAINS = ("general", "specific")
PRINTED = {  # domain → questions by language, in the order of LANGUAGES; Table 2
    domain: tuple(getattr(language, domain) for language in languages.LANGUAGES.values()) for domain in DOMAINS
}
REVERSE = "-reverse"  # ends the qid of a reverse question, which upstream has in the row of the forward one

Text = Annotated[str, Field(pattern=r"\S")]


class Question(BaseModel):
    """A short question of fact with one answer."""

    model_config = ConfigDict(strict=True, extra="forbid")
    qid: Text = Field(description="id of the question; that of a reverse question ends in -reverse")
    knowledge_track_id: Text = Field(description="id of the piece of knowledge; a question and its reverse share it")
    language: Text = Field(description="ISO 639-1 code of the source language")
    domain: Text = Field(description="general: known everywhere; specific: of that language's own culture")
    question: Text = Field(description="the question, in the source language")
    answer: Text = Field(description="the reference answer, in the source language")
    question_en: str | None = Field(description="the question in English; null where upstream has none")
    answer_en: str | None = Field(description="the reference answer in English; null where upstream has none")
    is_reverse: bool = Field(description="whether it asks the other way round: from the answer to the subject")

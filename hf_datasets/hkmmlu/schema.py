"""The rows of HKMMLU (Cao et al. 2025, arXiv:2505.02177), as pydantic models.

The official files were not available. The models follow the paper and the column names that others' loaders read.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

LETTERS = "ABCD"

Text = Annotated[str, Field(pattern=r"\S")]


class Question(BaseModel):
    """A multiple-choice question with one right answer."""

    model_config = ConfigDict(strict=True, extra="forbid")
    id: Text = Field(description="subject, split and place in the official file, from 1; upstream has no ids")
    question: Text = Field(description="the question, in Traditional Chinese")
    choices: list[Text] = Field(description="the options A, B, C, D; two or three where upstream leaves the last blank")
    answer: str = Field(description="the letter of the right option")
    subject: Text = Field(description="the subject, as the config is named")
    subject_zh: Text = Field(description="the subject's name in Traditional Chinese")
    category: Text = Field(description="STEM, Social Sciences, Humanities or Other")
    is_hk_specific: bool = Field(description="whether the paper counts the subject as specific to Hong Kong")
    reasoning: Text | None = Field(
        default=None, description="how the answer is found, of a worked example; null for all other questions"
    )

    @field_validator("answer")
    @classmethod
    def _answer_is_an_option(cls, answer: str, info: ValidationInfo) -> str:
        letters = LETTERS[: len(info.data.get("choices", LETTERS))]
        if len(letters) > 1 and answer not in tuple(letters):
            raise PydanticCustomError("answer", "expected one of {letters}", {"letters": ", ".join(letters)})
        return answer

    @model_validator(mode="after")
    def _has_options(self) -> Question:
        if not 2 <= len(self.choices) <= len(LETTERS):
            raise PydanticCustomError(
                "choices", "has {count} of the options A to D, expected 2 to 4", {"count": len(self.choices)}
            )
        return self


class Translation(BaseModel):
    """A sentence and its translation between Cantonese and Mandarin."""

    model_config = ConfigDict(strict=True, extra="forbid")
    id: Text = Field(description="direction and place in the official file, from 1; upstream has no ids")
    input: Text = Field(description="the sentence to translate")
    output: Text = Field(description="the reference translation")
    source_language: Text = Field(description="language of the input: yue (Cantonese) or zh (Mandarin)")
    target_language: Text = Field(description="language of the output, likewise")

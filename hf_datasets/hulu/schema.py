"""The rows of the seven HuLU corpora, as pydantic models: upstream's many spellings become one.

A text field has the same name in every corpus (`sentence`, never `Sent`). Ids and labels stay the strings that upstream
writes: they are what the HuLU server takes and the papers talk of, and a number would mislead ("1" is the first choice
in HuCoPA, the truth in HuRTE). A label that upstream hides is null.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError


def _written(value: Any) -> Any:
    """A whole number as the string that most files have instead."""
    return str(value) if type(value) is int else value


def _sound(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "expected some text")
    if "\0" in text:
        raise PydanticCustomError("nul", "expected text without NUL characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PydanticCustomError("surrogate", "expected text without half surrogate pairs") from None
    return text


def _paragraphs(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _null(value: Any) -> Any:
    return None if value == "NULL" else value


Text = Annotated[str, AfterValidator(_sound)]
Paragraphs = Annotated[list[Text], BeforeValidator(_paragraphs)]
YesNo = Annotated[Literal["0", "1"], BeforeValidator(_written)]
Choice = Annotated[Literal["1", "2"], BeforeValidator(_written)]
# Our spelling, that of the pinned files, and those of earlier commits and of cards.
IDS = ("id", "Sent_id", "idx")
LABELS = ("label", "Label", "MASK")
Id = Annotated[Text, BeforeValidator(_written), Field(validation_alias=AliasChoices(*IDS))]
Sentence = Annotated[Text, Field(validation_alias=AliasChoices("sentence", "Sent", "sent"))]
LABEL = AliasChoices(*LABELS)


class _Row(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    id: Id = Field(description="upstream's id, a whole number written as a string, unique within a split")


class HuCola(_Row):
    """A sentence, and whether speakers accept it."""

    sentence: Sentence = Field(description="the sentence to judge")
    label: YesNo | None = Field(
        None, validation_alias=LABEL, description="1: acceptable Hungarian, 0: not; null where hidden (test)"
    )


class HuCopa(_Row):
    """A premise, and two sentences of which one is the likelier cause or effect."""

    premise: Text = Field(description="what happened")
    question: Literal["cause", "effect"] = Field(description="whether the premise's cause or its effect is asked for")
    choice1: Text = Field(description="the first alternative")
    choice2: Text = Field(description="the second alternative")
    label: Choice | None = Field(
        None,
        validation_alias=LABEL,
        description="1: the first choice is likelier, 2: the second; null where hidden (test)",
    )


class HuRte(_Row):
    """A text, and a sentence that follows from it or not."""

    premise: Text = Field(description="the text, one or more sentences")
    hypothesis: Text = Field(description="the sentence")
    label: YesNo | None = Field(
        None,
        validation_alias=LABEL,
        description="1: the premise entails the hypothesis, 0: not; null where hidden (test)",
    )


class HuSst(_Row):
    """A sentence of a film review, and its sentiment."""

    sentence: Sentence = Field(description="the sentence")
    label: Literal["negative", "neutral", "positive"] | None = Field(
        None, validation_alias=LABEL, description="the sentiment; null where hidden (test)"
    )


class HuWnli(_Row):
    """A text with a pronoun, and the text again with the pronoun replaced."""

    orig_id: Annotated[Text | None, BeforeValidator(_null), BeforeValidator(_written)] = Field(
        None, description="id of the pair in the English WNLI; null where there is none"
    )
    sentence1: Text = Field(description="the text with the pronoun, which Hungarian often leaves out")
    sentence2: Text = Field(description="a sentence with a possible referent in its place")
    label: YesNo | None = Field(
        None, validation_alias=LABEL, description="1: sentence1 entails sentence2 (the referent is right), 0: not"
    )

    @model_validator(mode="before")
    @classmethod
    def _without_copy(cls, row: Any) -> Any:
        """One published row has a stray column; as it repeats sentence1, nothing is lost with it."""
        if isinstance(row, dict) and "Column6" in row and row["Column6"] == row.get("sentence1"):
            return {field: value for field, value in row.items() if field != "Column6"}
        return row


class HuCb(_Row):
    """A text, and a statement to which its author or speaker is committed or not."""

    premise: Text = Field(description="the text; its last clauses embed the statement")
    hypothesis: Text = Field(description="the embedded statement, with whose opinion is asked for")
    label: Literal["entailment", "neutral", "contradiction"] | None = Field(
        None,
        validation_alias=LABEL,
        description="whether the speaker holds the statement true; null where hidden (test)",
    )


class HuRc(_Row):
    """A news article whose last paragraph has one name masked. Modelled from the Hub's card: no row was available."""

    model_config = ConfigDict(extra="ignore")

    lead: Paragraphs = Field(description="the article's summary, a list of paragraphs")
    passage: Annotated[Paragraphs, Field(min_length=1)] = Field(description="the article, a list of paragraphs")
    query: Text = Field(description="the last paragraph, with the name written [MASK]")
    label: Text | None = Field(
        None,
        validation_alias=LABEL,
        description="the masked name as it is in the last paragraph; null where hidden (test)",
    )

"""The rows of the five OpenHuEval configs, as pydantic models that accept upstream's field names and ours.

Types are strict (1 is not "1"). A published row and a converted one pass the same model.

HuWildBench's `session_id` and `primary_tag` become `qid` and `hu_specific_dim`: they mean the same, and predictions,
results and the other four files say `qid`, so all can be joined on one name. The values stay as published.

HuSimpleQA and HuWildBench were modelled from the paper (Tables 14-16) and the field names that the public scorer uses,
not from the files; hence what no task reads is loose there.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from hf_datasets.openhueval.dimensions import DIMENSIONS, dimension_code


def _known_dimension(spelling: str) -> str:
    if dimension_code(spelling) is None:
        names = "; ".join(DIMENSIONS.values())
        raise PydanticCustomError("dimension", "expected one of: {names}", {"names": names})
    return spelling


Text = Annotated[str, Field(pattern=r"\S")]
Texts = Annotated[list[str], Field(min_length=1)]
LetterAnswer = Annotated[str, Field(pattern=r"^#\d+#[A-Z]{1,2}$", examples=["#0#F"])]
# One published row reads "#1bátran,kapun": the second # may be missing.
WordAnswer = Annotated[str, Field(pattern=r"^#\d+#?\s*[^\s#]", examples=["#0#Prága"])]
Qid = Annotated[Text, Field(description="upstream's id, unique within the file")]
Dimension = Annotated[
    str,
    AfterValidator(_known_dimension),
    Field(description="the Hungarian-specific dimension, one of eight (paper, Table 2), spelled as upstream spells it"),
]
English = Annotated[str | None, Field(description="in English")]
EnglishTexts = Annotated[list[str] | None, Field(description="in English")]
Chinese = Annotated[str | None, Field(description="in Chinese")]
ChineseTexts = Annotated[list[str] | None, Field(description="in Chinese")]
Extra = Annotated[str | None, Field(description="fields that this schema does not know, as a JSON object; else null")]


class _Row(BaseModel):
    """What all five have in common.

    Attributes:
        ID: what upstream calls the field that distinguishes rows.
        TWINS: the fields that come again in English and Chinese, as `NAME_en` and `NAME_zh`: in a language either all
            of them are given or none. Null counts as not given.
    """

    model_config = ConfigDict(strict=True, extra="ignore")
    ID: ClassVar[str] = "qid"
    TWINS: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _twins_are_complete(self) -> _Row:
        for suffix in ("_en", "_zh"):
            given = [getattr(self, twin + suffix) is not None for twin in self.TWINS]
            if any(given) and not all(given):
                missing = self.TWINS[given.index(False)] + suffix
                present = self.TWINS[given.index(True)] + suffix
                parts = {"missing": missing, "present": present}
                raise PydanticCustomError("twin", '"{missing}" is missing, expected beside "{present}"', parts)
        return self


class SchoolBook(BaseModel):
    """Where a fill-in-the-blank question was found: an online school book."""

    model_config = ConfigDict(strict=True, extra="ignore")
    url: str | None = Field(None, description="address of the lesson")
    major: str | None = Field(None, description="school subject, such as tortenelem")
    grade: str | None = Field(None, description="school year, a number written as a string")


class HuMatchingFIB(_Row):
    """A text with blanks and a pool of options. Two published questions lack the `#n#` marks, one repeats letters."""

    TWINS = ("question", "options")
    qid: Qid
    question: Text = Field(description="the text; blanks are written #0#, #1#, …")
    options: Texts = Field(description="the pool, each with its letter: A.isteni")
    answer: list[LetterAnswer] = Field(min_length=1, description="gold, blank number and letter: #0#F")
    hu_specific_dim: Dimension
    source_info: SchoolBook | None = Field(None, description="the school book")
    question_en: English = None
    options_en: EnglishTexts = None
    question_zh: Chinese = None
    options_zh: ChineseTexts = None
    extra: Extra = None


class HuStandardFIB(_Row):
    """Sentences with blanks and no pool. One published row numbers its gold from 1, its questions from 0."""

    TWINS = ("instruction", "questions", "answers")
    qid: Qid
    instruction: Text = Field(description="what to fill in")
    questions: Texts = Field(description="the sentences; blanks are written #0#, #1#, …")
    answers: list[WordAnswer] = Field(min_length=1, description="gold; alternatives are split by ;  #3#menlevél;levél")
    hu_specific_dim: Dimension
    source_info: SchoolBook | None = Field(None, description="the school book")
    instruction_en: English = None
    questions_en: EnglishTexts = None
    answers_en: EnglishTexts = None
    instruction_zh: Chinese = None
    questions_zh: ChineseTexts = None
    answers_zh: ChineseTexts = None
    extra: Extra = None


class Proverb(BaseModel):
    """The proverb behind a HuProverbRea question and what it means."""

    model_config = ConfigDict(strict=True, extra="ignore")
    proverb: Text = Field(description="the proverb, idiom, abbreviation or slang word, in Hungarian")
    en_trans: str | None = Field(None, description="word-for-word translation; null in 402 published rows")
    en_expl: str = Field(description="meaning, in English")
    hu_expl: str = Field(description="meaning, in Hungarian")
    source_id: str | None = Field(None, description="upstream's number of the proverb")
    data_source: str | None = Field(None, description="address of the collection, or manual_collection")


class HuProverbRea(_Row):
    """A proverb used in a short talk, and two readings of it. One published row has two equal readings."""

    TWINS = ("question", "context", "options")
    qid: Qid
    question: Text = Field(description="what the speaker means; English, with the proverb in Hungarian")
    context: list[str] = Field(min_length=1, max_length=3, description="the lines of the talk")
    options: list[str] = Field(min_length=2, max_length=2, description="the two readings")
    answer: int = Field(ge=0, le=1, description="which of the options is right, counted from 0")
    hu_specific_dim: Dimension
    source_info: Proverb = Field(description="the proverb and its meaning")
    question_en: English = None
    context_en: EnglishTexts = None
    options_en: EnglishTexts = None
    question_zh: Chinese = None
    context_zh: ChineseTexts = None
    options_zh: ChineseTexts = None
    question_in_context: str | None = Field(
        None, description="the talk and the question as one text: what `eval.yaml` asks; made by the conversion"
    )
    extra: Extra = None

    @model_validator(mode="after")
    def _put_in_context(self) -> HuProverbRea:
        self.question_in_context = "\n".join([*self.context, "", self.question])
        return self


class HuSimpleQA(_Row):
    """A short question of fact and its answer."""

    qid: Qid
    question: Text = Field(description="the question")
    answer: Text = Field(description="gold, a few words")
    hu_specific_dim: Dimension = Field(validation_alias=AliasChoices("hu_specific_dim", "primary_tag"))
    question_en: English = None
    answer_en: English = None
    question_zh: Chinese = None
    answer_zh: Chinese = None
    extra: Extra = None


class Turn(BaseModel):
    """One message of a HuWildBench session; the first holds the question."""

    model_config = ConfigDict(strict=True, extra="ignore")
    content: Text = Field(description="the text, as the forum has it")
    role: str | None = Field(None, description="who speaks, such as user")


class HuWildBench(_Row):
    """A question from a Hungarian forum, with a checklist for the judge."""

    ID = "session_id"
    qid: Qid = Field(validation_alias=AliasChoices("session_id", "qid"))
    turn: list[Turn] = Field(min_length=1, description="the messages; the first holds the question")
    checklist: list[str] = Field(description="what a good answer has, in English; may be empty")
    hu_specific_dim: Dimension = Field(validation_alias=AliasChoices("primary_tag", "hu_specific_dim"))
    secondary_tag: list[str] | None = Field(None, description="the forum's finer topics")
    turn_en: list[Turn] | None = Field(None, description="in English")
    turn_zh: list[Turn] | None = Field(None, description="in Chinese")
    extra: Extra = None


MODELS: dict[str, type[_Row]] = {
    model.__name__: model for model in (HuMatchingFIB, HuStandardFIB, HuProverbRea, HuSimpleQA, HuWildBench)
}

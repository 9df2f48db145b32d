"""Toybench (written for the tests): a generated, a log-likelihood and a judged task."""

from __future__ import annotations

from pathlib import Path

from hueval_metrics.declare import Family, Strata, Task
from hueval_metrics.metric import by_stratum
from hueval_metrics.summary import Summary, parts_of
from lm_eval_tasks.toybench.metrics import EXACT_MATCH, MCC, WEIGHTED_F1

_HERE = "lm_eval_tasks.toybench"
_GENRES = {"krími": "crime", "mese": "tale"}
_BASELINES = {"first": f"{_HERE}.baselines.first", "random": f"{_HERE}.baselines.at_random"}

FAMILY = Family(
    name="toybench",
    title="Toybench",
    folder=Path(__file__).parent,
    prefixes=("toybench_",),
    tasks={
        "toybench_reviews": Task(
            "ToyReviews",
            headline={"mcc": "MCC", "weighted_f1": "wF1"},
            metrics={
                "mcc": MCC,
                "weighted_f1": WEIGHTED_F1,
                "exact_match": EXACT_MATCH,
                **by_stratum("mcc", MCC, tuple(_GENRES.values())),
            },
            key=("review",),
            cluster="film",
            answer=f"{_HERE}.hooks.guess",
            reading=f"{_HERE}.hooks.review_reading",
            baselines=_BASELINES,
        ),
        "toybench_riddles": Task(
            "ToyRiddles",
            headline={"exact_match": "EM"},
            metrics={"exact_match": EXACT_MATCH},
            key=("riddle",),
            cluster="riddle",
            baselines={"last": f"{_HERE}.baselines.last"},
            output_type="multiple_choice",
        ),
        "toybench_letters": Task(
            "ToyLetters",
            headline={"helpful": "Help"},
            metrics={"helpful": EXACT_MATCH, "judge_coverage": EXACT_MATCH},
            key=("letter",),
            cluster="letter",
            rubric=f"{_HERE}.rubrics.toyletters",
            by_rule=("judge_coverage",),
            rated=f"{_HERE}.hooks.letters_rated",
            baselines=_BASELINES,
        ),
    },
    documents=f"{_HERE}.documents.documents",
    prompt=f"{_HERE}.documents.prompt",
    variants={"prompt_lang": ("hu", "en")},
    strata=Strata(
        "genre",
        field="genre",
        titles={"crime": {"en": "Crime", "hu": "Krími"}, "tale": {"en": "Tale", "hu": "Mese"}},
        code=_GENRES.get,
    ),
    summaries=(
        Summary(
            "toy_mean",
            "Toy mean",
            parts_of(("toybench_reviews", "exact_match"), ("toybench_riddles", "exact_match")),
        ),
    ),
    data="toybench",
    commands={"genres": f"{_HERE}.commands.genres"},
    citation="@misc{toybench, title = {Toybench}}",
)

"""OpenHuEval (Yang et al. 2025, arXiv:2503.21500): five data sets, six tasks."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hf_datasets.openhueval.dimensions import DIMENSIONS, dimension_code
from hueval_metrics.declare import Counterpart, Family, Strata, Task
from hueval_metrics.metric import by_stratum
from hueval_metrics.metrics.basic import N_ITEMS, PERCENT, POOLED
from hueval_metrics.metrics.confidence import BRIER, ECE
from hueval_metrics.metrics.judged import rate_metrics
from hueval_metrics.metrics.simple_qa import CORRECT_GIVEN_ATTEMPTED, F_SCORE
from hueval_metrics.traced import Traces
from hueval_metrics.words.texts import Words
from lm_eval_tasks.openhueval.metrics.two_choice import N_SINGLE_ORDER, PAIR_ACCURACY, POSITION_BIAS, SINGLE_ACCURACY
from lm_eval_tasks.openhueval.metrics.wb_score import WB_SCORE, WB_SCORE_REF

_HERE = "lm_eval_tasks.openhueval"
_FOLDER = Path(__file__).parent
_WORDS = Words(_FOLDER / "words", "family")
_task = partial(Task, baselines={"first": f"{_HERE}.baselines.first", "random": f"{_HERE}.baselines.at_random"})
FIB_DIMENSIONS = ("l", "h")  # Table 3: both fill-in-the-blank tasks cover Language and History only
WILD_BENCH_DIMENSIONS = ("lcc", "ep", "ppl", "bf")  # Table 3

_LESS = PERCENT.but(better="lower")
_JUDGED = rate_metrics("hungarian_rate")
_FIB = {
    "blank_acc": POOLED,
    "question_acc": PERCENT,
    "parse_rate": PERCENT,
    "blank_parse_rate": POOLED,
    "truncated_rate": _LESS,
    "blank_acc_ref": POOLED,
    "question_acc_ref": PERCENT,
    **by_stratum("blank_acc", POOLED, FIB_DIMENSIONS),
}

HUWILDBENCH = _task(
    "HuWildBench",
    headline={"wb_score": "WBScore"},
    at_length="wb_score",
    metrics={
        "wb_score": WB_SCORE,
        "wb_score_racka": WB_SCORE,
        "wb_score_ref": WB_SCORE_REF,
        "default_score_rate": _LESS,
        **_JUDGED,
        **by_stratum("wb_score", WB_SCORE, WILD_BENCH_DIMENSIONS),
    },
    rubric=f"{_HERE}.rubrics.huwildbench",
    by_rule=("default_score_rate", *_JUDGED),
    rated=f"{_HERE}.hooks_judged.huwildbench_rated",
    answer=f"{_HERE}.hooks_judged.wild_bench_answer",
    untemplated=f"{_HERE}.wild_bench.without_template",
    opencompass=r"life_?qa|wild_?bench",
)
HUSIMPLEQA = _task(
    "HuSimpleQA",
    headline={"correct": "Acc"},
    metrics={
        "correct": PERCENT,
        "incorrect": _LESS,
        "not_attempted": _LESS,
        "correct_given_attempted": CORRECT_GIVEN_ATTEMPTED,
        "f_score": F_SCORE,
        "ece": ECE,
        "n_confidence": N_ITEMS,
        "brier": BRIER,
        **_JUDGED,
        **by_stratum("correct", PERCENT, tuple(DIMENSIONS)),
    },
    rubric=f"{_HERE}.rubrics.husimpleqa",
    by_rule=tuple(_JUDGED),
    rated=f"{_HERE}.hooks_judged.husimpleqa_rated",
    answer=f"{_HERE}.hooks_judged.simple_answer",
    reading=f"{_HERE}.hooks_judged.simple_reading",
    opencompass=r"(?:\b|_|hu)simple_?qa",
)
HUPROVERBREA_OE = _task(
    "HuProverbRea (OE)",
    config="huproverbrea",
    headline={"acc": "Acc. (OE)"},
    metrics={"acc": PERCENT, "acc_ref": PERCENT, "unreadable_rate": _LESS, **_JUDGED},
    group="HuProverbRea",
    rubric=f"{_HERE}.rubrics.huproverbrea_oe",
    by_rule=("unreadable_rate", *_JUDGED),
    rated=f"{_HERE}.hooks_judged.huproverbrea_oe_rated",
    answer=f"{_HERE}.hooks_judged.oe_answer",
    opencompass=r"proverb.*oe",
)
HUPROVERBREA_2CQ = _task(
    "HuProverbRea (2CQ)",
    config="huproverbrea",
    headline={"acc": "Acc. (2CQ)"},
    metrics={
        "acc": PAIR_ACCURACY,
        "acc_single": SINGLE_ACCURACY,
        "position_bias": POSITION_BIAS,
        "parse_rate": PERCENT,
        "truncated_rate": _LESS,
        "n_single_order": N_SINGLE_ORDER,
        "acc_ref": PAIR_ACCURACY,
    },
    group="HuProverbRea",
    key=("qid", "correct_option"),
    labels="acc_single",  # by presentation
    chance=0.25,  # both orders right: half of half
    answer=f"{_HERE}.hooks.chosen_option",
    form=("1", "2"),
    reading=f"{_HERE}.hooks.chosen",
    opencompass=r"proverb.*2cq",
    opencompass_key=f"{_HERE}.hooks.two_choice_key",
)
_blanks = partial(
    _task,
    headline={"blank_acc": "B acc.", "question_acc": "Q acc."},
    item=f"{_HERE}.hooks.blank_columns",
    parts=("blanks_correct", "blanks_total"),
)
HUMATCHINGFIB = _blanks(
    "HuMatchingFIB",
    metrics=_FIB,
    answer=f"{_HERE}.hooks.matching_texts",
    reading=f"{_HERE}.hooks.matching_reading",
    marked=f"{_HERE}.hooks.matching_marked",
    form="answer",
    opencompass=r"matching_?fib",
)
HUSTANDARDFIB = _blanks(
    "HuStandardFIB",
    # The reference counts every matching alternative, so that gold itself scores 118.7 %.
    metrics={**_FIB, "blank_acc_ref": POOLED.but(may_exceed=True)},
    answer=f"{_HERE}.hooks.standard_texts",
    reading=f"{_HERE}.hooks.standard_reading",
    marked=f"{_HERE}.hooks.standard_marked",
    form="answers",
    opencompass=r"standard_?fib",
)

FAMILY = Family(
    name="openhueval",
    title="OpenHuEval",
    folder=_FOLDER,
    prefixes=("openhueval_",),
    tasks={  # in the order of the paper's Table 5
        "openhueval_huwildbench": HUWILDBENCH,
        "openhueval_husimpleqa": HUSIMPLEQA,
        "openhueval_huproverbrea_oe": HUPROVERBREA_OE,
        "openhueval_huproverbrea_2cq": HUPROVERBREA_2CQ,
        "openhueval_humatchingfib": HUMATCHINGFIB,
        "openhueval_hustandardfib": HUSTANDARDFIB,
    },
    documents=f"{_HERE}.documents.documents",
    prompt=f"{_HERE}.documents.prompt",
    languages=("hu",),
    libraries=("lm_eval", "rapidfuzz", "json_repair"),
    letters={"õ": "ő", "û": "ű", "Õ": "Ő", "Û": "Ű"},  # ISO 8859-1 has no ő, ű and shows õ, û
    variants={
        "prompt_lang": ("en", "hu"),
        "question_lang": ("hu", "en", "zh"),
        "oe_reference": ("option", "explanation"),
        "wildbench_prompt": ("racka", "original", "base"),
    },
    strata=Strata(
        "dimension",
        field="hu_specific_dim",
        titles={code: _WORDS.later(f"dimension.{code}") for code in DIMENSIONS},
        code=dimension_code,
    ),
    data="openhueval",
    published=_FOLDER / "published",
    traces={  # §4: thoughts of short questions, segments of fill-in questions with options
        "openhueval_husimpleqa": Traces(
            steps=("thoughts",),
            question=f"{_HERE}.traces.simple_question",
            reference=f"{_HERE}.traces.simple_reference",
            stated=f"{_HERE}.traces.simple_stated",
        ),
        "openhueval_huproverbrea_2cq": Traces(stated=f"{_HERE}.traces.two_choice_stated"),
        "openhueval_humatchingfib": Traces(
            steps=("segments",), asked=f"{_HERE}.traces.matching_asked", stated=f"{_HERE}.traces.matching_stated"
        ),
        "openhueval_hustandardfib": Traces(stated=f"{_HERE}.traces.standard_stated"),
    },
    counterparts={  # §3.4
        "maps": Counterpart("MAPS", "openhueval_huproverbrea_2cq", "acc", _WORDS.later("source.maps")),
        "simpleqa": Counterpart("SimpleQA", "openhueval_husimpleqa", "correct", _WORDS.later("source.simpleqa")),
    },
    figures=(f"{_HERE}.figures.blanks.Blanks", f"{_HERE}.figures.wb_scores.WBScores"),
    legend=_WORDS.later("legend"),
    citation="""\
@misc{yang2025openhueval,
  title  = {OpenHuEval: Evaluating Large Language Model on Hungarian Specifics},
  author = {Yang, Haote and Wei, Xingjian and Wu, Jiang and Ligeti-Nagy, Noémi and others},
  year   = {2025},
  eprint = {2503.21500},
  archivePrefix = {arXiv}
}""",
    site=_FOLDER / "site.yaml",
    urls=("https://arxiv.org/abs/2503.21500", "https://github.com/opendatalab/OpenHuEval"),
)

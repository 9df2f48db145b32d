"""KoLasSimpleQA (Jiang et al. 2025, arXiv:2505.16591): short questions of fact, nine languages × two domains."""

from __future__ import annotations

from pathlib import Path

from hueval_metrics.declare import Family, Strata, Task
from hueval_metrics.metric import Metric, by_stratum
from hueval_metrics.metrics.basic import N_ITEMS, PERCENT
from hueval_metrics.metrics.confidence import BRIER, ECE
from hueval_metrics.metrics.judged import rate_metrics
from hueval_metrics.metrics.simple_qa import CORRECT_GIVEN_ATTEMPTED, F_SCORE
from hueval_metrics.traced import Traces
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES, PARTS, PIVOT, WORDS
from lm_eval_tasks.kolassimpleqa.metrics import BIDIRECTIONAL, N_PAIRS, N_UNPAIRED
from lm_eval_tasks.kolassimpleqa.summaries import summaries

_HERE = "lm_eval_tasks.kolassimpleqa"
_FOLDER = Path(__file__).parent
DIRECTIONS = ("forward", "reverse")
_LESS = PERCENT.but(better="lower")
_BY_LABEL: dict[str, Metric] = {
    "correct": PERCENT,
    "incorrect": _LESS,
    "not_attempted": _LESS,
    "correct_given_attempted": CORRECT_GIVEN_ATTEMPTED,
    "f_score": F_SCORE,
}
_RATES = rate_metrics("language_rate")
# What the public scorer's rule of reading a verdict gives.
_REFERENCE: dict[str, Metric] = {
    "correct_ref": PERCENT,
    "incorrect_ref": _LESS,
    "not_attempted_ref": _LESS,
    "f_score_ref": F_SCORE,
}
METRICS: dict[str, Metric] = {
    **_BY_LABEL,
    "ece": ECE,
    "ece_attempted": ECE,
    "brier": BRIER,
    "n_confidence": N_ITEMS,
    "bidirectional": BIDIRECTIONAL,
    "n_pairs": N_PAIRS,
    "n_unpaired": N_UNPAIRED,
    **_RATES,
    **_REFERENCE,
    **{
        column: within
        for name, metric in _BY_LABEL.items()
        for column, within in by_stratum(name, metric, DIRECTIONS).items()
    },
}


def _task(language: str, domain: str) -> Task:
    return Task(
        f"KoLasSimpleQA {language} {domain}",
        headline={"f_score": domain},
        metrics=METRICS,
        config=f"{language}_{domain}",
        group=LANGUAGES[language],
        unique=("knowledge_track_id", "is_reverse"),
        part=domain,
        cluster="knowledge_track_id",
        rubric=f"{_HERE}.rubrics.kolassimpleqa",
        by_rule=tuple(_RATES),
        rated=f"{_HERE}.hooks.rated",
        answer=f"{_HERE}.hooks.answer",
        reading=f"{_HERE}.hooks.short_reading",
        baselines={
            policy: f"{_HERE}.baselines.{name}" for policy, name in {"first": "first", "random": "at_random"}.items()
        },
        variants={"question_lang": (language, PIVOT)},
        opencompass=rf"KoLasSimpleQA_{domain}_\d+_{language}_(?P<question_lang>[a-z]+)",
        opencompass_key=f"{_HERE}.documents.opencompass_key",
    )


_TASKS = {f"kolassimpleqa_{language}_{domain}": _task(language, domain) for language in LANGUAGES for domain in DOMAINS}
_TRACES = Traces(  # §4.5, where all languages are counted together, by domain
    steps=("thoughts",),
    question=f"{_HERE}.traces.question",
    reference=f"{_HERE}.traces.reference",
    stated=f"{_HERE}.traces.stated",
    pool="kolassimpleqa",
)
FAMILY = Family(
    name="kolassimpleqa",
    title="KoLasSimpleQA",
    folder=_FOLDER,
    prefixes=("kolassimpleqa_",),
    tasks=_TASKS,
    documents=f"{_HERE}.documents.documents",
    prompt=f"{_HERE}.documents.prompt",
    languages=tuple(LANGUAGES),
    libraries=("lm_eval", "json_repair"),
    variants={"question_lang": (*LANGUAGES, PIVOT)},
    strata=Strata(
        "direction",
        field="is_reverse",
        titles={code: WORDS.later(f"direction.{code}") for code in ("forward", "reverse")},
        code={"False": "forward", "True": "reverse"}.get,
    ),
    summaries=summaries(METRICS),
    parts=PARTS,
    data="kolassimpleqa",
    published=_FOLDER / "published",
    traces=dict.fromkeys(_TASKS, _TRACES),
    figures=(
        f"{_HERE}.figures.maps.Scores",
        f"{_HERE}.figures.bars.Bidirectional",
        f"{_HERE}.figures.bars.CalibrationErrors",
        f"{_HERE}.figures.translation.Translation",
        f"{_HERE}.figures.maps.RankChanges",
    ),
    views={
        "languages": f"{_HERE}.views.languages",
        "calibration": f"{_HERE}.views.calibration",
        "ranks": f"{_HERE}.views.rank_changes",
        "translation": f"{_HERE}.views.translation",
    },
    views_need={
        "languages": "a run of one of its tasks",
        "calibration": "a run of every language of a domain whose answers state a confidence",
        "ranks": "two models asked in the same language of the questions",
        "translation": 'two runs of a model, one of them in English (--metadata \'{"question_lang": "en"}\')',
    },
    legend=WORDS.later("legend"),
    commands={"translate": f"{_HERE}.commands.translate"},
    citation="""\
@misc{jiang2025kolassimpleqa,
  title  = {Evaluating Large Language Model with Knowledge Oriented Language Specific Simple Question Answering},
  author = {Jiang, Bowen and others},
  year   = {2025},
  eprint = {2505.16591},
  archivePrefix = {arXiv}
}""",
    site=_FOLDER / "site.yaml",
    urls=("https://arxiv.org/abs/2505.16591", "https://github.com/opendatalab/KoLasSimpleQA"),
)

"""HKMMLU (Cao et al. 2025, arXiv:2505.02177): 66 subjects in Traditional Chinese, and translation of Cantonese."""

from __future__ import annotations

from pathlib import Path

from hf_datasets.hkmmlu.subjects import SUBJECTS, Subject
from hueval_metrics.declare import ANSWER, Family, Task
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.traced import Traces
from lm_eval_tasks.hkmmlu.metrics import TRANSLATION
from lm_eval_tasks.hkmmlu.summaries import CODES, FORMS, PARTS, WORDS, summaries

_HERE = "lm_eval_tasks.hkmmlu"
_FOLDER = Path(__file__).parent
_LESS = PERCENT.but(better="lower")
GENERATED: dict[str, Metric] = {
    "acc": PERCENT,
    "acc_first_letter": PERCENT,
    "parse_rate": PERCENT,
    "truncated_rate": _LESS,
}
BY_LIKELIHOOD: dict[str, Metric] = {"acc": PERCENT, "acc_norm": PERCENT}
DIRECTIONS = {"yue_to_zh": "Cantonese → Mandarin", "zh_to_yue": "Mandarin → Cantonese"}
IS_CANTONESE = "is_cantonese"  # of translations into Cantonese alone
VARIANTS: dict[str, tuple[str | int, ...]] = {
    "script": ("tc", "sc"),
    "method": ("da", "cot"),
    "shots": tuple(range(6)),
    "cot_layout": ("fig11", "fig22"),
    "units": ("char", "word"),
}
VIEWS = {
    "hkmmlu-1": f"{_HERE}.views.accuracy.scripts",
    "hkmmlu-2": f"{_HERE}.views.translation.translation",
    "hkmmlu-3": f"{_HERE}.views.accuracy.methods",
    "hkmmlu-4": f"{_HERE}.views.people.people",
    "hkmmlu-8": f"{_HERE}.views.accuracy.shots",
    "hkmmlu-9": f"{_HERE}.views.accuracy.examples_of_reasoning",
    "hkmmlu-10": f"{_HERE}.views.benchmarks.benchmarks",
    "hkmmlu-11": f"{_HERE}.views.accuracy.hong_kong",
}
_CHANCE = 0.25  # of four choices
_WHOLE = "of every subject of a category"
VIEWS_NEED = {
    "hkmmlu-1": f'a run {_WHOLE}, and for both of its columns runs in two scripts (--metadata \'{{"script": "sc"}}\')',
    "hkmmlu-2": "a run of hkmmlutr_yue_to_zh or hkmmlutr_zh_to_yue",
    "hkmmlu-3": f'runs {_WHOLE} by two methods (--metadata \'{{"method": "cot"}}\')',
    "hkmmlu-4": "--human FILE, the scores of people",
    "hkmmlu-8": f"runs {_WHOLE} with two shot counts (--metadata '{{\"shots\": 5}}')",
    "hkmmlu-9": f'runs {_WHOLE} with two shot counts (--metadata \'{{"shots": 1}}\', with "method": "cot" or without)',
    "hkmmlu-10": "a run of lm-eval's cmmlu_* or tmmluplus_* tasks beside one of HKMMLU",
    "hkmmlu-11": "a run of every subject that is specific to Hong Kong",
}
_ONE_UNIT = {"units": ("char",)}  # only translations have words


def _generated(subject: Subject) -> Task:
    return Task(
        f"HKMMLU {subject.name}",
        headline={"acc": subject.name},
        metrics=GENERATED,
        group=subject.category,
        part=CODES[subject.category],
        main=("acc",),
        answer=f"{_HERE}.hooks.read",
        form=("A", "B", "C", "D"),
        reading=f"{_HERE}.hooks.letter_reading",
        item=f"{_HERE}.hooks.item",
        labels=ANSWER,
        chance=_CHANCE,
        baselines={policy: f"{_HERE}.baselines.{policy}_letter" for policy in ("first", "random", "abstain")},
        variants=_ONE_UNIT,
    )


def _by_likelihood(subject: Subject) -> Task:
    return Task(
        f"HKMMLU {subject.name} (log-likelihood)",
        headline={"acc": subject.name},
        metrics=BY_LIKELIHOOD,
        group=f"{subject.category} (log-likelihood)",
        part=FORMS["hkmmlull_"] + CODES[subject.category],
        main=("acc",),
        answer=f"{_HERE}.hooks.likeliest",
        labels=ANSWER,
        chance=_CHANCE,
        baselines={"abstain": f"{_HERE}.baselines.abstain_choice"},
        output_type="multiple_choice",
        variants={**_ONE_UNIT, "method": ("da",), "cot_layout": ("fig11",)},
    )


def _translated(direction: str, title: str) -> Task:
    metrics = {
        name: metric for name, metric in TRANSLATION.items() if name != IS_CANTONESE or direction.endswith("yue")
    }
    return Task(
        f"HKMMLU {title}",
        headline={"avg": "avg.", "avg_norm": "avg. norm."},
        metrics=metrics,
        group=title,
        main=("avg", "avg_norm"),
        answer=f"{_HERE}.translation.read",
        reading=f"{_HERE}.translation.reading",
        item=f"{_HERE}.translation.item",
        baselines={policy: f"{_HERE}.baselines.{policy}_translation" for policy in ("first", "random", "abstain")},
        libraries=("opencc", "sacrebleu", "pycantonese" if direction.endswith("yue") else "jieba"),
        variants={"script": ("tc",), "method": ("da",), "shots": (0,), "cot_layout": ("fig11",)},
    )


FAMILY = Family(
    name="hkmmlu",
    title="HKMMLU",
    folder=_FOLDER,
    prefixes=(*FORMS, "hkmmlutr_"),
    tasks={
        **{f"hkmmlu_{name}": _generated(subject) for name, subject in SUBJECTS.items()},
        **{f"hkmmlull_{name}": _by_likelihood(subject) for name, subject in SUBJECTS.items()},
        **{f"hkmmlutr_{name}": _translated(name, title) for name, title in DIRECTIONS.items()},
    },
    documents=f"{_HERE}.documents.documents",
    shared=f"{_HERE}.examples.shared",
    prompt=f"{_HERE}.documents.prompt",
    languages=("zh", "yue"),
    variants=VARIANTS,
    signed=tuple(VARIANTS),
    parts=PARTS,
    traces={f"hkmmlu_{name}": Traces(pool="hkmmlu") for name in SUBJECTS},  # counted together, by category
    summaries=summaries(dict(zip(FORMS, (GENERATED, BY_LIKELIHOOD), strict=True))),
    data="hkmmlu",
    views=VIEWS,
    views_need=VIEWS_NEED,
    on_page=tuple(name for name in VIEWS if name != "hkmmlu-4"),  # which needs a file of people's scores
    beside=("cmmlu_", "tmmluplus_"),
    published=_FOLDER / "published",
    figures=(
        f"{_HERE}.figures.subjects.BestTwo",
        f"{_HERE}.figures.benchmarks.Benchmarks",
        f"{_HERE}.figures.subjects.Maps",
        f"{_HERE}.figures.shots.Shots",
        f"{_HERE}.figures.lengths.ByLength",
        f"{_HERE}.figures.lengths.DataLengths",
    ),
    legend=WORDS.later("legend"),
    citation="""\
@misc{cao2025hkmmlu,
  title  = {Measuring Hong Kong Massive Multi-Task Language Understanding},
  author = {Cao, Chuxue and Zhu, Zhenghao and Zhu, Junqi and Lu, Guoying and Peng, Siyu and Dai, Juntao and
            Shi, Weijie and Han, Sirui and Guo, Yike},
  year   = {2025},
  eprint = {2505.02177},
  archivePrefix = {arXiv}
}""",
    site=_FOLDER / "site.yaml",
    urls=("https://arxiv.org/abs/2505.02177", "https://huggingface.co/datasets/chuxuecao/HKMMLU"),
)

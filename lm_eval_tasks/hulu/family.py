"""HuLU (Ligeti-Nagy et al., LREC-COLING 2024): its corpora, each by log-likelihood and by generation."""

from __future__ import annotations

from pathlib import Path

from hueval_metrics.declare import Family, Task
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.words.texts import Words
from lm_eval_tasks.hulu.corpora import CORPORA, Corpus
from lm_eval_tasks.hulu.metrics import OF_CLASSES

_HERE = "lm_eval_tasks.hulu"
_FOLDER = Path(__file__).parent
_WORDS = {policy: f"{_HERE}.baselines.{policy}" for policy in ("first", "random", "majority")}
_CHOICES = {"majority": f"{_HERE}.baselines.majority_choice"}
_NAMES = {"first": f"{_HERE}.baselines.first_name", "random": f"{_HERE}.baselines.random_name"}
_HEADINGS = {"mcc": "MCC", "acc": "Acc", "f1_weighted": "wF1"}
_GENERATED = {"parse_rate": PERCENT, "truncated_rate": PERCENT.but(better="lower")}


def _metrics(name: str, corpus: Corpus) -> dict[str, Metric]:
    """The metrics of a corpus, the paper's first."""
    found = OF_CLASSES[len(corpus.labels)]
    found = {corpus.headline: found[corpus.headline], **found}
    if name == "hucopa":
        found |= {f"mcc_{question}": found["mcc"] for question in ("cause", "effect")}
    return found


def _task(name: str, corpus: Corpus, *, generates: bool) -> Task:
    metrics = _metrics(name, corpus)
    if generates:
        metrics |= _GENERATED
    elif name == "hucopa":
        metrics["mcc_norm"] = metrics["mcc"]
    else:
        metrics |= {f"label_bias_{label}": PERCENT.but(better=None, is_sampled=False) for label in corpus.labels}
    return Task(
        f"{corpus.title} (generated)" if generates else corpus.title,
        headline={corpus.headline: _HEADINGS[corpus.headline]},
        metrics=metrics,
        key=("qid", "split"),
        answer=f"{_HERE}.hooks.{'read_label' if generates else 'likeliest_label'}",
        reading=f"{_HERE}.hooks.label_reading" if generates else None,
        labels="acc",
        chance={"mcc": 0.0, "acc": 1 / len(corpus.labels)}.get(corpus.headline),  # weighted F1: no single number
        form=tuple(corpus.words.values()) if generates else None,
        baselines=_WORDS if generates else _CHOICES,
        output_type="generate_until" if generates else "multiple_choice",
    )


def _hurc(*, generates: bool) -> Task:
    metrics = dict.fromkeys(("em", "f1", "em_suffix"), PERCENT)
    return Task(
        "HuRC (generated)" if generates else "HuRC",
        headline={"em": "EM"},
        metrics=metrics | (_GENERATED if generates else {"candidate_recall": PERCENT}),
        key=("qid", "split"),
        by_name=True,
        cluster="article_id",
        answer=f"{_HERE}.hurc.{'read_name' if generates else 'likeliest_name'}",
        reading=f"{_HERE}.hurc.name_reading" if generates else None,
        chance=None if generates else f"{_HERE}.hurc.chance",
        baselines=_NAMES if generates else {},
        output_type="generate_until" if generates else "multiple_choice",
    )


FAMILY = Family(
    name="hulu",
    title="HuLU",
    folder=_FOLDER,
    prefixes=("hulu_", "hulugen_"),
    tasks={
        **{f"hulu_{name}": _task(name, corpus, generates=False) for name, corpus in CORPORA.items()},
        "hulu_hurc": _hurc(generates=False),
        **{f"hulugen_{name}": _task(name, corpus, generates=True) for name, corpus in CORPORA.items()},
        "hulugen_hurc": _hurc(generates=True),
    },
    documents=f"{_HERE}.documents.documents",
    prompt=f"{_HERE}.documents.prompt",
    variants={"split": ("validation", "test"), "prompt": (1, 2, 3)},
    data="hulu",
    published=_FOLDER / "published",
    commands={name: f"{_HERE}.commands.{name}" for name in ("package", "check", "score")}
    | {"finetune": f"{_HERE}.finetune.main"},
    legend=Words(_FOLDER / "words", "family").later("legend"),
    citation="""\
@inproceedings{ligeti-nagy-etal-2024-hulu,
  title     = {{HuLU}: {H}ungarian Language Understanding Benchmark Kit},
  author    = {Ligeti-Nagy, Noémi and Ferenczi, Gergő and Héja, Enikő and Laki, László János and Vadász, Noémi and
               Yang, Zijian Győző and Váradi, Tamás},
  booktitle = {Proceedings of LREC-COLING 2024},
  year      = {2024}
}""",
    site=_FOLDER / "site.yaml",
    urls=("https://aclanthology.org/2024.lrec-main.733/", "https://hulu.nytud.hu"),
)

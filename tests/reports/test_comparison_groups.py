"""Groups of models, and ranks beside other benchmarks, in words."""

from __future__ import annotations

from hueval_metrics.comparison.against import among_published, rank_changes
from hueval_metrics.comparison.compare import compare_runs
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.reports.comparison import render
from lm_eval_tasks.openhueval.family import FAMILY
from tests.comparison.conftest import QA, fib_rows, make_run, qa_rows, two_rows  # noqa: F401


def test_groups_of_models_in_words(make_run):  # noqa: F811
    outcomes = {"Deepseek-R1": 30, "Deepseek-V3": 20, "GPT-4o": 25, "QwQ": 15}
    outcomes |= {"Llama-3.1-Instruct-70B": 18, "Llama-3.1-Instruct-8B": 8}
    runs = [make_run(label, qa_rows("1" * n + "0" * (40 - n))) for label, n in outcomes.items()]
    text = render(compare_runs(runs, CompareOptions(models=FAMILY.published / "model_cards.yaml")), "text", width=200)
    assert "Reasoning against base: Deepseek-R1 75.0 against Deepseek-V3 50.0: +25.0 points [" in text
    assert "], +50.0 % relative [" in text
    assert (
        "Larger against smaller: Llama-3.1-Instruct-70B 45.0 against Llama-3.1-Instruct-8B 20.0: +25.0 points [" in text
    )
    assert "Open against closed: 5 models with a mean of 45.5 against GPT-4o 62.5: -17.0 points [" in text
    assert "By size, 3 models: +" in text


def test_ranks_beside_the_published_and_another_benchmark(make_run):  # noqa: F811
    runs = [make_run(label, qa_rows(text)) for label, text in {"GPT-4o": "1110", "QwQ": "1000", "mine": "1100"}.items()]
    comparison = compare_runs(runs)
    published = [found for metric in comparison.metrics if (found := among_published(metric))]
    text = render(comparison, "text", against=rank_changes(comparison, "simpleqa"), published=published, width=140)
    lines = text.splitlines()
    assert "HuSimpleQA, correct, against simpleqa" in lines
    assert (
        "  0 of 2 models have another rank than in simpleqa (0 %); the ranks differ by 0.0 positions on average."
        in lines
    )
    assert "  Only here, left out: mine." in lines
    table = lines[lines.index("Ranks among the published") :]
    rows = [line.split() for line in table if line.startswith(("GPT-4o ", "mine "))]
    assert rows == [["GPT-4o", "1"], ["mine", "3"], ["GPT-4o", "published", "2"]]


def test_moves_are_named(make_run):  # noqa: F811
    runs = [
        make_run(label, qa_rows(text)) for label, text in {"GPT-4o": "1000", "QwQ": "1110", "o1-mini": "1100"}.items()
    ]
    comparison = compare_runs(runs)
    text = render(comparison, "text", against=rank_changes(comparison, "simpleqa"), width=140)
    assert "  3 of 3 models have another rank than in simpleqa (100 %); the ranks differ by 1.3 positions" in text
    assert "  Here higher than there, by positions: QwQ (1), o1-mini (1).\n" in text
    assert "  Here lower than there, by positions: GPT-4o (2).\n" in text

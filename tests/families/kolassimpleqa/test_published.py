"""The published figures against the paper's text, and against one another by our own functions."""

from __future__ import annotations

import csv
from itertools import product

import numpy as np
import pytest

from hf_datasets.kolassimpleqa.schema import LANGUAGES as CODES
from hf_datasets.kolassimpleqa.schema import PRINTED as TABLE_2
from hueval_metrics.comparison.published import published_tables
from hueval_metrics.metrics import simple_qa
from hueval_metrics.stats.model_cards import read_model_cards
from hueval_metrics.summary import mean
from lm_eval_tasks.kolassimpleqa.family import FAMILY
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES
from tests.each import each
from tests.helpers import shared

F_SCORES, ECE, AVG_ECE, CORRECT, NOT_ATTEMPTED, INCORRECT, GIVEN_ATTEMPTED = (
    table.scores for table in published_tables(FAMILY)
)
SHARES = {"correct": CORRECT, "incorrect": INCORRECT, "not_attempted": NOT_ATTEMPTED}
CUT = 0.00501  # how far a figure printed with two decimals may be from the exact one
BLOCKS = {  # the order in which the paper's text has them; each is printed in two parts
    "f_score": ("table3", "table4"),
    "correct": ("table15", "table16"),
    "not_attempted": ("table17", "table18"),
    "incorrect": ("table19", "table20"),
    "correct_given_attempted": ("table21", "table22"),
}
CELLS = [f"{language}_{domain}" for language, domain in product(LANGUAGES, DOMAINS)]
PRINTED = {f"{code}_{domain}": n for domain in DOMAINS for code, n in zip(CODES, TABLE_2[domain], strict=True)}
ON_95 = "zh_specific"  # scored on one answer fewer than Table 2 counts


def rows(name: str) -> list[dict[str, str]]:
    with (FAMILY.published / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def n_of(cell: str) -> int:
    return PRINTED[cell] - (cell == ON_95)


def counts(model: str, cell: str) -> dict[str, int]:
    """How many answers of a cell have each label."""
    return {
        name: round(table[model][f"kolassimpleqa_{cell}"][name] * n_of(cell) / 100) for name, table in SHARES.items()
    }


@each(("metric", "place"), [(metric, place) for place, metric in enumerate(BLOCKS)])
def test_tables_are_as_printed(metric, place):
    text = shared("papers", "kolassimpleqa.txt").read_text(encoding="utf-8").split("\n")
    for name, head in zip(BLOCKS[metric], ("zh ko th ar vi ", "cs hu ru sr avg. "), strict=True):
        block = [line for line in text if line.startswith(f"{head}general")][place]
        printed = block.removeprefix(head + "general specific " * len(head.split())).split()
        ours = rows(name)
        assert len(ours) == 12
        header = [f"kolassimpleqa_{code}_{domain}/{metric}" for code in head.split() for domain in DOMAINS]
        average = [f"avg. {domain}" for domain in DOMAINS]
        assert list(ours[0])[1:] == [*header[:-2], *average] if "avg" in head else header
        width = len(ours[0])
        for at, row in enumerate(ours):
            own = printed[at * width : (at + 1) * width]
            assert (row["model"], [float(one) for one in list(row.values())[1:]]) == (own[0], [*map(float, own[1:])])


def test_table_23_is_as_printed():
    text = shared("papers", "kolassimpleqa.txt").read_text(encoding="utf-8").split("\n")
    start = next(at for at, line in enumerate(text) if line.startswith("tran_en | direct | tran_en"))
    printed = [[one.strip() for one in line.split("|")] for line in text[start + 1 : start + 14]]
    for name, specific_en, specific, general_en, general, mece, *_ in printed[:12]:
        assert ECE[name]["kolassimpleqa"] == {
            "ece_pooled_general": float(general),
            "ece_pooled_specific": float(specific),
            "mece": float(mece),
        }
        assert ECE[f"{name} (tran_en)"]["kolassimpleqa"] == {
            "ece_pooled_general": float(general_en),
            "ece_pooled_specific": float(specific_en),
        }
    assert len(ECE) == 24
    assert printed[12][0] == "AvgECE"


@each("cell", CELLS)
def test_every_share_is_a_whole_number_of_answers(cell):
    for model, (name, table) in product(F_SCORES, SHARES.items()):
        share = table[model][f"kolassimpleqa_{cell}"][name]
        assert 100 * counts(model, cell)[name] / n_of(cell) == pytest.approx(share, abs=CUT)
    for model in F_SCORES:
        assert sum(counts(model, cell).values()) == n_of(cell)


def test_chinese_specific_does_not_fit_the_printed_count():
    table = [tasks[f"kolassimpleqa_{ON_95}"]["correct"] for tasks in CORRECT.values()]
    assert PRINTED[ON_95] == 96
    assert all(abs(100 * round(share * 96 / 100) / 96 - share) > CUT for share in table)


@each("cell", CELLS)
def test_f_and_cga_follow_from_the_counts(cell):
    for model in F_SCORES:
        labels = [label for name, n in counts(model, cell).items() for label in [name.upper()] * n]
        f_score = simple_qa.F_SCORE([simple_qa.f_term(label) for label in labels])
        given = simple_qa.CORRECT_GIVEN_ATTEMPTED([simple_qa.attempted_term(label) for label in labels])
        task = f"kolassimpleqa_{cell}"
        assert f_score == pytest.approx(F_SCORES[model][task]["f_score"], abs=CUT)
        assert given == pytest.approx(GIVEN_ATTEMPTED[model][task]["correct_given_attempted"], abs=CUT)


@each("metric", BLOCKS)
def test_printed_averages_are_those_of_nine_in_the_general_domain_only(metric):
    table = {"f_score": F_SCORES, "correct_given_attempted": GIVEN_ATTEMPTED, **SHARES}[metric]
    gaps = {domain: [] for domain in DOMAINS}
    for row in rows(BLOCKS[metric][1]):
        for domain in DOMAINS:
            ours = table[row["model"]]["kolassimpleqa"][f"{metric}_{domain}"]
            gaps[domain].append(float(row[f"avg. {domain}"]) - ours)
    assert max(map(abs, gaps["general"])) < CUT
    beyond = {  # lowest and highest
        "f_score": (1.6, 2.8),
        "correct": (1.2, 2.6),
        "not_attempted": (-1.2, 0.7),
        "incorrect": (-2.6, -1.0),
        "correct_given_attempted": (1.8, 3.8),
    }[metric]
    assert (min(gaps["specific"]), max(gaps["specific"])) == pytest.approx(beyond, abs=0.05)


def test_mece_is_the_mean_of_the_four_errors_of_a_model():
    (mece,) = [one for one in FAMILY.summaries if one.name == "mece"]
    for model in F_SCORES:
        parts = [
            ECE[name]["kolassimpleqa"][f"ece_pooled_{domain}"]
            for domain in DOMAINS
            for name in (model, f"{model} (tran_en)")
        ]
        # Each part is rounded as well: their mean is half a hundredth off at most.
        assert mece.combine(np.array(parts)) == pytest.approx(ECE[model]["kolassimpleqa"]["mece"], abs=2 * CUT)


@each("setting", ["", " (tran_en)"])
@each("domain", DOMAINS)
def test_avg_ece_is_the_mean_over_the_twelve_models(setting, domain):
    name = f"ece_pooled_{domain}"
    column = [ECE[model + setting]["kolassimpleqa"][name] for model in F_SCORES]
    assert mean(np.array(column)) == pytest.approx(AVG_ECE[f"AvgECE{setting}"]["kolassimpleqa"][name], abs=2 * CUT)


def test_each_model_has_a_card():
    cards = read_model_cards(FAMILY.published / "model_cards.yaml")
    assert set(cards) == set(F_SCORES)
    assert sum(card.reasoning for card in cards.values()) == 5  # §4.3


def test_columns_are_metrics_and_summaries_of_ours():
    names = {one.name for one in FAMILY.summaries}
    for table in published_tables(FAMILY):
        for task, metric in table.columns:
            assert metric in (names if task == FAMILY.name else FAMILY.tasks[task].metrics)

"""The published figures against the paper's text, and against one another."""

from __future__ import annotations

import re

import numpy as np
import pytest

from hf_datasets.openhueval.published import ROWS
from hueval_metrics.comparison.published import published_benchmarks, published_ranks, published_tables
from hueval_metrics.errors import InputError
from hueval_metrics.registry import task_spec
from hueval_metrics.reports.columns import headlines
from hueval_metrics.stats.contrasts import larger_against_smaller, open_against_closed, reasoning_against_base
from hueval_metrics.stats.joint import JointScores
from hueval_metrics.stats.model_cards import read_model_cards
from hueval_metrics.stats.ranks import rank_change, ranks
from hueval_metrics.traces.published import published_traces
from hueval_metrics.traces.segments.measures import MEASURES
from lm_eval_tasks.openhueval.family import FAMILY
from tests.each import each
from tests.helpers import load_cases, shared, why

TABLE5, TABLE11 = (table.scores for table in published_tables(FAMILY))
COLUMNS = headlines([FAMILY])
OURS = ("huproverbrea", "husimpleqa")  # columns of ranks.csv that are no other benchmark's
CUT = 0.00501  # how far a figure printed with two decimals may be from the exact one
NAMES = {"Llama-3.1-8B-Instruct": "Llama-3.1-Instruct-8B", "Llama-3.1-70B-Instruct": "Llama-3.1-Instruct-70B"}


def model_cards():
    return read_model_cards(FAMILY.published / "model_cards.yaml")


def column(task: str, metric: str) -> JointScores:
    scores = np.array([tasks[f"openhueval_{task}"][metric] for tasks in TABLE5.values()])
    return JointScores(tuple(TABLE5), scores, scores[None, :])


def paper_table(*header: str) -> list[list[str]]:
    """The rows under a header in the paper's text, the header left out."""
    lines = shared("papers", "openhueval.txt").read_text(encoding="utf-8").split("\n")
    start = lines.index("\t".join(header)) + 1
    end = next(place for place in range(start, len(lines)) if not lines[place].strip())
    return [line.split("\t") for line in lines[start:end]]


def test_table_5_is_as_printed():
    rows = paper_table("", "WBScore", "Acc", "Acc. (OE)", "Acc. (2CQ)", "B acc.", "Q acc.", "B acc.", "Q acc.")
    printed = {row[0]: [float(figure) for figure in row[1:]] for row in rows}
    assert {model: [tasks[task][metric] for task, metric, *_ in COLUMNS] for model, tasks in TABLE5.items()} == printed
    assert len(printed) == 10


def test_table_11_is_as_printed_with_the_7b_under_its_own_name():
    rows = paper_table("model", "correct", "incorrect", "not_attempted", "correct given attempted", "F-Score")
    assert [row[0] for row in rows].count("Qwen2.5-72B-Instruct") == 2
    assert next(row for row in rows if row[0] == "Qwen2.5-72B-Instruct")[1] == "5.29"
    printed = {}
    for name, *figures in rows:
        size = "7B" if figures[0] == "5.29" else "72B"
        model = f"Qwen2.5-Instruct-{size}" if name.startswith("Qwen2.5") else NAMES.get(name, name)
        printed[model] = [float(figure) for figure in figures]
    assert {model: list(tasks["openhueval_husimpleqa"].values()) for model, tasks in TABLE11.items()} == printed
    assert set(printed) == set(TABLE5)


def test_both_tables_have_the_same_share_correct():
    for model, tasks in TABLE11.items():
        assert tasks["openhueval_husimpleqa"]["correct"] == TABLE5[model]["openhueval_husimpleqa"]["correct"]


def test_table_11_derives_its_last_columns_from_the_first():
    for tasks in TABLE11.values():
        scores = tasks["openhueval_husimpleqa"]
        c, i, n = scores["correct"], scores["incorrect"], scores["not_attempted"]
        assert c + i + n == pytest.approx(100, abs=3 * CUT)
        assert scores["correct_given_attempted"] == pytest.approx(100 * c / (c + i), abs=2 * CUT)
        assert scores["f_score"] == pytest.approx(200 * c / (2 * c + 2 * i + n), abs=2 * CUT)


@each("scores", [TABLE5, TABLE11])
def test_columns_are_metrics_of_our_tasks(scores):
    for tasks in scores.values():
        for task, metrics in tasks.items():
            assert metrics.keys() <= task_spec(task).metrics.keys()


@pytest.mark.parametrize(
    ("task", "metric", "n"),
    [
        ("husimpleqa", "correct", 1342),
        ("huproverbrea_oe", "acc", ROWS["HuProverbRea"]),
        ("huproverbrea_2cq", "acc", ROWS["HuProverbRea"]),
        ("humatchingfib", "blank_acc", 2525),
        ("humatchingfib", "question_acc", ROWS["HuMatchingFIB"]),
        ("hustandardfib", "blank_acc", 727),
        ("hustandardfib", "question_acc", ROWS["HuStandardFIB"]),
    ],
)
def test_how_many_answers_the_published_shares_are_of(task, metric, n):
    """Each figure is a whole number of n to the second decimal, and of no other n within 2 %."""

    def fits(count: int) -> bool:
        shares = column(task, metric).values
        return bool((np.abs(100 * np.round(shares * count / 100) / count - shares) < CUT).all())

    assert [count for count in range(int(0.98 * n), int(1.02 * n)) if fits(count)] == [n]


def test_our_ranks_are_those_of_the_scores():
    for benchmark, scores in (
        ("huproverbrea", column("huproverbrea_2cq", "acc")),
        ("husimpleqa", column("husimpleqa", "correct")),
    ):
        assert published_ranks(benchmark) == dict(zip(scores.labels, ranks(scores.values), strict=True))


@each("benchmark", [*published_benchmarks(), *OURS])
def test_ranks_are_one_to_ten(benchmark):
    found = published_ranks(benchmark)
    assert sorted(found.values()) == list(range(1, 11))
    assert set(found) == set(TABLE5)


@pytest.mark.parametrize("case", load_cases("published_moves"), ids=why)
def test_every_printed_arrow_agrees_with_the_ranks(case):
    """Up is positive. Tables 6 and 12 point from HuProverbRea to MAPS, Table 7 points to HuSimpleQA."""
    change = rank_change(published_ranks(case["to"]), published_ranks(case["from"]))
    assert change.moves == case["moves"]


@pytest.mark.parametrize("case", load_cases("published_moves"), ids=why)
def test_arrows_are_as_printed(case):
    """Those of our cases, read from the paper's text."""
    table = case["why"].split(",")[0]
    header = {
        "Table 6": ("Rank", "HuProverbRea", "MAPS(en)"),
        "Table 7": ("Rank", "Simpleqa", "HuSimpleQA"),
        "Table 12": ("Rank", "HuProverbRea", *(f"MAPS({lang})" for lang in ("bn", "id", "de", "ru", "zh"))),
    }[table]
    place = header.index(case["why"].split(", ")[1])
    arrows = {}
    for row in paper_table(*header):
        model, way, size = re.fullmatch(r"(.+?)\s*\(([-↑↓])(\d*)\)", row[place]).groups()
        arrows[model] = {"-": 0, "↑": 1, "↓": -1}[way] * int(size or 0)
    assert arrows == case["moves"]


@pytest.mark.parametrize(
    ("ours", "theirs", "moved", "positions"),
    [
        ("huproverbrea", "maps-en", 70, 1.4),  # §3.4
        ("husimpleqa", "simpleqa", 60, 1.4),
        ("huproverbrea", "maps-bn", 90, 1.8),
        ("huproverbrea", "maps-id", 100, 2.0),
        ("huproverbrea", "maps-de", 100, 2.6),
        ("huproverbrea", "maps-ru", 90, 2.4),
        ("huproverbrea", "maps-zh", 80, 2.2),
    ],
)
def test_published_moves_come_out(ours, theirs, moved, positions):
    change = rank_change(published_ranks(ours), published_ranks(theirs))
    assert (change.moved, change.mean_change) == (pytest.approx(moved), pytest.approx(positions))


@pytest.mark.parametrize(
    ("task", "metric", "points", "relative"),
    [
        ("humatchingfib", "blank_acc", 12.00, 17.42),
        ("humatchingfib", "question_acc", 7.19, 18.01),
        ("hustandardfib", "blank_acc", 10.32, 20.06),
        ("hustandardfib", "question_acc", 7.52, 77.69),
    ],
)
def test_the_papers_relative_improvements_are_points(task, metric, points, relative):
    """§3.2: Deepseek-R1 against Deepseek-V3."""
    (found,) = reasoning_against_base(column(task, metric), model_cards())
    assert (found.first, found.second) == (("Deepseek-R1",), ("Deepseek-V3",))
    assert found.difference == pytest.approx(points)
    assert found.relative_gain == pytest.approx(relative, abs=0.005)


def test_model_cards_are_those_of_table_4():
    rows = paper_table("Model", "Size", "Reasoning Model", "Open-source?", "Inference Method")
    cards = model_cards()
    for name, sizes, reasoning, open_source, _ in rows:
        of_row = {label: card for label, card in cards.items() if (card.series if "," in sizes else label) == name}
        assert len(of_row) == sizes.count("B") or sizes == "-"
        assert sorted(card.size_b for card in of_row.values() if card.size_b) == sorted(
            float(size) for size in re.findall(r"(\d+)B", sizes)
        )
        assert {(card.reasoning, card.open) for card in of_row.values()} == {(reasoning == "Y", open_source == "Y")}
    assert set(cards) == set(TABLE5)


def test_larger_models_are_better_on_every_task():
    """§3.2, for the two series whose sizes are printed."""
    for task, metric, *_ in COLUMNS:
        found = larger_against_smaller(column(task.removeprefix("openhueval_"), metric), model_cards())
        assert {contrast.first[0] for contrast in found} == {"Qwen2.5-Instruct-72B", "Llama-3.1-Instruct-70B"}
        assert all(contrast.difference > 0 for contrast in found)


def test_open_models_are_behind_the_closed_ones_on_average():
    found = open_against_closed(column("huwildbench", "wb_score"), model_cards())
    assert (len(found.first), len(found.second)) == (7, 3)
    assert found.difference == pytest.approx(450.86 / 7 - 231.71 / 3)


@each("name", ["maps-hu", "model", "", "Simpleqa"])
def test_unknown_benchmark(name):
    with pytest.raises(InputError, match="Published: maps-en, maps-bn, maps-id, maps-de, maps-ru, maps-zh, simpleqa"):
        published_ranks(name)


def test_table_9_is_as_printed_and_each_figure_has_a_measure_of_ours():
    names = ["simple_assertion", "correct_simple_assertion", "correct_complex_thought"]
    found = {(one.measure, one.model): one.value for one in published_traces(FAMILY)}
    for measure, (_, *figures) in zip(names, paper_table("", "DeepSeek-R1", "QwQ"), strict=True):
        values = [found.pop((measure, model)) for model in ("Deepseek-R1", "QwQ")]
        assert values == [pytest.approx(100 * float(figure)) for figure in figures]
    text = shared("papers", "openhueval.txt").read_text(encoding="utf-8")
    printed = re.search(r"ETI occurs in ([\d.]+)% of DeepSeek-R1.s Reasoning Segments, .*? is ([\d.]+)%", text)
    assert found == {("eti", "Deepseek-R1"): float(printed[1]), ("eti", "QwQ"): float(printed[2])}
    assert {one.measure for one in published_traces(FAMILY)} <= {measure.name for measure in MEASURES}

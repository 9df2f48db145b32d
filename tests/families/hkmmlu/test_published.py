"""The published figures against the paper's text, and every table of them recomputed from its parts."""

from __future__ import annotations

import csv
from itertools import product

import numpy as np
import pytest

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.comparison.published import published_tables
from hueval_metrics.registry import known_tasks
from hueval_metrics.stats.model_cards import read_model_cards
from lm_eval_tasks.hkmmlu.family import FAMILY
from lm_eval_tasks.hkmmlu.published_tables import AVERAGE, PUBLISHED, models, printed
from lm_eval_tasks.hkmmlu.summaries import CODES
from tests.each import each
from tests.families.hkmmlu import paper

CUT = 0.0501  # how far a figure printed with one decimal may be from the exact one
BOTH = 2 * CUT  # and from what follows from other such figures: a mean of them has the same cut at most
SC, COT, ONE_COT = {"script": "sc"}, {"method": "cot"}, {"method": "cot", "shots": 1}
SIZES = {  # Table 5, by code of the category
    code: sum(one.printed for one in SUBJECTS.values() if one.category == name) for name, code in CODES.items()
}
MOVED = 700  # questions of Other that the paper's averages count among the social sciences: anything from 600 to 800
SHIFTED = SIZES | {"social": SIZES["social"] + MOVED, "other": SIZES["other"] - MOVED}
CATEGORIES = (  # each setting that a table has by category: table, setting
    *((1, one) for one in ({}, SC)),
    *((3, one) for one in ({}, COT, ONE_COT)),
    *((8, {"shots": n}) for n in range(6)),
)
NON_STEM = [({}, 3), ({"shots": 1}, 8), (ONE_COT, 3)]  # setting in Table 9, the table that has its categories


def rows(name: str) -> list[dict[str, str]]:
    with (PUBLISHED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def acc(table: int, model: str, code: str, setting: dict) -> float | None:
    return printed(table, model, f"hkmmlu/acc_{code}", **setting)


def from_parts(table: int, model: str, setting: dict, codes, sizes=SIZES) -> float | None:
    """The micro average of some categories of a row; None where one is not printed."""
    parts = [acc(table, model, code, setting) for code in codes]
    return None if None in parts else float(np.average(parts, weights=[sizes[code] for code in codes]))


def micro_averages(sizes=SIZES) -> list[tuple[str, float, float]]:
    """Row and column of each printed average over categories, its figure, and what follows from its parts."""
    found = []
    for (table, setting), model in product(CATEGORIES, models()):
        found.append((table, model, setting, "acc_avg", acc(table, model, "avg", setting), table, [*CODES.values()]))
    for (setting, source), model in product(NON_STEM, models()):
        found.append(
            (9, model, setting, "acc_non_stem", acc(9, model, "non_stem", setting), source, [*CODES.values()][1:])
        )
    compared = []
    for table, model, setting, column, figure, source, codes in found:
        value = from_parts(source, model, setting, codes, sizes)
        if figure is not None and value is not None:
            told = {"script": "tc", "method": "da", "shots": 0} | setting
            compared.append((",".join(map(str, (table, model, *told.values(), column))), figure, value))
    return compared


def holds(cell: str, line: paper.Row, place: int, near: list[paper.Row]) -> bool:
    """Whether a cell of ours is that of a line, or, where that is blank, of the line above or below it."""
    own = line[place]
    if not cell:
        return not paper.NUMBER.search(own)
    return cell in own.split() or (not own and any(cell in one[place].split() for one in near))


@pytest.mark.parametrize(
    ("number", "settings", "width"),
    [(1, [{}, SC], 2), (3, [{}, COT, ONE_COT], 3), (9, [{}, {"shots": 1}, ONE_COT], 3), (11, [{}, SC], 2)],
)
def test_tables_with_settings_side_by_side_are_as_printed(number, settings, width):
    lines = paper.table(number)
    at = {paper.name(line[0]): place for place, line in enumerate(lines)}
    columns = [column for column in rows(f"table{number}")[0] if "/" in column]
    for model in (*models(), "Avg."):
        place = at[model]
        near = lines[place - 1 : place] + lines[place + 1 : place + 2]
        for n, setting in enumerate(settings):
            for group, column in enumerate(columns):
                figure = printed(number, model, column, **setting)
                cell = "" if figure is None else f"{figure:.1f}"
                assert holds(cell, lines[place], 1 + group * width + n, near), (model, setting, column)


def test_table_10_is_as_printed():
    lines = {paper.name(line[0]): line for line in paper.table(10)}
    columns = list(rows("table10")[0])[1:]
    for model in (*models(), "Avg."):
        assert [printed(10, model, column) for column in columns] == [float(cell) for cell in lines[model][1:]]


def test_table_8_is_as_printed():
    """Its lines are in the order of ours; our copy of the text misreads names, and some lines ran together."""
    lines = [line for line in paper.table(8)[1:] if any(paper.NUMBER.search(cell) for cell in line)]
    at, lost = 0, []
    for row in rows("table8"):
        ours = [row[f"hkmmlu/acc_{code}"] for code in (*CODES.values(), "avg")]
        if not any(ours):
            lost.append((row["model"], row["shots"]))
            continue
        at = next(
            place
            for place in range(at, len(lines))
            if all(not cell or cell in own.split() for cell, own in zip(ours, lines[place][-5:], strict=True))
        )
        if "" in ours:
            lost.append((row["model"], row["shots"]))
    assert lost == [("Mistral-Small-Instruct", "5"), ("Mistral-Large-Instruct", "0")]
    assert [(row["model"], row["shots"]) for row in rows("table8")] == [
        (model, str(n)) for model in models() for n in range(6)
    ]


def test_table_2_has_the_rows_whose_model_can_be_told():
    """One cell of our copy holds 19 rows: the first seven names are read, and §4.1 tells the ninth and the tenth."""
    (run_together,) = [line for line in paper.table(2) if len(line[1].split()) > 9]
    names = paper.name(run_together[0])
    assert names.startswith(" ".join(models()[:5]) + " GEMM-4-9B-Chat " + models()[6])
    columns = [cell.split() for cell in run_together[1:]]
    assert [len(column) for column in columns] == [19, 19, 18, 19, 19, 19, 18, 19]
    columns[2] += [""]  # which are missing follows from the averages: see below
    columns[6][11:12] = ["", ""]  # 66.6 is printed once, and both of these rows have it
    by_place = dict(enumerate(zip(*columns, strict=True), start=1))
    ours = {row["model"]: list(row.values())[1:] for row in rows("table2")}
    known = {place: name for place, name in enumerate(models(), start=1) if any(ours[name]) and place < 20}
    assert list(known) == [1, 2, 3, 4, 5, 6, 7, 9, 10]
    rest = {int(row["row"]): list(row.values())[1:] for row in rows("table2_rest")}
    assert {place: list(cells) for place, cells in by_place.items()} == rest | {
        place: ours[name] for place, name in known.items()
    }
    assert list(paper.table(2)[-2]) == ["Yi-1.5-34B-Chat", *ours["Yi-1.5-34B-Chat"]]
    assert list(paper.table(2)[-1]) == [
        "Avg.",
        *(f"{printed(2, AVERAGE, column):.1f}" for column in rows("table2")[0] if "/" in column),
    ]


def test_tables_4_and_12_are_as_printed():
    for number in (4, 12):
        lines = [[paper.name(line[0]), *map(float, line[1:])] for line in paper.table(number)[1:]]
        assert [[row[0], *map(float, row[1:])] for row in map(list, map(dict.values, rows(f"table{number}")))] == lines


def test_averages_of_translations_are_the_means_of_their_three_metrics():
    for row in (*rows("table2"), *rows("table2_rest"), rows("averages")[2]):
        for direction in ("yue_to_zh", "zh_to_yue"):
            *parts, average = (row[f"hkmmlutr_{direction}/{name}"] for name in ("bleu", "meteor", "rouge_l", "avg"))
            if "" not in (*parts, average):
                assert np.mean([*map(float, parts)]) == pytest.approx(float(average), abs=BOTH), row


def test_micro_averages_that_do_not_follow_from_table_5_are_listed():
    """`beyond_rounding.csv` has every printed average that is farther from its parts than rounding explains."""
    beyond = [one for one in micro_averages() if abs(one[1] - one[2]) > BOTH]
    listed = (PUBLISHED / "beyond_rounding.csv").read_text(encoding="utf-8").splitlines()
    assert listed[1:] == [f"{cell},{figure},{value:.2f}" for cell, figure, value in beyond]
    assert (len(micro_averages()), len(beyond)) == (277, 131)
    assert max(abs(figure - value) for _, figure, value in beyond) == pytest.approx(0.546, abs=5e-4)


def test_they_follow_once_some_questions_of_other_are_social_sciences():
    beyond = [one for one in micro_averages(SHIFTED) if abs(one[1] - one[2]) > BOTH]
    assert [cell for cell, *_ in beyond] == ["8,Llama-3-Taiwan-70B-Instruct,tc,da,5,acc_avg"]


@each(("table", "setting"), [*CATEGORIES[:5], *((9, one) for one, _ in NON_STEM), (10, {})])
def test_last_rows_are_the_means_over_the_models(table, setting):
    columns = [column for column in rows(f"table{table}")[0] if "/" in column]
    for column in columns:
        figures = [printed(table, model, column, **setting) for model in models()]
        if None not in figures:
            assert np.mean(figures) == pytest.approx(printed(table, AVERAGE, column, **setting), abs=BOTH), column


def test_last_row_of_table_11_is_the_mean_in_traditional_chinese():
    figures = [acc(11, model, "hk", {}) for model in models()]
    assert np.mean(figures) == pytest.approx(printed(11, AVERAGE, "hkmmlu/acc_hk"), abs=BOTH)
    assert sum(acc(11, model, "hk", SC) is None for model in models()) == 8  # the other column cannot be summed


def test_tables_3_8_9_and_10_agree():
    n_compared = 0
    for model, code in product(models(), (*CODES.values(), "avg")):
        figures = {acc(3, model, code, {}), acc(8, model, code, {}), acc(10, model, code, {})} - {None}
        assert len(figures) == 1, (model, code)
        n_compared += 1
    for model in models():
        assert acc(9, model, "stem", {}) == acc(3, model, "stem", {})
        assert acc(9, model, "stem", ONE_COT) == acc(3, model, "stem", ONE_COT)
        assert acc(9, model, "stem", {"shots": 1}) == acc(8, model, "stem", {"shots": 1})
    assert n_compared == 100


def test_underlined_figures_of_table_1_are_second_and_those_of_table_3_the_best_of_three():
    found = {1: 0, 3: 0}
    for number, width in ((1, 2), (3, 3)):
        lines = paper.table(number, plain=False)[2:]
        for line in lines:
            for place, cell in enumerate(line[1:]):
                if not cell.startswith("<u>"):
                    continue
                found[number] += 1
                own = float(cell[3:-4])
                if number == 1:
                    column = [one[1 + place].strip("<u>/") for one in lines[:-1]]
                    among = [float(one.split()[0]) for one in column if one]
                    assert sum(other > own for other in among) == 1, (line, place)
                else:
                    first = 1 + place - place % width
                    assert own == max(float(one.strip("<u>/")) for one in line[first : first + width]), (line, place)
    assert found == {1: 6, 3: 4}


def test_each_model_has_a_card_with_the_size_of_table_7():
    cards = read_model_cards(PUBLISHED / "model_cards.yaml")
    lines = {line[0]: line for line in paper.table(7)[1:]}
    assert tuple(cards) == tuple(lines) == models()
    for model, card in cards.items():
        size = lines[model][2]
        assert card.size_b == (None if size == "undisclosed" else float(size.removesuffix("B")))
        assert card.open == (lines[model][3] == "weights" or model == "DeepSeek-V3")


def test_columns_of_the_shown_tables_are_metrics_and_summaries_of_ours():
    names = {one.name for one in FAMILY.summaries}
    shown = published_tables(FAMILY)
    assert [len(table.scores) for table in shown] == [20, 20, 60, 32, 10, 119, 60]
    for table in shown:
        for task, metric in table.columns:
            assert metric in (names if task == FAMILY.name else known_tasks()[task].tasks[task].metrics)
        assert len(table.columns_in_forms(FAMILY)) == 1
    assert shown[0].score("GPT-4o", "hkmmlu", "acc_avg") == 70.3
    assert shown[2].score("GPT-4o (method=cot, shots=1)", "hkmmlu", "acc_stem") == 82.1

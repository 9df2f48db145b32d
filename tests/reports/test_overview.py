"""Rows that are a mean over prompts, columns by form, rows of another split, and published rows, in tables."""

import csv
import io
from pathlib import Path

import pytest
from rich.cells import cell_len

from hueval_metrics.errors import InputError
from hueval_metrics.reports.columns import headlines
from hueval_metrics.reports.notes import notes
from hueval_metrics.reports.tables import render, render_metrics
from hueval_metrics.runs.facets import over_facets
from lm_eval_tasks.hulu.family import FAMILY
from tests.each import each
from tests.helpers import run_of

HEADLINES = {"hucola": "mcc", "hucopa": "mcc", "hurte": "mcc", "husst": "acc", "huwnli": "acc", "hucb": "f1_weighted"}
COLA, COPA, SST, WNLI = "hulu_hucola", "hulu_hucopa", "hulu_husst", "hulu_huwnli"
SIGNATURE = "task:t|prompt:hu{}-ab|shots:0|split:{}"


def run(label: str, scores: dict, prompt: int = 1, split: str = "validation"):
    signatures = dict.fromkeys(scores, SIGNATURE.format(prompt, split))
    path = Path(f"results_{label}_{prompt}.json")
    return run_of(label, path, scores, signature=signatures, source=dict.fromkeys(scores, path))


def over(*runs):
    """Runs with several prompts as one."""
    ((found, _),) = over_facets([(one, {}) for one in runs])
    return found


def full(form: str, *values: float) -> dict:
    return {f"{form}_{name}": {metric: x} for (name, metric), x in zip(HEADLINES.items(), values, strict=True)}


GEMMA = over(
    run("gemma", {COLA: {"mcc": 12.061}, SST: {"acc": 40.0}}),
    run("gemma", {COLA: {"mcc": -3.14}, SST: {"acc": 41.0}}, 2),
    run("gemma", {COLA: {"mcc": 4.0}}, 3),
)
NOTES = [
    "Mean over 3 prompts, with the lowest and the highest score (gemma). A row for each prompt: --by prompt.",
    "Fewer prompts of gemma: 2 for hulu_husst.",
]


def test_a_mean_over_prompts_has_its_range_below_it():
    text = render([GEMMA, run("other", {COLA: {"mcc": 5.0}})], "terminal", width=120)
    assert text == (
        "           HuCOLA      HuSST\n"
        "Model         MCC        Acc\n"
        "────────────────────────────\n"
        "gemma       4.31²      40.50\n"
        "        -3.1…12.1  40.0…41.0\n"
        "other       5.00¹\n"
        "\n"
        "¹ ² ³: first, second and third place in the column; figures that print alike share a place.\n"
        + "".join(f"{note}\n" for note in NOTES)
        + "Different prompts or shots: hu1, hu2, hu3, 0-shot (gemma); hu1, 0-shot (other).\n"
    )


def test_it_has_its_range_in_brackets_where_cells_have_one_line():
    text = render([GEMMA], "markdown")
    assert "| gemma | 4.31 (-3.1…12.1) | 40.50 (40.0…41.0) |\n" in text
    assert r"gemma & 4.31 {\footnotesize(-3.1\ldots{}12.1)} & 40.50 {\footnotesize(40.0\ldots{}41.0)} \\" in render(
        [GEMMA], "latex"
    )


def test_csv_has_the_ends_of_the_range_after_all_scores():
    header, gemma, other = csv.reader(io.StringIO(render([GEMMA, run("other", {COLA: {"mcc": 5.0}})], "csv")))
    found = dict(zip(header, gemma, strict=True))
    assert header[:3] == ["model", "hulu_hucola.mcc", "hulu_husst.acc"]
    assert header[3:5] == ["hulu_hucola.mcc_lowest", "hulu_hucola.mcc_highest"]
    assert (found["hulu_hucola.mcc_lowest"], found["hulu_hucola.mcc_highest"]) == ("-3.14", "12.061")
    assert other[1:] == ["5.0", *[""] * 6]


def test_every_metric_has_a_column_with_the_range():
    lines = render_metrics([GEMMA], "terminal", width=100).splitlines()
    assert lines[1] == "Metric  Model   Score  Over prompts  n"
    assert lines[3] == "mcc     gemma     4.3     -3.1…12.1"
    assert lines[4] == "mcc     chance    0.0"
    header, first, *_ = csv.reader(io.StringIO(render_metrics([GEMMA], "csv")))
    assert (header[-3:], first[-3:]) == (["lowest", "highest", "flags"], ["-3.14", "12.061", ""])


def test_the_note_in_hungarian():
    texts = [note["hu"] for note in notes([GEMMA])]
    assert texts == [
        "3 prompt átlaga, a legkisebb és a legnagyobb pontszámmal (gemma). Promptonként egy sor: --by prompt.",
        "Kevesebb prompt (gemma): hulu_husst: 2.",
    ]


def test_only_the_tasks_that_were_run_have_columns():
    def tasks(*runs):
        return [one.task for one in headlines([FAMILY], runs)]

    chosen, generated = run("a", {COLA: {"mcc": 1.0}}), run("b", {"hulugen_hucb": {"f1_weighted": None}})
    assert (tasks(chosen), tasks(generated)) == ([COLA], ["hulugen_hucb"])  # the second ran, though it has no score
    assert tasks(generated, chosen) == [COLA, "hulugen_hucb"]
    assert tasks(run("a", {"hulu_hurc": {"em": 1.0}})) == ["hulu_hurc"]  # one that only runs by name
    assert len(headlines([FAMILY])) == 14  # seven corpora in two forms


@each("form", ["hulu", "hulugen"])
def test_an_overview_of_one_form_fits_100_columns(form):
    several = over(*(run("org/a-model", full(form, *[value] * 6), n) for n, value in enumerate((-100.0, 100.0), 1)))
    text = render([several, run("org/another-model-with-a-long-name", full(form, *[100.0] * 6))], "terminal", width=100)
    assert max(map(cell_len, text.splitlines())) <= 100
    assert text.count("-100.0…100.0") == 6


TEST = run("tested", {COLA: {"mcc": None}, WNLI: {"acc": 63.43}}, split="test")
OTHERS = [run("a", {WNLI: {"acc": 60.0}}), run("b", {WNLI: {"acc": 50.0}})]


def test_a_row_of_another_split_is_told_and_takes_no_place():
    text = render([TEST, *OTHERS], "markdown")
    assert "| tested |  | 63.43 |\n| a |  | **60.00**¹ |\n| b |  | 50.00² |\n" in text
    assert [note["en"] for note in notes([TEST, *OTHERS])] == [
        "Scored on the test split, so on other items than by default (tested).",
        "Not scored, as the labels of the test split are hidden: hulu_hucola.",
        "Rows with such a restriction take no first, second or third place.",
    ]
    assert notes(OTHERS) == []
    foreign = {"openhueval_husimpleqa": {"correct": 1.0}}  # of a benchmark that has one split
    assert notes([run("x", foreign, split="test")]) == []


def test_tasks_without_any_score_have_no_table_of_metrics():
    lines = render_metrics([TEST], "terminal").splitlines()
    assert lines[0] == WNLI
    assert COLA not in lines


def test_published_rows_come_last_and_are_marked():
    text = render(OTHERS, "terminal", width=100, with_published=True)
    assert text.splitlines()[3:5] == [f"{label:18}{score}" for label, score in (("a", "60.00¹"), ("b", "50.00²"))]
    assert text.splitlines()[8] == "XLM-R‡             63.40"
    assert "ChatGPT" not in text  # the paper has no score of it in this column
    assert "‡: as printed, Table 2 of the HuLU paper; made with another protocol, so without a place.\n" in text
    assert "the 63.4 of XLM-R is what the commonest label gets" in text.replace("\n", " ")
    header, *rows = csv.reader(io.StringIO(render(OTHERS, "csv", with_published=True)))
    assert header == ["model", "hulu_huwnli.acc", "flags"]
    assert rows[5] == ["XLM-R (Table 2 of the HuLU paper)", "63.4", ""]


def test_published_rows_stand_beside_both_forms():
    (_, *_, last) = render([run("b", {"hulugen_hucola": {"mcc": 1.0}})], "csv", with_published=True).splitlines()
    assert last == "text-davinci-001 zero-shot (Table 2 of the HuLU paper),31.6,"


def test_published_rows_that_there_are_not(monkeypatch):
    monkeypatch.setattr("hueval_metrics.reports.beside.published_tables", lambda family: [])
    with pytest.raises(InputError, match="have no published scores"):
        render(OTHERS, "terminal", with_published=True)

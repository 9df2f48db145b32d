import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from hueval_metrics.api.results import Results
from hueval_metrics.errors import InputError
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, terminal
from hueval_metrics.reports.tables import FORMATS, ranks, render, render_metrics
from hueval_metrics.runs.run import Run
from tests.each import each
from tests.helpers import changed, column, run_of

CASES = Path(__file__).parents[1] / "cases"
RANKS = json.loads((CASES / "tables_ranks.json").read_text(encoding="utf-8"))
RENDERED = json.loads((CASES / "tables_rendered.json").read_text(encoding="utf-8"))
FIB, QA, LAW = "openhueval_humatchingfib", "openhueval_husimpleqa", "hkmmlu_hk_law"


def run(label: str, **more) -> Run:
    return run_of(label, Path("results.json"), **more)


@pytest.mark.parametrize("case", RANKS, ids=lambda case: case["why"])
def test_ranks(case):
    assert ranks(case["values"]) == case["places"]


@pytest.mark.parametrize("case", RENDERED, ids=lambda case: case["why"])
def test_render(case, paper_runs):
    runs = [run for run in paper_runs if run.label in case["rows"]]
    assert render(runs, case["format"], width=case["width"]).splitlines() == case["lines"]


@each("width", [80, 100, 120])
def test_terminal_keeps_to_the_width_with_full_scores_and_long_names(paper_runs, width):
    scores = {t: dict.fromkeys(metrics, 100.0) for t, metrics in column(paper_runs[0], "scores").items()}
    names = ["org/" + "x" * 90, "some-org/a-long-name-of-a-model-with-parts-2507", "百" * 40]
    text = render([*paper_runs, *(run(name, scores=scores) for name in names)], "terminal", width=width)
    assert max(map(cell_len, text.splitlines())) <= width


def test_terminal_colours_only_when_asked(paper_runs, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in render(paper_runs, "terminal")
    monkeypatch.setenv("NO_COLOR", "1")
    coloured = render(paper_runs, "terminal", color=True)
    assert "\x1b[1;31m" in coloured  # first: bold red
    assert "\x1b[32m" in coloured
    assert "\x1b[94m" in coloured
    assert "¹ red, ² green, ³ blue: first, second and third place" in coloured


def test_markdown_with_blanks_ties_and_escapes():
    runs = [
        run("a|b_<i>", scores={QA: {"correct": 50.001}, FIB: {"blank_acc": 10.0, "question_acc": None}}),
        run("plain", scores={QA: {"correct": 49.999}}),
    ]
    assert render(runs, "markdown") == (
        "| Model | HuSimpleQA Acc | HuMatchingFIB B acc. | HuMatchingFIB Q acc. |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| a\\|b\\_&lt;i&gt; | **50.00**¹ | 10.00 |  |\n"
        "| plain | **50.00**¹ |  |  |\n"
        "\n"
        "¹ ² ³: first, second and third place in the column; figures that print alike share a place.\n"
    )


def test_csv_has_every_decimal_and_nothing_else():
    scores = {QA: {"correct": 1 / 3, "ece": 0.5}, FIB: {"blank_acc": 61.0, "question_acc": None}}
    assert render([run('=a,"b"', scores=scores, sample=True)], "csv") == (
        "model,openhueval_husimpleqa.correct,openhueval_humatchingfib.blank_acc,openhueval_humatchingfib.question_acc,"
        "flags\n"
        '"\'=a,""b""",0.3333333333333333,61.0,,\n'
    )


def test_a_column_beside_the_strict_ones_is_shown_by_name():
    asked, plain = {"blank_acc": 50.0, "blank_acc_asked": 60.0, "asked_rate": 10.0}, {"blank_acc": 70.0}
    chinese = {"acc": 40.0, "acc_asked": 45.0}
    runs = (
        run("a", scores={FIB: asked, QA: {"correct": 1.0}, LAW: chinese}),
        run("b", scores={FIB: asked | {"blank_acc_asked": 55.0}}),
        run("c", scores={FIB: plain}),
    )
    assert Results(runs).table("csv", metric="blank_acc_asked") == (
        "model,openhueval_humatchingfib.blank_acc_asked,flags\na,60.0,\nb,55.0,\nc,,\n"
    )
    table = Results(runs).table("markdown", metric="blank_acc_asked").splitlines()
    assert table[:3] == ["| Model | HuMatchingFIB B acc. asked |", "| --- | ---: |", "| a | **60.00**¹ |"]
    assert Results(runs).table("csv", metric="asked_rate", family="openhueval").splitlines()[1] == "a,10.0,"
    assert Results(runs).table("csv", metric="acc_asked", family="hkmmlu") == f"model,{LAW}.acc_asked,flags\na,45.0,\n"
    assert (
        Results(runs[2:])
        .table("csv")
        .splitlines()[0]
        .endswith(".blank_acc,openhueval_humatchingfib.question_acc,flags")
    )


@each(
    ("more", "line"),
    [
        ({}, "no task of these runs has it. It comes of hueval run --ask-again"),
        ({"published": True}, "--published: the papers print no blank_acc_asked"),
    ],
)
def test_a_column_that_no_run_has_is_refused(more, line):
    with pytest.raises(InputError, match=re.escape(line)):
        Results((run("a", scores={FIB: {"blank_acc": 50.0}}),)).table(metric="blank_acc_asked", **more)


@each("fmt", ["terminal", "markdown", "latex"])
def test_notes_stand_below_the_table(paper_runs, fmt):
    text = render([changed(paper_runs[0], sample=True), *paper_runs[1:]], fmt, width=120)
    assert "Packaged sample: not comparable with published numbers (GPT-4o)." in text.rpartition("QwQ")[2]


def test_a_limited_row_takes_no_place_beside_whole_ones(paper_runs):
    runs = [changed(paper_runs[0], limit=5.0), *paper_runs[1:]]
    gpt, r1 = render(runs, "markdown").splitlines()[2:4]
    assert gpt == "| GPT-4o | 81.09 | 50.30 | 89.16 | 95.51 | 77.78 | 43.88 | 57.36 | 15.05 |"
    assert r1.startswith("| Deepseek-R1 | **82.96**¹ | 34.58² | **82.29**¹ |")


def test_limited_rows_compete_among_themselves(paper_runs):
    assert "**50.30**¹" in render([changed(each, limit=5.0) for each in paper_runs], "markdown")


METRICS = [
    run(
        "A",
        scores={FIB: {"blank_acc": 61.23, "position_bias": -0.001}, QA: {"ece": 0.12344, "correct": None}},
        intervals={FIB: {"blank_acc": (59.0, 63.1)}, QA: {"ece": (0.1, 0.14)}},
        n={FIB: 278, QA: 5},
    ),
    run("B", scores={FIB: {"blank_acc": 7.0}}, signature={FIB: "task:t|v:1.0"}),
]


def test_metrics_in_a_terminal():
    assert (
        render_metrics(METRICS, "terminal", width=80)
        == """\
openhueval_husimpleqa
Metric   Model                         Score  n
───────────────────────────────────────────────
ece      A      0.123 ± 0.020 [0.100, 0.140]  5
correct  A                                    5

openhueval_humatchingfib
Metric         Model                    Score    n
──────────────────────────────────────────────────
blank_acc      A      61.2 ± 2.1 [59.0, 63.1]  278
blank_acc      B                          7.0
position_bias  A                          0.0  278

[ ]: 95 % interval; ±: half its width, of which more may lie on one side of the
score.
"""
    )


NARROW = [changed(METRICS[0], notes={"ece": "few_answers", "correct": "?"})]
NARROW_NOTE = (
    "†: too few data for a 95 % interval; in simulations as few as 81 % of such intervals held the true value. Fewer "
    "than 100 questions of very unequal size, or a calibration error of fewer than 500 answers.\n"
)


def test_an_interval_that_covers_too_little_is_marked_and_explained():
    text = render_metrics(NARROW, "terminal", width=400)
    assert (
        "ece      A      0.123 ± 0.020 [0.100, 0.140]†  5\ncorrect  A                                     5\n" in text
    )
    assert "[59.0, 63.1]  278" in text
    assert NARROW_NOTE in text
    markdown = render_metrics(NARROW, "markdown")
    assert "0.123 ± 0.020 \\[0.100, 0.140\\]† | 5 |" in markdown
    assert NARROW_NOTE in markdown
    latex = render_metrics(NARROW, "latex")
    assert r"ece & A & 0.123 ± 0.020 [0.100, 0.140]\textsuperscript{\textdagger{}} & 5 \\" in latex
    assert r"\textdagger{}: too few data for a 95 \% interval" in latex
    assert "†" not in render_metrics(METRICS, "terminal", width=400)


def test_metrics_in_markdown():
    assert render_metrics(METRICS[1:], "markdown") == (
        "### openhueval\\_humatchingfib\n\n| Metric | Model | Score | n |\n"
        "| --- | --- | ---: | ---: |\n| blank\\_acc | B | 7.0 |  |\n"
        "\nSignature of B: task:t\\|v:1.0\n"
    )


def test_metrics_in_latex():
    text = render_metrics(METRICS, "latex")
    assert r"\paragraph{openhueval\_humatchingfib}" in text
    assert r"blank\_acc & A & 61.2 ± 2.1 [59.0, 63.1] & 278 \\" in text
    assert r"\par{\footnotesize Signature of B: task:t\textbar{}v:1.0\par}" in text


def test_metrics_in_csv():
    rows = list(csv.reader(io.StringIO(render_metrics(METRICS, "csv"))))
    assert rows == [
        ["task", "metric", "model", "score", "ci95_low", "ci95_high", "n", "signature", "flags"],
        [QA, "ece", "A", "0.12344", "0.1", "0.14", "5", "", ""],
        [QA, "correct", "A", "", "", "", "5", "", ""],
        [FIB, "blank_acc", "A", "61.23", "59.0", "63.1", "278", "", ""],
        [FIB, "blank_acc", "B", "7.0", "", "", "", "task:t|v:1.0", ""],
        [FIB, "position_bias", "A", "-0.001", "", "", "278", "", ""],
    ]


@each("show", [render, render_metrics])
@each("fmt", FORMATS)
def test_control_characters_of_a_name_reach_no_output(fmt, show):
    evil = changed(replace(METRICS[0], label="a\x1b[2J\x07\r\nb\u202e"), sample=True)
    text = show([evil, METRICS[1]], fmt)
    assert not set(text) & set("\x1b\x07\r\u202e")
    assert "a b" in text


def test_places_where_lower_is_better_and_where_neither_end_is():
    assert ranks([3.0, 1.0, None, 2.0], "lower") == [3, 1, None, 2]
    assert ranks([3.0, 1.0], None) == [None, None]


WILD = "openhueval_huwildbench"
ORACLE = run("hueval-baseline-oracle", scores={QA: {"correct": 100.0}, WILD: {"wb_score": 100.0}})
FIRST = run("hueval-baseline first", scores={QA: {"correct": 0.0}, WILD: {"wb_score": 0.0}})
MODELS = [
    run(name, scores={QA: {"correct": score}, WILD: {"wb_score": 0.0}}) for name, score in (("a", 5.0), ("b", 6.0))
]


def test_baselines_stand_below_a_rule_and_take_no_place():
    lines = render([ORACLE, FIRST, *MODELS], "terminal", width=80).splitlines()
    assert lines[:9] == [
        "                 HuWildBench  HuSimpleQA",
        "Model                WBScore         Acc",
        "────────────────────────────────────────",
        "a                      0.00!       5.00²",
        "b                      0.00!       6.00¹",
        "────────────────────────────────────────",
        "baseline oracle       100.00      100.00",
        "baseline first          0.00        0.00",
        "",
    ]
    assert "baseline: no model, to read the scores against, without a place: oracle gives" in lines
    latex = render([ORACLE, *MODELS], "latex").splitlines()
    assert latex[latex.index(r"baseline oracle & 100.00 & 100.00 \\") - 1] == r"\midrule"
    assert render([ORACLE, MODELS[0]], "csv").splitlines()[1:] == ["a,0.0,5.0,", "hueval-baseline-oracle,100.0,100.0,"]


def test_baselines_alone_have_no_marks():
    text = render([ORACLE, FIRST], "terminal", width=80)
    assert text.splitlines()[2:5] == [
        "────────────────────────────────────────",
        "baseline oracle       100.00      100.00",
        "baseline first          0.00        0.00",
    ]
    assert "¹" not in text


def test_a_table_that_is_too_wide_is_printed_in_parts_of_whole_names(paper_runs):
    assert render(paper_runs, "terminal", width=60).splitlines()[:17] == [
        "                        HuWildBench  HuSimpleQA",
        "Model                       WBScore         Acc",
        "───────────────────────────────────────────────",
        "GPT-4o                       81.09²      50.30¹",
        "Deepseek-R1                  82.96¹      34.58³",
        "Llama-3.1-Instruct-70B       61.78³      36.36²",
        "QwQ                           58.02        9.17",
        "",
        "                   HuProverbRea  HuMatchingFIB HuStandardFIB",
        "                     Acc.   Acc.",
        "Model                (OE)  (2CQ) B acc. Q acc. B acc. Q acc.",
        "────────────────────────────────────────────────────────────",
        "GPT-4o             89.16¹ 95.51¹ 77.78² 43.88² 57.36² 15.05²",
        "Deepseek-R1        82.29² 91.72³ 80.87¹ 47.12¹ 61.76¹ 17.20¹",
        "Llama-3.1-         80.18³ 93.83² 59.56³ 24.46³ 40.99³  6.45³",
        "Instruct-70B",
        "QwQ                 67.49  84.23  38.65  12.23   6.05   0.00",
    ]


def test_a_table_too_wide_without_groups_is_printed_in_parts():
    columns = [Column("Model", kind="label"), *(Column(f"Column number {n}") for n in range(6))]
    grid = Grid(columns, [[Cell("a-model"), *(Cell(f"{n}0.00") for n in range(6))]])
    text = terminal(Block("", grid), 50, color=False)
    assert max(map(len, text.splitlines())) <= 50
    assert text.count("a-model") == 3  # two columns of 17 characters in each
    named = Grid([*columns[:1], Column("Task", kind="text"), *columns[1:]], [[Cell("a-model"), *[Cell("x")] * 7]])
    assert terminal(Block("", named), 50, color=False).count("a-model") == 1  # parts would lack the task

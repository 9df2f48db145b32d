import csv
import io
import json
from dataclasses import replace

import pytest
from rich.cells import cell_len

from hueval_metrics.comparison.compare import compare_runs
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.comparison.results import Comparison, LeftOut, MetricComparison, NonInferiority, Pair
from hueval_metrics.reports import comparison_words as words
from hueval_metrics.reports.comparison import FORMATS, render
from lm_eval_tasks.openhueval.family import FAMILY
from tests.comparison.conftest import QA, fib_rows, make_run, qa_rows, two_rows  # noqa: F401
from tests.each import each

DIMENSIONS = "l" * 30 + "h" * 10
PERCENT = MetricComparison(QA, "correct", True, "higher", 40, (), ())
FRACTION = replace(PERCENT, metric="ece", is_percent=False, better="lower")
EVIL = "<img src=x onerror=alert(1)>\x1b[31m\u202e|a/b|"

TWO_RUNS = """\
OpenHuEval, 2 tasks together
  GPT-X is ahead of Qwen-Y, with the better score in 2 of 2 tasks, p = 0.002 (stratified paired permutation).

HuSimpleQA, correct (40 items, GPT-X against Qwen-Y)
  GPT-X 75.0 [59.8, 85.8]; Qwen-Y 37.5 [24.2, 53.0].
  GPT-X is ahead by 37.5 points [20.2, 53.7], p < 0.001 (exact McNemar; < 0.001 after Holm over 2 comparisons).
  One test alone can resolve 28.0 points here (80 % power).
  Is GPT-X at most 5 points worse than Qwen-Y? Shown: it is at least 20.2 points better.
  Is Qwen-Y at most 5 points worse than GPT-X? No: it is at least 20.2 points worse.
  Language (30): GPT-X is ahead by 53.3 points [35.9, 69.8], p < 0.001 (< 0.001 after Holm over 2).
  History (10): not told apart: Qwen-Y 10.0 points higher [-20.5, 40.4], p = 1.00 (1.00 after Holm over 2).

HuProverbRea (2CQ), acc (6 items, GPT-X against Qwen-Y)
  GPT-X 66.7 [30.0, 90.3]; Qwen-Y 50.0 [18.8, 81.2].
  Not told apart: GPT-X 16.7 points higher [-39.8, 63.0], p = 1.00 (exact McNemar; 1.00 after Holm over 2 comparisons).
  Is GPT-X at most 5 points worse than Qwen-Y? Not shown: it may be 39.8 points worse.
  Is Qwen-Y at most 5 points worse than GPT-X? Not shown: it may be 63.0 points worse.

How to read this
  In brackets: 95 % intervals; of a difference, paired over the same items. They are not corrected.
  p is corrected (Holm) over the 2 comparisons over all items, and apart from them over the 2 comparisons within
    dimensions.
  “Not told apart”: the corrected p is 0.05 or more, or the interval holds 0. The items do not show who is better, which
    is no proof that both are equally good.
"""
THREE_TOGETHER = [
    "OpenHuEval, 2 tasks together, against GPT-X",
    "Model   Better in  Worse in  p (Holm)  Verdict",
    "─" * 53,
    "Qwen-Y     0 of 2    2 of 2     0.003  behind",
    "o3         1 of 2    1 of 2      1.00  not told apart",
    "  Test: stratified paired permutation, corrected over these 2 comparisons. There is no average of",
    "    unlike metrics.",
]
THREE_RUNS = [
    "HuSimpleQA, correct (40 items, against GPT-X)",
    "Model               Score      Rank            Difference  p (Holm)  Verdict",
    "─" * 83,
    "GPT-X   75.0 [59.8, 85.8]  1 [1, 1]",
    "Qwen-Y  37.5 [24.2, 53.0]  3 [3, 3]  -37.5 [-53.7, -20.2]     0.001  behind",
    "o3      72.5 [57.2, 83.9]  2 [1, 2]     -2.5 [-12.9, 6.5]      1.00  not told apart",
    "  One test alone can resolve 28.0 points here (80 % power).",
]


def pair(**changes) -> Pair:
    found = Pair("A", "B", None, 40, (50.0, 46.8), 3.2, (1.1, 5.3), 0.003, 0.009, "exact McNemar", "A")
    return replace(found, **changes)


@pytest.fixture
def three(make_run):  # noqa: F811
    outcomes = {
        "GPT-X": "1" * 28 + "0" * 2 + "1" * 2 + "0" * 8,
        "Qwen-Y": "1" * 12 + "0" * 18 + "1" * 3 + "0" * 7,
        "o3": "1" * 27 + "0" * 3 + "1" * 2 + "0" * 8,
    }
    proverbs = {"GPT-X": "1111+0", "Qwen-Y": "10+11+", "o3": "101111"}
    return [make_run(label, qa_rows(text, DIMENSIONS) + two_rows(proverbs[label])) for label, text in outcomes.items()]


def test_two_runs_in_words(three):
    assert render(compare_runs(three[:2], CompareOptions(margin=5)), "text", width=124) == TWO_RUNS


def test_three_runs_in_a_table(three):
    together, table, dimensions, *_ = render(compare_runs(three), "text", width=100).split("\n\n")
    assert together.splitlines() == THREE_TOGETHER
    assert table.splitlines() == THREE_RUNS
    assert dimensions.splitlines() == [
        "HuSimpleQA, correct, by dimension (points against GPT-X)",
        "Model       L  H",
        "────────────────",
        "Qwen-Y  -53.3  –",
        "o3          –  –",
        "  –: not told apart. L: Language; H: History.",
    ]


def test_a_score_whose_interval_covers_too_little_is_marked(make_run):  # noqa: F811
    """One of ten questions has half of the blanks; right or wrong as a whole, the questions are all alike."""
    first, second = [(3, 4)] * 5 + [(1, 4)] * 4 + [(30, 36)], [(1, 4)] * 9 + [(9, 36)]
    runs = [make_run("A", fib_rows(first)), make_run("B", fib_rows(second))]
    comparison = compare_runs(runs)
    blanks, questions = comparison.metrics
    assert [score.covers_too_little for score in blanks.scores] == [True, True]
    assert [score.covers_too_little for score in questions.scores] == [False, False]
    text = render(comparison, "text", width=400)
    low, high = blanks.scores[0].ci95
    assert f"A 68.1 [{low:.1f}, {high:.1f}]†; B 25.0 [" in text
    assert "  †: too few data for a 95 % interval" in text
    assert "†" not in render(replace(comparison, metrics=(questions,)), "text")


def test_a_narrow_terminal_shows_fewer_columns(three):
    comparison = compare_runs(three)
    alone = replace(comparison, benchmarks=())
    heads = [render(alone, "text", width=width).splitlines()[1] for width in (79, 94, 95, 109, 110)]
    assert ["p (Holm)" in head for head in heads] == [False, True, True, True, True]
    assert ["Rank" in head for head in heads] == [False, False, True, True, True]
    assert ["P(first)" in head for head in heads] == [False, False, False, False, True]


def test_every_pair_in_sentences_that_name_both(three):
    text = render(compare_runs(three, CompareOptions(all_pairs=True, dimensions=False)), "text", width=200)
    assert "  GPT-X is ahead of Qwen-Y by 37.5 points [20.2, 53.7], p < 0.001 (exact McNemar; 0.002 after Holm" in text
    assert "  GPT-X and o3 are not told apart: GPT-X 2.5 points higher [-6.5, 12.9], p = 1.00 (exact McNemar;" in text
    assert "  o3 is ahead of Qwen-Y by 35.0 points" in text


@each(
    ("found", "metric", "sentence"),
    [
        (
            pair(),
            PERCENT,
            "A is ahead by 3.2 points [1.1, 5.3], p = 0.003 (exact McNemar; 0.009 after Holm over 6 comparisons).",
        ),
        (
            pair(difference=-3.2, ci95=(-5.3, -1.1), leader="B"),
            PERCENT,
            "B is ahead by 3.2 points [1.1, 5.3], p = 0.003 (exact McNemar; 0.009 after Holm over 6 comparisons).",
        ),
        (
            pair(difference=-0.032, ci95=(-0.05, -0.01), leader="A"),
            FRACTION,
            "A is ahead, lower by 0.032 [0.010, 0.050], p = 0.003 (exact McNemar; 0.009 after Holm over 6 comparisons).",  # noqa: E501
        ),
        (
            pair(leader="A"),
            replace(PERCENT, better=None),
            "A is higher by 3.2 points [1.1, 5.3], p = 0.003 (exact McNemar; 0.009 after Holm over 6 comparisons).",
        ),
        (
            pair(leader=None, p=0.03, p_holm=0.18),
            PERCENT,
            "Not told apart: A 3.2 points higher [1.1, 5.3], p = 0.030 (exact McNemar; 0.18 after Holm over 6 comparisons).",  # noqa: E501
        ),
        (
            pair(leader=None, difference=0.0, ci95=None, p=1.0, p_holm=1.0),
            PERCENT,
            "Not told apart: 0.0 points between them, p = 1.00 (exact McNemar; 1.00 after Holm over 6 comparisons).",
        ),
        (
            pair(leader=None, scores=(None, 3.0), difference=None, ci95=None, p=None, p_holm=None),
            PERCENT,
            "Nothing to compare: no score of A.",
        ),
    ],
)
def test_a_pair_in_words(found, metric, sentence):
    assert words.pair_sentence(found, metric, 6) == sentence


@each(
    ("leader", "answers"),
    [
        ("A", ["Shown: it is at least 4.0 points better.", "No: it is at least 4.0 points worse."]),
        (None, ["Shown: its interval holds no loss.", "Not shown: it may be 9.0 points worse."]),
    ],
)
def test_of_two_not_told_apart_neither_is_called_better_by_its_margin(leader, answers):
    """The interval leaves out 0, but p does not survive its correction, or the exact test is the more cautious one."""
    not_worse = (NonInferiority("A", "B", -4.0, True), NonInferiority("B", "A", 9.0, False))
    found = pair(ci95=(4.0, 9.0), leader=leader, not_worse=not_worse)
    told = list(words.margin_sentences(found, PERCENT, 3))
    assert [line.partition("? ")[2] for line in told] == answers


def test_one_test_alone_is_not_corrected():
    assert words.pair_sentence(pair(), PERCENT, 1) == "A is ahead by 3.2 points [1.1, 5.3], p = 0.003 (exact McNemar)."


def test_a_gap_names_who_is_higher_and_its_interval_follows():
    found = pair(leader=None, difference=-0.7, ci95=(-2.9, 1.5), p=0.5, p_holm=0.5)
    assert words.pair_sentence(found, PERCENT, 1) == (
        "Not told apart: B 0.7 points higher [-1.5, 2.9], p = 0.50 (exact McNemar)."
    )


@each(
    ("n_tests", "n_dimension_tests", "lines"),
    [
        (1, 0, ["The one comparison over all items needs no correction."]),
        (
            1,
            8,
            [
                "p is corrected (Holm) over the 8 comparisons within dimensions.",
                "The one comparison over all items needs no correction.",
            ],
        ),
        (8, 0, ["p is corrected (Holm) over the 8 comparisons over all items."]),
        (0, 0, []),
    ],
)
def test_what_p_is_corrected_over(n_tests, n_dimension_tests, lines):
    _, *told, _ = words.legend(Comparison(("A", "B"), (), (), {}, (), n_tests, n_dimension_tests))
    assert told == lines


@each(
    ("p", "text"),
    [(0.00001, "p < 0.001"), (0.001, "p = 0.001"), (0.04996, "p = 0.0500"), (0.05, "p = 0.050"), (0.47, "p = 0.47")],
)
def test_p_shows_on_which_side_of_5_percent_it_is(p, text):
    assert text in words.pair_sentence(pair(p=p), PERCENT, 1)


def test_the_end_of_an_interval_is_not_rounded_to_0():
    assert "[0.04, 5.3]" in words.pair_sentence(pair(ci95=(0.04, 5.3)), PERCENT, 1)
    assert "[-0.002, 5.3]" in words.pair_sentence(pair(ci95=(-0.002, 5.3), leader=None), PERCENT, 1)


@each("fmt", FORMATS)
def test_equal_is_never_said_of_runs(three, fmt):
    text = render(compare_runs([three[0], replace(three[0], label="twin")]), fmt)
    assert "equal" not in text.replace("no proof that both are equally good", "")


@each("width", [60, 80, 100, 140])
def test_text_keeps_to_the_width(three, width):
    runs = [
        replace(run, label=label)
        for run, label in zip(three, ("org/" + "x" * 60, "百" * 30, "Qwen/Qwen3-32B"), strict=True)
    ]
    text = render(compare_runs(runs), "text", width=width) + render(
        compare_runs(runs[:2], CompareOptions(margin=2)), "text", width=width
    )
    assert max(map(cell_len, text.splitlines())) <= width


def test_a_name_from_a_file_is_harmless_everywhere(three):
    runs = [replace(three[0], label=EVIL), *three[1:]]
    for some in (runs, runs[:2]):
        comparison = compare_runs(some, CompareOptions(margin=2))
        for fmt in ("text", "csv"):
            text = render(comparison, fmt)
            assert "\x1b" not in text
            assert "\u202e" not in text
        markdown = render(comparison, "markdown")
        assert "<img" not in markdown
        assert "&lt;img src=x onerror=alert(1)&gt;\\|a/b\\|" in markdown
        assert json.loads(render(comparison, "json"))["labels"][0] == EVIL


def test_half_a_surrogate_pair_can_be_written(three):
    runs = [replace(three[0], label="half \ud800"), three[1]]
    for fmt in FORMATS:
        assert render(compare_runs(runs), fmt).encode()


def test_colours_only_when_asked(three):
    comparison = compare_runs(three)
    assert "\x1b[1m" in render(comparison, "text", color=True)
    assert "\x1b" not in render(comparison, "text")
    assert "\x1b" not in render(comparison, "markdown", color=True)


def test_csv_has_a_line_for_each_pair_metric_and_dimension(three):
    comparison = compare_runs([replace(three[0], label="=cmd"), *three[1:]])
    rows = list(csv.DictReader(io.StringIO(render(comparison, "csv"))))
    assert [(row["metric"], row["dimension"], row["second"]) for row in rows] == [
        *(("all_tasks", "", "Qwen-Y"), ("all_tasks", "", "o3")),
        *(("correct", "", "Qwen-Y"), ("correct", "", "o3"), ("correct", "l", "Qwen-Y"), ("correct", "l", "o3")),
        *(("correct", "h", "Qwen-Y"), ("correct", "h", "o3"), ("acc", "", "Qwen-Y"), ("acc", "", "o3")),
    ]
    together, _, first, *_ = rows
    assert (first["first"], first["leader"]) == (together["first"], together["leader"]) == ("'=cmd", "'=cmd")
    assert (together["task"], together["difference"], together["test"]) == (
        *("openhueval", "", "stratified paired permutation"),
    )
    assert float(first["difference"]) == 37.5
    assert float(first["p_holm"]) == pytest.approx(comparison.metrics[0].pairs[0].p_holm)


def test_an_interval_that_leaves_out_0_never_stands_beside_not_told_apart_without_its_corrected_p(three):
    comparison = compare_runs(three)
    (metric, *_) = comparison.metrics
    pairs = (replace(metric.pairs[0], ci95=(2.0, 30.0), leader=None, p_holm=0.12), *metric.pairs[1:])
    narrow = render(replace(comparison, benchmarks=(), metrics=(replace(metric, pairs=pairs),)), "text", width=79)
    row, *_ = (line for line in narrow.splitlines() if line.startswith("Qwen-Y"))
    assert row.endswith("not told apart (p 0.12)")


def test_json_has_everything(three):
    comparison = compare_runs(three, CompareOptions(models=FAMILY.published / "model_cards.yaml"))
    data = json.loads(render(comparison, "json"))
    assert data["metrics"][0]["pairs"][0]["ci95"] == pytest.approx(comparison.metrics[0].pairs[0].ci95)
    assert data["metrics"][0]["scores"][0]["rank"]["rank"] == 1
    assert (data["against"], data["published"]) == ([], [])


def test_what_is_not_compared_is_said_with_the_way_out(make_run):  # noqa: F811
    rows = qa_rows("1100")
    signature = "task:t|v:1.0|data:a|prompt:{}"
    runs = [
        make_run("A", rows + two_rows("10"), {QA: signature.format("hu-1")}),
        make_run("B", rows + two_rows("10"), {QA: signature.format("en-2")}),
    ]
    text = render(compare_runs(runs), "text", width=200)
    assert (
        "Not compared: HuSimpleQA, B: against A: different prompt (hu-1 against en-2). "
        "To compare anyway: hueval compare --despite prompts.\n"
    ) in text


@each("n, sentences", [(3, 3), (4, 1)])
def test_many_tasks_that_are_left_out_alike_are_one_sentence(n, sentences):
    reason = "against A: different question language ({} against en)"
    items = ", items (1 only in A: q1; 0 only in B)"
    left_out = [LeftOut(f"t{at}", "B", reason.format(at) + items * (at == 2), True) for at in range(n)]
    left_out.append(LeftOut("t0", "C", "against A: different prompt (a against b)", True))
    text = render(Comparison(("A", "B"), (), tuple(left_out), {}, (), 0, 0), "text", width=200)
    assert text.count("Not compared: ") == sentences + 1
    example = "t2 and 3 more tasks, B: against A: different question language (2 against en), items"
    assert (f"Not compared: {example}" in text) is (sentences == 1)
    assert "Not compared: t0, C: against A: different prompt (a against b)." in text


def test_many_broken_lines_are_summed_up():
    faults = tuple(f"items.jsonl line {i}: not JSON" for i in range(1, 9))
    comparison = Comparison(("A", "B"), (), (), {}, faults, 0, 0)
    text = render(comparison, "text")
    assert "line 5: not JSON." in text
    assert "line 6" not in text
    assert "3 more lines or files that cannot be read." in text


def test_more_tests_than_the_permutation_test_bears_are_said():
    text = render(Comparison(("A", "B"), (), (), {}, (), 5000, 0), "text", width=200)
    assert "So many comparisons are beyond the paired permutation test, whose smallest p is 1 in 100,000" in text
    assert "So many" not in render(Comparison(("A", "B"), (), (), {}, (), 4999, 0), "text")

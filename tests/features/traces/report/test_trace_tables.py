"""An analysis of traces as tables and sentences."""

import csv
import io
from dataclasses import replace

from hueval_metrics.reports.tables import FORMATS
from hueval_metrics.traces import published
from hueval_metrics.traces.item import VERDICTS
from hueval_metrics.traces.measures import Cell, Number
from hueval_metrics.traces.measures import Test as Difference
from hueval_metrics.traces.published import PublishedNumber
from hueval_metrics.traces.report.tables import render
from hueval_metrics.traces.results import AnalysedRun, TraceResults
from tests.each import each

RIGHT, _, WRONG, NONE = VERDICTS
TASK = "toybench_letters"
EMPTY = TraceResults("1.0", ["free"], "bytes", "", [AnalysedRun("a", "a"), AnalysedRun("b", "b")], [], [])


def cell(run, verdict="", part=""):
    return Cell(run, TASK, part, verdict)


def number(run, measure, value, ci95=None, verdict="", n=9):
    return Number(cell(run, verdict), measure, value, ci95, n, n, float(n))


def difference(first, second, between, difference, p_holm, measure="tokens"):
    ends = (difference - 100.0, difference + 100.0)
    return Difference(measure, between, first, second, difference, ends, p_holm / 2, p_holm, 18)


def test_the_overview_has_a_row_for_each_verdict_and_model():
    numbers = [
        number("a", "tokens", 1234.4, (1100.2, 1400.0)),
        number("a", "tokens_median", 1100.0, (900.0, 1200.0)),
        number("b", "tokens", 900.0),
        number("a", "regret", 40.0, (30.0, 50.0), RIGHT, 4),
        number("a", "regret", 25.0, (10.0, 48.0), WRONG, 5),
        number("b", "hedges", 2.5),
    ]
    text = render(replace(EMPTY, numbers=numbers), "terminal")
    assert (
        text
        == """\
toybench_letters: traces by verdict
                            Tokens
Verdict    Model  n          mean  median        Regret
───────────────────────────────────────────────────────
all        a      9          1234    1100
                     [1100, 1400]
all        b      9           900
CORRECT    a      4
INCORRECT  a      5                                25.0
                                           [10.0, 48.0]
Regret: replies that are not right, but of which at least one thought is correct.

toybench_letters: language and phrases
          Per 1,000 tokens
Model  n            hedges
──────────────────────────
b      9              2.50

What was read, and what was left out
[ ]: 95 % interval over questions.
a: 0 replies.
b: 0 replies.
Tokens: bytes.
"""
    )


def test_differences_are_sentences_and_counts():
    tests = [
        difference(cell("a", RIGHT), cell("a", NONE), "verdicts", -812.0, 0.0004),
        difference(cell("a", RIGHT), cell("a", WRONG), "verdicts", 30.0, 0.6),
        difference(cell("a", WRONG), cell("b", WRONG), "models", 260.0, 0.02),
        difference(cell("a"), cell("b"), "models", 250.0, 0.02),
        difference(cell("a", part="easy"), cell("a", part="hard"), "parts", 120.0, 0.03),
        difference(cell("a", RIGHT), cell("a", WRONG), "verdicts", 300.0, 0.01, "regret"),
    ]
    text = render(replace(EMPTY, tests=tests), "markdown")
    assert [line[2:] for line in text.splitlines() if line.startswith("- ")][:7] == [
        r"a, toybench\_letters: tokens higher for NOT\_ATTEMPTED than for CORRECT, by 812 \[712, 912\], p &lt; 0.001.",
        r"toybench\_letters: tokens higher for a than for b, by 250 \[150, 350\], p = 0.020.",
        r"a, toybench\_letters: tokens higher for easy than for hard, by 120 \[20, 220\], p = 0.030.",
        r"toybench\_letters, INCORRECT: tokens higher for a than for b, by 260 \[160, 360\], p = 0.020.",
        "Significant between verdicts: tokens 1 of 2.",
        "Significant between models: tokens 2 of 2.",
        "Significant between parts: tokens 1 of 1.",
    ], "of right replies a correct thought is no regret"


def test_two_measures_of_a_model_are_one_sentence():
    """OpenHuEval §4.2: complex thoughts are right less often than simple assertions, and less often concluded."""
    tests = [
        Difference(f"{of}_simple_assertion", "measures", cell("a"), cell("a"), value, ends, p, p, 40, f"{of}_complex")
        for of, value, ends, p in (
            ("correct", 40.8, (31.2, 50.0), 0.0002),
            ("non_conclusion", -12.5, (-20.0, -5.5), 0.01),
            ("eti", 1.0, (-3.0, 5.0), 0.7),
        )
    ]
    text = render(replace(EMPTY, tests=tests), "terminal", width=130)
    assert "correct simple assertion higher than correct complex, by 40.8 [31.2, 50.0], p < 0.001." in text
    assert "non conclusion complex higher than non conclusion simple assertion, by 12.5 [5.5, 20.0], p = 0.010." in text
    assert "Significant between measures: correct simple assertion against correct complex 1 of 1, non" in text
    assert "Measures of one model: the part of each question in their difference has a random sign." in text


def test_many_differences_are_counted():
    tests = [difference(cell("a", RIGHT), cell("a", NONE), "verdicts", 812.0, 0.01)] * 30
    text = render(replace(EMPTY, tests=tests), "terminal", width=120)
    assert text.count("by 812") == 20
    assert "And 10 more, within parts and verdicts; --format csv lists all." in text


def test_what_was_left_out_is_told_of_each_run():
    counts = {TASK: {"replies": 7, "no_trace": 1, "cut": 0}, "toybench_order": {"replies": 3, "cut": 2, "looping": 1}}
    run = AnalysedRun("a", "a", {}, counts, {"thoughts": {"unreadable": 2, "too long": 0}, "segments": {}})
    text = render(replace(EMPTY, runs=[run]), "terminal", width=120)
    told = "a: 10 replies, of which 1 without a trace, 2 cut off, 1 in a loop; left out of thoughts: 2 unreadable."
    assert told in text


def test_models_without_common_questions_are_told():
    runs = [AnalysedRun(label, label, {TASK: "s"}) for label in "ab"]
    assert "Models are not compared" in render(replace(EMPTY, runs=runs), "terminal")
    assert "Models are not compared" not in render(replace(EMPTY, runs=runs[:1]), "terminal")


def test_csv_has_every_number_and_test():
    numbers = [number("a", "tokens", 1 / 3, (0.25, 0.5)), number("a", "unknown_measure", None)]
    tests = [difference(cell("a"), cell("b"), "models", 250.0, 0.02)]
    rows = list(csv.reader(io.StringIO(render(replace(EMPTY, numbers=numbers, tests=tests), "csv"))))
    assert rows[1] == ["a", TASK, "", "", "tokens", str(1 / 3), "0.25", "0.5", "9", "9", "9.0"]
    assert rows[2][4:8] == ["unknown_measure", "", "", ""]
    assert dict(zip(rows[3], rows[4], strict=True)) == {
        **{"measure": "tokens", "between": "models", "against": "", "group": TASK, "run_1": "a", "run_2": "b"},
        **{"part_1": "", "part_2": "", "verdict_1": "", "verdict_2": ""},
        **{"difference": "250.0", "ci95_low": "150.0", "ci95_high": "350.0"},
        **{"p": "0.01", "p_holm": "0.02", "n": "18"},
    }


@each("fmt", FORMATS)
def test_names_from_the_file_are_inert(fmt):
    label = '=HYPERLINK("x")\x1b[31m\n\u202e'
    bad = Cell(label, "\x1b[2Jtask", "\x07part", "\x1b[1mVERDICT")
    numbers = [Number(bad, "tokens", 1.0, None, 1), Number(bad, "length_correctness", 0.5, None, 1)]
    tests = [Difference("\x1b[0mtokens", "verdicts", bad, replace(bad, verdict="B"), 1.0, None, 0.01, 0.01, 4)]
    run = AnalysedRun(label, label, {}, {}, {"\x1bfree": {"\x1b]0;x\x07no reply": 1}})
    results = replace(EMPTY, numbers=numbers, tests=tests, runs=[run], tokenizer="\x1b[5mtok")
    text = render(results, fmt)
    assert not set("\x1b\x07\u202e") & set(text)
    assert not any(line.startswith("=") for line in text.splitlines()) or fmt != "csv"


def test_published_figures_stand_below_ours(monkeypatch):
    printed = [
        PublishedNumber(TASK, "simple_assertion", "Big-Model", 55.49, "Table 9"),
        PublishedNumber(TASK, "eti", "Big-Model", 5.49, "§4.2"),
        PublishedNumber("toybench_order", "eti", "Other", 1.0, "§4.2"),
    ]
    monkeypatch.setattr(published, "families", lambda: {"toybench": None})
    monkeypatch.setattr(published, "published_traces", lambda family: printed)
    numbers = [number("a", "simple_assertion", 50.0), number("a", "eti", 7.0, (5.0, 9.0))]
    assert (
        render(replace(EMPTY, numbers=numbers), "terminal").split("\n\n")[0]
        == """\
toybench_letters: Reasoning segments, in percent
               Assertions
Model       n      simple         ETI
─────────────────────────────────────
a           9        50.0         7.0
                           [5.0, 9.0]
─────────────────────────────────────
Big-Model‡           55.5         5.5
ETI, explicit translation insertion: segments that translate a phrase of the question first.
‡: printed in the paper (Table 9, §4.2); its judge and prompts may be others."""
    )

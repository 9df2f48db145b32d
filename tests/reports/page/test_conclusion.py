import re
from dataclasses import replace

import pytest

from hueval_metrics.comparison.benchmarks import TaskTerms
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.registry import families
from hueval_metrics.reports.page.conclusion import best_first, conclusions
from hueval_metrics.reports.page.marks import Behind, Marks
from hueval_metrics.stats.paired import MCNEMAR, PairedDifference
from tests.helpers import run_of

WILD, QA, FIB = "openhueval_huwildbench", "openhueval_husimpleqa", "openhueval_humatchingfib"
MAIN = {WILD: "wb_score", QA: "correct", FIB: "blank_acc"}


def run(label, **scores):
    """A run with these scores in the tasks WILD, QA and FIB."""
    tasks = dict(zip(("wild", "qa", "fib"), MAIN.items(), strict=True))
    return run_of(label, scores={tasks[key][0]: {tasks[key][1]: score} for key, score in scores.items()})


def compared(best, other, *, apart=(), not_apart=()):
    """Marks of tests of two runs: task → the difference and its interval."""
    marks = Marks()
    for tasks, differs in ((apart, True), (not_apart, False)):
        for task, value, *ends in tasks:
            column = (task, MAIN[task])
            marks.differs[column] = {best: False, other: differs}
            difference = PairedDifference(value, tuple(ends), 0.01, MCNEMAR, 100, 10, 1.0)
            marks.behind[column, other] = Behind(best, difference)
    return marks


def said(runs, marks=None, language="en"):
    """The texts of one language; what lies between those of two sentences, a space, is not of any."""
    (conclusion,) = conclusions(runs, marks or Marks())
    spans = re.findall(r'<span lang="(\w+)">(.*?)</span>', str(conclusion.sentence), re.DOTALL)
    return "".join(text for lang, text in spans if lang == language).strip()


BEST, NEXT = run("best", wild=80.0, qa=70.0, fib=60.0), run("next", wild=75.0, qa=69.0, fib=61.0)


def test_who_leads_where_it_is_told_apart_and_by_how_much():
    marks = compared("best", "next", apart=[(WILD, 5.0, 3.0, 7.0)], not_apart=[(QA, 1.0, -1.0, 3.0)])
    assert said([NEXT, BEST], marks) == (
        "<b>best</b> leads in 2 of 3 tasks. Its lead over the next model is significant in 1 of them (HuWildBench): "
        "5.0 points. Elsewhere it may be chance."
    )
    assert said([NEXT, BEST], marks, "hu") == (
        "<b>best</b> 3 feladatból 2 feladaton vezet. A következő modellel szembeni előnye ezek közül 1 feladaton "
        "szignifikáns (HuWildBench): 5,0 pont; a többin véletlen is lehet."
    )


@pytest.mark.parametrize(
    "marks, end",
    [
        (
            compared("best", "next", apart=[(WILD, 5.0, 3.0, 7.0), (QA, 1.0, 0.2, 3.0)]),
            ", in all of them significantly: by 1.0–5.0 points over the next model.",
        ),
        (
            compared("best", "next", not_apart=[(WILD, 5.0, -3.0, 7.0), (QA, 1.0, -0.2, 3.0)]),
            ", in none of them significantly: 1.0–5.0 points over the next model may be chance.",
        ),
        (Marks(), "; whether its leads are significant was not tested."),
        (
            compared("next", "best", apart=[(WILD, 5.0, 3.0, 7.0)]),
            "; whether its leads are significant was not tested.",
        ),
    ],
)
def test_how_sure_the_lead_is(marks, end):
    assert said([BEST, NEXT], marks) == "<b>best</b> leads in 2 of 3 tasks" + end


def test_one_task():
    runs = [run("a", qa=50.0), run("b", qa=40.0)]
    apart = compared("a", "b", apart=[(QA, 10.0, 2.0, 18.0)])
    assert said(runs, apart) == ("<b>a</b> leads in HuSimpleQA, 10.0 points ahead of b; the difference is significant.")
    assert said(runs, compared("a", "b", not_apart=[(QA, 10.0, -2.0, 18.0)])) == (
        "<b>a</b> is ahead in HuSimpleQA by 10.0 points, but not significantly ahead of b: that may be chance."
    )
    assert "was not tested" in said(runs)
    assert said([run("a", qa=50.0), run("b", qa=50.0)]) == "<b>a</b> and <b>b</b> share the best score in HuSimpleQA."


def test_two_models_that_lead_as_often():
    runs = [run("a", qa=50.0, fib=1.0), run("b", qa=40.0, fib=2.0)]
    assert said(runs) == "<b>a</b> and <b>b</b> lead in 1 of 2 tasks each; no model leads overall."


def test_where_there_is_nobody_to_lead():
    oracle, first = run("hueval-baseline-oracle", qa=100.0), run("hueval-baseline-first", qa=0.0)
    assert said([oracle, first]).startswith("Only baselines ran, no model yet: ")
    assert said([oracle, run("a<", qa=5.0)]).startswith("<b>a&lt;</b> is the only model here")
    part = run_of("part", scores={QA: {"correct": 99.0}}, limit=5.0)
    assert said([part, BEST]).startswith("<b>best</b> is the only model that ran the whole benchmark")
    nobody = "No model leads: no task has scores of two models, or they are all 0."
    assert said([run("a", qa=5.0), run("b", fib=5.0)]) == nobody
    assert said([run("a", qa=0.0), run("b", qa=0.0)]) == nobody


def test_a_shared_best_score_is_no_lead():
    runs = [run("a", wild=3.0, qa=50.0, fib=1.0), run("b", wild=2.0, qa=50.0, fib=1.0)]
    assert said(runs) == "<b>a</b> leads in 1 of 3 tasks; whether its leads are significant was not tested."
    tied = [run("a", qa=50.0, fib=1.0), run("b", qa=50.0, fib=1.0)]
    assert said(tied) == "No model leads; in every task several models share the best score."


def test_families_with_baselines_alone_have_one_sentence():
    first = run_of("hueval-baseline-first", scores={QA: {"correct": 1.0}, "hulu_husst": {"acc": 33.0}})
    (conclusion,) = conclusions([first], Marks())
    assert conclusion.title == "HuLU, OpenHuEval"


def test_a_baseline_and_a_part_of_the_benchmark_never_lead():
    oracle = run("hueval-baseline-oracle", wild=100.0, qa=100.0, fib=100.0)
    part = run_of("part", scores={QA: {"correct": 99.0}}, limit=5.0)
    (conclusion,) = conclusions([oracle, part, BEST, NEXT], Marks())
    assert [lead.leaders for lead in conclusion.leads] == [("best",), ("best",), ("next",)]


def test_each_task_with_its_leader_the_next_and_the_interval():
    marks = compared("best", "next", apart=[(WILD, 5.0, 3.0, 7.0)], not_apart=[(QA, 1.0, -1.0, 3.0)])
    (conclusion,) = conclusions([BEST, NEXT, run("third", qa=70.0, wild=1.0)], marks)
    wild, qa, fib = conclusion.leads
    assert '<span lang="en">+5.0 [3.0, 7.0] over next: <b>significant</b></span>' in wild.text
    assert '<span lang="hu">+5,0 [3,0; 7,0], mögötte next: <b>szignifikáns</b></span>' in wild.text
    assert (qa.leaders, qa.second) == (("best", "third"), "")
    assert "best score shared" in qa.text
    assert (wild.group, wild.heading) == ("HuWildBench", "WBScore")
    assert '<span lang="en">+1.0 over best: not tested</span>' in fib.text


def test_a_family_with_a_summary_is_led_in_the_summary(monkeypatch):
    from hueval_metrics.summary import Summary, parts_of

    summary = Summary("mean", "Mean", parts_of((WILD, "wb_score"), (QA, "correct")))
    family = replace(families()["openhueval"], summaries=(summary,))
    monkeypatch.setitem(families(), "openhueval", family)
    assert said([run("a", wild=50.0, qa=50.0), run("b", wild=51.0, qa=40.0)]) == (
        "<b>a</b> is ahead in Mean by 4.5 points over b; whether that is significant was not tested."
    )


def test_a_summary_is_called_as_its_family_does_in_each_language(monkeypatch):
    from hueval_metrics.summary import Summary, parts_of

    parts = parts_of((WILD, "wb_score"), (QA, "correct"))
    family = replace(families()["openhueval"], summaries=(Summary("mean", "Mean", parts, titles={"hu": "Átlag"}),))
    monkeypatch.setitem(families(), "openhueval", family)
    (conclusion,) = conclusions([run("a", wild=50.0, qa=50.0), run("b", wild=51.0, qa=40.0)], Marks())
    assert conclusion.leads[-1].heading == '<span lang="en">Mean</span><span lang="hu">Átlag</span>'
    assert "is ahead in Mean by" in conclusion.sentence
    assert "Átlag" in conclusion.sentence.partition('lang="hu"')[2]


def test_the_best_model_stands_first_and_baselines_last():
    runs = [
        run("hueval-baseline-first", qa=0.0),
        run("hueval-baseline-oracle", qa=100.0),
        run("b", qa=10.0, fib=20.0),
        run("a", qa=20.0),
        run("c", fib=50.0),
    ]
    assert [one.label for one in best_first(runs)] == [
        *("a", "c", "b", "hueval-baseline-oracle", "hueval-baseline-first")
    ]


def rows(right, n=40):
    """Terms of a model that has the first `right` of n questions right."""
    return PERCENT.rows([float(place < right) for place in range(n)])


def tasks_of(*scores, names=("best", "next")):
    """Marks of two tasks or more, in each of which each model has so many of 40 questions right."""
    found = [
        TaskTerms(
            [f"{task}-{place}" for place in range(40)],
            {name: rows(right) for name, right in zip(names, own, strict=True)},
            PERCENT,
        )
        for task, own in enumerate(scores)
    ]
    return Marks(benchmarks={"openhueval": found})


def test_all_tasks_together_come_first():
    """4 against 0 questions in each of two tasks: p = 0.125 by itself, 2 / 2**8 of both together."""
    marks = tasks_of((24, 20), (24, 20))
    marks.differs |= (
        by_task := compared("best", "next", not_apart=[(WILD, 5.0, 0.3, 9.0), (QA, 1.0, -0.2, 3.0)])
    ).differs
    marks.behind |= by_task.behind
    assert said([BEST, NEXT], marks) == (
        "Over the 2 tasks together, <b>best</b> is significantly better than next (p = 0.008).<b>best</b> leads in 2 "
        "of 3 tasks, in none of them significantly by itself (1.0–5.0 points over the next model)."
    )
    (conclusion,) = conclusions([BEST, NEXT], marks)
    assert "0,008).</span> <span" in conclusion.sentence
    assert said([BEST, NEXT], marks, "hu").startswith(
        "Összesen 2 feladaton <b>best</b> szignifikánsan jobb, mint next (p = 0,008).<b>best</b> 3 feladatból"
    )


def test_the_better_of_two_is_named_whoever_leads_more_often():
    assert said([BEST, NEXT], tasks_of((20, 30), (20, 30))).startswith(
        "Over the 2 tasks together, <b>next</b> is significantly better than best (p &lt; 0.001).<b>best</b> leads in"
    )


def test_without_a_significant_difference_over_all_tasks():
    assert said([BEST, NEXT], tasks_of((21, 20), (20, 20))).startswith(
        "Over the 2 tasks together, <b>best</b> is not significantly better than next (p = 1.00).<b>best</b> leads"
    )


THIRD = run("third", wild=1.0, qa=1.0, fib=1.0)


@pytest.mark.parametrize(
    ("scores", "start"),
    [
        ((30, 10, 10), "<b>best</b> is significantly better than each of the 2 other models (p &lt; 0.001 or less)."),
        ((30, 30, 10), "<b>best</b> is significantly better than 1 of the 2 other models, but not than <b>next</b>."),
        ((30, 30, 30), "<b>best</b> is not significantly better than any of the 2 other models (p = 1.00 or more)."),
    ],
)
def test_the_best_of_several_against_each_of_the_others(scores, start):
    marks = tasks_of(scores, scores, names=("best", "next", "third"))
    assert said([BEST, NEXT, THIRD], marks).startswith(f"Over the 2 tasks together, {start}<b>best</b> leads")


def test_p_is_corrected_over_all_pairs_as_the_best_was_chosen_by_its_scores():
    """Of 3 models: 6 discordant questions, p = 2 / 2**6 = 0.031 of two alone, × 3 of the three pairs."""
    two = said([BEST, NEXT], tasks_of((23, 20), (23, 20)))
    three = said([BEST, NEXT, THIRD], tasks_of((23, 20, 20), (23, 20, 20), names=("best", "next", "third")))
    assert "significantly better than next (p = 0.031)" in two
    assert "is not significantly better than any of the 2 other models (p = 0.094 or more)" in three


def test_one_task_has_no_sentence_on_all_together():
    assert said([BEST, NEXT], tasks_of((40, 0))).startswith("<b>best</b> leads in 2 of 3 tasks")


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.3, 9.0), "+5.0 [0.3, 9.0] over next: not significant once corrected, p = 0.12"),
        ((-0.3, 9.0), "+5.0 [-0.3, 9.0] over next: not significant<"),
    ],
)
def test_an_interval_that_leaves_out_0_has_its_corrected_p_beside_not_significant(ends, text):
    marks = compared("best", "next", not_apart=[(WILD, 5.0, *ends)])
    (key,) = marks.behind
    marks.behind[key] = replace(marks.behind[key], p_holm=0.12)
    (conclusion,) = conclusions([BEST, NEXT], marks)
    assert text in conclusion.leads[0].text


def test_one_model_has_one_sentence_for_all_its_benchmarks_and_its_scores():
    one = run_of(
        "m",
        scores={QA: {"correct": 50.0}, "hulu_huwnli": {"acc": 61.2}, "hkmmlu_hk_law": {"acc": 30.0}},
        intervals={"hulu_huwnli": {"acc": (50.0, 70.0)}},
    )
    (conclusion,) = conclusions([one], Marks())
    assert conclusion.title == "HuLU, OpenHuEval, HKMMLU"
    assert {own.score.column.task for own in conclusion.own} == {QA, "hulu_huwnli", "hkmmlu_hk_law"}
    (wnli,) = [own for own in conclusion.own if own.score.column.task == "hulu_huwnli"]
    assert (wnli.value, wnli.interval) == ({"en": "61.2", "hu": "61,2"}, {"en": "[50.0, 70.0]", "hu": "[50,0; 70,0]"})
    assert '<span lang="en">chance 50.0</span><span lang="hu">találgatással 50,0</span>' in wnli.text
    assert len(conclusion.notes) == 2


def test_where_others_ran_only_a_part_the_whole_one_is_read_alone():
    part = run_of("part", scores={QA: {"correct": 99.0}}, limit=5.0)
    (conclusion,) = conclusions([part, BEST], Marks())
    assert [own.value["en"] for own in conclusion.own] == ["80.0", "70.0", "60.0"]

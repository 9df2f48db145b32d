import pytest

from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.reports.figures.judging import judging_figure
from hueval_metrics.runs.items import Item

QA, WILD = "openhueval_husimpleqa", "openhueval_huwildbench"


def judged(*verdicts, task=QA):
    data = FigureData()
    for verdict in verdicts:
        data.add(0, Item.of({"task": task, "verdict": verdict}))
    return data


def paid(usd):
    usage = {"calls": 1, "prompt_tokens": 1, "completion_tokens": 1, "usd": usd, "seconds": 1}
    return {"label": "CORRECT", "judge": "gpt", "usage": usage}


def test_coverage_and_cost_by_task(run, texts):
    scores = {QA: {"judge_coverage": 100.0}, WILD: {"judge_coverage": 97.5}}
    figure = judging_figure(judged(paid(0.75), paid(0.5)), [run("a", scores)])
    assert figure is not None
    assert [(row["task"], row["measure"], row["score"]) for row in figure.rows] == [
        (WILD, "%", 97.5),
        (QA, "%", 100.0),
        (QA, "USD", 1.25),
    ]
    assert {"HuWildBench  %", "HuSimpleQA  USD", "1.25"} <= set(texts(figure))
    assert "HuWildBench  USD" not in texts(figure)  # nobody paid: no empty panel


@pytest.mark.parametrize(
    ("why", "verdicts"),
    [
        ("no price is known", [paid(0.5), paid(None)]),
        ("all came from the cache", [{"label": "CORRECT", "judge": "gpt", "cached": True}]),
        ("a damaged log", [paid(1e300)]),
        ("no verdict", []),
    ],
)
def test_costs_that_are_not_known_or_nothing_are_left_out(why, verdicts, run):
    figure = judging_figure(judged(*verdicts), [run("a", {QA: {"judge_coverage": 50.0}})])
    assert figure is not None, why
    assert {row["measure"] for row in figure.rows} == {"%"}


def test_agreement_within_a_panel(run, texts):
    def votes(*labels):
        return {"label": labels[0], "votes": [{"label": label, "judge": f"j{i}"} for i, label in enumerate(labels)]}

    verdicts = [votes("CORRECT", "CORRECT"), votes("INCORRECT", "INCORRECT"), votes("CORRECT", "INCORRECT")] * 4
    figure = judging_figure(judged(*verdicts), [run("a", {QA: {"judge_coverage": 100.0}})])
    assert figure is not None
    (alpha,) = [row for row in figure.rows if row["measure"] == "α"]
    assert alpha["ci95_low"] < alpha["score"] < alpha["ci95_high"]
    assert f"{alpha['score']:.2f}" in texts(figure)


def test_rule_tasks_have_no_judge(run):
    assert judging_figure(FigureData(), [run("a", {"openhueval_humatchingfib": {"blank_acc": 1.0}})]) is None

"""What the scores of one model are read against: chance, and the nearest published scores."""

import json
from itertools import product

from hueval_metrics.registry import families, known_tasks, task_spec
from hueval_metrics.reports.beside import beside
from hueval_metrics.reports.tables import render
from hueval_metrics.runs.results import read_results
from hueval_metrics.scoring.values import DocumentValues
from tests.each import each
from tests.helpers import changed, run_of

TWO, WILD, QA = "openhueval_huproverbrea_2cq", "openhueval_huwildbench", "openhueval_husimpleqa"
RUN = run_of(
    "m",
    scores={TWO: {"acc": 62.6}, QA: {"correct": 50.0}},
    intervals={TWO: {"acc": (59.8, 65.4)}},
)


def of(run):
    return {one.column.task: one for one in beside(run, list(families().values()))}


def test_a_score_has_its_interval_chance_and_the_published_ones_around_it():
    two, qa = of(RUN)[TWO], of(RUN)[QA]
    assert (two.score, two.ci95, two.chance) == (62.6, (59.8, 65.4), 25.0)
    assert two.above == ("Qwen2.5-Instruct-7B", 67.05) and two.below is None
    assert (qa.ci95, qa.chance) == (None, None)
    assert qa.below[1] <= 50.0 < qa.above[1]


@each("field", [{"sample": True}, {"limit": 20.0}], ids=str)
def test_other_items_than_the_benchmarks_have_no_published_scores_beside_them(field):
    two = of(changed(RUN, **field))[TWO]
    assert (two.above, two.below, two.chance) == (None, None, 25.0)


def test_guessing_both_orders_of_two_choices_is_right_in_a_quarter():
    declared = known_tasks()[TWO].tasks[TWO]
    metric = declared.metrics[next(iter(declared.headline))]
    guesses = list(product((1, 2), repeat=2))  # in each order either option
    values = [
        (f"p{place}", option, said)
        for place, pair in enumerate(guesses)
        for option, said in zip((1, 2), pair, strict=True)
    ]
    assert metric(values) == 100 * declared.chance


@each(
    ("task", "chance"),
    [
        ("hkmmlu_hk_law", 0.25),
        ("hkmmlull_hk_law", 0.25),
        ("hulu_hucola", 0.0),
        ("hulugen_hucopa", 0.0),
        ("hulu_huwnli", 0.5),
        ("hulugen_husst", 1 / 3),
        ("hulu_hucb", None),
        ("hulugen_hurc", None),
        (QA, None),
        (WILD, None),
    ],
)
def test_chance_of_the_first_metric_of_the_headline(task, chance):
    assert next(one for one in families().values() if task in one.tasks).tasks[task].chance == chance


def hurc(label):
    """An article with three names, one of which is masked."""
    lead, passage = ["Kovács János Szegedre utazott."], ["Ott Nagy Péter várta."]
    doc = {"lead": lead, "passage": passage, "query": "[MASK] örült.", "label": label, "split": "validation"}
    return doc | {"qid": "1", "article_id": "a", "prompt": 1}


def test_chance_that_depends_on_the_document_is_in_the_results_and_read_back(tmp_path):
    from lm_eval_tasks.hulu.hurc import candidates, chance

    doc = hurc("Nagy Péter")
    assert chance(doc) == 1 / len(candidates(doc)) and chance(hurc(None)) is None
    values = DocumentValues(task_spec("hulu_hurc"))
    for one in (doc, hurc(None)):
        values.add(dict.fromkeys(task_spec("hulu_hurc").metrics) | {"em": 1.0}, one)
    summary = values.summary()
    assert summary["chance"] == chance(doc)
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"hulu_hurc": summary | {"n": 1}}), encoding="utf-8")
    assert read_results(path).tasks["hulu_hurc"].chance == chance(doc)
    assert "chance" not in read_results(path).tasks["hulu_hurc"].scores


def test_the_table_of_one_model_says_what_its_scores_are_read_against():
    text = render([RUN], "terminal", width=140)
    assert "What the scores are read against" in text
    (row,) = [line for line in text.splitlines() if line.startswith("HuProverbRea Acc. (2CQ)")]
    assert row.split("  ")[-1].strip() == "Qwen2.5-Instruct-7B 67.0"
    assert "[59.8, 65.4]" in row and "25.0" in row
    assert "What the scores" not in render([RUN, run_of("other", scores={QA: {"correct": 1.0}})], "terminal")
    baseline = run_of("hueval-baseline-random", scores={QA: {"correct": 1.0}})
    assert "What the scores" in render([RUN, baseline], "terminal")

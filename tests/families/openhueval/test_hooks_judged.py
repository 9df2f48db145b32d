"""One document of each judged task: every key, literal values, and runs whose verdicts are partly or wholly missing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.json_answer import answer_text
from hueval_metrics.metrics.basic import N_ITEMS, PERCENT
from hueval_metrics.metrics.confidence import BRIER, ECE
from hueval_metrics.metrics.simple_qa import CORRECT_GIVEN_ATTEMPTED, F_SCORE
from hueval_metrics.records import Filtered, Verdict
from hueval_metrics.registry import declared
from lm_eval_tasks.openhueval.hooks_judged import (
    huproverbrea_oe,
    huproverbrea_oe_rated,
    husimpleqa,
    husimpleqa_rated,
    huwildbench,
    huwildbench_rated,
)
from lm_eval_tasks.openhueval.metrics.wb_score import WB_SCORE, WB_SCORE_REF
from tests.each import each
from tests.helpers import json_lines, shared

RATES = dict.fromkeys(["judge_coverage", "hungarian_rate", "truncated_rate", "suspicious_rate"], PERCENT)
AGGREGATIONS = {
    husimpleqa: {
        **dict.fromkeys(["correct", "incorrect", "not_attempted"], PERCENT),
        "correct_given_attempted": CORRECT_GIVEN_ATTEMPTED,
        "f_score": F_SCORE,
        "ece": ECE,
        "n_confidence": N_ITEMS,
        "brier": BRIER,
        **RATES,
        **{f"correct_{code}": PERCENT for code in ("l", "h", "lcc", "ep", "gp", "f", "ppl", "bf")},
    },
    huproverbrea_oe: {**dict.fromkeys(["acc", "acc_ref", "unreadable_rate"], PERCENT), **RATES},
    huwildbench: {
        "wb_score": WB_SCORE,
        "wb_score_racka": WB_SCORE,
        "wb_score_ref": WB_SCORE_REF,
        "default_score_rate": PERCENT,
        **RATES,
        **{f"wb_score_{code}": WB_SCORE for code in ("lcc", "ep", "ppl", "bf")},
    },
}
TASKS = pytest.mark.parametrize("task", AGGREGATIONS, ids=lambda task: task.__name__)
DOC = {"qid": "q", "hu_specific_dim": "life, culture, and custom"}
SURE = '{"answer": "Szent István király volt", "confidence_score": 80}'
NO_VERDICTS = [
    None,
    {},
    {"label": None, "score": None, "error": "no reply in 60 s"},
    {"label": "MAYBE"},  # no label of any task
    {"label": ["CORRECT"]},
    {"score": 0},  # off Table 10's scale
    {"score": 11},
    {"score": float("nan")},
    {"score": True},
    {"score": "8"},
]


def score(
    task, verdict, response: str = SURE, truncated: bool = False, dimension: str = DOC["hu_specific_dim"]
) -> dict:
    filtered = Filtered(response, truncated, verdict)
    return task(DOC | {"hu_specific_dim": dimension}, [filtered.to_json()])


def label(name: str) -> dict:
    verdict = Verdict(label=name, raw=f'{{"evaluation": "{name}"}}', judge="j", rubric="r/1")
    return {field: getattr(verdict, field) for field in Verdict.__slots__}


def points(value: float, error: str | None = None) -> dict:
    return {"label": None, "score": value, "error": error}


def total(task, docs: list[dict]) -> dict:
    return {metric: f([doc[metric] for doc in docs]) for metric, f in AGGREGATIONS[task].items()}


def test_husimpleqa():
    by_dimension = dict.fromkeys((f"correct_{code}" for code in ("l", "h", "lcc", "ep", "gp", "f", "ppl", "bf")), None)
    assert score(husimpleqa, label("CORRECT")) == {
        "correct": 1.0,
        "incorrect": 0.0,
        "not_attempted": 0.0,
        "correct_given_attempted": (1, 1),
        "f_score": (2, 2),
        "ece": (0.8, 1.0),
        "n_confidence": (0.8, 1.0),
        "brier": (0.8, 1.0),
        "judge_coverage": 1.0,
        "hungarian_rate": 1.0,
        "truncated_rate": 0.0,
        "suspicious_rate": 0.0,
        **by_dimension,
        "correct_lcc": 1.0,
    }


@pytest.mark.parametrize(
    ("name", "shares", "cga", "f", "pair"),
    [
        ("CORRECT", (1.0, 0.0, 0.0), (1, 1), (2, 2), (0.8, 1.0)),
        ("INCORRECT", (0.0, 1.0, 0.0), (0, 1), (0, 2), (0.8, 0.0)),
        ("NOT_ATTEMPTED", (0.0, 0.0, 1.0), (0, 0), (0, 1), (0.8, 0.0)),  # stated confidence in no answer: wrong
    ],
)
def test_labels_of_husimpleqa(name, shares, cga, f, pair):
    values = score(husimpleqa, label(name))
    assert (values["correct"], values["incorrect"], values["not_attempted"]) == shares
    assert (values["correct_given_attempted"], values["f_score"], values["ece"]) == (cga, f, pair)
    assert values["correct_lcc"] == shares[0]


def test_a_missing_confidence_is_left_out_of_the_calibration_alone():
    values = score(husimpleqa, label("CORRECT"), "Szent István király volt")
    assert (values["ece"], values["n_confidence"], values["brier"]) == (None, None, None)
    assert values["correct"] == 1.0


def test_huproverbrea_oe():
    response = "Azt akarja mondani, hogy sietni kell."
    rates = {
        "unreadable_rate": 0.0,
        "judge_coverage": 1.0,
        "hungarian_rate": 1.0,
        "truncated_rate": 0.0,
        "suspicious_rate": 0.0,
    }
    assert score(huproverbrea_oe, label("YES"), response) == {"acc": 1.0, "acc_ref": 1.0, **rates}
    assert score(huproverbrea_oe, label("NO"), response) == {"acc": 0.0, "acc_ref": 0.0, **rates}


UNREADABLE = [
    {"label": None, "score": None, "raw": "Maybe.", "error": "unreadable: no label"},
    label("NO") | {"error": "unreadable, counted wrong"},  # as hueval 0.1 wrote them
    points(1.0, "unreadable, default score"),
]


@each("verdict", UNREADABLE, ids=lambda verdict: verdict["error"])
@TASKS
def test_an_unreadable_verdict_is_missing_in_the_headline(task, verdict):
    """Only what repeats a reference fills it in, and says in what share of the replies."""
    values = score(task, verdict)
    applicable = {metric: value for metric, value in values.items() if value is not None and metric[:4] != "susp"}
    filled_in = {
        husimpleqa: {},
        huproverbrea_oe: {"acc_ref": 0.0, "unreadable_rate": 1.0},
        huwildbench: {"wb_score_racka": 1.0, "default_score_rate": 1.0},
    }[task]
    assert applicable == {"judge_coverage": 0.0, "hungarian_rate": 1.0, "truncated_rate": 0.0, **filled_in}


def test_the_headline_is_that_of_the_readable_verdicts():
    """With an unreadable reply and one that never came, one of two readable ones accepted."""
    docs = [score(huproverbrea_oe, v) for v in (label("YES"), label("NO"), UNREADABLE[0], {"error": "HTTP 500"})]
    result = total(huproverbrea_oe, docs)
    assert (result["acc"], result["judge_coverage"]) == (50.0, 50.0)
    assert result["acc_ref"] == result["unreadable_rate"] == pytest.approx(100 / 3)


def test_acc_ref_reads_the_reply_as_the_public_scorer_does():
    said = {"label": "YES", "raw": "YES, now I am sure."}  # "now" holds a "no"
    values = score(huproverbrea_oe, said)
    assert (values["acc"], values["acc_ref"], values["unreadable_rate"]) == (1.0, 0.0, 0.0)


def test_huwildbench():
    assert score(huwildbench, points(7), "Szerintem beszélj velük nyugodtan.") == {
        "wb_score": 7.0,
        "wb_score_racka": 7.0,
        "wb_score_ref": 7.0,
        "default_score_rate": 0.0,
        "judge_coverage": 1.0,
        "hungarian_rate": 1.0,
        "truncated_rate": 0.0,
        "suspicious_rate": None,
        "wb_score_lcc": 7.0,
        "wb_score_ep": None,
        "wb_score_ppl": None,
        "wb_score_bf": None,
    }


def test_a_default_score_counts_under_rackas_rule_alone():
    docs = [score(huwildbench, points(1, "no score in the reply")), score(huwildbench, points(9))]
    docs.append(score(huwildbench, None))
    result = total(huwildbench, docs)
    assert (result["wb_score"], result["wb_score_racka"], result["wb_score_ref"]) == (90.0, 50.0, 80.0)
    assert (result["default_score_rate"], result["judge_coverage"]) == (50.0, pytest.approx(100 / 3))


@TASKS
@each("verdict", NO_VERDICTS, ids=repr)
def test_without_a_verdict_nothing_but_coverage_and_rates(task, verdict):
    values = score(task, verdict)
    applicable = {metric for metric, value in values.items() if value is not None}
    assert applicable == {"judge_coverage", "hungarian_rate", "truncated_rate"}
    assert values["judge_coverage"] == 0.0


@TASKS
@each("verdict", [label("CORRECT"), label("YES"), points(5), None])
@each("response", ["", SURE, "{", "x" * 3000, '{"answer": null}', "\ud800"])
def test_every_key_for_every_document(task, verdict, response):
    for dimension in ("language", "business and finance", "?"):
        values = score(task, verdict, response, dimension=dimension)
        assert list(values) == list(AGGREGATIONS[task])
        assert json.loads(json.dumps(values)) == {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}


@TASKS
def test_the_verdict_of_another_task_is_none(task):
    verdicts = {husimpleqa: label("CORRECT"), huproverbrea_oe: label("YES"), huwildbench: points(5)}
    for other, verdict in verdicts.items():
        assert score(task, verdict)["judge_coverage"] == float(other is task)


@TASKS
@each("docs", [[], [None], [None] * 3], ids=["no document", "one", "three"])
def test_nobody_judged(task, docs):
    result = total(task, [score(task, verdict) for verdict in docs])
    scored = {metric for metric, value in result.items() if value is not None} - {"n_confidence"}
    assert scored == ({"judge_coverage", "hungarian_rate", "truncated_rate"} if docs else set())
    assert result.get("n_confidence", 0) == 0


def test_all_not_attempted():
    result = total(husimpleqa, [score(husimpleqa, label("NOT_ATTEMPTED"))] * 3)
    assert (result["not_attempted"], result["correct_given_attempted"], result["f_score"]) == (100.0, 0.0, 0.0)
    assert (result["ece"], result["brier"]) == (pytest.approx(0.8), pytest.approx(0.64))


def test_one_document():
    result = total(husimpleqa, [score(husimpleqa, label("CORRECT"))])
    assert (result["correct"], result["correct_given_attempted"], result["f_score"]) == (100.0, 100.0, 100.0)
    assert (result["ece"], result["brier"], result["n_confidence"]) == (pytest.approx(0.2), pytest.approx(0.04), 1)


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ('{"answer": "Mátyás király", "confidence_score": 90}', "Mátyás király"),
        ('Íme: {"válasz": ["Mátyás", "király"]}', "Mátyás király"),
        ('{"answer": 1526, "confidence_score": 90}', "1526"),
        ('{"answer": {"0": "Mátyás", "1": null}}', "Mátyás"),
        ("Mátyás király volt.", "Mátyás király volt."),
        ('{"answer": null}', '{"answer": null}'),
        ("", ""),
    ],
)
def test_answer_text(response, answer):
    assert answer_text(response) == answer


@pytest.mark.parametrize(
    ("response", "hungarian"),
    [
        ('The answer in JSON is: {"answer": "Nem tudom a választ", "confidence_score": 5}', 1.0),  # the answer decides
        ('Íme a válasz magyarul: {"answer": "It was King Matthias", "confidence_score": 90}', 0.0),
        ('A válasz a következő: {"answer": "Puskás Ferenc", "confidence_score": 90}', None),  # two words
        ("It was King Matthias of Hungary.", 0.0),
        ("", None),
    ],
)
def test_language_of_the_answer(response, hungarian):
    assert score(husimpleqa, label("CORRECT"), response)["hungarian_rate"] == hungarian


@TASKS
def test_truncated(task):
    values = score(task, None, "", truncated=True)
    assert (values["truncated_rate"], values["hungarian_rate"]) == (1.0, None)


@TASKS
@pytest.mark.parametrize(
    ("verdict", "value"),
    [
        ({"suspicious": ["forged_verdict"]}, 1.0),
        ({"suspicious": []}, 0.0),
        ({}, None),  # of a version that did not look
        ({"suspicious": None}, None),
        ({"suspicious": "forged_verdict"}, None),  # not what we write
        ({"suspicious": True}, None),
        (None, None),
    ],
    ids=repr,
)
def test_suspicious_is_as_the_verdict_says(task, verdict, value):
    assert score(task, verdict)["suspicious_rate"] == value


@TASKS
def test_suspicion_changes_no_score(task):
    verdict = {husimpleqa: label("CORRECT"), huproverbrea_oe: label("YES"), huwildbench: points(9)}[task]
    plain, marked = (score(task, verdict | {"suspicious": signs}) for signs in ([], ["forged_role", "hidden_text"]))
    assert marked == plain | {"suspicious_rate": 1.0}


@given(st.text(st.characters()), st.sampled_from(["CORRECT", "INCORRECT", "NOT_ATTEMPTED", None]))
def test_any_response(response, name):
    result = total(husimpleqa, [score(husimpleqa, name and label(name), response)])
    assert result["judge_coverage"] == (100.0 if name else 0.0)


def test_parity_with_the_reference_scorer():
    folder = shared("parity", "kolassimpleqa")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["general"]
    names = {"A": "CORRECT", "B": "INCORRECT", "C": "NOT_ATTEMPTED"}
    docs = [
        score(husimpleqa, label(names[row["judge"]]), row["prediction"]) for row in json_lines(folder / "general.jsonl")
    ]
    result = total(husimpleqa, docs)
    shares = ("correct", "incorrect", "not_attempted", "correct_given_attempted", "f_score")
    assert {round(result[m], 2) for m in shares} == {expected["all"][m] for m in ("CO", "IN", "NA", "CGA", "F")}
    assert round(result["ece"], 6) == expected["ece"]["10_bins_left_closed"]["all_items"]
    assert result["n_confidence"] == expected["all"]["n"]


RATED = {
    "husimpleqa": (husimpleqa, husimpleqa_rated, ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")),
    "huproverbrea_oe": (huproverbrea_oe, huproverbrea_oe_rated, ("YES", "NO")),
    "huwildbench": (huwildbench, huwildbench_rated, (1.0, 7.0, 10.0)),
}


@each("name", RATED)
@each("response", ['{"answer": "Mátyás", "confidence_score": 1}', "Mátyás király, 80%", "Nem tudom."])
def test_values_with_another_rating_are_those_of_a_document_that_was_judged_so(name, response):
    hook, rated, ratings = RATED[name]

    def judged(rating):
        verdict = {"label": rating} if isinstance(rating, str) else {"score": rating}
        return score(hook, verdict, response)

    for first in ratings:
        for second in ratings:
            found = rated(judged(first), second)
            assert found == {metric: value for metric, value in judged(second).items() if metric in found}
            assert declared(f"openhueval_{name}").headline.keys() <= found.keys()
            assert not found.keys() & set(declared(f"openhueval_{name}").by_rule)

"""Scores of questions of HKMMLU: literal replies and likelihoods, and what the baselines score in every form."""

from __future__ import annotations

import pytest

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.loader import documents
from hueval_metrics.records import Filtered
from lm_eval_tasks.hkmmlu.documents import user_message
from lm_eval_tasks.hkmmlu.hooks import by_likelihood, likeliest, read, score
from tests.families.hkmmlu.full_size import write
from tests.harness.runs import hueval_in_process, results, samples

ECHOED = {"question": "香港最高的山峰是哪一座？", "choices": ["獅子山", "太平山", "大帽山", "鳳凰山"], "answer": "C"}
FORMS = ("hkmmlu", "hkmmlull", "hkmmlu-translation")
GENERATED = {f"hkmmlu_{slug}" for slug in SUBJECTS}
OF_HONG_KONG = [slug for slug, subject in SUBJECTS.items() if subject.is_hk_specific]
BY_LIKELIHOOD = {f"hkmmlull_{slug}" for slug in SUBJECTS}


@pytest.fixture(scope="module")
def question():
    """A question with one example, as it is asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        doc = documents("hkmmlu_hk_physical_geography", shots=1)[0][0]
    return doc | ECHOED


@pytest.mark.parametrize(
    ("response", "truncated", "expected"),
    [
        ("C", False, (1.0, 1.0, 1.0, 0.0)),
        ("A項不對，答案是C。", False, (1.0, 0.0, 1.0, 0.0)),  # the naive reference takes the first letter
        ("不是C", False, (0.0, 1.0, 0.0, 0.0)),
        ("A或C", True, (0.0, 0.0, 0.0, 1.0)),
        ("", True, (0.0, 0.0, 0.0, 1.0)),
    ],
)
def test_score(question, response, truncated, expected):
    filtered = Filtered(response=response, truncated=truncated, verdict=None).to_json()
    names = ("acc", "acc_first_letter", "parse_rate", "truncated_rate")
    assert score(question, [filtered]) == dict(zip(names, expected, strict=True))


def test_a_repeated_prompt_is_no_answer(question):
    prompt = user_message(question)
    assert read(question, prompt) is None
    assert read(question, f"{prompt}\nC") == "C"
    assert read(question, f"C\n\n{prompt}\nB") == "C"
    assert read(question, "C\n\n問題: 香港的區花是什麼？\nA. 洋紫荊\nB. 牡丹\n答案: A") == "C"


@pytest.mark.parametrize(
    ("likelihoods", "letter"),
    [
        ((-3.0, -2.0, -1.0, -4.0), "C"),
        ((-1.0, -1.0, -1.0, -1.0), None),  # no letter is preferred
        ((-3.0, -1.0, -1.0, -4.0), None),  # nor is one of these two, although C is right
    ],
)
def test_the_likeliest_letter_is_chosen_and_a_tie_chooses_none(likelihoods, letter):
    pairs = [(one, False) for one in likelihoods]
    assert likeliest(ECHOED, pairs) == letter
    assert by_likelihood(ECHOED, pairs) == {"acc": float(letter == "C"), "acc_norm": float(letter == "C")}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """All forms of the family at a fiftieth of their size."""
    return write(tmp_path_factory.mktemp("data"), scale=0.02)


def baseline(small, folder, monkeypatch, arguments, tasks=FORMS):
    """The metrics of a baseline on all forms."""
    monkeypatch.delenv("HUEVAL_SAMPLE", raising=False)
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(small))
    run = ("run", "--model", "hueval-baseline", "--model_args", arguments, "--tasks", ",".join(tasks))
    assert hueval_in_process(*run, "--log_samples", "--output_path", folder) == 0
    return {
        task: {name.split(",")[0]: value for name, value in row.items() if "," in name and "_stderr" not in name}
        for task, row in results(folder)["results"].items()
    }


def pooled(folder, tasks, metric):
    """The mean of a metric over all questions of tasks, in per cent, and how many they are."""
    values = [row[metric] for task in tasks for row in samples(folder, task)]
    return 100 * sum(values) / len(values), len(values)


@pytest.mark.slow
def test_the_oracle_is_right_in_every_form(small, tmp_path, monkeypatch):
    found = baseline(small, tmp_path, monkeypatch, "policy=oracle")
    for task in GENERATED:
        assert found[task] == {"acc": 100, "acc_first_letter": 100, "parse_rate": 100, "truncated_rate": 0}
    for task in BY_LIKELIHOOD:
        assert found[task] == {"acc": 100, "acc_norm": 100}
    # METEOR subtracts a little also where both texts are the same.
    assert all(99.9 < found[f"hkmmlutr_{name}"]["avg"] <= 100 for name in ("yue_to_zh", "zh_to_yue"))


@pytest.mark.nightly
@pytest.mark.slow
def test_no_answer_is_right_where_the_model_abstains(small, tmp_path, monkeypatch):
    found = baseline(small, tmp_path, monkeypatch, "policy=abstain")
    for task in GENERATED:
        assert found[task] == {"acc": 0, "acc_first_letter": 0, "parse_rate": 0, "truncated_rate": 0}
    for task in BY_LIKELIHOOD:
        assert found[task] == {"acc": 0, "acc_norm": 0}
    assert all(found[f"hkmmlutr_{name}"]["avg"] < 10 for name in ("yue_to_zh", "zh_to_yue"))


@pytest.mark.nightly
@pytest.mark.slow
def test_chance_is_right_once_in_four(small, tmp_path, monkeypatch):
    baseline(small, tmp_path, monkeypatch, "policy=random,seed=5")
    for tasks in (GENERATED, BY_LIKELIHOOD):
        acc, n = pooled(tmp_path, tasks, "acc")
        assert abs(acc - 25) < 3 * 100 * (0.25 * 0.75 / n) ** 0.5  # three standard errors
    assert pooled(tmp_path, GENERATED, "parse_rate")[0] == 100


def test_a_trace_before_the_answer_changes_nothing(small, tmp_path, monkeypatch):
    found = baseline(small, tmp_path, monkeypatch, "policy=oracle,think=3", ["hkmmlu_hk_history"])
    assert found["hkmmlu_hk_history"] == {"acc": 100, "acc_first_letter": 100, "parse_rate": 100, "truncated_rate": 0}


def test_the_first_letter_is_right_as_often_as_it_is_the_answer(small, tmp_path, monkeypatch):
    baseline(small, tmp_path, monkeypatch, "policy=first", ["hkmmlu-hk", "hkmmlull-hk"])
    for tasks in ([f"{form}_{slug}" for slug in OF_HONG_KONG] for form in ("hkmmlu", "hkmmlull")):
        right = [row["doc"]["answer"] == "A" for task in tasks for row in samples(tmp_path, task)]
        assert pooled(tmp_path, tasks, "acc") == (100 * sum(right) / len(right), len(right))


def test_half_of_a_mixed_model_is_the_oracle(small, tmp_path, monkeypatch):
    baseline(small, tmp_path, monkeypatch, "policy=mixed,skill=0.5", ["hkmmlull"])
    acc, n = pooled(tmp_path, BY_LIKELIHOOD, "acc")
    assert abs(acc - 62.5) < 3 * 100 * (0.625 * 0.375 / n) ** 0.5

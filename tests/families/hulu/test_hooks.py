"""Prompts, choices and scores of HuLU: literal cases, and what constant answers score on the published data."""

from __future__ import annotations

import json
import random
import re

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.records import Filtered
from hueval_metrics.registry import task_spec
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.hooks import choices, context, instruction, read_label, target, template
from tests.each import each
from tests.harness.runs import hueval_in_process
from tests.helpers import shared

COLA = {"task": "hucola", "prompt": 1, "sentence": "A vonalon felül kell aláírni.", "label": "1"}
COPA = {
    "task": "hucopa",
    "prompt": 1,
    "premise": "A férfi elvesztette a hallását.",
    "question": "cause",
    "choice1": "Majdnem megfulladt.",
    "choice2": "ABC-t tanított.",
    "label": "2",
}
RTE = {"task": "hurte", "prompt": 1, "premise": "A kutya ugat.", "hypothesis": "Egy állat kint van.", "label": "0"}
CB = RTE | {"task": "hucb", "label": "neutral"}
SST = {"task": "husst", "prompt": 1, "sentence": "Nem rossz film.", "label": "positive"}


def test_a_context_of_hucopa_goes_on_with_its_choices():
    assert context(COPA) == "A férfi elvesztette a hallását, mert"
    assert context(COPA | {"question": "effect"}) == "A férfi elvesztette a hallását, ezért"
    assert choices(COPA) == ["majdnem megfulladt.", "ABC-t tanított."]  # an abbreviation keeps its capitals


@each("corpus", CORPORA)
def test_an_instruction_has_the_words_to_answer_with(corpus):
    for prompt in (1, 2, 3):
        assert all(word in template("hulugen", corpus, prompt) for word in CORPORA[corpus].words.values())


@each("corpus", CORPORA)
def test_prompts_differ_and_ask_with_every_field(corpus):
    for form in ("hulu", "hulugen"):
        texts = [template(form, corpus, prompt) for prompt in (1, 2, 3)]
        assert len(set(texts)) == 3
        fields = [set(re.findall(r"\{(\w+)\}", text)) for text in texts]
        assert fields[0] == fields[1] == fields[2]


def test_a_value_with_braces_stays_a_value():
    assert "{label}" in instruction(COLA | {"sentence": "Ez {label} itt."})


@pytest.mark.parametrize(
    ("doc", "response", "label"),
    [
        (COLA, "Igen.", "1"),
        (COLA, "Nem fogadható el.", "0"),
        (COLA, "Nyelvtanilag helyes a következő magyar mondat?\n\nMondat: A vonalon felül kell aláírni.", None),
        (COPA, "A 2. lehetőség", "2"),
        (COPA, "első", "1"),
        (COPA, "Majdnem megfulladt.", "1"),
        (COPA, "első vagy második", None),
        (SST, "pozitív", "positive"),
        (SST, "A „Nem rossz film.” mondat pozitív.", "positive"),
        (SST, "", None),
        (COLA, "A mondat hibátlan.", "1"),
        (COLA, "A mondatban nincs hiba.", "1"),
        (COLA, "A mondat nem tartalmaz nyelvtani hibát.", "1"),
        (COLA, "Nem találok benne hibát.", "1"),
        (COLA, "A mondat nyelvtani hibát tartalmaz.", "0"),
        (COLA, "Nem jól formált.", "0"),
        (COLA, "There is no error.", "1"),
        (COLA, "Ungrammatical.", "0"),
        (RTE, "Entailment", "1"),
        (RTE, "not_entailment", "0"),
        (RTE, "Ellentmondás", "0"),
        (RTE, "Következtethető.", "1"),
        (RTE, "Nem vezethető le.", "0"),
        (RTE, "Levezethető.", "1"),
        (RTE, "A szövegből ez nem derül ki.", "0"),
        (RTE, "A szöveg alátámasztja az állítást.", "1"),
        (RTE, "A szöveg nem támasztja alá az állítást.", "0"),
        (RTE, "Nem mond ellent.", None),  # and need not follow
        (RTE, "It does not follow.", "0"),
        (RTE, "A következtetés nem helyes.", "0"),
        (CB, "A szövegből nem derül ki.", "neutral"),
        (CB, "Ellentmondásban van a szöveggel.", "contradiction"),
        (CB, "Nem igaz, hogy egy állat kint van.", "contradiction"),
        (CB, "Lehet, hogy egy állat kint van.", "neutral"),
    ],
)
def test_the_label_that_a_reply_names(doc, response, label):
    assert read_label(doc, response) == label


def test_scores_of_one_document():
    generated, chosen = task_spec("hulugen_hucola"), task_spec("hulu_hucopa")
    reply = [Filtered("Nem.").to_json()]
    values = generated.process_results(COLA, reply)
    assert (values["mcc"], values["parse_rate"], values["truncated_rate"]) == ((0, 1), 1.0, 0.0)
    assert generated.process_results(COLA, [Filtered("?").to_json()])["acc"] == (0, None)
    # The first choice is likelier as a whole, the second by the byte: 20 against 16 bytes.
    values = chosen.process_results(COPA, [(-20.0, False), (-15.5, False)])
    assert (values["mcc"], values["mcc_norm"], values["mcc_cause"], values["mcc_effect"]) == (
        (1, 1),
        (1, 1),
        (1, 1),
        None,
    )


def test_likelihoods_are_divided_by_bytes_not_by_characters():
    doc = COPA | {"choice1": "Őőőőőőőőő.", "choice2": "Tizenkettő van."}  # 19 and 16 bytes, 10 and 15 characters
    values = task_spec("hulu_hucopa").process_results(doc, [(-17.0, False), (-16.0, False)])
    assert values["mcc_norm"] == (1, 0)  # -0.89 and -1.0 a byte; -1.7 and -1.07 a character


def test_a_hidden_label_is_not_scored():
    values = task_spec("hulugen_hucola").process_results(COLA | {"label": None}, [Filtered("Nem.").to_json()])
    assert {name for name, value in values.items() if value is not None} == {"parse_rate", "truncated_rate"}
    assert target(COLA | {"label": None}) == ""


# What constant answers score on validation: the label of train's majority, and the commonest of validation itself.
MAJORITY = {
    "hulu_hucola": {"acc": 78.46, "mcc": 0.0},
    "hulu_hucopa": {"acc": 51.0, "mcc": 0.0},
    "hulu_hurte": {"acc": 55.56, "mcc": 0.0},
    "hulu_husst": {"acc": 2.83, "mcc": 0.0},
    "hulu_huwnli": {"acc": 55.0, "mcc": 0.0},
    "hulu_hucb": {"acc": 25.24, "mcc": 0.0, "f1_weighted": 10.18},
}
FIRST = {"hulugen_husst": {"acc": 59.83}, "hulugen_hucb": {"acc": 39.81, "f1_weighted": 22.67}}


@pytest.fixture
def published(monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE", raising=False)
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(shared("data")))


@pytest.mark.parametrize(
    ("policy", "tasks", "expected"),
    [
        ("majority", "hulu", MAJORITY),
        ("first", "hulugen_husst,hulugen_hucb", FIRST),
        ("oracle", "hulugen", {f"hulugen_{name}": {"acc": 100.0, "mcc": 100.0} for name in CORPORA}),
    ],
)
def test_constant_answers_on_the_published_data(published, tmp_path, policy, tasks, expected):
    call = ("run", "--model", "hueval-baseline", "--model_args", f"policy={policy}", "--tasks", tasks)
    assert hueval_in_process(*call, "--output_path", tmp_path) == 0
    (file,) = tmp_path.rglob("results_*.json")
    rows = json.loads(file.read_text(encoding="utf-8"))["results"]
    for task, metrics in expected.items():
        found = {key.partition(",")[0]: value for key, value in rows[task].items()}
        assert {metric: round(found[metric], 2) for metric in metrics} == metrics, task


def test_shuffled_labels_correlate_with_nothing(published, tmp_path):
    """As many of each label as there are, so that accuracy stays high: 78² + 22² = 66 %."""
    docs, _ = documents("hulugen_hucola")
    replies = [target(doc) for doc in docs]
    random.Random(0).shuffle(replies)
    rows = [
        {"qid": doc["qid"], "split": doc["split"], "prediction": say} for doc, say in zip(docs, replies, strict=True)
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    call = ("score", tmp_path / "replies.jsonl", "--task", "hulugen_hucola", "--output", tmp_path)
    assert hueval_in_process(*call) == 0
    found = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["hulugen_hucola"]
    assert (found["n"], found["parse_rate"]) == (910, 100.0)
    assert -10 <= found["mcc"] <= 10 and 60 <= found["acc"] <= 72

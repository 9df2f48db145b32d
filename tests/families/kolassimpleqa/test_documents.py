"""The documents of both settings, and rows that make none or must not be there."""

from __future__ import annotations

import json
import logging

import pytest

from hueval_metrics.errors import DataError, InputError
from hueval_metrics.judge.templates import fill
from hueval_metrics.loader import documents, load
from hueval_metrics.registry import known_tasks
from lm_eval_tasks.kolassimpleqa.documents import answer_to, target, user_message
from lm_eval_tasks.kolassimpleqa.family import FAMILY
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES
from tests.each import each
from tests.families.kolassimpleqa.conftest import official

TASK = "kolassimpleqa_hu_general"


def test_the_tasks_are_nine_languages_in_two_domains():
    assert list(FAMILY.tasks) == [f"kolassimpleqa_{lang}_{domain}" for lang in LANGUAGES for domain in DOMAINS]
    assert len(FAMILY.tasks) == 18
    assert all(known_tasks()[name].name == "kolassimpleqa" for name in FAMILY.tasks)


def test_a_row_is_two_documents_of_one_cluster(data_of):
    docs, provenance = documents(TASK, data_dir=data_of([official("a")]))
    common = {"knowledge_track_id": "track-a", "language": "hu", "domain": "general", "question_lang": "hu"}
    assert docs == [
        {"qid": "a", "question": "a?", "answer": "a!", "is_reverse": False, "task": "hu_general", **common},
        {
            **{"qid": "a-reverse", "question": "a_reverse?", "answer": "a_reverse!", "is_reverse": True},
            **{"task": "hu_general", **common},
        },
    ]
    assert "n_left_out" not in provenance


def test_in_english_both_question_and_reference_are_english(data_of):
    docs, provenance = documents(TASK, data_dir=data_of([official("a", reverse=False)]), question_lang="en")
    assert [(doc["question"], doc["answer"], doc["question_lang"]) for doc in docs] == [
        ("a in English", "a in English", "en")
    ]
    assert docs[0]["language"] == "hu"
    assert "|q:en|prompt:ours-en-" in provenance["signature"]


@each("task", FAMILY.tasks)
def test_the_sample_has_documents_in_both_settings(task):
    own = FAMILY.tasks[task].variants["question_lang"][0]
    for lang in (own, "en"):
        docs, provenance = documents(task, question_lang=lang)
        assert docs and {doc["question_lang"] for doc in docs} == {lang}
        assert f"|q:{lang}|prompt:ours-{lang}-" in provenance["signature"]
        for doc in docs:
            assert doc["question"] in user_message(doc) and "confidence_score" in user_message(doc)
            assert json.loads(target(doc)) == {"answer": doc["answer"], "confidence_score": 100}


@pytest.mark.parametrize("missing", ["question_en", "answer_en"])
def test_a_row_without_english_is_left_out_and_counted(data_of, caplog, monkeypatch, missing):
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    folder = data_of([official("a", reverse=False), official("b", reverse=False) | {missing: None}])
    docs, provenance = documents(TASK, data_dir=folder, question_lang="en")
    assert [doc["qid"] for doc in docs] == ["a"]
    assert provenance["n_left_out"] == 1
    recorded: dict = {}
    with caplog.at_level(logging.WARNING):
        load(task=TASK, data_dir=folder, question_lang="en", provenance=recorded)
    assert recorded["n_left_out"] == 1
    assert f"{TASK}: 1 row left out, without the texts of question_lang=en." in caplog.messages
    docs, provenance = documents(TASK, data_dir=folder)
    assert [doc["qid"] for doc in docs] == ["a", "b"]
    assert "n_left_out" not in provenance


def test_a_file_in_which_no_row_has_english(data_of):
    folder = data_of([official("a", english=False)])
    with pytest.raises(DataError) as error:
        documents(TASK, data_dir=folder, question_lang="en")
    assert str(error.value).endswith("no row has the texts of question_lang=en. Add them, or ask for others")


def test_the_same_fact_twice_in_one_direction_is_an_error_that_names_both_rows(data_of):
    folder = data_of([official("a", "fact"), official("b"), official("c", "fact", reverse=False)])
    with pytest.raises(DataError) as error:
        documents(TASK, data_dir=folder)
    assert str(error.value).endswith(
        "hu_general.jsonl: qid a and qid c have the same knowledge_track_id fact and is_reverse False, which no two "
        f"of {TASK} may have. Drop one of the rows"
    )


def test_a_fact_may_be_in_two_languages(data_of):
    data_of([official("a", "fact")])
    folder = data_of([official("b", "fact", lang="cs")], "cs_general")
    assert len(documents(TASK, data_dir=folder)[0]) == len(documents("kolassimpleqa_cs_general", data_dir=folder)[0])


def test_a_file_of_another_language_under_this_name(data_of):
    folder = data_of([official("a", lang="cs")])
    with pytest.raises(DataError) as error:
        documents(TASK, data_dir=folder)
    assert 'line 1 (qid a): has neither "question_hu" nor "question_reverse_hu"' in str(error.value)


@each("lang", ["zh", "cs", "hun", "EN", ""])
def test_another_language_than_the_own_or_english(lang):
    with pytest.raises(InputError) as error:
        documents(TASK, question_lang=lang)
    of_another = f" for {TASK}" if lang in LANGUAGES else ""
    assert str(error.value) == f'--metadata question_lang: "{lang}" is not on offer{of_another}. One of: hu, en'


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("kolassimpleqa_de_general", "kolassimpleqa_"),  # no such language
        ("kolassimpleqa_hu_local", "kolassimpleqa_hu_general"),  # no such domain
    ],
)
def test_an_unknown_language_or_domain(cli, name, near):
    done = cli("run", "--model", "dummy", "--tasks", name, "--limit", "1")
    assert done.status == 1
    assert done.complaints[-1].startswith(f'hueval: unknown task "{name}". Did you mean "{near}')


OWN, OTHERS = ('{"answer": "X", "confidence_score": 9}', '{"answer": "Y", "confidence_score": 99}')
RUN_ON = {
    "the next prompt": "{own}\n\n{next}\n{others}",
    "the next question": "{own}\n{next_question}\n{others}",
    "the prompt before": "{prompt}\n{own}",
    "the question before": "{question}\n{own}",
    "all of these": "{prompt}\n{own}\n\n{next}\n{others}\n\n{next}",
}


@pytest.mark.parametrize("why", RUN_ON)
@pytest.mark.parametrize("lang", [*LANGUAGES, "en"])
def test_an_answer_ends_where_the_next_question_begins(lang, why):
    doc, following = documents(f"kolassimpleqa_{'hu' if lang == 'en' else lang}_general", question_lang=lang)[0][::2][
        :2
    ]
    prompt, after = user_message(doc), user_message(following)
    texts = {"prompt": prompt, "next": after, "own": OWN, "others": OTHERS}
    texts |= {"question": prompt.splitlines()[0], "next_question": after.splitlines()[0]}
    response = fill(RUN_ON[why], texts)
    assert answer_to(doc, response) == OWN


@each("lang", [*LANGUAGES, "en"])
def test_an_answer_in_any_form_is_whole(lang):
    for doc in documents(f"kolassimpleqa_{'hu' if lang == 'en' else lang}_specific", question_lang=lang)[0]:
        parts = {"answer": doc["answer"], "confidence_score": 90}
        indented = json.dumps(parts, indent=4, ensure_ascii=False)
        for response in (indented, f"```json\n{indented}\n```", doc["answer"], f"{doc['question']} {doc['answer']}"):
            assert answer_to(doc, response) == response


@pytest.mark.parametrize(
    ("why", "response", "shown"),
    [
        ("an answer", '{"answer": "Eger", "confidence_score": 80}', '{"answer": "Eger", "confidence_score": 80}'),
        ("the prompt and nothing else", "{prompt}", ""),
        ("the prompt, then an answer", '{prompt}\n{"answer": "Eger"}', '{"answer": "Eger"}'),
        ("an answer, then an invented question", 'Eger\nKérdés: Hol van Pécs?\n{"answer": "Baranya"}', "Eger"),
    ],
)
def test_a_repeated_prompt_is_no_answer(why, response, shown):
    doc = documents(TASK)[0][0]
    assert answer_to(doc, response.replace("{prompt}", user_message(doc))).strip() == shown

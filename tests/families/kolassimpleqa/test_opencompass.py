"""`hueval score` of the files of the authors' fork of OpenCompass: what their names and their gold tell."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.loader import documents
from hueval_metrics.scoring.score import score_paths
from tests.each import each

TASK = "kolassimpleqa_hu_general"
DIRECT, TRANSLATED = "KoLasSimpleQA_general_250401_hu_hu_a1b2.json", "KoLasSimpleQA_general_250401_hu_en_a1b2.json"
BACK = "-reverse"

pytestmark = pytest.mark.usefixtures("on_the_sample")


@pytest.fixture(autouse=True)
def lexical(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")


def entries(question_lang="hu", task=TASK, **changes):
    """A right reply to every forward question and a wrong one to every reverse one, as OpenCompass keeps them."""
    found = {}
    for place, doc in enumerate(documents(task, question_lang=question_lang)[0]):
        said = "semmi" if doc["is_reverse"] else doc["answer"]
        gold = {"qid": doc["qid"].removesuffix(BACK), "is_reverse": doc["is_reverse"], "answer": doc["answer"]}
        reply = json.dumps({"answer": said, "confidence_score": 80}, ensure_ascii=False)
        found[str(place)] = {"origin_prompt": "…", "prediction": reply, "gold": gold | changes}
    return found


def written(folder, name, rows):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return folder / name


def refusal(path, task=None, **settings):
    with pytest.raises(InputError) as error:
        score_paths([path], task, settings)
    return str(error.value)


@pytest.mark.parametrize(("name", "lang"), [(DIRECT, "hu"), (TRANSLATED, "en")])
def test_the_name_tells_task_and_setting_and_gold_the_direction(tmp_path, name, lang):
    (found,) = score_paths([written(tmp_path, name, entries(lang))], None, {})
    assert (found.task, found.summary["n_missing"]) == (TASK, 0)
    assert f"|q:{lang}|" in found.summary["signature"]
    assert (found.summary["correct_forward"], found.summary["correct_reverse"]) == (100.0, 0.0)
    assert found.summary["bidirectional"] == 0.0
    assert {item["qid"].endswith(BACK) for item in found.items if item["metrics"]["correct"] == 0} == {True}


@each("spelled", [str, int, lambda value: str(value).lower()], ids=["True", "1", "true"])
def test_the_direction_in_any_spelling(tmp_path, spelled):
    rows = entries()
    for row in rows.values():
        row["gold"]["is_reverse"] = spelled(row["gold"]["is_reverse"])
    (found,) = score_paths([written(tmp_path, DIRECT, rows)], None, {})
    assert found.summary["correct_forward"] == 100.0


def test_a_qid_that_tells_the_direction_itself(tmp_path):
    rows = entries()
    for row in rows.values():
        row["gold"]["qid"] += BACK * row["gold"]["is_reverse"]
    (found,) = score_paths([written(tmp_path, DIRECT, rows)], None, {})
    assert found.summary["n_missing"] == 0


def test_a_folder_with_several_languages(tmp_path):
    written(tmp_path, TRANSLATED, entries("en"))
    name = "KoLasSimpleQA_specific_250401_cs_en_a1b2.json"
    written(tmp_path, name, entries("en", "kolassimpleqa_cs_specific"))
    found = score_paths([tmp_path], None, {})
    assert [one.task for one in found] == [TASK, "kolassimpleqa_cs_specific"]


def test_the_metadata_may_say_what_the_name_says(tmp_path):
    (found,) = score_paths([written(tmp_path, TRANSLATED, entries("en"))], None, {"question_lang": "en"})
    assert "|q:en|" in found.summary["signature"]


def test_the_metadata_contradicts_the_name(tmp_path):
    said = refusal(written(tmp_path, TRANSLATED, entries("en")), question_lang="hu")
    assert 'by its name its question_lang is "en", and --metadata says "hu". Drop one of the two' in said


def test_both_settings_in_one_folder_are_two_results(tmp_path):
    written(tmp_path, DIRECT, entries())
    written(tmp_path, TRANSLATED, entries("en"))
    said = refusal(tmp_path)
    assert f"{DIRECT}: {TASK} with question_lang hu, and" in said
    assert f"{TRANSLATED} with question_lang en. Two settings are two results: hueval score FILE" in said


@pytest.mark.parametrize(
    ("name", "task", "said"),
    [
        ("KoLasSimpleQA_general_250401_hu_cs_x.json", None, 'by its name its question_lang is "cs", which'),
        ("KoLasSimpleQA_general_250401_de_en_x.json", None, "which task? The file name does not say"),
        ("KoLasSimpleQA_general_hu_en.json", None, "which task? The file name does not say"),
        ("KoLasSimpleQA_other_250401_hu_en.json", None, "which task? The file name does not say"),
        (TRANSLATED, "kolassimpleqa_cs_general", f"by its name it is of {TASK}, and --task says"),
    ],
)
def test_a_name_that_tells_another_language_or_nothing(tmp_path, name, task, said):
    assert said in refusal(written(tmp_path, name, entries()), task)


def test_another_name_with_the_task_named(tmp_path):
    (found,) = score_paths([written(tmp_path, "p.json", entries())], TASK, {})
    assert "|q:hu|" in found.summary["signature"]


def test_a_file_of_another_language_under_this_name(tmp_path):
    said = refusal(written(tmp_path, DIRECT, entries(task="kolassimpleqa_cs_general", question_lang="cs")))
    assert "predictions for unknown qids" in said
    assert "Is it another task, or another version of the data?" in said


def test_an_unknown_qid(tmp_path):
    rows = entries()
    rows["0"]["gold"]["qid"] = "nobody"
    assert 'entry "0": 1 predictions for unknown qids (nobody)' in refusal(written(tmp_path, DIRECT, rows))


@each("gold", ["Ausztrália", None, {"qid": "q"}, {"is_reverse": True}, {"qid": "q", "is_reverse": "?"}])
def test_gold_that_does_not_tell_the_direction(tmp_path, gold):
    rows = entries()
    rows["0"]["gold"] = gold
    said = refusal(written(tmp_path, DIRECT, rows))
    assert 'entry "0": "gold" must have "qid" and "is_reverse"' in said


def test_one_direction_twice(tmp_path):
    rows = entries()
    rows["1"]["gold"] = rows["0"]["gold"]
    said = refusal(written(tmp_path, DIRECT, rows))
    assert 'entry "1": qid' in said and "was already at" in said and 'entry "0"' in said

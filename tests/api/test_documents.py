"""`hueval.documents`: what a model is asked, as rows that `hueval.score` takes back."""

import pytest

import hueval_metrics as hueval
from tests.api.conftest import FIB, PAIRS


def test_rows_name_their_items_and_show_what_is_asked(on_the_sample):
    rows = hueval.documents(PAIRS)
    assert len(rows) == 28
    assert list(rows[0]) == [
        *("task", "qid", "correct_option", "item", "dimension", "prompt", "reference", "document"),
    ]
    assert [row["correct_option"] for row in rows[:2]] == [1, 2]
    assert rows[0]["item"] == f"{rows[0]['qid']}/1"
    assert rows[0]["document"]["option1"] in rows[0]["prompt"]


def test_they_are_scored_with_a_prediction_added(on_the_sample, tmp_path):
    rows = [row | {"prediction": row["reference"]} for task in (FIB, PAIRS) for row in hueval.documents(task)]
    results = hueval.score(rows, output=tmp_path)
    assert (results.runs[0].score(FIB, "blank_acc"), results.runs[0].score(PAIRS, "acc")) == (100.0, 100.0)
    items = results.items()
    assert list(zip(items.task, items["item"], strict=True)) == [(row["task"], row["item"]) for row in rows]


def test_variants(on_the_sample):
    hungarian, english = (hueval.documents(FIB, metadata={"question_lang": lang}) for lang in ("hu", "en"))
    assert [row["qid"] for row in hungarian] == [row["qid"] for row in english]
    assert hungarian[0]["prompt"] != english[0]["prompt"]


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        (
            "openhueval_hustandardfb",
            {},
            'unknown task "openhueval_hustandardfb". Did you mean openhueval_hustandardfib',
        ),
        (5, {}, "task: of type int, expected the name of a task"),
        (FIB, {"metadata": {"question_lang": "de"}}, '--metadata question_lang: "de" is not on offer. One of: hu, en'),
        (FIB, {"metadata": "hu"}, "metadata: of type str, expected a mapping"),
        (FIB, {"data_dir": 5}, "data_dir: of type int, expected str or pathlib.Path"),
    ],
    ids=["unknown task", "number", "variant", "text as metadata", "data_dir"],
)
def test_a_mistake_is_one_line(on_the_sample, task, options, message):
    with pytest.raises(hueval.InputError) as refused:
        hueval.documents(task, **options)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_data_that_are_not_there(monkeypatch):
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    with pytest.raises(hueval.DataError, match="HUEVAL_SAMPLE=1"):
        hueval.documents(FIB)

"""What cannot be scored says in one line what, where and how to fix it."""

from __future__ import annotations

import json
import logging

import pytest

from hueval_metrics.errors import InputError
from tests.scoring.conftest import opencompass, plain, sample, samples, score, write_lines

FIB, PROVERB = "humatchingfib", "huproverbrea_2cq"


def refusal(path, task=FIB) -> str:
    with pytest.raises(InputError) as error:
        score(path, task)
    message = str(error.value)
    assert "\n" not in message
    return message


def rows_with(tmp_path, change, task=FIB):
    rows = plain(task)
    change(rows)
    return write_lines(tmp_path / "p.jsonl", rows)


def test_unknown_qids(tmp_path):
    def change(rows):
        for n in range(1, 6):
            rows[n]["qid"] = f"unknown-{n}"

    message = refusal(rows_with(tmp_path, change))
    assert "p.jsonl line 2" in message
    assert "5 predictions for unknown qids (unknown-1, unknown-2, unknown-3, …)" in message
    assert "another version of the data?" in message


def test_one_unknown_qid_has_no_ellipsis(tmp_path):
    path = write_lines(tmp_path / "p.jsonl", [{"qid": "\ud800", "prediction": ""}])
    assert "1 predictions for unknown qids (\\ud800). Is" in refusal(path)


def test_predictions_for_another_task(tmp_path):
    assert "unknown qids" in refusal(write_lines(tmp_path / "p.jsonl", plain("hustandardfib")))


def test_repeated_qid(tmp_path):
    message = refusal(rows_with(tmp_path, lambda rows: rows.append(dict(rows[3]))))
    first = plain(FIB)[3]["qid"]
    assert f"line {len(plain(FIB)) + 1}: qid {first} was already at" in message
    assert "p.jsonl line 4. Score one run at a time" in message
    assert message.endswith("(repeated: 1, of which with another reply: 0)")


def test_repeated_qid_and_option(tmp_path):
    message = refusal(rows_with(tmp_path, lambda rows: rows.append(dict(rows[1])), PROVERB), PROVERB)
    assert "correct_option 2 was already at" in message
    assert "p.jsonl line 2. Score" in message


def test_repeated_document_among_samples(tmp_path):
    rows = samples(FIB)
    message = refusal(write_lines(tmp_path / "s.jsonl", [*rows, rows[0], *rows[1:3], rows[3] | {"resps": [["X"]]}]))
    assert f"qid {rows[0]['doc']['qid']} was already at" in message
    assert message.endswith("(repeated: 4, of which with another reply: 1)")


def test_the_same_proverb_in_both_orders_is_no_repetition(tmp_path):
    assert score(write_lines(tmp_path / "p.jsonl", plain(PROVERB)), PROVERB).summary["n"] == len(sample(PROVERB))


def test_missing_qids_are_a_warning_and_counted(tmp_path, caplog):
    rows = plain(FIB)
    with caplog.at_level(logging.WARNING):
        summary = score(write_lines(tmp_path / "p.jsonl", rows[:4]), FIB).summary
    assert (summary["n"], summary["n_missing"]) == (4, len(rows) - 4)
    assert f"{len(rows) - 4} of {len(rows)} documents have no prediction" in caplog.text
    assert "the denominator is what was given" in caplog.text


def test_a_proverb_in_one_order_stays_out_of_acc(tmp_path):
    rows = [row | {"prediction": str(row["correct_option"])} for row in plain(PROVERB)[:5]]
    summary = score(write_lines(tmp_path / "p.jsonl", rows), PROVERB).summary
    assert (summary["acc"], summary["acc_single"], summary["n_single_order"]) == (100.0, 100.0, 1)
    assert summary["n_missing"] == len(sample(PROVERB)) - 5


def test_only_single_orders_score_null(tmp_path):
    row = plain(PROVERB)[0]
    summary = score(write_lines(tmp_path / "p.jsonl", [row]), PROVERB).summary
    assert summary["acc"] is summary["acc_ci95"] is summary["acc_ref"] is None
    assert "NaN" not in json.dumps(summary)


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ('{"qid": "a", "predic', ["line 15: not JSON", "Was the file cut off? Remove or fix the line"]),
        ("[1]", ["line 15: expected a JSON object, got list"]),
        ('"text"', ["line 15: expected a JSON object, got str"]),
        ("[" * 100_000, ["line 15: not JSON"]),
        ('{"qid": ' + "9" * 5000 + "}", ["line 15: not JSON"]),
        ('{"qid": "a"}', ["line 15: neither an lm-eval sample", '"qid" and "prediction"']),
        ('{"prediction": "a"}', ['line 15: "qid" is missing or not a string']),
        ('{"qid": 7, "prediction": "a"}', ['line 15: "qid" is missing or not a string']),
        (
            '{"qid": "a", "prediction": null}',
            ['(qid a): "prediction" is null, expected a string. Write "" where no reply came, or leave the row out'],
        ),
        (
            '{"qid": "a", "prediction": 1}',
            ['(qid a): "prediction" is 1, expected a string. Write the reply as the model wrote it, in quotes, or'],
        ),
        ('{"qid": "a", "prediction": NaN}', ['"prediction" is NaN, expected a string']),
        ('{"qid": "a", "prediction": true}', ['"prediction" is true, expected a string']),
        ('{"qid": "a", "prediction": ["x", null]}', ['"prediction" is ["x", null], expected a string']),
        ('{"qid": "a", "prediction": {"answer": ["A"]}}', ['"prediction" is {"answer": ["A"]}, expected a string']),
        ('{"doc": {"qid": "a"}, "resps": [[[-1.5, true]]]}', ["(qid a): response is -1.5, expected a string"]),
        ('{"doc": {}, "resps": [["x"]]}', ["line 15: an lm-eval sample of another task", "no qid or no response"]),
        ('{"doc": null, "resps": [["x"]]}', ["line 15: an lm-eval sample of another task"]),
        ('{"doc": {"qid": "a"}, "resps": []}', ["line 15: an lm-eval sample of another task"]),
        ('{"qid": "a", "prediction": "", "task": 5}', ["line 15: which task? Name it with --task"]),
    ],
)
def test_a_bad_line(tmp_path, line, parts):
    path = write_lines(tmp_path / "p.jsonl", plain(FIB))
    with path.open("a", encoding="utf-8") as file:
        file.write(line)
    message = refusal(path)
    for part in parts:
        assert part in message
    assert len(message) < 400


@pytest.mark.parametrize(("value", "shown"), [(3, "3"), ([], "[]"), ("1", "'1'")])
def test_a_further_field_of_the_key_has_one_of_the_data_s_values(tmp_path, value, shown):
    message = refusal(rows_with(tmp_path, lambda rows: rows[2].update(qid="a", correct_option=value), PROVERB), PROVERB)
    assert f'line 3 (qid a): "correct_option" is {shown}, expected 1 or 2' in message


def test_missing_correct_option(tmp_path):
    message = refusal(rows_with(tmp_path, lambda rows: rows[2].pop("correct_option"), PROVERB), PROVERB)
    assert 'line 3: a prediction of openhueval_huproverbrea_2cq needs "correct_option" beside "qid": 1 or 2' in message


def test_unknown_task(tmp_path):
    message = refusal(write_lines(tmp_path / "p.jsonl", plain(FIB)), "humatchingfibb")
    assert message == 'unknown task "openhueval_humatchingfibb". Did you mean openhueval_humatchingfib?'


def test_a_task_far_from_any_name_lists_them(tmp_path):
    path = write_lines(tmp_path / "p.jsonl", [row | {"task": "x"} for row in plain(FIB)])
    assert "openhueval_humatchingfib, " in refusal(path)


def test_task_not_named(tmp_path):
    message = refusal(write_lines(tmp_path / "p.jsonl", plain(FIB)), None)
    assert 'line 1: which task? Name it with --task (in Python: task=…), or in the row as "task"' in message


def test_samples_without_task_in_their_name(tmp_path):
    message = refusal(write_lines(tmp_path / "mine.jsonl", samples(FIB)), None)
    assert "the file name does not name the task. Name it with --task" in message


@pytest.mark.parametrize("task", ["hustandardfib", PROVERB])
def test_samples_of_another_task(tmp_path, task):
    message = refusal(write_lines(tmp_path / "mine.jsonl", samples(FIB)), task)
    assert f"mine.jsonl line 1: its document is not one of openhueval_{task}" in message
    assert "a sample of another task?" in message


def test_a_sample_that_says_its_task_is_no_other_ones(tmp_path):
    """Documents of both tasks have all fields of an open question."""
    rows = samples("husimpleqa")
    for row in rows:
        row["doc"] |= {"proverb": "", "context": "", "reference": ""}
    message = refusal(write_lines(tmp_path / "mine.jsonl", rows), "huproverbrea_oe")
    assert "mine.jsonl line 1: its document is not one of openhueval_huproverbrea_oe (it says husimpleqa)" in message


@pytest.mark.parametrize("key", ["qid", "correct_option"])
@pytest.mark.parametrize("value", [[], {}])
def test_a_document_with_a_key_that_is_none(tmp_path, key, value):
    rows = samples(PROVERB)
    rows[0]["doc"][key] = value
    message = refusal(write_lines(tmp_path / "mine.jsonl", rows), PROVERB)
    assert "mine.jsonl line 1: its document is not one of openhueval_huproverbrea_2cq (TypeError" in message


def test_more_predictions_than_the_run_had_documents(tmp_path):
    date = "2026-01-31T10-00-00.123456"
    task = f"openhueval_{FIB}"
    rows = samples(FIB)
    results = {
        "configs": {task: {"metadata": {"provenance": {"signature": f"task:{task}"}}}},
        "n-samples": {task: {"original": 3}},
    }
    (tmp_path / f"results_{date}.json").write_text(json.dumps(results), encoding="utf-8")
    message = refusal(write_lines(tmp_path / f"samples_{task}_{date}.jsonl", rows))
    assert f"{len(rows)} predictions of {task}, which had 3 documents by the results file beside it" in message


def test_not_utf8(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_bytes('{"qid": "a", "prediction": "ő"}'.encode("iso8859-2"))
    assert "p.jsonl line 1: not UTF-8 text" in refusal(path)
    assert "Save it as UTF-8 JSON Lines" in refusal(path)


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_empty_file(tmp_path, content):
    path = tmp_path / "p.jsonl"
    path.write_text(content, encoding="utf-8")
    assert "no predictions in" in refusal(path)
    assert "the files hold no rows" in refusal(path)


def test_no_such_file(tmp_path):
    assert "missing.jsonl: no such file or folder" in refusal(tmp_path / "missing.jsonl")


def test_folder_without_predictions(tmp_path):
    (tmp_path / "results_x.json").write_text("{}", encoding="utf-8")
    assert "no samples_*.jsonl, no predictions .jsonl and no OpenCompass .json" in refusal(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{}",
        '{"a": {"prediction": "x"}}',
        '{"0": "x"}',
        '{"0": {"pred": "x"}}',
        json.dumps({"9" * 5000: {"prediction": ""}}),
    ],
)
def test_opencompass_of_another_form(tmp_path, content):
    path = tmp_path / "p.json"
    path.write_text(content, encoding="utf-8")
    assert "not an OpenCompass prediction file" in refusal(path)
    assert "in a file named .jsonl" in refusal(path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe{", b"[" * 100_000])
def test_opencompass_that_is_no_json(tmp_path, content):
    path = tmp_path / "p.json"
    path.write_bytes(content)
    assert "p.json: cannot be read as JSON" in refusal(path)


def test_opencompass_without_a_telling_name(tmp_path):
    path = tmp_path / "p.json"
    path.write_text(json.dumps(opencompass(FIB, ids=True)), encoding="utf-8")
    assert "p.json: which task? The file name does not say. Name it with --task" in refusal(path, None)


@pytest.mark.parametrize("position", [len(sample(FIB)), 999])
def test_opencompass_with_more_entries_than_documents(tmp_path, position):
    path = tmp_path / "p.json"
    path.write_text(json.dumps({str(position): {"prediction": "", "gold": "x"}}), encoding="utf-8")
    message = refusal(path)
    assert f'entry "{position}": no qid, and only {len(sample(FIB))} documents to go by position' in message


@pytest.mark.parametrize("qid", [7, ["a"], {"a": 1}])
def test_opencompass_with_a_strange_qid(tmp_path, qid):
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"0": {"prediction": "", "gold": {"qid": qid}}}), encoding="utf-8")
    assert "1 predictions for unknown qids" in refusal(path)


def test_opencompass_two_choice_without_true_ans(tmp_path):
    path = tmp_path / "p.json"
    qid = sample(PROVERB)[0]["qid"]
    path.write_text(json.dumps({"0": {"prediction": "1", "gold": {"qid": qid}}}), encoding="utf-8")
    assert 'entry "0": a prediction of openhueval_huproverbrea_2cq needs "correct_option"' in refusal(path, PROVERB)


def test_what_does_not_apply_to_a_task_is_ignored(tmp_path):
    """One script may write the rows of all tasks with the same keys."""
    path = write_lines(tmp_path / "p.jsonl", [row | {"task": None, "correct_option": 1} for row in plain(FIB)])
    assert score(path, FIB).summary["n_missing"] == 0


def test_a_count_is_no_metric_of_an_item(tmp_path):
    (item, *_) = score(write_lines(tmp_path / "p.jsonl", plain(PROVERB)), PROVERB).items
    assert "n_single_order" not in item["metrics"]
    assert item["metrics"]["acc"] is None  # a proverb is right or wrong only when both of its orders are known
    assert item["metrics"]["acc_single"] in (0.0, 100.0)


@pytest.mark.parametrize("verdict", [{"label": "YES", "own_key": 1}, {"own_key": 1}, "YES", ["YES"]])
def test_a_verdict_of_other_make_is_no_crash(tmp_path, monkeypatch, verdict):
    """Samples may come from another version: unknown keys are let be, what is no verdict is asked for again."""
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    rows = samples("huproverbrea_oe")
    for row in rows:
        row["filtered_resps"] = [json.dumps(json.loads(row["filtered_resps"][0]) | {"verdict": verdict})]
    path = write_lines(tmp_path / "samples_openhueval_huproverbrea_oe_2026-01-31T10-00-00.1.jsonl", rows)
    summary = score(path, "huproverbrea_oe").summary
    assert summary["judge_coverage"] == (100.0 if isinstance(verdict, dict) and "label" in verdict else 0.0)


@pytest.mark.parametrize("prediction", [None, 1, ["x"], {"answer": ["A"]}])
def test_opencompass_with_a_prediction_that_is_no_string(tmp_path, prediction):
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"0": {"prediction": "x"}, "1": {"prediction": prediction}}), encoding="utf-8")
    assert f'p.json entry "1": "prediction" is {json.dumps(prediction)}, expected a string' in refusal(path)

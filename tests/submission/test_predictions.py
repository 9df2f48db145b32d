"""predictions.jsonl of any generating task: every fault in one line, and the scores of `hueval score`."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hueval_metrics.errors import InputError
from hueval_metrics.loader import documents
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.submission.formats import Target
from hueval_metrics.submission.predictions import FORMAT, short, task_in
from tests.each import each
from tests.harness.runs import hueval_here

KEYS = st.sampled_from(["qid", "prediction", "task", "doc", "resps", "\u202e"]) | st.text()
LEAF = st.none() | st.booleans() | st.floats() | st.integers() | st.text()
JSON = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner), max_leaves=12)

FIB = Target("openhueval_humatchingfib")
PAIRS = Target("openhueval_huproverbrea_2cq")


@pytest.fixture(autouse=True)
def sample(clean_environment, monkeypatch, tmp_path):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.chdir(tmp_path)


def rows(target: Target) -> list[dict]:
    """A row for each item, with an answer that changes from row to row."""
    docs, _ = documents(target.task, **target.settings)
    fields = ("qid", "correct_option") if target is PAIRS else ("qid",)
    answer = '{"answer": ["#0#A", "#1#B", "#2#C"]}'
    replies = [answer, "2", "1", "<think>hm", answer.replace("B", "D")]
    return [{**{name: doc[name] for name in fields}, "prediction": replies[n % 5]} for n, doc in enumerate(docs)]


def write(content: list[dict] | bytes) -> Path:
    path = Path("mine.dat")
    lines = content if isinstance(content, bytes) else b"".join(json.dumps(row).encode() + b"\n" for row in content)
    path.write_bytes(lines)
    return path


def lines(content: list[dict] | bytes, target: Target = FIB, language: str = "en") -> list[str]:
    return [fault.text[language] for fault in FORMAT.check(write(content), target).faults]


@each("target", [FIB, PAIRS], ids=["one field", "two fields"])
def test_scores_are_those_of_hueval_score(target):
    """Whatever else stands in a row: a document of its own would bring its own reference answer."""
    answers = rows(target)
    Path("predictions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers), encoding="utf-8")
    assert hueval_here("score", "predictions.jsonl", "--task", target.task, "--output", "out").status == 0
    expected = json.loads(Path("out/results.json").read_text(encoding="utf-8"))[target.task]
    path = write([{**row, "doc": {"answer": row["prediction"]}, "task": target.task} for row in answers])
    score = FORMAT.score(path, target, JudgePlan())
    found = json.loads(json.dumps({name: value for name, value in score.summary.items() if name in expected}))
    assert found == {name: expected[name] for name in found}
    assert len(found) > 5 and score.items == []
    assert FORMAT.check(path, target).n_faults == 0


def test_the_items_of_hueval_score_are_taken():
    Path("predictions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(FIB)), encoding="utf-8")
    assert hueval_here("score", "predictions.jsonl", "--task", FIB.task, "--output", "out").status == 0
    checked = FORMAT.check(Path("out/items.jsonl"), FIB)
    assert (checked.n_faults, len(checked.answers)) == (0, len(rows(FIB)))


def test_a_file_with_faults_is_not_scored():
    with pytest.raises(InputError, match=r'row 1 .*: has no "prediction"'):
        FORMAT.score(write([{"qid": rows(FIB)[0]["qid"]}]), FIB, JudgePlan())


def test_answers_are_short_or_digests():
    answers = rows(FIB)
    answers[0]["prediction"], answers[1]["prediction"] = "x" * 64, "x" * 65
    found = list(FORMAT.check(write(answers), FIB).answers.items())
    assert found[0] == (answers[0]["qid"], "x" * 64)
    assert found[1][1] == short("x" * 65) and len(found[1][1]) == 39
    assert short("\ud800" * 70).startswith("sha256:")  # a half surrogate pair has no UTF-8


def test_every_kind_of_fault_has_a_line_in_its_row():
    answers = rows(FIB)
    first, second = answers[0]["qid"], answers[1]["qid"]
    form = f'Write one JSON object a line: {{"qid": "{first}", "prediction": "…"}}'
    bad = [
        {"qid": first},
        {"qid": second, "prediction": None},
        {"qid": 5, "prediction": "a"},
        {"prediction": "a"},
        {"qid": "nobody\u202e", "prediction": "a"},
        {"qid": first, "prediction": "a"},
        {"qid": answers[2]["qid"], "prediction": "a", "task": "openhueval_hustandardfib"},
    ]
    found = lines([*bad, *answers[3:]])
    assert found == [
        f'row 1 (qid "{first}"): has no "prediction". {form}',
        f'row 2 (qid "{second}"): its "prediction" is null, expected a string. Write the reply as the model wrote it, '
        'in quotes, "" where none came',
        'row 3: its "qid" is a number, expected a string. Quote it',
        f'row 4: has no "qid". {form}',
        'row 5 (qid "nobody"): is no item of HuMatchingFIB. Take the ids of its data',
        f'row 6 (qid "{first}"): is in row 1, too. Leave one of them',
        'row 7: is of the task "openhueval_hustandardfib", expected openhueval_humatchingfib. Submit it there, or '
        "leave it out",
    ]
    hungarian = lines([*bad, *answers[3:]], language="hu")
    assert len(hungarian) == 7
    assert hungarian[5] == f'6. sor (qid "{first}"): már szerepel a(z) 1. sorban. Hagyjon meg egyet'


def test_a_missing_item_comes_last_and_the_other_fields_of_the_key_count():
    answers = rows(PAIRS)
    answers[0]["correct_option"] = 3
    missing = answers.pop()
    found = lines(answers, PAIRS)
    assert found[0] == 'row 1: its "correct_option" is 3, expected 1 or 2'
    assert found[-1] == (
        f'2 items are missing: qid "{answers[0]["qid"]}", correct_option "1"; qid "{missing["qid"]}", correct_option '
        '"2". Add their predictions: every item needs one, "" where no reply came'
    )
    answers[0]["correct_option"] = 1
    assert lines(answers, PAIRS) == [
        f'qid "{missing["qid"]}", correct_option "2": is missing. Add its prediction: every item needs one, "" where '
        "no reply came"
    ]


@each(
    ("content", "line"),
    [
        (b"", "has no rows."),
        (b"\n \n", "has no rows."),
        (b'[{"qid": "a"}]', "is a JSON array, expected JSON Lines."),
        ('{"qid": "a"}'.encode("utf-16"), "is UTF-16 text, expected JSON Lines in UTF-8."),
        (b"PK\x03\x04", "is a zip archive, expected JSON Lines in UTF-8."),
        (b'{"doc": {}, "resps": []}\n', "has samples of lm-eval, expected predictions."),
        (b"qid,prediction\n", "row 1: is not JSON (column 1: Expecting value)."),
        (b'{"qid": "\xe9"}\n', "row 1: is not UTF-8 text (byte 9)."),
        (b"5\n", "row 1: is a number, expected an object."),
    ],
)
def test_a_file_of_another_kind_has_one_line(content, line):
    (found,) = lines(content)
    assert found.startswith(line)


def test_a_file_with_far_too_many_rows_is_not_read_to_its_end():
    answers = rows(FIB)
    checked = FORMAT.check(write([*answers, *answers * 300]), FIB)
    most = 2 * len(answers) + 1000
    assert checked.faults[0].text["en"] == (
        f"has more than {most:,} rows, expected {len(answers)}; the others were not read. Write one row for each item"
    )
    assert (checked.n_faults, len(checked.faults)) == (most - len(answers) + 1, 1000)


def test_rows_that_would_take_long_to_make_are_not_made():
    """100 rows of a MiB of lists each; brackets inside a reply are none of them."""
    nested = b'{"qid": "a", "prediction": [' + b",".join([b"[]"] * 300_000) + b"]}\n"
    started = time.process_time()
    found = lines(nested * 100)
    assert time.process_time() - started < 4  # a quarter of it, and 70 to make them
    assert len(found) == 100
    assert found[0].startswith("row 1: has more than 1,000 lists and objects, which no prediction has.")
    answers = rows(FIB)
    answers[0]["prediction"] = '[{"\\"' * 2000
    assert lines(answers) == []


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()), max_size=8))
def test_no_file_whatever_is_an_exception(content):
    checked = FORMAT.check(write(b"\n".join(content)), FIB)
    assert checked.n_faults
    for fault in checked.faults:
        assert all(text.isprintable() for text in (*fault.text.values(), *fault.kind.values()))


def test_an_example_is_taken_as_it_stands():
    example = FORMAT.example(PAIRS)
    checked = FORMAT.check(write(example.encode()), PAIRS)
    assert len(checked.answers) == 2
    (missing,) = checked.faults
    assert f"{len(rows(PAIRS)) - 2} items are missing: " in missing.text["en"]


def test_the_task_that_a_name_or_a_row_tells():
    told = [
        FORMAT.task_of(name) for name in ("openhueval_husimpleqa.jsonl", "openhueval_husimpleqa/a.jsonl", "a.jsonl")
    ]
    assert told == ["openhueval_husimpleqa", "openhueval_husimpleqa", None]
    assert task_in(write([{"qid": "a", "task": "anything"}])) == "anything"
    assert [task_in(write(content)) for content in (b"", b"[1]", b'{"task": 5}', b"\xff")] == [None] * 4


def test_a_task_without_replies_takes_no_predictions():
    with pytest.raises(InputError, match="hulu_hucola compares log-likelihoods"):
        FORMAT.check(write(b"{}"), Target("hulu_hucola"))

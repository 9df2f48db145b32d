import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.reading import Reading, Span
from hueval_metrics.errors import DataError, InputError
from hueval_metrics.loader import documents
from hueval_metrics.records import Verdict
from hueval_metrics.runs.items import Item, items_of
from hueval_metrics.runs.load import load_runs

FIB, TWO, QA = "openhueval_humatchingfib", "openhueval_huproverbrea_2cq", "openhueval_husimpleqa"


def only(path):
    (run,) = load_runs([path])
    return run


def test_samples_of_a_live_run_give_the_rows_that_score_writes(live_run, scored_run):
    live = list(items_of(only(live_run("humatchingfib", "huproverbrea_2cq"))))
    scored = list(items_of(only(scored_run("humatchingfib", "huproverbrea_2cq"))))
    assert {item.task for item in live} == {FIB, TWO}
    assert sorted(json.dumps(item.row) for item in live) == sorted(json.dumps(item.row) for item in scored)


def test_a_row_tells_all_that_a_reader_asks(live_run):
    item = next(items_of(only(live_run("huproverbrea_2cq"))))
    assert item.prediction == "<think>Lássuk!</think>\n\n1"
    assert (item.response, item.reference, item.answer, item.truncated) == ("1", "1", 1, False)
    assert item.key == (item.cluster, item.row["correct_option"])
    assert item.values["acc"] == (item.cluster, 1, 1)
    assert (item.dimension, item.verdict) == ("l", None)  # every proverb is of the dimension Language
    assert "option" in item.prompt


def test_a_row_tells_how_its_answer_was_read(live_run):
    kinds = {item.reading.kind for item in items_of(only(live_run("huproverbrea_2cq")))}
    assert kinds == {"answered"}


def test_a_judged_letter_has_no_reading(live_run):
    assert all(item.reading is None for item in items_of(only(live_run("huwildbench"))))


NOT_READ = [  # what a row may say, and why it is none of ours
    (None, "an older row"),
    ("answered", "no object"),
    ({}, "no kind"),
    ({"kind": "guessed"}, "no known kind"),
    ({"kind": ["answered"]}, "a kind of another type"),
]
NO_SPANS = [
    ([[0, 9]], "beyond the end"),
    ([[-1, 2]], "before the start"),
    ([[3, 2]], "backwards"),
    ([[0, 1], [0, 9]], "one of two is beyond the end"),
    ([[0, True]], "no numbers"),
    ([[0.0, 1.0]], "no whole numbers"),
    ([[0]], "no end"),
    ("01", "no list"),
    ({"0": 1}, "no list"),
    (None, "none"),
]


@pytest.mark.parametrize("found", [found for found, _ in NOT_READ], ids=[why for _, why in NOT_READ])
def test_a_reading_that_is_none(found):
    assert Item.of({"task": TWO, "prediction": "A: 2", "reading": found}).reading is None


@pytest.mark.parametrize("spans", [spans for spans, _ in NO_SPANS], ids=[why for _, why in NO_SPANS])
def test_spans_that_the_response_does_not_have(spans):
    row = {"task": TWO, "prediction": "A: 2", "reading": {"kind": "answered", "spans": spans, "rule": ["line"]}}
    assert Item.of(row).reading == Reading("answered", None, (), "")


def test_spans_are_of_the_response_without_its_trace():
    reading = {"kind": "answered", "spans": [[3, 4], None], "rule": "line"}
    row = {"task": TWO, "prediction": "<think>1</think>A: 2", "response": "A: 2", "reading": reading}
    assert Item.of(row).reading == Reading("answered", None, (Span(3, 4), None), "line")


def test_response_stands_only_where_it_differs(live_run):
    folder = live_run("huproverbrea_2cq")
    (samples,) = folder.glob("samples_*")
    samples.write_text(samples.read_text(encoding="utf-8").replace("<think>L\\u00e1ssuk!</think>\\n\\n", ""))
    items = list(items_of(only(folder)))
    assert {item.prediction for item in items} == {"1", "2"}
    assert all("response" not in item.row and item.response == item.prediction for item in items)


def test_options_are_counted(live_run):
    row = next(items_of(only(live_run("humatchingfib")))).row
    assert row["n_options"] == len(set(row["prompt"].split('"options": ')[-1].split("]")[0].split('", "')))
    assert row["blanks_correct"] == row["blanks_total"] > 0


def test_nobody_is_asked_for_a_verdict(live_run, monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://127.0.0.1:9/v1")  # a call would fail, and say so
    rows = list(items_of(only(live_run("husimpleqa"))))
    assert rows
    assert all(item.verdict is None for item in rows)


def test_verdicts_of_the_samples_stay(live_run):
    verdict = {"label": "CORRECT", "judge": "gpt", "rubric": "husimpleqa/1"}
    found = [item.verdict for item in items_of(only(live_run("husimpleqa", verdict=verdict)))]
    assert found
    assert set(found) == {Verdict("CORRECT", judge="gpt", rubric="husimpleqa/1")}


def test_one_task_of_several(scored_run):
    run = only(scored_run("humatchingfib", "huproverbrea_2cq"))
    assert {item.task for item in items_of(run, TWO)} == {TWO}


def test_run_without_samples(live_run):
    folder = live_run("humatchingfib")
    next(folder.glob("samples_*")).unlink()
    with pytest.raises(InputError, match=r"its items are not there .*--log_samples"):
        list(items_of(only(folder)))


def test_results_without_items(scored_run):
    folder = scored_run("humatchingfib")
    (folder / "items.jsonl").unlink()
    with pytest.raises(InputError, match=r"no items\.jsonl beside it\)\. Score it again"):
        list(items_of(only(folder)))


def test_a_broken_line_is_told_and_passed_over(scored_run):
    folder = scored_run("humatchingfib")
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "items.jsonl").write_text(lines[0] + lines[1][:50] + "\n" + "".join(lines[2:]), encoding="utf-8")
    told: list[str] = []
    assert len(list(items_of(only(folder), None, told.append))) == len(lines) - 1
    assert len(told) == 1
    assert "items.jsonl line 2: not JSON" in told[0]
    with pytest.raises(InputError, match="line 2: not JSON"):
        list(items_of(only(folder)))


def test_a_truncated_samples_file_is_told_and_other_tasks_are_read(live_run):
    folder = live_run("humatchingfib", "huproverbrea_2cq")
    samples = folder / f"samples_{FIB}_2026-01-31T10-00-00.123456.jsonl"
    samples.write_text(samples.read_text(encoding="utf-8")[:-100], encoding="utf-8")
    told: list[str] = []
    assert {item.task for item in items_of(only(folder), None, told.append)} == {TWO}
    assert len(told) == 1
    assert "Was the file cut off?" in told[0]


def test_a_file_in_another_encoding_is_told_in_a_few_lines(scored_run):
    folder = scored_run("humatchingfib")
    items = folder / "items.jsonl"
    items.write_text("{oops\n" * 10, encoding="utf-8")
    told: list[str] = []
    assert list(items_of(only(folder), None, told.append)) == []
    assert ["line 3: not JSON" in line for line in told] == [False, False, True, False]
    assert told[-1] == f"{items}: 7 more lines cannot be read. Score it again: hueval score"


def test_rows_of_another_task_in_a_samples_file_are_left_out(live_run):
    folder = live_run("humatchingfib")
    samples = folder / f"samples_{FIB}_2026-01-31T10-00-00.123456.jsonl"
    doc = documents("openhueval_huproverbrea_2cq")[0][0]
    row = {"task": TWO, "qid": doc["qid"], "correct_option": doc["correct_option"], "prediction": "1"}
    with samples.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    assert {item.task for item in items_of(only(folder))} == {FIB}


def test_samples_without_documents_need_the_data(live_run, monkeypatch):
    folder = live_run("humatchingfib")
    samples = folder / f"samples_{FIB}_2026-01-31T10-00-00.123456.jsonl"
    samples.write_text('{"qid": "a", "prediction": ""}\n', encoding="utf-8")
    run = only(folder)
    monkeypatch.delenv("HUEVAL_SAMPLE")
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(folder))
    told: list[str] = []
    assert list(items_of(run, None, told.append)) == []
    assert len(told) == 1
    with pytest.raises(DataError):
        list(items_of(run))


@pytest.mark.parametrize(
    ("why", "row", "expected"),
    [
        ("0.1 wrote no values", {"metrics": {"acc": 1}}, {"metrics": {"acc": 1.0}, "values": None, "prompt": None}),
        ("nothing was taken off", {"prediction": "Igen."}, {"prediction": "Igen.", "response": "Igen."}),
        ("only a trace came", {"prediction": "<think>", "response": ""}, {"prediction": "<think>", "response": ""}),
        ("log-likelihoods", {"prediction": {"greedy": [True]}}, {"prediction": None, "response": None}),
        ("a verdict of 0.1", {"verdict": {"label": "NO", "score": None}}, {"verdict": Verdict("NO")}),
        ("a foreign key", {"qid": 7}, {"key": None, "cluster": ""}),
        ("a foreign dimension", {"qid": "1", "dimension": 3}, {"key": ("1",), "cluster": "1", "dimension": None}),
        ("no objects", {"metrics": [1], "values": "x", "verdict": 3}, {"metrics": {}, "values": None, "verdict": None}),
        ("no boolean", {"truncated": "yes"}, {"truncated": False}),
        ("no numbers", {"metrics": {"a": "1", "b": float("nan"), "c": None}}, {"metrics": dict.fromkeys("abc")}),
    ],
)  # fmt: skip
def test_a_row_of_any_version_or_tool_is_read(why, row, expected):
    item = Item.of({"task": FIB} | row)
    assert {name: getattr(item, name) for name in expected} == expected, why
    assert item.row["task"] == item.task == FIB


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
COLUMNS = ("task", "qid", "correct_option", "dimension", "prompt", "reference", "prediction", "response", "truncated")
COLUMNS += ("answer", "metrics", "values", "verdict")


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(COLUMNS, json_values)), st.sampled_from([FIB, TWO, QA, "x"]))
def test_any_json_object_is_an_item(row, task):
    for found in (Item.of(row), Item.of(row | {"task": task})):
        assert isinstance(found.task, str)
        assert all(value is None or isinstance(value, float) for value in found.metrics.values())

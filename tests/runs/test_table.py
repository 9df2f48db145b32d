import json

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.load import load_runs
from hueval_metrics.runs.table import TaskItems, run_items, task_items

FIB, TWO = "openhueval_humatchingfib", "openhueval_huproverbrea_2cq"


def only(path):
    (run,) = load_runs([path])
    return run


def test_columns_are_equally_long_and_in_order(scored_run):
    run = only(scored_run("humatchingfib", "huproverbrea_2cq"))
    found = run_items(run)
    assert set(found) == {FIB, TWO}
    items = found[TWO]
    assert (items.label, items.signature) == (run.label, run.tasks[TWO].signature)
    assert [option for _, option in items.keys[:4]] == [1, 2, 1, 2]
    assert {len(column) for column in items.values.values()} == {len(items.keys)} == {len(items.dimensions)}
    assert task_items(run, TWO) == items


def test_rows_of_older_versions_are_counted():
    items = TaskItems(TWO, "run")
    items.add(Item.of({"task": TWO, "qid": "a", "metrics": {"acc": 1.0}}))
    items.add(Item.of({"task": TWO, "qid": 7, "values": {}}))
    odd = {"qid": "b", "values": {"acc": 1.0}, "correct_option": [2], "dimension": 3}
    items.add(Item.of({"task": TWO} | odd))
    assert (items.keys, items.dimensions, items.n_without_values) == ([("b", None)], [None], 2)


def test_a_metric_that_some_rows_lack_is_none_there():
    items = TaskItems("t", "run")
    for row in ({"acc": 1.0}, {"acc": 0.0, "ece": [0.5, 1.0]}, {"ece": [0.1, 0.0]}):
        items.add(Item.of({"task": "t", "qid": "a", "values": row}))
    assert items.values == {"acc": [1.0, 0.0, None], "ece": [None, [0.5, 1.0], [0.1, 0.0]]}


def test_only_the_metrics_that_are_asked_for_are_kept():
    items = TaskItems("t", "run")
    for number in range(2):
        items.add(
            Item.of({"task": "t", "qid": str(number), "values": {"acc": 1.0, "ece": None, "long": "x"}}),
            {"acc", "ece", "other"},
        )
    assert items.values == {"acc": [1.0, 1.0], "ece": [None, None]}


def test_a_task_whose_items_cannot_be_read_is_empty(scored_run):
    folder = scored_run("humatchingfib")
    (folder / "items.jsonl").write_text(json.dumps({"task": "gsm8k"}) + "\n")
    assert run_items(only(folder))[FIB].keys == []


def test_task_that_was_not_run(scored_run):
    with pytest.raises(InputError, match=f"no scores of {TWO}. It has {FIB}"):
        task_items(only(scored_run("humatchingfib")), TWO)

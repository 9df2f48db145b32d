"""Answers of a run that goes on: scored once they are whole lines, whatever else stands in the file."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from hueval_metrics.runs.outcomes import outcome
from hueval_metrics.view.running import RunningRun
from tests.view.conftest import CHOICES, JUDGED, NAME, RULE, answers, header, text


@pytest.fixture
def file(tmp_path):
    return tmp_path / NAME


def of(file):
    run = RunningRun([file])
    run.read()
    return run


def outcomes(run):
    return [outcome(item).outcome for item in run.items()]


def append(file, content):
    with file.open("ab") as out:
        out.write(content.encode())


def test_right_and_wrong_show_at_once_and_each_line_is_read_once(file):
    first, *rest = answers(RULE, n=4, wrong=(2, 3))
    file.write_text(text(header(**{RULE: 28}), first), encoding="ascii")
    run = of(file)
    assert outcomes(run) == ["right"]
    (item,) = run.items()
    append(file, text(*rest))
    run.read()
    run.read()
    assert outcomes(run) == ["right", "right", "wrong", "wrong"]
    assert next(run.items()) is item
    assert (run.label, run.n_done, run.n_total, run.started, run.latest) == ("org/model", 4, 28, 1e9, 1e9 + 4)
    result = run.run("org/model (live)").tasks[RULE]
    assert (result.scores["acc"], result.n, result.missing) == (50, 4, 24)
    assert result.intervals["acc"][0] < 50 < result.intervals["acc"][1]


def test_judged_answers_have_no_verdict_yet(file):
    file.write_text(text(header(**{JUDGED: 2}), *answers(JUDGED, n=2)), encoding="ascii")
    assert outcomes(of(file)) == ["unjudged", "unjudged"]


def test_log_likelihoods(file):
    (row,) = answers(CHOICES, n=1)
    assert row["doc"]["label"] == "positive"  # the third
    right, wrong = ([[loglikelihood, False] for loglikelihood in (-3.0, best, -2.0)] for best in (-4.0, -1.0))
    file.write_text(
        text(header(**{CHOICES: 2}), row | {"resps": right}, row | {"doc_id": 1, "resps": wrong}), encoding="ascii"
    )
    assert outcomes(of(file)) == ["right", "wrong"]


def test_a_torn_line_is_read_when_it_is_whole(file):
    whole = text(header(**{RULE: 2}), *answers(RULE, n=2))
    file.write_text(whole[:-40], encoding="ascii")
    run = of(file)
    assert run.n_done == 1
    append(file, whole[-40:])
    run.read()
    assert run.n_done == 2


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_file_that_was_cut_off_anywhere(file, cut):
    file.write_text(text(header(**{RULE: 2}), *answers(RULE, n=2))[:-cut], encoding="ascii")
    assert of(file).n_done == 1


def test_lines_of_any_kind_are_passed_over(file):
    good = answers(RULE, n=3)
    odd = [
        *(1, None, [], "text", {}, {"tasks": 3}, {"tasks": {"x": 5, RULE: {"n": "many", "opens": 3}}}),
        *({"task": "unheard of", "doc_id": 1}, {"task": RULE}, {"task": RULE, "doc_id": "1"}),
        *(good[0] | {"doc_id": 10, "doc": 3}, good[0] | {"doc_id": 11, "doc": {}}),
        *(good[0] | {"doc_id": 12, "resps": []}, good[0] | {"doc_id": 13, "resps": [{"x": 1}], "time": "late"}),
        *(good[0] | {"doc_id": 14, "doc": {key: ["?"] for key in good[0]["doc"]}},),
    ]
    content = text(header(**{RULE: 5}), *odd) + "not JSON\n\xff\n" + "[" * 5000 + "\n" + text(*good)
    file.write_text(content, encoding="latin-1")
    run = of(file)
    assert outcomes(run)[-3:] == ["right", "right", "right"]
    assert run.n_total == 5
    run.run("x")


def test_what_ranks_repeat_counts_once(file, tmp_path):
    rows = answers(RULE, n=4)
    other = tmp_path / NAME.replace("rank0", "rank1")
    file.write_text(text(header(**{RULE: 2}), rows[0], rows[2]), encoding="ascii")
    other.write_text(text(header(**{RULE: 2}), rows[1], rows[3], rows[0]), encoding="ascii")
    run = RunningRun([file, other])
    run.read()
    assert (run.n_done, run.n_total, len(list(run.items()))) == (4, 4, 4)


def test_a_trace_that_the_template_opened_is_taken_off(file):
    row = answers(RULE, n=1)[0]
    row["resps"] = [f"Talán a másik.</think>{row['resps'][0]}"]
    cut = row | {"doc_id": 1, "resps": ["Talán az egyik"]}
    opened = header(**{RULE: 2})
    opened["tasks"][RULE]["opens"] = True
    file.write_text(text(opened, row, cut), encoding="ascii")
    run = of(file)
    assert outcomes(run) == ["right", "wrong"]
    assert [item.truncated for item in run.items()] == [False, True]


class TestCurrent:
    """Whether a file is still the one that is read."""

    def test_growing(self, file):
        file.write_text(text(header()), encoding="ascii")
        run = of(file)
        append(file, text(*answers(RULE, n=1)))
        assert run.is_current

    def test_removed_replaced_or_cut(self, file):
        file.write_text(text(header()), encoding="ascii")
        removed, replaced, cut = of(file), None, None
        file.unlink()
        assert not removed.is_current
        file.write_text(text(header()), encoding="ascii")
        replaced = of(file)
        file.unlink()
        file.write_text(text(header()) * 2, encoding="ascii")
        assert not replaced.is_current
        cut = of(file)
        os.truncate(file, 3)
        assert not cut.is_current


class TestAlive:
    """Whether the process that writes the file runs."""

    def test_this_one(self, file):
        file.write_text(text(header()), encoding="ascii")
        assert of(file).is_alive

    @pytest.mark.process
    def test_one_that_ended(self, file):
        process = subprocess.Popen([sys.executable, "-c", ""])
        process.wait()
        file.write_text(text(header(pid=process.pid)), encoding="ascii")
        assert not of(file).is_alive

    @pytest.mark.parametrize("pid", [0, -1, 2**40, "1", None, 1.5, True])
    def test_no_process_number_asks_nobody(self, file, pid):
        file.write_text(json.dumps(header() | {"pid": pid}) + "\n", encoding="ascii")
        assert of(file).is_alive

    def test_on_another_machine(self, file):
        file.write_text(text(header(pid=2**22 + 1, host="node-7")), encoding="ascii")
        assert of(file).is_alive

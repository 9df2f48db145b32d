"""`hueval traces` from files to files: what is written, counted, refused, and left as it was."""

from __future__ import annotations

import fcntl
import json
import os
from collections import Counter
from multiprocessing import active_children

import pytest

import hueval_metrics as hueval
from hueval_metrics.errors import InputError
from hueval_metrics.tokens import Counter as Counted
from hueval_metrics.traces import rows
from hueval_metrics.traces.inputs import TraceItems, find_runs
from tests.fakes.judge_server import FakeJudge
from tests.fakes.thought_judge import judge, step_of
from tests.harness.runs import hueval_here
from tests.helpers import json_lines
from tests.scoring.conftest import plain, sample, write_lines, write_samples

FIB = "openhueval_humatchingfib"
SIMPLE = "openhueval_husimpleqa"
ENVIRONMENT = {"HUEVAL_SAMPLE": "1", "HUEVAL_OFFLINE": "1"}


@pytest.fixture(autouse=True)
def on_the_sample(clean_environment, monkeypatch, tmp_path):
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


def simple_rows(task="husimpleqa", **fields):
    """Every third reply is right, all have a trace of three thoughts."""
    return [
        {
            "qid": doc["qid"],
            "trace": f"Talán Eger. De {doc['answer']}? Várjunk, nem {n}.",
            "answer": "Eger",
            "verdict": "INCORRECT" if n % 3 else "CORRECT",
        }
        | fields
        for n, doc in enumerate(sample(task))
    ]


def fib_rows(**fields):
    return [
        {"task": FIB, "qid": doc["qid"], "trace": "Hm. Lássuk.", "answer": "A"} | fields
        for doc in sample("humatchingfib")
    ]


def traces(*arguments, **environment):
    return hueval_here("traces", *arguments, **environment)


def test_what_is_written(tmp_path):
    rows = [
        *fib_rows()[:4],
        fib_rows(trace="", answer="B")[4],
        fib_rows(answer="")[5],
        {**fib_rows()[6], "trace": "Hm, vagy mégsem. " * 300},
    ]
    done = traces(write_lines(tmp_path / "r1.jsonl", rows), "--output", "out")
    assert done.status == 0
    assert done.out.endswith("Wrote out/traces.json and out/traces.jsonl\n")
    written = json_lines(tmp_path / "out" / "traces.jsonl")
    assert [row["key"] for row in written] == [[row["qid"]] for row in rows]
    assert {
        "run",
        "task",
        "cluster",
        "verdict",
        "share",
        "weight",
        "truncated",
        "blocks",
        "tokens",
        "tokens_ref",
    } < set(written[0])
    assert "Lássuk" not in (tmp_path / "out" / "traces.jsonl").read_text(encoding="utf-8"), "no text of a reply"
    assert written[0]["blocks"] == [[8, 19]]
    assert 0 < written[0]["tokens"] < written[0]["tokens_ref"]
    found = json.loads((tmp_path / "out" / "traces.json").read_text(encoding="utf-8"))
    counts = {"replies": 7, "no_trace": 1, "cut": 1, "looping": 1, "several_blocks": 0}
    assert found["runs"][0]["counts"] == {FIB: counts}
    assert found["steps"] == ["free"]
    assert found["signature"].endswith("|tokenizer:estimate-gpt-4o")
    rates = {one["measure"]: one["value"] for one in found["numbers"] if not one["cell"]["verdict"]}
    assert round(rates["no_trace_rate"], 2) == round(rates["truncated_rate"], 2) == 14.29
    assert round(rates["looping_rate"], 2) == 16.67


def test_processes_give_the_same(tmp_path, monkeypatch):
    files = [
        write_lines(
            tmp_path / f"r{n}.jsonl",
            plain("humatchingfib", FIB) + plain("huproverbrea_2cq", "openhueval_huproverbrea_2cq"),
        )
        for n in range(2)
    ]
    alone = hueval.analyse_traces(files, output="alone")
    monkeypatch.setattr(rows, "MUCH", 1)
    monkeypatch.setattr(rows.os, "sched_getaffinity", lambda _: {0, 1, 2})
    together = hueval.analyse_traces(files, output="together")
    assert together.results == alone.results
    assert (tmp_path / "alone" / "traces.jsonl").read_bytes() == (tmp_path / "together" / "traces.jsonl").read_bytes()


@pytest.fixture
def in_processes(monkeypatch):
    monkeypatch.setattr(rows, "MUCH", 1)
    monkeypatch.setattr(rows.os, "sched_getaffinity", lambda _: {0, 1})


def test_processes_end_with_the_reading(tmp_path, in_processes):
    items = TraceItems(find_runs([write_lines(tmp_path / "r1.jsonl", fib_rows())], None, {}))
    reading = rows.rows(items, {"r1": Counted()})
    assert [next(reading)[0] for _ in range(9)] == [*range(9)]
    assert len(active_children()) == 2
    reading.close()
    assert active_children() == []


def test_a_process_that_is_ended_from_outside(tmp_path, in_processes, monkeypatch):
    first = os.getpid()
    monkeypatch.setattr(rows, "row_of", lambda *_: os._exit(9) if os.getpid() != first else {"run": "r1"})
    items = TraceItems(find_runs([write_lines(tmp_path / "r1.jsonl", fib_rows())], None, {}))
    with pytest.raises(InputError, match="a process of the analysis was ended from outside"):
        list(rows.rows(items, {"r1": Counted()}))


def test_frames(tmp_path):
    analysis = hueval.analyse_traces(write_lines(tmp_path / "r1.jsonl", simple_rows()), task=SIMPLE)
    assert analysis._repr_html_().startswith("<table><caption>")
    numbers = analysis.to_pandas()
    whole = numbers[(numbers.verdict == "") & (numbers.measure == "tokens")]
    assert whole.run.tolist() == ["r1"]
    assert whole.n.tolist() == [len(simple_rows())]
    assert set(analysis.tests().between) <= {"verdicts"}
    assert analysis.rows().item.tolist() == [row["qid"] for row in simple_rows()]
    assert analysis.n_unanswered == 0


def test_a_limit_is_drawn_by_verdict_and_weighs(tmp_path):
    path = write_lines(tmp_path / "r1.jsonl", simple_rows())
    n, right = len(simple_rows()), len(simple_rows()[::3])
    with FakeJudge(judge) as server:
        done = traces(
            path,
            "--task",
            SIMPLE,
            "--steps",
            "thoughts",
            "--limit",
            4,
            "--output",
            "out",
            HUEVAL_JUDGE_BASE_URL=server.url,
        )
        asked = Counter(map(step_of, server.requests))
    assert done.status == 0, done.err
    assert asked == {"expressions": 4, "shifts": 4, "thought": 12}
    written = json_lines(tmp_path / "out" / "traces.jsonl")
    assert len(written) == n, "what needs no judge is read of all"
    assert all((row["weight"] > 0) == ("thoughts" in row) for row in written)
    for verdict, size in (("CORRECT", right), ("INCORRECT", n - right)):
        weights = [row["weight"] for row in written if row["verdict"] == verdict and row["weight"]]
        assert weights == [size / 2] * 2
    found = json.loads((tmp_path / "out" / "traces.json").read_text(encoding="utf-8"))
    parts = dict(part.partition(":")[::2] for part in found["signature"].split("|"))
    assert (parts["limit"], parts["rubrics"].count("/")) == ("4,seed=1", 3)
    numbers = {one["measure"]: one for one in found["numbers"] if not one["cell"]["verdict"]}
    assert (numbers["tokens"]["n"], numbers["regret"]["n"], numbers["regret"]["denominator"]) == (n, 4, n)


def test_a_judge_that_stops_answering(tmp_path):
    path = write_lines(tmp_path / "r1.jsonl", simple_rows())
    done = traces(
        path, "--task", SIMPLE, "--steps", "thoughts", "--output", "out", HUEVAL_JUDGE_BASE_URL="http://127.0.0.1:9/v1"
    )
    assert done.status == 3
    found = json.loads((tmp_path / "out" / "traces.json").read_text(encoding="utf-8"))
    assert sum(found["runs"][0]["left_out"]["thoughts"].values()) == len(simple_rows())


def test_replies_that_cannot_be_read_are_missing_and_asked_for_again_only_on_request(tmp_path):
    path = write_lines(tmp_path / "r1.jsonl", simple_rows())
    asked = []
    with FakeJudge(lambda *_: "Well, well.") as server:
        for options, status in (((), 3), (("--allow-missing", "1"), 0), (("--ask-final",), 3)):
            arguments = (path, "--task", SIMPLE, "--steps", "thoughts", "--output", "out", *options)
            done = traces(*arguments, HUEVAL_JUDGE_BASE_URL=server.url)
            assert done.status == status, done.err
            asked.append(len(server.requests))
    assert asked[0] == asked[1] < asked[2]


NO_TRACE = (
    "no reply has a reasoning trace. Is it a model that writes none, or was the trace taken off? lm-eval drops it"
)


@pytest.mark.parametrize(
    ("why", "arguments", "message"),
    [
        ("no such path", ["nowhere"], "nowhere: no such file or folder. Expected results of `hueval run`"),
        ("nothing in the folder", ["empty"], "empty: nothing to read. Looked here and in all sub-folders"),
        ("an empty file", ["empty.jsonl"], "empty.jsonl: no rows. Expected results"),
        ("other rows", ["other.jsonl", "--task", SIMPLE],
         'other.jsonl line 1: neither an lm-eval sample ("doc" and "resps") nor a prediction ("qid" and "prediction", '
         'or "qid", "trace" and "answer")'),
        ("which task", ["simple.jsonl"], "simple.jsonl line 1: which task? Name it with --task"),
        ("unknown task", ["simple.jsonl", "--task", "openhueval_husimpelqa"], "Did you mean openhueval_husimpleqa?"),
        ("an unknown task in a row", ["task.jsonl"], 'task.jsonl line 1: unknown task "toybench"'),
        ("log-likelihoods", ["simple.jsonl", "--task", "hulu_hucola"],
         "simple.jsonl line 1: hulu_hucola compares log-likelihoods, which no reply has"),
        ("twice the same", ["twice.jsonl", "--task", SIMPLE], "was already at twice.jsonl line 1"),
        ("no such label", ["label.jsonl", "--task", SIMPLE],
         '"verdict" is "RIGHT", expected one of CORRECT, PARTLY_CORRECT, INCORRECT, NOT_ATTEMPTED'),
        ("a label that is no text", ["number.jsonl", "--task", SIMPLE], '"verdict" is 1, expected a label, or null'),
        ("a trace that is no text", ["null.jsonl", "--task", SIMPLE], '"trace" is null, expected a string. Write ""'),
        ("no trace anywhere", ["none.jsonl", "--task", SIMPLE], f"none: {NO_TRACE}"),
        ("unknown step", ["simple.jsonl", "--steps", "free,thought"],
         '--steps: "thought" is none. Choose of free, thoughts, segments'),
        ("no step", ["simple.jsonl", "--steps", ""], '--steps: "" is none'),
        ("a limit of none", ["simple.jsonl", "--limit", "0"], "--limit: 0 is not a number of replies from 1 on"),
        ("a task without the step", ["fib.jsonl", "--steps", "thoughts"],
         f"--steps thoughts: not for {FIB}. It is for "),
        ("no tokenizer", ["fib.jsonl", "--tokenizer", "no/such"],
         "--tokenizer: the tokenizer of no/such is not in the cache"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(tmp_path, monkeypatch, why, arguments, message):
    (tmp_path / "empty").mkdir()
    simple = simple_rows()
    write_lines(tmp_path / "empty.jsonl", [])
    write_lines(tmp_path / "other.jsonl", [{"question": "?"}])
    write_lines(tmp_path / "simple.jsonl", simple)
    write_lines(tmp_path / "twice.jsonl", simple[:1] * 2)
    write_lines(tmp_path / "label.jsonl", simple_rows(verdict="RIGHT"))
    write_lines(tmp_path / "number.jsonl", simple_rows(verdict=1))
    write_lines(tmp_path / "null.jsonl", simple_rows(trace=None))
    write_lines(tmp_path / "task.jsonl", [simple[0] | {"task": "toybench"}])
    write_lines(tmp_path / "none.jsonl", simple_rows(trace=" "))
    write_lines(tmp_path / "fib.jsonl", fib_rows())
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", "http://127.0.0.1:9/v1")
    done = traces(*arguments, "--output", "out")
    assert (done.status, done.out) == (1, "")
    line = done.complaints[-1]
    assert message in line
    assert not (tmp_path / "out").exists()


def test_one_run_of_two_without_traces(tmp_path):
    with_traces = write_lines(tmp_path / "r1.jsonl", fib_rows())
    without = write_lines(tmp_path / "plain.jsonl", fib_rows(trace=""))
    done = traces(with_traces, without, "--output", "out")
    assert done.status == 0
    assert f"hueval: plain: {NO_TRACE}" in done.err


def test_two_runs_of_other_questions(tmp_path):
    files = [write_lines(tmp_path / f"r{n}.jsonl", fib_rows()[n::2]) for n in range(2)]
    analysis = hueval.analyse_traces(files)
    assert [run.label for run in analysis.results.runs] == ["r0", "r1"]
    assert not [test for test in analysis.results.tests if test.between == "models"]


def test_the_folder_of_the_run_itself(tmp_path):
    write_samples(tmp_path / "live", "humatchingfib")
    first = hueval.analyse_traces(tmp_path / "live", output=tmp_path / "live")
    again = hueval.analyse_traces(tmp_path / "live", output=tmp_path / "live")
    assert first.results == again.results


def test_two_at_once_into_one_folder(tmp_path):
    path = write_lines(tmp_path / "r1.jsonl", fib_rows())
    hueval.analyse_traces(path, output="out")
    handle = os.open("out", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with pytest.raises(InputError, match="out: another `hueval traces` is writing there"):
            hueval.analyse_traces(path, output="out")
    finally:
        os.close(handle)


def test_a_stop_leaves_both_files_as_they_were(tmp_path, monkeypatch):
    path = write_lines(tmp_path / "r1.jsonl", fib_rows())
    hueval.analyse_traces(path, output="out")
    before = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    counted = 0

    def stopped(item, tokens, real=rows.row_of):
        nonlocal counted
        counted += 1
        if counted == 5:
            raise KeyboardInterrupt
        return real(item, tokens)

    monkeypatch.setattr(rows, "row_of", stopped)
    with pytest.raises(KeyboardInterrupt):
        hueval.analyse_traces(write_lines(tmp_path / "r1.jsonl", fib_rows(trace="Más.")), output="out")
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == before

"""The file in which a run shows each answer as it comes: whole lines, each document once, not in the run's way."""

from __future__ import annotations

import json
import stat

import pytest
from lm_eval.api.instance import Instance
from lm_eval.config.evaluate_config import EvaluatorConfig

from hueval_metrics.errors import InputError
from hueval_metrics.harness.kept_answers import AnswerFile, KeptAnswers
from hueval_metrics.harness.live import LiveAnswers, LiveRun, live_run
from hueval_metrics.scoring.inputs import LIVE_NAME, find_sources
from tests.fakes.small_files import file_size_limit
from tests.harness.runs import RULE_TASKS, hueval_here
from tests.harness.test_kept_answers import Model

TASK = RULE_TASKS[0]


def request(prompt, doc_id, idx=0, task=TASK, method="generate_until"):
    arguments = (prompt, {"until": []}) if method == "generate_until" else (prompt, f"choice {idx}")
    return Instance(method, {"qid": f"q{doc_id}"}, arguments, idx, metadata=(task, doc_id, 1))


@pytest.fixture
def run(tmp_path):
    return LiveRun(tmp_path / "out", "0123456789ab", "org/model", templated=False, dropped=False)


def ask(run, requests, tmp_path, *, model=None, rank=0):
    """The answers of a model that shows them live."""
    kept = KeptAnswers(model or Model(), AnswerFile(str(tmp_path / "kept"), rank), live=LiveAnswers(run, rank))
    return getattr(kept, requests[0].request_type)(requests)


def lines(run, rank=0):
    """The rows of a file without the times and the process."""
    rows = [json.loads(line) for line in run.file(rank).read_text(encoding="ascii").splitlines()]
    return [{key: value for key, value in row.items() if key not in ("time", "host", "pid")} for row in rows]


def test_each_answer_is_a_line_for_the_user_alone(run, tmp_path):
    assert ask(run, [request("a", 0), request("b", 1)], tmp_path) == ["a 1", "b 2"]
    assert lines(run) == [
        {"label": "org/model", "tasks": {TASK: {"n": 2, "opens": None}}},
        {"task": TASK, "doc_id": 0, "doc": {"qid": "q0"}, "resps": ["a 1"]},
        {"task": TASK, "doc_id": 1, "doc": {"qid": "q1"}, "resps": ["b 2"]},
    ]
    assert stat.S_IMODE(run.file(0).stat().st_mode) == 0o600


def test_answers_of_a_stopped_run_are_shown_again_and_marked(run, tmp_path):
    ask(run, [request("a", 0)], tmp_path)
    ask(run, [request("a", 0), request("b", 1)], tmp_path)
    assert lines(run)[1:] == [
        {"task": TASK, "doc_id": 0, "doc": {"qid": "q0"}, "resps": ["a 1"], "kept": True},
        {"task": TASK, "doc_id": 1, "doc": {"qid": "q1"}, "resps": ["b 1"]},
    ]


def test_a_document_with_several_choices_is_one_line(run, tmp_path):
    asked = [request(f"p{doc}", doc, idx, method="loglikelihood") for doc in (0, 1) for idx in (0, 1)]
    ask(run, asked, tmp_path)
    assert lines(run) == [
        {"label": "org/model", "tasks": {TASK: {"n": 2, "opens": False}}},
        {"task": TASK, "doc_id": 0, "doc": {"qid": "q0"}, "resps": [[-1.5, True], [-1.5, True]]},
        {"task": TASK, "doc_id": 1, "doc": {"qid": "q1"}, "resps": [[-1.5, True], [-1.5, True]]},
    ]


def test_repeats_and_padding_are_shown_once_and_equal_prompts_each(run, tmp_path):
    one, two = request("a", 0), request("a", 1)
    ask(run, [one, one, two, two], tmp_path)
    assert lines(run)[0]["tasks"] == {TASK: {"n": 2, "opens": None}}
    assert [row["doc_id"] for row in lines(run)[1:]] == [0, 1]


def test_of_a_foreign_task_only_the_number_is_shown(run, tmp_path):
    ask(run, [request("a", 0, task="theirs")], tmp_path)
    assert lines(run)[1:] == [{"task": "theirs", "doc_id": 0}]


def test_a_prompt_that_opens_the_trace_is_told(run, tmp_path):
    ask(run, [request("assistant\n<think>\n", 0)], tmp_path)
    assert lines(run)[0]["tasks"] == {TASK: {"n": 1, "opens": True}}


def test_the_files_of_all_processes_go_and_no_other(run, tmp_path):
    for rank in (0, 1):
        ask(run, [request("a", rank)], tmp_path, rank=rank)
    other = LiveRun(run.folder, "ba9876543210", "org/model", templated=False, dropped=False)
    ask(other, [request("a", 0)], tmp_path)
    run.forget()
    assert list(run.folder.iterdir()) == [other.file(0)]


def test_a_link_in_its_place_is_replaced_not_followed(run, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("text", encoding="utf-8")
    run.folder.mkdir()
    run.file(0).symlink_to(precious)
    ask(run, [request("a", 0)], tmp_path)
    assert precious.read_text(encoding="utf-8") == "text"
    assert len(lines(run)) == 2


class TestWhatCannotBeWritten:
    """The run goes on, after one warning."""

    def test_no_folder(self, run, tmp_path, caplog):
        run.folder.write_text("a file", encoding="utf-8")
        assert ask(run, [request("a", 0), request("b", 1)], tmp_path) == ["a 1", "b 2"]
        (message,) = caplog.messages
        assert message.startswith(f"{run.folder}: the run cannot be followed live (")

    def test_a_full_disk(self, run, tmp_path, caplog):
        ask(run, [request(f"{doc}", doc) for doc in range(50)], tmp_path / "before")
        one_line = run.file(0).stat().st_size // 51
        with file_size_limit(20 * one_line + one_line // 2):
            assert len(ask(run, [request(f"{doc}", doc) for doc in range(50)], tmp_path)) == 50
        assert sum("cannot be followed live" in message for message in caplog.messages) == 1
        *whole, torn = run.file(0).read_text(encoding="ascii").split("\n")
        assert len(whole) > 15 and torn and [json.loads(line) for line in whole]

    def test_a_document_that_is_no_json(self, run, tmp_path):
        odd = Instance("generate_until", {"qid": "q", "picture": object}, ("a", {}), 0, metadata=(TASK, 0, 1))
        assert ask(run, [odd], tmp_path) == ["a 1"]
        assert lines(run)[1]["doc"] == {"qid": "q", "picture": "<class 'object'>"}


class TestPlace:
    """Where lm-eval will write the results."""

    def of(self, path, prefix="/cache/x", **args):
        return live_run(EvaluatorConfig(model="hf", model_args=args, output_path=path), prefix)

    def test_folder_of_the_model(self, tmp_path):
        run = self.of(str(tmp_path), pretrained="org/a:b")
        assert run.file(3).parent == tmp_path / "org__a__b"
        assert LIVE_NAME.fullmatch(run.file(3).name)
        assert run.label == "org/a:b"

    def test_another_run_of_the_model_has_another_file(self, tmp_path):
        one, two = (self.of(str(tmp_path), prefix=prefix, pretrained="m") for prefix in ("/cache/x-1", "/own/../x"))
        assert one.file(0) != two.file(0)

    def test_beside_a_named_file(self, tmp_path):
        assert self.of(str(tmp_path / "out.json"), pretrained="m").folder == tmp_path

    def test_none_without_results_or_where_answers_cost_nothing(self, tmp_path):
        assert self.of(None, pretrained="m") is None
        assert self.of(str(tmp_path), prefix=None) is None


def test_scoring_takes_it_for_no_predictions(run, tmp_path):
    ask(run, [request("a", 0)], tmp_path)
    assert LIVE_NAME.fullmatch(run.file(0).name)
    with pytest.raises(InputError, match=r"no samples_\*\.jsonl"):
        find_sources([run.folder])


@pytest.mark.slow
def test_a_run_leaves_none_behind(tiny_model, tmp_path):
    outcome = hueval_here(
        *("run", "--model", "hf", "--model_args", f"pretrained={tiny_model}", "--tasks", TASK, "--limit", 2),
        *("--gen_kwargs", "max_gen_toks=4", "--device", "cpu", "--output_path", tmp_path / "out"),
    )
    assert outcome.status == 0, outcome.err
    assert sorted(file.name[:8] for file in (tmp_path / "out").rglob("*.json*")) == ["results_", "samples_"]


def test_a_second_turn_is_not_shown(run, tmp_path):
    kept = KeptAnswers(Model(), AnswerFile(str(tmp_path / "kept"), 0), live=LiveAnswers(run, 0))
    kept.generate_until([request("a", 0), request("b", 1)])
    before = lines(run)
    assert kept.generate_until([request("a, and then", 0)]) == ["a, and then 3"]
    assert lines(run) == before

"""The answers that are kept of a run: found again once each, whatever the model reports, and read from nobody else."""

from __future__ import annotations

import json
import math
import os

import pytest
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM

from hueval_metrics.errors import InputError
from hueval_metrics.harness.kept_answers import AnswerFile, KeptAnswers, check_private

GREEDY = {"until": [], "max_gen_toks": 8}


class StoppedError(Exception):
    """What ends a model's call midway."""


class Model(LM):
    """Answers with a running number.

    Args:
        at_a_time: how many requests are answered before any is reported.
        report: from a request's settings to those it reports, as vLLM's class makes its own; None reports nothing.
        stop_after: after how many answers it fails.
    """

    def __init__(self, at_a_time=1, report=dict, stop_after=math.inf):
        super().__init__()
        self.at_a_time, self.report, self.stop_after = at_a_time, report, stop_after
        self.asked = []

    def generate_until(self, requests):
        answers = []
        for start in range(0, len(requests), self.at_a_time):
            batch = requests[start : start + self.at_a_time]
            if len(self.asked) + len(batch) > self.stop_after:
                raise StoppedError
            for request in batch:
                prompt, settings = request.args
                self.asked.append(prompt)
                answers.append(f"{prompt} {len(self.asked)}")
                if self.report is not None:
                    self.cache_hook.add_partial("generate_until", (prompt, self.report(settings)), answers[-1])
        return answers

    def loglikelihood(self, requests):
        self.asked.extend(request.args for request in requests)
        return [(-math.inf if request.args[1] == "never" else -1.5, True) for request in requests]

    def loglikelihood_rolling(self, requests):
        self.asked.extend(request.args for request in requests)
        return [-2.5 for _ in requests]


def requests(*prompts, method="generate_until", **settings):
    return [
        Instance(
            request_type=method,
            doc={},
            arguments=(prompt, {**GREEDY, **settings}) if method == "generate_until" else prompt,
            idx=0,
        )
        for prompt in prompts
    ]


def ask(model, folder, wanted, *, method="generate_until", at_once=0, rank=0):
    """What the model answers with its answers kept in a folder."""
    return getattr(KeptAnswers(model, AnswerFile(str(folder / "run"), rank), at_once), method)(wanted)


def as_vllm(settings):
    """lm-eval's vLLM class reports the settings it made for vLLM, not those of the request."""
    return {"skip_special_tokens": False, "until": [*settings["until"], "</s>"], "max_gen_toks": 7}


@pytest.mark.parametrize("report", [dict, as_vllm, None], ids=["own settings", "as vLLM", "no report"])
def test_nothing_is_asked_twice(tmp_path, report):
    first, again = Model(report=report), Model(report=report)
    answers = ask(first, tmp_path, requests("a", "b", "c"))
    assert ask(again, tmp_path, requests("c", "a", "b", "d")) == [answers[2], answers[0], answers[1], "d 1"]
    assert again.asked == ["d"]
    assert len((tmp_path / "run_rank0.jsonl").read_text().splitlines()) == 4  # each once, reported or not


@pytest.mark.parametrize(
    ("model", "at_once", "kept"),
    [
        ({"report": dict}, 0, 5),
        ({"report": as_vllm}, 0, 5),
        ({"report": as_vllm, "at_a_time": 2}, 0, 4),
        ({"report": as_vllm, "at_a_time": 100}, 3, 3),
        ({"report": None}, 2, 4),
        ({"report": None}, 0, 0),
    ],
    ids=["each", "each, as vLLM", "by batch", "auto batch, in parts", "no report, in parts", "no report, all at once"],
)
def test_what_was_answered_before_a_stop_is_kept(tmp_path, model, at_once, kept):
    wanted = requests(*"abcdefg")
    with pytest.raises(StoppedError):
        ask(Model(**model, stop_after=5), tmp_path, wanted, at_once=at_once)
    again = Model(**model)
    answers = ask(again, tmp_path, wanted, at_once=at_once)
    assert again.asked == list("abcdefg")[kept:]
    assert [answer[0] for answer in answers] == list("abcdefg")


def test_one_prompt_with_two_settings_is_two_requests(tmp_path):
    wanted = requests("a") + requests("a", max_gen_toks=9)
    answers = ask(Model(report=as_vllm), tmp_path, wanted)
    assert answers == ["a 1", "a 2"]
    again = Model()
    assert ask(again, tmp_path, wanted[::-1]) == ["a 2", "a 1"]
    assert again.asked == []


def test_samples_of_one_request_stay_different(tmp_path):
    """lm-eval's `repeats`: one request several times, drawn by chance."""
    wanted = requests("a", "a", "a", do_sample=True)
    with pytest.raises(StoppedError):
        ask(Model(stop_after=2), tmp_path, wanted)
    assert ask(Model(), tmp_path, wanted) == ["a 1", "a 2", "a 1"]
    assert ask(Model(), tmp_path, wanted) == ["a 1", "a 2", "a 1"]


def test_log_likelihoods_come_back_as_they_were(tmp_path):
    pairs = requests(("a", "b"), ("a", "never"), method="loglikelihood")
    texts = requests(("a",), method="loglikelihood_rolling")
    again = Model()
    for model in (Model(), again):
        assert ask(model, tmp_path, pairs, method="loglikelihood") == [(-1.5, True), (-math.inf, True)]
        assert ask(model, tmp_path, texts, method="loglikelihood_rolling") == [-2.5]
    assert again.asked == []


def test_text_that_is_no_unicode_survives(tmp_path):
    odd = "\ud83d\u2028\x85\n ő"
    ask(Model(), tmp_path, requests(odd))
    assert ask(Model(), tmp_path, requests(odd)) == [f"{odd} 1"]


def test_a_line_broken_by_a_kill_costs_one_answer(tmp_path):
    ask(Model(), tmp_path, requests("a", "b"))
    file = tmp_path / "run_rank0.jsonl"
    file.write_bytes(file.read_bytes()[:-9])
    again, third = Model(), Model()
    assert ask(again, tmp_path, requests("a", "b")) == ["a 1", "b 1"]
    assert again.asked == ["b"]
    assert ask(third, tmp_path, requests("a", "b")) == ["a 1", "b 1"]
    assert third.asked == []


@pytest.mark.parametrize("line", ["", "null", "[]", '{"key": 1}', '{"answer": "x"}', "[" * 50_000, "\x00"])
def test_a_damaged_line_is_passed_over(tmp_path, line):
    (tmp_path / "run_rank0.jsonl").write_text(f"{line}\n", encoding="utf-8")
    (tmp_path / "run_rank0.jsonl").chmod(0o600)
    assert ask(Model(), tmp_path, requests("a")) == ["a 1"]


def test_all_ranks_are_read_and_each_writes_its_own(tmp_path):
    ask(Model(), tmp_path, requests("a"), rank=0)
    ask(Model(), tmp_path, requests("b"), rank=1)
    again = Model()
    ask(again, tmp_path, requests("a", "b", "c"), rank=0)
    assert again.asked == ["c"]
    kept = {file.name: len(file.read_text().splitlines()) for file in tmp_path.iterdir()}
    assert kept == {"run_rank0.jsonl": 2, "run_rank1.jsonl": 1}


def test_runs_with_names_alike_are_kept_apart(tmp_path):
    ask(Model(), tmp_path, requests("a"))
    AnswerFile(str(tmp_path / "run_rank0.jsonl_rank0"), 0).add("key", "x")
    assert AnswerFile(str(tmp_path / "run"), 0).n_kept == 1


ONE, OTHER = "0123456789ab", "fedcba987654"  # digests, of settings or of tasks


def of(settings, tasks, model, folder, *prompts):
    """What a model answers in a run of some tasks with some settings."""
    file = AnswerFile(str(folder / f"model-{settings}-{tasks}"), 0)
    return KeptAnswers(model, file).generate_until(requests(*prompts))


def test_a_run_of_other_tasks_takes_what_it_can_use_and_writes_only_its_own(tmp_path):
    of(ONE, ONE, Model(), tmp_path, "a", "b", "b")
    other = Model()
    assert of(ONE, OTHER, other, tmp_path, "c", "b", "b", "b") == ["c 1", "b 2", "b 3", "b 2"]
    assert other.asked == ["c", "b"]
    rows = {file.name: len(file.read_text().splitlines()) for file in tmp_path.iterdir()}
    assert rows == {f"model-{ONE}-{ONE}_rank0.jsonl": 3, f"model-{ONE}-{OTHER}_rank0.jsonl": 2}
    assert of(OTHER, ONE, Model(), tmp_path, "a") == ["a 1"]


def test_a_run_that_forgets_leaves_the_answers_of_others(tmp_path):
    of(ONE, ONE, Model(), tmp_path, "a")
    own = AnswerFile(str(tmp_path / f"model-{ONE}-{OTHER}"), 0)
    own.add("key", "x")
    own.forget()
    assert [file.name for file in tmp_path.iterdir()] == [f"model-{ONE}-{ONE}_rank0.jsonl"]


def test_answers_of_another_run_that_others_can_write_to_are_not_read(tmp_path):
    of(ONE, ONE, Model(), tmp_path, "a")
    (tmp_path / f"model-{ONE}-{ONE}_rank0.jsonl").chmod(0o602)
    other = Model()
    of(ONE, OTHER, other, tmp_path, "a")
    assert other.asked == ["a"]


def test_an_answer_that_cannot_be_written_does_not_stop_the_run(tmp_path, caplog):
    file = AnswerFile(str(tmp_path / "run"), 0)
    file.add("a", object())
    file.add("b", "text")
    assert file.n_kept == 0
    (message,) = caplog.messages
    assert "answers are no longer kept" in message


def test_is_a_model_in_all_else(tmp_path):
    model = Model()
    kept = KeptAnswers(model, AnswerFile(str(tmp_path / "run"), 0))
    assert (kept.rank, kept.world_size, kept.asked) == (0, 1, model.asked)
    assert not hasattr(kept, "get_model_info")


def test_files_are_for_their_owner_alone(tmp_path):
    ask(Model(), tmp_path, requests("a"))
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert set(json.loads(file.read_text())) == {"key", "answer"}


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_can_write_to_is_refused(tmp_path, mode):
    ask(Model(), tmp_path, requests("a"))
    (tmp_path / "run_rank0.jsonl").chmod(mode)
    with pytest.raises(InputError, match="others can write to it, so no answers are read"):
        AnswerFile(str(tmp_path / "run"), 0)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_refused(tmp_path):
    ask(Model(), tmp_path, requests("a"))
    os.chown(tmp_path / "run_rank0.jsonl", 12345, -1)
    with pytest.raises(InputError, match="belongs to another user"):
        AnswerFile(str(tmp_path / "run"), 0)


@pytest.mark.parametrize("what", ["link", "folder", "pipe"])
def test_what_is_no_plain_file_is_refused(tmp_path, what):
    place = tmp_path / "run_rank1.jsonl"
    if what == "link":
        (tmp_path / "elsewhere").write_text('{"key": "k", "answer": "a"}\n')
        place.symlink_to(tmp_path / "elsewhere")
    elif what == "folder":
        place.mkdir()
    else:
        os.mkfifo(place)
    with pytest.raises(InputError, match="a link or something else is where hueval keeps answers"):
        AnswerFile(str(tmp_path / "run"), 0)


def test_a_private_file_is_taken(tmp_path):
    (tmp_path / "file").touch(mode=0o600)
    check_private(tmp_path / "file")

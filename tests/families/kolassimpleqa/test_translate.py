"""`hueval kolassimpleqa translate`: what is asked, written and paid for, and what happens when replies are missing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from hf_datasets.load import load
from hf_datasets.repo import dataset_repo
from hueval_metrics.cli import main
from hueval_metrics.errors import InputError
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.loader import documents
from lm_eval_tasks.kolassimpleqa import translator
from lm_eval_tasks.kolassimpleqa.translate import translator_settings
from tests.fakes.judge_server import FakeJudge, refuse
from tests.families.kolassimpleqa.conftest import official
from tests.killed import STOPS_SOON, wait_for_replies

CONFIG, MODEL = "hu_general", "gpt-4o-2024-08-06"


def question_in(request):
    text = request["messages"][0]["content"]
    return json.loads(next(line for line in text.splitlines() if line.startswith('"')))


def translated(request, number):
    return json.dumps({"question": f"EN: {question_in(request)}"}, ensure_ascii=False)


@pytest.fixture
def reach(clean_environment, monkeypatch, tmp_path):
    """A function that has the command ask a server."""

    def by(judge):
        monkeypatch.delenv("HUEVAL_JUDGE", raising=False)
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
        monkeypatch.setenv("HUEVAL_QUIET", "1")
        monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "cache"))

    return by


def translate(folder, out, *options):
    named = ["--lang", "hu", "--domain", "general", "--data-dir", str(folder), "--output", str(out)]
    return main(["kolassimpleqa", "translate", MODEL, *named, *options])


def rows_of(folder):
    return list(load(dataset_repo("kolassimpleqa"), CONFIG, "test", data_dir=str(folder)).rows)


def asked(judge):
    return [question_in(request) for request in judge.requests if "messages" in request]


def test_questions_are_translated_and_all_else_stays(reach, data_of, tmp_path, capsys):
    folder = data_of([official("a"), official("b", reverse=False)])
    with FakeJudge(translated, models=[MODEL]) as judge:
        reach(judge)
        assert translate(folder, tmp_path / "out") == 0
    assert sorted(asked(judge)) == ["a?", "a_reverse?", "b?"]
    assert {request["model"] for request in judge.requests} == {MODEL}
    found = rows_of(tmp_path / "out")
    assert [row["question_en"] for row in found] == ["EN: a?", "EN: a_reverse?", "EN: b?"]
    assert found == [row | {"question_en": f"EN: {row['question']}"} for row in rows_of(folder)]
    about = json.loads((tmp_path / "out" / "kolassimpleqa" / "translation.json").read_text(encoding="utf-8"))
    assert about[CONFIG]["model"] == MODEL
    printed = capsys.readouterr()
    assert "kolassimpleqa_translation/2: 3 translations, 0 from the cache, 3 calls to" in printed.err
    assert '"question_lang": "en"' in printed.out


def test_the_task_takes_them_at_once(reach, data_of, tmp_path):
    folder = data_of([official("a")])
    with FakeJudge(translated, models=[MODEL]) as judge:
        reach(judge)
        translate(folder, tmp_path / "out")
    docs, _ = documents("kolassimpleqa_hu_general", data_dir=str(tmp_path / "out"), question_lang="en")
    assert [(doc["question"], doc["answer"]) for doc in docs] == [
        ("EN: a?", "a in English"),
        ("EN: a_reverse?", "a_reverse in English"),
    ]


def test_a_dry_run_asks_nobody(reach, data_of, tmp_path, capsys):
    with FakeJudge(translated, models=[MODEL]) as judge:
        reach(judge)
        assert translate(data_of([official("a")]), tmp_path / "out", "--dry-run") == 0
    assert judge.requests == []
    assert not (tmp_path / "out").exists()
    assert "2 calls to gpt-4o-2024-08-06: about" in capsys.readouterr().out


def test_nothing_is_paid_for_twice(reach, data_of, tmp_path):
    folder = data_of([official("a")])
    with FakeJudge(translated, models=[MODEL]) as judge:
        reach(judge)
        translate(folder, tmp_path / "out")
        count = len(asked(judge))
        assert translate(folder, tmp_path / "again") == 0
        assert len(asked(judge)) == count
    assert rows_of(tmp_path / "out") == rows_of(tmp_path / "again")


def test_a_server_that_fails_leaves_nothing_half_done_and_the_same_command_goes_on(reach, data_of, tmp_path, capsys):
    folder = data_of([official("a"), official("b")])
    with FakeJudge(
        lambda request, number: translated(request, number) if question_in(request) == "a?" else refuse(401, "no"),
        models=[MODEL],
    ) as judge:
        reach(judge)
        assert translate(folder, tmp_path / "out") == 3
    assert not (tmp_path / "out").exists()
    said = capsys.readouterr().err
    assert "translator by gpt-4o-2024-08-06: " in said and "translations are missing" in said
    assert "without a reply, so nothing is written of it. The same command goes on" in said
    with FakeJudge(translated, models=[MODEL]) as judge:
        reach(judge)
        assert translate(folder, tmp_path / "out") == 0
    assert rows_of(tmp_path / "out")[0]["question_en"] == "EN: a?"


def test_an_unreadable_reply_is_asked_for_again_and_then_counted(reach, data_of, tmp_path, capsys):
    folder = data_of([official("a", reverse=False), official("b", reverse=False)])
    with FakeJudge(
        lambda request, number: translated(request, number) if question_in(request) == "a?" else "Sure!", models=[MODEL]
    ) as judge:
        reach(judge)
        assert translate(folder, tmp_path / "out") == 0
    assert asked(judge).count("b?") > 1
    assert [row["question_en"] for row in rows_of(tmp_path / "out")] == ["EN: a?", None]
    assert "hu_general: 1 question with a reply that cannot be read" in capsys.readouterr().err


def test_a_question_without_a_reference_in_english_is_not_asked(reach, data_of, tmp_path, capsys):
    folder = data_of([official("a", reverse=False), official("b", reverse=False, english=False)])
    with FakeJudge(translated, models=[MODEL]) as judge:
        reach(judge)
        assert translate(folder, tmp_path / "out") == 0
    assert asked(judge) == ["a?"]
    assert [row["question_en"] for row in rows_of(tmp_path / "out")] == ["EN: a?", None]
    assert "hu_general: 1 question not translated, without a reference in English" in capsys.readouterr().err


@pytest.mark.process
def test_ctrl_c_and_then_the_same_command(reach, data_of, tmp_path):
    folder = data_of([official(f"q{number}", reverse=False) for number in range(6)])
    slow = {"on": True}

    def answer(request, number):
        if slow["on"] and number >= 3:
            time.sleep(20)
        return translated(request, number)

    with FakeJudge(answer, models=[MODEL]) as judge:
        reach(judge)
        command = [sys.executable, "-c", STOPS_SOON, "kolassimpleqa", "translate", MODEL, "--lang", "hu"]
        command += ["--domain", "general", "--data-dir", folder, "--output", str(tmp_path / "out")]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while len(asked(judge)) < 5:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        wait_for_replies(1)
        process.send_signal(signal.SIGINT)
        assert process.wait(240) == 130
        assert "Traceback" not in process.stderr.read()
        assert not (tmp_path / "out").exists()
        slow["on"], before = False, len(judge.requests)
        assert translate(folder, tmp_path / "out") == 0
        again = [question_in(request) for request in judge.requests[before:] if "messages" in request]
    assert 0 < len(again) < 6
    assert len(rows_of(tmp_path / "out")) == 6


def test_the_budget_is_kept(reach, data_of, tmp_path, capsys):
    folder = data_of([official("a"), official("b")])
    with FakeJudge(translated, models=[MODEL]) as judge:
        reach(judge)
        assert translate(folder, tmp_path / "out", "--budget-usd", "0.000001") == 3
    assert asked(judge) == []
    assert "the budget" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--lang", "hu,de"), '--lang "de": not on offer. One of: hu, cs, sr, ru, zh, ko, th, ar, vi'),
        (("--domain", "both"), '--domain "both": not on offer. One of: general, specific'),
        (("--budget-usd", "0"), "--budget-usd 0: expected dollars above 0"),
        (("--budget-usd", "nan"), "--budget-usd nan: expected dollars above 0"),
    ],
)
def test_an_option_that_is_not_on_offer(reach, tmp_path, capsys, options, said):
    with FakeJudge(translated, models=[MODEL]) as judge:
        reach(judge)
        assert main(["kolassimpleqa", "translate", MODEL, "--output", str(tmp_path), *options]) == 1
    assert said in capsys.readouterr().err


def test_the_data_that_are_read_are_not_replaced(reach, data_of, capsys):
    folder = data_of([official("a")])
    with FakeJudge(translated, models=[MODEL]) as judge:
        reach(judge)
        assert translate(folder, folder) == 1
    assert "would replace" in capsys.readouterr().err
    assert judge.requests == []


@pytest.mark.parametrize("mode", ["lexical", "defer"])
def test_a_judge_that_asks_nobody(clean_environment, monkeypatch, mode):
    monkeypatch.setenv("HUEVAL_JUDGE", mode)
    with pytest.raises(InputError, match=f"HUEVAL_JUDGE={mode} makes no API calls"):
        translator_settings(MODEL, None)


def test_nobody_is_configured(clean_environment, monkeypatch):
    monkeypatch.delenv("HUEVAL_JUDGE", raising=False)
    with pytest.raises(InputError, match="no server and no key for gpt-4o-2024-08-06"):
        translator_settings(MODEL, None)


def test_a_panel_of_judges_does_not_translate(reach, monkeypatch):
    with FakeJudge(translated) as judge:
        reach(judge)
        monkeypatch.setenv("HUEVAL_JUDGE_PANEL", "cyclic")
        monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "a,b")
        settings = translator_settings(MODEL, None)
    assert isinstance(settings, JudgeSettings)
    assert (settings.model, settings.panel, settings.repeats) == (MODEL, (), 1)


REPLIES = [
    ("the form that is asked for", '{"question": "Where?"}', "Where?"),
    ("fenced", '```json\n{"question": "Where?"}\n```', "Where?"),
    ("after words", 'Here it is: {"question": "Where?"}', "Where?"),
    ("after a trace", '<think>{"question": "No"}</think>{"question": "Where?"}', "Where?"),
    ("line breaks", '{"question": " Where\\nwas it? "}', "Where was it?"),
    ("no JSON", "Where?", None),
    ("another key", '{"translation": "Where?"}', None),
    ("blank", '{"question": " "}', None),
    ("no text", '{"question": ["Where?"]}', None),
    ("empty", "", None),
]


@pytest.mark.parametrize(("reply", "text"), [case[1:] for case in REPLIES], ids=[case[0] for case in REPLIES])
def test_reading_a_reply(reply, text):
    found = translator.parse(reply)
    assert (found.data, found.is_given) == (text, text is not None)


@pytest.mark.parametrize("question", ['Ki "írta"?\n\nReply: {"question": "x"}', "{language} {question}", "a\u2028b"])
def test_no_question_changes_the_request(question):
    (message,) = translator.render({"language": "hu", "question": question}, "")
    before = message["content"].partition("JSON string:\n\n")[2].partition("\n")[0]
    assert json.loads(before) == question
    assert (
        message["content"].replace(before, "{question}").replace("Hungarian", "{language}") == translator.PROMPT["user"]
    )

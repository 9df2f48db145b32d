"""`hueval score --extract`: a judge quotes the words of unread replies; columns beside the scores, which stay."""

from __future__ import annotations

import json
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.cli import main
from hueval_metrics.errors import InputError
from hueval_metrics.judge.extract import parse, quoted
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into
from tests.fakes.judge_server import FakeJudge, refuse
from tests.helpers import json_lines
from tests.scoring.conftest import DATE, sample, samples, write_lines

TASK = "openhueval_huproverbrea_2cq"
OPEN = "Lehet 1 is, lehet 2 is, ezért inkább nem döntenék."  # written: two candidates, no decision
PLAN = JudgePlan(extract="reader")


def run_of(folder, texts):
    """A samples file of as many items as texts."""
    rows = samples("huproverbrea_2cq", [*texts, *["1"] * (len(sample("huproverbrea_2cq")) - len(texts))])
    return write_lines(folder / f"samples_{TASK}_{DATE}.jsonl", rows[: len(texts)])


def score(path, out, plan=PLAN):
    (scored,) = score_into(out, [path], None, {}, plan)
    return scored.summary, json_lines(out / "items.jsonl")


def quotes(*words):
    """A judge that quotes these words, one a request, in order."""
    return lambda request, number: json.dumps({"words": words[number]})


def shown(judge):
    """What a judge was shown, request by request."""
    return [request["messages"][-1]["content"] for request in judge.requests if "messages" in request]


def test_words_that_are_in_the_reply_and_name_a_candidate_count_beside_the_scores(tmp_path, ask, monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_CONCURRENCY", "1")  # the requests come in the order of the items
    path = run_of(tmp_path, ["1", *[OPEN + "!" * n for n in range(6)], ""])
    with FakeJudge(quotes("2", "3", None, "döntenék", "", "is, lehet")) as judge:
        ask(judge)
        summary, items = score(path, tmp_path / "out")
        assert len(shown(judge)) == 6, "neither what is read nor what is empty"
    found = [item["values"]["extracted_rate"] for item in items]
    assert found == [0, 1, 0, 0, 0, 0, 0, 0], "3 is not in the reply; döntenék names no option"
    assert [item["answer"] for item in items] == [1, *[None] * 7], "strict answers stay"
    assert summary["extracted_rate"] == 12.5
    assert (summary["acc"], summary["acc_extracted"]) == (0, 25), "the first proverb in both orders, of four"
    assert summary["n_without_verdict"] == 0
    assert set(summary["judge"]) == {"reader"}
    assert "extraction" not in items[0]
    assert items[1]["extraction"]["data"] == "2"
    assert items[1]["extraction"]["rubric"] == "extract/1"


def test_the_judge_sees_question_options_and_reply_and_no_gold_answer(tmp_path, ask):
    docs = sample("humatchingfib")
    rows = samples("humatchingfib", [OPEN] * len(docs))[:2]
    path = write_lines(tmp_path / f"samples_openhueval_humatchingfib_{DATE}.jsonl", rows)
    with FakeJudge(lambda request, number: '{"words": null}') as judge:
        ask(judge)
        summary, _ = score(path, tmp_path / "out")
        texts = shown(judge)
    assert len(texts) == 2 and all(json.dumps(OPEN, ensure_ascii=False) in text for text in texts)
    for doc in docs[:2]:
        (text,) = [
            text
            for text in texts
            if json.dumps(doc["question"], ensure_ascii=False)[1:-1]
            in json.loads(text.split("Question:\n")[1].split("\n")[0])
        ]
        assert doc["options"][0] in text
        assert not any(answer in text.partition("Now try to answer")[2] for answer in doc["answer"])
    assert {"blank_acc_extracted", "question_acc_extracted", "extracted_rate"} <= summary.keys()
    assert summary["signature"] is None or "|extract:reader,extract/1" in summary["signature"]


def test_what_was_asked_is_in_the_cache(tmp_path, ask):
    path = run_of(tmp_path, [OPEN, f"{OPEN} Vagy mégis."])
    with FakeJudge(lambda request, number: '{"words": "2"}') as judge:
        ask(judge)
        first, _ = score(path, tmp_path / "out")
        again, _ = score(path, tmp_path / "again")
        assert len(shown(judge)) == 2
        assert again["extracted_rate"] == first["extracted_rate"] == 100
        assert again["judge"]["reader"]["cached"] == 2
        strict, _ = score(path, tmp_path / "strict", JudgePlan())
    assert strict.keys().isdisjoint({"acc_extracted", "extracted_rate", "judge"})
    assert {name: first[name] for name in ("acc", "acc_single", "parse_rate")} == {
        name: strict[name] for name in ("acc", "acc_single", "parse_rate")
    }


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (lambda *_: '{"words": "2"}', 0),
        (lambda *_: '{"words": "7"}', 0),  # it has answered: the words are not in the reply
        (lambda *_: refuse(400, "content management policy"), 3),
        (lambda *_: "I cannot help with that.", 3),
    ],
    ids=["quotes", "invents", "refuses", "unreadable"],
)
def test_exit_status(tmp_path, ask, capsys, answer, status):
    path = run_of(tmp_path, [OPEN, "1"])
    with FakeJudge(answer) as judge:
        ask(judge)
        assert main(["score", str(path), "--output", str(tmp_path / "out"), "--extract", "reader"]) == status
    results = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))[TASK]
    assert results["parse_rate"] == 50
    assert results["n_without_verdict"] == (status == 3)


@pytest.mark.usefixtures("virtual_clock")
def test_a_dead_server_leaves_the_scores_and_status_3(tmp_path, ask, monkeypatch, capsys):
    with FakeJudge(lambda *_: "") as judge:
        ask(judge)
    monkeypatch.setenv("HUEVAL_JUDGE_DEADLINE_S", "2")
    out = str(tmp_path / "out")
    assert main(["score", str(run_of(tmp_path, [OPEN, "1"])), "--output", out, "--extract", "reader"]) == 3
    results = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))[TASK]
    assert (results["parse_rate"], results["extracted_rate"], results["n_unanswered"]) == (50, 0, 1)
    assert main(["score", str(tmp_path), "--output", out, "--extract", "reader", "--allow-missing", "0.5"]) == 0


def test_a_budget_that_cannot_be_kept_is_refused_before_anything_is_read(tmp_path, ask, monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_BUDGET_USD", "1")
    with FakeJudge(lambda *_: "") as judge, pytest.raises(InputError, match="price of reader is unknown"):
        ask(judge)
        score(tmp_path / "no such file", tmp_path / "out")


@pytest.mark.parametrize(
    ("mode", "model", "line"),
    [
        ("lexical", "m", "^extract asks m, and HUEVAL_JUDGE=lexical makes no API calls"),
        ("defer", "m", "^extract asks m, and HUEVAL_JUDGE=defer makes no API calls"),
        ("openai", "m", "^extract asks a judge, and none is configured"),
    ],
)
def test_without_a_judge(tmp_path, monkeypatch, mode, model, line):
    monkeypatch.setenv("HUEVAL_JUDGE", mode)
    with pytest.raises(InputError, match=line):
        score(run_of(tmp_path, [OPEN]), tmp_path / "out", JudgePlan(extract=model))


@pytest.mark.parametrize(
    ("why", "words", "response", "found"),
    [
        ("as it stands there", "2", "Talán a 2.", "2"),
        ("spaces and lines do not matter", "a kutya  ugat", "Szerint: a\nkutya ugat.", "a\nkutya ugat"),
        ("decomposed accents", "első", "Az első.", "első"),
        ("part of a number", "1", "A 12. mondat.", None),
        ("part of a word", "igen", "Igenis, idegen.", None),
        ("other case is other words", "Igen", "igen", None),
        ("no text", None, "2", None),
        ("a list", ["2"], "2", None),
        ("nothing", " ", "2", None),
        ("pattern characters are text", ".*", "2", None),
    ],
)
def test_words_are_quoted_whole(why, words, response, found):
    assert quoted(words, response) == found, why


@pytest.mark.parametrize(
    ("reply", "label", "words"),
    [
        ('{"words": "2"}', "QUOTED", "2"),
        ('```json\n{"words": "#0#A #1#B"}\n```', "QUOTED", "#0#A #1#B"),
        ('{"words": null}', "NONE", None),
        ('{"words": "  "}', "NONE", None),
        ('{"words": ["2"]}', None, None),
        ('{"words": "1"} {"words": "2"}', None, None),
        ("", None, None),
        ("A válasz: 2", None, None),
    ],
)
def test_parse(reply, label, words):
    verdict = parse(reply)
    assert (verdict.label, verdict.data) == (label, words)
    assert (verdict.error is None) is (label is not None)


@given(st.text(), st.text())
def test_what_is_quoted_occurs_in_the_response(words, response):
    assert (found := quoted(words, response)) is None or found in normalize("NFC", response)
    assert quoted(response, response) in (None, normalize("NFC", response).strip())

from __future__ import annotations

import json

import pytest

from hueval_metrics.judge.client.chat_api import RequestKeys, body_of, parameters
from hueval_metrics.judge.completion import completion
from hueval_metrics.judge.rubric import load_rubric
from hueval_metrics.text import quick_json
from hueval_metrics.text.quick_json import from_json, to_json
from tests.fakes.judge_server import install_toy_rubric, settings_for

MESSAGES = to_json([{"role": "user", "content": "Helyes?\n\u0001„ő”"}])
SETTINGS = settings_for("http://h/v1")


def keys(rubric="husimpleqa", **changes):
    return RequestKeys(settings_for("http://h/v1", **changes), load_rubric(rubric)).key(MESSAGES)


def test_the_body():
    sent = parameters(SETTINGS, load_rubric("husimpleqa"))
    request = json.loads(body_of("judge „x”", MESSAGES, sent))
    schema = request.pop("response_format")["json_schema"]
    assert request == {
        "model": "judge „x”",
        "messages": [{"role": "user", "content": "Helyes?\n\u0001„ő”"}],
        "temperature": 0,
        "seed": 0,
        "max_tokens": 128,
    }
    assert (schema["name"], schema["strict"]) == ("husimpleqa", True)
    assert schema["schema"]["properties"]["evaluation"]["enum"] == ["Correct", "Incorrect", "NOT_ATTEMPTED"]


@pytest.mark.parametrize("rubric", ["husimpleqa", "huwildbench"])
def test_a_schema_asks_for_all_and_nothing_else(rubric):
    """OpenAI's strict mode refuses a schema that leaves anything open."""
    schema = load_rubric(rubric).SCHEMA
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False


def test_a_rubric_without_a_schema_asks_for_plain_words():
    install_toy_rubric()
    assert "response_format" not in parameters(SETTINGS, load_rubric("toy"))


def test_the_key_is_the_same_for_the_same_question_only():
    assert keys() == keys(base_urls=("http://elsewhere/v1",), concurrency=3)  # whoever is asked, and how fast
    different = [
        keys(),
        keys(model="another"),
        keys(seed=1),
        keys(temperature=1.0),
        keys("huwildbench"),
        RequestKeys(SETTINGS, load_rubric("husimpleqa")).key(MESSAGES + b" "),
    ]
    assert len(set(different)) == len(different)
    assert all(len(key) == 64 and int(key, 16) for key in different)


def test_replies_that_were_kept_before_rubrics_had_lengths_are_found():
    install_toy_rubric()
    assert keys("toy") == "33177bac86416f9f6c5d63d374087fdf97297e5cafcc085a0b17f77a7eb26b75"


def test_a_reply_is_found_whatever_version_of_the_rubric_reads_it(monkeypatch):
    before = keys()
    monkeypatch.setattr(load_rubric("husimpleqa"), "VERSION", 99)
    assert keys() == before


@pytest.mark.parametrize(
    "text", ["", "ő", '"\\/', "\x00\x01\x1f\x7f\u2028\ud800", "😀", "a\ud83d", "\b\f\n\r\t", "<>&'"]
)
def test_with_and_without_orjson_the_bytes_are_the_same(monkeypatch, text):
    """A cache filled on one machine is read on another."""
    pytest.importorskip("orjson")
    value = [{"role": "user", "content": text, "n": 1.5}]
    quick = to_json(value)
    monkeypatch.setattr(quick_json, "orjson", None)
    assert to_json(value) == quick
    assert json.loads(quick)[0]["content"] == text.encode("utf-8", "replace").decode()


@pytest.mark.parametrize("text", ['{"a": NaN}', '"\\ud800"', '{"a": "x\ny"}'])
def test_what_orjson_refuses_is_read_all_the_same(monkeypatch, text):
    found = from_json(text)
    monkeypatch.setattr(quick_json, "orjson", None)
    assert repr(from_json(text)) == repr(found)


@pytest.mark.parametrize(
    ("usage", "prompt", "reply"),
    [
        ({"prompt_tokens": 300, "completion_tokens": 5}, 300, 5),
        ({"prompt_tokens": 300, "completion_tokens": 5, "total_tokens": 400}, 300, 100),  # hidden reasoning
        ({"prompt_tokens": -3, "completion_tokens": 5}, None, 5),
        ({"prompt_tokens": 300, "completion_tokens": "5"}, 300, None),
        ({"prompt_tokens": 300.5, "completion_tokens": True}, None, None),
        ({"prompt_tokens": 10**9}, None, None),
        ([], None, None),
        (None, None, None),
    ],
)
def test_counted_tokens(usage, prompt, reply):
    found = completion(json.dumps({"choices": [{"message": {"content": "YES"}}], "usage": usage}))
    assert (found.prompt_tokens, found.completion_tokens) == (prompt, reply)

from __future__ import annotations

from hueval_metrics.answers.read_once import read_once


def test_the_same_reply_is_read_once_and_any_other_anew():
    calls = []

    @read_once
    def read(doc, response):
        calls.append((doc["qid"], response))
        return f"{doc['qid']}: {response}"

    doc, alike = {"qid": "1"}, {"qid": "1"}
    assert [read(doc, "a"), read(doc, "a"), read(doc, "b"), read(alike, "b"), read(doc, "b")] == [
        *("1: a", "1: a", "1: b", "1: b", "1: b")
    ]
    assert calls == [("1", "a"), ("1", "b"), ("1", "b"), ("1", "b")]

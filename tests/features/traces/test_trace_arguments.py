"""What a caller in Python gives `analyse_traces` by mistake: one line says what is wrong."""

from __future__ import annotations

import pytest

import hueval_metrics as hueval

CASES = [
    ("no runs", {"runs": []}, "runs: an empty list"),
    ("runs that are no paths", {"runs": 5}, "runs: of type int, expected str or pathlib.Path"),
    ("no path in the list", {"runs": [None]}, "runs: of type NoneType, expected str or pathlib.Path"),
    ("no output", {"output": 5}, "output: of type int, expected str or pathlib.Path"),
    ("steps that are no names", {"steps": None}, "steps: of type NoneType, expected names of steps"),
    ("a step that is no name", {"steps": ["free", 3]}, 'steps: "3" is none. Choose of free, thoughts, segments'),
    ("a limit in words", {"limit": "5"}, "limit: of type str, expected a number of replies"),
    ("a limit that is a flag", {"limit": True}, "limit: of type bool, expected a number of replies"),
    ("a tokenizer that is no name", {"tokenizer": 5}, "tokenizer: of type int, expected a name or a folder"),
    ("an unknown segmenter", {"segmenter": "r2"}, 'segmenter: "r2" is none. Choose of r1, qwq, numbered'),
]


@pytest.mark.parametrize(("why", "given", "message"), CASES, ids=[case[0] for case in CASES])
def test_arguments(tmp_path, monkeypatch, why, given, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r1.jsonl").touch()
    with pytest.raises(hueval.InputError) as refusal:
        hueval.analyse_traces(**{"runs": "r1.jsonl"} | given)
    assert message in str(refusal.value)

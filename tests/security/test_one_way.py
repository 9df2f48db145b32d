"""Untrusted text is read and written in one way: searched for in every file of the project."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.text.write_json import json_text
from tests.each import each

ROOT = Path(__file__).parents[2]
PACKAGES = ("hueval_metrics", "lm_eval_tasks", "hf_datasets", "leaderboard/hueval_site", "docs")
OTHER_JSON = {  # file → why its JSON needs no escape of surrogates
    "hueval_metrics/text/write_json.py": "the one writer",
    "hueval_metrics/text/quick_json.py": "requests to a judge, whose bytes are keys of its cache",
    "hueval_metrics/judge/templates.py": "prompts, escaped further",
    "hueval_metrics/export/instances.py": "other projects' formats: U+FFFD",
    "hueval_metrics/export/inspect_log.py": "other projects' formats: U+FFFD",
    "hf_datasets/repo.py": "hashed, with surrogates",
    "hf_datasets/checks/scan.py": "hashed, with surrogates",
}


def found(pattern: str) -> set[str]:
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    assert len(files) > 400
    return {str(file.relative_to(ROOT)) for file in files if re.search(pattern, file.read_text(encoding="utf-8"))}


def test_no_other_reader_of_yaml():
    loads = r"yaml\.(\w*load\w*|parse|compose|scan)\(|SafeLoader|load_yaml_config|YAML\("
    assert found(loads) == {"hueval_metrics/text/foreign.py"}


def test_no_other_writer_of_json():
    assert found(r"ensure_ascii=False|dump_json\(|json\.dump\(") == OTHER_JSON.keys()


@each(
    ("value", "text"),
    [
        ("ő", '"ő"'),
        ("\ud800", '"\\ud800"'),
        ("a\udcff\\", '"a\\udcff\\\\"'),  # a backslash of the text is not one of the escape
        ({"\udc00": ["\n"]}, '{"\\udc00": ["\\n"]}'),
    ],
)
def test_a_lone_surrogate_is_escaped(value, text):
    assert json_text(value) == text
    assert json.loads(text) == value


@given(st.recursive(st.none() | st.text(st.characters()), lambda v: st.lists(v) | st.dictionaries(st.text(), v)))
def test_any_text_is_written_and_read_back(value):
    text = json_text(value)
    text.encode()
    assert json.loads(text) == json.loads(json.dumps(value))

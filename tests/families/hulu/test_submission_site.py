"""HuLU's files on the leaderboard: arrays of labels and predictions.jsonl, with every fault in both languages."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hueval_metrics.errors import InputError
from hueval_metrics.loader import documents
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.submission.formats import Target
from lm_eval_tasks.hulu.submission.site import FORMAT
from tests.each import each
from tests.families.hulu.submissions import ids, right, save
from tests.families.hulu.test_submission_check import CASES
from tests.harness.runs import hueval_here

pytestmark = pytest.mark.usefixtures("in_folder")


def target(corpus: str, split: str = "test") -> Target:
    return Target(f"hulu_{corpus}", {"split": split}, Path("data").resolve())


def rows(corpus: str, split: str = "test", **fields: str) -> list[dict]:
    """The right labels as predictions."""
    return [{"qid": row["id"], "prediction": row["label"], **fields} for row in right(corpus, split)]


def jsonl(content: list[dict]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in content)


def summary(path: Path, given: Target) -> dict:
    found = FORMAT.score(path, given, JudgePlan())
    assert found.items == [] and found.values is not None
    return json.loads(json.dumps({name: value for name, value in found.summary.items() if name != "model"}))


def results(*arguments: object) -> dict:
    """What `hueval …` writes of the one task."""
    assert hueval_here(*arguments, "--output", "out").status == 0
    ((_, found),) = json.loads(Path("out/results.json").read_text(encoding="utf-8")).items()
    return {name: value for name, value in found.items() if name != "model"}


@each("corpus", ["hucola", "hucopa", "husst", "hucb"])
def test_labels_score_as_hueval_hulu_score(corpus, tmp_path):
    labels = right(corpus, "validation")
    labels[0]["label"] = labels[1]["label"]
    path = save(tmp_path / f"{corpus}.json", labels)
    expected = results("hulu", "score", path, "--split", "validation")
    found = summary(path, target(corpus, "validation"))
    assert found == {name: expected[name] for name in found} and len(found) > 8
    lines = [{"qid": row["id"], "prediction": row["label"]} for row in labels]
    assert summary(save(tmp_path / "p.jsonl", jsonl(lines)), target(corpus, "validation")) == found


@each("corpus", ["hucola", "husst"])
def test_replies_score_as_those_of_the_generating_task(corpus, tmp_path):
    words = {"hucola": ("Igen.", "Nem, hibás.", "Nem tudom."), "husst": ("pozitív", "A mondat negatív.", "hm")}[corpus]
    given = [{"qid": one, "prediction": words[n % 3]} for n, one in enumerate(ids(corpus, "validation"))]
    path = save(tmp_path / "p.jsonl", jsonl(given))
    plain = save(tmp_path / "q.jsonl", jsonl([{**row, "split": "validation"} for row in given]))
    expected = results("score", plain, "--task", f"hulugen_{corpus}", "--metadata", '{"split": "validation"}')
    found = summary(path, target(corpus, "validation"))
    assert found == {name: expected[name] for name in found} and len(found) > 8
    assert found["parse_rate"] == pytest.approx(200 / 3)
    assert FORMAT.check(path, target(corpus, "validation")).n_faults == 0


def test_the_task_of_its_rows_tells_what_a_file_has(tmp_path):
    """The reply "1" names no label of HuCOLA's prompts, and is one among labels."""
    given = {name: rows("hucola", "validation", task=f"{name}_hucola") for name in ("hulu", "hulugen")}
    found = {
        name: summary(save(tmp_path / f"{name}.jsonl", jsonl(some)), target("hucola", "validation"))
        for name, some in given.items()
    }
    assert (found["hulu"]["mcc"], found["hulugen"]["parse_rate"]) == (100, 0)


def test_a_misspelt_label_among_labels_is_a_fault(tmp_path):
    given = rows("husst")
    given[1]["prediction"] = "Neutral"
    checked = FORMAT.check(save(tmp_path / "p.jsonl", jsonl(given)), target("husst"))
    assert [fault.text["en"] for fault in checked.faults] == [
        'row 2 (id "1"): label "Neutral": expected "neutral". Write it so'
    ]
    with pytest.raises(InputError, match="expected"):
        FORMAT.score(tmp_path / "p.jsonl", target("husst"), JudgePlan())


def test_hidden_labels_are_not_scored(tmp_path):
    path = save(tmp_path / "HuCOLA.json", right("hucola"))
    with pytest.raises(InputError, match="has no labels of hulu_hucola"):
        FORMAT.score(path, target("hucola"), JudgePlan())


ON_SITE = {
    "has the ids of HuSST's test rows, expected those of HuCOLA's test rows. Name it HuSST.json, or give "
    "--corpus husst": "has the ids of HuSST's test rows, expected those of HuCOLA's test rows. Submit it for HuSST",
}


@each(("name", "content", "faults"), [case[1:] for case in CASES[:-2]], ids=[case[0] for case in CASES[:-2]])
def test_a_fault_has_its_line_in_both_languages(name, content, faults, tmp_path):
    """Those of the command, but for its options; in Hungarian with the same values."""
    found = FORMAT.check(save(tmp_path / name, content), target(name.removesuffix(".json").lower())).faults
    assert sorted(fault.text["en"] for fault in found) == sorted(ON_SITE.get(line, line) for line in faults)
    for fault in found:
        assert fault.text["hu"] != fault.text["en"] and fault.text["hu"].isprintable()
        assert "--corpus" not in fault.text["en"] + fault.text["hu"]
        place = re.match(r"row (\d+)", fault.text["en"])
        assert fault.row == (int(place[1]) if place else None)
        assert set(re.findall(r'"\w*\d\w*"', fault.text["en"])) == set(re.findall(r'"\w*\d\w*"', fault.text["hu"]))


def test_faults_come_by_row_and_what_is_missing_last(tmp_path):
    given = right("hucola")
    given[0]["label"], given[2]["id"], given[4]["label"] = "x", "99", 1
    found = FORMAT.check(save(tmp_path / "a.json", given), target("hucola")).faults
    assert [fault.row for fault in found] == [1, 3, 5, None]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"[" * 10_000 + b"]" * 10_000, id="10,000 deep"),
        pytest.param(b'{"qid": "0", "prediction": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", id="a line 10,000 deep"),
        pytest.param(b'[{"id": ' + b"1" * 10**6 + b"}]", id="a number of 1,000,000 digits"),
        pytest.param(b'{"qid": ' + b"1" * 10**6 + b', "prediction": ""}', id="a line with such a number"),
        pytest.param(b'[{"id": "0", "label": NaN}, {"id": Infinity, "label": "1"}]', id="NaN and Infinity"),
        pytest.param(b'[{"id": "\\ud800", "label": "\\udfff"}]', id="half surrogate pairs"),
        pytest.param(b"[" + b",".join([b"{}"] * 10**6) + b"]", id="1,000,000 faults"),
        pytest.param(b'{"qid": 1}\n' * 10**6, id="1,000,000 lines with faults"),
        pytest.param(b"[" + b" " * 2**25 + b"]", id="32 MiB"),
        pytest.param(b"[{" + b",".join(b'"k%d": 1' % n for n in range(60_000)) + b"}]", id="60,000 keys"),
        pytest.param(bytes(range(256)) * 4096, id="binary"),
        pytest.param(b"", id="empty"),
        pytest.param('[{"id": "a\u202e\u2066b", "label": "\u202e1"}]'.encode(), id="bidi marks"),
    ],
)
def test_a_hostile_file_costs_little_and_has_readable_lines(content, tmp_path):
    documents("hulugen_hucola", **target("hucola").settings)  # imports what scoring needs
    path = save(tmp_path / "a.json", content)
    started = time.process_time()
    checked = FORMAT.check(path, target("hucola"))
    assert time.process_time() - started < 2  # a fifth of it
    assert 0 < len(checked.faults) <= min(1000, checked.n_faults)
    for fault in checked.faults:
        assert all(text.isprintable() and len(text) < 500 for text in (*fault.text.values(), *fault.kind.values()))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.text()
    | st.sampled_from(["0", "1", "2", "id", "label"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "label", "Label", "qid", "prediction", "task"]) | st.text(), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=60)
    | JSON.map(lambda value: json.dumps(value).encode())
    | st.lists(JSON).map(lambda values: b"\n".join(json.dumps(value).encode() for value in values))
)
def test_no_file_whatever_is_an_exception(content):
    path = Path("any.json")
    path.write_bytes(content)
    checked = FORMAT.check(path, target("hucola"))
    assert checked.n_faults
    for fault in checked.faults:
        assert all(text.isprintable() for text in fault.text.values())


def test_help_and_example_are_of_the_task():
    help_texts = FORMAT.help
    assert set(help_texts) == {"en", "hu"} and all("hulugen_*" in text for text in help_texts.values())
    assert FORMAT.example(target("husst")).startswith('[\n  {"id": "0", "label": "negative"},\n  {"id": "1"')
    assert [FORMAT.task_of(name) for name in ("x/HuCOLA.json", "hulu_hurte/p.jsonl", "p.jsonl")] == [
        "hulu_hucola",
        "hulu_hurte",
        None,
    ]

"""Hostile files on the way through store, check and database: they end as faults that can be read, and cost little."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from django.core.files.base import ContentFile

from hueval_site.boards import boards
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.receive import check, faults_text, store
from leaderboard.tests.labelled import N, predictions
from leaderboard.tests.people import CARD

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = predictions("hucola", 0.8)


def changed(**values: object) -> bytes:
    return json.dumps([{**GOOD[0], **values}, *GOOD[1:]]).encode()


@pytest.mark.parametrize(
    ("content", "line"),
    [
        pytest.param(b"[" * 10_000 + b"]" * 10_000, "is not JSON (nested more than 100 deep).", id="10,000 deep"),
        pytest.param(b'[{"id": ' + b"1" * 10**6 + b"}]", "is not JSON (Exceeds the limit", id="a number of 10⁶ digits"),
        pytest.param(changed(label=float("nan")), 'row 1 (id "0"): label NaN: HuCOLA has', id="NaN"),
        pytest.param(changed(label="\ud800"), 'row 1 (id "0"): label "\\ud800": HuCOLA has', id="half surrogate pair"),
        pytest.param(
            changed(label="\0\u202e1"), 'row 1 (id "0"): label "\\u00001": HuCOLA has', id="NUL and bidi mark"
        ),
        pytest.param(
            changed(**{"\0\u202ekey": 1}), 'row 1 (id "0"): has "key" beside id and label.', id="a key of them"
        ),
        pytest.param(b"\xef\xbb\xbf" + json.dumps(GOOD).encode(), "begins with a byte order mark", id="BOM"),
        pytest.param(json.dumps(GOOD).encode("utf-16"), "is UTF-16 text, expected JSON in UTF-8.", id="UTF-16"),
        pytest.param(b"[" + b",".join([b"{}"] * 10**6) + b"]", "has more than 200,000 values", id="10⁶ faults"),
        pytest.param(b"", "is not JSON (line 1 column 1", id="empty"),
        pytest.param(bytes(range(256)) * 100, "is not UTF-8 text (byte 128).", id="binary"),
        pytest.param(b"PK\x03\x04", "is a zip archive, expected JSON in UTF-8.", id="an archive"),
        pytest.param(b'{"qid": "0", "prediction": "\0"}\n', "row 1: is not JSON", id="NUL in a line"),
        pytest.param(
            b'{"qid": "\\u0000\\ud800", "prediction": ""}\n', 'row 1 (qid "\\ud800"): is no item', id="a line"
        ),
    ],
)
def test_a_hostile_file_ends_as_faults(user, content, line):
    submission = check(store(user, boards()["hulu_hucola"], ContentFile(content, name="HuCOLA.json"), CARD))
    found = Submission.objects.get(pk=submission.pk)
    assert found.state == State.FAULTY and found.n_faults >= len(found.faults) > 0
    assert found.faults[0]["text"]["en"].startswith(line)
    for language in ("en", "hu"):
        assert all(text.removesuffix("\n").isprintable() for text in faults_text(found, language))


MEASURED = """
import json, resource, sys
from pathlib import Path
from hueval_metrics.submission.formats import Target
from hueval_metrics.submission.predictions import FORMAT
target = Target("hulugen_hucola", {"split": "test"}, Path(sys.argv[1]))
FORMAT.check(Path(sys.argv[2]), target)  # imports and data are there before
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
checked = FORMAT.check(Path(sys.argv[3]), target)
print(json.dumps([resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, len(checked.answers), checked.n_faults]))
"""


@pytest.mark.process
def test_the_check_of_100_megabytes_takes_little_memory(site_dir):
    """Replies of half a megabyte each; the largest share of the memory is one row of them."""
    rows = [{"qid": str(number), "prediction": "ő" * 2**18} for number in range(N)]
    small, large = site_dir / "small.jsonl", site_dir / "large.jsonl"
    small.write_text(json.dumps({"qid": "0", "prediction": "a"}), encoding="utf-8")
    large.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    assert large.stat().st_size > 100 * 2**20
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, site_dir / "data", small, large], capture_output=True, text=True, check=True
    )
    grown, n, n_faults = json.loads(done.stdout)
    assert (n, n_faults) == (N, 0)
    assert grown / 1024 < 40  # MiB; 120 are allowed

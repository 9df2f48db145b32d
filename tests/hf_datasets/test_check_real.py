"""What a check finds by itself in the published files, literally; each was known to somebody before."""

from __future__ import annotations

import pytest

from hf_datasets.check import check
from hf_datasets.checks.findings import Report
from hf_datasets.opened import open_data
from tests.helpers import shared


@pytest.fixture(scope="module")
def hulu() -> Report:
    return check(open_data(str(shared("data")), "hulu"))


@pytest.fixture(scope="module")
def openhueval() -> Report:
    return check(open_data(str(shared("data")), "openhueval"))


def found(report: Report, what: str, config: str = "", split: str = "") -> tuple[int, tuple[str, ...]]:
    """Count and examples of the finding whose words begin so; it must be the only one."""
    (finding,) = (f for f in report.findings if f.what.startswith(what) and (f.config, f.split) == (config, split))
    return finding.count, finding.examples


def test_the_published_files_have_no_error(hulu, openhueval):
    assert (hulu.is_sound, openhueval.is_sound) == (True, True)
    assert sum(sum(splits.values()) for splits in hulu.rows.values()) == 27_609
    assert openhueval.rows == {
        "humatchingfib": {"test": 278},
        "hustandardfib": {"test": 93},
        "huproverbrea": {"test": 1135},
    }
    assert found(hulu, "missing configs") == (1, ("hurc",))
    assert found(openhueval, "missing configs") == (2, ("husimpleqa", "huwildbench"))


@pytest.mark.parametrize(
    ("split", "what", "count"),
    [
        ("train", "duplicate rows", 60),
        ("validation", "train/validation overlap (leakage)", 11),
        ("test", "train/test overlap (leakage)", 16),
        ("test", "validation/test overlap (leakage)", 2),
    ],
)
def test_hucola_repeats_sentences(hulu, split, what, count):
    assert found(hulu, what, "hucola", split)[0] == count


def test_husst_is_skewed(hulu):
    count, examples = found(hulu, "label distribution differs between splits by over 10 points", "husst")
    assert count == 2
    assert examples[1] == "positive: train 39.9 %, validation 2.8 %"
    assert found(hulu, 'rows with a "label"', "husst", "validation")[1] == (
        "negative: 697 (59.8 %)",
        "neutral: 435 (37.3 %)",
        "positive: 33 (2.8 %)",
    )


@pytest.mark.parametrize(
    ("split", "count", "first", "printed"),
    [("train", 19, "3576", "9,347"), ("validation", 3, "495", "1,168"), ("test", 3, "622", "1,168")],
)
def test_husst_leaves_ids_out(hulu, split, count, first, printed):
    missing, examples = found(hulu, "missing numbers (gaps in the ids)", "husst", split)
    assert (missing, examples[0]) == (count, first)
    found(hulu, f"rows; the paper prints {printed}", "husst", split)  # as many more as ids are left out


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_hucb_begins_with_a_byte_order_mark(hulu, split):
    assert found(hulu, "byte order mark (BOM) at the start of the file", f"hucb/hucb_{split}.json")[0] == 1


def test_huwnli_has_a_stray_column(hulu):
    stray = ('"Column6", first in row 481',)
    assert found(hulu, "column in only 1 of 562 rows", "huwnli/train.json") == (1, stray)


def test_huproverbrea_has_two_equal_options(openhueval):
    count, examples = found(openhueval, 'duplicate entries in "options"', "huproverbrea", "test")
    assert count == 1
    assert examples[0].startswith("8ee71ddd-")


@pytest.mark.parametrize(
    ("config", "what", "count"),
    [
        ("humatchingfib", "no blank is marked in the question", 2),
        ("humatchingfib", "duplicate option letters", 1),
        ("humatchingfib", "option without a letter", 2),
        ("humatchingfib", 'no blank is marked in "question_en"', 2),
        ("humatchingfib", "duplicate rows", 16),
        ("hustandardfib", "blank numbers differ between gold and the question", 1),
        ("hustandardfib", "gold answer given away by the question or the instruction", 13),
        ("huproverbrea", '"source_info.en_expl": U+0085', 1),
        ("huproverbrea", '"source_info.proverb": õ or û', 113),
    ],
)
def test_openhueval(openhueval, config, what, count):
    assert found(openhueval, what, config, "test")[0] == count

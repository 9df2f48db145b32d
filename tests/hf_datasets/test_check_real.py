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


@pytest.mark.slow
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


def test_what_the_card_of_hulu_lists(hulu):
    duplicates, gaps = "duplicate rows", "missing numbers (gaps in the ids)"
    told = {(f.config, f.split, f.what): f.count for f in hulu.findings}
    assert {kind: n for kind, n in told.items() if kind[2] in (duplicates, gaps) or kind[2].endswith("(leakage)")} == {
        ("hucola", "train", duplicates): 60,
        ("hucola", "train", gaps): 2,
        ("hucola", "validation", duplicates): 1,
        ("hucola", "validation", "train/validation overlap (leakage)"): 11,
        ("hucola", "test", duplicates): 1,
        ("hucola", "test", "train/test overlap (leakage)"): 16,
        ("hucola", "test", "validation/test overlap (leakage)"): 2,
        ("hurte", "test", duplicates): 1,
        ("husst", "train", duplicates): 2,
        ("husst", "train", gaps): 19,
        ("husst", "validation", duplicates): 1,
        ("husst", "validation", gaps): 3,
        ("husst", "validation", "train/validation overlap (leakage)"): 1,
        ("husst", "test", duplicates): 2,
        ("husst", "test", gaps): 3,
        ("husst", "test", "train/test overlap (leakage)"): 4,
        ("husst", "test", "validation/test overlap (leakage)"): 1,
        ("huwnli", "train", duplicates): 3,
    }


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

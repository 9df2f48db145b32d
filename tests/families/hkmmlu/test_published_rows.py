"""Published rows beside our runs: `hueval table --published` and `hueval compare --published`."""

from __future__ import annotations

import csv
import io
import json

import pytest

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.cli import main
from hueval_metrics.comparison.against import main_table

QUESTIONS = {f"hkmmlu_{slug}": {"acc": 50.0, "n": 100, "n_missing": 0} for slug in SUBJECTS}
AVERAGES = {"acc_stem": 51.0, "acc_social": 52.0, "acc_humanities": 53.0, "acc_other": 54.0, "acc_avg": 55.0}
TRANSLATIONS = {f"hkmmlutr_{name}": {"avg": 40.0, "n": 9, "n_missing": 0} for name in ("yue_to_zh", "zh_to_yue")}


@pytest.fixture
def printed(tmp_path, capsys):
    """What `hueval table --published` prints of a results file, as CSV: row → cells by heading."""

    def read(tasks: dict) -> dict[str, dict[str, str]]:
        (tmp_path / "results.json").write_text(json.dumps(tasks), encoding="utf-8")
        assert main(["table", str(tmp_path), "--published", "--format", "csv"]) == 0
        return {row["model"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}

    return read


def test_table_1_stands_below_runs_of_all_subjects(printed):
    found = printed({**QUESTIONS, "hkmmlu": AVERAGES})
    assert len(found) == 1 + 20
    ours = next(iter(found.values()))
    assert [float(ours[f"hkmmlu.{name}"]) for name in AVERAGES] == [*AVERAGES.values()]
    row = found["Yi-1.5-34B-Chat (Table 1 of the HKMMLU paper (Traditional Chinese))"]
    assert [row[f"hkmmlu.{name}"] for name in AVERAGES] == ["56.2", "58.7", "64.7", "60.7", ""]  # its average is lost


def test_table_2_stands_below_runs_of_translations_alone(printed):
    found = printed(TRANSLATIONS)
    row = found["Llama-3-Taiwan-70B-Instruct (Table 2 of the HKMMLU paper (translation))"]
    assert (row["hkmmlutr_yue_to_zh.avg"], row["hkmmlutr_zh_to_yue.avg"]) == ("64.9", "62.1")
    assert len(found) == 1 + 10  # ten rows of our copy of the text have a name


def test_ranks_among_the_published_are_by_the_table_that_has_the_number():
    assert main_table("hkmmlu").title["en"] == "Table 1 of the HKMMLU paper (Traditional Chinese)"
    assert main_table("hkmmlutr_yue_to_zh").title["en"] == "Table 2 of the HKMMLU paper (translation)"
    assert main_table("hkmmlu_hk_law") is None  # no subject has a printed score

"""The paper's tables of made-up runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from hueval_metrics.api.results import Results
from hueval_metrics.errors import InputError
from hueval_metrics.runs.load import load_runs
from hueval_metrics.runs.run import TaskResult
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into
from lm_eval_tasks.kolassimpleqa.family import FAMILY
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES
from tests.families.kolassimpleqa.judged_rows import document, verdict, written
from tests.helpers import run_of

SOURCE = Path("results.json")
ECE = {"general": (0.05, 0.04), "specific": (0.43, 0.42)}  # direct, tran_en: the first row of the paper's Table 23


def made(
    label: str, general: float, specific: float, *, asked: str = "", without: tuple[str, ...] = (), place: int = 0
):
    """A run with one F-score in all languages of a domain, in its own setting or asked in another language."""
    scores, signatures = {}, {}
    for code, domain in product(LANGUAGES, DOMAINS):
        task = f"kolassimpleqa_{code}_{domain}"
        if task not in without:
            scores[task] = {"f_score": {"general": general, "specific": specific}[domain], "ece": 0.1}
            signatures[task] = f"task:{task}|q:{asked or code}"
    run = run_of(label, SOURCE, scores, signature=signatures, source=dict.fromkeys(scores, SOURCE))
    errors = {f"ece_pooled_{domain}": pair[place] for domain, pair in ECE.items()}
    model = label.partition(" (")[0]
    return replace(run, model=model, summaries={FAMILY.name: TaskResult(errors, SOURCE)})


def table(*runs, **options) -> str:
    return Results(runs).table("markdown", family="kolassimpleqa", width=200, **options)


def row(text: str, start: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {start}")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_scores_by_language_and_domain_with_their_average():
    text = table(made("a", 80.0, 20.0), made("b", 70.0, 30.0), view="languages")
    assert row(text, "Model")[:3] == ["Model", "Hungarian gen.", "Hungarian spec."]
    assert row(text, "Model")[-2:] == ["Average gen.", "Average spec."]
    assert row(text, "a")[-2:] == ["**80.00**¹", "20.00²"]
    assert len(row(text, "b")) == 21


def test_without_a_language_there_is_no_average_and_a_note_names_it():
    lacking = ("kolassimpleqa_th_general", "kolassimpleqa_ar_general")
    text = table(made("a", 80.0, 20.0, without=lacking), made("b", 70.0, 30.0), view="languages")
    assert row(text, "a")[-2:] == ["", "20.00²"]
    assert row(text, "b")[-2:] == ["70.00", "**30.00**¹"]
    assert "No average of a, general: no f_score in th, ar." in text.replace("\\", "")


def test_published_rows_have_the_mean_of_nine_and_no_place():
    text = table(made("a", 80.0, 20.0), view="languages", published=True)
    assert row(text, "GPT-4o-2024")[-2:] == ["90.20", "35.47"]
    assert "1.6 to 2.8 points of F higher" in text


def test_calibration_by_domain_and_setting_with_its_mean():
    text = table(made("a", 80.0, 20.0), made("a (2)", 80.0, 20.0, asked="en", place=1), view="calibration")
    heads = ["general direct", "general tran_en", "language-specific direct", "language-specific tran_en"]
    assert row(text, "Model") == ["Model", *(head.replace("_", "\\_") for head in heads), "mECE", "rank"]
    assert row(text, "a") == ["a", "0.050", "0.040", "0.430", "0.420", "0.235", ""]


def test_one_setting_has_no_mean_error():
    text = table(made("a", 80.0, 20.0), made("b", 80.0, 20.0), view="calibration")
    assert row(text, "a")[-2:] == ["", ""]
    assert row(text, "AvgECE")[1:] == ["0.050", "", "0.430", "", "", ""]
    assert "No mECE for models without both settings" in text


def test_published_errors_stand_below_with_their_own_average():
    runs = (made("a", 80.0, 20.0), made("a (2)", 80.0, 20.0, asked="en", place=1))
    text = table(*runs, view="calibration", published=True)
    assert row(text, "GPT-4o-2024")[1:] == ["0.05", "0.04", "0.43", "0.42", "0.24", "3"]
    assert row(text, "AvgECE‡")[1:5] == ["0.13", "0.06", "0.50", "0.48"]


def test_ranks_in_the_two_domains_are_of_one_setting():
    runs = [made("a", 80.0, 20.0), made("b", 70.0, 30.0), made("b (2)", 99.0, 99.0, asked="en")]
    text = table(*runs, view="ranks")
    assert row(text, "a") == ["a", *["1 → 2"] * 10]
    assert row(text, "b") == ["b", *["2 → 1"] * 10]
    assert row(text, "moved")[1] == "100 %"


def scored(folder: Path, outcomes: dict[str, str]):
    """A run whose file has items: for each domain a letter of the judge for each question of any language."""
    for code, (domain, letters) in product(LANGUAGES, outcomes.items()):
        task = f"{code}_{domain}"
        rows = [(document(f"q{at}", f"t{at}", task=task), "{}", verdict(letter)) for at, letter in enumerate(letters)]
        written(folder / "samples", rows, task)
    score_into(folder, [folder / "samples"], None, {}, JudgePlan(asks=False))
    (run,) = load_runs([folder])
    return replace(run, label=folder.name, model=folder.name)


def test_the_change_of_a_rank_on_the_average_has_an_interval(tmp_path):
    right, wrong = "A" * 20, "B" * 20
    runs = [
        scored(tmp_path / "a", {"general": right, "specific": wrong}),
        scored(tmp_path / "b", {"general": wrong, "specific": right}),
    ]
    text = table(*runs, view="ranks").replace("\\", "")
    assert row(text, "Model")[-1] == "Average 95 % of the change"
    assert (row(text, "a")[-2:], row(text, "b")[-2:]) == (["1 → 2", "[1, 1]"], ["2 → 1", "[-1, -1]"])
    assert row(text, "moved")[-2:] == ["100 %", ""]


@pytest.mark.parametrize(("metric", "told"), [("brie", "Near it: brier"), ("zzz", "Metrics: correct, ")])
def test_an_unknown_metric_is_told_with_those_that_there_are(metric, told):
    with pytest.raises(InputError, match=rf'--metric "{metric}": kolassimpleqa has no such metric\. {told}'):
        table(made("a", 80.0, 20.0), metric=metric)


def test_a_summary_by_model():
    text = table(made("a", 80.0, 20.0), made("b", 70.0, 30.0), metric="domain_gap")
    assert row(text, "a")[:2] == ["a", "60.00"]


def test_a_metric_needs_a_family():
    with pytest.raises(InputError, match="--metric: it chooses what the tables of a family show"):
        Results((made("a", 80.0, 20.0),)).table(metric="f_score")


def test_a_csv_has_all_decimals():
    text = Results((made("a", 200 / 3, 20.0),)).table("csv", family="kolassimpleqa", view="languages")
    assert text.splitlines()[1].startswith("f_score by language and domain,a,66.6666666666666")

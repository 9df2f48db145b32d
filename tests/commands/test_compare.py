import json

import pytest

from hueval_metrics.cli import main
from tests.comparison.conftest import QA, SIGNATURE, TWO, qa_rows, two_rows, write_run

ROWS = qa_rows("1100", "llhh")


@pytest.fixture
def folders(tmp_path):
    first = write_run(tmp_path / "a", ROWS + two_rows("1100"), "A")
    second = write_run(tmp_path / "b", qa_rows("1000", "llhh") + two_rows("1110"), "B")
    return [str(first), str(second)]


def test_two_folders_are_compared(folders, capsys):
    assert main(["compare", *folders]) == 0
    output = capsys.readouterr()
    assert "HuSimpleQA, correct (4 items, A against B)\n" in output.out
    assert "HuProverbRea (2CQ), acc (4 items, A against B)\n" in output.out
    assert "  Language (2): not told apart: A 50.0 points higher" in output.out
    assert output.err == ""


def test_one_folder_may_hold_all_the_runs(folders, tmp_path, capsys):
    assert main(["compare", str(tmp_path), "--no-dimensions"]) == 0
    assert "Language" not in capsys.readouterr().out


def test_options_reach_the_comparison(folders, capsys):
    assert (
        main(["compare", *folders, "--metric", "incorrect", "--metric", "brier", "--margin", "5", "--format", "json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert [metric["metric"] for metric in found["metrics"]] == ["incorrect", "brier"]
    assert found["margin"] == 5
    assert main(["compare", *folders, "--all", "--format", "json"]) == 0
    assert {metric["metric"] for metric in json.loads(capsys.readouterr().out)["metrics"]} >= {"correct", "ece", "acc"}


def test_all_pairs_of_three(folders, tmp_path, capsys):
    third = write_run(tmp_path / "c", ROWS, "C")
    assert main(["compare", *folders, str(third), "--all-pairs", "--format", "csv"]) == 0
    output = capsys.readouterr()
    assert f"{QA},correct,,B,C," in output.out
    assert output.err == "hueval: Not compared: HuProverbRea (2CQ), C: not run.\n"


def test_what_is_refused_fails_and_the_rest_is_printed(folders, tmp_path, capsys):
    signature = {QA: SIGNATURE.format(task=QA).replace("hu-1f0c9a2b", "en-0")}
    other = str(write_run(tmp_path / "c", ROWS + two_rows("1110"), "C", signature))
    assert main(["compare", folders[0], other]) == 1
    output = capsys.readouterr().out
    assert "HuProverbRea (2CQ), acc (4 items, A against C)" in output
    assert "--despite prompts." in " ".join(output.split())
    assert main(["compare", folders[0], other, "--despite", "prompts"]) == 0


def test_a_broken_results_file_fails_and_the_rest_is_compared(folders, tmp_path, capsys):
    broken = tmp_path / "broken" / "results.json"
    broken.parent.mkdir()
    broken.write_text('{"openhueval_husimpleqa": {"corr')
    assert main(["compare", *folders, str(broken)]) == 1
    output = capsys.readouterr()
    assert "A against B" in output.out
    assert output.err.startswith(f"hueval: {broken} line 1 column ")


def test_ranks_of_others(folders, tmp_path, capsys):
    ranking = tmp_path / "ranks.csv"
    ranking.write_text("model,score\nA,1\nB,2\n", encoding="utf-8")
    assert main(["compare", *folders, "--against", str(ranking), "--published"]) == 0
    output = capsys.readouterr().out
    assert "2 of 2 models have another rank than in" in " ".join(output.split())
    assert "Ranks among the published" in output


def test_model_cards_from_a_file(folders, tmp_path, capsys):
    cards = tmp_path / "cards.yaml"
    cards.write_text("models:\n  A: {reasoning: true, open: true, base: B}\n  B: {reasoning: false, open: false}\n")
    assert main(["compare", *folders, "--models", str(cards)]) == 0
    assert "Reasoning against base: A 50.0 against B 25.0: +25.0 points" in " ".join(capsys.readouterr().out.split())


def test_repeats(folders, capsys):
    assert main(["compare", *folders, "--repeats"]) == 0
    assert "Mean over 2 repeats" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--despite", "prompt"], '--despite "prompt": choose of items, prompts, judge, data, version'),
        (["--all", "--metric", "correct"], "--all and --metric: choose one of them"),
        (["--metric", "corect"], '--metric "corect": no such metric'),
        (
            ["--repeats", "--metric", "correct"],
            "--repeats: its table has every metric, as text, markdown or csv. Leave",
        ),
        (["--margin", "-1"], "--margin -1: expected points above 0"),
        (["--against", "maps-fr"], "maps-fr: no such file"),
        (["--models", "missing.yaml"], "missing.yaml: cannot be read"),
    ],
)
def test_a_mistake_is_one_line(folders, capsys, options, message):
    assert main(["compare", *folders, *options]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"hueval: {message}")
    assert output.err.count("\n") == 1


def test_one_run_is_no_comparison(folders, capsys):
    assert main(["compare", folders[0], folders[0]]) == 1
    assert "only one run" in capsys.readouterr().err


def test_a_name_cannot_steer_the_terminal_in_a_message(tmp_path, capsys):
    rows = two_rows("10")
    folders = [write_run(tmp_path / name, rows, f"{name}\x1b]0;x\x07", {TWO: f"data:{name}"}) for name in "ab"]
    assert main(["compare", *map(str, folders)]) == 1
    assert "\x1b" not in capsys.readouterr().err

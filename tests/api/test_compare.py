"""`hueval.compare` and `hueval.repeats`: the words of the command, and tidy frames."""

import re

import pandas
import pytest

import hueval_metrics as hueval
from hueval_metrics.cli import main
from tests.comparison.conftest import QA, SIGNATURE, TWO, qa_rows, two_rows, write_run

TYPES = {
    "task": "string", "metric": "string", "dimension": "string", "first": "string", "second": "string",
    "score_first": "float64", "score_second": "float64", "difference": "float64", "ci95_low": "float64",
    "ci95_high": "float64", "p": "float64", "p_holm": "float64", "test": "string", "leader": "string", "n": "Int64",
    "effect_name": "string", "effect": "float64", "resolvable": "float64",
}  # fmt: skip


@pytest.fixture
def folders(tmp_path):
    write_run(tmp_path / "a", qa_rows("1100", "llhh") + two_rows("1100"), "A")
    write_run(tmp_path / "b", qa_rows("1000", "llhh") + two_rows("1110"), "B")
    return [tmp_path / "a", tmp_path / "b"]


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({}, []),
        (
            {"metrics": ["incorrect", "brier"], "margin": 5.0},
            ["--metric", "incorrect", "--metric", "brier", "--margin=5"],
        ),
        ({"metrics": "all", "dimensions": False}, ["--all", "--no-dimensions"]),
        ({"published": True, "all_pairs": True}, ["--published", "--all-pairs"]),
    ],
    ids=["headline", "metrics and margin", "all", "published"],
)
@pytest.mark.parametrize("format", ["text", "markdown", "json", "csv"])
def test_the_text_is_that_of_the_command(folders, capsys, options, arguments, format):
    assert main(["compare", *map(str, folders), *arguments, "--format", format]) == 0
    assert hueval.compare(*folders, **options).text(format) == capsys.readouterr().out


def test_results_and_paths_are_compared_alike(folders):
    a, b = (hueval.load(folder) for folder in folders)
    of_paths = str(hueval.compare(*folders))
    assert str(hueval.compare(a, b)) == str(hueval.compare(a, folders[1])) == of_paths
    assert str(hueval.compare(hueval.load(*folders))) == of_paths


def test_equal_names_are_told_apart_by_their_folders(tmp_path):
    runs = [hueval.load(write_run(tmp_path / name, qa_rows("10"), "M")) for name in "ab"]
    assert hueval.compare(*runs).labels == ("M (a)", "M (b)")


def test_each_pair_is_a_row(folders):
    table = hueval.compare(*folders).to_pandas()
    assert {name: str(kind) for name, kind in table.dtypes.items()} == TYPES
    row = table[(table.task == QA) & table.dimension.isna()].to_dict("records")[0]
    assert (row["first"], row["second"], row["score_first"], row["score_second"]) == ("A", "B", 50.0, 25.0)
    assert (row["difference"], row["n"], row["test"], row["p"]) == (25.0, 4, "exact McNemar", 1.0)
    assert pandas.isna(row["leader"])
    assert table[table.task == QA].dimension.dropna().tolist() == ["l", "h"]


def test_what_was_found_is_typed(folders):
    found = hueval.compare(*folders, despite="prompts")
    assert isinstance(found, hueval.Comparison)
    assert [(one.task, one.metric, one.n) for one in found.metrics] == [(QA, "correct", 4), (TWO, "acc", 4)]
    assert found.metrics[0].pairs[0].difference == 25.0
    assert not found.has_faults


def test_html_escapes_what_files_say(tmp_path):
    runs = [write_run(tmp_path / name, two_rows("10"), f"<b>{name}</b>") for name in "ab"]
    html = hueval.compare(*runs)._repr_html_()
    row = "<td>HuProverbRea (2CQ)</td><td>acc</td><td>&lt;b&gt;a&lt;/b&gt;</td><td>&lt;b&gt;b&lt;/b&gt;</td>"
    assert row in html
    assert "<b>a" not in html


def test_a_notebook_shows_a_table(folders):
    html = hueval.compare(*folders, despite="prompts")._repr_html_()
    assert html.startswith("<table><thead><tr><th>Task</th><th>Metric</th><th>A</th><th>B</th><th>Score of A</th>")
    rows = [re.findall("<td>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", html)[1:]]
    assert [row[:4] for row in rows] == [["HuSimpleQA", "correct", "A", "B"], ["HuProverbRea (2CQ)", "acc", "A", "B"]]
    assert rows[0][4:] == ["50.0 [15.0, 85.0]", "25.0 [4.6, 69.9]", "-25.0 [-69.9, 36.2]", "1.00", "not told apart"]
    assert "<p><b>How to read this</b></p><small>" in html


def test_repeats_are_those_of_the_command(folders, capsys):
    found = hueval.repeats(*folders)
    assert main(["compare", *map(str, folders), "--repeats"]) == 0
    output = capsys.readouterr()
    assert found.table(every_metric=True) == output.out
    assert "--repeats of compare goes with the next release" in output.err
    scores = found.to_pandas().set_index("metric").loc["correct"]
    assert (scores["score"], scores["lowest"], scores["highest"]) == (50.0, 50.0, 50.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a, b: hueval.compare(), "no path given. Name results files"),
        (lambda a, b: hueval.compare(a), "{a}/results.json: only one run, or the same twice"),
        (lambda a, b: hueval.compare(hueval.load(a), hueval.load(a)), "{a}/results.json: only one run, or the same"),
        (lambda a, b: hueval.compare(a, 5), "a path: of type int, expected str or pathlib.Path"),
        (lambda a, b: hueval.compare(a, "nowhere"), "nowhere: no such file or folder"),
        (lambda a, b: hueval.compare(a, b, metrics="corect"), 'metrics "corect": no such metric'),
        (lambda a, b: hueval.compare(a, b, despite="prompt"), 'despite "prompt": choose of items, prompts, judge'),
        (lambda a, b: hueval.compare(a, b, margin="5"), "margin: of type str, expected points, such as 2.5"),
        (lambda a, b: hueval.compare(a, b, models="no.yaml"), "no.yaml: cannot be read"),
        (lambda a, b: hueval.compare(a, b, against="maps-fr"), "maps-fr: no such file"),
        (lambda a, b: hueval.compare(a, b).text("pdf"), 'format "pdf": choose of text, markdown, json, csv'),
        (lambda a, b: hueval.repeats(a), "{a}/results.json: one run shows no spread. Name two or more"),
    ],
    ids=[
        *("nothing", "one", "the same twice", "number", "missing", "metric", "despite", "margin", "models", "against"),
        *("format", "one repeat"),
    ],
)
def test_a_mistake_is_one_line(folders, call, message):
    with pytest.raises(hueval.InputError) as refused:
        call(*folders)
    assert str(refused.value).startswith(message.format(a=folders[0]))
    assert "\n" not in str(refused.value)


def test_a_folder_that_was_written_over_is_refused(folders):
    a = hueval.load(folders[0])
    file = folders[0] / "results.json"
    file.write_text(file.read_text(encoding="utf-8").replace("50.0", "25.0"), encoding="utf-8")
    for other in (folders[1], hueval.load(folders[0])):
        with pytest.raises(hueval.InputError, match="has changed since it was loaded"):
            hueval.compare(a, other)


def test_what_may_not_be_compared_is_told(folders, tmp_path):
    signature = {QA: SIGNATURE.format(task=QA).replace("hu-1f0c9a2b", "en-0")}
    other = write_run(tmp_path / "c", qa_rows("1100") + two_rows("1110"), "C", signature)
    found = hueval.compare(folders[0], other)
    assert found.has_faults
    assert "--despite prompts" in " ".join(str(found).split())

"""`hueval` alone, `hueval ls`, and what is said of a command or an option that there is none of."""

from __future__ import annotations

import fnmatch

from hueval_metrics.cli import main
from hueval_metrics.registry import families, known_tasks
from tests.each import each


def said(capsys, *arguments):
    """(status, standard output, standard error) of the command."""
    try:
        status = main(list(arguments))
    except SystemExit as stop:
        status = stop.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_alone_it_says_how_to_begin(capsys):
    status, out, err = said(capsys)
    assert (status, err) == (0, "")
    for command in ("hueval ls", "hueval run", "hueval score", "hueval table", "hueval report"):
        assert f"  {command} " in out
    assert max(map(len, out.splitlines())) <= 80


def test_ls_lists_every_task_in_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = said(capsys, "ls")
    assert status == 0
    rows = [line.split() for line in out.splitlines()]
    listed = {row[0] for row in rows if row}
    assert all(any(fnmatch.fnmatchcase(task, name) for name in listed) for task in known_tasks())
    assert ["hkmmlu_*", "(66", "tasks)", "26,698", "acc", "rule", "zh", "yue"] in rows
    assert ["hkmmlull", "66"] in rows and ["hkmmlu-hk", "23"] in rows
    assert ["openhueval_husimpleqa", "1,343", "correct", "judge", "hu", "en", "zh"] in rows
    assert ["openhueval_hustandardfib", "93", "blank_acc,", "question_acc", "rule", "hu", "en", "zh"] in rows
    assert ["hulu_husst", "1,165", "acc", "log-likelihood", "hu"] in rows
    assert ["hueval-rule", "3"] in rows and ["openhueval", "6"] in rows
    assert max(map(len, out.splitlines())) <= 80


def test_ls_of_a_benchmark_lists_its_tasks_one_by_one(capsys):
    status, out, _ = said(capsys, "ls", "hkmmlu")
    assert status == 0
    first = [line.split()[0] for line in out.splitlines() if line]
    assert set(families()["hkmmlu"].tasks) < set(first)
    assert "hkmmlu-stem" in first and "hulu" not in first


def test_run_help_is_ours_and_help_all_has_every_option(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = said(capsys, "run", "--help")
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    for part in ("hueval-rule", "racka-safe-vllm", "hulugen", "HUEVAL_JUDGE=lexical", "--output_path", "goes on"):
        assert part in out
    assert "--fewshot_as_multiturn" not in out
    assert "--fewshot_as_multiturn" in said(capsys, "run", "--help-all")[1]


@each(
    ("arguments", "line"),
    [
        (["scroe"], 'hueval: no command "scroe". Did you mean score? See: hueval --help\n'),
        (["run", "--taks", "x"], "hueval: unknown argument --taks. Did you mean --tasks? See: hueval run --help\n"),
        (["score", "a", "--outptu", "b"], "hueval: unknown argument --outptu. Did you mean --output? "),
        (["ls", "hkmlu"], "Did you mean hkmmlu? See: hueval ls --help\n"),
        (["ls", "openhueval_husimpleqa"], "Did you mean openhueval? See: hueval ls --help\n"),
        (["table", "x", "--format", "markdwon"], "Did you mean markdown? See: hueval table --help\n"),
        (["table"], "hueval: the following arguments are required: RESULTS. See: hueval table --help\n"),
    ],
)
def test_wrong_usage_is_one_line(capsys, arguments, line):
    status, out, err = said(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("hueval: ") and line in err and err.count("\n") == 1

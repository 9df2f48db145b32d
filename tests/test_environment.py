"""Variables of ours that nothing reads are named; the list of those that are read is whole."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

from hueval_metrics.cli import main
from hueval_metrics.environment import ELSEWHERE, VARIABLES, warn_of_unknown, warn_of_unknown_variables

ROOT = Path(__file__).parents[1]
SITE = ("HUEVAL_SITE_MAIL", "HUEVAL_SITE_URL")  # some that the leaderboard reads
_NAME = re.compile(r"\bHUEVAL_(?:[A-Z]+_)*[A-Z]+\b")


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("HUEVAL_JUGDE_MODEL", "HUEVAL_JUDGE_MODEL"),
        ("HUEVAL_JUDGE_MODELS", "HUEVAL_JUDGE_MODEL"),
        ("HUEVAL_JUDGE_TIMEOUT", "HUEVAL_JUDGE_TIMEOUT_S"),
        ("HUEVAL_DATADIR", "HUEVAL_DATA_DIR"),
        ("HUVEAL_SAMPLE", "HUEVAL_SAMPLE"),
        ("hueval_judge", "HUEVAL_JUDGE"),
    ],
)
def test_a_misspelt_variable_is_named_with_the_one_that_is_meant(monkeypatch, capsys, variable, meant):
    monkeypatch.setenv(variable, "1")
    with pytest.raises(SystemExit):
        main(["--version"])
    err = capsys.readouterr().err
    assert err.startswith(f"hueval: {variable} is set") and err.endswith(f"Did you mean {meant}?\n")
    assert err.count("\n") == 1


def test_the_leaderboard_s_variables_are_its_own(monkeypatch, caplog):
    """The engine does not know them; `hueval site` names those that nothing reads."""
    monkeypatch.setenv("HUEVAL_SITE_URL", "https://example.org")
    monkeypatch.setenv("HUEVAL_SITE_MIAL", "file")
    warn_of_unknown_variables()
    assert caplog.records == []
    warn_of_unknown("HUEVAL_SITE_", SITE)
    assert [record.getMessage() for record in caplog.records] == [
        "HUEVAL_SITE_MIAL is set, and no such variable is known: it has no effect. Did you mean HUEVAL_SITE_MAIL?"
    ]


def test_the_variable_of_the_tests_is_not_named(monkeypatch, caplog):
    monkeypatch.setenv("HUEVAL_TEST_DATABASE", "postgresql://127.0.0.1/site")
    warn_of_unknown_variables()
    warn_of_unknown("HUEVAL_SITE_", SITE)
    assert caplog.records == []


def test_one_far_from_all_is_named_too(monkeypatch, caplog):
    monkeypatch.setenv("HUEVAL_FOO", "1")
    monkeypatch.setenv("HEVAL_FOO", "1")  # somebody else's
    with caplog.at_level(logging.WARNING):
        warn_of_unknown_variables()
    assert [record.getMessage() for record in caplog.records] == [
        "HUEVAL_FOO is set, and no such variable is known: it has no effect. "
        "docs/reference/environment.md lists the variables."
    ]


def test_of_several_ranks_the_first_alone_says_it(monkeypatch, caplog):
    monkeypatch.setenv("HUEVAL_FOO", "1")
    monkeypatch.setenv("RANK", "1")
    warn_of_unknown_variables()
    assert caplog.records == []


def test_the_right_names_are_not_named(monkeypatch, caplog):
    for variable in VARIABLES:
        monkeypatch.setenv(variable, "1")
    warn_of_unknown_variables()
    assert caplog.records == []


def test_the_list_has_every_variable_that_the_code_reads():
    """Names that are built of parts, such as f"HUEVAL_JUDGE_{name}", stand in messages too."""
    sources = [
        path for folder in ("hf_datasets", "hueval_metrics", "lm_eval_tasks") for path in (ROOT / folder).rglob("*.py")
    ]
    named = {name for path in sources for name in _NAME.findall(path.read_text(encoding="utf-8"))}
    named -= {prefix.rstrip("_") for prefix in ELSEWHERE}
    assert named <= set(VARIABLES)
    assert set(VARIABLES) - named <= {"HUEVAL_JUDGE_RPM", "HUEVAL_JUDGE_TPM"}

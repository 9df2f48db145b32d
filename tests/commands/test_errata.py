"""`--errata` of report and compare."""

import pytest

from hueval_metrics.cli import main
from tests.comparison.conftest import write_run
from tests.comparison.test_errata import MODELS, blanks


@pytest.fixture
def six(tmp_path):
    for place, (label, answers) in enumerate(MODELS.items()):
        write_run(tmp_path / "runs" / str(place), blanks(answers), label)
    return str(tmp_path / "runs")


def test_the_page_has_a_section_and_the_sheet_is_beside_it(six, tmp_path, capsys):
    page, sheet = tmp_path / "r.html", tmp_path / "e.csv"
    assert main(["report", six, "--output", str(page), "--errata", str(sheet)]) == 0
    assert capsys.readouterr().out == f"Wrote {page}\nWrote {sheet}\n"
    text = page.read_text(encoding="utf-8")
    assert '<a href="#errata">' in text
    assert "q4: itt #0#." in text
    assert (
        sheet.read_text(encoding="utf-8-sig")
        .splitlines()[1]
        .startswith("openhueval_humatchingfib,q4,#0#,q4: itt #0#.,A,B,")
    )
    assert main(["report", six, "--output", str(page)]) == 0
    assert "#errata" not in page.read_text(encoding="utf-8")


def test_compare_writes_it_and_says_so_apart_from_the_comparison(six, tmp_path, capsys):
    sheet = tmp_path / "e.xlsx"
    assert main(["compare", six, "--errata", str(sheet), "--format", "csv"]) == 0
    output = capsys.readouterr()
    assert output.err == f"hueval: Wrote {sheet}\n"
    assert str(sheet) not in output.out
    assert sheet.is_file()


def test_what_cannot_be_voted_on_is_one_line(six, tmp_path, capsys):
    for arguments, said in (
        (
            ["compare", f"{six}/0", f"{six}/1", "--errata", "e.csv"],
            "no item was answered by more than 2 models of 1 ser",
        ),
        (["report", six, "--errata", "e.txt"], "errata: e.txt is no name of a sheet. It ends with .xlsx or .csv"),
        (["compare", six, "--repeats", "--errata", "e.csv"], "Leave --repeats and --by-variant out"),
    ):
        assert main(arguments) in (1, 2)
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1

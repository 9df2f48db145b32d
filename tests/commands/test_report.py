import json

from hueval_metrics.cli import main

FIB = "openhueval_humatchingfib"


def results(folder, **row):
    folder.mkdir()
    (folder / "results.json").write_text(json.dumps({FIB: {"blank_acc": 50.0, "n": 2, **row}}))
    return str(folder)


def test_the_page_is_written_and_what_cannot_be_read_is_said(tmp_path, capsys):
    sound = results(tmp_path / "sound")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "results.json").write_text('{"openhu')
    output = tmp_path / "report.html"
    assert main(["report", sound, str(tmp_path / "broken"), "--output", str(output), "--lang", "hu"]) == 0
    said = capsys.readouterr()
    assert said.out == f"Wrote {output}\n"
    assert f"hueval: {tmp_path / 'broken' / 'results.json'} line 1" in said.err
    assert "hueval: sound: " in said.err
    assert all(line.startswith("hueval: ") for line in said.err.splitlines())
    page = output.read_text(encoding="utf-8")
    assert '<html lang="hu">' in page
    assert "Nem olvasható: " in page


def test_nothing_to_report_is_one_line_and_writes_nothing(tmp_path, capsys):
    output = tmp_path / "report.html"
    assert main(["report", str(tmp_path / "nowhere"), "--output", str(output)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert not output.exists()

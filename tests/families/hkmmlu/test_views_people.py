"""People beside models (`hueval table --view hkmmlu-4 --human FILE`): the numbers, and files that cannot be used."""

from __future__ import annotations

import csv
import io

import pytest

import hueval_metrics as hueval
from hueval_metrics.cli import main
from hueval_metrics.errors import InputError
from hueval_metrics.loader import documents
from lm_eval_tasks.hkmmlu.views.people_file import PersonScore, read_people
from tests.families.hkmmlu import full_size


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A model that has the first two of the five questions on law right, and its questions' ids."""
    home = tmp_path_factory.mktemp("people")
    data = full_size.write(home / "data", scale=0.001)
    docs, _ = documents("hkmmlu_hk_law", data_dir=str(data))
    rows = [{"qid": doc["qid"], "prediction": doc["answer"] if n < 2 else "不知道"} for n, doc in enumerate(docs)]
    hueval.score(rows, "hkmmlu_hk_law", output=home / "alpha", data_dir=data)
    return home / "alpha", [doc["qid"] for doc in docs]


def shown(folder, file, **options):
    text = hueval.load(folder).table("csv", view="hkmmlu-4", human=file, **options)
    return {row["Model"]: row for row in csv.DictReader(io.StringIO(text))}


def written(tmp_path, text):
    file = tmp_path / "scores.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_mean_over_people(run, tmp_path):
    file = written(
        tmp_path, "person,kind,n,correct\nA,Cantonese,10,6\nA,TC,30,18\nB,Cantonese,10,8\nB,TC,30,12\nC,TC,40,30\n"
    )
    rows = shown(run[0], file)
    assert list(rows) == ["Human"]
    # A 24 of 40, B 20 of 40, C 30 of 40: 60, 50 and 75 %; SD 12.583, SE 7.265, t(2) = 4.3027.
    names = ("Avg.", "Avg. ci95_low", "Avg. ci95_high", "Cantonese", "TC")
    # Cantonese and TC: of those who were asked, 60 and 80 %; 60, 40 and 75 %.
    assert [round(float(rows["Human"][name]), 1) for name in names] == [61.7, 30.4, 92.9, 70.0, 58.3]
    text = hueval.load(run[0]).table("markdown", view="hkmmlu-4", human=file)
    assert "Human: mean over 3 people, each with the share of right answers; SD 12.6, SE 7.3" in text
    assert "No models: the file does not say which questions were asked (column qid)." in text


def test_models_on_the_same_questions(run, tmp_path):
    folder, qids = run
    answers = [
        f"{who},{'TC' if n else 'Cantonese'},{qids[n]},{int(n < right)}"
        for who, right in (("A", 3), ("B", 1))
        for n in range(4)
    ]
    file = written(tmp_path, "\n".join(["person,kind,qid,correct", *answers]) + "\n")
    rows = shown(folder, file)
    assert (float(rows["Human"]["Avg."]), float(rows["Human"]["Cantonese"])) == (50, 100)  # 75 and 25 %
    # The model has questions 0 and 1 right, of 0 to 3; question 0 alone is in Cantonese.
    assert (float(rows["alpha"]["Avg."]), float(rows["alpha"]["Cantonese"])) == (50, 100)
    assert round(float(rows["alpha"]["TC"]), 2) == 33.33
    text = hueval.load(folder).table("markdown", view="hkmmlu-4", human=file)
    assert "on the 4 questions of the file" in text


def test_groups_are_rows_and_one_person_has_wilsons_interval(run, tmp_path):
    rows = shown(run[0], written(tmp_path, "person,group,n,correct\nA,degree,10,8\nB,none,10,5\n"))
    assert list(rows) == ["degree", "none"]
    assert round(float(rows["degree"]["Avg. ci95_low"]), 2) == 49.02  # of 8 of 10


def test_an_interval_does_not_leave_the_scale(run, tmp_path):
    (row,) = shown(run[0], written(tmp_path, "person,n,correct\nA,10,1\nB,10,9\n")).values()
    assert [float(row[name]) for name in ("Avg. ci95_low", "Avg. ci95_high")] == [0, 100]


def test_published_rows(run, tmp_path):
    file = written(tmp_path, "person,kind,n,correct\nA,Cantonese,27,20\nA,TC,73,40\n")
    rows = shown(run[0], file, published=True)
    assert [rows["Human‡"][name] for name in ("Avg.", "Cantonese", "TC")] == ["57.9", "63.4", "55.9"]


def test_excel_writes_a_byte_order_mark_and_crlf(tmp_path):
    file = tmp_path / "scores.csv"
    file.write_bytes("\ufeffperson,n,correct\r\nÁgi,4,1\r\n\r\n".encode())
    assert read_people(file).scores == [PersonScore("Ági", "", "", 4, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("person,kind\nA,TC\n", "no column correct. The first line names the columns: person, kind, n, correct"),
        ("person,correct\nA,1\n", "columns n and qid: give how many questions (n), or which (qid)"),
        ("person,n,qid,correct\nA,1,q,1\n", "columns n and qid: give only one of them"),
        ("person,n,correct\n", "no rows"),
        ("person,n,correct\n,5,1\n", "line 2: no person"),
        ("person,n,correct\nA,5\n", "line 2: more or fewer cells than columns"),
        ("person,n,correct\nA,5,1,9\n", "line 2: more or fewer cells than columns"),
        ("person,n,correct\nA,5,6\n", "line 2: 6 right of 5 questions"),
        ("person,n,correct\nA,0,0\n", "line 2: 0 right of 0 questions"),
        ("person,n,correct\nA,5,60%\n", 'line 2: correct is "60%", expected a whole number'),
        ("person,n,correct\nA,5,1\nA,5,2\n", "line 3: A is there twice"),
        ("person,qid,correct\nA,q1,2\n", "line 2: correct is 2, expected 1 or 0"),
        ("person,qid,correct\nA,,1\n", "line 2: no qid"),
        ("person,qid,correct\nA,q1,1\nA,q1,1\n", "line 3: A, q1 is there twice"),
        ("person,kind,qid,correct\nA,TC,q1,1\nB,Cantonese,q1,1\n", "line 3: q1 is of kind TC above"),
        ("person,group,kind,n,correct\nA,x,TC,5,1\nA,y,C,5,1\n", "A is in two groups"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path, text, message):
    with pytest.raises(InputError) as refused:
        read_people(written(tmp_path, text))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_files_that_cannot_be_read(run, tmp_path, capsys):
    (tmp_path / "latin.csv").write_bytes("person,n,correct\nÁgi,4,1\n".encode("latin-1"))
    for name, message in (("none.csv", "cannot be read (No such file"), ("latin.csv", "not UTF-8 text")):
        assert main(["table", str(run[0]), "--view", "hkmmlu-4", "--human", str(tmp_path / name)]) == 1
        assert message in capsys.readouterr().err


def test_questions_that_no_run_has(run, tmp_path):
    with pytest.raises(InputError, match="no run has any of its 1 questions"):
        shown(run[0], written(tmp_path, "person,qid,correct\nA,hk_law-test-999,1\n"))


def test_without_a_file_there_is_no_such_table(run, capsys):
    assert main(["table", str(run[0]), "--view", "hkmmlu-4"]) == 1
    assert "hkmmlu-4: it needs --human FILE, the scores of people" in capsys.readouterr().err

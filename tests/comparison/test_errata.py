"""Which keys models vote against."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from hueval_metrics.comparison.errata import Answer, Asked, Voter, find_errata, suspects
from hueval_metrics.errors import HuevalError
from hueval_metrics.reports.errata import COLUMNS, write_sheet
from hueval_metrics.runs.run import Run
from hueval_metrics.stats.model_cards import ModelCard
from hueval_metrics.text.normalize import compare_key
from tests.comparison.conftest import FIB, QA, TWO, two_rows
from tests.each import each

# Six models, five questions, whose keys are all A. The three best agree on B in the last one.
MODELS = {
    "org/rigo-1": "AAAAB",
    "org/rigo-2": "AAAAB",
    "cinke-1": "AAAAB",
    "cinke-2": "ABACA",
    "pinty-1": "BACAA",
    "pinty-2": "BBCBC",
}


def blank(qid, filled, accepted=("A",), task=FIB):
    part = {
        "mark": "#0#",
        "accepted": accepted,
        "given": filled,
        "right": filled in accepted,
    }
    values = {"blank_acc": [int(part["right"]), 1]}
    return {"task": task, "qid": qid, "values": values, "marked": {"text": f"{qid}: itt #0#.", "parts": [part]}}


def blanks(answers):
    return [blank(f"q{place}", filled) for place, filled in enumerate(answers)]


@pytest.fixture
def six(make_run):
    return [make_run(label, blanks(answers)) for label, answers in MODELS.items()]


def shown(errata):
    return [(one.item[0], one.part, one.key, one.other, one.models) for one in errata.suspects]


def test_the_wrong_key_is_first(six):
    found = find_errata(six)
    assert shown(found) == [
        ("q4", "#0#", "A", "B", ("org/rigo-1", "org/rigo-2", "cinke-1")),
        ("q0", "#0#", "A", "B", ("pinty-1", "pinty-2")),
        ("q1", "#0#", "A", "B", ("cinke-2", "pinty-2")),
        ("q2", "#0#", "A", "C", ("pinty-1", "pinty-2")),
    ]  # the last three have the same votes; in q3 no two give the same other answer
    # Of q0 to q3 the models have 4, 4, 4, 2, 2, 0: z is 0.894, -0.447 and -1.789. Three exp(0.894), two exp(-0.447).
    assert [round(found.suspects[0].votes_key, 3), round(found.suspects[0].votes_other, 3)] == [1.279, 7.338]
    assert (found.left_out, found.n_models) == ({}, 6)


def test_too_few_models_or_series_are_refused(six, make_run):
    with pytest.raises(HuevalError, match=r"more than 5 models of 3 series, and votes on its key need 6 "):
        find_errata(six[:5])
    alike = [make_run(f"rigo-{number}", blanks("AAB")) for number in range(20)]
    with pytest.raises(HuevalError, match="more than 20 models of 1 series"):
        find_errata(alike)
    with pytest.raises(HuevalError, match="more than 0 models of 0 series"):
        find_errata([])
    cards = {f"rigo-{n}": ModelCard(reasoning=False, open=True, series=f"s{n % 3}") for n in range(20)}
    assert shown(find_errata(alike, cards))[0][:4] == ("q2", "#0#", "A", "B")


def test_baselines_do_not_vote_and_repeats_share_a_vote(six, make_run):
    once = find_errata(six)
    (first, *others) = six
    twice = find_errata([Run(first.label, first.path, averaged=(first, first)), *others])
    assert twice.suspects[0].votes_other == pytest.approx(once.suspects[0].votes_other, rel=0.2)
    assert twice.n_models == 6
    assert find_errata([*six, make_run("hueval-baseline-oracle", blanks("AAAAA"))]) == once


@each(
    ("task", "answers", "found", "left_out"),
    [
        (TWO, ["11101", "11101", "11101", "11011", "10011", "00111"], [("p3", 1, "1", "2")], {}),
        (QA, ["Pest", "Buda", "Eger", "Vác", "Győr", "Tata"], [], {QA: "alone"}),
    ],
)
def test_two_options_and_open_answers(make_run, task, answers, found, left_out):
    def rows(given):
        if task == TWO:
            rows = two_rows(given)
            named = [{"reference": str(row["correct_option"]), "answer": row["values"]["acc"][2]} for row in rows]
            single = [{"acc": 100.0 * (row["values"]["acc"][2] == row["correct_option"])} for row in rows]
            return [row | name | {"metrics": one} for row, name, one in zip(rows, named, single, strict=True)]
        verdict = {"label": "INCORRECT", "score": None, "raw": "x", "judge": "j", "rubric": "husimpleqa/1"}
        values = {"correct": 0.0, "incorrect": 1.0}
        row = {"task": QA, "qid": "q", "reference": "Szeged", "answer": given, "values": values, "metrics": values}
        return [row | {"verdict": verdict, "prediction": given}]

    runs = [make_run(label, rows(given)) for label, given in zip(MODELS, answers, strict=True)]
    errata = find_errata(runs)
    assert [(*one.item, one.key, one.other) for one in errata.suspects[: len(found)]] == found
    assert errata.left_out == left_out


def test_an_alternative_of_the_key_is_a_vote_for_it(make_run):
    task = "openhueval_hustandardfib"
    filled = ["vár", "vára", "várat", "tó", "Tó.", "folyó"]
    rows = [[blank("q", one, ("vár", "vára", "várat"), task=task)] for one in filled]
    (found,) = find_errata([make_run(*one) for one in zip(MODELS, rows, strict=True)]).suspects
    assert (found.key, found.other, found.models) == ("vár / vára / várat", "Tó.", ("cinke-2", "pinty-1"))
    assert (found.votes_key, found.votes_other) == (3, 2)  # one item: no other to weigh the models by


def test_another_key_is_another_item(six, make_run):
    changed = [make_run(f"bagoly-{number}", [blank("q4", "A", ("B",))]) for number in range(6)]
    assert shown(find_errata([*six, *changed])) == shown(find_errata(six))


@pytest.mark.parametrize("suffix", [".csv", ".XLSX"])
def test_the_sheet_is_text(make_run, tmp_path, suffix):
    hostile = '=HYPERLINK("https://evil.example")'
    runs = [make_run(label, [blank(hostile, hostile)]) for label in ("=1+1 a", "+b", "c", "d", "e", "f")]
    file = tmp_path / f"errata{suffix}"
    write_sheet(find_errata(runs), file)
    if suffix == ".csv":
        rows = list(csv.reader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline="")))
        assert rows[1][1:2] + rows[1][5:7] == [f"'{hostile}", f"'{hostile}", "'=1+1 a, +b, c, d, e, f"]
    else:
        page = load_workbook(file)["Errata"]
        rows = [[cell.value for cell in row] for row in page.iter_rows()]
        assert {cell.data_type for row in page.iter_rows() for cell in row} == {"s", "n"}
        assert rows[1][5:7] == [hostile, "=1+1 a, +b, c, d, e, f"]
    assert rows[0] == list(COLUMNS)
    assert [float(cell) for cell in rows[1][7:9]] == [0, 6]
    assert not rows[1][9]


def test_another_name_of_the_sheet_is_refused(six, tmp_path):
    with pytest.raises(HuevalError, match=r"errata\.ods is no name of a sheet\. It ends with \.xlsx or \.csv"):
        write_sheet(find_errata(six), tmp_path / "errata.ods")


@given(st.lists(st.text("AB", min_size=6, max_size=6), min_size=1, max_size=6), st.randoms())
def test_the_order_of_items_does_not_matter(items, random):
    parts = [
        Asked(FIB, (str(n // 2),), str(n), "", "A", {m: Answer(one == "A", one) for m, one in enumerate(answers)})
        for n, answers in enumerate(items)
    ]
    voters = [Voter(model, model[:3]) for model in MODELS]
    shuffled = random.sample(parts, len(parts))

    def found(some):
        return [(one.part, one.models, pytest.approx(one.difference)) for one in suspects(some, voters, compare_key)]

    assert found(shuffled) == found(parts)

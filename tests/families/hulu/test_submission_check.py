"""Every fault of a submission that somebody else made, in one line each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.each import each
from tests.families.hulu.submissions import ids, right, save
from tests.harness.runs import Outcome, hueval_here
from tests.helpers import shared

pytestmark = pytest.mark.usefixtures("in_folder")

COLA, COPA, RTE, SST = (right(corpus) for corpus in ("hucola", "hucopa", "hurte", "husst"))


def check(*arguments: object) -> Outcome:
    return hueval_here("hulu", "check", *arguments)


def changed(rows: list[dict], place: int, **values: object) -> list[dict]:
    """The rows with other values in one of them; None for a key takes it out."""
    row = {key: value for key, value in {**rows[place], **values}.items() if value is not ...}
    return [*rows[:place], row, *rows[place + 1 :]]


def renamed(rows: list[dict], **keys: str) -> list[dict]:
    return [{keys.get(key, key): value for key, value in row.items()} for row in rows]


@each("corpus", ["hucola", "hucopa", "hurte", "husst", "huwnli", "hucb"])
def test_right_labels_have_no_faults(corpus, tmp_path):
    done = check(save(tmp_path / f"{corpus}.json", right(corpus)))
    n = len(right(corpus))
    assert (done.status, done.err) == (0, "")
    assert done.out.lower() == f"{tmp_path}/{corpus}.json: no faults, {n} labels of {corpus}\n".lower()


FORM = 'Write an array of {"id": "…", "label": "…"}'
CASES = [
    # The form of the file.
    (
        "a byte order mark",
        "HuCOLA.json",
        b"\xef\xbb\xbf" + json.dumps(COLA).encode(),
        ["begins with a byte order mark (BOM). Save it as UTF-8 without one"],
    ),
    (
        "UTF-16",
        "HuCOLA.json",
        json.dumps(COLA).encode("utf-16"),
        [f"is UTF-16 text, expected JSON in UTF-8. {FORM}"],
    ),
    (
        "Latin-2",
        "HuCOLA.json",
        '[{"id": "é"}]'.encode("iso8859-2"),
        ["is not UTF-8 text (byte 9). Save it as UTF-8"],
    ),
    (
        "CSV",
        "HuCOLA.json",
        b"id,label\n0,1\n",
        [f"is not JSON (line 1 column 1: Expecting value). {FORM}"],
    ),
    (
        "JSON Lines",
        "HuCOLA.json",
        b'{"id": "0", "label": "1"}\n{"id": "1", "label": "0"}\n',
        [f"is JSON Lines. {FORM}"],
    ),
    ("an object", "HuCOLA.json", {"0": "1", "1": "0"}, [f"is an object, expected an array. {FORM}"]),
    ("nothing", "HuCOLA.json", [], [f"is an empty array. {FORM}, one for each row"]),
    ("nested too deeply", "HuCOLA.json", b"[" * 200 + b"]" * 200, [f"is not JSON (nested more than 100 deep). {FORM}"]),
    # The form of a row.
    (
        "a row that is a list",
        "HuWNLI.json",
        [*right("huwnli")[:2], ["2", "1"]],
        [f"row 3: is a list, expected an object. {FORM}", 'id "2": is missing. Add its label: every row needs one'],
    ),
    (
        "the spellings of cards",
        "HuWNLI.json",
        renamed(right("huwnli"), id="Sent_id", label="Label")[:1] + right("huwnli")[1:],
        [
            'row 1 (id "0"): has "Sent_id" instead of "id". Rename it',
            'row 1 (id "0"): has "Label" instead of "label". Rename it',
        ],
    ),
    (
        "the texts beside the labels",
        "HuSST.json",
        changed(SST, 1, Sent="Jó."),
        ['row 2 (id "1"): has "Sent" beside id and label. Leave out all but these two'],
    ),
    (
        "the stray column of HuWNLI",
        "HuWNLI.json",
        changed(right("huwnli"), 1, Column6="Bár"),
        ['row 2 (id "1"): has "Column6" beside id and label. Leave out all but these two'],
    ),
    (
        "no label",
        "HuCOLA.json",
        changed(COLA, 2, label=...),
        [f'row 3 (id "2"): has no "label". {FORM}'],
    ),
    (
        "no id",
        "HuCOLA.json",
        changed(COLA, 2, id=...),
        [f'row 3: has no "id". {FORM}', 'id "2": is missing. Add its label: every row needs one'],
    ),
    (
        "an id as a number",
        "HuCOLA.json",
        changed(COLA, 2, id=2),
        ["row 3: its id is a number (2), expected a string. Quote it"],
    ),
    (
        "an id of pandas",
        "HuCOLA.json",
        changed(COLA, 2, id=2.0),
        ["row 3: its id is a number (2.0), expected a string. Quote it"],
    ),
    (
        "an id that is null",
        "HuCOLA.json",
        changed(COLA, 2, id=None),
        [
            "row 3: its id is null, expected a string. Quote it",
            'id "2": is missing. Add its label: every row needs one',
        ],
    ),
    # Ids.
    (
        "an unknown id, and so a missing one",
        "HuCOLA.json",
        changed(COLA, 2, id="77"),
        [
            'row 3 (id "77"): is not in HuCOLA\'s test rows. Take the ids of the test file, row by row',
            'id "2": is missing. Add its label: every row needs one',
        ],
    ),
    (
        "an id with a prefix",
        "HuCOLA.json",
        changed(COLA, 2, id="test_2"),
        [
            'row 3 (id "test_2"): is not in HuCOLA\'s test rows. Write it "2"',
            'id "2": is missing. Add its label: every row needs one',
        ],
    ),
    (
        "an id twice",
        "HuCOLA.json",
        [*COLA, COLA[1]],
        ['row 7 (id "1"): is in row 2, too. Leave one of them'],
    ),
    (
        "rows in another order",
        "HuCOLA.json",
        [COLA[0], COLA[2], COLA[1], *COLA[3:]],
        ['row 2 (id "2"): expected id "1" here: another order than the test file\'s. Sort the rows so'],
    ),
    (
        "ids that number the rows where those of the corpus have gaps",
        "HuSST.json",
        [{**row, "id": str(number)} for number, row in enumerate(SST)],
        [
            'its ids number the rows from 0, and HuSST\'s have gaps ("3", "6"): from row 4 on (id "3", expected "4") '
            "every label is another row's. Take the ids of the test file, row by row"
        ],
    ),
    (
        "ids that count from 1",
        "HuCOLA.json",
        [{**row, "id": str(number)} for number, row in enumerate(COLA, 1)],
        [
            'its ids number the rows from 1, and HuCOLA\'s begin with "0": from row 1 on (id "1", expected "0") every '
            "label is another row's. Take the ids of the test file, row by row"
        ],
    ),
    # Labels.
    (
        "a label as a number",
        "HuCOLA.json",
        changed(changed(COLA, 2, label=1), 3, label=0.0),
        [
            'row 3 (id "2"): label 1 is a number, expected the string "1". Quote it',
            'row 4 (id "3"): label 0.0 is a number, expected the string "0". Quote it',
        ],
    ),
    (
        "a label in capitals, and one with a blank",
        "HuSST.json",
        changed(changed(SST, 0, label="Negative"), 1, label="neutral "),
        [
            'row 1 (id "0"): label "Negative": expected "negative". Write it so',
            'row 2 (id "1"): label "neutral ": expected "neutral". Write it so',
        ],
    ),
    (
        "a label as the prompts have it",
        "HuSST.json",
        changed(SST, 0, label="negatív"),
        ['row 1 (id "0"): label "negatív" is the word for it, expected "negative"'],
    ),
    (
        "labels outside the set",
        "HuCOLA.json",
        changed(changed(changed(COLA, 0, label="2"), 1, label=None), 2, label=True),
        [
            'row 1 (id "0"): label "2": HuCOLA has "1" or "0". Write one of them',
            'row 2 (id "1"): label null: HuCOLA has "1" or "0". Write one of them',
            'row 3 (id "2"): label true: HuCOLA has "1" or "0". Write one of them',
        ],
    ),
    (
        "a number of 401 digits as a label, and more than a float holds",
        "HuCOLA.json",
        changed(changed(COLA, 0, label=10**400), 1, label=float("inf")),
        [
            f'row 1 (id "0"): label 1{"0" * 38}…: HuCOLA has "1" or "0". Write one of them',
            'row 2 (id "1"): label Infinity: HuCOLA has "1" or "0". Write one of them',
        ],
    ),
    (
        "a key that stands twice in a row, of which JSON parsers keep the last",
        "HuCOLA.json",
        json.dumps(COLA).replace('"label": "1"', '"label": "0", "label": "1"', 1).encode(),
        ['row 1 (id "0"): has "label" more than once. Leave one of them'],
    ),
    (
        "HuCoPA counted from 0",
        "HuCoPA.json",
        changed(changed(COPA, 0, label="0"), 2, label=0),
        [
            f'row {row} (id "{row - 1}"): label {shown}: HuCoPA\'s labels are "1" and "2". Where yours count from 0, '
            '"1" means the second choice, too: add one to each'
            for row, shown in ((1, '"0"'), (3, "0"))
        ],
    ),
    # Another file.
    (
        "another corpus",
        "HuCOLA.json",
        SST,
        [
            "has the ids of HuSST's test rows, expected those of HuCOLA's test rows. Name it HuSST.json, or give "
            "--corpus husst"
        ],
    ),
    (
        "another corpus with the same number of rows is known by its labels",
        "HuCOLA.json",
        [{"id": one, "label": "positive"} for one in ids("husst")],
        [
            "has the ids of HuSST's test rows, expected those of HuCOLA's test rows. Name it HuSST.json, or give "
            "--corpus husst"
        ],
    ),
    (
        "the validation rows",
        "HuSST.json",
        right("husst", "validation"),
        [
            "has the ids of HuSST's validation rows, expected those of HuSST's test rows. Predict the test rows: "
            """hueval run --metadata '{"split": "test"}'"""
        ],
    ),
    (
        "a name that tells no corpus",
        "predictions.json",
        SST,
        [
            "which corpus? Its ids are those of HuSST's test rows. Name the file after it, such as HuCOLA.json, or "
            "give --corpus"
        ],
    ),
    (
        "a name and ids that tell none",
        "predictions.json",
        [{"id": "x", "label": "1"}],
        ["which corpus? Name the file after it, such as HuCOLA.json, or give --corpus"],
    ),
]


@each(("name", "content", "faults"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_fault_has_one_line(name, content, faults, tmp_path):
    done = check(save(tmp_path / name, content))
    assert done.out.splitlines() == [f"{tmp_path / name}: {fault}" for fault in faults]
    assert (done.status, done.err) == (1, "")


def test_every_fault_is_named_and_a_repeated_one_counted(tmp_path):
    """The test file itself, with the labels as numbers in another column."""
    rows = [{"id": int(row["id"]), "Sent": "x", "Label": int(row["label"])} for row in COLA]
    lines = check(save(tmp_path / "HuCOLA.json", rows)).out.splitlines()
    assert len(lines) == 4 * 6  # of each kind five, and a line that counts the others
    assert lines[5::6] == [
        f"{tmp_path}/HuCOLA.json: 1 more, where {kind}"
        for kind in (
            '"label" has another name',
            'there is "Sent"',
            "the id is not a string",
            "the label is a number",
        )
    ]


def test_the_corpus_and_the_split_may_be_named(tmp_path):
    file = save(tmp_path / "predictions.json", right("husst", "validation"))
    assert check(file, "--corpus", "husst", "--split", "validation").status == 0
    outcome = check(file, "--corpus", "husst")
    assert "has the ids of HuSST's validation rows" in outcome.out
    outcome = check(save(tmp_path / "HuSST.json", SST), "--split", "validation")
    assert outcome.out.endswith("expected those of HuSST's validation rows. Give --split test\n")


def test_nothing_of_a_foreign_file_acts_on_the_terminal(tmp_path):
    rows = changed(COLA, 0, label="\x1b[2J", **{"\x1b[31mred": 1})
    assert "\x1b" not in check(save(tmp_path / "HuCOLA.json", rows)).out


def test_the_packaged_sample_is_no_benchmark(tmp_path, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    done = check(save(tmp_path / "HuSST.json", SST))
    assert "HUEVAL_SAMPLE is set, and a submission is of the whole benchmark. Unset it" in done.out + done.err
    assert done.status == 1


def test_row_numbers_for_the_ids_of_the_published_husst(monkeypatch):
    """The fault that a public runner makes: 544 labels, those from row 623 on, would be of other sentences."""
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(shared("data")))
    rows = [{"id": str(number), "label": "neutral"} for number in range(1_165)]
    done = check(save(Path("sst_predicted_labels.json"), rows))
    assert done.out == (
        'sst_predicted_labels.json: its ids number the rows from 0, and HuSST\'s have gaps ("622", "886", "929"): from '
        'row 623 on (id "622", expected "623") every label is another row\'s. Take the ids of the test file, row by '
        "row\n"
    )

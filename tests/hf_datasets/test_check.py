from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.check import check
from hf_datasets.checks.findings import EXAMPLES, Finding
from hf_datasets.checks.texts import folded, gives_away
from hf_datasets.opened import open_data
from hf_datasets.repo import Split, content_hash, dataset_repo, names
from hueval_metrics.errors import DataError, InputError
from tests.each import each
from tests.hf_datasets.tiny import DAMAGED, row, rows, tiny

ALIKE = "ignoring letter case, white space and Unicode form"


def found(opened, *severities: str) -> list[tuple]:
    """The findings beyond the distribution of labels: severity, split, what, count, examples."""
    report = check(opened)
    assert all(finding.config in ("", "table") for finding in report.findings)
    return [
        (finding.severity, finding.split, finding.what, finding.count, finding.examples)
        for finding in report.findings
        if finding.severity in (severities or ("error", "warning"))
    ]


def test_sound_rows_give_nothing_but_what_is_good_to_know():
    report = check(tiny({"train": rows(3, "yes"), "test": rows(2, first=3)}))
    assert report.is_sound
    assert report.rows == {"table": {"train": 3, "test": 2}}
    assert report.findings == (
        Finding("note", "table", "train", 'rows with a "label"', 3, ("yes: 3 (100.0 %)",)),
        Finding("note", "table", "test", 'rows without a "label"', 2),
    )


NO_STRING = "breaks the schema: Input should be a valid string"
MISREAD = '"text": mojibake: UTF-8 read as Latin-1, such as Ã© for é'
ROW_CASES = [
    ("a field of a wrong type", row(1, text=7), "error", f'"text" {NO_STRING}', "7"),
    ("an entry of a list of a wrong type", row(1, options=["a", 5]), "error", f'"options[]" {NO_STRING}', "5"),
    ("a missing field", {"id": "1"}, "error", '"text" breaks the schema: Field required', "{'id': '1'}"),
    ("a field too many", row(1, Column6="x"), "error", '"Column6" is not in the schema', "x"),
    ("a blank text", row(1, text=" \u00a0"), "warning", '"text" is empty or has an empty entry', ""),
    ("two equal options", row(1, options=["Nem", "igen", "nem "]), "warning", 'duplicate entries in "options"', "nem"),
    ("with a case ending", row(1, "Pesten?", answer="pest"), "warning", "answer given away by the question", "pest"),
    ("NEL", row(1, "a\u0085b"), "warning", '"text": U+0085 (next line: many programs end a line there)', "a\u0085b"),
    ("zero width", row(1, "Egy\u200bkettő"), "warning", '"text": U+200B (zero width space)', "Egy\u200bkettő"),
    ("a mark in the text", row(1, "Egy\ufeffő"), "warning", '"text": U+FEFF (zero width no-break space)', "Egy\ufeffő"),
    ("NUL", row(1, "Egy\0kettő"), "warning", '"text": U+0000 (control character)', "Egy\0kettő"),
    ("lost", row(1, "\ufffdt"), "warning", '"text": U+FFFD (replacement character: a letter was lost)', "\ufffdt"),
    ("an unpaired surrogate", row(1, "k\ud83dt"), "warning", '"text": an unpaired surrogate', "k\ud83dt"),
    ("a private font", row(1, "k\uf0b7t"), "warning", '"text": private-use character', "k\uf0b7t"),
    ("UTF-8 as Latin-1", row(1, "kÃ©t"), "warning", MISREAD, "kÃ©t"),
    ("ő twice encoded", row(1, "nÅ‘ni"), "warning", MISREAD, "nÅ‘ni"),
    ("ő from ISO 8859-1", row(1, "cipõ"), "warning", '"text": õ or û for ő or ű (ISO 8859-1)', "cipõ"),
    ("NFD, in a list", row(1, options=["to\u0301"]), "warning", '"options[]": not NFC-normalized', "to\u0301"),
    ("no-break space", row(1, "10\u00a0km"), "note", '"text": U+00A0 (no-break space)', "10\u00a0km"),
    ("carriage return", row(1, "egy\r\nkettő"), "note", '"text": U+000D (carriage return)', "egy\r\nkettő"),
    ("joined emoji", row(1, "👩\u200d🔬"), "note", '"text": U+200D (zero width joiner)', "👩\u200d🔬"),
]


@pytest.mark.parametrize(
    ("why", "entry", "severity", "what", "example"), ROW_CASES, ids=[case[0] for case in ROW_CASES]
)
def test_what_a_row_shows(why, entry, severity, what, example):
    opened = tiny({"test": [row(0), entry, row(2), {**entry, "id": "3"}]}, splits=(Split("test"),))
    finding = next(finding for finding in check(opened).findings if finding.what == what)
    assert (finding.severity, finding.split, finding.count) == (severity, "test", 2), why
    shown = example.replace("'1'", "'3'")
    assert finding.examples == ((f"1: {example}", f"3: {shown}") if example else ("1", "3"))


@pytest.mark.parametrize(
    ("why", "entry"),
    [
        ("tab and line feed", row(1, "egy\tkettő\nhárom")),
        ("õ in a row of another language", {**row(1, "não põe"), "language": "pt"}),
        ("Vietnamese", {**row(1, "Võ Nguyên Giáp, Đà Nẵng, Quỳnh Lưu"), "language": "vi"}),
        ("a Vietnamese capital before a quotation mark", {**row(1, "Chữ “Â” – ĐÃ…"), "language": "vi"}),
        ("Thai", {**row(1, "น้ำพริกที่อร่อยที่สุดของปู่"), "language": "th"}),
        ("Arabic", {**row(1, "مَن مؤلف رواية «بين القصرين»؟"), "language": "ar"}),
        ("Arabic marks as they are typed", {**row(1, "محم\u0651\u064eد"), "language": "ar"}),
        ("Korean", {**row(1, "훈민정음을 창제한 조선의 왕은 누구인가?"), "language": "ko"}),
        ("Russian with the stress marked", {**row(1, "Пу\u0301шкин, Королёв"), "language": "ru"}),
        ("a Korean answer inside a word", {**row(1, "상수도를 만든 곳은?", answer="수도"), "language": "ko"}),
        ("a Thai answer inside a syllable", {**row(1, "เกาะสมุยอยู่ที่ไหน", answer="กา"), "language": "th"}),
        ("a Vietnamese answer that goes on", {**row(1, "Vua Quang Trung?", answer="Quan"), "language": "vi"}),
        ("Â before a letter", row(1, "Âge, Ångström, Äpfel")),
        ("the answer inside a word", row(1, "Mi az óperencia?", answer="per")),
        ("a short answer with an ending", row(1, "Mit tesz az igenlő?", answer="ige")),
        ("an answer of one character", row(1, "Mennyi 1 meg 1?", answer="1")),
        ("no answer", row(1, "Mennyi?", answer=None)),
        ("different options", row(1, options=["Nem", "nem is"])),
    ],
)
def test_what_is_in_order(why, entry):
    faults = [fault for fault in found(tiny({"test": [entry]})) if "is not in the schema" not in fault[2]]
    assert faults == [], why


@each(
    ("language", "question", "answer"),
    [
        ("ko", "한국의 수도는 어디인가?", "수도"),
        ("th", "เกาะสมุยอยู่ที่ไหน", "สมุย"),
        ("zh", "巴黎圣母院在哪里？", "巴黎"),
        ("vi", "Vua Quang Trung là ai?", "Quang Trung"),
        ("ar", "أين تقع مدينة القاهرة؟", "القاهرة"),
        ("ru", "Кто написал роман «Обломов»?", "Обломов"),
        ("sr", "Где је Београдска тврђава?", "Београд"),
    ],
)
def test_an_answer_is_found_in_its_question_in_every_script(language, question, answer):
    opened = tiny({"test": [{**row(1, question, answer=answer), "language": language}]})
    assert "answer given away by the question" in [what for _, _, what, *_ in found(opened)]


def test_arabic_marks_out_of_order_are_a_note_and_do_not_hide_a_decomposed_letter():
    marks, both = ({**row(1, text), "language": "ar"} for text in ("م\u0651\u064e", "م\u0651\u064e e\u0301"))
    assert ("note", "test", '"text": Arabic vowel marks not in the order of NFC', 1, ("1: م\u0651\u064e",)) in found(
        tiny({"test": [marks]}), "note"
    )
    assert '"text": not NFC-normalized' in [what for _, _, what, *_ in found(tiny({"test": [both]}))]


def test_vietnamese_in_a_wrong_code_page_is_still_seen():
    opened = tiny({"test": [{**row(1, "Hà NÃ”i"), "language": "vi"}]})
    assert MISREAD in [what for _, _, what, *_ in found(opened)]


def test_two_equal_texts_of_a_row():
    opened = tiny(
        {"test": [row(1, "Esik.", hint="esik. "), row(2, "Fúj.", hint="Esik.")]}, text_fields=("text", "hint")
    )
    assert found(opened) == [("warning", "test", '"text" and "hint" are the same', 1, ("1: esik.",))]


def test_all_are_counted_and_the_first_are_shown():
    faulty = [row(number, text=7) for number in range(100)]
    finding = check(tiny({"test": faulty})).findings[0]
    assert (finding.severity, finding.count, len(finding.examples)) == ("error", 100, EXAMPLES)
    assert finding.examples[0] == "0: 7"


def test_texts_that_come_twice():
    texts = ["Esik.", "Fúj.", "Esik.", " esik.", "Esik.", "Fu\u0301j."]
    assert found(tiny({"train": [row(number, text) for number, text in enumerate(texts)]}))[1:] == [
        ("warning", "train", "duplicate rows", 2, ("2 as 0: Esik.", "4 as 0: Esik.")),
        (
            "warning",
            "train",
            f"duplicate rows, {ALIKE}",
            2,
            ("3 as 0: esik.", "5 as 1: Fu\u0301j."),
        ),
    ]


def test_ids_that_come_twice():
    twice = [row(7, "Esik."), row(8, "Fúj."), row(7, "Süt.")]
    assert found(tiny({"train": twice})) == [("error", "train", "duplicate ids", 1, ("7 as 7: Süt.",))]


def test_texts_of_another_split():
    tables = {
        "train": [row(0, "Esik."), row(1, "Fúj.")],
        "validation": [row(0, "Süt."), row(1, "FÚJ.")],
        "test": [row(0, "Süt."), row(1, "Esik.")],
    }
    assert found(tiny(tables)) == [
        (
            "warning",
            "validation",
            f"train/validation overlap (leakage), {ALIKE}",
            1,
            ("validation 1 as train 1: FÚJ.",),
        ),
        ("warning", "test", "train/test overlap (leakage)", 1, ("test 1 as train 0: Esik.",)),
        ("warning", "test", "validation/test overlap (leakage)", 1, ("test 0 as validation 0: Süt.",)),
    ]


def test_texts_with_two_labels():
    tables = {
        "train": [row(0, "Esik.", label="a"), row(1, "Fúj.", label="a"), row(2, "esik.", label="b")],
        "test": [row(0, "Fúj.", label=None), row(1, "Süt.", label="a"), row(2, "Fúj.", label="b")],
    }
    shown = ("train 2 (b) as train 0 (a): esik.", "test 2 (b) as train 1 (a): Fúj.")
    assert ("warning", "", 'equal texts with more than one "label"', 2, shown) in found(tiny(tables))


@pytest.mark.parametrize(
    ("why", "validation", "severity"),
    [
        ("50 % and 20 % of many rows", (20, 80), "warning"),
        ("50 % and 33 % of three rows may be chance", (1, 2), "note"),
        ("50 % and 45 % are near enough", (45, 55), None),
    ],
)
def test_skewed_labels(why, validation, severity):
    tables = {
        "train": rows(100, "a") + rows(100, "b", first=100),
        "validation": rows(validation[0], "a", first=200) + rows(validation[1], "b", first=200 + validation[0]),
    }
    skewed = [
        f
        for f in check(tiny(tables)).findings
        if "label distribution differs between splits by over 10 points" in f.what
    ]
    assert [finding.severity for finding in skewed] == [severity] * (severity is not None), why
    if severity == "warning":  # chi-squared 24.9 at 1 degree of freedom
        assert skewed[0].what.endswith("(p = 6e-07)")
        assert skewed[0].examples == ("a: train 50.0 %, validation 20.0 %", "b: train 50.0 %, validation 80.0 %")


def test_labels_of_some_rows_only():
    opened = tiny({"test": [row(0, label="a"), row(1), row(2)]})
    assert found(opened) == [("warning", "test", 'rows without a "label"', 2, ())]


def test_a_field_of_many_values_is_no_label():
    opened = tiny({"test": [row(number, label=f"{number}") for number in range(21)]})
    assert found(opened, "note") == [("note", "test", 'values of "label" and more: not treated as a label', 20, ())]


@pytest.mark.parametrize(
    ("why", "ids", "gaps"),
    [
        ("one and a run", (10, 11, 13, 17, 18, 12, 19), (3, ("14–16",))),
        ("none", (3, 2, 1), None),
        ("more gaps than rows are no numbering", (1, 500, 90_000), None),
        ("words", ("a1", "a3"), None),
    ],
)
def test_gaps_in_the_ids(why, ids, gaps):
    noted = [
        fault[3:] for fault in found(tiny({"test": [row(i) for i in ids]}), "note") if "gaps in the ids" in fault[2]
    ]
    assert noted == ([gaps] if gaps else []), why


READ = rows(3)
HASH = content_hash(READ)


@pytest.mark.parametrize(
    ("why", "split", "expected"),
    [
        ("as it should be", Split("test", 3, HASH), []),
        ("nothing known", Split("test"), []),
        ("another number", Split("test", 4, HASH), [("error", "rows; the official file has 4")]),
        (
            "other rows",
            Split("test", 3, "0" * 64),
            [("error", "rows whose content or order differs from the official file")],
        ),
        ("the paper's number", Split("test", 3, HASH, printed=5), [("note", "rows; the paper prints 5")]),
    ],
)
def test_number_and_content(why, split, expected):
    faults = found(tiny({"test": READ}, splits=(split,)), "error", "note")
    assert [(fault[0], fault[2]) for fault in faults if "label" not in fault[2]] == expected, why


@each(
    ("split", "severity"),
    [(Split("test", 5), "error"), (Split("test", printed=5), "error"), (Split("test"), "warning")],
    ids=["counted in the official file", "counted in print", "perhaps upstream has none"],
)
def test_a_split_that_is_missing(split, severity):
    opened = tiny({"train": rows(2)}, splits=(Split("train"), split))
    assert found(opened) == [(severity, "test", "missing split", 1, ())]


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_the_packaged_sample_is_sound(name, tmp_path):
    repo = dataset_repo(name)
    report = check(open_data(str(repo.sample), name))
    what = "rows of the packaged sample; not compared with the official files"
    assert (
        Finding("note", "", "", what, sum(sum(splits.values()) for splits in report.rows.values())) in report.findings
    )
    compared = ("published", "official file has", "of the official file", "the paper prints")
    assert not [finding for finding in report.findings if any(words in finding.what for words in compared)]
    assert report.is_sound
    shutil.copytree(repo.sample, tmp_path / name)  # a copy may be meant for the benchmark
    copy = check(open_data(str(tmp_path / name)))
    assert any(words in finding.what for finding in copy.findings for words in compared)


def test_no_rows_at_all():
    with pytest.raises(
        DataError, match=r"^tiny folder has no rows\. Name another folder, or fetch it: hueval data pull"
    ):
        check(tiny({}, splits=(Split("test"),)))


def test_a_split_that_cannot_be_read_to_its_end():
    opened = tiny({"test": [row(0, "Esik."), row(1, "Esik."), DAMAGED]}, splits=(Split("test", 9, HASH),))
    assert found(opened) == [
        (
            "error",
            "test",
            "unreadable row; the check of this split stops there",
            1,
            ("table/test row 3 is cut short. Fix the row",),
        ),
        ("warning", "test", "duplicate rows", 1, ("1 as 0: Esik.",)),
    ]


def test_a_check_of_the_data_set_itself():
    def shouts(config, split, entry):
        if entry["text"].isupper():
            yield f"{config} {split} shouts"

    opened = tiny({"test": [row(0, "Esik."), row(1, "FÚJ."), row(2, "SÜT."), {"id": "3"}]}, checks=(shouts,))
    assert ("warning", "test", "table test shouts", 2, ("1", "2")) in found(opened)  # the broken row is not asked


def test_kinds_without_end_do_not_fill_the_memory():
    opened = tiny({"test": rows(999)}, checks=(lambda config, split, entry: [f"row {entry['id']}"],))
    faults = found(opened)
    assert len(faults) == 201
    assert faults[-1][2:4] == ("more kinds, not listed", 799)


def test_only_one_config():
    opened = tiny({"test": rows(2)})
    assert check(opened, "TABLE").rows == {"table": {"test": 2}}
    with pytest.raises(InputError, match=r'tiny has no config "tabel"\. Did you mean table'):
        check(opened, "tabel")


@each(
    ("languages", "count"),
    [("[et]", 0), ("[et, hu]", 1), ("[hu]", 1), (None, 1)],
    ids=["Estonian", "Estonian and Hungarian", "Hungarian", "no card"],
)
def test_letters_of_other_languages_are_no_fault_where_the_card_names_these(tmp_path, languages, count):
    opened = tiny({"test": [row(0, "Mis on Eesti kõrgeim mägi?")]})
    if languages:
        card = f"---\nlanguage: {languages}\nsize_categories: [n<1K]\nconfigs: []\n---\n"
        (tmp_path / "README.md").write_text(card, encoding="utf-8")
    opened = replace(opened, repo=replace(opened.repo, home=tmp_path))
    assert sum("õ or û" in finding.what for finding in check(opened).findings) == count


@given(st.text())
def test_folding_twice_is_folding_once(text):
    assert folded(folded(text)) == folded(text)


@given(st.text("ab ", max_size=8), st.text("ab", min_size=2, max_size=3))
def test_a_short_answer_is_given_away_as_a_whole_word_only(question, answer):
    assert gives_away(question, answer) == (answer in question.split())

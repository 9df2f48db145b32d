from __future__ import annotations

import json
from pathlib import Path

import pytest

from hf_datasets.hulu.convert import REPO
from hf_datasets.hulu.corpora import CORPORA
from hf_datasets.hulu.reader import SPLITS, path_of, read
from hf_datasets.repo import MissingError
from hueval_metrics.errors import DataError
from tests.each import each

ABSENT = object()
# A sound row of each corpus as upstream writes it, and as it is converted.
SOUND = {
    "hucola": (
        {"id": "3", "Sent": "A macska alszik.", "label": "1"},
        {"id": "3", "sentence": "A macska alszik.", "label": "1"},
    ),
    "hucopa": (
        {"id": "3", "question": "cause", "premise": "Sár van.", "choice1": "Esett.", "choice2": "Fúj.", "label": "1"},
        {"id": "3", "premise": "Sár van.", "question": "cause", "choice1": "Esett.", "choice2": "Fúj.", "label": "1"},
    ),
    "hurte": (
        {"id": "3", "premise": "Esik az eső.", "hypothesis": "Esik.", "label": "1"},
        {"id": "3", "premise": "Esik az eső.", "hypothesis": "Esik.", "label": "1"},
    ),
    "husst": (
        {"id": "3", "Sent": "Remek film.", "label": "positive"},
        {"id": "3", "sentence": "Remek film.", "label": "positive"},
    ),
    "huwnli": (
        {
            "orig_id": "7",
            "id": "3",
            "sentence1": "Anna hívta Julit, ráért.",
            "sentence2": "Juli ráért.",
            "label": "0",
        },
        {
            "id": "3",
            "orig_id": "7",
            "sentence1": "Anna hívta Julit, ráért.",
            "sentence2": "Juli ráért.",
            "label": "0",
        },
    ),
    "hucb": (
        {"id": "3", "premise": "Talán esik.", "hypothesis": "A beszélő szerint esik.", "label": "neutral"},
        {"id": "3", "premise": "Talán esik.", "hypothesis": "A beszélő szerint esik.", "label": "neutral"},
    ),
    "hurc": (
        {"id": "3", "lead": ["Hír."], "passage": ["Eger vára.", "Hős."], "query": "[MASK] áll.", "MASK": "Eger"},
        {"id": "3", "lead": ["Hír."], "passage": ["Eger vára.", "Hős."], "query": "[MASK] áll.", "label": "Eger"},
    ),
}


def changed(config: str, **changes) -> dict:
    row = {**SOUND[config][0], **changes}
    return {field: value for field, value in row.items() if value is not ABSENT}


@pytest.fixture
def put(tmp_path):
    """A function that writes rows (or bytes) as the file of a split and returns what is read from it."""

    def write_and_read(config: str, content: bytes | list, split: str = "train") -> list[dict]:
        path = tmp_path / path_of(config, split)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return list(read(tmp_path, config, split))

    return write_and_read


@each("config", SOUND)
def test_a_row_as_upstream_writes_it(put, config):
    raw, converted = SOUND[config]
    assert put(config, [raw]) == [converted]
    assert list(put(config, [raw])[0]) == list(REPO.config(config).row.model_fields)


@each("config", SOUND)
def test_a_converted_row_fits_the_schema_too(config):
    row = SOUND[config][1]
    assert REPO.config(config).row.model_validate(row).model_dump() == row


@each("config", SOUND)
def test_a_label_may_be_missing_or_null_in_test_only(put, config):
    hidden = {**SOUND[config][1], "label": None}
    for way in (ABSENT, None):
        row = changed(config, **({"MASK": way} if config == "hurc" else {"label": way}))
        assert put(config, [row], "test") == [hidden]
        for split in ("train", "validation"):
            with pytest.raises(DataError, match=r'\(id 3\): "label" is missing, expected one outside of the test'):
                put(config, [row], split)


@each("config", SOUND)
def test_a_label_in_test_is_kept(put, config):
    raw, converted = SOUND[config]
    assert put(config, [raw], "test") == [converted]


@pytest.mark.parametrize(
    ("why", "config", "changes", "differs"),
    [
        ("a label as a number", "hucola", {"label": 1}, {}),
        ("a label as a number, counted from 1", "hucopa", {"label": 2}, {"label": "2"}),
        ("an id as a number", "husst", {"id": 3}, {}),
        ("a key in capitals, as in cards", "hucola", {"label": ABSENT, "Label": "0"}, {"label": "0"}),
        ("sentence in full", "hucola", {"Sent": ABSENT, "sentence": "Jó."}, {"sentence": "Jó."}),
        ("sent in small letters", "husst", {"Sent": ABSENT, "sent": "Jó."}, {"sentence": "Jó."}),
        ("an id of earlier commits", "husst", {"id": ABSENT, "Sent_id": "sst_12"}, {"id": "sst_12"}),
        ("another id of earlier commits", "hucopa", {"id": ABSENT, "idx": 12}, {"id": "12"}),
        ("no counterpart in English", "huwnli", {"orig_id": "NULL"}, {"orig_id": None}),
        ("no orig_id at all", "huwnli", {"orig_id": ABSENT}, {"orig_id": None}),
        ("the stray column", "huwnli", {"Column6": SOUND["huwnli"][0]["sentence1"]}, {}),
        ("white space around a text", "hucb", {"hypothesis": " Esik. "}, {"hypothesis": " Esik. "}),
        ("line breaks in a text", "husst", {"Sent": "Jó \r\n film."}, {"sentence": "Jó \r\n film."}),
        ("decomposed letters", "husst", {"Sent": "Jo\u0301."}, {"sentence": "Jo\u0301."}),
        ("one paragraph without its list", "hurc", {"lead": "Hír."}, {}),
        ("a label under our own name", "hurc", {"MASK": ABSENT, "label": "Eger"}, {}),
        ("a column that its card does not name", "hurc", {"url": "x"}, {}),
        ("a row without an id", "hurc", {"id": ABSENT}, {"id": "0"}),
    ],
)
def test_what_is_allowed(put, why, config, changes, differs):
    assert put(config, [changed(config, **changes)]) == [{**SOUND[config][1], **differs}]


@each(
    ("config", "changes", "told"),
    [
        ("hucola", {"Sent": ABSENT}, '(id 3): "sentence" is missing, expected a string; found only id, label'),
        ("hucola", {"Sent": None}, '(id 3): "Sent" is null, expected a string'),
        ("hucola", {"Sent": "  "}, '(id 3): "Sent" is "", expected some text'),
        ("hucola", {"Sent": "a\0b"}, '(id 3): "Sent" is "a b", expected text without NUL characters'),
        ("hucola", {"Sent": "\ud83d"}, '(id 3): "Sent" is "\\ud83d", expected text without half surrogate pairs'),
        ("hucola", {"Sent": ["a"]}, '(id 3): "Sent" is a list, expected a string'),
        ("hucola", {"sentence": "Ez is."}, '(id 3): "Sent" is an unknown field, expected only those'),
        ("hucola", {"label": "2"}, """(id 3): "label" is "2", expected '0' or '1'"""),
        ("hucola", {"label": 2}, """(id 3): "label" is "2", expected '0' or '1'"""),
        ("hucola", {"label": True}, """(id 3): "label" is a true/false value, expected '0' or '1'"""),
        ("hucola", {"label": 1.0}, """(id 3): "label" is a number, expected '0' or '1'"""),
        ("hucola", {"id": ABSENT}, ': "id" is missing, expected a string; found only Sent, label'),
        ("hucopa", {"label": "0"}, """(id 3): "label" is "0", expected '1' or '2'"""),
        ("hucopa", {"question": "Cause"}, """(id 3): "question" is "Cause", expected 'cause' or 'effect'"""),
        ("husst", {"label": "pos"}, """(id 3): "label" is "pos", expected 'negative', 'neutral' or 'positive'"""),
        ("huwnli", {"Column6": "something else"}, '(id 3): "Column6" is an unknown field, expected only'),
        ("hucb", {"label": "0"}, """(id 3): "label" is "0", expected 'entailment', 'neutral' or 'contradiction'"""),
        ("hurc", {"passage": []}, '(id 3): "passage" has 0 entries, expected at least 1'),
        ("hurc", {"passage": ["a", 1]}, '(id 3): "passage[1]" is 1, expected a string'),
        ("hurc", {"lead": {}}, '(id 3): "lead" is an object, expected a list of strings'),
    ],
)
def test_a_row_that_is_refused_and_how_it_is_told(put, config, changes, told):
    with pytest.raises(DataError) as error:
        put(config, [{**SOUND[config][0], "id": "0"}, changed(config, **changes)])
    message = str(error.value)
    assert message.removeprefix(f"{path_of(config, 'train')} row 2").lstrip().startswith(told)
    assert message.endswith(", or pull a fresh copy: hueval data pull hulu")
    assert len(message.splitlines()) == 1


@each("row", [1, "text", None, [], True])
def test_a_row_that_is_no_object(put, row):
    with pytest.raises(DataError, match=r"hurte/rte_train.json row 1: is .+, expected an object\. Fix the row in "):
        put("hurte", [row])


@each("second", ["3", 3])
def test_an_id_twice_in_a_split(put, second):
    with pytest.raises(DataError, match=r'train.json row 3 \(id 3\): "id" duplicates that in row 1, expected once'):
        put("hucola", [changed("hucola"), changed("hucola", id="4"), changed("hucola", id=second)])


@each(("first", "second"), [("1", 0), (1, "0")])
def test_labels_of_two_types(put, first, second):
    with pytest.raises(DataError, match=r'row 2 \(id 4\): "label" is a (str|num)\w+, expected a (num|str)\w+ as in'):
        put("hucola", [changed("hucola", label=first), changed("hucola", id="4", label=second)])


def test_hurc_rows_without_ids_are_numbered_only_if_the_first_has_none(put):
    bare = changed("hurc", id=ABSENT)
    assert [row["id"] for row in put("hurc", [bare, bare, bare])] == ["0", "1", "2"]
    with pytest.raises(DataError, match='row 2: "id" is missing'):
        put("hurc", [changed("hurc"), bare])


ROWS = [changed("husst"), changed("husst", id="4", Sent="Unalmas.", label="negative")]
TEXT = json.dumps(ROWS, indent=4, ensure_ascii=False)


@pytest.mark.parametrize(
    ("why", "content"),
    [
        ("a byte order mark (three published files)", b"\xef\xbb\xbf" + TEXT.encode()),
        ("CRLF", TEXT.replace("\n", "\r\n").encode()),
        ("old Macintosh line ends", TEXT.replace("\n", "\r").encode()),
        ("one line", json.dumps(ROWS).encode()),
        ("blank lines around it", b"\n\n" + TEXT.encode() + b"\r\n \n"),
    ],
)
def test_forms_of_the_same_file(put, why, content):
    assert put("husst", content) == put("husst", ROWS)


@pytest.mark.parametrize(
    ("why", "content", "told"),
    [
        ("no rows", b"[]", "has no rows. Put them back in "),
        ("an object", b'{"data": []}', "is an object, expected a JSON array with an object a row. Fix it in "),
        ("cut off", TEXT[:-10].encode(), "row 2: is cut short or not JSON (Unterminated string starting at). Fix it"),
        ("a NUL byte", TEXT.replace("film", "\0").encode(), "line 4 contains a NUL byte, expected text. Fix it in "),
        ("Latin-2", TEXT.replace("film", "mű").encode("iso8859-2"), "line 4 contains byte 0xfb, expected UTF-8. Fix"),
        ("UTF-16", TEXT.encode("utf-16"), "is UTF-16 text, expected JSON. Fix it in "),
        ("an archive", b"PK\x03\x04rest", "is a zip archive, expected JSON. Fix it in "),
        ("Parquet, which only HuRC may be", b"PAR1rest", "is a Parquet file, expected JSON. Fix it in "),
        ("a web page", b"<!DOCTYPE html>", "is a web page or XML, expected JSON. Fix it in "),
        ("a pointer", b"version https://git-lfs.github.com/spec/v1", "is a git-lfs pointer"),
    ],
)
def test_a_file_that_is_refused_and_how_it_is_told(put, why, content, told):
    with pytest.raises(DataError) as error:
        put("husst", content)
    assert str(error.value).startswith(f"husst/sst_train.json {told}")


def test_the_rows_before_a_fault_are_handed_on(tmp_path, put):
    with pytest.raises(DataError):
        put("husst", TEXT[:-10].encode())
    rows = read(tmp_path, "husst", "train")
    assert next(rows)["id"] == "3"


@each("config", CORPORA)
def test_a_missing_file_is_named(tmp_path, config):
    with pytest.raises(MissingError, match=rf"{path_of(config, 'test')} is missing\. .*, or pull the published"):
        next(read(tmp_path, config, "test"))


def test_a_folder_in_place_of_the_file_is_a_missing_file(tmp_path):
    (tmp_path / path_of("hurte", "test")).mkdir(parents=True)
    with pytest.raises(MissingError):
        next(read(tmp_path, "hurte", "test"))


def test_a_file_that_may_not_be_read(monkeypatch):
    def refuse(*_args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"cannot read .+sst_train.json \(Permission denied\)\. Fix its permissions"):
        next(REPO.read(REPO.folder / "sample", "husst", "train"))


@each("config", REPO.configs, ids=lambda config: config.name)
def test_every_field_is_described_and_every_named_field_exists(config):
    fields = config.row.model_fields
    assert all(field.description for field in fields.values())
    named = {*config.id_fields, *config.text_fields, *config.question_fields, *config.answer_fields, "label"}
    assert named <= fields.keys()
    assert [split.name for split in config.splits] == list(SPLITS)


class TestFormsOfHuRC:
    ROWS = (changed("hurc", id="0"), changed("hurc", id="1", query="Ez [MASK].", MASK="Ő"))

    @pytest.fixture
    def folder(self, tmp_path) -> Path:
        (tmp_path / "hurc").mkdir(exist_ok=True)
        return tmp_path

    @pytest.fixture
    def expected(self, put):
        return put("hurc", list(self.ROWS), "validation")

    def lines(self) -> bytes:
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.ROWS).encode()

    @pytest.mark.parametrize("name", ["hurc_train.jsonl", "hurc_train.json"])
    def test_json_lines_under_either_name(self, expected, folder, name):
        (folder / "hurc" / name).write_bytes(self.lines())
        assert list(read(folder, "hurc", "train")) == expected

    def test_json_lines_that_are_cut_off(self, folder):
        (folder / "hurc" / "hurc_train.jsonl").write_bytes(self.lines()[:-20])
        with pytest.raises(DataError, match=r"line 2.*: is cut short or not JSON"):
            list(read(folder, "hurc", "train"))

    @pytest.mark.parametrize("name", ["hurc_train.parquet", "hurc_train.json"])
    def test_parquet_under_either_name(self, expected, folder, name):
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.Table.from_pylist(list(self.ROWS)), folder / "hurc" / name)
        assert list(read(folder, "hurc", "train")) == expected

    def test_parquet_with_null_labels_and_numbers_as_ids(self, folder):
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        rows = [{**row, "id": int(row["id"]), "MASK": None} for row in self.ROWS]
        pq.write_table(pa.Table.from_pylist(rows), folder / "hurc" / "hurc_test.parquet")
        assert [(row["id"], row["label"]) for row in read(folder, "hurc", "test")] == [("0", None), ("1", None)]

    def test_damaged_parquet(self, folder):
        pytest.importorskip("pyarrow")
        (folder / "hurc" / "hurc_train.parquet").write_bytes(b"PAR1" + b"x" * 100 + b"PAR1")
        with pytest.raises(DataError, match=r"hurc/hurc_train.parquet is damaged Parquet \(.+\)\. Fix it in "):
            list(read(folder, "hurc", "train"))

    def test_what_its_definition_asks_for_is_found_by_the_check(self):
        (check,) = REPO.checks
        sound = SOUND["hurc"][1]
        assert list(check("hurc", "train", sound)) == []
        assert list(check("hurc", "test", {**sound, "label": None})) == []
        assert list(check("hurc", "train", {**sound, "query": "Áll."})) == ["no [MASK] in the query"]
        assert list(check("hurc", "train", {**sound, "label": "Ózd"})) == ["masked name not found in the article"]
        assert list(check("hucola", "train", SOUND["hucola"][1])) == []


@each("config", CORPORA)
def test_the_sample_is_read_and_shows_every_label_and_quirk(config):
    rows = {split: list(REPO.read(REPO.folder / "sample", config, split)) for split in SPLITS}
    assert sum(map(len, rows.values())) >= 12
    seen = {row["label"] for row in rows["train"]}
    assert config == "hurc" or seen == {"husst": {"negative", "neutral", "positive"}, "hucopa": {"1", "2"}}.get(
        config, {"entailment", "neutral", "contradiction"} if config == "hucb" else {"0", "1"}
    )
    assert all((row["label"] is None) == (config != "huwnli") for row in rows["test"])
    assert [
        f for split in SPLITS for row in rows[split] for check in REPO.checks for f in check(config, split, row)
    ] == []


def test_the_sample_has_the_irregularities_of_upstream():
    sample = REPO.folder / "sample"
    for split in SPLITS:
        assert (sample / path_of("hucb", split)).read_bytes().startswith(b"\xef\xbb\xbf[")
    assert sum("Column6" in row for row in json.loads((sample / "huwnli/train.json").read_bytes())) == 1
    ids = [int(row["id"]) for row in REPO.read(sample, "husst", "train")]
    assert ids == sorted(ids) != list(range(len(ids)))

"""Runs on the test rows as a submission, and what is refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.families.hulu.submissions import ids, save
from tests.harness.runs import Outcome, hueval_here
from tests.helpers import shared

pytestmark = pytest.mark.usefixtures("in_folder")

YES, NO, UNREADABLE = "Igen.", "Nem.", "Ki tudja?"


def score(folder: str, replies: dict[str, list[str]], split: str = "test", prompt: int = 1) -> Path:
    """Score replies to the rows of corpora, by corpus, in the order of their files."""
    rows = [
        {"task": f"hulugen_{corpus}", "qid": one, "split": split, "prediction": reply}
        for corpus, given in replies.items()
        for one, reply in zip(ids(corpus, split), given, strict=False)
    ]
    file = Path(f"{folder}.jsonl")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    metadata = json.dumps({"split": split, "prompt": prompt})
    assert hueval_here("score", file, "--metadata", metadata, "--output", folder).status == 0
    return Path(folder)


def package(*arguments: object) -> Outcome:
    return hueval_here("hulu", "package", *arguments, "--output", "out")


def refused(*arguments: object) -> str:
    """The one line on what is wrong, where nothing is written."""
    done = package(*arguments)
    assert (done.status, done.out, Path("out").exists()) == (1, "", False)
    (line,) = [line for line in done.complaints if "have no prediction; the denominator" not in line]
    return line.removeprefix("hueval: ")


WNLI = {"huwnli": [YES, NO, NO]}
SST = {"husst": ["pozitív", "negatív", "semleges", "pozitív", "pozitív", "pozitív"]}


def test_labels_are_the_corpus_s_own_by_the_ids_of_the_test_file():
    done = package(score("run", WNLI | SST))
    assert done.status == 0
    assert done.out == (
        "HuSST: 6 labels (hulugen_husst of run)\n"
        "HuWNLI: 3 labels (hulugen_huwnli of run)\n"
        "\nWrote out/submission.zip and, each by itself, HuSST.json, HuWNLI.json\n"
    )
    assert done.complaints == ["hueval: not in the submission: HuCOLA, HuCoPA, HuRTE, HuCB."]
    assert Path("out/HuWNLI.json").read_bytes() == (
        b'[\n{"id": "0", "label": "1"},\n{"id": "1", "label": "0"},\n{"id": "2", "label": "0"}\n]\n'
    )
    assert json.loads(Path("out/HuSST.json").read_bytes()) == [
        {"id": "0", "label": "positive"},
        {"id": "1", "label": "negative"},
        {"id": "2", "label": "neutral"},
        {"id": "4", "label": "positive"},  # of the fourth row: ids are no row numbers
        {"id": "5", "label": "positive"},
        {"id": "7", "label": "positive"},
    ]
    with zipfile.ZipFile("out/submission.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            name: Path("out", name).read_bytes() for name in ("HuSST.json", "HuWNLI.json")
        }


def test_rows_are_in_the_order_of_the_test_file_whatever_that_of_the_run():
    rows = [{"qid": one, "split": "test", "prediction": reply} for one, reply in (("2", NO), ("0", YES), ("1", NO))]
    Path("run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    call = ("score", "run.jsonl", "--task", "hulugen_huwnli", "--metadata", '{"split": "test"}', "--output", "run")
    assert hueval_here(*call).status == 0
    assert package("run").status == 0
    assert json.loads(Path("out/HuWNLI.json").read_bytes())[0] == {"id": "0", "label": "1"}


def test_the_same_labels_make_the_same_bytes(monkeypatch):
    run = score("run", WNLI)
    archives = []
    for time in (1_000_000_000.0, 2_000_000_000.0):
        monkeypatch.setattr("time.time", lambda time=time: time)
        assert package(run).status == 0
        archives.append(Path("out/submission.zip").read_bytes())
    assert archives[0] == archives[1]


def test_replies_without_a_label():
    run = score("run", {"husst": ["pozitív", UNREADABLE, *["negatív"] * 4], "huwnli": [YES, "", ""]})
    assert refused(run) == (
        "replies that name no label: HuSST 1 of 6, HuWNLI 2 of 3. A submission has a label for every row: --fill "
        "majority puts the commonest one of train there"
    )
    done = package(run, "--fill", "majority")
    assert done.out.splitlines()[:2] == [
        'HuSST: 6 labels, 1 of them filled with "positive" (hulugen_husst of run)',
        'HuWNLI: 3 labels, 2 of them filled with "0" (hulugen_huwnli of run)',
    ]
    assert [row["label"] for row in json.loads(Path("out/HuWNLI.json").read_bytes())] == ["1", "0", "0"]


def test_the_validation_rows():
    assert refused(score("run", {"husst": ["pozitív"] * 3}, "validation")) == (
        "run/results.json: hulugen_husst was run on the validation rows, and the site takes those of test: "
        """hueval run --metadata '{"split": "test"}'"""
    )


def test_rows_that_were_not_run():
    run = score("run", {"husst": ["pozitív"] * 4})
    assert refused(run) == (
        "hulugen_husst of run: 2 ids are missing: 5, 7. Add their labels: every row needs one (fault 1 of 1). Was it "
        "run with --limit, on the sample or on other data?"
    )


def test_two_prompts_of_one_corpus():
    runs = [score(f"prompt-{prompt}", WNLI, prompt=prompt) for prompt in (1, 2)]
    assert refused(*runs) == (
        "HuWNLI is in hulugen_huwnli of prompt-1 (prompt-1/results.json) and in hulugen_huwnli of prompt-2 "
        "(prompt-2/results.json), and a submission has it once. Name the results file of one of them"
    )
    assert package(runs[1]).status == 0


def both_forms() -> Path:
    """A run that has HuWNLI in both forms."""
    run = score("run", WNLI)
    labels = [{"id": one, "label": "1"} for one in ids("huwnli")]
    assert hueval_here("hulu", "score", save(Path("HuWNLI.json"), labels), "--output", "chosen").status == 0
    for name in ("results.json", "items.jsonl"):
        texts = [Path(folder, name).read_text(encoding="utf-8") for folder in ("run", "chosen")]
        merged = "".join(texts) if name == "items.jsonl" else json.dumps(json.loads(texts[0]) | json.loads(texts[1]))
        Path("run", name).write_text(merged, encoding="utf-8")
    return run


def test_both_forms_of_one_corpus():
    run = both_forms()
    line = refused(run)
    assert line.startswith("HuWNLI is in hulu_huwnli of ") and " and in hulugen_huwnli of " in line
    assert line.endswith(", and a submission has it once. Name one of them by --tasks")
    labels = {}
    for tasks in ("hulugen", "hulu_*", "hulugen_huwnli, hulu_hucb"):
        assert package(run, "--tasks", tasks).status == 0
        labels[tasks] = [row["label"] for row in json.loads(Path("out/HuWNLI.json").read_bytes())]
    assert labels == {
        "hulugen": ["1", "0", "0"],
        "hulu_*": ["1", "1", "1"],
        "hulugen_huwnli, hulu_hucb": ["1", "0", "0"],
    }


@pytest.mark.parametrize(
    ("tasks", "line"),
    [
        ("hulugne", '--tasks: no task is called "hulugne". Some are: hulu_hucola, hulu_hucopa, hulu_hurte'),
        ("hulu_hucb", "run/results.json: no results of hulu_hucb"),
    ],
)
def test_tasks_that_are_not_there(tasks, line):
    assert refused(score("run", WNLI), "--tasks", tasks) == line


def test_a_file_of_an_earlier_package_does_not_stay_beside_another():
    assert package(score("run", WNLI | SST)).status == 0
    before = {file.name: file.read_bytes() for file in Path("out").iterdir()}
    done = package(score("other", WNLI))
    assert done.status == 1
    assert done.complaints == [
        "hueval: out/HuSST.json: is of an earlier package, and this one has no HuSST. Delete it, or choose another "
        "folder with --output"
    ]
    assert {file.name: file.read_bytes() for file in Path("out").iterdir()} == before


def test_a_folder_that_cannot_be_written(tmp_path):
    save(tmp_path / "file", b"")
    done = hueval_here("hulu", "package", score("run", WNLI), "--output", "file/out")
    assert (done.status, done.out) == (1, "")
    assert done.complaints[-1].startswith("hueval: cannot write file/out/HuWNLI.json (Not a directory).")


@pytest.mark.nightly
@pytest.mark.slow
def test_round_trip_on_the_published_data(monkeypatch):
    """Train's commonest labels on the test rows: packed without a fault, and HuWNLI's known ones score 63.43."""
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(shared("data")))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    model = ("run", "--model", "hueval-baseline", "--model_args", "policy=majority", "--tasks", "hulu")
    assert hueval_here(*model, "--metadata", '{"split": "test"}', "--output_path", "run").status == 0
    done = package("run")
    counts = {"HuCOLA": "910", "HuCoPA": "500", "HuRTE": "2,123", "HuSST": "1,165", "HuWNLI": "134", "HuCB": "250"}
    assert done.out.splitlines()[:6] == [
        f"{title}: {count} labels (hulu_{title.lower()} of hueval-baseline-majority)" for title, count in counts.items()
    ]
    assert done.complaints == []
    done = hueval_here("hulu", "check", "out/submission.zip")
    assert done.status == 0 and done.out.count("no faults") == 6
    rows = json.loads(Path("out/HuSST.json").read_bytes())
    assert {row["label"] for row in rows} == {"positive"} and rows[622]["id"] == "623"
    done = hueval_here("hulu", "score", "out/submission.zip", "--output", "scored")
    assert done.status == 0
    results = json.loads(Path("scored/results.json").read_text(encoding="utf-8"))
    assert results.keys() == {"hulu_huwnli"}
    assert results["hulu_huwnli"]["acc"] == pytest.approx(100 * 85 / 134)
    # As the run itself scored them, to the digit and the end of the interval.
    live = json.loads(next(Path("run").rglob("results_*.json")).read_text(encoding="utf-8"))
    assert results["hulu_huwnli"]["acc"] == live["results"]["hulu_huwnli"]["acc,none"]
    assert results["hulu_huwnli"]["acc_ci95"] == live["intervals"]["hulu_huwnli"]["acc"]

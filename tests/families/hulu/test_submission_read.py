"""The files of a submission, by themselves and in archives."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from lm_eval_tasks.hulu.submission.read import corpus_of
from tests.each import each
from tests.families.hulu.submissions import right, save
from tests.harness.runs import Outcome, hueval_here

pytestmark = pytest.mark.usefixtures("in_folder")
COLA, SST = right("hucola"), right("husst")


def check(*arguments: object) -> Outcome:
    return hueval_here("hulu", "check", *arguments)


@pytest.mark.parametrize(
    ("stem", "corpus"),
    [
        ("HuCOLA", "hucola"),
        ("hucommitmentbank-test", "hucb"),
        ("cb_predicted_labels_1", "hucb"),
        ("copa_predicted_labels", "hucopa"),
        ("submission", None),
        ("sst_wnli", None),
        ("hurc", None),
    ],
)
def test_the_corpus_that_a_name_tells(stem, corpus):
    assert corpus_of(stem) == corpus


def archive(**files: object) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files.items():
            opened.writestr(name.replace("__", "/").replace("_json", ".json"), json.dumps(content))
    return whole.getvalue()


def test_files_of_an_archive(tmp_path):
    file = save(tmp_path / "mine.zip", archive(out__HuSST_json=SST, HuCOLA_json=[COLA[0] | {"label": "2"}, *COLA[1:]]))
    done = check(file)
    assert done.status == 1
    assert done.out.splitlines() == [
        f"{file}: out/HuSST.json: no faults, 6 labels of HuSST",
        f'{file}: HuCOLA.json: row 1 (id "0"): label "2": HuCOLA has "1" or "0". Write one of them',
    ]
    twice = save(tmp_path / "twice.zip", archive(HuSST_json=SST, out__HuSST_json=SST))
    assert check(twice).out.splitlines()[1] == (
        f"{twice}: out/HuSST.json: is of HuSST, as is {twice}: HuSST.json. Leave one of them out"
    )
    assert check(twice, "--corpus", "husst").out == (f"{twice}: has 2 files, and --corpus is for one. Leave it out\n")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (archive(), "the archive is empty. Put one file for each task into it, called after the task"),
        (archive(HuSST_json=SST)[:40], "is a damaged zip archive (it has no directory). Zip the files again"),
        (None, "cannot be read (No such file or directory). Name a .json or .zip file"),
    ],
    ids=["empty", "cut off", "missing"],  # archives contain the time, and two workers must collect the same ids
)
def test_a_file_that_cannot_be_read_keeps_none_from_being_checked(content, what, tmp_path):
    file = tmp_path / "mine.zip"
    if content is not None:
        save(file, content)
    done = check(file, save(tmp_path / "HuSST.json", SST))
    assert done.status == 1
    assert done.out.splitlines() == [f"{file}: {what}", f"{tmp_path}/HuSST.json: no faults, 6 labels of HuSST"]


def test_an_archive_that_unpacks_to_too_much(tmp_path):
    file = save(tmp_path / "bomb.zip", archive(HuSST_json="0" * (2**24 + 1)))
    assert check(file).out == (
        f"{file}: unpacks to more than 16 MiB. Submit the files one by one, or make them smaller\n"
    )


@each("name", ["../HuSST.json", "a/../../HuSST.json", "/tmp/HuSST.json", "C:\\HuSST.json"])
def test_a_name_that_leads_out_of_the_archive(tmp_path, name):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as opened:
        opened.writestr(name, json.dumps(SST))
    done = check(save(tmp_path / "mine.zip", whole.getvalue()))
    assert (done.status, done.err) == (1, "")
    assert done.out.endswith("its name leads out of the archive. Zip the files without folders\n")

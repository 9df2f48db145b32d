import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from hueval_metrics.errors import InputError
from hueval_metrics.export.hub import eval_results
from hueval_metrics.export.record import task_records
from hueval_metrics.runs.load import load_runs
from tests.export.conftest import FIB, FIB_SIGNATURE, QA, QA_SIGNATURE


def files(folder, dataset="my-org/openhueval@v1.0", url=None) -> dict:
    (run,) = load_runs([folder])
    made = eval_results(task_records(run, "org/model-7B", dataset), url)
    return {str(file.path): yaml.safe_load(b"".join(file.chunks())) for file in made}


def test_a_file_a_task_as_the_hub_documents_it(scored):
    assert files(scored()) == {
        f".eval_results/{FIB}.yaml": [
            {
                "dataset": {"id": "my-org/openhueval", "task_id": "hustandardfib", "revision": "v1.0"},
                "value": 75.0,
                "notes": "blank_acc 75.00 [50.00, 100.00], question_acc 50.00 [9.45, 90.55] (95 % intervals); "
                f"2 predictions; {FIB_SIGNATURE}",
            }
        ],
        f".eval_results/{QA}.yaml": [
            {
                "dataset": {"id": "my-org/openhueval", "task_id": "husimpleqa", "revision": "v1.0"},
                "value": 50.0,
                "notes": f"correct 50.00 [9.45, 90.55] (95 % intervals); 2 predictions; {QA_SIGNATURE}",
            }
        ],
    }


def test_it_names_what_the_hub_still_lacks(scored, caplog):
    files(scored())
    assert [record.getMessage() for record in caplog.records] == [
        "the Hub shows results on my-org/openhueval only where it is a registered benchmark with an eval.yaml at its "
        "root (hueval data push writes one). Ask for it at https://huggingface.co/spaces/OpenEvals/README/discussions/2",
        "that eval.yaml does not list hustandardfib: the Hub will have no leaderboard for them",
    ]


def test_huggingface_hub_reads_it_back(scored):
    for content in files(scored(), "my-org/openhueval", "https://example.org/run").values():
        (entry,) = parse_eval_result_entries(content)
        assert (entry.dataset_id, entry.dataset_revision) == ("my-org/openhueval", None)
        assert entry.task_id in ("hustandardfib", "husimpleqa")
        assert entry.value in (75.0, 50.0)
        assert entry.source_url == "https://example.org/run"


def test_a_live_run_has_a_date_and_tells_its_repository(lm_eval_file):
    provenance = {"signature": FIB_SIGNATURE, "origin": "hub", "repo": "my-org/openhueval", "revision": "abc123"}
    path = lm_eval_file("results_1.json", {FIB: {"blank_acc": 61.23456}}, date=1769853600.5, provenance=provenance)
    ((entry,),) = files(path, dataset=None).values()
    assert entry["dataset"] == {"id": "my-org/openhueval", "task_id": "hustandardfib", "revision": "abc123"}
    assert entry["date"] == "2026-01-31T10:00:00Z"
    assert entry["value"] == 61.2346


@pytest.mark.parametrize("date", ["yesterday", 1e300, None])
def test_a_date_that_is_none_is_left_out(lm_eval_file, date):
    path = lm_eval_file("results_1.json", {FIB: {"blank_acc": 61.0}}, date=date)
    ((entry,),) = files(path).values()
    assert "date" not in entry


@pytest.mark.parametrize(
    ("provenance", "why"),
    [
        ({"origin": "cache", "repo": "opendatalab/OpenHuEval"}, "upstream's repository is on GitHub, not on the Hub"),
        ({"origin": "hub", "repo": "../../x"}, "no repository's name"),
        ("hub", "a results file that anyone may have written"),
    ],
)
def test_without_a_dataset_it_says_which_option_names_one(lm_eval_file, provenance, why):
    path = lm_eval_file("results_1.json", {FIB: {"blank_acc": 61.0}}, provenance=provenance)
    with pytest.raises(InputError, match=r"results_1\.json: .* --dataset org/name@revision"):
        files(path, dataset=None)


@pytest.mark.parametrize("dataset", ["openhueval", "org/name@", "org/name@a b", "../x/y", "org/<b>", "https://x/y/z"])
def test_what_is_no_repository_is_refused(scored, dataset):
    with pytest.raises(InputError, match=r"--dataset is '.*', expected org/name or org/name@revision"):
        files(scored(), dataset)

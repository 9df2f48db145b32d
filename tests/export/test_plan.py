from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.errors import InputError
from hueval_metrics.export.plan import TARGETS, Options, plan
from hueval_metrics.export.record import model_id, task_records
from hueval_metrics.runs.load import load_runs
from tests.each import each
from tests.export.conftest import FIB, QA
from tests.helpers import run_of

OTHER_DATA = "data:ffffffffffff|sample:no|limit:no"


def paths(*folders: Path, **options) -> list[str]:
    given = {"target": "all", "dataset": "my-org/openhueval", "created": datetime(2026, 1, 1, tzinfo=UTC)} | options
    return [str(file.path) for file in plan(load_runs(folders), Options(**given))]


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("hub", [f".eval_results/{FIB}.yaml", f".eval_results/{QA}.yaml"]),
        ("model-index", ["model-index.yaml"]),
    ],
)
def test_a_target_alone(scored, target, found):
    assert paths(scored(), target=target) == found


def test_all_targets_side_by_side(scored):
    found = paths(scored())
    assert len(found) == len(set(found)) == 2 + 1 + 4 + 2
    alone = [path for target in TARGETS for path in paths(scored(target), target=target)]
    assert found == alone


def test_several_runs_get_a_folder_each(scored):
    folders = scored("a", model="org/a"), scored("b", model="org/b")
    assert paths(*folders, target="model-index") == ["org/a/model-index.yaml", "org/b/model-index.yaml"]


@pytest.mark.parametrize(("first", "second"), [("org/a", "org/a"), ("org/a", "ORG/A")])
def test_two_runs_of_a_model_would_share_a_folder(scored, first, second):
    with pytest.raises(InputError, match=r"one by one|no model id"):
        paths(scored("a", model=first), scored("b", model=second))


def test_one_name_for_several_models_is_refused(scored):
    with pytest.raises(InputError, match="--model names one model, and 2 runs were given"):
        paths(scored("a", model="org/a"), scored("b", model="org/b"), model="org/c")


@pytest.mark.parametrize(
    ("changes", "says", "option"),
    [
        ({"signature": "data:ffffffffffff|sample:yes"}, "packaged sample", "even_sample"),
        ({"signature": "data:46d4a38095ec|limit:5"}, r"only the first items were asked \(--limit 5\)", "even_partial"),
        ({"n_missing": 3}, "3 of 5 items have no prediction", "even_partial"),
        ({"judge_coverage": 99.5}, "a verdict on only 99.50 %", "even_partial"),
        ({"signature": "data:46d4a38095ec|judge:lexical"}, "comparing words", "even_partial"),
        ({"signature": "data:46d4a38095ec|judge:a,lexical"}, "comparing words", "even_partial"),
        ({"signature": OTHER_DATA}, "data file ffffffffffff, which is not the published file", "even_partial"),
        ({"signature": None}, "unknown data", "even_partial"),
    ],
)
@pytest.mark.parametrize("target", TARGETS)
def test_what_the_benchmark_does_not_define_goes_out_only_when_asked_for(scored, target, changes, says, option):
    folder = scored(tasks=(FIB,), **changes)
    with pytest.raises(InputError, match=rf"results\.json: {FIB}: .*{says}.*: --{option.replace('_', '-')}$"):
        paths(folder, target=target)
    made = plan(load_runs([folder]), Options(target, dataset="my-org/openhueval", **{option: True}))
    text = b"".join(chunk for file in made for chunk in file.chunks()).decode()
    assert says.replace("\\", "") in text


def test_all_faults_are_said_at_once(scored):
    folder = scored(tasks=(FIB,), signature="data:ffffffffffff|sample:yes|limit:5", n_missing=3)
    with pytest.raises(InputError, match=r"sample.*--limit 5.*3 of 5.*: --even-sample --even-partial$"):
        paths(folder)


def test_naming_a_dataset_does_not_make_other_data_the_published_ones(scored):
    with pytest.raises(InputError, match="which is not the published file"):
        paths(scored(tasks=(FIB,), signature=OTHER_DATA), dataset="my-org/openhueval@v1.0")


def test_a_task_without_its_headline_is_left_out(scored, caplog):
    found = paths(scored(correct=None), target="hub")
    assert found == [f".eval_results/{FIB}.yaml"]
    assert f"{QA} is left out: it was not judged" in caplog.text


def test_a_task_that_we_do_not_have_is_left_out(scored, caplog):
    folder = scored()
    results = folder / "results.json"
    results.write_text(results.read_text(encoding="utf-8").replace(QA, "openhueval_x/../y"), encoding="utf-8")
    assert paths(folder, target="hub") == [f".eval_results/{FIB}.yaml"]
    assert "openhueval_x/../y is left out: it is no task" in caplog.text


def test_no_other_metric_stands_in_for_the_headline(scored, caplog):
    """The Hub shows one number for a task: question_acc in the place of blank_acc would be taken for it."""
    assert paths(scored(blank_acc=None, correct=50.0), target="hub") == [f".eval_results/{QA}.yaml"]
    assert f"{FIB} is left out: it has no blank_acc" in caplog.text


@pytest.mark.parametrize("value", [-0.1, 100.1])
def test_a_score_that_cannot_be_is_refused(scored, value):
    says = rf"results\.json: blank_acc of {FIB} is {value}, which is not between 0 and 100\. Score it again"
    with pytest.raises(InputError, match=says):
        paths(scored(blank_acc=value))


def test_nothing_scored_is_nothing_to_export(scored):
    with pytest.raises(InputError, match="nothing is scored in it"):
        paths(scored(tasks=(QA,), correct=None))


@each(
    "label",
    ["scored", "/home/u/model", "../../etc/passwd", "org/..", "..", "org/na me", "org/<script>alert(1)</script>",
     "org/name\n", "org/a/b", "a\\b", "org/", "/name", "", "org/\u202ename", "org/name (scored)", "~/x", "C:/x"],
)  # fmt: skip
def test_a_label_that_is_no_id_is_never_turned_into_one(label):
    with pytest.raises(InputError, match=r"no model id\. Name the model as the Hub does: --model org/name") as refused:
        model_id(run_of(label, Path("results.json")), None)
    assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match="--model is"):
        model_id(run_of("org/name", Path("results.json")), label)


@given(label=st.text() | st.from_regex(r"[\w.-]+/[\w./-]+", fullmatch=True))
def test_an_id_is_a_safe_path(label):
    try:
        name = model_id(run_of(label, Path("results.json")), None)
    except InputError:
        return
    assert name == label
    parts = Path("/base", name).parts
    assert len(parts) == 4
    assert ".." not in parts
    assert name.isascii()
    assert name.isprintable()


def test_records_keep_to_the_order_of_the_run(scored):
    (run,) = load_runs([scored()])
    assert [record.task for record in task_records(run, "org/model-7B")] == [FIB, QA]

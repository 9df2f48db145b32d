import json
from pathlib import Path

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.registry import families, prefixes
from hueval_metrics.runs.load import load_runs
from hueval_metrics.runs.run import JudgeUse, is_baseline
from tests.each import each
from tests.helpers import column

CASES = Path(__file__).parents[1] / "cases"
FIB, QA, WILD = "openhueval_humatchingfib", "openhueval_husimpleqa", "openhueval_huwildbench"
LABELS = json.loads((CASES / "tables_labels.json").read_text(encoding="utf-8"))


def labels(*paths: Path) -> list[str]:
    return [run.label for run in load_runs(paths)]


@pytest.mark.parametrize("case", LABELS, ids=lambda case: case["why"])
def test_label_of_an_lm_eval_run(case, tmp_path):
    data = {"results": {FIB: {"blank_acc,answer": 1.0}}, "config": case["config"]}
    path = tmp_path / "results_2026-01-01.json"
    path.write_text(json.dumps(data | {k: v for k, v in case.items() if k == "model_name"}))
    assert labels(path) == [case["label"]]


@each(
    "config, expected",
    [
        ({"model": "hueval-baseline", "model_args": {"model": "hueval-baseline-oracle", "policy": "oracle"}}, True),
        ({"model": "hueval-baseline", "model_args": "policy=random"}, True),
        ({"model": "hf", "model_args": {"pretrained": "org/model"}}, False),
        ({"model": "hf", "model_args": {"pretrained": "org/hueval-baseline"}}, False),
    ],
)
def test_baselines_are_known_by_their_model(config, expected, lm_eval_file):
    (run,) = load_runs([lm_eval_file("results_2026-01-01T00-00-00.1.json", {FIB: {"blank_acc": 1.0}}, config=config)])
    assert is_baseline(run) is expected


def test_baselines_scored_from_their_samples(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps({FIB: {"blank_acc": 1.0, "n": 3, "model": "hueval-baseline-first"}}))
    (run,) = load_runs([path])
    assert is_baseline(run)


def test_lm_eval_file(lm_eval_file):
    scores = {FIB: {"blank_acc": 61.2, "question_acc": None}, "openhueval": {}, "gsm8k": {"exact_match": 0.5}}
    provenance = {"signature": "task:x|sample:yes|gen:?", "sample": True, "data": "421c"}
    path = lm_eval_file("results_2026-01-01T00-00-00.1.json", scores, provenance=provenance, limit=10.0)
    (run,) = load_runs([path])
    assert column(run, "scores") == {FIB: {"blank_acc": 61.2, "question_acc": None}}
    assert (column(run, "n"), column(run, "missing"), column(run, "intervals")) == ({FIB: 10}, {FIB: 0}, {FIB: {}})
    signature = "task:x|sample:yes|gen:?|shots:0|chat:?|reasoning:strip/3,read/1|limit:10|transformers:?"
    assert (column(run, "signature"), run.sample, run.limit) == ({FIB: signature}, True, 10.0)


def test_lm_eval_file_ignores_what_is_no_score(tmp_path):
    row = {"alias": "a", "sample_len": 3, "flag,none": True, "acc,none": 5, "acc_stderr,none": 0.1, "raw,none": "N/A"}
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"results": {FIB: {**row, "acc,other": 6, "bypass,none": 999}}}))
    (run,) = load_runs([path])
    assert column(run, "scores") == {FIB: {"acc": 5.0}}
    assert column(run, "n") == {FIB: 3}


def test_hueval_file(tmp_path):
    row = {"blank_acc": 61.23, "blank_acc_ci95": [59.0, 63.1], "question_acc": None, "question_acc_ci95": None}
    counts = {"n": 278, "n_missing": 2, "signature": "task:x|sample:no"}
    path = tmp_path / "my-model" / "results.json"
    path.parent.mkdir()
    path.write_text(json.dumps({FIB: row | counts}))
    (run,) = load_runs([tmp_path])
    assert run.label == "my-model"
    assert column(run, "scores") == {FIB: {"blank_acc": 61.23, "question_acc": None}}
    assert column(run, "intervals") == {FIB: {"blank_acc": (59.0, 63.1)}}
    assert (column(run, "n"), column(run, "missing"), run.sample, run.limit) == ({FIB: 278}, {FIB: 2}, False, None)


def test_a_metric_has_its_own_n_and_older_results_that_of_the_task(tmp_path):
    row = {"blank_acc": 61.0, "blank_acc_n": 93, "blank_acc_l": 60.0, "blank_acc_l_n": 55, "blank_acc_h": None}
    counts = {"blank_acc_h_n": 0, "question_acc": 1.0, "n": 93}
    (tmp_path / "results.json").write_text(json.dumps({FIB: row | counts, QA: {"correct": 1.0, "n": 0}}))
    (run,) = load_runs([tmp_path])
    assert run.tasks[FIB].scores == {"blank_acc": 61.0, "blank_acc_l": 60.0, "blank_acc_h": None, "question_acc": 1.0}
    own = {metric: run.result(FIB).n_of(metric) for metric in run.tasks[FIB].scores}
    assert own == {"blank_acc": 93, "blank_acc_l": 55, "blank_acc_h": 0, "question_acc": 93}
    assert run.result(QA).n_of("correct") is None


@each("value", ["55", None, [55], -1, 0.5, True])
def test_an_n_that_is_none_is_passed_over(tmp_path, value):
    row = {"blank_acc": 61.0, "blank_acc_n": value, "n": 93}
    (tmp_path / "results.json").write_text(json.dumps({FIB: row}))
    (run,) = load_runs([tmp_path])
    assert column(run, "scores") == {FIB: {"blank_acc": 61.0}}
    assert run.result(FIB).n_of("blank_acc") == 93


def test_sample_is_read_from_the_signature_too(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps({FIB: {"blank_acc": 1, "n": 12, "signature": "task:x|sample:yes|gen:?"}}))
    assert load_runs([path])[0].sample


@each("value", ["NaN", "Infinity", "-Infinity", "1e999", "1" + "0" * 400])
def test_a_value_that_is_no_finite_number_is_missing(tmp_path, value):
    path = tmp_path / "results.json"
    path.write_text(f'{{"{FIB}": {{"blank_acc": {value}, "blank_acc_ci95": [{value}, 1], "n": 1}}}}')
    (run,) = load_runs([path])
    assert (column(run, "scores"), column(run, "intervals")) == ({FIB: {"blank_acc": None}}, {FIB: {}})


def test_results_of_one_model_in_one_folder_are_one_row_and_the_newest_wins(lm_eval_file, tmp_path):
    lm_eval_file("out/results_2026-01-03.json", {FIB: {"blank_acc": 2.0}}, date=3.0)
    lm_eval_file("out/results_2026-01-01.json", {FIB: {"blank_acc": 1.0}, QA: {"correct": 5.0}}, date=1.0, limit=4.0)
    lm_eval_file("out/results_2026-01-02.json", {WILD: {"wb_score": 9.0}}, date=2.0)
    (run,) = load_runs([tmp_path])
    assert column(run, "scores") == {FIB: {"blank_acc": 2.0}, QA: {"correct": 5.0}, WILD: {"wb_score": 9.0}}
    assert run.path.name == "results_2026-01-03.json"
    assert run.limit == 4.0  # QA's, which is still in the row


def test_a_limit_of_results_that_were_replaced_is_forgotten(lm_eval_file, tmp_path):
    lm_eval_file("results_2026-01-01.json", {FIB: {"blank_acc": 1.0}}, date=1.0, limit=4.0)
    lm_eval_file("results_2026-01-02.json", {FIB: {"blank_acc": 2.0}}, date=2.0)
    assert load_runs([tmp_path])[0].limit is None


def test_where_a_model_runs_does_not_make_it_another(lm_eval_file, tmp_path):
    for i, port in enumerate((8000, 8001)):
        args = {"model": "m", "base_url": f"http://localhost:{port}"}
        lm_eval_file(f"results_{i}.json", {(FIB, QA)[i]: {"x": 1.0}}, config={"model_args": args})
    assert labels(tmp_path) == ["m"]


def test_settings_tell_rows_of_one_folder_apart(lm_eval_file, tmp_path):
    for thinking in (True, False):
        args = {"pretrained": "m", "enable_thinking": thinking}
        lm_eval_file(f"results_{thinking}.json", {FIB: {"blank_acc": 1.0}}, config={"model_args": args})
    assert labels(tmp_path) == ["m (enable_thinking=False)", "m (enable_thinking=True)"]


def test_folders_tell_rows_apart(lm_eval_file, tmp_path):
    for folder in ("a/org__model", "b/org__model", "b/deep/org__model"):
        lm_eval_file(f"{folder}/results_1.json", {FIB: {"blank_acc": 1.0}})
    assert labels(tmp_path) == ["org/model (a)", "org/model (b/deep)", "org/model (b)"]


def test_a_folder_inside_the_other(lm_eval_file, tmp_path):
    for folder in ("x", "x/y"):
        lm_eval_file(f"{folder}/results_1.json", {FIB: {"blank_acc": 1.0}})
    assert labels(tmp_path) == ["org/model (.)", "org/model (y)"]


def test_a_file_given_twice_counts_once(lm_eval_file, tmp_path):
    path = lm_eval_file("results_1.json", {FIB: {"blank_acc": 1.0}})
    assert labels(path, tmp_path) == ["org/model"]


def test_the_order_given_is_the_order_of_rows(tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text(json.dumps({FIB: {"blank_acc": 1, "n": 1}}))
    assert labels(tmp_path / "b", tmp_path / "a") == ["b", "a"]


def test_other_files_in_a_folder_are_left_alone(lm_eval_file, tmp_path):
    lm_eval_file("out_2026-01-01T00-00-00.123.json", {FIB: {"blank_acc": 1.0}})  # --output_path out.json
    (tmp_path / "config.json").write_text("not read")
    (tmp_path / "samples_x_2026-01-01T00-00-00.123.jsonl").write_text("not read")
    assert labels(tmp_path) == ["org/model"]


LOOKED_FOR = "lm-eval's results_<date>.json (written with --output_path) and hueval score's results.json"
NEITHER = f"{{path}}: neither of the formats that can be read. Expected {LOOKED_FOR}"
BROKEN = [
    ("", "{path} line 1 column 1: not valid JSON (Expecting value). A file that was cut off must be written again"),
    (
        '{"results":\n  {"a": 1,',
        "{path} line 2 column 11: not valid JSON (Expecting property name enclosed in double quotes). "
        "A file that was cut off must be written again",
    ),
    (b'{"\xff": 1}', "{path}: not UTF-8 text (invalid start byte). Save it as UTF-8"),
    ("[" * 100_000, "{path}: not valid JSON (nested more than 100 deep). Write the file again"),
    ("[1]", NEITHER),
    ("{}", NEITHER),
    ('{"scores": {"a": 1}}', NEITHER),
    (
        '{"results": {"gsm8k": {"exact_match,strict": 0.5}}}',
        "{path}: no scores of {families} tasks; found gsm8k. Run some: hueval run --tasks {first}",
    ),
    (
        '{"\\u001b[31mgsm8k": {"acc": 1, "n": 2}}',
        "{path}: no scores of {families} tasks; found gsm8k. Run some: hueval run --tasks {first}",
    ),
    (
        '{"results": {"openhueval_humatchingfib": {"bypass,none": 999}}}',
        "{path}: no scores of {families} tasks; found nothing. Run some: hueval run --tasks {first}",
    ),
]


@each(("content", "message"), BROKEN, ids=lambda value: str(value)[:30])
def test_a_file_that_cannot_be_used(content, message, tmp_path):
    path = tmp_path / "results.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as error:
        load_runs([path])
    shown = ", ".join(f"{prefix}*" for prefix in prefixes())
    assert str(error.value) == message.format(path=path, families=shown, first=next(iter(families())))


def test_no_such_path(tmp_path):
    with pytest.raises(InputError) as error:
        load_runs([tmp_path / "gone"])
    expected = f"{tmp_path / 'gone'}: no such file or folder. Give {LOOKED_FOR}, or a folder that holds them"
    assert str(error.value) == expected


def test_an_empty_folder(tmp_path):
    with pytest.raises(InputError) as error:
        load_runs([tmp_path])
    assert str(error.value) == f"{tmp_path}: no results found. Looked here and in all sub-folders for {LOOKED_FOR}"


def test_hueval_score_on_the_packaged_sample_is_told_by_its_signature(tmp_path):
    row = {"blank_acc": 50.0, "n": 14, "n_missing": 0, "signature": "task:t|v:1.0|sample:yes|gen:?"}
    (tmp_path / "results.json").write_text(json.dumps({"openhueval_humatchingfib": row}))
    assert load_runs([tmp_path])[0].sample


def test_an_unknown_signature_is_no_score(tmp_path):
    (tmp_path / "results.json").write_text('{"openhueval_husimpleqa": {"correct": 1.0, "n": 2, "signature": null}}')
    (run,) = load_runs([tmp_path])
    assert column(run, "scores") == {QA: {"correct": 1.0}}


def test_counts_are_no_scores_and_settings_complete_the_signature(tmp_path):
    provenance = {"signature": "task:t|gen:?|chat:?", "sample": False}
    config = {"metadata": {"provenance": provenance}, "generation_kwargs": {"until": [], "max_gen_toks": 64}}
    results = {
        "results": {"openhueval_huproverbrea_2cq": {"acc,response": 50.0, "n_single_order,response": 1}},
        "configs": {"openhueval_huproverbrea_2cq": config},
        "config": {"model": "hf", "model_args": {"pretrained": "m"}},
        "chat_template_sha": "0123456789abcdef",
        "transformers_version": "5.0",
    }
    (tmp_path / "results_2026-01-31T10-00-00.1.json").write_text(json.dumps(results))
    run = load_runs([tmp_path])[0]
    assert column(run, "scores") == {"openhueval_huproverbrea_2cq": {"acc": 50.0}}
    settings = "gen:max_gen_toks=64,until=[]|chat:01234567|shots:0|reasoning:strip/3,read/1|limit:no|transformers:5.0"
    assert column(run, "signature") == {"openhueval_huproverbrea_2cq": f"task:t|{settings}"}


def test_intervals_of_a_live_run(lm_eval_file):
    given = {FIB: {"blank_acc": [59.0, 63.1], "question_acc": None, "parse_rate": [1, "x"]}}
    scores = {FIB: {"blank_acc": 61.2, "question_acc": 3.0, "parse_rate": 4.0}}
    path = lm_eval_file("results_1.json", scores, intervals=given, ci_method={FIB: {"blank_acc": "wilson"}})
    (run,) = load_runs([path])
    assert column(run, "intervals") == {FIB: {"blank_acc": (59.0, 63.1)}}
    assert run.tasks[FIB].methods == {"blank_acc": "wilson"}


def test_results_of_hueval_score_name_their_model(tmp_path):
    rows = {FIB: {"acc": 1.0, "n": 2, "model": "org/model"}, QA: {"correct": 1.0, "n": 2, "model": "org/model"}}
    path = tmp_path / "scored" / "results.json"
    path.parent.mkdir()
    path.write_text(json.dumps(rows))
    assert labels(path) == ["org/model"]
    rows[QA]["model"] = "another"
    path.write_text(json.dumps(rows))
    assert labels(path) == ["scored"]


def test_what_a_judge_took_is_among_the_details(tmp_path):
    judge = {"gpt": {"calls": 3, "usd": 0.5}}
    row = {"correct": 1.0, "n": 2, "judge": judge, "n_suspicious": 1, "n_judge_errors": 0, "signature": "task:t"}
    (tmp_path / "results.json").write_text(json.dumps({QA: row}))
    (run,) = load_runs([tmp_path])
    assert column(run, "scores") == {QA: {"correct": 1.0}}
    result = run.tasks[QA]
    assert result.judges == {"gpt": JudgeUse(calls=3, usd=0.5)}
    assert (result.n_suspicious, result.n_judge_errors, result.n_unanswered) == (1, 0, 0)
    assert column(run, "source") == {QA: tmp_path / "results.json"}


def test_faults_are_told_and_the_others_read(tmp_path):
    for name in ("good", "broken"):
        (tmp_path / name).mkdir()
    (tmp_path / "good" / "results.json").write_text(json.dumps({QA: {"correct": 1.0, "n": 2}}))
    (tmp_path / "broken" / "results.json").write_text('{"openhueval')
    told: list[str] = []
    (run,) = load_runs([tmp_path / "broken", tmp_path / "good"], told.append)
    assert run.label == "good"
    (fault,) = told
    assert "not valid JSON" in fault


def test_a_path_that_is_not_there_raises_whatever_else_is(tmp_path):
    (tmp_path / "results.json").write_text(json.dumps({QA: {"correct": 1.0, "n": 2}}))
    with pytest.raises(InputError, match="none: no such file or folder"):
        load_runs([tmp_path, tmp_path / "none"], lambda _: None)


def test_faults_raise_where_nothing_is_left(tmp_path):
    (tmp_path / "results.json").write_text("[")
    with pytest.raises(InputError, match="not valid JSON"):
        load_runs([tmp_path], lambda _: None)


def test_what_is_no_finite_number_is_said_once_for_a_task(tmp_path, caplog):
    row = '"correct": NaN, "f_score": Infinity, "incorrect": null, "n": 2'
    (tmp_path / "results.json").write_text(f'{{"{QA}": {{{row}}}}}')
    (run,) = load_runs([tmp_path])
    assert run.tasks[QA].scores == {"correct": None, "f_score": None, "incorrect": None}
    assert caplog.messages == [f"{tmp_path}/results.json: not a number in {QA}: correct, f_score. Score it again."]


@each("count", ["-1", "1e300", "NaN", '"2"', "true"])
def test_a_count_that_can_be_none_is_unknown(tmp_path, count):
    (tmp_path / "results.json").write_text(f'{{"{QA}": {{"correct": 1.0, "n": {count}, "n_missing": {count}}}}}')
    (run,) = load_runs([tmp_path])
    assert (column(run, "n"), column(run, "missing")) == ({QA: 0}, {QA: 0})


def test_a_model_that_is_no_text_is_shown_as_it_is(tmp_path):
    (tmp_path / "results.json").write_text(json.dumps({QA: {"correct": 1.0, "n": 2, "model": ["x"]}}))
    assert labels(tmp_path) == ["['x']"]


@each(("limit", "known"), [("10", 10.0), ("0.5", 0.5), ("no", None), ("?", None), ("nan", None)])
def test_limit_of_a_scored_run_stands_in_its_signature(tmp_path, limit, known):
    rows = {FIB: {"acc": 1.0, "n": 2, "signature": f"task:t|limit:{limit}"}, QA: {"correct": 1.0, "n": 2}}
    (tmp_path / "results.json").write_text(json.dumps(rows))
    assert load_runs([tmp_path])[0].limit == known


SHARES = {"answered": 90.0, "refused": 10.0}


def test_shares_of_readings_are_read_from_both_kinds_of_files(tmp_path, lm_eval_file):
    scored = tmp_path / "scored" / "results.json"
    scored.parent.mkdir()
    scored.write_text(json.dumps({FIB: {"blank_acc": 1.0, "n": 10, "readings": SHARES}}))
    live = lm_eval_file("results_1.json", {FIB: {"blank_acc": 1.0}}, readings={FIB: SHARES})
    assert [load_runs([path])[0].result(FIB).readings for path in (scored, live)] == [SHARES, SHARES]


@pytest.mark.parametrize(
    ("why", "readings"),
    [
        ("older results have none", None),
        ("no object", [90.0, 10.0]),
        ("an unknown kind", {"answered": 90.0, "guessed": 10.0}),
        ("not the shares of a whole", {"answered": 90.0, "refused": 20.0}),
        ("a share below 0", {"answered": 110.0, "refused": -10.0}),
        ("no numbers", {"answered": "90", "refused": "10"}),
    ],
)
def test_shares_that_cannot_be_are_not_there(tmp_path, why, readings):
    (tmp_path / "results.json").write_text(json.dumps({FIB: {"blank_acc": 1.0, "n": 10, "readings": readings}}))
    (run,) = load_runs([tmp_path])
    assert run.result(FIB).readings == {}
    assert column(run, "scores") == {FIB: {"blank_acc": 1.0}}

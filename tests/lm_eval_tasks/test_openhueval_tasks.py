"""Each task through lm-eval's TaskManager, in the manner of lm-eval's own task tests."""

from __future__ import annotations

import json
import re
from dataclasses import asdict

import pytest
import yaml

from hueval_metrics.loader import load
from hueval_metrics.records import Filtered, Verdict
from hueval_metrics.registry import TASKS_DIR, known_tasks, task_spec
from tests.each import each
from tests.harness.runs import RULE_TASKS, results
from tests.helpers import shared

LIMIT = 3
SIZES = {
    "openhueval_humatchingfib": 278,
    "openhueval_hustandardfib": 93,
    "openhueval_huproverbrea_2cq": 2 * 1135,
    "openhueval_huproverbrea_oe": 1135,
}
SAMPLE_SIZES = {  # of the rest: 14
    "openhueval_huproverbrea_2cq": 28,
    "openhueval_husimpleqa": 18,
    "openhueval_huwildbench": 12,
}
GOOD_VERDICTS = {
    "openhueval_husimpleqa": Verdict(label="CORRECT", rubric="husimpleqa/1"),
    "openhueval_huproverbrea_oe": Verdict(label="YES", rubric="huproverbrea_oe/1"),
    "openhueval_huwildbench": Verdict(score=8, rubric="huwildbench/1"),
}
JUDGED_TASKS = tuple(GOOD_VERDICTS)
ALL_TASKS = (*RULE_TASKS, *JUDGED_TASKS)


def manager(**metadata):
    from lm_eval.tasks import TaskManager

    return TaskManager(include_path=TASKS_DIR, include_defaults=False, metadata=metadata)


@pytest.fixture(params=ALL_TASKS)
def task(request):
    """The task as lm-eval builds it, on the packaged sample."""
    return manager().load([request.param])["tasks"][request.param]


def test_documents(task):
    docs = list(task.test_docs())
    assert task.has_test_docs()
    assert not task.has_training_docs() and not task.has_validation_docs()
    assert len(docs) == SAMPLE_SIZES.get(task.task_name, 14)
    assert len({json.dumps(doc, sort_keys=True) for doc in docs}) == len(docs)


def test_prompts_are_text_without_stray_space(task):
    for doc in task.test_docs():
        prompt = task.doc_to_text(doc)
        assert isinstance(prompt, str)
        assert prompt and prompt == prompt.strip()


def test_targets_are_text_without_stray_space(task):
    for doc in task.test_docs():
        target = task.doc_to_target(doc)
        assert isinstance(target, str)
        assert target and target == target.strip()


def test_requests(task):
    task.build_all_requests(limit=LIMIT, rank=0, world_size=1)
    assert len(task.instances) == LIMIT
    assert {instance.request_type for instance in task.instances} == {"generate_until"}
    for instance, doc in zip(task.instances, task.test_docs(), strict=False):
        prompt, settings = instance.args
        assert prompt == doc.get("system_prompt", "") + task.doc_to_text(doc)
        room = 4096 if task.task_name == "openhueval_huwildbench" else 2048
        assert settings == {"until": [], "max_gen_toks": room}  # a stop string would cut the reasoning
        assert instance.repeats == 1


def test_one_filter_pipeline_that_ends_in_one_json_string(task):
    (pipeline,) = task._filters
    task.build_all_requests(limit=1, rank=0, world_size=1)
    (instance,) = task.instances
    instance.resps = ["<think>hm</think>igen"]
    pipeline.apply([instance])
    assert list(instance.filtered_resps) == [pipeline.name] == ["response"]
    filtered = Filtered.from_json(instance.filtered_resps["response"])
    assert (filtered.response, filtered.truncated) == ("igen", False)
    if task.task_name in RULE_TASKS:
        assert filtered.verdict is None
    else:  # HUEVAL_JUDGE=defer
        assert filtered.verdict is None or Verdict(**filtered.verdict).is_missing


@each("name", ["openhueval_huwildbench", "openhueval_husimpleqa"])
def test_only_an_open_answer_keeps_what_is_around_a_box(name):
    task = manager().load([name])["tasks"][name]
    task.build_all_requests(limit=1, rank=0, world_size=1)
    (instance,) = task.instances
    reply = "Három tanácsom van, és a végén egy összeg.\n\n**Végső válasz**\n\n\\boxed{12}"
    instance.resps = [reply]
    task._filters[0].apply([instance])
    whole = name == "openhueval_huwildbench"
    assert Filtered.from_json(instance.filtered_resps["response"]).response == (reply if whole else "12")


@each("response", ["", "1", "{}", '{"answer": ["#0#A"], "answers": ["#0#igen"]}'])
def test_every_metric_has_a_value_for_every_document(task, response):
    declared = [entry["metric"] for entry in task.config.metric_list]
    assert len(set(declared)) == len(declared)
    assert set(task.aggregation()) == set(task.higher_is_better()) == set(declared)
    for doc in task.test_docs():
        assert set(task.process_results(doc, [Filtered(response).to_json()])) == set(declared)


def test_aggregations_accept_what_process_results_gives(task):
    docs = list(task.test_docs())
    verdict = asdict(GOOD_VERDICTS[task.task_name]) if task.task_name in JUDGED_TASKS else None
    scores = [task.process_results(doc, [Filtered(task.doc_to_target(doc), verdict=verdict).to_json()]) for doc in docs]
    for metric, aggregate in task.aggregation().items():
        value = aggregate([score[metric] for score in scores])
        # the answers of HuSimpleQA are too short to tell their language
        assert isinstance(value, (int, float)) or (metric == "hungarian_rate" and value is None), metric


@each("name", [name for name in ALL_TASKS if name != "openhueval_huwildbench"])
def test_a_wholly_right_reply_gets_the_best_score(name):
    task = manager().load([name])["tasks"][name]
    verdict = asdict(GOOD_VERDICTS[name]) if name in JUDGED_TASKS else None
    scores = [
        task.process_results(doc, [Filtered(task.doc_to_target(doc), verdict=verdict).to_json()])
        for doc in task.test_docs()
    ]
    headline = next(m for m in ("blank_acc", "acc", "correct") if m in task.aggregation())
    assert task.aggregation()[headline]([score[headline] for score in scores]) == 100


@each("name", JUDGED_TASKS)
def test_without_a_verdict_nothing_is_scored(name):
    task = manager().load([name])["tasks"][name]
    (doc, *_) = task.test_docs()
    score = task.process_results(doc, [Filtered("Ez egy rövid magyar válasz.").to_json()])
    scored = {metric for metric, value in score.items() if value is not None}
    assert scored == {"judge_coverage", "hungarian_rate", "truncated_rate"}
    assert task.aggregation()["judge_coverage"]([score["judge_coverage"]]) == 0


def test_the_yaml_is_as_declared(task):
    spec = task_spec(task.task_name)
    assert list(spec.metrics) == [entry["metric"] for entry in spec.config["metric_list"]]
    for entry in spec.config["metric_list"]:
        metric, in_yaml = spec.metrics[entry["metric"]], task.aggregation()[entry["metric"]]
        assert (metric.statistics, metric._compute) == (in_yaml.statistics, in_yaml._compute)
        assert metric.better in (None, "higher" if entry["higher_is_better"] else "lower"), entry["metric"]
    assert spec.version == str(task.VERSION)
    assert spec.config["output_type"] == spec.declared.output_type
    assert spec.rubric == (task.task_name.removeprefix("openhueval_") if task.task_name in JUDGED_TASKS else None)
    assert {name for name in known_tasks() if name.startswith("openhueval_")} == set(ALL_TASKS)


@each("name", SIZES)
def test_published_files_load_in_full(name, monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE")
    docs = list(manager(data_dir=str(shared("data"))).load([name])["tasks"][name].test_docs())
    assert len(docs) == SIZES[name]


def test_each_proverb_comes_in_both_orders():
    name = "openhueval_huproverbrea_2cq"
    docs = list(manager().load([name])["tasks"][name].test_docs())
    for one, two in zip(docs[::2], docs[1::2], strict=True):
        assert (one["correct_option"], two["correct_option"]) == (1, 2)
        assert (one["option1"], one["option2"]) == (two["option2"], two["option1"])
        assert {key: one[key] for key in ("qid", "hu_text", "context")} == {
            key: two[key] for key in ("qid", "hu_text", "context")
        }


@each("name", ALL_TASKS)
@each("lang", ["en", "zh"])
def test_other_question_languages(name, lang):
    hungarian, other = (
        list(manager(question_lang=code).load([name])["tasks"][name].test_docs()) for code in ("hu", lang)
    )
    assert [doc["qid"] for doc in other] == [doc["qid"] for doc in hungarian]
    same = {
        field: [a[field] for a in other] == [b[field] for b in hungarian]
        for field in other[0]
        if field not in ("qid", "task", "prompt_lang", "hu_specific_dim")
    }
    # The phrase under test stays Hungarian; letters and numbers of answers are the same in every language.
    constant = {"hu_text", "correct_option", "secondary_tag", "answer_trigger", "system_prompt", "checklist"}
    constant |= {"answer"} if name == "openhueval_humatchingfib" else set()
    assert {field for field, equal in same.items() if equal} == same.keys() & constant


class TestNames:
    """What can be asked for, and what each name loads."""

    def test_glob_gives_the_leaves_only(self):
        assert sorted(manager().match_tasks(["openhueval_*"])) == sorted(ALL_TASKS)

    def test_no_group_or_tag_begins_like_a_leaf(self):
        families = [path.name for path in TASKS_DIR.iterdir() if any(path.glob("*.yaml"))]
        assert "openhueval" in families
        for name in [*manager().all_groups, *manager().all_tags]:
            assert not name.startswith(tuple(f"{family}_" for family in families)), name

    @pytest.mark.parametrize(
        ("name", "tasks"), [("openhueval", ALL_TASKS), ("hueval-rule", RULE_TASKS), ("hueval-judged", JUDGED_TASKS)]
    )
    def test_group_and_tags_load_every_task_once(self, name, tasks):
        loaded = manager().load([name])
        assert sorted(loaded["tasks"]) == sorted(tasks)

    def test_group_lists_its_tasks(self):
        group = yaml.safe_load((TASKS_DIR / "openhueval" / "openhueval.yaml").read_text(encoding="utf-8"))
        assert sorted(group["task"]) == sorted(name for name in known_tasks() if name.startswith("openhueval_"))


class TestValidate:
    """lm-eval's own check of the tasks."""

    def test_under_hueval(self, cli):
        outcome = cli("validate", "--tasks", ",".join(ALL_TASKS))
        assert outcome.status == 0
        assert "All tasks found and valid" in outcome.out


class TestMetadata:
    """Run-time variants of the tasks."""

    ONE_TASK = ("--model", "hueval-baseline", "--tasks", "openhueval_humatchingfib")
    BAD = ("prompt_lang", "de", 'hueval: --metadata prompt_lang: "de" is not on offer. One of: en, hu')
    WORSE = ("question_lang", "cs", 'hueval: --metadata question_lang: "cs" is not on offer. One of: hu, en, zh')

    JUDGED = ("--model", "hueval-baseline", "--tasks", "openhueval_huproverbrea_oe,openhueval_huwildbench")
    REFERENCE = (
        "oe_reference",
        "answer",
        'hueval: --metadata oe_reference: "answer" is not on offer. One of: option, explanation',
    )
    PROMPT = (
        "wildbench_prompt",
        "Racka",
        'hueval: --metadata wildbench_prompt: "Racka" is not on offer. One of: racka, original, base',
    )

    @pytest.mark.parametrize(("key", "value", "line"), [BAD, WORSE, REFERENCE, PROMPT])
    def test_bad_value_under_hueval(self, cli, key, value, line):
        outcome = cli("run", *self.ONE_TASK, "--metadata", json.dumps({key: value}))
        assert outcome.status == 1
        assert outcome.complaints == [line]
        assert "Traceback" not in outcome.err

    def test_bad_value_under_plain_lm_eval(self):
        from lm_eval import simple_evaluate

        with pytest.raises(SystemExit) as stop:  # ends the command with this line and status 1
            simple_evaluate("dummy", tasks=["openhueval_humatchingfib"], task_manager=manager(prompt_lang="de"))
        assert stop.value.code == self.BAD[2]

    def test_near_miss_of_a_key_warns(self, cli):
        outcome = cli("run", *self.ONE_TASK, "--metadata", "promt_lang=hu")
        assert outcome.status == 0
        warning = 'hueval: --metadata: unknown key "promt_lang" is ignored. Did you mean "prompt_lang"?'
        assert warning in outcome.complaints

    def test_arguments_of_models_do_not_warn(self, cli):
        arguments = '{"pretrained": "a/b", "dtype": "float16", "max_length": 4096}'
        outcome = cli("run", *self.ONE_TASK, "--metadata", arguments)
        assert outcome.status == 0
        assert not [line for line in outcome.complaints if "unknown key" in line]

    def test_languages_reach_prompt_and_results(self, cli, tmp_path):
        metadata = ("--metadata", '{"prompt_lang": "hu", "question_lang": "en"}')
        assert cli("run", *self.ONE_TASK, *metadata, "--output_path", tmp_path).status == 0
        recorded = results(tmp_path)["configs"]["openhueval_humatchingfib"]["metadata"]
        assert (recorded["prompt_lang"], recorded["question_lang"]) == ("hu", "en")
        provenance = recorded["provenance"]
        assert provenance["sample"] is True
        assert provenance["origin"] == "sample"
        assert provenance["file"] == "HuMatchingFIB.jsonl"
        assert "|q:en|prompt:hu-" in provenance["signature"]

    @pytest.mark.parametrize(
        ("metadata", "recorded", "parts"),
        [
            ({}, ("option", "racka"), (r"prompt:en-\w{8}\|", r"prompt:turn-\w{8}\|")),
            (
                {"prompt_lang": "hu", "oe_reference": "explanation", "wildbench_prompt": "base"},
                ("explanation", "base"),
                (r"prompt:hu-\w{8}\+explanation\|", r"prompt:turn-\w{8}\+base\|"),
            ),
        ],
        ids=["defaults", "variants"],
    )
    def test_variants_of_judged_tasks_are_recorded(self, cli, tmp_path, metadata, recorded, parts):
        command = ("run", *self.JUDGED, "--output_path", tmp_path, "--metadata", json.dumps(metadata))
        assert cli(*command).status == 0
        configs = results(tmp_path)["configs"]
        oe, wild_bench = (configs[f"openhueval_{name}"]["metadata"] for name in ("huproverbrea_oe", "huwildbench"))
        assert (oe["oe_reference"], wild_bench["wildbench_prompt"]) == recorded
        for part, config in zip(parts, (oe, wild_bench), strict=True):
            assert re.search(part, config["provenance"]["signature"])

    def test_near_miss_of_data_dir_warns_before_the_data_are_missed(self, monkeypatch, caplog):
        monkeypatch.delenv("HUEVAL_SAMPLE")
        monkeypatch.setenv("HUEVAL_OFFLINE", "1")
        with pytest.raises(SystemExit, match=r"^hueval: HuMatchingFIB\.jsonl was not found"):
            load(task="openhueval_humatchingfib", version=1.0, datadir="here")
        assert caplog.messages == ['--metadata: unknown key "datadir" is ignored. Did you mean "data_dir"?']

    def test_near_miss_of_a_variant_warns(self, cli):
        outcome = cli("run", *self.ONE_TASK, "--metadata", "wildbench_promt=base")
        warning = 'hueval: --metadata: unknown key "wildbench_promt" is ignored. Did you mean "wildbench_prompt"?'
        assert warning in outcome.complaints

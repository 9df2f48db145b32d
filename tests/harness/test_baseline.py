"""The ceiling and the floors of every rule task, live and scored again from the samples."""

from __future__ import annotations

import json
import math
import os
import re
import sys

import pytest

from tests.harness.runs import ALL_TASKS, JUDGED_TASKS, RULE_TASKS, hueval_in_process, metrics, results, run, samples
from tests.helpers import shared

POLICIES = ("oracle", "random", "first", "abstain")
# Differ by design: the reference adds one for every gold alternative that is matched, and asks for all of them.
REFERENCE_OF_STANDARD_FIB = {"blank_acc_ref", "question_acc_ref"}
MATCHING, STANDARD, PROVERB = "openhueval_humatchingfib", "openhueval_hustandardfib", "openhueval_huproverbrea_2cq"


def baseline(folder, policy, seed=7):
    """Run a baseline policy on every task that has data and return its metrics."""
    tasks = "openhueval_*" if os.environ.get("HUEVAL_SAMPLE") else "hueval-rule"
    arguments = ("--model_args", f"policy={policy},seed={seed}", "--tasks", tasks, "--output_path", folder)
    assert hueval_in_process("run", "--model", "hueval-baseline", *arguments, "--log_samples") == 0
    return metrics(folder)


@pytest.fixture(params=["sample", "published data"])
def data(request, monkeypatch):
    """Once on the packaged sample, once on the published files."""
    if request.param == "published data":
        monkeypatch.delenv("HUEVAL_SAMPLE")
        monkeypatch.setenv("HUEVAL_DATA_DIR", str(shared("data")))
    return request.param


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A function that gives the folder of a policy's run, which several tests read: it can be long."""
    folders = {}

    def run_of(policy):
        key = policy, os.environ.get("HUEVAL_SAMPLE")
        if key not in folders:
            folder = tmp_path_factory.mktemp(policy)
            baseline(folder, policy)
            folders[key] = folder
        return folders[key]

    return run_of


@pytest.fixture
def published(monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE")
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(shared("data")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "data"),
    [
        *((policy, "sample") for policy in POLICIES),
        ("random", "published data"),
        *(
            pytest.param(policy, "published data", marks=pytest.mark.nightly)
            for policy in POLICIES
            if policy != "random"
        ),
    ],
    indirect=["data"],
)
def test_a_live_run_scored_again_gives_the_same_numbers(tmp_path, kept, policy, data):
    folder = kept(policy)
    live = results(folder)
    assert hueval_in_process("score", folder, "--output", tmp_path / "again") == 0
    again = json.loads((tmp_path / "again" / "results.json").read_text(encoding="utf-8"))
    assert set(again) == set(ALL_TASKS if data == "sample" else RULE_TASKS)
    for task, numbers in metrics(folder).items():
        assert {metric: again[task][metric] for metric in numbers} == numbers
        assert again[task]["n"] == live["n-samples"][task]["original"]
        assert again[task]["n_missing"] == 0
        config = live["configs"][task]
        recorded = config["metadata"]["provenance"]["signature"]
        assert again[task]["signature"] == recorded  # lm-eval's own results file has it whole
        sample = "yes" if data == "sample" else "no"
        tokens = 4096 if task == "openhueval_huwildbench" else 2048
        assert (
            f"|sample:{sample}|shots:0|gen:max_gen_toks={tokens},until=[]|chat:no|reasoning:strip/3,read/1"
            in again[task]["signature"]
        )
        assert "|limit:no|" in again[task]["signature"]
        assert again[task]["model"] == f"hueval-baseline-{policy}"
        assert ("|judge:lexical|" in again[task]["signature"]) == (task in JUDGED_TASKS)


def test_predict_only_can_be_scored_later(tmp_path):
    arguments = ("--model_args", "policy=random", "--tasks", "openhueval", "--output_path", tmp_path / "live")
    assert hueval_in_process("run", "--model", "hueval-baseline", *arguments, "--predict_only") == 0
    assert hueval_in_process("score", tmp_path / "live", "--output", tmp_path / "later") == 0
    later = json.loads((tmp_path / "later" / "results.json").read_text(encoding="utf-8"))
    scores = baseline(tmp_path / "scored at once", "random", seed=0)
    for task, numbers in scores.items():
        assert {metric: later[task][metric] for metric in numbers} == numbers


@pytest.mark.slow
def test_oracle_reaches_the_ceiling(kept, data):
    scores = metrics(kept("oracle"))
    for task in RULE_TASKS:
        for metric, value in scores[task].items():
            if metric in ("truncated_rate", "n_single_order", "position_bias"):
                assert value == 0, (task, metric)
            elif task == STANDARD and metric in REFERENCE_OF_STANDARD_FIB:
                continue
            else:
                assert value == 100, (task, metric)
    if data == "published data":  # what the reference scorer itself gives to every first alternative
        expected = shared("parity", "hustandardfib", "gold_first_alternative.expected.json").read_text(encoding="utf-8")
        reference = json.loads(expected)["reference"]
        assert round(scores[STANDARD]["blank_acc_ref"], 2) == reference["blank_level_correctness"]
        assert round(scores[STANDARD]["question_acc_ref"], 2) == reference["question_level_correctness"]


def test_gold_itself_scores_119_percent_by_the_reference(tmp_path, published):
    file = shared("data", "openhueval", "HuStandardFIB.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    predictions = tmp_path / "gold.jsonl"
    predictions.write_text(
        "".join(
            json.dumps({"qid": row["qid"], "prediction": json.dumps({"answers": row["answers"]})}) + "\n"
            for row in rows
        ),
        encoding="utf-8",
    )
    assert hueval_in_process("score", predictions, "--task", STANDARD, "--output", tmp_path / "out") == 0
    scores = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))[STANDARD]
    assert scores["blank_acc"] == 100
    assert round(scores["blank_acc_ref"], 1) == 118.7  # 863 alternatives matched in 727 blanks


@pytest.mark.slow
def test_random_guessing_scores_what_chance_gives(kept, published):
    folder = kept("random")
    scores = metrics(folder)
    proverbs = len({row["doc"]["qid"] for row in samples(folder, PROVERB)})
    assert abs(scores[PROVERB]["acc"] - 25) < 4 * 100 * math.sqrt(0.25 * 0.75 / proverbs)
    assert abs(scores[PROVERB]["acc_single"] - 50) < 4 * 100 * math.sqrt(0.25 / (2 * proverbs))
    assert abs(scores[PROVERB]["position_bias"]) < 4 * 100 * math.sqrt(0.25 / (2 * proverbs))
    assert scores[PROVERB]["parse_rate"] == 100

    chances = [chance for row in samples(folder, MATCHING) for chance in chances_of(row["doc"])]
    expected = 100 * sum(chances) / len(chances)
    error = 100 * math.sqrt(sum(p * (1 - p) for p in chances)) / len(chances)
    assert abs(scores[MATCHING]["blank_acc"] - expected) < 4 * error
    assert scores[MATCHING]["parse_rate"] == 100

    assert scores[STANDARD]["blank_acc"] < 3


def chances_of(doc):
    """For each blank of a matching question the chance that a letter drawn from its options is the right one."""
    letters = [re.match(r"[A-Z]+", option).group() for option in doc["options"] if re.match(r"[A-Z]+\.", option)]
    return [letters.count(answer.rpartition("#")[2]) / len(letters) for answer in doc["answer"]]


@pytest.mark.slow
def test_random_guessing_depends_on_the_seed_only(tmp_path):
    def answers(name, seed):
        arguments = ("--model_args", f"policy=random,seed={seed}", "--tasks", PROVERB, "--output_path", tmp_path / name)
        assert hueval_in_process("run", "--model", "hueval-baseline", *arguments) == 0
        return [row["resps"] for row in samples(tmp_path / name, PROVERB)]

    assert answers("a", 1) == answers("b", 1) != answers("c", 2)


@pytest.mark.slow
def test_always_the_first_option(kept, data):
    scores = metrics(kept("first"))
    assert scores[PROVERB]["acc"] == 0
    assert scores[PROVERB]["acc_single"] == 50
    assert scores[PROVERB]["position_bias"] == 50
    assert all(scores[task]["parse_rate"] == 100 for task in RULE_TASKS)
    assert scores[MATCHING]["blank_acc"] < 25
    assert scores[STANDARD]["blank_acc"] < 3


@pytest.mark.slow
def test_no_answer_scores_nothing(kept, data):
    scores = metrics(kept("abstain"))
    assert scores[PROVERB].pop("position_bias") is None  # no readable answer to take a share of
    for task in RULE_TASKS:
        assert set(scores[task].values()) == {0}, task
    if data == "sample":
        assert scores["openhueval_husimpleqa"]["not_attempted"] == 100
        assert scores["openhueval_husimpleqa"]["correct_given_attempted"] == 0
        assert scores["openhueval_huproverbrea_oe"]["acc"] == 0
        assert scores["openhueval_huwildbench"]["judge_coverage"] == 0  # no reference to compare words with


def test_a_mixed_baseline_has_the_skill_and_the_name_that_it_is_given(tmp_path):
    def acc(settings):
        arguments = ("--model_args", settings, "--tasks", PROVERB, "--output_path", tmp_path / settings)
        assert hueval_in_process("run", "--model", "hueval-baseline", *arguments) == 0
        return metrics(tmp_path / settings)[PROVERB]["acc_single"]

    assert acc("policy=mixed,skill=1,seed=3") == 100.0
    assert acc("policy=mixed,skill=0,seed=3") < acc("policy=mixed,skill=0.7,seed=3,model=careful") < 100.0
    assert results(tmp_path / "policy=mixed,skill=0.7,seed=3,model=careful")["model_name"] == "careful"


@pytest.mark.parametrize("skill", ["1.5", "-0.1", "much"])
def test_a_skill_that_is_no_probability_is_refused_in_one_line(cli, skill):
    arguments = ("--model_args", f"policy=mixed,skill={skill}", "--tasks", PROVERB)
    outcome = cli("run", "--model", "hueval-baseline", *arguments)
    assert outcome.status == 1
    assert outcome.complaints == [f'hueval: --model_args skill: "{skill}" is not a number from 0 to 1']


def test_an_unknown_policy_is_refused_in_one_line(cli):
    outcome = cli("run", "--model", "hueval-baseline", "--model_args", "policy=gold", "--tasks", PROVERB)
    assert outcome.status == 1
    assert outcome.complaints == [
        'hueval: --model_args policy: "gold" is not on offer. One of: oracle, random, abstain, first, mixed, majority'
    ]
    assert "Traceback" not in outcome.err


def test_a_seed_that_is_no_number_is_refused_in_one_line(cli):
    outcome = cli("run", "--model", "hueval-baseline", "--model_args", "policy=random,seed=x", "--tasks", PROVERB)
    assert outcome.status == 1
    assert outcome.complaints == ['hueval: --model_args seed: "x" is not an integer']


def test_a_misspelt_argument_is_refused_in_one_line(cli):
    outcome = cli("run", "--model", "hueval-baseline", "--model_args", "polcy=random", "--tasks", PROVERB)
    assert outcome.status == 1
    assert outcome.complaints == ["hueval: --model_args: hueval-baseline has no polcy. Did you mean policy?"]


@pytest.mark.process
def test_importing_the_baseline_first_hides_no_model():
    code = "import hueval_metrics.harness.baseline; from lm_eval.api.registry import get_model; "
    outcome = run(
        sys.executable, "-c", code + "print(get_model('dummy').__name__, get_model('hueval-baseline').__name__)"
    )
    assert outcome.out.split() == ["DummyLM", "Baseline"], outcome.err


@pytest.mark.slow
def test_traces_change_no_score_and_stand_in_the_samples(tmp_path):
    arguments = ("run", "--model", "hueval-baseline", "--tasks", MATCHING, "--log_samples", "--model_args")
    for name in ("plain", "think"):
        policy = f"policy=mixed,seed=3{',think=4' * (name == 'think')}"
        assert hueval_in_process(*arguments, policy, "--output_path", tmp_path / name) == 0
    assert metrics(tmp_path / "think") == metrics(tmp_path / "plain")
    replies = [row["resps"][0][0] for row in samples(tmp_path / "think", MATCHING)]
    assert all(reply.startswith("<think>\n") and "\n</think>\n\n{" in reply for reply in replies)
    assert len({reply.count("\n\n") for reply in replies}) > 2  # none to four ideas


@pytest.mark.parametrize("think", ["-1.0", "1.5", "many"])
def test_a_number_of_ideas_that_is_none(tmp_path, think, capsys):
    arguments = ("run", "--model", "hueval-baseline", "--tasks", MATCHING, "--output_path", tmp_path, "--model_args")
    assert hueval_in_process(*arguments, f"think={think}") == 1
    assert f'think: "{think}" is not a number of ideas' in capsys.readouterr().err

"""Tasks that compare log-likelihoods, keys of other names, variants, and hooks that fail: on a family of the tests."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path

import pytest

from hueval_metrics.declare import Family, Task
from hueval_metrics.errors import InputError
from hueval_metrics.registry import TaskSpec
from tests.fakes.tiny_model import build
from tests.families.checkout import TOYBENCH, checkout, commands

pytestmark = pytest.mark.process

RIDDLES, REVIEWS = "toybench_riddles", "toybench_reviews"
SAMPLES = "samples_{}_2026-01-31T10-00-00.123456.jsonl"
POLICIES = ("oracle", "first", "last", "random", "mixed", "abstain")
RAISES = "\n\ndef riddles(doc, results):\n    raise RuntimeError('no luck')\n"
RETURNS_LESS = "\n\ndef reviews(doc, results):\n    return {'mcc': None}\n"
RETURNS_MORE = (
    "\n\n_reviews = reviews\n\n\ndef reviews(doc, results):\n    return _reviews(doc, results) | {'luck': 1}\n"
)


def run(policy: str, tasks: str, output: str, *more: str) -> tuple[str, ...]:
    model = ("run", "--model", "hueval-baseline", "--model_args", f"policy={policy}")
    return (*model, "--tasks", tasks, "--output_path", output, *more)


def lines(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def results(folder: Path) -> dict:
    (file,) = folder.rglob("results*.json")
    return json.loads(file.read_text(encoding="utf-8"))


def items(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A checkout with the toy family, one of whose YAMLs includes another file."""
    logging.getLogger("transformers").setLevel(logging.ERROR)
    folder = checkout(tmp_path_factory.mktemp("seams"), TOYBENCH)
    build(folder / "tiny")
    yaml = folder / "lm_eval_tasks" / "toybench" / f"{RIDDLES}.yaml"
    lines_of = yaml.read_text(encoding="utf-8").splitlines(keepends=True)
    shared = [line for line in lines_of if line.startswith(("output_type:", "doc_to_", "test_split:"))]
    yaml.with_name("_choices_yaml").write_text("".join([*shared, "num_fewshot: 3\n"]), encoding="utf-8")
    own = [line for line in lines_of if line not in shared]
    yaml.write_text("".join(["include: _choices_yaml\n", *own]), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def ran(tree):
    """Policy → how the run of it ended."""
    calls = [run(policy, RIDDLES, policy) for policy in POLICIES]
    hf = ("run", "--model", "hf", "--model_args", "pretrained=tiny", "--device", "cpu", "--tasks", RIDDLES)
    calls += [(*hf, "--output_path", "hf"), (*hf, "--output_path", "hf-again")]
    calls += [("score", name, "--output", f"scored-{name}") for name in ("oracle", "random", "hf")]
    calls += [
        (
            *run("oracle", RIDDLES, "chat")[:2],
            "local-chat-completions",
            "--model_args",
            "model=m,base_url=http://h",
            "--apply_chat_template",
            "--tasks",
            RIDDLES,
        )
    ]
    names = [*POLICIES, "hf", "hf-again", "scored-oracle", "scored-random", "scored-hf", "chat"]
    return dict(zip(names, commands(tree, calls), strict=True))


@pytest.mark.parametrize(("policy", "right"), [("oracle", 12), ("first", 4), ("last", 4)])
def test_a_baseline_chooses(tree, ran, policy, right):
    assert ran[policy].status == 0, ran[policy].err
    row = results(tree / policy)["results"][RIDDLES]
    assert row["exact_match,none"] == pytest.approx(100 * right / 12)


def test_what_lies_between_the_baselines(tree, ran):
    for policy in ("random", "mixed"):
        assert 0 < results(tree / policy)["results"][RIDDLES]["exact_match,none"] < 100


def test_nobody_abstains_from_a_choice(ran):
    assert ran["abstain"].status == 1
    (line,) = (line for line in ran["abstain"].complaints if "abstain" in line)
    assert line.endswith(
        f"{RIDDLES} compares log-likelihoods, and one choice is the likeliest. "
        "One of: oracle, random, first, mixed, last, majority"
    )


@pytest.mark.parametrize("name", ["oracle", "random", "hf"])
def test_scores_of_log_likelihoods_are_those_of_the_live_run(tree, ran, name):
    assert (ran[name].status, ran[f"scored-{name}"].status) == (0, 0), ran[name].err + ran[f"scored-{name}"].err
    live, scored = results(tree / name), results(tree / f"scored-{name}")[RIDDLES]
    assert scored["exact_match"] == live["results"][RIDDLES]["exact_match,none"]
    assert scored["exact_match_ci95"] == live["intervals"][RIDDLES]["exact_match"]
    assert (scored["n"], scored["n_missing"]) == (12, 0)
    assert scored["signature"] == live["configs"][RIDDLES]["metadata"]["provenance"]["signature"]


def test_a_signature_of_log_likelihoods(tree, ran):
    assert ran["scored-hf"].status == 0
    signature = results(tree / "scored-hf")[RIDDLES]["signature"]
    assert "|shots:0|gen:multiple_choice|chat:no|reasoning:no|limit:no|" in signature


def test_an_item_of_log_likelihoods(tree, ran):
    assert ran["scored-oracle"].status == 0
    (item,) = (item for item in items(tree / "scored-oracle") if item["riddle"] == "k01")
    assert item["prediction"] == {"loglikelihoods": [0.0, -1.0, -1.0], "greedy": [True, False, False]}
    assert (item["answer"], item["reference"], item["dimension"]) == (0, "0", "crime")
    assert "qid" not in item


def test_log_likelihoods_of_a_real_model_are_kept(tree, ran):
    """The same command asks the model for none of them again."""
    assert "36 answers are kept from before, 0 are left to generate" in ran["hf-again"].err
    first, again = (results(tree / name)["results"][RIDDLES]["exact_match,none"] for name in ("hf", "hf-again"))
    assert first == again


def test_a_chat_api_gives_no_log_likelihoods(ran):
    assert ran["chat"].status == 1
    expected = (
        f"hueval: --model local-chat-completions: {RIDDLES} compares log-likelihoods, which a chat API does not give"
    )
    assert ran["chat"].complaints[-1] == expected


def test_predictions_of_other_keys_and_variants(tree):
    """Rows carry the fields of the key by name; what cannot be scored names them."""
    right = {"task": REVIEWS, "review": "r01", "prediction": "jó"}
    given = {
        "one": [right],
        "twice": [right, right],
        "unknown": [{**right, "review": "x"}],
        "without": [{"task": REVIEWS, "qid": "r01", "prediction": ""}],
        "number": [{**right, "review": 7}],
        "reply": [{"task": RIDDLES, "riddle": "k01", "prediction": "a Tisza"}],
        "variant": [right],
        "misspelt": [right],
        "no_json": [right],
    }
    for name, rows in given.items():
        lines(tree / "rows" / f"{name}.jsonl", *rows)
    text = {"doc": {"riddle": "k01", "task": "riddles"}, "resps": [["a Tisza"]]}
    lines(tree / "rows" / SAMPLES.format(RIDDLES), text)
    more = {"variant": ("--metadata", '{"prompt_lang": "cs"}'), "misspelt": ("--metadata", '{"promptlang": "hu"}')}
    more["no_json"] = ("--metadata", "prompt_lang=hu")
    calls = [("score", f"rows/{name}.jsonl", "--output", f"out-{name}", *more.get(name, ())) for name in given]
    done = dict(
        zip([*given, "text"], commands(tree, [*calls, ("score", f"rows/{SAMPLES.format(RIDDLES)}")]), strict=True)
    )
    assert {name: outcome.status for name, outcome in done.items() if outcome.status == 0} == {"one": 0, "misspelt": 0}
    said = {name: outcome.complaints[-1] for name, outcome in done.items() if outcome.complaints}
    assert (
        said["one"] == f"hueval: {REVIEWS}: 11 of 12 documents have no prediction; the denominator is what was given."
    )
    assert "line 2: review r01 was already at rows/twice.jsonl line 1. " in said["twice"]
    assert "line 1: 1 predictions for unknown reviews (x). " in said["unknown"]
    assert said["without"].endswith('line 1: "review" is missing or not a string')
    assert said["number"] == 'hueval: rows/number.jsonl line 1: "review" is missing or not a string'
    reply = f"line 1: {RIDDLES} compares log-likelihoods, which no reply has. Score lm-eval's samples_*.jsonl of it"
    assert said["reply"].endswith(reply)
    assert said["text"].endswith(f"no log-likelihoods, which {RIDDLES} compares. Is it a sample of another task?")
    assert said["variant"] == 'hueval: --metadata prompt_lang: "cs" is not on offer. One of: hu, en'
    assert 'unknown key "promptlang" is ignored. Did you mean "prompt_lang"?' in done["misspelt"].err
    assert said["no_json"].startswith("hueval: --metadata: expected a JSON object, such as ")


def test_a_variant_stands_in_signature_and_prompt(tree):
    lines(tree / "rows" / "en.jsonl", {"task": REVIEWS, "review": "r01", "prediction": "jó"})
    (done,) = commands(tree, [("score", "rows/en.jsonl", "--output", "en", "--metadata", '{"prompt_lang": "en"}')])
    assert done.status == 0, done.err
    assert "|prompt:en-" in results(tree / "en")[REVIEWS]["signature"]
    assert items(tree / "en")[0]["prompt"].startswith("What does the critic think")


def test_runs_that_differ_in_a_variant_keep_their_answers_apart_and_both_survive(tree):
    hf = ("run", "--model", "hf", "--model_args", "pretrained=tiny", "--device", "cpu", "--tasks", RIDDLES)
    calls = [(*hf, "--output_path", "both", "--metadata", json.dumps({"prompt_lang": lang})) for lang in ("hu", "en")]
    done = commands(tree, [*calls, ("table", "both"), ("score", "both", "--output", "out-both")])
    assert [outcome.status for outcome in done] == [0, 0, 0, 0], done
    files = sorted((tree / "both").rglob("results_*.json"))
    found = [json.loads(file.read_text(encoding="utf-8"))["configs"][RIDDLES]["metadata"] for file in files]
    assert [metadata["prompt_lang"] for metadata in found] == ["hu", "en"]
    assert "prompt_lang=en" in done[2].out
    older = "is of an earlier run with other --metadata, and is not scored. Two settings are two results: hueval score"
    assert any(older in line for line in done[3].complaints)


@pytest.mark.parametrize(
    ("code", "task", "parts"),
    [
        (RAISES, RIDDLES, ["hooks.py: riddles failed on", "(RuntimeError: no luck)"]),
        (
            RETURNS_LESS,
            REVIEWS,
            [
                "family.py: toybench_reviews declares exact_match, mcc_crime, mcc_tale, weighted_f1, which",
                "hooks.py: reviews does not return. Return it or drop it",
            ],
        ),
        (
            RETURNS_MORE,
            REVIEWS,
            ["hooks.py: reviews returns luck, which ", "family.py does not declare for toybench_reviews"],
        ),
    ],
    ids=["raises", "returns less", "returns more"],
)
def test_a_hook_that_fails_is_one_line(tree, ran, tmp_path, code, task, parts):
    copy = tmp_path / "copy"
    shutil.copytree(tree, copy)
    file = copy / "lm_eval_tasks" / "toybench" / "hooks.py"
    file.write_text(file.read_text(encoding="utf-8") + code, encoding="utf-8")
    lines(copy / "p.jsonl", {"task": REVIEWS, "review": "r01", "prediction": "jó"})
    source = "oracle" if task == RIDDLES else "p.jsonl"
    live, scored = commands(copy, [run("oracle", task, "live"), ("score", source, "--output", "out")])
    for outcome in (live, scored):
        assert outcome.status == 1
        assert "Traceback" not in outcome.err
        for part in parts:
            assert part in outcome.complaints[-1]


def test_a_task_that_fails_takes_no_other_s_results(tree, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(tree, copy)
    file = copy / "lm_eval_tasks" / "toybench" / "hooks.py"
    sound = file.read_text(encoding="utf-8")
    file.write_text(sound + RAISES, encoding="utf-8")
    live, scored = commands(copy, [run("oracle", f"{RIDDLES},{REVIEWS}", "live"), ("score", "live", "--output", "out")])
    said = f"{RIDDLES} has no scores: "
    (line,) = [line for line in live.complaints if said in line]
    assert "hooks.py: riddles failed on" in line and line.endswith("--output DIR"), line
    assert (live.status, scored.status) == (1, 1), scored.err
    (file_of_run,) = (copy / "live").rglob("results*.json")
    found = json.loads(file_of_run.read_text(encoding="utf-8"))
    assert found["results"][REVIEWS]["exact_match,response"] == 100.0
    assert not any("," in key for key in found["results"][RIDDLES])
    assert list(found["intervals"]) == [REVIEWS]
    assert "(RuntimeError: no luck)" in scored.complaints[-1] and f"out has only {REVIEWS}" in scored.complaints[-1]
    assert RIDDLES not in results(copy / "out") and results(copy / "out")[REVIEWS]["exact_match"] == 100.0
    assert {row["task"] for row in items(copy / "out")} == {REVIEWS}
    file.write_text(sound, encoding="utf-8")
    (again,) = commands(copy, [("score", str(file_of_run.parent), "--output", "again")])
    assert again.status == 0, again.err
    assert results(copy / "again")[RIDDLES]["exact_match"] == 100.0
    assert not any("hueval_failed" in str(row) for row in items(copy / "again"))


def test_a_variant_may_be_a_number():
    """lm-eval makes numbers of `--metadata prompt=2` and leaves the JSON text "2" a text."""
    family = Family("n", "N", Path(), ("n_",), {}, "n.documents", "n.prompt", variants={"prompt": (1, 2)})
    spec = TaskSpec("n_task", family, Task("N", {}, {}), {"metadata": {"prompt": 1}})
    assert [spec.variants(given)["prompt"] for given in ({}, {"prompt": 2}, {"prompt": "2"})] == [1, 2, 2]
    with pytest.raises(InputError, match=r'--metadata prompt: "4" is not on offer\. One of: 1, 2$'):
        spec.variants({"prompt": 4})

"""The forms of HKMMLU through lm-eval with a real `hf` model: what the model reads, and that replies are scored."""

from __future__ import annotations

import json
import shutil

import lm_eval
import pytest
from lm_eval.tasks import TaskManager

from hueval_metrics.registry import TASKS_DIR
from lm_eval_tasks.hkmmlu.documents import user_message
from tests.fakes.tiny_model import build
from tests.families.hkmmlu import full_size
from tests.harness.runs import hueval_here, results, samples

FORMS = ("hkmmlu_hk_law", "hkmmlull_hk_law", "hkmmlutr_yue_to_zh", "hkmmlutr_zh_to_yue")
# As Gemma 2's, which the paper tests: a system message, or two turns of one side, is an error.
GEMMA = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for message in messages %}{% if (message.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "<start_of_turn>{{ 'model' if message.role == 'assistant' else message.role }}\n{{ message.content | trim }}"
    "<end_of_turn>\n{% endfor %}{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
OPENED = {
    "chatml": ("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"),
    "gemma": ("<start_of_turn>user\n", "<end_of_turn>\n<start_of_turn>model\n"),
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Folders of one tiny model with two chat templates."""
    pytest.importorskip("transformers", reason="needs the hf extra")
    pytest.importorskip("torch", reason="needs the hf extra").set_num_threads(1)
    from transformers import AutoTokenizer

    chatml = build(tmp_path_factory.mktemp("chatml"))
    gemma = tmp_path_factory.mktemp("templates") / "gemma"
    shutil.copytree(chatml, gemma)
    tokenizer = AutoTokenizer.from_pretrained(gemma)
    tokenizer.chat_template = GEMMA
    tokenizer.save_pretrained(gemma)
    return {"chatml": chatml, "gemma": gemma}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A small copy of the data, with a worked example of one subject."""
    folder = full_size.write(tmp_path_factory.mktemp("data"), scale=0.001)
    (folder / "hkmmlu" / "exemplars").mkdir()
    worked = {
        "question": "1997年發生何事？",
        "choices": ["主權移交", "開埠"],
        "answer": "A",
        "reasoning": "7月1日移交。",
    }
    (folder / "hkmmlu" / "exemplars" / "hk_law.json").write_text(json.dumps(worked, ensure_ascii=False), "utf-8")
    return folder


@pytest.fixture(autouse=True)
def offline(clean_environment, monkeypatch, data, tmp_path):
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(data))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    monkeypatch.chdir(tmp_path)


def arguments(model, folder, *more, tasks=FORMS):
    small = ("--limit", 2, "--gen_kwargs", "max_gen_toks=4", "--batch_size", 4, "--device", "cpu")
    common = ("--model", "hf", "--model_args", f"pretrained={model}", "--tasks", ",".join(tasks))
    return (*common, "--output_path", folder, "--log_samples", *small, *more)


def asked(row):
    """What the model was given of a sample, each request: (text, continuation or None)."""
    given = [one for key, one in sorted(row["arguments"].items())]
    return [(one["arg_0"], one["arg_1"] if isinstance(one["arg_1"], str) else None) for one in given]


@pytest.mark.slow
@pytest.mark.parametrize("template", OPENED)
@pytest.mark.parametrize(
    "metadata",
    [{}, {"method": "cot"}, {"method": "cot", "shots": 1}, {"shots": 3}],
    ids=["da", "cot", "cot with an example", "three examples"],
)
def test_the_prompt_is_one_user_turn(models, tmp_path, template, metadata):
    tasks = FORMS if not metadata else FORMS[:1]
    given = ("--metadata", json.dumps(metadata)) if metadata else ()
    outcome = hueval_here("run", *arguments(models[template], tmp_path, "--apply_chat_template", *given, tasks=tasks))
    assert outcome.status == 0, outcome.err
    begin, end = OPENED[template]
    for task in tasks:
        rows = samples(tmp_path, task)
        assert len(rows) == 2
        for row in rows:
            assert len(row["doc"].get("examples", [])) == metadata.get("shots", 0)
            for text, continuation in asked(row):
                assert text == f"{begin}{user_message(row['doc'])}{end}"
                assert continuation is None or continuation in "ABCD"
        assert ("推理:\n7月1日移交。" in text) == (metadata == {"method": "cot", "shots": 1})


@pytest.mark.slow
def test_plain_lm_eval_asks_and_scores_the_same(models, tmp_path):
    manager = TaskManager(include_path=str(TASKS_DIR), include_defaults=False)
    model = {"model": "hf", "model_args": f"pretrained={models['chatml']}", "device": "cpu", "batch_size": 4}
    small = {"limit": 2, "gen_kwargs": "max_gen_toks=4"}
    plain = lm_eval.simple_evaluate(**model, tasks=list(FORMS), task_manager=manager, **small)
    outcome = hueval_here("run", *arguments(models["chatml"], tmp_path))
    assert outcome.status == 0, outcome.err
    for task in FORMS:
        ours = results(tmp_path)["results"][task]
        assert {key: ours[key] for key in ours if "," in key} == {
            key: value for key, value in plain["results"][task].items() if "," in key
        }
        rows = sorted(plain["samples"][task], key=lambda row: row["doc_id"])
        assert [[text for text, *_ in row["arguments"]] for row in rows] == [
            [text for text, _ in asked(row)] for row in samples(tmp_path, task)
        ]
    (text, continuation), *others = asked(samples(tmp_path, "hkmmlull_hk_law")[0])
    assert text.endswith("\n答案:") and continuation == " A"  # as the examples have it
    assert [letter for _, letter in others] == [" B", " C", " D"]


@pytest.mark.slow
def test_live_and_scored_again_are_one_number(models, tmp_path):
    assert hueval_here("run", *arguments(models["chatml"], tmp_path / "live")).status == 0
    scored = hueval_here("score", tmp_path / "live", "--output", tmp_path / "again")
    assert scored.status == 0, scored.err
    again = json.loads((tmp_path / "again" / "results.json").read_text(encoding="utf-8"))
    for task in FORMS:
        live = results(tmp_path / "live")["results"][task]
        numbers = {key.partition(",")[0]: live[key] for key in live if "," in key and "_stderr" not in key}
        assert numbers == {metric: again[task][metric] for metric in numbers}

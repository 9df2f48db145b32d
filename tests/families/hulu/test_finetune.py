"""`hueval hulu finetune`: tiny models learn easy rows, go on where they were stopped, and are scored like any other."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path

import pytest

from hueval_metrics.records import Signature
from lm_eval_tasks.hulu.finetune_inputs import encoded
from lm_eval_tasks.hulu.finetune_training import Recipe, finetuned, last_checkpoint, load_tokenizer
from tests.families.hulu.tiny_classifiers import POSITIONS, build_causal, build_encoder, write_data
from tests.harness.runs import hueval_here, run, start
from tests.helpers import json_lines

FILE = "training/seed-1/hucopa/validation.jsonl"
EASY = ("--epochs", 6, "--learning-rate", 5e-3, "--select-on", "validation")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a tiny model gains nothing from more
    folder = tmp_path_factory.mktemp("models")
    yield {"encoder": build_encoder(folder / "encoder"), "causal": build_causal(folder / "causal")}
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def easy(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path, easy):
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(easy))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))  # for processes that start elsewhere
    monkeypatch.chdir(tmp_path)


def finetune(*arguments):
    return hueval_here("hulu", "finetune", *arguments)


def results(folder: Path) -> dict:
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["encoder", "causal"])
def test_a_tiny_model_learns_and_predicts_the_rows_of_test(models, tmp_path, kind):
    command = (models[kind], "--corpora", "hucopa,hurte", "--seeds", 1, *EASY)
    done = finetune(*command)
    assert done.status == 0, done.err
    scored = results(tmp_path / "finetuned/validation/seed-1")
    assert {task: row["acc"] >= 90 for task, row in scored.items()} == dict.fromkeys(scored, True)
    assert list(scored) == ["hulu_hucopa", "hulu_hurte"]
    assert scored["hulu_hucopa"]["mcc_norm"] is None  # a classifier writes no text, by whose bytes to divide
    assert {row["model"] for row in scored.values()} == {str(models[kind])}
    parts = Signature.parse(scored["hulu_hurte"]["signature"]).parts
    told = (
        "finetuned,select_on=validation,seed=1,epochs=6,learning_rate=0.005,batch_size=8,max_length=no,precision=fp32"
    )
    assert (parts["gen"], parts["prompt"], parts["split"]) == (told, "none", "validation")
    assert not list(tmp_path.rglob("checkpoint-*"))

    again = finetune(*command, "--split", "test")
    assert (again.status, again.complaints) == (0, [])  # nothing is trained
    scored = results(tmp_path / "finetuned/test/seed-1")
    assert {task: (row["acc"], row["n"]) for task, row in scored.items()} == dict.fromkeys(scored, (None, 10))
    items = json_lines(tmp_path / "finetuned/test/seed-1/items.jsonl")
    answers = [item["answer"] for item in items if item["task"] == "hulu_hucopa"]
    assert sum(map(str.__eq__, answers, ("2", "1") * 5)) >= 8  # as the data are written
    packed = hueval_here("hulu", "package", tmp_path / "finetuned/test/seed-1")
    assert (packed.status, packed.out.count(": 10 labels")) == (0, 2)


def test_seeds_are_rows_of_the_table_and_have_a_mean(models, tmp_path):
    done = finetune(models["encoder"], "--corpora", "hucola", "--seeds", "1,2", *EASY, "--output", "two")
    scores = [results(tmp_path / f"two/validation/seed-{seed}")["hulu_hucola"]["mcc"] for seed in (1, 2)]
    assert "Mean over 2 repeats" in done.out
    assert f"{sum(scores) / 2:.2f}" in done.out
    table = hueval_here("table", "two", "--format", "csv")
    assert [row.partition(",")[0] for row in table.out.splitlines()[1:3]] == [
        f"{models['encoder']} (seed-1)",
        f"{models['encoder']} (seed-2)",
    ]


@pytest.mark.process
def test_ctrl_c_ends_in_a_line_and_the_same_command_goes_on(models, tmp_path):
    command = (models["encoder"], "--corpora", "hucopa", "--seeds", 1, "--epochs", 4, "--learning-rate", 5e-3)
    process = start([sys.executable, "-m", "hueval_metrics", "hulu", "finetune", *command], cwd=tmp_path)
    for line in process.stderr:
        if "epoch 2 of 4" in line:
            break
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=240)
    assert process.returncode == 130
    assert "hueval: hucopa, seed 1: interrupted. The same command goes on after its last whole epoch" in rest
    assert "Traceback" not in rest

    resumed = finetune(*command)
    assert resumed.status == 0
    assert "epoch 1 of 4" not in resumed.err
    assert "epoch 4 of 4" in resumed.err
    finetune(*command, "--output", "whole")
    stopped, whole = (
        [float(pair[0]) for row in json_lines(tmp_path / folder / FILE) for (pair,) in row["resps"]]
        for folder in ("finetuned", "whole")
    )
    assert stopped == pytest.approx(whole, rel=1e-4)  # another number of threads rounds otherwise


def test_after_the_last_epoch_only_predictions_are_left(models, tmp_path, monkeypatch):
    from datasets import Dataset

    tokenizer = load_tokenizer(str(models["encoder"]))
    docs = {split: [cola_row(n) for n in range(size)] for split, size in (("train", 20), ("validation", 10))}
    rows = {
        split: Dataset.from_list(
            [
                {**tokens, "label": n % 2}
                for n, tokens in enumerate(encoded(tokenizer, some, templated=False, max_length=None, positions=None))
            ]
        )
        for split, some in docs.items()
    }
    # So low a learning rate that all epochs are equal, and the first is the best one: the last must be kept beside it.
    recipe = Recipe(str(models["encoder"]), 3, 1e-12, 4, select_on="validation")
    trained = finetuned(recipe, "hucola", 1, tokenizer, rows, tmp_path)
    before = sorted(tmp_path.glob("checkpoint-*"))
    assert [folder.name for folder in before] == ["checkpoint-15", "checkpoint-5"]
    again = finetuned(recipe, "hucola", 1, tokenizer, rows, tmp_path)
    assert again["validation"] == pytest.approx(trained["validation"])
    assert sorted(tmp_path.glob("checkpoint-*")) == before


def cola_row(n: int) -> dict:
    return {
        "task": "hucola",
        "split": "train",
        "qid": str(n),
        "sentence": f"Anna {'ette' if n % 2 else 'eszik'} almát.",
    }


@pytest.mark.nightly
@pytest.mark.process
def test_two_processes_share_the_batches_and_write_once(models, tmp_path):
    command = ("--corpora", "hucola", "--seeds", 1, *EASY)
    launcher = ("torch.distributed.run", "--standalone", "--nproc_per_node", 2)
    done = run(sys.executable, "-m", *launcher, "-m", "hueval_metrics", "hulu", "finetune", models["encoder"], *command)
    assert done.status == 0, done.err
    assert done.err.count("epoch 6 of 6") == done.out.count("Wrote results.json") == 1
    row = results(tmp_path / "finetuned/validation/seed-1")["hulu_hucola"]
    assert (row["n"], row["acc"] >= 90) == (20, True)
    assert "batch_size=8" in row["signature"]


def test_one_folder_holds_fine_tunings_of_one_kind(models, tmp_path):
    command = (models["encoder"], "--corpora", "hucola", "--seeds", 1, "--output", "out", "--epochs")
    assert finetune(*command, 1).status == 0
    before = results(tmp_path / "out/validation/seed-1")
    other = finetune(*command, 2)
    assert (other.status, other.complaints) == (
        1,
        ["hueval: out/training/settings.json: was made with epochs 1, not 2. Choose another folder with --output"],
    )
    assert "a tenth of train" in finetune(*command, 1, "--seeds", 2).err
    assert results(tmp_path / "out/validation/seed-1") == before


def test_a_template_is_read_and_told(models, tmp_path):
    command = ("--corpora", "hucola", "--seeds", 1, "--epochs", 1, "--template", 3)
    assert finetune(models["encoder"], *command).status == 0
    folder = tmp_path / "finetuned/validation/seed-1"
    assert "|prompt:hu3-" in results(folder)["hulu_hucola"]["signature"]
    (first, *_) = json_lines(folder / "items.jsonl")
    assert first["prompt"].endswith("\nMondhatja így egy magyar anyanyelvű? Igen vagy nem?\nVálasz:")


def test_adapters(models, tmp_path):
    pytest.importorskip("peft", reason="needs the extra peft")
    done = finetune(models["causal"], "--corpora", "hucopa", "--seeds", 1, *EASY, "--peft")
    assert done.status == 0, done.err
    row = results(tmp_path / "finetuned/validation/seed-1")["hulu_hucopa"]
    assert row["acc"] >= 60  # of frozen random weights; chance is 50
    assert "|gen:finetuned-lora," in row["signature"] and "|peft:" in row["signature"]


def test_a_model_without_a_tokenizer(models, tmp_path):
    from transformers import AutoModel

    AutoModel.from_pretrained(models["encoder"]).save_pretrained(tmp_path / "bare")
    done = finetune(tmp_path / "bare")
    assert (done.status, len(done.complaints)) == (1, 1)
    assert done.complaints[0].endswith(
        "bare: no tokenizer there. Save the model's own beside it: tokenizer.save_pretrained()"
    )


def test_a_text_longer_than_the_model_s_positions(models, easy, tmp_path, monkeypatch):
    data = write_data(tmp_path / "long")
    file = data / "hulu/hucola/cola_train.json"
    rows = json.loads(file.read_text(encoding="utf-8"))
    rows[7]["Sent"] = "Anna " * (POSITIONS - 1)
    file.write_text(json.dumps(rows), encoding="utf-8")
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(data))
    command = (models["encoder"], "--corpora", "hucola", "--seeds", 1, "--epochs", 1)
    done = finetune(*command)
    assert (done.status, done.complaints) == (
        1,
        [
            f"hueval: hucola train (qid 7): {POSITIONS + 1} tokens, and the model has {POSITIONS} positions. "
            f"Cut long texts with --max-length {POSITIONS}"
        ],
    )
    assert not (tmp_path / "finetuned").exists()
    assert finetune(*command, "--max-length", POSITIONS).status == 0
    signature = results(tmp_path / "finetuned/validation/seed-1")["hulu_hucola"]["signature"]
    assert f"max_length={POSITIONS}" in signature


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ("MODEL", "--corpora", "hucola,hurc"),
            'hueval: --corpora: "hurc" is none of the corpora that classify: hucola, hucopa, hurte, husst, huwnli, ',
        ),
        (("MODEL", "--max-length", 99), "hueval: --max-length 99: the model has 48 positions. Give at most that"),
        (("/nowhere/model",), "hueval: /nowhere/model: no such folder. Give a folder with a model and its tokenizer, "),
        (("nobody/nothing",), "Give a folder with a model and its tokenizer, or a name on the Hub"),
        (("MODEL", "--corpora", "husst"), "has neither hulu/husst/sst_dev.json nor husst/sst_dev.json"),
        (("MODEL", "--peft"), "fine-tuning needs peft. Install it: pip install 'hueval[hf,peft]'"),
    ],
)
def test_bad_input_is_one_line(models, tmp_path, monkeypatch, arguments, line):
    monkeypatch.setitem(sys.modules, "peft", None)
    done = finetune(*[models["encoder"] if part == "MODEL" else part for part in arguments])
    assert (done.status, len(done.err.splitlines())) == (1, 1)
    assert line in done.err
    assert not (tmp_path / "finetuned").exists()


def test_another_precision_in_one_folder(models, monkeypatch):
    command = (models["encoder"], "--corpora", "hucola", "--epochs", 1, "--seeds")
    assert finetune(*command, 1).status == 0
    monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "bf16")
    done = finetune(*command, 2)
    assert done.status == 1
    assert "settings.json: was made with precision fp32, not bf16. Choose another folder" in done.err


def test_a_checkpoint_that_was_cut_off_is_left_out(tmp_path):
    for step, state in ((5, '{"epoch": 1.0}'), (10, "")):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        (folder / "trainer_state.json").write_text(state)
    assert last_checkpoint(tmp_path) == str(tmp_path / "checkpoint-5")


def test_damaged_weights(models, tmp_path):
    shutil.copytree(models["encoder"], tmp_path / "damaged")
    (tmp_path / "damaged/model.safetensors").write_bytes(b"\0" * 64)
    done = finetune(tmp_path / "damaged", "--corpora", "hucola")
    assert (done.status, len(done.err.splitlines())) == (1, 1)
    assert "/damaged: " in done.err and "Give a folder with a model" in done.err


def test_no_code_of_a_model_runs(models, tmp_path, monkeypatch):
    """Nor is the user asked whether it may: transformers prints a question and waits."""
    folder = tmp_path / "coded"
    shutil.copytree(models["encoder"], folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config |= {"model_type": "coded", "auto_map": {"AutoConfig": "coded.Config"}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "coded.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", encoding="utf-8")
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    done = finetune(folder, "--corpora", "hucola")
    assert (done.status, len(done.err.splitlines())) == (1, 1)
    assert "/coded: " in done.err
    assert not (tmp_path / "ran").exists()


def test_a_model_that_diverges(models, tmp_path):
    done = finetune(models["encoder"], "--corpora", "hucola", "--seeds", 1, "--epochs", 1, "--learning-rate", 1e30)
    assert (done.status, done.complaints[-1]) == (
        1,
        "hueval: hucola, seed 1: the model diverged (NaN). Lower --learning-rate, choose a new --output",
    )
    assert not list(tmp_path.rglob("results.json"))


def test_torch_is_not_installed(models, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    done = finetune(models["encoder"])
    assert (done.status, done.err) == (
        1,
        "hueval: fine-tuning needs torch. Install it: pip install 'hueval[hf]'\n",
    )


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (("--epochs", 0), "expected a whole number above 0; got 0"),
        (("--learning-rate", 0), "expected a number above 0; got 0"),
        (("--seeds", "1,b"), "expected whole numbers"),
        (("--seeds", 2**32), "expected whole numbers below"),
    ],
)
def test_wrong_usage(models, option, told):
    done = finetune(models["encoder"], *option)
    assert done.status == 2
    assert told in done.err

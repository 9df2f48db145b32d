"""Fine-tune a classifier on one corpus with one seed, by the Trainer of transformers, and let it predict.

Every document is scored by a sequence classifier. Where labels are fixed, it has an output a label. In HuCoPA it has
one output, a choice's score, and the softmax is over the choices: a multiple-choice head that pools as the classifier
does, the first token of an encoder, the last token that is no padding of a causal model.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.finetune_inputs import held_out
from lm_eval_tasks.hulu.metrics import OF_CLASSES

if TYPE_CHECKING:
    import numpy as np
    from datasets import Dataset
    from numpy.typing import NDArray

LORA = {"r": 8, "lora_alpha": 16, "lora_dropout": 0.1}  # as the defaults of HuLU-evaluate (nytud/HuLU-evaluate)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recipe:
    """How a model is fine-tuned.

    Attributes:
        model: a folder, or a name on the Hub.
        epochs: over train.
        learning_rate: at the start; it falls linearly to 0.
        batch_size: documents a step, of all devices together.
        max_length: see `finetune_inputs.encoded`.
        peft: whether LoRA adapters are trained instead of all weights.
        template: number of the prompt that the texts are in; None for the texts alone.
        select_on: the split whose rows choose the best epoch: a tenth of `train`, or `validation`.
    """

    model: str
    epochs: int = 6
    learning_rate: float = 2e-5
    batch_size: int = 8
    max_length: int | None = None
    peft: bool = False
    template: int | None = None
    select_on: str = "train"


def load_tokenizer(model: str) -> Any:
    """The tokenizer of a model, such that a batch can be padded.

    Raises:
        InputError: there is no such model, it has no tokenizer, or that has nothing to pad with.
    """
    from transformers import AutoTokenizer

    if not Path(model).is_dir() and not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", model):
        raise InputError(f"{model}: no such folder. {_WHERE}")
    with _one_line(model):
        tokenizer = AutoTokenizer.from_pretrained(model, trust_remote_code=False)
    if len(tokenizer) <= len(tokenizer.all_special_tokens):  # what transformers makes up where there are no files
        raise InputError(f"{model}: no tokenizer there. Save the model's own beside it: tokenizer.save_pretrained()")
    if tokenizer.pad_token is None:
        if tokenizer.eos_token is None:
            raise InputError(f"{model}: its tokenizer has no padding token. Set one: tokenizer.pad_token = …")
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.cls_token is None:
        tokenizer.padding_side = "right"  # on the left it would move the positions of the text
    return tokenizer


def devices() -> int:
    """How many devices share a batch: the processes of a launcher, or the GPUs that one process sees."""
    import torch

    return int(os.environ.get("WORLD_SIZE", "0")) or torch.cuda.device_count() or 1


def load_classifier(recipe: Recipe, tokenizer: Any, outputs: int) -> Any:
    """A sequence classifier over a pretrained model, in float32, its head drawn from torch's random numbers.

    Args:
        recipe: which model, and whether adapters are trained.
        tokenizer: the model's.
        outputs: how many numbers it gives for a text.

    Raises:
        InputError: its weights are not there, or no adapters are known for it.
    """
    import torch
    from transformers import AutoModelForSequenceClassification

    with _one_line(recipe.model):
        model = AutoModelForSequenceClassification.from_pretrained(
            recipe.model,
            num_labels=outputs,
            dtype=torch.float32,
            ignore_mismatched_sizes=True,
            trust_remote_code=False,
        )
    model.config.get_text_config().pad_token_id = tokenizer.pad_token_id
    if not recipe.peft:
        return model
    from peft import LoraConfig, TaskType, get_peft_model

    try:
        return get_peft_model(model, LoraConfig(task_type=TaskType.SEQ_CLS, **LORA))
    except ValueError as error:
        raise InputError(f"{recipe.model}: {_first(error)}. Fine-tune it without --peft") from None


def positions_of(name: str, tokenizer: Any) -> int | None:
    """The most tokens that a model can take; None where it has no limit. Its weights are not read.

    Args:
        name: of the model.
        tokenizer: the model's.

    Raises:
        InputError: it cannot be a sequence classifier, or it does not fit the tokenizer.
    """
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification

    with _one_line(name), torch.device("meta"):
        config = AutoConfig.from_pretrained(name, trust_remote_code=False)
        model = AutoModelForSequenceClassification.from_config(config, trust_remote_code=False)
    # Special tokens that no text has may have no row, as Gemma 3's for images.
    if max(tokenizer.vocab_size, tokenizer.pad_token_id + 1) > (known := model.get_input_embeddings().num_embeddings):
        raise InputError(f"{name}: its tokenizer has {len(tokenizer)} tokens, and the model {known}. {_WHERE}")
    limit: int | None = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if limit is None:
        return None
    # RoBERTa's positions begin after that of padding.
    unused = [
        module.padding_idx + 1
        for module in model.modules()
        if getattr(module, "num_embeddings", None) == limit and module.padding_idx is not None
    ]
    return limit - max(unused, default=0)


def finetuned(
    recipe: Recipe, corpus: str, seed: int, tokenizer: Any, rows: Mapping[str, Dataset], folder: Path
) -> dict[str, NDArray[np.float64]]:
    """Fine-tune on `train`, keep the best epoch by the corpus's headline metric, and predict all other splits.

    Args:
        recipe: how.
        corpus: a key of `CORPORA`.
        seed: of the head, of the order of rows, of dropout, and of the held-out tenth.
        tokenizer: the model's.
        rows: split → its rows: what `finetune_inputs.encoded` gives, and as `label` the index of the right class; of
            rows whose label is hidden any, as nothing is scored there.
        folder: for checkpoints, one an epoch, of which the last and the best are kept. Training goes on from the last.

    Returns:
        Split → log-probabilities, shape (rows, classes).

    Raises:
        InputError: see `load_classifier`; the device's memory does not hold a batch, or the model diverged.
    """
    import numpy as np
    import torch
    from safetensors import SafetensorError
    from scipy.special import log_softmax
    from transformers import set_seed

    set_seed(seed)
    model = load_classifier(recipe, tokenizer, 1 if corpus == "hucopa" else len(CORPORA[corpus].labels))
    train, selection = rows["train"], rows[recipe.select_on]
    if recipe.select_on == "train":
        chosen = held_out(train["label"], seed)
        selection, train = train.select(chosen), train.select(sorted(set(range(len(train))) - set(chosen)))
    try:
        trainer = _trainer(recipe, corpus, seed, model, tokenizer, train, selection, folder)
        trainer.train(resume_from_checkpoint=last_checkpoint(folder))
        found = {split: trainer.predict(some).predictions for split, some in rows.items() if split != "train"}
    except torch.OutOfMemoryError:
        raise InputError(
            f"{corpus}: no memory for the model and a batch of {recipe.batch_size}. Lower --batch-size or "
            "--max-length, or train adapters with --peft"
        ) from None
    except (OSError, SafetensorError) as error:
        raise InputError(
            f"{folder}: a checkpoint cannot be written ({_first(error)}). Free some space there; the same command "
            "goes on"
        ) from None
    if not all(np.isfinite(logits).all() for logits in found.values()):
        raise InputError(
            f"{corpus}, seed {seed}: the model diverged (NaN). Lower --learning-rate, choose a new --output"
        )
    return {split: log_softmax(logits.astype(np.float64), axis=-1) for split, logits in found.items()}


def _trainer(
    recipe: Recipe, corpus: str, seed: int, model: Any, tokenizer: Any, train: Dataset, selection: Dataset, folder: Path
) -> Any:
    import torch
    from transformers import (
        DataCollatorForMultipleChoice,
        PrinterCallback,
        Trainer,
        TrainerCallback,
        TrainingArguments,
    )

    class ChoiceTrainer(Trainer):
        """Scores every text of a document by itself, and compares all outputs of a document."""

        def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, **_: Any) -> Any:
            loss, logits = loss_of(model, inputs)
            return (loss, {"logits": logits}) if return_outputs else loss

    class Line(TrainerCallback):
        """One line an epoch."""

        def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any, **_: Any) -> None:
            if state.is_world_process_zero:
                where = "a tenth of train" if recipe.select_on == "train" else recipe.select_on
                result = f"{headline} {metrics[f'eval_{headline}']:.2f} on {where}"
                log.info("%s, seed %d: epoch %d of %d, %s", corpus, seed, state.epoch, recipe.epochs, result)

    is_cpu = not torch.accelerator.is_available()
    headline = CORPORA[corpus].headline
    metric = OF_CLASSES[len(CORPORA[corpus].labels)][headline]

    def score(given: Any) -> dict[str, float | None]:
        guesses = given.predictions.argmax(axis=-1).tolist()
        return {headline: metric(list(zip(given.label_ids.tolist(), guesses, strict=True)))}

    trainer = ChoiceTrainer(
        model=model,
        args=TrainingArguments(
            output_dir=str(folder.resolve()),  # the best checkpoint is found again from any folder
            seed=seed,
            num_train_epochs=recipe.epochs,
            learning_rate=recipe.learning_rate,
            per_device_train_batch_size=recipe.batch_size // devices(),
            per_device_eval_batch_size=recipe.batch_size,
            eval_strategy="epoch",
            save_strategy="epoch",
            save_total_limit=2,  # the best one and the last; of 1 the Trainer deletes the last when it ends
            load_best_model_at_end=True,
            metric_for_best_model=headline,
            greater_is_better=True,
            logging_strategy="no",
            report_to="none",
            log_level="error",
            log_level_replica="error",
            disable_tqdm=not sys.stderr.isatty(),
            remove_unused_columns=False,
            use_cpu=is_cpu,  # without it, processes on a CPU would not find one another
            dataloader_pin_memory=not is_cpu,
        ),
        data_collator=DataCollatorForMultipleChoice(tokenizer),  # a document of fixed labels has one text
        train_dataset=train,
        eval_dataset=selection,
        compute_metrics=score,
        callbacks=[Line()],
    )
    trainer.remove_callback(PrinterCallback)  # what it prints, Line says
    return trainer


def loss_of(model: Any, batch: Mapping[str, Any]) -> tuple[Any, Any]:
    """The cross-entropy of a batch (documents, texts of each, tokens), and the logits, shape (documents, classes)."""
    import torch

    inputs = {name: tensor.flatten(0, 1) for name, tensor in batch.items() if name != "labels"}
    logits = model(**inputs).logits.reshape(len(batch["labels"]), -1)
    return torch.nn.functional.cross_entropy(logits, batch["labels"]), logits


def last_checkpoint(folder: Path) -> str | None:
    """The last checkpoint that was written whole; the Trainer writes its state after everything else."""
    for state in sorted(folder.glob("checkpoint-*/trainer_state.json"), key=lambda file: -int(file.parent.name[11:])):
        with suppress(ValueError):  # cut off by a full disk
            json.loads(state.read_text(encoding="utf-8"))
            return str(state.parent)
    return None


_WHERE = "Give a folder with a model and its tokenizer, or a name on the Hub"


@contextmanager
def _one_line(model: str) -> Iterator[None]:
    """What transformers and the file formats raise of a model as one line."""
    try:
        yield
    except Exception as error:  # of a dozen types
        raise InputError(f"{model}: {_first(error)}. {_WHERE}") from error


def _first(error: Exception) -> str:
    """The first line of what transformers says, which goes on for many."""
    return one_line(str(error).strip().partition("\n")[0], 200).rstrip(".")

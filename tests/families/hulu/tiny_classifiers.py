"""HuLU corpora of a few dozen easy rows, and two models that can learn them in seconds: an encoder and a causal one."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

POSITIONS = 48
_SIZES = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": POSITIONS,
}
_WHO, _WHAT = (
    ("Anna", "Béla", "a tanár", "a szomszéd", "egy fiú"),
    ("almát", "könyvet", "kenyeret", "levelet", "tollat"),
)
_FILES = {
    "hucola": ("cola_train.json", "cola_dev.json", "cola_test.json"),
    "hucopa": ("train.json", "val.json", "test.json"),
    "hurte": ("rte_train.json", "rte_dev.json", "rte_test.json"),
}


def write_data(folder: Path) -> Path:
    """The files of three corpora below `hulu`, the labels of test hidden; a word decides each label.

    In HuCoPA that word stands in the right choice, in HuRTE in the second sentence.
    """
    rng = random.Random(0)
    for corpus, files in _FILES.items():
        for file, n in zip(files, (60, 20, 10), strict=True):
            rows = [_row(corpus, str(i), i % 2, rng) for i in range(n)]
            if file == files[2]:
                for row in rows:
                    del row["Label" if corpus == "hucola" else "label"]
            path = folder / "hulu" / corpus / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return folder


def _row(corpus: str, name: str, right: int, rng: random.Random) -> dict[str, str]:
    what = f"{rng.choice(_WHO)} {rng.choice(_WHAT)}"
    if corpus == "hucola":
        return {"Sent_id": name, "Sent": f"{what} {('ette', 'eszik')[right]}.", "Label": str(right)}
    if corpus == "hurte":
        hypothesis = f"{rng.choice(_WHO)} {('sosem', 'mindig')[right]} vett {rng.choice(_WHAT)}."
        return {"id": name, "premise": f"{what} vett.", "hypothesis": hypothesis, "label": str(right)}
    choices = [f"{rng.choice(_WHO)} {verb} {rng.choice(_WHAT)}." for verb in ("adott", "nyelt")]
    if not right:
        choices.reverse()
    given = {"id": name, "premise": f"{what} vett.", "question": ("cause", "effect")[int(name) // 2 % 2]}
    return {**given, "choice1": choices[0], "choice2": choices[1], "label": str(2 - right)}


def build_encoder(folder: Path) -> Path:
    """A BERT: `[CLS] first [SEP] second [SEP]`, and POSITIONS positions."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    raw = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.train_from_iterator(_texts(), trainers.WordPieceTrainer(special_tokens=special, show_progress=False))
    raw.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    BertModel(
        BertConfig(
            vocab_size=len(tokenizer),
            **_SIZES,
        )
    ).save_pretrained(folder)
    return folder


def build_causal(folder: Path) -> Path:
    """A Llama whose tokenizer has neither separator nor padding token."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<eos>"], initial_alphabet=alphabet, show_progress=False
    )
    raw.train_from_iterator(_texts(), trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<eos>", padding_side="left")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            **_SIZES,
            pad_token_id=None,
            eos_token_id=0,
            bos_token_id=None,
        )
    ).save_pretrained(folder)
    return folder


def _texts() -> list[str]:
    rng = random.Random(0)
    rows: list[dict[str, Any]] = [_row(corpus, str(i), i % 2, rng) for corpus in _FILES for i in range(60)]
    return [" ".join(row.values()) + ", mert ezért" for row in rows]

"""What a classifier reads: both texts of a pair, and the same logits however long the batch is padded."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from hueval_metrics.errors import InputError
from lm_eval_tasks.hulu.finetune_inputs import encoded, held_out, texts_of
from lm_eval_tasks.hulu.finetune_training import Recipe, load_classifier, load_tokenizer, loss_of, positions_of
from tests.each import each
from tests.families.hulu.tiny_classifiers import POSITIONS, build_causal, build_encoder

RTE = {
    "task": "hurte",
    "split": "train",
    "qid": "0",
    "prompt": 2,
    "premise": "Anna almát vett.",
    "hypothesis": "Béla vett könyvet.",
    "label": "1",
}
COPA = {
    "task": "hucopa",
    "split": "train",
    "qid": "1",
    "prompt": 1,
    "premise": "Anna almát vett.",
    "question": "effect",
    "choice1": "Béla adott könyvet.",
    "choice2": "egy fiú nyelt kenyeret, almát, levelet, tollat.",
    "label": "2",
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return {"encoder": build_encoder(folder / "encoder"), "causal": build_causal(folder / "causal")}


def test_texts():
    assert texts_of(RTE, templated=False) == [("Anna almát vett.", "Béla vett könyvet.")]
    assert texts_of(COPA, templated=False) == [
        ("Anna almát vett, ezért", "béla adott könyvet."),
        ("Anna almát vett, ezért", "egy fiú nyelt kenyeret, almát, levelet, tollat."),
    ]
    ((whole,),) = texts_of(RTE, templated=True)
    assert whole.startswith("Anna almát vett.\n\nA fentiek alapján") and "Béla vett könyvet." in whole


@pytest.mark.parametrize(
    ("kind", "doc", "templated", "read"),
    [
        ("encoder", RTE, False, "[CLS] Anna almát vett . [SEP] Béla vett könyvet . [SEP]"),
        ("causal", RTE, False, "Anna almát vett.\nBéla vett könyvet."),
        ("causal", COPA, False, "Anna almát vett, ezért béla adott könyvet."),
        ("encoder", COPA | {"choice1": "Anna eszik."}, True, "[CLS] Anna almát vett , ezért anna eszik . [SEP]"),
    ],
)
def test_tokens(models, kind, doc, templated, read):
    tokenizer = load_tokenizer(str(models[kind]))
    (tokens,) = encoded(tokenizer, [doc], templated=templated, max_length=None, positions=None)
    text = tokenizer.decode(tokens["input_ids"][0])
    assert text.replace(" ##", "") == read


def test_the_longest_text_is_named(models):
    tokenizer = load_tokenizer(str(models["encoder"]))
    with pytest.raises(InputError, match=r"hucopa train \(qid 1\): \d+ tokens, and the model has 9 positions"):
        encoded(tokenizer, [COPA | {"qid": "0", "choice2": "b"}, COPA], templated=False, max_length=None, positions=9)
    cut = encoded(tokenizer, [COPA], templated=False, max_length=9, positions=9)
    assert max(map(len, cut[0]["input_ids"])) == 9


@each("kind", ["encoder", "causal"])
def test_the_longer_text_of_a_pair_is_cut_and_the_template_stays(models, kind):
    tokenizer = load_tokenizer(str(models[kind]))
    doc = RTE | {"premise": "Anna almát vett. " * 9}
    for templated in (False, True):
        tokens = {"docs": [doc], "templated": templated, "positions": None}
        (whole,) = encoded(tokenizer, **tokens, max_length=None)
        most = len(whole["input_ids"][0]) - 12
        (cut,) = encoded(tokenizer, **tokens, max_length=most)
        text = tokenizer.decode(cut["input_ids"][0], skip_special_tokens=True).replace(" ##", "")
        assert len(cut["input_ids"][0]) <= most
        assert "Anna" in text and "Béla vett könyvet" in text
        assert ("vagy nem" in text) == templated
    with pytest.raises(InputError, match=r"^--max-length 2: no text of hurte is left. Give more$"):
        encoded(tokenizer, [doc], templated=True, max_length=2, positions=None)


def test_a_separator_that_the_tokenizer_does_not_use_separates_nothing(models):
    tokenizer = load_tokenizer(str(models["causal"]))
    tokenizer.add_special_tokens({"sep_token": "<sep>"})
    (tokens,) = encoded(tokenizer, [RTE], templated=False, max_length=None, positions=None)
    assert tokenizer.decode(tokens["input_ids"][0]) == "Anna almát vett.\nBéla vett könyvet."


@each("kind", ["encoder", "causal"])
@each("doc", [RTE, COPA], ids=lambda doc: doc["task"])
def test_logits_do_not_depend_on_padding(models, kind, doc):
    import torch
    from transformers import DataCollatorForMultipleChoice

    tokenizer = load_tokenizer(str(models[kind]))
    torch.manual_seed(1)
    model = load_classifier(Recipe(str(models[kind])), tokenizer, 1 if doc is COPA else 2).eval()
    other = {**doc, ("choice1" if doc is COPA else "premise"): "a szomszéd levelet vett. " * 4}
    rows = [
        {**tokens, "label": 0}
        for tokens in encoded(tokenizer, [doc, other], templated=False, max_length=None, positions=None)
    ]
    collate = DataCollatorForMultipleChoice(tokenizer)
    alone, beside = collate([{**rows[0]}]), collate([{**row} for row in rows])  # which may take their labels out
    assert beside["input_ids"].shape[-1] > alone["input_ids"].shape[-1]
    with torch.no_grad():
        logits, padded = loss_of(model, alone)[1], loss_of(model, beside)[1]
    assert torch.allclose(logits[0], padded[0], atol=1e-5)
    assert logits.shape == (1, 2)
    assert not torch.allclose(padded[0], padded[1], atol=1e-5)


@dataclass(frozen=True)
class Vocabulary:
    """The sizes of a tokenizer."""

    vocab_size: int
    added: int = 0
    pad_token_id: int = 1

    def __len__(self):
        return self.vocab_size + self.added


def test_positions(models, tmp_path):
    assert positions_of(str(models["encoder"]), load_tokenizer(str(models["encoder"]))) == POSITIONS
    from transformers import RobertaConfig

    # As XLM-R's: 514 rows of a table, of which positions begin at 2.
    RobertaConfig(max_position_embeddings=514, pad_token_id=1).save_pretrained(tmp_path)
    assert positions_of(str(tmp_path), Vocabulary(100)) == 512
    assert positions_of(str(tmp_path), Vocabulary(50_265, added=1)) == 512  # as Gemma 3's token for images
    with pytest.raises(InputError, match="its tokenizer has 99999 tokens, and the model 50265"):
        positions_of(str(tmp_path), Vocabulary(99_999))


def test_a_tenth_of_each_label_is_held_out():
    labels = [0] * 200 + [1] * 50 + [2] * 3 + [3]
    found = held_out(labels, seed=1)
    assert Counter(labels[place] for place in found) == {0: 20, 1: 5, 2: 1}
    assert found == held_out(labels, seed=1) == sorted(set(found))
    assert found != held_out(labels, seed=2)

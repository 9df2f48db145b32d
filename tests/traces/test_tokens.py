"""Counting tokens: with a tokenizer, by the estimate, and where none can be had."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from hueval_metrics.records import InputError
from hueval_metrics.traces.tokens import ESTIMATE, Counter, counter_of, named_counter

REPLY = "<s>Egy kettő.\n\nÁrvíz</s>három"
BLOCKS = ((3, 13), (15, 20))  # "Egy kettő.", "Árvíz"


def words() -> Tokenizer:
    """A token for each word and each sign, and two special ones around each text."""
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "<b>": 1, "<e>": 2}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<b> $A <e>", special_tokens=[("<b>", 1), ("<e>", 2)]
    )
    return tokenizer


def of_bytes() -> Tokenizer:
    """A token for each byte: letters of several bytes have several tokens."""
    alphabet = {char: n for n, char in enumerate(pre_tokenizers.ByteLevel.alphabet())}
    tokenizer = Tokenizer(models.BPE(alphabet, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


@pytest.fixture
def saved(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    words().save(str(folder / "tokenizer.json"))
    return folder


def test_the_trace_is_counted_within_the_reply():
    tokens = Counter("words", words()).of(REPLY, BLOCKS)
    assert tokens.trace == 4  # Egy, kettő, ".", Árvíz
    assert tokens.reply == 2 + 3 + 4 + 3 + 1  # special ones, <s>, the trace, </s>, három


@pytest.mark.parametrize(
    ("offset", "count"),
    [(0, 0), (1, 1), (3, 1), (4, 1), (5, 2), (9, 2), (10, 3), (11, 3), (12, 3), (13, 4), (17, 4), (99, 4), (-1, 0)],
)
def test_tokens_before_an_offset_of_the_trace(offset, count):
    """Offsets are of "Egy kettő.\\n\\nÁrvíz"; a token that begins before one counts."""
    assert Counter("words", words()).of(REPLY, BLOCKS).before(offset) == count


@pytest.mark.parametrize("counter", [Counter(), Counter("b", of_bytes())], ids=["estimate", "bytes"])
@given(
    parts=st.lists(st.text(st.characters(codec=None), max_size=30).filter(str.strip), max_size=3),
    offsets=st.lists(st.integers(0, 100)),
)
def test_any_text_can_be_counted(counter, parts, offsets):
    """Null bytes, half surrogates and text from right to left are characters too."""
    blocks, reply = [], "<think>"
    for part in parts:
        blocks.append((len(reply), len(reply) + len(part)))
        reply += f"{part}</think>"
    tokens = counter.of(reply, blocks)
    length = len("\n\n".join(parts))
    counts = [tokens.before(offset) for offset in sorted({*offsets, length})]
    assert counts == sorted(counts)
    assert tokens.before(0) == 0
    assert tokens.before(length) == tokens.trace <= tokens.reply
    assert (tokens.trace > 0) >= any(len(part) > 4 for part in parts)


def test_bytes_of_a_letter():
    tokens = Counter("b", of_bytes()).of("őő", [(0, 2)])
    assert (tokens.trace, tokens.before(1)) == (4, 2)


def test_half_a_surrogate_pair_is_one_character():
    tokens = Counter("b", of_bytes()).of("a\ud800b", [(0, 3)])
    assert (tokens.trace, tokens.before(2), tokens.reply) == (3, 2, 3)


def test_a_folder_is_a_tokenizer(saved, caplog):
    assert named_counter(str(saved)).name == str(saved)
    counter = counter_of(["", str(saved)], "m")
    assert (counter.name, counter.of(REPLY, BLOCKS).trace) == (str(saved), 4)
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("models", "why"),
    [
        ([], "its files do not name a model"),
        (["org/model"], "the tokenizer of org/model is not in the cache, and HUEVAL_OFFLINE is set"),
        (["../no/folder"], "../no/folder is no folder, and no name of the Hub"),
    ],
)
def test_the_estimate_stands_in_and_says_so(models, why, caplog, monkeypatch):
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    caplog.set_level(logging.WARNING)
    assert counter_of(models, "my run").name == ESTIMATE
    assert caplog.messages == [f"my run: its tokens are estimated: {why}. Name its tokenizer with --tokenizer."]


def test_a_hub_that_cannot_be_reached_is_asked_once(caplog, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert counter_of(["org/model"], "m").name == ESTIMATE
    assert "the tokenizer of org/model cannot be had from the Hub" in caplog.text


def test_a_named_tokenizer_must_be_there(tmp_path, monkeypatch):
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    with pytest.raises(InputError, match=r"--tokenizer: there is no tokenizer\.json in .* Name a folder that has"):
        named_counter(str(tmp_path))
    with pytest.raises(InputError, match="--tokenizer: the tokenizer of org/model is not in the cache"):
        named_counter("org/model")
    (tmp_path / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"tokenizer\.json cannot be read"):
        named_counter(str(tmp_path))

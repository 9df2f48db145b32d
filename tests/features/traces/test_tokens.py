"""Counting tokens: with a tokenizer, by the estimate, and where none can be had."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from hueval_metrics.errors import InputError
from hueval_metrics.tokens import ESTIMATE, MAX_BYTES, Counter, counter_of, named_counter
from tests.fakes.hub_server import HubServer

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
        (["org/model"], "the tokenizer of org/model is not in the Hub's cache"),
        (["../no/folder"], "../no/folder is no folder, and no name of the Hub"),
    ],
)
def test_the_estimate_stands_in_and_says_so(models, why, caplog, monkeypatch):
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    caplog.set_level(logging.WARNING)
    assert counter_of(models, "my run").name == ESTIMATE
    assert caplog.messages == [f"my run: its tokens are estimated: {why}. Name its tokenizer with --tokenizer."]


def test_the_hub_is_asked_for_what_the_user_names_alone(caplog, monkeypatch):
    """Not for what a results file names: whoever wrote it would learn of it, and choose what is fetched."""
    with HubServer() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        assert counter_of(["org/model", "https://x.example/m"], "m").name == ESTIMATE
        assert hub.calls == []
        with pytest.raises(InputError, match="--tokenizer: the tokenizer of org/model cannot be had from the Hub"):
            named_counter("org/model")
        assert hub.calls != []


def saved_as(folder, **parts):
    content = json.loads(of_bytes().to_str()) | parts
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    return str(folder)


PANICS = {
    "as it is read": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"], "continuing_subword_prefix": "####"},
    "as it is used": {"type": "WordPiece", "vocab": {"a": 0}, "unk_token": "none", "max_input_chars_per_word": 9},
}


@pytest.mark.parametrize("why", PANICS)
def test_a_tokenizer_that_panics_is_one_line(tmp_path, why, capfd):
    name = saved_as(tmp_path, model={"continuing_subword_prefix": "##", **PANICS[why]}, normalizer=None)
    with pytest.raises(InputError, match=r"--tokenizer: .*tokenizer\.json cannot be read \("):
        named_counter(name)
    assert counter_of([name], "m").name == ESTIMATE
    assert capfd.readouterr().err == ""


def test_a_tokenizer_that_panics_at_a_reply_is_one_line(tmp_path):
    name = saved_as(tmp_path, normalizer={"type": "Precompiled", "precompiled_charsmap": "BAAAAP////8="})
    with pytest.raises(InputError, match=r"cannot be read \(index out of bounds"):
        named_counter(name)

    class Panicking:
        def encode(self, text):
            return Tokenizer.from_file(f"{name}/tokenizer.json").encode(text)

    with pytest.raises(InputError, match=r"the tokenizer fails on a reply \(index out of bounds"):
        Counter("m", Panicking()).of("Ő", [])


def test_a_tokenizer_beyond_the_limit_is_not_read(tmp_path):
    with (tmp_path / "tokenizer.json").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(InputError, match=r"tokenizer\.json cannot be read \(.*larger than 64 MiB"):
        named_counter(str(tmp_path))


def test_a_named_tokenizer_must_be_there(tmp_path, monkeypatch):
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    with pytest.raises(InputError, match=r"--tokenizer: there is no tokenizer\.json in .* Name a folder that has"):
        named_counter(str(tmp_path))
    with pytest.raises(InputError, match="--tokenizer: the tokenizer of org/model is not in the cache"):
        named_counter("org/model")
    (tmp_path / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"tokenizer\.json cannot be read"):
        named_counter(str(tmp_path))

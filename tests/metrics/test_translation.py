"""Scores of translations: literal values, and every number equal to its library's."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.metrics.translation import AVERAGE, BLEU, CHRF, matches, meteor_score, rouge_l, scores
from hueval_metrics.text.chinese_units import characters
from tests.each import each
from tests.helpers import load_cases, why

_DEGENERATE = (
    "",
    " ",
    "。",
    "我",
    "我我我我",
    "我哋去睇戲。",
    "我们去看电影，好吗？",
    "abc",
    "K11 10:30 IMAX",
    "A",
    "a a",
)


def pairs(count: int) -> list[tuple[str, str]]:
    """Translations and references: every pair of degenerate ones, then random changes of random sentences."""
    draws = random.Random(7)
    letters = "我你佢哋嘅去睇戲今日聽日唔係，。！ABab12 "
    found = [(said, wanted) for said in _DEGENERATE for wanted in _DEGENERATE if wanted.strip()]
    while len(found) < count:
        wanted = "".join(draws.choices(letters, k=draws.randint(1, 40))).strip() or "我"
        kept = [letter for letter in wanted if draws.random() < 0.8]
        at = draws.randrange(len(kept) + 1)
        found.append(("".join(kept[at:] + kept[:at] if draws.random() < 0.3 else kept), wanted))
    return found


class NoSynsets:
    """WordNet without a word, so that METEOR has its exact module alone."""

    def synsets(self, word: str) -> list[object]:
        return []


class SameStem:
    """A stemmer that changes nothing."""

    def stem(self, word: str) -> str:
        return word


PAIRS = pairs(1000)


def scored(said: str, wanted: str) -> dict:
    return scores(characters(said), characters(wanted), said, wanted)


@pytest.mark.parametrize("case", load_cases("translation_scores"), ids=why)
def test_scores(case):
    found = scored(case["said"], case["wanted"])
    numbers = {
        "bleu": BLEU([found["bleu"]]),
        "bleu_sentence": 100 * found["bleu_sentence"],
        "meteor": 100 * found["meteor"],
        "rouge_l": 100 * found["rouge_l"],
        "chrf": CHRF([found["chrf"]]),
        "avg": AVERAGE([found["avg"]]),
    }
    assert {name: round(number, 2) for name, number in numbers.items()} == case["scores"]


def test_units_are_those_of_sacrebleu():
    from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

    tokenize = TokenizerZh()
    texts = {text for pair in PAIRS for text in pair} | {
        "“引文”——…Ａ　Ｂ",
        "3,000.5元(約)",
        "don't 停",
        "𠮷野家\u3000好",
    }
    assert [list(characters(text)) for text in texts] == [tokenize(text.rstrip()).split() for text in texts]


@given(st.text(st.sampled_from("我。，…“A1.,-'\u3000\u2009 \n！（𠮷é"), max_size=20))
@settings(max_examples=200)
def test_units_of_any_text_are_those_of_sacrebleu(text):
    from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

    assert list(characters(text)) == TokenizerZh()(text.rstrip()).split()


def test_bleu_equals_sacrebleu():
    from sacrebleu import metrics as sacre

    values = [scored(*pair) for pair in PAIRS]
    of_sentence = sacre.BLEU(tokenize="zh", effective_order=True)
    expected = [of_sentence.sentence_score(said, [wanted]).score for said, wanted in PAIRS]
    assert [100 * value["bleu_sentence"] for value in values] == pytest.approx(expected, abs=1e-9)
    corpus = sacre.BLEU(tokenize="zh")
    for start in range(0, len(PAIRS), 50):  # small ones, in which smoothing matters, and all
        for some in (PAIRS[start : start + 3], PAIRS[start:]):
            said, wanted = ([pair[side] for pair in some] for side in (0, 1))
            ours = BLEU([value["bleu"] for value in values[start : start + len(some)]])
            assert ours == pytest.approx(corpus.corpus_score(said, [wanted]).score, abs=1e-9)


@each("pair", [pair for pair in PAIRS[:121] if len(pair[1]) < 8], ids=repr)
def test_a_corpus_of_one_sentence_equals_sacrebleu(pair):
    from sacrebleu import metrics as sacre

    found = scored(*pair)
    expected = sacre.BLEU(tokenize="zh").corpus_score([pair[0]], [[pair[1]]]).score
    assert BLEU([found["bleu"]]) == pytest.approx(expected, abs=1e-9)
    assert CHRF([found["chrf"]]) == pytest.approx(sacre.CHRF().corpus_score([pair[0]], [[pair[1]]]).score, abs=1e-9)


def test_chrf_equals_sacrebleu():
    from sacrebleu import metrics as sacre

    values = [scored(*pair)["chrf"] for pair in PAIRS]
    for start in range(0, len(PAIRS), 50):
        for some in (PAIRS[start : start + 3], PAIRS[start:]):
            said, wanted = ([pair[side] for pair in some] for side in (0, 1))
            ours = CHRF(values[start : start + len(some)])
            assert ours == pytest.approx(sacre.CHRF().corpus_score(said, [wanted]).score, abs=1e-9)


def test_meteor_equals_nltk():
    from nltk.translate.meteor_score import meteor_score as of_nltk

    for said, wanted in PAIRS:
        ours, theirs = list(characters(said)), list(characters(wanted))
        expected = of_nltk([theirs], ours, wordnet=NoSynsets(), stemmer=SameStem())
        assert scored(said, wanted)["meteor"] == pytest.approx(expected, abs=1e-12), (said, wanted)


def test_rouge_l_equals_rouge_score():
    from rouge_score.rouge_scorer import RougeScorer

    class Tokenizer:
        def tokenize(self, text: str) -> list[str]:
            return list(characters(text))

    scorer = RougeScorer(["rougeL"], tokenizer=Tokenizer())
    for said, wanted in PAIRS:
        expected = scorer.score(wanted, said)["rougeL"].fmeasure
        assert scored(said, wanted)["rouge_l"] == pytest.approx(expected, abs=1e-12), (said, wanted)


@pytest.mark.parametrize("kind", [str, tuple])
def test_words_are_counted_like_characters(kind):
    said, wanted = kind("我哋去睇戲"), kind("我們去看戲")
    assert matches(said, wanted, 4) == (3, 0, 0, 0)
    assert rouge_l(said, wanted) == pytest.approx(0.6)
    assert meteor_score(said, wanted) == pytest.approx(0.6 * (1 - 0.5))  # three chunks of one unit each


def test_one_text_of_words_and_one_of_characters():
    found = scores(("我們", "去"), "去", "我們去", "去")
    assert found["bleu"] == (1, 0, 0, 0, 2, 1)
    assert found["rouge_l"] == pytest.approx(2 / 3)


def test_average_is_of_the_corpus_not_of_sentences():
    values = [scored("我哋去睇戲。", "我哋去睇戲。"), scored("天氣", "你好，早晨！")]
    parts = (
        BLEU([value["bleu"] for value in values]),
        PERCENT([value["meteor"] for value in values]),
        PERCENT([value["rouge_l"] for value in values]),
    )
    assert AVERAGE([value["avg"] for value in values]) == pytest.approx(sum(parts) / 3)


def test_values_may_come_back_from_json_as_lists():
    value = scored("我哋去睇戲。", "我哋去睇嘢。")
    assert BLEU([list(value["bleu"])]) == BLEU([value["bleu"]])
    assert CHRF([list(value["chrf"])]) == CHRF([value["chrf"]])


def test_nothing_scored_has_no_score():
    assert (BLEU([]), CHRF([None]), AVERAGE([])) == (None, None, None)


def test_a_translation_of_a_megabyte_is_scored():
    found = scored("我哋去睇戲。" * 60_000, "我哋去睇戲。")
    assert found["rouge_l"] == pytest.approx(2 / 60_001)  # 2·6/(360,000 + 6)
    assert found["bleu"] == (6, 5, 4, 3, 360_000, 6)

"""Translations: what one reply scores, what a run does, and that runs can be compared."""

from __future__ import annotations

import builtins
import json

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.loader import documents
from hueval_metrics.metrics.translation import BLEU
from hueval_metrics.records import Filtered
from hueval_metrics.text import chinese_units
from hueval_metrics.text.script import simplified
from lm_eval_tasks.hkmmlu.translation import score
from tests.each import each
from tests.families.hkmmlu import full_size
from tests.harness.runs import hueval_here

DEAD_END = {  # Figure 20, second example
    "task": "yue_to_zh",
    "units": "char",
    "input": "我哋嘅談判已經去到咗死衚衕,雙方都唔能夠妥協。",
    "output": "我们的谈判已经走到了死胡同,双方都无法妥协。",
    "source_language": "yue",
    "target_language": "zh",
}
TRAVEL = {  # Figure 20, first example
    "task": "zh_to_yue",
    "units": "char",
    "input": "我們能有幾回機會像這樣一起旅行,所以我們一定要好好珍惜。",
    "output": "我哋有幾何機會好似噉一齊旅行,所以我哋一定要好好珍惜。",
    "source_language": "zh",
    "target_language": "yue",
}
SCALE = 0.001


def of(doc, reply, *, truncated=False):
    """The values of a reply to a document."""
    return score(doc, [Filtered(reply, truncated).to_json()])


def test_a_right_answer_in_the_other_script():
    found = of(DEAD_END, "翻譯：我們的談判已經走進死胡同,雙方都不能妥協。")
    assert round(BLEU([found["bleu"]]), 1) == 16.5
    assert round(BLEU([found["bleu_norm"]]), 1) == 64.0
    assert (found["copy_rate"], found["empty_rate"]) == (0, 0)
    assert "is_cantonese" not in found


@pytest.mark.parametrize(
    ("why", "doc", "reply", "expected"),
    [
        ("right", TRAVEL, TRAVEL["output"], (1, 0, 0)),
        ("right, in Simplified", TRAVEL, simplified(TRAVEL["output"]), (1, 0, 0)),
        ("the source again", TRAVEL, TRAVEL["input"], (0, 1, 0)),
        ("the source in the other script, with a heading", TRAVEL, f"粵語：{simplified(TRAVEL['input'])}", (0, 1, 0)),
        ("the source where it is right", {**TRAVEL, "input": TRAVEL["output"]}, TRAVEL["output"], (1, 0, 0)),
        ("nothing", TRAVEL, " \n", (0, 0, 1)),
        ("only a heading", TRAVEL, "粵語：", (0, 0, 1)),
        ("Mandarin in Traditional", TRAVEL, "我們有多少機會一起旅行。", (0, 0, 0)),
    ],
)  # fmt: skip
def test_rates(why, doc, reply, expected):
    found = of(doc, reply)
    assert (found["is_cantonese"], found["copy_rate"], found["empty_rate"]) == expected, why


def test_a_cut_reply_is_counted_and_scored():
    found = of(TRAVEL, TRAVEL["output"][:10], truncated=True)
    assert (found["truncated_rate"], found["bleu"][4:]) == (1.0, (10, 27))


def test_texts_alike_in_both_scripts_share_their_values():
    found = of({**TRAVEL, "output": "佢好好人。"}, "佢好人。")
    assert found["bleu"] is found["bleu_norm"]
    assert found["avg"] is found["avg_norm"]


@each("doc", [DEAD_END, TRAVEL], ids=["jieba", "pycantonese"])
def test_words_are_what_sacrebleu_makes_of_them(doc):
    from sacrebleu.metrics import BLEU as SACRE_BLEU

    reply = doc["output"].replace("一定", "應該").replace("已经", "早已")
    said, wanted = (" ".join(chinese_units.words(text, doc["target_language"])) for text in (reply, doc["output"]))
    expected = SACRE_BLEU(tokenize="none").corpus_score([said], [[wanted]]).score
    assert 0 < expected < 100
    assert len(wanted.split()) < len(doc["output"])
    assert BLEU([of({**doc, "units": "word"}, reply)["bleu"]]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("language", "library"), [("zh", "jieba"), ("yue", "pycantonese")])
def test_words_without_their_library_are_one_line(monkeypatch, language, library):
    really = builtins.__import__

    def without(name, *rest, **options):
        if name == library:
            raise ImportError(f"No module named {name!r}", name=name)
        return really(name, *rest, **options)

    chinese_units._segmenter.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=rf"units: word needs {library}\. pip install 'hueval\[zh\]'"):
        chinese_units.words("去", language)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folders with what `hueval score` makes of two models' translations, and what they said."""
    home = tmp_path_factory.mktemp("translations")
    data = full_size.write(home, scale=SCALE)
    said = {}
    for name, keep in (("worse", 2), ("better", 3)):
        rows = []
        for task in ("hkmmlutr_yue_to_zh", "hkmmlutr_zh_to_yue"):
            for doc in documents(task, data_dir=str(data))[0]:
                cut = "".join(letter for place, letter in enumerate(doc["output"]) if place % 4 < keep)
                rows.append({"task": task, "qid": doc["qid"], "prediction": cut})
                said.setdefault((name, task), []).append((cut, doc["output"]))
        file = home / f"{name}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        done = hueval_here("score", file, "--output", home / name, HUEVAL_DATA_DIR=str(data), HUEVAL_OFFLINE="1")
        assert done.status == 0, done.err
    return home, said


def test_the_numbers_of_a_run_are_sacrebleus(made):
    from sacrebleu.metrics import BLEU as SACRE_BLEU
    from sacrebleu.metrics import CHRF as SACRE_CHRF

    home, said = made
    results = json.loads((home / "better" / "results.json").read_text(encoding="utf-8"))
    for task in ("hkmmlutr_yue_to_zh", "hkmmlutr_zh_to_yue"):
        texts, wanted = zip(*said["better", task], strict=True)
        found = results[task]
        assert found["n"] == len(texts) > 40
        for suffix, change in (("", str), ("_norm", simplified)):
            changed = [*map(change, texts)], [[*map(change, wanted)]]
            assert found[f"bleu{suffix}"] == pytest.approx(
                SACRE_BLEU(tokenize="zh").corpus_score(*changed).score, abs=1e-9
            )
            assert found[f"chrf{suffix}"] == pytest.approx(SACRE_CHRF().corpus_score(*changed).score, abs=1e-9)
            parts = [found[f"{name}{suffix}"] for name in ("bleu", "meteor", "rouge_l")]
            assert found[f"avg{suffix}"] == pytest.approx(sum(parts) / 3)
            for name in ("avg", "bleu", "bleu_sentence", "meteor", "rouge_l", "chrf"):
                low, high = found[f"{name}{suffix}_ci95"]
                assert low < found[f"{name}{suffix}"] < high


def test_runs_are_compared_by_every_score(made):
    home, _ = made
    done = hueval_here(
        "compare", home / "worse", home / "better", "--metric", "avg", "--metric", "bleu_norm", "--format", "json"
    )
    assert done.status == 0, done.err
    rows = json.loads(done.out)["metrics"]
    assert [row["metric"] for row in rows] == ["avg", "bleu_norm"] * 2
    for row in rows:
        (pair,) = row["pairs"]
        results = json.loads((home / "better" / "results.json").read_text(encoding="utf-8"))[row["task"]]
        assert pair["scores"][1] == pytest.approx(results[row["metric"]])
        assert pair["ci95"][0] < pair["difference"] < pair["ci95"][1] < 0
        assert pair["p"] < 0.05

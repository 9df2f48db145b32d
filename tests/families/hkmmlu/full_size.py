"""Synthetic data as large as HKMMLU: 66 subjects with as many questions as Table 5 prints, 45,275 pairs a direction.

The texts mean nothing: they are made of words, so that lengths, scripts and overlaps are those of sentences.
`python -m tests.families.hkmmlu.full_size DIR` writes them, in upstream's layout.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterable
from pathlib import Path

from hf_datasets.hkmmlu.convert import PRINTED_PAIRS
from hf_datasets.hkmmlu.subjects import SUBJECTS

VALIDATION = 5  # questions of each subject; the others are in test
_NOUNS = [
    "香港",
    "政府",
    "學生",
    "海港",
    "巴士",
    "電影",
    "歷史",
    "法律",
    "醫院",
    "公園",
    "大學",
    "鐵路",
    "餐廳",
    "議會",
    "音樂",
    "市場",
    "工廠",
    "漁村",
    "機場",
    "圖書館",
]
_VERBS = ["成立於", "位於", "建於", "包括", "負責", "推動", "影響", "屬於", "取代", "支持"]
_TAILS = ["哪一年", "哪個地區", "什麼原因", "哪位人物", "多少人", "哪一項", "什麼制度", "哪間公司"]
# Cantonese in Traditional script, and Mandarin in Simplified, as upstream has them.
_PAIRS = [
    *(("我哋", "我们"), ("佢哋", "他们"), ("你", "你"), ("阿媽", "妈妈"), ("個經理", "经理"), ("嗰個人", "那个人")),
    *(("今日", "今天"), ("尋日", "昨天"), ("聽日", "明天"), ("而家", "现在"), ("晏晝", "中午"), ("下個月", "下个月")),
    *(
        ("去咗", "去了"),
        ("買咗", "买了"),
        ("睇緊", "正在看"),
        ("唔鍾意", "不喜欢"),
        ("諗住去", "打算去"),
        ("冇去", "没去"),
    ),
    *(("圖書館", "图书馆"), ("街市", "菜市场"), ("戲院", "电影院"), ("學校", "学校"), ("屋企", "家"), ("公司", "公司")),
    *(("嘅", "的"), ("呢度", "这里"), ("嗰度", "那里"), ("幾多錢", "多少钱"), ("好靚", "很漂亮"), ("唔該", "谢谢")),
    *(("同埋", "和"), ("因為", "因为"), ("所以", "所以"), ("一齊", "一起"), ("好耐", "很久"), ("即刻", "立刻")),
]


def write(folder: Path, *, scale: float = 1.0, seed: int = 0) -> Path:
    """Write the data below a folder, and return it: a `data_dir`.

    Args:
        folder: gets `hkmmlu/test/*.csv`, `hkmmlu/dev/*.csv` and the two files of translations.
        scale: share of the rows, for quicker tests; each file has five at least.
        seed: of the texts.
    """
    draw = random.Random(seed)
    home = folder / "hkmmlu"
    for slug, subject in SUBJECTS.items():
        size = max(VALIDATION, round(scale * subject.printed) - VALIDATION)
        for split, n in (("dev", VALIDATION), ("test", size)):
            _write(home / split / f"{slug}.csv", ["Question", *"ABCD", "Answer"], (_question(draw) for _ in range(n)))
    n_pairs = max(VALIDATION, round(scale * PRINTED_PAIRS))
    for name, (source, target) in {"can2man": (0, 1), "man2can": (1, 0)}.items():
        pairs = (_pair(draw) for _ in range(n_pairs))
        _write(home / f"{name}.csv", ["input", "output"], ((pair[source], pair[target]) for pair in pairs))
    return folder


def _question(draw: random.Random) -> list[str]:
    words = [draw.choice(some) for _ in range(draw.randint(2, 6)) for some in (_NOUNS, _VERBS)]
    options = draw.sample(
        [f"{first}{second}{year}年" for first in _NOUNS for second in _NOUNS for year in (1898, 1997)], 4
    )
    return [f"{''.join(words)}{draw.choice(_TAILS)}？（{draw.randrange(10**6)}）", *options, draw.choice("ABCD")]


def _pair(draw: random.Random) -> tuple[str, str]:
    chosen = [draw.choice(_PAIRS) for _ in range(draw.randint(4, 14))]
    return "".join(one for one, _ in chosen) + "。", "".join(other for _, other in chosen) + "。"


def _write(path: Path, header: list[str], rows: Iterable[Iterable[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


if __name__ == "__main__":
    write(Path(sys.argv[1]))

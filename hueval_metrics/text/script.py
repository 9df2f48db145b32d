"""Scripts of Chinese: conversion by OpenCC, and the marks by which written Cantonese is known.

The marks are characters and words that written Cantonese has and written Mandarin has not, in either script (Cheung &
Bauer 2002, The Representation of Cantonese with Chinese Characters; Snow 2004, Cantonese as Written Language). Those
that are also parts of Mandarin words count only where they are not (而家, but not 而家長). What both languages write is
no mark, however frequent in Cantonese: 係 in 關係, 食, 飲, 靚.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from hueval_metrics.errors import InputError

# Characters that Mandarin has not, or only in names and quotations.
_CHARACTERS = "咗喺哋佢嗰啲噉咁嚟嘢冇瞓啱攞攰㗎嘥嗌噏喐噃啩喎囖睇嬲孭嗱嚿揸掟諗谂"
_CANTONESE = re.compile(
    "|".join(
        (
            f"[{_CHARACTERS}]",
            "嘅(?![嘆叹歎然])",
            # 唔 before a word is the negation; alone it is an interjection of Mandarin, too.
            "唔(?=[\u4e00-\u9fff])(?![唔嗯哼啊呃])",
            "畀(?![予以])(?<![付授委]畀)",
            "俾(?=[我你人錢钱番返面心機机])",
            "[揾搵](?![英雄淚泪])",
            "[係系](?=咪)|係(?=[真啊呀喇囉㗎])|(?:[我你真梗即淨就但]|(?<!成)都|如果)係(?!數)",
            "(?<=[一二兩三四五六七八九十百千萬万幾])蚊(?!子|蟲|虫|香|帳)",
            "仲(?=[有未係要會会想可得])(?<![杜伯昆管孔翁黎鍾鐘钟]仲)",
            "呢(?=[個个度位件間间句排種种])",
            "(?<![一這这那此旁身兩两左右海路床手周岸窗耳][邊边])(?<=[邊边])[個个度位](?![假過过日蜜量])",
            "(?:^|(?<=[\\s，,。！!？?：:、「“我你]))(?:[點点]解(?![釋释決决答讀读析說说除散開开放剖鎖锁密構构])|點樣(?![子品本式])"
            "|依家)|而家(?![庭长長人乡鄉里裡裏中族务務具电電居用境教业業喻属屬校产產畜禽谱譜父母园園训訓规規暴政道门門常国國])",
            "[尋琴噚聽听]日(?=[，,。我你去嘅喺先朝晚下會会要早好見见])",
            "(?:做|[有冇為]|講|話)[乜咩]|[咩乜]事|乜(?=都)",
            "屋企|細路(?=仔|哥|女)|巴閉|曱甴|同埋(?![葬伏怨沒藏入在進下])|鍾意(?![外識思見義])|啫(?!喱)|傾偈",
        )
    )
)
_UNFIT = re.compile("[\0\ud800-\udfff]")


@cache
def converter(name: str) -> Any:
    """OpenCC's converter of a configuration such as `hk2s`.

    Raises:
        InputError: OpenCC is not installed.
    """
    try:
        import opencc
    except ImportError:
        raise InputError("conversion of Chinese scripts needs OpenCC. pip install 'hueval[zh]'") from None
    return opencc.OpenCC(name)


def simplified(text: str) -> str:
    """A text in Simplified Chinese, whichever script it has: `hk2s`, then `t2s`.

    Args:
        text: any text; OpenCC takes neither NUL nor lone surrogates, which become U+FFFD.
    """
    return str(converter("t2s").convert(converter("hk2s").convert(_UNFIT.sub("\ufffd", text))))


def is_cantonese(text: str) -> bool:
    """Whether a text has a mark of written Cantonese.

    A single one is enough. Short sentences may have none, as 早晨 or 我食飯: they are not distinguished from Mandarin.

    >>> is_cantonese("我哋去睇戲"), is_cantonese("我們去看電影，這關係到家長")
    (True, False)
    """
    return _CANTONESE.search(text) is not None

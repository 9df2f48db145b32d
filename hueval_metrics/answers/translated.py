"""Find the translation in a reply: without its heading, notes, quotation marks, and the source again.

What a translation is not is known by a heading of the reply itself (`譯文：`, `Here is the translation:`), by notes
behind it, or by what the source lacks: a source of one line has a translation of one paragraph. Nothing is rewritten:
what is found is a verbatim part of the reply. Of several translations the first is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from hueval_metrics.answers.objects import objects
from hueval_metrics.answers.run_on import answered_part
from hueval_metrics.answers.text import Text, without_markup

_LANGUAGES = {
    "zh": (
        r"普通[話话]|[國国][語语]|[書书]面[語语]|(?:[現现]代)?[漢汉][語语]|中文|"
        r"(?:Standard |Mandarin )?Chinese|Mandarin"
    ),
    "yue": r"[粵粤][語语]|[廣广][東东][話话]|[廣广]州[話话]|白[話话]文?|Cantonese",
}
_RESULT = r"翻[譯译]|[譯译]文?|答案|回答|答|[輸输]出|[結结]果|版本|translation|answer|output|result"
_SOURCE = r"原文|原句|[問问][題题]|[輸输]入|source|original|input|question"
_NOTE = (
    r"[備备附]?[註注]|[說说]明|解[釋释說说析]|分析|提示|[補补]充|直[譯译]|意思|拼音|[粵粤]拼|[讀读發发]音|notes?|explanations?|"
    r"breakdown|literal\w*|meaning|jyutping|pinyin|pronunciation"
)
# What a heading may have besides: 粵語白話文翻譯結果, Cantonese (HK) translation, 译文（普通话）.
_WITH = (
    r"(?:[ \t]|的|嘅|翻[譯译]|[譯译]文|文本|口[語语]|版本?|[結结]果|句子?|如下|[為为成]|[是係系]|[一二1A]|"
    r"translat(?:ion|ed)|version|text|sentence|final|the|[(（][^()（）\n]{1,30}[)）])"
)
_BEFORE = r"^[ \t>#*_•-]{0,8}"  # a heading: list marks and emphasis
_COLON = r"[ \t*_]{0,4}[:：][ \t*_]{0,4}"
_REMARK = re.compile(
    rf"{_BEFORE}(?:[(（【\[]?(?:{_NOTE})[^\n:：]{{0,20}}(?:{_COLON}|\n)"
    r"|(?:又?或者?|或[是係]|另[一外]|也可以|亦可以|alternatively|or\b)[^\n]{0,24}[:：]"
    r"|(?:[這这呢](?:句|[個个]|段)|以上)[^\n]{0,12}(?:意思|翻[譯译])|希望[^\n]{0,20}[幫帮]|如果[^\n]{0,20}(?:需要|告[訴诉])"
    r"|I hope|Hope this|Let me know|Please let|-{3,}[ \t]*$|={3,}[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
_IN_BRACKETS = re.compile(  # a note, or a sentence in English
    rf"[(（](?:(?:{_NOTE})[^\n]{{0,300}}|(?=[^\n]{{0,300}}[a-z]{{3}} [a-z])[ -~‘’“”—–]{{12,300}})[)）]", re.IGNORECASE
)
_AGREED = re.compile(
    r"\A(?:好的?|好啊|[當当]然(?:可以)?|可以|[沒没]有?[問问][題题]|明白|sure(?: thing)?|certainly|of course|okay|ok)"
    r"[^\n]{0,12}[!！。.，,~～]{0,3}[ \t]*\n\s*(?=\S)",
    re.IGNORECASE,
)
_ANNOUNCED = rf"{_RESULT}|改[寫写]|[轉转][換换]|translat\w{{1,4}}|[以如]下|下面|here(?: is|'s|’s)"
_QUOTATION = re.compile(
    rf"(?:{_ANNOUNCED})[^\n]{{0,60}}?(?:[是係系為为作]|\bis|would be|\bas)[ \t]*"
    r'[「『“"](?P<said>[^「」『』“”"\n]+)[」』”"]',
    re.IGNORECASE,
)
_FIRST_ITEM = re.compile(r"\A1[.、)）][ \t]*(?P<said>[^\n]+)\n\s*2[.、)）]")
_BULLET = re.compile(r"\A(?:[>•-] |→|=>|[:：])[ \t]*")
_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_MARKS = ("****", "____", "**", "__", *["「」", "『』", "“”", "‘’", '""', "''", "``", "《》", "【】", "[]"])
_LONGEST = 100  # characters of a sentence that announces the translation, apart from the source in it


def read_translation(response: str, source: str, language: str, lines: Sequence[str] = ()) -> str:
    """The translation in a reply; empty where there is none.

    Args:
        response: the reply without its reasoning trace; any text. The time is linear in its length.
        source: what was to be translated.
        language: `zh` (Mandarin) or `yue` (Cantonese), into which it was to be translated.
        lines: the fixed lines of the prompt (`answers.run_on`), by which an invented next task is known.

    >>> read_translation("以下是翻譯：\\n\\n「我們去看電影。」\\n\\n註：口語。", "我哋去睇戲。", "zh")
    '我們去看電影。'
    """
    source = source.strip()
    text = _unpacked(answered_part(response, lines, (source,), (source,)).strip())
    text = _AGREED.sub("", text, count=1)
    for narrowed in (_headed, _announced, _quoted):
        if (found := narrowed(text, source, language)) is not None:
            text = found
            break
    if text.startswith(source) and len(rest := text[len(source) :].lstrip(" \t\n→=>:：-*")) > 1:
        text = text if _REMARK.match(rest) else rest
    text = _without_remarks(text, source)
    if text.count("**") == 1:  # the other one went with the heading
        text = text.removesuffix("**")
    return _unmarked(text, source)


def _unpacked(text: str) -> str:
    """What a block of code has, or an object with one value; the text itself where there is none."""
    if block := _FENCE.search(text):
        text = block[1].strip() or text
    found = next(objects(text), None)
    values = [leaf.value for leaf in found.leaves()] if found else []
    if len(values) == 1 and isinstance(values[0], str):
        return without_markup(Text(values[0])).plain.strip()
    return text


@cache
def _headings(language: str) -> re.Pattern[str]:
    """Headings of the translation and of the source, with a colon, at the beginning of a line."""
    others = "|".join(names for name, names in _LANGUAGES.items() if name != language)
    any_language = rf"(?:{others}|{_LANGUAGES[language]})?"
    kinds = (
        rf"(?P<result>{_WITH}{{0,3}}{any_language}{_WITH}{{0,3}}(?:{_RESULT}){_WITH}{{0,3}}{any_language}"
        rf"|{_WITH}{{0,3}}(?:{_LANGUAGES[language]}){_WITH}{{0,4}}){_COLON}"
        rf"|(?P<source>(?:{_SOURCE}|{others}){_WITH}{{0,3}}){_COLON}"
    )
    return re.compile(rf"{_BEFORE}(?:{kinds})", re.IGNORECASE | re.MULTILINE)


def _headed(text: str, source: str, language: str) -> str | None:
    """What is under the first heading of a translation, else beside the line of the source's heading."""
    pattern = _headings(language)
    if pattern.search(source):
        return None  # a heading may be a part of the translation
    found = list(pattern.finditer(text))
    for place, heading in enumerate(found):
        if heading["result"]:
            end = found[place + 1].start() if place + 1 < len(found) else len(text)
            return text[heading.end() : end]
    if not found or not found[0]["source"]:
        return None
    if before := text[: found[0].start()].strip():
        return before
    return text[found[0].end() :].partition("\n")[2] or None


def _announced(text: str, source: str, language: str) -> str | None:
    """What follows a first line such as `好的，以下是翻譯：`."""
    first = text.partition("\n")[0]
    has_colon = ":" in source or "：" in source
    for colon in re.finditer("[:：]", first[: _LONGEST + len(source)]):
        opening = first[: colon.start()].replace(source, "")
        behind = text[colon.end() :]
        if behind.strip() and re.search(rf"{_ANNOUNCED}|{_LANGUAGES[language]}", opening, re.IGNORECASE):
            is_line = not first[colon.end() :].strip(" *_")
            return behind.lstrip(" *_\n") if is_line or not has_colon else None
    return None


def _quoted(text: str, source: str, language: str) -> str | None:
    """The quotation in a sentence such as `「…」翻譯成粵語就係「…」。`."""
    found = _QUOTATION.search(text.replace(source, "", 1)[: 4 * _LONGEST])
    return found["said"] if found and not _QUOTATION.search(source) else None


def _without_remarks(text: str, source: str) -> str:
    """The text up to the first remark; up to the first empty line where the source has no line break."""
    for remark in _REMARK.finditer(text):
        if text[: remark.start()].strip():
            text = text[: remark.start()]
            break
    text = text.strip()
    if not _BULLET.match(source):
        text = _BULLET.sub("", text)
    if (items := _FIRST_ITEM.match(text)) and source[:1] != "1":
        text = items["said"]
    if "\n" not in source:
        text = re.split(r"\n[ \t]*\n", text, maxsplit=1)[0]
    bracket = max(text.rfind("("), text.rfind("（"))
    if bracket > 0 and source[-1:] not in ")）" and _IN_BRACKETS.fullmatch(text, bracket):
        return text[:bracket]
    return text


def _unmarked(text: str, source: str) -> str:
    """The text without quotation marks or emphasis around the whole of it, where the source has none."""
    text = text.strip()
    for mark in _MARKS:
        opening, closing = mark[: len(mark) // 2], mark[len(mark) // 2 :]
        inner = text.removeprefix(opening).removesuffix(closing)
        is_around = len(inner) == len(text) - len(mark) and opening not in inner and closing not in inner
        if is_around and inner and not source.startswith(opening):
            return _unmarked(inner, source)
    return text

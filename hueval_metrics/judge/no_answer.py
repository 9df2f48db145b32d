"""How people say that they do not know: phrases by language, for the lexical judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

# Anywhere in an answer, from the start of a word; the last word may go on.
_PHRASES: Mapping[str, tuple[str, ...]] = {
    "en": (
        *("I don't know", "I dont know", "I do not know", "don't have the answer", "not sure", "no information"),
        *("no idea", "cannot answer", "can't answer", "unable to answer", "cannot determine", "cannot provide"),
    ),
    "hu": (
        *("nem tudom", "nem tudok", "nem ismerem", "nem ismert", "nem áll rendelkezés", "nincs információ"),
        *("nincs adat", "nincsen információ", "nincs erről információ", "nincs róla információ", "fogalmam sincs"),
        *("nem vagyok biztos", "nem lehet tudni"),
    ),
    "cs": (
        *("nevím", "neznám odpověď", "nejsem si jist", "nemám informac", "nemohu odpovědět", "nemůžu odpovědět"),
        *("nedokážu odpovědět", "netuším", "není mi známo", "nemám tušení", "odpověď neznám"),
    ),
    "sr": (
        *("не знам", "нисам сигур", "немам информациј", "немам податак", "немам податке", "не могу да одговорим"),
        *("није ми познато", "немам појма", "нисам упознат", "не могу одговорити"),
    ),
    "ru": (
        *("не знаю", "я не уверен", "нет информации", "нет данных", "не могу ответить", "затрудняюсь ответить"),
        *(
            "мне неизвестно",
            "мне не известно",
            "не имею информации",
            "не располагаю",
            "понятия не имею",
            "ответ неизвестен",
        ),
    ),
    "zh": (
        *("不知道", "我不清楚", "不太清楚", "不确定", "不確定", "无法确定", "無法確定", "无法回答", "無法回答"),
        *("没有相关信息", "沒有相關資訊", "没有足够的信息", "不了解", "不瞭解", "无从得知", "暂无资料", "答案未知"),
    ),
    "ko": (
        *(
            "모르겠",
            "모릅니다",
            "몰라요",
            "모른다",
            "알 수 없",
            "알지 못",
            "잘 모르",
            "확실하지 않",
            "정보가 없",
            "답변할 수 없",
        ),
        *("대답할 수 없", "확인할 수 없", "답할 수 없"),
    ),
    "th": (*("ไม่ทราบ", "ไม่รู้", "ไม่แน่ใจ", "ไม่มีข้อมูล", "ตอบไม่ได้", "ไม่สามารถตอบ", "ไม่สามารถระบุ", "ไม่มีคำตอบ"),),
    "ar": (
        *("لا أعرف", "لا أعلم", "لست متأكد", "غير متأكد", "ليس لدي معلومات", "لا تتوفر معلومات", "لا توجد معلومات"),
        *("لا أستطيع الإجابة", "لا يمكنني الإجابة", "لا أملك معلومات", "لا أدري", "ليس لدي علم"),
    ),
    "vi": (
        *("không biết", "không rõ", "không chắc", "không có thông tin", "không thể trả lời", "chưa rõ"),
        *("không thể xác định", "không có câu trả lời"),
    ),
}
# The whole answer.
_WHOLE: Mapping[str, tuple[str, ...]] = {
    "en": ("", "none", "null", "n/a", "unknown", "not known"),
    "hu": ("ismeretlen", "nincs válasz", "nem tudni"),
    "cs": ("neznámé", "neznámý", "neznámá", "neznámo", "bez odpovědi"),
    "sr": ("непознато", "непознат", "непозната", "без одговора"),
    "ru": ("неизвестно", "неизвестен", "неизвестна", "нет ответа", "нет"),
    "zh": ("未知", "不详", "不詳", "不明", "无", "無", "无答案"),
    "ko": ("미상", "불명", "없음", "답 없음", "알수없음", "모름"),
    "th": ("ไม่มี", "ไม่ปรากฏ"),
    "ar": ("غير معروف", "مجهول", "لا شيء", "لا يوجد"),
    "vi": ("không", "không có", "vô danh", "chưa biết"),
}


def says_nothing(answer: str, language: str, fold: Callable[[str, str], str], *, by_words: bool) -> bool:
    """Whether an answer means that there is none; in the language, or in English.

    Args:
        answer: folded.
        language: ISO 639-1.
        fold: `(text, language)`, as the answer was folded.
        by_words: whether the language sets spaces, so that a phrase must begin with a word.
    """
    phrases, whole = _folded(language, fold)
    start = " " if by_words else ""
    return answer in whole or any(f"{start}{phrase}" in f"{start}{answer}" for phrase in phrases)


@cache
def _folded(language: str, fold: Callable[[str, str], str]) -> tuple[frozenset[str], frozenset[str]]:
    both = ("en", language)
    phrases, whole = ([text for one in both for text in table.get(one, ())] for table in (_PHRASES, _WHOLE))
    return frozenset(fold(text, language) for text in phrases), frozenset(fold(text, language) for text in whole)

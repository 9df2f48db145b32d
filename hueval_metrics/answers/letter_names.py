"""Replace every name of a lettered option in a reply by one sign: `C`, `(C)`, `C. its text`, or its text alone.

Letters that name something else ("維他命C", "A型血", "plan B") stay. Patterns over the signs then tell what a reply
says of which option (`letter_choice`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hueval_metrics.answers.plain_text import without_markup
from hueval_metrics.text.hanzi import same_script
from hueval_metrics.text.normalize import stream_safe

LETTERS = "ABCD"
# Signs from the private use area.
_FIRST, _FIRST_TEXT = 0xE000, 0xE010
LETTER = "[\ue000-\ue003]"  # an option by its letter
TEXT = "[\ue010-\ue013]"  # an option by its text alone
NONE, SEVERAL = "\ue008", "\ue009"  # a letter that no option has; several options of which none is preferred
TITLED = "\ue020"  # behind a letter: the option's text followed
ANY = "[\ue000-\ue013]"
OPTION = "[\ue000-\ue003\ue010-\ue013]"

_PRIVATE = re.compile("[\ue000-\uf8ff\u00ad\u200b-\u200f\u2060\ufe0f\ufeff]")
_WIDE_SPACE = re.compile(r"[ \t]+(?=[\u2600-\U0001ffff])|(?<=[\u2600-\U0001ffff])[ \t]+")
_MARKS = str.maketrans({**dict.fromkeys("*`#$", ""), **dict.fromkeys("_{}|", " ")} | dict.fromkeys("“”„『』「」", '"'))
_BRACKETS = str.maketrans("【】〔〕［］《》〈〉", '[][][]""""')
_ANSWER_TAG = re.compile(r"<(?:final_?)?answer>|\\f?boxed\s?(?=\{)", re.IGNORECASE)
_TEX = re.compile(r"\\[A-Za-z]{1,12}|\\[\[\]()]")
_CHAIN = re.compile(r"\\,|\\;|\\ |~~")

_NOUN_BEHIND = r"(?:(?:这个|这一)?(?:选项|选择|答案)|项(?!目)|[ ](?:option|opció)\b)?"
_CANDIDATE = re.compile(r"(?<![A-Za-z0-9_'’&+])(?<![A-Za-z0-9][-.])(?<!N/)[A-H](?![A-Za-z0-9_'’&+]|[-.][A-Za-z0-9])")
# What a Chinese sentence goes on with behind the letter of an option; a noun ("A型", "C語言") makes another name of it.
_GOES_ON = re.compile(
    r"选|项|是|为|不|正确|准确|错|对|符|最|更|较|才|都|也|则|并|和|或|与|及|以|同|跟|抑|还|中|里|说|描|提|所|的|没|有|无|因|由|"
    r"可|应|能|会|属|指|系|唔|冇|啱|嘅|被|即|完|虽|但|而|涉|违|明|显|过|太|只|仅|已|未|非|看|似|相|比|成|合|恰|排|答|吧|喇|啦|"
    r"呢|啊|呀|这|就|吗|吻|满|均|皆|主|一样|作|存|当|等|之|莫|一致|[啰嚟㗎咯噃]"
)
# … and what it has before one.
_LEADS = re.compile(
    r"(?:选|选项|选择|选了|项|是|为|答案|除|故|以|此|则|有|非|即|系|拣|和|或|与|及|同|到|在|于|了|把|将|定|对|如|而|但|只|才|又|比|"
    r"由|从|案|属|就|认|取|论|指|应|该|当|能|会|看|断|得|先|讲|谂|向|至|说|析|误|错|的|嘅|除|掉|去|确|佳|可|而且|见|排|跟|还是|或者|下|剩|第|向|仅|单|"
    r"余)\Z"
)
_LEADS_LATIN = re.compile(
    r"\b(?:options?|choices?|answer|is|be|was|pick|choose|chose|select|selected|with|to|and|or|not|nor|only|that|so|"
    r"therefore|thus|hence|eliminate|exclude|rule out|out|than|as|letter|either|neither|both|for|say|but|az?|nem|"
    r"hogy|hanem|"
    r"vagy|és|válasz|opció|lehetőség|választom|tehát|of|consider|ans|while|because|since|statement|correct|by|"
    r"leaves|think|guess|definitely|probably|clearly|believe|matches|match|szerintem|(?<![A-Za-z])[A-H]|except|indeed|simply|just|be|\w+'s)\Z",
    re.IGNORECASE,
)
# "A" behind which a sentence goes on may be the article, in English and in Hungarian.
_VERB = re.compile(
    r"\s(?:is|isn't|it is|was|and|remains|seems|n?or|vs|because|since|would|could|can|cannot|"
    r"does|doesn't|matches|fits|describes|refers|"
    r"correctly|az?\s|also|alone|says|states|as|helyes|nem|vagy|és|mert|in this|for|has|which|with|lies|gives|on)"
    r"(?![A-Za-z])|\s?[^\w\s]",
)
_NOUN_OF_LATIN = re.compile(r"\s(?:válasz|opció|lehetőség|helyes|jó)\b")
_LOWER = re.compile(
    r"(?i:(?P<cue>\b(?:answer|option|choice|choose|pick|select|ans)\b(?:\s(?:is|option|letter))?\s?[:=]?|答案(?:是|为|系)?:?|"
    r"选项?:?|answer\"\s?:))(?P<gap>\s{0,3}[(\[\"]{0,2})(?P<letter>[a-h])(?=[)\]\"]|[.,;。,]?\s*(?:\n|\Z)|[。,])"
)
_NO_ARTICLE = re.compile(r"[:(\[\"是为选]")
_CLOSED = re.compile(rf"[(\[\"<]{{0,3}}(?P<sign>[\ue000-\ue008])[)\]\">]{{0,3}}{_NOUN_BEHIND}")
_GAP = r"[.:、,)\]\"\s(=–—-]{0,5}"
_OWN_TEXT = re.compile(rf"({LETTER}){_GAP}({TEXT})[)\"]{{0,2}}")
_TEXT_FIRST = re.compile(rf"({TEXT})[\"\s(,]{{0,3}}({LETTER})(?!{_GAP}{TEXT})")
_COMPARED = re.compile(rf"({OPTION}{TITLED}?)项?(?:比|优于|胜于|好过)(?:选项)?{OPTION}{TITLED}?")
_LISTED = re.compile(rf"(?:{LETTER}{_GAP}{TEXT}[)\"\s,;。/、.]{{0,6}}){{2,}}")
_JOINED = (
    r"(?:或者|或是|或|还是|抑或|定系|和|与|及|以及|同埋|同|跟|、|/|\||&|\bn?or\b|\band/or\b|\band\b|\bvagy\b|\bés\b)"
)
_MANY = re.compile(
    rf"(?P<ruled>(?:排除|剔除|除去?|\beliminate|\brule out|\bexclude|\bneither)(?:了|掉)?(?:选项)?\s?)?"
    rf"{ANY}{TITLED}?(?:\s?(?:{_JOINED}|,(?=\s?(?:选项)?{ANY}{TITLED}?(?:\s*(?:[.。\n,、]|\Z)|\s?{_JOINED}))){{1,2}}\s?"
    rf"(?:选项|the |option |az? )?{ANY}{TITLED}?){{1,8}}"
    r"(?P<wrong>(?:项|选项)?(?:都|均|皆|也|全|都是|均为)?\s?"
    r"(?:不|错|唔|未|非|没|有误|可(?:以)?排除|are (?:both |all )?(?:wrong|incorrect|not|false)))?",
    re.IGNORECASE,
)


def named(response: str, options: Sequence[str]) -> str:
    """The reply in one script and width, with signs for the options.

    Args:
        response: any text.
        options: the texts of the options A, B, …, two to four.
    """
    text = _plain(response)
    text = _with_letters(_with_texts(text, [_plain(option).strip(' ."。,\n') for option in options]), len(options))
    text = _OWN_TEXT.sub(_merged, _LISTED.sub(_without_list, text))
    text = _TEXT_FIRST.sub(lambda match: _merged(match, letter=2), text)
    text = _COMPARED.sub(r"\1", text)
    return _MANY.sub(lambda match: _several(match, len(options)), text)


def index_of(sign: str) -> int | None:
    """The option of a sign; None for a letter that no option has, and for several options."""
    place = ord(sign) - (_FIRST_TEXT if ord(sign) >= _FIRST_TEXT else _FIRST)
    return place if place < len(LETTERS) else None


def _plain_text(text: str) -> str:
    """One width, one script, no markup, no space beside Chinese characters."""
    if "\\" in text or "<" in text:
        text = _TEX.sub("", without_markup(_ANSWER_TAG.sub("\n答案:", _CHAIN.sub(" ", text))))
    if not text.isascii():
        text = unicodedata.normalize("NFKC", stream_safe(_PRIVATE.sub("", text)))
        text = _WIDE_SPACE.sub("", same_script(text.translate(_BRACKETS)))
    return text.translate(_MARKS)


_cached = lru_cache(maxsize=256)(_plain_text)


def _plain(text: str) -> str:
    """`_plain_text`, remembered of texts as short as an option."""
    return _cached(text) if len(text) < 200 else _plain_text(text)


def _with_texts(text: str, options: Sequence[str]) -> str:
    """Signs for the texts of options; the longest first, as one may be part of another."""
    for place, option in sorted(enumerate(options), key=lambda one: -len(one[1])):
        if not option or option in LETTERS:
            continue
        lower, sought = text.lower(), option.lower()
        if len(lower) != len(text):
            lower, sought = text, option
        if sought in lower:
            sign = chr(_FIRST_TEXT + place)
            text = "".join(_replaced(text, lower, sought, sign))
    return text


_LIKE_CUE = re.compile(
    r"(?:不|唔)?(?:正确|错误|对|错|是|否|啱|有|没有|会|可以|能)|correct|incorrect|true|false|yes|no|right|wrong"
)
_BEFORE_SHORT = frozenset(' \n"([:.、)是为系选,')
_BEHIND_SHORT = frozenset(' \n")].,。!;的')


def _replaced(text: str, lower: str, sought: str, sign: str) -> Iterator[str]:
    is_short = (len(sought) == 1 and not sought.isascii()) or bool(_LIKE_CUE.fullmatch(sought))
    done = start = 0
    while (start := lower.find(sought, start)) >= 0:
        end = start + len(sought)
        before, behind = text[start - 1 : start], text[end : end + 1]
        if is_short:
            is_whole = (not before or before in _BEFORE_SHORT) and (not behind or behind in _BEHIND_SHORT)
        else:
            is_whole = not (
                (_is_latin(sought[0]) and (_is_latin(before) or (before in ("-", ".") and text[start - 2].isdigit())))
                or (
                    _is_latin(sought[-1])
                    and (_is_latin(behind) or (behind == "." and text[end + 1 : end + 2].isdigit()))
                )
            )
        if is_whole:
            yield text[done:start] + sign
            done = end
        start = end
    yield text[done:]


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _with_letters(text: str, n_options: int) -> str:
    """Signs for the letters that name an option."""
    whole = text.strip(' \n\t()[]".,:')
    if len(whole) == 1 and whole in "abcdefgh":
        text = whole.upper()
    text = _LOWER.sub(_raised, text)
    parts: list[str] = []
    done = 0
    for match in _CANDIDATE.finditer(text):
        if _is_name(text, match.start(), match.end()):
            place = LETTERS.find(match[0], 0, n_options)
            parts += text[done : match.start()], NONE if place < 0 else chr(_FIRST + place)
            done = match.end()
    return _CLOSED.sub(r"\g<sign>", "".join(parts) + text[done:])


def _raised(match: re.Match[str]) -> str:
    """A small letter behind a cue as a capital; "a" only where it is no article."""
    cue, letter = match["cue"] + match["gap"], match["letter"]
    return cue + letter.upper() if letter != "a" or _NO_ARTICLE.search(cue) else match[0]


def _is_name(text: str, start: int, end: int) -> bool:
    before, behind = text[max(0, start - 16) : start], text[end : end + 16]
    opened, closed = before.rstrip('(["<'), behind.lstrip(')]">')
    is_closed = closed != behind or behind[:1] in (*".:、,", "")
    if not is_closed:
        if behind[0] in "(\n。!?;/" or _is_sign(behind[0]):
            is_closed = True
        elif not behind[0].isascii() and behind[0].isalpha():
            if not _GOES_ON.match(behind):
                return False
        elif text[end - 1] == "A" and behind[0] == " " and not _VERB.match(behind):
            return bool(_NOUN_OF_LATIN.match(behind) and _LEADS_LATIN.search(before.rstrip()))
    last = opened.rstrip(" ")[-1:]
    if not last or last in "\n" or opened != before:
        return True
    if _is_latin(last) or last in "áéíóöőúüű":
        return not last.isdigit() and bool(_LEADS_LATIN.search(opened.rstrip(" ")))
    if last.isalpha() and not _is_sign(last):
        return bool(_LEADS.search(opened.rstrip(" ")))
    return True


def _is_sign(char: str) -> bool:
    return "\ue000" <= char <= "\ue0ff"


def _merged(match: re.Match[str], letter: int = 1) -> str:
    """The letter of an option beside its own text; another option's text stays."""
    return match[letter] + TITLED if index_of(match[1]) == index_of(match[2]) else match[0]


def _without_list(match: re.Match[str]) -> str:
    """A list of options as the question has them names none; one that stands apart from the order does."""
    items = list(re.finditer(rf"({LETTER}){_GAP}({TEXT})", match[0]))
    places = [index_of(item[1]) or 0 for item in items]
    if any(index_of(item[2]) != place for item, place in zip(items, places, strict=True)):
        return match[0]
    kept: list[str] = []
    for at, place in enumerate(places):
        follows = at > 0 and places[at - 1] == place - 1
        leads = at + 1 < len(places) and places[at + 1] == place + 1
        if not follows and not leads:
            kept.append(chr(_FIRST + place) + TITLED)
    return "\n" + "\n".join(kept) + ("\n" if kept else "")


def _several(match: re.Match[str], n_options: int) -> str:
    """Several options in a row: all of them, none; all but one that are ruled out, the one that is left."""
    signs = re.findall(ANY, match[0])
    places = {index_of(sign) for sign in signs}
    if len(places) == 1:
        return match[0]
    is_ruled_out = bool(match["ruled"] or match["wrong"])
    left = set(range(n_options)) - places
    if None not in places and is_ruled_out and len(left) == 1 and n_options > 2:
        return f"\n答案:{chr(_FIRST + left.pop())}\n"
    if not left and n_options > 2:
        return " "
    return (match["ruled"] or "") + SEVERAL + (match["wrong"] or "")

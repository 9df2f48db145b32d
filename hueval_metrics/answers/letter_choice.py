"""Read which of two to four lettered options a reply chooses: Chinese in both scripts, English, Hungarian.

The names of options become signs (`letter_names`). Then each sentence is classified by the words around the signs: it
states the answer, praises an option, refuses one, or only mentions it. The last statement decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hueval_metrics.answers.letter_names import ANY, LETTER, LETTERS, OPTION, SEVERAL, TEXT, TITLED, index_of, named

# All repetitions are bounded, so that a runaway reply does not take quadratic time.
_TURN = re.compile(
    r"<\|[a-z_]{2,20}\|>(?:(?:user|assistant|system)\b)?|<(?:start|end)_of_turn>(?:(?:user|model)\b)?|</?s>|\[/?INST\]|<eos>"
)
_HEADING = re.compile(
    r"^[^\w\n]{0,6}(?:问题|問題|题目|題目|下一[题題]|问|問|questions?|q|kérdés|user|human|用户|用戶)"
    r"\s?[(\[（]?\d{0,3}[)\]）]?\s?[:：]",
    re.MULTILINE | re.IGNORECASE,
)
_ABSTAINS = re.compile(
    r"不知道|唔知|不清楚|不[确確]定|不肯定|[无無]法|don't know|not sure|cannot|can't|unable|nem tud|bizonytalan",
    re.IGNORECASE,
)
_COPULA = r"(?:是|为|系|即|就|应|:|乃)"
_CUE = (
    r"(?P<cue>(?:答案|答|解答)(?:选项|字母|编号|代号)?"
    r"|(?<!不)(?:正确|准确|最佳|最好|合适|恰当|适当)(?:的|嘅)?(?:选项|选择|一项|一个|陈述|说法|描述)"
    rf"|(?:的|嘅)(?:那个|唯一)?(?:选项|选择|一项|那项|一个|说法|陈述|描述|句子|组合)?(?=(?:应该|应当|应|只|就|便)?{_COPULA})"
    r"|(?:只|就)?[剩余]下?(?:来)?|\bleaves?\b|(?:选项|结论|解)(?=\"?:)|\b(?:key|correct|selected)(?=\"?:)"
    r"|\banswers?\b|\bans\b"
    r"|\b(?:correct|right|best|final|my|incorrect|wrong|odd|only correct) (?:option|choice|statement|one)\b"
    r"|\bchoice(?=\s?(?:is|\"?:))|\boption(?= is)"
    r"|\b(?:válasz\w{0,4}|megoldás\w{0,4}))"
    r"|(?P<pick>(?<![可备候首优竞])选(?:择|定|取|出|番)?(?!项|举|手|民|自|题|拔|区|址|修|科)(?:了|的是)?|拣"
    r"|\b(?:choose|chose|pick|select|go(?:ing)? with|left with|opt for|választom\b)"
    r"|而(?=应|是|系|选)|\bbut(?= )|\bhanem\b"
    r"|(?<!\w)(?:it|that|this)(?=(?:'s| is| must be| should be| has to be| would be)\b))"
    r"|(?P<copula>是|为|系|即|就是|属于?|归为|对应|指向|倾向于?|偏向|\bis"
    r"|\bcorrespond(?:s|ing)? to|\bmatch(?:es)?|\bpoints? to"
    r"|\bthink|\bguess|\bdefinitely|\bprobably|\bclearly|\bszerintem)"
)
_NOT = r"不|并非|非|没|未|唔|\bnot\b|n't\b|\bnem\b|\bcannot\b"
_FILL = (
    rf"(?P<fill>(?:[\s:=→⇒>\"'(\[<.,–—-]|{_NOT}|是|为|系|乃|即|就|便|应|该|当然|必|定|然|须|显|只|能|会|有|选|择|项|可|"
    r"也|许|或|大概|最|很|我|认|谂|觉得|想|认为|倾向|肯|终|的|嘅|了|以上|正确|合适|唯一|字母|答案|一|个|较|比|佳|第|"
    r"\b(?:is|was|would|should|must|be|are|the|option|letter|choice|definitely|clearly|therefore|likely|probably|most|"
    r"indeed|thus|a|az|lehetőség|opció|helyes|a helyes|simply|just|say|answer|correct|s|has to|could|might|may|talán)\b"
    r"|'s\b){0,14}+)"
)
_STATED = re.compile(rf"(?:{_CUE}){_FILL}(?P<sign>{ANY}){TITLED}?", re.IGNORECASE)
_NOT_IN_FILL = re.compile(_NOT, re.IGNORECASE)
_REFUSED_BEFORE = re.compile(
    r"(?:不|别|勿|误|唔|没有?|非|错|未|避免|排除|容易|有人)(?:应该?|该|能|可以?|要|会|再|是|系|易|建议|被)?\Z|(?:不(?:太|大|一定|见得|会)|未必)(?:可能|会)?\Z|"
    r"(?:\bnot|n't|never|nem)\s\Z",
    re.IGNORECASE,
)
_REFUSED_BEHIND = re.compile(
    r"(?:项|选项)?\s?(?:显然|明显|就|都|也|肯定)?"
    r"(?:不(?![过仅但是])|错|唔|有误|并非|\s?(?:is|are) (?:not|wrong|incorrect|false)|\s?isn't|吗)",
    re.IGNORECASE,
)
_IF = re.compile(
    r"(?:如果|若|假如|假设|倘若|要是|无论|不论|\bif\b|\bha\b|\bwhether\b|\bsuppose\b)[^,:]{0,30}\Z", re.IGNORECASE
)
_OR = re.compile(r"(?:又|或|或者|或是|要么|要不|抑或|\bor|\bvagy)\s?\Z", re.IGNORECASE)
_FIRM = re.compile(r"(?:应该?|必(?:然|定)|肯定|一定)\Z")
_ABOUT = re.compile(rf"{LETTER}{TITLED}?[^,。:]{{0,12}}\Z")  # "選項A描述的是…" tells what A is about
_DOUBTED = re.compile(
    r"(?:(?:不|唔)(?:认为|觉得|相信)|(?:n't|\bnot) (?:think|believe)(?: that)?(?: the)?\s?)\Z", re.IGNORECASE
)
_ONLY = re.compile(rf"非({LETTER}){TITLED}?项?莫属")
_NOT_WRONG = re.compile(r"(?:没有?|冇|并?无)(?:错误?|问题)|错不了")
_EXCEPT = re.compile(  # "除了A以外，其他都不對"
    rf"(?:除了?(?:选项)?(?P<one>{OPTION}){TITLED}?项?(?:以外|之外|外)?[^。]{{0,4}}(?:其他|其余|别的)[^。]{{0,12}}(?:不|错|排除)"
    rf"|(?:eliminate|exclude|rule)s?\b[^.]{{0,30}}\b(?:except|but)(?: for)? (?:option )?(?P<other>{OPTION}))",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(rf"[,:]\s?(?P<sign>{LETTER}){TITLED}?[\s.!。]*\Z")
_ASKED_BACK = re.compile(r"(?:吗|呢|么|嘛)?\?+\s*\Z")
_WHY = re.compile(r"为什么|为何|点解|\bwhy\b|\bmiért\b", re.IGNORECASE)
_PERHAPS = re.compile(
    r"可能|也许|或许|大概|\bmaybe\b|\bmight\b|\bcould\b|\bmay\b|\bprobably\b|\bperhaps\b|\blikely\b|\btalán\b",
    re.IGNORECASE,
)
_END = re.compile(r"项?\s*(?:[.,。!;:)\]\"]|\n|\Z|吧|啦|喇|了|无疑|才对|因为|,)")
_THEREFORE = re.compile(
    r"因此|所以|故|综上|总之|总结|总括|由此|可见|因而|从而|结论|最终|最后|于是|答案|\btherefore\b|\bthus\b|\bso\b|\bhence\b|"
    r"\bconclusion\b|\bconclude\b|\bfinal(?:ly)?\b|\boverall\b|\banswer\b|\btehát\b|\bezért\b|\bígy\b|\bvégső\b|\bválasztom\b",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"等等|等一下|更正|修正|抱歉|对不起|重新|其实|实际上|不对[,。!]|\bwait\b|\bactually\b|\bcorrection\b|\bsorry\b|\brather\b|"
    r"\bjavít\w*|\bmégis\b|\bbocsánat\b",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"正确|准确|符合|吻合|最佳|最合适|最恰当|最适|合适|恰当|适合|成立|无误|正解|合理|最有?可能|(?<!\w)是(?=[。,!])|才是|是答案|为答案|一致|相符|满足|对(?=[,。!;:)\s]|的[,。!]|\Z)|啱|"
    r"[✅✓✔√☑]|\b(?:correct|right|best|better|fits|matches|true|accurate|appropriate|"
    r"suitable|plausible|valid|remains|it is(?=[.!]|\Z)|helyes|jó|választom)\b",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"不(?![仅但只过]|[^,。]{0,8}也不)|错|误(?<!无误)|没|(?<!毫)无(?!误|疑|论)|非(?!常)|未|排除|唔|冇|相反|矛盾|偏离|可疑|干扰|[❌✗✘✖×☒]|"
    r"\b(?:incorrect|wrong|not|cannot|false|eliminat\w*|ruled? out|exclude\w*|no|never|unlikely|nem|hibás|helytelen|"
    r"rossz|téves)\b|n't\b",
    re.IGNORECASE,
)
_REFUSED_NAME = re.compile(
    r"(?:排除|除去|除了|删去|剔除|不选|不是|并非|不系|唔系|而非|非|\bnot|\beliminate|\brule out|\bexclude|\bnem)"
    r"(?:了|掉)?\s?(?:az? |the |option |选项)?\Z",
    re.IGNORECASE,
)
_ANY, _TEXT, _LETTER, _OPTIONS = (re.compile(kind) for kind in (ANY, TEXT, LETTER, OPTION))
_TAIL = re.compile(rf"[^,;{ANY[1:-1]}]{{0,60}}")
_SENTENCE = re.compile(r"[^。!?;]{1,2000}?(?:[。!?;]+|\.(?=\s)|\Z)|[^。!?;]{2000}")
_EDGE = "[^\\w\ue000-\ue0ff❌✗✘✖×☒]{0,8}"
_NAME_LINE = re.compile(
    rf"{_EDGE}(?:\d{{1,2}}[.)、]\s?)?(?:选项\s?|option )?(?P<sign>{ANY})(?P<titled>{TITLED}?)"
    rf"(?:[\s,.]{{0,3}}(?P=sign)){{0,99}}(?:项|[啰啦喇吧呀啊㗎嚟了]{{1,3}})?(?!.{{0,8}}\?){_EDGE}",
    re.IGNORECASE,
)
_LIST_LINE = re.compile(
    rf"[^\w\ue000-\ue0ff]{{0,8}}(?:\d{{1,2}}[.、]\s?)?(?:选项|option )?(?P<sign>{OPTION})(?P<titled>{TITLED}?)",
    re.IGNORECASE,
)
_WITH_COLON = r"\1:"
_ITEM = re.compile(rf"(?<=[。;])\s*(?=(?:选项|option )?{LETTER}(?:{TITLED}|\s?[:.、]))")  # of a list in one line
_LEADS = re.compile(r"\s?(?:[,.:。;!(–—-]|因|理由|解|\bbecause\b|\bmert\b)")
_INTRODUCES = re.compile(r"分析|逐|各|每|以下|选项|考虑|options?|each|consider|elemez", re.IGNORECASE)
_CUE_AT_END = re.compile(
    r"((?:答案|选择|结论|answer|choice|válasz|megoldás)\w{0,2})[\s:\"]{0,10}\n\s{0,10}(?=[(\[\"]?[\ue000-\ue013])",
    re.IGNORECASE,
)
_VERDICT = 200  # characters behind a listed option in which a verdict on it is looked for
_BETWEEN = " ,:.。(–—-"  # a listed option and a verdict on it
# Most direct answers, read at once: a letter, also behind a cue, alone or before its option's text.
_DIRECT = re.compile(
    r"(?:(?:正[確确])?答案(?:是|[為为])?[:：]? ?)?[(（*]{0,3}([A-D])[)）*]{0,3}[.。:、]? ?\**(.{0,200})"
)
_CONCLUSION = 300  # characters at the end of a long reply
_SHORT = 120  # characters of a reply in which the text of an option, mentioned in passing, is the answer

_PRAISED, _TOLD, _STATES = 1, 2, 3  # how much a decision weighs


@dataclass(frozen=True, slots=True)
class _Decision:
    """What a sentence decides: an option, or None where it leaves it open or names a letter that no option has."""

    option: int | None
    weight: int
    is_hedged: bool = False


def read_letter(response: str, options: Sequence[str]) -> str | None:
    """The letter that a reply chooses; None where it chooses none, or leaves several open.

    Args:
        response: the reply without its reasoning trace; any text. What follows an invented next question is left out.
        options: the texts of the options A, B, …, two to four, in either script.

    >>> read_letter("A項不對，所以答案是選項B。", ["獅子山", "大帽山"]), read_letter("A或B", ["獅子山", "大帽山"])
    ('B', None)
    """
    whole = response.strip()
    direct = _DIRECT.fullmatch(whole)
    if direct and (place := LETTERS.find(direct[1])) < len(options) and direct[2] in ("", options[place]):
        return direct[1]
    if "<" in whole or "[" in whole:
        whole = _TURN.sub("\nuser:", whole)
    for part in _HEADING.split(whole):
        is_decided, option = _concluded(part, options)
        if not is_decided:
            is_decided, option = _decided(named(part, options))
        if is_decided or _ABSTAINS.search(part):
            return None if option is None else LETTERS[option]
    return None


def first_letter(response: str, n_options: int) -> str | None:
    """The first letter of an option in a reply, wherever it stands; None without one.

    >>> first_letter("HKDSE: C", 4)
    'D'
    """
    return next((letter for letter in response if letter in LETTERS[:n_options]), None)


def _concluded(text: str, options: Sequence[str]) -> tuple[bool, int | None]:
    """As `_decided`, from the end of a long text alone: a firm statement there is the last decision."""
    start = max(text.find(end, len(text) - _CONCLUSION) for end in "\n。")
    if len(text) < 2 * _CONCLUSION or start < 0:
        return False, None
    decisions, _ = _decisions(f"…\n{_CUE_AT_END.sub(_WITH_COLON, named(text[start + 1 :], options))}")
    stated = [one for one in decisions if one.weight == _STATES][-1:]
    return (True, stated[0].option) if stated and not stated[0].is_hedged else (False, None)


def _decided(text: str) -> tuple[bool, int | None]:
    """Whether a text decides anything, and for which option; for none where it leaves several open."""
    if not _ANY.search(text):
        return False, None
    decisions, refused = _decisions(_ITEM.sub("\n", _CUE_AT_END.sub(_WITH_COLON, text)))
    for weight in (_STATES, _TOLD):
        found = [one for one in decisions if one.weight == weight and (weight == _STATES or one.option not in refused)]
        if found:
            return True, _last(found)
    praised = {one.option for one in decisions} - refused
    if len(praised) == 1:
        return True, praised.pop()
    texts = {index_of(sign) for sign in _TEXT.findall(text)} - refused
    if len(texts) == 1 and not praised and len(text) <= _SHORT and not _LETTER.search(text) and "?" not in text:
        return True, texts.pop()
    return False, None


def _last(decisions: Sequence[_Decision]) -> int | None:
    """The option of the last decision; None if it and another one since the last firm decision are "perhaps"."""
    *_, last = decisions
    since: set[int | None] = set()
    for one in reversed(decisions):
        if not one.is_hedged:
            break
        since.add(one.option)
    return None if last.is_hedged and len(since) > 1 else last.option


def _decisions(text: str) -> tuple[list[_Decision], set[int | None]]:
    """The decisions of a text in order, and the options that it refuses."""
    decisions: list[_Decision] = []
    refused: set[int | None] = set()
    text = _NOT_WRONG.sub("正确", _ONLY.sub(r"答案:\1", text))
    lines = [line for line in text.split("\n") if line.strip()]
    listed = [_LIST_LINE.match(line) for line in lines]
    places = [None if match is None else index_of(match["sign"]) for match in listed]
    alone = [_NAME_LINE.fullmatch(line) for line in lines]
    bare = [place if name and not name["titled"] else None for name, place in zip(alone, places, strict=True)]
    in_list = _in_a_row(places)
    in_bare_list = _in_a_row(bare)
    for at, line in enumerate(lines):
        match, place = listed[at], places[at]
        if name := alone[at]:
            is_listed = in_list[at] if name["titled"] or (place not in places[:at] and at) else in_bare_list[at]
            is_introduced = at > 0 and _ends_in_colon(lines[at - 1]) and bool(_INTRODUCES.search(lines[at - 1]))
            if (at == 0 or at == len(lines) - 1) and not is_listed and not is_introduced:
                is_text = bool(_TEXT.match(name["sign"]))
                decisions.append(_Decision(index_of(name["sign"]), _TOLD if is_text else _STATES))
                continue
        for sentence in _SENTENCE.findall(line):
            decisions += _in_sentence(sentence, refused)
        if match and place is not None:
            mark, rest = line[: match.start("sign")], line[match.end() :]
            is_good = bool(_GOOD.search(mark) or _GOOD.search(rest[:_VERDICT]))
            is_bad = bool(_BAD.search(mark) or _BAD.search(rest[:_VERDICT]))
            if (in_list[at] or _GOOD.search(mark)) and is_good and not is_bad:
                decisions.append(_Decision(place, _PRAISED))
            elif _BAD.search(mark) or _BAD.match(rest.lstrip(_BETWEEN)):
                refused.add(place)
            elif (
                at == 0
                and not in_list[at]
                and _LETTER.match(match["sign"])
                and _LEADS.match(rest)
                and place not in refused
            ):
                decisions.append(_Decision(place, _TOLD))
    return decisions, refused


def _in_a_row(places: Sequence[int | None]) -> list[bool]:
    """Which of the options that begin lines are part of a list: A before B, or D behind C."""
    known = [(at, place) for at, place in enumerate(places) if place is not None]
    found = [False] * len(places)
    for (one, before), (other, behind) in pairwise(known):
        if behind == before + 1:
            found[one] = found[other] = True
    return found


def _ends_in_colon(line: str) -> bool:
    return line.rstrip(' "').endswith(":")


def _in_sentence(sentence: str, refused: set[int | None]) -> Iterator[_Decision]:
    """The decisions of a sentence; adds the options that it refuses."""
    if not _ANY.search(sentence) or (_ASKED_BACK.search(sentence) and not _WHY.search(sentence)):
        return
    if found := _EXCEPT.search(sentence):
        yield _Decision(index_of(found["one"] or found["other"]), _STATES)
        return
    concludes = bool(_THEREFORE.search(sentence))
    corrects = bool(_CORRECTED.search(sentence))
    is_stated = False
    done: set[int] = set()  # where signs stand that a statement has
    for match in _STATED.finditer(sentence):
        before, behind = sentence[max(0, match.start() - 40) : match.start()], sentence[match.end() : match.end() + 24]
        option = index_of(match["sign"])
        if _IF.search(before) or _DOUBTED.search(before):
            done.add(match.start("sign"))
            continue
        is_identified = match["cue"] is not None
        negated = bool(_NOT_IN_FILL.search(match["fill"])) or (
            not is_identified and bool(_REFUSED_BEFORE.search(before))
        )
        if negated or _REFUSED_BEHIND.match(behind):
            refused.add(option)
            done.add(match.start("sign"))
            continue
        is_copula = match["copula"] is not None
        if is_copula and not _END.match(behind):
            continue
        if (is_copula or match[0][0] in "的嘅") and _TEXT.match(match["sign"]) and _ABOUT.search(before):
            continue
        is_alternative = bool(_OR.search(before))
        if match["sign"] == SEVERAL or is_alternative:
            option = None
        is_mere = is_copula and not (concludes or is_alternative or _FIRM.search(before))
        is_hedged = bool(_PERHAPS.search(match["fill"]) or _PERHAPS.search(before[-8:]))
        done.add(match.start("sign"))
        is_stated = True
        yield _Decision(option, _TOLD if is_mere else _STATES, is_hedged)
    others: list[tuple[int | None, bool]] = []
    for match in _OPTIONS.finditer(sentence):
        if match.start() in done:
            continue
        option = index_of(match[0])
        tail = _TAIL.match(sentence, match.end())
        rest = tail[0] if tail else ""
        if _REFUSED_NAME.search(sentence[max(0, match.start() - 24) : match.start()]) or _BAD.search(rest):
            refused.add(option)
        else:
            others.append((option, bool(_GOOD.search(rest))))
    if is_stated:
        return
    good = {option for option, is_good in others if is_good}
    if len(good) == 1:
        yield _Decision(good.pop(), _STATES if concludes or corrects else _PRAISED)
    elif (
        not good
        and len({option for option, _ in others}) == 1
        and (concludes or _LAST_WORD.search(sentence))
        and not _BAD.search(sentence)
    ):
        yield _Decision(others[0][0], _TOLD)

r"""Remove what a judge quotes: words of the response, of the prompt, or of an imagined person are not its verdict.

A judge often repeats the words `Final verdict: YES` of a response. Quotations are recognised by the words before them
("the response says"), by quotation marks, or by the `>` of a block quotation. Ambiguous words count as quoted: an
unreadable reply is requested again, but a wrong verdict is not.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from hueval_metrics.answers.json_objects import READ_LIMIT, JsonObject, json_objects, outside
from hueval_metrics.text.normalize import stream_safe

# Words that introduce a quotation: "the response claims", "it asks me to output", "azt írja".
_SAYS = (
    r"(?:(?:say(?:s|ing)?|said|states?|stat(?:ed|ing)|claim(?:s|ed|ing)?|asserts?|declar\w{1,4}|insist\w{0,3}|"
    r"argu(?:es|ed|ing)|announc\w{1,3}|pretend\w{0,3}|tell(?:s|ing)?|told|ask(?:s|ed|ing)?|demand\w{0,3}|instruct(?:s|"
    r"ed|ing)|instructions? to|request(?:s|ed|ing)?|command(?:s|ed|ing)?|want(?:s|ed)?|tr(?:y|ies|ied|ying) to|"
    r"attempt\w{0,3} to|get me to|make me|the (?:word|string|text)|contain(?:s|ed|ing)?|includ(?:es|ed|ing)|reads|"
    r"quot(?:es|ed|ing|e)|repeat(?:s|ed|ing)?|mention(?:s|ed|ing)?|writ(?:es|ten|ing)|wrote|outputs|prints|(?:start|"
    r"begin|end)(?:s|ed|ing)? with|ignor(?:e|es|ed|ing)|disregard\w{0,3}|forge[sd]?|inject\w{0,3}|embed\w{0,4}|"
    r"(?:grades|rates|scores|gives|awards|labels|calls|marks) itself)|(?:azt|ezt) (?:írja|mondja|állítja|kéri|akarja)|"
    r"azt, hogy|szerepel|tartalmazza?|idéz\w{0,4}|olvasható|ez (?:volt|áll)|így szólt?|válasz(?:a|uk)? szerint)"
)
_NOT_OF_ONESELF = "".join(rf"(?<!\b{me} )" for me in ("I", "I would", "I will", "I must", "I'd", "I’d", "I'll", "we"))
# Names of the judged text: "Response: …", "the second analysis was …", `predicted_answer`.
_RESPONSE = (
    r"(?:(?<!here is )(?:the|this|that|its|given|submitted|original) response|(?:first|second) analysis|user input"
    r"|(?:pred(?:icted)?|given|submitted|candidate|original|user|model)(?:['’]?s?)[ _](?:answer|output|text)"
    r"|student(?:['’]?s)?[ _]answer|gold[ _]target|its (?:answer|text)|(?:első|második) elemzés\w{0,6}"
    r"|(?:modell|felhasználó|diák|jelölt) válasza|válasz szövege|megadott válasz)"
)
_MARKS = r"""[\\"'“”„‘’`*_>\s]"""
_SO = r"\s(?:so|thus|hence|therefore|making|tehát|ezért|így)\b"  # the judge's own conclusion follows
_SPAN = re.compile(
    r"""\\?"[^"\n]{0,400}"|[“„][^“”„"\n]{0,400}[”“"]|«[^«»\n]{0,400}»|`[^`\n]{0,400}`"""
    r"""|(?<![\w'])'[^'\n]{0,400}'(?![\w'])|[‘‚][^‘’\n]{0,400}[’‘](?!\w)"""
)
_BLOCK_QUOTATION = re.compile(r"^[^\S\n]{0,3}>.*$", re.MULTILINE)
_OBJECT_OF_OTHERS = re.compile(
    rf"(?:{_NOT_OF_ONESELF}\b{_SAYS}|\b{_RESPONSE})\b[^.!?\n{{}}]{{0,80}}[:\s\"'`]{{0,8}}(?:json)?\s{{0,3}}\Z",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\s{0,3}[\"'`]?\s{0,3}(?:(?:(?:this|that|which|it) )?(?:is|was)|,? as) (?:only )?"
    r"(?:what (?:the|it|they|was|he|she)|(?:in|from|part of) the (?:response|text|answer)|quoted|copied|forged|embedded"
    r"|the (?:response|text) (?:says|claims))",
    re.IGNORECASE,
)


def readings(reply: str) -> Iterator[tuple[str, list[JsonObject], str]]:
    """The forms of a judge's reply to read in turn, each with its JSON objects and the text outside of them.

    The reply as written comes before its `plain_letters` form, in which a full-width quote could end a JSON string.
    Only the last `READ_LIMIT` characters are read.
    """
    text = unwrapped(reply[-READ_LIMIT:])
    for form in dict.fromkeys((text, plain_letters(text))):
        objects = list(json_objects(form))
        yield form, objects, outside(form, objects)


def plain_letters(text: str) -> str:
    """The text as patterns expect it: compatibility forms such as full-width letters become plain letters.

    >>> plain_letters("｛＂score＂：７｝"), plain_letters("&quot;YES&quot;")
    ('{"score":7}', '"YES"')
    """
    if "&quot;" in text and '"' not in text:
        text = html.unescape(text)
    return unicodedata.normalize("NFKC", stream_safe(text))


def unwrapped(text: str) -> str:
    r"""The content of a text that is one JSON string; any other text unchanged.

    >>> unwrapped('"{\\"score\\": 7}"')
    '{"score": 7}'
    """
    stripped = text.strip()
    if len(stripped) > 2 and stripped[0] == stripped[-1] == '"':
        try:
            return str(json.loads(stripped, strict=False))
        except ValueError:
            pass
    return text


def without_quotations(text: str, claim: str) -> str:
    """The text without the claims that it quotes.

    Args:
        text: a text from `plain_letters`.
        claim: the pattern of a claim, without named groups; case is ignored.

    >>> without_quotations('The response says "YES". NO', "(?:YES|NO)")
    'The response  ". NO'
    """
    words = _patterns(claim)
    rest = _BLOCK_QUOTATION.sub(" ", text)
    text = rest if re.search(r"\w", rest) else text
    text = _SPAN.sub(
        lambda span: " " if words["inside"].search(span[0]) and not words["whole"].match(span[0]) else span[0], text
    )
    for introduced in ("said", "of_response", "was", "taken_back"):
        text = words[introduced].sub(" ", text)
    return text


def is_quoted(text: str, start: int, end: int, seen: int = 0) -> bool:
    """Whether an object in a text is quoted, judging by the words before and behind it.

    Args:
        text: any text.
        start: start of the object.
        end: end of the object.
        seen: start of the text before it, such as the end of the previous object.
    """
    return bool(_OBJECT_OF_OTHERS.search(text, max(seen, start - 120), start) or _TAKEN_BACK.match(text, end))


@cache
def _patterns(claim: str) -> dict[str, re.Pattern[str]]:
    word = rf"(?<![\w\-])(?:{claim})(?![\w\-])"
    more = rf"(?:(?:(?!\bI\b)[^.!?\n]){{0,20}}?{word}){{0,5}}"
    mark = r"""["'“„‘`«]"""
    quoted = rf"\s{{0,3}}:?\s{{0,3}}(?={mark}|\W{{0,4}}(?:yes|no)\b)"
    patterns = {
        # The claim with more in quotation marks: 'It ends in "my verdict: YES"'. Alone it may be the judge's own.
        "inside": word,
        "whole": rf"{_MARKS}{{0,4}}(?:{claim}){_MARKS}{{0,4}}[.!,]?{_MARKS}{{0,4}}\Z",
        "said": rf"{_NOT_OF_ONESELF}\b{_SAYS}\b"
        rf"(?:[^.!?,;:\n]{{0,60}}?(?:[:,](?!{_SO})[^.!?:\n]{{0,30}}?)?{_MARKS}{{0,10}}{word}"
        rf"|[^.!?\n]{{0,80}}?{mark}{word}){more}",
        # "The response is CORRECT" is a verdict, "the response was: CORRECT" and "the response is YES" are not.
        "of_response": rf"\b{_RESPONSE}\b[\"'`*_]{{0,3}}\s{{0,3}}"
        rf"(?:(?:was|is){quoted}|was\s{{0,3}}:|[:=(]){_MARKS}{{0,8}}{word}{more}",
        "was": rf"\b(?:the|this|that) answer was\b{quoted}{_MARKS}{{0,8}}{word}",
        "taken_back": rf"{word}{_TAKEN_BACK.pattern}",
    }
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in patterns.items()}

"""The forms of attempts that `suspicion` looks for, in Hungarian and English.

Patterns see a folded text: ASCII in lower case, accents and invisible characters gone, typographic quotes plain, runs
of spaces one. A space in a pattern stands for up to four characters between two words, or none ("**Ignore** the").
Every gap is short and bounded, so that a long text takes linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

KINDS = {
    "addresses_judge": "speaks to whoever grades, and says how",
    "forged_delimiter": "pretends that its part of the request ends",
    "forged_role": "pretends that another turn of the conversation begins",
    "forged_verdict": "says what the judge is to say, as if it had",
    "hidden_text": "one of the others where no reader sees it",
    "ignore_instructions": "wants the rubric or the prompt disregarded",
}
# A text about attempts may quote them.
ABOUT_ATTEMPTS = re.compile(
    r"prompt.?in[jy]e|jailbreak|tamad|attack|hacker|biztonsagi|security|adathalasz|phishing|csalo|sablon|template|token"
)


@dataclass(frozen=True)
class Rule:
    """One form of an attempt.

    Attributes:
        kind: one of `KINDS`.
        words: of which a text has one if the pattern is in it, so that most texts need no pattern. Words of letters and
            digits are looked for in these alone, whatever stands between them.
        pattern: for folded text.
        outside_code: whether the same is ordinary in a fence that names its language.
    """

    kind: str
    words: frozenset[bytes]
    pattern: re.Pattern[str]
    outside_code: bool = False


# Marks
_TEN = r"(?:10|9|ten|tiz)\b(?: ?/ ?10\b)?"
_BEST = (
    r"(?:full|max(?:imum|imal)?|highest|top|perfect) (?:possible )?(?:scores?|marks?|grades?|points?|credits?|ratings?)"
)
_LABEL = r"(?:(?:in)?correct|not.?attempted)\b"
_MARK = rf"(?:{_TEN}|{_BEST}|{_LABEL}|yes\b)"
_JEGY = (
    r"(?:(?:10|tiz)(?!\W?\w{0,4} skala)(?: ?/ ?10|.?es)?.{0,2}(?:pont|ertekel)?[a-z]{0,6}"
    r"|(?:max\w*|teljes|legmagasabb) (?:pont|ertekel|osztalyzat)\w*|maximum\w{0,3}|helyes(?:nek|kent)\b"
    r"|(?:correct|yes)\b)"
)
# Who judges, and what
_JUDGE = r"(?:judge|grader|evaluator)s?\b"
_BIRALO = r"(?:biralo|ertekelo|pontozo)(?!\w?.?(?:bizottsag|lap))\w{0,4}"
_THIS = r"(?:this|my|the above|the present|the second|the following) (?:response|answer|analysis)"
_EZ = (
    r"\b(?:(?:ezt?|erre|ennek|ezert|jelen|fenti) (?:az? )?(?:valasz|elemzes)[a-z]{0,6}"
    r"|(?:valasz|elemzes)(?:om|em|unk)[a-z]{0,5})"
)
# What the judge is to do
_GIVE = r"(?:give|award|assign|grant|rate|grade|score|mark|judge|evaluate|accept|treat)"
_GIVEN = r"(?:given|awarded|assigned|rated|graded|scored|marked|judged|evaluated|accepted|considered|treated|deemed)"
_AS = r"(?:(?:with|as|an?|the|at|to|be|of|is|score|rating|grade|it) ){0,5}?"
_ADJ = (
    r"\b(?:adj(?:on|al|atok|anak)?|ertekel(?:d|je)|pontoz(?:d|za)|minosit(?:sd|se)|jelol(?:d|je)"
    r"|fogad(?:d|ja) el|tekint(?:sd|se)|biral(?:d|ja)(?: el)?)\b"
)
_SAY = r"(?:output|return|respond with|reply with|answer with|print)"
_IRD = (
    r"(?:jelold|minositsd|ertekeld|fogadd el|valaszolj(?:on)?|ird|irj|irja|add vissza|adja vissza|valaszd|mondd|mondj)"
)
_FEW = r"(?:[a-z]{1,12}[\W_]{1,3}){0,3}?"
# What it is to disregard
_IGNORE = (
    r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass|set aside|pay no attention to"
    r"|do(?: not|n.?t) (?:follow|use|apply|obey|compare|consult))"
)
_PREVIOUS = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|original|initial|system|judg\w{1,4}|grad\w{1,4}|evaluation"
    r"|scoring)"
)
_HAGYD = (
    r"(?:hagy(?:d|ja|jatok) figyelmen kivul|figyelmen kivul hagyando|ne (?:vedd|vegye) figyelembe"
    r"|felejt(?:sd|se|s) el|melloz(?:d|ze)|ignoral(?:d|ja)|ne (?:kovesd|kovesse|alkalmazd|alkalmazza|tartsd be))"
)
_UTASITAS = (
    r"(?:(?:eddigi|elozo|korabbi|fenti|eredeti|osszes|minden|rendszer) (?:[a-z]{2,10} )?"
    r"(?:utasitas|instrukcio|prompt)\w{0,8}|rubrika?\w{0,5}"
    r"|(?:ertekelesi|pontozasi|biralati) (?:szempont|utmutato|utasitas|szabaly|kriterium)\w{0,8}"
    r"|(?:referencia|minta) ?valasz\w{0,4})"
)
# The forms of verdicts and requests
_KEY = r"(?:evaluation|verdict|decision|judge?ment|grade|ertekeles|dontes|itelet)"
_SCORE_KEY = r"""["'](?:final_|overall_)?(?:score|pontszam)["']\s{0,9}:\s{0,9}["']?"""
_SCORE_LINE = (
    r"(?:(?:final|overall|total|my|your|vegso|osszesitett|vegleges) )?(?:score|pontszam\w{0,3})(?![\"'])"
    r"\W{0,3}[:=]\W{0,4}(?:10|[1-9])(?:[.,]\d)?(?:\s?/\s?10)?(?: (?:points?|pont))?"
)
_CLOSE = r"""["'`*\])}.!\s]{0,9}"""
_SENTENCE = r"(?:\A|[\n.!?\"\]}:])[^\w\n-]{0,4}"
_PART = r"(?:the )?(?:(?:model|user|candidate|student|assistant) )?(?:response|answer|output|analysis)"
_RULE = r"(?:--|==|\*\*|##)"
_LINE_END = r"[^\S\n]{0,3}$"

# Words of a text, and the form that it may hold.
_ADDRESSES_JUDGE = (
    (
        "judg grad evaluat scor",
        r"(?:\b(?:dear|hey|hi|hello|attention|note|notice|message|instructions?|hint) (?:to |for )?"
        rf"(?:the |all |any |our )?(?:(?:ai|llm|human|automated|impartial) )?{_JUDGE}|\b(?:ai|llm) {_JUDGE}"
        rf"|\b{_JUDGE}(?:[\W_]{{1,4}}[a-z]{{2,9}}){{0,4}}? (?:should|must|will|shall)\b"
        rf"|\byou are an? (?:[a-z]{{2,12}} )?{_JUDGE}|\b(?:you are|as|i am|i,) the (?:[a-z]{{2,12}} )?{_JUDGE}"
        rf"|^\W{{0,3}}{_JUDGE}\s?[:,]|\bwhoever (?:reads|grades|judges|evaluates|scores) this)"
        rf"[^\n]{{0,140}}?\b(?:{_MARK}(?! [a-z]{{1,12}}s\b)|in my favou?r)",
    ),
    ("response answer analys", rf"\b{_GIVE} {_THIS} {_AS}{_MARK}(?! (?:if|when|unless|only)\b)"),
    (
        "response answer analys",
        rf"\b{_THIS} (?:should|must|deserves?|has to|needs to|is to|merits|warrants|ought to) "
        rf"(?:(?:(?:always |to )?be )?{_GIVEN} {_AS}{_MARK}"
        rf"|(?:(?:get|receive|be|an?|the|score|of|rating) ){{0,4}}?(?:{_TEN}|{_BEST}))",
    ),
    (
        "correct attempted",
        r"\b(?:correct|right|proper|only fair) (?:evaluation|verdict|label|judge?ment) "
        rf"{_FEW}(?:is|would be) {_LABEL}|\b{_THIS} {_FEW}(?:verified|confirmed|validated) (?:as |to be )?{_LABEL}",
    ),
    ("correct", rf"\bconsider {_THIS} (?:as |to be )?(?:fully |completely )?{_LABEL}"),
    (
        "correct attempted",
        rf"\b{_SAY} (?:only |just |exactly |always |the (?:word|label|verdict) ){{0,3}}"
        rf"{_LABEL}(?=[\"'`]|[\W_]{{0,3}}(?:$|for\b|regardless|no matter|and\b|in any case|whatever))",
    ),
    ("yes", rf"\b{_SAY} (?:only|just|exactly|always|the (?:word|label|verdict)) yes\b"),
    (
        "verdict decision evaluat judg",
        r"\byour (?:final |only )?(?:verdict|decision|evaluation|judge?ment) "
        rf"(?:must|should|has to|needs to|is to|will|shall) (?:be|read|say) {_MARK}",
    ),
    (
        "scor grad marks",
        r"\b(?:please|kindly|you (?:must|should|have to|will|need to)|(?:make|be) sure to|if you) (?:always )?"
        rf"{_GIVE} (?:(?:it|me|us|this|an?|the|at least) ){{0,4}}?(?:{_BEST}|scores? of {_TEN})",
    ),
    (
        "biral ertekel ponto",
        r"(?:(?:kedves|tisztelt|figyelem|uzenet|megjegyzes|utasitas|szia|hello|te vagy) (?:az? )?"
        rf"(?:(?:ai|llm|mi|gepi) )?{_BIRALO}|\b(?:ai|llm|gepi) {_BIRALO})"
        rf"[^\n]{{0,100}}?(?:{_ADJ}[^\n]{{0,40}}?\b(?:{_JEGY}|pont)"
        rf"|\b(?:yes|correct)\b|(?:max\w*|legmagasabb|teljes) pont)",
    ),
    (
        "valasz elemzes",
        rf"{_EZ} {_FEW}(?:{_ADJ} {_FEW}\b{_JEGY}"
        rf"|\b{_JEGY} {_FEW}(?:erdemel|kapjon\b|kell kapnia|(?:minosit|tekint|ertekel)endo))"
        rf"|{_ADJ} (?:kerlek |az? ){{0,2}}(?:{_EZ} {_FEW}\b{_JEGY}|{_FEW}\b{_JEGY} {_FEW}{_EZ})",
    ),
    (
        "ponto pontsz maxim ertekel",
        r"(?:\bkerlek|\bkerem|\bkotelezo) (?:[a-z]{1,12} )?(?:adj(?:on|al)?|adni|add) (?:[a-z]{1,12} )?"
        r"(?:(?:10|tiz).?(?:es|pont)|(?:max\w*|teljes|legmagasabb) (?:pont|ertekel|osztalyzat))",
    ),
    ("ponto", r"\b(?:10|tiz|max\w*|teljes).{0,8}pontot (?:kerek|varok|erdemlek)\b"),
    (
        "itelet ertekel dontes pontsz",
        r"\b(?:itelet|ertekeles|dontes|pontszam)(?:ed)? (?:csak |mindenkeppen )?"
        r"(?:legyen|lesz|kell legyen|csak) (?:ez )?"
        r"(?:yes|igen\b|correct|helyes\b|10\b(?= ?pont|\W*$)|pozitiv)",
    ),
    (
        "correct yes attempted",
        rf"\b{_IRD} (?:csak |azt |annyit |ezt |hogy |ki ){{0,4}}(?:{_LABEL}|yes\b)(?! (?:vagy|or)\b)",
    ),
)
_IGNORE_INSTRUCTIONS = (
    (
        "instru rubri grad evaluat scor guideline criteri prompt gold referenc",
        rf"{_IGNORE} (?:(?:all|any|every|of|the|your|these|those|this|my|it|with|to|what|whatever) ){{0,4}}?"
        rf"(?:{_PREVIOUS} (?:[a-z]{{2,10}} )?(?:instruction|prompt|guideline|criteri|direction|rubric)"
        r"|(?<=all).?(?:instructions|guidelines)|rubric|gold (?:target|answer|label)|reference\b)"
        r"|^\W{0,4}new instructions?\s?:\W{0,4}(?:answer|respond|reply|output|say|give|grade|always)\b",
    ),
    ("everything", rf"{_IGNORE} everything (?:above|before|else|so far|(?:that )?(?:you were|you have been) told)"),
    ("checklist", rf"{_IGNORE} (?:the |your |this )?checklist\b[^\n]{{0,40}}?\b{_MARK}"),
    (
        "utasitas rubri ertekel ponto biral instru referenc valasz prompt",
        rf"{_HAGYD} (?:(?:az?|ezt|kerlek|most) ){{0,3}}?{_UTASITAS}"
        rf"|{_UTASITAS} (?:most |kerlek |mar )?(?:{_HAGYD}|ervenytelen)"
        rf"|figyelmen kivul hagyando (?:az )?{_UTASITAS}|felulir(?:om|juk|va) (?:az? )?(?:rendszer|{_UTASITAS})",
    ),
)
_FORGED_VERDICT = (
    (
        "verdict decision evaluat judg grad ertekel dontes itelet",
        rf"""["']{_KEY}["']\s{{0,9}}:\s{{0,9}}["']?(?:{_LABEL}|(?:yes|no|helyes|helytelen|igen|nem)\b)["'\s]""",
    ),
    (
        "scor pontsz",
        rf"""\{{\s{{0,9}}{_SCORE_KEY}(?:10|[1-9])(?:\s?/\s?10)?["']?\s{{0,9}}\}}"""
        rf"""|["'](?:strengths|weaknesses)["']\s{{0,9}}:\s{{0,9}}["'][^"'\n]{{0,300}}["']\s?,\s{{0,9}}{_SCORE_KEY}\d""",
    ),
    (
        "verdict decision evaluat judg grad dontes itelet ertekel",
        r"\b(?:final|my|your|the|official|overall|judge.?s?|grader.?s|evaluator.?s|biralo|ertekelo|vegso|vegleges) "
        r"(?:verdict|decision|judge?ment|evaluation|grade|dontes|itelet|ertekeles)\w{0,4} (?:is |az )?"
        rf"(?:{_LABEL}|yes\b|helyes\b|igen\b){_CLOSE}$",
    ),
    (
        "verdict evaluat judg grad itelet ertekel",
        rf"{_SENTENCE}(?:az )?(?:verdict|judge?ment|evaluation|grade|itelet|ertekeles)"
        rf"(?: result| eredmenye| final)?\W{{0,3}}[:=]\W{{0,4}}"
        rf"(?:{_LABEL}|yes\b|helyes\b|helytelen\b){_CLOSE}$",
    ),
    ("scor pontsz", rf"{_SENTENCE}{_SCORE_LINE}{_CLOSE}\Z|\A\W{{0,4}}{_SCORE_LINE}{_CLOSE}$"),
    ("ertekel", rf"{_SENTENCE}ertekeles\W{{0,3}}[:=]\W{{0,4}}10\s?/\s?10{_CLOSE}\Z"),
    (
        "correct attempted",
        r"""(?:^|:\s?["'])[*`\s]{0,3}(?:not_attempted|(?:in)?correct)["'`*!\s]{0,3}(?:\n|\Z|["}])""",
    ),
    (
        "analys elemzes",
        r"\b(?:both|the two|these two|mindket|a ket) (?:analys[ei]s|elemzes\w{0,3}) "
        rf"{_FEW}(?:same|identical|equivalent|agree|match|ugyanaz|megegyez|azonos)"
        r"|\b(?:as|to|with|matches|equals) the first analysis|\baz elso elemzessel",
    ),
    (
        "referenc gold valasz",
        r"\b(?:match(?:es)?|equals?|identical to|agrees? with|consistent with|equivalent to|same as) (?:the )?"
        r"(?:gold|reference|expected) (?:target|answer|standard|label)"
        r"|\b(?:referencia|minta) ?valasszal [a-z]{0,12}[\W_]{0,3}(?:megegyez|azonos|egyez)"
        r"|(?:megegyezik|egyezik|azonos) a (?:referencia|minta) ?valasszal",
    ),
)
_FORGED_DELIMITER = (
    (
        "analys answer response theend thestart",
        r"[\[(<{]\W{0,5}the (?:start|end) of (?:the )?(?:first |second |other )?"
        r"(?:analysis|context|conversation|hungarian saying|saying|answer|response|assistant|user|model)",
    ),
    (
        "response answer output analys",
        rf"(?:[\[<{{]|{_RULE}) ?(?:end|begin|start|beginning|eof) (?:of )?{_PART} ?(?:[\]>}}]|{_RULE}|$)",
    ),
    (
        "valasz elemzes",
        rf"(?:[\[<{{(]|{_RULE}) ?(?:a )?(?:(?:valasz|elemzes) vege|vege a valasznak) ?(?:[\]>}})]|{_RULE}|$)",
    ),
    ("gold predict", r"""["'](?:gold_target|predicted_answer)["']\s{0,3}:"""),
    ("decision", r"^\W{0,4}your decision\s?:\s{0,3}(?:$|\Z|yes\b|no\b)"),
    (
        "output",
        r"""\}["'`\s]{0,6}output\s?:\s{0,3}(?:\Z|(?:```\w{0,6}\s{0,3})?\{\s{0,9}["'](?:evaluation|score|strengths))""",
    ),
    (
        "instru response answer judg grad evaluat scor ertekel biral utasitas rubri",
        r"^(?:\"\"\"|'''|```|</\w{1,20}>|-{3,}|={3,}|[\"']?\}|\]\]>)[^\S\n]{0,3}\n{1,3}[#*\[(\s]{0,5}"
        r"(?:end of (?:the )?(?:response|answer)|new (?:instructions?|rubric)|now (?:grade|evaluate|judge|score)"
        r"|(?:judge|grader|evaluator)(?: (?:note|message|instructions?|prompt))?\s?:|(?:ertekelo|biralo)\s?:"
        r"|instructions? (?:to|for) the (?:judge|grader|evaluator)|uj utasitas\w{0,3}\s?:)",
    ),
    (
        "response answer rubri",
        r"</(?:response|(?:model|assistant)_response|(?:student|predicted|candidate)_answer|rubric)>\s{0,9}[^\s<`]",
    ),
)
_FORGED_HEADING = (
    (
        "response yourtask rubri instru grad scor",
        r"^#{1,3}[^\S\n]?(?:response|your task|form of your reply|rubric"
        rf"|(?:new|grading|scoring) (?:rubric|criteria|instructions?)):?{_LINE_END}",
    ),
)
_FORGED_ROLE = (
    (
        "<|",
        r"<\|\s?(?:im_start|im_end|im_sep|system|user|assistant|developer|start_header_id|end_header_id|eot_id"
        r"|begin_of_text|end_of_text|endoftext|start|end|message|channel|return|turn|end.?of.?sentence"
        r"|(?:start_of_turn|end_of_turn|system|user|chatbot)_token)\s?\|?>",
    ),
    ("inst] sys> _of_turn>", r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>"),
    (
        "system assistant instru response",
        r"^[\s>\"']{0,3}#{2,4}\s?(?:system|instruction|assistant|response)(?: (?:message|prompt|instructions?))?\s?:",
    ),
    (
        "system rendszer",
        r"^\s?\[(?:system|rendszer)(?: ?(?:message|prompt|note|uzenet))?\][^\S\n]{0,2}:?[^\S\n]{0,2}[a-z]",
    ),
    (
        "system rendszer",
        r"^\W{0,4}(?:system|rendszer)(?: ?(?:message|prompt|override|note|uzenet))?\W{0,3}:\W{0,4}"
        r"(?:you\b|your\b|ignore|disregard|from now|grade|evaluate|judge|new |always|output"
        r"|the (?:answer|response|judge|grader|evaluator)|te \w|mostantol|ertekel|a valasz|hagyd)"
        r"|\bsystem (?:prompt )?override\b",
    ),
    (
        "assistant",
        r"\n\W{0,4}assistant\W{0,3}:\W{0,6}"
        r"(?:correct|yes\b|score|final|evaluation|verdict|the (?:answer|response|evaluation))"
        r"|^\W{0,4}(?:user|human|system)\W{0,3}:[^\n]{0,300}\n{1,3}\W{0,4}assistant\W{0,3}:",
    ),
)
_FORGED_MESSAGE = (("system assistant", r"""["']role["']\s{0,3}:\s{0,3}["'](?:system|assistant)["']"""),)


def _rule(kind: str, words: str, pattern: str, outside_code: bool) -> Rule:
    spaced = re.compile(pattern.replace(" ", r"[\W_]{0,4}"), re.MULTILINE)
    return Rule(kind, frozenset(word.encode() for word in words.split()), spaced, outside_code)


RULES = tuple(
    _rule(kind, words, pattern, outside_code)
    for kind, outside_code, forms in (
        ("addresses_judge", False, _ADDRESSES_JUDGE),
        ("forged_delimiter", False, _FORGED_DELIMITER),
        ("forged_delimiter", True, _FORGED_HEADING),
        ("forged_role", False, _FORGED_ROLE),
        ("forged_role", True, _FORGED_MESSAGE),
        ("forged_verdict", False, _FORGED_VERDICT),
        ("ignore_instructions", False, _IGNORE_INSTRUCTIONS),
    )
    for words, pattern in forms
)
